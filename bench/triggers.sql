-- Measures near_duplicate_trigger. Run by bench/triggers.sh. Variables: rows, inserts, rounds.
--
-- The documents: 60 tokens each, 40 of their own and 20 shared with the 99 others of their family, so that families have
-- a Jaccard similarity of 0.2 and cost some candidates, as boilerplate does. Of each five, the last is a planted
-- near-duplicate of the first (3 tokens replaced, similarity 0.9). The inserted documents are new members of the families, and
-- none is rejected. This is the expensive case, because the search must compare every candidate.

\ir tools.sql

CREATE FUNCTION tokens(family bigint, doc bigint, variant text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT array_agg(CASE WHEN i <= 20 THEN 'f' || family WHEN i <= 23 THEN variant || doc ELSE 'd' || doc END || '.' || i)
	FROM generate_series(1, 60) AS i
$$;

\echo making :rows documents
CREATE TABLE docs (id bigint, fp minhash128, sh simhash64, near bigint) WITH (autovacuum_enabled = off);
-- 15485863 is prime: (id · 15485863) mod rows visits every number once, in scattered order.
INSERT INTO docs
SELECT id, to_minhash128(t), to_simhash64(t, array_fill(1.0::float8, ARRAY[60]))
FROM generate_series(0::bigint, :rows - 1) AS id, LATERAL (SELECT id * 15485863 % :rows AS n) AS scattered,
	LATERAL (SELECT tokens(n / 100, CASE WHEN n % 5 = 4 THEN n - 4 ELSE n END, CASE WHEN n % 5 = 4 THEN 'v' ELSE 'd' END) AS t OFFSET 0) AS made;
ALTER TABLE docs ADD PRIMARY KEY (id);
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
CREATE INDEX docs_sh ON docs USING gin (sh) WITH (fastupdate = off);
VACUUM ANALYZE docs;

CREATE TABLE fresh AS
SELECT i AS id, to_minhash128(t) AS fp, to_simhash64(t, array_fill(1.0::float8, ARRAY[60])) AS sh
FROM generate_series(1::bigint, :inserts * :rounds * 20) AS i, LATERAL (SELECT tokens(i * 7919 % (:rows / 100), :rows + i, 'd') AS t OFFSET 0) AS made;
ALTER TABLE fresh ADD PRIMARY KEY (id);
VACUUM ANALYZE fresh;

-- ---------------------------------------------------------------------------------------------------- measuring

CREATE TABLE sample (made_by text, what text, us float8);
CREATE SEQUENCE used;

-- Each call inserts rows that were never in the table, in one transaction, and removes them again.
CREATE PROCEDURE measure(fast text, what text, n int) LANGUAGE plpgsql AS $$
DECLARE
	row fresh;
	started timestamptz;
	times float8[] := '{}';
	first bigint := nextval('used') * n;
BEGIN
	FOR row IN SELECT * FROM fresh WHERE id > first AND id <= first + n LOOP
		started := clock_timestamp();
		INSERT INTO docs VALUES (-row.id, row.fp, row.sh);
		times := times || extract(epoch FROM clock_timestamp() - started)::float8 * 1e6;
		COMMIT;	-- each row is a transaction, so locks are taken for each
	END LOOP;
	IF cardinality(times) <> n THEN
		RAISE EXCEPTION 'only % of % rows inserted', cardinality(times), n;
	END IF;
	INSERT INTO sample SELECT fast, what, unnest(times);
	DELETE FROM docs WHERE id < 0;
	COMMIT;
END $$;

CREATE TABLE variant (ord int, what text, definition text);
INSERT INTO variant VALUES
	(1, 'plain', NULL),
	(2, 'minhash128, reject, 0.8', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')$$),
	(3, 'minhash128, reject, 0.8, AFTER', $$AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')$$),
	(4, 'minhash128, flag, 0.9', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'threshold=0.9')$$),
	(5, 'simhash64, skip, 3', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'skip', 'max_distance=3')$$),
	(6, 'simhash64, flag, 7', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'flag', 'column=near', 'max_distance=7')$$);

CREATE PROCEDURE measure_all(fast text, n int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
	v variant;
BEGIN
	FOR round IN 1 .. rounds LOOP
		FOR v IN SELECT * FROM variant ORDER BY ord LOOP
			IF v.definition IS NOT NULL THEN
				EXECUTE 'CREATE TRIGGER bench ' || v.definition;
			END IF;
			CALL measure(fast, v.what, n);
			DROP TRIGGER IF EXISTS bench ON docs;
		END LOOP;
	END LOOP;
END $$;

\echo inserting, fastupdate off
CALL measure_all('gin', :inserts, :rounds);
\echo inserting, fastupdate on with a pending list of 64 kB, and of 4 MB
ALTER INDEX docs_fp SET (fastupdate = on, gin_pending_list_limit = 64);
ALTER INDEX docs_sh SET (fastupdate = on, gin_pending_list_limit = 64);
CALL measure_all('gin, fastupdate, 64 kB', :inserts, :rounds);
ALTER INDEX docs_fp RESET (gin_pending_list_limit);
ALTER INDEX docs_sh RESET (gin_pending_list_limit);
CALL measure_all('gin, fastupdate, 4 MB', :inserts, 1);

\echo inserting, indexes of the access method sketch
DROP INDEX docs_fp, docs_sh;
CREATE INDEX docs_fp ON docs USING sketch (fp);
CREATE INDEX docs_sh ON docs USING sketch (sh);
VACUUM docs;
CALL measure_all('sketch', :inserts, :rounds);

\echo microseconds per inserted row
SELECT s.made_by AS index, s.what, s.count AS rows, round(median::numeric, 1) AS median, round(p95::numeric, 1) AS p95,
	round((median - first_value(median) OVER w)::numeric, 1) AS "check adds", round((median / first_value(median) OVER w)::numeric, 2) AS ratio
FROM (SELECT made_by, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY us) AS median, percentile_cont(0.95) WITHIN GROUP (ORDER BY us) AS p95, count(*) FROM sample GROUP BY 1, 2) AS s
	JOIN variant USING (what)
WINDOW w AS (PARTITION BY s.made_by ORDER BY ord) ORDER BY s.made_by, ord;

-- Measures near_duplicate_trigger. Run by bench/triggers.sh. Variables: rows, inserts, rounds. families.sql describes the documents. The inserted
-- documents are new members of the families, and none of them is rejected. This is the expensive case, because the search must compare every
-- candidate.

\ir tools.sql
\set columns ', sh simhash64, near bigint'
\set values ', to_simhash64(t, array_fill(1.0::float8, ARRAY[60]))'
\ir families.sql
CREATE INDEX docs_sh ON docs USING gin (sh) WITH (fastupdate = off);
VACUUM ANALYZE docs;

CREATE TABLE fresh AS
SELECT i AS id, to_minhash128(t) AS fp, to_simhash64(t, array_fill(1.0::float8, ARRAY[60])) AS sh
FROM generate_series(1::bigint, :inserts * (:rounds * 18 + 8)) AS i, LATERAL (SELECT tokens(i * 7919 % (:rows / 100), :rows + i, 'd') AS t OFFSET 0) AS made;
ALTER TABLE fresh ADD PRIMARY KEY (id);
VACUUM ANALYZE fresh;

\set body 'INSERT INTO docs VALUES (-row.id, row.fp, row.sh)'
\ir single_rows.sql

CREATE TABLE variant (ord int, what text, definition text);
INSERT INTO variant VALUES
	(1, 'plain', NULL),
	(2, 'minhash128, reject, 0.8', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')$$),
	(3, 'minhash128, reject, 0.8, AFTER', $$AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')$$),
	(4, 'minhash128, flag, 0.9', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'threshold=0.9')$$),
	(5, 'simhash64, skip, 3', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'skip', 'max_distance=3')$$),
	(6, 'simhash64, flag, 7', $$BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'sh', 'flag', 'column=near', 'max_distance=7')$$);

CREATE PROCEDURE measure_all(indexes text, n int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
	v variant;
BEGIN
	FOR round IN 1 .. rounds LOOP
		FOR v IN SELECT * FROM variant ORDER BY ord LOOP
			IF v.definition IS NOT NULL THEN
				EXECUTE 'CREATE TRIGGER bench ' || v.definition;
			END IF;
			CALL measure(indexes, v.what, n);
			DELETE FROM docs WHERE id < 0;
			COMMIT;
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
SELECT s.variant AS index, s.what, s.count AS rows, round(median::numeric, 1) AS median, round(p95::numeric, 1) AS p95,
	round((median - first_value(median) OVER w)::numeric, 1) AS "check adds", round((median / first_value(median) OVER w)::numeric, 2) AS ratio
FROM (SELECT variant, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY us) AS median, percentile_cont(0.95) WITHIN GROUP (ORDER BY us) AS p95, count(*) FROM sample GROUP BY 1, 2) AS s
	JOIN variant USING (what)
WINDOW w AS (PARTITION BY s.variant ORDER BY ord) ORDER BY s.variant, ord;

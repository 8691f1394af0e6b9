-- Measures tlsh_ops and tlsh_lsh_ops. Run by bench/tlsh_index.sh, which explains it.
-- Variables: rows, probes, kind (texts or files), list (the corpus, or paths with sizes).

\ir tools.sql

-- ---------------------------------------------------------------------------------------------------- the data

CREATE FUNCTION draw(i bigint, salt bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT (hashint8extended(i, salt) & x'7fffffffffffffff'::bigint) % n $$;

-- Replaces a share `rate` of the words, or of runs of six bytes.
CREATE FUNCTION edited(doc text, i bigint, rate float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN draw(i, p, 10000) < rate * 10000 THEN 'w' || draw(i, -p, 10000) ELSE w END, ' ' ORDER BY p)
	FROM unnest(string_to_array(doc, ' ')) WITH ORDINALITY AS words(w, p) $$;
CREATE FUNCTION edited(data bytea, i bigint, rate float8) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	FOR k IN 1 .. 1 + floor(rate * length(data) / 6)::int LOOP
		data := overlay(data PLACING decode(left(md5(i || '/' || k), 12), 'hex') FROM 1 + draw(i, k, length(data) - 6)::int);
	END LOOP;
	RETURN data;
END $$;

CREATE TABLE source (a text, b text, n serial PRIMARY KEY);
\set copy '\\copy source (a, b) FROM ' :'list'
:copy
ANALYZE source;

SELECT :'kind' = 'texts' AS texts \gset
\if :texts
-- Text i: one to six descriptions from scattered places; every fourth text is an edited copy of the one three before it.
CREATE FUNCTION piece(i bigint) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT string_agg(b, E'\n' ORDER BY k) FROM generate_series(0, i / 4 % 6) AS k JOIN source ON n = 1 + draw(i, k, (SELECT max(n) FROM source)) $$;
CREATE TABLE docs AS
SELECT id, to_tlsh(CASE WHEN id % 4 = 3 THEN edited(piece(id - 3), id, 0.005 * 2 ^ (id / 4 % 6)) ELSE piece(id) END) AS fp
FROM generate_series(0::bigint, :rows - 1) AS id;
CREATE TABLE probes AS
SELECT i AS n, to_tlsh(edited(piece(draw(i, 1, :rows / 4) * 4), -i, 0.005 * 2 ^ (i % 6))) AS fp FROM generate_series(1::bigint, :probes) AS i;
\else
-- Pieces of 200 to 4000 bytes, 4096 bytes apart, distributed over all files as evenly as the number of rows allows.
CREATE TABLE pieces AS
SELECT row_number() OVER (ORDER BY draw(n, k, 1000000007), n, k) AS id, a AS path, k * 4096::bigint AS start, (200 * 20 ^ (draw(n, k, 1000) / 1000.0))::bigint AS length
FROM source, generate_series(0, (b::bigint - 50) / 4096) AS k LIMIT :rows;
CREATE FUNCTION piece(path text, start bigint, length bigint) RETURNS bytea LANGUAGE sql STABLE AS $$ SELECT pg_read_binary_file(path, start, length, true) $$;
CREATE TABLE docs AS SELECT id, to_tlsh(piece(path, start, length)) AS fp FROM pieces;
CREATE TABLE probes AS
SELECT i AS n, to_tlsh(edited(piece(path, start, length), i, 0.005 * 2 ^ (i % 6))) AS fp
FROM generate_series(1::bigint, :probes * 2) AS i JOIN pieces ON id = 1 + draw(i, 1, (SELECT max(id) FROM pieces));
\endif
DELETE FROM docs WHERE fp IS NULL;
DELETE FROM probes WHERE fp IS NULL OR n > :probes AND n NOT IN (SELECT n FROM probes WHERE fp IS NOT NULL ORDER BY n LIMIT :probes);
VACUUM ANALYZE docs;
VACUUM ANALYZE probes;
SELECT count(*) AS rows, count(DISTINCT fp) AS distinct_digests, pg_size_pretty(pg_relation_size('docs')) AS size, (SELECT count(*) FROM probes) AS probes FROM docs;

-- ---------------------------------------------------------------------------------------------------- tools

CREATE FUNCTION cpu_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 60), ' ', 1)::float8 / 1e6 $$;

-- Milliseconds per probe, the minimum of three rounds; $1 is the digest. Uses only the first `how_many` probes.
CREATE FUNCTION measure(query text, how_many int, OUT ms float8, OUT hits bigint) LANGUAGE plpgsql AS $$
DECLARE
	started float8;
	probe probes;
	found_now bigint;
BEGIN
	FOR round IN 1 .. 3 LOOP
		started := cpu_ms();
		hits := 0;
		FOR probe IN SELECT * FROM probes ORDER BY n LIMIT how_many LOOP
			EXECUTE query INTO found_now USING probe.fp;
			hits := hits + found_now;
		END LOOP;
		ms := least(ms, (cpu_ms() - started) / least(how_many, (SELECT count(*) FROM probes)));
	END LOOP;
END $$;
CREATE FUNCTION by_scan(query text, how_many int, OUT ms float8, OUT hits bigint) LANGUAGE sql
	SET enable_indexscan = off SET enable_indexonlyscan = off SET enable_bitmapscan = off AS $$ SELECT * FROM measure(query, how_many) $$;
CREATE FUNCTION by_index(query text, how_many int, OUT ms float8, OUT hits bigint) LANGUAGE sql
	SET enable_seqscan = off SET enable_sort = off AS $$ SELECT * FROM measure(query, how_many) $$;
CREATE FUNCTION within(radius int) RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT count(*) FROM docs WHERE fp %% to_tlsh_probe($1, %s)', radius) $$;
CREATE FUNCTION nearest(n int) RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <~> $1 LIMIT %s) AS d', n) $$;

CREATE FUNCTION build(definition text, OUT seconds float8, OUT size text) LANGUAGE plpgsql AS $$
DECLARE
	started float8;
BEGIN
	DROP INDEX IF EXISTS docs_fp;
	started := cpu_ms();
	EXECUTE 'CREATE INDEX docs_fp ON docs USING ' || definition;
	seconds := (cpu_ms() - started) / 1000;
	size := pg_size_pretty(pg_relation_size('docs_fp'));
END $$;

-- ---------------------------------------------------------------------------------------------------- figures

\echo 'tlsh_ops: build'
SELECT round(seconds::numeric, 1) AS seconds, size FROM build('spgist (fp)');
VACUUM docs;

\echo 'search within a distance, ms per probe: scan and tlsh_ops by turns; equal answers'
CREATE TABLE tree AS
SELECT radius, s.ms AS scan_ms, i.ms AS index_ms, s.hits = (SELECT hits FROM by_index(within(radius), 10)) AS equal, i.hits
FROM unnest('{0,7,20,40,60,100,150}'::int[]) AS radius, by_scan(within(radius), 10) AS s, by_index(within(radius), :probes) AS i;
SELECT radius, round(scan_ms::numeric, 1) AS scan_ms, round((scan_ms * 1e6 / (SELECT count(*) FROM docs))::numeric, 1) AS scan_ns_per_row, round(index_ms::numeric, 2) AS index_ms,
	round((scan_ms / nullif(index_ms, 0))::numeric, 1) AS times_faster, equal, hits FROM tree ORDER BY radius;

\echo 'does the planner take the index?'
CREATE FUNCTION takes_index(radius int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
	taken bool := false;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN SELECT id FROM docs WHERE tlsh_similar(fp, %L, %s)', (SELECT fp FROM probes LIMIT 1), radius) LOOP
		taken := taken OR line LIKE '%docs_fp%';
	END LOOP;
	RETURN taken;
END $$;
SELECT radius, takes_index(radius) FROM tree ORDER BY radius;

\echo 'nearest first, ms per probe'
SELECT n, round(s.ms::numeric, 1) AS scan_ms, round(i.ms::numeric, 1) AS index_ms FROM unnest('{1,10}'::int[]) AS n, by_scan(nearest(n), 10) AS s, by_index(nearest(n), :probes) AS i;

\echo 'tlsh_lsh_ops: build, ms per probe, recall'
CREATE TABLE bands (definition text, seconds float8, size text, radius int, ms float8, recall numeric);
CREATE PROCEDURE measure_bands(definition text, probes int) LANGUAGE plpgsql AS $$
DECLARE
	built record;
BEGIN
	SELECT * INTO built FROM build('gin (fp tlsh_lsh_ops (' || definition || ')) WITH (fastupdate = off)');
	INSERT INTO bands SELECT definition, built.seconds, built.size, radius, i.ms, i.hits / nullif(tree.hits, 0)::numeric
	FROM tree, by_index(within(radius), probes) AS i WHERE radius <= 40;
END $$;
CALL measure_bands('bands = 10, bits = 24', :probes);
CALL measure_bands('bands = 5, bits = 24', :probes);
CALL measure_bands('bands = 6, bits = 20', :probes);
CALL measure_bands('bands = 8, bits = 16', :probes);
SELECT definition, round(seconds::numeric, 1) AS build_s, size, radius, round(ms::numeric, 2) AS ms, round(recall, 3) AS recall FROM bands ORDER BY definition, radius;

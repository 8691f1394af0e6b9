-- Run by widths.sh. Variables: schema, kind, probes, bits.
\ir ../../../bench/tools.sql
SELECT string_agg(DISTINCT format('%I', extnamespace::regnamespace::text), ', ') AS schemas FROM pg_extension WHERE extname IN ('txtfp', 'pg_trgm', 'txtfp_trgm') \gset
SET search_path = :schema, :schemas, pg_catalog;
CREATE TABLE strings AS SELECT row_number() OVER ()::int AS id, string FROM txtfp_widths_input.input;
-- as in strings.sql, but short strings get one error
CREATE TABLE probes AS SELECT string, CASE WHEN length(string) > 20 THEN overlay(overlay(string PLACING 'q' FROM 5 FOR 1) PLACING 'x' FROM length(string) / 2 FOR 1)
	ELSE overlay(string PLACING 'q' FROM length(string) / 2 FOR 1) END AS probe FROM strings ORDER BY hashint4(id) LIMIT :probes;
VACUUM ANALYZE strings;
CREATE TABLE compared (bits text, search text, rows bigint);
CREATE TABLE sizes (bits text, bytes numeric);

-- The rows that an index has returned so far, in this transaction.
CREATE PROCEDURE search(bits text, search text, statement text) LANGUAGE plpgsql AS $$
DECLARE
	p text; before bigint;
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION search(text) RETURNS void LANGUAGE plpgsql AS %L', format('BEGIN PERFORM %s; END', statement));
	FOR p IN SELECT probe FROM probes LOOP
		before := pg_stat_get_xact_tuples_returned('strings_index'::regclass);
		PERFORM search(p);
		INSERT INTO compared VALUES (bits, search, pg_stat_get_xact_tuples_returned('strings_index'::regclass) - before);
	END LOOP;
END $$;
CREATE PROCEDURE search_all(bits text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE INDEX strings_index ON strings USING sketch (string sketch_trgm_ops (bits = %s))', bits);
	INSERT INTO sizes SELECT bits, pg_relation_size('strings_index');
	CALL search(bits, '% at 0.5', 'count(*) FROM strings WHERE string % $1');
	CALL search(bits, 'ten nearest', '1 FROM (SELECT FROM strings ORDER BY string <-> $1 LIMIT 10) AS s');
	CALL search(bits, 'ten nearest words', '1 FROM (SELECT FROM strings ORDER BY $1 <<-> string LIMIT 10) AS s');
	DROP INDEX strings_index;
END $$;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET max_parallel_workers_per_gather = 0;
SET pg_trgm.similarity_threshold = 0.5;
SELECT format('CALL search_all(%L)', b) FROM regexp_split_to_table(:'bits', '[ ,]+') AS b \gexec
CREATE INDEX strings_gin ON strings USING gin (string gin_trgm_ops) WITH (fastupdate = off);
INSERT INTO sizes SELECT 'GIN', pg_relation_size('strings_gin');
-- rows that are similar, which no index can leave out
INSERT INTO compared SELECT 'similar rows', '% at 0.5', count(s.string) FROM probes LEFT JOIN strings AS s ON s.string % probe GROUP BY probe;
SELECT :'kind' AS strings, (SELECT round(avg(length(string))) FROM strings) AS characters, (SELECT round(avg(cardinality(show_trgm(string)))) FROM strings) AS trigrams, bits,
	(SELECT round(bytes / (SELECT count(*) FROM strings)) FROM sizes s WHERE s.bits = c.bits) AS "bytes of a row",
	max(r) FILTER (WHERE search = '% at 0.5') AS "% at 0.5", max(r) FILTER (WHERE search = 'ten nearest') AS "ten nearest", max(r) FILTER (WHERE search = 'ten nearest words') AS "ten nearest words"
FROM (SELECT bits, search, format('%s, %s', percentile_disc(0.5) WITHIN GROUP (ORDER BY rows), percentile_disc(0.95) WITHIN GROUP (ORDER BY rows)) AS r FROM compared GROUP BY 1, 2
	UNION ALL SELECT 'GIN', NULL, NULL) AS c
GROUP BY bits ORDER BY bits = 'similar rows', bits = 'GIN', lpad(bits, 4);

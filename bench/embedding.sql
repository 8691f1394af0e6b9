-- The report of bench/embedding.sh: the overhead of SQL. Variable: rounds.

\ir tools.sql
SELECT count(*) > 0 AS has_pgvector FROM pg_extension WHERE extname = 'vector' \gset

-- Few enough to stay in the processor's cache, so that the function is measured and not the memory.
CREATE TABLE source AS SELECT d AS dim, i AS id, array_agg((sin(i * 12.9898 + k * 78.233) * 43758.5453)::real - floor(sin(i * 12.9898 + k * 78.233) * 43758.5453)::real - 0.5::real ORDER BY k) AS v
FROM unnest(ARRAY[384, 768]) AS d, generate_series(1, 200) AS i, generate_series(1, d) AS k GROUP BY d, i;
CREATE TABLE m AS SELECT dim, id::float8 AS x, to_embedding(v, 'some-model') AS e FROM source ORDER BY dim, id;
ALTER TABLE m ALTER e SET STORAGE plain;
CREATE TABLE plain AS TABLE m;
ANALYZE plain;

CREATE FUNCTION per_pair(dim int, expression text, rounds int, pairs text DEFAULT 'plain') RETURNS numeric LANGUAGE sql AS $$
	SELECT 1000 * (median(array_agg(cost_us(format('SELECT sum(%s) FROM %3$I AS a, %3$I AS b WHERE a.dim = %2$s AND b.dim = %2$s', expression, dim, pairs))))
		- median(array_agg(cost_us(format('SELECT sum(a.x + b.x) FROM %2$I AS a, %2$I AS b WHERE a.dim = %1$s AND b.dim = %1$s', dim, pairs))))) / 200 ^ 2
	FROM generate_series(1, rounds)
$$;

\echo Comparing in SQL, nanoseconds of CPU time per pair, all pairs of 200 vectors, the bare join deducted
\if :has_pgvector
	SELECT extnamespace::regnamespace AS vector_schema FROM pg_extension WHERE extname = 'vector' \gset
	CREATE TABLE vectors AS SELECT dim, id::float8 AS x, v::real[]::text AS t FROM source ORDER BY dim, id;
	SELECT format('CREATE TABLE peers AS SELECT dim, x, translate(t, ''{}'', ''[]'')::%s.vector AS v FROM vectors', :'vector_schema') \gexec
	ANALYZE peers;
	SELECT dim, round(per_pair(dim, 'semantic_similarity(a.e, b.e)', :rounds), 1) AS semantic_similarity, round(per_pair(dim, 'cosine_similarity(a.e, b.e)', :rounds), 1) AS cosine_similarity,
		round(per_pair(dim, 'inner_product(a.e, b.e)', :rounds), 1) AS inner_product,
		round(per_pair(dim, format('a.v OPERATOR(%s.<=>) b.v', :'vector_schema'), :rounds, 'peers'), 1) AS "pgvector <=>" FROM unnest(ARRAY[384, 768]) AS dim;
\else
	SELECT dim, round(per_pair(dim, 'semantic_similarity(a.e, b.e)', :rounds), 1) AS semantic_similarity, round(per_pair(dim, 'cosine_similarity(a.e, b.e)', :rounds), 1) AS cosine_similarity,
		round(per_pair(dim, 'inner_product(a.e, b.e)', :rounds), 1) AS inner_product FROM unnest(ARRAY[384, 768]) AS dim;
\endif

\echo Cutting a text into chunks in SQL, MB/s
CREATE TABLE long_text AS SELECT string_agg(format('Sentence number %s says that %s, and nothing else. ', i, md5(i::text)), '' ORDER BY i) AS t FROM generate_series(1, 15000) AS i;
ALTER TABLE long_text ALTER t SET STORAGE external;
CREATE TABLE long_texts AS TABLE long_text;
SELECT mode, round(octet_length(t) / median(array_agg(cost_us(format('SELECT sum(cardinality(chunk_for_model(t, mode => %L))) FROM long_texts', mode)))), 0) AS "MB/s"
FROM long_texts, unnest(ARRAY['fixed', 'sentence', 'recursive']) AS mode, generate_series(1, :rounds) GROUP BY mode, t;

SET client_min_messages = warning;
DROP SCHEMA :schema CASCADE;

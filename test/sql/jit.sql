-- Queries that PostgreSQL compiles and optimizes, and whose functions it would inline if they had bitcode
\set SHOW_CONTEXT never
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
CREATE TABLE docs AS SELECT i AS id, format('word %s %s and more, %s of them', i / 2, md5((i / 2)::text), md5(md5((i / 2)::text))) AS body FROM generate_series(1, 40) AS i;
CREATE TABLE prints AS SELECT id, to_minhash64(body) AS m, to_minhash128(ARRAY[body, id::text]) AS a, to_simhash64(body) AS s, to_tlsh(body) AS t, to_lavinhash(body::bytea) AS l, to_simhash64(body)::fingerprint AS f FROM docs;
SELECT count(DISTINCT m) AS m, count(DISTINCT a) AS a, count(DISTINCT s) AS s, count(DISTINCT t) AS t, count(DISTINCT l) AS l, count(DISTINCT f) AS f FROM prints;
SELECT count(*) FROM prints AS x JOIN prints AS y ON minhash_similar(x.m, y.m, 0.9) AND simhash_similar(x.s, y.s, 3) AND lavinhash_similar(x.l, y.l, 90) AND x.t <~> y.t < 50;
SELECT sum(hamming(x.s, y.s)) > 0 AS hamming, sum(jaccard(x.m, y.m)) > 0 AS jaccard, bool_and(x.m::text::minhash64 = x.m) AS text, bool_and(x.f::simhash64 = x.s) AS "cast" FROM prints AS x, prints AS y;
SELECT minhash128_agg(body ORDER BY id) IS NOT NULL AS minhash, simhash64_agg(body ORDER BY id) IS NOT NULL AS simhash, jsonb_typeof(simhash_idf_agg(body)) AS idf, minhash_union_agg(to_minhash64(body)) IS NOT NULL AS "union" FROM docs;
SELECT sum(cardinality(tokenize(canonicalize(body)))) AS tokens, count(DISTINCT to_simhash64(body)) AS codes FROM docs;
-- exceptions of the core, errors of the glue
SELECT sum(length(canonicalize('a' || repeat(U&'\0301', 34000000 + id)))) FROM docs;
SELECT count(to_minhash128('a' || repeat(U&'\0301', 34000000 + id))) FROM docs;
SELECT count(to_minhash64(body, 'shingle-k=' || id - 1 || '/word-uax29')) FROM docs;
SELECT count(to_simhash64(body)) FROM docs;
DROP TABLE docs, prints;

-- The main use of txtfp on real texts. Run by scripts/demo.sh: psql -f demo.sql <corpus.copy
\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\timing on
\set ECHO queries

\echo
\echo ---------- 1. a table whose rows fingerprint themselves
\echo
CREATE EXTENSION txtfp;

CREATE TABLE docs (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  package text,
  body    text NOT NULL,
  fp      minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED
);

\set ECHO none
\echo COPY docs (package, body) FROM stdin;
\copy docs (package, body) FROM pstdin
\set ECHO queries

\echo
\echo ---------- 2. the index
\echo
CREATE INDEX ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off);
VACUUM ANALYZE docs;

SELECT count(*) AS documents, count(fp) AS fingerprinted, count(DISTINCT fp) AS distinct_fingerprints,
  pg_size_pretty(sum(octet_length(body))) AS text,
  pg_size_pretty(pg_table_size('docs')) AS table, pg_size_pretty(pg_relation_size('docs_fp_idx')) AS index
FROM docs;

\echo
\echo ---------- 3. probes
\echo
\echo -- What is like this text? (A description, edited.)
SELECT replace(body, 'powerful', 'capable') AS text
FROM docs ORDER BY package = 'lua5.4' DESC, id LIMIT 1 \gset

PREPARE by_text AS
SELECT package, round(jaccard(fp, q)::numeric, 2) AS jaccard, left(split_part(body, E'\n', 1), 70) AS synopsis
FROM docs, to_minhash128(:'text') q
WHERE minhash_similar(fp, q, 0.75)
ORDER BY fp <%> q, package
LIMIT 8;

EXECUTE by_text;

\pset format unaligned
\pset tuples_only on
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE by_text;
\pset format aligned
\pset tuples_only off

\echo
\echo -- What is like this document?
SELECT id FROM docs ORDER BY package = 'firefox-esr-l10n-de' DESC, id LIMIT 1 \gset

PREPARE by_id AS
SELECT b.package, round(jaccard(a.fp, b.fp)::numeric, 2) AS jaccard, left(split_part(b.body, E'\n', 1), 70) AS synopsis
FROM docs a JOIN docs b ON minhash_similar(a.fp, b.fp, 0.8) AND b.id <> a.id
WHERE a.id = :id
ORDER BY a.fp <%> b.fp, b.package
LIMIT 5;

EXECUTE by_id;

\pset format unaligned
\pset tuples_only on
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE by_id;
\pset format aligned
\pset tuples_only off

\echo
\echo -- The nearest five, by the operators alone.
SELECT id FROM docs ORDER BY package = 'kodi' DESC, id LIMIT 1 \gset

SET txtfp.jaccard_threshold = 0.8;

PREPARE nearest AS
SELECT package, round((fp <%> q)::numeric, 2) AS distance, left(split_part(body, E'\n', 1), 70) AS synopsis
FROM docs, (SELECT fp AS q FROM docs WHERE id = :id) probe
WHERE fp % q
ORDER BY fp <%> q
LIMIT 5;

EXECUTE nearest;

\pset format unaligned
\pset tuples_only on
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE nearest;
\pset format aligned
\pset tuples_only off

\echo
\echo ---------- 4. all near-duplicate pairs, through the index
\echo
\echo -- Copies first: rows with the same fingerprint become one, so that 88 copies are not 3,828 pairs.
CREATE UNLOGGED TABLE sketches AS
SELECT min(id) AS id, count(*) AS copies, fp FROM docs WHERE fp IS NOT NULL GROUP BY fp;

CREATE INDEX ON sketches USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off);
ANALYZE sketches;

EXPLAIN (COSTS OFF)
SELECT a.id, b.id FROM sketches a JOIN sketches b ON minhash_similar(a.fp, b.fp, 0.8) AND a.id < b.id;

CREATE UNLOGGED TABLE pairs AS
SELECT a.id AS a, b.id AS b, jaccard(a.fp, b.fp) AS jaccard
FROM sketches a JOIN sketches b ON minhash_similar(a.fp, b.fp, 0.8) AND a.id < b.id;

SELECT count(*) AS pairs_of_different_sketches, round(min(jaccard)::numeric, 3) AS least, round(avg(jaccard)::numeric, 3) AS mean FROM pairs;

\echo
\echo ---------- 5. all clusters, in bulk: no index, copies not removed
\echo
CREATE UNLOGGED TABLE clusters AS
SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', threshold => 0.8);

SELECT count(DISTINCT cluster) AS clusters, count(*) AS documents_in_clusters,
  round(100.0 * count(*) / (SELECT count(*) FROM docs), 1) AS percent, max(size) AS largest
FROM clusters;

\echo
\echo -- the ten largest
SELECT c.size, array_to_string((array_agg(d.package ORDER BY d.package))[1:3], ', ') || ', …' AS packages,
  left(split_part(min(d.body) FILTER (WHERE d.id = c.cluster), E'\n', 1), 60) AS first_line
FROM clusters c JOIN docs d USING (id)
GROUP BY c.cluster, c.size
ORDER BY c.size DESC, c.cluster
LIMIT 10;

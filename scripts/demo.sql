-- The main job of txtfp on real text, in 80 columns. Run by scripts/demo.sh: psql -f demo.sql <corpus.copy
\set ON_ERROR_STOP on
\set QUIET on
\pset footer off
\pset columns 80
\timing on
\set ECHO queries

\echo
\echo ---------- 1. a table whose rows fingerprint themselves, and the index
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

CREATE INDEX ON docs USING sketch (fp);
VACUUM ANALYZE docs;

SELECT count(*) AS documents, count(DISTINCT fp) AS fingerprints,
  pg_size_pretty(sum(octet_length(body))) AS text,
  pg_size_pretty(pg_table_size('docs')) AS table,
  pg_size_pretty(pg_relation_size('docs_fp_idx')) AS index
FROM docs;

\echo
\echo ---------- 2. what is like this text?
\echo
CREATE TABLE probe AS  -- a description with a word changed
SELECT replace(body, 'powerful', 'capable') AS text
FROM docs ORDER BY package = 'lua5.4' DESC, id LIMIT 1;

PREPARE search AS
SELECT package, round(jaccard(fp, q)::numeric, 2) AS similarity,
  left(split_part(body, E'\n', 1), 42) AS first_line
FROM probe, to_minhash128(text) AS q, docs
WHERE minhash_similar(fp, q, 0.8)
ORDER BY fp <%> q, package
LIMIT 5;

EXECUTE search;

\pset format unaligned
\pset tuples_only on
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE search;
\pset format aligned
\pset tuples_only off

\echo
\echo ---------- 3. which descriptions are near-duplicates of another? All of them
\echo
\set ECHO none
SELECT clock_timestamp() AS began \gset
\set ECHO queries
CREATE TABLE clusters AS SELECT *
FROM near_duplicate_clusters('SELECT id, fp FROM docs', threshold => 0.8);
\set ECHO none
SELECT clock_timestamp() AS ended \gset
\set ECHO queries

SELECT size, left(string_agg(package, ', ' ORDER BY package), 64) AS packages
FROM clusters JOIN docs USING (id)
GROUP BY cluster, size ORDER BY size DESC, cluster LIMIT 5;


\echo
\echo ---------- 4. which of them can go, and which should somebody read first?
\echo
CREATE TABLE removals AS SELECT *
FROM deduplicate('SELECT id, fp, body FROM docs', 0.8);

SELECT outcome, reason, count(*)
FROM removals GROUP BY outcome, reason ORDER BY outcome, count(*) DESC;

\set ECHO none
\timing off
\pset format unaligned
\pset tuples_only on
\echo
\echo -- One of each: mark_difference puts what only the kept one has into braces.
\echo
SELECT DISTINCT ON (outcome)
  format('%s: %s, beside %s', outcome, a.package, b.package) || E'\n' ||
  regexp_replace(regexp_replace(mark_difference(a.body, b.body, '[', ']', '{', '}'),
    '\s+', ' ', 'g'), '(.{1,74})( |$)', E'    \\1\n', 'g')
FROM removals JOIN docs AS a USING (id) JOIN docs AS b ON b.id = kept
WHERE reason IN ('jaccard', 'symbol') AND length(a.body) > 100
ORDER BY outcome, length(a.body), a.package;

SELECT format(E'%s of %s descriptions are near-duplicates of another; found in %s s.\n' ||
  '%s can go, as another says the same; %s wait for a reader.',
  to_char((SELECT count(*) FROM clusters), 'FM999,999,999'), to_char((SELECT count(*) FROM docs), 'FM999,999,999'),
  to_char(extract(epoch FROM :'ended'::timestamptz - :'began'::timestamptz), 'FM990.0'),
  to_char(count(*) FILTER (WHERE outcome = 'remove'), 'FM999,999,999'),
  to_char(count(*) FILTER (WHERE outcome = 'review'), 'FM999,999,999'))
FROM removals;

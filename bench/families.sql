-- Documents for live_clusters.sql and triggers.sql; to be included. Variables: rows, columns (further columns of docs, beginning with a comma, or
-- nothing), values (those of the first of these columns, computed from the tokens t).
--
-- A document has 60 tokens: 40 of its own, and 20 that it shares with the 99 others of its family. So two documents of a family have
-- a Jaccard similarity of 0.2, and are sometimes candidates, as texts with common boilerplate are. Of each five documents, the last is a
-- near-duplicate of the first (3 tokens replaced, similarity 0.9).

CREATE FUNCTION tokens(family bigint, doc bigint, variant text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT array_agg(CASE WHEN i <= 20 THEN 'f' || family WHEN i <= 23 THEN variant || doc ELSE 'd' || doc END || '.' || i)
	FROM generate_series(1, 60) AS i
$$;

\echo making :rows documents
CREATE TABLE docs (id bigint, fp minhash128 :columns) WITH (autovacuum_enabled = off);
-- 15485863 is prime: (id · 15485863) mod rows visits every number once, in scattered order.
INSERT INTO docs
SELECT id, to_minhash128(t) :values
FROM generate_series(0::bigint, :rows - 1) AS id, LATERAL (SELECT id * 15485863 % :rows AS n) AS scattered,
	LATERAL (SELECT tokens(n / 100, CASE WHEN n % 5 = 4 THEN n - 4 ELSE n END, CASE WHEN n % 5 = 4 THEN 'v' ELSE 'd' END) AS t OFFSET 0) AS made;
ALTER TABLE docs ADD PRIMARY KEY (id);
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);

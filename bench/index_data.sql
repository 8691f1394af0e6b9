-- Synthetic sketches for index.sql and index_growth.sql; to be included. Variables: rows (multiple of 500), probes, keys (further
-- columns of docs, beginning with a comma, or nothing).
--
-- The documents: 60 tokens each, 40 of their own and 20 shared with the 99 others of their family, so that families have
-- a Jaccard similarity of 0.2 and cost some candidates, as boilerplate does. Of each five, the last is a planted
-- near-duplicate of the first: 2 to 5 tokens replaced, similarity (60 − r) / (60 + r) = 0.94 … 0.85.
-- Near-duplicates are far from each other on disk.

-- Tokens of a document with r replaced ones: F, V and D stand for its family, the variant and the document.
CREATE TABLE template AS
SELECT r AS replaced,
	string_agg(CASE WHEN i <= 20 THEN 'F' WHEN i <= 20 + r THEN 'V' ELSE 'D' END || '.' || i, ' ' ORDER BY i) AS pattern
FROM generate_series(0, 5) r, generate_series(1, 60) i GROUP BY r;

CREATE FUNCTION sketch(pattern text, doc bigint, variant text) RETURNS minhash128
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT to_minhash128(string_to_array(
		replace(replace(replace(pattern, 'F', 'f' || doc / 100), 'V', variant || doc), 'D', 'd' || doc), ' '))
$$;

-- 15485863 is prime: (id · 15485863) mod rows visits every number once, in scattered order.
CREATE TABLE docs AS
SELECT id, n, fp :keys
FROM (
	SELECT id, n, sketch(pattern, CASE WHEN n % 5 = 4 THEN n - 4 ELSE n END, 'near') AS fp
	FROM generate_series(0::bigint, :rows - 1) id
	CROSS JOIN LATERAL (SELECT id * 15485863 % :rows AS n) scattered
	JOIN template ON replaced = CASE WHEN n % 5 = 4 THEN 2 + n / 5 % 4 ELSE 0 END
	OFFSET 0	-- so that the sketch is made once and not once per use
) made;

-- New texts. Each is a near-duplicate of a document in the table; half of these belong to a planted pair: similarity 0.97 … 0.88.
CREATE TABLE probes AS
SELECT i AS n, sketch(pattern, i * 7919::bigint % (:rows / 5) * 5 + i % 2, 'probe') AS fp
FROM generate_series(1, :probes) i JOIN template ON replaced = 1 + i % 4;
ALTER TABLE probes ADD PRIMARY KEY (n);

CREATE TABLE fresh AS
SELECT i AS id, sketch(pattern, :rows + i, 'fresh') AS fp
FROM generate_series(1::bigint, 2000) i JOIN template ON replaced = 0;

VACUUM ANALYZE docs;
VACUUM ANALYZE probes;
VACUUM ANALYZE fresh;

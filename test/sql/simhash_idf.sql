-- simhash_idf_agg: the table that weighting "idf" takes
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
CREATE TABLE docs (id int, body text);
INSERT INTO docs VALUES (1, 'The cat, the dog'), (2, 'the CAT'), (3, 'A bird'), (4, ''), (5, NULL);
-- four documents: the 2, cat 2, dog 1, a 1, bird 1
SELECT simhash_idf_agg(body, 'word-uax29') AS idf FROM docs \gset
SELECT key, value, abs(value::float8 - (ln(5.0 / (1 + df)) + 1)) < 1e-6 AS by_definition
FROM jsonb_each_text(:'idf') JOIN (VALUES ('the', 2), ('cat', 2), ('dog', 1), ('a', 1), ('bird', 1)) AS truth (key, df) USING (key) ORDER BY key;
SELECT jsonb_object_keys(simhash_idf_agg(body)) FROM docs ORDER BY 1;
SELECT jsonb_object_keys(simhash_idf_agg(body, 'word-uax29', 'none-cf-none')) FROM docs ORDER BY 1;
-- to_simhash64 accepts the table
SELECT to_simhash64(body, tokenizer => 'word-uax29', weighting => 'idf', idf => :'idf') FROM docs ORDER BY id;
WITH t AS (SELECT simhash_idf_agg(body) AS idf FROM docs)
SELECT id, to_simhash64(body, weighting => 'idf', idf => t.idf) IS NOT NULL AS made FROM docs, t ORDER BY id;
-- a token of every document weighs 1, like an unknown token
SELECT simhash_idf_agg(x, 'word-uax29') FROM (VALUES ('a'), ('a')) AS v (x);
-- groups, windows, no rows
SELECT id % 2 AS g, simhash_idf_agg(body, 'word-uax29') -> 'cat' IS NOT NULL AS has_cat FROM docs GROUP BY 1 ORDER BY 1;
SELECT id, (SELECT count(*) FROM jsonb_object_keys(simhash_idf_agg)) AS tokens
FROM (SELECT id, simhash_idf_agg(body, 'word-uax29') OVER (ORDER BY id) FROM docs) AS w ORDER BY id;
SELECT simhash_idf_agg(body) FROM docs WHERE false;
SELECT simhash_idf_agg(NULL::text) FROM docs;
SELECT simhash_idf_agg(body) FROM docs WHERE id = 4;
-- errors
SELECT simhash_idf_agg(body, 'words') FROM docs;
SELECT simhash_idf_agg(body, 'word-uax29', 'nfkd') FROM docs;
SELECT simhash_idf_agg(body, CASE id WHEN 1 THEN 'word-uax29' ELSE 'grapheme-uax29' END) FROM docs;
DROP TABLE docs;

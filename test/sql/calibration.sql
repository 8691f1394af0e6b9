-- minhash_advice, similarity_histogram
\set SHOW_CONTEXT never
SET extra_float_digits = -2;
-- 5 % of the words edited
SELECT tokenizer, similarity, threshold, bands, rows, lsh_params(threshold, 128, 0.99) = (bands, rows) AS same, recommended FROM minhash_advice(0.05);
SELECT tokenizer, threshold, bands, recommended FROM minhash_advice(0);
SELECT tokenizer, similarity, threshold, recommended, advice FROM minhash_advice(1, 0.99);
SELECT edits, tokenizer, threshold FROM unnest('{0.01, 0.02, 0.05, 0.1, 0.2, 0.4}'::float8[]) AS edits, minhash_advice(edits) WHERE recommended ORDER BY edits;
-- what is recommended for each recall
SELECT recall, edits, tokenizer, threshold, bands, rows, advice LIKE '%recall = ' || recall || ')%' AS said FROM unnest('{0.01, 0.5, 0.9, 0.99, 0.9999, 0.999999}'::float8[]) AS recall, unnest('{0.02, 0.1, 0.4, 0.8}'::float8[]) AS edits, minhash_advice(edits, recall) WHERE recommended ORDER BY recall, edits;
SELECT tokenizer, threshold, bands, recommended, advice LIKE 'no banding%' AS none FROM minhash_advice(0.8, 0.999999);
SELECT * FROM minhash_advice(1.5);
SELECT * FROM minhash_advice('NaN');
SELECT * FROM minhash_advice(0.1, 1);
SELECT * FROM minhash_advice(0.1, damage => 'lines');
SELECT tokenizer, similarity, threshold, bands, rows, recommended FROM minhash_advice(0.017, damage => 'characters');
SELECT advice FROM minhash_advice(0.017, damage => 'characters') WHERE recommended;
-- Of the shortest texts that the promise is for, 1 / edits words, and of others, in each of which as many words were replaced as may be: at least 0.97 of the
-- copies are found at the advised threshold
CREATE TABLE originals AS SELECT i AS id, (SELECT array_agg(md5(i || ' ' || w) ORDER BY w) FROM generate_series(1, 300) AS w) AS words FROM generate_series(1, 100) AS i;
SELECT edits, tokenizer, count(*) AS copies, count(*) FILTER (WHERE jaccard(to_minhash128(a, tokenizer), to_minhash128(b, tokenizer)) >= threshold) >= 0.97 * count(*) AS found
FROM unnest('{0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.45}'::float8[]) AS edits, minhash_advice(edits), LATERAL unnest(CASE WHEN edits < 0.1 THEN ARRAY[1, 1.3, 2, 4.5] ELSE ARRAY[1, 1.3, 2, 4.5, 9] END) AS times, LATERAL (SELECT ceil(times / edits)::int AS n) AS length,
	generate_series(1, 250) AS i,
	LATERAL (SELECT array_agg(md5(i || ' ' || w) ORDER BY w) AS words, array_agg(w ORDER BY md5(i || 'place' || w)) AS places FROM generate_series(1, n) AS w) AS text,
	LATERAL (SELECT string_agg(word, ' ' ORDER BY w) AS a, string_agg(CASE WHEN w = ANY (places[1:floor(n * edits + 1e-9)::int]) THEN 'x' || word ELSE word END, ' ' ORDER BY w) AS b
		FROM unnest(words) WITH ORDINALITY AS u (word, w)) AS copy
WHERE threshold IS NOT NULL
GROUP BY edits, tokenizer ORDER BY edits, tokenizer DESC;
-- likewise of characters
SELECT edits, tokenizer, count(*) AS copies, count(*) FILTER (WHERE jaccard(to_minhash128(a, tokenizer), to_minhash128(b, tokenizer)) >= threshold) >= 0.97 * count(*) AS found
FROM unnest('{0.005, 0.017, 0.04}'::float8[]) AS edits, minhash_advice(edits, damage => 'characters'), LATERAL unnest(ARRAY[1, 2, 4.5]) AS times, LATERAL (SELECT ceil(times / edits)::int AS n) AS length,
	generate_series(1, 100) AS i,
	LATERAL (SELECT array_agg(chr(97 + get_byte(decode(md5(i || ' ' || c), 'hex'), 0) % 20) ORDER BY c) AS letters, array_agg(c ORDER BY md5(i || 'place' || c)) AS places FROM generate_series(1, n) AS c) AS text,
	LATERAL (SELECT string_agg(letter, '' ORDER BY c) AS a, string_agg(CASE WHEN c = ANY (places[1:floor(n * edits + 1e-9)::int]) THEN 'z' ELSE letter END, '' ORDER BY c) AS b
		FROM unnest(letters) WITH ORDINALITY AS u (letter, c)) AS copy
WHERE threshold IS NOT NULL
GROUP BY edits, tokenizer ORDER BY edits, tokenizer;
-- the advised statements work
SELECT advice FROM minhash_advice(0.05, 0.9) WHERE recommended;
CREATE TABLE docs AS SELECT id, array_to_string(words, ' ') AS body FROM originals;
INSERT INTO docs VALUES (0, 'Some text.');
SELECT advice FROM minhash_advice(0.05, 0.9) WHERE recommended \gexec
\d docs
DROP TABLE docs;

-- A histogram: 200 rows, of which every second equals the one before; the sample is the whole table.
CREATE TABLE prints AS SELECT i AS id, to_minhash64(ARRAY[(i / 2)::text, 'a', 'b', 'c']) AS fp, ('x' || md5((i / 2)::text))::bit(64)::simhash64 AS sh FROM generate_series(2, 201) AS i;
INSERT INTO prints VALUES (300, NULL, NULL);
SELECT sum(pairs) = 200 * 199 AS all_pairs, sum(pairs) FILTER (WHERE high = 1) AS equal, max(per_row) FILTER (WHERE high = 1) AS per_row
FROM similarity_histogram('SELECT fp FROM prints', 1000);
SELECT h.low, h.pairs = count(p.*) AS exact FROM similarity_histogram('SELECT id, fp FROM prints', 1000, 5) AS h
LEFT JOIN (SELECT jaccard(a.fp, b.fp) AS s FROM prints AS a, prints AS b WHERE a.id <> b.id) AS p ON s >= low AND (s < high OR high = 1)
GROUP BY h.low, h.pairs ORDER BY 1;
SELECT low * 64 AS equal_bits, pairs, bar FROM similarity_histogram('SELECT sh FROM prints', 1000, 64) WHERE high = 1;
-- a sample of 50 compared with all rows; the same rows give the same sample, in any order
SELECT sum(pairs) = 50 * 199 AS all_pairs FROM similarity_histogram('SELECT fp FROM prints ORDER BY id', 50);
SELECT count(*) AS differences FROM similarity_histogram('SELECT fp FROM prints ORDER BY id', 50) AS a
FULL JOIN similarity_histogram('SELECT fp FROM prints ORDER BY id % 7, id DESC', 50) AS b USING (low, pairs) WHERE a.bar IS DISTINCT FROM b.bar;
SELECT count(*) AS differences FROM similarity_histogram('SELECT sh FROM prints ORDER BY id', 50) AS a
FULL JOIN similarity_histogram('SELECT sh FROM prints ORDER BY id % 7, id DESC', 50) AS b USING (low, pairs) WHERE a.bar IS DISTINCT FROM b.bar;
-- values that occur often are drawn as often
SELECT pairs BETWEEN 0.35 * 100 * 10000 AND 0.65 * 100 * 10000 AS half_of_all FROM similarity_histogram($$SELECT to_minhash64(ARRAY[(CASE WHEN i % 10 < 7 THEN 0 ELSE i END)::text]) FROM generate_series(1, 10000) AS i$$) WHERE high = 1;
SELECT bar FROM similarity_histogram('SELECT fp FROM prints WHERE false', 50, 2);
SELECT sum(pairs) FROM similarity_histogram('SELECT fp FROM prints LIMIT 1');
-- one row, of which a sample has one; two, which are equal; two, which are not
SELECT rows, h.* FROM generate_series(1, 3) AS rows, similarity_histogram(format('SELECT sh FROM prints ORDER BY id OFFSET %s LIMIT %s', rows / 3, least(rows, 2)), 10, 2) AS h ORDER BY rows, low;
SELECT count(*) FROM similarity_histogram(NULL);
-- errors
SELECT * FROM similarity_histogram('SELECT id FROM prints');
SELECT * FROM similarity_histogram('SELECT');
SELECT * FROM similarity_histogram('DELETE FROM prints RETURNING fp');
SELECT * FROM similarity_histogram('nonsense');
SELECT * FROM similarity_histogram('SELECT fp FROM prints', 0);
SELECT * FROM similarity_histogram('SELECT fp FROM prints', 10, 1001);
SELECT * FROM similarity_histogram($$VALUES (to_minhash64('a')), (to_minhash64('a', 'word-uax29'))$$);
DROP TABLE originals, prints;

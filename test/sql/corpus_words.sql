-- corpus_words: how many documents have each word
CREATE TABLE shop (id int, body text);
INSERT INTO shop VALUES (1, 'Sony MDR-V150 headphones'), (2, 'headphones mdrv150, black'), (3, 'black lamp'), (4, NULL), (5, '');
CREATE TABLE words AS SELECT corpus_words_agg(body) AS corpus FROM shop;
SELECT substr(corpus::text, 1, 48) FROM words; -- version, kind, documents, occurrences
SELECT corpus_words_agg(body)::text = (SELECT corpus::text FROM words) AS same FROM (SELECT body FROM shop ORDER BY id DESC) AS s;
SELECT corpus_words_agg(body) IS NULL AS nulls FROM shop WHERE id = 4;
SELECT corpus_words_agg(body) IS NULL AS nulls FROM shop WHERE false;

-- Forms
SELECT corpus::text::corpus_words::text = corpus::text AS same FROM words;
COPY words TO '/dev/null' (FORMAT binary);
SELECT 'zz'::corpus_words;
SELECT ''::corpus_words;
SELECT '0'::corpus_words;
SELECT '000000000000000000000000000000000000000000000000'::corpus_words;
SELECT overlay(corpus::text PLACING '00' FROM 17 FOR 2)::corpus_words IS NULL FROM words; -- no document
SELECT (corpus::text || '00')::corpus_words IS NULL FROM words;

-- Beyond 262,144 words counts are a sketch, whose size does not grow, and which does not depend on how rows are divided.
CREATE TABLE many AS SELECT string_agg('word' || j || ' x' || j, ' ') AS body FROM generate_series(1, 160000) AS j GROUP BY j % 40;
SELECT octet_length(corpus_words_agg(body)::text) / 2 AS bytes, substr(corpus_words_agg(body)::text, 9, 2) AS kind FROM many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE many SET (parallel_workers = 2);
EXPLAIN (COSTS off) SELECT corpus_words_agg(body) FROM many;
CREATE TABLE by_workers AS SELECT md5(corpus_words_agg(body)::text) AS digest FROM many;
SET max_parallel_workers_per_gather = 0;
SELECT md5(corpus_words_agg(body)::text) = (SELECT digest FROM by_workers) AS same FROM many;

-- Signals
SELECT round(s.weighted_shared::numeric, 3) AS weighted_shared, round(s.rarest_common::numeric, 3) AS rarest_common, round(s.rare_code_common::numeric, 3) AS rare_code_common,
	s.codes_common, s.codes_removed, s.codes_kept
FROM words, difference_signals('Sony MDR-V150', 'black mdrv150', corpus => corpus) AS s;
SELECT weighted_shared, rare_code_kept, codes_common, round(trigrams::numeric, 3) AS trigrams, quantities_common, shape FROM difference_signals('lamp 13 mm', 'lamp 13mm');

-- deduplicate counts the words of the rows that it reads.
CREATE TABLE docs AS SELECT i AS id, format('the %s of the shop has a number, which is %s, and a long text that many rows have in common, word for word', CASE i % 2 WHEN 0 THEN 'lamp' ELSE 'chair' END, i / 2) AS body FROM generate_series(1, 40) AS i;
CREATE TABLE found AS SELECT * FROM deduplicate('SELECT id, to_minhash128(body), body FROM docs', 0.5, signals => true, guard => '');
SELECT count(*) > 5 AS some, count(*) FILTER (WHERE signals = difference_signals(a.body, b.body, found.neighbours, found.kept_neighbours, (SELECT corpus_words_agg(body) FROM docs))) = count(*) AS same
FROM found JOIN docs AS a ON a.id = found.id JOIN docs AS b ON b.id = found.kept;
SELECT count(*) FILTER (WHERE signals IS NULL) = count(*) AS without FROM deduplicate('SELECT id, to_minhash128(body), body FROM docs', 0.5, guard => 'number');
DROP TABLE shop, words, many, by_workers, docs, found;

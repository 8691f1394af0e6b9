-- Every option of every function, off its default: the result differs from that with the default, and where there is a second way to compute it, it equals that.
-- A function with an option that no case here varies fails the last test.
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SET LOCAL client_min_messages = warning;

-- 60 documents of 40 words: 1 to 20, each with one other word in 21 to 40, and with six others in 41 to 60
CREATE TEMP TABLE docs AS
SELECT i AS id, i / 30 AS part, i::float8 AS priority, body, to_minhash128(body) AS fp, to_simhash64(body) AS hash, to_tlsh(body) AS digest, to_lavinhash(body) AS file, to_passages(body, 6) AS passages
FROM generate_series(1, 60) AS i, LATERAL (
	SELECT string_agg(CASE WHEN i > 20 AND j = 7 OR i > 40 AND j % 7 = 3 THEN 'other' || i ELSE 'word' || (j * 37 + ((i - 1) % 20) * 101) % 1009 END, ' ' ORDER BY j) AS body FROM generate_series(1, 40) AS j) AS t;
CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops (bands = 16, rows = 8));
CREATE INDEX docs_hash ON docs USING sketch (hash);
CREATE INDEX docs_file ON docs USING sketch (file);
CREATE TEMP VIEW planned AS
SELECT i AS id, -i AS kept, i / 200.0::float8 AS score FROM generate_series(1, 200) AS i;
CREATE TEMP VIEW labelled AS
SELECT i % 3 <> 0 AS label, difference_signals(body, CASE WHEN i % 3 <> 0 THEN body || ' more' ELSE regexp_replace(body, 'word', '7') END) AS signals FROM docs, LATERAL (SELECT id AS i) AS n;
CREATE TEMP TABLE texts (plain text, folded text);
INSERT INTO texts VALUES ('One two, three four five six: seven EIGHT nine ten eleven twelve.', 'one two, three four five six: seven eight nine ten eleven twelve.');

-- {} in a call stands for the arguments.
CREATE TEMP TABLE cases (function text, option text, call text, varied text, plain text DEFAULT '', expected text);

CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(r::text, E''\n'' ORDER BY r::text) FROM (%s) AS r', query) INTO result;
	RETURN coalesce(result, 'no rows');
END $$;

-- Texts
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('canonicalize', 'canonicalizer', $$SELECT canonicalize('Ａ a'{})$$, $$, 'none-cf-none'$$, '', $$SELECT 'Ａ a'$$),
	('tokenize', 'tokenizer', $$SELECT tokenize('a b c'{})$$, $$, 'shingle-k=2/word-uax29'$$, '', $$SELECT ARRAY['a b', 'b c']$$),
	('chunk_for_model', 'max_tokens', $$SELECT * FROM chunk_for_model(repeat('some words. ', 300){})$$, ', max_tokens => 64', '', NULL),
	('chunk_for_model', 'overlap', $$SELECT * FROM chunk_for_model(repeat('some words. ', 300), 64{}, mode => 'fixed')$$, ', overlap => 0', ', overlap => 32', NULL),
	('chunk_for_model', 'mode', $$SELECT * FROM chunk_for_model(repeat('One sentence of some words. ', 300){})$$, $$, mode => 'fixed'$$, '', NULL),
	('text_jaccard', 'tokenizer', $$SELECT text_jaccard('a b c d e f', 'a b c d e g'{})$$, $$, tokenizer => 'word-uax29'$$, '', 'SELECT 5.0::float8 / 7'),
	('text_jaccard', 'canonicalizer', $$SELECT text_jaccard('a b', 'A b', 'word-uax29'{})$$, $$, canonicalizer => 'none-cf-none'$$, '', 'SELECT 1.0::float8 / 3'),
	('text_containment', 'tokenizer', $$SELECT text_containment('a b c d e f', 'a b c d e g'{})$$, $$, tokenizer => 'word-uax29'$$, '', 'SELECT 5.0::float8 / 6'),
	('text_containment', 'canonicalizer', $$SELECT text_containment('a b', 'A b', 'word-uax29'{})$$, $$, canonicalizer => 'none-cf-none'$$, '', 'SELECT 0.5::float8'),
	('text_difference', 'tokenizer', $$SELECT kind, a_text, b_text FROM text_difference('abc def', 'abd def'{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', $$SELECT 'word', 'c', 'd'$$),
	('text_difference', 'canonicalizer', $$SELECT * FROM text_difference('the Cat', 'The cat the Cat'{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('mark_difference', 'deleted_start', $$SELECT mark_difference('a b', 'a c'{})$$, $$, deleted_start => '<'$$, '', $$SELECT 'a <b-]{+c+}'$$),
	('mark_difference', 'deleted_stop', $$SELECT mark_difference('a b', 'a c'{})$$, $$, deleted_stop => '>'$$, '', $$SELECT 'a [-b>{+c+}'$$),
	('mark_difference', 'inserted_start', $$SELECT mark_difference('a b', 'a c'{})$$, $$, inserted_start => '<'$$, '', $$SELECT 'a [-b-]<c+}'$$),
	('mark_difference', 'inserted_stop', $$SELECT mark_difference('a b', 'a c'{})$$, $$, inserted_stop => '>'$$, '', $$SELECT 'a [-b-]{+c>'$$),
	('mark_difference', 'tokenizer', $$SELECT mark_difference('abc', 'abd'{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', $$SELECT 'ab[-c-]{+d+}'$$),
	('mark_difference', 'canonicalizer', $$SELECT mark_difference('the Cat', 'The cat the Cat'{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('difference_signals', 'neighbours', $$SELECT (difference_signals('a b', 'a c'{})).neighbours$$, ', neighbours => 5', '', 'SELECT 5'),
	('difference_signals', 'corpus', $$SELECT (difference_signals('a b', 'a c'{})).weighted_shared$$, ', corpus => (SELECT corpus_words_agg(body) FROM docs)', '', 'SELECT 1 / 3::float8'),
	('difference_signals', 'kept_neighbours', $$SELECT (difference_signals('a b', 'a c'{})).kept_neighbours$$, ', kept_neighbours => 5', '', 'SELECT 5'),
	('shared_passages', 'min_words', $$SELECT words FROM shared_passages('a b c x', 'a b c y'{})$$, ', min_words => 3', '', 'SELECT 3'),
	('shared_passages', 'canonicalizer', $$SELECT words FROM shared_passages('a b C D x', 'a b c d y', 2{})$$, $$, canonicalizer => 'none-cf-none'$$, '', 'SELECT 2'),
	('shared_passages', 'tokenizer', $$SELECT words FROM shared_passages('abcx', 'abcy', 3{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', 'SELECT 3'),
	('shared_passages', 'longest', $$SELECT words FROM shared_passages('a b c d e f g h', 'a b c d e x c d e f g h'{})$$, ', longest => true', '', 'SELECT 6'),
	('mark_shared_passages', 'start_mark', $$SELECT mark_shared_passages('a b c d e x', 'a b c d e y'{})$$, $$, start_mark => '<'$$, '', $$SELECT '<a b c d e</b> x'$$),
	('mark_shared_passages', 'stop_mark', $$SELECT mark_shared_passages('a b c d e x', 'a b c d e y'{})$$, $$, stop_mark => '>'$$, '', $$SELECT '<b>a b c d e> x'$$),
	('mark_shared_passages', 'min_words', $$SELECT mark_shared_passages('a b x', 'a b y'{})$$, ', min_words => 2', '', $$SELECT '<b>a b</b> x'$$),
	('mark_shared_passages', 'canonicalizer', $$SELECT mark_shared_passages('a b C x', 'a b c y', min_words => 2{})$$, $$, canonicalizer => 'none-cf-none'$$, '', $$SELECT '<b>a b</b> C x'$$),
	('mark_shared_passages', 'tokenizer', $$SELECT mark_shared_passages('abx', 'aby', min_words => 2{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', $$SELECT '<b>ab</b>x'$$);

-- Fingerprints: what the tokenizer and the canonicalizer do can be done before, and a set of tokens makes the same sketch.
INSERT INTO cases (function, option, call, varied, plain, expected)
SELECT 'to_' || type, option, format('SELECT to_%s(plain{})::bytea FROM texts', type), varied, '', format(expected, type)
FROM unnest('{minhash64,minhash128,minhash256,minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type,
	(VALUES ('tokenizer', $$, tokenizer => 'word-uax29'$$, $$SELECT to_%s(ARRAY(SELECT tokenize(canonicalize(plain))))::bytea FROM texts$$),
		('canonicalizer', $$, canonicalizer => 'none-cf-none'$$, $$SELECT to_%s(ARRAY(SELECT tokenize(plain, 'shingle-k=5/word-uax29')))::bytea FROM texts$$),
		('hash', $$, hash => 'mmh3-x64-128'$$, $$SELECT to_%s(ARRAY(SELECT tokenize(canonicalize(plain), 'shingle-k=5/word-uax29')), hash => 'mmh3-x64-128')::bytea FROM texts$$),
		('seed', ', seed => 7', $$SELECT to_%s(ARRAY(SELECT tokenize(canonicalize(plain), 'shingle-k=5/word-uax29')), seed => 7)::bytea FROM texts$$)) AS options (option, varied, expected);
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('to_simhash64', 'tokenizer', 'SELECT to_simhash64(plain{}) FROM texts', $$, tokenizer => 'word-uax29'$$, '', $$SELECT to_simhash64(folded, 'word-uax29', 'none-cf-none') FROM texts$$),
	('to_simhash64', 'canonicalizer', 'SELECT to_simhash64(plain{}) FROM texts', $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('to_simhash64', 'hash', 'SELECT to_simhash64(plain{}) FROM texts', $$, hash => 'mmh3-x64-128'$$, '', NULL),
	('to_simhash64', 'seed', 'SELECT to_simhash64(plain{}) FROM texts', ', seed => 7', '', NULL),
	('to_simhash64', 'weighting', $$SELECT to_simhash64('a a a b c'{})$$, $$, weighting => 'uniform'$$, '', NULL),
	('to_simhash64', 'idf', $$SELECT to_simhash64('a b c', 'word-uax29'{})$$, $$, weighting => 'idf', idf => '{"a": 100, "b": 0.01, "c": 0.01}'$$, '', $$SELECT to_simhash64('a', 'word-uax29')$$),
	('config_hash', 'hash', $$SELECT config_hash('none-cf-none', 'word-uax29', 'minhash'{})$$, $$, hash => 'mmh3-x64-128'$$, '', NULL),
	('config_hash', 'seed', $$SELECT config_hash('none-cf-none', 'word-uax29', 'minhash'{})$$, ', seed => 7', '', NULL),
	('to_tlsh', 'canonicalizer', $$SELECT to_tlsh(upper(body){}) FROM docs WHERE id = 1$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('tlsh_reason', 'canonicalizer', $$SELECT tlsh_reason(repeat(U&'\200B', 40) || 'ten letters'{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('tlsh_distance', 'with_length', $$SELECT tlsh_distance(to_tlsh(body), to_tlsh(repeat(body, 9)){}) FROM docs WHERE id = 1$$, ', with_length => false', '', NULL),
	('to_lavinhash', 'min_modulus', 'SELECT to_lavinhash(repeat(body, 40){}) FROM docs WHERE id = 1', ', min_modulus => 64', '', NULL),
	('lavinhash_similarity', 'alpha', 'SELECT lavinhash_similarity(a.file, b.file{}) FROM docs AS a, docs AS b WHERE a.id = 1 AND b.id = 41', ', alpha => 1', '', 'SELECT round(100 * lavinhash_structure(a.file, b.file))::int FROM docs AS a, docs AS b WHERE a.id = 1 AND b.id = 41'),
	('to_embedding', 'model', $$SELECT to_embedding('{1,2}'::real[]{})$$, $$, model => 'm'$$, '', NULL),
	('embedding_pool', 'mask', $$SELECT embedding_pool('{1,2,3,4}'::real[], 2{})$$, $$, mask => '{1,0}'$$, '', NULL),
	('embedding_pool', 'pooling', $$SELECT embedding_pool('{1,2,3,4}'::real[], 2{})$$, $$, pooling => 'cls'$$, '', NULL),
	('to_passages', 'guarantee', 'SELECT passages_count(to_passages(body{})) FROM docs WHERE id = 1', ', guarantee => 4', '', NULL),
	('to_passages', 'tokenizer', 'SELECT passages_count(to_passages(body{})) FROM docs WHERE id = 1', $$, tokenizer => 'grapheme-uax29'$$, '', NULL),
	('to_passages', 'canonicalizer', 'SELECT passages_overlap(to_passages(body, 4{}), to_passages(upper(body), 4{})) FROM docs WHERE id = 1', $$, canonicalizer => 'none-cf-none'$$, '', 'SELECT 0'),
	('passages_similar', 'min_shared', 'SELECT passages_similar(a.passages, b.passages{}) FROM docs AS a, docs AS b WHERE a.id = 1 AND b.id = 41', ', min_shared => 1000', '', 'SELECT false'),
	('passage_pairs', 'min_shared', $$SELECT count(*) FROM passage_pairs('SELECT id, passages FROM docs'{})$$, ', min_shared => 9', '', 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.id < b.id AND passages_overlap(a.passages, b.passages) >= 9'),
	('passage_pairs', 'crowd', $$SELECT count(*) FROM passage_pairs('SELECT id, passages FROM docs'{})$$, ', crowd => 2', '', NULL),
	('passage_pairs', 'grouped', $$SELECT count(*) FROM passage_pairs({})$$, $$'SELECT id, passages, part FROM docs', grouped => true$$, $$'SELECT id, passages FROM docs'$$, 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.id < b.id AND a.part = b.part AND passages_overlap(a.passages, b.passages) > 0'),
	('passage_pairs_between', 'min_shared', $$SELECT count(*) FROM passage_pairs_between('SELECT id, passages FROM docs', 'SELECT id, passages FROM docs'{})$$, ', min_shared => 9', '', 'SELECT count(*) FROM docs AS a, docs AS b WHERE passages_overlap(a.passages, b.passages) >= 9'),
	('passage_pairs_between', 'crowd', $$SELECT count(*) FROM passage_pairs_between('SELECT id, passages FROM docs', 'SELECT id, passages FROM docs'{})$$, ', crowd => 2', '', NULL),
	('passage_pairs_between', 'grouped', $$SELECT count(*) FROM passage_pairs_between({})$$, $$'SELECT id, passages, part FROM docs', 'SELECT id, passages, part FROM docs', grouped => true$$, $$'SELECT id, passages FROM docs', 'SELECT id, passages FROM docs'$$, 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.part = b.part AND passages_overlap(a.passages, b.passages) > 0'),
	('deduplicate_passages', 'unit', $$SELECT * FROM deduplicate_passages('SELECT id, body FROM docs', min_words => 6{})$$, $$, unit => 'word'$$, '', NULL),
	('deduplicate_passages', 'min_words', $$SELECT * FROM deduplicate_passages('SELECT id, left(body, 99) AS body FROM docs', 'word'{})$$, ', min_words => 6', '', NULL),
	('deduplicate_passages', 'grouped', $$SELECT id, kept / 60 FROM deduplicate_passages({}, unit => 'word', min_words => 6)$$, $$'SELECT id, body, part FROM docs', grouped => true$$, $$'SELECT id, body FROM docs'$$, NULL),
	('deduplicate_passages', 'tokenizer', $$SELECT count(*) FROM deduplicate_passages('SELECT id, body FROM docs', 'word', 6{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', NULL),
	('deduplicate_passages', 'canonicalizer', $$SELECT count(*) FROM deduplicate_passages('SELECT id, CASE WHEN id <= 20 THEN upper(body) ELSE body END FROM docs', 'word', 6{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('deduplicate_passages_between', 'unit', $$SELECT * FROM deduplicate_passages_between('SELECT id, body FROM docs', 'SELECT id + 60, body FROM docs'{})$$, $$, 'word'$$, '', NULL),
	('deduplicate_passages_between', 'min_words', $$SELECT * FROM deduplicate_passages_between('SELECT id, left(body, 99) AS body FROM docs', 'SELECT id + 60, left(body, 99) AS body FROM docs', 'word'{})$$, ', min_words => 6', '', NULL),
	('deduplicate_passages_between', 'grouped', $$SELECT id, kept / 60 FROM deduplicate_passages_between({}, unit => 'word', min_words => 6)$$, $$'SELECT id, body, part FROM docs', 'SELECT id + 60, body, part FROM docs', grouped => true$$, $$'SELECT id, body FROM docs', 'SELECT id + 60, body FROM docs'$$, NULL),
	('deduplicate_passages_between', 'tokenizer', $$SELECT count(*) FROM deduplicate_passages_between('SELECT id, body FROM docs', 'SELECT id + 60, body FROM docs', 'word', 6{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', NULL),
	('deduplicate_passages_between', 'canonicalizer', $$SELECT count(*) FROM deduplicate_passages_between('SELECT id, CASE WHEN id <= 20 THEN upper(body) ELSE body END FROM docs', 'SELECT id + 60, CASE WHEN id <= 20 THEN upper(body) ELSE body END FROM docs', 'word', 6{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('passage_keys', 'unit', $$SELECT * FROM passage_keys(E'a b c d e\nf g h i j'{})$$, $$, 'line'$$, '', NULL),
	('passage_keys', 'min_words', $$SELECT start FROM passage_keys('a b c'{})$$, ', min_words => 3', '', 'SELECT 1'),
	('passage_keys', 'tokenizer', $$SELECT start FROM passage_keys('abcd', min_words => 4{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', 'SELECT 1'),
	('passage_keys', 'canonicalizer', $$SELECT count(DISTINCT key) FROM unnest('{A b c d e,a b c d e}'::text[]) AS t, passage_keys(t{})$$, $$, canonicalizer => 'none-cf-none'$$, '', 'SELECT 2'),
	('without_ranges', 'mark', $$SELECT without_ranges('a b c', '{3}', '{2}'{})$$, $$, mark => '-'$$, '', $$SELECT 'a - c'$$),
	('frequent_passages', 'documents', $$SELECT count(*) FROM frequent_passages('SELECT body FROM docs'{})$$, ', documents => 2', '', NULL),
	('frequent_passages', 'guarantee', $$SELECT * FROM frequent_passages('SELECT body FROM docs', 2{})$$, ', guarantee => 6', '', NULL),
	('frequent_passages', 'tokenizer', $$SELECT count(*) FROM frequent_passages('SELECT body FROM docs', 2{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', NULL),
	('frequent_passages', 'canonicalizer', $$SELECT count(*) FROM frequent_passages('SELECT CASE WHEN id <= 20 THEN upper(body) ELSE body END FROM docs', 2{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('without_passages', 'guarantee', $$SELECT without_passages('a b c d e f x', to_passages('a b c d e f'{}){})$$, ', guarantee => 6', '', NULL),
	('without_passages', 'tokenizer', $$SELECT without_passages('abcdefghijk x', to_passages('abcdefghi', 6{}), 6{})$$, $$, tokenizer => 'grapheme-uax29'$$, '', NULL),
	('without_passages', 'canonicalizer', $$SELECT without_passages('A B C D E F x', to_passages('a b c d e f', 6{}), 6{})$$, $$, canonicalizer => 'none-cf-none'$$, '', $$SELECT 'A B C D E F x'$$);

-- Bulk functions: the plain loop is a join of all rows with all.
INSERT INTO cases (function, option, call, varied, plain, expected)
SELECT 'near_duplicate_pairs', option, 'SELECT a, b FROM near_duplicate_pairs(' || query || '{})', varied, plain, 'SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON a.id < b.id WHERE ' || condition
FROM (VALUES
	('threshold', $$'SELECT id, fp FROM docs', recall => 0.9999$$, ', threshold => 0.3', ', threshold => 0.99', 'jaccard(a.fp, b.fp) >= 0.3'),
	('recall', $$'SELECT id, fp FROM docs', 0.1$$, ', recall => 0.9999', ', recall => 0.05', 'jaccard(a.fp, b.fp) >= 0.1'),
	('rows', $$'SELECT id, fp FROM docs', 0.5, bands => 2$$, ', rows => 1', ', rows => 60', $$jaccard(a.fp, b.fp) >= 0.5 AND lsh_keys(a.fp, 2, 1) && lsh_keys(b.fp, 2, 1)$$),
	('bands', $$'SELECT id, fp FROM docs', 0.3, rows => 8$$, ', bands => 2', ', bands => 16', $$jaccard(a.fp, b.fp) >= 0.3 AND lsh_keys(a.fp, 2, 8) && lsh_keys(b.fp, 2, 8)$$),
	('grouped', '', $$'SELECT id, fp, part FROM docs', 0.3, recall => 0.9999, grouped => true$$, $$'SELECT id, fp FROM docs', 0.3, recall => 0.9999$$, 'jaccard(a.fp, b.fp) >= 0.3 AND a.part = b.part'),
	('max_distance', $$'SELECT id, hash FROM docs'$$, ', max_distance => 20', ', max_distance => 3', 'hamming(a.hash, b.hash) <= 20'),
	('min_score', $$'SELECT id, file FROM docs'$$, ', min_score => 20', ', min_score => 90', 'lavinhash_similarity(a.file, b.file) >= 20')
) AS options (option, query, varied, plain, condition);
INSERT INTO cases (function, option, call, varied, plain, expected)
SELECT 'near_duplicate_pairs_between', option, 'SELECT a, b FROM near_duplicate_pairs_between(' || query || '{})', varied, plain, 'SELECT a.id, b.id FROM docs AS a CROSS JOIN docs AS b WHERE a.id <= 10 AND ' || condition
FROM (VALUES
	('threshold', $$'SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', recall => 0.9999$$, ', threshold => 0.3', ', threshold => 0.99', 'jaccard(a.fp, b.fp) >= 0.3'),
	('recall', $$'SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', 0.1$$, ', recall => 0.9999', ', recall => 0.05', 'jaccard(a.fp, b.fp) >= 0.1'),
	('rows', $$'SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', 0.5, bands => 2$$, ', rows => 1', ', rows => 60', $$jaccard(a.fp, b.fp) >= 0.5 AND lsh_keys(a.fp, 2, 1) && lsh_keys(b.fp, 2, 1)$$),
	('bands', $$'SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', 0.3, rows => 8$$, ', bands => 2', ', bands => 16', $$jaccard(a.fp, b.fp) >= 0.3 AND lsh_keys(a.fp, 2, 8) && lsh_keys(b.fp, 2, 8)$$),
	('grouped', '', $$'SELECT id, fp, part FROM docs WHERE id <= 10', 'SELECT id, fp, part FROM docs', 0.3, recall => 0.9999, grouped => true$$, $$'SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', 0.3, recall => 0.9999$$, 'jaccard(a.fp, b.fp) >= 0.3 AND a.part = b.part'),
	('max_distance', $$'SELECT id, hash FROM docs WHERE id <= 10', 'SELECT id, hash FROM docs'$$, ', max_distance => 20', ', max_distance => 3', 'hamming(a.hash, b.hash) <= 20'),
	('min_score', $$'SELECT id, file FROM docs WHERE id <= 10', 'SELECT id, file FROM docs'$$, ', min_score => 20', ', min_score => 90', 'lavinhash_similarity(a.file, b.file) >= 20')
) AS options (option, query, varied, plain, condition);
INSERT INTO cases (function, option, call, varied, plain, expected)
VALUES ('near_duplicate_pairs_between', 'nearest', $$SELECT a, similarity FROM near_duplicate_pairs_between('SELECT id, fp FROM docs WHERE id <= 10', 'SELECT id, fp FROM docs', 0.3, recall => 0.9999{})$$, ', nearest => true', '',
	'SELECT a.id, max(jaccard(a.fp, b.fp))::float8 FROM docs AS a CROSS JOIN docs AS b WHERE a.id <= 10 AND jaccard(a.fp, b.fp) >= 0.3 GROUP BY a.id');
-- Clusters are the components of these pairs; what deduplicate removes are the rows of stars without their centres.
INSERT INTO cases (function, option, call, varied, plain, expected)
SELECT function, option, format(CASE function WHEN 'deduplicate' THEN 'SELECT id, kept FROM deduplicate(%s{})' ELSE 'SELECT id, cluster FROM near_duplicate_clusters(%s{})' END, call), varied, plain,
	CASE function WHEN 'deduplicate' THEN format($$SELECT id, cluster FROM near_duplicate_clusters(%s%s, mode => 'star') WHERE id <> cluster$$, call, varied)
		ELSE format('SELECT id, cluster FROM connected_components(%L)', 'SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON a.id < b.id WHERE ' || condition) END
FROM unnest('{deduplicate,near_duplicate_clusters}'::text[]) AS function, (VALUES
	('threshold', $$'SELECT id, fp FROM docs', recall => 0.9999$$, ', threshold => 0.3', ', threshold => 0.99', 'jaccard(a.fp, b.fp) >= 0.3'),
	('recall', $$'SELECT id, fp FROM docs', 0.1$$, ', recall => 0.9999', ', recall => 0.05', 'jaccard(a.fp, b.fp) >= 0.1'),
	('rows', $$'SELECT id, fp FROM docs', 0.5, bands => 2$$, ', rows => 1', ', rows => 60', $$jaccard(a.fp, b.fp) >= 0.5 AND lsh_keys(a.fp, 2, 1) && lsh_keys(b.fp, 2, 1)$$),
	('bands', $$'SELECT id, fp FROM docs', 0.3, rows => 8$$, ', bands => 2', ', bands => 16', $$jaccard(a.fp, b.fp) >= 0.3 AND lsh_keys(a.fp, 2, 8) && lsh_keys(b.fp, 2, 8)$$),
	('grouped', '', $$'SELECT id, fp, part FROM docs', 0.3, recall => 0.9999, grouped => true$$, $$'SELECT id, fp FROM docs', 0.3, recall => 0.9999$$, 'jaccard(a.fp, b.fp) >= 0.3 AND a.part = b.part'),
	('max_distance', $$'SELECT id, hash FROM docs'$$, ', max_distance => 20', ', max_distance => 3', 'hamming(a.hash, b.hash) <= 20'),
	('min_score', $$'SELECT id, file FROM docs'$$, ', min_score => 20', ', min_score => 90', 'lavinhash_similarity(a.file, b.file) >= 20')
) AS options (option, call, varied, plain, condition);
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('near_duplicate_clusters', 'mode', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp, priority FROM docs', 0.1, recall => 0.9999{})$$, $$, mode => 'star'$$, '', $$SELECT coalesce(d.id, c.id), coalesce(kept, c.id) FROM (SELECT id FROM near_duplicate_clusters('SELECT id, fp, priority FROM docs', 0.1, recall => 0.9999, mode => 'star')) AS c LEFT JOIN deduplicate('SELECT id, fp, priority FROM docs', 0.1, recall => 0.9999) AS d USING (id)$$),
	('deduplicate', 'verify', $$SELECT id FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, verify_threshold => 0.8, guard => ''{})$$, $$, verify => 'none'$$, '', NULL),
	('deduplicate', 'verify_threshold', $$SELECT id FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, guard => ''{})$$, ', verify_threshold => 1', '', NULL),
	('deduplicate', 'tokenizer', $$SELECT id, jaccard FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, verify => 'jaccard'{})$$, $$, tokenizer => 'word-uax29'$$, '', NULL),
	('deduplicate', 'canonicalizer', $$SELECT jaccard FROM deduplicate('SELECT id, fp, CASE id WHEN 1 THEN upper(body) ELSE body END FROM docs WHERE id IN (1, 21)', 0.5, verify => 'jaccard', verify_threshold => 0.5{})$$, $$, canonicalizer => 'none-cf-none'$$, '', NULL),
	('deduplicate', 'signals', $$SELECT id, signals FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, guard => ''{})$$, ', signals => true', '', NULL),
	('deduplicate', 'guard', $$SELECT id, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.5{})$$, $$, guard => ''$$, '', NULL),
	('deduplicate', 'rule', $$SELECT id, score FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, signals => true{})$$, ', rule => (SELECT rule FROM made), min_precision => 0.9', '', NULL),
	('deduplicate', 'min_precision', $$SELECT id, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.5, guard => '', rule => (SELECT rule || '{"cut_offs": [{"wished": 0.5, "remove_from": 0, "keep_below": 0}, {"wished": 0.95, "remove_from": 1, "keep_below": 0.5}]}' FROM made){})$$, ', min_precision => 0.5', ', min_precision => 0.95', NULL),
	('near_duplicate_clusters', 'apart', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.3, recall => 0.9999{})$$, $$, apart => 'VALUES (1, 21)'$$, '', NULL),
	('near_duplicate_clusters', 'together', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.3, recall => 0.9999{})$$, $$, together => 'VALUES (1, 2)'$$, '', NULL),
	('near_duplicate_clusters', 'max_size', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.1, recall => 0.9999{})$$, ', max_size => 2', '', NULL),
	('near_duplicate_clusters', 'thresholds', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp FROM docs', recall => 0.9999{})$$, ', thresholds => ARRAY[0.3]', ', thresholds => ARRAY[0.99]', $$SELECT id, cluster FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.3, recall => 0.9999)$$),
	('deduplicate', 'apart', $$SELECT id, kept FROM deduplicate('SELECT id, fp FROM docs', 0.3, recall => 0.9999{})$$, $$, apart => 'VALUES (1, 21)'$$, '', NULL),
	('deduplicate', 'together', $$SELECT id, kept FROM deduplicate('SELECT id, fp FROM docs', 0.3, recall => 0.9999{})$$, $$, together => 'VALUES (1, 2)'$$, '', NULL),
	('review_page', 'title', $$SELECT review_page('SELECT i AS id, i + 1000 AS kept, ''text '' || i AS text, ''text '' || i + 1 AS kept_text, (i % 100) / 100.0 AS jaccard FROM generate_series(1, 200) AS i', pairs => 5{})$$, $$, title => 'Other'$$, '', NULL),
	('review_page', 'pairs', $$SELECT review_page('SELECT i AS id, i + 1000 AS kept, ''text '' || i AS text, ''text '' || i + 1 AS kept_text, (i % 100) / 100.0 AS jaccard FROM generate_series(1, 200) AS i'{})$$, ', pairs => 10', ', pairs => 20', NULL),
	('review_page', 'seed', $$SELECT review_page('SELECT i AS id, i + 1000 AS kept, ''text '' || i AS text, ''text '' || i + 1 AS kept_text, (i % 100) / 100.0 AS jaccard FROM generate_series(1, 200) AS i', pairs => 10{})$$, ', seed => 5', '', NULL),
	('decision_rule', 'seed', $$SELECT decision_rule('SELECT label, signals FROM labelled'{})$$, ', seed => 5', '', NULL),
	('decision_rule', 'for_new', $$SELECT decision_rule('SELECT label, signals FROM labelled'{})$$, ', for_new => false', ', for_new => true', NULL),
	('removal_sample', 'seed', $$SELECT id FROM removal_sample('SELECT id, kept, score FROM planned', 20{})$$, ', seed => 5', '', NULL);

-- The first rows of which no two are similar
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('diverse_rows', 'threshold', $$SELECT id FROM diverse_rows('SELECT id, fp FROM docs ORDER BY id', 60{})$$, ', threshold => 0.3', ', threshold => 0.99', NULL),
	('diverse_rows', 'max_distance', $$SELECT id FROM diverse_rows('SELECT id, hash FROM docs ORDER BY id', 60{})$$, ', max_distance => 20', ', max_distance => 3', NULL),
	('diverse_rows', 'min_score', $$SELECT id FROM diverse_rows('SELECT id, file FROM docs ORDER BY id', 60{})$$, ', min_score => 20', ', min_score => 90', NULL);

-- Advice and indexes
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('lsh_params', 'recall', 'SELECT * FROM lsh_params(0.8, 128{})', ', recall => 0.99', '', NULL),
	('lsh_keys', 'crate_keys', 'SELECT lsh_keys(fp, 16, 8{}) FROM docs WHERE id = 1', ', crate_keys => true', '', NULL),
	('minhash_advice', 'recall', 'SELECT * FROM minhash_advice(0.05{})', ', recall => 0.5', '', NULL),
	('minhash_advice', 'damage', 'SELECT * FROM minhash_advice(0.05{})', $$, damage => 'characters'$$, '', NULL),
	('simhash_max_distance', 'recall', 'SELECT simhash_max_distance(0.9{})', ', recall => 0.5', '', NULL),
	('similarity_histogram', 'sample', $$SELECT sum(pairs) FROM similarity_histogram('SELECT fp FROM docs'{})$$, ', sample => 6', '', 'SELECT 6 * 59'),
	('similarity_histogram', 'buckets', $$SELECT count(*) FROM similarity_histogram('SELECT fp FROM docs'{})$$, ', buckets => 4', '', NULL),
	('fingerprint_index_recall', 'sample', $$SELECT (fingerprint_index_recall('docs_fp'{})).probes$$, ', sample => 7', '', 'SELECT 7'),
	('fingerprint_index_recall', 'threshold', $$SELECT (fingerprint_index_recall('docs_fp'{})).expected$$, ', threshold => 0.2', '', 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.id <> b.id AND jaccard(a.fp, b.fp) >= 0.2'),
	('fingerprint_index_recall', 'max_distance', $$SELECT (fingerprint_index_recall('docs_hash'{})).expected$$, ', max_distance => 25', '', 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.id <> b.id AND hamming(a.hash, b.hash) <= 25'),
	('fingerprint_index_recall', 'min_score', $$SELECT (fingerprint_index_recall('docs_file'{})).expected$$, ', min_score => 20', '', 'SELECT count(*) FROM docs AS a, docs AS b WHERE a.id <> b.id AND lavinhash_similarity(a.file, b.file) >= 20'),
	('fingerprint_index_recall', 'nearest', $$SELECT (fingerprint_index_recall('docs_hash', max_distance => 64{})).expected$$, ', nearest => 3', '', 'SELECT 3 * count(*) FROM docs');
CREATE TEMP TABLE made AS SELECT decision_rule('SELECT label, signals FROM labelled') AS rule;

-- Live clusters: two of one table, of which the second is named
CREATE TABLE option_docs AS SELECT id, fp, priority, body FROM docs WITH NO DATA;
ALTER TABLE option_docs ADD PRIMARY KEY (id);
CREATE INDEX ON option_docs USING sketch (fp);
CALL live_clusters_create('option_docs', 'id', 'fp', 0.9, mode => 'star');
CALL live_clusters_create('option_docs', 'id', 'fp', 0.3, mode => 'star', priority => 'priority', text => 'body', clusters => 'second_clusters');
INSERT INTO option_docs SELECT id, fp, priority, body FROM docs;
DELETE FROM second_clusters_members WHERE id = 2; -- live_clusters_check reports it
INSERT INTO cases (function, option, call, varied, plain, expected) VALUES
	('live_clusters_check', 'clusters', $$SELECT count(*) FROM live_clusters_check('option_docs'{})$$, $$, clusters => 'second_clusters'$$, $$, clusters => 'option_docs_clusters'$$, NULL),
	('live_clusters_kept', 'clusters', $$SELECT kept FROM live_clusters_kept('option_docs', 1{})$$, $$, clusters => 'second_clusters'$$, $$, clusters => 'option_docs_clusters'$$, NULL);

-- What cannot be a case, and where it is tested
CREATE TEMP TABLE elsewhere (function text, option text, tested_in text);
INSERT INTO elsewhere VALUES
	('live_clusters_create', 'threshold', 'test/sql/live_clusters.sql'), ('live_clusters_create', 'max_distance', 'test/sql/live_clusters.sql'), ('live_clusters_create', 'mode', 'test/sql/live_clusters.sql'),
	('live_clusters_create', 'events', 'test/sql/live_clusters_events.sql'), ('live_clusters_create', 'notify', 'test/sql/live_clusters_events.sql'), ('live_clusters_create', 'apart', 'test/sql/live_clusters_decided.sql'), ('live_clusters_create', 'together', 'test/sql/live_clusters_decided.sql'),
	('live_clusters_create', 'priority', 'test/sql/live_clusters.sql'), ('live_clusters_create', 'text', 'test/sql/live_clusters.sql'),
	('live_clusters_create', 'verify', 'test/sql/live_clusters_decide.sql'), ('live_clusters_create', 'verify_threshold', 'test/sql/live_clusters_decide.sql'), ('live_clusters_create', 'guard', 'test/sql/live_clusters_decide.sql'),
	('live_clusters_create', 'rule', 'test/sql/live_clusters_decide.sql'), ('live_clusters_create', 'min_precision', 'test/sql/live_clusters_decide.sql'),
	('live_clusters_create', 'clusters', 'test/sql/live_clusters.sql'), ('live_clusters_drop', 'clusters', 'test/sql/live_clusters.sql'),
	('live_clusters_fill', 'batch', 'test/sql/live_clusters.sql'), ('live_clusters_fill', 'again', 'test/sql/live_clusters.sql'), ('live_clusters_fill', 'clusters', 'test/sql/live_clusters.sql'),
	('near_duplicate_pairs_distributed', 'threshold', 'test/sql/distributed_pairs.sql'), ('near_duplicate_pairs_distributed', 'recall', 'test/sql/distributed_pairs.sql'),
	('near_duplicate_pairs_between', 'signals', 'test/sql/matched_tables.sql'), ('near_duplicate_pairs_between', 'rule', 'test/sql/matched_tables.sql'), ('near_duplicate_pairs_between', 'min_precision', 'test/sql/matched_tables.sql'),
	('near_duplicate_pairs_distributed', 'max_key_rows', 'test/sql/distributed_pairs.sql'), ('sketch_check', 'heapallindexed', 'test/tap/031_sketch_damage.pl'), ('decision_rule', 'min_precision', 'test/sql/decide.sql'), ('deduplicate', 'explain', 'test/sql/deduplicate.sql'), ('to_lavinhash', 'chunked', 'test/unit/lavinhash.cpp');

SELECT plan((SELECT count(*) + count(expected) FROM cases)::int + 2);

SELECT isnt(pg_temp.rows_of(replace(call, '{}', varied)), pg_temp.rows_of(replace(call, '{}', plain)), format('%s: %s changes the result', function, option)) FROM cases;
SELECT is(pg_temp.rows_of(replace(call, '{}', varied)), pg_temp.rows_of(expected), format('%s: %s as computed in another way', function, option)) FROM cases WHERE expected IS NOT NULL;

CREATE TEMP VIEW options AS
SELECT DISTINCT proname::text AS function, a.name AS option
FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e' JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp',
	unnest(proargnames[1:pronargs]) WITH ORDINALITY AS a (name, n)
WHERE a.n > pronargs - pronargdefaults AND proname !~ '^_';
SELECT is_empty('SELECT * FROM options EXCEPT SELECT function, option FROM cases EXCEPT SELECT function, option FROM elsewhere', 'each option of each function is varied: add a case above');
SELECT is_empty('SELECT function, option FROM cases UNION SELECT function, option FROM elsewhere EXCEPT SELECT * FROM options', 'the cases are of options that exist');

SELECT * FROM finish();
ROLLBACK;

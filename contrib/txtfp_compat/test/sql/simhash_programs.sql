-- SimHash as other programs compute it: jenkins64, byte windows, words in cyclic windows, majority, tokens with options

\pset null (null)

-- jenkins64: values of simhash-cpp
SELECT to_hex(jenkins64('hello')) AS hello, to_hex(jenkins64('')) AS empty, to_hex(jenkins64(''::bytea, (1::bigint << 32) + 2)) AS seeded,
	to_hex(jenkins64('\x4772c3b6c39f65'::bytea)) AS bytes, to_hex(jenkins64('Größe')) AS "the same as UTF-8";
CREATE TEMP TABLE vectors (kind text, input text, parameter text, value text, padded text);
\copy vectors FROM 'test/data/jenkins_simhash.tsv' (HEADER)
SELECT count(*) AS vectors, count(*) FILTER (WHERE to_hex(jenkins64(decode(input, 'hex'), ('x' || parameter)::bit(64)::bigint)) = ltrim(value, '0')) AS same
FROM vectors WHERE kind = 'jenkins';
SELECT jenkins64(NULL::text) AS data, jenkins64('a', NULL) AS seed;

-- Byte windows. The second form leaves the last window out, as the program simhash does.
SELECT doc, to_simhash64_windows(doc) AS windows, to_simhash64_windows_but_last(doc) AS but_last, to_simhash64_windows(doc, 3) AS of_3,
	to_simhash64_windows(doc::bytea) = to_simhash64_windows(doc) AND to_simhash64_windows_but_last(doc::bytea) = to_simhash64_windows_but_last(doc) AS same_bytes
FROM unnest('{hello world,hello world!,hello,hell,""}'::text[]) AS doc;
SELECT count(*) AS vectors, count(*) FILTER (WHERE to_simhash64_windows_but_last(decode(input, 'hex'), parameter::int) = value::simhash64) AS same
FROM vectors WHERE kind = 'window' AND input !~ '\(';
SELECT to_simhash64_windows(NULL::text) AS doc, to_simhash64_windows('hello', NULL) AS size;
SELECT to_simhash64_windows('hello', 0);
SELECT to_simhash64_windows_but_last('hello'::bytea, -5);
SELECT to_simhash64_windows('hello', 2147483647);

-- Words
SELECT doc, to_simhash64_cyclic(doc) AS fp, to_simhash64_cyclic(doc, padded => true) AS padded, to_simhash64_cyclic(doc, 1) AS of_1
FROM unnest('{Hello,"The quick brown fox jumps over the lazy dog","the quick brown fox jumps over the lazy dog",123,""}'::text[]) AS doc;
SELECT count(*) AS vectors, count(*) FILTER (WHERE to_simhash64_cyclic(decode(input, 'hex')) = value::simhash64 AND to_simhash64_cyclic(decode(input, 'hex'), 3, true) = padded::simhash64) AS same
FROM vectors WHERE kind = 'cyclic' AND input !~ '\(';
SELECT to_simhash64_cyclic('\x616c70686120626574610067616d6d61'::bytea) = to_simhash64_cyclic('alpha beta') AS until_a_zero_byte;
SELECT to_simhash64_cyclic('a b', 0);
SELECT to_simhash64_cyclic('a b', 1025);
SELECT to_simhash64_cyclic(NULL::text) AS doc, to_simhash64_cyclic('a', NULL) AS size, to_simhash64_cyclic('a', 3, NULL) AS padded;

-- Majority
SELECT count(*) AS vectors, count(*) FILTER (WHERE simhash64_majority(string_to_array(input, ' ')::simhash64[]) = value::simhash64) AS same
FROM vectors WHERE kind = 'majority' AND input !~ '[(x]';
SELECT simhash64_majority('{}'::simhash64[]) AS none, simhash64_majority('{1,3}'::bigint[]) AS tie, simhash64_majority('{1,3,-1}'::bigint[]) AS bigint,
	simhash64_majority('{{0000000000000001},{0000000000000003},{0000000000000007}}'::simhash64[]) AS nested, simhash64_majority(NULL::bigint[]) AS "null";
SELECT simhash64_majority('{1,NULL}'::bigint[]);
SELECT simhash64_majority_agg(h) AS by_rows, simhash64_majority_agg(h::simhash64) AS of_simhash, simhash64_majority(array_agg(h)) AS by_array
FROM (SELECT jenkins64(i::text) FROM generate_series(1, 1001) AS i) AS t(h);
SELECT simhash64_majority_agg(h) AS none FROM (SELECT 1::bigint) AS t(h) WHERE h = 2;
SELECT simhash64_majority_agg(h) AS nulls_do_not_count FROM unnest('{NULL,5,NULL,5,1}'::bigint[]) AS h;
SELECT simhash64_majority_agg(h) FILTER (WHERE h IS NULL) AS only_null FROM unnest('{NULL,1}'::bigint[]) AS h;
-- in parallel: partial counts are combined
CREATE TABLE majority_rows AS SELECT i % 7 AS g, jenkins64(i::text) AS h FROM generate_series(1, 30000) AS i;
ANALYZE majority_rows;
CREATE TEMP TABLE alone AS SELECT g, simhash64_majority_agg(h) AS m FROM majority_rows GROUP BY g;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT simhash64_majority_agg(h) FROM majority_rows;
SELECT count(*) AS groups, count(*) FILTER (WHERE m = n) AS same FROM alone JOIN (SELECT g, simhash64_majority_agg(h) AS n FROM majority_rows GROUP BY g) AS t USING (g);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
DROP TABLE majority_rows;

-- Concatenation of parts
SELECT simhash64_concat('{ffffffffffffabcd,ffffffffffff1234}', '{48,16}') AS content_structure, simhash64_concat('{0123456789abcdef}', '{64}') AS one,
	simhash64_concat('{0000000000000001,0000000000000000,ffffffffffffffff}', '{1,62,1}') AS three;
SELECT simhash64_concat('{0000000000000001}', '{63}');
SELECT simhash64_concat('{0000000000000001,0000000000000001}', '{64,0}');
SELECT simhash64_concat('{0000000000000001,0000000000000001}', '{65,-1}');
SELECT simhash64_concat('{0000000000000001}', '{32,32}');
SELECT simhash64_concat('{}', '{}');
SELECT simhash64_concat('{0000000000000001,NULL}', '{32,32}');
SELECT simhash64_concat('{0000000000000001}', '{NULL}');

-- The caller's tokens with the options of a text
SELECT weighting, to_simhash64(tokens, 'xxh3-64', 828927532781, weighting) = to_simhash64('A b b c c c', 'word-uax29', weighting => weighting) AS as_the_text,
	to_simhash64(tokens, 'mmh3-x64-128', 42, weighting) = to_simhash64('A b b c c c', 'word-uax29', hash => 'mmh3-x64-128', seed => 42, weighting => weighting) AS murmur3
FROM (SELECT '{a,b,b,c,c,c}'::text[]) AS t(tokens), unnest('{tf,uniform}'::text[]) AS weighting;
SELECT to_simhash64(tokens, 'xxh3-64', 828927532781, 'idf', '{"a": 7.5, "b": 0.5}') = to_simhash64('a b b c c c', 'word-uax29', weighting => 'idf', idf => '{"a": 7.5, "b": 0.5}') AS idf,
	to_simhash64(tokens) = to_simhash64(tokens, 'xxh3-64', 828927532781) AS defaults, to_simhash64(tokens) = to_simhash64(tokens, hash => 'xxh3-64', seed => 828927532781, weighting => 'uniform') AS other_weighting,
	to_simhash64(tokens, '{1,1,1,1,1,1}') = to_simhash64(tokens) AS weights_are_told_from_a_hash
FROM (SELECT '{a,b,b,c,c,c}'::text[]) AS t(tokens);
SELECT count(*) AS tokens, to_simhash64(array_agg(i::text)) = to_simhash64(string_agg(i::text, ' '), 'word-uax29') AS many FROM generate_series(1, 10007) AS i;
SELECT to_simhash64('{}'::text[]) AS none, to_simhash64(NULL::text[]) AS tokens, to_simhash64('{a}'::text[], NULL, 1) AS hash, to_simhash64('{a}'::text[], 'xxh3-64', NULL) AS seed, to_simhash64('{a}'::text[], 'xxh3-64', 1, NULL) AS weighting;
SELECT to_simhash64('{a,NULL}'::text[]);
SELECT to_simhash64('{a}'::text[], 'md5', 1);
SELECT to_simhash64('{a}'::text[], 'xxh3-64', 1, weighting => 'bm25');
SELECT to_simhash64('{a}'::text[], 'xxh3-64', 1, weighting => 'idf');
SELECT to_simhash64('{a}'::text[], 'xxh3-64', 1, idf => '{"a": 1}');
SELECT to_simhash64('{a}'::text[], 'xxh3-64', 1, weighting => 'idf', idf => '[1]');

-- a long hash can be cancelled
SET statement_timeout = '100ms';
\set VERBOSITY sqlstate
SELECT to_simhash64_windows(decode(repeat('ab', 4000000), 'hex'), 2000000);
RESET statement_timeout;

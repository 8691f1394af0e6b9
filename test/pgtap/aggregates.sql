-- The aggregates: signatures, states, and promised properties
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(20);

CREATE TEMP VIEW ours AS
SELECT pg_aggregate.*, pg_proc.*, proname || '(' || pg_get_function_arguments(oid) || ')' AS arguments
FROM pg_aggregate JOIN pg_proc ON oid = aggfnoid JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = oid AND deptype = 'e'
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txtfp');

SELECT bag_eq('SELECT arguments FROM ours', $$
	SELECT format('minhash_union_agg(%s)', type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type
	UNION ALL SELECT format('%s_agg(chunk %s%s)', type, chunk, arguments) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type, unnest('{text,bytea}'::text[]) AS chunk,
		unnest(ARRAY['', ', tokenizer text', ', tokenizer text, canonicalizer text, hash text, seed bigint']) AS arguments
	UNION ALL SELECT format('simhash64_agg(chunk %s%s)', chunk, arguments) FROM unnest('{text,bytea}'::text[]) AS chunk,
		unnest(ARRAY['', ', tokenizer text', ', tokenizer text, canonicalizer text, hash text, seed bigint, weighting text', ', tokenizer text, canonicalizer text, hash text, seed bigint, weighting text, idf jsonb']) AS arguments
	UNION ALL SELECT format('simhash_idf_agg(doc text%s)', arguments) FROM unnest(ARRAY['', ', tokenizer text', ', tokenizer text, canonicalizer text']) AS arguments
	UNION ALL SELECT 'passages_union_agg(p passages)'
	UNION ALL SELECT 'corpus_words_agg(doc text)'$$, 'aggregates');
SELECT is_empty($$SELECT arguments FROM ours WHERE proparallel <> 's' OR provolatile <> 'i'$$, 'all are immutable and parallel safe');
SELECT is_empty($$SELECT arguments FROM ours WHERE obj_description(oid, 'pg_proc') IS NULL$$, 'all have comments');
SELECT is_empty($$SELECT arguments FROM ours WHERE proname ~ '_union_agg$' AND (aggtranstype <> prorettype OR aggcombinefn = 0 OR aggfinalfn <> 0)$$, 'unions have a state of a type of ours, and combine');
SELECT is_empty($$SELECT arguments FROM ours WHERE proname NOT IN ('minhash_union_agg', 'passages_union_agg', 'corpus_words_agg', 'simhash_idf_agg') AND (aggtranstype <> 'internal'::regtype OR aggcombinefn <> 0 OR aggfinalmodify <> 's' OR aggtransspace = 0)$$, 'chunks have an order: nothing to combine, no windows');

-- promised properties

CREATE TEMP TABLE docs AS SELECT i AS id, format('document %s has %s words of its own: %s', i, i % 9, repeat(md5(i::text) || ' ', i % 9)) AS body FROM generate_series(1, 60) AS i;
SELECT ok((SELECT minhash_union_agg(to_minhash128(word, 'word-uax29')) FROM docs, regexp_split_to_table(body, ' ') AS word WHERE id = 7) = (SELECT to_minhash128(body, 'word-uax29') FROM docs WHERE id = 7), 'the union of the words is the text');
SELECT ok((SELECT bool_and(minhash_union(a.fp, b.fp) = minhash_union(b.fp, a.fp) AND minhash_union(a.fp, a.fp) = a.fp AND jaccard(a.fp, minhash_union(a.fp, b.fp)) >= jaccard(a.fp, b.fp))
	FROM (SELECT to_minhash64(body) AS fp FROM docs) AS a, (SELECT to_minhash64(body) AS fp FROM docs) AS b), 'commutative, idempotent, and never further away');
SELECT is_empty($$SELECT id FROM docs, LATERAL (SELECT minhash256_agg(substr(convert_to(body, 'UTF8'), at, 7) ORDER BY at) AS fp, simhash64_agg(substr(body, at, 7) ORDER BY at) AS bits FROM generate_series(1, length(body), 7) AS at) AS streamed
	WHERE fp IS DISTINCT FROM to_minhash256(body) OR bits IS DISTINCT FROM to_simhash64(body)$$, 'chunks give the fingerprint of the text');
SELECT ok((SELECT minhash64_agg(body) FROM docs WHERE false) IS NULL AND minhash64_agg('...') IS NULL AND minhash64_agg(NULL::bytea) IS NULL, 'no chunk, no token: NULL') FROM docs WHERE id = 1;
SELECT ok(abs(minhash_cardinality(to_minhash256(string_agg(i::text, ' '), 'word-uax29')) / 2000 - 1) < 0.25, 'a cardinality within four standard errors') FROM generate_series(1, 2000) AS i;
SELECT ok((SELECT bool_and(minhash_containment(a.fp, b.fp) BETWEEN 0 AND 1 AND minhash_intersection_estimate(a.fp, b.fp) >= 0) FROM (SELECT to_minhash64(body) AS fp FROM docs) AS a, (SELECT to_minhash64(body) AS fp FROM docs) AS b), 'containment is between 0 and 1');

SELECT throws_ok($$SELECT minhash_union(to_minhash64('a'), to_minhash64('a', 'word-uax29'))$$, '22023', 'cannot compare minhash64 values made with different configurations');
SELECT throws_ok($$SELECT minhash_containment(fp, fp, 0, 1) FROM to_minhash64('a') AS fp$$, '22023', 'size_a must be a finite number greater than 0, not 0');
SELECT throws_ok($$SELECT minhash128_agg('\xc3'::bytea)$$, '22021', 'last chunk ends within a character of encoding "UTF8": 0xc3');
SELECT throws_ok($$SELECT minhash128_agg('\xff'::bytea)$$, '22021');
SELECT throws_ok($$SELECT simhash64_agg('\x00'::bytea)$$, '22021');
SELECT throws_ok($$SELECT simhash64_agg('a', t) FROM unnest('{word-uax29,grapheme-uax29}'::text[]) AS t$$, '22023');
SELECT throws_ok($$SELECT simhash64_agg('a', 'word-uax29', 'nfc-cf-none', 'xxh3-64', 1, 'idf')$$, '22023', 'weighting "idf" needs an idf table');
SELECT throws_ok($$SELECT minhash128_agg(body) OVER () FROM docs$$, '0A000', NULL, 'no window function');
SELECT throws_ok($$SELECT minhash128_agg('a', 'words')$$, '22023', 'unrecognized tokenizer: "words"');

SELECT * FROM finish();
ROLLBACK;

-- deduplicate; priorities and the similarity to the centre in near_duplicate_clusters
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

CREATE TABLE docs (id bigint PRIMARY KEY, body text, quality int, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs VALUES
	(1, 'the quick brown fox jumps over the lazy dog and runs far away into the dark green woods behind the hill', 1),
	(2, 'a completely different sentence about databases, indexes and the people who love to build them at night', 5),
	(3, 'the quick brown fox jumps over the lazy dog and runs far away into the dark green woods behind the hill', 2),
	(4, 'The quick, brown fox jumps over the lazy dog and runs far away into the dark green woods behind the house', 9),
	(5, 'one more sentence that has nothing in common with any of the other ones in this very small collection', NULL),
	(6, 'A completely different sentence about databases, indexes and the people who love to build them at dawn', 5),
	(7, '', 1), (8, NULL, 1),
	(9, 'The Quick brown fox, jumps over the lazy dog: and runs far away into the dark green woods behind the HILL', 0);

-- without a priority the smallest id is kept
SELECT * FROM deduplicate('SELECT id, fp FROM docs', 0.8);
-- with texts, they are compared exactly, and guards look at what differs; both can be switched off
SELECT id, kept, similarity, jaccard, containment, reason, kept_containment, outcome, neighbours, kept_neighbours, (signals).edits FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, signals => true);
SELECT id, kept, reason, outcome FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, guard => '');
SELECT * FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, verify => 'none', guard => '');
-- the row with the greatest priority is kept, ties by id, NULL is the least
SELECT id, kept, reason FROM deduplicate('SELECT id, fp, quality FROM docs', 0.8) ORDER BY id;
SELECT id, kept, reason FROM deduplicate('SELECT id, fp, body, quality FROM docs', 0.8, guard => '') ORDER BY id;
SELECT id, kept FROM deduplicate('SELECT id, fp, body, -quality::numeric FROM docs', 0.8, guard => '') ORDER BY id;
SELECT id, kept FROM deduplicate('SELECT id, fp, CASE id WHEN 9 THEN 1e300 WHEN 6 THEN ''-Infinity'' END::float8 FROM docs', 0.8) ORDER BY id; -- NULL comes behind -Infinity, so 2 goes
-- verified
SELECT * FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, verify => 'jaccard', explain => true, guard => '');
SELECT * FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, verify => 'jaccard', verify_threshold => 0.95, explain => true, guard => '');
SELECT id, kept, containment, kept_containment, reason FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, 'containment', 0.9, guard => '');
SELECT id, kept, jaccard, reason FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, 'jaccard', 0.9, tokenizer => 'word-uax29', guard => '');
SELECT id, kept, jaccard, reason FROM deduplicate('SELECT id, fp, body FROM docs', 0.6, 'jaccard', 0.9, tokenizer => 'word-uax29', canonicalizer => 'none-cf-none', guard => '');
-- a pair with a null text is not confirmed
SELECT id, kept, jaccard, containment, reason FROM deduplicate('SELECT id, fp, NULLIF(body, (SELECT body FROM docs WHERE id = 9)) FROM docs', 0.8, 'jaccard', explain => true, guard => '');
SELECT id, kept, jaccard, containment, reason FROM deduplicate('SELECT id, fp, NULL::text FROM docs', 0.8);
SELECT id, kept, jaccard, containment, reason FROM deduplicate('SELECT id, fp, NULL::text FROM docs', 0.8, 'none', guard => '');
SELECT count(*) FROM deduplicate('SELECT id, fp, body FROM docs WHERE false', 0.8, 'jaccard', explain => true);
-- ids of other types, fingerprints of other types
SELECT *, pg_typeof(id), pg_typeof(kept) FROM deduplicate(NULL::text, 'SELECT ''doc '' || id, fp FROM docs', 0.8);
SELECT id, kept FROM deduplicate(NULL::uuid, 'SELECT md5(id::text)::uuid, fp, body, quality FROM docs', 0.8, guard => '', explain => true) ORDER BY id;
SELECT id, kept, similarity, jaccard FROM deduplicate('SELECT id, to_simhash64(body), body, quality FROM docs', max_distance => 12, verify => 'jaccard', verify_threshold => 0.7, guard => '') ORDER BY id;
SELECT id, kept, round(similarity::numeric, 4) AS similarity FROM deduplicate('SELECT id, to_embedding(ARRAY[id % 3, 1, id / 100.0]::real[]) FROM docs', 0.99) ORDER BY id;
SELECT count(*) FROM deduplicate('SELECT id, fp FROM docs', 0.8, bands => 64, rows => 2);

-- clusters: named after the row with the greatest priority, with the similarity of each row to it
SELECT * FROM near_duplicate_clusters('SELECT id, fp, quality FROM docs', 0.8);
SELECT * FROM near_duplicate_clusters('SELECT id, fp, quality FROM docs', 0.8, 'star');
-- Stars and components differ: the members of a star are all similar to its centre
CREATE TABLE chain AS SELECT i AS id, to_minhash256(array_agg('t' || j)) AS fp, string_agg('t' || j, ' ' ORDER BY j) AS body FROM generate_series(1, 12) AS i, generate_series(i * 10, i * 10 + 59) AS j GROUP BY i;
SELECT id, cluster, size, similarity < 0.6 AS less_similar FROM near_duplicate_clusters('SELECT id, fp FROM chain', 0.6);
SELECT id, cluster, size, similarity < 0.6 AS less_similar FROM near_duplicate_clusters('SELECT id, fp FROM chain', 0.6, 'star');
SELECT id, kept FROM deduplicate('SELECT id, fp, body FROM chain', 0.6, 'jaccard', tokenizer => 'word-uax29', guard => '');

-- Compared with a direct implementation of the rule, on many rows in one component: each row, in order, is removed by the first kept row that is similar to it
CREATE TABLE sets AS SELECT i::bigint AS id, array_to_string(t, ' ') AS body, to_minhash64(t) AS fp, to_simhash64(array_to_string(t, ' '), 'word-uax29') AS sh, abs(hashint4(i)) % 7 AS priority
FROM generate_series(1, 900) AS i, LATERAL (SELECT array_agg('t' || (i / 2 * 7 + k * (1 + i % 3 * (k % 9 / 8)))) AS t FROM generate_series(1, 60) AS k) AS tokens;
CREATE FUNCTION by_the_rule(measure text, bound float8) RETURNS TABLE (id bigint, kept bigint) LANGUAGE plpgsql AS $$
DECLARE r record; k bigint;
BEGIN
	CREATE TEMP TABLE kept_rows (n serial, id bigint, body text, fp minhash64, sh simhash64) ON COMMIT DROP;
	FOR r IN SELECT * FROM sets ORDER BY priority DESC, sets.id LOOP
		EXECUTE format('SELECT id FROM kept_rows WHERE %s ORDER BY n LIMIT 1', measure) USING r.fp, r.sh, bound, r.body INTO k;
		IF k IS NULL THEN
			INSERT INTO kept_rows (id, body, fp, sh) VALUES (r.id, r.body, r.fp, r.sh);
		ELSE
			id := r.id;
			kept := k;
			RETURN NEXT;
		END IF;
	END LOOP;
	DROP TABLE kept_rows;
END $$;
CREATE FUNCTION differences(answer text, truth text, OUT removed bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT (SELECT count(*) FROM (%2$s) AS e), (SELECT count(*) FROM ((%1$s EXCEPT %2$s) UNION ALL (%2$s EXCEPT %1$s)) AS d)', answer, truth) INTO removed, wrong;
END $$;
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, fp, priority FROM sets'', 0.5, bands => 64, rows => 1)', 'SELECT * FROM by_the_rule(''jaccard(fp, $1) >= $3'', 0.5)');
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, fp, body, priority FROM sets'', 0.5, ''jaccard'', 0.6, tokenizer => ''word-uax29'', guard => '''', bands => 64, rows => 1)', 'SELECT * FROM by_the_rule(''jaccard(fp, $1) >= $3 AND text_jaccard($4, body, ''''word-uax29'''') >= 0.6'', 0.5)');
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, sh, priority FROM sets'', max_distance => 6)', 'SELECT * FROM by_the_rule(''hamming(sh, $2) <= $3'', 6)');
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, sh, body, priority FROM sets'', max_distance => 20, verify => ''none'', guard => '''')', 'SELECT * FROM by_the_rule(''hamming(sh, $2) <= $3'', 20)');
-- the order of the rows does not matter, nor does memory
CREATE TEMP TABLE found AS SELECT * FROM deduplicate('SELECT id, fp, body, priority FROM sets', 0.5, verify => 'none');
SELECT count(*) AS differences FROM (TABLE found EXCEPT SELECT * FROM deduplicate('SELECT id, fp, body, priority FROM sets ORDER BY md5(id::text)', 0.5, verify => 'none')) AS d;
SET maintenance_work_mem = '1MB';
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, fp, priority FROM sets'', 0.5, bands => 64, rows => 1)', 'SELECT * FROM by_the_rule(''jaccard(fp, $1) >= $3'', 0.5)');
SELECT * FROM differences('SELECT id, kept FROM deduplicate(''SELECT id, fp, body, priority FROM sets'', 0.5, ''jaccard'', 0.6, tokenizer => ''word-uax29'', guard => '''', bands => 64, rows => 1)', 'SELECT * FROM by_the_rule(''jaccard(fp, $1) >= $3 AND text_jaccard($4, body, ''''word-uax29'''') >= 0.6'', 0.5)');
SELECT count(*) AS differences FROM (TABLE found EXCEPT SELECT * FROM deduplicate('SELECT id, fp, body, priority FROM sets', 0.5, verify => 'none')) AS d;
-- spilling: 40 MB of texts in one component whose table of kept rows is filled several times
SELECT count(*) > 1000 AS many, bool_and(jaccard >= 0.5) AS confirmed FROM deduplicate('SELECT i, to_minhash128(t), t FROM generate_series(1, 6000) AS i, LATERAL (SELECT string_agg(''w'' || (i / 2 * 3 + k), '' '' ORDER BY k) || repeat('' filling'', 900) AS t FROM generate_series(1, 60) AS k) AS s', 0.5, 'jaccard', 0.5, tokenizer => 'word-uax29', guard => '');
RESET maintenance_work_mem;

-- the tokens are those of the fingerprints; where nobody can know them, they must be given
CREATE VIEW four AS SELECT id, to_minhash128(body, 'shingle-k=4/grapheme-uax29', 'nfkc-cf-none') AS fp, body FROM docs;
SELECT id, kept, round(similarity::numeric, 2) AS similarity, round(jaccard::numeric, 2) AS jaccard, outcome FROM deduplicate('TABLE four', 0.6) ORDER BY id;
SELECT count(*) FILTER (WHERE d.jaccard <> text_jaccard(a.body, b.body, 'shingle-k=4/grapheme-uax29', 'nfkc-cf-none')) AS differences FROM deduplicate('TABLE four', 0.6) AS d JOIN docs AS a USING (id) JOIN docs AS b ON b.id = kept;
SELECT id, kept, round(jaccard::numeric, 2) AS jaccard FROM deduplicate('TABLE four', 0.6, tokenizer => 'word-uax29', canonicalizer => 'nfkc-cf-simple', guard => '') ORDER BY id;
CREATE VIEW unknown AS SELECT id, to_minhash128(string_to_array(body, ' ')) AS fp, body FROM docs WHERE id < 7;
SELECT deduplicate('TABLE unknown', 0.6);
SELECT deduplicate('TABLE unknown', 0.6, verify => 'containment', canonicalizer => 'nfc-cf-none');
SELECT deduplicate('SELECT id, to_minhash128(body, seed => 7), body FROM docs', 0.6);
SELECT id, kept, jaccard, reason, outcome FROM deduplicate('TABLE unknown', 0.6, tokenizer => 'word-uax29') ORDER BY id;
SELECT id, kept, jaccard, reason, outcome FROM deduplicate('TABLE unknown', 0.6, verify => 'none') ORDER BY id;
SELECT id, kept, jaccard, reason, outcome FROM deduplicate('TABLE unknown', 0.6, verify => 'lossless') ORDER BY id;
SELECT count(*) FROM deduplicate('SELECT * FROM unknown WHERE id = 0', 0.6);
DROP VIEW four, unknown;

-- Errors
SELECT deduplicate('SELECT id, fp FROM docs', NULL);
SELECT deduplicate('SELECT id, fp FROM docs', 0);
SELECT deduplicate(NULL, 0.8);
SELECT deduplicate('SELECT id, fp FROM docs', 0.8, 'exactly');
SELECT deduplicate('SELECT id, fp FROM docs', 0.8, 'jaccard');
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.8, 'jaccard', 1.5);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.8, explain => NULL);
SELECT deduplicate('SELECT id, fp, body FROM docs', 0.8, tokenizer => 'words');
SELECT deduplicate('SELECT id, to_simhash64(body), body FROM docs', max_distance => 1, verify => 'jaccard');
SELECT deduplicate('SELECT id, to_simhash64(body), body FROM docs', max_distance => 1);
SELECT deduplicate('SELECT id, fp FROM docs', 0.8, guard => 'balanced');
SELECT deduplicate('SELECT id FROM docs', 0.8);
SELECT deduplicate('SELECT id, fp, body, quality, quality FROM docs', 0.8);
SELECT deduplicate('SELECT id, fp, quality, body FROM docs', 0.8);
SELECT deduplicate('SELECT id, fp, now() FROM docs', 0.8);
SELECT deduplicate('SELECT id, fp, ''NaN''::float8 FROM docs', 0.8);
SELECT deduplicate('SELECT 1, fp FROM docs', 0.8);
SELECT deduplicate('SELECT id, body FROM docs', 0.8);
SELECT deduplicate('DELETE FROM docs RETURNING id, fp', 0.8);
SELECT near_duplicate_clusters('SELECT id, fp, body FROM docs', 0.8);
SELECT near_duplicate_pairs('SELECT id, fp, quality FROM docs', 0.8);
DROP TABLE docs, chain, sets, found;
DROP FUNCTION by_the_rule, differences;

-- Sketches that were made in different ways: every search raises the same error, with an index and without.
\set SHOW_CONTEXT never
SET jit = off;

-- Runs a query by each way to the rows, and tells what came of it.
CREATE FUNCTION by_each_way(query text, ways text[] DEFAULT '{table,gin,sketch}') RETURNS TABLE (way text, used boolean, answer text, hint text)
	LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
	plan text;
	rows bigint;
	kept text;
BEGIN
	FOREACH way IN ARRAY ways LOOP
		SET LOCAL enable_seqscan = on;
		SET LOCAL enable_indexscan = on;
		SET LOCAL enable_bitmapscan = on;
		IF way = 'table' THEN
			SET LOCAL enable_indexscan = off;
			SET LOCAL enable_bitmapscan = off;
		ELSE
			EXECUTE format('CREATE INDEX searched ON docs USING %s (fp)', way);
			SET LOCAL enable_seqscan = off;
		END IF;
		hint := NULL;
		BEGIN
			EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
			used := plan LIKE '%searched%';
			EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO rows;
			answer := rows || ' rows';
		EXCEPTION WHEN invalid_parameter_value THEN
			GET STACKED DIAGNOSTICS answer = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
		END;
		IF way <> 'table' THEN
			DROP INDEX searched;
		END IF;
		RETURN NEXT;
	END LOOP;
END $$;

CREATE FUNCTION body(id bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(format('w%sn%s', id / 5, CASE WHEN n > 58 THEN n + id % 5 ELSE n END), ' ' ORDER BY n) FROM generate_series(1, 60) AS n $$;

-- Each type, each difference
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128);
INSERT INTO docs SELECT id, to_minhash128(body(id)) FROM generate_series(1, 200) AS id;
ANALYZE docs;
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7)), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), tokenizer => 'word-uax29'), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), tokenizer => 'shingle-k=4/word-uax29'), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), tokenizer => 'shingle-k=5/grapheme-uax29'), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), canonicalizer => 'nfkc-cf-simple-bidi-fmt-conf'), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), hash => 'mmh3-x64-128'), 0.8)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), seed => 1), 0.8)$$);
-- the operators, and a probe on the left
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash128(body(7), seed => 1)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE to_minhash128(body(7), seed => 1) % fp$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % _to_minhash_probe(to_minhash128(body(7), seed => 1), 0.9)$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash128(body(7), seed => 1) OR fp % to_minhash128(body(8))$$, '{table,gin}');
-- an unknown configuration goes with all; so does equality
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash128(body(7))::bytea::minhash128$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp = to_minhash128(body(7), seed => 1)$$, '{table,sketch}');
-- no error where nothing may be told about rows
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar_leakproof(fp, to_minhash128(body(7), seed => 1), 0.8)$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp %& _to_minhash_probe(to_minhash128(body(7), seed => 1), 0.8)$$, '{gin}');
-- thresholds that the index does not serve
SELECT * FROM by_each_way($$SELECT FROM docs WHERE minhash_similar(fp, to_minhash128(body(7), seed => 1), 0.3)$$, '{table,sketch}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % _to_minhash_probe(to_minhash128(body(7), seed => 1), 0.3)$$);

ALTER TABLE docs ALTER fp TYPE minhash64 USING to_minhash64(body(id));
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash64(body(7))$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash64(body(7), 'word-uax29')$$);
ALTER TABLE docs ALTER fp TYPE minhash256 USING to_minhash256(body(id));
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash256(body(7))$$);
SELECT * FROM by_each_way($$SELECT FROM docs WHERE fp % to_minhash256(body(7), 'word-uax29')$$);
ALTER TABLE docs ALTER fp TYPE passages USING to_passages(body(id));
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_similar(fp, to_passages(body(7)))$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_similar(fp, to_passages(body(7), 20))$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_similar(fp, to_passages(body(7), 12, 'grapheme-uax29'))$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_contained(to_passages(body(7), canonicalizer => 'nfkc-cf-simple-bidi-fmt-conf'), fp, 0.5)$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_similar(fp, to_passages(body(7), 20), 1000)$$, '{table,gin}');
SELECT * FROM by_each_way($$SELECT FROM docs WHERE passages_similar(fp, to_passages(body(7)), 1000)$$, '{table,gin}');
SELECT * FROM by_each_way(format($$SELECT FROM docs WHERE passages_similar(fp, %L)$$, '0000000000000000' || substr(to_passages(body(7))::text, 17)), '{table,gin}');

-- Rows that are not there raise no error: updated, rolled back, deleted
ALTER TABLE docs ALTER fp TYPE minhash128 USING to_minhash128(body(id));
CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
SET enable_seqscan = off;
PREPARE search(int, text) AS SELECT count(*) FROM docs WHERE minhash_similar(fp, to_minhash128(body($1), $2), 0.8);
EXECUTE search(7, 'shingle-k=5/word-uax29');
EXECUTE search(7, 'word-uax29');
UPDATE docs SET fp = to_minhash128(body(id), 'word-uax29');
EXECUTE search(7, 'shingle-k=5/word-uax29');
EXECUTE search(7, 'word-uax29');
BEGIN;
INSERT INTO docs VALUES (1001, to_minhash128(body(7)));
SAVEPOINT a;
EXECUTE search(7, 'word-uax29');
ROLLBACK;
EXECUTE search(7, 'word-uax29');
DELETE FROM docs;
EXECUTE search(7, 'shingle-k=5/word-uax29');
EXECUTE search(7, 'word-uax29');
VACUUM docs;
INSERT INTO docs SELECT id, to_minhash128(body(id)) FROM generate_series(1, 50) AS id;
EXECUTE search(7, 'shingle-k=5/word-uax29');
-- a generic plan does not know the configuration
SET plan_cache_mode = force_generic_plan;
EXECUTE search(7, 'word-uax29');
RESET plan_cache_mode;
-- one row of another configuration among many
INSERT INTO docs VALUES (1001, to_minhash128(body(1001), 'word-uax29'));
EXECUTE search(7, 'shingle-k=5/word-uax29');
-- ... which another condition may exclude, if it is one of the index, or that of a partial one
CREATE INDEX docs_partial ON docs USING gin (fp) WHERE id < 1000;
SELECT count(*) FROM docs WHERE minhash_similar(fp, to_minhash128(body(7)), 0.8) AND id < 1000;
SELECT count(*) FROM docs WHERE minhash_similar_leakproof(fp, to_minhash128(body(7)), 0.8);
DROP INDEX docs_partial;
DELETE FROM docs WHERE id = 1001;
-- the pending list is looked through, too
ALTER INDEX docs_fp SET (fastupdate = on);
INSERT INTO docs VALUES (1002, to_minhash128(body(1002), 'word-uax29'));
SELECT pending_rows FROM fingerprint_index_info('docs_fp');
EXECUTE search(7, 'shingle-k=5/word-uax29');
DELETE FROM docs WHERE id = 1002;
EXECUTE search(7, 'shingle-k=5/word-uax29');
-- rows of unknown configuration, NULL
INSERT INTO docs VALUES (1003, to_minhash128(body(7))::bytea::minhash128), (1004, NULL);
EXECUTE search(7, 'shingle-k=5/word-uax29');

-- Joins: the configuration comes with each row
CREATE TABLE others AS SELECT id, to_minhash128(body(id), 'word-uax29') AS fp FROM generate_series(1, 20) AS id;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*) FROM others AS o JOIN docs AS d ON minhash_similar(d.fp, o.fp, 0.8);
UPDATE others SET fp = to_minhash128(body(id)) WHERE id > 1;
SELECT count(*) FROM others AS o JOIN docs AS d ON d.fp % o.fp;
SELECT count(*) FROM others AS o JOIN docs AS d ON d.fp % o.fp WHERE o.id > 1;
SELECT count(*) FROM others AS o, LATERAL (SELECT FROM docs AS d WHERE minhash_similar(d.fp, o.fp, 0.8) LIMIT 1) AS one;
SELECT count(*) FROM others AS o WHERE NOT EXISTS (SELECT FROM docs AS d WHERE d.fp % o.fp);
-- the trigger searches as a query does
CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8');
INSERT INTO docs VALUES (2001, to_minhash128('some other text', 'word-uax29'));
INSERT INTO docs VALUES (2002, to_minhash128('some other text'));
TRUNCATE docs;
SELECT count(*) FROM others AS o JOIN docs AS d ON d.fp % o.fp;
EXECUTE search(7, 'word-uax29');
INSERT INTO docs VALUES (2001, to_minhash128('some other text', 'word-uax29'));
DEALLOCATE ALL;
DROP TABLE docs, others;
DROP FUNCTION by_each_way, body;
RESET enable_seqscan;
RESET enable_hashjoin;
RESET enable_mergejoin;

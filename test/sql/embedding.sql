-- embedding: forms, casts, order, similarity, SimHash, pooling, errors.
SELECT amname, opcname FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname ~ '^embedding' AND NOT amvalidate(pg_opclass.oid);

-- Text form
SELECT to_embedding(ARRAY[0.5, -1, 2.5e-8, 1e10]), to_embedding('{1,2}', 'BAAI/bge-small-en-v1.5'), to_embedding('{1}', ''), to_embedding(NULL), to_embedding('{1}', NULL);
SELECT v::embedding FROM unnest(ARRAY['[1,2]', ' [ 1 , +2.50 ] ', 'm/[1]', 'a[0]/b/[-0,1e-3]', '/[1]', ' m/[1]']) AS v;
SELECT ''::embedding;
SELECT '[]'::embedding;
SELECT '[1,2'::embedding;
SELECT 'm[1]'::embedding;
SELECT '[1,,2]'::embedding;
SELECT '[1,x]'::embedding;
SELECT '[1,NaN]'::embedding;
SELECT '[-Infinity]'::embedding;
SELECT '[1e39]'::embedding;
SELECT ('[' || repeat('1,', 100) || ']')::embedding;
SELECT to_embedding('{1}', repeat('m', 65535));
SELECT length(to_embedding('{1}', repeat('m', 65534))::text);

-- Constructor and casts
SELECT to_embedding('{}');
SELECT to_embedding('{1,NaN}');
SELECT to_embedding('{1,Infinity}');
SELECT to_embedding('{1,NULL}');
SELECT to_embedding('{{1,2},{3,4}}');
SELECT '{1,2,3}'::real[]::embedding, to_embedding('{1,2,3}', 'm')::real[];
SELECT to_embedding('{0.1,-2}', 'm"x')::jsonb, '[1]'::embedding::jsonb;
SELECT j::jsonb::embedding FROM unnest(ARRAY['{"vector": [1, 0.1, -1e-7]}', '{"vector": [1], "model_id": null}', '{"model_id": "m", "vector": [2]}', '{"vector": [1.00000005960464477539062500001]}']) AS j;
SELECT '[1]'::jsonb::embedding;
SELECT '{"model_id": "m"}'::jsonb::embedding;
SELECT '{"vector": [1], "model": "m"}'::jsonb::embedding;
SELECT '{"vector": ["1"]}'::jsonb::embedding;
SELECT '{"vector": [[1]]}'::jsonb::embedding;
SELECT '{"vector": [1], "model_id": 5}'::jsonb::embedding;
SELECT '{"vector": [1e39]}'::jsonb::embedding;
SELECT '{"vector": []}'::jsonb::embedding;
SELECT _embedding_send('m/[1,-2]');
SELECT embedding_dims(e), embedding_model(e) FROM unnest(ARRAY['[1,2]', 'm/[1]', '/[1]']::embedding[]) AS e;

-- TOAST, indexes
CREATE TEMP TABLE vectors (id int PRIMARY KEY, e embedding);
INSERT INTO vectors SELECT d, to_embedding(array_agg((sin(i * d) * 100)::real ORDER BY i), CASE WHEN d % 2 = 0 THEN 'm' || d END)
	FROM unnest('{1,2,3,384,768,1536,5000}'::int[]) AS d, generate_series(1, d) AS i GROUP BY d;
SELECT id, embedding_dims(e), embedding_model(e), md5(e::text), e = e::text::embedding, e = e::jsonb::embedding, e = (e::fingerprint)::embedding FROM vectors ORDER BY id;
CREATE INDEX ON vectors (to_simhash64(e));
CREATE UNIQUE INDEX ON vectors USING btree ((e::fingerprint)) WHERE id < 400;
CREATE INDEX ON vectors USING hash (e);
SET enable_seqscan = off;
SELECT v.id FROM vectors AS v WHERE v.e = (SELECT e FROM vectors WHERE id = 768);
RESET enable_seqscan;
-- by model (none first), dimension, bytes
SELECT e FROM unnest(ARRAY['b/[1]', 'a/[2]', 'a/[1,1]', '[3]', '[1,2,3]', '/[9]', 'a/[1]']::embedding[]) AS e ORDER BY e;
SELECT count(DISTINCT e), count(*) FROM unnest(ARRAY['[0]', '[-0]', 'm/[0]', '[0]', '[0,0]']::embedding[]) AS e;
SELECT '[1]'::embedding < '[2]', '[1]'::embedding <= '[1]', '[1]'::embedding > 'm/[1]', '[1]'::embedding >= '[2]', '[1]'::embedding <> '[1]';

-- Similarity
SELECT semantic_similarity('[1,0]', '[1,0]'), semantic_similarity('[1,0]', '[0,1]'), semantic_similarity('[1,0]', '[-1,0]'), semantic_similarity('m/[1,2]', '[2,4]');
SELECT cosine_similarity('[3,4]', 'm/[3,4]'), cosine_distance('[3,4]', '[4,3]'), '[3,4]'::embedding <=> '[-3,-4]', inner_product('[1,2]', '[3,4]'), l2_norm('[3,4]'), l2_normalize('m/[3,4]'), l2_normalize('[0,0]');
SELECT semantic_similarity('ma/[1]', 'mb/[1]');
SELECT semantic_similarity('ma/[1,2]', '[1,2,3]');
SELECT semantic_similarity('[0,0]', '[1,2]');
-- squares that single precision does not have
SELECT semantic_similarity('[1e-30,0]', '[1,2]'), cosine_similarity('[1e20,1e20]', '[1e20,1e20]'), '[1e20,1e20]'::embedding <=> '[1e-20,1e-20]' AS distance, semantic_similarity('[3e38,3e38]', '[1e38,-1e38]');
SELECT l2_norm('[3e20,4e20]'), l2_norm('[3e-40,4e-40]'), l2_normalize('[3e38,4e37]'), l2_normalize('[3e-30,4e-30]'), inner_product('[1e20,1e20]', '[1e20,-1e20]');
SELECT l2_norm('[3e38,3e38]');
SELECT inner_product('[1e20]', '[1e20]');
SELECT 'ma/[1]'::embedding <=> 'mb/[1]';
SELECT cosine_similarity('[1]', '[1,2]');
SELECT cosine_distance('[0]', '[1]');
SELECT inner_product('ma/[1]', 'mb/[1]');
SELECT inner_product('[1]', '[1,2]');
-- both similarities agree
SELECT bool_and(abs(semantic_similarity(a.e, b.e) - cosine_similarity(a.e, b.e)) < 1e-5), bool_and(abs((a.e <=> b.e) - (1 - cosine_similarity(a.e, b.e))) = 0)
	FROM vectors AS a JOIN vectors AS b ON embedding_dims(a.e) = embedding_dims(b.e);
SELECT round(semantic_similarity(to_embedding(array_agg(((i + 1) / 768.0)::real ORDER BY i)), to_embedding(array_agg(((i * 37 % 101 - 50) / 7.0)::real ORDER BY i)))::numeric, 9) FROM generate_series(0, 767) AS i;

-- SimHash
SELECT to_simhash64('[1,2,3]'::embedding), to_simhash64('m/[2,4,6]'::embedding), to_simhash64('[1,2,3]'::embedding, 1), to_simhash64('[0,0]'::embedding), to_simhash64('[-1,-2,-3]'::embedding);
SELECT to_simhash64(to_embedding(array_agg(((i * 37 % 101 - 50) / 8.0)::real ORDER BY i))) = to_simhash64(array_agg(((i * 37 % 101 - 50) / 8.0)::real ORDER BY i)::embedding) AS same,
	to_simhash64(to_embedding(array_agg(((i * 37 % 101 - 50) / 8.0)::real ORDER BY i))) FROM generate_series(0, 383) AS i;
-- more dimensions than a call site caches coefficients for
SELECT to_simhash64(array_agg(((i * 37 % 101 - 50) / 8.0)::real ORDER BY i)::embedding) FROM generate_series(0, 4999) AS i;
SELECT id, to_simhash64(e) = to_simhash64(e, s) FROM vectors, unnest('{828927532781,7}'::bigint[]) AS s WHERE id > 3 ORDER BY id, s;
SELECT simhash_max_distance(1), simhash_max_distance(0.95), simhash_max_distance(0.9), simhash_max_distance(0.9, 0.5), simhash_max_distance(0), simhash_max_distance(-1);
SELECT simhash_max_distance(1.5);
SELECT simhash_max_distance('NaN');
SELECT simhash_max_distance(0.9, 1);

-- Search through a simhash64_ops index, verified by the similarity
CREATE TABLE notes (id int PRIMARY KEY, e embedding NOT NULL, fp simhash64 GENERATED ALWAYS AS (to_simhash64(e)) STORED);
INSERT INTO notes SELECT n, to_embedding(array_agg((sin(n / 4 * 1000 + i * (n / 4 + 1)) + CASE WHEN i % 8 = n % 4 THEN 0.3 ELSE 0 END)::real ORDER BY i), 'm')
	FROM generate_series(1, 400) AS n, generate_series(1, 64) AS i GROUP BY n;
CREATE INDEX ON notes USING gin (fp);
ANALYZE notes;
SET enable_seqscan = off;
SET txtfp.hamming_threshold = 13;
CREATE FUNCTION scans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Scan' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT * FROM scans('SELECT id FROM notes WHERE fp % (SELECT fp FROM notes WHERE id = 42)');
SELECT id FROM notes WHERE fp % (SELECT fp FROM notes WHERE id = 42) ORDER BY id;
RESET txtfp.hamming_threshold;
SELECT n.id, round((n.e <=> q.e)::numeric, 3) AS distance FROM notes AS n, notes AS q
	WHERE q.id = 42 AND simhash_similar(n.fp, q.fp, 15) AND cosine_similarity(n.e, q.e) >= 0.92 ORDER BY n.e <=> q.e, n.id;
RESET enable_seqscan;

-- Triggers on either column
CREATE TABLE raw (id int, v real[], e embedding, fp simhash64);
CREATE TRIGGER a BEFORE INSERT OR UPDATE ON raw FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('v', 'e', 'model=m');
CREATE TRIGGER b BEFORE INSERT OR UPDATE ON raw FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('e', 'fp', 'seed=828927532781');
CREATE TRIGGER c BEFORE INSERT ON raw FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'max_distance=3');
INSERT INTO raw VALUES (1, '{1,2,3}'), (2, '{2,4,6}'), (3, '{3,-2,1}'), (4, NULL);
SELECT *, fp = to_simhash64(e) AS same FROM raw ORDER BY id;
DROP TABLE raw, notes;

-- Embeddings in a fingerprint
SELECT fp, fingerprint_name(fp), fingerprint_metadata(fp) FROM unnest(ARRAY['[1,2]', 'BAAI/bge/[3,4]', '/[1]']::embedding[]) AS e, LATERAL (SELECT e::fingerprint) AS f (fp);
SELECT f::fingerprint, f::fingerprint::embedding FROM unnest(ARRAY['embedding-v1/[1,2]', 'embedding/BAAI/bge-v1/[3]', 'embedding/-v1/[1]', 'embedding/a-v1/b-v1/[1]', 'embedding-v1/m/[1]']) AS f;
SELECT fingerprint_similarity('embedding/m-v1/[1,0]', 'embedding-v1/[1,0]');
SELECT fingerprint_similarity('embedding/m-v1/[1,0]', 'embedding/n-v1/[1,0]');
SELECT fingerprint_similarity('embedding/m-v1/[1,0]', 'simhash-b64-v1/0123456789abcdef');
SELECT 'embedding/m/[1]'::fingerprint;
SELECT 'embedding/m-v1/[x]'::fingerprint;
SELECT 'embedding/-v1'::fingerprint;
SELECT 'simhash-b64-v1/0123456789abcdef'::fingerprint::embedding;

-- Pooling
SELECT embedding_pool('{1,0,0,1}', 2), embedding_pool('{10,0,0,10}', 2, '{1,0}'), embedding_pool('{3,0,4,99,99,99}', 3, NULL, 'cls'), embedding_pool('{1,5,4,2}', 2, NULL, 'max'), embedding_pool('{1,2,3,4}', 2, NULL, 'mean-no-norm');
SELECT embedding_pool('{{1,2},{3,4}}', 2, NULL, 'mean-no-norm'), embedding_pool('{1,2,3,4,5}', 2, '{0,0,0}', 'mean'), embedding_pool('{1,2}', 0), embedding_pool('{}', 3), embedding_pool(NULL, 3), embedding_pool('{1}', NULL);
SELECT embedding_pool('{3,4,0,2,9,9}', 2, '{1,1,0}', 'last'), embedding_pool('{3,4,0,2}', 2, NULL, 'last'), embedding_pool('{3,4}', 2, '{0}', 'last');
SELECT embedding_pool('{1,2}', 1, pooling => 'avg');
SELECT embedding_pool('{1,2}', -1);
SELECT embedding_pool('{1,2}', 3);
SELECT embedding_pool('{1,NULL}', 1);
SELECT embedding_pool('{1,2}', 1, '{1,NULL}');

-- Binary form
CREATE TABLE sent AS SELECT n, e FROM unnest(ARRAY['[1,-2.5,3e-8]', 'BAAI/bge/[0.1,2]', '/[1]', NULL, '[0]', 'm/[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]']::embedding[]) WITH ORDINALITY AS s (e, n);
CREATE TABLE received (LIKE sent);
\copy sent TO 'results/embedding.bin' (FORMAT binary)
\copy received FROM 'results/embedding.bin' (FORMAT binary)
SELECT count(*) AS rows, count(*) FILTER (WHERE r.e::text IS NOT DISTINCT FROM s.e::text AND pg_column_size(r.e) IS NOT DISTINCT FROM pg_column_size(s.e)) AS same FROM sent AS s JOIN received AS r USING (n);
DROP TABLE sent, received;
DROP FUNCTION scans;

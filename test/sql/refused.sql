-- Calls that are refused, and whose messages no other test shows
\set VERBOSITY default
\set SHOW_CONTEXT never

-- numbers of columns, with and without groups
SELECT near_duplicate_pairs('SELECT 1');
SELECT near_duplicate_pairs('SELECT 1, NULL::minhash64, 1');
SELECT near_duplicate_pairs('SELECT 1, NULL::minhash64', grouped => true);
SELECT near_duplicate_pairs('SELECT 1, NULL::minhash64, 1, 1', grouped => true);
SELECT near_duplicate_clusters('SELECT 1, NULL::minhash64', grouped => true);
SELECT deduplicate('SELECT 1, NULL::minhash64', 0.8, grouped => true);
SELECT passage_pairs('SELECT 1, NULL::passages, 1');
SELECT passage_pairs('SELECT 1, NULL::passages', grouped => true);

-- arguments and values that are null or no number
SELECT near_duplicate_pairs('SELECT 1, to_embedding(ARRAY[1, 2]::real[])');
SELECT removal_sample('SELECT 1, 2, ''NaN''::float8', 10);
SELECT removal_precision('SELECT NULL::text, true');

-- an index whose build did not end
CREATE TABLE refused (id int, fp simhash64);
CREATE INDEX refused_fp ON refused USING sketch (fp);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'refused_fp'::regclass;
SELECT sketch_check('refused_fp', true);
SELECT fingerprint_index_recall('refused_fp');
DROP TABLE refused;

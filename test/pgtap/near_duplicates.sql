-- Bulk functions: promised properties, and the SQLSTATE of each error
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(36);

CREATE TEMP TABLE docs AS SELECT i AS id, to_minhash128('the quick brown fox ' || i / 2) AS fp, to_simhash64('the quick brown fox ' || i / 2) AS sh FROM generate_series(1, 9) AS i;

SELECT bag_eq($$SELECT a, b, similarity FROM near_duplicate_pairs('SELECT id, fp FROM docs', threshold => 1)$$,
	'VALUES (2::bigint, 3::bigint, 1::float8), (4, 5, 1), (6, 7, 1), (8, 9, 1)', 'pairs of sketches');
SELECT bag_eq($$SELECT a, b, similarity FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 0)$$,
	'VALUES (2::bigint, 3::bigint, 1::float8), (4, 5, 1), (6, 7, 1), (8, 9, 1)', 'pairs of SimHash values');
SELECT bag_eq($$SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, fp FROM docs WHERE id < 6', threshold => 1)$$,
	'VALUES (2::bigint, 2::bigint, 2::bigint), (3, 2, 2), (4, 4, 2), (5, 4, 2)', 'clusters');
SELECT bag_eq($$SELECT id, cluster, size FROM near_duplicate_clusters(NULL::text, 'SELECT ''d'' || id, fp FROM docs WHERE id < 6', 1)$$,
	$$VALUES ('d2', 'd2', 2::bigint), ('d3', 'd2', 2), ('d4', 'd4', 2), ('d5', 'd4', 2)$$, 'ids of another type');
SELECT bag_eq($$SELECT id, cluster, size FROM connected_components('SELECT a, b FROM near_duplicate_pairs(''SELECT id, fp FROM docs WHERE id < 4'', 1)')$$,
	'VALUES (2::bigint, 2::bigint, 2::bigint), (3, 2, 2)', 'components of pairs');
SELECT is(current_setting('txtfp.progress'), 'off', 'silent by default');

SELECT throws_ok($$SELECT near_duplicate_pairs(NULL, 0.8)$$, '22004', 'query must not be null');
SELECT bag_eq($$SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs', NULL)$$, $$SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.8)$$, 'without a threshold that of %');
SELECT throws_ok($$SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, NULL)$$, '22004', 'mode must not be null');
SELECT throws_ok($$SELECT near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, 'tree')$$, '22023', 'unrecognized mode: "tree"');
SELECT throws_ok(format($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', %L)$$, t), '22023', format('threshold must be greater than 0 and at most 1, not %s', t)) FROM unnest('{0,-1,1.5,NaN}'::float8[]) AS t;
SELECT throws_ok(format($$SELECT near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => %s)$$, d), '22023', format('max_distance must be between 0 and 64 for simhash64, not %s', d)) FROM unnest('{-1,65}'::int[]) AS d;
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, sh FROM docs', 0.8)$$, '22023', 'threshold does not apply to simhash64');
SELECT throws_ok($$SELECT near_duplicate_clusters('SELECT id, fp FROM docs', max_distance => 7)$$, '22023', 'max_distance does not apply to minhash128');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 2)$$, '22023', 'bands and rows must be given together');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, 0.9, 2, 2)$$, '22023', 'recall cannot be combined with bands and rows');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, bands => 128, rows => 2)$$, '22023', 'bands * rows must be at most 128 for minhash128, not 128 * 2');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 1)$$, '22023', 'recall must be greater than 0 and less than 1, not 1');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs', 0.001)$$, '22023', NULL, 'a threshold that no banding serves');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 3, recall => 0.9)$$, '22023', 'bands, rows and recall do not apply to simhash64');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id FROM docs', 0.8)$$, '42804', 'the query must return two columns, an id and a fingerprint, not 1');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, id FROM docs', 0.8)$$, '42804', 'the second column of the query is of type integer');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id::text, fp FROM docs', 0.8)$$, '42804', 'the query returns ids of type text, not bigint');
SELECT throws_ok($$SELECT near_duplicate_pairs(NULL::date, 'SELECT id, fp FROM docs', 0.8)$$, '42804', 'ids cannot be of type date');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT NULL::int, fp FROM docs', 0.8)$$, '22004', 'the query returned an id that is null');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT 1, fp FROM docs', 0.8)$$, '21000', 'the query returned the id 1 more than once');
SELECT throws_ok($$SELECT near_duplicate_pairs('DELETE FROM docs RETURNING id, fp', 0.8)$$, '22023', 'the query must be a single SELECT statement');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, fp FROM docs FOR UPDATE', 0.8)$$, '22023', 'the query must not write or lock rows');
SELECT throws_ok($$SELECT near_duplicate_pairs('SELECT id, CASE id WHEN 9 THEN to_minhash128(''a'', hash => ''mmh3-x64-128'') ELSE fp END FROM docs', 0.8)$$, '22023',
	'cannot compare minhash128 values made with different configurations');
SELECT throws_ok($$SELECT connected_components('SELECT 1, 2, 3')$$, '42804', 'the query must return two columns, two ids, not 3');
SELECT throws_ok($$SELECT connected_components('SELECT 1, NULL::int')$$, '22004', 'the query returned an id that is null');
SELECT throws_ok($$SELECT connected_components(NULL)$$, '22004', 'query must not be null');

SELECT * FROM finish();
ROLLBACK;

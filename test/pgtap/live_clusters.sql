-- Clusters that stay current: what a user is promised
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(33);

CREATE TABLE docs (id int PRIMARY KEY, body text, score int, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
CREATE INDEX ON docs USING sketch (fp);
INSERT INTO docs VALUES (1, 'a text of some words, which others may copy', 3);
SELECT lives_ok($$CALL live_clusters_create('docs', 'id', 'fp', 0.7)$$, 'clusters are created');
SELECT lives_ok($$CALL live_clusters_create('docs', 'id', 'fp', 0.7, mode => 'star', priority => 'score', text => 'body', clusters => 'best')$$, 'and others of the same table');
SELECT columns_are('docs_clusters', ARRAY['id', 'cluster', 'size', 'number'], 'the view has the columns of the bulk function, and a number that stays');
SELECT columns_are('best', ARRAY['id', 'cluster', 'size', 'similarity', 'jaccard', 'containment', 'since', 'number'], 'that of stars has the evidence, too');
SELECT is_empty('TABLE docs_clusters', 'a row alone is in no cluster');
INSERT INTO docs VALUES (2, 'A text of some words, which others may copy.', 5), (3, 'another text, of other contents', 1);
SELECT bag_eq('SELECT id, cluster, size FROM docs_clusters', 'VALUES (1, 1, 2::bigint), (2, 1, 2)', 'a copy makes one, with a row that was there before');
SELECT bag_eq('SELECT id, cluster FROM best', 'VALUES (1, 2), (2, 2)', 'the priority says which row is kept');
SELECT results_eq($$SELECT kept, similarity, jaccard, priority, kept_priority, until FROM live_clusters_kept('docs', 1, 'best')$$, $$VALUES (2, 1::float8, 1::float8, 3::float8, 5::float8, NULL::timestamptz)$$, 'and why is told');
SELECT lives_ok($$CALL live_clusters_fill('docs', clusters => 'best')$$, 'existing rows are added');
SELECT is_empty($$SELECT * FROM live_clusters_check('docs', 'docs_clusters') UNION ALL SELECT * FROM live_clusters_check('docs', 'best')$$, 'nothing is wrong');
UPDATE docs SET score = 0 WHERE id = 2;
SELECT bag_eq('SELECT id, cluster FROM best', 'VALUES (1, 1), (2, 1)', 'another priority, another row');
DELETE FROM docs WHERE id = 1;
SELECT is_empty('TABLE docs_clusters', 'a cluster of one is none');
SELECT results_eq($$SELECT kept, until IS NULL FROM live_clusters_kept('docs', 2, 'best')$$, 'VALUES (1, false)', 'what was so is remembered');
SELECT lives_ok('TRUNCATE docs', 'the table can be emptied');

SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'fp')$$, '42P07', NULL, 'names are taken once');
SELECT throws_ok($$CALL live_clusters_create('docs', 'score', 'fp', clusters => 'x')$$, '42P10', NULL, 'the key is unique');
SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'body', clusters => 'x')$$, '42804', NULL, 'a text is no fingerprint');
SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'no', clusters => 'x')$$, '42703', NULL, 'an unknown column');
SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'fp', 2, clusters => 'x')$$, '22023', NULL, 'a threshold out of range');
SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'fp', clusters => 'x', max_distance => 2)$$, '22023', 'max_distance does not apply to minhash128', 'a distance is no threshold');
SELECT throws_ok($$CALL live_clusters_create('docs', 'id', 'fp', mode => 'x', clusters => 'x')$$, '22023', NULL, 'an unknown mode');
SELECT throws_ok($$CALL live_clusters_create('docs_clusters', 'id', 'fp')$$, '42809', NULL, 'a view');
SELECT throws_ok($$CALL live_clusters_fill('docs')$$, '42725', NULL, 'of which name?');
SELECT throws_ok($$CALL live_clusters_fill('docs', clusters => 'x')$$, '42704', NULL, 'an unknown name');
SELECT throws_ok($$SELECT live_clusters_kept('docs', 1, 'docs_clusters')$$, '22023', NULL, 'components keep no row for another');
SELECT throws_ok($$SELECT live_clusters_trigger()$$, '39P01', NULL, 'a call that is no trigger''s');
CALL live_clusters_drop('docs', 'best');
SELECT lives_ok($$CALL live_clusters_drop('docs')$$, 'they are dropped');
SELECT is_empty($$SELECT relname FROM pg_class WHERE relname ~ '^(docs_clusters|best)'$$, 'with all their tables');

-- the texts decide
CREATE TABLE signs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
CREATE INDEX ON signs USING sketch (fp);
SELECT lives_ok($$CALL live_clusters_create('signs', 'id', 'fp', 0.6, text => 'body', verify => 'lossless', guard => 'strict')$$, 'clusters of texts that say the same');
INSERT INTO signs VALUES (1, 'On this lawn the dogs of all visitors are permitted.'), (2, 'On this lawn the dogs of all visitors are not permitted.'), (3, 'On  this lawn the DOGS of all visitors are not permitted.');
SELECT results_eq($$SELECT id, cluster FROM signs_clusters ORDER BY id$$, $$VALUES (2, 2), (3, 2)$$, 'what contradicts is not linked');
UPDATE signs SET body = 'on this lawn the dogs of all visitors are permitted.' WHERE id = 3;
SELECT results_eq($$SELECT id, cluster FROM signs_clusters ORDER BY id$$, $$VALUES (1, 1), (3, 1)$$, 'a text that changes is decided again');
SELECT is_empty($$SELECT * FROM live_clusters_check('signs')$$, 'and the check knows it');
SELECT throws_ok($$CALL live_clusters_create('signs', 'id', 'fp', guard => 'strict', clusters => 'others')$$, '22023', NULL, 'a guard needs a text');

SELECT * FROM finish();
ROLLBACK;

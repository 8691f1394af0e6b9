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

-- a text where the text form of a hash is expected
SELECT 'the quick brown fox jumps over the lazy dog'::lavinhash;

-- a table that has been dropped
CALL live_clusters_create(4294967294::oid::regclass, 'id', 'fp');

-- decision rules that no function of this version made
CREATE FUNCTION refused_rule(changes jsonb) RETURNS float8 LANGUAGE sql AS $$
	SELECT decision_score('{"rule": "txtfp", "version": 1, "signals_version": 3, "intercept": 0, "terms": [], "trees": []}'::jsonb || changes,
		difference_signals('one', 'two')) $$;
SELECT refused_rule('{}');
SELECT refused_rule('{"rule": "other"}');
SELECT refused_rule('{"version": 2}');
SELECT refused_rule('{"terms": [{"signal": "edits", "of": "log", "center": 0, "scale": 0, "weight": 1}]}');
DO $$
DECLARE
	tree text := '0';
BEGIN
	FOR i IN 1 .. 100 LOOP
		tree := format('{"signal": "edits", "above": 1, "yes": %s, "no": 0}', tree);
	END LOOP;
	PERFORM refused_rule(jsonb_build_object('trees', jsonb_build_array(tree::jsonb)));
END $$;
DROP FUNCTION refused_rule;

-- a function of merge that belongs to somebody who has not the rights of the owner
CREATE ROLE regress_refused_owner;
CREATE ROLE regress_refused_other;
CREATE SCHEMA refused CREATE TABLE kept (id int, fp simhash64, seen int);
GRANT ALL ON SCHEMA refused TO regress_refused_owner, regress_refused_other;
ALTER TABLE refused.kept OWNER TO regress_refused_owner;
CREATE FUNCTION refused.merging(kept refused.kept, new refused.kept, similarity float8) RETURNS refused.kept LANGUAGE sql AS 'SELECT kept';
ALTER FUNCTION refused.merging OWNER TO regress_refused_other;
CREATE TRIGGER refused BEFORE INSERT ON refused.kept FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=refused.merging');
INSERT INTO refused.kept VALUES (1, '0'::bit(64)::simhash64, 1);
SET client_min_messages = warning;
DROP SCHEMA refused CASCADE;
DROP ROLE regress_refused_owner, regress_refused_other;

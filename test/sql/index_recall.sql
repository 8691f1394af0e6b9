-- fingerprint_index_recall
\set SHOW_CONTEXT never

-- 200 families of five texts, in which some words are replaced
CREATE TABLE docs AS SELECT id, body, to_minhash128(body) AS fp, to_minhash64(body) AS small, to_tlsh(body) AS t, to_simhash64(body) AS s, to_lavinhash(convert_to(body, 'UTF8')) AS l
FROM generate_series(1, 1000) AS id, LATERAL (SELECT string_agg('word' || CASE WHEN (k + id / 5) % 40 < id % 5 THEN id * 1000 + k ELSE id / 5 * 1000 + k END, ' ' ORDER BY k) AS body FROM generate_series(1, 120) AS k) AS made;
CREATE INDEX docs_fp ON docs USING gin (fp);
CREATE INDEX docs_partial ON docs USING gin (to_minhash64(body) minhash64_lsh_ops (bands = 8, rows = 4)) WHERE id % 2 = 0;
CREATE INDEX docs_t ON docs USING sketch (t);
CREATE INDEX docs_s ON docs USING gin (s);
CREATE INDEX docs_l ON docs USING gin (l);
SELECT rows, probes, expected > 100 AS some_expected, recall >= 0.97 AS found, promise FROM fingerprint_index_recall('docs_fp', 100, 0.7);
-- the same rows in another order: the same sample
CREATE TABLE turned AS SELECT fp FROM docs ORDER BY id DESC;
CREATE INDEX turned_fp ON turned USING gin (fp);
SELECT a.expected > 0 AS some, a = b AS same FROM fingerprint_index_recall('docs_fp', 50, 0.7) AS a, fingerprint_index_recall('turned_fp', 50, 0.7) AS b;
DROP TABLE turned;
SELECT rows, probes, expected = (SELECT count(*) FROM docs a JOIN docs b ON a.id <> b.id AND minhash_similar(a.fp, b.fp, 0.8)) AS all_expected, found <= expected AS found, recall = found::float8 / expected AS ratio FROM fingerprint_index_recall('docs_fp', 1000);
SELECT rows, probes, expected = (SELECT count(*) FROM docs a JOIN docs b ON a.id <> b.id AND minhash_similar(a.small, b.small, 0.85) WHERE a.id % 2 = 0 AND b.id % 2 = 0) AS all_expected, recall > 0.97 AS found FROM fingerprint_index_recall('docs_partial', 1000, 0.85);
SELECT rows, probes, recall > 0.9 AS found, promise FROM fingerprint_index_recall('docs_t', 50, max_distance => 40);
SELECT rows, probes, recall, promise FROM fingerprint_index_recall('docs_t', 50, max_distance => 100);
SELECT rows, probes, expected > 0 AS some_expected, recall, promise FROM fingerprint_index_recall('docs_s', 50);
SELECT rows, probes, recall > 0.97 AS found, promise FROM fingerprint_index_recall('docs_l', 50, min_score => 80);
SELECT rows, probes, expected, recall FROM fingerprint_index_recall('docs_t', 50, max_distance => 2000, nearest => 4);
SELECT fingerprint_index_recall('docs_s', 50, nearest => 4);
-- a threshold that the index cannot serve
SELECT recall, promise FROM fingerprint_index_recall('docs_fp', 5, 0.2);

-- An index with less recall than it promises: values that are similar and share no band
CREATE TABLE evil AS SELECT id, (substr(hex, 1, 16) || CASE id % 2 WHEN 0 THEN substr(hex, 17) ELSE (SELECT string_agg(CASE WHEN s < 64 AND s % 4 = 0 THEN lpad(to_hex(id), 16, 'a') ELSE substr(hex, 17 + 16 * s, 16) END, '' ORDER BY s) FROM generate_series(0, 127) AS s) END)::minhash128 AS fp
FROM generate_series(0, 199) AS id, LATERAL (SELECT encode(to_minhash128(('family ' || id / 2))::bytea, 'hex') AS hex) AS made;
CREATE INDEX evil_fp ON evil USING gin (fp);
SELECT * FROM fingerprint_index_recall('evil_fp', 1000, 0.8);
-- rows that are updated, deleted or not committed
UPDATE docs SET body = body WHERE id < 100;
DELETE FROM docs WHERE id > 900;
SELECT rows, probes, recall > 0.97 AS found FROM fingerprint_index_recall('docs_fp', 100, 0.8);
SELECT * FROM fingerprint_index_recall('docs_fp', 1, 1.0);
TRUNCATE docs;
SELECT * FROM fingerprint_index_recall('docs_fp');
SELECT fingerprint_index_recall(NULL) IS NULL AS null;

SELECT fingerprint_index_recall('docs_fp', 0);
SELECT fingerprint_index_recall('docs_fp', 10, 1.5);
SELECT fingerprint_index_recall('docs');
SELECT fingerprint_index_recall(0);
SELECT fingerprint_index_recall('docs_t', 10, 0.8);
SELECT fingerprint_index_recall('docs_fp', 10, max_distance => 7);
SELECT fingerprint_index_recall('docs_l', 10, min_score => 80, threshold => 0.8);
SELECT fingerprint_index_recall('pg_class_oid_index');
CREATE ROLE recall_test;
GRANT USAGE ON SCHEMA public TO recall_test;
SET ROLE recall_test;
SELECT fingerprint_index_recall('docs_fp');
RESET ROLE;
GRANT SELECT ON docs TO recall_test;
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
SET ROLE recall_test;
SELECT fingerprint_index_recall('docs_fp');
RESET ROLE;
REVOKE ALL ON SCHEMA public FROM recall_test;
REVOKE ALL ON docs FROM recall_test;
DROP ROLE recall_test;
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE INDEX parts_fp ON parts USING gin (fp);
SELECT fingerprint_index_recall('parts_fp');
-- The functions of an index expression are chosen by the table's owner and run with the owner's rights, not the caller's.
CREATE ROLE recall_owner;
CREATE FUNCTION traced(body text) RETURNS minhash128 IMMUTABLE LANGUAGE plpgsql SET search_path = public, txtfp, pg_catalog AS $$
BEGIN
	RAISE NOTICE 'evaluated as %', current_user;
	RETURN to_minhash128(body);
END $$;
CREATE TABLE owned (body text);
CREATE INDEX owned_fp ON owned USING gin (traced(body));
CREATE INDEX owned_sketch ON owned USING sketch (traced(body));
SET client_min_messages = warning;
INSERT INTO owned VALUES ('a row');
RESET client_min_messages;
ALTER TABLE owned OWNER TO recall_owner;
SELECT current_user <> 'recall_owner' AS "another user", rows FROM fingerprint_index_recall('owned_fp', 1);
SELECT sketch_check('owned_sketch', true);
SELECT current_user <> 'recall_owner' AS "another user";
DROP TABLE docs, evil, parts, owned;
DROP FUNCTION traced;
DROP ROLE recall_owner;

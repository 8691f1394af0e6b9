-- The extension itself: its function, columns and indexes that use it, and the errors without it.
\pset format unaligned
\pset tuples_only on

SELECT dictionary, tokenizers, edition, licence, checksum, installed, words, entries, bytes FROM txtfp_cjk_info();
SELECT extname, extversion FROM pg_extension WHERE extname LIKE 'txtfp%' ORDER BY 1;

-- a generated column, an index on an expression, a trigger's column: each in a process that has not loaded the extension yet
CREATE TABLE cjk_docs (
	id int PRIMARY KEY,
	body text NOT NULL,
	fp minhash64 GENERATED ALWAYS AS (to_minhash64(body, 'shingle-k=2/cjk-jieba')) STORED);
CREATE INDEX ON cjk_docs USING gin (fp minhash64_lsh_ops);
CREATE INDEX cjk_docs_words ON cjk_docs USING gin (tokenize(body, 'cjk-jieba'));
\c -
INSERT INTO cjk_docs VALUES (1, '他来到了网易杭研大厦'), (2, '我爱北京天安门'), (3, '我爱北京天安门。');
\c -
SET enable_seqscan = off;
SELECT id FROM cjk_docs WHERE tokenize(body, 'cjk-jieba') @> ARRAY['北京'] ORDER BY id;
SELECT id FROM cjk_docs WHERE minhash_similar(fp, to_minhash64('我爱北京天安门', 'shingle-k=2/cjk-jieba'), 0.5) ORDER BY id;
RESET enable_seqscan;

-- parallel workers
\c -
CREATE TABLE cjk_many AS SELECT i, '第' || i || '次来到北京天安门' AS body FROM generate_series(1, 3000) i;
ALTER TABLE cjk_many SET (parallel_workers = 2);
ANALYZE cjk_many;
\c -
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(*) FROM cjk_many WHERE cardinality(tokenize(body, 'cjk-jieba')) > 5;
SELECT count(*) FROM cjk_many WHERE cardinality(tokenize(body, 'cjk-jieba')) > 5;
\c -
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM cjk_many WHERE cardinality(tokenize(body, 'cjk-jieba')) > 5;

-- wrong names
SELECT tokenize('x', 'cjk-Jieba');
SELECT tokenize('x', 'cjk-lindera');

-- what depends on the extension keeps it
CREATE TABLE cjk_kept (body text, fp minhash64 GENERATED ALWAYS AS (to_minhash64(body, cjk_tokenizer('shingle-k=2/cjk-jieba'))) STORED);
CREATE INDEX cjk_kept_words ON cjk_kept USING gin (tokenize(body, cjk_tokenizer('cjk-jieba')));
INSERT INTO cjk_kept VALUES ('我爱北京天安门');
SELECT fp = to_minhash64(body, 'shingle-k=2/cjk-jieba') FROM cjk_kept;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT body FROM cjk_kept WHERE tokenize(body, 'cjk-jieba') @> ARRAY['北京'];
RESET enable_seqscan;
DROP EXTENSION txtfp_cjk;
DROP TABLE cjk_kept;

-- what does not depend on it, because it has only a name, is told to whom creates it: each object once, by every command
CREATE TABLE cjk_named (body text, language text DEFAULT 'cjk-jieba', words text[] DEFAULT tokenize('', 'cjk-jieba-hmm'), CONSTRAINT short CHECK (cardinality(tokenize(body, 'cjk-lindera-ko-dic')) < 100));
ALTER TABLE cjk_named ADD other minhash64 GENERATED ALWAYS AS (to_minhash64(body, 'shingle-k=2/shingle-k=2/cjk-lindera-ipadic')) STORED;
ALTER TABLE cjk_named ADD plain minhash64 GENERATED ALWAYS AS (to_minhash64(body, 'shingle-k=2/word-uax29')) STORED, ADD mark text DEFAULT 'cjk-jieba';
CREATE INDEX cjk_named_words ON cjk_named USING gin (tokenize(body, 'cjk-jieba'));
CREATE INDEX CONCURRENTLY cjk_named_some ON cjk_named (language) WHERE tokenize(body, 'cjk-jieba') <> '{}';
CREATE INDEX ON cjk_named (language) WHERE language = 'cjk-jieba';
CREATE VIEW cjk_named_view AS SELECT tokenize(body, 'cjk-jieba') FROM cjk_named;
CREATE VIEW cjk_kept_view AS SELECT tokenize(body, cjk_tokenizer('cjk-jieba')) FROM cjk_named;
CREATE TRIGGER cjk_named_trigger BEFORE INSERT ON cjk_named FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'other', 'tokenizer=shingle-k=2/cjk-jieba');
-- also in a function, and to a user without rights in a schema that has other operators and functions of these names
CREATE ROLE cjk_user;
CREATE SCHEMA cjk_traps AUTHORIZATION cjk_user;
SET ROLE cjk_user;
CREATE FUNCTION cjk_traps.age(xid) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'trap'; END $$;
CREATE FUNCTION cjk_traps.equal(oid, oid) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE 'trap'; END $$;
CREATE OPERATOR cjk_traps.= (FUNCTION = cjk_traps.equal, LEFTARG = oid, RIGHTARG = oid);
SELECT set_config('search_path', 'cjk_traps, pg_catalog, ' || current_setting('search_path'), false) <> '' AS set;
DO $$ BEGIN CREATE TEMP TABLE cjk_temporary (body text, fp minhash64 GENERATED ALWAYS AS (to_minhash64(body, 'cjk-jieba')) STORED); END $$;
RESET search_path;
RESET ROLE;
DROP TABLE cjk_named CASCADE;
DROP OWNED BY cjk_user;
DROP ROLE cjk_user;
SELECT cjk_tokenizer('cjk-jieba'), cjk_tokenizer('shingle-k=3/shingle-k=2/cjk-lindera-ko-dic'), cjk_tokenizer(NULL) IS NULL;
SELECT cjk_tokenizer('word-uax29');
SELECT cjk_tokenizer(repeat('京', 1000));
SELECT cjk_tokenizer('');

-- without the extension
DROP EXTENSION txtfp_cjk;
\c -
SELECT tokenize('我爱北京', 'cjk-jieba');
SELECT to_minhash128('我爱北京', 'shingle-k=5/cjk-lindera-ipadic');
INSERT INTO cjk_docs VALUES (4, '北京');
SELECT tokenize('still there', 'word-uax29');
CREATE EXTENSION txtfp_cjk;
SELECT tokenize('我爱北京', 'cjk-jieba');
INSERT INTO cjk_docs VALUES (4, '北京');
DROP TABLE cjk_docs, cjk_many;

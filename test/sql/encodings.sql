-- Databases of other encodings: the same fingerprints
\set SHOW_CONTEXT never
\pset format unaligned
SET client_encoding = 'UTF8';
SELECT current_database() AS home \gset

-- Returns the error that a statement raises.
\set error_of 'CREATE FUNCTION error_of(statement text, OUT state text, OUT message text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; state := ''00000''; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT; END $$;'
-- Texts that Latin-1 can represent, and their fingerprints of every kind
\set latin 'CREATE VIEW latin AS SELECT n, doc, md5(to_minhash128(doc)::bytea) AS fingerprint, md5(to_minhash64(doc, ''shingle-k=2/grapheme-uax29'', ''nfc-cf-none'', ''mmh3-x64-128'', 42)::bytea) AS graphemes, md5(to_minhash256(ARRAY[doc, upper(''a'')])::bytea) AS tokens FROM (VALUES (1, ''plain ASCII text''), (2, U&''Caf\\00E9 M\\00FCller, Stra\\00DFe 7''), (3, U&''\\00C5NGSTR\\00D6M \\00C6ON''), (4, U&''\\00BD e\\00B2 \\00A8''), (5, U&''\\00AB\\00A0soft\\00ADhyphen \\00B5\\00A0\\00BB'')) AS t(n, doc);'
-- ... and Japanese ones: full width, half width, Cyrillic and Greek are in EUC_JP too
\set japanese 'CREATE VIEW japanese AS SELECT n, doc, md5(to_minhash128(doc)::bytea) AS fingerprint, md5(to_minhash64(doc, ''shingle-k=2/grapheme-uax29'', ''nfc-cf-none'', ''mmh3-x64-128'', 42)::bytea) AS graphemes, md5(to_minhash256(ARRAY[doc, upper(''a'')])::bytea) AS tokens FROM (VALUES (1, ''plain ASCII text''), (2, U&''\\65E5\\672C\\8A9E\\306E\\30C6\\30AD\\30B9\\30C8\\3001\\6F22\\5B57\\3002''), (3, U&''\\FF21\\FF22\\FF23 \\FF76\\FF9E\\FF85''), (4, U&''\\0401\\041B\\041A\\0410 \\03A3\\0391\\03A3''), (5, U&''\\00E9t\\00E9 \\00DF'')) AS t(n, doc);'

-- UTF8

CREATE DATABASE regression_txtfp_utf8 TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C';
\c regression_txtfp_utf8
SET client_encoding = 'UTF8';
CREATE EXTENSION txtfp;
:latin
:japanese
:error_of
SELECT getdatabaseencoding(), * FROM latin ORDER BY n;
-- the table, and the fingerprints weighted by it, equal those of the other encodings below
SELECT simhash_idf_agg(doc, 'word-uax29') AS idf FROM latin \gset
SELECT count(*) AS docs, count(DISTINCT to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => :'idf')) AS values, md5(string_agg(to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => :'idf')::text, ' ' ORDER BY n)) FROM latin;
SELECT to_simhash64(U&'\00B5 \00B5 a', 'word-uax29', weighting => 'idf', idf => '{"\\u{3bc}": 7, "a": 2}') = to_simhash64(U&'\00B5 a', 'word-uax29', weighting => 'idf', idf => '{"μ": 14, "a": 2}'::jsonb) AS "is used";
SELECT simhash_idf_agg('\u{41} \u41', 'shingle-k=6/grapheme-uax29', 'none-cf-none');
SELECT getdatabaseencoding(), * FROM japanese ORDER BY n;
\c :home
DROP DATABASE regression_txtfp_utf8;

-- LATIN1

CREATE DATABASE regression_txtfp_latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C';
\c regression_txtfp_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION txtfp;
:latin
:error_of
SELECT getdatabaseencoding(), * FROM latin ORDER BY n;
SELECT n, canonicalize(doc) FROM latin WHERE n < 4 ORDER BY n;
SELECT n, tokenize(doc) FROM latin ORDER BY n;
SELECT tokenize(U&'\00C9t\00E9', 'shingle-k=2/grapheme-uax29');
-- chunks, and the name of a model in text, binary (in the client's encoding) and jsonb
SELECT chunk_for_model(U&'Caf\00E9 un. \00C9t\00E9 deux. M\00FCller trois.', 5, 0), chunk_for_model(U&'Caf\00E9 un. \00C9t\00E9 deux. M\00FCller trois.', 3, 2, 'fixed');
SELECT e, e::jsonb, _embedding_send(e), embedding_model(e) FROM to_embedding('{1,2}', U&'mod\00E8le') AS e;
-- a result that Latin-1 cannot hold
SELECT canonicalize(U&'\00BD');
SELECT (error_of(format('SELECT canonicalize(%L)', doc))).* FROM unnest(ARRAY[U&'\00BD', U&'x\00A8', U&'\00B5']) AS doc;
SELECT (error_of($$SELECT tokenize(canonicalize(U&'1\00BD'))$$)).*, (error_of($$SELECT canonicalize(U&'caf\00E9', 'nfkc-cf-simple-conf')$$)).*;
SELECT tokenize(U&'1\00BD'), canonicalize(U&'\00BD', 'nfc-cf-simple');
-- messages are in the encoding of the database
SELECT to_minhash128('a', U&'w\00F6rter');
SELECT canonicalize('a', U&'f\00FCr');
SELECT to_minhash64('a', hash => U&'\00DF');
SELECT to_minhash64('a', U&'shingle-k=0/\00E4');
SELECT U&'\00E4\00F6\00FC'::minhash64;
-- an IDF table writes tokens that Latin-1 cannot represent as \u{...}, and reads them back
SELECT simhash_idf_agg(doc, 'word-uax29') AS idf FROM latin \gset
SELECT :'idf';
SELECT count(*) AS docs, count(DISTINCT to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => :'idf')) AS values, md5(string_agg(to_simhash64(doc, 'word-uax29', weighting => 'idf', idf => :'idf')::text, ' ' ORDER BY n)) FROM latin;
SELECT to_simhash64(U&'\00B5 \00B5 a', 'word-uax29', weighting => 'idf', idf => '{"\\u{3bc}": 7, "a": 2}') = to_simhash64(U&'\00B5 a', 'word-uax29', weighting => 'idf', idf => '{"\\u{3bc}": 14, "a": 2}') AS "is used";
CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED);
INSERT INTO docs SELECT i, format(U&'\00E4hnliche Texte \00FCber %s', repeat(chr(192 + i) || ' ', i)) FROM generate_series(1, 20) AS i;
CREATE INDEX ON docs USING gin (fp);
SET enable_seqscan = off;
SELECT id, body FROM docs WHERE fp % to_minhash128(U&'\00C4HNLICHE Texte, \00FCber \00C4', 'word-uax29') ORDER BY id;
\c :home
DROP DATABASE regression_txtfp_latin1;

-- EUC_JP

CREATE DATABASE regression_txtfp_euc_jp TEMPLATE template0 ENCODING 'EUC_JP' LOCALE_PROVIDER libc LOCALE 'C';
\c regression_txtfp_euc_jp
SET client_encoding = 'UTF8';
CREATE EXTENSION txtfp;
:japanese
:error_of
SELECT getdatabaseencoding(), * FROM japanese ORDER BY n;
SELECT n, canonicalize(doc), tokenize(doc) FROM japanese ORDER BY n;
SELECT (error_of(format('SELECT canonicalize(%L)', doc))).* FROM unnest(ARRAY[U&'\00A8', U&'\0130']) AS doc;
SELECT tokenize(U&'\65E5\672C', 'grapheme-uax29'), to_minhash128(U&'\3001\3002') AS punctuation;
SELECT chunk_for_model(U&'\65E5\672C\8A9E\3002\6F22\5B57\3002', 4, 0), _embedding_send(to_embedding('{1}', U&'\8A9E'));
SELECT to_minhash128('a', U&'\8A9E');
SELECT ('a' || repeat(U&'\65E5\672C\8A9E', 11))::minhash64; -- cut between characters
\c :home
DROP DATABASE regression_txtfp_euc_jp;

-- SQL_ASCII: bytes of unknown meaning, taken as UTF-8

CREATE DATABASE regression_txtfp_sql_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C';
\c regression_txtfp_sql_ascii
CREATE EXTENSION txtfp;
:error_of
SELECT getdatabaseencoding(), md5(to_minhash128('plain ASCII text')::bytea) AS ascii, md5(to_minhash128(E'Caf\xc3\xa9 M\xc3\xbcller, Stra\xc3\x9fe 7')::bytea) AS latin,
	md5(to_minhash128(E'\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\xe3\x80\x81\xe6\xbc\xa2\xe5\xad\x97\xe3\x80\x82')::bytea) AS japanese;
SELECT canonicalize(E'STRA\xc3\x9fE')::bytea, canonicalize(E'\xc2\xbd')::bytea, tokenize(E'\xc3\xa9t\xc3\xa9 x')::text::bytea;
SELECT to_minhash128(E'caf\xe9');
SELECT doc, (error_of(format('SELECT to_minhash128(%s)', doc))).*
FROM (VALUES ($$E'\xff'$$), ($$E'a\xc3'$$), ($$E'\xc3('$$), ($$E'\x80'$$), ($$E'\xc0\x80'$$), ($$E'\xe2\x82'$$), ($$E'\xed\xa0\x80'$$), ($$E'\xf4\x90\x80\x80'$$), ($$E'\xf8\x88\x80\x80\x80'$$), ($$repeat('a', 100000) || E'\xff'$$)) AS t(doc);
SELECT (error_of(format($$SELECT %s$$, call))).state, call
FROM (VALUES ($$canonicalize(E'\xff')$$), ($$canonicalize('a', E'\xff')$$), ($$tokenize(E'\xff')$$), ($$tokenize('a', E'\xff')$$), ($$to_minhash64(ARRAY['a', E'\xff'])$$),
	($$to_minhash256('a', hash => E'\xff')$$), ($$to_minhash64(E'\xff', 'grapheme-uax29', 'none-cf-none')$$), ($$E'\xff'::minhash64$$)) AS t(call);
\c :home
DROP DATABASE regression_txtfp_sql_ascii;

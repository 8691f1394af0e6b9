-- tlsh: forms, casts, comparison, construction, distance
\set SHOW_CONTEXT never
SET jit = off;
SELECT amname, opcname, amvalidate(pg_opclass.oid) AS valid
FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE opcname LIKE 'tlsh%' ORDER BY opcname COLLATE "C";

-- Text form
SELECT v::tlsh FROM (VALUES ('T14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'), ('4a90024954691e114404124180d942c1450f8423775ade1510211420456593621a8173'), ('T1' || repeat('0', 70)), ('T1' || repeat('f', 70))) AS t(v);
SELECT ''::tlsh;
SELECT 'TNULL'::tlsh;
SELECT 'T14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A817'::tlsh;
SELECT 'T14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A81733'::tlsh;
SELECT 't14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::tlsh;
SELECT 'T24A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::tlsh;
SELECT 'T14A90024954691E114404124180G942C1450F8423775ADE1510211420456593621A8173'::tlsh;
SELECT '4A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A817x'::tlsh;
SELECT ' A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::tlsh;
SELECT 'T14A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173 '::tlsh;
SELECT repeat('é', 40)::tlsh;
-- Casts and binary form
SELECT '4A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::tlsh::bytea AS bytes;
SELECT '\x4A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::bytea::tlsh AS from_bytes;
SELECT '\x4A90'::bytea::tlsh;
SELECT ''::bytea::tlsh;
SELECT encode(_tlsh_send('4A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'), 'hex') AS binary;
-- Order and equality
CREATE TABLE digests (n int, fp tlsh);
INSERT INTO digests SELECT n, fp::tlsh FROM (VALUES (1, repeat('0', 70)), (2, '7' || repeat('f', 69)), (3, '8' || repeat('0', 69)), (4, repeat('F', 70)), (5, NULL), (6, repeat('0', 70))) AS t(n, fp);
SELECT fp, count(*) FROM digests GROUP BY fp ORDER BY fp;
SELECT a.n, b.n, a.fp = b.fp AS eq, a.fp <> b.fp AS ne, a.fp < b.fp AS lt, a.fp <= b.fp AS le, a.fp > b.fp AS gt, a.fp >= b.fp AS ge, _tlsh_cmp(a.fp, b.fp) AS cmp
FROM digests a, digests b WHERE (a.n, b.n) IN ((1, 6), (2, 3), (4, 1), (1, 5)) ORDER BY 1, 2;
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT a.n, b.n FROM digests a JOIN digests b USING (fp) ORDER BY 1, 2;
SET enable_hashjoin = on; SET enable_mergejoin = off;
SELECT a.n, b.n FROM digests a JOIN digests b USING (fp) ORDER BY 1, 2;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop;
SELECT _tlsh_hash(a.fp) = _tlsh_hash(b.fp) AS equal_hash, _tlsh_hash_extended(a.fp, 7) = _tlsh_hash_extended(b.fp, 7) AS equal_extended, _tlsh_hash_extended(a.fp, 7) = _tlsh_hash_extended(b.fp, 8) AS seed_counts
FROM digests a, digests b WHERE a.n = 1 AND b.n = 6;
CREATE UNIQUE INDEX ON digests (fp) WHERE n < 6;
INSERT INTO digests VALUES (0, repeat('f', 70)::tlsh);
-- COPY, text and binary
CREATE TABLE back (n int, fp tlsh);
\copy digests TO 'results/tlsh.copy'
\copy back FROM 'results/tlsh.copy'
\copy digests TO 'results/tlsh.copy' WITH (FORMAT binary)
\copy back FROM 'results/tlsh.copy' WITH (FORMAT binary)
SELECT count(*) FROM digests JOIN back USING (n) WHERE digests.fp IS NOT DISTINCT FROM back.fp;
-- ... but not 34 or 36 bytes
CREATE TABLE one (fp tlsh);
\set VERBOSITY sqlstate
\copy (SELECT decode(repeat('00', 34), 'hex')) TO 'results/tlsh.copy' WITH (FORMAT binary)
\copy one FROM 'results/tlsh.copy' WITH (FORMAT binary)
\copy (SELECT decode(repeat('00', 36), 'hex')) TO 'results/tlsh.copy' WITH (FORMAT binary)
\copy one FROM 'results/tlsh.copy' WITH (FORMAT binary)
-- a probe with a distance of 2474
CREATE TABLE probe (p tlsh_probe);
\copy (SELECT decode(repeat('00', 35) || '000009aa', 'hex')) TO 'results/tlsh.copy' WITH (FORMAT binary)
\copy probe FROM 'results/tlsh.copy' WITH (FORMAT binary)
\set VERBOSITY default
\copy (SELECT decode(repeat('00', 35) || '000009a9', 'hex')) TO 'results/tlsh.copy' WITH (FORMAT binary)
\copy probe FROM 'results/tlsh.copy' WITH (FORMAT binary)
SELECT * FROM probe;

-- Construction
SELECT to_tlsh('Lovak won the squad prize cup for sixty big jumps.', 'none-cf-none') AS text, to_tlsh('Lovak won the squad prize cup for sixty big jumps.'::bytea) AS bytes;
SELECT to_tlsh('LOVAK won the squad prize cup for sixty big jumps.') = to_tlsh('lovak won the squad prize cup for sixty big jumps.') AS folded,
	to_tlsh('LOVAK won the squad prize cup for sixty big jumps.') = to_tlsh('lovak won the squad prize cup for sixty big jumps.'::bytea) AS canonical_bytes,
	to_tlsh('LOVAK won the squad prize cup for sixty big jumps.', 'nfc-cf-none') = to_tlsh('LOVAK won the squad prize cup for sixty big jumps.'::bytea) AS not_folded;
-- canonical text is processed in pieces
SELECT n, to_tlsh(doc) = to_tlsh(convert_to(canonicalize(doc), 'UTF8')) AS as_of_the_whole FROM (SELECT n, string_agg(md5(i::text) || 'ÄÖÜ ﬁ' || chr(769), ' ') AS doc FROM (VALUES (3), (800), (20000)) AS sizes(n), generate_series(1, n) AS i GROUP BY n) AS docs ORDER BY n;
-- 49, 50, 51 bytes; characters that the canonical form drops do not count
SELECT n, to_tlsh(left(doc, n)) IS NULL AS none, tlsh_reason(left(doc, n)) AS text, tlsh_reason(left(doc, n)::bytea) AS bytes FROM (VALUES ('Lovak won the squad prize cup for sixty big jumps. ')) AS t(doc), unnest('{0,1,49,50,51}'::int[]) AS n;
SELECT tlsh_reason(doc) AS text, tlsh_reason(doc, 'nfkc-cf-simple') AS with_format_controls, octet_length(doc) AS bytes FROM (VALUES ('Lovak won the squad prize cup for sixty big jum' || chr(8203))) AS t(doc);
SELECT to_tlsh(repeat('a', 1000)) IS NULL AS none, tlsh_reason(repeat('a', 1000)) AS text, tlsh_reason(repeat('a', 1000)::bytea) AS bytes, tlsh_reason(decode(repeat('00', 60), 'hex')) AS nul;
SELECT to_tlsh(NULL::text), to_tlsh(NULL::bytea), to_tlsh('a', NULL), tlsh_reason(NULL::text), tlsh_reason(NULL::bytea);
SELECT to_tlsh('a', 'nfd');
SELECT tlsh_reason('a', 'nfd');
-- the canonicalizer may change from row to row
SELECT c, to_tlsh('LOVAK won the squad prize cup for sixty big jumps.', c) FROM unnest('{nfc-cf-none,nfc-cf-simple,nfc-cf-none}'::text[]) AS c;
CREATE FUNCTION folded(c text) RETURNS tlsh LANGUAGE plpgsql AS $$ BEGIN RETURN to_tlsh('LOVAK won the squad prize cup for sixty big jumps.', c); END $$;
SELECT folded('nfc-cf-simple') = to_tlsh('lovak won the squad prize cup for sixty big jumps.') AS simple, folded('nfc-cf-none') = to_tlsh('lovak won the squad prize cup for sixty big jumps.') AS none;
DROP FUNCTION folded;
-- A table keeps rows without a digest.
CREATE TABLE docs (body text, fp tlsh GENERATED ALWAYS AS (to_tlsh(body)) STORED);
INSERT INTO docs VALUES (NULL), (''), ('short'), ('Lovak won the squad prize cup for sixty big jumps.');
SELECT body, fp IS NULL AS none, tlsh_reason(body) FROM docs;
-- Toasted, compressed and not
CREATE TABLE files (data bytea);
INSERT INTO files SELECT convert_to(string_agg(md5(i::text), ''), 'UTF8') FROM generate_series(1, 20000) AS i;
ALTER TABLE files ALTER data SET STORAGE external;
INSERT INTO files SELECT data || ''::bytea FROM files;
SELECT DISTINCT to_tlsh(data) FROM files;

-- Distance
SELECT a.n, b.n, tlsh_distance(a.fp, b.fp), tlsh_distance(a.fp, b.fp, false) AS without_length, a.fp <~> b.fp AS operator, b.fp <~> a.fp AS commuted
FROM digests a, digests b WHERE a.n <= b.n AND a.n < 5 AND b.n < 6 ORDER BY 1, 2;
SELECT tlsh_distance(a, b), tlsh_distance(a, b, with_length => false) AS without_length FROM (SELECT to_tlsh('Lovak won the squad prize cup for sixty big jumps.'), to_tlsh('Lovak won the squad price cup for sixty big jumps, and more of them.')) AS t(a, b);
SELECT (tlsh_header(fp)).* FROM (VALUES ('4A90024954691E114404124180D942C1450F8423775ADE1510211420456593621A8173'::tlsh), (repeat('F', 70)::tlsh)) AS t(fp);
SELECT tlsh_similar(a, b, 105) AS yes, tlsh_similar(a, b, tlsh_distance(a, b)) AS just, tlsh_similar(a, b, tlsh_distance(a, b) - 1) AS not_quite, tlsh_similar(a, b, 2473) AS all, tlsh_similar(a, a, 0) AS equal, tlsh_similar(a, b, 0) AS different
FROM (SELECT to_tlsh('Lovak won the squad prize cup for sixty big jumps.'), to_tlsh('Lovak won the squad price cup for sixty big jumps, and more of them.')) AS t(a, b);
SELECT tlsh_similar(fp, fp, -1) FROM digests;
SELECT tlsh_similar(fp, fp, 2474) FROM digests;
SELECT tlsh_similar(NULL, fp, 1), fp % NULL::tlsh AS operator, fp <~> NULL AS distance FROM digests WHERE n = 1;
SHOW txtfp.tlsh_threshold;
SELECT a % b AS at_40, tlsh_distance(a, b) FROM (VALUES (repeat('0', 70)::tlsh, ('000000' || repeat('0', 54) || repeat('5', 10))::tlsh), (repeat('0', 70)::tlsh, (repeat('0', 54) || repeat('5', 16))::tlsh), (repeat('0', 70)::tlsh, (repeat('0', 49) || repeat('5', 21))::tlsh)) AS t(a, b);
SET txtfp.tlsh_threshold = 42;
SELECT a % b AS at_42, tlsh_distance(a, b) FROM (VALUES (repeat('0', 70)::tlsh, (repeat('0', 49) || repeat('5', 21))::tlsh)) AS t(a, b);
SET txtfp.tlsh_threshold = -1;
SET txtfp.tlsh_threshold = 2474;
RESET txtfp.tlsh_threshold;
-- Probes
SELECT p, encode(_tlsh_probe_send(p), 'hex') AS binary FROM (VALUES (_to_tlsh_probe(repeat('0', 70)::tlsh, 2473)), ((repeat('f', 70) || '/0')::tlsh_probe), (_to_tlsh_probe(repeat('0', 70)::tlsh))) AS t(p);
SELECT _to_tlsh_probe(repeat('0', 70)::tlsh, 2474);
SELECT ''::tlsh_probe;
SELECT repeat('0', 70)::tlsh_probe;
SELECT (repeat('0', 70) || '/')::tlsh_probe;
SELECT (repeat('0', 70) || '/-1')::tlsh_probe;
SELECT (repeat('0', 70) || '/2474')::tlsh_probe;
SELECT (repeat('0', 70) || '/99999999999')::tlsh_probe;
SELECT (repeat('0', 70) || '/1 ')::tlsh_probe;
SELECT (repeat('0', 69) || '/1')::tlsh_probe;
SELECT repeat('0', 70)::tlsh % _to_tlsh_probe((repeat('0', 60) || repeat('5', 10))::tlsh, 20) AS twenty, repeat('0', 70)::tlsh % _to_tlsh_probe((repeat('0', 60) || repeat('5', 10))::tlsh, 19) AS nineteen;
DROP TABLE digests, back, one, probe, docs, files;

-- review_page: the page on which a person decides about planned removals
CREATE TABLE reviewed (id bigint PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO reviewed (id, body) SELECT i, 'The report of the year ' || 1990 + i || ' about the harbour of the town has been read by all members of the council, who agreed with it in every point but one that matters here and there' FROM generate_series(1, 6) AS i;
INSERT INTO reviewed (id, body) VALUES (7, 'a</script><script>alert(1)</script> b'), (8, 'a</script><script>alert(1)</script> B');
CREATE VIEW removals AS SELECT d.*, a.body AS text, b.body AS kept_text
FROM deduplicate('SELECT id, fp, body FROM reviewed', 0.6, verify => 'jaccard', guard => 'number', signals => true) AS d
	JOIN reviewed AS a ON a.id = d.id JOIN reviewed AS b ON b.id = d.kept;
-- an element of the page as json
CREATE FUNCTION part(page text, id text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT substring(page FROM '<script type="application/json" id="' || id || '">(.*?)</script>')::jsonb $$;

SELECT outcome, reason, count(*) FROM removals GROUP BY 1, 2 ORDER BY 1, 2;
CREATE TABLE pages AS SELECT review_page('SELECT * FROM removals', 'A <title> & more') AS page;
SELECT part(page, 'page')->'planned' AS planned, part(page, 'page')->'reasons' AS reasons, part(page, 'page')->'strata' AS strata, part(page, 'page')->>'title' AS title, part(page, 'page')->>'id_type' AS id_type, part(page, 'page')->'more' AS more FROM pages;
SELECT pair->>0 AS id, pair->>1 AS kept, pair->2 AS outcome, pair->3 AS reason, pair->9 AS length, pair->11 AS kinds FROM pages, jsonb_array_elements(part(page, 'pairs')) AS pair ORDER BY 1;
SELECT jsonb_array_length(part(page, 'clusters')) AS clusters, part(page, 'clusters')->0->3 AS rows FROM pages;
SELECT part(page, 'block-0')->0 AS texts FROM pages;
SELECT page LIKE '%<title>A &#60;title&#62; &#38; more</title>%' AS title, page LIKE '%alert(1)</%' AS breakout, page ~ 'default-src ''none''; script-src ''sha256-[A-Za-z0-9+/]{43}=''; style-src ''sha256-' AS policy FROM pages;
-- the hashes of the policy are those of script and style
SELECT substring(page FROM 'script-src ''sha256-([^'']*)') = encode(sha256(convert_to(substring(page FROM '<script>(.*)</script>\n</body>'), 'UTF8')), 'base64') AS script,
	substring(page FROM 'style-src ''sha256-([^'']*)') = encode(sha256(convert_to(substring(page FROM '<style>(.*?)</style>'), 'UTF8')), 'base64') AS style FROM pages;
-- the same page whatever the order of the rows and the texts of other sessions
SELECT page = review_page('SELECT * FROM removals ORDER BY id DESC', 'A <title> & more') AS same FROM pages;

-- a sample of a sample, labels, further columns, ids of other types
SELECT part(page, 'page')->'strata' AS strata, part(page, 'page')->'more' AS more, part(page, 'pairs')->0->5 AS verdict, part(page, 'pairs')->0->12 AS further
FROM review_page($$SELECT 'a'::text AS id, 'b'::varchar AS kept, 'x y'::text AS text, 'x z'::text AS kept_text, '1 of 1: 70 rows' AS stratum, 'variant' AS verdict, 0.5::float8 AS score, 7 AS further, NULL::date AS day$$) AS page;
SELECT part(page, 'page')->'planned' AS planned, part(page, 'page')->'shown' AS shown, part(page, 'page')->'strata' AS strata, jsonb_array_length(part(page, 'pairs')) AS pairs, part(page, 'page')->>'ranked_by' AS ranked_by
FROM review_page($$SELECT i AS id, i + 1000 AS kept, 'text ' || i AS text, 'text ' || i + 1 AS kept_text, (i % 100) / 100.0 AS jaccard FROM generate_series(1, 1000) AS i$$, pairs => 40) AS page;
SELECT part(page, 'pairs') AS pairs, part(page, 'page')->'strata' AS strata FROM review_page('SELECT 1 AS id, 2 AS kept, ''''::text AS text, ''''::text AS kept_text WHERE false') AS page;
-- what the client cannot show is written as escapes
SET client_encoding = 'latin1';
SELECT review_page($$SELECT 1 AS id, 2 AS kept, U&'\6F22 \+01F600'::text AS text, ''::text AS kept_text$$) ~ '\\u6f22 \\ud83d\\ude00' AS escaped;
RESET client_encoding;

SELECT review_page(NULL);
SELECT review_page('SELECT 1', title => NULL);
SELECT review_page('SELECT 1', pairs => NULL);
SELECT review_page('SELECT 1', seed => NULL);
SELECT review_page('SELECT 1', pairs => 0);
SELECT review_page('SELECT 1', pairs => 100001);
SELECT review_page('DELETE FROM reviewed');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text');
SELECT review_page('SELECT 1 AS id, 2 AS kept, 3 AS text, ''x''::text AS kept_text');
SELECT review_page('SELECT 1 AS id, 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text');
SELECT review_page('SELECT NULL::int AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text');
SELECT review_page('SELECT 1 AS id, 2 AS kept, NULL::text AS text, ''x''::text AS kept_text');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, ''drop''::text AS outcome');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, ''maybe''::text AS verdict');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, 1 AS verdict');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, ''low''::text AS stratum');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, ''1''::text AS jaccard');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, ''{}''::jsonb AS signals');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, 1.5 AS neighbours');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, -1 AS kept_neighbours');
SELECT review_page('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, 1 AS c1, 1 AS c2, 1 AS c3, 1 AS c4, 1 AS c5, 1 AS c6, 1 AS c7, 1 AS c8, 1 AS c9, 1 AS c10, 1 AS c11, 1 AS c12, 1 AS c13');
-- a type of a user with the same names: its values are pointers, which must not be read as numbers
DO $$ BEGIN
	EXECUTE (SELECT format('CREATE TYPE lookalike AS (%s); CREATE TYPE alike AS (%s)', string_agg(attname || CASE attnum WHEN 1 THEN ' integer' ELSE ' text' END, ', ' ORDER BY attnum),
		string_agg(attname || CASE attnum WHEN 1 THEN ' integer' ELSE ' double precision' END, ', ' ORDER BY attnum)) FROM pg_attribute WHERE attrelid = 'difference_signals'::regclass AND attnum > 0);
END $$;
CREATE DOMAIN signals_domain AS difference_signals;
CREATE FUNCTION page_of(signals text) RETURNS text LANGUAGE sql AS $$
	SELECT review_page(format('SELECT 1 AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text, %s AS signals', signals)) $$;
SELECT page_of('jsonb_populate_record(NULL::lookalike, to_jsonb(difference_signals(''a'', ''b'')))');
SELECT decision_rule('SELECT true, jsonb_populate_record(NULL::lookalike, to_jsonb(difference_signals(''a'', ''b'')))');
SELECT page_of('jsonb_populate_record(NULL::alike, to_jsonb(difference_signals(''a'', ''b'')))') = page_of('difference_signals(''a'', ''b'')') AS same,
	page_of('difference_signals(''a'', ''b'')::signals_domain') = page_of('difference_signals(''a'', ''b'')') AS of_a_domain;
SELECT decision_rule('SELECT true, difference_signals(''a'', ''b'')::signals_domain');
-- strata that are none, ids and titles that are too long
CREATE FUNCTION page_of_id(id text, title text DEFAULT '') RETURNS boolean LANGUAGE sql AS $$
	SELECT review_page(format('SELECT %s AS id, 2 AS kept, ''x''::text AS text, ''x''::text AS kept_text', id), title) LIKE '%</html>%' $$;
SELECT page_of_id('repeat(''<'', 1048576)', repeat('<', 1048576));
SELECT page_of_id('repeat(''<'', 1048577)');
SELECT page_of_id('1', repeat('<', 1048577));
SELECT page_of_id('''1 of 1: 18446744073709551615 rows''::text AS stratum, 1');
SELECT page_of_id('''1 of 1: 18446744073709551616 rows''::text AS stratum, 1');
SELECT page_of_id('''0 of 1: 1 rows''::text AS stratum, 1');
SELECT page_of_id('''1 of 9999: 1 rows''::text AS stratum, 1');
-- a page within a page; functions that make plans invalid or fail between two rows; a second page in the same transaction
CREATE FUNCTION between_rows(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF i % 2 = 0 THEN
		CREATE OPERATOR ### (PROCEDURE = int4pl, LEFTARG = int, RIGHTARG = int);
		DROP OPERATOR ### (int, int);
		ALTER TABLE reviewed RENAME TO reviewed_then;
		ALTER TABLE reviewed_then RENAME TO reviewed;
	END IF;
	RETURN 10 / (7 - i);
END $$;
SELECT length(review_page('SELECT i AS id, i + 100 AS kept, review_page(''SELECT id, kept, text, kept_text, between_rows(3) AS x FROM removals'') AS text, ''x''::text AS kept_text, between_rows(i) AS x FROM generate_series(1, 4) AS i')) > 100000 AS nested;
BEGIN;
SAVEPOINT s;
SELECT review_page('SELECT i AS id, i + 100 AS kept, repeat(i || '' '', 1000) AS text, ''x''::text AS kept_text, between_rows(i) AS x FROM generate_series(1, 9) AS i');
ROLLBACK TO s;
SELECT page_of_id('between_rows(2)');
COMMIT;
DROP FUNCTION page_of, page_of_id, between_rows;
DROP TYPE lookalike, alike, signals_domain;
DROP TABLE pages;
DROP FUNCTION part;
DROP VIEW removals;
DROP TABLE reviewed;

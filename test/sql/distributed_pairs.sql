-- near_duplicate_pairs_distributed on one server; test/tap/007_citus.pl has it on several

SET client_min_messages = warning;
CREATE TABLE texts (id int PRIMARY KEY, fp minhash128);
-- families of five that differ in up to five words of forty; every 97th row has no sketch
INSERT INTO texts SELECT id, CASE WHEN id % 97 > 0 THEN to_minhash128(array(SELECT format('word %s of %s', n, CASE WHEN n > 40 - id % 5 THEN id ELSE id / 5 END) FROM generate_series(1, 40) AS n)) END
FROM generate_series(1, 1500) AS id;
CREATE VIEW expected AS SELECT x.id AS a, y.id AS b, jaccard(x.fp, y.fp) AS similarity FROM texts AS x JOIN texts AS y ON x.id < y.id AND jaccard(x.fp, y.fp) >= 0.8;

-- all pairs, each once
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'found');
SELECT (SELECT count(*) FROM expected) AS expected, (SELECT count(*) FROM found) AS found;
SELECT count(*) AS differences FROM ((TABLE expected EXCEPT ALL TABLE found) UNION ALL (TABLE found EXCEPT ALL TABLE expected)) AS x;
-- nothing else is left
SELECT relname FROM pg_class WHERE relname ~ '^found' AND relkind = 'r' ORDER BY 1;

-- other types of sketches and ids, another threshold, progress; the schema that is created in
CREATE SCHEMA "a schema";
SET search_path = "a schema", public;
SET client_min_messages = notice;
SET txtfp.progress = on;
CALL near_duplicate_pairs_distributed('SELECT ''row '' || id, fp::minhash128_compact FROM public.texts WHERE id <= 300', 'a result', threshold => 0.9, recall => 0.99);
RESET txtfp.progress;
SET client_min_messages = warning;
SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute AS a WHERE attrelid = '"a schema"."a result"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*) AS found, count(*) FILTER (WHERE substr(a, 5)::int / 5 = substr(b, 5)::int / 5) AS families, min(similarity) >= 0.9 AS similar FROM "a result";
CALL near_duplicate_pairs_distributed('SELECT id, to_minhash64(ARRAY[id::text]) FROM public.texts WHERE id < 4', 'nothing similar');
SELECT count(*) FROM "nothing similar";
SET search_path = public;
-- ids of a domain, and of a type that is passed by reference
CREATE DOMAIN number AS bigint;
CALL near_duplicate_pairs_distributed('SELECT id::number, fp FROM texts', 'numbers');
CALL near_duplicate_pairs_distributed('SELECT md5(id::text)::uuid, fp FROM texts', 'uuids');
SELECT count(*) AS differences FROM ((TABLE numbers EXCEPT ALL TABLE found) UNION ALL (TABLE found EXCEPT ALL TABLE numbers)) AS x;
SELECT count(*) = (SELECT count(*) FROM found) AS all_found, bool_and(u.a < u.b) AS ordered FROM uuids AS u;
SELECT count(*) AS differences FROM (SELECT least(a.u, b.u), greatest(a.u, b.u), similarity FROM found, LATERAL (SELECT md5(a::text)::uuid) AS a(u), LATERAL (SELECT md5(b::text)::uuid) AS b(u) EXCEPT ALL TABLE uuids) AS x;
DROP TABLE numbers, uuids;
DROP DOMAIN number;
-- the same id twice, which is no pair with itself; equal sketches
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts WHERE id = 1 UNION ALL SELECT id, fp FROM texts WHERE id = 1 UNION ALL SELECT -id, fp FROM texts WHERE id = 1', 'same_id');
SELECT DISTINCT * FROM same_id;
DROP TABLE same_id;

-- operators and functions that somebody else has put into the search path and beside the extension are not called
CREATE SCHEMA evil;
CREATE FUNCTION evil.trap(varchar, varchar) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR evil.< (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.trap);
CREATE OPERATOR evil.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.trap);
CREATE DOMAIN evil.float8 AS pg_catalog.float8 CHECK (evil.trap('', ''));
CREATE FUNCTION minhash_similar(minhash128, minhash128, numeric) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION lsh_keys(minhash128, integer, integer) RETURNS bigint[] LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
SET search_path = evil, public, pg_catalog;
CALL near_duplicate_pairs_distributed('SELECT id::varchar, fp FROM public.texts WHERE id <= 10', 'no_trap');
CALL near_duplicate_pairs_distributed('SELECT ''{}''::json, fp FROM public.texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT xmin, fp FROM public.texts', 'x');
SET search_path = public;
SELECT count(*) > 0 AS some FROM evil.no_trap;
DROP FUNCTION minhash_similar(minhash128, minhash128, numeric), lsh_keys(minhash128, integer, integer);
DROP SCHEMA evil CASCADE;

-- a key that too many rows have
INSERT INTO texts SELECT id, (SELECT fp FROM texts WHERE id = 1) FROM generate_series(2001, 2020) AS id;
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'crowded', max_key_rows => 20);
SELECT count(*) FILTER (WHERE a > 2000) AS copies, count(*) - (SELECT count(*) FROM expected) < 0 AS some_are_missing FROM crowded;

-- errors leave nothing
CALL near_duplicate_pairs_distributed(NULL, 'x');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', NULL);
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'x', threshold => NULL);
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'x', threshold => 1.5);
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'x', recall => 2);
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'x', max_key_rows => 1);
CALL near_duplicate_pairs_distributed('SELECT id FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT id, id FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM missing', 'x');
-- a query is one statement, whatever stands around it; the second of these ended the server
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts; SELECT id, fp FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts) AS q (id, fp); CREATE TABLE injected AS SELECT 1; SELECT * FROM (SELECT id, fp FROM texts WHERE false', 'x');
CALL near_duplicate_pairs_distributed('DELETE FROM texts RETURNING id, fp', 'x');
CALL near_duplicate_pairs_distributed('texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts WHERE id < 4; ', 'ended');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts WHERE id < 4 -- some', 'commented');
SELECT count(*) FROM ended FULL JOIN commented USING (a, b);
DROP TABLE ended, commented;
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'texts');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', repeat('x', 60)::name);
CALL near_duplicate_pairs_distributed('SELECT 1 / (id - 7), fp FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT nullif(id, 7), fp FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT ARRAY[id], fp FROM texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT id, overlay(fp::text PLACING CASE WHEN id % 2 = 1 THEN ''0123456789abcdef'' ELSE ''fedcba9876543210'' END FROM 1 FOR 16)::minhash128 FROM texts', 'x');
SET search_path = '';
CALL public.near_duplicate_pairs_distributed('SELECT id, fp FROM public.texts', 'x');
SET search_path = public;
SELECT relname FROM pg_class WHERE relname ~ '^x+(_|$)';

-- what the procedure calls on the servers: each step by itself, and what is refused
CREATE VIEW place AS SELECT array_agg(id ORDER BY id) AS ids, array_agg(fp ORDER BY id) AS sketches FROM texts WHERE id <= 10;
CREATE VIEW step_1 AS SELECT k.* FROM place, _join_keys(ids, sketches, 16, 4, '{7}') AS k;
CREATE VIEW step_2 AS SELECT g.* FROM step_1, _join_groups(ARRAY[entries], '{7}', 100) AS g;
CREATE VIEW step_3 AS SELECT h.* FROM place, step_2, _join_halves(ids, sketches, ARRAY[groups], 7, '{7}') AS h;
SELECT p.* FROM place, step_3, _join_pairs(ids, sketches, ARRAY[halves], 0.8) AS p ORDER BY 1, 2;
SELECT place, length(entries) FROM step_1;
SELECT place, length(groups) > 0 AS some, crowded, largest FROM step_2;
SELECT g.place, length(groups), crowded, largest FROM step_1, _join_groups(ARRAY[entries], '{3,4}', 2) AS g ORDER BY 1;
SELECT _join_place(7, '{1}'), _join_place('7'::text, '{2}'), _join_place('7'::name, '{3}'), _join_place(7, NULL), (SELECT count(DISTINCT _join_place(i, '{4,-5,6}')) FROM generate_series(1, 100) AS i) AS places;
SELECT _join_place(NULL::int, '{1}');
SELECT _join_place(7, '{}');
SELECT _join_place(7, '{1,NULL}');
SELECT count(*) FROM place, _join_keys(ids[:2], sketches, 16, 4, '{7}');
SELECT count(*) FROM place, _join_keys(ids, ARRAY[7], 16, 4, '{7}');
SELECT count(*) FROM place, _join_keys(array_append(ids, NULL), sketches, 16, 4, '{7}');
SELECT count(*) FROM place, _join_keys(ids, sketches, 17, 8, '{7}');
SELECT count(*) FROM _join_groups('{a}', '{7}', 100);
SELECT count(*) FROM _join_groups('{12345678}', '{7}', 100);
SELECT count(*) FROM _join_groups('{}', '{7}', 0);
SELECT count(*) FROM place, _join_halves(ids, sketches, '{12345678}', 7, '{7}');
SELECT count(*) FROM place, _join_halves(ids, sketches, '{}', 8, '{7}');
SELECT count(*) FROM place, _join_pairs(ids, sketches, '{x}', 0.8);
SELECT count(*) FROM place, step_3, _join_pairs(ids, sketches, ARRAY[substr(halves, 1, length(halves) - 8)], 0.8);
SELECT count(*) FROM place, step_3, _join_pairs(ids::text[], sketches, ARRAY[substr(halves, 1, 12) || '\x07000000' || substr(halves, 17)], 0.8);
SELECT count(*) FROM place, step_3, _join_pairs(ids::bigint[], sketches, ARRAY[set_byte(halves, 8, 7)], 0.8);
SELECT count(*) FROM place, step_3, _join_pairs(ids, sketches, ARRAY[halves], 1.5);
SELECT count(*) FROM place, step_3, _join_pairs((SELECT array_agg(to_json(id)) FROM unnest(ids) AS id), sketches, ARRAY[halves], 0.8);
SELECT count(*) FROM place, step_3, _join_pairs((SELECT array_agg(to_jsonb(id)) FROM unnest(ids) AS id), sketches, ARRAY[halves], 0.8);
DROP VIEW step_3, step_2, step_1, place;

DROP TABLE found, crowded;
DROP SCHEMA "a schema" CASCADE;
DROP TABLE texts CASCADE;

-- near_duplicate_pairs_distributed on one server; test/tap/007_citus.pl has it on several

SET client_min_messages = warning;
CREATE TABLE texts (id int PRIMARY KEY, fp minhash128);
-- families of five that differ in up to five words of forty; every 97th row has no sketch
INSERT INTO texts SELECT id, CASE WHEN id % 97 > 0 THEN to_minhash128(array(SELECT format('word %s of %s', n, CASE WHEN n > 40 - id % 5 THEN id ELSE id / 5 END) FROM generate_series(1, 40) AS n)) END
FROM generate_series(1, 1500) AS id;
CREATE VIEW expected AS SELECT x.id AS a, y.id AS b, jaccard(x.fp, y.fp) AS similarity FROM texts AS x JOIN texts AS y ON x.id < y.id AND jaccard(x.fp, y.fp) >= 0.8;

-- both ways find all pairs, each once
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'two_steps');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'one_step', one_step => true);
SELECT (SELECT count(*) FROM expected) AS expected, (SELECT count(*) FROM two_steps) AS two_steps, (SELECT count(*) FROM one_step) AS one_step;
SELECT count(*) AS differences FROM ((TABLE expected EXCEPT ALL TABLE two_steps) UNION ALL (TABLE two_steps EXCEPT ALL TABLE expected)
	UNION ALL (TABLE expected EXCEPT ALL TABLE one_step) UNION ALL (TABLE one_step EXCEPT ALL TABLE expected)) AS x;
-- nothing else is left
SELECT relname FROM pg_class WHERE relname ~ '^(two_steps|one_step)' AND relkind = 'r' ORDER BY 1;

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

-- operators and functions that somebody else has put into the search path and beside the extension are not called
CREATE SCHEMA evil;
CREATE FUNCTION evil.trap(varchar, varchar) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR evil.< (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.trap);
CREATE OPERATOR evil.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.trap);
CREATE DOMAIN evil.float8 AS pg_catalog.float8 CHECK (evil.trap('', ''));
CREATE FUNCTION minhash_similar(minhash128, minhash128, numeric) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION lsh_keys(minhash128, integer, integer) RETURNS bigint[] LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
SET search_path = evil, public, pg_catalog;
CALL near_duplicate_pairs_distributed('SELECT id::varchar, fp FROM public.texts WHERE id <= 10', 'two_traps');
CALL near_duplicate_pairs_distributed('SELECT id::varchar, fp FROM public.texts WHERE id <= 10', 'one_trap', one_step => true);
CALL near_duplicate_pairs_distributed('SELECT ''{}''::json, fp FROM public.texts', 'x');
CALL near_duplicate_pairs_distributed('SELECT xmin, fp FROM public.texts', 'x');
SET search_path = public;
SELECT count(*) > 0 AS some FROM evil.two_traps;
SELECT count(*) AS differences FROM ((TABLE evil.two_traps EXCEPT ALL TABLE evil.one_trap) UNION ALL (TABLE evil.one_trap EXCEPT ALL TABLE evil.two_traps)) AS x;
DROP FUNCTION minhash_similar(minhash128, minhash128, numeric), lsh_keys(minhash128, integer, integer);
DROP SCHEMA evil CASCADE;

-- a key that too many rows have
INSERT INTO texts SELECT id, (SELECT fp FROM texts WHERE id = 1) FROM generate_series(2001, 2020) AS id;
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'crowded', max_key_rows => 20);
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'crowded_too', max_key_rows => 20, one_step => true);
SELECT count(*) FILTER (WHERE a > 2000) AS copies, count(*) - (SELECT count(*) FROM expected) < 0 AS some_are_missing FROM crowded;
SELECT count(*) AS differences FROM ((TABLE crowded EXCEPT ALL TABLE crowded_too) UNION ALL (TABLE crowded_too EXCEPT ALL TABLE crowded)) AS x;

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
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', 'texts');
CALL near_duplicate_pairs_distributed('SELECT id, fp FROM texts', repeat('x', 60)::name);
CALL near_duplicate_pairs_distributed('SELECT 1 / (id - 7), fp FROM texts', 'x');
SET search_path = '';
CALL public.near_duplicate_pairs_distributed('SELECT id, fp FROM public.texts', 'x');
SET search_path = public;
SELECT relname FROM pg_class WHERE relname ~ '^x+(_|$)';

DROP TABLE two_steps, one_step, crowded, crowded_too;
DROP SCHEMA "a schema" CASCADE;
DROP TABLE texts CASCADE;

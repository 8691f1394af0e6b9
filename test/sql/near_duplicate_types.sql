-- near_duplicate_trigger: columns of every type as key, `within` and flag, with modifiers, as arrays and domains; and thresholds
-- that text would change.
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- Every type with the modifier that cuts its values short when it is lost, and values a, b that differ only behind the cut.
CREATE TABLE kinds (type text, a text, b text);
INSERT INTO kinds VALUES
	('char(4)', 'abcd', 'abce'), ('varchar(4)', 'abcd', 'abce'), ('bit(8)', '10101010', '10101011'), ('varbit(8)', '10101010', '10101011'),
	('"char"', 'a', 'b'), ('name', 'abcd', 'abce'), ('text', 'abcd', 'abce'), ('bytea', '\x0102', '\x0103'), ('boolean', 'true', 'false'),
	('smallint', '12', '13'), ('integer', '12', '13'), ('bigint', '12', '13'), ('oid', '12', '13'), ('numeric(6,2)', '1234.25', '1234.26'), ('numeric', '1.10', '1.11'), ('numeric(4,-2)', '123400', '123500'),
	('real', '0.1', '0.10000001'), ('double precision', '0.1', '0.10000000000000001'), ('money', '1.23', '1.24'),
	('timestamp(3)', '2001-01-01 00:00:00.123', '2001-01-01 00:00:00.124'), ('timestamptz(3)', '2001-01-01 00:00:00.123Z', '2001-01-01 00:00:00.124Z'), ('time(2)', '00:00:00.12', '00:00:00.13'),
	('timetz(2)', '00:00:00.12Z', '00:00:00.13Z'), ('interval(2)', '0.12 s', '0.13 s'), ('interval day to second(3)', '1 day 0.123 s', '1 day 0.124 s'), ('date', '2001-01-01', '2001-01-02'),
	('uuid', '11111111-1111-1111-1111-111111111111', '11111111-1111-1111-1111-111111111112'), ('inet', '10.0.0.1', '10.0.0.2'), ('cidr', '10.0.0.0/8', '11.0.0.0/8'), ('macaddr', '08:00:2b:01:02:03', '08:00:2b:01:02:04'),
	('macaddr8', '08:00:2b:01:02:03:04:05', '08:00:2b:01:02:03:04:06'), ('jsonb', '{"a": 1}', '{"a": 2}'), ('int4range', '[1,3)', '[1,4)'), ('nummultirange', '{[1,3)}', '{[1,4)}'), ('pg_lsn', '0/1', '0/2'), ('xid8', '1', '2'), ('tid', '(0,1)', '(0,2)'),
	('simhash64', '0000000000000001', '0000000000000002');
UPDATE kinds SET b = '0.10000001490116121' WHERE type = 'double precision';
INSERT INTO kinds SELECT type || '[]', format('{%s}', quote_ident(a)), format('{%s,%s}', quote_ident(a), quote_ident(b)) FROM kinds WHERE type !~ '^json|range' AND type <> 'jsonb';
CREATE DOMAIN code AS char(4) CHECK (VALUE <> 'no');
CREATE DOMAIN codes AS char(4)[];
CREATE DOMAIN outer_code AS code;
CREATE DOMAIN flags AS bit(8);
CREATE DOMAIN amount AS numeric(6,2);
CREATE TYPE "Mood" AS ENUM ('abcd', 'abce');
CREATE TYPE pair AS (c char(4), b bit(8));
INSERT INTO kinds VALUES ('code', 'abcd', 'abce'), ('codes', '{abcd}', '{abcd,abce}'), ('outer_code', 'abcd', 'abce'), ('flags', '10101010', '10101011'), ('amount', '1234.25', '1234.26'), ('"Mood"', 'abcd', 'abce'), ('"Mood"[]', '{abcd}', '{abce}'),
	('pair', '(abcd,10101010)', '(abcd,10101011)'), ('code[]', '{abcd}', '{abce}'), ('char(4) COLLATE "C"', 'abcd', 'abce');

-- Lists the errors of a type as `within`, and as key and flag; the list must be empty.
CREATE FUNCTION faults(type text, a text, b text, OUT within text[], OUT key text[]) LANGUAGE plpgsql AS $$
DECLARE
	n int;
	x bool;
	insert_row text := 'INSERT INTO typed (key, part, fp) VALUES (%L, %L, ''00000000000000ff'')';
	finds_a text := ' RETURNING flag IS NOT NULL AND flag::text = ' || quote_literal(a) || '::' || type || '::text';
BEGIN
	EXECUTE format('CREATE TABLE typed (key %1$s, flag %1$s, part %1$s, fp simhash64)', type);
	BEGIN -- equal values are compared with each other, others not
		CREATE TRIGGER t BEFORE INSERT OR UPDATE ON typed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('key', 'fp', 'flag', 'column=flag', 'within=part', 'max_distance=3');
		EXECUTE format(insert_row, a, a);
		EXECUTE format(insert_row, b, a) || finds_a INTO x;
		IF NOT x THEN within := within || 'not found'::text; END IF;
		DELETE FROM typed;
		EXECUTE format(insert_row, a, a);
		EXECUTE format(insert_row, b, b) || ' RETURNING flag IS NULL' INTO x;
		IF NOT x THEN within := within || 'found in another part'::text; END IF;
	EXCEPTION WHEN OTHERS THEN
		within := ARRAY[SQLSTATE || ': ' || SQLERRM];
	END;
	BEGIN -- a row is no duplicate of itself, one with another key is
		TRUNCATE typed;
		CREATE OR REPLACE TRIGGER t BEFORE INSERT OR UPDATE ON typed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('key', 'fp', 'flag', 'column=flag', 'max_distance=3');
		EXECUTE format(insert_row, a, a);
		UPDATE typed SET fp = '00000000000000fe' RETURNING flag IS NULL INTO x;
		IF NOT x THEN key := key || 'a row is its own duplicate'::text; END IF;
		EXECUTE format(insert_row, a, b) || ' RETURNING flag IS NULL' INTO x;
		IF NOT x THEN key := key || 'a row with the same key is found'::text; END IF;
		EXECUTE format(insert_row, b, b) || finds_a INTO x;
		IF NOT x THEN key := key || 'not found, or the flag is another value'::text; END IF;
	EXCEPTION WHEN OTHERS THEN
		key := ARRAY[SQLSTATE || ': ' || SQLERRM];
	END;
	DROP TABLE typed;
END $$;
SELECT count(*) AS types FROM kinds;
SELECT type, f.* FROM kinds, faults(type, a, b) AS f WHERE within IS NOT NULL OR key IS NOT NULL ORDER BY type COLLATE "C";

-- a flag column with another modifier would not hold every key
CREATE TABLE narrow (key char(4), flag char(2), wide bpchar, fp simhash64);
CREATE TRIGGER t BEFORE INSERT ON narrow FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('key', 'fp', 'flag', 'column=flag');
INSERT INTO narrow (key, fp) VALUES ('abcd', '00000000000000ff');
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON narrow FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('key', 'fp', 'flag', 'column=wide');
INSERT INTO narrow (key, fp) VALUES ('abcd', '00000000000000ff'), ('abce', '00000000000000ff') RETURNING key, wide;
DROP TABLE narrow;

-- Every threshold that a sketch can have, exactly at it and one slot below, whatever the session prints of a number

CREATE TABLE at (id int PRIMARY KEY, fp minhash128);
CREATE FUNCTION sketch(different int) RETURNS minhash128 LANGUAGE sql AS $$
	SELECT ('0000000000000000:' || '01' || repeat('0', 14) || string_agg(CASE WHEN i < different THEN '02' ELSE '01' END || repeat('0', 14), '' ORDER BY i))::minhash128 FROM generate_series(0, 127) AS i $$;
SELECT jaccard(sketch(0), sketch(1)), jaccard(sketch(0), sketch(128));
CREATE FUNCTION escaped(digits int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	slots int;
	n int;
BEGIN
	PERFORM set_config('extra_float_digits', digits::text, true);
	FOR slots IN 1 .. 128 BY 3 LOOP
		EXECUTE format('CREATE TRIGGER t BEFORE INSERT ON at FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', ''skip'', ''threshold=%s'')', slots / 128.0);
		INSERT INTO at VALUES (1, sketch(0)), (2, sketch(128 - slots));
		INSERT INTO at VALUES (3, sketch(128 - slots + 1));
		SELECT sum(id) INTO n FROM at;
		IF n <> 4 THEN
			RETURN NEXT format('%s digits, %s slots: %s', digits, slots, n);
		END IF;
		TRUNCATE at;
		DROP TRIGGER t ON at;
	END LOOP;
END $$;
SELECT escaped(-15);
SELECT escaped(3);
-- ... and the text forms of probes and of jsonb, which are read again
SET extra_float_digits = -15;
SELECT count(*) FROM generate_series(1, 127) AS i, LATERAL (SELECT _to_minhash_probe(sketch(0), i / 128.0) AS p) AS q WHERE p::text::minhash_probe::text <> p::text OR NOT sketch(128 - i) % p::text::minhash_probe OR sketch(129 - i) % p::text::minhash_probe;
RESET extra_float_digits;

-- ON CONFLICT by another column than the key: the row would be a near-duplicate of its old version
CREATE TABLE pages (id int GENERATED BY DEFAULT AS IDENTITY, tenant int DEFAULT 1, guid text, fp simhash64, PRIMARY KEY (id, tenant), UNIQUE (guid, tenant)) PARTITION BY LIST (tenant);
CREATE TABLE pages_1 PARTITION OF pages FOR VALUES IN (1);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'max_distance=3');
INSERT INTO pages (guid, fp) VALUES ('a', '0000000000000000') ON CONFLICT DO NOTHING;
INSERT INTO pages (guid, fp) VALUES ('a', '0000000000000001') ON CONFLICT (tenant, guid) DO UPDATE SET fp = excluded.fp;
WITH w AS (INSERT INTO pages (guid, fp) VALUES ('a', '0000000000000001') ON CONFLICT (guid, tenant) DO UPDATE SET fp = excluded.fp RETURNING 1) SELECT FROM w;
INSERT INTO pages_1 (guid, fp) VALUES ('a', '0000000000000001') ON CONFLICT (guid, tenant) DO UPDATE SET fp = excluded.fp;
INSERT INTO pages (id, guid, fp) VALUES (1, 'b', '0000000000000001') ON CONFLICT (id, tenant) DO UPDATE SET fp = excluded.fp;
UPDATE pages SET fp = '0000000000000003';
CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON pages FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('guid', 'fp', 'skip', 'max_distance=3');
INSERT INTO pages (guid, fp) VALUES ('a', '0000000000000007') ON CONFLICT (guid, tenant) DO UPDATE SET fp = excluded.fp;
INSERT INTO pages (guid, fp) VALUES ('c', '0000000000000007') ON CONFLICT (guid, tenant) DO UPDATE SET fp = excluded.fp;
SELECT id, guid, fp FROM pages;

DROP TABLE at, kinds, pages;
DROP FUNCTION sketch(int), escaped(int);
DROP FUNCTION faults(text, text, text);
DROP DOMAIN codes, outer_code, flags, amount;
DROP TYPE code, "Mood", pair;

-- near_duplicate_trigger: whatever the order in which a transaction writes, rolls back to savepoints and other triggers write, no two
-- similar rows remain. Orders of three steps after an insert, and longer ones by chance, are run with each kind of trigger, and
-- compared with the same steps on a table without the check.
\set SHOW_CONTEXT never
SET client_min_messages = warning;

CREATE TABLE guarded (id int PRIMARY KEY, fp simhash64, body int, views int DEFAULT 0);
CREATE TABLE free (LIKE guarded INCLUDING ALL); -- with the other triggers, without the check
-- fingerprints x and y; y differs from x in more bits than the check allows, copies of one differ in 2
CREATE FUNCTION print(text char, copy int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
	$$SELECT ((CASE text WHEN 'x' THEN 0 ELSE 255 END)::bigint # (1::bigint << (20 + copy)))::simhash64$$;
CREATE FUNCTION similar_pairs(rel regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %1$s AS a JOIN %1$s AS b ON a.id < b.id AND hamming(a.fp, b.fp) <= 3', rel) INTO n;
	RETURN n;
END $$;

CREATE FUNCTION statement(step text, rel text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format(CASE left(step, 1)
		WHEN 'I' THEN 'INSERT INTO %1$s (id, fp, body) VALUES (%2$s, print(%3$L, %2$s), 0) ON CONFLICT DO NOTHING' -- insert
		WHEN 'U' THEN 'UPDATE %1$s SET fp = print(%3$L, %2$s), body = body + 1 WHERE id = %2$s' -- another fingerprint
		WHEN 'V' THEN 'UPDATE %1$s SET views = views + 1 WHERE id = %2$s' -- the same fingerprint
		WHEN 'K' THEN 'UPDATE %1$s SET id = id + 10 WHERE id = %2$s AND NOT EXISTS (SELECT FROM %1$s AS o WHERE o.id = %2$s + 10)' -- another key
		WHEN 'W' THEN 'UPDATE %1$s SET id = CASE id WHEN 1 THEN 21 ELSE id END, fp = print(%3$L, id), body = body + 1' -- all rows: similar to each other
		WHEN 'O' THEN 'INSERT INTO %1$s (id, fp, body) VALUES (%2$s, print(%3$L, %2$s), 0) ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, body = %1$s.body + 1'
		WHEN 'D' THEN 'DELETE FROM %1$s WHERE id = %2$s' END, rel, substr(step, 2, 1), substr(step, 3, 1)) $$;

-- Runs steps from number `at`; S sets a savepoint, R goes back to it, C lets deferred checks run. Returns where it stopped.
CREATE FUNCTION run(steps text[], rel text, at int, eager bool, INOUT next int DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
	WHILE at <= cardinality(steps) LOOP
		IF steps[at] = 'S' THEN
			BEGIN
				at := run(steps, rel, at + 1, eager);
			EXCEPTION WHEN SQLSTATE 'BBBBB' THEN
				at := SQLERRM::int;
			END;
		ELSIF steps[at] = 'R' THEN
			RAISE SQLSTATE 'BBBBB' USING MESSAGE = (at + 1)::text;
		ELSIF steps[at] = 'C' THEN
			IF rel = 'guarded' THEN
				SET CONSTRAINTS ALL IMMEDIATE;
				SET CONSTRAINTS ALL DEFERRED;
			ELSIF similar_pairs('free') > 0 THEN
				RAISE unique_violation;
			END IF;
			at := at + 1;
		ELSE
			EXECUTE statement(steps[at], rel);
			IF eager AND rel = 'free' AND similar_pairs('free') > 0 THEN -- what an immediate check would reject
				RAISE unique_violation;
			END IF;
			at := at + 1;
		END IF;
	END LOOP;
	next := at;
END $$;

-- 'rejected', 'clean', or 'WRONG' if similar rows remain. The thousands of small statements are not worth compiling.
CREATE FUNCTION outcome(steps text[], rel text, eager bool) RETURNS text LANGUAGE plpgsql SET jit = off AS $$
DECLARE
	answer text;
BEGIN
	-- A savepoint that is released within one that is rolled back leaves its SET CONSTRAINTS behind, for the next order.
	IF rel = 'guarded' AND eager THEN
		SET CONSTRAINTS ALL IMMEDIATE;
	ELSIF rel = 'guarded' THEN
		SET CONSTRAINTS ALL DEFERRED;
	END IF;
	PERFORM run(steps, rel, 1, eager);
	IF rel = 'guarded' THEN
		SET CONSTRAINTS ALL IMMEDIATE;
	END IF;
	answer := CASE WHEN similar_pairs(rel::regclass) = 0 THEN 'clean' WHEN rel = 'free' THEN 'rejected' ELSE 'WRONG' END;
	RAISE SQLSTATE 'EEEEE';
EXCEPTION WHEN SQLSTATE 'EEEEE' THEN
	RETURN answer;
WHEN unique_violation THEN
	RETURN 'rejected';
WHEN SQLSTATE 'BBBBB' THEN -- no savepoint to go back to
	RETURN 'no such order';
END $$;

-- The other triggers.
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.views < 3 THEN
		EXECUTE format('UPDATE %s SET views = views + 1 WHERE id = %s', TG_RELID::regclass, NEW.id);
	END IF;
	RETURN NULL;
END $$;
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.views = 0 THEN -- to x, in silence: no UPDATE OF body
		EXECUTE format('UPDATE %s SET fp = print(%L, id), views = 1 WHERE id = %s', TG_RELID::regclass, 'x', NEW.id);
	END IF;
	RETURN NULL;
END $$;
CREATE FUNCTION drop_odd() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DELETE FROM %s WHERE id = %s AND body = 1', TG_RELID::regclass, NEW.id);
	RETURN NULL;
END $$;

CREATE TABLE orders AS
	SELECT ARRAY['I1x', a, b, c] AS steps FROM (VALUES ('I2x'), ('I2y'), ('U1y'), ('U2x'), ('V1'), ('V2'), ('D1'), ('K1'), ('K2'), ('O2x'), ('Wx'), ('S'), ('R'), ('C')) AS s (a),
		LATERAL (VALUES ('I2x'), ('U1y'), ('U2x'), ('V1'), ('V2'), ('D1'), ('S'), ('R'), ('C')) AS t (b),
		LATERAL (VALUES ('I2x'), ('U2x'), ('V1'), ('R')) AS u (c);
UPDATE orders SET steps = array_replace(steps, 'Wx', 'W0x');
INSERT INTO orders -- longer ones: a generator of our own, because random() differs between versions
	SELECT array_agg(('{I1x,I2x,I2y,I3x,I3y,U1y,U1x,U2x,U2y,U3x,V1,V2,V3,D1,D2,D3,K1,K2,O1x,O2y,O3x,W0x,S,S,R,C}'::text[])[1 + (hashint8extended(n * 100 + i, 7) & 1023) % 26] ORDER BY i)
	FROM generate_series(1, 150) AS n, generate_series(1, 9) AS i GROUP BY n;

ALTER TABLE orders ADD number int GENERATED ALWAYS AS IDENTITY;

-- `eager`: the check comes with each statement, otherwise at the end. `exact`: the check must also let in what is not similar.
CREATE FUNCTION try(check_event text, eager bool, exact bool, other text DEFAULT NULL, OUT orders bigint, OUT clean bigint, OUT rejected bigint, OUT wrong bigint, OUT too_strict bigint) LANGUAGE plpgsql AS $$
DECLARE
	part int;
BEGIN
	CREATE TEMP TABLE answers (got text, want text);
	EXECUTE format('CREATE %s near_duplicates %s ON guarded %s FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp'', ''reject'', ''max_distance=3'')',
		CASE WHEN check_event LIKE '%DEFER%' THEN 'CONSTRAINT TRIGGER' ELSE 'TRIGGER' END, split_part(check_event, '/', 1), split_part(check_event, '/', 2));
	IF other IS NOT NULL THEN
		EXECUTE format('CREATE %s ON guarded %s', split_part(other, '/', 1), split_part(other, '/', 2));
		EXECUTE format('CREATE %s ON free %s', split_part(other, '/', 1), split_part(other, '/', 2));
	END IF;
	FOR part IN 0 .. (SELECT max(number) / 25 FROM orders) LOOP
		INSERT INTO answers SELECT outcome(steps, 'guarded', eager), outcome(steps, 'free', eager) FROM orders WHERE number / 25 = part;
		TRUNCATE guarded, free; -- of the dead rows, which would be looked at again and again
	END LOOP;
	SELECT count(*), count(*) FILTER (WHERE got = 'clean'), count(*) FILTER (WHERE got = 'rejected'),
			count(*) FILTER (WHERE got = 'WRONG' OR (exact AND got = 'clean' AND want = 'rejected')), count(*) FILTER (WHERE exact AND got = 'rejected' AND want = 'clean')
		INTO orders, clean, rejected, wrong, too_strict
		FROM answers;
	DROP TABLE answers;
	DROP TRIGGER near_duplicates ON guarded;
	IF other IS NOT NULL THEN
		EXECUTE format('DROP TRIGGER %1$I ON guarded; DROP TRIGGER %1$I ON free', split_part(split_part(other, 'TRIGGER ', 2), ' ', 1));
	END IF;
END $$;

\pset format unaligned
SELECT * FROM try('BEFORE INSERT OR UPDATE/', true, false);
SELECT * FROM try('AFTER INSERT OR UPDATE/', true, true);
SELECT * FROM try('AFTER INSERT OR UPDATE OF body/', true, true);
SELECT * FROM try('AFTER INSERT OR UPDATE/DEFERRABLE INITIALLY DEFERRED', false, true);
SELECT * FROM try('AFTER INSERT OR UPDATE OF body/DEFERRABLE INITIALLY DEFERRED', false, true);
SELECT * FROM try('AFTER INSERT OR UPDATE/DEFERRABLE INITIALLY IMMEDIATE', true, false);
-- a second trigger that updates the new row: before the check, and after it
SELECT * FROM try('AFTER INSERT OR UPDATE/', true, true, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION touch()');
SELECT * FROM try('AFTER INSERT OR UPDATE OF body/', true, true, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION touch()');
SELECT * FROM try('AFTER INSERT OR UPDATE/', true, true, 'TRIGGER z AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION touch()');
SELECT * FROM try('BEFORE INSERT OR UPDATE/', true, false, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION touch()');
SELECT * FROM try('AFTER INSERT OR UPDATE OF body/DEFERRABLE INITIALLY DEFERRED', false, true, 'CONSTRAINT TRIGGER a AFTER INSERT OR UPDATE/DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION touch()');
-- one that changes the fingerprint, one that deletes the row
SELECT * FROM try('AFTER INSERT OR UPDATE/', true, false, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION change()');
SELECT * FROM try('AFTER INSERT OR UPDATE OF body/', true, false, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION change()');
SELECT * FROM try('AFTER INSERT OR UPDATE/DEFERRABLE INITIALLY DEFERRED', false, true, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION change()');
SELECT * FROM try('AFTER INSERT OR UPDATE/', true, false, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION drop_odd()');
SELECT * FROM try('AFTER INSERT OR UPDATE/DEFERRABLE INITIALLY DEFERRED', false, true, 'TRIGGER a AFTER INSERT OR UPDATE/FOR EACH ROW EXECUTE FUNCTION drop_odd()');
\pset format aligned

-- the cases in which it was seen first
CREATE TRIGGER near_duplicates AFTER INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=3');
CREATE TRIGGER a AFTER INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION touch();
INSERT INTO guarded VALUES (1, print('x', 1));
INSERT INTO guarded VALUES (2, print('x', 2));
DROP TRIGGER near_duplicates ON guarded;
CREATE CONSTRAINT TRIGGER near_duplicates AFTER INSERT OR UPDATE ON guarded DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=3');
BEGIN;
INSERT INTO guarded VALUES (2, print('x', 2));
UPDATE guarded SET views = 1 WHERE id = 2;
COMMIT;
SELECT id FROM guarded;

DROP TABLE guarded, free, orders;
DROP FUNCTION print(char, int), similar_pairs(regclass), statement(text, text), run(text[], text, int, bool, int), outcome(text[], text, bool), touch(), change(), drop_odd(), try(text, bool, bool, text);

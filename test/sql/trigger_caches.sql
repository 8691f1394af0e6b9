-- What triggers keep between two statements: they look up their definition again only when a table has changed, which a count of the
-- reads of its index in pg_trigger shows. It grows with each definition, also of those on partitions, whose parents are read.
CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, likeness int) WITH (autovacuum_enabled = off);
CREATE INDEX ON docs USING sketch (fp);
CREATE TRIGGER check_new BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'threshold=0.5', 'column=likeness');
CALL live_clusters_create('docs', 'id', 'fp', 0.5);
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (100) WITH (autovacuum_enabled = off);
CREATE INDEX ON parts USING sketch (fp);
CREATE TRIGGER check_new AFTER INSERT OR UPDATE ON parts FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject');
CREATE FUNCTION fill(first int, last int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := pg_stat_get_xact_numscans('pg_trigger_oid_index'::regclass);
BEGIN
	FOR i IN first .. last LOOP
		INSERT INTO docs VALUES (i, to_minhash128(ARRAY['a' || i, 'b' || i, 'c' || i % 5]));
		INSERT INTO parts VALUES (i, to_minhash128(ARRAY['a' || i, 'b' || i, 'c' || i]));
	END LOOP;
	RETURN pg_stat_get_xact_numscans('pg_trigger_oid_index'::regclass) - before;
END$$;
BEGIN;
SELECT fill(1, 3) > 0 AS "read at first";
SELECT fill(11, 20) AS reads;
SAVEPOINT s;
ALTER TABLE docs SET (fillfactor = 90);
SELECT fill(21, 21) AS "of both triggers of docs", fill(22, 30) AS reads;
ROLLBACK TO s;
ALTER TABLE part SET (fillfactor = 90);
SELECT fill(31, 31) > 0 AS again, fill(32, 40) AS reads;
CREATE TABLE other ();
SELECT fill(41, 50) AS "after other tables have changed";
COMMIT;
SELECT count(*) AS wrong FROM live_clusters_check('docs');
DROP TABLE docs, parts, other CASCADE;
DROP FUNCTION fill;

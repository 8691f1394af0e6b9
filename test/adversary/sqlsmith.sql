-- The schema of scripts/sqlsmith.sh: a column and an index of every type, triggers and live clusters, in few rows, so that most statements end soon.
CREATE EXTENSION txtfp;
CREATE ROLE smith LOGIN;
CREATE SCHEMA smith AUTHORIZATION smith;
SET ROLE smith;
SET search_path = smith, public;
CREATE FUNCTION words(number int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT string_agg(md5(number || ' ' || n), ' ' ORDER BY n) FROM generate_series(1, 12) AS n$$;
CREATE TABLE docs (id int PRIMARY KEY, tenant text, body text, minhash minhash128, wide minhash256, narrow minhash64, compact minhash128_compact,
	simhash simhash64, tlsh tlsh, lavinhash lavinhash, print fingerprint, embedding embedding, passages passages, near int, similarity float8);
INSERT INTO docs SELECT i, 'tenant ' || i % 3, b, to_minhash128(b), to_minhash256(b), to_minhash64(b), to_minhash128_compact(to_minhash128(b)), to_simhash64(b), to_tlsh(b),
	to_lavinhash(convert_to(b, 'UTF8')), to_minhash64(b), to_embedding(ARRAY[i, 1, 2, 3]::real[]), to_passages(b)
	FROM (SELECT i, words(i / 2) FROM generate_series(1, 40) AS i) AS t (i, b);
CREATE INDEX ON docs USING gin (minhash);
CREATE INDEX ON docs USING gin (wide) WITH (fastupdate = off);
CREATE INDEX ON docs USING gin (compact);
CREATE INDEX ON docs USING gin (simhash);
CREATE INDEX ON docs USING gin (lavinhash lavinhash_lsh_ops);
CREATE INDEX ON docs USING gin (passages);
CREATE INDEX ON docs USING sketch (minhash);
CREATE INDEX ON docs USING sketch (simhash);
CREATE INDEX ON docs USING sketch (tlsh);
CREATE INDEX ON docs USING sketch (lavinhash);
CREATE INDEX ON docs (minhash);
CREATE INDEX ON docs (print);
CREATE INDEX ON docs USING hash (tlsh);
CREATE TABLE guarded (id int, minhash minhash128, near int, similarity float8);
INSERT INTO guarded SELECT id, minhash FROM docs WHERE id % 2 = 0;
CREATE INDEX ON guarded USING sketch (minhash);
CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'minhash', 'flag', 'column=near', 'similarity=similarity');
CREATE TABLE copied (id int, minhash minhash128);
CREATE TRIGGER copies BEFORE INSERT OR UPDATE ON copied FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'minhash', 'skip', 'against=smith.docs');
CREATE TABLE filled (id int, body text, minhash minhash128);
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON filled FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'minhash');
CREATE TABLE members (id int PRIMARY KEY, minhash minhash128);
CALL live_clusters_create('members', 'id', 'minhash');
INSERT INTO members SELECT id, minhash FROM docs;
ANALYZE docs;

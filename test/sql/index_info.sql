-- fingerprint_index_info
\set SHOW_CONTEXT never

CREATE TABLE docs (id int, a minhash64, b minhash128, c minhash256, s simhash64, t tlsh, l lavinhash, p passages);
CREATE INDEX docs_a ON docs USING gin (a);
CREATE INDEX docs_b ON docs USING gin (b) WITH (fastupdate = off);
CREATE INDEX docs_b2 ON docs USING gin (b minhash128_lsh_ops (bands = 42, rows = 3), s);
CREATE INDEX docs_b3 ON docs USING gin (b minhash128_lsh_ops (threshold = 0.5, recall = 0.9));
CREATE INDEX docs_c ON docs USING gin (c minhash256_lsh_ops (bands = 1, rows = 256));
CREATE INDEX docs_t ON docs USING sketch (t);
CREATE INDEX docs_l ON docs USING gin (l);
CREATE INDEX docs_p ON docs USING gin (p);
CREATE INDEX docs_e ON docs USING gin (to_minhash64(array[id::text]));
CREATE INDEX docs_sketch ON docs USING sketch (b);
SELECT i.* FROM unnest('{docs_a,docs_b,docs_b2,docs_b3,docs_c,docs_e}'::regclass[]) AS index, fingerprint_index_info(index) AS i ORDER BY index::text COLLATE "C", operator_class COLLATE "C";
SELECT i.* FROM unnest('{docs_t,docs_l,docs_p,docs_sketch}'::regclass[]) AS index, fingerprint_index_info(index) AS i ORDER BY index::text COLLATE "C";
SELECT * FROM fingerprint_index_info('docs_b');
SELECT * FROM fingerprint_index_info('docs_sketch');

-- below the lowest threshold served a plan scans, from it on the index is used
CREATE FUNCTION uses_index(threshold float8) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM docs WHERE minhash_similar(b, to_minhash128(''some text''), %s)', threshold) INTO plan;
	RETURN plan LIKE '%docs_b%';
END $$;
DROP INDEX docs_b2, docs_b3, docs_sketch;
SELECT reach, uses_index(reach), uses_index(reach - 0.01) FROM fingerprint_index_info('docs_b');

-- the pending list
INSERT INTO docs (id, a) SELECT i, to_minhash64('text ' || i) FROM generate_series(1, 100) AS i;
SELECT fastupdate, pending_pages > 0 AS pages, pending_rows FROM fingerprint_index_info('docs_a');
SELECT fastupdate, pending_pages, pending_rows FROM fingerprint_index_info('docs_b');
SELECT gin_clean_pending_list('docs_a') > 0 AS cleaned;
SELECT pending_pages, pending_rows FROM fingerprint_index_info('docs_a');

-- partitions
CREATE TABLE parts (id int, fp minhash128) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE INDEX parts_fp ON parts USING gin (fp);
SELECT * FROM fingerprint_index_info('parts_fp');
SELECT * FROM fingerprint_index_info('part_fp_idx');

SELECT fingerprint_index_info(NULL) IS NULL AS null;
SELECT fingerprint_index_info('docs');
SELECT fingerprint_index_info(0);
SELECT fingerprint_index_info('docs_t');
SELECT * FROM fingerprint_index_info('pg_class_oid_index');
CREATE INDEX docs_order ON docs (b);
SELECT * FROM fingerprint_index_info('docs_order');
DROP TABLE docs, parts;
DROP FUNCTION uses_index;

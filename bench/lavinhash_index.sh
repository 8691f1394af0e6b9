#!/bin/sh
# LavinHash on this machine's files: scores of unrelated files by size; recall and speed of lavinhash_lsh_ops compared with brute force.
#     PGHOST=… PGDATABASE=… sh bench/lavinhash_index.sh        about fifteen minutes
# The server must run on this machine, and the user may read its files. Uses the schema txtfp_lavinhash.
set -eu

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export PGOPTIONS='-c search_path=txtfp_lavinhash,public -c max_parallel_workers_per_gather=0 -c client_min_messages=warning'
run_psql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

{
	find /usr/bin /usr/sbin /usr/lib -xdev -type f -perm -004 \( -perm -001 -o -name '*.so*' \) -size -20M | sed 's/^/code	/'
	find /usr/share/doc /usr/share/man /usr/share/perl /usr/lib/python3 /usr/include -xdev -type f -perm -004 ! -name '*.gz' -size -5M |
		sed 's/^/documents	/'
} | grep -v '\\' >"$WORK/list"

run_psql -c 'DROP SCHEMA IF EXISTS txtfp_lavinhash CASCADE' -c 'CREATE EXTENSION IF NOT EXISTS txtfp SCHEMA public' -c 'CREATE SCHEMA txtfp_lavinhash'
run_psql <<-END
	CREATE TABLE list (kind text, path text);
	\\copy list FROM '$WORK/list'
	CREATE TABLE files (id int GENERATED ALWAYS AS IDENTITY, kind text, path text, size int, fp lavinhash);
	INSERT INTO files (kind, path, size, fp)
	SELECT DISTINCT ON (fp) kind, path, size, fp
	FROM (SELECT kind, path, length(doc) AS size, to_lavinhash(doc) AS fp
		FROM list, LATERAL (SELECT pg_read_binary_file(path) AS doc OFFSET 0) AS d OFFSET 0) AS f
	WHERE fp IS NOT NULL ORDER BY fp, path;
	VACUUM ANALYZE files;
	\\echo unrelated files (of different folders), 300 of each size
	WITH sized AS (
		SELECT *, width_bucket(size, '{65,301,1001,4001,20001,100001,1000001}'::int[]) AS bucket FROM files),
	chosen AS (SELECT *, row_number() OVER (PARTITION BY kind, bucket ORDER BY md5(path)) AS n FROM sized)
	SELECT a.kind, ('{"up to 64",300,1000,4000,20000,100000,1000000,over}'::text[])[a.bucket + 1] AS size, count(*) AS pairs,
		round(avg(lavinhash_content(a.fp, b.fp))::numeric, 2) AS content, round(avg(lavinhash_structure(a.fp, b.fp))::numeric, 2) AS structure,
		round(avg(lavinhash_similarity(a.fp, b.fp))) AS score, percentile_disc(0.99) WITHIN GROUP (ORDER BY lavinhash_similarity(a.fp, b.fp)) AS "99 of 100 below"
	FROM chosen AS a JOIN chosen AS b USING (kind, bucket)
	WHERE a.n < b.n AND b.n <= 300 AND regexp_replace(a.path, '/[^/]*\$', '') <> regexp_replace(b.path, '/[^/]*\$', '')
	GROUP BY a.kind, a.bucket ORDER BY a.kind, a.bucket;
	CREATE TABLE truth AS SELECT a.id AS a, b.id AS b, lavinhash_similarity(a.fp, b.fp) AS score
	FROM files AS a JOIN files AS b ON lavinhash_similar(a.fp, b.fp, 70) AND a.id < b.id;
	SELECT count(*) AS files, pg_size_pretty(pg_table_size('files')) AS "table" FROM files;
	\\timing on
	\\echo scan of the table
	SELECT count(*) FROM files WHERE lavinhash_similar(fp, (SELECT fp FROM files LIMIT 1), 80);
	SELECT count(*) FROM files WHERE lavinhash_similar(fp, (SELECT fp FROM files LIMIT 1), 80);
END

for options in '' '(bands = 48)' '(bands = 32, rows = 6)'; do
	echo "index options: ${options:-default}"
	run_psql -c 'DROP INDEX IF EXISTS files_fp' -c "CREATE INDEX files_fp ON files USING gin (fp lavinhash_lsh_ops $options) WITH (fastupdate = off)" \
		-c "SELECT pg_size_pretty(pg_relation_size('files_fp')) AS size"
	for score in 75 80 85 90 95; do
		run_psql -A -t -F ' ' <<-END
			SET enable_seqscan = off;
			SELECT clock_timestamp() AS start \\gset
			CREATE TEMP TABLE found AS SELECT a.id AS a, b.id AS b
			FROM files AS a, LATERAL (SELECT id FROM files WHERE fp % _to_lavinhash_probe(a.fp, $score) OFFSET 0) AS b WHERE a.id % 10 = 0;
			SELECT round((extract(epoch FROM clock_timestamp() - :'start') / count(*) * 1000)::numeric, 3) AS ms FROM files WHERE id % 10 = 0 \\gset
			SELECT '  score $score: pairs', count(*), 'recall', round(count(f.a)::numeric / greatest(count(*), 1), 4), 'ms per search', :ms
			FROM (SELECT a, b FROM truth WHERE score >= $score UNION ALL SELECT b, a FROM truth WHERE score >= $score) AS t
				LEFT JOIN found AS f USING (a, b) WHERE t.a % 10 = 0;
		END
	done
done
run_psql -c 'DROP SCHEMA txtfp_lavinhash CASCADE'

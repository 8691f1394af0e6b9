#!/bin/sh
# Measures passage search on a running server, on texts composed of real ones:
#   search      ROWS documents, each of two halves of package descriptions: searches for a 50-word excerpt of one of them (median,
#               warm), and for excerpts of 12 words, the guaranteed length, all of which must be found; the size of the index
#   template    passage_pairs and frequent_passages of copies of a template with different fillings of 20 words: 10,000 and
#               100,000 copies
#     sh scripts/corpus.sh corpus.tsv
#     PGHOST=… PGDATABASE=… sh bench/passages.sh corpus.tsv
#     PARTS=search ROWS=100000 sh bench/passages.sh corpus.tsv
# The extension must be installed in that database. Uses the schema txtfp_passages, which it drops at both ends.
set -eu

corpus=$1
ROWS=${ROWS:-1000000}
PARTS=${PARTS:-search template}

. "$(dirname "$0")/schema.sh"
use_schema txtfp_passages

search()
{
	run_psql -c 'CREATE UNLOGGED TABLE corpus (id serial, package text, body text)' -c "\\copy corpus (package, body) FROM '$corpus'"
	run_psql -v rows="$ROWS" <<-'END'
		CREATE UNIQUE INDEX ON corpus (id);
		CREATE UNLOGGED TABLE docs (id bigint, body text, p passages);
		INSERT INTO docs SELECT n, made.body, to_passages(made.body)
		FROM generate_series(0::bigint, :rows - 1) AS n JOIN corpus AS x ON x.id = 1 + (n * 7919) % 64000
		JOIN corpus AS y ON y.id = 1 + (hashint8(n)::bigint + 2147483648) % 64000
		CROSS JOIN LATERAL (SELECT left(repeat(x.body || ' ', 2), 200) || ' ' || left(repeat(y.body || ' ', 2), 199) AS body) AS made;
		CREATE INDEX docs_p ON docs USING gin (p) WITH (fastupdate = off);
		CREATE UNIQUE INDEX ON docs (id);
		VACUUM ANALYZE docs;
		CREATE FUNCTION excerpt(body text, first bigint, count int) RETURNS text LANGUAGE sql AS $$
			SELECT string_agg(word, ' ' ORDER BY n) FROM (SELECT * FROM unnest(tokenize(body)) WITH ORDINALITY AS t (word, n) WHERE n >= first LIMIT count) AS t $$;
		CREATE UNLOGGED TABLE probes AS SELECT id, excerpt(body, 3, 50) AS long, excerpt(body, 1 + id % 30, 12) AS short FROM docs WHERE id % (:rows / 2000) = 0;
		DELETE FROM probes WHERE array_length(tokenize(long), 1) < 50 OR array_length(tokenize(short), 1) < 12;
	END
	run_psql -F ' ' -c "SELECT count(*), sum(octet_length(body)), pg_relation_size('docs_p'), sum(passages_count(p)) FROM docs" |
		awk '{printf "%d documents, %.0f MB of text, %.1f passages each; index %.0f MB, %.2f of the texts\n", $1, $2 / 1e6, $4 / $1, $3 / 1e6, $3 / $2}'
	run_psql -F ' ' <<-'END' | awk '{print "  " $0}'
		DO $$ DECLARE r record; n bigint; start timestamptz; BEGIN
			CREATE UNLOGGED TABLE times (kind text, seconds float8, found boolean, rows bigint);
			FOR round IN 1 .. 2 LOOP
				TRUNCATE times;
				FOR r IN SELECT id, long, short FROM probes LOOP
					start := clock_timestamp();
					SELECT count(*) INTO n FROM docs WHERE passages_similar(p, to_passages(r.long));
					INSERT INTO times VALUES ('50 words', extract(epoch FROM clock_timestamp() - start), EXISTS (SELECT FROM docs WHERE id = r.id AND passages_similar(p, to_passages(r.long))), n);
					start := clock_timestamp();
					SELECT count(*) INTO n FROM docs WHERE passages_contained(to_passages(r.long), p, 1);
					INSERT INTO times VALUES ('50 words, contained', extract(epoch FROM clock_timestamp() - start), EXISTS (SELECT FROM docs WHERE id = r.id AND passages_contained(to_passages(r.long), p, 1)), n);
					start := clock_timestamp();
					SELECT count(*) INTO n FROM docs WHERE passages_similar(p, to_passages(r.short));
					INSERT INTO times VALUES ('12 words', extract(epoch FROM clock_timestamp() - start), EXISTS (SELECT FROM docs WHERE id = r.id AND passages_similar(p, to_passages(r.short))), n);
				END LOOP;
			END LOOP;
		END $$;
		SELECT format('%s: %s excerpts, %s found, median %s ms, 95th percentile %s ms, %s rows each (median)', kind, count(*), count(*) FILTER (WHERE found),
			round((1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric, 3), round((1000 * percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds))::numeric, 2), percentile_disc(0.5) WITHIN GROUP (ORDER BY rows)) FROM times GROUP BY kind ORDER BY kind;
	END
}

# seconds QUERY: the time of the second of two runs
seconds()
{
	run_psql -c "$1" >/dev/null
	start=$(date +%s.%N)
	answer=$(run_psql -c "$1")
	echo "$(date +%s.%N) $start" | awk '{print $1 - $2}'
}

template()
{
	run_psql <<-'END'
		CREATE UNLOGGED TABLE copies AS SELECT id, body, to_passages(body) AS p FROM generate_series(1, 100000) AS id CROSS JOIN LATERAL (
			SELECT 'This agreement is made between the parties named below on the terms that follow and on no others whatsoever; ' || string_agg('filling' || hashint8(id * 100 + n), ' ') ||
				' and it remains in force until one of the parties ends it in writing with a notice of three months or more.' AS body FROM generate_series(1, 20) AS n) AS made;
		VACUUM ANALYZE copies;
	END
	for query in "SELECT count(*) FROM passage_pairs('SELECT id, p FROM copies WHERE id <= ROWS')" "SELECT count(*) FROM frequent_passages('SELECT body FROM copies WHERE id <= ROWS')"; do
		few=$(seconds "$(echo "$query" | sed 's/ROWS/10000/')")
		many=$(seconds "$(echo "$query" | sed 's/ROWS/100000/')")
		echo "$few $many $(echo "$query" | cut -d ' ' -f 4 | cut -d '(' -f 1)" | awk '{printf "  template, %s: 10,000 copies %.2f s, 100,000 copies %.2f s, %.1f times as long\n", $3, $1, $2, $2 / $1}'
	done
}

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
for part in $PARTS; do "$part"; done

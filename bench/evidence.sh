#!/bin/sh
# Measures the evidence functions on a running server and real texts:
#   pairs       text_jaccard, text_containment, shared_passages, mark_shared_passages of pairs of 5 kB that share half, in MB of text
#               (both texts) per second; compared with Python's difflib (SequenceMatcher, autojunk off)
#   long        shared_passages of texts of 10 MB: two different ones, one with itself, one word repeated
#   removals    share of the rows to remove that an exact comparison confirms: components, stars, deduplicate
#   million     deduplicate with exact verification compared with near_duplicate_clusters alone, texts of 400 characters, of which
#               one in five is a near-duplicate
#     sh scripts/corpus.sh corpus.tsv
#     PGHOST=… PGDATABASE=… sh bench/evidence.sh corpus.tsv
#     PARTS='pairs long' ROUNDS=5 ROWS=100000 sh bench/evidence.sh corpus.tsv
# Each time is the median of ROUNDS, of the processor time of one server process; the user must be a superuser. The extension must be installed in that database. Uses the schema txtfp_evidence, which it
# drops at both ends.
set -eu

corpus=$1
ROWS=${ROWS:-1000000}
ROUNDS=${ROUNDS:-3}
PARTS=${PARTS:-pairs long removals million}
PYTHON=${PYTHON:-python3}

. "$(dirname "$0")/schema.sh"
use_schema txtfp_evidence
run_psql -c 'CREATE UNLOGGED TABLE corpus (id serial, package text, body text)' -c "\\copy corpus (package, body) FROM '$corpus'"

# timed QUERY: sets $seconds to the median of the processor time of ROUNDS runs in seconds, and $answer to the answer
timed()
{
	clock="SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1) FROM pg_sleep(0.001)" # the kernel books the time of a process when it sleeps
	times=
	for round in $(seq "$ROUNDS"); do
		out=$(run_psql -c "$clock" -c "$1" -c "$clock")
		answer=$(echo "$out" | sed '1d;$d')
		times="$times $(echo "$out" | awk 'NR == 1 {begin = $1} END {print ($1 - begin) / 1e9}')"
	done
	seconds=$(printf '%s\n' $times | sort -n | awk '{t[NR] = $1} END {print t[int((NR + 1) / 2)]}')
}

# rate LABEL QUERY BYTES
rate()
{
	timed "$2"
	echo "$1 $seconds $3 $answer" | awk '{printf "  %-28s %8.1f MB/s   %s\n", $1, $3 / $2 / 1e6, $4}'
}

pairs()
{
	run_psql <<-'END'
		CREATE UNLOGGED TABLE numbered AS SELECT row_number() OVER (ORDER BY id) - 1 AS n, body FROM corpus;
		CREATE UNIQUE INDEX ON numbered (n);
		CREATE UNLOGGED TABLE texts AS SELECT k, left(string_agg(body, E'\n' ORDER BY n), 5000) AS body
			FROM generate_series(0, 10000) AS k JOIN numbered ON n BETWEEN 6 * k AND 6 * k + 13 GROUP BY k;
		CREATE UNLOGGED TABLE pairs (a text, b text);
		ALTER TABLE pairs ALTER a SET STORAGE external, ALTER b SET STORAGE external;
		INSERT INTO pairs SELECT x.body || '', y.body || '' -- computed values: a stored one would be copied with its compression
			FROM texts AS x JOIN texts AS y ON y.k = x.k + 1;
		VACUUM ANALYZE pairs;
	END
	bytes=$(run_psql -c 'SELECT sum(octet_length(a) + octet_length(b)) FROM pairs')
	echo "$(run_psql -c 'SELECT count(*) FROM pairs') pairs, $bytes bytes:"
	rate text_jaccard 'SELECT round(sum(text_jaccard(a, b))::numeric, 3) FROM pairs' "$bytes"
	rate text_containment 'SELECT round(sum(text_containment(a, b))::numeric, 3) FROM pairs' "$bytes"
	rate shared_passages 'SELECT count(*) FROM pairs, shared_passages(a, b)' "$bytes"
	ours=$seconds
	rate mark_shared_passages 'SELECT sum(length(mark_shared_passages(a, b))) FROM pairs' "$bytes"
	run_psql -c "SELECT json_build_array(tokenize(canonicalize(a)), tokenize(canonicalize(b)), a, b) FROM pairs TABLESAMPLE bernoulli (1) REPEATABLE (1)" | $PYTHON -c '
import difflib, json, sys, time
pairs = [json.loads(line) for line in sys.stdin]
def seconds(pairs, i):
    start = time.process_time()
    for pair in pairs:
        difflib.SequenceMatcher(None, pair[i], pair[i + 1], autojunk=False).get_matching_blocks()
    return (time.process_time() - start) / len(pairs) * 10000
print(seconds(pairs[:3], 2), seconds(pairs, 0))' | awk -v ours="$ours" '{
		printf "  difflib, of the texts: %.0f s for 10,000 pairs (from 3), %.0f times as long\n", $1, $1 / ours
		printf "  difflib, of lists of their words, made beforehand: %.1f s for 10,000 pairs, %.1f times as long\n", $2, $2 / ours}'
}

long()
{
	echo 'texts of 10 MB:'
	run_psql <<-'END'
		CREATE UNLOGGED TABLE long (name text, a text);
		ALTER TABLE long ALTER a SET STORAGE external;
		INSERT INTO long SELECT 'first', left(string_agg(body, E'\n' ORDER BY id), 10000000) FROM corpus WHERE id % 2 = 0;
		INSERT INTO long SELECT 'second', left(string_agg(body, E'\n' ORDER BY id), 10000000) FROM corpus WHERE id % 2 = 1;
		INSERT INTO long VALUES ('same word', repeat('a ', 5000000)), ('one letter', repeat('a', 10000000));
	END
	for two in 'first second' 'first first' 'same@word same@word' 'one@letter one@letter'; do
		a=$(echo "${two% *}" | tr @ ' ') b=$(echo "${two#* }" | tr @ ' ')
		timed "SELECT count(*) || ' passages, the longest of ' || max(words) || ' words' FROM long AS x, long AS y, shared_passages(x.a, y.a, 1) WHERE x.name = '$a' AND y.name = '$b'"
		printf '  %-28s %8.2f s   %s\n' "$a, $b" "$seconds" "$answer"
	done
}

# removal LABEL FROM: a row for each removed row, with id and kept
removal()
{
	run_psql -F ' ' -c "SELECT count(*), count(*) FILTER (WHERE text_jaccard(x.body, y.body) >= 0.8), round(100.0 * count(*) FILTER (WHERE text_jaccard(x.body, y.body) >= 0.8) / count(*), 1), round(min(text_jaccard(x.body, y.body))::numeric, 2) FROM ($2) AS r JOIN docs AS x ON x.id = r.id JOIN docs AS y ON y.id = r.kept" |
		awk -v label="$1" '{printf "  %-28s %6d removed, %6d confirmed, %5.1f %%; the least similar %s\n", label, $1, $2, $3, $4}'
}

removals()
{
	run_psql -c 'CREATE UNLOGGED TABLE docs AS SELECT id, body, to_minhash128(body) AS fp FROM corpus'
	echo "$(run_psql -c 'SELECT count(*) FROM docs') package descriptions, threshold 0.8, confirmed: exact Jaccard similarity at least 0.8:"
	removal components "SELECT id, cluster AS kept FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8) WHERE id <> cluster"
	removal stars "SELECT id, cluster AS kept FROM near_duplicate_clusters('SELECT id, fp FROM docs', 0.8, 'star') WHERE id <> cluster"
	removal deduplicate "SELECT id, kept FROM deduplicate('SELECT id, fp FROM docs', 0.8)"
	removal 'deduplicate, verified' "SELECT id, kept FROM deduplicate('SELECT id, fp, body FROM docs', 0.8, 'jaccard', guard => '')"
	removal 'from 0.7, verified at 0.8' "SELECT id, kept FROM deduplicate('SELECT id, fp, body FROM docs', 0.7, 'jaccard', 0.8, guard => '')"
}

million()
{
	run_psql -v rows="$ROWS" <<-'END'
		CREATE UNLOGGED TABLE made (id bigint, body text, fp minhash128);
		CREATE UNIQUE INDEX ON corpus (id);
		INSERT INTO made SELECT n, text.body, to_minhash128(text.body)
		FROM generate_series(0::bigint, :rows - 1) AS n CROSS JOIN LATERAL (SELECT n - CASE WHEN n % 5 = 4 THEN 1 ELSE 0 END AS m) AS original
		JOIN corpus AS x ON x.id = 1 + (m * 7919) % 64000 JOIN corpus AS y ON y.id = 1 + (hashint8(m)::bigint + 2147483648) % 64000
		CROSS JOIN LATERAL (SELECT left(repeat(x.body || ' ', 2), 200) || CASE WHEN n % 5 = 4 THEN ' ' || n ELSE ' ' END || left(repeat(y.body || ' ', 2), 199) AS body) AS text;
		VACUUM ANALYZE made;
	END
	echo "$(run_psql -F ' ' -c 'SELECT count(*), round(avg(length(body))) FROM made' | awk '{print $1 " texts of " $2 " characters"}'):"
	timed "SELECT count(*) || ' rows in clusters' FROM near_duplicate_clusters('SELECT id, fp FROM made', 0.8)"
	clusters=$seconds
	printf '  %-28s %8.2f s   %s\n' near_duplicate_clusters "$seconds" "$answer"
	timed "SELECT count(*) || ' rows removed' FROM deduplicate('SELECT id, fp, body FROM made', 0.8, 'jaccard', guard => '')"
	printf '  %-28s %8.2f s   %s\n' 'deduplicate, verified' "$seconds" "$answer"
	echo "  ratio: $(echo "$seconds $clusters" | awk '{printf "%.2f", $1 / $2}')"
}

echo "machine: $(sh "$(dirname "$0")/machine.sh")"
for part in $PARTS; do "$part"; done

#!/bin/sh
# Measures how many removals of deduplicate are right, and what guards and learned rules make of them, on two corpora whose labels need no reading
# (bench/decisions_corpora.py): package descriptions, right if both have the same package name up to digits, and licences, right if both
# have the same licence expression. These are the tables of docs/similar_is_not_same.md.
#     PGHOST=… PGDATABASE=… sh bench/decisions.sh     some ten minutes; the first call downloads 50 MB
# DRAWS=5 draws fewer samples of labels. The extension must be installed in that database. Uses the schemas txtfp_bench and txtfp_bench_rules, which it
# drops first and, unless KEEP=1, at the end. CORPORA is the folder of the corpora.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
corpora=${CORPORA:-$here/../build/bench/decisions}
python3 "$here/decisions_corpora.py" "$corpora"
drop() { psql -X -q -c 'SET client_min_messages = warning; DROP SCHEMA IF EXISTS txtfp_bench, txtfp_bench_rules CASCADE'; }
drop
for corpus in packages licences; do
	psql -X -q -v ON_ERROR_STOP=1 -v corpus="$corpus" -v draws="${DRAWS:-20}" -f "$here/decisions.sql" <"$corpora/$corpus.copy"
done
# A rule that was learned from all labels of one corpus, on the other one
for corpora_of in packages:licences licences:packages; do
	psql -X -q -v ON_ERROR_STOP=1 -v learned="${corpora_of%:*}" -v scored="${corpora_of#*:}" <<-'END'
		SET search_path = txtfp_bench, public;
		CREATE TEMP TABLE rule AS SELECT decision_rule(format('SELECT label, signals FROM txtfp_bench_rules.%I', :'learned')) AS rule;
		CREATE TEMP TABLE scored AS SELECT decision_score(rule, signals) AS score, label FROM rule, txtfp_bench_rules.:"scored";
		SELECT :'learned' AS "rule from", :'scored' AS "removals of", round((SELECT avg(label::int) FROM scored), 3) AS "of all right", round(precision_at('TABLE scored', 0.5)::numeric, 3) AS "0.5",
			round(precision_at('TABLE scored', 0.7)::numeric, 3) AS "0.7", round(precision_at('TABLE scored', 0.9)::numeric, 3) AS "0.9";
	END
done
[ "${KEEP:-0}" = 1 ] || drop

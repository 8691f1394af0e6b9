#!/bin/sh
# Compares the modes of near_duplicate_clusters on real texts, on a running server: for each mode and threshold the clusters, the rows that would go if
# one of each were kept, how many of these are not similar to it, the largest cluster, and the least similarity of two of its rows.
#     sh scripts/corpus.sh corpus.tsv
#     PGHOST=… PGDATABASE=… sh bench/cluster_modes.sh corpus.tsv
#     THRESHOLDS='0.5 0.8' MAX_SIZE=50 sh bench/cluster_modes.sh corpus.tsv
# It measures no times. Equal texts are one row. The extension must be installed in that database. Uses the schema txtfp_modes, which it drops at both ends.
set -eu

corpus=$1
THRESHOLDS=${THRESHOLDS:-0.5 0.8}
MAX_SIZE=${MAX_SIZE:-50}

. "$(dirname "$0")/schema.sh"
use_schema txtfp_modes
run_psql -c 'CREATE UNLOGGED TABLE corpus (package text, body text)' -c "\\copy corpus FROM '$corpus'" \
	-c 'CREATE UNLOGGED TABLE docs AS SELECT row_number() OVER (ORDER BY min(package)) AS id, to_minhash128(body) AS fp FROM corpus GROUP BY body' \
	-c 'CREATE UNIQUE INDEX ON docs (id)' -c 'ANALYZE docs'
echo "$(run_psql -c 'SELECT count(fp) FROM docs') different texts"
for threshold in $THRESHOLDS; do
	for options in "mode => 'components'" "mode => 'star'" "mode => 'complete'" "mode => 'components', max_size => $MAX_SIZE"; do
		run_psql -c "
			WITH c AS MATERIALIZED (SELECT * FROM near_duplicate_clusters('SELECT id, fp FROM docs', $threshold, $options)),
				largest AS MATERIALIZED (SELECT fp FROM c JOIN docs USING (id) WHERE cluster = (SELECT cluster FROM c ORDER BY size DESC, cluster LIMIT 1))
			SELECT format('| %s, %s | %s | %s | %s | %s | %s | %s |', $threshold, '$(echo "$options" | sed "s/mode => //; s/'//g; s/ =>//")', count(DISTINCT cluster), count(*),
				count(*) FILTER (WHERE id <> cluster), count(*) FILTER (WHERE similarity < $threshold), max(size),
				(SELECT round(min(jaccard(a.fp, b.fp))::numeric, 2) FROM largest AS a CROSS JOIN largest AS b)) FROM c"
	done
done

# What each phase of each bulk function uses when its input is four times as large: the memory of the process grows by less than the values that it has read,
# and the longest processor time without a look for interrupts does not grow beyond that of a small statement in the same session (watch_checks.c). A row whose memory is not freed, and a phase that cannot be
# cancelled, show here whichever function has them. Each case makes one phase the largest: wide values, many pairs of few rows, large clusters.
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use List::Util qw(max min);
use Test::More;

my $folder  = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
my @compile = (split(' ', $ENV{CC} || 'cc'), '-shared', '-fPIC', '-O1', '-o', "$folder/watch_checks.so", "$FindBin::RealBin/watch_checks.c", '-ldl');
plan skip_all => 'needs Linux and a C compiler' if $^O ne 'linux' || !PostgreSQL::Test::Utils::run_log(\@compile);

my $server = new_server('growth',
	conf => "client_connection_check_interval = 1ms\nmaintenance_work_mem = 1MB\nwork_mem = 1MB\nshared_buffers = 1MB\nmax_parallel_maintenance_workers = 0\n");
$server->stop;
{
	local $ENV{LD_PRELOAD}   = "$folder/watch_checks.so";
	local $ENV{TXTFP_CHECKS} = $folder;
	$server->start;
}

# Families of four. What is wide is stored out of line, so that reading it allocates its size.
my $most = by_length(32000, 6000);
$server->safe_psql('postgres', qq{
	CREATE TABLE docs (id int, name text, body text, fp minhash128, hash simhash64, digest tlsh, file lavinhash, vector embedding, passages passages, priority float8);
	ALTER TABLE docs ALTER name SET STORAGE EXTERNAL, ALTER body SET STORAGE EXTERNAL, ALTER fp SET STORAGE EXTERNAL, ALTER vector SET STORAGE EXTERNAL,
		ALTER passages SET STORAGE EXTERNAL, ALTER file SET STORAGE EXTERNAL;
	ALTER TABLE docs SET (toast_tuple_target = 128, parallel_workers = 0);
	INSERT INTO docs SELECT i, lpad(i::text, 400, 'n'), body, to_minhash128(words), to_simhash64(words), to_tlsh(body), to_lavinhash(convert_to(left(body, 300), 'UTF8')),
		to_embedding((SELECT array_agg((sin(i / 4 * j) + (i % 4) * 0.1 * cos(7 * i * j))::real) FROM generate_series(1, 128) AS j)), to_passages(body, 6), i
	FROM generate_series(1, $most) AS i, LATERAL (SELECT array_agg('w' || (i / 4 * 31 + j * (1 + (i % 4 * j) / 40)) % 9973) AS words FROM generate_series(1, 40) AS j) AS w,
		LATERAL (SELECT array_to_string(words, ' ') || repeat(' tail', 150) AS body) AS b;
	CREATE TABLE edges AS SELECT i, lpad((i * 7 % 50)::text, 400, 'e') AS a, lpad((i % 50)::text, 400, 'e') AS b FROM generate_series(1, $most) AS i;
	CREATE TABLE removals AS SELECT id, id / 4 * 4 AS kept, body, body || ' more' AS kept_body, id % 97 / 97.0::float8 AS score, difference_signals(left(body, 300), left(body, 250)) AS signals
	FROM docs;
	CREATE TABLE many AS SELECT i::int AS i, (i / 4 * 7046029254386353131 % 9223372036854775783)::bigint::simhash64 AS hash, i % 97 / 97.0::float8 AS score
	FROM generate_series(1, $most * 30::numeric) AS i;
	ALTER TABLE many SET (parallel_workers = 0);
	ANALYZE});

# [function, what is large, bytes, query, options, typed null]: called with N a quarter of the rows, and all of them. The memory may grow by so many bytes for each of N,
# which is less than half of what is read or written for it; the rest is files. Pairs of the square root are as many as N.
my @cases = (
	['near_duplicate_pairs', 'rows', 400, q{SELECT id, fp FROM docs WHERE id <= N}, ', 0.7'],
	['near_duplicate_pairs', 'hashes', 100, q{SELECT id, hash FROM docs WHERE id <= N * 4}, ', max_distance => 3'],
	['near_duplicate_pairs', 'vectors', 200, q{SELECT id, vector FROM docs WHERE id <= N / 2}, ', 0.95'],
	['near_duplicate_pairs', 'digests', 100, q{SELECT id, digest FROM docs WHERE id <= sqrt(N) * 20}, ', max_distance => 10'],
	['near_duplicate_pairs', 'values', 400, q{SELECT id, file FROM docs WHERE id <= sqrt(N) * 20}, ', min_score => 95'],
	['near_duplicate_pairs', 'pairs', 300, q{SELECT name, zero FROM docs, zero WHERE id <= sqrt(2.0 * N)}, ', threshold => NULL, max_distance => 3', 'NULL::text, '],
	['near_duplicate_pairs_between', 'rows', 400, q{SELECT id, fp FROM docs WHERE id <= 50}, q{, 'SELECT id, fp FROM docs WHERE id <= N', 0.7}],
	['near_duplicate_pairs_between', 'nearest', 400, q{SELECT id, fp FROM docs WHERE id <= N}, q{, 'SELECT id, fp FROM docs WHERE id % 2 = 0', 0.5, nearest => true}],
	['near_duplicate_pairs_between', 'nearest of a crowd', 300, q{SELECT i, zero FROM generate_series(1, 500) AS i, zero}, q{, 'SELECT i, zero FROM generate_series(1, N * 4) AS i, zero', max_distance => 0, nearest => true}],
	['near_duplicate_clusters', 'components', 400, q{SELECT id, fp FROM docs WHERE id <= N}, ', 0.7'],
	['near_duplicate_clusters', 'stars', 400, q{SELECT id, fp, priority FROM docs WHERE id <= N}, q{, 0.7, 'star'}],
	['near_duplicate_clusters', 'complete', 400, q{SELECT id, fp FROM docs WHERE id <= N}, q{, 0.7, 'complete'}],
	['near_duplicate_clusters', 'cuts', 400, q{SELECT id, fp FROM docs WHERE id <= N}, ', thresholds => ARRAY[0.5, 0.7, 0.9]'],
	['near_duplicate_clusters', 'sizes', 400, q{SELECT id, fp FROM docs WHERE id <= N}, ', 0.7, max_size => 2'],
	['near_duplicate_clusters', 'one cut crowd', 400, q{SELECT id, hash FROM docs WHERE id <= sqrt(N) * 20}, ', max_distance => 64, max_size => 2'],
	['near_duplicate_clusters', 'one cut star', 400, q{SELECT id, hash FROM docs WHERE id <= sqrt(N) * 20}, q{, max_distance => 64, max_size => 2, mode => 'star'}],
	['near_duplicate_clusters', 'apart', 300, q{SELECT lpad(id::text, 400, 'e'), hash FROM docs WHERE id <= 50}, q{, threshold => NULL, max_distance => 64, apart => 'SELECT a, b FROM edges WHERE i <= N AND a <> b'}, 'NULL::text, '],
	['near_duplicate_clusters', 'together', 300, q{SELECT lpad(id::text, 400, 'e'), hash FROM docs WHERE id <= 50}, q{, threshold => NULL, max_distance => 3, together => 'SELECT a, b FROM edges WHERE i <= N AND a <> b'}, 'NULL::text, '],
	['near_duplicate_clusters', 'one crowd', 1000, q{SELECT i, zero FROM generate_series(1, N * 10) AS i, zero}, ', max_distance => 3'],
	['near_duplicate_clusters', 'one star', 1000, q{SELECT i, zero FROM generate_series(1, N * 10) AS i, zero}, q{, mode => 'star', max_distance => 3}],
	['deduplicate', 'texts', 700, q{SELECT id, fp, body FROM docs WHERE id <= N / 4}, q{, 0.7, 'jaccard', explain => true, guard => '', tokenizer => 'word-uax29'}],
	['connected_components', 'names', 300, q{SELECT a, b FROM edges WHERE i <= N}, '', 'NULL::text, '],
	['connected_components', 'numbers', 1500, q{SELECT i, i / 2 FROM generate_series(1, N * 20) AS i}, ''],
	['frequent_passages', 'texts', 700, q{SELECT body FROM docs WHERE id <= N}, ''],
	['passage_pairs', 'rows', 600, q{SELECT id, passages FROM docs WHERE id <= N}, ''],
	['passage_pairs', 'pairs', 300, q{SELECT name, zero.passages FROM docs, zero WHERE id <= sqrt(2.0 * N)}, ', 1, 1000', 'NULL::text, '],
	['passage_pairs_between', 'pairs of one row', 2000, q{SELECT 1, to_passages(string_agg('w' || i, ' ' ORDER BY i), 6) FROM generate_series(1, 20 * N + 10) AS i},
		q{, 'SELECT i, to_passages((SELECT string_agg(''w'' || j, '' '' ORDER BY j) FROM generate_series(10 * i, 10 * i + 9) AS j), 6) FROM generate_series(1, N * 2) AS i', min_shared => 1000}],
	['passage_pairs_between', 'rows', 600, q{SELECT id, passages FROM docs WHERE id <= 50}, q{, 'SELECT id, passages FROM docs WHERE id <= N'}],
	# the same window 146 times a row, and all windows of one hash are in memory at once
	['deduplicate_passages', 'words', 7000, q{SELECT id, body FROM docs WHERE id <= N}, q{, 'word', 5}],
	['deduplicate_passages', 'lines', 300, q{SELECT id, body FROM docs WHERE id <= N}, q{, 'line', 1}],
	['deduplicate_passages_between', 'rows', 7000, q{SELECT id, body FROM docs WHERE id <= 50}, q{, 'SELECT id, body FROM docs WHERE id <= N', 'word', 5}],
	['diverse_rows', 'rows', 1200, q{SELECT id, fp FROM docs WHERE id <= N ORDER BY id}, ', N, 0.7'],
	['similarity_histogram', 'rows', 400, q{SELECT fp FROM docs WHERE id <= N}, ', 200'],
	['decision_rule', 'labels', 700, q{SELECT id % 3 = 0, signals FROM removals WHERE id <= N}, ''],
	['removal_sample', 'removals', 300, q{SELECT a, b, i / 100000.0::float8 FROM edges WHERE i <= N}, ', n => 100', 'NULL::text, '],
	['removal_precision', 'labels', 100, q{SELECT '1 of 1: 100000 rows', id % 3 = 0 FROM docs WHERE id <= N}, ''],
	['near_duplicate_pairs', 'many', 2000, q{SELECT i, hash FROM many WHERE i <= N * 30}, ', max_distance => 0'],
	['near_duplicate_pairs', 'many names', 6000, q{SELECT i::text, hash FROM many WHERE i <= N * 30}, ', threshold => NULL, max_distance => 0', 'NULL::text, '],
	['near_duplicate_pairs', 'many names in memory', 24000, q{SELECT lpad(i::text, 80, 'n'), hash FROM many WHERE i <= N * 30}, ', threshold => NULL, max_distance => 0', 'NULL::text, '],
	['near_duplicate_clusters', 'many', 2000, q{SELECT i, hash FROM many WHERE i <= N * 30}, ', max_distance => 0'],
	['near_duplicate_clusters', 'many stars', 2000, q{SELECT i, hash, score FROM many WHERE i <= N * 30}, q{, mode => 'star', max_distance => 0}],
	['near_duplicate_clusters', 'many complete', 2000, q{SELECT i, hash FROM many WHERE i <= N * 30}, q{, mode => 'complete', max_distance => 0}],
	['near_duplicate_clusters', 'many sizes', 2000, q{SELECT i, hash FROM many WHERE i <= N * 30}, q{, max_size => 2, max_distance => 0}],
	['near_duplicate_clusters', 'many apart', 3000, q{SELECT i, hash FROM many WHERE i <= N * 30}, q{, max_distance => 0, apart => 'SELECT i, i + 1 FROM many WHERE i <= N * 30'}],
	['deduplicate', 'many', 2000, q{SELECT i, hash FROM many WHERE i <= N * 30}, q{, max_distance => 0}],
	['similarity_histogram', 'many', 1000, q{SELECT hash FROM many WHERE i <= N * 30}, ', 30'],
	['removal_sample', 'many', 500, q{SELECT i, i / 4, score FROM many WHERE i <= N * 30}, ', 100'],
	['passage_pairs', 'many', 3000, q{SELECT i, passages FROM many, zero WHERE i <= N * 5}, ''],
	['sketch', 'build with bands', 400, q{CREATE INDEX "docs_fp_N" ON docs USING sketch (fp) WHERE id <= N}],
	['sketch', 'build without bands', 100, q{CREATE INDEX "docs_file_N" ON docs USING sketch (file) WHERE id <= N}],
	['sketch', 'check', 100, q{SELECT sketch_check('"docs_fp_N"', true)}],
	['sketch', 'search of all groups', 100, q{SELECT count(*) FROM docs WHERE id <= N AND lavinhash_similar(file, (SELECT file FROM docs WHERE id = 77), 50)}],
	['sketch', 'nearest', 400, q{SELECT count(*) FROM (SELECT id FROM docs WHERE id <= N ORDER BY fp <%> (SELECT fp FROM docs WHERE id = 77)) AS x}],
	['sketch', 'join', 400, q{SELECT count(*) FROM docs AS x JOIN docs AS y ON y.id <= N AND minhash_similar(y.fp, x.fp, 0.7) WHERE x.id <= N / 10}],
	['fingerprint_index_recall', 'probes', 400, q{SELECT fingerprint_index_recall('"docs_fp_N"', N / 10)}],
	['live_clusters_fill', 'components', 400, q{CALL live_clusters_fill('"live_N"', 1000000)}],
	['live_clusters_check', 'components', 400, q{SELECT count(*) FROM live_clusters_check('"live_N"')}],
	['live_clusters_fill', 'stars', 400, q{CALL live_clusters_fill('"stars_N"', 1000000)}],
	['live_clusters_check', 'stars', 400, q{SELECT count(*) FROM live_clusters_check('"stars_N"')}],
	['live_clusters_trigger', 'update', 400, q{UPDATE "live_N" SET hash = hash WHERE id % 2 = 0; UPDATE "live_N" SET hash = (id / 8)::bit(64)::simhash64}],
	['live_clusters_trigger', 'delete', 400, q{DELETE FROM "live_N" WHERE id % 3 = 0}],
	['review_page', 'removals', 700, q{SELECT id, kept, body AS text, kept_body AS kept_text FROM removals WHERE id <= N}, ', pairs => 50'],
);
$server->safe_psql('postgres', q{CREATE TABLE zero AS SELECT '0'::bit(64)::simhash64 AS zero, to_passages('one two three four five six seven eight nine ten', 6) AS passages});

# What has to be there before: outside of what is measured
my $live = q{CREATE TABLE "live_N" AS SELECT id, hash FROM docs WHERE id <= N / 8; ALTER TABLE "live_N" ADD PRIMARY KEY (id); CREATE INDEX ON "live_N" USING sketch (hash);
	CALL live_clusters_create('"live_N"', 'id', 'hash', max_distance => 3);};
my %prepare = ('live_clusters_fill, components' => $live, 'live_clusters_fill, stars' => $live =~ s/"live_N"/"stars_N"/gr =~ s/max_dist/mode => 'star', max_dist/r,
	(map { $_ => q{SET maintenance_work_mem = '256MB';} } 'near_duplicate_pairs, many names in memory', 'passage_pairs_between, pairs of one row'),
	map { ("sketch, $_" => 'SET enable_seqscan = off; SET enable_indexscan = on;') } 'search of all groups', 'nearest', 'join');

# It computes inside guarded, where only a cancellation is looked for, not any interrupt; test/unit/decide.cpp counts the looks.
my %guarded = (decision_rule => 1);

# How long anything may go without a look: as long as this takes in the same session
my $yardstick = 'SELECT max(hashtextextended(i::text, 0)) FROM generate_series(1, 40000) AS i';
# A value of 120,000 words is read at once.
my %patience = ('passage_pairs_between, pairs of one row' => 2);

# The longest processor time without a look for interrupts, that of the yardstick, and the largest memory, in kB, of a call for n rows
sub measure
{
	my ($case, $n) = @_;
	my ($function, $name, undef, $rows, $options, $type) = @$case;
	my $call = defined $options ? "SELECT count(*) FROM $function(" . ($type // '') . "\$q\$$rows\$q\$$options)" : $rows;
	my $before = $prepare{"$function, $name"} // '';
	s/(?<![A-Za-z])N\b/$n/g for $call, $before;
	my ($result, $out, $err) = $server->psql('postgres', qq{
		SET client_min_messages = warning;
		SELECT FROM near_duplicate_clusters('SELECT id, fp FROM docs WHERE id <= 10', 0.7); -- loads what is loaded once
		$before
		$yardstick;
		$yardstick;
		$call;
		SELECT pg_read_file('$folder/' || pg_backend_pid())});
	is($err, '', "$function, $name: $n rows");
	my @lines = map { [split] } $out =~ /^\d+ \d+ \d+$/mg;
	my @calls = splice @lines, -($call =~ tr/;// + 1);
	die "$function: $out" unless @calls && @lines >= 2;
	return (max(map { $_->[1] } @calls), min($lines[-1][0], $lines[-2][0]), max(map { $_->[2] } @calls));
}

for my $case (@cases)
{
	my ($function, $name, $bytes, $rows, $options) = @$case;
	my ($few, undef, $before) = measure($case, $most / 4);
	my ($silence, $yard, $memory) = measure($case, $most);
	my $limit = sub { max(2 * $few, $yard * ($patience{"$function, $name"} // 1)) };
	unless ($guarded{$function})
	{
		# A machine that is busy with others takes away some time now and then, but hardly from the same place again.
		my $repeats = $rows =~ /SELECT/ && defined $options ? 4 : 0;
		($silence, $yard) = measure($case, $most) while $silence > $limit->() && $repeats-- > 0;
		cmp_ok($silence, '<=', $limit->(), "$function, $name: looks for interrupts (longest time without: $few us of a quarter, yardstick $yard)");
	}
	cmp_ok($memory - $before, '<=', 500 + $bytes * $most * 3 / 4 / 1024, "$function, $name: memory does not grow with what is read ($before kB for a quarter)");
}

my $without = $server->safe_psql('postgres', "SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'f' AND proargnames && '{query,query_a}' AND pronamespace = 'public'::regnamespace
	AND NOT proname = ANY ('{" . join(',', map { $_->[0] } @cases) . "}') ORDER BY 1");
is($without, '', 'every function of a query has a case here');
# ---- what builds report of themselves, phase by phase

$server->safe_psql('postgres', 'CREATE TABLE seen (phase text, done bigint)');
for ([ 'scanning table', 'docs (fp)', $most ], [ 'writing groups of rows', 'many (i, hash)', 30 * $most ])
{
	my ($phase, $index, $rows) = @$_;
	# The build goes on by a millisecond whenever the other session has looked.
	my ($build, $error) = start_sql($server, "DO \$\$ BEGIN EXECUTE format('COPY (SELECT) TO %L', '$folder/slow.' || pg_backend_pid()); END \$\$",
		'CREATE INDEX reported ON ' . $index =~ s/ / USING sketch /r);
	$server->safe_psql('postgres', qq{TRUNCATE seen;
		DO \$\$ BEGIN
			FOR i IN 1 .. 60000 LOOP
				PERFORM pg_stat_clear_snapshot();
				INSERT INTO seen SELECT phase, tuples_done FROM pg_stat_progress_create_index;
				EXIT WHEN NOT FOUND AND EXISTS (SELECT FROM seen); -- it has ended
				COPY (SELECT) TO '$folder/step';
				PERFORM pg_sleep(0.001);
			END LOOP;
		END \$\$});
	unlink glob "$folder/slow.*";
	$build->finish;
	is($$error, '', "an index on $index");
	is($server->safe_psql('postgres', "SELECT count(DISTINCT done) > 2 AND min(done) < $rows / 2 AND max(done) <= $rows FROM seen WHERE phase = 'building index: $phase'"),
		't', "$index: rows while $phase") or diag $server->safe_psql('postgres', 'SELECT phase, count(*), min(done), max(done) FROM seen GROUP BY 1');
	$server->safe_psql('postgres', 'DROP INDEX reported');
}
$server->stop;
done_testing();

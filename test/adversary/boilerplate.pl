# near_duplicate_pairs and near_duplicate_clusters of rows that share most of their text: growth with the number of rows, and
# results. Limits apply to growth and to files, not to seconds. Four times the rows may take eight times as long, because the keys of few rows
# stay in the caches of the processor; comparing each row with each would take sixteen times as long.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use TxtfpTest;
use Test::More;

my $server = new_server('boilerplate', conf => "log_temp_files = 0\n");

# n rows of 40 tokens, `shared` of which all have; every `copy_step`-th row (0: none) is nearly the one before it.
sub make_rows
{
	my ($name, $n, $shared, $copy_step, $families) = @_;
	$families ||= 1;
	my $own = $copy_step ? "CASE WHEN i % $copy_step = 0 AND t > 1 THEN i - 1 ELSE i END" : 'i';
	$server->safe_psql('postgres', qq{
		CREATE TABLE $name AS SELECT i AS id, to_minhash128(array(SELECT 'x' || t || ' ' || i % $families FROM generate_series(1, $shared) AS t)
			|| array(SELECT 'y' || $own || ' ' || t FROM generate_series(1, 40 - $shared) AS t)) AS fp FROM generate_series(1, $n) AS i});
}

# Returns (seconds, rows of the result, bytes of temporary files) of a query: the processor time of the session, the minimum of
# several runs, so that other load on the machine does not matter. The system counts hundredths of a second, so a short query is executed
# several times in each run.
sub measure
{
	my ($query, $runs, $executions) = @_;
	$executions //= 1;
	my $clock = q{SELECT 'ticks', split_part(s, ' ', 12)::int + split_part(s, ' ', 13)::int FROM (SELECT regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', 'x ') AS s) AS stat};
	my ($least, $rows, $files);
	for (1 .. $runs)
	{
		my $from = -s $server->logfile;
		my $out  = $server->safe_psql('postgres', "$clock; " . "$query; " x $executions . $clock);
		my @ticks = $out =~ /^ticks\|(\d+)$/mg;
		($rows) = $out =~ /^(\d+)$/m;
		my $seconds = ($ticks[1] - $ticks[0] + 0.5) / 100 / $executions;
		$least = $seconds unless defined $least && $least < $seconds;
		my $said = substr PostgreSQL::Test::Utils::slurp_file($server->logfile), $from;
		$files = 0;
		$files += $1 while $said =~ /temporary file: .* size (\d+)/g;
	}
	return ($least, $rows, $files / $executions);
}

sub pairs    { return "SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM $_[0]', 0.8)" }
sub clusters { return "SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM $_[0]', 0.8)" }

# ---- growth without output: 24 of 40 tokens are shared, Jaccard 0.43, or 30, Jaccard 0.60

for my $shared (24, 30)
{
	make_rows("s$shared", 10000, $shared, 0);
	make_rows("l$shared", 40000, $shared, 0);
	for my $function (\&pairs, \&clusters)
	{
		my ($small, $few) = measure($function->("s$shared"), 3, 8);
		my ($large, $many, $files) = measure($function->("l$shared"), 2, 2);
		my $name = $function == \&pairs ? 'pairs' : 'clusters';
		cmp_ok($few + $many, '<=', 100, "$name, $shared of 40 shared: hardly a pair");
		# clusters compares each row with up to 255 rows before it, which small buckets do not have
		cmp_ok($large / $small, '<=', $name eq 'pairs' ? 8 : 9, sprintf('%s, %d of 40 shared: four times the rows take %.1f times as long', $name, $shared, $large / $small));
		cmp_ok($files, '<=', 4 * 40000 * 1024, sprintf('%s, %d of 40 shared: temporary files of %.1f times the sketches', $name, $shared, $files / (40000 * 1024)));
	}
}

# ---- growth with output: 33 of 40, Jaccard 0.70, so estimation errors make some pairs; linear in rows and pairs

make_rows('s33', 10000, 33, 0);
make_rows('l33', 40000, 33, 0);
my ($small, $few)          = measure(pairs('s33'), 3, 4);
my ($large, $many, $files) = measure(q{SET work_mem = '2GB'; } . pairs('l33'), 2); # so that the result is kept in memory
my $growth = (40000 + $many) / (10000 + $few);
note(sprintf('33 of 40 shared: %d and %d pairs, %.1f times as long', $few, $many, $large / $small));
cmp_ok($large / $small, '<=', 1.4 * $growth, sprintf('33 of 40 shared: grows by %.1f, rows and pairs by %.1f', $large / $small, $growth));
cmp_ok($files, '<=', 4 * 40000 * 1024, sprintf('33 of 40 shared: temporary files of %.1f times the sketches', $files / (40000 * 1024)));

# ---- growth where most pairs are similar: 36 of 40, Jaccard 0.82; clusters need no pairs, so they are linear in the rows

make_rows('s36', 1500, 36, 0);
make_rows('l36', 6000, 36, 0);
($small, $few) = measure(pairs('s36'), 3);
($large, $many) = measure(pairs('l36'), 2);
$growth = (6000 + $many) / (1500 + $few);
cmp_ok($few, '>', 300000, "36 of 40 shared: $few pairs");
cmp_ok($large / $small, '<=', 1.4 * $growth, sprintf('36 of 40 shared: grows by %.1f, rows and pairs by %.1f', $large / $small, $growth));
make_rows('c36', 40000, 36, 0);
for my $case ([ 's33', 'l33', 33 ], [ 'l36', 'c36', 36 ])
{
	my ($fewer, $more, $shared) = @$case;
	my $times = $shared == 33 ? 4 : 40000 / 6000;
	($small) = measure(clusters($fewer), 3, 8);
	($large) = measure(clusters($more), 2, 2);
	cmp_ok($large / $small, '<=', 2.5 * $times, sprintf('clusters, %d of 40 shared: %.1f times the rows take %.1f times as long', $shared, $times, $large / $small));
}

# ---- families of templates: as many families as there are hundreds of rows, each with 33 of 40 tokens in common. Each family stays as
# large as it is, so pairs and time grow with the rows.

make_rows('sf', 5000, 33, 0, 50);
make_rows('lf', 20000, 33, 0, 200);
for my $function (\&pairs, \&clusters)
{
	($small, $few) = measure($function->('sf'), 3, 8);
	($large, $many) = measure($function->('lf'), 2, 2);
	my $name = $function == \&pairs ? 'pairs' : 'clusters';
	cmp_ok($many / $few, '<', 6, "families, $name: the result grows from $few to $many");
	cmp_ok($large / $small, '<=', 8, sprintf('families, %s: four times the rows take %.1f times as long', $name, $large / $small));
}

# ---- searches: where most rows share boilerplate, the planner scans the table, which visits each row once; in one of 50 families it uses
# the index, which visits the family

for my $case ([ 's33', 10000, 10000 ], [ 'l36', 6000, 6000 ], [ 'sf', 5000, 200 ])
{
	my ($table, $rows, $visited) = @$case;
	$server->safe_psql('postgres', "CREATE INDEX ON $table USING gin (fp) WITH (fastupdate = off); VACUUM ANALYZE $table");
	my $plan = $server->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT FROM $table WHERE minhash_similar(fp, (SELECT fp FROM $table WHERE id = 7 LIMIT 1), 0.8)");
	my $main = $plan =~ /(Bitmap Heap Scan on $table\b.*)/s ? $1 : $plan;
	my ($found)   = $main =~ /rows=(\d+)/;
	my ($removed) = $main =~ /Rows Removed by (?:Index Recheck|Filter): (\d+)/;
	like($plan, $visited == $rows ? qr/^Seq Scan on $table/ : qr/Bitmap Index Scan/, "$table: " . ($visited == $rows ? 'a scan' : 'the index'));
	cmp_ok($found + ($removed // 0), '<=', $visited, "$table: " . ($found + ($removed // 0)) . " of $rows rows visited");
}

# ---- results compared with those of all pairs, for several shares, families and thresholds

for my $case ([ 8, 1 ], [ 20, 1 ], [ 28, 1 ], [ 33, 1 ], [ 36, 1 ], [ 30, 2 ], [ 36, 3 ])
{
	my ($shared, $families) = @$case;
	make_rows('t', 2500, $shared, 7, $families);
	for my $threshold (0.5, 0.8, 0.9)
	{
		my ($truth, $found, $wrong, $several) = split /\|/, $server->safe_psql('postgres', qq{
			WITH truth AS MATERIALIZED (SELECT x.id AS a, y.id AS b FROM t AS x JOIN t AS y ON x.id < y.id WHERE jaccard(x.fp, y.fp) >= $threshold),
			found AS MATERIALIZED (SELECT * FROM near_duplicate_pairs('SELECT id, fp FROM t', $threshold))
			SELECT (SELECT count(*) FROM truth), (SELECT count(*) FROM found),
				(SELECT count(*) FROM (SELECT a, b FROM found EXCEPT SELECT a, b FROM truth) AS w), (SELECT count(*) - count(DISTINCT (a, b)) FROM found)});
		my $name = "$shared of 40 shared in $families families, $threshold";
		is($wrong,   0, "$name: no wrong pair");
		is($several, 0, "$name: none twice");
		cmp_ok($found, '>=', 0.98 * $truth, "$name: $found of $truth found");
	}
	$server->safe_psql('postgres', 'DROP TABLE t');
}

done_testing();

# What searches by the access method sketch count: fingerprint_index_info of all sessions, and EXPLAIN (ANALYZE), both from PostgreSQL 18 on. What an index costs that does not exist yet.
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = new_server('counts', conf => "max_parallel_maintenance_workers = 0\nmax_parallel_workers_per_gather = 0\n");
sub sql { return $server->safe_psql('postgres', $_[0]) }
# The leading column has no counts.
my $own_counts    = "fingerprint_index_info('docs_fp') WHERE bands IS NOT NULL";
my $server_counts = "fingerprint_index_info('docs_fp', of_server => true) WHERE bands IS NOT NULL";
my $columns = 'by_bands, by_leading_columns, of_all_groups, groups_read, rows_compared, rows_returned';
my $probe   = '(SELECT fp FROM docs WHERE id = 77)';
my @searches = ("SELECT count(*) FROM docs WHERE minhash_similar(fp, $probe, 0.9)", "SELECT count(*) FROM docs WHERE minhash_similar(fp, $probe, 0.4)",
	"SELECT count(*) FROM docs WHERE part = 3 AND minhash_similar(fp, $probe, 0.4)",
	"SELECT count(*) FROM (SELECT FROM docs ORDER BY fp <%> $probe LIMIT 3) AS x", "SELECT count(*) FROM docs AS d, docs AS p WHERE p.id <= 5 AND minhash_similar(d.fp, p.fp, 0.9)");

sql(q{CREATE TABLE docs AS SELECT i AS id, i % 50 AS part, to_minhash128(ARRAY['a', 'b', 'text', (i / 3)::text, (i / 3 * 7)::text, (i / 2)::text]) AS fp FROM generate_series(1, 10000) AS i;
	CREATE INDEX docs_fp ON docs USING sketch (part, fp); CREATE UNIQUE INDEX ON docs (id); ANALYZE docs});
# An index that does not exist costs as much as one of the same size without bands, and is not opened.
SKIP:
{
	my $library = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir()) . '/hypothetical_index.so';
	my ($include) = PostgreSQL::Test::Utils::run_command([ $ENV{PG_CONFIG} || 'pg_config', '--includedir-server' ]);
	my @compile = (split(' ', $ENV{CC} || 'cc'), '-shared', '-fPIC', "-I$include", '-o', $library, "$FindBin::RealBin/hypothetical_index.c");
	skip 'needs a C compiler and the headers of the server', 12 if !PostgreSQL::Test::Utils::run_log(\@compile);
	sql(q{CREATE TABLE few AS SELECT i % 5 AS part, to_minhash128(ARRAY['w' || i, 'x' || i / 2]) AS m, to_minhash64(ARRAY['w' || i, 'x' || i / 2])::minhash64_compact AS c,
			(i * 7046029254386353131 % 9223372036854775783)::bigint::simhash64 AS s, to_lavinhash(convert_to(repeat(md5(i::text), 9), 'UTF8')) AS l FROM generate_series(1::numeric, 1500) AS i;
		CREATE INDEX ON few USING sketch (part, m); CREATE INDEX ON few USING sketch (c); CREATE INDEX ON few USING sketch (s); CREATE INDEX ON few USING sketch (l); ANALYZE few});
	for my $search ('minhash_similar(m, $q, 0.8)', 'part = 3 AND minhash_similar(m, $q, 0.8)', 'minhash_similar(c, $q, 0.8)', 'simhash_similar(s, $q, 5)', 'lavinhash_similar(l, $q, 60)', '')
	{
		my ($column) = $search =~ /similar\((\w)/;
		my $value = $column ? sql("SELECT $column FROM few LIMIT 1") : sql('SELECT s FROM few LIMIT 1');
		my $query = 'EXPLAIN SELECT FROM few ' . ($search ? 'WHERE ' . $search =~ s/\$q/'$value'/r : "ORDER BY s <#> '$value' LIMIT 3");
		my ($existing, $hypothetical) = map { sql("$_ SET enable_seqscan = off; $query") } '', "LOAD '$library';";
		like($hypothetical, qr/Scan (using|on) few_/, $search || 'nearest rows');
		is($hypothetical, $existing, "cost: $search");
	}
}

like(($server->psql('postgres', q{\set VERBOSITY verbose
	SELECT fingerprint_index_info('docs_fp', of_server => true)}))[2], qr/ERROR:  55000: this server does not count searches.*18/s, 'a server without the library says that it does not count');
if ($server->pg_version < 18)
{
	$server->stop;
	done_testing();
	exit;
}

# Statements of one session; without a sequential scan.
sub session { return sql("SET enable_seqscan = off; SET enable_bitmapscan = off;\n" . join(";\n", @_)) }
# The counts of the server, once the sessions before have ended: a session tells its counts before it leaves the view.
sub of_server
{
	wait_until($server, "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type IN ('client backend', 'parallel worker')");
	return sql("SELECT concat_ws(' ', $columns) FROM $server_counts");
}

$server->append_conf('postgresql.conf', "shared_preload_libraries = 'txtfp'");
$server->restart;
is(of_server(), '0 0 0 0 0 0', 'nothing has been counted');
my @sum = (0) x 6;
my $all_groups;
my $add = sub { my @counts = split ' ', $_[0]; $sum[$_] += $counts[$_] for 0 .. 5; return "@sum" };

for my $search (@searches)
{
	my ($plan, $own) = split /^=\n/m, session("EXPLAIN (ANALYZE, FORMAT json) $search", q{SELECT '='}, "SELECT concat_ws(' ', $columns) FROM $own_counts");
	my %label = ('Searches by Bands' => 0, 'Searches by Leading Columns' => 1, 'Searches of All Groups' => 2, 'Groups Read' => 3, 'Rows Compared' => 4, 'Rows Returned' => 5);
	my @explained = (0) x 6;
	$explained[ $label{$_} ] += $plan =~ /"$_": (\d+)/ ? $1 : -1 for keys %label;
	is("@explained", $own, "EXPLAIN shows what the session counts: $own of $search");
	$all_groups = (split ' ', $own)[3] if $own =~ /^0 0 1/;
	is(of_server(), $add->($own), 'the server counts the same');
}
cmp_ok($sum[$_], '>', 0, "there were searches of the way $_") for 0 .. 2;
is($sum[0] + $sum[1] + $sum[2], 9, 'five of them in one node of a plan');

my $text = session("EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $searches[0]");
like($text, qr/Searches by Bands: 1\s+Groups Read: \d+\s+Rows Compared: \d+\s+Rows Returned: 2$/m, 'as text');
unlike($text, qr/Searches by Leading|All Groups/, 'without the ways that were not taken');
unlike(session("EXPLAIN $searches[0]"), qr/Searches|Groups Read/, 'nothing without ANALYZE');
unlike(sql('EXPLAIN (ANALYZE) SELECT FROM docs WHERE id = 7'), qr/Groups Read/, 'nothing of other indexes');
like(sql("SET enable_seqscan = off; SET enable_indexscan = off; EXPLAIN (ANALYZE) $searches[1]"), qr/Bitmap Index Scan.*Searches of All Groups: 1/s, 'of a bitmap scan');

# ---- workers, settings, restarts, dropped indexes

my $before = of_server();
my $parallel = session(
	'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; SET cpu_operator_cost = 1',
	"EXPLAIN (ANALYZE) $searches[1]");
like($parallel, qr/Workers Launched: [12].*Parallel Index Scan using docs_fp.*Counted Process: leader/s, 'of a parallel plan, EXPLAIN says whose part it shows');
is((split ' ', of_server())[3] - (split ' ', $before)[3], $all_groups, 'the server counts what the workers did, too');

$before = of_server();
sql("SET track_counts = off; SET enable_seqscan = off; $searches[0]");
$server->restart;
is(of_server(), $before, 'counts survive a restart; nothing is counted without track_counts');
my $oid = sql(q{SELECT 'docs_fp'::regclass::oid});
my $exists = "SELECT pg_stat_have_stats('txtfp', (SELECT oid FROM pg_database WHERE datname = 'postgres'), $oid)";
is(sql($exists), 't', 'there is an entry');
sql('REINDEX INDEX docs_fp');
is(of_server(), $before, 'REINDEX keeps the counts');
sql('BEGIN; DROP INDEX docs_fp; ROLLBACK');
is(of_server(), '0 0 0 0 0 0', 'the counts of an index whose DROP is rolled back begin anew');
session($searches[0]);
like(of_server(), qr/^1 /, 'and go on');
session($searches[0], 'BEGIN', 'DROP INDEX docs_fp', 'COMMIT');
is(sql($exists), 'f', 'an index that is dropped leaves no entry');

sql('CREATE INDEX docs_fp ON docs USING sketch (part, fp)');
session($searches[0]);
$server->stop('immediate');
$server->start;
like(of_server(), qr/^[01]/, 'after a crash, the server counts on');
$server->stop;
done_testing();

# What searches by the access method sketch count: EXPLAIN (ANALYZE) from PostgreSQL 18 on, beside fingerprint_index_info. What an index costs that does not exist yet.
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
my $own_counts = "fingerprint_index_info('docs_fp') WHERE bands IS NOT NULL";
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

if ($server->pg_version < 18)
{
	$server->stop;
	done_testing();
	exit;
}

# Statements of one session; without a sequential scan.
sub session { return sql("SET enable_seqscan = off; SET enable_bitmapscan = off;\n" . join(";\n", @_)) }

my @sum = (0) x 6;
for my $search (@searches)
{
	my ($plan, $own) = split /^=\n/m, session("EXPLAIN (ANALYZE, FORMAT json) $search", q{SELECT '='}, "SELECT concat_ws(' ', $columns) FROM $own_counts");
	my %label = ('Searches by Bands' => 0, 'Searches by Leading Columns' => 1, 'Searches of All Groups' => 2, 'Groups Read' => 3, 'Rows Compared' => 4, 'Rows Returned' => 5);
	my @explained = (0) x 6;
	$explained[ $label{$_} ] += $plan =~ /"$_": (\d+)/ ? $1 : -1 for keys %label;
	is("@explained", $own, "EXPLAIN shows what the session counts: $own of $search");
	my @counts = split ' ', $own;
	$sum[$_] += $counts[$_] for 0 .. 5;
}
cmp_ok($sum[$_], '>', 0, "there were searches of the way $_") for 0 .. 2;
is($sum[0] + $sum[1] + $sum[2], 9, 'five of them in one node of a plan');

my $text = session("EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $searches[0]");
like($text, qr/Searches by Bands: 1\s+Groups Read: \d+\s+Rows Compared: \d+\s+Rows Returned: 2$/m, 'as text');
unlike($text, qr/Searches by Leading|All Groups/, 'without the ways that were not taken');
unlike(session("EXPLAIN $searches[0]"), qr/Searches|Groups Read/, 'nothing without ANALYZE');
unlike(session("EXPLAIN $searches[3]"), qr/Inexact Order/, 'an exact search in order');
like(session('SET txtfp.sketch_recall = 0.9', "EXPLAIN $searches[3]"), qr/Inexact Order: by bands, then all other rows/, 'an inexact one');
like(session('SET txtfp.sketch_recall = 0.9', 'SET txtfp.sketch_order_all = off', "EXPLAIN $searches[3]"), qr/Inexact Order: by bands alone/, 'one that ends');
unlike(session('SET txtfp.sketch_recall = 0.9', 'EXPLAIN ' . $searches[3] =~ s/ ORDER BY/ WHERE jaccard(fp, (SELECT fp FROM docs WHERE id = 7)) >= 0.3 ORDER BY/r), qr/Inexact Order/, 'one that a condition makes exact');
unlike(sql('EXPLAIN (ANALYZE) SELECT FROM docs WHERE id = 7'), qr/Groups Read/, 'nothing of other indexes');
like(sql("SET enable_seqscan = off; SET enable_indexscan = off; EXPLAIN (ANALYZE) $searches[1]"), qr/Bitmap Index Scan.*Searches of All Groups: 1/s, 'of a bitmap scan');

$server->stop;
done_testing();

# Indexes of the access method sketch that are not logged (unlogged, temporary, wal_level = minimal) are complete after a clean restart and empty
# or as they were after a crash. Searches are counted. If vacuum never merges the tables of a band directory, writers do.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;

my $server = new_server('storage', conf => "wal_level = minimal\nmax_wal_senders = 0\nshared_buffers = 16MB\ncheckpoint_timeout = 1h\nmax_wal_size = 4GB\n");
my $fp = sub { "to_minhash256(ARRAY[$_[0]::text, 'a', 'b'])" };
$server->safe_psql('postgres', qq{
	CREATE FUNCTION answers(name text) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS \$\$
	DECLARE answer text;
	BEGIN
		EXECUTE format('SELECT count(*) || '' '' || coalesce(sum(n), 0) FROM (SELECT n FROM %1\$I WHERE minhash_similar(fp, %2\$L, 0.9) UNION ALL SELECT n FROM %1\$I WHERE minhash_similar(fp, %2\$L, 0.1)) AS x', name, ${\ $fp->(77)}) INTO answer;
		RETURN answer;
	END \$\$;});
# `before` rows are in the table when the index is built, `after` rows are inserted later
sub create
{
	my ($name, $kind, $before, $after) = @_;
	return "BEGIN; CREATE $kind TABLE $name (n int, fp minhash256); INSERT INTO $name SELECT n, ${\ $fp->('n')} FROM generate_series(1, $before) AS n;"
	  . "CREATE INDEX ${name}_fp ON $name USING sketch (fp); INSERT INTO $name SELECT n, ${\ $fp->('n')} FROM generate_series($before + 1, $before + $after) AS n; COMMIT;";
}
my %table = (unlogged_small => [ 'UNLOGGED', 100, 50 ], unlogged_large => [ 'UNLOGGED', 4200, 1000 ], unlogged_filled => [ 'UNLOGGED', 0, 5200 ],
	minimal_small => [ '', 100, 50 ], minimal_large => [ '', 4200, 1000 ], minimal_filled => [ '', 0, 5200 ]);
$server->safe_psql('postgres', create($_, @{ $table{$_} })) for sort keys %table;
my $state = sub { return $server->safe_psql('postgres', "SELECT sketch_check('$_[0]_fp', true), answers('$_[0]'), bands, covered_rows > 0 FROM fingerprint_index_info('$_[0]_fp')") };
my %before = map { $_ => $state->($_) } keys %table;
like($before{unlogged_large}, qr/^5200\|5201 \d+\|52\|t$/, 'the large indexes have directories');
like($before{unlogged_filled}, qr/^5200\|5201 \d+\|52\|t$/, 'so has one that writers filled');
is($before{minimal_large}, $before{unlogged_large}, 'and those of tables that are logged');

$server->restart;
is($state->($_), $before{$_}, "$_: the same after a clean restart") for sort keys %table;
$server->safe_psql('postgres', "INSERT INTO $_ VALUES (1000000, ${\ $fp->(77)}); DELETE FROM $_ WHERE n % 3 = 0; VACUUM $_") for sort keys %table;
%before = map { $_ => $state->($_) } keys %table;
$server->restart;
is($state->($_), $before{$_}, "$_: the same after writes, vacuum and a restart") for sort keys %table;

$server->stop('immediate');
$server->start;
for my $name (sort keys %table)
{
	is($state->($name), $name =~ /unlogged/ ? '0|0 0|0|f' : $before{$name}, "$name: after a crash " . ($name =~ /unlogged/ ? 'empty' : 'the same'));
	$server->safe_psql('postgres', "INSERT INTO $name SELECT n, ${\ $fp->('n')} FROM generate_series(1, 300) AS n");
	like($state->($name), qr/^\d+\|\d+ \d+\|/, "$name: writable after a crash");
}

my $temporary = $server->safe_psql('postgres', create('passing', 'TEMP', 4200, 1000) . "SELECT sketch_check('passing_fp', true), answers('passing'), bands FROM fingerprint_index_info('passing_fp');"
	  . "DELETE FROM passing WHERE n % 3 = 0; VACUUM passing; SELECT sketch_check('passing_fp', true)");
like($temporary, qr/^5200\|5201 \d+\|52\n3467$/, 'a temporary index');

# ---- pg_stat_user_indexes counts each search

my $count = sub { return $server->safe_psql('postgres', "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'minimal_large_fp'") };
my $searches = $count->();
$server->safe_psql('postgres', q{SELECT answers('minimal_large'); SET enable_seqscan = off; SELECT n FROM minimal_large ORDER BY fp <%> (SELECT fp FROM minimal_large LIMIT 1) LIMIT 1;
	SET enable_indexscan = off; SELECT count(*) FROM minimal_large WHERE fp % (SELECT fp FROM minimal_large LIMIT 1)});
ok(wait_until($server, "SELECT idx_scan = $searches + 4 FROM pg_stat_user_indexes WHERE indexrelname = 'minimal_large_fp'"), 'four searches were counted: two, one in order, one bitmap')
  or diag($searches . ' before, ' . $count->() . ' after');
SKIP:
{
	skip 'EXPLAIN counts searches of an index from 18 on', 1 if $server->pg_version < 18;
	like($server->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN (ANALYZE) SELECT count(*) FROM minimal_large WHERE fp % (SELECT fp FROM minimal_large LIMIT 1)'), qr/Index Searches: 1/, 'EXPLAIN counts searches');
}

# ---- no vacuum at all: writers warn once and merge by themselves

my $expression = $fp->('n');
$server->safe_psql('postgres', "CREATE UNLOGGED TABLE busy (n int); CREATE INDEX busy_fp ON busy USING sketch (($expression))");
my ($rows, $warnings, $most, $uncovered) = (0, 0, 0, 0);
for (1 .. 26)
{
	my ($status, $out, $err) = $server->psql('postgres', "INSERT INTO busy SELECT n FROM generate_series($rows + 1, $rows + 8000) AS n; SELECT tables, other_rows FROM fingerprint_index_info('busy_fp')");
	my ($tables, $others) = split /\|/, $out;
	$warnings += () = $err =~ /WARNING:  index "busy_fp" is not vacuumed often enough/g;
	($most, $uncovered) = (($most > $tables ? $most : $tables), ($uncovered > $others ? $uncovered : $others));
	$rows += 8000;
}
cmp_ok($warnings, '>=', 1, "$warnings warnings: vacuum is overdue");
cmp_ok($warnings, '<=', 3, 'but not for every insertion');
cmp_ok($most, '>=', 18, "there were up to $most tables");
cmp_ok($uncovered, '<', 60 * 300, "and up to $uncovered rows that no table covers");
is($server->safe_psql('postgres', "SELECT sketch_check('busy_fp', true)"), $rows, 'the index is sound');
is($server->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM busy AS b, generate_series(1, $rows, 7001) AS g (n) WHERE minhash_similar(to_minhash256(ARRAY[b.n::text, 'a', 'b']), to_minhash256(ARRAY[g.n::text, 'a', 'b']), 1)"),
	int(($rows - 1) / 7001) + 1, 'and finds its rows');

done_testing();

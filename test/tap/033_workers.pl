# The threads of the bulk functions, which read rows, compare them and write temporary files: with 0, 1, 2 and 4 of them the results are equal; a query
# that fails, a session that is terminated, and one that is killed leave no file, no memory and no thread; under row-level security, in a transaction that has
# written, in a nested call, and in a parallel query, which has none; the memory of all together.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = new_server('workers', conf => "work_mem = 64MB\nmaintenance_work_mem = 8MB\nmin_parallel_table_scan_size = 0\nmax_parallel_maintenance_workers = 2\nrestart_after_crash = on\n");

# 13 MB of sketches; one row in three is a near-duplicate of the row before.
$server->safe_psql('postgres', q{
	CREATE TABLE rows AS SELECT (i * 7919) % 30011 AS id, i % 2 AS part, 'w' || i / 3 || ' ' || 'v' || i / 3 || ' u' || i / 6 || CASE i % 3 WHEN 1 THEN ' other' ELSE '' END AS body
		FROM generate_series(1, 12000) AS i;
	ALTER TABLE rows ADD fp minhash128, ADD small minhash64_compact;
	UPDATE rows SET fp = to_minhash128(body, 'word-uax29'), small = to_minhash64_compact(to_minhash64(body, 'word-uax29'));
	VACUUM ANALYZE rows});

# A digest that does not depend on the order, which is another with temporary files.
my $digest = q{SELECT count(*), md5(string_agg(r::text, ' ' ORDER BY r::text COLLATE "C")) FROM};
my %call   = (
	clusters  => q{near_duplicate_clusters('SELECT id, fp FROM rows', 0.8) AS r},
	compact   => q{near_duplicate_clusters('SELECT id, small FROM rows', 0.8) AS r},
	stars     => q{near_duplicate_clusters('SELECT id, fp FROM rows', 0.8, 'star') AS r},
	pairs     => q{near_duplicate_pairs('SELECT id, fp, part FROM rows', 0.8, grouped => true) AS r},
	between   => q{near_duplicate_pairs_between('SELECT id, fp FROM rows WHERE part = 0', 'SELECT id, fp FROM rows WHERE part = 1', 0.8) AS r},
	passages  => q{deduplicate_passages('SELECT id, body FROM rows', 'word', 3) AS r},
	lines     => q{deduplicate_passages_between('SELECT id, body, part FROM rows WHERE id % 3 = 0', 'SELECT id, body, part FROM rows WHERE id % 3 > 0', 'line', 2, grouped => true) AS r},
	removals  => q{deduplicate('SELECT id, fp, body FROM rows', 0.6, 'jaccard', 0.5, guard => '') AS r},
	signals   => q{deduplicate('SELECT id, fp, body FROM rows WHERE body < ''w2''', 0.6, 'jaccard', 0.5, signals => true, guard => 'number,symbol') AS r},
);

sub with
{
	my ($workers, $memory) = @_;
	return "SET max_parallel_maintenance_workers = $workers; SET maintenance_work_mem = '$memory';";
}
sub no_file_is_left
{
	my ($after) = @_;
	is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, "$after: no temporary file is left");
}

my %alone;
for my $name (sort keys %call)
{
	$alone{$name} = $server->safe_psql('postgres', with(0, '1GB') . "$digest $call{$name}");
	cmp_ok(($alone{$name} =~ /^(\d+)/)[0], '>', 300, "$name: has rows");
	for my $memory ('1GB', '16MB', '8MB', '4MB')
	{
		my $others = join '; ', map { with($_, $memory) . "$digest $call{$name}" } 0, 1, 2, 4;
		my @results = split /\n/, $server->safe_psql('postgres', $others);
		is("@results", join(' ', ($alone{$name}) x 4), "$name: equal with 0, 1, 2, 4 workers and $memory");
	}
}
no_file_is_left('all calls');

# ---- where there are no workers, or fewer
is($server->safe_psql('postgres', "SET max_parallel_workers = 0; $digest $call{clusters}"), $alone{clusters}, 'max_parallel_workers = 0');
is($server->safe_psql('postgres', with(2, '1MB') . "$digest $call{clusters}"), $alone{clusters}, 'too little memory for several readers');
is($server->safe_psql('postgres', "BEGIN; UPDATE rows SET part = part WHERE id < 100; $digest $call{clusters}; ROLLBACK"), $alone{clusters}, 'in a transaction that has written');
$server->safe_psql('postgres', q{CREATE FUNCTION own(i int) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN
	RETURN (SELECT count(*) || md5(string_agg(r::text, ' ' ORDER BY r::text COLLATE "C")) FROM near_duplicate_clusters('SELECT id, fp FROM rows WHERE body < ''w2''', 0.8) AS r); END $$;
	CREATE TABLE calls AS SELECT i FROM generate_series(1, 4) AS i});
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;';
like($server->safe_psql('postgres', "$parallel EXPLAIN SELECT own(i) FROM calls"), qr/Gather/, 'a function in a parallel query') or diag('no parallel plan');
is($server->safe_psql('postgres', "$parallel SELECT count(DISTINCT own(i)) = 1 AND min(own(i)) = (SELECT own(1)) FROM calls"), 't', 'gives the same');
is($server->safe_psql('postgres', q{SELECT count(*), sum(n) FROM near_duplicate_clusters('SELECT id, fp FROM rows, LATERAL (SELECT count(*) AS c FROM near_duplicate_clusters(''SELECT id, fp FROM rows WHERE id < 6000'', 0.8)
	WHERE id IN (1, 15000, 30000)) AS nested WHERE nested.c >= 0', 0.8) AS r (id, cluster, n, similarity)}) =~ s/\|.*//r, ($alone{clusters} =~ /^(\d+)/)[0], 'a query that calls a bulk function');

# ---- whose rows
$server->safe_psql('postgres', q{CREATE ROLE txtfp_reader; CREATE TABLE owned AS TABLE rows; GRANT SELECT ON owned TO txtfp_reader; ALTER TABLE owned ENABLE ROW LEVEL SECURITY;
	CREATE POLICY only_some ON owned FOR SELECT TO txtfp_reader USING (part = 1)});
my $half = $server->safe_psql('postgres', with(0, '1GB') . "$digest near_duplicate_clusters('SELECT id, fp FROM rows WHERE part = 1', 0.8) AS r");
is($server->safe_psql('postgres', with($_, '8MB') . "SET ROLE txtfp_reader; $digest near_duplicate_clusters('SELECT id, fp FROM owned', 0.8) AS r"), $half, "row-level security, $_ workers") for 0, 2;
$server->safe_psql('postgres', 'DROP TABLE owned; DROP ROLE txtfp_reader');

# ---- a query that fails while threads read; the session goes on
for my $workers (0, 1, 2, 4)
{
	my ($status, $out, $err) = $server->psql('postgres', with($workers, '8MB') . "\\set VERBOSITY sqlstate\n" .
		"SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM rows WHERE 1 / (id - (SELECT id FROM rows OFFSET 11000 LIMIT 1)) < 2', 0.8);\n" .
		"SELECT count(*) FROM near_duplicate_clusters('SELECT id, CASE WHEN id = (SELECT id FROM rows OFFSET 11000 LIMIT 1) THEN to_minhash128(''x'', ''grapheme-uax29'') ELSE fp END FROM rows', 0.8);\n" .
		"DO \$\$ BEGIN PERFORM count(*) FROM near_duplicate_clusters('SELECT id, fp FROM rows WHERE 1 / (id - (SELECT id FROM rows OFFSET 11000 LIMIT 1)) < 2', 0.8); EXCEPTION WHEN division_by_zero THEN NULL; END \$\$;\n" .
		"$digest $call{clusters};\nSELECT count(*) FROM pg_ls_tmpdir();", on_error_stop => 0);
	is($out, "$alone{clusters}\n0", "$workers workers: after errors of the query the session goes on");
	is(join(' ', $err =~ /ERROR:\s+(\w+)/g), '22012 22023', "$workers workers: the errors are those of the query");
}

# ---- threads: as many as there may be, all named in /proc, and gone afterwards
SKIP:
{
	skip 'no /proc here', 4 if !-d '/proc/self/task';
	for my $workers (0, 4)
	{
		my ($busy, $err) = start_sql($server, with($workers, '64MB'), "SELECT count(*) FROM near_duplicate_clusters('SELECT id + 30011 * k, fp FROM rows, generate_series(1, 300) AS k', 0.8)");
		my ($most, $phase, $active) = (0, '', 0);
		for (1 .. 600)
		{
			my ($pid, $name) = split /\|/, $server->safe_psql('postgres', q{SELECT pid, phase FROM bulk_progress()});
			if (defined $pid)
			{
				my $threads = () = glob "/proc/$pid/task/*";
				$most = $threads if $threads > $most;
				$phase = $name if $phase eq '';
				$active += $server->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND state = 'active'");
			}
			last if $most > $workers && $active > 0;
		}
		is($most, $workers + 1, "$workers workers: $workers threads beside the session's own");
		is($phase, 'reading rows', 'which is active, and tells what it does') and cmp_ok($active, '>', 0, 'pg_stat_activity shows it');
		$server->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM bulk_progress()});
		$busy->finish;
		like($$err, qr/FATAL:  57P01/, "$workers workers: a session that is terminated ends");
		no_file_is_left("$workers workers, terminated");
	}
}

# ---- memory of all together: the peak of a session with workers, as far as it is its own, beside that of one without
SKIP:
{
	skip 'no /proc here', 1 if !-r '/proc/self/status' || $ENV{TXTFP_SERVER_ENV};
	my %peak;
	for my $workers (0, 4)
	{
		my ($busy, $err) = start_sql($server, with($workers, '32MB'), "SELECT count(*) FROM near_duplicate_clusters('SELECT id + 30011 * k, small FROM rows, generate_series(1, 60) AS k', 0.8)");
		$peak{$workers} = 0;
		my $pid;
		while ($busy->pumpable)
		{
			$busy->pump_nb;
			$pid ||= $server->safe_psql('postgres', q{SELECT max(pid) FROM bulk_progress()}) || next;
			select undef, undef, undef, 0.002;    # often: a peak is short
			my ($kilobytes) = (eval { PostgreSQL::Test::Utils::slurp_file("/proc/$pid/status") } // '') =~ /RssAnon:\s+(\d+)/;
			$peak{$workers} = $kilobytes if defined $kilobytes && $kilobytes > $peak{$workers};
		}
		$busy->finish;
		is($$err, '', "$workers workers: 720,000 rows");
	}
	cmp_ok($peak{4}, '<', $peak{0} + 24_000, "four workers take $peak{4} kB, none $peak{0} kB, of which 32 MB are allowed and 10 bytes per row come on top");
}

# ---- killed: the server starts again, and what the threads have written is gone
for my $workers (0, 2)
{
	my ($busy, $err) = start_sql($server, with($workers, '8MB'), "SELECT count(*) FROM near_duplicate_clusters('SELECT id + 30011 * k, fp FROM rows, generate_series(1, 300) AS k', 0.8)");
	my $pid;
	for (1 .. 600)
	{
		($pid) = $server->safe_psql('postgres', q{SELECT pid FROM bulk_progress() WHERE (SELECT sum(size) FROM pg_ls_tmpdir()) > 20000000}) =~ /(\d+)/ and last;
		select undef, undef, undef, 0.05;
	}
	ok(defined $pid && kill('KILL', $pid), "$workers workers: killed while there are temporary files");
	$busy->finish;
	select undef, undef, undef, 0.5;
	ok(wait_until($server, 'SELECT true'), "$workers workers: the server is there again");
	no_file_is_left("$workers workers, killed");
	is($server->safe_psql('postgres', with($workers, '8MB') . "$digest $call{clusters}"), $alone{clusters}, "$workers workers: and it works again");
}

$server->stop;
done_testing();

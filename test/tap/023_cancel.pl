# Cancels and timeouts at random moments of everything that takes long, and out-of-memory errors at random places: the
# SQLSTATE is right, no memory and no temporary files are left, and the server survives.
# TXTFP_CANCEL_ROUNDS=N statements of each kind (default 2, in the long run 5), TXTFP_CANCEL_SEED=N other moments.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use Test::More;

my $rounds = $ENV{TXTFP_CANCEL_ROUNDS} || by_length(5, 2);
srand($ENV{TXTFP_CANCEL_SEED} || 1);
my $server = new_server('moments', conf => "work_mem = 256kB\nmaintenance_work_mem = 1MB\nmax_parallel_workers_per_gather = 2\nmin_parallel_table_scan_size = 0\n");
my $postmaster = $server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')});

create_docs($server, 1200);
$server->safe_psql('postgres', q{
	CREATE TABLE pages AS SELECT i AS n, words(i) AS body FROM generate_series(1, 20000) AS i;
	CREATE TABLE large AS SELECT repeat(words(1), 15000) AS body;
	ALTER TABLE large ADD bytes bytea;
	UPDATE large SET bytes = convert_to(repeat(words(1) || words(2) || words(3), 25000), 'UTF8');
	CREATE TABLE written (id int PRIMARY KEY, body text, fp minhash128, l minhash64 GENERATED ALWAYS AS (to_minhash64(body)) STORED);
	CREATE INDEX written_fp ON written USING gin (fp) WITH (fastupdate = off);
	CREATE TRIGGER a BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
	CREATE TRIGGER b BEFORE INSERT OR UPDATE ON written FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
	CREATE TABLE bits AS SELECT i::int AS id, (i * 7046029254386353131 % 9223372036854775783)::bigint::simhash64 AS fp FROM generate_series(1, 100000::numeric) AS i;
	CREATE INDEX bits_fp ON bits USING gin (fp);
	VACUUM ANALYZE pages, bits});

my %long = (
	'streaming MinHash'    => 'SELECT minhash128_agg(body ORDER BY n)::text FROM pages',
	'streaming SimHash'    => q{SELECT simhash64_agg(body, 'word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 1, 'uniform' ORDER BY n) FROM pages},
	'IDF table'            => q{SELECT length(simhash_idf_agg(body)::text) FROM pages},
	'unions'               => 'SELECT minhash_union_agg(to_minhash256(body)) IS NULL FROM pages',
	'tlsh of 50 MB'        => 'SELECT to_tlsh(bytes) FROM large',
	'lavinhash of 50 MB'   => 'SELECT to_lavinhash(bytes, 1) FROM large',
	'canonicalize'         => 'SELECT length(canonicalize(body)) FROM large',
	'tokenize'             => 'SELECT cardinality(tokenize(body)) FROM large',
	'triggers'             => 'INSERT INTO written SELECT n, body FROM pages',
	'a join by index'      => 'SELECT count(*) FROM docs AS a JOIN docs AS b ON lavinhash_similar(a.lavinhash, b.lavinhash, 60), generate_series(1, 100)',
	'nearest by TLSH'      => 'SELECT count(*) FROM docs AS a, LATERAL (SELECT id FROM docs AS b ORDER BY b.tlsh <~> a.tlsh LIMIT 5) AS n, generate_series(1, 100)',
	'GIN of MinHash'       => 'CREATE INDEX again ON pages USING gin (to_minhash128(body))',
	'GIN of SimHash'       => 'CREATE INDEX again ON bits USING gin ((fp::bigint::simhash64))',
	'sketch of TLSH'       => 'CREATE INDEX again ON pages USING sketch (to_tlsh(body))',
	'GIN of LavinHash'     => q{CREATE INDEX again ON pages USING gin (to_lavinhash(body::bytea))},
	'bulk pairs'           => q{SELECT count(*) FROM near_duplicate_pairs('SELECT n, to_minhash64(body) FROM pages', 0.8)},
	'bulk clusters'        => q{SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM bits', max_distance => 3)},
	'bulk clusters by 1'   => q{SET LOCAL maintenance_work_mem = '8MB'; SET LOCAL max_parallel_maintenance_workers = 1; SELECT count(*) FROM near_duplicate_clusters('SELECT n, to_minhash128(body) FROM pages', 0.8)},
	'bulk clusters by 4'   => q{SET LOCAL maintenance_work_mem = '8MB'; SET LOCAL max_parallel_maintenance_workers = 4; SELECT count(*) FROM near_duplicate_clusters('SELECT n, to_minhash128(body) FROM pages', 0.8)},
	'bulk stars by text'   => q{SELECT count(*) FROM near_duplicate_clusters(NULL::text, 'SELECT body, to_minhash128(body) FROM pages', 0.8, 'star')},
	'bulk components'      => q{SELECT count(*) FROM connected_components('SELECT i, i / 2 FROM generate_series(1, 500000) AS i')},
	'repeated words'       => q{SELECT count(*) FROM deduplicate_passages('SELECT n, body FROM pages', 'word', 8)},
	'repeated lines by 2'  => q{SET LOCAL max_parallel_maintenance_workers = 2; SELECT count(*) FROM deduplicate_passages('SELECT n, body || body FROM pages', 'line', 1)},
	'similarity histogram' => q{SELECT * FROM similarity_histogram('SELECT to_minhash64(body) FROM pages', 1000)},
);

# ---- at random moments

my $resident = -r '/proc/self/status' ? q{(regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmRSS:\s+(\d+)'))[1]::bigint * 1024} : '0';
my $measure  = "SELECT 'memory', sum(total_bytes), $resident FROM pg_backend_memory_contexts";

my $stopped = 0;
for my $name (sort keys %long)
{
	my @moments = (3, map { 1 + int(1.25**(int rand 28)) } 2 .. $rounds);
	my $script = "\\set VERBOSITY sqlstate\nSET client_min_messages = warning;\n";
	my $try = sub {
		return join '', map { "BEGIN; SET LOCAL statement_timeout = $_;\n$long{$name};\nROLLBACK;\nROLLBACK;\n" } @_;    # the first one may be cancelled
	};
	# the second half repeats the first; by then every permanent allocation exists
	$script .= $try->(@moments) . "$measure;\n" . $try->(@moments, @moments) . "$measure;\n";
	my ($status, $out, $err) = $server->psql('postgres', $script, on_error_stop => 0);
	my @errors = $err =~ /ERROR:\s+(\w+)/g;
	my @odd = grep { $_ ne '57014' && $_ ne '25P02' } @errors;
	is("@odd", '', "$name: timeouts say so, nothing else is said");
	unlike($err, qr/leak|WARNING:  (?!25P01)/i, "$name: nothing is leaked");
	cmp_ok(scalar @errors, '>', 0, "$name: was stopped " . @errors . ' times of ' . 3 * @moments);
	$stopped += @errors;
	my @memory = $out =~ /^memory\|(\d+)\|(\d+)$/mg;
	is(scalar @memory, 4, "$name: the session goes on to the end");
	cmp_ok($memory[2] - $memory[0], '<', 1_000_000, "$name: memory contexts are as before");
	cmp_ok($memory[3] - $memory[1], '<', 60_000_000, "$name: so is the process");
}

# cancelled by another session at any moment
my $cancelled = 0;
for my $name ('bulk pairs', 'bulk clusters', 'bulk components', 'streaming SimHash', 'IDF table', 'GIN of LavinHash', 'sketch of TLSH', 'triggers', 'lavinhash of 50 MB')
{
	my ($firing, $fire_err) = start_sql($server, q{DO $$ BEGIN LOOP
		PERFORM pg_stat_clear_snapshot();
		PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'target' AND state = 'active';
		PERFORM pg_sleep(random() * 0.03);
	END LOOP; END $$});
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY sqlstate\nSET application_name = 'target';\n" . "BEGIN;\n$long{$name};\nROLLBACK;\n" x (2 * $rounds), on_error_stop => 0);
	$server->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %pg_cancel_backend%'});
	$firing->finish;
	my @errors = $err =~ /ERROR:\s+(\w+)/g;
	is(join(' ', grep { !/^(57014|25P02)$/ } @errors), '', "$name: cancels say so");
	$cancelled += grep { $_ eq '57014' } @errors;
}
cmp_ok($cancelled, '>=', $rounds, "$cancelled statements were cancelled");

is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no temporary file is left');
is($server->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' OR pid NOT IN (SELECT pid FROM pg_stat_activity)}), 0, 'no lock is left');
is($server->safe_psql('postgres', 'SELECT count(*) FROM written'), 0, 'no row is left');
answers_agree($server, 'afterwards');
note($stopped + $cancelled, " statements stopped");

# ---- out of memory: the session limits its address space to a little more than it uses

SKIP:
{
	skip 'no prlimit or /proc here', 1 if system('prlimit --version >/dev/null 2>&1') != 0 || !-r '/proc/self/statm';
	my %hungry = ((map { $_ => $long{$_} } grep { !/nearest|a join|triggers|unions|GIN of (Sim|TLSH)/ } keys %long),
		'sketch of large shingles' => q{SELECT to_minhash64(body, 'shingle-k=100000/word-uax29') IS NULL FROM large},
		'uniform SimHash'          => q{SELECT to_simhash64(body, weighting => 'uniform') FROM (SELECT string_agg(body, ' ') AS body FROM pages) AS p},
		'SimHash with IDF'         => q{SELECT to_simhash64(body, weighting => 'idf', idf => (SELECT jsonb_object_agg(n, 1) FROM pages)) FROM pages},
		'streaming in pieces'      => q{SELECT minhash64_agg(body || body, 'grapheme-uax29' ORDER BY n) FROM pages, generate_series(1, 3)},
		'conversion'               => q{SELECT to_minhash64(ARRAY(SELECT body FROM pages))});
	my ($out_of_memory, $fine) = (0, 0);
	for my $name (sort keys %hungry)
	{
		my $states = '';
		for my $megabytes (by_length([ 0, 2, 8, 30, 120 ], [ 0, 8, 120 ])->@*)
		{
			my ($status, $out, $err) = $server->psql('postgres', qq{
				\\set VERBOSITY sqlstate
				SET statement_timeout = '} . by_length(1000, 500) . qq{ms';
				SET max_parallel_workers_per_gather = 0;
				SET max_parallel_maintenance_workers = 0;
				SELECT to_minhash64('the library is loaded'), to_tlsh(words(1)), (SELECT count(*) FROM pages WHERE n < 10);
				COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; prlimit --pid \$PPID --as=\$((\$(cut -d" " -f1 /proc/\$PPID/statm) * 4096 + $megabytes * 1000000))';
				\\set VERBOSITY verbose
				BEGIN;
				$hungry{$name};
				ROLLBACK;
				ROLLBACK;
				SELECT 'alive';}, on_error_stop => 0);
			my @states = $err =~ /ERROR:\s+(\w+)/g;
			$out_of_memory += grep { $_ eq '53200' } @states;
			++$fine unless @states;
			my $alive = $out =~ /^alive$/m || $err =~ /53200/;    # psql needs the session; a session that cannot answer reports the reason
			$states .= "$megabytes MB: $err\n" if !$alive || grep { $_ !~ /^(53200|57014)$/ } @states;
		}
		is($states, '', "$name: without memory it says so, or does without");
	}
	cmp_ok($out_of_memory, '>', 10, "memory ran out $out_of_memory times");
	cmp_ok($fine, '>', 5, "and sufficed $fine times");
}

is($server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')}), $postmaster, 'the server lives');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/terminated by signal|PANIC|TRAP|terminate called/, 'no backend has crashed');

$server->stop;
done_testing();

# Indexes of the access method sketch that several processes build: complete, sound and equal in their answers to those that one process builds; with
# writers beside, in partitions, unlogged, on a replica, after a crash. An error, a cancellation or the end of a worker ends the build, and
# nothing is left of it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

my $memory = "maintenance_work_mem = 128MB\nmax_parallel_maintenance_workers = 2\nmax_parallel_workers_per_gather = 0\nautovacuum = off\n";
my $documents = by_length(30000, 18000);
my $server = new_server('builders', damaged => 1, streaming => 1, conf => "${memory}log_min_messages = debug1\nrestart_after_crash = on\nshared_buffers = 32MB\ncheckpoint_timeout = 1h\n");
$server->safe_psql('postgres', q{
	CREATE FUNCTION documents() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS } . "'SELECT $documents'; " . q{
	CREATE FUNCTION fp(n int) RETURNS minhash128 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
		SELECT public.to_minhash128(array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '')) FROM generate_series(1, 60) AS i $$;
	CREATE TABLE docs (n int, part int, name text, m128 minhash128, c128 minhash128_compact, s simhash64);
	INSERT INTO docs SELECT n, n / 2000, 'name ' || n % 7, m, m, (n / 8 * 1234567891::bigint # n % 8)::simhash64
		FROM generate_series(1, documents()) AS n, LATERAL (SELECT CASE WHEN n % 50 <> 49 THEN fp(n) END AS m OFFSET 0) AS x;
	DELETE FROM docs WHERE n % 17 = 0;
	VACUUM ANALYZE docs;
	ALTER TABLE docs SET (parallel_workers = 2);
	CREATE FUNCTION answer(ask text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE result text; BEGIN EXECUTE ask INTO result; RETURN result; END $$;
	CREATE FUNCTION by_table(ask text) RETURNS text LANGUAGE sql SET enable_indexscan = off SET enable_bitmapscan = off AS $$ SELECT answer(ask) $$;
	CREATE FUNCTION by_index(ask text) RETURNS text LANGUAGE sql SET enable_seqscan = off SET enable_sort = off AS $$ SELECT answer(ask) $$;
	CREATE FUNCTION questions(kind text) RETURNS SETOF text LANGUAGE sql AS $$
		SELECT format(CASE kind WHEN 's' THEN 'SELECT count(*) || '' '' || sum(n) FROM docs WHERE simhash_similar(s, %3$L, %4$s)' WHEN 'part' THEN 'SELECT count(*) || '' '' || sum(n) FROM docs WHERE part = %2$s AND minhash_similar(m128, %1$L, %5$s)'
			WHEN 'c128' THEN 'SELECT count(*) || '' '' || sum(n) FROM docs WHERE minhash_similar(c128, %1$L::minhash128::minhash128_compact, %5$s)' ELSE 'SELECT count(*) || '' '' || sum(n) FROM docs WHERE minhash_similar(m128, %1$L, %5$s)' END,
			fp(n), n / 2000, (n / 8 * 1234567891::bigint # n % 8)::simhash64, n % 3 * 4, (ARRAY[1, 0.8, 0.5])[1 + n % 3]) FROM (SELECT i * (documents() / 32) FROM generate_series(1, 30) AS i) AS probe (n) $$;
	CREATE FUNCTION wrong(kind text) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM questions(kind) AS q WHERE by_table(q) IS DISTINCT FROM by_index(q) $$});
my $rows = $server->safe_psql('postgres', 'SELECT count(*) FROM docs');

# Runs statements and returns how many workers they have had.
sub workers_of
{
	my ($statements) = @_;
	my $before = -s $server->logfile;
	my ($status, $out, $err) = $server->psql('postgres', $statements);
	diag($err) if $status;
	my $log = substr PostgreSQL::Test::Utils::slurp_file($server->logfile), $before;
	my $workers = () = $log =~ /starting background worker process "parallel worker for PID/g;
	return $workers;
}
my $count_of = sub { return $server->safe_psql('postgres', $_[0]) };

my %kind = (m128 => 'm128', c128 => 'c128', s => 's', part => 'part, m128', names => 'name, part, m128');
for my $kind (sort keys %kind)
{
	is(workers_of("SET max_parallel_maintenance_workers = 0; CREATE INDEX alone ON docs USING sketch ($kind{$kind})"), 0, "$kind: one process");
	is(workers_of("CREATE INDEX together ON docs USING sketch ($kind{$kind})"), 2, "$kind: two workers");
	is($count_of->(q{SELECT sketch_check('together', true)}), $rows, "$kind: the index is sound");
	is($count_of->(q{SELECT a.bands = t.bands AND a.tables = t.tables, t.covered_rows > 0 AND t.other_rows = 0 FROM fingerprint_index_info('alone') AS a, fingerprint_index_info('together') AS t WHERE a.tables IS NOT NULL AND t.tables IS NOT NULL}), $kind eq 's' ? 't|f' : 't|t', "$kind: its directory is that of the other one, and covers all groups");
	$server->safe_psql('postgres', 'DROP INDEX alone');
	is($count_of->("SELECT wrong('$kind')"), 0, "$kind: its answers are those of the table") if $kind ne 'names';
	$server->safe_psql('postgres', "INSERT INTO docs SELECT n + 100000, part, name, m128, c128, s FROM docs WHERE n % 40 = 1; DELETE FROM docs WHERE n % 40 = 2 OR n > 100000 AND n % 3 = 0; VACUUM docs");
	is($count_of->(q{SELECT sketch_check('together', true) = count(*) FROM docs}), 't', "$kind: so it is after writes and vacuum");
	is($count_of->("SELECT wrong('$kind')"), 0, "$kind: and so are its answers") if $kind ne 'names';
	$server->safe_psql('postgres', 'DROP INDEX together; DELETE FROM docs WHERE n > 100000');
	$rows = $count_of->('SELECT count(*) FROM docs');
}
is(workers_of(q{ALTER TABLE docs RESET (parallel_workers); SET min_parallel_table_scan_size = 0; SET maintenance_work_mem = '32MB'; CREATE INDEX together ON docs USING sketch (m128); ALTER TABLE docs SET (parallel_workers = 2)}), 0, 'no worker without memory for it');
is(workers_of(q{SET maintenance_work_mem = '1MB'; DROP INDEX together; CREATE INDEX together ON docs USING sketch (part, m128)}), 2, 'but for tables that ask for workers');
is($count_of->(q{SELECT sketch_check('together', true) || ' ' || wrong('part')}), "$rows 0", 'with little memory: sound');
$server->safe_psql('postgres', 'DROP INDEX together; CREATE INDEX together ON docs USING sketch (m128)');
is(workers_of('REINDEX INDEX together'), 2, 'REINDEX');
is($count_of->(q{SELECT sketch_check('together', true) || ' ' || wrong('m128')}), "$rows 0", 'REINDEX: sound');

# ---- progress, in the view of another session
$server->safe_psql('postgres', q{CREATE FUNCTION slow(n int) RETURNS minhash128 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1 SET search_path = public AS $$ BEGIN IF n % 10 = 0 THEN PERFORM pg_sleep(0.001); END IF; RETURN fp(n); END $$});
my ($build, $error) = start_sql($server, '', 'CREATE INDEX slow ON docs USING sketch (slow(n));');
wait_until($server, q{SELECT tuples_done > 1000 FROM pg_stat_progress_create_index WHERE phase = 'building index: scanning table'});
is($count_of->(q{SELECT blocks_total > 0 AND command = 'CREATE INDEX' FROM pg_stat_progress_create_index}), 't', 'progress: rows and blocks');
$build->finish;
is($$error, '', 'a slow expression');
is($count_of->(q{SELECT sketch_check('slow', true)}), $rows, 'and its index');
$server->safe_psql('postgres', 'DROP INDEX slow');

# ---- concurrently, with a writer beside
my ($writer) = start_sql($server, '', join '', map { "INSERT INTO docs SELECT 200000 + $_ * 100 + n, n, 'new', fp(n), NULL, NULL FROM generate_series(1, 30) AS n; UPDATE docs SET part = part + 1 WHERE n % 100 = $_; DELETE FROM docs WHERE n % 997 = $_;" } 1 .. 40);
is(workers_of('CREATE INDEX CONCURRENTLY beside ON docs USING sketch (part, m128)'), 2, 'CONCURRENTLY');
is(workers_of('REINDEX INDEX CONCURRENTLY together'), 2, 'REINDEX CONCURRENTLY');
$writer->finish;
is($count_of->(qq{SELECT sketch_check('$_', true) >= count(*) FROM docs}), 't', "$_: has all rows") for 'beside', 'together';
$server->safe_psql('postgres', 'DROP INDEX together');
is($count_of->(q{SELECT wrong('part')}), 0, 'beside: finds them');

# ---- partitions; an unlogged and a temporary table; a partial index
is(workers_of(q{
	CREATE TABLE parted (n int, fp minhash128) PARTITION BY RANGE (n);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (15000) WITH (parallel_workers = 2);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (15000) TO (1000000) WITH (parallel_workers = 1);
	CREATE UNLOGGED TABLE unlogged WITH (parallel_workers = 2) AS SELECT n, m128 AS fp FROM docs;
	INSERT INTO parted SELECT n, m128 FROM docs;
	CREATE INDEX parted_fp ON parted USING sketch (fp)}), 3, 'partitions');
is($count_of->(q{SELECT (sketch_check('parted_1_fp_idx', true) + sketch_check('parted_2_fp_idx', true)) = count(*) FROM parted}), 't', 'partitions: sound');
is(workers_of('CREATE INDEX unlogged_fp ON unlogged USING sketch (fp) WHERE n % 3 > 0'), 2, 'an unlogged table');
is($count_of->(q{SELECT sketch_check('unlogged_fp', true) = count(*) FROM unlogged WHERE n % 3 > 0}), 't', 'unlogged and partial: sound');
is(workers_of('CREATE TEMP TABLE passing WITH (parallel_workers = 2) AS SELECT m128 AS fp FROM docs; CREATE INDEX ON passing USING sketch (fp)'), 0, 'temporary tables have no workers');
is(workers_of('CREATE TABLE void (fp minhash128) WITH (parallel_workers = 2); CREATE INDEX void_fp ON void USING sketch (fp); INSERT INTO void SELECT fp(1)'), 0, 'nor have empty ones');
is(workers_of('CREATE TABLE few WITH (parallel_workers = 2) AS SELECT fp(n) FROM generate_series(1, 10) AS n; CREATE INDEX few_fp ON few USING sketch (fp); INSERT INTO few SELECT fp(n) FROM generate_series(1, 1000) AS n'), 2, 'ten rows');
is($count_of->(q{SELECT sketch_check('few_fp', true) + sketch_check('void_fp', true)}), 1011, 'few: sound');

# ---- a replica, and a crash
SKIP: {
	$server->backup('base');
	my $replica = PostgreSQL::Test::Cluster->new('replica');
	$replica->init_from_backup($server, 'base', has_streaming => 1);
	$replica->start;
	$server->safe_psql('postgres', 'CREATE INDEX replicated ON docs USING sketch (m128); DROP INDEX beside');
	$server->wait_for_catchup($replica);
	is($replica->safe_psql('postgres', q{SELECT wrong('m128')}), 0, 'the replica finds what its table holds');
	$replica->stop;
}
$server->stop('immediate');
$server->start;
is($count_of->(q{SELECT sketch_check('replicated', true) = count(*), wrong('m128') FROM docs}), 't|0', 'after a crash');
is($count_of->(q{SELECT sketch_check('unlogged_fp', true)}), 0, 'unlogged: empty after a crash');
$server->safe_psql('postgres', 'DROP INDEX replicated');

# ---- what ends a build
my $is_clean = sub {
	my ($name) = @_;
	wait_until($server, q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'parallel worker')});
	is($count_of->(q{SELECT count(*) FROM pg_class WHERE relname = 'failed'}), 0, "$name: there is no index");
	is($count_of->(q{SELECT count(*) FROM pg_ls_tmpdir()}), 0, "$name: no temporary file");
	is($count_of->(q{SELECT count(*) FROM pg_ls_dir('pg_dynshmem')}) <= 2 ? 'yes' : 'no', 'yes', "$name: no shared memory");
};
my $fails = sub {
	my ($name, $statement, $pattern) = @_;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY verbose\n$statement");
	like($err, $pattern, $name);
	$is_clean->($name);
};
$fails->('temp_file_limit', q{SET temp_file_limit = 100; CREATE INDEX failed ON docs USING sketch (m128)}, qr/ERROR:  53400/);
$fails->('statement_timeout', q{SET statement_timeout = 250; CREATE INDEX failed ON docs USING sketch (slow(n))}, qr/ERROR:  57014/);
$fails->('an expression fails', q{SET client_min_messages = error; CREATE INDEX failed ON docs USING sketch (fp(1 / (n - 25000)))}, qr/ERROR:  (22012|0A000)/)
  if $server->safe_psql('postgres', 'INSERT INTO docs (n) VALUES (25000); SELECT 1');
$server->safe_psql('postgres', q{INSERT INTO docs (n, m128) SELECT n, to_minhash128('text ' || n, seed => n % 20) FROM generate_series(1000000, 1000020) AS n});
$fails->('two configurations', 'CREATE INDEX failed ON docs USING sketch (m128)', qr/ERROR:  22023/);
$server->safe_psql('postgres', 'DELETE FROM docs WHERE n >= 1000000; VACUUM docs');

for my $end ([ 'a worker is ended', 'pg_terminate_backend(pid)', qr/ERROR:  57P01/ ], [ 'a worker is cancelled', 'pg_cancel_backend(pid)', qr/ERROR:  57014/ ], [ 'the leader is ended', 'pg_terminate_backend(leader_pid)', qr/FATAL:  57P01/ ])
{
	my ($name, $call, $pattern) = @$end;
	my ($build, $error) = start_sql($server, '', 'CREATE INDEX failed ON docs USING sketch (slow(n));');
	wait_until($server, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
	$server->safe_psql('postgres', "SELECT $call FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1");
	eval { $build->finish };
	like($$error, $pattern, $name);
	$is_clean->($name);
}
{
	my ($build, $error) = start_sql($server, '', 'CREATE INDEX failed ON docs USING sketch (slow(n));');
	wait_until($server, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
	kill 'KILL', $count_of->(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1});
	eval { $build->finish };
	my ($tries, $out, $err) = (0);
	Time::HiRes::sleep(0.2) until IPC::Run::run([ 'psql', '-XqAtc', 'SELECT 1', '-d', $server->connstr('postgres') ], '<', \'', '>', \$out, '2>', \$err) || ++$tries > 300;
	$is_clean->('a worker is killed');
}
is(workers_of('CREATE INDEX failed ON docs USING sketch (m128)'), 2, 'then the build succeeds');
is($count_of->(q{SELECT sketch_check('failed', true) = count(*) FROM docs}), 't', 'with all rows');
my @odd = grep { /PANIC|TRAP|WARNING:  (?!terminating)/ && !/terminating connection because of crash/ } split /\n/, PostgreSQL::Test::Utils::slurp_file($server->logfile);
is("@odd", '', 'nothing leaked');
$server->stop;

# ---- wal_level = minimal: the file of an index is written to disk instead of to the log
my $minimal = new_server('minimal', conf => "${memory}wal_level = minimal\nmax_wal_senders = 0\nfsync = on\n");
$minimal->safe_psql('postgres', q{
	BEGIN;
	CREATE TABLE docs WITH (parallel_workers = 2) AS SELECT to_minhash128(ARRAY[n::text, 'a']) AS fp FROM generate_series(1, 20000) AS n;
	CREATE INDEX docs_fp ON docs USING sketch (fp);
	COMMIT});
$minimal->stop('immediate');
$minimal->start;
is($minimal->safe_psql('postgres', q{SELECT sketch_check('docs_fp', true) || ' ' || other_rows FROM fingerprint_index_info('docs_fp')}), '20000 0', 'wal_level = minimal: the same after a crash');
$minimal->stop;
done_testing();

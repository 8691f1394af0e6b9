# The statements of docs/distributed.md on Citus: a coordinator and two workers. Runs where the server has Citus. With TXTFP_CITUS_ROWS=200000 it also
# tells how long joins of so many rows take, on one server and on Citus.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Pages;
use Test::More;

my $one = new_server('one');
plan skip_all => 'Citus is not installed' if $one->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'}) eq '0';

sub sql { my ($server, $statement) = @_; return $server->safe_psql('postgres', $statement) }
sub error_of { my ($server, $statement) = @_; my (undef, undef, $err) = $server->psql('postgres', $statement); return $err }

my $plugins = sql($one, q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'}); # of moves by logical replication
my $conf = "shared_preload_libraries = citus\nmax_prepared_transactions = 50\ncitus.enable_statistics_collection = off\nwal_level = logical\nmax_wal_senders = 10\nmax_replication_slots = 10\n";
my @servers = map { new_server($_, conf => $conf) } qw(coordinator worker_1 worker_2);
my ($coordinator, @workers) = @servers;
my $body = q{
	CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(format('word%s of%s', n, CASE WHEN n > 38 - id % 3 THEN id ELSE id / 5 END), ' ' ORDER BY n) FROM generate_series(1, 40) AS n$$;
};
sql($_, "DROP EXTENSION txtfp; CREATE EXTENSION citus; ALTER SYSTEM SET citus.local_hostname = '" . $_->host . "'; SELECT pg_reload_conf()") for @servers;
sql($coordinator, sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, $coordinator->host, $coordinator->port);
sql($coordinator, sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port) for @workers;
sql($coordinator, 'CREATE EXTENSION txtfp');
is(sql($_, q{SELECT count(*) FROM pg_extension WHERE extname = 'txtfp'}), 1, 'the extension is created on ' . $_->name) for @workers;
sql($_, $body) for $one, $coordinator;

my ($tables, $by_shards, $join) = map { $_->[1] } grep { $_->[0] eq 'citus' } marked_blocks('docs/distributed.md');
sql($coordinator, $tables);
sql($coordinator, 'INSERT INTO docs (id, body) SELECT id, body(id) FROM generate_series(1, 4000) AS id');
sql($one, 'CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	INSERT INTO docs (id, body) SELECT id, body(id) FROM generate_series(1, 4000) AS id');
cmp_ok(sql($coordinator, 'SELECT count(DISTINCT nodeport) FROM citus_shards'), '>=', 2, 'the rows are on several nodes');

# ---------------------------------------------------------------------------------------------- search

my $similar = q{SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE minhash_similar(fp, %s, 0.8)};
my $expected = sql($one, sprintf $similar, 'to_minhash128(body(77))');
like($expected, qr/,/, 'there are rows to find');
is(sql($coordinator, sprintf $similar, 'to_minhash128(body(77))'), $expected, 'a search by a constant');
is(sql($coordinator, sprintf $similar, '(SELECT to_minhash128(body(77)))'), $expected, 'by a sub-select');
for (@workers) { sql($_, 'ALTER SYSTEM SET enable_seqscan = off'); sql($_, 'SELECT pg_reload_conf()') }
my $plan = sql($coordinator, q{SET citus.explain_all_tasks = on; EXPLAIN } . sprintf($similar, q{(SELECT to_minhash128('a b c d e f'))}));
like($plan, qr/Index Scan (using|on) docs_fp_idx_\d+/, 'the shards use their indexes') or diag $plan;

# ---------------------------------------------------------------------------------------------- bulk

my $digest = q{SELECT count(*), md5(string_agg(a || '-' || b, ',' ORDER BY a, b)) FROM };
my $truth = sql($one, "$digest (SELECT a.id AS a, b.id AS b FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8) AS pair");
is(sql($coordinator, "$digest near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 0.9999)"), $truth, 'near_duplicate_pairs through the coordinator');
$join =~ s/SELECT \* FROM pair.*//;
sql($coordinator, $join);
is(sql($coordinator, "$digest pair"), $truth, 'near_duplicate_pairs_distributed');
is(sql($coordinator, q{SELECT citus_table_type FROM citus_tables WHERE table_name = 'pair'::regclass}), 'distributed', 'the result is distributed');
sql($coordinator, q{CALL near_duplicate_pairs_distributed('SELECT id::text, fp::minhash128_compact FROM docs', 'pair_2')});
is(sql($coordinator, 'SELECT count(*) > 0 AND bool_and(similarity >= 0.8) FROM pair_2'), 't', 'compact sketches and ids of text');
like(error_of($coordinator, q{CALL near_duplicate_pairs_distributed('SELECT id, fp FROM docs', 'pair_3', max_key_rows => 2)}), qr/pairs may be missing, because \d+ band keys have more than 2 rows/, 'crowded keys are told');
like(error_of($coordinator, q{CALL near_duplicate_pairs_distributed('SELECT id / (id - 7), fp FROM docs', 'pair_4')}), qr/division by zero/, 'an error in a shard');
is(sql($coordinator, q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relname ~ '^pair' AND relkind = 'r'}), 'pair pair_2 pair_3', 'nothing else is left');

# The plans group and join on the workers, and nothing goes through the coordinator.
my (undef, undef, $log) = $coordinator->psql('postgres', q{SET client_min_messages = debug1; CALL near_duplicate_pairs_distributed('SELECT id, fp FROM docs', 'pair_5')});
is(() = $log =~ /performing repartitioned INSERT \.\.\. SELECT/g, 5, 'the five steps move rows between the workers');
unlike($log, qr/Collecting INSERT \.\.\. SELECT results on coordinator/, '... and none of them to the coordinator');
is(sql($coordinator, "$digest pair_5"), $truth, '... with the same pairs');

# ---------------------------------------------------------------------------------------------- functions of an index, live clusters

for my $function ("sketch_check('docs_fp_idx')", "fingerprint_index_info('docs_fp_idx')", "fingerprint_index_recall('docs_fp_idx')")
{
	like(error_of($coordinator, "SELECT $function"), qr/index "docs_fp_idx" has no rows, because table "docs" is distributed/, $function);
}
is(sql($coordinator, "SELECT bool_and(success) AND sum(result::int) = 4000 FROM (@{[ $by_shards =~ s/;\s*$//r ]}) AS x"), 't', 'the shards are asked');
sql($coordinator, q{CREATE TABLE keyed (id int PRIMARY KEY, fp minhash128); SELECT create_distributed_table('keyed', 'id')});
like(error_of($coordinator, q{CALL live_clusters_create('keyed', 'id', 'fp')}), qr/clusters cannot follow table "keyed", because Citus distributes it/, 'live clusters are refused');
sql($coordinator, q{CREATE TABLE copied (id int PRIMARY KEY, fp minhash128); SELECT create_reference_table('copied')});
like(error_of($coordinator, q{CALL live_clusters_create('copied', 'id', 'fp')}), qr/clusters cannot follow table "copied"/, '... of a reference table');
sql($coordinator, q{CREATE TABLE known (id int PRIMARY KEY, fp minhash128); SELECT citus_add_local_table_to_metadata('known')});
like(error_of($coordinator, q{CALL live_clusters_create('known', 'id', 'fp')}), qr/clusters cannot follow table "known"/, '... of a local table that Citus knows');
sql($coordinator, q{CREATE TABLE local (id int PRIMARY KEY, fp minhash128); CREATE INDEX ON local USING sketch (fp); CALL live_clusters_create('local', 'id', 'fp')});
sql($coordinator, q{INSERT INTO local SELECT id, to_minhash128(body(id)) FROM generate_series(1, 20) AS id});
is(sql($coordinator, q{SELECT count(*) FROM local_clusters}), sql($coordinator, q{SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM local')}), 'live clusters of a table that Citus does not know');
like(error_of($coordinator, q{SELECT citus_add_local_table_to_metadata('local')}), qr/ERROR/, '... which Citus refuses to know');

# ---------------------------------------------------------------------------------------------- trigger, aggregates, what does not work

my $union = 'SELECT md5(minhash_union_agg(fp)::text) FROM docs';
is(sql($coordinator, $union), sql($one, $union), 'an aggregate');
sql($coordinator, q{SET citus.enable_unsafe_triggers = on; CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')});
like(error_of($coordinator, 'SET citus.enable_unsafe_triggers = on; INSERT INTO docs (id, body) SELECT id, body(id) FROM docs ORDER BY id LIMIT 100'), qr/violates near-duplicate check "near_dup_\d+"/, 'the trigger works in a shard');
sql($coordinator, q{CREATE TABLE others (id int, fp minhash128); SELECT create_distributed_table('others', 'id')});
like(error_of($coordinator, 'SELECT count(*) FROM docs AS d JOIN others AS o ON minhash_similar(d.fp, o.fp, 0.8)'), qr/complex joins are only supported/, 'a similarity join of two distributed tables is refused');

# ---------------------------------------------------------------------------------------------- operation

my $generic = 'SET plan_cache_mode = force_generic_plan; PREPARE p(minhash128) AS SELECT count(*) FROM docs WHERE minhash_similar(fp, $1, 0.8); EXECUTE p(to_minhash128(body(77)))';
like(error_of($coordinator, $generic), qr/could not create distributed plan/, 'force_generic_plan');

# Moves a shard from the worker that has most of them to the other one.
sub move
{
	my ($mode) = @_;
	my $nodes = q{SELECT nodename, nodeport FROM citus_shards WHERE table_name = 'moved'::regclass GROUP BY 1, 2 ORDER BY count(*) DESC, 2};
	my ($from) = split /\n/, sql($coordinator, $nodes);
	my ($host, $port) = split /\|/, $from;
	my ($to) = grep { $_->port != $port } @workers;
	my $shard = sql($coordinator, qq{SELECT min(shardid) FROM citus_shards WHERE table_name = 'moved'::regclass AND nodeport = $port});
	return sprintf q{SELECT citus_move_shard_placement(%d, '%s', %d, '%s', %d, '%s')}, $shard, $host, $port, $to->host, $to->port, $mode;
}
sql($coordinator, q{CREATE TABLE moved (id int, fp minhash128); SELECT create_distributed_table('moved', 'id', colocate_with => 'none', shard_count => 4); CREATE INDEX ON moved USING sketch (fp)});
sql($coordinator, q{INSERT INTO moved SELECT id, fp FROM docs});
my $moved = $similar =~ s/FROM docs/FROM moved/r;
like(error_of($coordinator, move('auto')), qr/replica identity/i, 'a table without a key is not moved beside writers');
is(error_of($coordinator, move('block_writes')), '', '... but while writers wait');
is(sql($coordinator, sprintf $moved, '(SELECT to_minhash128(body(77)))'), $expected, '... with the same answers');
sql($coordinator, 'ALTER TABLE moved ADD PRIMARY KEY (id)');
is(error_of($coordinator, move('auto')), '', 'with a key it is');
is(sql($coordinator, sprintf $moved, '(SELECT to_minhash128(body(77)))'), $expected, '... with the same answers');
my $isolate = q{SELECT isolate_tenant_to_new_shard('moved', 77, shard_transfer_mode => 'force_logical')};
if ($plugins)
{
	like(error_of($coordinator, $isolate), qr/output_plugin_libraries/, 'isolating a tenant needs a setting');
	for (@workers) { sql($_, q{ALTER SYSTEM SET output_plugin_libraries = pgoutput, test_decoding, citus; SELECT pg_reload_conf()}) }
}
is(error_of($coordinator, $isolate), '', 'a tenant is isolated');
is(sql($coordinator, sprintf $moved, '(SELECT to_minhash128(body(77)))'), $expected, '... with the same answers');

# ---------------------------------------------------------------------------------------------- measurement

# The shortest of three times of a statement, seconds; another one follows each.
sub seconds
{
	my ($server, $statement, $then) = @_;
	my @times = sort { $a <=> $b } map {
		my ($out) = ($server->psql('postgres', "\\timing on\n$statement"))[1];
		sql($server, $then) if $then;
		$out =~ /Time: ([\d.]+) ms/ ? $1 / 1000 : die "no time in $out";
	} 1 .. 3;
	return sprintf '%.2f', $times[0];
}

if (my $rows = $ENV{TXTFP_CITUS_ROWS})
{
	# one row in five has near-duplicates
	my $load = qq{INSERT INTO many SELECT id, to_minhash128_compact(ARRAY(SELECT format('word%s of%s', n, CASE WHEN n > 38 - id % 3 OR id % 25 >= 5 THEN id ELSE -(id / 25) END) FROM generate_series(1, 40) AS n)) FROM generate_series(1, $rows) AS id};
	sql($_, 'CREATE TABLE many (id bigint, fp minhash128_compact)') for $one, $coordinator;
	sql($coordinator, q{SELECT create_distributed_table('many', 'id')});
	sql($_, "$load; ANALYZE many") for $one, $coordinator;
	my $pairs = q{SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM many', 0.8, recall => 0.999)};
	my $call = q{CALL near_duplicate_pairs_distributed('SELECT id, fp FROM many', 'pair_many')};
	note("$rows rows, seconds: one server " . seconds($one, $pairs));
	note('through the coordinator ' . seconds($coordinator, $pairs));
	note('where the rows are ' . seconds($coordinator, $call, 'DROP TABLE pair_many'));
	sql($coordinator, $call);
	is(sql($coordinator, "$digest pair_many"), sql($one, "$digest near_duplicate_pairs('SELECT id, fp FROM many', 0.8, recall => 0.999)"), 'the same pairs');
}

done_testing();

# The statements of docs/distributed.md on Citus: a coordinator and two workers. Runs where the server has Citus.
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

my @servers = map { new_server($_, conf => "shared_preload_libraries = citus\nmax_prepared_transactions = 50\ncitus.enable_statistics_collection = off\n") } qw(coordinator worker_1 worker_2);
my ($coordinator, @workers) = @servers;
my $body = q{
	CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(format('word%s of%s', n, CASE WHEN n > 38 - id % 3 THEN id ELSE id / 5 END), ' ' ORDER BY n) FROM generate_series(1, 40) AS n$$;
};
sql($_, 'CREATE EXTENSION citus') for @servers;
sql($coordinator, sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, $coordinator->host, $coordinator->port);
sql($coordinator, sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port) for @workers;
sql($_, $body) for $one, $coordinator;

my ($tables, $join) = map { $_->[1] } grep { $_->[0] eq 'citus' } marked_blocks('docs/distributed.md');
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
like($plan, qr/Bitmap Index Scan on docs_fp_idx_\d+/, 'the shards use their indexes') or diag $plan;

# ---------------------------------------------------------------------------------------------- bulk

my $digest = q{SELECT count(*), md5(string_agg(a || '-' || b, ',' ORDER BY a, b)) FROM };
my $truth = sql($one, "$digest (SELECT a.id AS a, b.id AS b FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8) AS pair");
is(sql($coordinator, "$digest near_duplicate_pairs('SELECT id, fp FROM docs', 0.8, recall => 0.9999)"), $truth, 'near_duplicate_pairs through the coordinator');
sql($coordinator, $join);
is(sql($coordinator, "$digest pair"), $truth, 'the join in two steps');
is(sql($coordinator, 'SELECT count(*) = count(DISTINCT id) FROM candidate_sketch'), 't', 'each sketch of a candidate once');

# ---------------------------------------------------------------------------------------------- trigger, aggregates, what does not work

my $union = 'SELECT md5(minhash_union_agg(fp)::text) FROM docs';
is(sql($coordinator, $union), sql($one, $union), 'an aggregate');
sql($coordinator, q{SET citus.enable_unsafe_triggers = on; CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')});
like(error_of($coordinator, 'SET citus.enable_unsafe_triggers = on; INSERT INTO docs (id, body) SELECT id, body(id) FROM docs ORDER BY id LIMIT 100'), qr/violates near-duplicate check "near_dup_\d+"/, 'the trigger works in a shard');
sql($coordinator, q{CREATE TABLE others (id int, fp minhash128); SELECT create_distributed_table('others', 'id')});
like(error_of($coordinator, 'SELECT count(*) FROM docs AS d JOIN others AS o ON minhash_similar(d.fp, o.fp, 0.8)'), qr/complex joins are only supported/, 'a similarity join of two distributed tables is refused');

done_testing();

# Distributed search and joins, the one in two steps by the statements of docs/distributed.md: postgres_fdw partitions on two servers, searched through their
# own indexes, and band keys distributed over them for a join that finds each pair once, on one server.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Pages;
use PostgreSQL::Test::Utils;
use Test::More;

my $documents = by_length(4000, 2000);
my $here = new_server('here');
if ($here->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) eq '0')
{
	plan skip_all => 'postgres_fdw is not installed';
}
my @shards = map { new_server("shard_$_", conf => "log_statement = all\n") } 0, 1;

sub sql { my ($server, $statement) = @_; return $server->safe_psql('postgres', $statement) }

my $body = q{
	CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(format('word%s of%s', n, CASE WHEN n > 38 - id % 3 THEN id ELSE id / 5 END), ' ' ORDER BY n) FROM generate_series(1, 40) AS n$$;
};
sql($_, $body) for $here, @shards;

# ---------------------------------------------------------------------------------------------- search

sql($_, q{
	CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
}) for @shards;
sql($here, 'CREATE EXTENSION postgres_fdw');
for my $n (0, 1)
{
	sql($here, sprintf(q{
		CREATE SERVER shard_%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%d', dbname 'postgres', extensions 'txtfp', async_capable 'true');
		CREATE USER MAPPING FOR CURRENT_USER SERVER shard_%1$d OPTIONS (user '%s');
	}, $n, $shards[$n]->host, $shards[$n]->port, sql($here, 'SELECT current_user')));
}
sql($here, q{
	CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED) PARTITION BY HASH (id);
	CREATE FOREIGN TABLE docs_0 PARTITION OF docs FOR VALUES WITH (MODULUS 2, REMAINDER 0) SERVER shard_0 OPTIONS (table_name 'docs');
	CREATE FOREIGN TABLE docs_1 PARTITION OF docs FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER shard_1 OPTIONS (table_name 'docs');
	INSERT INTO docs SELECT id, body(id) FROM generate_series(1, } . $documents . q{) AS id;
	CREATE TABLE all_docs AS TABLE docs;
});
cmp_ok(sql($_, 'SELECT count(*) FROM docs'), '>', 0.45 * $documents, 'a share of the rows is on ' . $_->name) for @shards;
is(sql($here, 'SELECT count(*) FROM docs WHERE (fp = to_minhash128(body)) IS NOT TRUE'), 0, 'fingerprints are computed where the rows are, and are the same');
sql($_, 'VACUUM ANALYZE docs') for @shards;
sql($here, 'ANALYZE docs_0, docs_1');

my $probe = q{SELECT id FROM docs WHERE minhash_similar(fp, to_minhash128(body(77)), 0.8)};
my $plan = sql($here, "EXPLAIN (VERBOSE, COSTS OFF) $probe");
like($plan, qr/Remote SQL: SELECT id FROM public\.docs WHERE \(\(?public\.minhash_similar\(fp, '[0-9a-f]{16}:[0-9a-f]+'::public\.minhash128, 0\.8/, 'the condition is sent');
unlike($plan, qr/^\s*Filter:/m, 'and not looked at here again');
is(() = $plan =~ /Remote SQL/g, 2, 'to both servers');
is(sql($here, "$probe ORDER BY id"), sql($here, q{SELECT id FROM all_docs WHERE jaccard(fp, to_minhash128(body(77))) >= 0.8 ORDER BY id}), 'with the right answer');
cmp_ok(() = sql($here, $probe) =~ /\d+/g, '>', 2, 'which is not empty');

# The shard plans the statement it receives with the index.
for my $server (@shards)
{
	my ($remote) = $plan =~ /Remote SQL: (SELECT id .*)/;
	like(sql($server, "EXPLAIN $remote"), qr/Bitmap Index Scan on docs_fp/, $server->name . ' uses its index');
}

# A probe that is unknown at planning time is sent as a parameter; the other functions are sent, too. % is not sent, because it
# depends on a parameter of the session.
like(sql($here, q{SET plan_cache_mode = force_generic_plan; PREPARE p(minhash128) AS SELECT id FROM docs WHERE minhash_similar(fp, $1, 0.8); EXPLAIN (VERBOSE, COSTS OFF) EXECUTE p(to_minhash128('x'))}),
	qr/Remote SQL: SELECT id FROM public\.docs WHERE \(\(?public\.minhash_similar\(fp, \$1::public\.minhash128, 0\.8/, 'a parameter is sent');
like(sql($here, q{EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs WHERE jaccard(fp, to_minhash128('a b')) >= 0.5}), qr/Remote SQL: .*public\.jaccard\(/, 'jaccard is sent');
like(sql($here, q{EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs WHERE fp % to_minhash128('a b')}), qr/^\s*Filter: \(docs_?\d*\.fp % /m, '% is looked at here');

# So it has the threshold of this session.
my ($out, $err);
(undef, $out, $err) = $here->psql('postgres', q{SET txtfp.jaccard_threshold = 0.99; SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE fp % (SELECT to_minhash128(body(77)))});
is($out, sql($here, q{SELECT string_agg(id::text, ',' ORDER BY id) FROM all_docs WHERE jaccard(fp, (SELECT to_minhash128(body(77)))) >= 0.99}), '% with another threshold finds what a table finds');
cmp_ok(length $out, '<', length sql($here, q{SELECT string_agg(id::text, ',' ORDER BY id) FROM all_docs WHERE jaccard(fp, (SELECT to_minhash128(body(77)))) >= 0.8}), '... which is less than by the default threshold');
is($err, '', '... without a warning');

# A join with a local table: one search per row.
sql($here, 'CREATE TABLE fresh AS SELECT id, to_minhash128(body(id)) AS fp FROM generate_series(1500, 1509) AS id');
is(sql($here, q{SET enable_hashjoin = off; SELECT count(*) FROM fresh JOIN docs ON minhash_similar(docs.fp, fresh.fp, 0.8)}),
	sql($here, q{SELECT count(*) FROM fresh JOIN all_docs ON jaccard(all_docs.fp, fresh.fp) >= 0.8}), 'a join finds the same');

# ---------------------------------------------------------------------------------------------- the bulk join

my $truth = sql($here, q{SELECT count(*), md5(string_agg(a.id || '-' || b.id, ',' ORDER BY a.id, b.id)) FROM all_docs AS a JOIN all_docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8});
like($truth, qr/^[1-9]\d{3}/, 'there are pairs to find');

sql($_, q{CREATE TABLE band (key bigint, band int, id int, fp minhash128)}) for @shards;
sql($here, q{
	CREATE TABLE band (key bigint, band int, id int, fp minhash128) PARTITION BY HASH (key);
	CREATE FOREIGN TABLE band_0 PARTITION OF band FOR VALUES WITH (MODULUS 2, REMAINDER 0) SERVER shard_0 OPTIONS (table_name 'band', batch_size '1000');
	CREATE FOREIGN TABLE band_1 PARTITION OF band FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER shard_1 OPTIONS (table_name 'band', batch_size '1000');
	INSERT INTO band SELECT key, band, id, fp FROM all_docs, unnest(lsh_keys(fp, 16, 4)) WITH ORDINALITY AS k(key, band);
});
is(sql($here, 'SELECT count(*) FROM band'), 16 * $documents, '16 keys per row are spread over the servers');
cmp_ok(sql($_, 'SELECT count(*) FROM band'), '>', 6.25 * $documents, 'a share of them is on ' . $_->name) for @shards;
sql($_, 'ANALYZE band') for @shards;
sql($here, 'ANALYZE band_0, band_1');

my $pairs = q{
	SELECT a.id AS a, b.id AS b, jaccard(a.fp, b.fp) AS similarity
	FROM band AS a JOIN band AS b ON a.key = b.key AND a.id < b.id
	WHERE _first_common_band(a.fp, b.fp, 16, 4) = a.band AND jaccard(a.fp, b.fp) >= 0.8};
my $digest = qq{SELECT count(*), md5(string_agg(a || '-' || b, ',' ORDER BY a, b)) FROM ($pairs) AS p};

# each server separately: no pair is on both, and together they have all
my @found = map { sql($_, $digest) } @shards;
my @lists = map { [ split /\n/, sql($_, "SELECT a || '-' || b FROM ($pairs) AS p") ] } @shards;
my %seen;
++$seen{$_} for map { @$_ } @lists;
is(scalar(grep { $_ > 1 } values %seen), 0, 'no pair is found twice, on one server or on both');
is(scalar(keys %seen), (split /\|/, $truth)[0], 'together they find every pair');
cmp_ok(scalar @{$_}, '>', $documents / 8, 'a share of them each') for @lists;

# from the coordinator: the whole join is sent if the planner asks the servers for its cost
sql($here, "ALTER SERVER $_ OPTIONS (ADD use_remote_estimate 'true')") for 'shard_0', 'shard_1';
like(sql($here, "EXPLAIN (VERBOSE) $probe"), qr/Remote SQL: .*minhash_similar/, 'searches are sent as well');
$plan = sql($here, "SET enable_partitionwise_join = on; EXPLAIN (VERBOSE, COSTS OFF) $pairs");
is(() = $plan =~ /Remote SQL: SELECT .*INNER JOIN public\.band .*public\._first_common_band\(/g, 2, 'the join is sent to both servers') or diag $plan;
is(sql($here, "SET enable_partitionwise_join = on; $digest"), $truth, 'and finds every pair once');
is(sql($here, $digest), $truth, 'as it does without partitionwise joins');

# ---------------------------------------------------------------------------------------------- the join in two steps, as the page has it

my @page = grep { $_->[0] =~ /^(each shard|here)$/ } marked_blocks('docs/distributed.md');
is_deeply([ map { $_->[0] } @page ], [ 'each shard', 'here' ], 'the page has its statements');
my @before = map { -s $_->logfile } @shards;
for my $block (@page)
{
	sql($_, $block->[1]) for $block->[0] eq 'here' ? $here : @shards;
}
my @logs = map { substr(slurp_file($shards[$_]->logfile), $before[$_]) } 0, 1;
for my $n (0, 1)
{
	my @fetches = grep { /\bfp\b/ && !/CREATE VIEW/ } grep { /statement:|execute/ } split /\n/, $logs[$n];
	# 'DECLARE c1 CURSOR FOR SELECT id, fp FROM public.docs WHERE id = ANY ($1)' is logged once
	is(scalar(grep { /SELECT id, fp FROM public\.docs WHERE \(\(id = ANY/ } @fetches), 1, "one statement fetches sketches from shard $n") or diag "@fetches";
	is(scalar(grep { !/SELECT id, fp FROM public\.docs WHERE \(\(id = ANY/ && !/EXPLAIN/ } @fetches), 0, 'no other one does') or diag "@fetches";
	like($logs[$n], qr/INNER JOIN public\.band_key/, 'the keys are joined there');
}
my $step_digest = q{SELECT count(*), md5(string_agg(a || '-' || b, ',' ORDER BY a, b)) FROM pair};
is(sql($here, $step_digest), $truth, 'the join in two steps finds every pair once');
is(sql($here, 'SELECT count(*) FROM candidate_sketch'), sql($here, 'SELECT count(DISTINCT id) FROM candidate, unnest(ARRAY[a, b]) AS id'), 'and has each sketch of a candidate once');
cmp_ok(sql($here, 'SELECT count(*) FROM candidate_sketch'), '<=', $documents, 'not once per band');
like(sql($here, q{EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE minhash_similar(fp, (SELECT to_minhash128(body(77))), 0.8)}), qr/^(?!.*[0-9a-f]{40}).*InitPlan/s, 'a plan with a sub-select can be read');
is(sql($here, q{SELECT count(*) FROM docs WHERE minhash_similar(fp, (SELECT to_minhash128(body(77))), 0.8)}), sql($here, q{SELECT count(*) FROM docs WHERE minhash_similar(fp, to_minhash128(body(77)), 0.8)}), 'and finds the same');

# ---------------------------------------------------------------------------------------------- triggers

sql($here, q{CREATE TRIGGER near_dup BEFORE INSERT ON docs_0 FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')});
my ($status, $out, $err) = $here->psql('postgres', q{\set VERBOSITY verbose
	INSERT INTO docs SELECT 5000 + i, 'x' FROM generate_series(1, 20) AS i});
like($err, qr/0A000: near_duplicate_trigger cannot guard foreign table "docs_0"/, 'a near-duplicate check belongs on the server of the rows');
sql($here, 'DROP TRIGGER near_dup ON docs_0');
sql($shards[0], q{CREATE TRIGGER near_dup AFTER INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'threshold=0.8')});
my $id = sql($here, 'SELECT id FROM docs_0 LIMIT 1');
my $free = sql($here, q{SELECT n FROM generate_series(5000, 5050) AS n WHERE satisfies_hash_partition('docs'::regclass, 2, 0, n) LIMIT 1});
(undef, undef, $err) = $here->psql('postgres', "\\set VERBOSITY verbose\nINSERT INTO docs VALUES ($free, body($id))");
like($err, qr/23505: new row for relation "docs" violates near-duplicate check "near_dup"/, 'where it works through postgres_fdw, too');

done_testing();

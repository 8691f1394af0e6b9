# Long functions can be cancelled and terminated, and free their memory. After a crash during inserts and index
# builds, the index gives the same answers as the table.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $server = new_server('cancel');

# Each runs for many seconds unless it is cancelled, after half a second, or in the short run a fifth of one.
my $mixed = q{repeat(U&'Stra\00DFe \0394\03B5\03BB\03C4\03B1 \65E5\672C e\0301\0323 ', 10000000)};
my %long = (
	'to_minhash128 of a large text'        => "SELECT length(to_minhash128($mixed)::text)",
	'to_minhash64 of large shingles'       => q{SELECT length(to_minhash64(repeat('a ', 2000000), 'shingle-k=100000/word-uax29')::text)},
	'canonicalize'                         => "SELECT length(canonicalize($mixed, 'nfc-cf-simple-conf'))",
	'tokenize'                             => "SELECT cardinality(tokenize($mixed, 'grapheme-uax29'))",
	'sketches of many rows'                => q{SELECT count(to_minhash256(repeat('some words ', 1000) || i)) FROM generate_series(1, 10000000) AS i},
	'a self-join without an index'         => q{WITH s AS MATERIALIZED (SELECT to_minhash256(ARRAY[i::text]) AS fp FROM generate_series(1, 50000) AS i) SELECT count(*) FROM s AS a, s AS b WHERE a.fp % b.fp},
	'to_lavinhash of many large documents'  => q{SELECT count(to_lavinhash(decode(repeat('00ff1234', 5000000), 'hex'), 1 + i)) FROM generate_series(1, 10000) AS i},
	'clusters of many rows'                => q{SELECT count(*) FROM near_duplicate_clusters('SELECT i, to_minhash64(ARRAY[i::text]) FROM (SELECT generate_series(1, 100000000) AS i) AS s', 0.8)},
	'pairs of SimHash values'              => q{SELECT count(*) FROM near_duplicate_pairs('SELECT i, (i * 9123456789123)::bigint::simhash64 FROM generate_series(1, 1000000::bigint) AS i', max_distance => 24)},
	'lsh_params over and over'             => q{SELECT sum(bands) FROM generate_series(1, 10000000) AS i, lsh_params(0.5 + i / 1e8, 1024)},
);

my $turn = 0; # in the short run, each is cancelled or terminated in turn
for my $name (sort keys %long)
{
	for my $how (by_length([ 'cancel', 'terminate' ], [ ('cancel', 'terminate')[ $turn++ % 2 ] ])->@*)
	{
		my ($process, $err) = start_sql($server, q{SET application_name = 'long'}, $long{$name});
		ok(wait_until($server, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'long' AND state = 'active' AND clock_timestamp() - query_start > '} . by_length(0.5, 0.2) . q{ s'}),
			"$name: runs");
		my ($pid) = split /\|/, $server->safe_psql('postgres', "SELECT pid, pg_${how}_backend(pid) FROM pg_stat_activity WHERE application_name = 'long'");
		my $seconds = finish_watching($process, $pid);
		my $expected = $how eq 'cancel' ? '57014: canceling statement due to user request' : '57P01: terminating connection due to administrator command';
		like($$err, qr/$expected/, "$name: $how says so");
		cmp_ok($seconds, '<', 3, sprintf('%s: %s takes effect (after %.2f s of processor time)', $name, $how, $seconds));
	}
}
is($server->safe_psql('postgres', q{SELECT jaccard(to_minhash64('a b'), to_minhash64('A B'))}), '1', 'the server lives');

# Memory is freed on success and on error.
SKIP:
{
	skip 'no /proc here', 2 unless -r '/proc/self/status';
	my $resident = q{(regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmRSS:\s+(\d+)'))[1]::int / 1024};
	my $growth = sub {
		my ($statement, $times) = @_;
		return $server->safe_psql('postgres', qq{
			CREATE TEMP TABLE used (at int, mb int);
			DO \$\$
			BEGIN
				FOR i IN 1 .. $times LOOP
					BEGIN
						$statement;
					EXCEPTION WHEN program_limit_exceeded OR invalid_parameter_value THEN
					END;
					IF i IN ($times / 5, $times) THEN
						INSERT INTO used VALUES (i, $resident);
					END IF;
				END LOOP;
			END \$\$;
			SELECT max(mb) FILTER (WHERE at = $times) - max(mb) FILTER (WHERE at < $times) FROM used});
	};
	cmp_ok($growth->(q{PERFORM to_minhash128(repeat('some words ' || i, 500000))}, by_length(25, 10)), '<', 100, 'sketches of 6 MB give their memory back');
	cmp_ok($growth->(q{PERFORM tokenize(repeat('a ', 60000), 'shingle-k=30000/word-uax29')}, 5), '<', 100, 'so does what fails with too large a result');
}

# An immediate stop while sessions insert, update, delete, vacuum and build indexes. Sketches are equal or have nothing in
# common, so the answers of the index must be exact.
$server->safe_psql('postgres', q{
	CREATE FUNCTION sketch(id int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS
		$$SELECT to_minhash128(array_agg(id % 1000 || ' ' || i)) FROM generate_series(1, 50) AS i$$;
	CREATE TABLE listed (id int PRIMARY KEY, fp minhash128);
	CREATE TABLE direct (id int PRIMARY KEY, fp minhash128);
	CREATE INDEX listed_fp ON listed USING gin (fp) WITH (fastupdate = on, gin_pending_list_limit = 64);
	CREATE INDEX direct_fp ON direct USING gin (fp minhash128_lsh_ops (bands = 20)) WITH (fastupdate = off);
	CREATE PROCEDURE work(first int) LANGUAGE plpgsql AS $$
	BEGIN
		FOR n IN first .. first + 100000 LOOP
			INSERT INTO listed VALUES (n, sketch(n));
			INSERT INTO direct VALUES (n, sketch(n));
			IF n % 10 = 0 THEN
				UPDATE listed SET fp = sketch(n + 3) WHERE id = first + (n - first) / 2;
				DELETE FROM direct WHERE id = first + (n - first) / 2;
			END IF;
			COMMIT;
		END LOOP;
	END $$;
});

my $first = 0;
for my $round (1 .. by_length(3, 2))
{
	my @sessions = map { [ start_sql($server, "CALL work($_);") ] } $first + 1_000_000, $first + 2_000_000;
	push @sessions, [ start_sql($server, q{SET maintenance_work_mem = '1MB'}, ('DROP INDEX IF EXISTS again', 'CREATE INDEX again ON direct USING gin (fp)', 'VACUUM listed') x 200) ];
	my $count = $server->safe_psql('postgres', 'SELECT count(*) + 800 FROM listed');
	ok(wait_until($server, "SELECT count(*) > $count FROM listed"), "round $round: sessions write");
	$server->stop('immediate');
	$_->[0]->finish for @sessions;
	$server->start;
	for my $table ('listed', 'direct')
	{
		my ($by_index, $by_table) = by_index_and_table($server, $table, 0.8, 'id % 5 = 0');
		is($by_index, $by_table, "round $round: index and table of $table agree after recovery ($by_table)");
	}
	$server->safe_psql('postgres', 'VACUUM listed, direct');
	my ($by_index, $by_table) = by_index_and_table($server, 'listed', 0.8, 'id % 5 = 0');
	is($by_index, $by_table, "round $round: ... and after vacuum");
	$first += 100_000;
}
is($server->safe_psql('postgres', q{SELECT count(*) FROM pg_index WHERE NOT indisvalid}), '0', 'no index is invalid');

done_testing();

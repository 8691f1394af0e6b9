# Prepared transactions (PREPARE TRANSACTION) that have written to a table with a near-duplicate trigger, live clusters and indexes of every kind: after a
# crash they hold the locks of their texts as before, and COMMIT PREPARED or ROLLBACK PREPARED gives the table, the clusters and the indexes that are right.
#
#   TXTFP_PREPARED=60  rounds        TXTFP_SEED  of the random numbers (1)
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{TXTFP_PREPARED} // by_length(60, 3);
my $seed = $ENV{TXTFP_SEED} // 1;
srand $seed;
sub one_of { return $_[ int rand @_ ] }

my $server = new_server('prepared', conf => "max_prepared_transactions = 10\nfsync = off\nmax_locks_per_transaction = 256\n");
sub sql { return $server->safe_psql('postgres', $_[0]) }
sub state_of { my ($err) = @_; return $err =~ /(?:ERROR|FATAL): +(\w{5})/ ? $1 : $err }
# The last line of what the statements print, and the SQLSTATE of their first error
sub outcome
{
	my ($statements) = @_;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY sqlstate\n$statements", on_error_stop => 0);
	return ((split /\n/, $out)[-1] // '', $err eq '' ? '' : state_of($err));
}

create_docs($server, 200);
sql(q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT ((hashint8extended(n % 40, 7) & ~255::bigint) | (n / 40 % 256))::simhash64$$;
	CREATE TABLE pairs (a int, b int, PRIMARY KEY (a, b));
	CREATE INDEX ON pairs (b);
	CREATE TABLE points (id serial PRIMARY KEY, fp simhash64, rank int DEFAULT 0, seen int DEFAULT 1) WITH (fillfactor = 70);
	CREATE INDEX ON points USING sketch (fp);
	CREATE FUNCTION adds(kept points, new points, distance float8) RETURNS points LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + new.seen; RETURN kept; END$$;
	CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true, apart => 'pairs');
	CALL live_clusters_create('points', 'id', 'fp', mode => 'star', priority => 'rank', clusters => 'stars', max_distance => 2, events => true, apart => 'pairs');
	INSERT INTO points (fp, rank) SELECT point(i * 7919), i % 5 FROM generate_series(1, 150) AS i;
	INSERT INTO pairs SELECT i, i + 40 FROM generate_series(1, 90, 7) AS i});
my %trigger = map { $_->[0] => "CREATE TRIGGER near BEFORE INSERT OR UPDATE ON points FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', $_->[1], 'max_distance=1')" }
  [ none => '' ], [ skip => "'skip'" ], [ count => "'count', 'counter=seen', 'on_update=skip'" ], [ merge => "'merge', 'merge=public.adds', 'on_update=delete'" ];

# Everything that a transaction writes
my $digest = q{SELECT md5(concat((SELECT string_agg(p::text, ';' ORDER BY id) FROM points AS p), (SELECT string_agg(c::text, ';' ORDER BY id) FROM points_clusters AS c), (SELECT string_agg(c::text, ';' ORDER BY id) FROM stars AS c),
	(SELECT string_agg(p::text, ';' ORDER BY a, b) FROM pairs AS p), (SELECT string_agg(md5(d::text), ';' ORDER BY id) FROM docs AS d), (SELECT count(*) FROM stars_events)))};

sub writes
{
	my $id = 1 + int rand 150;
	return join ";\n", map { one_of(
			'INSERT INTO points (fp, rank) SELECT point(' . int(rand 10240) . ' + i * 31), i FROM generate_series(1, 6) AS i', "UPDATE points SET fp = point(" . int(rand 10240) . ") WHERE id % 19 = $id % 19", "UPDATE points SET rank = rank + 3 WHERE id % 7 = $id % 7",
			"DELETE FROM points WHERE id % 23 = $id % 23", "INSERT INTO pairs VALUES ($id, $id + 40) ON CONFLICT DO NOTHING", "DELETE FROM pairs WHERE a % 5 = $id % 5", "SAVEPOINT s;\nDELETE FROM points WHERE id % 2 = 0;\nROLLBACK TO s",
			'SELECT put(' . int(rand 200) . ', ' . (200 + int rand 60) . ", 8)", "DELETE FROM docs WHERE id % 9 = $id % 9") } 1 .. one_of(1, 3, 6);
}

sub crash { $server->stop('immediate'); $server->start; return }

my $faults = 0;
for my $round (1 .. $rounds)
{
	my $action = (sort keys %trigger)[ $round % 4 ];
	sql("DROP TRIGGER IF EXISTS near ON points; " . ($action eq 'none' ? '' : $trigger{$action}));
	my $before = sql($digest);
	my ($in, $error) = outcome("BEGIN;\n" . writes() . ";\n$digest;\nPREPARE TRANSACTION 'p';");
	is($error, '', "round $round, $action: prepared");
	if (rand() < 0.7) { crash(); ++$faults }
	sql('VACUUM points; VACUUM docs') if rand() < 0.3;
	is(sql($digest), $before, "round $round: nobody sees it");
	crash(), ++$faults if rand() < 0.2;
	my $commits = rand() < 0.6;
	sql($commits ? "COMMIT PREPARED 'p'" : "ROLLBACK PREPARED 'p'");
	crash(), ++$faults if rand() < 0.3;
	is(sql($digest), $commits ? $in : $before, "round $round: " . ($commits ? 'committed, as the transaction saw it' : 'as before'));
	is(sql("SELECT count(*) FROM live_clusters_check('points', '$_')"), 0, "round $round: $_ are right") for 'points_clusters', 'stars';
}
answers_agree($server, "after $rounds rounds, $faults crashes");
is(sql("SELECT count(*) FROM (SELECT sketch_check(indexrelid, true) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'sketch')) AS x WHERE sketch_check IS NULL"), 0, 'the indexes are sound');

# ---- a writer of a similar row waits for the prepared transaction, before and after a crash
for my $scope ('keys', 'table')
{
	for my $commits (0, 1)
	{
		sql("DROP TRIGGER IF EXISTS near ON points; CREATE TRIGGER near BEFORE INSERT ON points FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=1', 'locks=$scope'); DELETE FROM points WHERE fp = 77::bigint::simhash64 OR fp = 78::bigint::simhash64");
		my (undef, $error) = outcome("BEGIN;\nINSERT INTO points (fp) VALUES (77::bigint::simhash64);\nPREPARE TRANSACTION 'p';");
		is($error, '', "locks=$scope: a transaction is prepared");
		my $similar = "SET lock_timeout = 500;\nINSERT INTO points (fp) VALUES (79::bigint::simhash64);";
		is((outcome($similar))[1], '55P03', "locks=$scope: who writes a similar row waits");
		crash();
		is((outcome($similar))[1], '55P03', "locks=$scope: after a crash, too");
		sql($commits ? "COMMIT PREPARED 'p'" : "ROLLBACK PREPARED 'p'");
		is((outcome($similar))[1], $commits ? '23505' : '', "locks=$scope: then it is " . ($commits ? 'rejected' : 'written'));
		sql("DELETE FROM points WHERE fp = 79::bigint::simhash64");
	}
}

# ---- what cannot be prepared is refused, and the session goes on
sql('DROP TRIGGER near ON points');
for my $case (
	[ 'a temporary table', "CREATE TEMPORARY TABLE t (id int, fp simhash64);\nCREATE INDEX ON t USING sketch (fp);\nINSERT INTO t SELECT id, fp FROM points;", '0A000' ],
	[ 'an index that is made', 'CREATE INDEX made ON points USING sketch (fp);', '' ],
	[ 'clusters that are made', "CALL live_clusters_create('points', 'id', 'fp', max_distance => 3, clusters => 'more');", '' ],
	[ 'clusters that are filled', "CALL live_clusters_fill('points', again => true, clusters => 'stars');", '' ],
	[ 'clusters that are dropped', "CALL live_clusters_drop('points', 'stars');", '' ],
	[ 'a bulk function', "SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM points', max_distance => 2);", '' ])
{
	my ($what, $statements, $expected) = @$case;
	my (undef, $error) = outcome("BEGIN;\n$statements\nPREPARE TRANSACTION 'p';");
	is($error, $expected, "$what: " . ($expected || 'prepared'));
	next if $error ne '';
	crash();
	sql("ROLLBACK PREPARED 'p'");
	is(sql("SELECT count(*) FROM live_clusters_check('points', '$_')"), 0, "$what: rolled back, $_ are right") for 'points_clusters', 'stars';
}
unlike(slurp_file($server->logfile), qr/XX\d{3}|terminated by signal [^9]|PANIC|TRAP:/, 'no internal error');
$server->stop;
done_testing();

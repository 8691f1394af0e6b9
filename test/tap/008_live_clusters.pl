# Clusters that stay current: 16 clients insert, update, delete and roll back at the same time, at every isolation level, in statements of
# one row and of many. Meanwhile other sessions verify that in every snapshot the clusters equal the result of a search for each row. The server
# crashes in between. TXTFP_CLUSTERS_SECONDS=N seconds for each kind of clusters (default 2, in the long run 6).
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{TXTFP_CLUSTERS_SECONDS} || by_length(6, 2);
my $seed    = $ENV{TXTFP_CLUSTERS_SEED} || int(time);
diag "TXTFP_CLUSTERS_SEED=$seed";
my $server = new_server('clusters', conf => "max_connections = 60\nautovacuum = on\nautovacuum_naptime = 2s\nlog_lock_waits = off\n");

sub sql { return $server->safe_psql('postgres', $_[0]) }

# Rows of a group differ in 8 bits, and are similar if they differ in at most two: a group is a sparse graph, in which clusters merge and split.
sql(q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
		$$SELECT ((hashint8extended(n % 60, 7) & ~255::bigint) | (n / 60 % 256))::simhash64$$;
	CREATE TABLE points (id int PRIMARY KEY, fp simhash64, rank int);
	CREATE INDEX ON points USING sketch (fp);
	CREATE TABLE stars (LIKE points INCLUDING ALL);
	-- their texts decide, and are others after each change
	CREATE TABLE texts (id int PRIMARY KEY, fp minhash128, rank int, body text);
	CREATE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
		new.body := (ARRAY['Dogs are permitted.', 'Dogs are not permitted.', 'dogs  are permitted.', 'Dogs are permitted. Cats may enter, too.', NULL])[1 + random() * 4.2];
		RETURN new;
	END$$;
	CREATE TRIGGER says BEFORE INSERT OR UPDATE ON texts FOR EACH ROW EXECUTE FUNCTION says();
	CREATE INDEX ON texts USING gin (fp minhash128_lsh_ops (bands = 32, rows = 4)) WITH (fastupdate = off);
	-- 20 tokens, of which some differ within a group of rows
	CREATE FUNCTION text_point(n int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS
		$$SELECT to_minhash128((SELECT array_agg('g' || n % 60 || '.' || i || CASE WHEN i <= 4 THEN 'v' || (n / 60 >> 2 * (i - 1)) % 4 ELSE '' END) FROM generate_series(1, 20) AS i))$$;
	-- what somebody has decided about: ten rows that each row is apart from, and some that are together
	CREATE TABLE apart (a int, b int, PRIMARY KEY (a, b));
	CREATE INDEX ON apart (b);
	CREATE TABLE together (LIKE apart INCLUDING ALL);
	INSERT INTO together SELECT i, i + 1 FROM generate_series(1, 1500, 50) AS i;
	INSERT INTO apart SELECT DISTINCT i, 1 + (i * 7 + k * 131) % 1500 FROM generate_series(1, 1500) AS i, generate_series(1, 10) AS k WHERE abs(i - 1 - (i * 7 + k * 131) % 1500) > 1;
	CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true, notify => 'points_changed', apart => 'apart', together => 'together');
	CALL live_clusters_create('stars', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, events => true, apart => 'apart', together => 'together');
	CALL live_clusters_create('texts', 'id', 'fp', 0.8, 'star', priority => 'rank', text => 'body', verify => 'lossless', guard => 'strict', events => true);

	-- A reader of the events: in each snapshot it has read what the snapshot before did not see, and knows the clusters. Returns what is wrong.
	CREATE TABLE reader (clusters text PRIMARY KEY, upto pg_snapshot NOT NULL);
	INSERT INTO reader SELECT t || '_clusters', pg_current_snapshot() FROM unnest(ARRAY['points', 'stars', 'texts']) AS t;
	CREATE TABLE known (clusters text, id int, cluster bigint, PRIMARY KEY (clusters, id));
	CREATE TABLE known_sets (clusters text, cluster bigint, kept int, PRIMARY KEY (clusters, cluster));
	CREATE FUNCTION read_on(name text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE e record; wrong text; old pg_snapshot;
	BEGIN
		SELECT upto INTO old FROM reader WHERE clusters = name;
		UPDATE reader SET upto = pg_current_snapshot() WHERE clusters = name;
		FOR e IN EXECUTE format('SELECT * FROM %I WHERE xact >= pg_snapshot_xmin(%L) AND NOT pg_visible_in_snapshot(xact, %L) ORDER BY event', name || '_events', old, old) LOOP
			IF e.what IN ('created', 'split from') THEN
				INSERT INTO known_sets VALUES (name, e.cluster, e.kept);
			ELSIF e.what = 'joined' THEN
				INSERT INTO known VALUES (name, e.id, e.cluster) ON CONFLICT (clusters, id) DO UPDATE SET cluster = excluded.cluster;
			ELSIF e.what = 'left' THEN
				DELETE FROM known WHERE clusters = name AND id = e.id AND cluster = e.cluster;
				IF NOT FOUND THEN RETURN e::text; END IF;
			ELSIF e.what = 'merged into' THEN
				UPDATE known SET cluster = e.other WHERE clusters = name AND cluster = e.cluster;
				IF NOT FOUND THEN RETURN e::text; END IF;
				DELETE FROM known_sets WHERE clusters = name AND cluster = e.cluster;
			ELSIF e.what = 'dissolved' THEN
				DELETE FROM known WHERE clusters = name AND cluster = e.cluster;
				DELETE FROM known_sets WHERE clusters = name AND cluster = e.cluster;
				IF NOT FOUND THEN RETURN e::text; END IF;
			ELSE
				UPDATE known_sets SET kept = e.kept WHERE clusters = name AND cluster = e.cluster AND kept = e.kept_before;
				IF NOT FOUND THEN RETURN e::text; END IF;
			END IF;
		END LOOP;
		EXECUTE format('SELECT string_agg(x::text, $x$ $x$) FROM (SELECT m.id, m.number, m.cluster, k.id, k.cluster, k.kept FROM %I AS m
			FULL JOIN (SELECT * FROM known LEFT JOIN known_sets USING (clusters, cluster) WHERE clusters = %L) AS k ON k.id = m.id WHERE (m.number, m.cluster) IS DISTINCT FROM (k.cluster, k.kept) LIMIT 5) AS x', name, name) INTO wrong;
		RETURN wrong;
	END $$;
});
my %new = (points => 'point(:n)', stars => 'point(:n)', texts => 'text_point(:n)');

# The tables of the clusters are consistent: the links of each cluster form a tree, and sizes and names are right.
sub contradictions
{
	my ($name) = @_;
	my $c = "${name}_clusters";
	return sql(qq{
		WITH tree AS (SELECT * FROM connected_components('SELECT a, b FROM ${c}_links'))
		SELECT (SELECT count(*) FROM tree FULL JOIN ${c}_members AS m USING (id) WHERE tree.id IS NULL OR m.id IS NULL),
			(SELECT count(*) FROM (SELECT FROM tree JOIN ${c}_members AS m USING (id) GROUP BY m.cluster HAVING count(DISTINCT tree.cluster) > 1) AS x),
			(SELECT count(*) FROM (SELECT FROM tree JOIN ${c}_members AS m USING (id) GROUP BY tree.cluster HAVING count(DISTINCT m.cluster) > 1) AS x),
			(SELECT count(*) FROM ${c}_members) - (SELECT count(*) FROM ${c}_links) - (SELECT count(*) FROM ${c}_sets),
			(SELECT count(*) FROM ${c}_sets AS s WHERE size <> (SELECT count(*) FROM ${c}_members AS m WHERE m.cluster = s.cluster))});
}

sub differences { return sql("SELECT count(*) || coalesce(': ' || left(string_agg(c::text, ' '), 500), '') FROM live_clusters_check('$_[0]') AS c") }

sub misread { return sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT coalesce(read_on('$_[0]_clusters'), 'right'); COMMIT") }

my $dir = PostgreSQL::Test::Utils::tempdir();

sub scripts
{
	my ($table) = @_;
	my $row = "\\set id random(1, 1500)\n\\set n random(0, 15359)\n\\set r random(0, 5)\n";
	my $new = $new{$table};
	my $put = "INSERT INTO $table VALUES (:id, $new, :r) ON CONFLICT (id) DO UPDATE SET fp = excluded.fp, rank = excluded.rank;";
	my $many = sub { (my $text = $new) =~ s/:n/(i * 7919 + :n) % 15360/; $text };
	my %scripts = (
		'put@20'         => "$row$put",
		'delete@6'       => "${row}DELETE FROM $table WHERE id = :id;",
		'update@8'       => "${row}UPDATE $table SET fp = $new WHERE id = :id;",
		'rank@3'         => "${row}UPDATE $table SET rank = :r WHERE id = :id;",
		'nothing@2'      => "${row}UPDATE $table SET fp = NULL WHERE id = :id;",
		'rollback@4'     => "${row}BEGIN;\n$put\nROLLBACK;",
		'savepoint@3'    => "${row}BEGIN;\n$put\nSAVEPOINT s;\nDELETE FROM $table WHERE id BETWEEN :id - 3 AND :id;\nROLLBACK TO s;\nCOMMIT;",
		'two@3'          => "${row}BEGIN;\n$put\nDELETE FROM $table WHERE id = 1501 - :id;\nCOMMIT;",
		'key@2'          => "${row}UPDATE $table SET id = 3000 - id WHERE id = :id AND NOT EXISTS (SELECT FROM $table WHERE id = 3000 - :id);",
		'many@2'         => "${row}INSERT INTO $table SELECT 1 + (:id + i) % 1500, " . $many->() . ", :r FROM generate_series(1, 20) AS i ON CONFLICT DO NOTHING;",
		'purge@2'        => "${row}DELETE FROM $table WHERE id BETWEEN :id AND :id + 20;",
		'change@1'       => "${row}UPDATE $table SET fp = $new WHERE id BETWEEN :id AND :id + 10;",
		'repeatable@5'   => "${row}BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM $table WHERE id < 10;\n$put\nCOMMIT;",
		'serializable@5' => "${row}BEGIN ISOLATION LEVEL SERIALIZABLE;\nSELECT count(*) FROM $table WHERE id = :id;\n$put\nDELETE FROM $table WHERE id = 1501 - :id;\nCOMMIT;",
	);
	$scripts{'says@6'} = "${row}UPDATE texts SET body = NULL WHERE id = :id;" if $table eq 'texts';
	if ($table ne 'texts')
	{
		$scripts{'apart@3'}    = "${row}INSERT INTO apart SELECT :id, 1 + :n % 1500 WHERE abs(:id - 1 - :n % 1500) > 1 ON CONFLICT DO NOTHING;";
		$scripts{'similar@2'}  = "${row}DELETE FROM apart WHERE a = :id AND b < :n % 1500;";
		$scripts{'together@2'} = "${row}INSERT INTO together VALUES (:id / 50 * 50 + 1, :id / 50 * 50 + 2) ON CONFLICT DO NOTHING;";
		$scripts{'single@2'}   = "${row}DELETE FROM together WHERE a = :id / 50 * 50 + 1;";
	}
	my @files;
	for my $name (sort keys %scripts)
	{
		(my $file = "$dir/${table}_$name.sql") =~ s/\@.*/.sql/;
		open my $out, '>', $file or die $!;
		print $out $scripts{$name};
		close $out;
		push @files, '-f', $file . ($name =~ /(\@.*)/)[0];
	}
	return @files;
}

sub start_clients
{
	my ($table, $time) = @_;
	my %run = (out => '', err => '');
	$run{process} = IPC::Run::start(
		[ 'pgbench', '-n', '-c', 16, '-j', 2, '-T', int($time), '--max-tries=0', "--random-seed=$seed", scripts($table), $server->connstr('postgres') ],
		'<', \'', '>', \$run{out}, '2>', \$run{err});
	return \%run;
}

for my $table (sort keys %new)
{
	# half of the time without a crash, then two crashes
	my $run = start_clients($table, $seconds / 2 + 1);
	my ($looks, $wrong, $end, $read) = (0, '', time + $seconds / 2, 'right');
	while (time < $end && $wrong eq '')
	{
		my $differences = differences($table);
		$wrong = $differences if $differences ne '0';
		$read = misread($table) if $read eq 'right';
		$looks++;
		sleep 0.2;
	}
	is($wrong, '', "$table: no differences while they write, in $looks snapshots");
	is($read, 'right', "$table: a reader of the events knows the clusters in each of them");
	IPC::Run::finish($run->{process});
	unlike($run->{err}, qr/aborted|error/i, "$table: no client met an error") or diag substr $run->{err}, 0, 2000;
	my ($transactions) = $run->{out} =~ /number of transactions actually processed: (\d+)/;
	my ($retried) = $run->{out} =~ /number of transactions retried: (.*)/;
	diag "$table: $transactions transactions, retried: " . ($retried // 0);
	cmp_ok($transactions // 0, '>', $seconds, "$table: transactions");
	is(differences($table), '0', "$table: no differences afterwards");
	is(contradictions($table), '0|0|0|0|0', "$table: the tables agree with each other");
	for my $crash (1, 2)
	{
		$run = start_clients($table, $seconds / 4 + 5);
		sleep $seconds / 4;
		$server->stop('immediate');
		IPC::Run::finish($run->{process});
		$server->start;
		is(differences($table), '0', "$table: no differences after crash $crash");
		is(contradictions($table), '0|0|0|0|0', "$table: the tables agree after crash $crash");
		is(misread($table), 'right', "$table: the reader goes on after crash $crash, and knows each cluster by its number");
	}
	cmp_ok(sql("SELECT count(*) FROM ${table}_clusters_sets"), '>', 10, "$table: there are clusters");
	cmp_ok(sql("SELECT count(*) FROM ${table}_clusters_members WHERE excepted"), '>', 0, "$table: pairs that are apart or together count") if $table ne 'texts';
}

# clusters equal the result of the bulk function if the index finds every pair
is(sql(q{SELECT count(*) FROM (
	(SELECT id, cluster, size FROM points_clusters EXCEPT SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, fp FROM points WHERE fp IS NOT NULL', max_distance => 2, apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together')) UNION ALL
	(SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, fp FROM points WHERE fp IS NOT NULL', max_distance => 2, apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together') EXCEPT SELECT id, cluster, size FROM points_clusters)) AS d}), '0', 'components: equal to near_duplicate_clusters');
my $bulk = q{near_duplicate_clusters('SELECT id, fp, rank FROM stars', max_distance => 2, mode => 'star', apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together')};
is(sql(qq{SELECT count(*) FROM (
	(SELECT id, cluster, size, similarity FROM stars_clusters EXCEPT SELECT id, cluster, size, similarity FROM $bulk) UNION ALL
	(SELECT id, cluster, size, similarity FROM $bulk EXCEPT SELECT id, cluster, size, similarity FROM stars_clusters)) AS d}), '0', 'stars: equal to near_duplicate_clusters');

# live_clusters_fill adds the rows that the table had before, while writers continue.
sql(q{CALL live_clusters_drop('points'); CALL live_clusters_create('points', 'id', 'fp', max_distance => 2)});
my $run = start_clients('points', by_length(8, 3));
sleep 0.5;
my ($ok, undef, $err) = $server->psql('postgres', q{CALL live_clusters_fill('points', 20)});
is($err, '', 'filled beside writers');
is(differences('points'), '0', 'no differences then, beside writers');
IPC::Run::finish($run->{process});
is(differences('points'), '0', 'nor afterwards');

# NOTIFY: one for each transaction that changes clusters, none for others
sub notified { my (undef, $out) = $server->psql('postgres', "LISTEN points_changed; $_[0]"); return $out =~ s/ from server process with PID \d+//gr }
sql('CREATE TABLE spare (id int PRIMARY KEY, fp simhash64); CREATE INDEX ON spare USING sketch (fp)');
sql("CALL live_clusters_create('spare', 'id', 'fp', max_distance => 2, notify => 'points_changed')");
my $told = 'Asynchronous notification "points_changed" with payload "spare_clusters" received.';
is(notified('INSERT INTO spare VALUES (1, point(1))'), '', 'NOTIFY: a row alone changes no cluster');
is(notified('BEGIN; INSERT INTO spare VALUES (2, point(1)); DELETE FROM spare WHERE id = 1; INSERT INTO spare VALUES (3, point(1)); COMMIT'), $told, 'NOTIFY: once for a transaction');
is(notified('UPDATE spare SET fp = point(1); BEGIN; DELETE FROM spare; ROLLBACK'), '', 'NOTIFY: nothing has happened');
is(notified('TRUNCATE spare'), $told, 'NOTIFY: TRUNCATE');

# dump and restore keep the clusters, which then continue to follow writes
my $dump = $server->basedir . '/dump.sql';
$server->command_ok([ 'pg_dump', '-d', $server->connstr('postgres'), '-f', $dump ], 'dump');
sql('CREATE DATABASE copy');
$server->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $server->connstr('copy'), '-f', $dump ], 'restore');
for my $table (sort keys %new)
{
	is($server->safe_psql('copy', "SELECT count(*) FROM live_clusters_check('$table')"), '0', "restored $table: no differences");
	$server->safe_psql('copy', "INSERT INTO $table SELECT id + 5000, fp FROM $table");
	is($server->safe_psql('copy', "SELECT count(*) FROM live_clusters_check('$table')"), '0', "restored $table goes on");
}

# an archive that is restored by sections and two processes, with names that need quotes: the clusters still belong to their table
my $odd = '"A schema"."The docs"';
sql(qq{CREATE SCHEMA "A schema"; CREATE TABLE $odd (id int PRIMARY KEY, fp simhash64); CREATE INDEX ON $odd USING sketch (fp);
	CALL live_clusters_create('$odd', 'id', 'fp', mode => 'star', max_distance => 2); INSERT INTO $odd SELECT i, to_simhash64('text ' || i % 7) FROM generate_series(1, 50) AS i});
$server->command_ok([ 'pg_dump', '-d', $server->connstr('postgres'), '-Fc', '-f', "$dump.archive" ], 'dump to an archive');
sql('CREATE DATABASE sections');
$server->command_ok([ 'pg_restore', '-d', $server->connstr('sections'), "--section=$_", $_ eq 'post-data' ? ('-j', 2) : (), "$dump.archive" ], "restore $_") for 'pre-data', 'data', 'post-data';
is($server->safe_psql('sections', "SELECT count(*) FROM live_clusters_check('$odd')"), '0', 'restored by sections: no differences');
$server->safe_psql('sections', "INSERT INTO $odd SELECT id + 5000, fp FROM $odd; TRUNCATE $odd; INSERT INTO $odd SELECT i, to_simhash64('text ' || i % 7) FROM generate_series(1, 50) AS i");
is($server->safe_psql('sections', "SELECT count(*) FROM live_clusters_check('$odd')"), '0', 'restored by sections: goes on');
for my $table ('The docs_clusters_members', 'The docs_clusters_links')
{
	my (undef, undef, $refusal) = $server->psql('sections', qq{DROP TABLE "A schema"."$table"});
	like($refusal, qr/trigger The docs_clusters_empty on table "A schema"."The docs" depends on table/, "\"$table\" belongs to the clusters");
}

$server->stop;
done_testing();

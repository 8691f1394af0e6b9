# Clusters that stay current, on replicas: a standby shows them as the primary does, and goes on when it is promoted; a logical subscriber
# keeps its own where the triggers fire always, and can be put right where they did not.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $primary = new_server('primary', streaming => 'logical', conf => "hot_standby = on\nmax_wal_senders = 10\nmax_replication_slots = 10\n");

# Rows of a group differ in 8 bits, of which two may be unlike.
my $definition = q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
		$$SELECT ((hashint8extended(n % 40, 7) & ~255::bigint) | (n / 40 % 256))::simhash64$$;
	CREATE TABLE points (id int PRIMARY KEY, fp simhash64, rank int);
	CREATE INDEX ON points USING sketch (fp);
	CREATE TABLE apart (a int, b int, PRIMARY KEY (a, b));
	CREATE INDEX ON apart (b);
	CREATE TABLE together (LIKE apart INCLUDING ALL);
	INSERT INTO together SELECT i, i + 1 FROM generate_series(300, 3500, 100) AS i;
	INSERT INTO apart SELECT i, i + k * 37 FROM generate_series(300, 3500) AS i, generate_series(1, 8) AS k;
};
my $clusters = q{
	CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true, notify => 'points', apart => 'apart', together => 'together');
	CALL live_clusters_create('points', 'id', 'fp', mode => 'star', priority => 'rank', clusters => 'stars', max_distance => 2, events => true, apart => 'apart', together => 'together');
};
my @tables = qw(points_clusters_members points_clusters_sets points_clusters_links points_clusters_events stars_members stars_sets stars_links stars_history stars_events);

my $rows = by_length(300, 150);    # of a round

# Statements that make, join and part clusters; `round` chooses the rows.
sub change
{
	my ($server, $round) = @_;
	$server->safe_psql('postgres', $_) for
	  "INSERT INTO points SELECT i, point((i * 7919 + $round * 104729) % 10240), i % 5 FROM generate_series($round * $rows, $round * $rows + $rows - 1) AS i",
	  "UPDATE points SET fp = point((id * 31 + $round) % 10240) WHERE id % 7 = $round % 7",
	  "UPDATE points SET rank = (rank + $round) % 6 WHERE id % 11 = 3",
	  "DELETE FROM points WHERE id % 13 = $round % 13",
	  "BEGIN; DELETE FROM points WHERE id % 2 = 0; ROLLBACK";
}

sub differences { return $_[0]->safe_psql('postgres', "SELECT count(*) FROM live_clusters_check('points', '$_[1]')") }

# Equal to what the bulk function says of the same rows.
sub is_right
{
	my ($server, $when) = @_;
	is(differences($server, $_), 0, "$when: $_ have no differences") for 'points_clusters', 'stars';
	is($server->safe_psql('postgres', q{SELECT count(*) FROM (
		(SELECT id, cluster, size FROM points_clusters EXCEPT SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, fp FROM points', max_distance => 2, apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together')) UNION ALL
		(SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, fp FROM points', max_distance => 2, apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together') EXCEPT SELECT id, cluster, size FROM points_clusters)) AS d}),
		0, "$when: components equal those of near_duplicate_clusters");
	cmp_ok($server->safe_psql('postgres', 'SELECT count(*) FROM points_clusters_sets'), '>', 5, "$when: there are clusters");
	cmp_ok($server->safe_psql('postgres', 'SELECT count(*) FROM points_clusters_members WHERE excepted'), '>', 5, "$when: pairs that are apart or together count");
}

$primary->safe_psql('postgres', $definition . $clusters);
change($primary, 1);

# ---- a standby

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
change($primary, $_) for 2, 3;
$primary->wait_for_catchup($standby, 'replay');
is_right($standby, 'standby');
for my $table (@tables)
{
	my $digest = "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM $table AS t";
	is($standby->safe_psql('postgres', $digest), $primary->safe_psql('postgres', $digest), "standby: $table is that of the primary");
}
my $kept = q{SELECT string_agg(k::text, ' ' ORDER BY m.id, since, until) FROM (SELECT DISTINCT id FROM stars_history WHERE id < 400) AS m, live_clusters_kept('points', m.id, 'stars') AS k};
my $numbers = 'SELECT count(*), md5(string_agg(c::text, $$,$$ ORDER BY c.id)) FROM (SELECT id, cluster, size, number FROM %s) AS c';
for my $view ('points_clusters', 'stars')
{
	my $digest = sprintf $numbers, $view;
	is($standby->safe_psql('postgres', $digest), $primary->safe_psql('postgres', $digest), "standby: the numbers of $view");
}
my $kept_there = $standby->safe_psql('postgres', $kept);
is($kept_there, $primary->safe_psql('postgres', $kept), 'standby: who was kept for whom');
isnt($kept_there, '', 'standby: somebody was');
my (undef, undef, $refused) = $standby->psql('postgres', "CALL live_clusters_fill('points', clusters => 'stars')");
like($refused, qr/read-only transaction|recovery is in progress/, 'standby: fill is refused');

# ---- a logical subscriber: the triggers fire for rows of the apply process only if they are told to

my $subscriber = new_server('subscriber', conf => "max_logical_replication_workers = 8\n");
$subscriber->safe_psql('postgres', $definition . $clusters);
$subscriber->safe_psql('postgres', "ALTER TABLE points ENABLE ALWAYS TRIGGER $_") for qw(points_clusters points_clusters_empty);
$primary->safe_psql('postgres', 'CREATE PUBLICATION points FOR TABLE points');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION points CONNECTION '" . $primary->connstr . " dbname=postgres' PUBLICATION points");
$subscriber->wait_for_subscription_sync($primary, 'points');
is(differences($subscriber, 'points_clusters'), 0, 'subscriber: the first copy was followed');
change($primary, $_) for 4, 5;
$primary->wait_for_catchup('points');
is(differences($subscriber, 'points_clusters'), 0, 'subscriber: changes were followed');
my $components = 'SELECT count(*), md5(string_agg(c::text, $$,$$ ORDER BY id)) FROM (SELECT id, cluster, size FROM points_clusters) AS c';
is($subscriber->safe_psql('postgres', $components), $primary->safe_psql('postgres', $components), 'subscriber: the same clusters');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM stars_members'), 0, 'subscriber: triggers that do not fire always follow nothing');
cmp_ok(differences($subscriber, 'stars'), '>', 0, 'subscriber: which the check tells');
$subscriber->safe_psql('postgres', "CALL live_clusters_fill('points', again => true, clusters => 'stars')");
is_right($subscriber, 'subscriber, filled');
$primary->safe_psql('postgres', 'TRUNCATE points');
$primary->wait_for_catchup('points');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM points_clusters_members'), 0, 'subscriber: TRUNCATE was followed');
change($primary, 6);
$primary->wait_for_catchup('points');
is(differences($subscriber, 'points_clusters'), 0, 'subscriber: and what came then');
unlike(PostgreSQL::Test::Utils::slurp_file($subscriber->logfile), qr/ERROR: /, 'subscriber: no error');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION points');

# ---- events by logical replication: in the order of commits

my $capture = new_server('capture');
$capture->safe_psql('postgres', 'CREATE TABLE points_clusters_events (event bigint, at timestamptz, xact xid8, cluster bigint, what text, id int, other bigint, kept int, kept_before int); CREATE TABLE known (id int PRIMARY KEY, cluster bigint);
	CREATE FUNCTION know() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
		IF NEW.what = \'joined\' THEN INSERT INTO public.known VALUES (NEW.id, NEW.cluster) ON CONFLICT (id) DO UPDATE SET cluster = NEW.cluster;
		ELSIF NEW.what = \'left\' THEN DELETE FROM public.known WHERE id = NEW.id;
		ELSIF NEW.what = \'merged into\' THEN UPDATE public.known SET cluster = NEW.other WHERE cluster = NEW.cluster;
		ELSIF NEW.what = \'dissolved\' THEN DELETE FROM public.known WHERE cluster = NEW.cluster; END IF;
		RETURN NULL; END$$;
	CREATE TRIGGER know BEFORE INSERT ON points_clusters_events FOR EACH ROW EXECUTE FUNCTION know(); ALTER TABLE points_clusters_events ENABLE ALWAYS TRIGGER know');
$primary->safe_psql('postgres', 'TRUNCATE points_clusters_events; CREATE PUBLICATION events FOR TABLE points_clusters_events');
my $members = 'SELECT count(*), md5(string_agg(id || $$ $$ || number, $$,$$ ORDER BY id)) FROM';
$capture->safe_psql('postgres', "CREATE SUBSCRIPTION events CONNECTION '" . $primary->connstr . " dbname=postgres' PUBLICATION events WITH (copy_data = false)");
$primary->safe_psql('postgres', 'TRUNCATE points');
change($primary, $_) for 9, 10;
$primary->wait_for_catchup('events');
is($capture->safe_psql('postgres', "$members (SELECT id, cluster AS number FROM known) AS k"), $primary->safe_psql('postgres', "$members points_clusters"), 'change capture: who reads the events knows the clusters');
cmp_ok($capture->safe_psql('postgres', 'SELECT count(*) FROM known'), '>', 20, 'change capture: and there are some');
$capture->safe_psql('postgres', 'DROP SUBSCRIPTION events');

# ---- the standby is promoted

$primary->wait_for_catchup($standby, 'replay');
my %before = map { $_ => $primary->safe_psql('postgres', sprintf $numbers, $_) } 'points_clusters', 'stars';
$primary->stop;
$standby->promote;
ok(wait_until($standby, 'SELECT NOT pg_is_in_recovery()'), 'promoted');
is_right($standby, 'promoted');
is($standby->safe_psql('postgres', sprintf $numbers, $_), $before{$_}, "promoted: the numbers of $_") for 'points_clusters', 'stars';

# numbers after a crash
$standby->safe_psql('postgres', 'CREATE TABLE seen AS SELECT $$points_clusters$$ AS clusters, id, number FROM points_clusters UNION ALL SELECT $$stars$$, id, number FROM stars');
$standby->safe_psql('postgres', 'UPDATE points SET rank = 9 - coalesce(rank, 0) WHERE id % 3 = 0');
$standby->stop('immediate');
$standby->start;
is_right($standby, 'promoted, crashed');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM points_clusters AS p JOIN seen AS s USING (id) WHERE s.clusters = 'points_clusters' AND s.number <> p.number}), 0,
	'promoted, crashed: priorities do not concern the numbers of components');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM (SELECT cluster FROM stars GROUP BY cluster HAVING count(DISTINCT number) <> 1 OR bool_or(number IS NULL)) AS x}), 0, 'promoted, crashed: a star has one number');
change($standby, $_) for 7, 8;
is_right($standby, 'promoted, written to');
is($standby->safe_psql('postgres', qq{SELECT count(*) FROM (SELECT cluster FROM $_ WHERE what IN ('created', 'split from') GROUP BY cluster HAVING count(*) > 1) AS x}), 0, "$_: no number is given twice")
  for 'points_clusters_events', 'stars_events';

$_->stop for $subscriber, $standby, $capture;
done_testing();

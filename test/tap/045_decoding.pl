# Logical decoding of tables with every type, triggers and live clusters, and subscribers whose triggers fire for what arrives (ENABLE REPLICA, ENABLE ALWAYS):
# large transactions that are streamed while they run, subtransactions that are undone, prepared transactions, rows that are known by all their columns, an
# error of a trigger in the apply process. 009 and 021 have what is ordinary.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $settings = "max_prepared_transactions = 10\nlogical_decoding_work_mem = 64kB\nmax_replication_slots = 20\nmax_wal_senders = 20\nmax_locks_per_transaction = 256\nfsync = off\n";
my $publisher = new_server('publisher', streaming => 'logical', conf => $settings);
my $subscriber = new_server('subscriber', streaming => 'logical', conf => $settings . "max_logical_replication_workers = 12\nwal_retrieve_retry_interval = 200ms\n");
sub there { return $publisher->safe_psql('postgres', $_[0]) }
sub here { return $subscriber->safe_psql('postgres', $_[0]) }

my $points = q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT ((hashint8extended(n % 40, 7) & ~255::bigint) | (n / 40 % 256))::simhash64$$;
	CREATE TABLE points (id int PRIMARY KEY, fp simhash64, rank int DEFAULT 0);
	CREATE INDEX ON points USING sketch (fp);
	CREATE TABLE pairs (a int, b int, PRIMARY KEY (a, b));
	CREATE INDEX ON pairs (b)};
my $clusters = q{CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, events => true, apart => 'pairs');
	CALL live_clusters_create('points', 'id', 'fp', mode => 'star', priority => 'rank', clusters => 'stars', max_distance => 2, events => true, apart => 'pairs')};
my $is_ours = q{WHERE typtype = 'b' AND typelem = 0 AND oid IN (SELECT objid FROM pg_depend JOIN pg_extension AS e ON e.oid = refobjid WHERE extname = 'txtfp' AND classid = 'pg_type'::regclass)};

# ---- decoding by itself: the text form of each type is computed from a snapshot of the past
create_docs($publisher, 60);
there("$points; $clusters");
SKIP:
{
	chomp(my $libraries = qx{pg_config --pkglibdir});
	skip 'test_decoding is not installed', 3 if !-e "$libraries/test_decoding.so";
	there("SELECT pg_create_logical_replication_slot('text', 'test_decoding', false, true)");
	there('CREATE TABLE all_of_it AS SELECT * FROM docs LIMIT 0; ALTER TABLE all_of_it REPLICA IDENTITY FULL; INSERT INTO all_of_it SELECT * FROM docs');
	there('UPDATE all_of_it SET id = id + 1000 WHERE id % 7 = 0');
	there('BEGIN; SAVEPOINT s; INSERT INTO points SELECT i, point(i * 31) FROM generate_series(1, 400) AS i; ROLLBACK TO s; INSERT INTO points SELECT i, point(i * 7919) FROM generate_series(1, 400) AS i; COMMIT');
	there("BEGIN; UPDATE points SET rank = 2 WHERE id % 3 = 0; INSERT INTO pairs VALUES (1, 41); PREPARE TRANSACTION 'p'");
	# columns are dropped and types change their schema before anybody decodes
	there('ALTER TABLE all_of_it DROP COLUMN body; CREATE SCHEMA elsewhere; ALTER EXTENSION txtfp SET SCHEMA elsewhere');
	my $options = "'text', NULL, NULL, 'include-xids', '0', 'stream-changes', '1'";
	my $texts = there("SELECT count(*) FROM all_of_it WHERE lavinhash IS NOT NULL");
	my $decoded = there("SELECT count(*) FROM pg_logical_slot_peek_changes($options) WHERE data LIKE '%all_of_it%'");
	cmp_ok($decoded, '>=', 0, "decoded with streaming: $decoded changes of the table of every type");
	is(there("SELECT count(*) FROM pg_logical_slot_peek_changes('text', NULL, NULL, 'include-xids', '0') AS c, all_of_it AS a WHERE c.data LIKE 'table public.all_of_it: INSERT:%id[integer]:' || (a.id % 1000) || ' %' AND position(a.lavinhash::text IN c.data) > 0 AND position(a.minhash::text IN c.data) > 0"), $texts, 'each inserted row with the text of its fingerprints');
	there("COMMIT PREPARED 'p'");
	like(there("SELECT string_agg(DISTINCT split_part(data, ' ', 1), ' ') FROM pg_logical_slot_get_changes('text', NULL, NULL)"), qr/BEGIN COMMIT .*PREPARE table/, 'and the prepared transaction');
	there("SELECT pg_drop_replication_slot('text'); ALTER EXTENSION txtfp SET SCHEMA public");
}

# ---- subscribers: triggers that fire for rows that arrive
here("$points; $clusters");
here("ALTER TABLE points ENABLE REPLICA TRIGGER $_") for qw(points_clusters points_clusters_empty);
here('ALTER TABLE points ENABLE ALWAYS TRIGGER stars; ALTER TABLE points ENABLE ALWAYS TRIGGER stars_empty');
here("ALTER TABLE pairs ENABLE ALWAYS TRIGGER $_") for split /\n/, here(q{SELECT quote_ident(tgname) FROM pg_trigger WHERE tgrelid = 'pairs'::regclass AND NOT tgisinternal});
create_functions($subscriber);
create_indexes($subscriber);
there('ALTER TABLE docs REPLICA IDENTITY FULL');
here('ALTER TABLE docs DROP CONSTRAINT docs_pkey'); # rows are found by comparing all columns
my @actions = qw(skip flag count merge reject);
for my $action (@actions)
{
	$_->safe_psql('postgres', "CREATE TABLE $action (id int PRIMARY KEY, fp minhash128, near int, seen int DEFAULT 1)") for $publisher, $subscriber;
	my $more = { flag => ", 'column=near'", count => ", 'counter=seen', 'on_update=delete'", merge => ", 'merge=public.adds', 'on_update=skip'" }->{$action} // '';
	here("CREATE INDEX ON $action USING sketch (fp)" . ($action eq 'merge' ? ";\nCREATE FUNCTION adds(kept merge, new merge, similarity float8) RETURNS merge LANGUAGE plpgsql AS \$\$BEGIN kept.seen := kept.seen + new.seen; RETURN kept; END\$\$" : '')
		. ";\nCREATE TRIGGER near BEFORE INSERT OR UPDATE ON $action FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', '$action'$more);\nALTER TABLE $action ENABLE REPLICA TRIGGER near");
}
$_->safe_psql('postgres', 'CREATE TABLE made (id int PRIMARY KEY, body text, fp minhash64)') for $publisher, $subscriber;
here("CREATE TRIGGER made BEFORE INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp', 'tokenizer=word-uax29'); ALTER TABLE made ENABLE REPLICA TRIGGER made");

my $options = 'streaming = on, two_phase = true, disable_on_error = true';
there("CREATE PUBLICATION p1 FOR TABLE points, pairs; CREATE PUBLICATION p2 FOR TABLE docs; CREATE PUBLICATION p3 FOR TABLE made, " . join(', ', @actions));
here("CREATE SUBSCRIPTION $_ CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION $_ WITH ($options" . ($_ eq 'p2' ? ', binary = true' : '') . ')') for qw(p1 p2 p3);
$subscriber->wait_for_subscription_sync($publisher, $_) for qw(p1 p2 p3);
sub catch_up { $publisher->wait_for_catchup($_) for @_; return }

sub is_followed
{
	my ($when) = @_;
	catch_up('p1', 'p2');
	for my $table (qw(points pairs docs))
	{
		my $digest = "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM $table AS t";
		is(here($digest), there($digest), "$when: $table is the same");
	}
	is(here("SELECT count(*) FROM live_clusters_check('points', '$_')"), 0, "$when: $_ are right here") for 'points_clusters', 'stars';
	is(there("SELECT count(*) FROM live_clusters_check('points', '$_')"), 0, "$when: $_ are right there") for 'points_clusters', 'stars';
}
is_followed('first copy');
there(q{BEGIN; INSERT INTO points SELECT i, point(i * 104729), i % 5 FROM generate_series(1000, 2500) AS i; SAVEPOINT a; DELETE FROM points WHERE id % 2 = 0; ROLLBACK TO a;
	SAVEPOINT b; UPDATE points SET fp = point(id * 31) WHERE id % 7 = 0; RELEASE b; DELETE FROM points WHERE id % 11 = 3; INSERT INTO pairs SELECT i, i + 40 FROM generate_series(200, 400, 9) AS i; COMMIT});
there('SELECT put(20, 90, 8); UPDATE docs SET wide = NULL WHERE id % 10 = 3; DELETE FROM docs WHERE id % 9 = 0; UPDATE docs SET id = id + 500 WHERE id % 8 = 1');
is_followed('a large transaction');
there("BEGIN; UPDATE points SET rank = 7 WHERE id % 5 = 0; DELETE FROM points WHERE id % 13 = 0; PREPARE TRANSACTION '$_'") , catch_up('p1'), $subscriber->stop('immediate'), $subscriber->start, there(($_ eq 'yes' ? 'COMMIT' : 'ROLLBACK') . " PREPARED '$_'"), is_followed("a prepared transaction, a crash here, $_") for 'no', 'yes';
there('TRUNCATE points; INSERT INTO points SELECT i, point(i) FROM generate_series(1, 300) AS i');
is_followed('TRUNCATE');

# texts of three groups; the first of each is kept here
my $texts = "SELECT i, to_minhash128('the words of group ' || i % 3 || ' ' || repeat('and more of it ', 9) || i % 3) FROM generate_series(1, 30) AS i";
there("INSERT INTO $_ (id, fp) $texts") for grep { $_ ne 'reject' } @actions;
there("INSERT INTO made SELECT i, 'words of text ' || i FROM generate_series(1, 20) AS i; UPDATE made SET body = body || ' again' WHERE id < 5");
catch_up('p3');
is(here('SELECT count(*), count(near) FROM skip'), '3|0', 'skip, for a replica: what is similar is not written');
is(here('SELECT count(*), count(near) FROM flag'), '30|27', 'flag');
is(here('SELECT count(*), sum(seen) FROM count'), '3|30', 'count');
is(here('SELECT count(*), sum(seen) FROM merge'), '3|30', 'merge');
is(here(q{SELECT count(*) FROM made WHERE fp IS DISTINCT FROM to_minhash64(body, 'word-uax29')}), 0, 'fingerprint_trigger');
# what was not written cannot be changed; the apply process passes over it
there('UPDATE skip SET seen = 9; UPDATE count SET seen = 9 WHERE id > 10; DELETE FROM merge WHERE id > 20; UPDATE merge SET fp = NULL WHERE id = 12');
catch_up('p3');
is(here('SELECT count(*), sum(seen) FROM skip'), '3|27', 'skip: the kept rows are changed');

# reject: the subscription stops, and goes on behind the transaction
there("INSERT INTO reject (id, fp) SELECT * FROM ($texts) AS t (id, fp) WHERE id < 4");
catch_up('p3');
there("INSERT INTO reject (id, fp) SELECT * FROM ($texts) AS t (id, fp) WHERE id = 7");
ok(wait_until($subscriber, q{SELECT NOT subenabled FROM pg_subscription WHERE subname = 'p3'}), 'reject: the subscription stops');
my ($lsn) = slurp_file($subscriber->logfile) =~ /violates near-duplicate check "near".*?finished at ([0-9A-F\/]+)/s;
ok(defined $lsn, 'and says at which transaction');
here("ALTER SUBSCRIPTION p3 SKIP (lsn = '$lsn'); ALTER SUBSCRIPTION p3 ENABLE");
there("INSERT INTO reject (id, fp) VALUES (50, to_minhash128('something else'))");
catch_up('p3');
is(here('SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM reject'), '1 2 3 50', 'it goes on behind it');
is(there('SELECT count(*) FROM reject'), 5, 'where it was written, no trigger rejects');

here("DROP SUBSCRIPTION $_") for qw(p1 p2 p3);
unlike(slurp_file($_->logfile), qr/ERROR: +XX\d{3}|cache lookup failed|terminated by signal [^9]|PANIC|TRAP:/, 'no internal error') for $publisher, $subscriber;
$_->stop for $subscriber, $publisher;
done_testing();

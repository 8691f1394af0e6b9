# Clusters that stay current, with writers that try to exhaust the lock table or to wait for each other in cycles: batches of 100 rows, single
# rows, and rows that all belong to few clusters. Limits apply to the number of locks, to deadlocks, and to transactions per second
# compared with one writer at a time in the same run. Afterwards the clusters are what a search for each row finds.
#
#   TXTFP_SECONDS  of each load (default 8)
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../tap";
use Loads;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = new_server('live_cluster_locks');    # default max_locks_per_transaction and max_connections

# Texts of 60 words, 8 of which are in all texts; every text has ten versions that are near-duplicates.
$server->safe_psql('postgres', q{
	CREATE FUNCTION body(doc int, version int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(CASE WHEN i <= 8 THEN 'common' WHEN i = 20 + version THEN 'version' || version ELSE 'doc' || doc END || i, ' ') FROM generate_series(1, 60) AS i$$;
	CREATE TABLE pool (n int PRIMARY KEY, fp minhash128);
	INSERT INTO pool SELECT i, to_minhash128(body(i / 10, i % 10), 'word-uax29') FROM generate_series(1, 20000) AS i;
	CREATE TABLE docs (id bigserial PRIMARY KEY, fp minhash128);
	CREATE INDEX ON docs USING gin (fp) WITH (fastupdate = off)});

sub value { return $server->safe_psql('postgres', $_[0]) }

sub begin
{
	my ($mode, $locks) = @_;
	$server->psql('postgres', "CALL live_clusters_drop('docs')");
	value('TRUNCATE docs RESTART IDENTITY');
	value("CALL live_clusters_create('docs', 'id', 'fp', 0.8, '$mode')");
	return unless $locks;
	value("DROP TRIGGER docs_clusters ON docs; CREATE TRIGGER docs_clusters AFTER INSERT OR UPDATE OR DELETE ON docs FOR EACH ROW
		EXECUTE FUNCTION live_clusters_trigger('id', 'fp', 'docs_clusters', 'threshold=0.8', 'mode=$mode', 'locks=$locks')");
}

sub is_right
{
	my ($when) = @_;
	is(value("SELECT count(*) FROM live_clusters_check('docs')"), 0, "$when: no differences");
	cmp_ok(value('SELECT count(*) FROM docs_clusters_sets'), '>', 10, "$when: there are clusters");
}

my $row    = "\\set n random(1, 20000)\nINSERT INTO docs (fp) SELECT fp FROM pool WHERE n = :n;\n";
my $single = script('single_rows', $row . "\\set gone random(1, 100000)\nDELETE FROM docs WHERE id = :gone;\n");
my $many   = script('statements_of_100_rows', "INSERT INTO docs (fp) SELECT fp FROM pool WHERE n IN (SELECT 1 + (random() * 19999)::int FROM generate_series(1, 100));\n");
my $each   = script('transactions_of_38_statements', "BEGIN;\n" . $row x 38 . "COMMIT;\n");
my $crowd  = script('few_clusters', "\\set n random(1, 200)\nINSERT INTO docs (fp) SELECT fp FROM pool WHERE n = :n;\n\\set gone random(1, 20000)\nDELETE FROM docs WHERE id = :gone;\n");
my $share  = value('SHOW max_locks_per_transaction');
my $room   = $clients * ($share + 2);

for my $mode ('components', 'star')
{
	begin($mode, 'table');
	my ($alone) = load($server, $many);
	begin($mode);
	my ($tps, $retried, $most) = load($server, $many);
	cmp_ok($retried, '==', 0, "$mode, 16 sessions of 100 rows: no deadlock");
	cmp_ok($tps, '>', 0.5 * $alone, "$mode: and at least half the transactions of one writer at a time");
	is_right("$mode, 100 rows");
	begin($mode);
	(undef, $retried, $most) = load($server, $single);
	cmp_ok($retried, '==', 0, "$mode, single rows: no deadlock");
	cmp_ok($most, '<=', $room, "$mode, single rows: no more locks than $share each");
	is_right("$mode, single rows");
	begin($mode);
	(undef, $retried) = load($server, $crowd);
	cmp_ok($retried, '==', 0, "$mode, few clusters: no deadlock");
	is_right("$mode, few clusters");
	begin($mode);
	(undef, $retried, $most) = load($server, $each);
	cmp_ok($most, '<=', $room, "$mode, 16 sessions of 38 rows: no more locks than $share each");
	cmp_ok($retried, '<', 30, "$mode: and $retried % of them are tried again");
	is_right("$mode, 38 rows");
}
is(PostgreSQL::Test::Utils::slurp_file($server->logfile) =~ /out of shared memory/ ? 'exhausted' : 'enough', 'enough', 'the lock table was not exhausted');

$server->stop;
done_testing();

# near_duplicate_trigger with writers that try to exhaust the lock table or to wait for each other in cycles. Limits apply to the
# number of locks, to deadlocks, and to transactions per second compared with `locks=table` in the same run.
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

my $server = new_server('locks');    # default max_locks_per_transaction and max_connections

# Texts of 60 words, 8 of which are in all texts; the copies of one text are near-duplicates.
$server->safe_psql('postgres', q{
	CREATE FUNCTION body(doc int, copy int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(CASE WHEN i <= 8 THEN 'common' WHEN i = 20 + copy % 30 THEN 'copy' || copy ELSE 'doc' || doc END || i, ' ') FROM generate_series(1, 60) AS i$$;
	CREATE TABLE pool (doc int PRIMARY KEY, fp minhash128, wide minhash256);
	INSERT INTO pool SELECT i, to_minhash128(body(i, i), 'word-uax29'), to_minhash256(body(i, i), 'word-uax29') FROM generate_series(1, 20000) AS i;
	CREATE TABLE docs (id bigserial PRIMARY KEY, fp minhash128, wide minhash256, views int DEFAULT 0);
	CREATE INDEX ON docs USING gin (fp) WITH (fastupdate = off)});

sub trigger
{
	my ($options, $timing) = @_;
	$timing ||= 'BEFORE';
	$server->safe_psql('postgres', "DROP TRIGGER IF EXISTS near_dup ON docs; TRUNCATE docs RESTART IDENTITY; CREATE TRIGGER near_dup $timing INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', $options)");
}

sub value { return $server->safe_psql('postgres', $_[0]) }

sub no_escape
{
	my ($of) = @_;
	is(value('SET enable_seqscan = off; SELECT count(*) FROM docs AS a JOIN docs AS b ON minhash_similar(b.fp, a.fp, 0.8) AND a.id < b.id WHERE a.id % 10 = 0'), 0, "$of: no near-duplicate got in");
}
sub exhausted { return PostgreSQL::Test::Utils::slurp_file($server->logfile) =~ /out of shared memory/ ? 'exhausted' : 'enough' }

my $row    = "\\set doc random(1, 20000)\nINSERT INTO docs (fp, wide) SELECT fp, wide FROM pool WHERE doc = :doc;\n";
my $single = script('single_rows', $row);
my $many   = script('statements_of_100_rows', "INSERT INTO docs (fp) SELECT fp FROM pool WHERE doc IN (SELECT 1 + (random() * 19999)::int FROM generate_series(1, 100));\n");
my $each   = script('transactions_of_38_statements', "BEGIN;\n" . $row x 38 . "COMMIT;\n");

# ---- the lock table: all sessions together hold no more locks than it has room for

my $share = value('SHOW max_locks_per_transaction');
my $room  = $clients * ($share + 2);
trigger("'fp', 'skip', 'threshold=0.8'");
my ($tps_each, $retried_each, $most) = load($server, $each);
cmp_ok($most, '<=', $room, "16 sessions of 38 rows: no more locks than $share keys each");
no_escape('38 rows');
trigger("'fp', 'skip', 'threshold=0.95'");
(undef, undef, $most) = load($server, $each);
cmp_ok($most, '<=', $room, '16 sessions, threshold 0.95: the same');
trigger("'wide', 'skip', 'threshold=0.6'");
(undef, undef, $most) = load($server, $single);
cmp_ok($most, '<=', $room, '16 sessions of single rows with 103 keys: the same');
is(exhausted(), 'enough', 'the lock table was not exhausted');

# ---- deadlocks: statements of many rows have none, and are as fast as when one session writes at a time

trigger("'fp', 'skip', 'threshold=0.8', 'locks=table'");
my ($alone) = load($server, $many);
trigger("'fp', 'skip', 'threshold=0.8'");
my ($tps, $retried) = load($server, $many);
cmp_ok($retried, '==', 0, '16 sessions of 100 rows: no deadlock');
cmp_ok($tps, '>', 0.5 * $alone, 'and at least half the transactions of one writer at a time');
no_escape('100 rows');
trigger("'fp', 'reject', 'threshold=0.8'", 'AFTER');
(undef, $retried) = load($server, script('tried', "DO \$\$BEGIN INSERT INTO docs (fp) SELECT fp FROM pool WHERE doc IN (SELECT 1 + (random() * 19999)::int FROM generate_series(1, 10)); EXCEPTION WHEN unique_violation THEN NULL; END\$\$;\n"));
no_escape('AFTER');

# ---- transactions of many statements: some must be retried, but no session stands still for a second

trigger("'fp', 'skip', 'threshold=0.8', 'locks=table'");
my ($alone_each) = load($server, $each);
cmp_ok($tps_each, '>', 0.3 * $alone_each, 'transactions of 38 statements: at least a third of the transactions of one writer at a time');
cmp_ok($retried_each, '<', 30, "and $retried_each % of them are tried again");

# ---- single rows do not wait for other sessions, and are not starved by large statements

trigger("'fp', 'skip', 'threshold=0.8'");
my ($tps_single, $retried_single) = load($server, $single);
cmp_ok($retried_single, '==', 0, 'single rows: no deadlock');
my $batches = IPC::Run::start([ 'pgbench', '-n', '-c', 4, '-j', 1, '-T', $seconds, '-f', $many, $server->connstr('postgres') ], '>', \my $out, '2>', \my $err);
(my $beside, $retried) = load($server, $single, 8);
$batches->finish;
cmp_ok($retried, '==', 0, 'single rows beside statements of 100: no deadlock');
my ($batched) = $out =~ /actually processed: (\d+)/;
cmp_ok($beside, '>', 0, 'single rows are written');
cmp_ok($batched, '>', 4, "and so are the others ($batched)");
no_escape('mixed');

# ---- rows of few texts: many sessions wait for the same keys at the same time, and get on

my $few = script('few_texts', "\\set doc random(1, 5)\nINSERT INTO docs (fp) SELECT fp FROM pool WHERE doc = :doc;\n");
trigger("'fp', 'skip', 'threshold=0.8', 'locks=table'");
my ($alone_few) = load($server, $few);
trigger("'fp', 'skip', 'threshold=0.8'");
my ($tps_few, $retried_few) = load($server, $few);
cmp_ok($retried_few, '==', 0, 'few texts: no deadlock');
cmp_ok($tps_few, '>', 0.2 * $alone_few, 'and at least a fifth of the transactions of one writer at a time');
is(value('SELECT count(*) FROM docs'), 5, 'few texts: each got in once');

# ---- ON CONFLICT DO UPDATE and UPDATE of the same row: an AFTER trigger takes its locks after the row's

my $same = script('same_row', "\\set id random(1, 20)\n\\set doc random(1, 40)\nDO \$\$BEGIN INSERT INTO docs (id, fp) SELECT :id, fp FROM pool WHERE doc = :doc ON CONFLICT (id) DO UPDATE SET fp = excluded.fp; EXCEPTION WHEN unique_violation THEN NULL; END\$\$;\n"
	  . "DO \$\$BEGIN UPDATE docs SET fp = (SELECT fp FROM pool WHERE doc = :doc) WHERE id = :id; EXCEPTION WHEN unique_violation THEN NULL; END\$\$;\n");
trigger("'fp', 'reject', 'threshold=0.8'", 'AFTER');
(undef, $retried) = load($server, $same);
cmp_ok($retried, '==', 0, 'the same row, AFTER: no deadlock');
is(value('SELECT count(*) FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8'), 0, 'the same row, AFTER: no near-duplicate got in');
trigger("'fp', 'reject', 'threshold=0.8'");
load($server, $same);
is(value('SELECT count(*) FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8'), 0, 'the same row, BEFORE: no near-duplicate got in');
is(exhausted(), 'enough', 'the lock table was not exhausted');

$server->stop;
done_testing();

# The queue: every row exactly once, whatever is killed; failures are reported and retried.
use strict;
use warnings;

use lib 'test/tap';
use TxtfpTest;
use EmbedTest;
use Test::More;
use Time::HiRes qw(sleep time);

# Rows, and workers killed: as many as TXTFP_EMBED_KILLS, evenly over the rows, or one every TXTFP_EMBED_KILL_SECONDS
my $rows = $ENV{TXTFP_EMBED_ROWS} || by_length(6000, 3000);
my $kills = $ENV{TXTFP_EMBED_KILLS} || 12;
my $kill_seconds = $ENV{TXTFP_EMBED_KILL_SECONDS};
my $dir = short_dir();
my $provider = start_provider($dir);
local $ENV{EMBED_TEST_KEY} = 'sk-secret';
my $server = new_server('queue');
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_embed');
sub model { return { provider => 'cohere', key_env => 'EMBED_TEST_KEY', dimension => 8, base_url => "http://127.0.0.1:$provider->{port}/$_[0]/v1", @_[ 1 .. $#_ ] } }
my $config = write_config($dir, 'config.json', {
	database => $server->connstr('postgres'), workers => 1, batch => 50, poll_ms => 50,
	models => { ok => model('ok'), flaky => model('flaky', retry_ms => 0), poison => model('poison'), outage => model('500,500,500,500,ok', retry_ms => 0), dim => model('dim') } });

# ------------------------------------------------------------------------------------------ killed at any moment
# The provider rejects one text of 2,000, and has an outage at each fortieth request. Each write and each failure is recorded.
$server->safe_psql('postgres', q{
	CREATE TABLE docs (id bigint PRIMARY KEY, body text NOT NULL, vector real[]);
	CREATE TABLE writes (id bigint, vector real[]);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO writes VALUES (NEW.id, NEW.vector); RETURN NULL; END';
	CREATE TRIGGER note AFTER UPDATE OF vector ON docs FOR EACH ROW EXECUTE FUNCTION note();
	CREATE TABLE reported (id bigint, attempts int, reason text);
	CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO reported VALUES (NEW.key::bigint, NEW.attempts, NEW.reason); RETURN NULL; END';
	CREATE TRIGGER note_failure AFTER INSERT OR UPDATE ON embed_failures FOR EACH ROW WHEN (NEW.state <> 'queued') EXECUTE FUNCTION note_failure();
	SELECT embed_queue('docs', 'id', 'body', 'vector', 'flaky');});
$server->safe_psql('postgres', "INSERT INTO docs SELECT i, CASE WHEN i % 2000 = 777 THEN 'poison ' ELSE 'text number ' END || i FROM generate_series(1, $rows) i");
is($server->safe_psql('postgres', 'SELECT count(*) FROM embed_jobs'), $rows, 'a job for each row');
my $poisoned = $server->safe_psql('postgres', q{SELECT count(*) FROM docs WHERE body LIKE 'poison%'});
my @workers = map { start_program($config, undef, '--work') } 1 .. 3;
my ($killed, $start, $limit) = (0, time, 600 + $rows / 50);
# A worker dies every so many seconds, or whenever a further share of the rows is done, however fast that is.
while ((my $left = $server->safe_psql('postgres', "SELECT count(*) FROM docs WHERE vector IS NULL AND body NOT LIKE 'poison%'")) > 0)
{
	last if time - $start > $limit;
	if ($kill_seconds ? time - $start < $kill_seconds * ($killed + 1) : $rows - $left < $rows * ($killed + 1) / ($kills + 1))
	{
		sleep($kill_seconds ? 0.1 : 0.04);
		next;
	}
	my $victim = $killed % 3;
	$workers[$victim]->signal('KILL');
	eval { $workers[$victim]->finish };
	$workers[$victim] = start_program($config, undef, '--work');
	++$killed;
}
my $seconds = time - $start;
ok(wait_until($server, q{SELECT NOT EXISTS (SELECT FROM embed_jobs) AND NOT EXISTS (SELECT FROM embed_failures WHERE state = 'queued')}), 'no job is left');
for (@workers) { stop_program($_) }
my $reported = $server->safe_psql('postgres', 'SELECT count(*) FROM reported');
diag(sprintf '%d rows in %.1f s, %d workers killed, %d failures reported, of %d rows; %d requests', $rows, $seconds, $killed, $reported,
	$server->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM reported'), scalar requests($provider));
cmp_ok($killed, '>=', 3, 'workers were killed');
my $good = $rows - $poisoned;
is($server->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM writes'), "$good|$good", 'every row was written exactly once');
is($server->safe_psql('postgres', q{SELECT count(*) FROM docs WHERE body NOT LIKE 'poison%' AND vector IS DISTINCT FROM
	(SELECT array_agg((get_byte(decode(md5(body), 'hex'), i) / 256.0 - 0.5)::real ORDER BY i) FROM generate_series(0, 7) i)}), 0, 'with its own vector');
# (The last attempt of such a row may have met an outage.)
is($server->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE body LIKE 'poison%' AND vector IS NULL), count(*) FROM embed_failures f JOIN docs ON id = key::bigint}),
	"$poisoned|$poisoned", 'only what the provider rejects is left, and noted');
is($server->safe_psql('postgres', q{SELECT count(DISTINCT id) FROM reported JOIN docs USING (id) WHERE body LIKE 'poison%' AND reason LIKE '%422 Unprocessable Entity'}),
	$poisoned, 'with the reason');
is($server->safe_psql('postgres', q{SELECT count(DISTINCT r.id) > 0, count(DISTINCT r.id) = count(DISTINCT w.id) FROM reported r LEFT JOIN writes w USING (id)
	WHERE r.reason LIKE '%500 Internal Server Error' AND r.id % 2000 <> 777}), 't|t', 'rows of an outage were reported, retried and written');
open my $lines, '<', "$config.log" or die $!;
my %logged;
for (<$lines>) { ++$logged{"$1 $2"} if /^txtfp-embed: queue \d+, key (\d+): (.*)$/ }
close $lines;
is(scalar(grep { my ($key, $reason, $count) = split /\|/; ($logged{"$key $reason"} // 0) < $count }
	split /\n/, $server->safe_psql('postgres', 'SELECT id, reason, count(*) FROM reported GROUP BY 1, 2')), 0, 'each failure is in the log, too');
$server->safe_psql('postgres', q{DROP TRIGGER note_failure ON embed_failures; DELETE FROM docs WHERE body LIKE 'poison%'; DELETE FROM embed_failures;
	UPDATE embed_queues SET model = 'ok'});
@workers = map { start_program($config, undef, '--work') } 1 .. 3;

# ------------------------------------------------------------------------------------------ rows that change meanwhile
$server->safe_psql('postgres', q{TRUNCATE writes; UPDATE docs SET body = body || '!' WHERE id <= 500; UPDATE docs SET body = body || '!' WHERE id <= 500; DELETE FROM docs WHERE id BETWEEN 400 AND 420});
ok(wait_until($server, 'SELECT NOT EXISTS (SELECT FROM embed_jobs)'), 'texts that changed are done again');
is($server->safe_psql('postgres', q{SELECT count(*) FROM docs WHERE vector IS DISTINCT FROM
	(SELECT array_agg((get_byte(decode(md5(body), 'hex'), i) / 256.0 - 0.5)::real ORDER BY i) FROM generate_series(0, 7) i)}), 0, 'with the vector of the last text');
for (@workers) { stop_program($_) }
is($server->safe_psql('postgres', 'SELECT count(*) FROM embed_workers w JOIN pg_stat_activity a USING (pid)'), 0, 'the workers are gone');

# A text that changes while its vector is being computed: the old vector is not written
my $slow = write_config($dir, 'slow.json', { database => $server->connstr('postgres'), models => { ok => model('wait') } });
$server->safe_psql('postgres', q{UPDATE docs SET body = 'old', vector = NULL WHERE id = 1});
my $worker = start_program($slow, undef, '--once');
sleep 0.5;
$server->safe_psql('postgres', q{UPDATE docs SET body = 'new' WHERE id = 1});
$worker->finish;
is($server->safe_psql('postgres', q{SELECT vector = (SELECT array_agg((get_byte(decode(md5('new'), 'hex'), i) / 256.0 - 0.5)::real ORDER BY i)
	FROM generate_series(0, 7) i) FROM docs WHERE id = 1}), 't', 'the vector of the new text');
$server->safe_psql('postgres', q{UPDATE docs SET body = '' WHERE id = 1; ALTER TABLE docs ALTER body DROP NOT NULL; UPDATE docs SET body = NULL WHERE id = 2});
my ($status, undef, $err) = run_program($config, '', '--once');
is($status, 0, '--once ends');
like($err, qr/^2 rows in [\d.]+ s; 0 left, 0 failed and waiting, 0 given up$/, 'and tells what it did');
is($server->safe_psql('postgres', 'SELECT vector IS NULL FROM docs WHERE id = 2'), 't', 'no text, no vector');

# A column of bits has the signs, as many as the model has elements
$server->safe_psql('postgres', q{
	CREATE TABLE signs (id int PRIMARY KEY, body text, vector bit(8)); SELECT embed_queue('signs', 'id', 'body', 'vector', 'ok'); INSERT INTO signs VALUES (1, 'a'), (2, 'b');
	CREATE TABLE few (id int PRIMARY KEY, body text, vector bit(5)); SELECT embed_queue('few', 'id', 'body', 'vector', 'ok'); INSERT INTO few VALUES (1, 'a')});
run_program($config, '', '--once');
is($server->safe_psql('postgres', q{SELECT bool_and(vector::text = (SELECT string_agg(CASE WHEN get_byte(decode(md5(body), 'hex'), i) > 128 THEN '1' ELSE '0' END, '' ORDER BY i)
	FROM generate_series(0, 7) i)) FROM signs}), 't', 'a column of type bit');
like($server->safe_psql('postgres', 'SELECT reason FROM embed_failures'), qr/bit string length 8 does not match type bit\(5\)/, 'one of another length refuses');
$server->safe_psql('postgres', q{SELECT embed_queue_drop(id) FROM embed_queues WHERE source IN ('signs'::regclass, 'few'::regclass)});

# On a terminal: a progress bar
SKIP:
{
	skip 'no pseudo-terminals here', 2 if system(q{python3 -c 'import pty; pty.openpty()' 2>/dev/null}) != 0;
	$server->safe_psql('postgres', q{UPDATE docs SET body = body || '?' WHERE id BETWEEN 1001 AND 1120});
	my $bar = qx{python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' '$EmbedTest::program' --config '$config' --once </dev/null};
	is($?, 0, '--once on a terminal');
	like($bar, qr/\r\[#{12}\.{18}\]  41\.7 %  50 of 120 rows, \d+ rows\/s, \d+ s left .*\r\[#{30}\] 100\.0 %  120 of 120 rows.*\n120 rows in [\d.]+ s; 0 left/s, 'a progress bar')
		or diag($bar);
}

# ------------------------------------------------------------------------------------------ failures
$server->safe_psql('postgres', q{
	CREATE TABLE poisoned (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text, e embedding);
	SELECT embed_queue('poisoned', 'id', 'body', 'e', 'poison');
	INSERT INTO poisoned (body) SELECT CASE WHEN i % 25 = 0 THEN 'poison ' ELSE 'fine ' END || i FROM generate_series(1, 100) i});
($status, undef, $err) = run_program($config, '', '--once');
is($status, 3, 'failures make another exit status');
like($err, qr/http error: Cohere returned 422 Unprocessable Entity/, 'are told');
is($server->safe_psql('postgres', 'SELECT count(e) FROM poisoned'), 96, 'the others are embedded');
is($server->safe_psql('postgres', q{SELECT DISTINCT embedding_model(e) FROM poisoned WHERE e IS NOT NULL}), 'poison', 'with the name of the model')
	if $server->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname = 'embedding_model'});
is($server->safe_psql('postgres', 'SELECT state, attempts, reason, count(*) FROM embed_failures GROUP BY 1, 2, 3'),
	'waiting|1|http error: Cohere returned 422 Unprocessable Entity|4', 'and noted with the reason');
for my $attempt (2 .. 8)
{
	$server->safe_psql('postgres', q{UPDATE embed_failures SET retry = now() WHERE state = 'waiting'});
	run_program($config, '', '--once');
}
is($server->safe_psql('postgres', 'SELECT state, attempts, count(*) FROM embed_failures GROUP BY 1, 2'), 'given up|8|4', 'after eight attempts it gives up');
$server->safe_psql('postgres', q{UPDATE poisoned SET body = replace(body, 'poison', 'cured') WHERE body LIKE 'poison%25'});
$server->safe_psql('postgres', 'SELECT embed_retry()');
run_program($config, '', '--once');
is($server->safe_psql('postgres', 'SELECT count(e), (SELECT count(*) FROM embed_failures) FROM poisoned'), '97|3', 'what is cured leaves the failures');
my (undef, $out) = run_program($config, '', '--status');
like($out, qr/poisoned +poison +0 +3 +0/, '--status');
$server->safe_psql('postgres', 'SELECT embed_queue_drop(id) FROM embed_queues');

# An outage of the provider, and a column that rejects vectors
$server->safe_psql('postgres', q{
	CREATE TABLE outage (id int PRIMARY KEY, body text, vector real[]);
	SELECT embed_queue('outage', 'id', 'body', 'vector', 'outage');
	INSERT INTO outage SELECT i, 'text ' || i FROM generate_series(1, 60) i});
($status, undef, $err) = run_program($config, '', '--once');
is($status, 3, 'outage');
is($server->safe_psql('postgres', 'SELECT state, attempts, reason, count(*) FROM embed_failures GROUP BY 1, 2, 3'),
	'waiting|1|http error: Cohere returned 500 Internal Server Error|60', 'all wait');
for (1 .. 3) { $server->safe_psql('postgres', q{UPDATE embed_failures SET retry = now()}); run_program($config, '', '--once') }
is($server->safe_psql('postgres', 'SELECT count(vector), (SELECT count(*) FROM embed_failures) FROM outage'), '60|0', 'and are done when it is over');
$server->safe_psql('postgres', q{
	SELECT embed_queue_drop(id) FROM embed_queues;
	CREATE TABLE refusing (id text PRIMARY KEY, body text, vector real[]);
	SELECT embed_queue('refusing', 'id', 'body', 'vector', 'ok')});
$server->safe_psql('postgres', q{INSERT INTO refusing SELECT 'key "' || i || '"', 't' FROM generate_series(1, 5) i; ALTER TABLE refusing ADD CHECK (id <> 'key "2"') NOT VALID});
($status) = run_program($config, '', '--once');
is($server->safe_psql('postgres', 'SELECT count(vector) FROM refusing'), 4, 'a row that the table refuses keeps no other back');
like($server->safe_psql('postgres', 'SELECT key, reason FROM embed_failures'), qr/^key "2"\|23514: new row for relation "refusing" violates check constraint/, 'and is noted');

# A model that this program does not have
$server->safe_psql('postgres', q{SELECT embed_queue_drop(id) FROM embed_queues; CREATE TABLE other (id int PRIMARY KEY, body text, v real[]);
	INSERT INTO other VALUES (1, 'x'); SELECT embed_queue('other', 'id', 'body', 'v', 'unknown')});
($status, undef, $err) = run_program($config, '', '--once');
is("$status $err", "1 txtfp-embed: config error: there is no model \"unknown\"\n", 'an unknown model is an error');
is($server->safe_psql('postgres', 'SELECT count(*) FROM embed_jobs'), 1, 'and the job stays');

# A server that stops
$server->safe_psql('postgres', q{UPDATE embed_queues SET model = 'ok'});
my $process = start_program($config, undef, '--work');
ok(wait_until($server, 'SELECT v IS NOT NULL FROM other'), 'a worker');
$server->restart;
$server->safe_psql('postgres', q{INSERT INTO other VALUES (2, 'y')});
ok(wait_until($server, 'SELECT v IS NOT NULL FROM other WHERE id = 2'), 'comes back to a server that was restarted');
stop_program($process);
$provider->{process}->kill_kill;
done_testing();

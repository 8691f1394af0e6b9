# near_duplicate_trigger, actions count and merge, under load: the same texts from 16 sessions at once, beside sessions that change and delete the rows that are
# kept. No row is lost or counted twice, no application sees a deadlock, and all of it is so on a standby and after a crash.
#
#   TXTFP_SECONDS  of each load (default 4)
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $seconds = $ENV{TXTFP_SECONDS} || by_length(4, 1);
my $server  = new_server('count', streaming => 1, conf => "hot_standby = on\nmax_wal_senders = 5\nmax_connections = 60\n");
my $tempdir = PostgreSQL::Test::Utils::tempdir();

# 200 texts of 40 words, each with 50 variants in which one word differs: two variants of a text have 38 words of 42 in common, and few of them are estimated below 0.8.
$server->safe_psql('postgres', q{
	CREATE FUNCTION fp(doc int, variant int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS
		$$SELECT public.to_minhash128((SELECT string_agg(CASE WHEN i = variant % 25 THEN 'x' || variant ELSE 'w' || doc || 'n' || i END, ' ') FROM generate_series(1, 40) AS i), 'word-uax29')$$;
	CREATE TABLE texts AS SELECT doc, variant, fp(doc, variant) FROM generate_series(1, 200) AS doc, generate_series(1, 50) AS variant;
	ALTER TABLE texts ADD PRIMARY KEY (doc, variant);
	CREATE TABLE log (of text);
	CREATE TABLE counted (id bigserial PRIMARY KEY, fp minhash128, seen bigint DEFAULT 1, last timestamptz, edits int DEFAULT 0) WITH (fillfactor = 70);
	CREATE INDEX ON counted USING sketch (fp);
	CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON counted FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'last=last', 'on_update=skip');
	CREATE TABLE merged (LIKE counted INCLUDING ALL);
	CREATE FUNCTION merges(kept merged, new merged, similarity float8) RETURNS merged LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + new.seen; kept.last := now(); RETURN kept; END$$;
	CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON merged FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=public.merges', 'on_update=delete');
	CREATE TABLE known (id int PRIMARY KEY, fp minhash128, seen bigint DEFAULT 0);
	INSERT INTO known SELECT doc, fp FROM texts WHERE variant = 1;
	CREATE INDEX ON known USING sketch (fp);
	-- the texts decide: each text has two sides, which contradict each other, in several layouts
	CREATE TABLE sayings AS SELECT doc, variant, fp, format('The train of line %1$s leaves at the first whistle.%2$s Dogs are%3$s permitted.%2$s Tickets are sold on platform %1$s.', doc,
		repeat(' ', 1 + variant / 10), CASE WHEN variant % 2 = 0 THEN ' not' ELSE '' END) AS body FROM texts;
	ALTER TABLE sayings ADD PRIMARY KEY (doc, variant);
	CREATE TABLE said (id bigserial PRIMARY KEY, body text, fp minhash128, seen bigint DEFAULT 1, edits int DEFAULT 0) WITH (fillfactor = 70);
	CREATE INDEX ON said USING sketch (fp);
	CREATE TABLE said_log (action text, outcome text, reason text, kept bigint, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
	CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON said FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'on_update=skip', 'text=body', 'verify=lossless', 'guard=strict', 'log=public.said_log');
	CREATE TABLE letters (id bigserial PRIMARY KEY, fp minhash128);
	CREATE TRIGGER near_dup BEFORE INSERT ON letters FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'against=public.known')});

sub script
{
	my ($name, $text) = @_;
	append_to_file("$tempdir/$name.sql", "\\set doc random(1, 200)\n\\set few random(1, 3)\n\\set variant random(1, 50)\n$text");
	return "$tempdir/$name.sql";
}
# Row and log in one statement, so that a crash takes both or none.
sub is_said { my ($doc) = @_; return "WITH l AS (INSERT INTO log VALUES ('said')) INSERT INTO said (body, fp) SELECT body, fp FROM sayings WHERE doc = :$doc AND variant = :variant;\n" }
sub arrives { my ($table, $doc) = @_; return "WITH l AS (INSERT INTO log VALUES ('$table')) INSERT INTO $table (fp) SELECT fp FROM texts WHERE doc = :$doc AND variant = :variant;\n" }

# Starts pgbench with these scripts; without --max-tries, an error aborts a client and is seen.
sub start_load
{
	my ($clients, @files) = @_;
	local $ENV{PGOPTIONS} = '-c statement_timeout=60s';
	my ($out, $err) = ('', '');
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-T', $seconds, map({ ('-f', $_) } @files), $server->connstr('postgres') ], '>', \$out, '2>', \$err);
	return { bench => $bench, out => \$out, err => \$err };
}
sub ended
{
	my ($load, $what) = @_;
	$load->{bench}->finish;
	is(${ $load->{err} } =~ /(ERROR.*|aborted in command.*)/ ? $1 : 'none', 'none', "$what: no error, no deadlock");
	my ($tps) = ${ $load->{out} } =~ /tps = ([\d.]+)/;
	note(sprintf '%s: %.0f transactions per second', $what, $tps // 0);
}
sub value { return $_[0]->safe_psql('postgres', $_[1]) }
sub is_right
{
	my ($of, $when) = @_;
	for my $table ('counted', 'merged')
	{
		is(value($of, "SELECT coalesce(sum(seen), 0) FROM $table"), value($of, "SELECT count(*) FROM log WHERE of = '$table'"), "$when: $table: everything that arrived is counted");
		is(value($of, "SET enable_seqscan = off; SELECT count(*) FROM $table AS a JOIN $table AS b ON minhash_similar(b.fp, a.fp, 0.8) AND a.id < b.id"), 0, "$when: $table: no duplicate is left");
	}
	is(value($of, 'SELECT coalesce(sum(seen), 0) FROM said'), value($of, "SELECT count(*) FROM log WHERE of = 'said'"), "$when: said: everything that arrived is counted");
	is(value($of, "SELECT count(*) FROM deduplicate('SELECT id, fp, body FROM said', 0.8, verify => 'lossless', guard => 'strict') WHERE outcome = 'remove'"), 0, "$when: said: nothing is left that the bulk function would remove");
	is(value($of, "SELECT count(*) FROM said_log WHERE action = 'count'"), value($of, 'SELECT sum(seen - 1) FROM said'), "$when: said: the log has a line for each that was counted");
	is(value($of, 'SELECT (SELECT sum(seen) FROM known) + (SELECT count(*) FROM letters)'), value($of, "SELECT count(*) FROM log WHERE of = 'letters'"), "$when: letters: everything that arrived is counted or stored");
	is(value($of, 'SELECT count(*) FROM letters AS a JOIN known AS b ON minhash_similar(b.fp, a.fp, 0.8)'), 0, "$when: letters: not one that is known");
}

# ---- rows that arrive, three texts much more often than the others; and others who change what is kept

my @arriving = map { (script("${_}_all", arrives($_, 'doc')), script("${_}_few", arrives($_, 'few'))) } 'counted', 'merged', 'letters';
push @arriving, script('said_few', is_said('few')), script('said_all', is_said('doc'));
my $turn = script('turn', "UPDATE said AS s SET body = t.body, edits = edits + 1 FROM sayings AS t WHERE t.doc = :few AND t.variant = :variant AND s.id = (SELECT id FROM said AS d WHERE minhash_similar(d.fp, t.fp, 0.8) LIMIT 1);\n");
my $edit = script('edit', "UPDATE counted SET edits = edits + 1 WHERE id = (SELECT min(id) FROM counted WHERE id > random() * 300);\n");
# its text becomes another variant of the same text, or is refused silently; with the keys of rows that arrive meanwhile
my $rewrite = script('rewrite', "UPDATE counted AS c SET fp = t.fp FROM texts AS t WHERE t.doc = :few AND t.variant = :variant AND c.id = (SELECT id FROM counted AS d WHERE minhash_similar(d.fp, t.fp, 0.8) LIMIT 1);\n");
ended(start_load(16, @arriving), 'rows that arrive');
is_right($server, 'after 16 sessions');
cmp_ok(value($server, 'SELECT count(*) FROM counted'), '<=', 220, 'about one row for each text at most');
cmp_ok(value($server, 'SELECT max(seen) FROM counted'), '>', by_length(20, 10), 'and one of them arrived often');
my $changes = start_load(6, $edit, $rewrite, $turn);
ended(start_load(10, @arriving), 'rows that arrive while others change those that are kept');
ended($changes, 'others');
is_right($server, 'beside other sessions');
cmp_ok(value($server, 'SELECT sum(edits) FROM counted'), '>', 0, 'which changed rows');
cmp_ok(value($server, 'SELECT count(*) FROM said WHERE seen > 1'), '>', 3, 'of texts that contradict each other, more than one is kept');

# ---- texts that become the same: rows are merged and deleted; what each stood for stays

value($server, "INSERT INTO merged (fp) SELECT fp(1000 + i, 1) FROM generate_series(1, 40) AS i; INSERT INTO log SELECT 'merged' FROM generate_series(1, 40)");
my $becomes = script('becomes', "UPDATE merged SET fp = (SELECT fp FROM texts WHERE doc = 1 AND variant = :variant) WHERE id = (SELECT max(id) FROM merged WHERE id > 1 AND NOT minhash_similar(fp, (SELECT fp FROM texts WHERE doc = 1 AND variant = 1), 0.7));\n");
ended(start_load(1, $becomes), 'rows that become similar');
is_right($server, 'after updates');

# ---- a standby, and a crash while it goes on

$server->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($server, 'base', has_streaming => 1);
$standby->start;
my $load = start_load(8, @arriving);
sleep 0.5;
$server->stop('immediate');
$load->{bench}->finish;
$server->start;
is_right($server, 'after a crash');
ended(start_load(8, @arriving), 'after the crash');
$server->wait_for_catchup($standby);
is_right($standby, 'on a standby');
$standby->promote;
value($standby, "WITH l AS (INSERT INTO log VALUES ('counted')) INSERT INTO counted (fp) SELECT fp FROM texts WHERE doc = 1 AND variant = 2");
is_right($standby, 'after its promotion');

$standby->stop;
$server->stop;
done_testing();

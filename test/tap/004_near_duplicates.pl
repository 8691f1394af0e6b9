# Many clients insert many near-duplicates at the same time, and near_duplicate_trigger lets none in: all pairs of rows are
# compared afterwards. The same load without the trigger's locks lets some in, so the test can fail.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 16;
my $server = new_server('near_duplicates', conf => "max_prepared_transactions = 5\ndeadlock_timeout = 50ms\nmax_connections = 60\n");

# Texts of 60 words: the copies of one text have similarity 58/62 to each other, different texts 8/112.
$server->safe_psql('postgres', q{
	CREATE FUNCTION body(doc int, copy int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(CASE WHEN i <= 8 THEN 'common' WHEN i = 20 + copy % 30 THEN 'copy' || copy ELSE 'doc' || doc END || i, ' ') FROM generate_series(1, 60) AS i$$;
	CREATE TABLE docs (id serial PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, 'word-uax29')) STORED, near int);
	CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off);
	CREATE TABLE bits (id serial PRIMARY KEY, fp simhash64, near int);
	CREATE INDEX bits_fp ON bits USING gin (fp);
	CREATE FUNCTION flipped(doc int, copy int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
		$$SELECT (to_simhash64('doc ' || doc)::bigint # (1::bigint << (copy * 7 % 64)) # (1::bigint << (copy * 11 % 64)))::simhash64$$;
	CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE statement;
		RETURN 'inserted';
	EXCEPTION WHEN unique_violation THEN
		RETURN 'rejected';
	END $$;
	CREATE TABLE outcome (what text);

	-- what the trigger would be without its locks
	CREATE FUNCTION unlocked() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM FROM docs WHERE minhash_similar(fp, to_minhash128(NEW.body, 'word-uax29'), 0.8);
		RETURN CASE WHEN NOT FOUND THEN NEW END;
	END $$;
});

my $insert = 'INSERT INTO docs (body) VALUES (body(:doc, :copy))';
my $insert_bits = 'INSERT INTO bits (fp) VALUES (flipped(:doc, :copy))';
my $numbers = "\\set doc random(1, 60)\n\\set copy random(1, 1000)\n";
my $tempdir = PostgreSQL::Test::Utils::tempdir();

sub load
{
	my ($name, $table, $trigger, $script, @options) = @_;
	$server->safe_psql('postgres', "TRUNCATE docs, bits, outcome; DROP TRIGGER IF EXISTS near_dup ON docs; DROP TRIGGER IF EXISTS near_dup ON bits; CREATE TRIGGER near_dup $trigger");
	append_to_file("$tempdir/$name.sql", $script);
	my ($out, $err);
	my $ok = IPC::Run::run([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', 40, '--random-seed=7', @options, '-f', "$tempdir/$name.sql", $server->connstr('postgres') ], '>', \$out, '2>', \$err);
	ok($ok, "$name: pgbench finishes") or diag $err;
	like($out, qr{number of transactions actually processed: ${\($clients * 40)}/${\($clients * 40)}}, "$name: all transactions were processed");
}

# The number of similar pairs among the rows that were not flagged.
sub escaped
{
	return $server->safe_psql('postgres', q{SELECT count(*) FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8 WHERE a.near IS NULL AND b.near IS NULL})
	  + $server->safe_psql('postgres', qq{SELECT count(*) FROM bits AS a JOIN bits AS b ON a.id < b.id AND hamming(a.fp, b.fp) <= $_[0] WHERE a.near IS NULL AND b.near IS NULL});
}
# The number of different texts among the rows that were not flagged. There may be more rows than texts: two copies of a text are
# sometimes estimated to be less similar than they are.
sub texts { return $server->safe_psql('postgres', q{SELECT count(DISTINCT split_part(body, ' ', 9)) FROM docs WHERE near IS NULL}) }
sub rows { return $server->safe_psql('postgres', "SELECT count(*) FROM $_[0]") }

# Waiting before the commit makes it likely that other sessions insert in between.
my $transaction = "${numbers}BEGIN;\n$insert;\nSELECT pg_sleep(0.002);\nCOMMIT;\n";

load('control', 'docs', 'BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION unlocked()', $transaction);
cmp_ok(escaped(3), '>', 0, 'control: without the locks near-duplicates get in');

my $arguments = q{EXECUTE FUNCTION near_duplicate_trigger('id', 'fp'};
load('skip', 'docs', "BEFORE INSERT ON docs FOR EACH ROW $arguments, 'skip', 'threshold=0.8')", $transaction);
is(escaped(3), 0, 'skip: no near-duplicate got in');
is(texts(), 60, 'skip: one of each did');

my $rejecting = "${numbers}BEGIN;\nINSERT INTO outcome SELECT try(format(\$\$INSERT INTO docs (body) VALUES (body(%s, %s))\$\$, :doc, :copy));\nSELECT pg_sleep(0.002);\nCOMMIT;\n";
load('reject', 'docs', "BEFORE INSERT ON docs FOR EACH ROW $arguments, 'reject', 'threshold=0.8')", $rejecting);
is(escaped(3), 0, 'reject: no near-duplicate got in');
is($server->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE what = 'inserted') - (SELECT count(*) FROM docs), count(*) FROM outcome}), '0|' . $clients * 40, 'reject: every transaction was told what became of its row');
load('after', 'docs', "AFTER INSERT ON docs FOR EACH ROW $arguments, 'reject', 'threshold=0.8')", $rejecting);
is(escaped(3), 0, 'after: no near-duplicate got in');

load('flag', 'docs', "BEFORE INSERT ON docs FOR EACH ROW $arguments, 'flag', 'column=near', 'threshold=0.8')", $transaction);
is(escaped(3), 0, 'flag: of any two at least one is flagged');
is(texts() . ' ' . rows('docs'), '60 ' . $clients * 40, 'flag: one of each is not flagged, and no row is lost');
is($server->safe_psql('postgres', q{SELECT count(*) FROM docs AS d JOIN docs AS o ON o.id = d.near WHERE jaccard(d.fp, o.fp) < 0.8 OR o.id = d.id}), 0, 'flag: by a row that is similar');

# The trigger does not use the session's threshold: 0.95 would let in copies with similarity 0.94.
load('parameter', 'docs', "BEFORE INSERT ON docs FOR EACH ROW $arguments, 'skip')",
	"${numbers}\\set threshold random(60, 99)\nBEGIN;\nSET LOCAL txtfp.jaccard_threshold = 0.:threshold;\n$insert;\nSELECT pg_sleep(0.002);\nCOMMIT;\n");
is(escaped(3), 0, 'parameter: no near-duplicate got in whatever the session has set');

# Transactions of several rows in any order may deadlock, and those of a stricter isolation level may fail to serialize;
# pgbench tries them again.
my $several = join "\n", map { "\\set doc random(1, 60)\n\\set copy random(1, 1000)\n$insert;\nSELECT pg_sleep(0.001);" } 1 .. 3;
for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	(my $name = lc $level) =~ s/ /_/;
	load($name, 'docs', "BEFORE INSERT ON docs FOR EACH ROW $arguments, 'skip', 'threshold=0.8')", "BEGIN ISOLATION LEVEL $level;\n$several\nCOMMIT;\n", '--max-tries=1000');
	is(escaped(3), 0, "$name: no near-duplicate got in");
	is(texts(), 60, "$name: one of each did");
}

for my $distance (3, 7, 20)
{
	load("simhash_$distance", 'bits', "BEFORE INSERT ON bits FOR EACH ROW $arguments, 'skip', 'max_distance=$distance')", "${numbers}BEGIN;\n$insert_bits;\nSELECT pg_sleep(0.002);\nCOMMIT;\n");
	is(escaped($distance), 0, "simhash64, distance $distance: none got in");
	cmp_ok(rows('bits'), '>', 0, "simhash64, distance $distance: some rows did (" . rows('bits') . ')');
}

# Updates
$server->safe_psql('postgres', q{DROP TRIGGER IF EXISTS near_dup ON docs; TRUNCATE docs RESTART IDENTITY; INSERT INTO docs (body) SELECT body(1000 + i, 1) FROM generate_series(1, 200) AS i});
append_to_file("$tempdir/update.sql", "\\set id random(1, 200)\n${numbers}BEGIN;\nUPDATE docs SET body = body(:doc, :copy) WHERE id = :id;\nSELECT pg_sleep(0.002);\nCOMMIT;\n");
$server->safe_psql('postgres', "CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW $arguments, 'skip', 'threshold=0.8')");
command_ok([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', 40, '--random-seed=8', '--max-tries=1000', '-f', "$tempdir/update.sql", $server->connstr('postgres') ], 'update: pgbench finishes');
is($server->safe_psql('postgres', q{SELECT count(*) FROM docs AS a JOIN docs AS b ON a.id < b.id AND jaccard(a.fp, b.fp) >= 0.8}), 0, 'update: no row became a near-duplicate');
cmp_ok($server->safe_psql('postgres', q{SELECT count(*) FROM docs WHERE body NOT LIKE '%doc1___%'}), '>', 30, 'update: rows were updated');

# All at once: single rows, which lock keys; statements of many rows, which lock the table; transactions that begin in
# one way and continue in the other, that roll back to savepoints, or that lock the table themselves
my %mix = (
	single     => "${numbers}BEGIN;\n$insert;\nSELECT pg_sleep(0.002);\nCOMMIT;\n",
	auto       => "${numbers}$insert;\n",
	many       => "${numbers}INSERT INTO docs (body) SELECT body((:doc + i * 7) % 60, :copy + i) FROM generate_series(1, 12) AS i;\n",
	escalating => "${numbers}BEGIN;\n$insert;\nSELECT pg_sleep(0.001);\nINSERT INTO docs (body) SELECT body((:doc + i * 5) % 60, :copy + i) FROM generate_series(1, 5) AS i;\nCOMMIT;\n",
	savepoint  => "${numbers}BEGIN;\nINSERT INTO docs (body) SELECT body((:doc + i * 3) % 60, :copy + i) FROM generate_series(1, 5) AS i;\nSAVEPOINT s;\n$insert;\nROLLBACK TO s;\n"
	  . "\\set doc random(1, 60)\n$insert;\nCOMMIT;\n",
	undone     => "${numbers}BEGIN;\nSAVEPOINT s;\nINSERT INTO docs (body) SELECT body((:doc + i * 3) % 60, :copy + i) FROM generate_series(1, 5) AS i;\nROLLBACK TO s;\n$insert;\nSELECT pg_sleep(0.002);\nCOMMIT;\n",
	locking    => "${numbers}BEGIN;\nLOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE;\n$insert;\nCOMMIT;\n",
	update     => "${numbers}\\set id random(1, 2000)\nUPDATE docs SET body = body(:doc, :copy) WHERE id = (SELECT id FROM docs ORDER BY id LIMIT 1 OFFSET :id % 40);\n",
	delete     => "\\set id random(1, 2000)\nDELETE FROM docs WHERE id = (SELECT id FROM docs ORDER BY id DESC LIMIT 1 OFFSET :id % 40);\n");
append_to_file("$tempdir/mix_$_.sql", $mix{$_}) for keys %mix;
for my $timing ("BEFORE INSERT OR UPDATE ON docs FOR EACH ROW $arguments, 'skip', 'threshold=0.8')", "BEFORE INSERT OR UPDATE ON docs FOR EACH ROW $arguments, 'flag', 'column=near', 'threshold=0.8')")
{
	$server->safe_psql('postgres', "DROP TRIGGER IF EXISTS near_dup ON docs; TRUNCATE docs RESTART IDENTITY; CREATE TRIGGER near_dup $timing");
	my ($out, $err);
	ok(IPC::Run::run([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', 60, '--random-seed=9', '--max-tries=1000', (map { ('-f', "$tempdir/mix_$_.sql\@" . ($_ eq 'single' || $_ eq 'auto' ? 4 : 1)) } sort keys %mix), $server->connstr('postgres') ], '>', \$out, '2>', \$err), 'mix: pgbench finishes') or diag $err;
	is(escaped(3), 0, 'mix: no near-duplicate got in (' . rows('docs') . ' rows)');
}

# Bulk loads at the same time: each locks the table from its first row on, so there is no deadlock
$server->safe_psql('postgres', "DROP TRIGGER near_dup ON docs; TRUNCATE docs; CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW $arguments, 'skip', 'threshold=0.8')");
my @loads = map { [ start_sql($server, "INSERT INTO docs (body) SELECT body(i % 500, i * $_) FROM generate_series(1, 3000) AS i ORDER BY hashint4(i + $_)") ] } 1 .. 3;
$_->[0]->finish for @loads;
is(join('', map { ${ $_->[1] } } @loads), '', 'bulk: all loads succeed');
is(escaped(3), 0, 'bulk: no near-duplicate got in');
is(texts(), 500, 'bulk: one of each did');

# The same with transactions that lock the table first
$server->safe_psql('postgres', 'TRUNCATE docs');
@loads = map { [ start_sql($server, "BEGIN", "LOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE", "INSERT INTO docs (body) SELECT body(i % 500, i * $_) FROM generate_series(1, 3000) AS i ORDER BY hashint4(i + $_)", 'COMMIT') ] } 1 .. 3;
$_->[0]->finish for @loads;
is(join('', map { ${ $_->[1] } } @loads), '', 'bulk: loads that lock the table do not fail');
is(escaped(3), 0, 'bulk: and no near-duplicate got in');
is(texts(), 500, 'bulk: one of each did');

# A prepared transaction keeps its locks, even across a restart
$server->safe_psql('postgres', "DROP TRIGGER near_dup ON docs; TRUNCATE docs; CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW $arguments, 'reject', 'threshold=0.8')");
$server->safe_psql('postgres', q{BEGIN; INSERT INTO docs (body) VALUES (body(1, 1)); PREPARE TRANSACTION 'first'});
sub blocked { return ($server->psql('postgres', q{SET lock_timeout = '300ms'; \set VERBOSITY sqlstate
	INSERT INTO docs (body) VALUES (body(1, 2))}))[2] }
like(blocked(), qr/55P03/, 'prepared: its near-duplicate waits');
$server->restart;
like(blocked(), qr/55P03/, 'prepared: also after a restart');
$server->safe_psql('postgres', q{COMMIT PREPARED 'first'});
like(blocked(), qr/23505/, 'prepared: and is rejected after its commit');

done_testing();

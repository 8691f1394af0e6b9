# ALTER EXTENSION txtfp UPDATE from each older version, with everything that a database may have: tables and indexes of every type, triggers, live clusters, views,
# functions and stored rules. Between the library's update and that of the extension old declarations meet new code.
# TXTFP_OLD_PG=DIRECTORY names an installation of the same major version of PostgreSQL with the oldest version and its library (DIRECTORY/bin), which then
# writes the data; otherwise this library does, with the old declarations.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use Shape;
use PostgreSQL::Test::Utils;
use Test::More;

my $old_path = $ENV{TXTFP_OLD_PG};
my $server   = new_server('update', ($old_path ? (install_path => $old_path) : ()), conf => "max_parallel_maintenance_workers = 0\n");
chomp(my $bindir = qx{pg_config --bindir});
my $new_path = $bindir =~ s{/bin$}{}r;

sub sql { return $server->safe_psql('postgres', $_[0]) }

my @versions = $old_path ? sql(q{SELECT extversion FROM pg_extension WHERE extname = 'txtfp'}) : split /\n/, sql(q{SELECT version FROM pg_available_extension_versions
	WHERE name = 'txtfp' AND version <> (SELECT default_version FROM pg_available_extensions WHERE name = 'txtfp') ORDER BY version});
cmp_ok(scalar @versions, '>', 0, "older versions: @versions");

# ---- what refers to objects of the extension: the name of each, its definition, and a query of it that the update must not change

my @users = (
	[ 'VIEW pairs_view',       q{SELECT * FROM near_duplicate_pairs('SELECT id, minhash FROM docs WHERE id > 0', 0.9, bands => 16, rows => 8)}, 'SELECT * FROM pairs_view' ],
	[ 'VIEW pairs_uuid',       q{SELECT * FROM near_duplicate_pairs(NULL::uuid, 'SELECT md5(id::text)::uuid, simhash FROM docs WHERE id < 40 AND id > 0', threshold => NULL, max_distance => 3)}, 'SELECT * FROM pairs_uuid' ],
	[ 'VIEW between_view',     q{SELECT * FROM near_duplicate_pairs_between('SELECT id, minhash FROM docs WHERE id < 40 AND id > 0', 'SELECT id, minhash FROM docs WHERE id > 36', 0.9, recall => 0.95, nearest => true)}, 'SELECT * FROM between_view' ],
	[ 'VIEW clusters_view',    q{SELECT * FROM near_duplicate_clusters('SELECT id, minhash FROM docs WHERE id > 0', 0.8, 'star', recall => 0.9)}, 'SELECT * FROM clusters_view' ],
	[ 'VIEW removals',         q{SELECT id, kept, reason FROM deduplicate('SELECT id, minhash, body FROM docs WHERE id > 0', 0.8, 'jaccard', tokenizer => 'word-uax29')}, 'SELECT * FROM removals' ],
	[ 'MATERIALIZED VIEW kept', q{SELECT id, signals FROM deduplicate('SELECT id, minhash, body FROM docs WHERE id BETWEEN 1 AND 60', 0.8, 'jaccard', tokenizer => 'word-uax29', signals => true)}, 'SELECT id, (signals).neighbours FROM kept' ],
	[ 'VIEW advice',           q{SELECT tokenizer, threshold FROM minhash_advice(0.05)}, 'SELECT * FROM advice' ],
	[ 'VIEW told',             q{SELECT indexed, bands, rows FROM fingerprint_index_info('docs_minhash')}, 'SELECT * FROM told' ],
	[ 'VIEW seen',             q{SELECT relation, checked, found FROM near_duplicate_trigger_stats()}, 'SELECT * FROM seen' ],
	[ 'VIEW shared',           q{SELECT a, b, shared FROM passage_pairs('SELECT id, passages FROM docs WHERE id > 0')}, 'SELECT * FROM shared' ],
	[ 'VIEW signalled',        q{SELECT id, difference_signals(body, body || ' more') AS s FROM docs WHERE id BETWEEN 1 AND 5}, 'SELECT id, (s).neighbours FROM signalled' ],
	[ 'VIEW alike',            q{SELECT a.id, b.id AS other FROM docs AS a JOIN docs AS b ON a.minhash % b.minhash WHERE a.id % 20 = 0 AND a.simhash <> b.simhash}, 'SELECT * FROM alike' ],
	[ 'FUNCTION near(p int) RETURNS SETOF int LANGUAGE sql', q{BEGIN ATOMIC SELECT d.id FROM docs AS d, docs AS p WHERE p.id = near.p AND simhash_similar(d.simhash, p.simhash, 3); END}, 'SELECT n FROM near(20) AS n' ],
	[ 'FUNCTION of_pairs() RETURNS bigint LANGUAGE sql', q{BEGIN ATOMIC SELECT count(*) FROM near_duplicate_pairs('SELECT id, minhash FROM docs WHERE id > 0', 0.9); END}, 'SELECT of_pairs()' ],
	[ 'VIEW rule_of',          q{SELECT decision_score(rule, difference_signals(body, body || ' not')) AS score, decision_rule('SELECT label, signals FROM labels')->>'cut_off' AS cut FROM rules, docs WHERE id = 4}, undef ],
);

sub users { my %answers; $answers{ $_->[0] } = sql("SELECT coalesce(string_agg(q::text, ' ' ORDER BY q::text), '') FROM ($_->[2]) AS q") for grep { defined $_->[2] } @users; return \%answers }

sub create_users
{
	sql(join ';', map { "CREATE $_->[0] " . ($_->[0] =~ /^FUNCTION/ ? '' : 'AS ') . $_->[1] } @users);
}

sub create_writers
{
	sql(q{
		CREATE TABLE labels AS SELECT i % 3 > 0 AS label, difference_signals(words(i), CASE WHEN i % 3 > 0 THEN words(i) || ' and more' ELSE words(i + 1) END) AS signals FROM generate_series(1, 60) AS i;
		CREATE TABLE rules AS SELECT decision_rule('SELECT label, signals FROM labels') AS rule;
		CREATE TABLE guarded (id int PRIMARY KEY, body text, fp minhash128, near int, seen int NOT NULL DEFAULT 0);
		CREATE INDEX ON guarded USING gin (fp minhash128_lsh_ops (threshold = 0.7)) WITH (fastupdate = off);
		CREATE TRIGGER a BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
		CREATE TRIGGER b BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
		INSERT INTO guarded (id, body) SELECT i, words(i / 2) FROM generate_series(1, 100) AS i;
		CREATE TABLE followed (id int PRIMARY KEY, fp minhash128, rank int);
		CREATE INDEX ON followed USING gin (fp minhash128_lsh_ops (threshold = 0.7)) WITH (fastupdate = off);
		CREATE TABLE starred (LIKE followed INCLUDING ALL);
		CALL live_clusters_create('followed', 'id', 'fp', 0.8, events => true);
		CALL live_clusters_create('starred', 'id', 'fp', 0.8, 'star', priority => 'rank');
		INSERT INTO followed SELECT i, to_minhash128(words(i / 3)), i FROM generate_series(1, 90) AS i;
		INSERT INTO starred SELECT * FROM followed;
		CREATE TABLE mixed (id int PRIMARY KEY, f fingerprint UNIQUE, probe minhash_probe, many simhash64[])});
	sql('INSERT INTO mixed SELECT id, print, _to_minhash_probe(minhash, 0.7), ARRAY[simhash, NULL] FROM docs WHERE id % 10 = 0') if sql('SELECT count(*) FROM mixed') == 0;
}

# ---- the old version with its data

for my $version (@versions)
{
	sql("DROP EXTENSION txtfp; CREATE EXTENSION txtfp VERSION '$version'") unless $old_path;
	create_docs($server, 200);
	if (!$old_path) # without the old library, its declarations of what has changed since cannot be called
	{
		@users = grep { $_->[1] !~ /\bdecision_rule\(/ && $_->[0] !~ /MATERIALIZED/ } @users;
	}
	$old_path ? (create_writers(), create_users()) : create_users();
	my $probes = 'id % 20 IN (0, 1)';
	my @before = answers($server, $probes);
	my $of_users = $old_path ? users() : undef;
	my $cut;

	if ($old_path) # a session of before goes on with the library that it has loaded
	{
		$cut = sql('SELECT rule FROM rules');
		$server->stop;
		$server = bless { %$server, _install_path => $new_path }, ref $server;
		$server->start;
		is(join("\n", answers($server, $probes)), join("\n", @before), 'the new library reads every index that the old one wrote');
		sql('INSERT INTO followed SELECT i + 1000, to_minhash128(words(i)), i FROM generate_series(1, 20) AS i; DELETE FROM followed WHERE id % 7 = 0');
		is(sql("SELECT (SELECT count(*) FROM live_clusters_check('followed')) + (SELECT count(*) FROM live_clusters_check('starred'))"), '0', 'its triggers go on');
	}

	# Functions of the library by their names there, with all arguments and results. What is called with others has another name in the library.
	my $symbols = q{SELECT prosrc || ' ' || coalesce(proallargtypes, proargtypes::oid[])::regtype[]::text || ' ' || prorettype::regtype FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
		JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp' WHERE probin IS NOT NULL ORDER BY 1};
	$server->safe_psql('postgres', 'DROP DATABASE IF EXISTS fresh');
	$server->safe_psql('postgres', 'CREATE DATABASE fresh');
	$server->safe_psql('fresh', 'CREATE EXTENSION txtfp');
	my %fresh = map { $_ => 1 } my @fresh = split /\n/, $server->safe_psql('fresh', $symbols);
	my %called = map { (split / /)[0] => 1 } @fresh;
	is(join("\n", grep { !$fresh{$_} && $called{ (split / /)[0] } } split /\n/, sql($symbols)), '', 'a function with other arguments or another result has another name in the library (src/pg/base/retired.cpp)');
	my @retired = map { (split /\t/)[1] } grep { !$called{ (split /\t/)[0] } } split /\n/, sql(q{SELECT prosrc || E'\t' || p.oid::regprocedure FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
		JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp' WHERE probin IS NOT NULL ORDER BY 1});
	for my $function (@retired)
	{
		my ($name, $arguments) = $function =~ /^(\w+)\((.*)\)$/;
		my $call = ($name =~ /create|distributed/ ? 'CALL ' : 'SELECT * FROM ') . "$name(" . join(', ', map { $_ eq 'anyelement' ? 'NULL::uuid' : "NULL::$_" } split /,/, $arguments) . ')';
		$call = q{SELECT * FROM minhash_advice(0.05, 0.99)} if $name eq 'minhash_advice'; # strict
		$call = q{SELECT * FROM fingerprint_index_info('docs_minhash', false)} if $name eq 'fingerprint_index_info';
		my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY verbose\n$call");
		like($err, qr/55000: .* is that of an older version of the extension.*ALTER EXTENSION txtfp UPDATE/s, "$version: $function tells that the extension must be updated");
	}
	cmp_ok(scalar @retired, '>=', 10, 'functions whose arguments have changed: ' . @retired);

	# ---- the update

	my $names = join ', ', map { "'$_'" } @retired;
	my @used = split /\n/, sql(qq{SELECT proname FROM pg_proc AS p WHERE oid IN (SELECT unnest(ARRAY[$names]::regprocedure[])) AND EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND refobjid = p.oid AND deptype = 'n')});
	cmp_ok(scalar @used, '>=', 8, "functions that views use: @used");
	my (undef, undef, $told) = $server->psql('postgres', 'ALTER EXTENSION txtfp UPDATE');
	unlike($told, qr/ERROR/, "ALTER EXTENSION txtfp UPDATE from $version");
	my @renamed = $told =~ /which is now called (\w+)/g;
	is(join(' ', sort @renamed), join(' ', sort map { $_ . '_of_' . $version =~ tr/./_/r } @used), 'functions that views use have another name now, and belong to nobody but the owner');
	is(differences(shape($server, 'postgres', 'txtfp'), shape($server, 'fresh', 'txtfp')), '', 'its objects are those of a fresh installation');
	is(join("\n", answers($server, $probes)), join("\n", @before), 'every index answers as before');
	answers_agree($server, "updated from $version", $probes);
	if ($old_path)
	{
		my $after = users();
		is($after->{$_}, $of_users->{$_}, "$_ answers as before") for sort keys %$of_users;
		cmp_ok(sql('SELECT count(*) FROM removals'), '>', 0, 'some rows are removed');
	}
	else
	{
		create_writers();
		my $after = users();
		ok(defined $after->{$_}, "$_ answers") for sort keys %$after;
		is(sql('SELECT count(*) FROM pairs_view'), sql(q{SELECT count(*) FROM near_duplicate_pairs('SELECT id, minhash FROM docs WHERE id > 0', 0.9, bands => 16, rows => 8)}), 'a view of the old function gives the pairs of the new one');
	}
	is(sql('SELECT rule FROM rules'), $cut, 'a stored rule is the same') if defined $cut;
	my (undef, $score, $refused) = $server->psql('postgres', q{SELECT decision_score(rule, (SELECT signals FROM labels WHERE label LIMIT 1)) > 0.5 FROM rules});
	like("$score $refused", qr/^t $|the rule is for signals of version \d+, not \d+\nHINT:  Compute the signals/, '... and scores stored signals, or says that they are of an older version');
	sql(q{UPDATE labels SET signals = difference_signals(words((3 * random())::int), words((3 * random())::int) || ' more') WHERE label});
	(undef, undef, $refused) = $server->psql('postgres', q{SELECT decision_rule('SELECT label, signals FROM labels')});
	unlike($refused, qr/XX000|server closed/, 'stored signals of both versions do no harm');
	sql(q{INSERT INTO guarded (id, body) SELECT i + 1000, words(i / 2) FROM generate_series(1, 102) AS i});
	is(sql('SELECT count(*) FROM guarded WHERE id > 1000'), '1', 'the trigger knows the old rows');
	is(sql("SELECT (SELECT count(*) FROM live_clusters_check('followed')) + (SELECT count(*) FROM live_clusters_check('starred'))"), '0', 'live clusters are sound');
	amcheck($server, 'updated', 'docs', 'guarded', 'followed');
	is(sql(q{SELECT string_agg(DISTINCT sketch_check(i, heapallindexed => true)::text, ' ') FROM unnest('{docs_tlsh,docs_sketch_m,docs_sketch_c,docs_sketch_s,docs_sketch_t,docs_sketch_l}'::regclass[]) AS i}), sql('SELECT count(*) FROM docs'), 'indexes of sketch are sound');
	my $views = join ', ', map { /^VIEW (\w+)/ ? $1 : () } map { $_->[0] } @users;
	is(sql(q{SELECT count(*) FROM pg_proc AS p WHERE proname ~ '_of_\d' AND EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')}), '0', 'what was kept is no part of the extension');
	sql("DROP VIEW $views CASCADE; DROP FUNCTION of_pairs; " . ($old_path ? 'DROP MATERIALIZED VIEW kept; ' : '') . join '; ', map { "DROP FUNCTION $_" } split /\n/, sql(q{SELECT oid::regprocedure FROM pg_proc WHERE proname ~ '_of_\d'}));
	sql('DROP EXTENSION txtfp CASCADE; DROP TABLE docs, labels, rules, guarded, followed, starred, mixed CASCADE; DROP FUNCTION words, put CASCADE');
	last if $old_path;
}
$server->stop;
done_testing();

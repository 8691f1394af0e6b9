# The extension in a schema of its own, moved to another one, and created by a user without privileges; and the same objects
# whether it is installed at once or by updates from an older version.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Shape;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = new_server('schema');
my ($psql_status, $out, $err);

# Every part of the API that refers to other objects of the extension, without the extension in the search path.
sub work_in
{
	my ($database, $schema, $user) = @_;
	(my $script = q{
		\set ON_ERROR_STOP on
		SET ROLE @USER@;
		SET search_path = pg_catalog;
		CREATE SCHEMA w;
		CREATE TABLE w.docs (id int PRIMARY KEY, body text, m @S@.minhash128 GENERATED ALWAYS AS (@S@.to_minhash128(body)) STORED,
			s @S@.simhash64 GENERATED ALWAYS AS (@S@.to_simhash64(body)) STORED, t @S@.tlsh GENERATED ALWAYS AS (@S@.to_tlsh(body)) STORED,
			l @S@.lavinhash GENERATED ALWAYS AS (@S@.to_lavinhash(body::bytea)) STORED, f @S@.fingerprint, kept @S@.minhash64, near int);
		CREATE TRIGGER a BEFORE INSERT OR UPDATE ON w.docs FOR EACH ROW EXECUTE FUNCTION @S@.fingerprint_trigger('body', 'kept');
		INSERT INTO w.docs (id, body) SELECT i, (SELECT string_agg(md5(i / 2 || ' ' || n), ' ') FROM generate_series(1, 10) AS n) FROM generate_series(1, 400) AS i;
		UPDATE w.docs SET f = m;
		CREATE INDEX m ON w.docs USING gin (m @S@.minhash128_lsh_ops (threshold = 0.8));
		CREATE INDEX s ON w.docs USING gin (s);
		CREATE INDEX t ON w.docs USING sketch (t);
		CREATE INDEX n ON w.docs USING sketch (s);
		CREATE INDEX l ON w.docs USING gin (l);
		CREATE INDEX f ON w.docs (f);
		CREATE INDEX k ON w.docs USING sketch (kept);
		ANALYZE w.docs;
		SET enable_seqscan = off;
		SELECT 'rows', count(*), count(kept) FROM w.docs WHERE kept OPERATOR(@S@.=) @S@.to_minhash64(body);
		SELECT 'minhash', count(*) FROM w.docs AS a JOIN w.docs AS b ON a.m OPERATOR(@S@.%) b.m;
		SELECT 'minhash function', count(*) FROM w.docs AS a JOIN w.docs AS b ON @S@.minhash_similar(a.m, b.m, 0.9);
		SELECT 'simhash', count(*) FROM w.docs AS a JOIN w.docs AS b ON @S@.simhash_similar(a.s, b.s, 1);
		SELECT 'nearest', count(DISTINCT n.id) FROM w.docs AS a, LATERAL (SELECT id FROM w.docs ORDER BY s OPERATOR(@S@.<#>) a.s LIMIT 2) AS n;
		SELECT 'tlsh', count(*) FROM w.docs AS a JOIN w.docs AS b ON @S@.tlsh_similar(a.t, b.t, 1);
		SELECT 'tlsh order', id / 2 FROM w.docs ORDER BY t OPERATOR(@S@.<~>) (SELECT t FROM w.docs WHERE id = 100) LIMIT 1;
		SELECT 'lavinhash', count(*) FROM w.docs AS a JOIN w.docs AS b ON @S@.lavinhash_similar(a.l, b.l, 99);
		SELECT 'distinct', count(DISTINCT f), count(DISTINCT s), count(DISTINCT t), count(DISTINCT l) FROM w.docs;
		SELECT 'casts', count(*) FROM w.docs WHERE f::@S@.minhash128 OPERATOR(@S@.=) m::bytea::@S@.minhash128 AND s OPERATOR(@S@.=) s::bigint::@S@.simhash64;
		SELECT 'aggregates', @S@.minhash128_agg(body ORDER BY id) IS NOT NULL, @S@.simhash64_agg(body ORDER BY id) IS NOT NULL, @S@.minhash_union_agg(m) IS NOT NULL, @S@.simhash_idf_agg(body) IS NOT NULL FROM w.docs;
		SELECT 'banding', (@S@.lsh_params(0.8, 128)).bands, array_length(@S@.lsh_keys(m, 16, 4), 1), @S@._first_common_band(m, m, 16, 4) FROM w.docs WHERE id = 1;
		SELECT 'metadata', @S@.fingerprint_name(f), @S@.fingerprint_similarity(f, f), @S@.txtfp_version() FROM w.docs WHERE id = 1;
		CREATE TRIGGER b BEFORE INSERT ON w.docs FOR EACH ROW EXECUTE FUNCTION @S@.near_duplicate_trigger('id', 'kept', 'skip', 'threshold=0.8');
		INSERT INTO w.docs (id, body) SELECT id + 1000, body FROM w.docs;
		SELECT 'kept out', count(*) FROM w.docs;
	}) =~ s/\@S\@/$schema/g;
	$script =~ s/\@USER\@/$user/g;
	my ($status, $out, $err) = $server->psql($database, $script);
	is($err, '', "schema $schema, user $user: no error");
	return $out;
}

sub database
{
	my ($name, @statements) = @_;
	$server->safe_psql('postgres', "CREATE DATABASE $name");
	$server->safe_psql($name, $_) for @statements;
}

# ---- schemas

database('public_one', 'CREATE EXTENSION txtfp');
my $expected = work_in('public_one', 'public', 'postgres');
like($expected, qr/^rows\|400\|400$/m, 'rows were written');
like($expected, qr/^kept out\|400$/m, 'and near-duplicates kept out');
like($expected, qr/^$_\|79[0-9]$/m, "$_ finds the pairs") for 'minhash', 'minhash function', 'simhash', 'tlsh', 'lavinhash';

database('own_schema', 'CREATE SCHEMA s; CREATE EXTENSION txtfp SCHEMA s');
is(work_in('own_schema', 's', 'postgres'), $expected, 'schema s: the same answers');
my $session_before = q{SELECT s.to_minhash128('some words') OPERATOR(s.%) s.to_minhash128('some words'); };
is($server->safe_psql('own_schema', "$session_before ALTER EXTENSION txtfp SET SCHEMA public; DROP SCHEMA w CASCADE; SELECT to_simhash64('x') <#> to_simhash64('x')"), "t\n0", 'SET SCHEMA in a session that has used it');
$server->safe_psql('own_schema', 'CREATE SCHEMA "Odd, schema"; ALTER EXTENSION txtfp SET SCHEMA "Odd, schema"');
is(work_in('own_schema', '"Odd, schema"', 'postgres'), $expected, 'moved to another schema: the same answers');
is($server->safe_psql('own_schema', q{ALTER EXTENSION txtfp SET SCHEMA s; SET search_path = pg_catalog;
	SELECT count(*) FROM w.docs AS a JOIN w.docs AS b ON s.minhash_similar(a.m, b.m, 0.9)}), ($expected =~ /^minhash function\|(\d+)/m)[0], 'moved with its tables: indexes go on');

# ---- a dump, which is restored with an empty search_path: IS DISTINCT FROM names no schema for its operator

my $changed = sub { my ($condition) = @_; qq{CREATE TRIGGER seen BEFORE UPDATE ON w.docs FOR EACH ROW WHEN ($condition) EXECUTE FUNCTION suppress_redundant_updates_trigger()} };
for (['old.kept IS DISTINCT FROM new.kept', 0], ['(old.kept = new.kept) IS NOT TRUE', 1])
{
	my ($condition, $can) = @$_;
	$server->safe_psql('own_schema', 'SET search_path = public, s; DROP TRIGGER IF EXISTS seen ON w.docs; ' . $changed->($condition));
	my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
	command_ok([ 'pg_dump', '-d', $server->connstr('own_schema'), '--schema-only', '-f', $dump ], "pg_dump of a trigger with $condition");
	$server->safe_psql('postgres', 'DROP DATABASE IF EXISTS restored');
	database('restored');
	my (undef, $error) = run_command([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $server->connstr('restored'), '-f', $dump ]);
	$can ? is($error, '', '... is restored') : like($error, qr/operator does not exist: s\.minhash64 = s\.minhash64/, '... cannot be restored');
}

# ---- a user without privileges

$server->safe_psql('postgres', 'CREATE ROLE plain; CREATE DATABASE hers');
$server->safe_psql('postgres', 'GRANT CREATE ON DATABASE hers TO plain');
$server->safe_psql('hers', 'SET ROLE plain; CREATE SCHEMA mine; CREATE EXTENSION txtfp SCHEMA mine');
is($server->safe_psql('hers', q{SELECT extowner::regrole, (SELECT count(*) FROM pg_proc WHERE pronamespace = 'mine'::regnamespace AND proowner <> 10) FROM pg_extension WHERE extname = 'txtfp'}), 'plain|0', 'a trusted extension: hers, its functions those of the superuser');
is(work_in('hers', 'mine', 'plain'), $expected, 'unprivileged: the same answers');
(undef, undef, $err) = $server->psql('hers', q{SET ROLE plain; DROP SCHEMA w CASCADE; DROP EXTENSION txtfp});
unlike($err, qr/ERROR/, 'she can drop it');

# ---- objects of another user first in the search path: none of them is called

database('trap', q{CREATE SCHEMA evil}, q{CREATE EXTENSION txtfp});
my $overloads = $server->safe_psql('trap', q{
	SELECT string_agg(format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''trapped''; END $f$;', proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid)), ' ')
	FROM pg_proc AS p WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND NOT proretset AND proargmodes IS NULL
		AND NOT 'internal'::regtype = ANY (proargtypes::oid[]) AND NOT 'cstring'::regtype = ANY (proargtypes::oid[]) AND prorettype NOT IN ('internal'::regtype, 'cstring'::regtype)
		AND NOT 'anyelement'::regtype = ANY (proargtypes::oid[])});
$server->safe_psql('trap', "SET search_path = public; $overloads");
$server->safe_psql('trap', q{SET search_path = public;
	CREATE FUNCTION evil.trap(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
	CREATE OPERATOR evil.= (FUNCTION = evil.trap, LEFTARG = text, RIGHTARG = text)});
(undef, undef, $err) = $server->psql('trap', q{SET search_path = evil, public, pg_catalog; SELECT txtfp_version()});
like($err, qr/trapped/, 'the traps are set');
(my $trapped = work_in('trap', 'public', 'postgres')) =~ s/^SET$//mg;
is($trapped, $expected, 'nothing of them is called');
$server->safe_psql('trap', 'CREATE DATABASE trap_path');
$server->safe_psql('trap_path', 'CREATE SCHEMA evil; ALTER DATABASE trap_path SET search_path = evil, pg_catalog');
$server->safe_psql('trap_path', 'CREATE EXTENSION txtfp SCHEMA public');
is($server->safe_psql('trap_path', q{SELECT count(*) FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txtfp') AND pg_describe_object(classid, objid, 0) ~ 'evil'}), '0', 'CREATE EXTENSION makes nothing elsewhere');

# ---- installation and update give the same objects

my $fresh = shape($server, 'public_one', 'txtfp');
my @lines = split /\n/, $fresh;
cmp_ok(scalar @lines, '>', 300, 'a shape has a line per object: ' . @lines);
for my $kind ('function', 'aggregate', 'type', 'operator', 'operator class', 'operator family', 'cast')
{
	cmp_ok(scalar(grep { /^$kind \| .* \| ./ } @lines), '>', 0, "... $kind, with details");
}
database('again', 'CREATE EXTENSION txtfp');
is(differences(shape($server, 'again', 'txtfp'), $fresh), '', 'two fresh installations have the same shape');

# each of these changes must be detected
for my $change ('COMMENT ON FUNCTION txtfp_version() IS $$other$$', 'ALTER FUNCTION txtfp_version() COST 7', 'ALTER OPERATOR % (simhash64, simhash64) SET (RESTRICT = NONE)',
	'ALTER FUNCTION to_tlsh(bytea) PARALLEL RESTRICTED', 'ALTER TYPE lavinhash SET (STORAGE = external)', 'ALTER EXTENSION txtfp DROP FUNCTION txtfp_version()',
	'ALTER EXTENSION txtfp DROP CAST (simhash64 AS bigint)')
{
	my ($status, $out, $err) = $server->psql('again', "BEGIN; $change; COMMIT");
	if ($err ne '') { fail("$change: $err"); next }
	ok(differences(shape($server, 'again', 'txtfp'), $fresh) ne '', "seen: $change");
	$server->safe_psql('postgres', 'DROP DATABASE again');
	database('again', 'CREATE EXTENSION txtfp');
}

# updates from every older version that is installed beside this one
my @older = split /\n/, $server->safe_psql('postgres', q{
	SELECT version FROM pg_available_extension_versions WHERE name = 'txtfp' AND version <> (SELECT default_version FROM pg_available_extensions WHERE name = 'txtfp')});
note(@older ? "older versions: @older" : 'there is no older version yet');
for my $version (@older)
{
	(my $database = "from_$version") =~ tr/./_/;
	database($database, "CREATE EXTENSION txtfp VERSION '$version'", 'ALTER EXTENSION txtfp UPDATE');
	is(differences(shape($server, $database, 'txtfp'), $fresh), '', "updated from $version: the shape of a fresh installation");
	is(work_in($database, 'public', 'postgres'), $expected, "updated from $version: the same answers");
}

$server->stop;
done_testing();

# Installing and removing the extension leaves neither files nor catalog rows behind. It may live in any schema, belong to a
# user without privileges, and be moved.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use File::Find ();
use File::Path qw(make_path);
use PostgreSQL::Test::Utils;
use Test::More;

# Files

my $root    = "$FindBin::RealBin/../..";
my $destdir = PostgreSQL::Test::Utils::tempdir();
my ($share, $doc, $lib) = map { chomp(my $path = qx{pg_config $_}); $destdir . $path } '--sharedir', '--docdir', '--pkglibdir';

sub run_make
{
	my ($target) = @_;
	my @how = ("DESTDIR=$destdir", 'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'));
	return system_log('make', '-s', '-C', $root, $target, @how) == 0;
}

sub tree
{
	my @paths;
	File::Find::find({ wanted => sub { push @paths, substr($_, length $destdir) if $_ ne $destdir }, no_chdir => 1 }, $destdir);
	return join "\n", sort @paths;
}

# files of others whose names resemble ours
for my $path ("$share/extension/other.control", "$share/extension/txtfp_more.control", "$doc/extension/reference.md",
	"$lib/other.so", "$lib/bitcode/other/other.bc", "$lib/bitcode/other.index.bc")
{
	make_path($path =~ s{/[^/]+$}{}r);
	append_to_file($path, 'not ours');
}
my $before = tree();
ok(run_make('install'), 'make install');
my ($version) = slurp_file("$root/txtfp.control") =~ /^default_version = '(.*)'/m;
ok(-s $_, 'installs ' . substr($_, length $destdir))
  for "$lib/txtfp.so", "$share/extension/txtfp.control", "$share/extension/txtfp--$version.sql", "$doc/extension/txtfp/reference.md";
unlike(tree(), qr{bitcode/txtfp}, 'no bitcode: JIT must not inline C++');
ok(run_make('install'), 'make install again');
ok(run_make('uninstall'), 'make uninstall');
is(tree(), $before, 'removes every file and directory, and no other');
ok(run_make('uninstall'), 'make uninstall again');

# Catalogs

my $server = new_server('server');

# "catalog rows" for each catalog of the database
sub catalogs
{
	return $server->safe_psql('scratch', q{
		SELECT format('SELECT %L, count(*) FROM %s', oid::regclass, oid::regclass)
		FROM pg_class
		WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND relname NOT IN ('pg_statistic')
		ORDER BY relname \gexec});
}

$server->safe_psql('postgres', $_) for 'CREATE ROLE alice LOGIN', 'CREATE DATABASE scratch OWNER alice TEMPLATE template0';
$server->safe_psql('scratch', 'CREATE SCHEMA AUTHORIZATION alice; CREATE SCHEMA "T t" AUTHORIZATION alice');
my $empty = catalogs();
like($empty, qr/^pg_proc\|\d{4}$/m, 'the catalogs are counted');

sub as_alice
{
	my ($sql) = @_;
	return $server->safe_psql('scratch', $sql, extra_params => [ '-U', 'alice' ]);
}

# Uses the extension in a schema that is not in the search path (test/sql/info.sql has more).
sub use_it
{
	my ($schema) = @_;
	is(as_alice(qq{SET search_path = ''; SET enable_seqscan = off;
		SELECT string_agg(a.id || ' ' || b.id, ', ')
		FROM $schema.to_simhash64('a text of some five or six words, number 7') AS q,
			LATERAL (SELECT id FROM alice.docs WHERE $schema.simhash_similar(sim, q, 0)) AS a,
			alice.docs AS b
		WHERE $schema.minhash_similar(b.fp, $schema.to_minhash128('a text of some five or six words, number 8'), 1)}),
		'7 8', "it answers in schema $schema");
}

for my $round (1 .. 2)
{
	as_alice('CREATE EXTENSION txtfp SCHEMA alice');
	isnt(catalogs(), $empty, "round $round: CREATE EXTENSION by an owner without privileges");
	as_alice(q{
		CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED, sim simhash64);
		INSERT INTO docs (id, body, sim) SELECT i, body, to_simhash64(body)
		FROM generate_series(1, 100) AS i, format('a text of some five or six words, number %s', i) AS body;
		CREATE INDEX docs_fp ON docs USING gin (fp);
		CREATE INDEX docs_sim ON docs USING gin (sim)});
	use_it('alice');
	# The superuser owns the objects of a trusted extension, so only a superuser can move them
	$server->safe_psql('scratch', 'ALTER EXTENSION txtfp SET SCHEMA "T t"');
	use_it('"T t"');
	is(as_alice(q{SET search_path = ''; INSERT INTO alice.docs (id, body) VALUES (101, 'one more') RETURNING fp OPERATOR("T t".=) "T t".to_minhash128(body)}),
		't', 'the generated column follows');
	is(($server->psql('scratch', 'DROP EXTENSION txtfp', extra_params => [ '-U', 'alice' ]))[0], 3, 'DROP EXTENSION spares what depends on it');
	as_alice('DROP TABLE docs; DROP EXTENSION txtfp');
	is(catalogs(), $empty, "round $round: DROP EXTENSION leaves nothing in the catalogs");
}

done_testing();

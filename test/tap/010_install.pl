# Installing and removing the extension leaves neither files nor catalog rows behind. It may live in any schema, belong to a
# user without privileges, and be moved.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use File::Find ();
use File::Spec;
use File::Path qw(make_path);
use PostgreSQL::Test::Utils;
use Test::More;

# Files

my $root    = "$FindBin::RealBin/../..";
my $destdir = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
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

# Makefiles: without a server's development files they say what is missing, and no path may begin with a variable that is empty

my @folders = ('.', map { s{/Makefile$}{}r =~ s{^\Q$root/}{}r } glob "$root/contrib/*/Makefile");
sub said { my ($folder, @arguments) = @_; my $said = qx{make -s -C '$root/$folder' @arguments 2>&1}; return ($? != 0, $said) }
for my $folder (@folders)
{
	my @odd;
	for my $target ('', 'all', 'install', 'uninstall', 'installcheck', 'clean')
	{
		my ($failed, $said) = said($folder, $target, 'PG_CONFIG=/nonexistent/pg_config');
		my @lines = grep { !/: (Entering|Leaving) directory/ } split /\n/, $said;
		push @odd, "$target: $said" unless $failed && @lines == 1 && $lines[0] =~ /install the package postgresql-server-dev-NN/;
	}
	is("@odd", '', "$folder without pg_config: what to install, in one line");
}
my $pg_config = 'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config');
for ([ '.', 'docdir', 'uninstall-docs' ], [ '.', 'prefix', 'uninstall-cli' ], [ '.', 'prefix', 'install-cli' ], [ 'contrib/txtfp_cjk', 'datadir', 'uninstall-dictionaries' ],
	[ 'contrib/txtfp_cjk', 'WHEELS', 'all' ], [ 'contrib/txtfp_compat', 'prefix', 'uninstall-cli' ], [ 'contrib/txtfp_embed', 'bindir', 'uninstall-program' ],
	[ 'contrib/txtfp_pdf', 'pkglibdir', 'uninstall-program' ])
{
	my ($folder, $variable, $target) = @$_;
	my ($failed, $said) = said($folder, '-n', $target, "$variable=", $pg_config);
	ok($failed && $said =~ /the variable $variable is empty/, "$folder: $target with an empty $variable") or diag $said;
}
{
	# every command that removes or writes, as it is written: what begins with a variable is checked, or is one of these, which our Makefiles set
	my $set = qr{\@|<|\^|MKDIR_P|INSTALL_\w+|dictionary_folder|cli_bin|cli_share|program_bin|program_manual|program_completions|PIP_DOWNLOAD|PYTHON|OUT|1|BASH_SOURCE};
	my @unchecked;
	for my $file (glob("$root/Makefile $root/contrib/*.mk $root/contrib/*/Makefile $root/contrib/*/*.mk $root/src/cli/*.mk $root/tools/*.mk $root/scripts/*.mk"))
	{
		for (grep { /^\t/ && /\b(?:rm|mkdir|install|cp|mv|ln|touch)\b|MKDIR_P|INSTALL_/ } split /\n/, slurp_file($file))
		{
			push @unchecked, "$file: $_" if m{\s['"]?(?:\$\(DESTDIR\))?\$[({](?!call required,|$set\b)\w+[)}]/};
		}
	}
	is("@unchecked", '', 'no command writes or removes a path that begins with a variable which may be empty');
}

# Objects belong to a server and to a compiler: both are changed here, in a small extension
{
	my $folder = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
	my $real = $ENV{PG_CONFIG} || 'pg_config';
	append_to_file("$folder/small.cpp", "int small;\n");
	append_to_file("$folder/Makefile", "MODULE_big = small\nOBJS = small.o\noverride with_llvm = no\ninclude $root/tools/server.mk\n\$(OBJS): build/server\n");
	append_to_file("$folder/pg_config", qq{#!/bin/sh\ncase \$1 in --version) echo "PostgreSQL \$VERSION" ;; *) exec $real "\$@" ;; esac\n});
	chmod 0755, "$folder/pg_config";
	my $compiled = sub {
		my ($version, @arguments) = @_;
		local $ENV{VERSION} = $version;
		delete local $ENV{MAKEFLAGS}; # the make that runs this test may be silent
		my $said = qx{make -C '$folder' PG_CONFIG='$folder/pg_config' @arguments 2>&1};
		return $? != 0 ? $said : $said =~ /small\.cpp/ ? 'compiled' : 'as it was';
	};
	is(join(', ', map { $compiled->(@$_) } ['15.1'], ['15.1'], ['17.2'], ['17.2'], [ '17.2', 'CXX="g++ -DOTHER"' ], [ '17.2', 'CXX="g++ -DOTHER"' ], ['17.2']),
		'compiled, as it was, compiled, as it was, compiled, as it was, compiled', 'objects are built again for another server and another compiler');
}

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

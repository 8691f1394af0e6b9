# pg_trgm's own regression queries, run in place: once with their GIN and GiST indexes replaced by `USING sketch (… sketch_trgm_ops)`, and once without
# any index. The answers must be equal. Where a query leaves the order of rows or the choice among equal distances open, so does the comparison.
# TXTFP_PG_TRGM is the folder contrib/pg_trgm of PostgreSQL's sources, of this major version. Without it, the long run downloads Debian's source package.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my ($major) = qx{@{[ $ENV{PG_CONFIG} || 'pg_config' ]} --version} =~ /(\d+)/;
my $source = $ENV{TXTFP_PG_TRGM};
if (!defined $source && $ENV{TXTFP_LONG})
{
	my $folder = File::Temp::tempdir('txtfp-pg-trgm-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	chomp($source = qx{sh "$FindBin::RealBin/../pg_trgm_source.sh" $major "$folder"});
}
plan skip_all => "pg_trgm's own queries: TXTFP_PG_TRGM names no sources of pg_trgm, and they could not be downloaded" if !defined $source || !-d "$source/sql";

my $server = new_server('pg_trgm', conf => "max_parallel_workers_per_gather = 0\n");
my $operators = qr/%>>|<<%|<%|%>|<<<->|<->>>|<<->|<->>|<->|\bt % |city % /;

# The statements of a file; lines for psql are statements, too.
sub statements
{
	my ($file) = @_;
	my ($text, @statements) = (PostgreSQL::Test::Utils::slurp_file($file));
	$text =~ s/^\s*--.*\n//mg;
	push @statements, $1 while $text =~ /\G\s*(\\[^\n]*|(?:'[^']*'|\$\$.*?\$\$|[^;'])+;)/gsc;
	return @statements;
}

# Runs the statements in one session, and returns what each has printed. A plan is printed before each query that an index may serve.
sub outputs
{
	my ($database, $name, $with_index, @statements) = @_;
	my ($script, $n) = ('', 0);
	for (@statements)
	{
		my $statement = $_;
		$script .= sprintf "\\echo === %d\n", $n++;
		if ($statement =~ /^create extension/i)
		{
			$statement = 'CREATE EXTENSION IF NOT EXISTS txtfp_trgm CASCADE;';
		}
		elsif ($statement =~ /^explain/i || $statement =~ /^set enable_/i)
		{
			next;
		}
		elsif ($statement =~ /^create index/i && $statement =~ s/using\s+(?:gist|gin)\s*\(\s*(\w+)\s+(?:gist|gin)_trgm_ops\s*(?:\(.*\))?\s*\)/USING sketch ($1 sketch_trgm_ops)/i)
		{
			my ($index) = $statement =~ /create index (\w+) on/i;
			$script .= "DROP INDEX IF EXISTS $index;\n" if defined $index;    # one that was to be refused by its parameter
			next if !$with_index;
		}
		elsif ($statement =~ /^drop index (\w+)/i)
		{
			$statement = "DROP INDEX IF EXISTS $1;";
		}
		elsif ($with_index && $statement =~ /^select/i && $statement =~ $operators)
		{
			$script .= "\\echo === plan\nEXPLAIN (COSTS OFF) $statement\n" . sprintf("\\echo === %d\n", $n - 1);
		}
		$script .= "$statement\n";
	}
	my ($out, $err);
	my @psql = ('psql', '-XqAt', '-v', 'VERBOSITY=sqlstate', '-d', $server->connstr($database));
	my @settings = map { ('-c', "SET $_") } 'client_min_messages = warning', $with_index ? ('enable_seqscan = off', 'enable_sort = off') : ();
	IPC::Run::run([ 'sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $source, @psql, @settings, '-f', '-' ], '<', \$script, '>', \$out, '2>', \$err);
	$err =~ s/^psql:<stdin>:\d+: //mg;
	my (@outputs, @plans, $current);
	for my $line (split /\n/, $out)
	{
		if ($line eq '=== plan') { push @plans, ''; $current = \$plans[-1] }
		elsif ($line =~ /^=== (\d+)$/) { $outputs[$1] //= ''; $current = \$outputs[$1] }
		elsif (defined $current) { $$current .= "$line\n" }
	}
	return (\@outputs, \@plans, $err);
}

# Without what a query leaves open
sub determined
{
	my ($query, $output) = @_;
	my @rows = split /\n/, $output // '';
	return join "\n", @rows if $query !~ /^select/i || $query =~ /order by sml desc, t\b/i;
	if ($query =~ /order by/i)    # by a distance, which is the first column
	{
		my ($last) = map { (split /\|/)[0] } @rows ? $rows[-1] : '';
		return join "\n", map({ (split /\|/)[0] } @rows), sort grep { (split /\|/)[0] ne $last } @rows;
	}
	return join "\n", sort @rows;
}

my @files = map { "$source/sql/$_.sql" } grep { -e "$source/sql/$_.sql" } qw(pg_trgm pg_word_trgm pg_strict_word_trgm pg_utf8_trgm);
cmp_ok(scalar @files, '>=', 3, "the files of $source");
for my $kind ('with', 'without')
{
	$server->safe_psql('postgres', "CREATE DATABASE ${kind}_index TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
	$server->safe_psql("${kind}_index", 'SET client_min_messages = warning; CREATE EXTENSION txtfp_trgm CASCADE');
}
my ($compared, $by_index) = (0, 0);
for my $file (@files)
{
	my ($name) = $file =~ m{/(\w+)\.sql$};
	my @statements = statements($file);
	my ($with, $plans, $with_errors) = outputs('with_index', $name, 1, @statements);
	my ($without, undef, $without_errors) = outputs('without_index', $name, 0, @statements);
	my @wrong = grep { determined($statements[$_], $with->[$_]) ne determined($statements[$_], $without->[$_]) } 0 .. $#statements;
	is(scalar @wrong, 0, "$name: the answers of " . @statements . ' statements are those without an index')
		or diag(map { "$statements[$_]\nwith the index: $with->[$_]\nwithout: $without->[$_]\n" } @wrong);
	is($with_errors, $without_errors, "$name: and so are the errors");
	my @used = grep { /Index Scan/ } @$plans;
	note("$name: " . @$plans . ' queries with operators of pg_trgm, of which ' . @used . ' used the index');
	unlike(join(' ', map { /Index Scan/ ? 'index' : 'none' } @$plans), qr/index none/, "$name: all that come after the index was made")
		or diag(grep { !/Index Scan/ } @$plans);
	$compared += @$plans;
	$by_index += @used;
}
cmp_ok($by_index, '>', $compared / 2, "$by_index of $compared queries used the index");
done_testing();

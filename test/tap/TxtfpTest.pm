# Shared by the TAP tests: PostgreSQL's own test modules, found through PG_CONFIG, and servers with txtfp installed.
package TxtfpTest;

use strict;
use warnings;

use Digest::MD5 ();
use Exporter 'import';
use File::Temp ();
use Test::More;

our @EXPORT = qw(new_server start_server start_sql wait_until processor_seconds finish_watching patience pairs_of by_index_and_table by_length);

BEGIN
{
	die "PostgreSQL does not run as root; run the tests as another user, such as postgres\n" if $> == 0;
	my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
	my ($bindir, $pgxs) = map { chomp(my $path = qx{$pg_config $_}); $path } '--bindir', '--pgxs';
	die "$pg_config does not work\n" unless $bindir ne '' && $pgxs =~ s{/src/makefiles/pgxs\.mk$}{};
	unshift @INC, "$pgxs/src/test/perl";
	$ENV{PATH} = "$bindir:$ENV{PATH}";
	$ENV{PG_REGRESS} ||= "$pgxs/src/test/regress/pg_regress";
	if (!-w '.')    # the source tree belongs to another user
	{
		my $dir = File::Temp::tempdir('txtfp-tap-XXXXXX', TMPDIR => 1, CLEANUP => 1);
		$ENV{TESTDIR}     ||= $dir;               # PostgreSQL 15
		$ENV{TESTDATADIR} ||= "$dir/tmp_check";
		$ENV{TESTLOGDIR}  ||= "$dir/log";
	}
}

use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep time);

# by_length(LONG, SHORT): how much of something a test does, in the long run (TXTFP_LONG, make check-all) and otherwise
sub by_length { return $_[ $ENV{TXTFP_LONG} ? 0 : 1 ] }

# Runs initdb, or copies what the same call has made before: an initdb takes a second, and the tests have dozens of servers.
my $system_or_bail = \&PostgreSQL::Test::Utils::system_or_bail;
sub initdb_once
{
	my ($program, @arguments) = @_;
	my ($folder) = grep { m{/pgdata$} } @arguments;
	return $system_or_bail->(@_) if $program ne 'initdb' || !defined $folder || $ENV{TXTFP_LONG};
	my $template = $PostgreSQL::Test::Utils::tmp_check . '/initdb-' . Digest::MD5::md5_hex(join "\0", $ENV{PATH}, grep { $_ ne $folder } @arguments);
	if (!-d $template)
	{
		$system_or_bail->(map { $_ eq $folder ? "$template.$$" : $_ } @_);
		rename "$template.$$", $template;    # unless another test was faster
	}
	return $system_or_bail->('cp', '-Rp', -d "$template.$$" ? "$template.$$" : $template, $folder);
}

# A running server with the extension in database postgres; with install_path, of that installation. `damaged`: without checksums of
# pages, which are the default since 18, for tests that change pages behind the server's back.
sub new_server
{
	my ($name, %options) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name, install_path => $options{install_path});
	my @initdb = @{ $options{initdb} // [] };
	push @initdb, '--no-data-checksums' if $options{damaged} && $server->pg_version >= 18;
	{
		no warnings 'redefine';
		local *PostgreSQL::Test::Utils::system_or_bail = \&initdb_once;
		$server->init(extra => [ '-E', 'UTF8', '--locale=C', @initdb ], allows_streaming => $options{streaming});
	}
	$server->append_conf('postgresql.conf', "jit = off\nautovacuum = off\n" . ($options{conf} // ''));
	start_server($server);
	$server->safe_psql('postgres', 'CREATE EXTENSION txtfp');
	return $server;
}

# TXTFP_SERVER_ENV, set by scripts/sanitize.sh: NAME=VALUE … for the server only
sub start_server
{
	my ($server) = @_;
	local %ENV = (%ENV, map { split /=/, $_, 2 } split ' ', $ENV{TXTFP_SERVER_ENV} // '');
	return $server->start;
}

# Runs statements in the background; returns (process, \errors). Call $process->finish before looking at the errors.
sub start_sql
{
	my ($server, @statements) = @_;
	my $err = '';
	my $process = IPC::Run::start(
		[ 'psql', '-XqAt', '-v', 'VERBOSITY=verbose', '-d', $server->connstr('postgres'), map { ('-c', $_) } @statements ],
		'<', \'', '>', \my $out, '2>', \$err);
	return ($process, \$err);
}

# Waits until the query gives 't'; false after five minutes.
sub wait_until
{
	my ($server, $query) = @_;
	for (1 .. 3000)
	{
		return 1 if ($server->psql('postgres', $query))[1] eq 't';
		sleep 0.1;
	}
	return 0;
}

# Processor time of a process with its threads, in seconds; undef if there is none, or no /proc. A test of how soon something ends compares this, not the
# clock: others that run on the machine do not change it.
sub processor_seconds
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return;
	my $stat = <$file> // return;
	my @fields = split ' ', $stat =~ s/.*\) //sr;
	return $fields[0] eq 'Z' ? undef : ($fields[11] + $fields[12]) / 100;
}

# Waits for the end of a program; returns what another process uses meanwhile, in seconds of processor time
sub finish_watching
{
	my ($program, $pid) = @_;
	my $before = processor_seconds($pid) // 0;
	my $after = $before;
	while (defined processor_seconds($program->{KIDS}[0]{PID}))
	{
		$after = processor_seconds($pid) // $after;
		sleep 0.01;
	}
	$program->finish;
	return $after - $before;
}

# Seconds by which something that waits may be late: what twenty statements that do nothing take just now
sub patience
{
	my ($server) = @_;
	my $start = time;
	$server->safe_psql('postgres', 'SELECT 1') for 1 .. 5;
	return 4 * (time - $start);
}

# A query for "pairs|md5": the rows d of a table that the condition joins to its probes p. They are counted outside of the sub-select,
# because the order that an aggregate asks for makes PostgreSQL 16 prefer a scan in that order to the index to be tested.
sub pairs_of
{
	my ($table, $probes, $condition) = @_;
	return "SELECT count(*), md5(string_agg(a || ' ' || b, ',' ORDER BY a, b)) FROM (SELECT p.id, d.id FROM (SELECT * FROM $table WHERE $probes OFFSET 0) AS p "
	  . "JOIN $table AS d ON $condition OFFSET 0) AS pair (a, b)";
}

# The pairs of a table (id, fp) at a threshold, through the index and by a scan of all rows: with + 0 the condition is none of an index.
sub by_index_and_table
{
	my ($server, $table, $threshold, $probes) = @_;
	my $by_index = pairs_of($table, $probes, "minhash_similar(d.fp, p.fp, $threshold)");
	my $plan     = $server->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN $by_index");
	$plan =~ /Bitmap Index Scan/ or die "no index:\n$plan";
	return ($server->safe_psql('postgres', "SET enable_seqscan = off; $by_index"),
		$server->safe_psql('postgres', pairs_of($table, $probes, "jaccard(d.fp, p.fp) + 0 >= $threshold")));
}

1;

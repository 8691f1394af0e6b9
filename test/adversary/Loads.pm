# Loads of pgbench for the tests of locks: 16 clients, each for TXTFP_SECONDS (default 8), repeating what was aborted by a deadlock.
package Loads;

use strict;
use warnings;

use Exporter 'import';
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT  = qw($clients $seconds script load);
our $clients = 16;
our $seconds = $ENV{TXTFP_SECONDS} || 8;

my $tempdir = PostgreSQL::Test::Utils::tempdir();

# Writes a script of pgbench; returns its file.
sub script
{
	my ($name, $text) = @_;
	append_to_file("$tempdir/$name.sql", $text);
	return "$tempdir/$name.sql";
}

# Runs pgbench for some seconds; returns transactions per second, the share of retried ones, and the most advisory locks held at once.
sub load
{
	my ($server, $file, $n) = @_;
	my ($out, $err) = ('', '');
	local $ENV{PGOPTIONS} = '-c statement_timeout=120s';    # sessions that wait for each other without end are seen
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', $n || $clients, '-j', 2, '-T', $seconds, '--max-tries=1000', '-f', $file, $server->connstr('postgres') ], '>', \$out, '2>', \$err);
	my ($most, $end) = (0, time + $seconds);
	while (time < $end)
	{
		my $now = $server->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'});
		$most = $now if $now > $most;
		select undef, undef, undef, 0.1;
	}
	$bench->finish;
	is($err =~ /(out of shared memory|aborted in command.*)/ ? $1 : 'none', 'none', 'no client met an error');
	my ($tps)     = $out =~ /tps = ([\d.]+)/;
	my ($retried) = $out =~ /transactions retried: \d+ \(([\d.]+)%\)/;
	note(sprintf '%s: %.1f transactions per second, %.1f %% tried again, at most %d locks', $file =~ m{([^/]*)\.sql$}, $tps, $retried // 0, $most);
	return ($tps, $retried // 0, $most);
}

1;

# The program txtfp-embed, and the provider that test/python/provider.py simulates.
package EmbedTest;

use strict;
use warnings;

use Cwd ();
use Exporter 'import';
use File::Temp ();
use IPC::Run ();
use JSON::PP ();
use Time::HiRes qw(sleep);

our @EXPORT = qw(start_provider start_program run_program write_config requests stop_program short_dir);

my $module = Cwd::getcwd();
our $program = "$module/txtfp-embed";

sub short_dir { return File::Temp::tempdir('embed-XXXXXX', DIR => $ENV{TMPDIR} // '/tmp', CLEANUP => 1) }

# Returns (process, port, log)
sub start_provider
{
	my ($dir) = @_;
	my $log = "$dir/requests";
	my ($in, $out) = ('', '');
	my $process = IPC::Run::start([ 'python3', "$module/test/python/provider.py", $log ], '<', \$in, '>', \$out, '2>', "$dir/provider.err");
	my $timer = 1200;
	while ($out !~ /^\d+\n/ && $timer-- > 0) { $process->pump_nb; sleep 0.1 }
	die 'no provider' unless $out =~ /^(\d+)\n/;
	return { process => $process, port => $1, log => $log };
}

# The requests that the provider has received
sub requests
{
	my ($provider) = @_;
	open my $file, '<', $provider->{log} or return ();
	return map { JSON::PP::decode_json($_) } <$file>;
}

sub write_config
{
	my ($dir, $name, $config) = @_;
	open my $file, '>', "$dir/$name" or die $!;
	print $file JSON::PP->new->canonical->pretty->encode($config);
	close $file;
	return "$dir/$name";
}

# Starts the program; with a socket, waits until it listens.
sub start_program
{
	my ($config, $socket, @arguments) = @_;
	my $err = '';
	my $process = IPC::Run::start([ $program, '--config', $config, @arguments ], '<', \undef, '>', '/dev/null', '2>>', "$config.log");
	for (1 .. 1200)
	{
		last if !defined $socket || -S $socket;
		sleep 0.05;
	}
	return $process;
}

sub stop_program
{
	my ($process) = @_;
	$process->signal('TERM');
	$process->finish;
	return $process->full_result(0);
}

# Returns (exit status, output, errors)
sub run_program
{
	my ($config, $input, @arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ $program, '--config', $config, @arguments ], '<', \$input, '>', \$out, '2>', \$err, IPC::Run::timeout(120));
	return ($? >> 8, $out, $err);
}

1;

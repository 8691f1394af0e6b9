# Shared by the tests of the command line: runs the program in a directory of its own.
package CliTest;

use strict;
use warnings;

use Exporter 'import';
use File::Temp ();
use POSIX ();

our @EXPORT = qw(txtfp run_program put get words document);

our $directory = File::Temp::tempdir('txtfp-cli-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $program = $ENV{TXTFP_CHECKED} || $ENV{TXTFP} || die "TXTFP must name the program\n";
chdir $directory or die "$directory: $!\n";
$ENV{TMPDIR} = $directory;

# Returns (exit status, standard output, standard error); $input is the standard input. In files instead of pipes, which the program might not read to
# their end, and which would need a loop that takes longer than most runs.
sub run_program
{
	my ($input, @command) = @_;
	put('.standard-input', $input);
	my $child = fork() // die "fork: $!\n";
	if (!$child)
	{
		open(STDIN, '<', '.standard-input') && open(STDOUT, '>', '.standard-output') && open(STDERR, '>', '.standard-error') && exec { $command[0] } @command;
		POSIX::_exit(127);
	}
	waitpid $child, 0;
	my $status = $?;
	return ($status & 127 ? -($status & 127) : $status >> 8, get('.standard-output'), get('.standard-error'));
}
sub txtfp { my ($input, @arguments) = @_; return run_program($input, $program, @arguments) }

sub put { my ($name, $bytes) = @_; open(my $file, '>:raw', $name) or die "$name: $!\n"; print $file $bytes; close $file; return $name }
sub get { my ($name) = @_; open(my $file, '<:raw', $name) or die "$name: $!\n"; local $/; return scalar <$file> }

# Random words from our own generator, so that they are always the same.
my $state = 1;
sub words
{
	my ($n) = @_;
	return join ' ', map { $state = ($state * 1103515245 + 12345) % 2147483648; 'w' . int($state / 65536) % 5000 } 1 .. $n;
}

# A document, optionally with one word changed.
sub document { my ($text, $changes) = @_; my @words = split / /, $text; $words[ 7 * $_ ] = "x$_" for 1 .. $changes; return "@words" }

1;

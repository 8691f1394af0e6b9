# Installing: the program, its manual and the completion of two shells, which know every option.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Cwd qw(getcwd);
use Test::More;

my $sources = "$FindBin::RealBin/../..";
my $root    = getcwd() . '/root';
my $share   = "$root/usr/share";
my $make    = $ENV{MAKE} || 'make';
my ($status, $out, $err) = run_program('', $make, '-C', $sources, '-s', 'install-cli', "DESTDIR=$root", 'prefix=/usr');
is($status, 0, 'make install-cli') or diag($err);
my @files = ("$root/usr/bin/txtfp", map { "$share/$_" } 'man/man1/txtfp.1', 'bash-completion/completions/txtfp', 'zsh/site-functions/_txtfp');
is(join(' ', grep { !-f } @files), '', 'everything is there');
like((run_program('', "$root/usr/bin/txtfp", '--version'))[1], qr/^txtfp \d+\.\d+\.\d+/, 'it runs');

# ---- help, manual and completion know the same options
sub completions
{
	my (@words) = @_;
	my $script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _txtfp; printf "%s\n" "${COMPREPLY[@]}"';
	my (undef, $out, $err) = run_program('', 'bash', '-c', $script, "$share/bash-completion/completions/txtfp", @words);
	diag($err) if $err ne '';
	return join ' ', sort grep { /\S/ } split /\n/, $out;
}
my @commands = qw(fingerprint pairs clusters dedup passages compare review);
my $manual = get("$share/man/man1/txtfp.1") =~ s/\\-/-/gr;
is(completions('txtfp', ''), join(' ', sort @commands, '--help', '--version'), 'the commands are completed');
for my $command (@commands)
{
	my $help = (txtfp('', $command, '--help'))[1];
	my %options = map { $_ => 1 } $help =~ /(?:^|[\s,])(--[a-z][a-z_-]*)/mg;
	is(completions('txtfp', $command, '--'), join(' ', sort keys %options), "$command: bash completes the options of the help");
	is(join(' ', grep { $manual !~ /\Q$_\E\b/ } sort keys %options), '', "$command: the manual names them all");
}
is(completions('txtfp', 'clusters', '--mode', 's'), 'star', 'values are completed');
put('corpus.jsonl', '');
is(completions('txtfp', 'pairs', 'corp'), 'corpus.jsonl', 'so are files');

SKIP: {
	skip('zsh is not installed', 2) if (run_program('', 'sh', '-c', 'command -v zsh'))[0];
	skip('there are no pseudo-terminals', 2) unless -c '/dev/pts/ptmx';    # as in a chroot without that mount
	my $seen = (run_program('', 'zsh', '-f', "$FindBin::RealBin/complete.zsh", $share))[1];
	like($seen, qr/txtfp clusters/, 'zsh completes a command');
	like($seen, qr/--priority/, 'and an option');
}
SKIP: {
	skip('groff is not installed', 1) if (run_program('', 'sh', '-c', 'command -v groff'))[0];
	is((run_program('', 'groff', '-man', '-Tutf8', '-ww', '-z', "$share/man/man1/txtfp.1"))[2], '', 'the manual has no fault');
}

($status, $out, $err) = run_program('', $make, '-C', $sources, '-s', 'uninstall-cli', "DESTDIR=$root", 'prefix=/usr');
is($status, 0, 'make uninstall-cli');
is(join(' ', grep { -e } @files), '', 'nothing is left');
done_testing();

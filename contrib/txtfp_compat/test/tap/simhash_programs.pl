# The program txtfp-simhash: runs of the originals (test/data/simhash_programs.jsonl), help, manual, completion, installation.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/cli";
use CliTest;
use Cwd qw(getcwd);
use JSON::PP ();
use Test::More;

my $program = $ENV{TXTFP_CHECKED} || $ENV{TXTFP};
my @runs = map { JSON::PP::decode_json($_) } split /\n/, get("$FindBin::RealBin/../data/simhash_programs.jsonl");
my $members = sub { join ', ', sort { $a cmp $b } $_[0] =~ /\d+/g };

for my $run (@runs)
{
	my ($name, @arguments) = @{ $run->{argv} };
	symlink $program, $name unless -l $name;
	unlink 'o.tsv';
	put($_, $run->{files}{$_}) for keys %{ $run->{files} };
	my ($status, $out, $err) = run_program($run->{stdin} // '', "./$name", @arguments);
	my $what = $run->{name};
	if ($run->{exit_code} == -11)
	{
		is($status, 0, "$what: where the original crashes, this works");
		next;
	}
	if ($run->{exit_code} < 0)
	{
		is($status, 1, "$what: where the original aborts, this fails");
		like($err, qr/^txtfp: (?:standard input|\S+: line \d+|Number of blocks must not exceed 64)/m, "$what: and says where");
		is(-e 'o.tsv', undef, "$what: without output");
		next;
	}
	is($status, $run->{exit_code}, "$what: status");
	my @err = map { s{^\./}{}r } grep { !/^Total/ } split /\n/, $err;
	my @last = @{ $run->{stderr_last} };
	is_deeply([ @err[ @err - @last .. $#err ] ], \@last, "$what: messages");
	if (my $lines = $run->{stdout_lines_sorted})
	{
		is_deeply([ sort map { $members->($_) } split /\n/, $out ], [ sort map { $members->($_) } @$lines ], "$what: results");
	}
	next unless exists $run->{output_header};
	my ($header, @rows) = split /\n/, get('o.tsv');
	is($header, $run->{output_header}, "$what: header");

	# Clusters have other numbers there: take the least row of each as its name
	my $named = sub {
		my %least;
		for (sort @_) { my ($row, $cluster) = /^(.*)\t(\d+)$/; $least{$cluster} //= $row }
		return [ sort map { my ($row, $cluster) = /^(.*)\t(\d+)$/; "$row\t$least{$cluster}" } @_ ];
	};
	is_deeply($named->(@rows), $named->(@{ $run->{output_rows_sorted} }), "$what: rows");
}

# What is ours
my $twice = "{\"id\":1,\"text\":\"hello world\"}\n{\"id\":\"b\",\"text\":\"hello world\"}\n";
my @common = qw(simhash -b 5 -d 3 -f json -i - -o - -t text -x id);
is((txtfp($twice, @common, '--any-id', '--exact-duplicates'))[1],
	"id\thash\tcluster\n1\t3785025219406594872\t0\nb\t3785025219406594872\t0\n", 'ids of any kind, equal hashes');
my ($status, $out, $err) = txtfp("{\"id\":4294967298,\"text\":\"hello world\"}\n{\"id\":3.9,\"text\":\"hello world\"}\n", @common, '--exact-duplicates');
is($out, "id\thash\tcluster\n2\t3785025219406594872\t0\n3\t3785025219406594872\t0\n", 'ids wrap');
like($err, qr/1 ids do not fit into 32 bits/, 'with a warning');
is((txtfp($twice, @common, '--threads', 1))[0], 1, 'a text id is an error otherwise');

# ---- help, manual and completion know the same options
my $module = "$FindBin::RealBin/../..";
my $manual = get("$module/program/txtfp-simhash.1") =~ s/\\-/-/gr;
sub completions
{
	my (@words) = @_;
	my $script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _txtfp_simhash; printf "%s\n" "${COMPREPLY[@]}"';
	my (undef, $out, $err) = run_program('', 'bash', '-c', $script, "$module/program/completion.bash", @words);
	diag($err) if $err ne '';
	return join ' ', sort grep { /\S/ } split /\n/, $out;
}
is(completions('txtfp-simhash', ''), '--help --version find-all find-clusters simhash', 'the commands are completed');
for my $command ([], ['simhash'], ['find-all'], ['find-clusters'])
{
	my ($status, $help) = txtfp('', @$command, '--help');
	my @lines = split /\n/, $help;
	is($status, 0, "help: @$command");
	ok(@lines > 5 && @lines <= 24, "help of @$command fits a screen: " . @lines . ' lines');
	is((grep { length > 80 } @lines), 0, "help of @$command is not wide");
	next unless @$command;
	my %options = map { $_ => 1 } $help =~ /(?:^|[\s,])(--[a-z][a-z_-]*)/mg;
	is(completions('txtfp-simhash', @$command, '--'), join(' ', sort keys %options), "@$command: bash completes the options of the help");
	is(join(' ', grep { $manual !~ /\Q$_\E\b/ } sort keys %options), '', "@$command: the manual names them all");
}
is(completions('./simhash-find-all', '--qui'), '--quiet', 'so are the options of a link');
like((txtfp('', '--version'))[1], qr/^txtfp-simhash \d+\.\d+\.\d+$/, 'version');
is_deeply([ (txtfp('', 'find'))[0, 2] ], [ 2, qq{txtfp: there is no command "find"; valid are simhash, find-all and find-clusters\n} ], 'unknown command');
is_deeply([ (txtfp(''))[0, 2] ], [ 2, qq{txtfp: a command is expected; valid are simhash, find-all and find-clusters\n} ], 'no command');

# ---- installing it with its manual
my $root = getcwd() . '/root';
my @files = map { "$root/usr/$_" } 'bin/txtfp-simhash', 'share/man/man1/txtfp-simhash.1', 'share/bash-completion/completions/txtfp-simhash';
my @make = ($ENV{MAKE} || 'make', '-C', $module, '-s', "DESTDIR=$root", 'prefix=/usr', "PG_CONFIG=$ENV{PG_CONFIG}");
($status, undef, $err) = run_program('', @make, 'install-cli');
is($status, 0, 'make install-cli') or diag($err);
is(join(' ', grep { !-f } @files), '', 'everything is there');
like((run_program('', $files[0], '--version'))[1], qr/^txtfp-simhash /, 'it runs');
SKIP: {
	skip('groff is not installed', 1) if (run_program('', 'sh', '-c', 'command -v groff'))[0];
	is((run_program('', 'groff', '-man', '-Tutf8', '-ww', '-z', $files[1]))[2], '', 'the manual has no fault');
}
($status, undef, $err) = run_program('', @make, 'uninstall-cli');
is($status, 0, 'make uninstall-cli');
is(join(' ', grep { -e } @files), '', 'nothing is left');

done_testing();

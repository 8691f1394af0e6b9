# A full disk at every write, a failing one at every read, no memory at every allocation, no thread: each command writes the whole output, or ends with status 1
# and a message and leaves what was there. faults.c makes the calls fail, one of a run.
#
#   TXTFP_FAULTS_OF_RUN=500  how many runs of each kind and command at most
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

my $shim = "$CliTest::directory/faults.so";
plan skip_all => 'needs a C compiler and glibc' if system(split(' ', $ENV{CC} || 'cc'), '-shared', '-fPIC', '-O1', '-w', '-o', $shim, "$FindBin::RealBin/faults.c", '-ldl', '-pthread') != 0;
# The sanitizers have a malloc of their own, so that these runs are of the program as it is installed.
my $plain = $ENV{TXTFP} // ($ENV{TXTFP_CHECKED} // '') =~ s/-checked$//r;
plan skip_all => 'needs the program without the sanitizers' if !-x $plain;

my $most = $ENV{TXTFP_FAULTS_OF_RUN} // ($ENV{TXTFP_LONG} ? 3000 : 4);
my $text = words(60);
put('in.jsonl', join '', map { sprintf qq({"id":%d,"text":"%s"}\n), $_, document($_ % 4 ? words(30) : $text, $_ % 3) } 1 .. 400);
put('pairs.tsv', "a\tb\n4\t8\n12\t16\n");
put('in2.jsonl', join '', map { sprintf qq({"id":%d,"text":"%s"}\n), $_, document($text, $_ % 8) } 1 .. 40);
system("gzip -k in.jsonl; zstd -q in.jsonl; xz -k in2.jsonl; bzip2 -k in.jsonl") == 0 or die;
(txtfp('', 'dedup', '-q', 'in.jsonl', '-o', 'plan.tsv'))[0] == 0 or die;
put('a.txt', "$text\n" . words(300) . "\n");
put('b.txt', words(200) . "\n$text\n");

# [ name, input, outputs, arguments ]; OUT is the directory of the outputs
my @commands = (
	[ 'fingerprint', '', ['o.tsv'], 'fingerprint', '-j', 2, 'in.jsonl', '-o', 'OUT/o.tsv' ],
	[ 'fingerprint to gzip', '', ['o.gz'], 'fingerprint', '-j', 1, 'in.jsonl.gz', '-o', 'OUT/o.gz' ],
	[ 'fingerprint to zstd', '', ['o.zst'], 'fingerprint', '-k', 'tlsh', 'in.jsonl.bz2', '-o', 'OUT/o.zst' ],
	[ 'fingerprint to standard output', '', [], 'fingerprint', '-j', 1, '-k', 'simhash64', 'in2.jsonl.xz' ],
	[ 'pairs', '', ['o.tsv'], 'pairs', '-j', 2, '--threshold', 0.6, 'in.jsonl.zst', '-o', 'OUT/o.tsv' ],
	[ 'clusters of standard input', 'in.jsonl', [ 'o.tsv', 'k.jsonl' ], 'clusters', '-j', 2, '--mode', 'star', '--together', 'pairs.tsv', '--memory', '64MB', '--temporary', '.', '--keep', 'OUT/k.jsonl', '-o', 'OUT/o.tsv' ],
	[ 'clusters of simhash64', '', ['hard.tsv'], 'clusters', '-j', 2, '-k', 'simhash64', '--max-distance', 6, 'in.jsonl', '-o', 'OUT/hard.tsv' ],
	[ 'dedup', 'in.jsonl', [ 'o.tsv', 'k.jsonl.zst', 'r.html' ], 'dedup', '-j', 2, '--temporary', '.', '--keep', 'OUT/k.jsonl.zst', '--review', 'OUT/r.html', '-o', 'OUT/o.tsv' ],
	[ 'passages', 'in.jsonl', [ 'o.tsv', 'k.jsonl' ], 'passages', '-j', 2, '--unit', 'word', '--min-words', 9, '--memory', '64MB', '--temporary', '.', '--keep', 'OUT/k.jsonl', '-o', 'OUT/o.tsv' ],
	[ 'review', '', ['r.html'], 'review', 'plan.tsv', '--texts', 'in.jsonl', '--temporary', '.', '-o', 'OUT/r.html' ],
	[ 'compare', '', ['o.txt'], 'compare', 'a.txt', 'b.txt', '-o', 'OUT/o.txt' ]);

# Returns status, standard output and error; makes the directory of outputs anew, where the first one is there already.
sub run_with
{
	my ($fault, $command) = @_;
	my ($name, $input, $outputs, @arguments) = @$command;
	system('rm', '-rf', 'out');
	mkdir 'out';
	put("out/$outputs->[0]", 'as before') if @$outputs;
	link 'out/hard.tsv', 'out/name' if -e 'out/hard.tsv'; # a file with another name, whose bytes are replaced
	local $ENV{TXTFP_FAULTS} = $fault;
	local $ENV{TXTFP_FAULT_COUNT} = 'count';
	local $ENV{LD_PRELOAD} = $shim;
	return run_program($input eq '' ? '' : get($input), $plain, map { s/^OUT/out/r } @arguments);
}
# The outputs and what is beside them
sub written { my ($out) = @_; return join "\0", $out, map { ($_, get($_)) } sort glob('out/* *.??????') }

my %calls;
for my $command (@commands)
{
	my ($name, undef, $outputs) = @$command;
	my ($status, $out, $err) = run_with('write 0', $command);
	is($status, 0, "$name: works") or diag $err;
	my $right = written($out);
	my $before = join "\0", map { ("out/$_", 'as before') } @$outputs ? ($outputs->[0], $outputs->[0] eq 'hard.tsv' ? 'name' : ()) : ();
	for my $kind ('write', 'write from', 'read', 'memory', 'memory from', 'thread')
	{
		my ($what, $from) = split / /, $kind;
		run_with("$what 0", $command);
		my $calls = get('count');
		my $step = $calls > $most ? $calls / $most : 1;
		my ($failed, @odd) = (0);
		for (my $n = 1; $n <= $calls && @odd < 5; $n += $step)
		{
			my $fault = "$what " . int($n) . ($from ? ' from' : '');
			($status, $out, $err) = run_with($fault, $command);
			++$failed if $status != 0;
			my $now = written($out);
			if ($status == 0) { push @odd, "$fault: status 0, and other output" if $now ne $right; }
			elsif ($status != 1) { push @odd, "$fault: status $status $err"; }
			elsif ($err !~ /^txtfp: ./m) { push @odd, "$fault: no message: $err"; }
			elsif (($outputs->[0] // '') eq 'hard.tsv' && $err =~ /cannot write/) { push @odd, "$fault: other files: " . join ' ', glob('out/* *.??????') if join(' ', glob('out/* *.??????')) ne 'out/hard.tsv out/name'; }
			else { push @odd, "$fault: leaves something: " . join ' ', glob('out/* *.??????') if ($now =~ s/^.*?\0//sr) ne $before && @$outputs; }
			++$calls{$what};
		}
		is(join("\n", @odd), '', sprintf '%s, %s: %d calls, %d times failed', $name, $kind, $calls, $failed);
	}
}
note(join ', ', map { "$calls{$_} of $_" } sort keys %calls);
done_testing();

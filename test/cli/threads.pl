# Whole joins by four threads, for a program that was built with ThreadSanitizer (make check-threads): no report, and the output of one thread.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

my $program = $ENV{TXTFP} or die 'TXTFP must name the program';
$ENV{TSAN_OPTIONS} = 'halt_on_error=1 exitcode=66';
my @templates = map { words(40) } 1 .. 300;
put('in.jsonl', join '', map { sprintf qq({"id":%d,"text":"%s"}\n), $_, document($templates[ $_ * 7919 % 300 ], $_ % 5) } 1 .. 6000);
system('zstd -q in.jsonl') == 0 or die;
for my $case (
	[ 'fingerprint', '-k', 'minhash256' ], [ 'fingerprint', '-k', 'lavinhash' ], [ 'pairs' ], [ 'pairs', '-k', 'minhash64_compact', '--threshold', 0.5 ], [ 'pairs', '-k', 'simhash64', '--max-distance', 6 ],
	[ 'clusters', '--mode', 'star' ], [ 'clusters', '--memory', '64MB', '--temporary', '.', '--threshold', '0.9,0.7' ], [ 'clusters', '-k', 'tlsh', '--max-distance', 30 ],
	[ 'dedup', '--guard', 'strict', '--keep', 'KEPT', '--temporary', '.' ])
{
	my %written;
	for my $threads (1, 4)
	{
		my ($status, $out, $err) = run_program('', 'setarch', '-R', $program, map({ s/KEPT/kept$threads/r } @$case), '-j', $threads, 'in.jsonl.zst');
		is($status, 0, "@$case -j $threads");
		unlike($err, qr/ThreadSanitizer/, '... no report') or diag $err;
		$written{$threads} = $out . (-e "kept$threads" ? get("kept$threads") : '');
	}
	is($written{4}, $written{1}, '... the same output');
}
done_testing();

# The columns of every output, and the labels of a review page, against the files of test/frozen (docs/operation.md, "What never changes"; test/tap/049_promises.pl
# does the same for the server). TXTFP_FREEZE=DIRECTORY writes them there.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

my $frozen = "$FindBin::RealBin/../frozen";
my $freeze = $ENV{TXTFP_FREEZE};
sub slurp { my ($name) = @_; open(my $in, '<:raw', $name) or die "$name: $!\n"; local $/; return scalar <$in> }

my $same  = words(60);
my @texts = ($same, document($same, 1), words(60), $same, document($same, 2) . ' and 17 more');
put('texts.jsonl', join '', map { sprintf qq({"id":%d,"text":"%s"}\n), $_ + 1, $texts[$_] } 0 .. $#texts);
put('a.txt', $same);
put('b.txt', $texts[4]);
put('plan.jsonl', qq({"id":2,"kept":1,"text":"a b c 1","kept_text":"a b c 2","outcome":"review","reason":"number"}\n));

# The names of the columns that an output has: a header, or the keys of the first JSON object
sub columns
{
	my (@arguments) = @_;
	my ($status, $out, $error) = txtfp('', @arguments);
	is($status, 0, "txtfp @arguments") or diag $error;
	my ($first) = split /\n/, $out, 2;
	my %seen;
	return 'json ' . join(' ', grep { !$seen{$_}++ } $first =~ /"(\w+)":/g) if $first =~ /^\{/;
	return join ' ', split /[\t,]/, $first;
}
my @runs = (
	(map { [ 'fingerprint', '-k', $_, 'texts.jsonl' ] } qw(minhash64 minhash128_compact simhash64 tlsh lavinhash)),
	(map { my $to = $_; map { [ $_, '--to', $to, 'texts.jsonl' ] } qw(fingerprint pairs clusters dedup) } qw(tsv csv jsonl)),
	[ 'pairs', '-k', 'simhash64', '--max-distance', '30', 'texts.jsonl' ], [ 'clusters', '--threshold', '0.9,0.5', 'texts.jsonl' ],
	[ 'dedup', '--verify', 'lossless', 'texts.jsonl' ], [ 'dedup', '--verify', 'none', '--guard', 'none', 'texts.jsonl' ], [ 'compare', '--json', 'a.txt', 'b.txt' ],
);
my @lines = map { "@$_: " . columns(@$_) } @runs;

if (defined $freeze)
{
	open my $out, '>:raw', "$freeze/cli.txt" or die "$freeze/cli.txt: $!\n";
	print $out map { "$_\n" } @lines;
	close $out or die $!;
}
else
{
	my %today = map { /^(.*?): (.*)$/ ? ($1 => $2) : () } @lines;
	for (split /\n/, slurp("$frozen/cli.txt"))
	{
		my ($run, $columns) = /^(.*?): (.*)$/;
		my $now = $today{$run} // '';
		my %now = map { $_ => 1 } split / /, $now;
		$columns =~ /^json / ? is(join(' ', grep { !$now{$_} } split / /, $columns), '', "$run: has the fields of before") :
			is(substr($now, 0, length $columns), $columns, "$run: the columns are those of before, new ones come last");
	}
	# Labels that a page has exported are read.
	for my $kind ('tsv', 'jsonl')
	{
		put("labels.$kind", slurp("$frozen/labels.$kind"));
		my ($status, $page, $error) = txtfp('', 'review', '--labels', "labels.$kind", 'plan.jsonl');
		is($status, 0, "exported labels, $kind") or diag $error;
		like($page, qr{\["2","1",1,-?\d+,-?\d+,\d}, '... are on the new page');
	}
}
done_testing();

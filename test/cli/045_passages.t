# txtfp passages: what stands in an earlier record, in any order of the file, with any number of threads and any memory; the texts without it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

sub shuffled { my ($seed, @lines) = @_; for my $i (reverse 1 .. $#lines) { $seed = ($seed * 1103515245 + 12345) % 2147483648; my $j = int($seed / 65536) % ($i + 1); @lines[ $i, $j ] = @lines[ $j, $i ] } return @lines }

# ---- planted repeats: each is found, whole, and its first occurrence remains

my (@texts, @planted);
for my $id (1 .. 120) { push @texts, [ map { join ' ', words(12) } 1 .. 9 ] }
for my $id (41 .. 120)
{
	my $from = 1 + $id % 40;
	my @words = split / /, "@{$texts[ $from - 1 ]}";
	my $length = 20 + $id % 30;
	push @planted, join ' ', @words[ $id % 50 .. $id % 50 + $length - 1 ];
	$texts[ $id - 1 ][4] = ucfirst($planted[-1]) . ".\n";
}
my @lines = map { my $text = join("\\n\\n", @{$texts[$_]}) =~ s/\n/\\n/gr; sprintf(qq({"id":%d,"text":"%s","p":%d}\n), $_ + 1, $text, $_ % 7) } 0 .. $#texts;
put('docs.jsonl', join '', @lines);
my ($status, $out, $err) = txtfp('', 'passages', '--unit', 'word', '--min-words', 20, '--keep', 'rest.jsonl', '-t', 'jsonl', 'docs.jsonl');
is($status, 0, 'found') or diag $err;
my @rows = map { [ /"id":(\d+),"start":(\d+),"length":(\d+),"kept":(\d+),"kept_start":(\d+)/ ] } split /\n/, $out;
is(scalar(@rows), 80, '80 planted repeats, each in one piece');
my %rest = map { my ($id, $text) = /"id":(\d+),"text":"(.*)"/; ($id => $text =~ s/\\u000a/\n/gr) } split /\n/, get('rest.jsonl');
is(scalar(keys %rest), 120, 'all texts are written');
is(scalar(grep { $rest{ $_ + 41 } =~ /\Q$planted[$_]\E/i } 0 .. $#planted), 0, 'none is left where it was planted');
is(scalar(grep { $rest{$_} ne join("\n\n", @{$texts[ $_ - 1 ]}) } 1 .. 40), 0, 'what they were taken from is not touched');
like($err, qr/^txtfp: 80 passages of \d+ characters stand in an earlier record$/m, 'counted');

# ---- any order, threads, memory

my @calls = ([ 'word', 20 ], [ 'paragraph', 5 ], [ 'line', 3 ]);
my $same = join "\\n\\n", map { join ' ', words(9) } 1 .. 3;
push @lines, map { sprintf(qq({"id":%d,"text":"%s\\n\\nown %d","p":%d}\n), $_, $same, $_, $_ % 5) } 200 .. 260;
for my $call (@calls)
{
	my ($unit, $words) = @$call;
	my @options = ('passages', '-q', '--unit', $unit, '--min-words', $words);
	for my $priority ([], [ '--priority', 'p' ])
	{
		my $first;
		for my $order (1 .. 10)
		{
			put('order.jsonl', join '', $order == 1 ? @lines : shuffled($order, @lines));
			my ($status, $out) = txtfp('', @options, @$priority, '-j', 1 + $order % 3, $order % 4 == 0 ? ('--memory', '64M') : (), 'order.jsonl');
			$first //= $out;
			is($out, $first, "$unit @$priority: order $order") if $order > 1 && $out ne $first;
		}
		cmp_ok(($first =~ tr/\n//), '>', 60, "$unit @$priority: ten orders, one output");
	}
}

# ---- ids, priorities, parts, forms

put('ids.tsv', "10\tthe same line of five words\n9\tthe same line of five words\nb\tThe same  line of five words\na\tthe same line of five words!\n");
is((txtfp('', 'passages', '-q', '--unit', 'line', 'ids.tsv'))[1], "id\tstart\tlength\tkept\tkept_start\n10\t1\t27\t9\t1\nb\t1\t28\t9\t1\n", 'numbers by value, then others; an exclamation mark differs');
put('old.jsonl', qq({"id":1,"text":"one two three four five six"}\n));
put('new.jsonl', qq({"id":1,"text":"zero one two three four five six"}\n{"id":2,"text":"zero one two three four five six"}\n{"id":3,"text":null}\n));
is((txtfp('', 'passages', '-q', '--unit', 'word', '--min-words', 5, '--before', 'old.jsonl', '--keep', 'rest.jsonl', '--mark', '[...]', 'new.jsonl'))[1],
	"id\tstart\tlength\tkept\tkept_start\n1\t6\t27\t1\t1\n2\t6\t27\t1\t1\n", 'only what stands in the other file');
is(get('rest.jsonl'), "id\ttext\n1\tzero [...]\n2\tzero [...]\n3\t\\N\n", 'marked');
is((txtfp(get('ids.tsv'), 'passages', '-q', '-f', 'tsv', '--min-words', 9, '-'))[1], "id\tstart\tlength\tkept\tkept_start\n", 'nothing, of standard input');
is((txtfp('', 'passages', '-q', '-f', 'jsonl', '/dev/null'))[1], "id\tstart\tlength\tkept\tkept_start\n", 'of nothing');

# ---- groups

my $line = 'the same line of five words';
put('groups.jsonl', join '', map { qq({"id":$_->[0],"text":"$line","g":$_->[1]}\n) } [ 1, '"a"' ], [ 2, '"b"' ], [ 3, '"a"' ], [ 4, 'null' ], [ 5, 'null' ], [ 6, '7' ], [ 7, '"7"' ]);
is((txtfp('', 'passages', '-q', '--no-header', '--group', 'g', 'groups.jsonl'))[1], "3\t1\t27\t1\t1\n5\t1\t27\t4\t1\n7\t1\t27\t6\t1\n", 'only within a group; NULL is one, too');
put('groups.tsv', "1\t$line\ta\n2\t$line\t\\N\n3\t$line\ta\n4\t$line\t\\N\n");
is((txtfp('', 'passages', '-q', '--no-header', '--group', 3, '--threads', 1, 'groups.tsv'))[1], "3\t1\t27\t1\t1\n4\t1\t27\t2\t1\n", 'of tab-separated values');
put('before.csv', "id,text,g\n1,$line,x\n");
put('after.csv', "id,text,g\n1,$line,x\n2,$line,y\n");
is((txtfp('', 'passages', '-q', '--no-header', '--header', '--group', 'g', '--before', 'before.csv', 'after.csv'))[1], "1\t1\t27\t1\t1\n", 'of two files');

# ---- errors

put('twice.tsv', "1\ta\n1\tb\n");
put('listed.jsonl', qq({"id":1,"text":"a","g":[1]}\n));
for my $case (
	[ qr/two records have the same id "1"; --allow-duplicate-ids accepts this/, 1, 'twice.tsv' ],
	[ qr/there is no unit "sentence"; valid are paragraph, line and word/, 2, '--unit', 'sentence', 'ids.tsv' ],
	[ qr/--min-words must be between 1 and 10000/, 2, '--min-words', 0, 'ids.tsv' ],
	[ qr/--min-words must be between 1 and 10000/, 2, '--min-words', 10001, 'ids.tsv' ],
	[ qr/--tokenizer must be word-uax29 or grapheme-uax29, not "shingle/, 2, '--tokenizer', 'shingle-k=2/word-uax29', 'ids.tsv' ],
	[ qr/there is no canonicalizer "x"/, 2, '--canonicalizer', 'x', 'ids.tsv' ],
	[ qr/--keep and --output name the same file/, 2, '--keep', 'o.tsv', '-o', 'o.tsv', 'ids.tsv' ],
	[ qr/ids\.tsv/, 2, '--keep', 'ids.tsv', 'ids.tsv' ],
	[ qr/the field "g" can only be found by a header/, 2, '--group', 'g', 'ids.tsv' ],
	[ qr/there is no field "h"; there are "id", "text", "g"/, 1, '--group', 'h', 'groups.jsonl' ],
	[ qr/the field "g" is neither a string nor a number/, 1, '--group', 'g', 'listed.jsonl' ],
	[ qr/lines have no field "g"/, 2, '-f', 'lines', '--group', 'g', 'ids.tsv' ],
	[ qr/missing/, 1, '--before', 'missing.tsv', 'ids.tsv' ])
{
	my ($message, $wanted, @arguments) = @$case;
	my ($status, $out, $err) = txtfp('', 'passages', @arguments);
	is($status, $wanted, "status of $message");
	like($err, $message, 'message');
}
is((txtfp('', 'passages', '-q', '--allow-duplicate-ids', 'twice.tsv'))[0], 0, 'accepted');

done_testing();

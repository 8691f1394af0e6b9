# txtfp review: what it reads, labels, errors, and that a page is complete or not there.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

# An element of a page, as text; all pairs as "id kept outcome verdict".
sub part { my ($page, $id) = @_; return $page =~ m{<script type="application/json" id="\Q$id\E">(.*?)</script>}s ? $1 : undef }
sub pairs { my ($page) = @_; return join ' ', sort map { /^\["([^"]*)","([^"]*)",(-?\d),-?\d+,-?\d+,(-?\d)/ ? "$1>$2:$3:$4" : $_ } split /\n,?/, substr(part($page, 'pairs') =~ s/\n\]$//r, 1) }

my $record = '{"id":%s,"kept":%s,"text":"a b c 1","kept_text":"a b c 2"%s}' . "\n";
my $jsonl = sprintf($record, 1, 9, '') . sprintf($record, 2, 9, ',"outcome":"review","reason":"number"') . sprintf($record, '"3"', 9, ',"jaccard":0.5,"verdict":"variant"');
my ($status, $page, $err) = txtfp($jsonl, 'review');
is($status, 0, 'JSON Lines');
is($err, "txtfp: a page for 3 planned removals\n", 'and says how many');
is(pairs($page), '1>9:0:-1 2>9:1:-1 3>9:0:1', 'its pairs');
is(part($page, 'block-0') =~ tr/\n//, 2, 'their texts');
like(part($page, 'page'), qr/"id_type":"bigint"/, 'ids are numbers');
like((txtfp(sprintf($record, '"x"', 9, ''), 'review'))[1], qr/"id_type":"text"/, 'or not');

# the same from TSV and CSV
put('a.tsv', "kept\tid\ttext\tkept_text\toutcome\treason\tjaccard\tverdict\n9\t1\ta b c 1\ta b c 2\t\\N\t\\N\t\\N\t\\N\n9\t2\ta b c 1\ta b c 2\treview\tnumber\t\\N\t\\N\n9\t3\ta b c 1\ta b c 2\t\\N\t\\N\t0.5\tvariant\n");
put('a.csv', "id,kept,text,kept_text,outcome,reason,jaccard,verdict\n1,9,a b c 1,a b c 2,,,,\n2,9,\"a b c 1\",a b c 2,review,number,,\n3,9,a b c 1,a b c 2,,,0.5,variant\n");
for my $file ('a.tsv', 'a.csv')
{
	is((txtfp('', 'review', '-q', $file))[1], $page, "the same page from $file");
}

# texts in a file of their own: clusters, pairs, ids
put('texts.jsonl', join '', map { qq({"id":$_,"text":"text number $_ of all"}\n) } 1 .. 6);
put('clusters.tsv', "id\tcluster\tsize\n1\t1\t3\n2\t1\t3\n3\t1\t3\n5\t6\t2\n6\t6\t2\n");
put('pairs.jsonl', qq({"a":1,"b":2,"similarity":0.9}\n{"a":1,"b":3,"similarity":0.8}\n));
my $clusters = (txtfp('', 'review', '--texts', 'texts.jsonl', 'clusters.tsv'))[1];
is(pairs($clusters), '2>1:0:-1 3>1:0:-1 5>6:0:-1', 'clusters: the rows but the one that names them');
like(part($clusters, 'block-0'), qr/\["text number ",\[6,"5","6"\]," of all"\]/, 'with their texts');
my $pairs = (txtfp('', 'review', '--texts', 'texts.jsonl', 'pairs.jsonl'))[1];
is(pairs($pairs), '2>1:0:-1 3>1:0:-1', 'pairs: the second of both');
like(part($pairs, 'pairs'), qr/\[0\.9,null,null,null,null\]/, 'with their similarity');
my $text = words(60);
put('near.jsonl', join '', map { my $near = document($text, $_); qq({"id":$_,"text":"$near"}\n) } 1 .. 3);
is((txtfp('', 'clusters', '-q', '--threshold', '0.4', 'near.jsonl', '-o', 'made.tsv'))[0], 0, 'clusters are made');
is(pairs((txtfp('', 'review', '-q', '--texts', 'near.jsonl', 'made.tsv'))[1]), '2>1:0:-1 3>1:0:-1', 'what txtfp clusters writes');

# labels
put('labels.tsv', "stratum\tid\tkept\tverdict\tlabel\n1 of 1: 2 rows\t1\t9\tduplicate\tt\n\\N\t2\t9\tunsure\t\\N\n\\N\t77\t9\tdistinct\tf\n");
is(pairs((txtfp($jsonl, 'review', '--labels', 'labels.tsv'))[1]), '1>9:0:0 2>9:1:3 3>9:0:1', 'labels of a page');
put('labels.jsonl', qq({"id":"1","kept":"9","label":false}\n{"id":3,"kept":9,"verdict":"distinct","label":false}\n));
is(pairs((txtfp($jsonl, 'review', '--labels', 'labels.jsonl'))[1]), '1>9:0:2 2>9:1:-1 3>9:0:2', 'those of the file win');

like(part((txtfp(sprintf($record, 1, 9, ',"url":"https://x/","n":7'), 'review', '--show', 'url', '--show', 'n', '--title', '<b>T</b>'))[1], 'pairs'), qr/\["https:\/\/x\/","7"\]\]/, 'further fields');
like((txtfp('', 'review', '--title', '<b>&T'))[1], qr{<title>&#60;b&#62;&#38;T</title>}, 'a title is no markup');

# hostile texts
my ($hostile) = (txtfp(qq({"id":"</script><script>alert(1)</script>","kept":"\\u202e\\u0000","text":"<!--<script>","kept_text":"]]>"}\n), 'review'))[1];
is(scalar(() = $hostile =~ /alert\(1\)</g), 0, 'an id cannot end its element');
is(scalar(() = $hostile =~ /<script/g), 5, 'the only scripts are the own ones');

# errors: what is wrong, in which line, and no page
for my $case (
	[ '{"id":1}', 'line 1: the record has neither the fields id and kept, nor a and b, nor id and cluster' ],
	[ '{"id":1,"kept":2,"text":"x"}', 'line 1: the record has not the fields text and kept_text, and no file of --texts is given' ],
	[ '{"id":1,"kept":2,"text":"x","kept_text":"y","outcome":"drop"}', 'line 1: there is no outcome "drop"; valid are remove, review and keep' ],
	[ '{"id":1,"kept":2,"text":"x","kept_text":"y","verdict":"maybe"}', 'line 1: there is no verdict "maybe"; valid are duplicate, variant, distinct and unsure' ],
	[ '{"id":1,"kept":2,"text":"x","kept_text":"y","jaccard":"high"}', 'line 1: the field "jaccard" is not a number: "high"' ],
	[ '{"id":1,"kept":2,"text":"x","kept_text":"y","signals":"(1,2)"}', 'line 1: the field "signals" is no row of difference_signals of this version: "(1,2)"' ],
	[ '{"id":1,"kept":2,"text":["x"],"kept_text":"y"}', 'line 1: the field "text" is neither a string nor a number' ],
	[ '{"id":1,"kept":2,"text":"x","kept_text":"y","stratum":"low"}', 'the strata are not those of a single sample' ])
{
	my ($line, $message) = @$case;
	put('bad.jsonl', "$line\n");
	my ($bad, $out, $said) = txtfp('', 'review', 'bad.jsonl', '-o', 'bad.html');
	is($bad, 1, "status: $message");
	like($said, qr/^txtfp: (bad\.jsonl: )?\Q$message\E/, $message);
	is(-e 'bad.html', undef, 'no page');
}
is((txtfp(qq({"id":1}\n$jsonl), 'review', '--skip-errors', '-q'))[1], $page, '--skip-errors');
is((txtfp('', 'review', '--texts', 'texts.jsonl', put('p.tsv', "id\tkept\n1\t99\n")))[2], "txtfp: texts.jsonl has no text with the id \"99\"\n", 'a text that is missing');
is((txtfp('', 'review', '--pairs', '0'))[0], 2, '--pairs 0');
is((txtfp('', 'review', '--texts', '-'))[2], "txtfp: only one file can be the standard input\n", 'one standard input');
is((txtfp('', 'review', '-f', 'lines'))[2], "txtfp: lines have no fields; use --format jsonl, tsv or csv\n", 'lines');
is((txtfp('', 'review', 'a.tsv', '-o', 'a.tsv'))[0], 2, 'the output does not replace the input');
is((txtfp('', 'review', 'a.tsv', '--labels', 'labels.tsv', '-o', 'labels.tsv'))[0], 2, 'nor the labels');
is((txtfp('', 'review', 'a.tsv', '-o', 'page.html', '-q'))[0] . -s 'page.html', '0' . length $page, 'a page in a file');
is((txtfp('', 'review', '-q', put('twice.tsv', "id\tid\tkept\n")))[2], "txtfp: twice.tsv: the header has the field \"id\" twice\n", 'a field that comes twice');

done_testing();

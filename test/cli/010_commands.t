# The commands from end to end: formats, compression, errors, what is left behind.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Cwd ();
use IPC::Run ();
use Test::More;

# ---- help
for my $command ([], ['fingerprint'], ['pairs'], ['clusters'], ['dedup'], ['passages'], ['compare'], ['review'])
{
	my ($status, $out) = txtfp('', @$command, '--help');
	my @lines = split /\n/, $out;
	is($status, 0, "help: @$command");
	ok(@lines > 5 && @lines <= 24, "help of @$command fits a screen: " . @lines . ' lines');
	is((grep { length > 80 } @lines), 0, "help of @$command is not wide");
}
is((txtfp('', '--version'))[1] =~ /^txtfp \d+\.\d+\.\d+$/, 1, 'version');
is((txtfp(''))[0], 2, 'no command');
is((txtfp('', 'clusters', '--zzz'))[0], 2, 'unknown option');
is_deeply([ (txtfp('', 'dedupe'))[0, 2] ], [ 2, qq{txtfp: there is no command "dedupe"; valid are fingerprint, pairs, clusters, dedup, passages, compare and review\n} ],
	'unknown command');
is((txtfp('', 'clusters', '--kind', 'sha1'))[0], 2, 'unknown kind');

# ---- fingerprint: the same from every format, plain and compressed
my @texts = ('The quick brown fox jumps over the lazy dog', "tab\there, \"quotes\", back\\slash", "Ünïcode and 漢字", '', '...');
my @json = map { my $t = $_; $t =~ s/(["\\])/\\$1/g; $t =~ s/\t/\\t/g; $t } @texts;
my @copy = map { my $t = $_; $t =~ s/\\/\\\\/g; $t =~ s/\t/\\t/g; $t } @texts;
my @csv = map { my $t = $_; $t =~ s/"/""/g; "\"$t\"" } @texts;
my $n = 0;
my $jsonl = join '', map { ++$n; "{\"id\": $n, \"text\": \"$_\"}\n" } @json;
put('a.jsonl', $jsonl);
$n = 0;
put('a.tsv', join '', map { ++$n; "$n\t$_\n" } @copy);
$n = 0;
put('a.csv', "text,id\r\n" . join '', map { ++$n; "$_,$n\r\n" } @csv);
system('gzip -k a.jsonl && zstd -q a.tsv') == 0 or die 'gzip, zstd';
for my $kind (qw(minhash64 minhash128 minhash256 minhash64_compact minhash128_compact minhash256_compact simhash64 tlsh lavinhash))
{
	my ($status, $expected) = txtfp($jsonl, 'fingerprint', '-k', $kind);
	is($status, 0, "$kind of standard input");
	is(scalar(split /\n/, $expected), 6, "$kind: a row for each record");
	for my $file ('a.jsonl', 'a.tsv', 'a.csv', 'a.jsonl.gz', 'a.tsv.zst')
	{
		my @header = $file =~ /csv/ ? ('--header') : ();
		is((txtfp('', 'fingerprint', '-k', $kind, @header, $file))[1], $expected, "$kind of $file");
	}
	is((txtfp('', 'fingerprint', '-k', $kind, '-j', 1, 'a.jsonl'))[1], $expected, "$kind on one thread");
}
like((txtfp($jsonl, 'fingerprint'))[1], qr/^id\tfp\n1\t[0-9a-f]{16}:0100000000000000[0-9a-f]{2048}\n.*\n4\t\\N\n5\t\\N\n$/s, 'no token: NULL');
like((txtfp("a b\nc d\n", 'fingerprint', '-f', 'lines', '-k', 'simhash64', '-t', 'jsonl'))[1],
	qr/^\{"id":1,"fp":"[0-9a-f]{16}"\}\n\{"id":2,"fp":"[0-9a-f]{16}"\}\n$/, 'lines, JSON');
is((txtfp("\xEF\xBB\xBFa b\n", 'fingerprint', '-f', 'lines', '-k', 'simhash64'))[1],
	(txtfp("a b", 'fingerprint', '-f', 'lines', '-k', 'simhash64'))[1], 'a byte order mark is dropped');
is((txtfp('', 'fingerprint'))[1], "id\tfp\n", 'an empty file');
for my $suffix ('gz', 'zst')
{
	is((txtfp('', 'fingerprint', 'a.jsonl', '-o', "o.tsv.$suffix"))[0], 0, "output as $suffix");
	my $tool = $suffix eq 'gz' ? 'gzip' : 'zstd -q';
	is(scalar(`$tool -dc o.tsv.$suffix`), (txtfp('', 'fingerprint', 'a.jsonl'))[1], "what $suffix holds");
}

# ---- broken input: file, line, status; no output
for my $case (
	["{\"id\":1,\"text\":\"a\"}\n{\"id\":2}\n", 'jsonl', 'line 2: there is no field "text"; there are "id"; --id, --text and --priority name the fields to use; --skip-errors leaves out such records'],
	["{\"id\":1,\"text\":\"a\"}\n\n{\"id\":2,\"text\":\"b\"}\n", 'jsonl', 'line 2: the line is empty'],
	["{\"id\":1,\"text\":\"a\"}\n{\"id\":1,\"text\":\"a\"\n", 'jsonl', 'line 2: '],
	["1\ta\n2\n", 'tsv', 'line 2: there are 1 fields, not 2'],
	["1,\"a\nb\"\n2,\"open\n", 'csv', 'line 3: a quoted field is not closed'],
	["ok\n\xff\n", 'lines', 'line 2: the text is not valid UTF-8'])
{
	my ($bytes, $format, $message) = @$case;
	put("bad.$format", $bytes);
	my ($status, $out, $err) = txtfp('', 'fingerprint', '-f', $format, "bad.$format", '-o', 'bad.out');
	is($status, 1, "$format: status");
	like($err, qr/^txtfp: bad\.$format: \Q$message\E/, "$format: $message");
	is(-e 'bad.out', undef, "$format: no output");
	($status, $out, $err) = txtfp('', 'fingerprint', '--skip-errors', '-f', $format, "bad.$format");
	is($status, 0, "$format: broken records left out");
	like($err, qr/ 1 refused/, "$format: and counted");
}
is(join(' ', glob 'bad.out*'), '', 'nothing half-written');
put('cut.gz', substr(get('a.jsonl.gz'), 0, 60));
like((txtfp('', 'fingerprint', '-f', 'jsonl', 'cut.gz'))[2], qr/cut\.gz: the compressed data are broken: they end too early/, 'gzip cut');
put('cut.zst', substr(get('a.tsv.zst'), 0, 60));
like((txtfp('', 'fingerprint', '-f', 'tsv', 'cut.zst'))[2], qr/cut\.zst: the compressed data are broken: they end too early/, 'zstd cut');
like((txtfp('', 'fingerprint', 'no.jsonl'))[2], qr/^txtfp: cannot open no\.jsonl: No such file/, 'no file');
like((txtfp('', 'fingerprint', 'a.jsonl', '-o', 'no/o'))[2], qr/^txtfp: cannot create no\/o/, 'no directory');
like((txtfp('', 'fingerprint', Cwd::getcwd()))[2], qr/has files of several formats/, 'a directory of anything');
is((txtfp($jsonl, 'fingerprint', '-o', '/dev/full'))[0], 1, 'a full disk');
like((txtfp("{\"id\":\"x\",\"text\":\"a\"}\n", 'fingerprint', '-t', 'copy'))[2], qr/the id "x" is not a bigint/, 'an id of another type');

is((txtfp("{\"id\":1,\"text\":\"a\"}\n\n \r\n", 'fingerprint', '-k', 'simhash64'))[0], 0, 'blank lines at the end of JSON Lines');
is((txtfp("\n\n", 'fingerprint'))[1], "id\tfp\n", 'nothing but blank lines');
for my $case (['PAR1', 'Parquet'], ['ARROW1', 'Arrow'], ["\x04\x22\x4D\x18", 'compressed by lz4'], ["\xFF\xFE", 'UTF-16'], ["PK\x03\x04", 'zip archive'])
{
	my ($status, $out, $err) = txtfp($case->[0] . 'x' x 20, 'fingerprint', '-f', 'lines');
	is($status, 1, "$case->[1]: refused");
	like($err, qr/standard input is .*$case->[1]/, "$case->[1]: why");
}
like((txtfp('', 'fingerprint', put('docs.dat', '')))[2], qr/does not tell its format; use --format jsonl, tsv, csv or lines \(also of compressed files\)/, 'a name without a format');
like((txtfp('', 'fingerprint', put('docs.parquet', 'PAR1' . 'x' x 20)))[2], qr/docs.parquet is a Parquet file, which is not read here; the Python package txtfp reads it/, 'the name of a Parquet file');
like((txtfp('', 'fingerprint', 'none.parquet'))[2], qr/cannot open none.parquet: No such file/, 'the name of a file that does not exist');

# ---- records that are too long: one outcome, however the file is cut into batches
my %long = (jsonl => [ '{"id":1,"text":"a b"}', '{"id":2,"text":"' . 'x' x 3000 . '"}', '{"id":3,"text":"c d"}', '{"id":4,"text":"' . 'y ' x 400_000 . '"}', '{"id":5,"text":"e"}' ],
	tsv => [ "1\ta b", "2\t" . 'x' x 3000, "3\tc d", "4\t" . 'y ' x 400_000, "5\te" ],
	csv => [ '1,a b', '2,"' . "x\n" x 1500 . '"', '3,c d', '4,"' . "y\n" x 400_000 . '"', '5,e' ]);
for my $format (sort keys %long)
{
	my $bytes = join '', map { "$_\n" } @{ $long{$format} };
	my $expected = (txtfp(join('', map { "$long{$format}[$_]\n" } 0, 2, 4), 'fingerprint', '-k', 'simhash64', '-f', $format))[1];
	for my $threads (1, 3)
	{
		my ($status, $out, $err) = txtfp($bytes, 'fingerprint', '-j', $threads, '-k', 'simhash64', '-f', $format, '--max-record', '2K', '--skip-errors');
		is("$status $out", "0 $expected", "$format, $threads threads: records that are too long are left out");
		like($err, qr/ 2 refused/, "$format, $threads threads: and counted");
	}
	my ($status, $out, $err) = txtfp($bytes, 'fingerprint', '-f', $format, '--max-record', '2K');
	like("$status $err", qr/^1 txtfp: standard input: line 2: the record is longer than 2048 bytes \(--max-record\)/, "$format: or an error");
	put("long.$format", $bytes);
	is((txtfp('', 'clusters', '--skip-errors', '--max-record', '2K', '--keep', "short.$format", "long.$format"))[0], 0, "$format: clusters");
	is(get("short.$format"), join('', map { "$long{$format}[$_]\n" } 0, 2, 4), "$format: --keep leaves them out");
}
like((txtfp("1,\"a\nb" . 'c' x 5000 . "\n2,b\n", 'fingerprint', '-f', 'csv', '--max-record', '2K', '--skip-errors'))[2], qr/ 1 refused| no record could be read/, 'a quote that is not closed ends at the end of the file');
put('bomb.jsonl', '{"id":1,"text":"' . 'a' x 70_000_000 . '"}');
system('gzip -9 bomb.jsonl') == 0 or die 'gzip';
like((txtfp('', 'fingerprint', 'bomb.jsonl.gz'))[2], qr/line 1: the record is longer than 67108864 bytes/, 'the limit holds while a file is decompressed');
like((txtfp('', 'clusters', '--memory', '64M', 'bomb.jsonl.gz'))[2], qr/line 1: the record is longer than 8388608 bytes/, 'it is an eighth of the memory at most');
like((txtfp('', 'fingerprint', '--max-record', '2G', 'a.jsonl'))[2], qr/the size "2G" of a record is not between 1K and 1G/, 'its range');

# ---- what must not be replaced, or be written to a terminal
my $input = get('a.jsonl');
symlink 'a.jsonl', 'link.jsonl';
for my $output ('a.jsonl', './a.jsonl', 'link.jsonl')
{
	my ($status, $out, $err) = txtfp('', 'fingerprint', 'a.jsonl', '-o', $output);
	is("$status $err", "2 txtfp: --output would replace the input \"$output\"; --force allows it\n", "the output $output is the input");
}
is((txtfp('', 'clusters', 'a.jsonl', '--keep', 'link.jsonl', '-o', 'c.tsv'))[0], 2, '--keep is the input');
is((txtfp('', 'compare', 'a.jsonl', 'a.tsv.zst', '-o', 'a.jsonl'))[0], 2, 'compare: the output is an input');
is(get('a.jsonl'), $input, 'and stays as it was');
put('b.jsonl', $input);
is((txtfp('', 'fingerprint', 'b.jsonl', '-o', 'b.jsonl', '--force'))[0], 0, '--force');
isnt(get('b.jsonl'), $input, 'replaces it');
SKIP: {
	skip('there are no pseudo-terminals', 1) unless -c '/dev/pts/ptmx';    # as in a chroot without that mount
	my $terminal = '';
	IPC::Run::run([ $ENV{TXTFP_CHECKED} || $ENV{TXTFP}, 'fingerprint', '--to', 'copy', 'a.jsonl' ], '<', \'', '>pty>', \$terminal, '2>', \my $refusal);
	is("$terminal$refusal", "txtfp: the output is binary and would go to a terminal; use --output, a pipe, or --force\n", 'no binary output to a terminal');
}

# ---- ids
put('twice.jsonl', join '', map { "{\"id\":\"x$_\",\"text\":\"a b $_\"}\n" } 1 .. 5000, 77);
for my $memory ('64M', '1G')
{
	my ($status, $out, $err) = txtfp('', 'clusters', '--memory', $memory, 'twice.jsonl');
	is("$status $err", "1 txtfp: twice.jsonl: records 77 and 5001 have the same id \"x77\"; --allow-duplicate-ids accepts this, --line-ids numbers the records\n", "an id twice, $memory");
}
is((txtfp('', 'pairs', '--allow-duplicate-ids', 'twice.jsonl'))[0], 0, '--allow-duplicate-ids');
is((txtfp('', 'pairs', '--line-ids', 'twice.jsonl'))[0], 0, '--line-ids');

# ---- pairs and clusters
my @documents;
for my $i (1 .. 300)
{
	my $text = words(60);
	push @documents, [ "d$i", $text, $i % 7 ];
	push @documents, [ "e$i", document($text, 1), $i % 5 ] if $i % 3 == 0;
	push @documents, [ "f$i", $text, 9 ] if $i % 10 == 0;
}
put('docs.jsonl', join '', map { "{\"id\":\"$_->[0]\",\"text\":\"$_->[1]\",\"p\":$_->[2]}\n" } @documents);
for my $kind (qw(minhash64 minhash128 minhash256 minhash64_compact minhash128_compact minhash256_compact simhash64 tlsh lavinhash))
{
	my @options = $kind =~ /minhash/ ? ('--threshold', 0.6) : $kind eq 'lavinhash' ? ('--min-score', 60) : $kind eq 'tlsh' ? ('--max-distance', 20) : ('--max-distance', 6);
	my ($status, $pairs) = txtfp('', 'pairs', '-k', $kind, @options, 'docs.jsonl');
	is($status, 0, "pairs of $kind");
	my (undef, @rows) = split /\n/, $pairs;
	my %found = map { my ($x, $y) = split /\t/; ("$x $y" => 1) } @rows;
	is((grep { !$found{"d$_ e$_"} && $kind =~ /minhash128|minhash256/ } map { 3 * $_ } 1 .. 100), 0, "$kind finds what differs in a word");
	is((grep { !$found{"d$_ f$_"} } map { 10 * $_ } 1 .. 30), 0, "$kind finds what is equal");

	# Components by the pairs
	my %parent = map { ($_->[0] => $_->[0]) } @documents;
	my %place = map { ($documents[$_][0] => $_) } 0 .. $#documents;
	my $root = sub { my ($x) = @_; $x = $parent{$x} while $parent{$x} ne $x; $x };
	for (@rows)
	{
		my ($x, $y) = map { $root->($_) } (split /\t/)[ 0, 1 ];
		($x, $y) = ($y, $x) if $place{$y} < $place{$x};
		$parent{$y} = $x;
	}
	my %size;
	$size{ $root->($_->[0]) }++ for @documents;
	my $expected = "id\tcluster\tsize\n" . join '', map { my $r = $root->($_->[0]); $size{$r} > 1 ? "$_->[0]\t$r\t$size{$r}\n" : '' } @documents;
	my ($clustered, $clusters) = txtfp('', 'clusters', '-k', $kind, @options, 'docs.jsonl');
	is($clusters, $expected, "clusters of $kind are the components of its pairs");
	for my $threads (1, 3)
	{
		is((txtfp('', 'clusters', '-j', $threads, '--memory', '64M', '-k', $kind, @options, 'docs.jsonl'))[1], $clusters, "$kind on $threads threads");
		is((txtfp('', 'pairs', '-j', $threads, '-k', $kind, @options, 'docs.jsonl'))[1], $pairs, "pairs of $kind on $threads threads");
	}

	# Given fingerprints
	is((txtfp('', 'fingerprint', '-k', $kind, 'docs.jsonl', '-o', 'fp.tsv'))[0], 0, "fingerprints of $kind");
	is((txtfp('', 'clusters', '--fingerprints', '--header', '--text', 'fp', '-k', $kind, @options, 'fp.tsv'))[1], $clusters, "clusters of fingerprints of $kind");

	# Stars: each member is a pair with its centre, and no centre of another
	my %pair = %found;
	my (undef, @members) = split /\n/, (txtfp('', 'clusters', '--mode', 'star', '-k', $kind, @options, 'docs.jsonl'))[1];
	is((grep { my ($id, $centre) = split /\t/; $id ne $centre && !$pair{"$centre $id"} && !$pair{"$id $centre"} } @members), 0, "stars of $kind");
}

# ---- what is kept
is((txtfp('', 'clusters', '--priority', 'p', '--keep', 'kept.jsonl.gz', '-o', 'clusters.tsv', '--threshold', '0.6', 'docs.jsonl'))[0], 0, 'keep');
my @kept = map { /"id":"(\w+)"/ } `gzip -dc kept.jsonl.gz`;
my %kept = map { ($_ => 1) } @kept;
is((grep { !$kept{"f$_"} || $kept{"d$_"} || $kept{"e$_"} } map { 10 * $_ } 1 .. 30), 0, 'of a cluster the one of the greatest priority');
is(scalar @kept, 300, 'one of each cluster, and what is alone');
my %lines = map { ($_ => 1) } split /^/m, get('docs.jsonl');
is((grep { !$lines{$_} } `gzip -dc kept.jsonl.gz`), 0, 'as it stands in the file');

# ---- what can be read only once is copied
my $from_file = get('clusters.tsv');
is((txtfp(get('docs.jsonl'), 'clusters', '--format', 'jsonl', '--priority', 'p', '--keep', 'piped.jsonl', '--threshold', '0.6', '-'))[1], $from_file, 'clusters of standard input');
is(get('piped.jsonl'), `gzip -dc kept.jsonl.gz`, 'and what is kept of it');
system('gzip -c docs.jsonl >docs.jsonl.gz') == 0 or die;
my @piped = ([ 'compressed standard input', get('docs.jsonl.gz') ], [ 'large standard input', get('docs.jsonl') . join('', map { "{\"id\":\"z$_\",\"text\":\"" . words(300) . "\"}\n" } 1 .. 1500) ]);
for my $case (@piped)
{
	my ($what, $input) = @$case;
	put('whole.jsonl', $what =~ /compressed/ ? get('docs.jsonl') : $input);
	txtfp('', 'clusters', '-q', '--keep', 'of_file.jsonl', 'whole.jsonl');
	is((txtfp($input, 'clusters', '-q', '--format', 'jsonl', '--keep', 'of_pipe.jsonl', '-'))[0], 0, $what);
	cmp_ok(length get('of_pipe.jsonl'), '>', 10000, 'much of it is kept');
	ok(get('of_pipe.jsonl') eq get('of_file.jsonl'), "the same as of a file: $what");
}
is((txtfp('', 'clusters', '-q', '--format', 'jsonl', '--keep', 'none.jsonl', '-'))[0], 0, 'empty standard input');
is(get('none.jsonl'), '', 'keeps nothing');
require POSIX;
POSIX::mkfifo('fifo', 0600) or die;
if (my $writer = fork) {
	is((txtfp('', 'clusters', '-q', '--format', 'jsonl', '--priority', 'p', '--threshold', '0.6', '--keep', 'of_fifo.jsonl', 'fifo'))[1], $from_file, 'a named pipe');
	is(get('of_fifo.jsonl'), get('piped.jsonl'), 'is read once');
	waitpid $writer, 0;
} else {
	exec 'sh', '-c', 'cat docs.jsonl >fifo';
}
like((txtfp(get('docs.jsonl'), 'clusters', '--format', 'jsonl', '--temporary', 'nowhere', '--keep', 'x', '-'))[2], qr/temporary file in nowhere: No such file/, 'no folder for the copy');

put('k.csv', "id,text\n1,\"" . words(30) . "\n x\"\n2,b\n3,b");
is((txtfp('', 'clusters', '--header', '--keep', 'kept.csv', 'k.csv'))[1], "id\tcluster\tsize\n2\t2\t2\n3\t2\t2\n", 'CSV');
is(get('kept.csv'), substr(get('k.csv'), 0, -3), 'CSV with its header');

# ---- options that contradict each other
for my $case (['--max-distance', 3], [ '--min-score', 80 ], [ '-k', 'simhash64', '--threshold', 0.5 ], [ '-k', 'lavinhash', '--threshold', 80 ], [ '--threshold', 1.5 ], [ '--threshold', 0 ], [ '--bands', 4 ],
	[ '--bands', 64, '--rows', 64 ], [ '--recall', 1 ], [ '--mode', 'x' ], [ '--memory', '1M' ], [ '--memory', 'x' ], [ '--tokenizer', 'x' ],
	[ '--canonicalizer', 'x' ], [ '--hash', 'x' ], [ '--format', 'x' ], [ '--to', 'x' ], [ '-k', 'tlsh', '--bands', 4, '--rows', 4 ])
{
	is((txtfp('', 'clusters', @$case, 'docs.jsonl'))[0], 2, "clusters @$case");
}

# ---- compare
my $shared = 'it was the best of times it was the worst of times';
put('x.txt', "First. $shared, then nothing.");
put('y.txt', "\x{46}oreword\n\nIt was the BEST of times it was the worst of times; and so on");
my ($status, $out) = txtfp('', 'compare', 'x.txt', 'y.txt');
is($status, 0, 'compare');
like($out, qr/^1 shared passages of 5 words or more, 12 words$/m, 'its passages');
like($out, qr/^A 8-57  B 11-60  12 words\n    \Q$shared\E$/m, 'and where they are');
my $json = (txtfp('', 'compare', '--json', 'x.txt', 'x.txt'))[1];
like($json, qr/"jaccard":1\.0000,"containment_a":1\.0000,.*"minhash128":1\.0000,.*"simhash64":0,.*"a_start":1,/, 'of a file with itself');
like((txtfp(get('x.txt'), 'compare', '-', 'y.txt'))[1], qr/12 words/, 'of standard input');
is((txtfp('', 'compare', '-', '-'))[0], 2, 'not twice');
like((txtfp('', 'compare', '/dev/null', 'x.txt'))[1], qr/^jaccard +- /, 'of nothing');

# ---- SIGINT, while standard input waits for more, and while it does not
for my $command ('fingerprint', 'clusters')
{
	pipe(my $read, my $write) or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0)
	{
		close $write;
		open(STDIN, '<&', $read) && open(STDERR, '>', 'stopped.err') or die "$!\n";
		exec $ENV{TXTFP_CHECKED} || $ENV{TXTFP}, $command, '-o', 'stop.tsv' or die "$!\n";
	}
	close $read;
	syswrite $write, "{\"id\": 1, \"text\": \"a b c\"}\n"; # and keep it open: there might be more
	for (1 .. 300) { last if glob 'stop.tsv.*'; select undef, undef, undef, 0.1 }
	is(join(' ', map { /^stop\.tsv\..{6}$/ ? 'temporary' : $_ } glob 'stop.*'), 'temporary', "$command at work");
	kill 'INT', $pid;
	waitpid $pid, 0;
	is($? >> 8, 130, "$command interrupted");
	like(get('stopped.err'), qr/interrupted/, "$command says so");
	is(join(' ', glob 'stop.*'), '', "$command leaves nothing");
}

done_testing();

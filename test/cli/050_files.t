# Files as tools and people write them: each gives its records, or an error that names the file and the line. What is read is compared with an independent
# reader. In the long run, further programs write the same records.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Encode ();
use JSON::PP ();
use Test::More;

sub long { my (@command) = @_; return system(@command) == 0 || die "@command" }

# fingerprints(ARGUMENT...): the ids and simhashes, or the message
sub fingerprints
{
	my ($status, $out, $err) = txtfp('', 'fingerprint', '-q', '--no-header', '-k', 'simhash64', @_);
	$err =~ s/^txtfp: //;
	return $status == 0 ? $out : $err;
}
sub refused { my ($message, $what, @arguments) = @_; return like(fingerprints(@arguments), $message, $what) }

my @records = map { [ $_, "The $_ text: " . words(10 + $_ % 40) . ($_ % 3 ? '' : " \"quoted\", comma\nand a line") ] } 1 .. 600;
my $json = JSON::PP->new->canonical;
my $jsonl = join '', map { $json->encode({ id => $_->[0], text => $_->[1] }) . "\n" } @records;
put('a.jsonl', $jsonl);
my $expected = fingerprints('a.jsonl');
is(scalar(split /\n/, $expected), 600, 'records');

# ---- compression: members, frames, what may be skipped, what fills a tape
my @lines = split /^/m, $jsonl;
put("part$_.jsonl", join '', @lines[ 200 * $_ .. 200 * $_ + 199 ]) for 0 .. 2;
my $skippable = pack('VV', 0x184D2A50, 5) . 'skip!';
for my $case ([ 'gz', 'gzip -c', "\0" x 4096 ], [ 'zst', 'zstd -qc', $skippable ], [ 'xz', 'xz -c', "\0" x 4096 ], [ 'bz2', 'bzip2 -c', '' ])
{
	my ($suffix, $command, $behind) = @$case;
	my @members = map { scalar `$command part$_.jsonl` } 0 .. 2;
	is(fingerprints(put("m.jsonl.$suffix", join '', @members)), $expected, "$suffix: three members");
	is(fingerprints(put("b.jsonl.$suffix", join('', @members) . $behind)), $expected, "$suffix: and what follows is none") if $behind ne '';
	is((txtfp(get("m.jsonl.$suffix"), 'fingerprint', '-q', '--no-header', '-k', 'simhash64'))[1], $expected, "$suffix: from standard input");
	is(fingerprints('-f', 'jsonl', put('empty', scalar `$command </dev/null`)), '', "$suffix: of nothing");
	refused(qr/^cut: the compressed data are broken/, "$suffix: cut", '-f', 'jsonl', put('cut', substr($members[0], 0, -9)));
	refused(qr/^behind: the compressed data are broken/, "$suffix: something else follows", '-f', 'jsonl', put('behind', $members[0] . 'something else'));
	refused(qr/^broken: the compressed data are broken/, "$suffix: a byte is wrong", '-f', 'jsonl',
		put('broken', substr($members[0], 0, 300) . chr(255 ^ ord substr($members[0], 300, 1)) . substr($members[0], 301)));
}
is(fingerprints(put('first.jsonl.zst', $skippable . get('m.jsonl.zst'))), $expected, 'zstd: a frame to be skipped comes first, as pzstd writes it');
long('zstd -q --ultra --long=31 <a.jsonl >wide.jsonl.zst');
is(fingerprints('wide.jsonl.zst'), $expected, 'zstd: a window of 2 GB');
refused(qr/^pad.jsonl.xz: the compressed data are broken: $_ zero bytes follow a stream, no multiple of 4/, "xz: $_ zero bytes, which xz -d refuses", put('pad.jsonl.xz', get('m.jsonl.xz') . "\0" x $_)) for 1, 3, 5;
refused(qr/^wide.jsonl.zst: decompressing needs a large window, more than the 128M of --max-window/, 'or less', '--max-window', '128M', 'wide.jsonl.zst');
long('xz -9 -k -c a.jsonl >nine.jsonl.xz');
refused(qr/^nine.jsonl.xz: decompressing needs 65M, more than the 16M of --max-window/, 'memory of xz', '--max-window', '16M', 'nine.jsonl.xz');

is((txtfp('', 'fingerprint', '--skip-errors', put('open.csv', qq(1,a b\n2,"a b\n\n\n\n))))[2] =~ /2 records read, 0 without text, 1 refused/, 1, 'CSV: an open quote, then blank lines');
# ---- JSON
my $like = sub { my ($file) = @_; put('j.jsonl', $file); return fingerprints('j.jsonl') };
my $simhash = sub { my ($text) = @_; my $hash = (txtfp("$text\n", 'fingerprint', '-q', '--no-header', '-k', 'simhash64', '-f', 'lines'))[1]; return (split /[\t\n]/, $hash)[1] };
my ($a, $b) = ($simhash->('a b'), $simhash->('c d'));
is($like->(qq({"id":1,"text":"a b","n":123456789012345678901234567890,"m":{"e":1e400}}\n)), "1\t$a\n", 'numbers of any size in other fields');
is($like->(qq({"id":12345678901234567890123,"text":"a b"}\n{"id":1.10,"text":"c d"}\n)), "12345678901234567890123\t$a\n1.10\t$b\n", 'ids as they are written');
is($like->(qq({"id":1,"text":"a b","text":"c d","id":2}\n)), "2\t$b\n", 'of one name the last');
refused(qr/^j.jsonl: line 1: the field "x": /, 'a broken field is named', 'j.jsonl') if put('j.jsonl', qq({"id":1,"text":"a","x":01}\n));

# ---- CSV and TSV
put('more.csv', "id,text\n1,a b\n2,one, two\n");
refused(qr/^more.csv: line 3: there are 3 fields, not 2/, 'more fields than the header', '--header', 'more.csv');
refused(qr/^more.csv: line 3: there are 3 fields, not 2/, 'more fields than the first record', 'more.csv');
refused(qr/^more.tsv: line 2: there are 3 fields, not 2/, 'TSV: more fields', put('more.tsv', "1\ta\n2\tb\tc\n"));
refused(qr/^less.csv: line 2: there are 2 fields, not 3/, 'fewer fields', put('less.csv', "1,a,x\n2,b\n"));
is(fingerprints('--header', put('cr.csv', "id,text\r1,a b\r2,\"c d\"\r")), "1\t$a\n2\t$b\n", 'CR alone ends lines');
is(fingerprints(put('cr.tsv', "1\ta b\r2\tc d")), "1\t$a\n2\t$b\n", 'TSV: CR alone');
is(fingerprints(put('cr.txt', "a b\rc d\r")), "1\t$a\n2\t$b\n", 'lines: CR alone');
is(fingerprints('--header', '--delimiter', ';', put('excel.csv', "\xEF\xBB\xBFid;text\r\n1;a b\r\n2;\"c d\"\r\n\r\n")), "1\t$a\n2\t$b\n", 'as a spreadsheet writes it');
refused(qr/^binary.tsv is a binary file of COPY, which only COPY reads/, 'COPY, binary', put('binary.tsv', "PGCOPY\n\xFF\r\n\0" . ("\0" x 8)));
for my $encoding ('UTF-16', 'UTF-32', 'UTF-16LE', 'UTF-16BE', 'UTF-32LE', 'UTF-32BE') # the first two with a byte order mark
{
	my ($marked, $text) = ($encoding !~ /E$/, Encode::encode($encoding, "id,text\n1,a b\n"));
	my $begin = $marked ? join(' ', map { sprintf '%02X', ord } split //, substr $text, 0, $encoding =~ /16/ ? 2 : 4) . ', a byte order mark' : 'characters with zero bytes';
	refused(qr/^wide.csv is $encoding, not UTF-8 \(it begins with $begin\): iconv -f $encoding -t UTF-8 FILE > NEW$/m, $encoding, '--header', put('wide.csv', $text));
}
is(fingerprints('--header', put('sep.csv', "\xEF\xBB\xBFsep=;\r\nid;text\r\n1;\"a b\"\r\n2;c d\r\n")), "1\t$a\n2\t$b\n", 'a first line that names the delimiter');
is((txtfp('', 'dedup', '-q', '--header', '--keep', 'kept.csv', 'sep.csv'))[0] . get('kept.csv'), "0sep=;\r\nid;text\r\n1;\"a b\"\r\n2;c d\r\n", '... and stays in what is kept');
is(fingerprints('--header', put('tags.csv', "id,text,tag,tag\n1,a b,x,y\n")), "1\t$a\n", 'a name twice that nobody asks for');
refused(qr/^texts.csv: the header has the field "text" twice/, 'a name twice that is asked for', '--header', put('texts.csv', "id,text,text\n1,a b,c\n"));
is((txtfp('', 'fingerprint', '--skip-errors', '-q', '--no-header', '-k', 'simhash64', put('stray.csv', "1,5\" disk\n2,c d\n")))[1], "2\t$b\n", 'a stray quote breaks its record alone');

# ---- folders: the files in and below, by name, as one
mkdir $_ or die "$_: $!" for qw(shards shards/b shards/.hidden shards/_tmp mixed others hollow);
put('shards/a.jsonl', qq({"id":1,"text":"a b"}\n{"id":2,"text":"c d"}));
put('shards/b/1.JSONL', qq({"id":3,"text":"c d"}\n));
put('shards/b/2.jsonl', '');
put('shards/c.jsonl', qq({"id":4,"text":"a b"}\n));
system('gzip', "shards/c.jsonl") == 0 || die 'gzip';
put("shards/$_", 'x') for qw(.hidden/h.jsonl _tmp/t.jsonl _SUCCESS README.md note.txt);
is(fingerprints('shards'), "1\t$a\n2\t$b\n3\t$b\n4\t$a\n", 'a folder');
like((txtfp('', 'fingerprint', 'shards'))[2], qr{^txtfp: shards: left out, because their names tell no format: shards/README.md, shards/note.txt\ntxtfp: 4 records read}, 'what is left out is told');
put('shards/b/2.jsonl', qq({"id":5,"text":"a b"}\n{"id":6}\n));
refused(qr{^shards/b/2.jsonl: line 2: there is no field "text"}, 'the file and its line', 'shards');
my @dedup = txtfp('', 'dedup', '-q', '--skip-errors', '--guard', '', '--verify', 'none', '--no-header', '--keep', 'kept.jsonl', 'shards');
is("$dedup[0] $dedup[2]" . join('', sort map { /^(\d+)\t(\d+)/ ? "$1>$2\n" : $_ } split /\n/, $dedup[1]), "0 3>2\n4>1\n5>1\n", 'dedup of a folder');
is(get('kept.jsonl'), qq({"id":1,"text":"a b"}\n{"id":2,"text":"c d"}\n), 'what is kept of it, a line each');
put("mixed/$_", "id,text\n1,a b\n") for qw(a.csv b.csv);
is(fingerprints('--header', '--line-ids', 'mixed'), "1\t$a\n2\t$a\n", 'each file has its header');
put('mixed/b.csv', "text,id\na b,2\n");
refused(qr{^mixed/b.csv: its header is another than that of mixed/a.csv}, 'another header', '--header', 'mixed');
put('mixed/b.csv', "id,text,lang\n2,a b,en\n");
refused(qr{^mixed/b.csv: its header is another than that of mixed/a.csv}, 'a longer header', '--header', 'mixed');
put('mixed/b.csv', "sep=;\nid;text\n2;a b\n");
refused(qr{^mixed/b.csv: its delimiter is another than that of mixed/a.csv}, 'another delimiter', '--header', 'mixed');
put('mixed/b.csv', "id,text\r2,a b\r");
refused(qr{^mixed/b.csv: its lines end otherwise than those of mixed/a.csv}, 'other line ends', '--header', 'mixed');
put('mixed/b.jsonl', '');
refused(qr{^mixed has files of several formats: mixed/b.jsonl and mixed/a.csv}, 'several formats', 'mixed');
put('others/a.jsonl', '');
put('others/b.parquet', 'PAR1');
refused(qr{^others has files of several formats: others/b.parquet and others/a.jsonl}, 'Parquet is not passed over', 'others');
refused(qr{^hollow has no files of a known format}, 'an empty folder', 'hollow');
put('hollow/part-00000', qq({"id":1,"text":"a b"}\n));
is(fingerprints('-f', 'jsonl', 'hollow'), "1\t$a\n", 'names without a format, with --format');
put('hollow/notes.txt', "c d\n");
is(fingerprints('-f', 'lines', '--line-ids', 'hollow') =~ tr/\n//, 2, 'texts, with --format');
is((txtfp('', 'fingerprint', 'shards', '--skip-errors', '-o', 'shards/c.jsonl.gz'))[0], 2, 'the output is a file of the folder');

symlink('nothing', 'hollow/dangling.jsonl') or die $!;
refused(qr{^cannot open hollow/dangling.jsonl}, 'a link to nothing', '-f', 'jsonl', 'hollow');
unlink 'hollow/dangling.jsonl';
symlink('../shards', 'shards/circle') or die $!;
refused(qr{^shards: folders are nested in a circle}, 'a folder within itself', 'shards');
unlink 'shards/circle';

# ---- counts, which add up
put('mixed.jsonl', qq({"id":1,"text":"a b"}\n{"id":2,"text":null}\n{"id":3}\n{"id":4,"text":"a b"}\n));
my @run = txtfp('', 'fingerprint', '--skip-errors', 'mixed.jsonl');
is("$run[0] $run[2]", "0 txtfp: 4 records read, 1 without text, 1 refused, 3 written\n", 'fingerprint: what became of the records');
@run = txtfp('', 'clusters', '--skip-errors', '--mode', 'star', '--keep', 'kept.jsonl', 'mixed.jsonl');
is("$run[0] $run[2]", "0 txtfp: 4 records read, 1 without text, 1 refused, 2 written, 1 left out\n", 'clusters');
is((txtfp('', 'fingerprint', '-q', 'mixed.jsonl', '--skip-errors'))[2], '', '--quiet');
for my $command ('fingerprint', 'pairs', 'clusters', 'dedup')
{
	put('none.jsonl', qq({"id":1}\n{"id":2}\n));
	my ($status, $out, $err) = txtfp('', $command, '--skip-errors', '-o', 'none.out', 'none.jsonl');
	like("$status $err", qr/^1 txtfp: no record could be read; none.jsonl: line 1: there is no field "text"/, "$command: nothing but refused records");
	is(-e 'none.out', undef, "$command: no output");
}

done_testing();

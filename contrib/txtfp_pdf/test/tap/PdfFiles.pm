# Generates PDF files for the tests: small ones, slow ones, and bombs. Each function returns the bytes.
package PdfFiles;

use strict;
use warnings;

use Compress::Zlib ();
use Exporter 'import';

our @EXPORT = qw(pdf stream page_pdf slow_pdf bombs mutated parser_programs);

# The running programs of this user that read a file: process id => that of the server process that started it. A bare machine has no pgrep.
sub parser_programs
{
	my %started_by;
	for my $directory (grep { -o } glob '/proc/[0-9]*') {
		open my $in, '<', "$directory/cmdline" or next;
		my $command = do { local $/; <$in> } // '';
		$started_by{ substr $directory, 6 } = $1 if $command =~ /txtfp-pdf-extract\0(\d+)/;
	}
	return %started_by;
}

# A file of objects (number => text) with a cross-reference table, so that no parser has to repair it.
sub pdf
{
	my (%objects) = @_;
	my ($out, %at) = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
	my $size = 1;
	for my $number (sort { $a <=> $b } keys %objects)
	{
		$at{$number} = length $out;
		$out .= "$number 0 obj\n$objects{$number}\nendobj\n";
		$size = $number + 1;
	}
	my $xref = length $out;
	$out .= "xref\n0 $size\n";
	$out .= defined $at{$_} ? sprintf("%010d 00000 n \n", $at{$_}) : sprintf("%010d %05d f \n", 0, $_ ? 0 : 65535) for 0 .. $size - 1;
	return $out . "trailer\n<</Size $size/Root 1 0 R>>\nstartxref\n$xref\n%%EOF\n";
}

# A stream, deflated the given number of times. $data may be a reference to a function that returns the data piece by piece.
sub stream
{
	my ($data, %options) = @_;
	my $times = $options{deflate} // 0;
	my $source = ref $data ? $data : do { my @once = ($data); sub { shift @once } };
	for (1 .. $times)
	{
		my ($deflater) = Compress::Zlib::deflateInit(-Level => 1);
		my ($packed, $inner) = ('', $source);
		while (defined(my $piece = $inner->()))
		{
			$packed .= ($deflater->deflate($piece))[0];
		}
		$packed .= ($deflater->flush)[0];
		my @once = ($packed);
		$source = sub { shift @once };
	}
	my $bytes = '';
	while (defined(my $piece = $source->()))
	{
		$bytes .= $piece;
	}
	my $filter = $times ? '/Filter[' . ('/FlateDecode' x $times) . ']' : '';
	return '<<' . ($options{keys} // '') . "$filter/Length " . length($bytes) . ">>stream\n$bytes\nendstream";
}

sub repeated
{
	my ($piece, $times) = @_;
	return sub { $times-- > 0 ? $piece : undef };
}

# One page with this content stream, and other objects from number 10 on.
sub page_pdf
{
	my ($content, %more) = @_;
	my $resources = delete $more{resources} // '';
	my $font = delete $more{font} // '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
	return pdf(
		1 => '<</Type/Catalog/Pages 2 0 R>>',
		2 => '<</Type/Pages/Kids[3 0 R]/Count 1>>',
		3 => "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>$resources>>>>",
		4 => ($content =~ /endstream$/ ? $content : stream($content)),
		5 => $font,
		%more);
}

# Forms that show forms that show forms: 10 to the power of $depth times the words.
sub laughs
{
	my ($depth, $words) = @_;
	my %forms;
	for my $level (1 .. $depth)
	{
		my $number = 10 + $level;
		my $next = $number + 1;
		my $last = $level == $depth;
		$forms{$number} = stream($last ? "BT /F 9 Tf 20 20 Td ($words) Tj ET" : '/X Do ' x 10, keys =>
			'/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>' . ($last ? '' : "/XObject<</X $next 0 R>>") . '>>');
	}
	return page_pdf('/X Do', resources => '/XObject<</X 11 0 R>>', %forms);
}

# Runs for hours unless it is stopped, in little memory.
sub slow_pdf { return laughs(12, '') }

# Functions that generate bombs, by name; some are large.
sub bombs
{
	my $mega = 'x' x 1_000_000;
	my $font_file = '/Type/FontDescriptor/FontName/A/Flags 4/FontBBox[0 0 1 1]/ItalicAngle 0/Ascent 1/Descent 0/CapHeight 1/StemV 1';
	return (
		'forms that show each other' => sub { page_pdf('/X Do', resources => '/XObject<</X 10 0 R>>',
			10 => stream('/Y Do', keys => '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</Y 11 0 R>>>>'),
			11 => stream('/X Do', keys => '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 10 0 R>>>>')) },
		'a million laughs' => sub { laughs(6, 'ha') },
		'a trillion laughs' => sub { laughs(12, 'ha') },
		'text that unfolds to 400 MB' => sub { page_pdf(stream(repeated('(xxxxxxxxxxxxxxx) Tj ' x 50_000, 400), deflate => 2)) },
		'a string of 600 MB' => sub { page_pdf(stream(do { my $n = 0; sub { $n++ == 0 ? 'BT /F 9 Tf 9 9 Td (' : $n < 600 ? $mega : $n == 600 ? ') Tj ET' : undef } }, deflate => 2)) },
		'arrays in arrays' => sub { page_pdf('[' x 5_000_000) },
		'dictionaries in dictionaries' => sub { page_pdf('/A ' . '<</B' x 1_000_000 . ' BDC') },
		'an object of arrays in arrays' => sub { page_pdf('q Q', resources => '/XObject 10 0 R', 10 => '[' x 3_000_000) },
		'many operands' => sub { page_pdf(stream(repeated('1 2 3 4 5 6 7 8 9 ' x 50_000, 100), deflate => 1)) },
		'states saved thirty million times' => sub { page_pdf(stream(repeated('q ' x 500_000, 60), deflate => 2)) },
		'a million characters in a place' => sub { page_pdf(stream('BT /F 9 Tf 300 400 Td ' . '(word) Tj 0 0 Td ' x 250_000 . 'ET', deflate => 1)) },
		'characters all over the page' => sub { page_pdf(stream(do { my $n = 0; sub { $n++ < 200_000 ? sprintf('BT /F %d Tf %d %d Td (w%d) Tj ET ', 1 + $n % 40, $n * 7919 % 600, $n * 104729 % 800, $n) : undef } }, deflate => 1)) },
		'a million pages, said' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>', 2 => '<</Type/Pages/Kids[3 0 R]/Count 1000000>>', 3 => '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>') },
		'nine thousand pages, said' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>', 2 => '<</Type/Pages/Kids[3 0 R]/Count 9000>>', 3 => '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>') },
		'a million pages by six nodes' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>',
			(map { my $next = $_ + 1; $_ => '<</Type/Pages/Kids[' . "$next 0 R " x 10 . ']/Count ' . 10**(8 - $_) . '>>' } 2 .. 7),
			8 => '<</Type/Page/MediaBox[0 0 9 9]>>') },
		'pages in a circle' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>', 2 => '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 100>>') },
		'a page whose parents are a circle' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>', 2 => '<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>', 3 => '<</Type/Page/Parent 3 0 R>>') },
		'a length that is itself' => sub { page_pdf('q', 4 => "<</Length 4 0 R>>stream\nq Q\nendstream") },
		'an object stream that holds itself' => sub { pdf(1 => '<</Type/Catalog/Pages 2 0 R>>', 2 => stream('2 0 3 10 <</Type/Pages>>', keys => '/Type/ObjStm/N 2/First 9')) },
		'an object stream of a billion objects' => sub { object_stream_bomb('/N 1000000000/First 5', '1 0 ') },
		'an object stream of 600 MB' => sub { object_stream_bomb('/N 10/First 100', repeated($mega, 600)) },
		'a font of 600 MB' => sub { page_pdf('BT /F 9 Tf 9 9 Td (text) Tj ET', font => '<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor 10 0 R>>',
			10 => "<<$font_file/FontFile2 11 0 R>>", 11 => stream(repeated($mega, 600), deflate => 2, keys => '/Length1 600000000')) },
		'a map of characters of 100 MB' => sub { page_pdf('BT /F 9 Tf 9 9 Td (text) Tj ET', font => '<</Type/Font/Subtype/Type1/BaseFont/A/ToUnicode 10 0 R>>',
			10 => stream(do { my $n = 0; sub { $n++ == 0 ? "begincmap\n1 begincodespacerange <00000000> <ffffffff> endcodespacerange\n" : $n < 100 ? "100 beginbfrange\n" . '<00000000> <00ffffff> <0041> ' x 33_000 . "endbfrange\n" : undef } }, deflate => 2)) },
		'widths of a billion characters' => sub { page_pdf('BT /F 9 Tf 9 9 Td (text) Tj ET', font => '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[10 0 R]>>',
			10 => '<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/W[' . '0 2147483647 1 ' x 100_000 . ']/FontDescriptor 11 0 R>>', 11 => "<<$font_file>>") },
		'a page of 10^12 points' => sub { page_pdf('BT /F 900000000 Tf 9 9 Td (text) Tj ET') =~ s/600 800/999999999999 999999999999/r },
		'an image of 10^18 pixels' => sub { page_pdf('/X Do', resources => '/XObject<</X 10 0 R>>',
			10 => stream('x', keys => '/Type/XObject/Subtype/Image/Width 1000000000/Height 1000000000/BitsPerComponent 8/ColorSpace/DeviceRGB')) },
		'a function of 10^9 samples' => sub { page_pdf('/S sh', resources => '/Shading<</S<</ShadingType 1/ColorSpace/DeviceRGB/Function 10 0 R>>>>',
			10 => stream('x' x 1000, keys => '/FunctionType 0/Domain[0 1 0 1 0 1]/Range[0 1 0 1 0 1]/Size[1000 1000 1000]/BitsPerSample 8')) },
		'a thousand filters' => sub { page_pdf('q', 4 => '<</Length 3/Filter[' . '/ASCIIHexDecode' x 1000 . "]>>stream\n41>\nendstream") },
		'50 MB of nothing' => sub { "%PDF-1.4\n" . "\n" x 52_000_000 },
		'50 MB of objects' => sub { "%PDF-1.4\n" . "1 0 obj<<>>endobj\n" x 2_800_000 },
		'cross-reference tables in a circle' => sub { page_pdf('q') =~ s/Root 1 0 R/Root 1 0 R\/Prev 15/r },
	);
}

# A file whose catalog can only be reached through an object stream.
sub object_stream_bomb
{
	my ($keys, $data) = @_;
	my $head = "%PDF-1.5\n";
	my $objects = '3 0 obj' . stream($data, deflate => 2, keys => "/Type/ObjStm$keys") . "\nendobj\n";
	my $xref = length($head) + length $objects;
	my $entries = pack('C(nC)', 0, 0, 0) . join('', map { pack 'CNC', 2, 3, $_ } 0 .. 1);
	$entries = pack('CNC', 0, 0, 0) . pack('CNC', 2, 3, 0) . pack('CNC', 2, 3, 1) . pack('CNC', 1, length $head, 0) . pack('CNC', 1, $xref, 0);
	return $head . $objects . '4 0 obj' . stream($entries, keys => '/Type/XRef/W[1 4 1]/Size 5/Root 1 0 R') . "\nendobj\nstartxref\n$xref\n%%EOF\n";
}

# A damaged copy: bytes are changed, removed, repeated or moved, numbers are enlarged, parts of another file are inserted.
sub mutated
{
	my ($file, $other) = @_;
	my $size = length $file;
	my $at = sub { int rand(1 + length $file) };
	for (1 .. 1 + int rand 8)
	{
		my $kind = int rand 9;
		my $length = int(2**rand 12);
		if ($kind == 0) { vec($file, $at->(), 8) = int rand 256 for 1 .. 1 + int rand 20 }
		elsif ($kind == 1) { substr($file, $at->(), $length, '') }
		elsif ($kind == 2) { my $from = $at->(); substr($file, $at->(), 0, substr($file, $from, $length)) }
		elsif ($kind == 3) { substr($file, $at->(), 0, substr($other, int rand(1 + length $other), $length)) }
		elsif ($kind == 4) { $file = substr($file, 0, $at->()) if rand() < 0.2 }
		elsif ($kind == 5) { substr($file, $at->(), $length, join '', map { chr int rand 256 } 1 .. $length) if $length < 64 }
		elsif ($kind == 6) { my $from = $at->(); pos($file) = $from; my $number = (0, -1, 1, 2147483647, -2147483648, 4294967296, 99999999999999999999, 65536)[rand 8]; $file =~ s/\G(.*?)\d+/$1$number/s if rand() < 0.5; substr($file, $from, 200) =~ s/\d+/$number/ }
		elsif ($kind == 7) { my @refs = $file =~ /(\d+ 0 R)/g; if (@refs) { my $ref = $refs[rand @refs]; substr($file, $at->(), 2000) =~ s/\d+ 0 R/$ref/ } }
		else { my ($one, $two) = (qw(/FlateDecode /LZWDecode /ASCII85Decode /RunLengthDecode /CCITTFaxDecode /DCTDecode /JBIG2Decode /JPXDecode /Type1 /TrueType /Type0 /Type3 /CIDFontType2 /Form /Image))[rand 15, rand 15]; substr($file, $at->()) =~ s/\Q$one\E/$two/ }
	}
	return $file;
}

1;

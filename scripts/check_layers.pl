# Checks the include graph of src against src/layers.txt, that the glue owns no C++ objects and reads values of others in one file
# alone, that kinds of fingerprints are told apart in their table alone, and that standard headers are included by those who need them.
# perl scripts/check_layers.pl SOURCE-DIRECTORY; prints each violation and exits with status 1 if there is one.
use strict;
use warnings;

use File::Find ();

my $source = shift @ARGV // 'src';
my $offences = 0;
sub offence { print @_, "\n"; $offences++ }

# folder => { folders whose headers it may include }
my %may;
open my $table, '<', "$source/layers.txt" or die "$source/layers.txt: $!\n";
while (<$table>) {
	s/#.*//;
	next unless /\S/;
	my ($folder, $allowed) = /^(\S+):\s*(.*?)\s*$/ or die "$source/layers.txt:$.: not of the form FOLDER: FOLDER…\n";
	$may{$folder} = { map { $_ => 1 } split(' ', $allowed), $folder };
}

for my $folder (sort keys %may) {
	for (grep { !$may{$_} } sort keys %{ $may{$folder} }) {
		offence("layers.txt: $folder may include $_, which is not in the table");
	}
}

# A header of PostgreSQL, in <> or "", recognized by its folder or name.
my $postgres = qr{^(?:postgres|fmgr|funcapi|miscadmin|varatt|c\.h|pg_\w+\.h|(?:access|catalog|commands|common|datatype|executor|lib|libpq|mb|
	nodes|optimizer|parser|plpgsql|port|portability|postmaster|replication|rewrite|server|statistics|storage|tcop|tsearch|utils)/)}x;
# Containers and strings whose destructors a longjmp would skip. Lines inside guarded(…), lines marked guarded: and objects of make_owned
# are allowed.
my $owning = qr/std::(?:string|vector|unique_ptr|shared_ptr|map|set|unordered_map|unordered_set|deque|list|function|optional<std::)\b(?!_view)\s*[<({ &]/;

# What reads a value without comparing its type: only given_value.hpp does.
my $reading = qr/\bconstvalue\b|\bslot_get(?:sysattr|attr|someattrs|allattrs)\b|\btts_(?:values|isnull)\b|\bSPI_get(?:binval|value)\b|
	\b(?:heap|index|fast|nocache)_?get_?attr\b|\b(?:heap|index)_deform_tuple\b|\bGetAttributeBy(?:Name|Num)\b/x;

sub check_reading
{
	my ($path) = @_;
	return if $path =~ m{/pg/base/given_value};
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		offence("$path:$.: reads a value without its type, which only pg/base/given_value.hpp does: $_") if m{^[^/]*$reading};
	}
}

# Kinds of fingerprints are told apart in the table of kinds and its rows alone: elsewhere by neither number nor name.
my $telling = qr/\bkind_(?:minhash|simhash|tlsh|lavinhash|embedding)|SketchKind::(?:minhash|simhash|tlsh|lavinhash)|
	(?:strcmp|==|!=)[^;]*"(?:minhash\w*|simhash64|tlsh|lavinhash|embedding|passages)"|\bswitch\s*\([^)]*\bkind\b(?:\.|->)number/x;
my $rows_of_kinds = qr{^(?:core/kinds/|core/sketch/layout\.hpp|pg/fingerprint/|pg/sketch/classes\.cpp|pg/base/module\.cpp)};

sub check_kinds
{
	my ($path) = @_;
	(my $file = $path) =~ s{^\Q$source\E/}{};
	return if $file =~ $rows_of_kinds;
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		offence("$file:$.: tells kinds apart, which only the table of kinds does: $_") if m{^(?:(?!//).)*$telling};
	}
}

sub check_file
{
	my ($path) = @_;
	(my $file = $path) =~ s{^\Q$source\E/}{};
	return if $file =~ m{^cli/}; # a program: it may include anything of the core
	my ($folder) = $file =~ m{^(records|\w+/\w+)/};
	return offence("$file: not in a folder of layers.txt") if !$folder || !$may{$folder};
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (my ($header) = /^\s*#\s*include\s*["<]([^">]+)[">]/) {
			if (my ($layer) = $header =~ m{^((?:core|pg)/\w+|records|cli)/}) {
				offence("$file:$.: $folder must not include $layer ($header)") if !$may{$folder}{$layer};
			} elsif ($folder !~ /^pg/ && $header =~ $postgres) {
				offence("$file:$.: the core must not know PostgreSQL ($header)");
			}
		}
		next if $folder !~ /^pg/ || m{^\s*//} || /guarded[:(]|make_owned</;
		offence("$file:$.: an object with a destructor in the glue: $_") if /using namespace std/ || $_ =~ $owning;
	}
}

File::Find::find({ no_chdir => 1, wanted => sub { check_file($_) if /\.[ch]pp$/ } }, $source);
File::Find::find({ no_chdir => 1, wanted => sub { check_kinds($_) if /\.[ch]pp$/ } }, $source);
File::Find::find({ no_chdir => 1, wanted => sub { check_reading($_) if /\.[ch]pp$/ } }, $source, glob("$source/../contrib/*/src"));

# Names that headers of one C++ library bring by the way and those of the next do not. A file includes the header of such a name
# itself or by a header of ours.
my %declares = (
	cstdint => qr/std::u?int\d+_t\b/,
	algorithm => qr/std::(?:min|max|clamp|sort|stable_sort|find|find_if|fill|fill_n|copy|copy_n|lower_bound|upper_bound|unique|equal)\(/,
	bit => qr/std::(?:bit_cast|bit_width|popcount|countr_zero|countl_zero|rotl|rotr|endian)\b/,
	limits => qr/std::numeric_limits\b/,
	numeric => qr/std::(?:iota|accumulate|gcd)\(/,
);
my (%includes, %standard, %named);
sub read_names
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	(my $text = <$in>) =~ s{//.*}{}g;
	$includes{$path} = [ map { "$source/$_" } $text =~ /^#include "([^"]+)"/mg ];
	$standard{$path} = { map { $_ => 1 } $text =~ /^#include <([^>]+)>/mg };
	$named{$path} = [ grep { $text =~ $declares{$_} } sort keys %declares ];
}
File::Find::find({ no_chdir => 1, wanted => sub { read_names($_) if /\.[ch]pp$/ } }, $source);

sub check_names
{
	my ($path) = @_;
	my (%seen, %reached);
	my @open = ($path);
	while (defined(my $file = pop @open)) {
		next if $seen{$file}++ || !$includes{$file};
		$reached{$_} = 1 for keys %{ $standard{$file} };
		push @open, @{ $includes{$file} };
	}
	offence("$path: uses names of <$_> and does not include it") for grep { !$reached{$_} } @{ $named{$path} };
}
check_names($_) for sort keys %named;

# The table must not contain a cycle; otherwise "above" and "below" would have no meaning.
my %state;
sub visit
{
	my ($folder, @path) = @_;
	return if ($state{$folder} // '') eq 'done';
	return offence("layers.txt: circle @path $folder") if ($state{$folder} // '') eq 'open';
	$state{$folder} = 'open';
	visit($_, @path, $folder) for grep { $_ ne $folder } sort keys %{ $may{$folder} };
	$state{$folder} = 'done';
}
visit($_) for sort keys %may;

exit($offences ? 1 : 0);

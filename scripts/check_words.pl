# Plain English in pages, comments and messages, and tables with a header: perl scripts/check_words.pl [ROOT]; prints each violation and exits with status 1 if there is one.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use File::Find ();

my $root     = shift @ARGV // '.';
my $offences = 0;
sub offence { print @_, "\n"; $offences++ }

# Sentences have a subject and a verb. These turns make a reader look back for the noun: "those of", "that of", "of which", "so many", "Of X, Y".
my $ellipsis = qr/\b(?:those|that) of\b|\bof (?:which|whom)\b|\bso many\b|(?:^|[.:;|] |\* )Of [^.,:|]{2,60},/;

# Words that were given up, each with the one that is used instead (docs/README.md has the meanings). "Exception" is left to C++ and PL/pgSQL.
my %retired = (
	'decided pair'   => qr/\b(?:has|apply)_exceptions\b|\bexceptions? (?:pairs?|rows?|of the user)\b|\*\*Exceptions?[.*]/i,
	'decided rows'   => qr/\bunits? (?:joins?|comes?|is compared|are compared|of rows)\b/i,
	'operator class' => qr/\bsketch class(?:es)?\b/i,
	'near-duplicate' => qr/\bnear-?dups?\b/i,
	'copy'           => qr/\bdupes?\b/i,
	'band directory' => qr/\bband index\b/i,
	'kept row'       => qr/\b(?:surviving|survivor|canonical) rows?\b/i,
	'removal'        => qr/\btombstones?\b/i);

my %files = (pages => 0, sources => 0);

sub check_line
{
	my ($place, $prose, $line, $is_page) = @_;
	if (defined $prose) { offence("$place: say which noun is meant, not \"$1\"") while $prose =~ /($ellipsis)/g }
	for my $instead (sort keys %retired)
	{
		next if $instead eq 'decided rows' && !$is_page;    # the code of core/dedup has units
		offence("$place: $instead, not \"$1\"") while $line =~ /($retired{$instead})/g;
	}
}

sub check_file
{
	my ($path) = @_;
	my $is_page = $path =~ /\.md$/;
	$files{ $is_page ? 'pages' : 'sources' }++;
	open my $in, '<', $path or die "$path: $!\n";
	my ($is_code, $before, $first) = (0, '', 0);
	while (my $line = <$in>)
	{
		chomp $line;
		if ($is_page)
		{
			$is_code = !$is_code if $line =~ /^```/;
			my $is_row = !$is_code && $line =~ /^\|/;
			offence("$path:", $. - 1, ': a table begins with a header and a line of hyphens, behind an empty line') if $first && $line !~ /^\|---/;
			$first  = $is_row && $before !~ /^\|/;
			offence("$path:$.: a table begins behind an empty line") if $first && $before ne '';
			$before = $line;
			check_line("$path:$.", $is_code ? undef : $line, $line, 1);
		}
		else
		{
			my ($comment) = $path =~ /\.sql$/ ? $line =~ /(?:--|COMMENT ON .* IS) *(.*)$/ : $line =~ m{//+ ?(.*)$};
			check_line("$path:$.", $comment, $line, 0);
		}
	}
}

# What git does not have (environments, builds) is no page of ours; archives have no git, and nothing else beside the pages.
my @pages;
File::Find::find({ no_chdir => 1, wanted => sub {
	$File::Find::prune = 1, return if -d && m{/(?:build|env|node_modules|vendor|\.git|\.ci|_deps)$};
	push @pages, $_ if /\.md$/ && !m{/bench/};
} }, $root);
check_file($_) for sort @pages, glob("$root/sql/install/*.sql $root/src/pg/*/*.?pp $root/src/cli/*.?pp $root/src/core/*/*.?pp $root/src/records/*.?pp");
# The words with a meaning of their own stand in the glossary.
{
	open my $in, '<', "$root/docs/README.md" or die "$root/docs/README.md: $!\n";
	my ($glossary) = do { local $/; <$in> } =~ /^## Words\n(.*)/ms;
	my %defined = map { $_ => 1 } map { split /, | \*|\* / } ($glossary // '') =~ /^\| ([^|]*) \|/mg;
	offence("docs/README.md: the glossary has no \"$_\"") for grep { !$defined{$_} } 'sketch', 'table', 'row', 'key', 'group', 'unit', 'mark', 'evidence', 'decided pair', 'kept row', 'removal';
}
offence("there are only $files{pages} pages and $files{sources} files of source below $root") if $files{pages} < 40 || $files{sources} < 300;

exit($offences ? 1 : 0);

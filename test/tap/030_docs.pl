# The SQL of the pages runs, in order, and gives the output that they show; the reference names every public object of the catalog;
# every object has a comment; links have targets.
#
# How a page is read: Pages.pm.
#
# TXTFP_CORPUS=<file of scripts/corpus.sh> uses real texts for the tutorial instead of generated ones.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Pages;
use Digest::MD5 ();
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Spec;
use PostgreSQL::Test::Utils;
use Test::More;

my $root          = File::Spec->rel2abs("$FindBin::RealBin/../..");
my $debian_corpus = 'e093e35ee634c4acc8dd2a997c853472';                # md5 of the descriptions of Debian 12

# A corpus for the tutorial: 800 texts of 30 to 90 words, of which every fourth is an edited copy of the one before it.
sub write_corpus
{
	my ($path) = @_;
	srand(20240301);
	my @vocabulary = map { my $n = $_ * 7919; join '', map { $n = ($n * 31 + 17) % 65521; chr(97 + $n % 26) } 0 .. 2 + $_ % 7 } 1 .. 3000;
	my $word       = sub { $vocabulary[ int(@vocabulary**rand) - 1 ] };
	open(my $file, '>', $path) or die "$path: $!\n";
	my @words;
	for my $n (1 .. 800)
	{
		if ($n % 4) { @words = map { $word->() } 1 .. 30 + int rand 61 }
		elsif ($n % 12) { splice @words, rand @words, 1, $word->() }    # else an equal text
		print $file "package-$n\t", ucfirst "@words[0 .. 5]", "\\n@words[6 .. $#words].\n";
	}
	close $file;
}

my $server    = new_server('docs');
my $directory = PostgreSQL::Test::Utils::tempdir();
my $corpus    = "$directory/corpus.copy";
$ENV{TXTFP_CORPUS} ? copy($ENV{TXTFP_CORPUS}, $corpus) || die "$ENV{TXTFP_CORPUS}: $!\n" : write_corpus($corpus);
my $is_debian = Digest::MD5::md5_hex(slurp($corpus)) eq $debian_corpus;

check_page($server, 'README.md', bare => 1);
check_page($server, 'docs/tutorial.md', bare => 1, directory => $directory, debian => $is_debian);
check_page($server, 'docs/meaning.md', bare => 1);
check_page($server, 'docs/recipes.md', sections => 1);
check_page($server, 'docs/columns.md', sections => 1, after => 'docs/recipes.md');
check_page($server, 'docs/passages.md');

# More mails than the page has, and their own texts
my ($own_text) = slurp("$root/docs/passages.md") =~ /^(CREATE FUNCTION own_text.*?^\$\$;)/ms;
$server->safe_psql('postgres', 'CREATE DATABASE mails');
$server->safe_psql('mails', "$own_text CREATE TABLE mail (body text, own text); COPY mail FROM '$root/test/tap/mails.tsv'");
is($server->safe_psql('mails', 'SELECT count(*) FROM mail WHERE own_text(body) = own'), '36', 'own texts of 36 mails');
is($server->safe_psql('mails', 'SELECT body, own_text(body) FROM mail WHERE own_text(body) <> own'), '', 'no other ones');
check_page($server, 'docs/operation.md', after => 'docs/recipes.md');
check_page($server, 'docs/review.md', after => 'docs/recipes.md');
check_page($server, 'docs/triggers.md');
check_page($server, 'docs/live_clusters.md');
check_page($server, 'docs/sketch.md');
check_page($server, 'docs/scale.md');

# The tables and functions that the examples of the reference need.
my $tables = q{
	ALTER TABLE docs ADD uid uuid DEFAULT gen_random_uuid(), ADD sh simhash64 GENERATED ALWAYS AS (to_simhash64(body)) STORED,
		ADD t tlsh GENERATED ALWAYS AS (to_tlsh(body)) STORED;
	CREATE TABLE my_pairs (a, b) AS VALUES (1, 2), (2, 3);
	CREATE TABLE archive AS SELECT id, fp FROM docs;
};
check_page($server, "docs/$_.md", after => 'docs/recipes.md', setup => $tables) for qw(reference reference_compare reference_bulk);
check_page($server, 'docs/indexing.md', after => 'docs/recipes.md',
	setup => "$tables CREATE TABLE files (id bigint PRIMARY KEY, doc bytea, fp lavinhash GENERATED ALWAYS AS (to_lavinhash(doc)) STORED)");

# ---------------------------------------------------------------------------------------------- the reference

my $reference = join "\n", map { slurp("$root/docs/$_.md") } qw(reference reference_compare reference_bulk passages);
my $code      = join "\n", $reference =~ /^```.*?^```|`[^`\n]+`|^#+ .*?$/gms;

# test/pgtap/functions.sql defines what is public.
my ($views) = slurp("$root/test/pgtap/functions.sql") =~ /^(CREATE TEMP VIEW ours AS.*?^CREATE TEMP VIEW public_ones AS.*?;)$/ms;
sub of_catalog { return split /\n/, $server->safe_psql('postgres', "$views; $_[0]") }
my $members = q{pg_depend AS d JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp' AND deptype = 'e'};

sub check_named
{
	my ($kind, $least, @names) = @_;
	cmp_ok(scalar @names, '>=', $least, "the catalog has $kind");
	is(join(', ', grep { $code !~ /(?<![\w.])\Q$_\E(?!\w)/ } @names), '', "the reference names all $kind");
}

check_named('functions', 50, of_catalog('SELECT DISTINCT proname FROM public_ones ORDER BY 1'));
check_named('aggregates', 5, of_catalog("SELECT DISTINCT proname FROM pg_proc AS o JOIN $members ON objid = o.oid AND classid = 'pg_proc'::regclass WHERE prokind = 'a' ORDER BY 1"));
check_named('types', 10, of_catalog("SELECT typname FROM pg_type AS o JOIN $members ON objid = o.oid AND classid = 'pg_type'::regclass WHERE typelem = 0 OR typlen > 0 ORDER BY 1"));
check_named('operator classes', 7,
	of_catalog("SELECT opcname FROM pg_opclass AS o JOIN $members ON objid = o.oid AND classid = 'pg_opclass'::regclass JOIN pg_am ON pg_am.oid = opcmethod WHERE amname NOT IN ('btree', 'hash') ORDER BY 1"));
check_named('configuration parameters', 5, of_catalog("LOAD 'txtfp'; SELECT name FROM pg_settings WHERE name LIKE 'txtfp.%' ORDER BY 1"));

# Operators are in the sections of their types, which begin with "Types: `type`".
my %section;
for my $text (split /^#+ /m, $reference)
{
	my ($types) = $text =~ /^Types: (.*)$/m or next;
	$section{$_} .= $text for $types =~ /`(\w+)`/g;
}
my @operators = of_catalog(
	"SELECT DISTINCT oprname || ' ' || oprleft::regtype FROM pg_operator AS o JOIN $members ON objid = o.oid AND classid = 'pg_operator'::regclass WHERE oprleft::regtype::text !~ 'probe' ORDER BY 1");
cmp_ok(scalar @operators, '>', 30, 'the catalog has operators');
is(join(', ', grep { my ($name, $type) = split / /; ($section{$type} // '') !~ /`(?:\w+ )?\Q$name\E(?: \w+)?`/ } @operators), '', 'the reference names all operators, with their types');

my @silent = of_catalog(qq{
	SELECT pg_describe_object(classid, objid, 0) FROM $members
	WHERE obj_description(objid, classid::regclass::name) IS NULL
		AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type WHERE oid = objid AND typcategory = 'A'))
	ORDER BY 1});
is(join("\n", @silent), '', 'every object has a comment');

# The reverse: every function named in the tables of the reference exists.
my %exists = map { $_ => 1 } of_catalog("SELECT DISTINCT proname FROM pg_proc");
my @calls = map { /`(\w+)\(/g } grep { /^\| `/ } split /\n/, $reference;
cmp_ok(scalar @calls, '>', 40, 'the reference has functions');
is(join(', ', grep { !$exists{$_} } @calls), '', 'no function of the reference is missing in the catalog');

# ---------------------------------------------------------------------------------------------- errors
# Every code that the source raises is on the page, and every example raises its code.

my %errors = map { $_->[1] => $_ } map { [ split / *\| */, $_, 5 ] } grep { /^\| \w{5} \|/ } split /\n/, slurp("$root/docs/errors.md");
my %code_of;
chomp(my $share = qx{$ENV{PG_CONFIG} --sharedir});
for (split /\n/, slurp("$share/errcodes.txt"))
{
	$code_of{$2} = [ $1, $3 // '' ] if /^(\w{5})\s+[EWS]\s+(ERRCODE_\w+)(?:\s+(\w+))?/;
}
my %raised = map { $_ => 1 } map { slurp($_) =~ /\b(ERRCODE_\w+)/g } glob("$root/src/pg/*/*.?pp");
cmp_ok(scalar keys %raised, '>', 20, 'the source raises errors');
is(join(', ', sort map { $code_of{$_}[0] } keys %raised), join(', ', sort keys %errors), 'the page of errors has every code of the source, and no other');
for my $code (sort keys %errors)
{
	my (undef, undef, undef, $example) = @{ $errors{$code} };
	my ($query) = $example =~ /^`(.*)`/ or next;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY verbose\n$query;");
	like($err, qr/ERROR:  $code:/, "$code: $query");
}

# ---------------------------------------------------------------------------------------------- links

sub anchors
{
	my ($path) = @_;
	my $text = slurp($path) =~ s/^```.*?^```//gmsr;
	return map { (lc $_) =~ s/[^\w\- ]//gr =~ s/ /-/gr => 1 } $text =~ /^#+ (.*)$/mg;
}

my @dead;
for my $page (glob("$root/*.md $root/docs/*.md $root/{src,test,contrib,clients}/*/README.md $root/src/*/*/README.md $root/test/README.md"))
{
	my $text = slurp($page) =~ s/^```.*?^```|`[^`\n]*`//gmsr;
	for my $link ($text =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^\w+:/;
		my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)/;
		my $target = $path eq '' ? $page : dirname($page) . "/$path";
		push @dead, "$page: $link" unless -e $target && ($anchor eq '' || { anchors($target) }->{$anchor});
	}
}
is(join("\n", @dead), '', 'all links lead to a page and a heading');

# ---------------------------------------------------------------------------------------------- the list of pages

my $list        = slurp("$root/docs/README.md");
my %question_of = $list =~ /^\| \[[^\]]*\]\((\w+\.md)\) \| (.*) \|$/mg;
my @pages       = grep { $_ ne 'README.md' } map { basename($_) } glob("$root/docs/*.md");
my %lines       = map { $_ => scalar(() = slurp("$root/docs/$_") =~ /\n/g) } @pages;
is(join(' ', grep { $lines{$_} > 300 } sort keys %lines), '', 'no page has more than 300 lines: divide it by its questions');
is(join(' ', sort keys %question_of), join(' ', sort @pages), 'docs/README.md lists every page once');
is(join(' ', grep { slurp("$root/docs/$_") !~ /^# [^\n]*\n\n\*\Q$question_of{$_}\E\*\n/ } sort keys %question_of), '', 'each page begins with the question under which it is listed');

# Where the answer to each of the ten questions leads, there are the words that answer it.
my %words = (
	'Which index do I create?'                                  => qr/no row is missed/,
	'How do I search within a tenant?'                          => qr/USING sketch \(tenant, fp\)/,
	'What does 0.8 mean?'                                       => qr/0\.8/,
	'Which of two similar rows can go?'                         => qr/decided by\s+what distinguishes them/,
	'How do I undo a deletion?'                                 => qr/Undo takes rows back/,
	'How do I keep duplicates out?'                             => qr/raises error 23505/,
	'What is lost with compact sketches?'                       => qr/Unions/,
	'Why is my index not used?'                                 => qr/what you see \| why/,
	'How long does a million rows take, and a hundred million?' => qr/million rows/,
	'Is the extension safe where strangers write?'              => qr/runs as|superuser/);
my %answers = $list =~ /^\| ([^|]*\?) \| [^|]*?\]\(([^)]*)\)[^|]*\|$/mg;
delete $answers{$_} for grep { $answers{$_} !~ /\.md/ } keys %answers;
is(join("\n", sort keys %answers), join("\n", sort keys %words), 'docs/README.md answers ten questions');

# A heading and what follows it up to the next heading of its level or above
sub section
{
	my ($path, $anchor) = @_;
	my @lines = split /\n/, slurp($path);
	return join "\n", @lines if $anchor eq '';
	my ($level, @section);
	for (@lines)
	{
		my ($marks, $heading) = /^(#+) (.*)$/;
		last if $level && $marks && length $marks <= $level;
		$level = length $marks if !$level && $marks && (lc $heading) =~ s/[^\w\- ]//gr =~ s/ /-/gr eq $anchor;
		push @section, $_ if $level;
	}
	return join "\n", @section;
}
for my $question (sort keys %words)
{
	my ($path, $anchor) = $answers{$question} =~ /^([^#]*)#?(.*)/;
	like(section("$root/docs/$path", $anchor), $words{$question}, "$question $answers{$question}");
}

# Pictures are drawn by a script, that of the architecture from the table of layers. Figures between comments come from bench/results.md.
SKIP:
{
	skip 'there is no python3', 2 if system('command -v python3 >/dev/null');
	is(scalar qx{python3 "$root/docs/pictures/draw.py" --check 2>&1}, '', 'the pictures are those that docs/pictures/draw.py draws');
	is(scalar qx{python3 "$root/bench/figures.py" --check 2>&1}, '', 'the figures of the pages are those of bench/results.md');
}

$server->stop;
done_testing();

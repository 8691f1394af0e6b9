# The pages say what is so: their SQL runs, in order, and gives what they show; the reference names every public object of
# the catalog, and every object has a comment; links lead somewhere.
#
# How a page is read:
#   ```sql                     is run; ON_ERROR_STOP
#   ```text, right behind it   is what it prints
#   SELECT …;  -- 42           gives 42; a colon may follow it
#   -- ERROR:  … in it         is an error that it ends with; so are -- DETAIL: and -- HINT:
#   <!-- not run: why -->      before a block: it is not
#   <!-- Debian 12 -->         before a ```text: the answer for that corpus; for another one, only the columns are compared
#
# TXTFP_CORPUS=<file of scripts/corpus.sh> takes real texts for the tutorial instead of made-up ones.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Digest::MD5 ();
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Spec;
use PostgreSQL::Test::Utils;
use Test::More;

my $root          = File::Spec->rel2abs("$FindBin::RealBin/../..");
my $debian_corpus = 'e093e35ee634c4acc8dd2a997c853472';                # md5 of the descriptions of Debian 12

sub slurp { open(my $file, '<', $_[0]) or die "$_[0]: $!\n"; local $/; return scalar <$file> }

# The SQL blocks of a page, each with the heading it is under (numbered from 1; 0: before the first ##).
sub blocks
{
	my ($page) = @_;
	my @lines = split /\n/, slurp("$root/$page");
	my (@blocks, $skip, $debian, $fence, @text);
	my ($section, $after) = (0, '');    # what the last fence was, while nothing but blank lines and comments followed
	for my $n (1 .. @lines)
	{
		my $line = $lines[ $n - 1 ];
		if (!defined $fence && $line =~ /^```(.*)/)
		{
			($fence, @text) = ($1);
		}
		elsif (defined $fence && $line eq '```')
		{
			if ($fence eq 'sql')
			{
				push @blocks, { section => $section, sql => join("\n", @text), name => "$page:" . ($n - @text), skip => $skip };
			}
			elsif ($fence eq 'text' && $after eq 'sql')
			{
				@{ $blocks[-1] }{ 'result', 'debian' } = (join("\n", @text), $debian);
			}
			($after, $skip, $debian, $fence) = ($fence);
		}
		elsif (defined $fence) { push @text, $line }
		elsif ($line =~ /^<!-- (not run: .*|Debian 12) -->$/) { $1 eq 'Debian 12' ? ($debian = 1) : ($skip = $1) }
		elsif ($line ne '')
		{
			$section++ if $line =~ /^## /;
			$after = '';
		}
	}
	return @blocks;
}

# Runs blocks in one session, like a reader with psql; each gets {output}, as far as it came.
sub run_blocks
{
	my ($server, $database, $directory, @blocks) = @_;
	my $script = "\\set ON_ERROR_STOP on\nSET client_min_messages = warning;\n";
	for my $n (0 .. $#blocks)
	{
		my $stop = $blocks[$n]{sql} =~ /^-- ERROR:/m ? 'off' : 'on';
		$script .= "\\echo \@block $n\n\\set ON_ERROR_STOP $stop\n$blocks[$n]{sql}\n";
	}
	$script .= "\\echo \@block end\n";
	my $output = '';
	IPC::Run::run([ 'psql', '-Xq', '-P', 'pager=off', '-d', $server->connstr($database) ],
		'<', \$script, '>&', \$output, init => sub { chdir $directory or die });
	while ($output =~ /^\@block (\d+)\n(.*?)(?=^(\@block )|\z)/gms)
	{
		@{ $blocks[$1] }{ 'output', 'finished' } = ($2, defined $3);
	}
}

sub tidy
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//gm;
	$text =~ s/\A\n+|\n+\z//g;
	return $text;
}

sub check_block
{
	my ($block, $is_debian) = @_;
	my $name   = $block->{name};
	my $output = tidy($block->{output} // '');
	if (my @errors = $block->{sql} =~ /^-- ((?:ERROR|DETAIL|HINT):.*)$/mg)
	{
		my $told = join '|', map { /^(\w+)/ } @errors;
		is(join("\n", $output =~ /^((?:$told):.*)$/mg), join("\n", @errors), "$name: fails as it says");
	}
	else
	{
		ok($block->{finished}, "$name: runs") or diag($output);
	}
	if (my @values = $block->{sql} =~ /^SELECT.*; +-- (.*)$/mg)
	{
		my @given = $output =~ /^-+\n *(.*)\n\(1 row\)$/mg;
		s/: .*// for @values;    # a remark
		splice @given, @values if @given > @values;
		is("@given", "@values", "$name: gives what it says");
	}
	return unless defined $block->{result};
	my $result = tidy($block->{result});
	($output, $result) = map { /^(.*)/ && $1 =~ s/ +/ /gr } $output, $result if $block->{debian} && !$is_debian;
	is($output, $result, "$name: gives what it shows");
}

# Runs a page in one database, or each ## of it in a copy of the database that its beginning leaves; after the beginning of
# another page, and after a setup.
sub check_page
{
	my ($server, $page, %options) = @_;
	my $directory = $options{directory} // $root;
	my @all       = blocks($page);
	my %installed = map { $_ => 1 } split /\n/, $server->safe_psql('postgres', 'SELECT name FROM pg_available_extensions');
	for (@all)
	{
		$_->{skip} //= "$1 is not installed" if $_->{sql} =~ /CREATE EXTENSION (?:IF NOT EXISTS )?(\w+)/ && !$installed{$1};
	}
	my @blocks    = grep { !$_->{skip} } @all;
	my @before    = $options{after} ? grep { $_->{section} == 0 } blocks($options{after}) : ();
	note("$_->{name}: $_->{skip}") for grep { $_->{skip} } @all;
	cmp_ok(scalar @blocks, '>', 0, "$page: has SQL");

	my %in;
	push @{ $in{ $options{sections} ? $_->{section} : 0 } }, $_ for @blocks;
	$server->safe_psql('postgres', 'CREATE DATABASE page');
	$server->safe_psql('page',     'CREATE EXTENSION txtfp') unless $options{bare};
	run_blocks($server, 'page', $directory, @before);
	$server->safe_psql('page', $options{setup}) if $options{setup};
	run_blocks($server, 'page', $directory, @{ delete $in{0} // [] });
	for my $section (sort { $a <=> $b } keys %in)
	{
		$server->safe_psql('postgres', 'CREATE DATABASE section TEMPLATE page');
		run_blocks($server, 'section', $directory, @{ $in{$section} });
		$server->safe_psql('postgres', 'DROP DATABASE section');
	}
	check_block($_, $options{debian}) for @blocks;
	$server->safe_psql('postgres', 'DROP DATABASE page');
}

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
		elsif ($n % 12) { splice @words, rand @words, 1, $word->() }    # else a twin
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
check_page($server, 'docs/recipes.md', sections => 1);
check_page($server, 'docs/faq.md', after => 'docs/recipes.md');
check_page($server, 'docs/triggers.md');
check_page($server, 'docs/sketch.md');

# What the examples of the reference presume.
my $tables = q{
	ALTER TABLE docs ADD uid uuid DEFAULT gen_random_uuid(), ADD sh simhash64 GENERATED ALWAYS AS (to_simhash64(body)) STORED,
		ADD t tlsh GENERATED ALWAYS AS (to_tlsh(body)) STORED;
	CREATE TABLE pages AS SELECT id AS doc_id, 1 AS page_no, body FROM docs;
	CREATE TABLE documents AS SELECT lo_from_bytea(0, convert_to(body, 'UTF8')) AS oid, length(body) AS size FROM docs;
	CREATE TABLE my_pairs (a, b) AS VALUES (1, 2), (2, 3);
};
check_page($server, 'docs/reference.md', after => 'docs/recipes.md', setup => $tables);
check_page($server, 'docs/indexing.md', after => 'docs/recipes.md',
	setup => "$tables CREATE TABLE files (id bigint PRIMARY KEY, doc bytea, fp lavinhash GENERATED ALWAYS AS (to_lavinhash(doc)) STORED)");

# ---------------------------------------------------------------------------------------------- the reference

my $reference = slurp("$root/docs/reference.md");
my $code      = join "\n", $reference =~ /^```.*?^```|`[^`\n]+`|^#+ .*?$/gms;

# What is public is said in one place.
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

# Operators have names of their own in each type's section.
my %section = map { /^(.*)/; my $text = $_; map { $_ => $text } $1 =~ /\w+/g } split /^## /m, $reference;
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

# The other way round: what the tables of the reference call a function is one.
my %exists = map { $_ => 1 } of_catalog("SELECT DISTINCT proname FROM pg_proc");
my @calls = map { /`(\w+)\(/g } grep { /^\| `/ } split /\n/, $reference;
cmp_ok(scalar @calls, '>', 40, 'the reference has functions');
is(join(', ', grep { !$exists{$_} } @calls), '', 'no function of the reference is missing in the catalog');

# ---------------------------------------------------------------------------------------------- links

sub anchors
{
	my ($path) = @_;
	my $text = slurp($path) =~ s/^```.*?^```//gmsr;
	return map { (lc $_) =~ s/[^\w\- ]//gr =~ s/ /-/gr => 1 } $text =~ /^#+ (.*)$/mg;
}

my @dead;
for my $page (glob("$root/*.md $root/docs/*.md"))
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

$server->stop;
done_testing();

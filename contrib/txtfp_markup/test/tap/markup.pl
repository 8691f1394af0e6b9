# Conversions in a server: cancelled and timed out at any moment without leaking memory, dumped and restored with generated
# columns. Also runs the SQL of README.md on the pages of Debian's package sqlite3-doc and compares its output.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $server = new_server('markup');
$server->safe_psql('postgres', q{
	CREATE EXTENSION txtfp_markup;
	CREATE TABLE large AS SELECT
		(SELECT string_agg(format('<div><p>word %s <b>bold</b> <a href="/%s">link</a><table><tr><td>a<td>b</table></div>', i, i), '') FROM generate_series(1, 150000) AS i) AS html,
		(SELECT string_agg(format(E'# head %s\n\n* item *em* [l](/u) `c`\n\n> quote\n\n', i), '') FROM generate_series(1, 150000) AS i) AS markdown});

# ---------------------------------------------------------------------------------------------- cancel, memory

my %call = (html_to_text => 'html', html_to_plain_text => 'html', markdown_to_text => 'markdown');
for my $function (sort keys %call)
{
	for my $milliseconds (20, 60, 150)
	{
		my $started = time;
		my (undef, undef, $err) = $server->psql('postgres',
			"SET statement_timeout = $milliseconds; SELECT length($function(repeat($call{$function}, 5))) FROM large");
		like($err, qr/canceling statement due to statement timeout/, "$function: stopped after $milliseconds ms");
		cmp_ok(time - $started, '<', 8 + patience($server), "$function: at once");
	}
}

# Errors and cancels in one session, then its memory: lexbor and MD4C do not allocate in memory contexts.
my $rss = q{SELECT (regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmRSS:\s+(\d+)'))[1]};
my $round = q{
	DO $$ BEGIN PERFORM html_to_text(repeat('<div>', 20000)); EXCEPTION WHEN program_limit_exceeded THEN END $$;
	DO $$ BEGIN PERFORM html_to_plain_text(string_agg(format('<p><font a=%s>', i), '')) FROM generate_series(1, 6000) AS i; EXCEPTION WHEN program_limit_exceeded THEN END $$;
	SET statement_timeout = 40;
	DO $$ BEGIN PERFORM html_to_text(html) FROM large; EXCEPTION WHEN query_canceled THEN END $$;
	DO $$ BEGIN PERFORM markdown_to_text(repeat(markdown, 8)) FROM large; EXCEPTION WHEN query_canceled THEN END $$;
	SET statement_timeout = 0;
};
my @memory = split /\n/, $server->safe_psql('postgres', "$round $rss; " . ($round x 20) . " $rss");
cmp_ok($memory[1] - $memory[0], '<', 80_000, "eighty failures keep no memory ($memory[0] kB, then $memory[1] kB)");

# The memory of a conversion stays within the limit of Budget.
my ($peak) = $server->safe_psql('postgres', q{
	SELECT length(html_to_text(html)) > 0 FROM large;
	SELECT (regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmHWM:\s+(\d+)'))[1]::numeric * 1024 / (SELECT octet_length(html) FROM large)}) =~ /([\d.]+)$/;
cmp_ok($peak, '<', 100, "a page of many small elements takes less than 100 times its size (it took $peak)");

# ---------------------------------------------------------------------------------------------- dump and restore

$server->safe_psql('postgres', q{
	CREATE TABLE pages (id int, page text, md text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(html_to_plain_text(page))) STORED,
		md_fp simhash64 GENERATED ALWAYS AS (to_simhash64(markdown_to_text(md))) STORED);
	INSERT INTO pages SELECT i, '<p>the page number ' || i || ' of some words <i>here</i>', '* item ' || i || ' of *words*' FROM generate_series(1, 50) AS i;
	CREATE INDEX ON pages (html_to_text(page));
	CREATE DATABASE copy});
my $sums = 'SELECT md5(string_agg(fp::text || md_fp, chr(10) ORDER BY id)) FROM pages';
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$server->command_ok([ 'pg_dump', '-t', 'pages', '--extension=*', '-f', $dump, $server->connstr('postgres') ], 'dumped');
$server->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $server->connstr('copy') ], 'restored');
is($server->safe_psql('copy', $sums), $server->safe_psql('postgres', $sums), 'the same fingerprints');

# ---------------------------------------------------------------------------------------------- the page

# Blocks of SQL with the result shown directly after them.
sub blocks_of
{
	my ($path) = @_;
	open(my $file, '<', $path) or die "$path: $!\n";
	local $/;
	my $text = <$file>;
	my @blocks;
	while ($text =~ /^```sql\n(.*?)^```\n(?:\n*```text\n(.*?)^```\n)?/gms) { push @blocks, { sql => $1, result => $2 } }
	return @blocks;
}

SKIP:
{
	skip 'the package sqlite3-doc is not installed', 1 unless -f '/usr/share/doc/sqlite3/about.html';
	my @blocks = blocks_of("$FindBin::RealBin/../../README.md");
	cmp_ok(scalar @blocks, '>', 2, 'the page has SQL');
	$server->safe_psql('postgres', 'CREATE DATABASE page');
	my $script = "SET client_min_messages = warning;\n";
	$script .= "\\echo \@block $_\n$blocks[$_]{sql}\n" for 0 .. $#blocks;
	my $shown_pages = `dpkg-query -W -f '\${Version}' sqlite3-doc 2>&1` =~ /^3\.40\.1\b/;
	my $output = '';
	IPC::Run::run([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-P', 'pager=off', '-d', $server->connstr('page') ], '<', \$script, '>&', \$output);
	my %given = $output =~ /^\@block (\d+)\n(.*?)(?=^\@block |\z)/gms;
	for my $n (0 .. $#blocks)
	{
		my ($first) = $blocks[$n]{sql} =~ /^(.*)/;
		next unless ok(defined $given{$n}, "block runs: $first") or diag($output);
		unlike($given{$n}, qr/^(?:psql:.*)?ERROR:/m, 'without an error') or diag($given{$n});
		next unless defined $blocks[$n]{result};
	  SKIP:
		{
			skip 'the page shows results of version 3.40.1 of sqlite3-doc', 1 unless $shown_pages;
			my ($is, $shown) = map { s/[ \t]+$//gmr =~ s/\A\n+|\n+\z//gr } $given{$n}, $blocks[$n]{result};
			is($is, $shown, 'and gives what the page shows');
		}
	}
}

done_testing();

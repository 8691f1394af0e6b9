# Compares the server with the program: binary COPY, and clusters.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap", $FindBin::RealBin;
use TxtfpTest;
use CliTest;
use Test::More;

my $server = new_server('cli');
my @texts = map { words(8 + $_ % 50) } 1 .. 400;
push @texts, map { document($texts[$_], 1) } 20 .. 120;
push @texts, 'Ünïcode \\ and 漢字, “quoted” ﬁne', '', '...', 'x' x 100;
put('docs.tsv', join '', map { my $t = $texts[$_]; $t =~ s/\\/\\\\/g; ($_ + 1) . "\t$t\n" } 0 .. $#texts);
my $here = do { require Cwd; Cwd::getcwd() };
chmod 0755, $here;
$server->safe_psql('postgres', "CREATE TABLE docs (id bigint PRIMARY KEY, body text NOT NULL); COPY docs FROM '$here/docs.tsv'");

my %made = (
	(map { ($_ => "to_$_(body)") } qw(minhash64 minhash128 minhash256 minhash64_compact minhash128_compact minhash256_compact simhash64 tlsh)),
	lavinhash => "to_lavinhash(convert_to(body, 'UTF8'))");
for my $kind (sort keys %made)
{
	for my $case ([ 'bigint', 'id' ], [ 'integer', 'id::integer' ], [ 'text', 'id::text' ])
	{
		my ($type, $id) = @$case;
		my ($status, undef, $err) = txtfp('', 'fingerprint', '-q', '-k', $kind, '-t', 'copy', '--id-type', $type, '-o', 'fp.bin', 'docs.tsv');
		is("$status$err", '0', "$kind as COPY, id $type");
		$server->safe_psql('postgres',
			"DROP TABLE IF EXISTS fps; CREATE TABLE fps (id $type, fp $kind); COPY fps FROM '$here/fp.bin' (FORMAT binary)");
		is($server->safe_psql('postgres',
			"SELECT count(*), count(*) FILTER (WHERE f.fp IS DISTINCT FROM $made{$kind}) FROM docs d FULL JOIN fps f ON f.id = d.$id"),
			scalar(@texts) . '|0', "$kind: the same as the server's, id $type");
		$server->safe_psql('postgres', "COPY (SELECT $id, $made{$kind} FROM docs ORDER BY docs.id) TO '$here/server.bin' (FORMAT binary)");
		is(get('fp.bin') eq get('server.bin'), 1, "$kind: the very bytes, id $type");
	}
	is((txtfp('', 'fingerprint', '-k', $kind, '--no-header', 'docs.tsv'))[1],
		$server->safe_psql('postgres', "COPY (SELECT id, $made{$kind} FROM docs ORDER BY id) TO STDOUT") . "\n", "$kind as text");
}
is((txtfp("{\"id\":\"{A0EEBC99-9C0B4EF8BB6D-6BB9BD380A11}\",\"text\":\"a b\"}\n", 'fingerprint', '-t', 'copy', '--id-type', 'uuid', '-o', 'u.bin'))[0], 0, 'uuid');
$server->safe_psql('postgres', "CREATE TABLE u (id uuid, fp minhash128); COPY u FROM '$here/u.bin' (FORMAT binary)");
is($server->safe_psql('postgres', "SELECT id, fp = to_minhash128('a b') FROM u"), 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|t', 'uuid');

# Files in each format of COPY, and what SQL reads of a file of JSON Lines by the recipe of docs/cli.md
my $simhashes = $server->safe_psql('postgres', 'COPY (SELECT id, to_simhash64(body) FROM docs ORDER BY id) TO STDOUT') . "\n";
for my $case ([ 'tsv', '(FORMAT text)' ], [ 'tsv', '(FORMAT text, DELIMITER $$,$$)', '--delimiter', ',' ], [ 'csv', '(FORMAT csv)' ], [ 'csv', '(FORMAT csv, HEADER)', '--header', '--text', 'body' ],
	[ 'csv', '(FORMAT csv, FORCE_QUOTE *)' ], [ 'csv', '(FORMAT csv, DELIMITER $$;$$)', '--delimiter', ';' ])
{
	my ($suffix, $how, @options) = @$case;
	$server->safe_psql('postgres', "COPY (SELECT id, body FROM docs ORDER BY id) TO '$here/copied.$suffix' $how");
	is((txtfp('', 'fingerprint', '-q', '--no-header', '-k', 'simhash64', @options, "copied.$suffix"))[1], $simhashes, "written by COPY $how");
}
$server->safe_psql('postgres', "COPY (SELECT json_build_object('id', id, 'text', body, 'n', 1e400::numeric) FROM docs ORDER BY id) TO '$here/copied.jsonl' (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')");
is((txtfp('', 'fingerprint', '-q', '--no-header', '-k', 'simhash64', 'copied.jsonl'))[1], $simhashes, 'JSON Lines written by COPY');
system('zstd -q copied.jsonl') == 0 or die;
chmod 0644, 'copied.jsonl.zst';
is($server->safe_psql('postgres', "CREATE TEMP TABLE lines (line jsonb); COPY lines FROM PROGRAM 'zstd -dc $here/copied.jsonl.zst' (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02');
	COPY (SELECT line->>'id', to_simhash64(line->>'text') FROM lines ORDER BY (line->>'id')::bigint) TO STDOUT") . "\n", $simhashes, 'JSON Lines read by COPY');

# The page for review: from the same rows the same page
my $plan = q{SELECT d.id, d.kept, a.body AS text, b.body AS kept_text, d.outcome, d.reason, d.similarity, d.jaccard, d.signals
	FROM deduplicate('SELECT id, to_minhash128(body), body FROM docs', 0.5, verify => 'jaccard', signals => true, guard => 'number') AS d JOIN docs AS a ON a.id = d.id JOIN docs AS b ON b.id = d.kept};
$server->safe_psql('postgres', "CREATE TABLE plan AS $plan");
my $header = join("\t", qw(id kept text kept_text outcome reason similarity jaccard signals)) . "\n";
put('plan.tsv', $header . $server->safe_psql('postgres', 'COPY plan TO STDOUT') . "\n");
my ($review_status, $review, $review_err) = txtfp('', 'review', '-q', 'plan.tsv');
is("$review_status$review_err", '0', 'review');
my $page = $server->safe_psql('postgres', q{SELECT review_page('SELECT * FROM plan')});
is($review eq "$page\n" || $review eq $page, 1, 'the page of the program is that of the server');
cmp_ok(length $page, '>', 100000, 'and has pairs');
is((txtfp('', 'review', '-q', '--pairs', 20, '--seed', 5, '--title', 'Twenty', 'plan.tsv'))[1] =~ s/\s+\z//r,
	$server->safe_psql('postgres', q{SELECT review_page('SELECT * FROM plan', 'Twenty', 20, 5)}) =~ s/\s+\z//r, 'a sample, too');

for my $case ([ 'minhash128', '--threshold', '0.6' ], [ 'minhash256', '--threshold', '0.7' ], [ 'minhash128_compact', '--threshold', '0.6' ], [ 'simhash64', '--max-distance', '6' ])
{
	my ($kind, $option, $bound) = @$case;
	my $query = "'SELECT id, $made{$kind} FROM docs', " . ($kind eq 'simhash64' ? 'max_distance' : 'threshold') . " => $bound";
	for my $mode ('components', 'star')
	{
		is((txtfp('', 'clusters', '--no-header', '--mode', $mode, '-k', $kind, $option, $bound, 'docs.tsv'))[1],
			$server->safe_psql('postgres', "COPY (SELECT id, cluster, size FROM near_duplicate_clusters($query, mode => '$mode') ORDER BY id) TO STDOUT") . "\n",
			"clusters of $kind, $mode: as the server's");
	}
	my (undef, $pairs) = txtfp('', 'pairs', '--no-header', '-k', $kind, $option, $bound, 'docs.tsv');
	$pairs =~ s/\t[^\t\n]*$//mg;
	is($pairs, $server->safe_psql('postgres', "COPY (SELECT a, b FROM near_duplicate_pairs($query) ORDER BY a, b) TO STDOUT") . "\n",
		"pairs of $kind: as the server's");
}

# Decisions: as the server's, row by row
for my $case ([ 'jaccard', 0.6, 'symbol, first_line, two_sided, repeated, neighbours' ], [ 'containment', 0.7, 'number' ], [ 'jaccard', 0.7, 'scope' ], [ 'lossless', 0, 'name, scope' ])
{
	my ($verify, $least, $guard) = @$case;
	my $rounded = sub { join "\n", map { join "\t", map { /^\d*\.\d+$/ ? sprintf('%g', $_) : $_ } split /\t/ } split /\n/, $_[0] };
	is($rounded->((txtfp('', 'dedup', '-q', '--no-header', '--threshold', '0.6', '--verify', $verify, '--verify-threshold', $least, '--guard', $guard, 'docs.tsv'))[1]),
		$rounded->($server->safe_psql('postgres', "COPY (SELECT id, kept, outcome, reason, similarity, jaccard, containment, kept_containment, neighbours, kept_neighbours, score FROM deduplicate('SELECT id, to_minhash128(body), body FROM docs', 0.6, verify => '$verify', verify_threshold => $least, guard => '$guard') ORDER BY id) TO STDOUT")),
		"dedup, $verify, $guard: as the server's deduplicate");
}

# ---- --memory limits the program: with little address space it works with 64 MB, and fails without a limit
srand 7;
put('many.txt', join '', map { join(' ', map { int rand 1_000_000 } 1 .. 9) . "\n" } 1 .. 50_000);
for my $case ([ '64MB', qr/^$/, 'in 200 MB of address space' ], [ '2GB', qr/^txtfp: out of memory$/, 'which a larger --memory does not leave alone' ])
{
	my ($memory, $expected, $name) = @$case;
	# without the variable, each thread reserves address space that it does not use
	my $err = qx{ulimit -v 200000; MALLOC_ARENA_MAX=1 '$ENV{TXTFP}' clusters --quiet --format lines --kind minhash256 --threads 2 --memory $memory many.txt -o many.tsv 2>&1};
	like($err, $expected, "50,000 sketches of 2 KB with --memory $memory, $name");
}

done_testing();

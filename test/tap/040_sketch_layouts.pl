# Indexes USING sketch that another version has written: one that has the TIDs of a group behind its first fields, and says so in the metapage. They are searched,
# checked, written and vacuumed like those of this version, and REINDEX makes them like those.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;

my $server = new_server('layouts', damaged => 1, conf => "fsync = off\nmax_parallel_maintenance_workers = 0\n");
my %size = (m256 => [ 32, 4 ], m128 => [ 16, 4 ], c64 => [ 8, 4 ], s => [ 8, 1 ], t => [ 35, 1 ], l => [ 147, 1 ]); # of a field of the first page, and how many
my @columns = sort keys %size;
my $columns = join ', ', @columns;
$server->safe_psql('postgres', qq{
	CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
		SELECT string_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100 ELSE n / 8 * 100000 END + i || '', ' ') FROM generate_series(1, 60) AS i \$\$;
	CREATE FUNCTION rows_of(first int, last int) RETURNS TABLE (id int, part int, m256 minhash256, m128 minhash128, c64 minhash64_compact, s simhash64, t tlsh, l lavinhash) LANGUAGE sql AS \$\$
		SELECT n, n % 7, to_minhash256(w, 'word-uax29'), to_minhash128(w, 'word-uax29'), to_minhash64(w, 'word-uax29')::minhash64_compact, to_simhash64(w), to_tlsh(w), to_lavinhash(convert_to(w, 'UTF8'))
		FROM generate_series(first, last) AS n, LATERAL (SELECT words(n) OFFSET 0) AS x (w) \$\$;
	CREATE TABLE docs AS SELECT * FROM rows_of(1, 9000);
	INSERT INTO docs (id, part) SELECT -n, n % 7 FROM generate_series(1, 50) AS n;
	CREATE TABLE probes AS SELECT * FROM docs WHERE id IN (17, 900, 4003, 9005);
	@{[ map { "CREATE INDEX docs_$_ ON docs USING sketch (@{[ $_ =~ /[sl]/ ? 'part, ' : '' ]}$_);" } @columns ]}
	CHECKPOINT});
is($server->safe_psql('postgres', q{SELECT string_agg((tables > 0)::text, ' ') FROM unnest('{docs_m256,docs_m128}'::regclass[]) AS i, fingerprint_index_info(i)}), 'true true', 'some have a band directory');

# ---- the pages as the other version has them

sub move_tids
{
	my ($bytes, $field, $fields) = @_;
	my ($rows, $nulls, $tids, $keys, $first) = unpack 'v5', substr $bytes, 56, 10;
	my ($tid_bytes, $field_bytes) = (6 * $rows, $field * $fields * $rows);
	my $gap = $field_bytes % 2; # TIDs are aligned
	is($first, $tids + $tid_bytes, 'the fields follow the TIDs');
	substr $bytes, 60, 2, pack 'v', $tids + $field_bytes + $gap;
	substr $bytes, 64, 2, pack 'v', $tids;
	for my $block (1 .. length($bytes) / 8192 - 1)
	{
		my ($page, $kind) = unpack 'vv', substr $bytes, 8192 * $block + 8192 - 12, 4;
		next if $page != 0 || $kind != 2; # the first page of a group
		my $at = 8192 * $block + $tids;
		substr $bytes, $at, $tid_bytes + $field_bytes + $gap, substr($bytes, $at + $tid_bytes, $field_bytes) . "\0" x $gap . substr($bytes, $at, $tid_bytes);
	}
	return $bytes;
}

sub rewrite_indexes
{
	my %file = map { $_ => $server->data_dir . '/' . $server->safe_psql('postgres', "SELECT pg_relation_filepath('docs_$_')") } @columns;
	$server->stop;
	for my $column (@columns)
	{
		open my $handle, '+<:raw', $file{$column} or die "$file{$column}: $!";
		my $bytes = do { local $/; <$handle> };
		seek $handle, 0, 0;
		print $handle move_tids($bytes, $size{$column}->@*);
		close $handle or die $!;
	}
	$server->start;
	return;
}

# ---- what searches find, by the index and by a scan

my %conditions = (
	m256 => [ 'minhash_similar(d.m256, p.m256, 0.8)', 'jaccard(d.m256, p.m256) >= 0.4' ],
	m128 => [ 'minhash_similar(d.m128, p.m128, 0.8)', 'jaccard(d.m128, p.m128) >= 0.4' ],
	c64  => [ 'minhash_similar(d.c64, p.c64, 0.8)', 'd.c64 <%> p.c64 < 0.6' ],
	s    => [ 'd.part = p.part AND simhash_similar(d.s, p.s, 20)', 'simhash_similar(d.s, p.s, 12)' ],
	t    => ['tlsh_similar(d.t, p.t, 60)'],
	l    => [ 'd.part = p.part AND lavinhash_similar(d.l, p.l, 40)', 'lavinhash_similar(d.l, p.l, 60)' ]);
my %distance = (m256 => '<%>', m128 => '<%>', c64 => '<%>', s => '<#>', t => '<~>', l => '<->');
my @queries;
for my $column (@columns)
{
	push @queries, map { "SELECT count(*), sum(d.id) FROM probes AS p JOIN docs AS d ON $_" } $conditions{$column}->@*;
	push @queries, "SELECT sum(n.distance), count(*) FROM probes AS p, LATERAL (SELECT d.$column $distance{$column} p.$column AS distance FROM docs AS d WHERE p.$column IS NOT NULL ORDER BY d.$column $distance{$column} p.$column LIMIT 30) AS n";
	push @queries, "SELECT count(*) FROM docs WHERE $column IS NULL";
}

sub check_searches
{
	my ($what) = @_;
	my $by_scan  = $server->safe_psql('postgres', join ";\n", 'SET enable_indexscan = off', 'SET enable_bitmapscan = off', @queries);
	my $by_index = $server->safe_psql('postgres', join ";\n", 'SET enable_seqscan = off', @queries);
	my @scan     = split /\n/, $by_scan;
	my @index    = split /\n/, $by_index;
	is($index[$_], $scan[$_], "$what: $queries[$_]") for 0 .. $#queries;
	my $plans = $server->safe_psql('postgres', join ";\n", 'SET enable_seqscan = off', map { "EXPLAIN (COSTS OFF) $_" } @queries);
	my $used  = () = $plans =~ /Index Scan (?:using|on) docs_/g;
	is($used, scalar(@queries), "$what: each by its index");
	like($server->safe_psql('postgres', join ' ', 'SELECT', join ', ', map { "sketch_check('docs_$_', true)" } @columns), qr/^\d+(\|\d+)*$/, "$what: sound");
	return;
}
my $places = sub { my ($column) = @_; return $server->safe_psql('postgres', "SELECT substr(pg_read_binary_file(pg_relation_filepath('docs_$column'), 56, 24), 1)") };

check_searches('as built');
my %usual = map { $_ => $places->($_) } @columns;
rewrite_indexes();
isnt($places->($_), $usual{$_}, "$_ is of the other version") for @columns;
check_searches('the other version');
$server->safe_psql('postgres', 'INSERT INTO docs SELECT * FROM rows_of(9001, 9400); DELETE FROM docs WHERE id % 3 = 0; UPDATE docs SET part = part WHERE id < 400');
check_searches('written');
$server->safe_psql('postgres', $_) for 'VACUUM docs', 'INSERT INTO docs SELECT * FROM rows_of(9401, 9900)', 'CHECKPOINT';
check_searches('vacuumed, and written again');
$server->safe_psql('postgres', 'INSERT INTO docs SELECT * FROM rows_of(9901, 10000)');
$server->stop('immediate');
$server->start;
isnt($places->($_), $usual{$_}, "$_ is still of the other version") for @columns;
check_searches('after a crash');
$server->safe_psql('postgres', 'TRUNCATE probes; INSERT INTO probes SELECT * FROM docs WHERE id IN (17, 901, 4001, 9901); REINDEX TABLE docs; CHECKPOINT');
is($places->($_), $usual{$_}, "$_ is of this version after REINDEX") for @columns;
check_searches('after REINDEX');
$server->stop;
done_testing();

# One table with a column and an index of every type, and the question whether its indexes find what the table holds.
# Rows come in groups of four with the same text: fingerprints of a group are equal, or of a known small distance, those of
# different groups far apart, so that indexes that are approximate must be exact here.
package AllTypes;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(%index %condition create_functions create_docs create_indexes answers_agree answers);

our %index = (
	docs_minhash   => 'gin (minhash) WITH (fastupdate = on, gin_pending_list_limit = 64)',
	docs_wide      => 'gin (wide minhash256_lsh_ops (bands = 24, rows = 3)) WITH (fastupdate = off)',
	docs_simhash   => 'gin (simhash) WITH (fastupdate = on)',
	docs_compact   => 'gin ((simhash::bigint::simhash64) simhash64_ops (compact = true)) WITH (fastupdate = off)',
	docs_tlsh      => 'spgist (tlsh)',
	docs_tlsh_lsh  => 'gin ((tlsh::bytea::tlsh) tlsh_lsh_ops)',
	docs_lavinhash => 'gin (lavinhash lavinhash_lsh_ops (bands = 16))',
	docs_equal     => 'btree (minhash)',
	docs_any       => 'btree (print)',
	docs_hash      => 'hash (lavinhash)',
);

# d is the table, p a row of it
our %condition = (
	docs_minhash   => 'minhash_similar(d.minhash, p.minhash, 0.8)',
	docs_wide      => 'minhash_similar(d.wide, p.wide, 0.7)',
	docs_simhash   => 'simhash_similar(d.simhash, p.simhash, 5)',
	docs_compact   => 'simhash_similar(d.simhash::bigint::simhash64, p.simhash, 3)',
	docs_tlsh      => 'tlsh_similar(d.tlsh, p.tlsh, 30)',
	docs_tlsh_lsh  => 'tlsh_similar(d.tlsh::bytea::tlsh, p.tlsh, 0)',
	docs_lavinhash => 'lavinhash_similar(d.lavinhash, p.lavinhash, 95)',
	docs_equal     => 'd.minhash = p.minhash',
	docs_any       => 'd.print = p.print',
	docs_hash      => 'd.lavinhash = p.lavinhash',
);

# words(group) is a text of 660 characters; put(id, group) inserts or overwrites a row.
sub create_functions
{
	my ($server) = @_;
	$server->safe_psql('postgres', q{
		CREATE FUNCTION words(number int) RETURNS text LANGUAGE sql IMMUTABLE AS
			$$SELECT string_agg(md5(number || ' ' || n), ' ' ORDER BY n) FROM generate_series(1, 20) AS n$$;
		CREATE TABLE docs (id int PRIMARY KEY, body text, minhash minhash128, wide minhash256, simhash simhash64, tlsh tlsh, lavinhash lavinhash, print fingerprint);
		CREATE FUNCTION put(first int, last int, shift int DEFAULT 0) RETURNS void LANGUAGE sql AS $$
			INSERT INTO docs SELECT id, words, to_minhash128(words, 'word-uax29'), to_minhash256(words),
				(to_simhash64(words)::bigint # (1::bigint << (id % 4 * 16)))::simhash64, to_tlsh(words), to_lavinhash(convert_to(words, 'UTF8')), to_minhash64(words)
			FROM (SELECT id, words((id + shift) / 4) FROM generate_series(first, last) AS id OFFSET 0) AS w (id, words)
			ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, minhash = EXCLUDED.minhash, wide = EXCLUDED.wide, simhash = EXCLUDED.simhash,
				tlsh = EXCLUDED.tlsh, lavinhash = EXCLUDED.lavinhash, print = EXCLUDED.print $$});
}

sub create_indexes
{
	my ($server) = @_;
	$server->safe_psql('postgres', join '; ', map { "CREATE INDEX $_ ON docs USING $index{$_}" } sort keys %index);
}

sub create_docs
{
	my ($server, $rows) = @_;
	create_functions($server);
	$server->safe_psql('postgres', "SELECT put(1, $rows); INSERT INTO docs (id) VALUES (-1)");
	create_indexes($server);
}

sub pairs
{
	my ($name, $probes) = @_;
	return "FROM (SELECT * FROM docs WHERE $probes OFFSET 0) AS p JOIN docs AS d ON $condition{$name}";
}

# What an index answers, and what a look at every row gives: "pairs|md5".
sub answers
{
	my ($server, $name, $probes) = @_;
	my $pairs = "SELECT count(*), md5(string_agg(p.id || ' ' || d.id, ',' ORDER BY p.id, d.id)) " . pairs($name, $probes);
	return map { my $off = $_; $server->safe_psql('postgres', join('', map { "SET enable_$_ = off; " } @$off) . $pairs) }
	  [qw(seqscan hashjoin mergejoin)], [qw(indexscan bitmapscan indexonlyscan)];
}

# One test for each index: it is used, and agrees with the table.
sub answers_agree
{
	my ($server, $when, $probes) = @_;
	$probes //= 'id % 40 IN (0, 1)';
	for my $name (sort keys %index)
	{
		my $plan = $server->safe_psql('postgres', 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; EXPLAIN (COSTS OFF) SELECT * ' . pairs($name, $probes));
		my ($by_index, $by_table) = answers($server, $name, $probes);
		my ($pairs) = split /\|/, $by_table;
		ok($plan =~ /Scan (on|using) $name/ && $by_index eq $by_table && $pairs > 0, "$when: $name finds the pairs of the table ($pairs)")
		  or diag("index: $by_index, table: $by_table\n$plan");
	}
}

1;

# A table with a column and an index of every type, and tests whether its indexes find what the table contains.
# Rows are in groups of four with the same text: fingerprints of a group are equal or have a known small distance, those of
# different groups are far apart, so that even approximate indexes must be exact here.
package AllTypes;

use strict;
use warnings;

use Exporter 'import';
use TxtfpTest;
use Test::More;

our @EXPORT = qw(%index %condition create_functions create_docs create_indexes create_load is_at_work answers_agree answers amcheck);

our %index = (
	docs_minhash   => 'gin (minhash) WITH (fastupdate = on, gin_pending_list_limit = 64)',
	docs_wide      => 'gin (wide minhash256_lsh_ops (bands = 24, rows = 3)) WITH (fastupdate = off)',
	docs_bytes     => 'gin (bytes) WITH (fastupdate = on)',
	docs_simhash   => 'gin (simhash) WITH (fastupdate = on)',
	docs_compact   => 'gin (simhash_2 simhash64_ops (compact = true)) WITH (fastupdate = off)',
	docs_tlsh      => 'sketch (tlsh)',
	docs_lavinhash => 'gin (lavinhash lavinhash_lsh_ops (bands = 16))',
	docs_sketch_m  => 'sketch (minhash_3)',
	docs_sketch_c  => 'sketch ((minhash_3::minhash128_compact))',
	docs_sketch_s  => 'sketch (simhash_3)',
	docs_sketch_t  => 'sketch (tlsh_3)',
	docs_sketch_l  => 'sketch (lavinhash_3)',
	docs_equal     => 'btree (minhash)',
	docs_bytes_eq  => 'hash (bytes)',
	docs_any       => 'btree (print)',
	docs_hash      => 'hash (lavinhash)',
	docs_embedding => 'gin (to_simhash64(embedding)) WITH (fastupdate = off)',
	docs_vector    => 'btree (embedding)',
	docs_passages  => 'gin (passages) WITH (fastupdate = on)',
	docs_set       => 'btree (passages)',
);

# d is the table, p a row of it
our %condition = (
	docs_minhash   => 'minhash_similar(d.minhash, p.minhash, 0.8)',
	docs_wide      => 'minhash_similar(d.wide, p.wide, 0.7)',
	docs_bytes     => 'minhash_similar(d.bytes, p.bytes, 0.8)',
	docs_simhash   => 'simhash_similar(d.simhash, p.simhash, 3)',
	docs_compact   => 'simhash_similar(d.simhash_2, p.simhash, 2)',
	docs_tlsh      => 'tlsh_similar(d.tlsh, p.tlsh, 30)',
	docs_lavinhash => 'lavinhash_similar(d.lavinhash, p.lavinhash_3, 95)',
	docs_sketch_m  => 'minhash_similar(d.minhash_3, p.minhash, 0.3)',
	docs_sketch_c  => 'minhash_similar(d.minhash_3::minhash128_compact, p.minhash::minhash128_compact, 0.3)',
	docs_sketch_s  => 'simhash_similar(d.simhash_3, p.simhash, 12)',
	docs_sketch_t  => 'tlsh_similar(d.tlsh_3, p.tlsh, 30)',
	docs_sketch_l  => 'lavinhash_similar(d.lavinhash_3, p.lavinhash_3, 95)',
	docs_equal     => 'd.minhash = p.minhash',
	docs_bytes_eq  => 'd.bytes = p.bytes',
	docs_any       => 'd.print = p.print',
	docs_hash      => 'd.lavinhash = p.lavinhash',
	docs_embedding => 'simhash_similar(to_simhash64(d.embedding), to_simhash64(p.embedding), 2)',
	docs_vector    => 'd.embedding = p.embedding',
	docs_passages  => 'passages_contained(p.passages, d.passages, 0.9)',
	docs_set       => 'd.passages = p.passages',
);

# words(number) is a text of 660 characters; put(first, last, shift) inserts or overwrites rows.
sub create_functions
{
	my ($server) = @_;
	$server->safe_psql('postgres', q{
		CREATE FUNCTION words(number int) RETURNS text LANGUAGE sql IMMUTABLE AS
			$$SELECT string_agg(md5(number || ' ' || n), ' ' ORDER BY n) FROM generate_series(1, 20) AS n$$;
		CREATE TABLE docs (id int PRIMARY KEY, body text, minhash minhash128, wide minhash256, simhash simhash64, tlsh tlsh, lavinhash lavinhash, print fingerprint, simhash_2 simhash64, tlsh_2 tlsh,
			minhash_3 minhash128, simhash_3 simhash64, tlsh_3 tlsh, lavinhash_3 lavinhash, embedding embedding, passages passages, bytes minhash128_compact);
		ALTER TABLE docs ALTER lavinhash_3 SET STORAGE PLAIN; -- not compressed: a scan would decompress it for each comparison
		CREATE FUNCTION put(first int, last int, shift int DEFAULT 0) RETURNS void LANGUAGE sql AS $$
			INSERT INTO docs SELECT id, words, m, to_minhash256(words), s, t, l, to_minhash64(words), s, t, m, s, t, l,
				to_embedding((SELECT array_agg((get_byte(decode(md5(words), 'hex'), i) - 128)::real ORDER BY i) FROM generate_series(0, 15) AS i), 'md5'), to_passages(words), m
			FROM (SELECT id, words((id + shift) / 4) FROM generate_series(first, last) AS id OFFSET 0) AS w (id, words),
				LATERAL (SELECT (to_simhash64(words)::bigint # (1::bigint << (id % 4 * 16)))::simhash64, to_tlsh(words),
					to_minhash128(words, 'word-uax29'), to_lavinhash(convert_to(words, 'UTF8')) OFFSET 0) AS f (s, t, m, l)
			ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, minhash = EXCLUDED.minhash, wide = EXCLUDED.wide, simhash = EXCLUDED.simhash,
				tlsh = EXCLUDED.tlsh, lavinhash = EXCLUDED.lavinhash, print = EXCLUDED.print, simhash_2 = EXCLUDED.simhash_2, tlsh_2 = EXCLUDED.tlsh_2,
				minhash_3 = EXCLUDED.minhash_3, simhash_3 = EXCLUDED.simhash_3, tlsh_3 = EXCLUDED.tlsh_3, lavinhash_3 = EXCLUDED.lavinhash_3,
				embedding = EXCLUDED.embedding, passages = EXCLUDED.passages, bytes = EXCLUDED.bytes $$});
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

# Creates the procedure load(first), which writes and deletes rows from this id on until it is cancelled.
sub create_load
{
	my ($server) = @_;
	$server->safe_psql('postgres', q{
	-- new rows, then the same ones again, so that the table does not grow with the time that others take
	CREATE PROCEDURE load(first int) LANGUAGE plpgsql AS $$
	DECLARE
		i int;
	BEGIN
		FOR round IN 1 .. 100000 LOOP
			i := round % 400;
			PERFORM put(first + i * 4, first + i * 4 + 3);
			PERFORM put(first + i * 2, first + i * 2, 8);
			IF i % 5 = 0 THEN
				DELETE FROM docs WHERE id = first + i * 3;
			END IF;
			COMMIT;
			PERFORM pg_sleep(0.02); -- leaves the processors to others
		END LOOP;
	END $$});
	return;
}

# Waits until a session of this server executes a statement that begins so.
sub is_at_work
{
	my ($server, $pattern) = @_;
	return wait_until($server, "SELECT count(*) > 0 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '$pattern%'");
}

my @indexes_only = qw(seqscan hashjoin mergejoin);
my @tables_only  = qw(indexscan bitmapscan indexonlyscan);

# Runs a query for each index, in one session with some kinds of scans and joins disabled; returns the answers in the order of the indexes.
sub each_index
{
	my ($server, $off, $query) = @_;
	my $script = join '', map { "SET enable_$_ = off;\n" } @$off;
	for my $name (sort keys %index)
	{
		$script .= "\\echo answer\n" . $query->($name) . ";\n";
	}
	return (split /^answer\n?/m, $server->safe_psql('postgres', $script))[ 1 .. keys %index ];
}

# The pairs of every index, through the indexes or, with by_table, by a scan of all rows.
sub answers
{
	my ($server, $probes, $by_table) = @_;
	my @answers = each_index($server, $by_table ? \@tables_only : \@indexes_only, sub { pairs_of('docs', $probes, $condition{$_[0]}) });
	chomp @answers;
	return @answers;
}

# One test per index: it is used, and agrees with the table.
sub answers_agree
{
	my ($server, $when, $probes) = @_;
	$probes //= 'id % 40 IN (0, 1)';
	my @plans    = each_index($server, \@indexes_only, sub { 'EXPLAIN (COSTS OFF) ' . pairs_of('docs', $probes, $condition{$_[0]}) });
	my @by_index = answers($server, $probes);
	my @by_table = answers($server, $probes, 1);
	for my $name (sort keys %index)
	{
		my ($plan, $by_index, $by_table) = (shift @plans, shift @by_index, shift @by_table);
		my ($pairs) = split /\|/, $by_table;
		ok($plan =~ /Scan (on|using) $name\b/ && $by_index eq $by_table && $pairs > 0, "$when: $name finds the pairs of the table ($pairs)")
		  or diag("index: $by_index, table: $by_table\n$plan");
	}
}

# amcheck of tables and their indexes, as far as the server supports it: btree; GIN from PostgreSQL 18 on.
sub amcheck
{
	my ($server, $when, @tables) = @_;
	my %check = (
		heap  => q{SELECT count(*) FROM verify_heapam('%s')},
		btree => q{SELECT count(bt_index_parent_check('%s', heapallindexed => true)) * 0},
		gin   => q{SELECT count(gin_index_check('%s')) * 0},
		sketch => q{SELECT sketch_check('%s', true) * 0});
	my $has = sub { return $server->safe_psql('postgres', $_[0]) eq 't' };
  SKIP:
	{
		skip 'amcheck is not installed', 1 unless $has->(q{SELECT count(*) = 1 FROM pg_available_extensions WHERE name = 'amcheck'});
		$server->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS amcheck');
		delete $check{gin} unless $has->(q{SELECT count(*) > 0 FROM pg_proc WHERE proname = 'gin_index_check'});
		my $relations = join ', ', map { "'$_'" } @tables;
		for (split /\n/, $server->safe_psql('postgres', qq{SELECT c.oid::regclass, amname FROM pg_class AS c JOIN pg_am ON pg_am.oid = relam
			WHERE c.oid::regclass::text IN ($relations) OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid::regclass::text IN ($relations)) ORDER BY amname, 1}))
		{
			my ($relation, $method) = split /\|/;
			is($server->safe_psql('postgres', sprintf $check{$method}, $relation), 0, "$when: amcheck of $relation ($method)") if $check{$method};
		}
	}
	return;
}

1;

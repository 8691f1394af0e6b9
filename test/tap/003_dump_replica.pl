# A dump keeps fingerprints, indexes and their options; a streaming replica gives the same answers as its primary.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $documents = by_length(2000, 1000);
my $primary = new_server('primary', streaming => 1);
$primary->safe_psql('postgres', q{
	CREATE FUNCTION body(id int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$SELECT string_agg(format('word%s of%s', n, CASE WHEN n > 40 - id % 4 THEN id ELSE id / 4 END), ' ' ORDER BY n) FROM generate_series(1, 40) AS n$$;
	CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
	INSERT INTO docs SELECT id, body(id) FROM generate_series(1, } . $documents . q{) AS id;
	INSERT INTO docs VALUES (3000, NULL), (3001, ''), (3002, '...');
	CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops (bands = 24, rows = 3)) WITH (fastupdate = on);
	CREATE INDEX docs_words ON docs USING gin (to_minhash64(body, 'word-uax29', seed => 42) minhash64_lsh_ops (threshold = 0.8));
	CREATE TABLE kept (id int, a minhash64, b minhash128, c minhash256, p minhash_probe, many minhash64[]);
	INSERT INTO kept SELECT id, to_minhash64(body(id), 'word-uax29'), to_minhash128(ARRAY[id::text]), to_minhash256(body(id), hash => 'mmh3-x64-128', seed => -1),
		_to_minhash_probe(to_minhash128(body(id)), id / 100.0), ARRAY[to_minhash64(body(id)), NULL] FROM generate_series(1, 100) AS id;
	INSERT INTO kept (id) VALUES (101);
	CREATE TABLE digests (id int, fp tlsh, p tlsh_probe);
	INSERT INTO digests SELECT id, to_tlsh(body), _to_tlsh_probe(to_tlsh(body), id % 100) FROM docs;
	CREATE INDEX digests_fp ON digests USING sketch (fp);
	CREATE INDEX ON kept (c);
	CREATE MATERIALIZED VIEW pairs AS SELECT a.id AS a, b.id AS b FROM docs AS a JOIN docs AS b ON minhash_similar(a.fp, b.fp, 0.9) AND a.id < b.id;
	CREATE FUNCTION near(minhash128) RETURNS SETOF int LANGUAGE sql STABLE SET txtfp.jaccard_threshold = 0.9 AS 'SELECT id FROM docs WHERE fp % $1 ORDER BY id';
	ALTER DATABASE postgres SET txtfp.jaccard_threshold = 0.75;
	ANALYZE;
});

# Results that must be the same everywhere. The text form contains the configuration.
my %same = (
	'generated column'  => q{SELECT count(*), count(fp), md5(string_agg(id || coalesce(fp::text, '-'), ',' ORDER BY id)) FROM docs},
	'column as defined' => q{SELECT count(*) FROM docs WHERE fp IS DISTINCT FROM to_minhash128(body)},
	'plain columns'     => q{SELECT md5(string_agg(kept::text, ',' ORDER BY id)) FROM kept},
	'indexes'           => q{SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relname IN ('docs', 'kept', 'digests')},
	'answers'           => 'SET enable_seqscan = off; ' . pairs_of('docs', 'id % 20 < 4', 'minhash_similar(d.fp, p.fp, 0.8)'),
	'by expression'     => q{SET enable_seqscan = off; SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE minhash_similar(to_minhash64(body, 'word-uax29', seed => 42), to_minhash64(body(77), 'word-uax29', seed => 42), 0.8)},
	'digests'           => q{SELECT count(fp), md5(string_agg(digests::text, ',' ORDER BY id)) FROM digests},
	'near digests'      => 'SET enable_seqscan = off; ' . pairs_of('digests', 'id % 20 < 4', 'd.fp % p.p'),
	'view'              => q{SELECT count(*), md5(string_agg(a || ' ' || b, ',' ORDER BY a, b)) FROM pairs},
	'function'          => q{SELECT string_agg(id::text, ',') FROM near(to_minhash128(body(500))) AS id},
);
my %expected = map { $_ => $primary->safe_psql('postgres', $same{$_}) } keys %same;
is($expected{'column as defined'}, '0', 'the column is what its definition says');
like($expected{'answers'}, qr/^[1-9]\d\d/, 'there are answers to compare');

sub compare
{
	my ($where, $server, $database, @names) = @_;
	is($server->safe_psql($database, $same{$_}), $expected{$_}, "$where: $_") for @names;
}

# pg_dump, as a script and as an archive

my $dir = PostgreSQL::Test::Utils::tempdir();
my $connstr = $primary->connstr('postgres');
command_ok([ 'pg_dump', '-d', $connstr, '-f', "$dir/dump.sql" ], 'pg_dump writes a script');
command_ok([ 'pg_dump', '-d', $connstr, '-Fd', '-j', 2, '-f', "$dir/dump" ], 'pg_dump writes an archive');
unlike(slurp_file("$dir/dump.sql"), qr/_minhash128_in|CREATE TYPE/, 'the extension is dumped as an extension');
my $fresh = PostgreSQL::Test::Cluster->new('fresh');
$fresh->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
$fresh->start;
$fresh->safe_psql('postgres', "CREATE DATABASE $_") for 'script', 'archive';
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $fresh->connstr('script'), '-f', "$dir/dump.sql" ], 'psql reads the script');
command_ok([ 'pg_restore', '-e', '-j', 2, '-d', $fresh->connstr('archive'), "$dir/dump" ], 'pg_restore reads the archive');
for my $database ('script', 'archive')
{
	compare($database, $fresh, $database, sort keys %same);
}

# pg_dump of data only: the generated column is computed again; other formats of COPY contain the sketches themselves
$fresh->safe_psql('script', 'TRUNCATE docs');
command_ok([ 'pg_dump', '-d', $connstr, '--data-only', '-t', 'docs', '-f', "$dir/data.sql" ], 'pg_dump writes the data');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $fresh->connstr('script'), '-f', "$dir/data.sql" ], 'psql reads it');
compare('data', $fresh, 'script', 'generated column', 'answers');

# A replica

$primary->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($primary, 'base', has_streaming => 1);
$replica->start;
$primary->wait_for_catchup($replica);
compare('replica', $replica, 'postgres', sort keys %same);

# changes during replication: the pending list, rows moved by vacuum, an index build
my @changes = (
	'inserts'   => 'INSERT INTO docs SELECT 10000 + id, body(id) FROM generate_series(1, 400) AS id',
	'updates'   => 'UPDATE docs SET body = body(id + 2) WHERE id % 3 = 0',
	'clean up'  => q{SELECT gin_clean_pending_list('docs_fp')},
	'deletes'   => 'DELETE FROM docs WHERE id % 5 = 0',
	'vacuum'    => 'VACUUM docs',
	'a rebuild' => 'REINDEX TABLE docs',
	'a build'   => 'DROP INDEX docs_fp; CREATE INDEX docs_fp ON docs USING gin (fp) WITH (fastupdate = off)',
	'a refresh' => 'REFRESH MATERIALIZED VIEW pairs',
);
while (my ($what, $statement) = splice @changes, 0, 2)
{
	$primary->safe_psql('postgres', $statement);
	$primary->wait_for_catchup($replica);
	%expected = map { $_ => $primary->safe_psql('postgres', $same{$_}) } keys %same;
	compare("after $what", $replica, 'postgres', 'generated column', 'answers', 'by expression', 'view');
}
is($replica->safe_psql('postgres', q{SELECT to_minhash128('a b c')::text}), $primary->safe_psql('postgres', q{SELECT to_minhash128('a b c')::text}), 'the replica computes the same');
like($replica->safe_psql('postgres', q{EXPLAIN SELECT id FROM docs WHERE minhash_similar(fp, to_minhash128('a b c'), 0.8)}), qr/Bitmap Index Scan on docs_fp/, 'the replica has the statistics and uses the index');

$primary->stop;
$replica->promote;
compare('promoted', $replica, 'postgres', sort keys %same);
$replica->safe_psql('postgres', 'INSERT INTO docs SELECT 20000 + id, body(id) FROM generate_series(1, 100) AS id');
my ($by_index, $by_table) = by_index_and_table($replica, 'docs', 0.8, 'id % 20 < 4');
is($by_index, $by_table, "the promoted one goes on ($by_table)");

done_testing();

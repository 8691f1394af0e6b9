# near_duplicate_trigger with a large COPY, and on a table with foreign partitions.
#
#   TXTFP_COPY_ROWS  rows to copy (default 30000; 1000000 takes some minutes)
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $rows   = $ENV{TXTFP_COPY_ROWS} || 30_000;
my $server = new_server('loads');

# ---- COPY: every tenth row is a near-duplicate of the one before; memory and locks do not grow with the rows

$server->safe_psql('postgres', q{
	CREATE FUNCTION print(i bigint) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
		$$SELECT (hashint8extended(CASE WHEN i % 10 = 0 THEN i - 1 ELSE i END, 1) # CASE WHEN i % 10 = 0 THEN 5 ELSE 0 END)::simhash64$$;
	CREATE TABLE docs (id bigint PRIMARY KEY, fp simhash64);
	CREATE INDEX ON docs USING gin (fp) WITH (fastupdate = off);
	CREATE TRIGGER near_dup BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'max_distance=3')});
my $file = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir()) . '/rows';

# Copies the rows of a range in one statement; returns rows written, rows found, bytes of memory of the session, advisory locks.
sub copied
{
	my ($from, $to) = @_;
	$server->safe_psql('postgres', "COPY (SELECT i, print(i) FROM generate_series($from, $to) AS i) TO '$file'");
	my @lines = split /\n/, $server->safe_psql('postgres', qq{
		BEGIN;
		COPY docs FROM '$file';
		SELECT (SELECT count(*) FROM docs WHERE id BETWEEN $from AND $to), (SELECT found FROM near_duplicate_trigger_stats()), (SELECT sum(total_bytes) FROM pg_backend_memory_contexts),
			(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory');
		COMMIT});
	return split /\|/, $lines[-1];
}
my $tenth = int($rows / 100) * 10;
my ($written, $found, $memory, $locks) = copied(1, $tenth);
is("$written $found", ($tenth * 0.9) . ' ' . ($tenth * 0.1), "COPY of $tenth rows: every tenth is left out, and counted");
my ($written_2, $found_2, $memory_2, $locks_2) = copied($tenth + 1, 11 * $tenth);
is("$written_2 $found_2", ($tenth * 9) . ' ' . $tenth, 'COPY of ten times as many');
is($locks_2, $locks, "takes as many locks ($locks)");
cmp_ok($memory_2, '<', $memory + 2_000_000, "and the session no more memory ($memory, $memory_2 bytes)");
is($server->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM docs AS a JOIN docs AS b ON simhash_similar(b.fp, a.fp, 3) AND a.id < b.id WHERE a.id % 97 < 10"), 0, 'none of the rows is similar to another');

# ---- foreign partitions: inserting a row into one is an error, because it cannot be checked; rows of other partitions are compared with theirs

SKIP:
{
	skip 'there is no file_fdw', 8 unless $server->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name IN ('file_fdw', 'postgres_fdw')}) == 2;
	my $port = $server->port;
	my $host = $server->host;
	$server->safe_psql('postgres', qq{
		CREATE EXTENSION file_fdw;
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER here;
		CREATE TABLE mixed (id int, fp simhash64) PARTITION BY RANGE (id);
		CREATE TABLE near PARTITION OF mixed FOR VALUES FROM (0) TO (100);
		CREATE FOREIGN TABLE far PARTITION OF mixed FOR VALUES FROM (100) TO (200) SERVER files OPTIONS (program 'echo 101,00000000000000ff', format 'csv');
		CREATE TABLE there (id int, fp simhash64);
		CREATE FOREIGN TABLE there_from_here PARTITION OF mixed FOR VALUES FROM (200) TO (300) SERVER here OPTIONS (table_name 'there');
		INSERT INTO there VALUES (201, '00000000ff000000');
		CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON mixed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=3')});
	my $answer = sub { my (undef, undef, $err) = $server->psql('postgres', shift); return $err || 'done' };
	is($answer->(q{INSERT INTO mixed VALUES (1, '0000000000000001')}), 'done', 'a row of another partition comes in');
	like($answer->(q{INSERT INTO mixed VALUES (2, '00000000000000fe')}), qr/\(101\), at a Hamming distance of 1\.$/m, 'unless it is similar to one of a file');
	like($answer->(q{INSERT INTO mixed VALUES (2, '00000000fe000000')}), qr/\(201\)/, 'or to one of another server');
	like($answer->(q{UPDATE mixed SET fp = '00000000fe000000' WHERE id = 1}), qr/\(201\)/, 'or would become it');
	is($answer->(q{UPDATE mixed SET fp = '0000000000000003' WHERE id = 1}), 'done', 'an update is checked, too');
	like($answer->(q{INSERT INTO mixed VALUES (202, '0000000000ffffff')}), qr/cannot guard foreign table "there_from_here"/, 'a row that goes to another server cannot be checked');
	like($answer->(q{UPDATE mixed SET id = 203 WHERE id = 1}), qr/cannot guard foreign table/, 'nor one that moves there');
	$server->safe_psql('postgres', q{CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON mixed FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=3', 'scope=partition')});
	is($answer->(q{INSERT INTO mixed VALUES (2, '00000000000000fe')}), 'done', 'scope=partition looks at no other partition');
}

$server->stop;
done_testing();

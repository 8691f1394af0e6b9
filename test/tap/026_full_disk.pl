# A full disk, temp_file_limit, and a temporary file that can no longer be read: bulk functions and index builds report it or
# give the right answer, leave no file, and the server survives; after failed writes, indexes give the same answers as the table.
# A library that is preloaded into the server (full_disk.c) simulates the disk, because a real one would need root.
use strict;
use warnings;

use Config;
use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir     = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
my $library = "$dir/full_disk.so";
my @compile = (split(' ', $ENV{CC} || 'cc'), '-shared', '-fPIC', '-O1', '-o', $library, "$FindBin::RealBin/full_disk.c", '-ldl');
plan skip_all => 'needs Linux with /proc, and a C compiler' if !-r '/proc/self/statm' || !PostgreSQL::Test::Utils::run_log(\@compile);

my $server = new_server('disk', conf => "work_mem = 64kB\nhash_mem_multiplier = 1\nmaintenance_work_mem = 1MB\ntemp_buffers = 800kB\nmax_parallel_workers_per_gather = 0\nmin_parallel_table_scan_size = 0\n");
$server->stop;
{
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{TXTFP_DISK} = "$dir/disk";
	$server->start;
}
mkdir "$dir/small_disk";
$server->safe_psql('postgres', "CREATE TABLESPACE small LOCATION '$dir/small_disk'");
create_functions($server);
$server->safe_psql('postgres', q{
	CREATE TABLE pages AS SELECT i AS n, to_minhash64(body) AS fp, to_simhash64(body) AS bits, to_tlsh(body) AS tlsh, to_lavinhash(body::bytea) AS lavinhash
		FROM generate_series(1, 9000) AS i, LATERAL (SELECT words(i / 3) OFFSET 0) AS w (body);
	CREATE TABLE bits AS SELECT i AS n, (i / 3 * 7046029254386353131::numeric % 9223372036854775783)::bigint::simhash64 AS fp FROM generate_series(1, 60000) AS i;
	VACUUM ANALYZE pages, bits});
my $postmaster = $server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')});

# Limits the growth of files whose path contains the word to a number of bytes per session; 'lost': the first one that is mapped loses its bytes.
sub disk
{
	my ($word, $bytes) = @_;
	unlink "$dir/disk";
	append_to_file("$dir/disk", "$word $bytes\n") if defined $word;
}

# Returns (answer, SQLSTATE) of a statement, in a session that must survive it.
sub outcome
{
	my ($statement, $setting) = @_;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY sqlstate\n" . ($setting // '') . "\n$statement;\n\\echo alive\nSELECT 1 + 1;", on_error_stop => 0);
	my @errors = $err =~ /ERROR: +(\w+)/g;
	my ($answer) = $out =~ /^(.*?)\n?alive\n2$/s;
	return ($answer // "the session has ended: $err", "@errors");
}

my $faults = 0;
# Runs the statement with growing limits: it must fail with that SQLSTATE until it returns its answer.
sub more_and_more
{
	my ($name, $statement, $state, $limit) = @_;
	my ($expected, $error) = outcome($statement);
	is($error, '', "$name: has an answer");
	my ($failed, $room, $odd) = (0, 0, '');
	while ($room < 1e9)
	{
		my ($answer, $error) = $limit->($room, $statement);
		last if $error eq '' && $answer eq $expected;
		$odd .= "$room: $error $answer\n" if $error ne $state || $answer ne '';
		++$failed;
		$room = $room * by_length(1.7, 6) + 7001;
	}
	$faults += $failed;
	is($odd, '', "$name: $state or the right answer");
	cmp_ok($failed, '>', 0, "$name: failed $failed times") or diag($expected);
	cmp_ok($room, '<', 1e9, "$name: then succeeded");
	is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, "$name: no temporary file is left");
}

my $sum  = 'SELECT count(*), sum(hashtextextended(r::text, 0)) FROM';
my %bulk = (
	'pairs of MinHash'        => qq{$sum near_duplicate_pairs('SELECT n, fp FROM pages', 0.8) AS r},
	'clusters of MinHash'     => qq{$sum near_duplicate_clusters('SELECT n, fp FROM pages', 0.8) AS r},
	'stars by texts'          => qq{$sum near_duplicate_clusters(NULL::text, 'SELECT ''the number '' || n, fp FROM pages', 0.8, 'star') AS r},
	'pairs of SimHash'        => qq{$sum near_duplicate_pairs('SELECT n, fp FROM bits', max_distance => 3) AS r},
	'repeated passages'       => qq{$sum deduplicate_passages('SELECT n, fp::text || '' '' || md5(n::text) || '' '' || fp::text FROM pages', 'line', 1) AS r},
	'repeated words'          => qq{$sum deduplicate_passages('SELECT n, fp::text || repeat('' word'', 9) FROM pages', 'word', 5) AS r},
	'clusters of SimHash'     => qq{$sum near_duplicate_clusters('SELECT n, fp FROM bits', max_distance => 3) AS r},
	'components'              => qq{$sum connected_components('SELECT i, i / 2 FROM generate_series(1, 30000) AS i') AS r},
	'components of texts'     => qq{$sum connected_components(NULL::text, 'SELECT ''the number '' || i, ''the number '' || i / 2 FROM generate_series(1, 30000) AS i') AS r},
	'a sort of fingerprints'  => qq{SELECT count(*), count(DISTINCT fp) FROM pages},
);
# with threads that write
for my $workers (1, 2, 4)
{
	my ($settings, $many) = ("SET max_parallel_maintenance_workers = $workers; SET maintenance_work_mem = '8MB';", 'SELECT n + 9000 * i, fp FROM pages, generate_series(0, 2) AS i');
	$bulk{"clusters by $workers workers"} = "$settings $sum near_duplicate_clusters('$many', 0.8) AS r";
	$bulk{"pairs by $workers workers"}    = "$settings $sum near_duplicate_pairs('$many', 0.8) AS r" if $workers == 2;
}
my %build = (
	'btree of MinHash'  => 'btree (fp)',       'hash of LavinHash' => 'hash (lavinhash)', 'GIN of MinHash' => 'gin (fp)',
	'GIN of SimHash'    => 'gin (bits)',       'compact GIN'       => 'gin (bits simhash64_ops (compact = true))',
	'sketch of TLSH'    => 'sketch (tlsh)',    'GIN of LavinHash' => 'gin (lavinhash)',
);

my $full = sub { my ($word) = @_; return sub { disk($word, int $_[0]); my @outcome = outcome($_[1]); disk(); return @outcome } };
for my $name (sort keys %bulk)
{
	more_and_more("$name, disk full", $bulk{$name}, '53100', $full->('pgsql_tmp'));
	more_and_more("$name, temp_file_limit", $bulk{$name}, '53400', sub { my ($room, $statement) = @_; return outcome($statement, 'SET temp_file_limit = ' . int($room / 1024) . ';') });
}
# which file it was, and where
disk('pgsql_tmp', 1);
my (undef, undef, $told) = $server->psql('postgres', "SET temp_tablespaces = small; $bulk{'clusters by 2 workers'}", on_error_stop => 0);
disk();
like($told, qr/ERROR:  could not write to temporary file "pg_tblspc\/\d+\/[^"]+": No space left on device\nDETAIL:  The file is in the tablespace "small"\./, 'the message names file and tablespace');
for my $name (sort keys %build)
{
	more_and_more($name, "SET client_min_messages = error; CREATE INDEX again ON pages USING $build{$name} TABLESPACE small; DROP INDEX again", '53100 42704', $full->('small_disk'));
}

# ---- writes to a table and its indexes
$server->safe_psql('postgres', 'DROP TABLE docs; DROP FUNCTION words, put; ALTER ROLE CURRENT_USER SET default_tablespace = small');
create_docs($server, 400);
for my $room (map { 30_000 * 3**$_ } 0 .. 4)
{
	disk('small_disk', $room);
	my ($answer, $error) = outcome(join ";\n", map { sprintf 'SELECT put(%d, %d)', $room + $_ * 40, $room + $_ * 40 + 79 } 0 .. 40);
	like($error, qr/^53100( 53100)*$/, "room for $room bytes: rows are written until the disk is full") and $faults += () = $error =~ /53100/g;
	disk();
	answers_agree($server, "after $room bytes", "id % 40 IN (0, 1) OR id > $room");
}
$server->safe_psql('postgres', 'VACUUM docs');
answers_agree($server, 'after vacuum', 'id % 40 IN (0, 1)');
note("$faults faults");

# ---- a mapped file that cannot be read, as on a disk that fails: without care the kernel ends the process, and PostgreSQL all others
# (sketches are read one by one, or many in their order)
for my $cache ($Config::Config{ptrsize} >= 8 ? ('4GB', '8kB') : ())
{
	disk('pgsql_tmp', 'lost');
	my (undef, $out, $err) = $server->psql('postgres', qq{\\set VERBOSITY verbose
		SET effective_cache_size = '$cache';
		SELECT count(*) FROM near_duplicate_clusters('SELECT i, to_minhash64((i / 3)::text || '' '' || i / 3 + 1) FROM generate_series(1, 60000) AS i', 0.5);
		SELECT 'alive'}, on_error_stop => 0);
	ok(!-e "$dir/disk", "cache of $cache: sketches are in a mapped file");
	like($err, qr/ERROR:  58030: could not read from temporary file "base\/pgsql_tmp\/pgsql_tmp[0-9.]+": Input\/output error/, 'a file that cannot be read is an error');
	is($out, 'alive', 'the session goes on');
	disk();
}

is($server->safe_psql('postgres', 'ALTER ROLE CURRENT_USER RESET default_tablespace; DROP TABLE docs; CHECKPOINT; DROP TABLESPACE small; SELECT 1'), 1, 'no file is left of what failed');
is($server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')}), $postmaster, 'the server lives');
my @odd = grep { /terminated by signal|PANIC|TRAP|WARNING/ } split /\n/, PostgreSQL::Test::Utils::slurp_file($server->logfile);
is("@odd", '', 'no backend has crashed, nothing leaked');

$server->stop;
done_testing();

# Searches by bands of a sketch index that request their pages ahead: shared_buffers has a tenth of the index, so no session ever finds all of them there.
# What happens beside a search, before or during it, changes no row that it returns: other sessions write, vacuum and try to drop or truncate; the search's own
# session does so; functions between two rows search, write and make plans invalid. Temporary tables, a standby, a file that is cut, entries that are damaged.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use File::Spec;
use Test::More;

my $similar = by_length(40, 26);    # rows that a search finds; 500 times as many are in the table
my $server = new_server('ahead', damaged => 1, streaming => 1, conf => "shared_buffers = 1MB\ncheckpoint_timeout = 1h\nmax_wal_size = 4GB\nfsync = off\n");
my $rows = 'SELECT * FROM source ORDER BY n';
my $source = 'SELECT n, to_minhash128(array_agg(n % 500 * 1000 + CASE WHEN i = 1 THEN n / 500 % 3 * 100 ELSE i END || \'\')) AS fp FROM generate_series(1, ' . 500 * $similar . ') AS n, generate_series(1, 60) AS i GROUP BY n';
my @cuts = (0, 1, 2, 60, 500, 'entries'); # blocks that are left of the file of an index of its own
sub cut_index { return join '', map { "CREATE INDEX cut_$_ ON docs USING sketch (fp) WHERE n <> -$_;" } @_ }
$server->safe_psql('postgres', "CREATE TABLE source AS $source; CREATE TABLE docs AS $rows; CREATE INDEX docs_fp ON docs USING sketch (fp);" . cut_index(1));
$server->safe_psql('postgres', q{
	CREATE TABLE probe AS SELECT fp FROM docs WHERE n = 77;
	CREATE TABLE others AS SELECT * FROM docs LIMIT 0;
	CREATE INDEX ON others USING sketch (fp);
	CREATE FUNCTION is_probe(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 500 = 77'});

my $by_index = 'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off;';
my $search = "SELECT n FROM docs WHERE minhash_similar(fp, (SELECT fp FROM probe), 0.9)";
my $right = join "\n", map { 77 + 500 * $_ } 0 .. $similar - 1;
sub sorted { return join "\n", sort { $a <=> $b } grep { /^\d+$/ } split /\n/, $_[0] }

# One session; its lines, with SQLSTATEs of errors
sub session
{
	my ($at, @statements) = @_;
	my ($status, $out, $err) = $at->psql('postgres', join("\n", '\set VERBOSITY sqlstate', $by_index, map { /^\\/ ? $_ : "$_;\n\\if :ERROR\n\\echo E :SQLSTATE\n\\endif" } @statements), on_error_stop => 0);
	return $out . ($err =~ /(terminating connection|server closed the connection|crash)/ ? "\n$1" : '');
}

# Commands of another session, each with a short lock_timeout, as a command of psql
sub other { return '\! psql -XqAt -d "' . $server->connstr('postgres') . '" ' . join(' ', map { "-c \"$_\"" } "SET lock_timeout = '200ms'", '\\set VERBOSITY sqlstate', @_) . ' 2>&1' }

# ---- the same rows, however many pages are requested ahead; the searches are those that are meant

for my $ahead (0, 1, 1000)
{
	my $out = session($server, "SET effective_io_concurrency = $ahead", $search, $search, "SELECT 'by bands ' || by_bands FROM fingerprint_index_info('docs_fp')", "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) $search");
	is(sorted($out), sorted("$right\n$right"), "effective_io_concurrency $ahead: the rows of the table, twice");
	like($out, qr/by bands 2/, 'by bands') or diag($out);
	like($out, qr/Index Scan using docs_fp.*Buffers: shared (hit=\d+ )?read=\d/s, 'with pages that were not in memory') or diag($out);
}

# ---- a cursor: other sessions write, vacuum, merge the tables of the index, and cannot take it away

my @begin = ('BEGIN', "DECLARE c CURSOR FOR $search", 'FETCH 3 FROM c');
my $out = session($server, @begin, other('UPDATE docs SET fp = fp WHERE is_probe(n)', 'DELETE FROM docs WHERE n % 4 = 0', 'VACUUM docs', "INSERT INTO docs $rows LIMIT 3000", 'VACUUM docs'),
	'FETCH 5 FROM c', other('DELETE FROM docs WHERE is_probe(n)', 'VACUUM docs'), 'FETCH ALL FROM c', 'COMMIT');
is(sorted($out), $right, 'a cursor beside writers and vacuum');
$out = session($server, $search, 'SELECT sketch_check(\'docs_fp\', true) > 0');
is($out, 't', 'afterwards the rows are gone, and the index is sound');
$server->safe_psql('postgres', "TRUNCATE docs; INSERT INTO docs $rows; VACUUM ANALYZE docs");
$out = session($server, @begin, (map { (other($_), 'FETCH 5 FROM c') } 'DROP INDEX docs_fp', 'TRUNCATE docs', 'REINDEX INDEX docs_fp', 'VACUUM FULL docs', 'CLUSTER docs USING docs_fp', 'DROP TABLE docs'), 'FETCH ALL FROM c', 'COMMIT');
is(sorted($out), $right, 'nobody can take the index away');
is(scalar(() = $out =~ /55P03/g), 6, 'they wait in vain') or diag($out);
$out = session($server, @begin, (map { ('SAVEPOINT s', $_, 'ROLLBACK TO s', 'FETCH 5 FROM c') } 'DROP INDEX docs_fp', 'TRUNCATE docs', 'REINDEX INDEX docs_fp', 'ALTER TABLE docs ALTER fp TYPE text', 'DROP TABLE docs', 'SELECT 1 / 0'), 'FETCH ALL FROM c', 'COMMIT');
is(sorted($out), $right, 'nor can the own session');
is(join(' ', $out =~ /E (55006|22012)/g), '55006 55006 55006 55006 55006 22012', 'it is in use') or diag($out);
$out = session($server, 'BEGIN', 'SAVEPOINT s', 'CREATE TABLE passing AS TABLE docs', 'CREATE INDEX ON passing USING sketch (fp)', 'DECLARE p CURSOR FOR ' . $search =~ s/docs/passing/r, 'FETCH 3 FROM p', 'ROLLBACK TO s', 'FETCH 3 FROM p', 'ROLLBACK', $search);
like($out, qr/E 34000/, 'a cursor ends with the savepoint that made its index');
is(scalar(split /\n/, sorted($out)), $similar + 3, 'and other searches go on');
$out = session($server, 'BEGIN', 'DECLARE h CURSOR WITH HOLD FOR ' . $search, 'FETCH 3 FROM h', 'COMMIT', 'DROP INDEX cut_1', 'TRUNCATE others', 'FETCH ALL FROM h', "CREATE INDEX cut_1 ON docs USING sketch (fp) WHERE n <> -1");
is(sorted($out), $right, 'a held cursor has its rows');

# ---- functions between two rows: other searches, writes to the index, plans and relations that become invalid

$server->safe_psql('postgres', qq{
	CREATE FUNCTION between_rows(i int) RETURNS int LANGUAGE plpgsql AS \$\$
	BEGIN
		PERFORM FROM docs WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE n = i % 500 + 1), 0.9);
		PERFORM FROM docs ORDER BY fp <%> (SELECT fp FROM probe) LIMIT 3;
		INSERT INTO docs SELECT n, fp FROM others LIMIT 0;
		INSERT INTO docs SELECT 1000000, fp FROM probe;
		CREATE OPERATOR ### (PROCEDURE = int4pl, LEFTARG = int, RIGHTARG = int);
		DROP OPERATOR ### (int, int);
		ANALYZE docs;
		ALTER INDEX cut_1 RENAME TO cut_then;
		ALTER INDEX cut_then RENAME TO cut_1;
		PERFORM set_config('effective_io_concurrency', (i % 2 * 10)::text, true);
		RETURN i;
	END \$\$});
for my $discards (0, 1)
{
	my $discard = "SET debug_discard_caches = $discards";
	last if session($server, $discard) ne ''; # a server without assertions
	$out = session($server, 'BEGIN', $discard, $search =~ s/SELECT n/SELECT between_rows(n)/r, 'RESET debug_discard_caches', "SELECT 'new ' || count(*) FROM docs WHERE n = 1000000 AND minhash_similar(fp, (SELECT fp FROM probe), 0.9)", 'ROLLBACK');
	is(sorted($out), $right, "functions between two rows, debug_discard_caches $discards") or diag($out);
	like($out, qr/new $similar\b/, 'the rows that they write are found afterwards');
}
$server->safe_psql('postgres', 'VACUUM docs');
# rescans: each probe begins anew, after searches that ended early
is(session($server, 'SET enable_hashjoin = off; SET enable_mergejoin = off', q{SELECT 'all ' || bool_and(found = n % 7) FROM (SELECT p.n, (SELECT count(*)
	FROM (SELECT FROM docs AS d WHERE minhash_similar(d.fp, p.fp, 0.9) LIMIT p.n % 7) AS x) AS found FROM docs AS p WHERE p.n <= 200) AS y}), 'all true', 'searches that end early, one after the other');

# ---- temporary tables: pages of the session, of which it has memory for a few

my $temporary = $search =~ s/docs/passing/r;
$out = session($server, 'SET temp_buffers = 100', 'CREATE TEMP TABLE passing AS TABLE docs', 'CREATE INDEX passing_fp ON passing USING sketch (fp)', "SELECT 'bands ' || bands FROM fingerprint_index_info('passing_fp')", 'BEGIN', "DECLARE c CURSOR FOR $temporary", 'FETCH 3 FROM c',
	'SAVEPOINT s', 'TRUNCATE passing', 'ROLLBACK TO s', 'SAVEPOINT s', 'DROP TABLE passing', 'ROLLBACK TO s', 'UPDATE passing SET fp = fp WHERE is_probe(n)', 'FETCH ALL FROM c', 'COMMIT', 'VACUUM passing', $temporary, "SELECT 'searches ' || by_bands FROM fingerprint_index_info('passing_fp')", 'DISCARD TEMP', $search);
is(sorted($out), sorted("$right\n$right\n$right"), 'a temporary table');
like($out, qr/bands [1-9].*55006.*55006.*searches 2/s, 'by bands, and it cannot be emptied in between') or diag($out);
$out = session($server, 'BEGIN', 'CREATE TEMP TABLE passing ON COMMIT DELETE ROWS AS TABLE docs', 'CREATE INDEX passing_fp ON passing USING sketch (fp)', "DECLARE c CURSOR WITH HOLD FOR $temporary", 'FETCH 3 FROM c', 'COMMIT', 'FETCH ALL FROM c', $temporary, 'INSERT INTO passing TABLE docs', $temporary);
is(sorted($out), $right, 'one that is emptied at commit');

# ---- a standby: its primary vacuums, and takes the index away

$server->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('ahead_standby');
$standby->init_from_backup($server, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = 1s\n");
$standby->start;
$server->wait_for_catchup($standby, 'replay');
is(sorted(session($standby, $search)), $right, 'a standby');
$out = session($standby, 'BEGIN ISOLATION LEVEL REPEATABLE READ', @begin[ 1, 2 ], other('UPDATE docs SET fp = fp WHERE NOT is_probe(n)', "INSERT INTO others $rows LIMIT 100"), 'SELECT pg_sleep(0.5)', 'FETCH ALL FROM c', 'COMMIT');
is(sorted($out), $right, 'a cursor of the standby beside writers');
$out = session($standby, 'BEGIN ISOLATION LEVEL REPEATABLE READ', @begin[ 1, 2 ], other('DROP INDEX docs_fp', 'TRUNCATE docs'), 'SELECT pg_sleep(100)', 'FETCH ALL FROM c', 'COMMIT', "SELECT 'alive'");
like($out, qr/40001|terminating connection/, 'a cursor of the standby ends where its index is dropped') or diag($out);
unlike($out, qr/crash/, 'and nothing else does');
$server->wait_for_catchup($standby, 'replay');
is(session($standby, "SELECT 'rows ' || count(*) FROM docs"), 'rows 0', 'the standby goes on');
$standby->stop;

# ---- a file that is cut, and entries of the tables that name rows anywhere

$server->safe_psql('postgres', "INSERT INTO docs $rows; VACUUM docs;" . cut_index(2 .. @cuts));
my @files = map { $server->data_dir . '/' . $server->safe_psql('postgres', "SELECT pg_relation_filepath('cut_$_')") } 1 .. @cuts;
$server->stop;
for my $i (0 .. $#cuts)
{
	if ($cuts[$i] ne 'entries') { truncate $files[$i], 8192 * $cuts[$i] or die; next }
	open my $file, '+<:raw', $files[$i] or die;
	for (my $at = 0; read($file, my $page, 8192); $at += 8192)
	{
		next if unpack('v', substr $page, 8192 - 10, 2) != 3; # a leaf of a table
		substr($page, 4 * $_, 4) = pack 'V', rand(2) < 1 ? 0xFFFFFFFF : int rand 40000 for 8 .. 1364;
		seek $file, $at, 0; print $file $page; seek $file, $at + 8192, 0;
	}
	close $file or die;
}
$server->start;
for my $i (1 .. @cuts)
{
	for my $ahead (0, 100)
	{
		my $query = "$search AND n <> -$i";
		$out = session($server, "SET effective_io_concurrency = $ahead", $query, "SELECT 'check ' || sketch_check('cut_$i', true)", "SELECT 'alive'");
		my %is_right = map { ($_ => 1) } split /\n/, $right;
		is(scalar(grep { !$is_right{$_} } split /\n/, sorted($out)), 0, "$cuts[$i - 1], $ahead ahead: no row that is not similar") or diag($out);
		like($out, qr/^E (?:XX00[012]|58P01|58030)$/m, 'an error tells of the damage') or diag($out);
		like($out, qr/^alive$/m, 'the session lives');
	}
}
my $log = do { open my $handle, '<', $server->logfile or die; local $/; <$handle> };
unlike($log, qr/terminated by signal|PANIC|TRAP/, 'no crash');
$server->stop;
done_testing();

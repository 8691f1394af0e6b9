# Damaged pages of the access method sketch: each field of each kind of page is overwritten in an index of its own, by ones and in the long run also in one bit. sketch_check reports it. No
# search crashes: it ends with an error, or it returns the right rows, except where only sketch_check compares the field with others.
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;

my $server = new_server('damage', damaged => 1, conf => "fsync = off\nshared_buffers = 128MB\ncheckpoint_timeout = 1h\nmax_wal_size = 4GB\n");
$server->safe_psql('postgres', q{
	CREATE TABLE docs (id int, fp minhash256, part int GENERATED ALWAYS AS (id % 100) STORED) WITH (autovacuum_enabled = off);
	INSERT INTO docs SELECT n, to_minhash256(string_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100 ELSE n / 8 * 100000 END + i || '', ' '), 'word-uax29') FROM generate_series(1, 4200) AS n, generate_series(1, 60) AS i GROUP BY n ORDER BY n;
	INSERT INTO docs (id) SELECT n FROM generate_series(5000, 5010) AS n;
	CREATE TABLE probe AS SELECT fp FROM docs WHERE id = 801});

# what => [page, offset, bytes, may the search go wrong?, may sketch_check overlook it?]; the page is the metapage, a page of the first group, or
# the first page of this kind
my @fields = (
	[ 'magic', 0, 24, 4 ], [ 'format', 0, 28, 2 ], [ 'kind', 0, 30, 1 ], [ 'leading columns', 0, 31, 1 ], [ 'pages', 0, 32, 2 ], [ 'zero', 0, 34, 2 ],
	[ 'features', 0, 36, 4 ], [ 'configuration', 0, 40, 8 ], [ 'units', 0, 48, 4 ], [ 'zeros', 0, 52, 4 ], [ 'rows', 0, 56, 2, 1 ], [ 'place of the NULLs', 0, 58, 2, 1 ], [ 'place of the TIDs', 0, 60, 2, 1 ], [ 'place of the hashes', 0, 62, 2, 1 ],
	[ 'place of the first fields', 0, 64, 2, 1 ], [ 'place of the fields of the last page', 0, 70, 2, 1 ], [ 'place of fields that are not there', 0, 74, 2, 1 ],
	[ 'bands', 0, 80, 2, 1 ], [ 'tables', 0, 82, 2 ], [ 'segments', 0, 84, 2, 1 ], [ 'zero of the directory', 0, 86, 2 ],
	[ 'highest id', 0, 88, 4, 0, 1 ], [ 'zeros of the directory', 0, 92, 4 ], [ 'new group', 0, 96, 4, 0, 1 ], [ 'last new group', 0, 108, 4 ],
	[ 'id of a table', 0, 112, 4 ], [ 'live table', 0, 116, 4, 0, 1 ], [ 'first unit of a table', 0, 120, 4 ], [ 'leaves', 0, 124, 4 ], [ 'fences', 0, 128, 4 ],
	[ 'groups of a table', 0, 132, 4, 0, 1 ], [ 'items', 0, 136, 8 ], [ 'first unit', 0, 880, 4 ], [ 'label', 0, 884, 4, 1 ],
	[ 'second segment', 0, 888, 4, 1 ], [ 'second label', 0, 892, 4, 1 ],
	[ 'used', 1, 24, 2 ], [ 'free', 1, 26, 2 ], [ 'nulls', 1, 28, 2 ], [ 'flags', 1, 30, 2 ], [ 'stamp', 1, 32, 4, 0, 1 ], [ 'zero of a group', 1, 36, 4 ],
	[ 'bits of NULLs', 1, 40, 1, 1 ], [ 'hash', 1, 48, 4, 1 ], [ 'TID', 1, 48 + 4 * 58, 6, 1 ], [ 'plane', 2, 24, 32, 1 ],
	[ 'first key of a leaf', 'leaf', 24, 4, 1 ], [ 'count of a leaf', 'leaf', 28, 2, 1 ], [ 'shift of a leaf', 'leaf', 30, 2, 1 ], [ 'delta', 'leaf', 32 + 4 * 1356, 2, 1 ],
	[ 'count of fences', 'fences', 24, 4 ], [ 'zero of fences', 'fences', 28, 4 ], [ 'first fence', 'fences', 32, 4, 1 ], [ 'second fence', 'fences', 36, 4, 1 ],
	[ 'count of the root', 'root', 24, 4 ], [ 'zero of the root', 'root', 28, 4 ], [ 'key of the root', 'root', 32, 4, 1 ]);
for my $page (0, 1, 2, 'leaf', 'fences', 'root')
{
	my $at = 8192 - 16;
	push @fields, map { [ "mark of page $page: $_->[0]", $page, $at + $_->[1], $_->[2] ] }
	  [ 'group', 0, 4 ], [ 'page', 4, 2 ], [ 'kind', 6, 2 ], [ 'number', 8, 4 ], [ 'zero', 12, 2 ], [ 'id', 14, 2 ];
}
# Each index serves only queries that repeat its condition. One process builds them, so that all have the same pages at the same places.
$server->safe_psql('postgres', join '', "SET maintenance_work_mem = '64MB'; SET max_parallel_maintenance_workers = 0;",
	map { "CREATE INDEX damaged_$_ ON docs USING sketch (part, fp) WHERE id <> -$_;" } 0 .. $#fields);
my @files = split /\n/, $server->safe_psql('postgres', "SELECT pg_relation_filepath('damaged_' || i) FROM generate_series(0, $#fields) AS i ORDER BY i");

sub slurp_file { open my $handle, '<:raw', $_[0] or die "$_[0]: $!"; local $/; return scalar <$handle> }
sub spew_file { open my $handle, '>:raw', $_[0] or die "$_[0]: $!"; print $handle $_[1]; close $handle or die; return }

my %first_block = (0 => 0, 1 => 1, 2 => 2);

sub find_blocks
{
	my ($bytes) = @_;
	my %kind = (leaf => 3, fences => 4, root => 5);
	for my $block (reverse 0 .. length($bytes) / 8192 - 1)
	{
		my $kind = unpack 'v', substr $bytes, 8192 * $block + 8192 - 10, 2;
		$kind{$_} == $kind and $first_block{$_} = $block for keys %kind;
	}
	return;
}

# Runs queries in one session. Each result is a value or a SQLSTATE.
sub results
{
	my ($server, @queries) = @_;
	my ($status, $out, $err) = $server->psql('postgres', join("\n", '\set VERBOSITY sqlstate', "SET enable_seqscan = off; SET enable_bitmapscan = off; SET statement_timeout = '60s';",
		(map { "$_;\n\\if :ERROR\n\\echo :SQLSTATE\n\\endif" } @queries)), on_error_stop => 0);
	return split /\n/, $out;
}

sub queries_of
{
	my ($i) = @_;
	my $probe = "id <> -$i AND minhash_similar(fp, (SELECT fp FROM probe)";
	return ("SELECT 'sound' FROM (SELECT sketch_check('damaged_$i', true) OFFSET 0) AS x", "SELECT 'rows ' || coalesce(string_agg(id::text, ',' ORDER BY id), '') FROM docs WHERE $probe, 0.9)",
		"SELECT 'rows ' || count(*) || ' ' || coalesce(sum(id), 0) FROM docs WHERE $probe, 0.1)", "SELECT 'rows ' || coalesce(string_agg(d::text, ','), '') FROM (SELECT fp <%> (SELECT fp FROM probe) AS d FROM docs WHERE id <> -$i ORDER BY fp <%> (SELECT fp FROM probe) LIMIT 20) AS x",
		"SELECT 'rows ' || coalesce(string_agg(id || ' ' || d, ',' ORDER BY d, id), '') FROM (SELECT id, fp <%> (SELECT fp FROM probe) AS d FROM docs WHERE id <> -$i AND part = 1 ORDER BY fp <%> (SELECT fp FROM probe)) AS x");
}

my @right = results($server, queries_of(0));
is($right[0], 'sound', 'the index is sound');
like($right[1], qr/^rows .*801/, 'a search by the directory');
like($right[3], qr/^rows 0,/, 'a search in order');
like($server->safe_psql('postgres', 'SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN ' . (queries_of(7))[1]), qr/Index Scan using damaged_7/, 'each query uses its index');

$server->stop;
my @sound = map { slurp_file($server->data_dir . "/$_") } @files;
find_blocks($sound[0]);
my %change = (ones => sub { "\xFF" x length $_[0] }, bit => sub { $_[0] ^ ("\x01" . "\0" x (length($_[0]) - 1)) });
for my $how (by_length([ 'bit', 'ones' ], ['ones'])->@*)
{
	for my $i (0 .. $#fields)
	{
		my ($what, $page, $offset, $size) = @{ $fields[$i] };
		my ($bytes, $at) = ($sound[$i], 8192 * $first_block{$page} + $offset);
		substr($bytes, $at, $size) = $change{$how}->(substr $bytes, $at, $size);
		spew_file($server->data_dir . "/$files[$i]", $bytes);
	}
	$server->start;
	for my $i (0 .. $#fields)
	{
		my ($what, $page, $offset, $size, $may_be_wrong, $may_be_overlooked) = @{ $fields[$i] };
		my ($check, @searches) = results($server, queries_of($i));
		my $is_new_group = $what =~ /new group/ && substr($sound[$i], $offset, $size) eq "\xFF" x $size && $how eq 'ones'; # no change
		like($check, $may_be_overlooked || $is_new_group ? qr/^(sound|XX002)$/ : qr/^(XX00[12]|0A000)$/, "$what, $how: sketch_check");
		is(scalar(@searches), 4, "$what, $how: all searches ended");
		my $wrong = grep { $searches[$_] !~ /^(XX00[12]|0A000)$/ && $searches[$_] ne $right[ $_ + 1 ] && !($what eq 'configuration' && $searches[$_] eq '22023') } 0 .. 3;
		is($wrong, 0, "$what, $how: searches fail or are right") or diag(join "\n", @searches) unless $may_be_wrong;
		like($searches[3], qr/^XX00[12]$/, "$what, $how: a search by the leading column says so") if $what =~ /^mark of page root/;
	}
	unlike(slurp_file($server->logfile), qr/terminated by signal|PANIC|server process .* exited/, "$how: no crash");
	$server->stop;
}
spew_file($server->data_dir . "/$files[$_]", $sound[$_]) for 0 .. $#fields;
$server->start;
is(join(' ', results($server, queries_of(3))), join(' ', @right), 'undamaged again');

# ---- old_snapshot_threshold: a search raises an error where rows that its snapshot sees may have been removed

SKIP:
{
	# A threshold of 0 is meant for tests. PostgreSQL then takes snapshots for old after five seconds.
	skip 'servers from 17 on have no old_snapshot_threshold', 3 if $server->pg_version >= 17;
	$server->append_conf('postgresql.conf', "old_snapshot_threshold = 0\n");
	$server->restart;
	$server->safe_psql('postgres', join ';', map { "DROP INDEX damaged_$_" } 1 .. $#fields);
	my $search = 'SELECT count(*) FROM docs WHERE id <> 0 AND minhash_similar(fp, (SELECT fp FROM probe)';
	my $others = q{psql -Xq -d "} . $server->connstr('postgres') . q{" -c "SELECT pg_sleep(6)" -c "UPDATE docs SET fp = fp WHERE id < 2000" -c "UPDATE docs SET fp = fp WHERE id < 2000" -c "VACUUM docs" >} . File::Spec->devnull;
	my ($status, $out, $err) = $server->psql('postgres', join("\n", 'SET enable_seqscan = off; SET enable_bitmapscan = off;', 'BEGIN ISOLATION LEVEL REPEATABLE READ;', 'SELECT fp IS NULL FROM probe;', "\\! $others",
		(map { "SAVEPOINT s;\n$_;\nROLLBACK TO s;" } "$search, 0.9)", "$search, 0.1)", "SELECT count(*) FROM (SELECT id FROM docs WHERE id <> 0 ORDER BY fp <%> (SELECT fp FROM probe) LIMIT 3) AS x")), on_error_stop => 0);
	my @errors = $err =~ /(ERROR: .*)/g;
	is($errors[$_], 'ERROR:  snapshot too old', 'snapshot too old') for 0 .. 2;
}

done_testing();

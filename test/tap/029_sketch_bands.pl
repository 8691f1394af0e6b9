# The band directory of the access method sketch finds every row of the table at any time: with writers, searches and vacuum at the same time, after
# merges that are cancelled or end in a crash, on a replica that reads while its primary merges, and after its promotion.
# TXTFP_BANDS_ROUNDS=N crashes and cancels (default 1, in the long run 3), TXTFP_BANDS_SECONDS=N seconds of concurrent work (1, 4), TXTFP_BANDS_SEED=N.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;
use Time::HiRes ();

my $rounds  = $ENV{TXTFP_BANDS_ROUNDS}  // by_length(3, 1);
my $seconds = $ENV{TXTFP_BANDS_SECONDS} // by_length(4, 1);
my $seed    = $ENV{TXTFP_BANDS_SEED}    // 1;
srand $seed;

my $server = new_server('bands', damaged => 1, streaming => 1, conf => "shared_buffers = 64MB\nmaintenance_work_mem = 2MB\ncheckpoint_timeout = 1h\nmax_wal_size = 4GB\n");
$server->safe_psql('postgres', q{
	CREATE FUNCTION fp(n int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$
		SELECT to_minhash128(array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '')) FROM generate_series(1, 60) AS i $$;
	CREATE TABLE docs (id int GENERATED ALWAYS AS IDENTITY, n int, fp minhash128, part int GENERATED ALWAYS AS (n / 1000) STORED);
	CREATE INDEX docs_fp ON docs USING sketch (fp);
	CREATE INDEX docs_part ON docs USING sketch (part, fp);
	CREATE FUNCTION put(first int, rows int) RETURNS void LANGUAGE sql AS $$ INSERT INTO docs (n, fp) SELECT n, fp(n) FROM generate_series(first, first + rows - 1) AS n $$;
	-- differences: the number of probes for which the index and a scan of the table return different rows
	CREATE FUNCTION by_table(q minhash128, threshold float8) RETURNS text LANGUAGE plpgsql SET enable_indexscan = off SET enable_bitmapscan = off AS $$
		BEGIN RETURN (SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE minhash_similar(fp, q, threshold)); END $$;
	CREATE FUNCTION by_index(q minhash128, threshold float8) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
		BEGIN RETURN (SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE minhash_similar(fp, q, threshold)); END $$;
	CREATE FUNCTION differences(probes int) RETURNS bigint LANGUAGE sql AS $$
		WITH all_n AS MATERIALIZED (SELECT array_agg(n) AS a FROM docs),
			probe AS MATERIALIZED (SELECT fp(a[1 + (random() * (cardinality(a) - 1))::int]) AS fp, (ARRAY[1, 0.9, 0.85, 0.8, 0.76])[1 + (random() * 4)::int] AS threshold FROM all_n, generate_series(1, probes))
		SELECT count(*) FROM probe WHERE by_table(fp, threshold) IS DISTINCT FROM by_index(fp, threshold) $$;
	-- the same within equal values of a leading column: similar rows, and the nearest ones
	CREATE FUNCTION of_part(p int, q minhash128, threshold float8) RETURNS text LANGUAGE sql AS $$
		SELECT (SELECT string_agg(id::text, ',' ORDER BY id) FROM docs WHERE part = p AND minhash_similar(fp, q, threshold)) || ' '
			|| (SELECT string_agg(d::text, ',') FROM (SELECT fp <%> q AS d FROM docs WHERE part = p ORDER BY fp <%> q LIMIT 8) AS x) || ' ' || (SELECT sum(id) FROM docs WHERE part = p) $$;
	CREATE FUNCTION part_by_table(p int, q minhash128, threshold float8) RETURNS text LANGUAGE plpgsql SET enable_indexscan = off SET enable_bitmapscan = off AS $$ BEGIN RETURN of_part(p, q, threshold); END $$;
	CREATE FUNCTION part_by_index(p int, q minhash128, threshold float8) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$ BEGIN RETURN of_part(p, q, threshold); END $$;
	CREATE FUNCTION part_differences(probes int) RETURNS bigint LANGUAGE sql AS $$
		WITH all_n AS MATERIALIZED (SELECT array_agg(n) AS a FROM docs),
			probe AS MATERIALIZED (SELECT a[1 + (random() * (cardinality(a) - 1))::int] AS n, (ARRAY[1, 0.8, 0.5, 0.2])[1 + (random() * 3)::int] AS threshold FROM all_n, generate_series(1, probes))
		SELECT count(*) FROM probe WHERE part_by_table(n / 1000, fp(n), threshold) IS DISTINCT FROM part_by_index(n / 1000, fp(n), threshold) $$;
	SELECT put(1, 20000);
});
like($server->safe_psql('postgres', 'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; EXPLAIN SELECT FROM docs WHERE part = 3 ORDER BY fp <%> fp(7) LIMIT 8'), qr/Index Scan using docs_part/, 'the index with a leading column serves it');

my $has_parts = 1;    # the index with a leading column exists

sub is_right
{
	my ($what, $probes) = @_;
	is($server->safe_psql('postgres', "SELECT sketch_check('docs_fp', true) >= count(*) FROM docs"), 't', "$what: the index is sound");
	my $wrong = $server->safe_psql('postgres', 'SELECT setseed(' . rand() . "); SELECT differences($probes)");
	$wrong =~ s/.*\n//s;
	is($wrong, 0, "$what: $probes searches as the table answers");
	return unless $has_parts;
	my $few = 2 + int($probes / 5);
	is($server->safe_psql('postgres', "SELECT sketch_check('docs_part', true) >= count(*) FROM docs"), 't', "$what: the index with a leading column is sound");
	$wrong = $server->safe_psql('postgres', 'SELECT setseed(' . rand() . "); SELECT part_differences($few)");
	$wrong =~ s/.*\n//s;
	is($wrong, 0, "$what: $few searches of equal values as the table answers");
	return;
}

sub directory { return $server->safe_psql('postgres', "SELECT $_[0] FROM fingerprint_index_info('docs_fp')") }

is_right('writers have merged', 20);
cmp_ok(directory('tables'), '>', 1, 'into several tables');
$server->safe_psql('postgres', 'VACUUM docs');
cmp_ok(directory('tables'), '<=', 2, 'vacuum into one or two');
is_right('vacuumed', 20);

# ---- merges that are interrupted; vacuum is slowed down so that the interruption comes in the middle of a merge

my $slow = "SET vacuum_cost_delay = '1ms'; SET vacuum_cost_limit = 8; VACUUM (INDEX_CLEANUP ON) docs";
my ($unfinished, $from) = (0, 20001);
for my $round (1 .. 2 * $rounds)
{
	$server->safe_psql('postgres', 'DELETE FROM docs WHERE random() < 0.15');
	# new rows, which writers do not merge because bands is 0 meanwhile
	$server->safe_psql('postgres', "BEGIN; ALTER INDEX docs_fp SET (bands = 0); SELECT put($from, 6000); ALTER INDEX docs_fp RESET (bands); COMMIT");
	$from += 6000;
	my $before = directory('other_rows');
	my ($vacuum, $err) = start_sql($server, split /; /, $slow);
	Time::HiRes::sleep(0.3 + rand 1.5);
	my $crash = $round % 2;
	if ($crash)
	{
		$server->stop('immediate');
		$vacuum->finish;
		$server->start;
	}
	else
	{
		$server->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'VACUUM%' AND pid <> pg_backend_pid()});
		$vacuum->finish;
	}
	++$unfinished if directory('other_rows') >= $before - 500;
	is_right("round $round, " . ($crash ? 'crash' : 'cancel'), 10);
	$server->safe_psql('postgres', "SELECT put($from, 1000)");
	$from += 1000;
	is_right("round $round, written since", 10);
	$server->safe_psql('postgres', 'VACUUM docs');
	cmp_ok(directory('other_rows'), '<', 4000, "round $round: merged at last");
	is_right("round $round, vacuumed", 10);
}
cmp_ok($unfinished, '>', 0, "$unfinished of the merges were interrupted in the middle");

# ---- crashes while writers merge

for my $round (1 .. $rounds)
{
	my ($writer) = start_sql($server, map { "SELECT put($from + $_ * 300, 300)" } 1 .. 60);
	Time::HiRes::sleep(0.2 + rand 0.8);
	$server->stop('immediate');
	$writer->finish;
	$server->start;
	is_right("crash of writers $round", 10);
	$from += 20000;
}
$server->safe_psql('postgres', 'VACUUM docs');
is_right('vacuumed after the crashes', 20);

# ---- a replica that reads while its primary writes and merges

$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->append_conf('postgresql.conf', "hot_standby_feedback = on\n");
$replica->start;

# ---- concurrent work: every committed row is found by its value, whatever other sessions do

$server->safe_psql('postgres', q{
	CREATE PROCEDURE work(worker int, seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 second';
		first int := 10000000 * (worker + 1);
		missing int;
	BEGIN
		WHILE clock_timestamp() < until LOOP
			PERFORM put(first, 100);
			COMMIT;
			SELECT count(*) INTO missing FROM generate_series(first, first + 99, 7) AS n WHERE by_index(fp(n), 0.9) IS NULL;
			IF missing > 0 THEN
				RAISE EXCEPTION 'worker % misses % rows from % on', worker, missing, first;
			END IF;
			IF part_by_index(first / 1000, fp(first), 0.9) IS NULL THEN
				RAISE EXCEPTION 'worker % misses part %', worker, first / 1000;
			END IF;
			IF random() < 0.3 THEN
				DELETE FROM docs WHERE n BETWEEN first - 1000 AND first - 700;
				COMMIT;
			END IF;
			first := first + 100;
		END LOOP;
	END $$;
	CREATE PROCEDURE look(seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 second';
		known int[] := ARRAY(SELECT n FROM docs WHERE n < 10000000 ORDER BY random() LIMIT 500);
		one int;
	BEGIN
		WHILE clock_timestamp() < until LOOP
			FOREACH one IN ARRAY known LOOP
				IF by_index(fp(one), 0.9) IS NULL THEN
					RAISE EXCEPTION '% is missing', one;
				END IF;
			END LOOP;
			COMMIT;
		END LOOP;
	END $$});
my @work = map { [ start_sql($server, "CALL work($_, $seconds)") ] } 1 .. 3;
push @work, [ start_sql($server, "CALL look($seconds)") ] for 1 .. 2;
push @work, [ start_sql($server, ('VACUUM docs', 'SELECT pg_sleep(0.3)') x (2 * $seconds)) ];
my $end = time + $seconds;
my ($looks, $lost) = (0, 0);
my @ids = split /\n/, $server->safe_psql('postgres', 'SELECT n FROM docs WHERE n < 10000000 ORDER BY random() LIMIT 200');
while (time < $end)
{
	my $list = join ',', @ids;
	$lost += $replica->safe_psql('postgres', "SELECT count(*) FROM unnest(ARRAY[$list]) AS n WHERE by_index(fp(n), 0.9) IS NULL");
	++$looks;
}
for my $one (@work)
{
	my ($process, $err) = @$one;
	$process->finish;
	unlike($$err, qr/ERROR|PANIC|FATAL/, 'work at once: no error, nothing missing');
}
is($lost, 0, "the replica found its rows in $looks looks meanwhile");
is_right('after all that', 30);
note $server->safe_psql('postgres', "SELECT bands, tables, covered_rows, other_rows, table_bytes, free_bytes, (SELECT count(*) FROM docs), pg_size_pretty(pg_relation_size('docs_fp')) FROM fingerprint_index_info('docs_fp')");

$server->wait_for_catchup($replica);
my $sample = q{SELECT md5(string_agg(coalesce(by_index(fp(n), 0.8), '-') || part_by_index(n / 1000, fp(n), 0.3), ';' ORDER BY n)) FROM docs WHERE n % 397 = 5};
is($replica->safe_psql('postgres', $sample), $server->safe_psql('postgres', $sample), 'the replica answers as the primary');
my $nearest = q{SET enable_seqscan = off; SELECT string_agg(nearest, ';' ORDER BY n) FROM docs, LATERAL (SELECT string_agg(round(d::numeric, 4)::text, ' ' ORDER BY d) AS nearest FROM (SELECT other.fp <%> fp(docs.n) AS d FROM docs AS other ORDER BY other.fp <%> fp(docs.n) LIMIT 3) AS x) AS y WHERE n % 3970 = 5};
for my $recall (1, 0.9)
{
	my ($there, $here) = map { $_->safe_psql('postgres', "SET txtfp.sketch_recall = $recall; $nearest") } $replica, $server;
	is($there, $here, "the nearest rows, too, with recall $recall");
}
$server->stop('immediate');
$replica->promote;
$server = $replica;
is_right('promoted', 30);
$server->safe_psql('postgres', "SELECT put(900000000, " . by_length(20000, 8000) . "); VACUUM docs");
is_right('and written to', 20);

# ---- sketch_check detects wrong bytes in the directory

sub damage
{
	my ($block, $offset, $bytes) = @_;
	my $file = $server->data_dir . '/' . $server->safe_psql('postgres', "SELECT pg_relation_filepath('docs_fp')");
	$server->stop;
	open my $handle, '+<:raw', $file or die "$file: $!";
	seek $handle, 8192 * $block + $offset, 0;
	read $handle, my $before, length $bytes;
	seek $handle, 8192 * $block + $offset, 0;
	print $handle $bytes;
	close $handle;
	$server->start;
	return $before;
}
$has_parts = 0;
my $groups = $server->safe_psql('postgres', q{DROP INDEX docs_part; REINDEX INDEX docs_fp; SELECT (covered_rows + other_rows) / 116 FROM fingerprint_index_info('docs_fp')});
$groups =~ s/.*\n//s;
for my $wrong ([ 0, 56, pack('v', 99), 'bands' ], [ 1 + 4 * $groups, 24, pack('V', 0xFFFFFFFF), 'first key of a leaf' ], [ 1 + 4 * $groups, 28, pack('v', 1), 'count of a leaf' ])
{
	my ($block, $offset, $bytes, $what) = @$wrong;
	my $before = damage($block, $offset, $bytes);
	my ($status, $out, $err) = $server->psql('postgres', "SELECT sketch_check('docs_fp')");
	like($err, qr/index "docs_fp" is damaged/, "sketch_check notices: $what");
	damage($block, $offset, $before);
}
is_right('undamaged again', 5);

# ---- a search that meets a damaged page ends with an error; it neither loops nor crashes

sub root_block
{
	my $file = $server->data_dir . '/' . $server->safe_psql('postgres', "SELECT pg_relation_filepath('docs_fp')");
	open my $handle, '<:raw', $file or die "$file: $!";
	for (my $block = 0; read $handle, my $page, 8192; ++$block)
	{
		return $block if unpack('v', substr $page, 8192 - 16 + 6, 2) == 5;
	}
	die 'the index has no root of a band table';
}
$server->safe_psql('postgres', 'CHECKPOINT');
my $root = root_block();
my $search = "SET statement_timeout = '20s'; SELECT by_index(fp(n), 0.9) IS NOT DISTINCT FROM by_table(fp(n), 0.9) FROM docs ORDER BY id LIMIT 1";
my $before_mark = damage($root, 8192 - 16, pack('V', 0xFFFFFFFE));
my (undef, undef, $mark_error) = $server->psql('postgres', $search);
like($mark_error, qr/index "docs_fp" is damaged at block $root/, 'a search notices a page with a wrong mark');
damage($root, 8192 - 16, $before_mark);
my $before_count = damage($root, 24, pack('V', 0xFFFFFFFF));
my (undef, undef, $count_error) = $server->psql('postgres', $search);
like($count_error, qr/index "docs_fp" is damaged at block $root/, 'a search notices a page of fences with a wrong count');
damage($root, 24, $before_count);
is_right('undamaged at last', 5);

done_testing();

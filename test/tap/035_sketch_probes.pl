# A long run: TXTFP_PROBES=1000000 searches of each kind of index, compared with a scan of the table: after a parallel build, after inserts and moves
# between tenants, after deletions and vacuum, after a crash in the middle of writing, and on a replica. TXTFP_PROBES_KINDS=c128,part_c128 chooses kinds.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;
use Time::HiRes ();

my $probes = $ENV{TXTFP_PROBES} or plan skip_all => 'a long run, with TXTFP_PROBES=1000000';
my $thresholds = 50;
my %similar = (
	minhash => [ 'minhash_similar(%1$s, $1::%2$s, $2)', 'jaccard(d.%1$s, p.%1$s)', "0.3 + 0.7 * t / $thresholds", '>=' ],
	simhash => [ 'simhash_similar(%1$s, $1::%2$s, $2::int)', '(d.%1$s <#> p.%1$s)', 't - 1', '<=' ],
	tlsh    => [ 'tlsh_similar(%1$s, $1::%2$s, $2::int)', '(d.%1$s <~> p.%1$s)', 't * 2', '<=' ]);
# column, its type, its functions, whether there is a leading column
my %kinds = (
	c64      => [ 'c64', 'minhash64_compact', 'minhash', 0 ],  c128      => [ 'c128', 'minhash128_compact', 'minhash', 0 ], c256 => [ 'c256', 'minhash256_compact', 'minhash', 0 ],
	part_c128 => [ 'c128', 'minhash128_compact', 'minhash', 1 ], part_m128 => [ 'm128', 'minhash128', 'minhash', 1 ], part_s => [ 's', 'simhash64', 'simhash', 1 ], part_t => [ 't', 'tlsh', 'tlsh', 1 ]);
my @chosen = $ENV{TXTFP_PROBES_KINDS} ? split /,/, $ENV{TXTFP_PROBES_KINDS} : sort keys %kinds;

my $server = new_server('probes', streaming => 1,
	conf => "shared_buffers = 256MB\nmaintenance_work_mem = 128MB\nmax_parallel_maintenance_workers = 2\nmax_parallel_workers_per_gather = 0\ncheckpoint_timeout = 1h\nmax_wal_size = 8GB\n");
$server->safe_psql('postgres', q{
	CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
		SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '') FROM generate_series(1, 60) AS i $$;
	CREATE TABLE docs (id int PRIMARY KEY, part int, m128 minhash128, c64 minhash64_compact, c128 minhash128_compact, c256 minhash256_compact, s simhash64, t tlsh) WITH (parallel_workers = 2);
	CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO docs SELECT n, n / 8 % 12, to_minhash128(w), to_minhash64(w)::minhash64_compact, to_minhash128(w)::minhash128_compact, to_minhash256(w)::minhash256_compact,
			(n / 8 * 1234567891::bigint # n % 8)::simhash64, to_tlsh(array_to_string(w, ' '))
		FROM generate_series(first, last) AS n, LATERAL (SELECT words(n) AS w OFFSET 0) AS x $$;
	SELECT put(1, 16000);
	ANALYZE docs;
	CREATE TABLE expected (probe int, part int, value text, threshold float8, n bigint, ids bigint);
	-- what a scan of the table finds for rows of it, at many thresholds
	CREATE FUNCTION expect(kind text, sim text, thresholds text, op text, is_within boolean, rows int, steps int) RETURNS bigint LANGUAGE plpgsql SET enable_indexscan = off SET enable_bitmapscan = off SET work_mem = '256MB' AS $$
	BEGIN
		TRUNCATE expected;
		EXECUTE format('INSERT INTO expected WITH p AS MATERIALIZED (SELECT * FROM docs ORDER BY hashint4(id + %5$s) LIMIT %5$s),
			found AS MATERIALIZED (SELECT p.id, %2$s AS sim, count(*) AS n, sum(d.id) AS ids FROM p JOIN docs AS d ON %4$s GROUP BY 1, 2)
			SELECT p.id, p.part, p.%1$s::text, x.threshold, coalesce(sum(f.n), 0), coalesce(sum(f.ids), 0) FROM p CROSS JOIN LATERAL (SELECT (%3$s)::float8 AS threshold FROM generate_series(1, %7$s) AS t) AS x
			LEFT JOIN found AS f ON f.id = p.id AND f.sim %6$s x.threshold GROUP BY 1, 2, 3, 4', kind, sim, thresholds, CASE WHEN is_within THEN 'd.part = p.part' ELSE 'true' END, rows, op, steps);
		RETURN (SELECT count(*) FROM expected);
	END $$;
	-- for how many of them the index finds something else
	CREATE FUNCTION differences(condition text) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
	DECLARE
		e expected;
		found bigint;
		sum bigint;
		wrong bigint := 0;
		total bigint := 0;
		line text;
		plan text := '';
	BEGIN
		SELECT * INTO e FROM expected LIMIT 1;
		FOR line IN EXECUTE 'EXPLAIN SELECT count(*), coalesce(sum(id), 0) FROM docs WHERE ' || condition USING e.value, e.threshold, e.part LOOP
			plan := plan || line;
		END LOOP;
		IF plan !~ 'Index Scan using tested' THEN
			RAISE EXCEPTION 'plan: %', left(plan, 300);
		END IF;
		FOR e IN SELECT * FROM expected LOOP
			EXECUTE 'SELECT count(*), coalesce(sum(id), 0) FROM docs WHERE ' || condition INTO found, sum USING e.value, e.threshold, e.part;
			wrong := wrong + (found <> e.n OR sum <> e.ids)::int;
			total := total + 1;
		END LOOP;
		RETURN wrong || ' of ' || total;
	END $$});
$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->start;

my $next = 20000;
for my $kind (@chosen)
{
	my ($column, $type, $functions, $is_within) = @{ $kinds{$kind} };
	my ($condition, $sim, $limits, $op) = @{ $similar{$functions} };
	$condition = sprintf $condition, $column, $type;
	$condition .= ' AND part = $3' if $is_within;
	$sim = sprintf $sim, $column;
	my $rows  = int($probes / 5 / $thresholds) || 1;
	my $stage = sub {
		my ($name, $searched) = @_;
		my $expected = $server->safe_psql('postgres', qq{SELECT expect('$column', '$sim', '$limits', '$op', ${\ ($is_within ? 'true' : 'false')}, $rows, $thresholds)});
		$server->wait_for_catchup($replica) if $searched;
		is(($searched // $server)->safe_psql('postgres', "SELECT differences('$condition')"), "0 of $expected", "$kind, $name");
	};
	$server->safe_psql('postgres', 'CREATE INDEX tested ON docs USING sketch (' . ($is_within ? 'part, ' : '') . "$column)");
	$stage->('after the build');
	$server->safe_psql('postgres', "SELECT put($next, $next + 2999); UPDATE docs SET part = part + 1 WHERE id % 7 = 3; UPDATE docs SET part = 5 WHERE id % 501 = 3");
	$stage->('after inserts and moves');
	$server->safe_psql('postgres', "DELETE FROM docs WHERE id < 20000 AND id % 11 = 5; VACUUM docs; SELECT put($next + 3000, $next + 3999)");
	$stage->('after vacuum');
	my ($writer) = start_sql($server, map { "SELECT put($_, $_ + 99)" } map { $next + 4000 + $_ * 100 } 0 .. 100);
	Time::HiRes::sleep(1);
	$server->stop('immediate');
	eval { $writer->finish };
	$server->start;
	$stage->('after a crash');
	$stage->('on a replica', $replica);
	$server->safe_psql('postgres', "SELECT sketch_check('tested', true); DROP INDEX tested; DELETE FROM docs WHERE id >= 20000; VACUUM docs; SELECT put(n, n) FROM generate_series(1, 16000) AS n WHERE n % 11 = 5 AND NOT EXISTS (SELECT FROM docs WHERE id = n)");
}
$replica->stop;
$server->stop;
done_testing();

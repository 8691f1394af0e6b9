# Plans: random queries, whose searches take their values from constants, parameters, subqueries, functions of each kind of parallel safety and rows of outer
# queries, in joins, LATERAL, EXISTS, unions, CTEs and partitions, under random settings of the planner. Each must give what a scan of the tables by one process
# gives, and the server must survive.
#
#   TXTFP_PLANS=5000        queries (400)
#   TXTFP_PLANS_SEED=2      (1)
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use IPC::Run ();
use TxtfpTest;
use PostgreSQL::Test::Utils ();
use Test::More;

my $queries = $ENV{TXTFP_PLANS} // 400;
my $batch   = 20;
srand($ENV{TXTFP_PLANS_SEED} // 1);
my $server = new_server('plans', conf => "max_worker_processes = 16\nmax_parallel_workers = 8\nautovacuum = off\njit = off\n");
my $forced = $server->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});

# Groups of eight rows that differ in 0 to 28 of 60 words
$server->safe_psql('postgres', q{
	CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
		SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '') FROM generate_series(1, 60) AS i $$;
	CREATE TABLE docs (id int PRIMARY KEY, part int, m128 minhash128, c64 minhash64_compact, s simhash64, t tlsh) WITH (parallel_workers = 2);
	INSERT INTO docs SELECT n, n / 8 % 5, to_minhash128(w), to_minhash64(w)::minhash64_compact, (n / 8 * 1234567891::bigint # n % 8)::simhash64, to_tlsh(array_to_string(w, ' '))
		FROM generate_series(1, 4000) AS n, LATERAL (SELECT words(n) AS w OFFSET 0) AS x;
	UPDATE docs SET m128 = NULL WHERE id % 501 = 0;
	CREATE TABLE parts (LIKE docs) PARTITION BY RANGE (id);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (2000);
	CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (2000) TO (10000);
	INSERT INTO parts SELECT * FROM docs;
	CREATE TABLE few AS SELECT * FROM docs WHERE id IN (17, 900, 2500, 3999, 501) OR id < 20;
	DO $$ DECLARE name text; columns text; BEGIN
		FOREACH name IN ARRAY '{docs,parts}'::text[] LOOP
			FOREACH columns IN ARRAY '{m128,c64,s,t,"part, m128","part, s"}'::text[] LOOP
				EXECUTE format('CREATE INDEX ON %s USING sketch (%s)', name, columns);
			END LOOP;
		END LOOP;
	END $$;
	CREATE INDEX ON docs USING gin (m128);
	CREATE INDEX ON docs (part);
	CREATE INDEX ON parts (id);
	ANALYZE docs, parts, few;
	CREATE FUNCTION of_volatile(x minhash128) RETURNS minhash128 LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_safe(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_unsafe(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL UNSAFE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_restricted(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS 'BEGIN RETURN x; END'});

my %type     = (m128 => 'minhash128', c64 => 'minhash64_compact', s => 'simhash64', t => 'tlsh');
my %operator = (m128 => '<%>', c64 => '<%>', s => '<#>', t => '<~>');
my %similar  = (m128 => [ 'minhash_similar', 0.3, 0.55, 0.8, 1 ], c64 => [ 'minhash_similar', 0.3, 0.55, 0.8, 1 ], s => [ 'simhash_similar', 3, 10, 24 ], t => [ 'tlsh_similar', 20, 60 ]);
my %near     = (m128 => [ 0.2, 0.6 ], c64 => [ 0.2, 0.6 ], s => [ 2, 6 ], t => [ 10, 50 ]);
my %value    = map { $_ => $server->safe_psql('postgres', "SELECT $_ FROM docs WHERE id = 900") } keys %type;

my $names = 0;
sub any { return $_[ int rand @_ ] }
sub alias { return 'a' . ++$names }
sub a_table { return any('docs', 'docs', 'docs', 'parts', 'few') }
sub a_column { return any('m128', 'm128', 'c64', 's', 't') }

# A value that is searched for; $outer is the alias of a row outside, if there is one
sub probe
{
	my ($column, $outer) = @_;
	my $constant = "'$value{$column}'::$type{$column}";
	my @probes = ($constant, "(SELECT $column FROM few WHERE id = " . any(17, 2500, 501) . ')', "(SELECT max($column\::text)::$type{$column} FROM few)", "CASE WHEN now() > '2000-01-01' THEN $constant END");
	push @probes, (map { my $kind = $_; "of_$kind($constant)" } qw(volatile safe unsafe restricted)) if $column eq 'm128';
	return any(@probes) if !$outer || rand() < 0.4;
	return any("$outer.$column", "$outer.$column", "$outer.$column", "coalesce($outer.$column, $constant)");
}

sub condition
{
	my ($row, $column, $outer) = @_;
	my ($function, @limits) = @{ $similar{$column} };
	my $probe     = probe($column, $outer);
	my $condition = any("$function($row.$column, $probe, " . any(@limits) . ')', "$row.$column $operator{$column} $probe <= " . any(@{ $near{$column} }));
	$condition .= any("", "", "", " AND $row.part = " . any('3', '(SELECT 2)', 'ANY (ARRAY[1, 2])', $outer ? "$outer.part" : '4'), " AND $row.id % 3 <> 1");
	return any($condition, $condition, $condition, $condition, "($condition OR $row.id = 5)", "NOT ($condition)");
}

# A query of one column of numbers, d
sub numbers
{
	my ($outer, $depth) = @_;
	my ($row, $table, $column, $what) = (alias(), a_table(), a_column(), rand);
	if ($what < 0.45)
	{
		my $distance = "$row.$column $operator{$column} " . probe($column, $outer);
		my $where = any('', 'WHERE ' . any(condition($row, a_column(), $outer), "$row.part = " . any('3', '(SELECT 2)', $outer ? "$outer.part" : '4'), "$row.id > 100"));
		return "(SELECT round(($distance)::numeric, 3) AS d FROM $table AS $row $where ORDER BY $distance LIMIT " . any(1, 3, 20) . ')';
	}
	return "(SELECT " . any('count(*)', "max($row.id)", "sum($row.id)") . "::numeric AS d FROM $table AS $row WHERE " . condition($row, $column, $outer) . ')' if $what < 0.6;
	return "(SELECT $row.id::numeric AS d FROM $table AS $row WHERE " . condition($row, $column, $outer) . ')' if $what < 0.7;
	return "(SELECT x.d FROM $table AS $row, LATERAL " . numbers($row, $depth + 1) . " AS x WHERE $row.id IN (17, 2500, 3))" if $what < 0.8 && $depth < 2;
	return '(SELECT d FROM ' . numbers($outer, $depth + 1) . ' AS x UNION ALL SELECT d FROM ' . numbers($outer, $depth + 1) . ' AS y)' if $what < 0.9 && $depth < 2;
	my $other = alias();
	return "(SELECT $row.id::numeric AS d FROM $table AS $row " . any('JOIN', 'LEFT JOIN') . ' ' . a_table() . " AS $other ON " . condition($other, $column, $row) . " WHERE $row.id < 40 OR $row.id = 2500)";
}

sub query
{
	my ($row, $column, $what) = (alias(), a_column(), rand);
	return 'SELECT sum(d), count(d) FROM ' . numbers(undef, 0) . ' AS z' if $what < 0.25;
	return "SELECT $row.id, (SELECT sum(d) FROM " . numbers($row, 0) . ' AS z) FROM ' . any('few', '(SELECT * FROM docs WHERE id IN (17, 2500, 3999))', '(SELECT * FROM parts WHERE id IN (17, 2500, 3999))') . " AS $row ORDER BY 1" if $what < 0.5;
	return "SELECT sum($row.id), count(*), sum(l.d) FROM few AS $row " . any('CROSS JOIN LATERAL ' . numbers($row, 0) . ' AS l', 'LEFT JOIN LATERAL ' . numbers($row, 0) . ' AS l ON true') if $what < 0.65;
	my $inner = alias();
	return "SELECT count(*), sum($row.id) FROM few AS $row WHERE " . any('EXISTS', 'NOT EXISTS') . ' (SELECT FROM ' . a_table() . " AS $inner WHERE " . condition($inner, $column, $row) . " AND $inner.id <> $row.id)" if $what < 0.75;
	return 'WITH w AS ' . any('', 'MATERIALIZED', 'NOT MATERIALIZED') . " (SELECT $row.id, $row.part FROM " . a_table() . " AS $row WHERE " . condition($row, $column) . ') SELECT count(*), sum(w.id) FROM w JOIN w AS v USING (part)' if $what < 0.85;
	return 'SELECT part, count(*), min(id), rank() OVER (ORDER BY part) FROM ' . a_table() . " AS $row WHERE " . condition($row, $column) . ' GROUP BY part ORDER BY part' if $what < 0.93;
	return "SELECT count(*) FROM (SELECT DISTINCT ON ($row.part) $row.id FROM " . a_table() . " AS $row WHERE " . condition($row, $column) . " ORDER BY $row.part, $row.$column $operator{$column} " . probe($column) . ') AS z';
}

sub settings
{
	my @off = grep { rand() < 0.25 } qw(enable_sort enable_bitmapscan enable_material enable_hashjoin enable_mergejoin enable_nestloop enable_memoize enable_hashagg enable_parallel_append enable_gathermerge parallel_leader_participation);
	my @settings = ('enable_seqscan = ' . any('on', 'off', 'off'), "$forced = " . any('off', 'off', 'on'), map { "$_ = off" } @off);
	push @settings, 'enable_partitionwise_join = on' if rand() < 0.25;
	push @settings, (map { "$_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size)), 'max_parallel_workers_per_gather = ' . any(1, 2, 3) if rand() < 0.7;
	return map { "SET $_;" } @settings;
}
my @scan = map { "SET $_;" } 'enable_indexscan = off', 'enable_bitmapscan = off', 'max_parallel_workers_per_gather = 0', "$forced = off";

my ($searches, $parallel) = (0, 0);
for (my $n = 0; $n < $queries; $n += $batch)
{
	my @queries = map { query() } 1 .. $batch;
	my @script = ('SET client_min_messages = error;');
	for my $i (0 .. $#queries)
	{
		my @settings = settings();
		push @script, "\\echo # $i by a scan", @scan, "$queries[$i];", 'RESET ALL;', @settings, "\\echo # $i plan", "EXPLAIN (COSTS OFF) $queries[$i];", "\\echo # $i by a plan",
			any("$queries[$i];", "PREPARE p AS $queries[$i];\nEXECUTE p;\nDEALLOCATE p;"), 'RESET ALL; SET client_min_messages = error;', "-- @settings";
	}
	IPC::Run::run([ 'psql', '-XqAt', '-d', $server->connstr('postgres') ], '<', \join("\n", @script), '>', \my $out, '2>', \my $err);
	is($err, '', "queries $n …: no error") or diag(join "\n", @script);
	my %answer = map { /^ (\d+ [\w ]+)\n(.*)/s ? ($1 => $2) : () } split /^#/m, $out;
	for my $i (0 .. $#queries)
	{
		$searches++ if $answer{"$i plan"} =~ /Index Scan using \w+_(?:m128|c64|s|t)\w*_idx/;
		$parallel++ if $answer{"$i plan"} =~ /Parallel Index Scan/;
		is($answer{"$i by a plan"}, $answer{"$i by a scan"}, "query " . ($n + $i)) or diag(join "\n", grep { /\Q$queries[$i]\E/ } @script);
	}
}
cmp_ok($searches, '>', $queries / 5, "$searches of the $queries queries search an index");
cmp_ok($parallel, '>', $queries / 40, "$parallel in parallel");
my $log = PostgreSQL::Test::Utils::slurp_file($server->logfile);
is(join("\n", $log =~ /^.*(?:terminated by signal|PANIC|TRAP|ERROR:  XX).*$/mg), '', 'no crash, no internal error');
$server->stop;
done_testing();

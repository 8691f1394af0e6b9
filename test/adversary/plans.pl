# Plans: random queries, whose searches take their values from constants, parameters, subqueries, functions of each kind of parallel safety and rows of outer
# queries, in joins, LATERAL, EXISTS, unions, views, CTEs, partitions and children, under random settings of the planner. At every level of a hierarchy and on
# both sides of joins there are indexes of every kind and recall, which change between the executions of prepared statements. Each query must give what a scan
# of the tables by one process gives, with the conditions as they are written, and the server must survive.
#
#   TXTFP_PLANS=5000        queries (20,000, or 400 without TXTFP_LONG)
#   TXTFP_PLANS_SEED=2      (1)
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use IPC::Run ();
use TxtfpTest;
use PostgreSQL::Test::Utils ();
use Test::More;

my $queries = $ENV{TXTFP_PLANS} // by_length(20_000, 400);
my ($batch, $batches_of_indexes) = (20, 25); # queries in a session; sessions until there are other indexes
my $seed = $ENV{TXTFP_PLANS_SEED} // 1;
srand($seed);
my $server = new_server('plans', conf => "max_worker_processes = 16\nmax_parallel_workers = 8\nautovacuum = off\njit = off\nfsync = off\n");
my $forced = $server->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});

# Groups of eight rows that differ in 0 to 28 of 60 words. The tables `docs` and `parts_1` are large enough for a band directory.
$server->safe_psql('postgres', q{
	CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
		SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '') FROM generate_series(1, 60) AS i $$;
	CREATE DOMAIN print AS minhash128;
	CREATE TABLE docs (id int NOT NULL, part int, m128 minhash128, c64 minhash64_compact, s simhash64, t tlsh, l lavinhash) WITH (parallel_workers = 2);
	INSERT INTO docs SELECT n, n / 8 % 5, to_minhash128(w), to_minhash64(w)::minhash64_compact, (n / 8 * 1234567891::bigint # n % 8)::simhash64, to_tlsh(array_to_string(w, ' ')), to_lavinhash(convert_to(array_to_string(w, ' '), 'UTF8'))
		FROM generate_series(1, 8000) AS n, LATERAL (SELECT words(n) AS w OFFSET 0) AS x;
	UPDATE docs SET m128 = NULL WHERE id % 501 = 0;
	CREATE TABLE parts (LIKE docs) PARTITION BY RANGE (id);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (7800);
	CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (7800) TO (10000) PARTITION BY LIST (part);
	CREATE TABLE parts_2_a PARTITION OF parts_2 FOR VALUES IN (0, 1, 2);
	CREATE TABLE parts_2_b PARTITION OF parts_2 DEFAULT;
	INSERT INTO parts SELECT * FROM docs;
	CREATE TABLE tree (LIKE docs);
	CREATE TABLE tree_1 () INHERITS (tree);
	CREATE TABLE tree_2 () INHERITS (tree);
	CREATE TABLE tree_21 () INHERITS (tree_2);
	INSERT INTO tree SELECT * FROM docs WHERE id < 300;
	INSERT INTO tree_1 SELECT * FROM docs WHERE id BETWEEN 300 AND 1199;
	INSERT INTO tree_2 SELECT * FROM docs WHERE id BETWEEN 6000 AND 6200;
	INSERT INTO tree_21 SELECT * FROM docs WHERE id > 7700;
	CREATE MATERIALIZED VIEW kept AS SELECT id, part, m128::print AS m128, c64, s, t, l FROM docs WHERE id < 1000;
	CREATE TABLE few AS SELECT * FROM docs WHERE id IN (17, 900, 2500, 7999, 501) OR id < 20;
	CREATE VIEW united AS SELECT * FROM docs UNION ALL SELECT * FROM parts UNION ALL SELECT id, part, m128, c64, s, t, l FROM kept;
	CREATE VIEW one_part AS SELECT * FROM tree WHERE part = 3;
	CREATE INDEX ON docs (id);
	CREATE INDEX ON docs (part);
	CREATE INDEX ON parts (id);
	ANALYZE docs, parts, tree, tree_1, tree_2, tree_21, kept, few;
	CREATE FUNCTION of_volatile(x minhash128) RETURNS minhash128 LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_safe(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_unsafe(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL UNSAFE AS 'BEGIN RETURN x; END';
	CREATE FUNCTION of_restricted(x minhash128) RETURNS minhash128 LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS 'BEGIN RETURN x; END'});

my %type     = (m128 => 'minhash128', c64 => 'minhash64_compact', s => 'simhash64', t => 'tlsh', l => 'lavinhash');
my %operator = (m128 => '<%>', c64 => '<%>', s => '<#>', t => '<~>', l => '<->');
# What no index of the type may miss, whatever its recall
my %similar = (s => [ 'simhash_similar', 3, 10, 24 ], t => [ 'tlsh_similar', 20, 60 ]);
my %measure = (m128 => [ 'jaccard', 0.3, 0.5, 0.55, 0.6, 0.8, 0.9, 1 ], c64 => [ 'jaccard', 0.3, 0.55, 0.8, 0.9, 1 ], l => [ 'lavinhash_similarity', 30, 60, 90 ]);
my %near    = (m128 => [ 0.1, 0.2, 0.4, 0.45, 0.5, 0.6 ], c64 => [ 0.1, 0.2, 0.45, 0.6 ], s => [ 2, 6 ], t => [ 10, 50 ], l => [ 10, 40, 60 ]);
my %value   = map { $_ => $server->safe_psql('postgres', "SELECT $_ FROM docs WHERE id = 900") } keys %type;

my $names = 0;
sub any { return $_[ int rand @_ ] }
sub alias { return 'a' . ++$names }
sub a_table { return any('docs', 'docs', 'docs', 'parts', 'parts', 'tree', 'tree', 'kept', 'few', 'united', 'one_part') }
sub a_column { return any('m128', 'm128', 'm128', 'c64', 's', 't', 'l') }

# ---- indexes

my @levels = qw(docs parts parts_1 parts_2 parts_2_a parts_2_b tree tree_1 tree_2 tree_21 kept few);
my %recall; # of the indexes USING sketch that have the option, their recalls

sub recall { return any('0.01', '0.05', '0.3', '0.9', '1') }

# The definition of an index on a table, without its name
sub an_index
{
	my ($table, $column) = @_;
	my $of = $table eq 'kept' && $column eq 'm128' ? any('(m128::minhash128)', 'm128') : $column;
	my $where = rand() < 0.1 ? ' WHERE part = 3' : '';
	my $lossy = $column =~ /m128|c64/;
	return ('gin', "ON $table USING gin ($of $type{$column}_lsh_ops (threshold = " . any(0.9, 0.7) . ', recall = ' . any(0.5, 0.9) . "))$where") if $lossy && $of eq $column && $table ne 'kept' && rand() < 0.35;
	return ('gin', "ON $table USING gin ($of)$where") if $column =~ /[sl]/ && rand() < 0.3;
	return ('sketch', "ON $table USING sketch (" . any($of, $of, "part, $of") . ')' . ($lossy && rand() < 0.7 ? ' WITH (recall = ' . recall() . ')' : '') . $where);
}

sub new_indexes
{
	my @script = (q{DO $$ DECLARE i text; BEGIN
		FOR i IN SELECT relname FROM pg_class WHERE relname ~ '^r[0-9]+$' AND relkind IN ('i', 'I') LOOP EXECUTE 'DROP INDEX ' || i; END LOOP;
	END $$});
	%recall = ();
	for my $table (@levels)
	{
		for my $column (sort keys %type)
		{
			# the tables with a band directory have an index that misses rows, if it may
			my $misses = $column eq 'm128' && $table =~ /^(docs|parts_1)$/;
			for my $n (1 .. $misses ? any(1, 2) : any(0, 1, 1, 2))
			{
				my ($method, $definition) = $misses && $n == 1 ? ('sketch', "ON $table USING sketch (m128) WITH (recall = " . any(0.01, 0.05) . ')') : an_index($table, $column);
				my $name = 'r' . ++$names;
				push @script, "CREATE INDEX $name $definition";
				$recall{$name} = 1 if $method eq 'sketch' && $column =~ /m128|c64/ && $table !~ /^(parts|parts_2)$/;
			}
		}
	}
	$server->safe_psql('postgres', join(";\n", @script));
}

# A statement that changes which rows an index, or the session, may miss; or which indexes there are
sub a_change
{
	my ($index, $what) = (any(sort keys %recall), rand);
	return "ALTER INDEX $index SET (recall = " . recall() . ')' if $what < 0.45;
	return "ALTER INDEX $index RESET (recall)" if $what < 0.55;
	return 'SET txtfp.sketch_recall = ' . any('0.01', '0.05', '0.5', '1', '-1') if $what < 0.85;
	return 'SET txtfp.sketch_order_all = ' . any('on', 'off') if $what < 0.9;
	my $name = 'r' . ++$names;
	return "CREATE INDEX $name " . (an_index(any('few', 'tree_2', 'parts_2_a', 'tree_1', 'docs'), a_column()))[1] . ";\nDROP INDEX " . any($name, $index) . ";\nCREATE INDEX IF NOT EXISTS $index ON " . any('few', 'tree_21') . ' USING sketch (m128)';
}

# ---- queries. A number that a condition compares stands between \x01 and \x02: the scan adds nothing to it, so that no condition is replaced there.

# A value that is searched for; $outer is the alias of a row outside, if there is one
sub probe
{
	my ($column, $outer) = @_;
	my $constant = "'$value{$column}'::$type{$column}";
	my @probes = ($constant, $constant, "(SELECT $column FROM few WHERE id = " . any(17, 2500, 501) . ')', "(SELECT max($column\::text)::$type{$column} FROM few)", "CASE WHEN now() > '2000-01-01' THEN $constant END");
	push @probes, (map { my $kind = $_; "of_$kind($constant)" } qw(volatile safe unsafe restricted)) if $column eq 'm128';
	return any(@probes) if !$outer || rand() < 0.4;
	return any("$outer.$column", "$outer.$column", "$outer.$column", "coalesce($outer.$column, $constant)");
}

sub comparison
{
	my ($row, $column, $outer) = @_;
	my $probe = probe($column, $outer);
	my @comparisons;
	if (my ($function, @limits) = @{ $measure{$column} // [] })
	{
		my $number = "\x01$function($row.$column, $probe)\x02";
		push @comparisons, "$number " . any('>=', '>') . ' ' . any(@limits), any(@limits) . " <= $number";
	}
	if (my ($function, @limits) = @{ $similar{$column} // [] })
	{
		push @comparisons, "$function($row.$column, $probe, " . any(@limits) . ')';
	}
	my $distance = "\x01($row.$column $operator{$column} $probe)\x02";
	return any(@comparisons, "$distance " . any('<', '<=') . ' ' . any(@{ $near{$column} }), any(@{ $near{$column} }) . " > $distance");
}

sub condition
{
	my ($row, $column, $outer) = @_;
	my $condition = comparison($row, $column, $outer);
	$condition .= any("", "", "", " AND $row.part = " . any('3', '(SELECT 2)', 'ANY (ARRAY[1, 2])', $outer ? "$outer.part" : '4'), " AND $row.id % 3 <> 1", ' AND ' . comparison($row, a_column(), $outer));
	return any($condition, $condition, $condition, $condition, "($condition OR $row.id = 5)", "NOT ($condition)");
}

# A query of one column of numbers, d
sub numbers
{
	my ($outer, $depth) = @_;
	my ($row, $table, $column, $what) = (alias(), a_table(), a_column(), rand);
	if ($what < 0.35)
	{
		# an order alone may miss rows that an index may miss; a condition on the number, of which the index knows, makes it exact
		$column = any(qw(s t l)) if $column =~ /m128|c64/ && $table !~ /^(docs|few)$/;
		my $exact = $column =~ /m128|c64/ ? "\x01jaccard($row.$column, '$value{$column}'::$type{$column})\x02 >= " . any(0.3, 0.55) : '';
		my $distance = "$row.$column $operator{$column} " . probe($column, $outer);
		my $where = $exact ? "WHERE $exact" . any('', " AND $row.part = 3") : any('', 'WHERE ' . any(condition($row, a_column(), $outer), "$row.part = " . any('3', '(SELECT 2)', $outer ? "$outer.part" : '4'), "$row.id > 100"));
		return "(SELECT round(($distance)::numeric, 3) AS d FROM $table AS $row $where ORDER BY $distance LIMIT " . any(1, 3, 20) . ')';
	}
	return "(SELECT " . any('count(*)', "max($row.id)", "sum($row.id)") . "::numeric AS d FROM $table AS $row WHERE " . condition($row, $column, $outer) . ')' if $what < 0.55;
	return "(SELECT $row.id::numeric AS d FROM $table AS $row WHERE " . condition($row, $column, $outer) . ')' if $what < 0.7;
	return "(SELECT x.d FROM $table AS $row, LATERAL " . numbers($row, $depth + 1) . " AS x WHERE $row.id IN (17, 2500, 3))" if $what < 0.8 && $depth < 2;
	return '(SELECT d FROM ' . numbers($outer, $depth + 1) . ' AS x UNION ALL SELECT d FROM ' . numbers($outer, $depth + 1) . ' AS y)' if $what < 0.9 && $depth < 2;
	my $other = alias();
	return "(SELECT $row.id::numeric AS d FROM $table AS $row " . any('JOIN', 'LEFT JOIN') . ' ' . a_table() . " AS $other ON " . condition($other, $column, $row) . " WHERE $row.id < 25 OR $row.id = 2500)";
}

sub query
{
	my ($row, $column, $what) = (alias(), a_column(), rand);
	return 'SELECT sum(d), count(d) FROM ' . numbers(undef, 0) . ' AS z' if $what < 0.3;
	return "SELECT $row.id, (SELECT sum(d) FROM " . numbers($row, 0) . ' AS z) FROM ' . any('few', '(SELECT * FROM docs WHERE id IN (17, 2500, 7999))', '(SELECT * FROM parts WHERE id IN (17, 2500, 7999))') . " AS $row ORDER BY 1" if $what < 0.45;
	return "SELECT sum($row.id), count(*), sum(l.d) FROM few AS $row " . any('CROSS JOIN LATERAL ' . numbers($row, 0) . ' AS l', 'LEFT JOIN LATERAL ' . numbers($row, 0) . ' AS l ON true') if $what < 0.6;
	my $inner = alias();
	return "SELECT count(*), sum($row.id) FROM few AS $row WHERE " . any('EXISTS', 'NOT EXISTS') . ' (SELECT FROM ' . a_table() . " AS $inner WHERE " . condition($inner, $column, $row) . " AND $inner.id <> $row.id)" if $what < 0.7;
	return 'WITH w AS ' . any('', 'MATERIALIZED', 'NOT MATERIALIZED') . " (SELECT * FROM " . a_table() . " AS $row WHERE " . condition($row, $column) . ') SELECT count(*), sum(w.id) FROM w JOIN few AS v ON ' . any('w.part = v.part', comparison('w', $column, 'v')) if $what < 0.85;
	return 'SELECT part, count(*), min(id), rank() OVER (ORDER BY part) FROM ' . a_table() . " AS $row WHERE " . condition($row, $column) . ' GROUP BY part ORDER BY part' if $what < 0.93;
	return "SELECT count(*) FROM (SELECT DISTINCT ON ($row.part) $row.id FROM " . a_table() . " AS $row WHERE " . condition($row, $column) . " ORDER BY $row.part, $row.$column $operator{$column} " . probe($column) . ') AS z';
}

sub settings
{
	my @off = grep { rand() < 0.25 } qw(enable_sort enable_bitmapscan enable_material enable_hashjoin enable_mergejoin enable_nestloop enable_memoize enable_hashagg enable_parallel_append enable_gathermerge parallel_leader_participation);
	my @settings = ('client_min_messages = error', 'enable_seqscan = ' . any('on', 'off', 'off'), "$forced = " . any('off', 'off', 'off', 'on'), map { "$_ = off" } @off);
	push @settings, 'txtfp.sketch_recall = ' . recall() if rand() < 0.3;
	push @settings, 'txtfp.sketch_order_all = off' if rand() < 0.3;
	push @settings, 'plan_cache_mode = ' . any('force_generic_plan', 'force_custom_plan') if rand() < 0.5;
	push @settings, 'enable_partitionwise_join = on' if rand() < 0.25;
	push @settings, (map { "$_ = 0" } qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size)), 'max_parallel_workers_per_gather = ' . any(1, 2, 3) if rand() < 0.3;
	return map { "SET $_;" } @settings;
}
my @scan = map { "SET $_;" } 'enable_indexscan = off', 'enable_bitmapscan = off', 'max_parallel_workers_per_gather = 0', "$forced = off";

my ($searches, $exact, $different) = (0, 0, 0);
for (my $n = 0; $n < $queries; $n += $batch)
{
	new_indexes() if $n % ($batch * $batches_of_indexes) == 0;
	my @queries = map { query() } 1 .. $batch;
	my @script = ('SET client_min_messages = error;');
	my @own;
	for my $i (0 .. $#queries)
	{
		(my $scanned = $queries[$i]) =~ s/\x01(.*?)\x02/($1 + 0)/gs;
		(my $planned = $queries[$i]) =~ tr/\x01\x02//d;
		my @once     = ("$planned;");
		my @prepared = ("PREPARE p AS $planned;", 'EXECUTE p;', map { a_change() . ";\n\\echo # $i by a plan after change $_\nEXECUTE p;" } 1 .. any(1, 2));
		$own[$i] = join "\n", settings(), "\\echo # $i plan", "EXPLAIN (COSTS OFF) $planned;", "\\echo # $i by a plan", rand() < 0.5 ? @once : (@prepared, 'DEALLOCATE p;');
		push @script, "\\echo # $i by a scan", @scan, "$scanned;", 'RESET ALL;', $own[$i], 'RESET ALL; SET client_min_messages = error;';
	}
	IPC::Run::run([ 'psql', '-XqAt', '-d', $server->connstr('postgres') ], '<', \join("\n", @script), '>', \my $out, '2>', \my $err);
	is($err, '', "queries $n …: no error") or diag(join "\n", @script);
	my %answer = map { /^ (\d+ [\w ]+)\n(.*)/s ? ($1 => $2) : () } split /^#/m, $out;
	for my $i (0 .. $#queries)
	{
		$searches++ if $answer{"$i plan"} =~ /Index Scan (?:using|on) (?:r\d|\w+_(?:m128|c64|s|t|l)\w*_idx)/;
		$exact++    if $answer{"$i plan"} =~ /Index Cond: .*%=/;
		my @other = grep { $answer{$_} ne $answer{"$i by a scan"} } grep { /^$i by a plan/ } sort keys %answer;
		$different++ if @other;
		is("@other", '', 'query ' . ($n + $i)) or diag(join "\n", map({ "$_: $answer{$_}" } "$i by a scan", @other), $own[$i]);
	}
}
is($different, 0, "no query of $queries lost rows (seed $seed)");
cmp_ok($searches, '>', $queries / 5, "$searches of the $queries queries search an index");
cmp_ok($exact, '>', $queries / 10, "$exact by an exact search for a condition on a number");
my $log = PostgreSQL::Test::Utils::slurp_file($server->logfile);
is(join("\n", $log =~ /^.*(?:terminated by signal|PANIC|TRAP|ERROR:  XX).*$/mg), '', 'no crash, no internal error');
$server->stop;
done_testing();

# Functions, operators, operator classes, estimators and support functions of the extension meet types, functions and operators of
# users: constants of every type and NULL, probes from functions of the user's own, domains, arrays, composite types, columns whose type
# is not what a function expects. Each statement is planned, and mostly run, as a random role. It may return or raise a user error, but no
# internal error, and the server survives. TXTFP_TYPES_SEED=N makes other statements, TXTFP_TYPES_STATEMENTS=N more of them.
package Types;

use strict;
use warnings;

use Exporter 'import';
use Arguments;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(test_types);

my $ours = q{JOIN pg_depend AS d ON d.objid = o.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'txtfp'};
my @plain = ('integer', 'bigint', 'double precision', 'text', 'boolean', 'bytea', 'text[]', 'bigint[]');
my @settings = qw(enable_seqscan enable_indexscan enable_bitmapscan enable_nestloop enable_hashjoin);

my ($server, @types, @functions, @operators, @classes, @estimators, $number);
my $role = ''; # of the next statement

sub rows { my ($query) = @_; return map { [ split /\|/, $_, -1 ] } split /\n/, $server->safe_psql('postgres', $query); }

sub read_catalog
{
	@types = map { $_->[0] } rows("SELECT format_type(o.oid, NULL) FROM pg_type AS o $ours WHERE typtype = 'b' AND typelem = 0 ORDER BY 1");
	@functions = map { { name => $_->[0], kind => $_->[1], types => [ split /;/, $_->[2] ], result => $_->[3], set => $_->[4] } } rows(qq{
		SELECT o.oid::regproc, prokind, (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n)),
			format_type(prorettype, NULL), proretset FROM pg_proc AS o $ours ORDER BY 1, 3});
	@operators = rows(qq{SELECT oprname, format_type(oprleft, NULL), format_type(oprright, NULL), format_type(oprresult, NULL) FROM pg_operator AS o $ours
		WHERE oprleft <> 0 ORDER BY 1, 2, 3});
	@classes = rows(qq{SELECT opcname, amname, format_type(opcintype, NULL) FROM pg_opclass AS o $ours JOIN pg_am AS m ON m.oid = opcmethod ORDER BY 1, 2});
	@estimators = grep { $_->{result} eq 'double precision' && ($_->{types}[0] // '') eq 'internal' } @functions;
	cmp_ok(scalar(@types),      '>', 15,  'types');
	cmp_ok(scalar(@functions),  '>', 400, 'functions');
	cmp_ok(scalar(@operators),  '>', 80,  'operators');
	cmp_ok(scalar(@classes),    '>', 60,  'operator classes');
	cmp_ok(scalar(@estimators), '>', 15,  'estimators');
}

sub is_ours { my ($type) = @_; return scalar grep { $_ eq $type } @types; }
sub table_of { my ($type) = @_; return "ty_$type"; }

# A table for each type of the extension, with a domain and an array of it, and functions of a user that return the type.
sub make_objects
{
	$server->safe_psql('postgres', q{
		CREATE ROLE types_user; CREATE ROLE types_temp;
		GRANT CREATE, USAGE ON SCHEMA public TO types_user;
		CREATE TYPE like_signals AS (version bigint, jaccard text);
		CREATE DOMAIN domain_integer AS integer; CREATE DOMAIN domain_text AS text; CREATE DOMAIN domain_bigint AS bigint CHECK (VALUE < 100);
		CREATE TYPE colour AS ENUM ('red', 'green')});
	for my $type (@types)
	{
		my $inserts = join "\n", map { "BEGIN INSERT INTO ty_$type (v) SELECT ($_)::$type FROM generate_series(1, 40); EXCEPTION WHEN OTHERS THEN END;" } @{ arguments($type) };
		my $returns = "RETURNS $type LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT v FROM ty_$type WHERE v IS NOT NULL LIMIT 1); END'";
		my $own = join "\n", map { "CREATE FUNCTION make(q $type, x $_) $returns STABLE; CREATE FUNCTION make_fixed(q $type, x $_) $returns IMMUTABLE; CREATE FUNCTION make_new(q $type, x $_) $returns VOLATILE;" }
			$type, 'integer', 'bigint', 'double precision', 'text';
		$server->safe_psql('postgres', qq{
			CREATE DOMAIN domain_$type AS $type;
			CREATE TABLE ty_$type (id serial, v $type, d domain_$type, a $type\[\]);
			GRANT ALL ON ty_$type TO types_user; GRANT SELECT ON ty_$type TO types_temp;
			DO \$\$ BEGIN $inserts END \$\$;
			UPDATE ty_$type SET d = v, a = ARRAY[v, NULL];
			CREATE FUNCTION make_$type(x integer) $returns STABLE;
			SET ROLE types_user;
			$own});
	}
	for my $class (grep { is_ours($_->[2]) } @classes)
	{
		my ($name, $method, $type) = @$class;
		# a row that a class cannot hold is no matter of this test
		$server->psql('postgres', "CREATE INDEX ON ty_$type USING $method (v $name); CREATE INDEX ON ty_$type USING $method (d $name);");
	}
	$server->safe_psql('postgres', 'ANALYZE');
}

# ---- values

my %more = ('domain_integer' => [1], 'domain_text' => ["'x'"], 'colour' => ["'red'"], 'numeric' => ['0.5'], 'interval' => ["'1 day'"], 'date' => ["'2000-01-01'"], 'char(8)' => ["'x'"],
	'bit(16)' => ["B'1'"], 'uuid' => ["'00000000-0000-0000-0000-000000000000'"], 'like_signals' => ["ROW(1, 'x')"], 'record' => ['ROW(1, 2)']);

sub plain_value
{
	my ($type) = @_;
	return "NULL::$type" if rand() < 0.1;
	return '(' . one_of($more{$type}) . ")::$type" if $more{$type};
	return argument($type);
}

sub any_type { return rand() < 0.6 ? one_of(\@types) : one_of([ @plain, qw(domain_integer domain_text colour like_signals numeric interval date char(8) bit(16) uuid record jsonb) ]); }

# An expression of the type, which nobody but the planner sees through.
sub value
{
	my ($type) = @_;
	return one_of([ plain_value($type), "(SELECT " . plain_value($type) . ")" ]) if !is_ours($type);
	my $kind = int(rand(9));
	my $x = one_of([ 'NULL::integer', '8', '305419896', '8::bigint', "'-1'::bigint", '0.8::float8', "'NaN'::float8", "'0.8'::text", plain_value($type) ]);
	return plain_value($type) if $kind < 2;
	return "pg_temp.make((SELECT " . plain_value($type) . "), 305419896::bigint)" if $kind < 5 && $role eq 'types_temp' && rand() < 0.7;
	return one_of([ 'make', 'make_fixed', 'make_new' ]) . '(' . plain_value($type) . ", $x)" if $kind < 5;
	return "make((SELECT make_$type(1)), $x)" if $kind == 5;
	return "(" . plain_value($type) . ")::domain_$type" if $kind == 6;
	return "(ARRAY[" . plain_value($type) . "])[" . int(rand(3)) . "]" if $kind == 7;
	return "CASE WHEN random() < 2 THEN " . plain_value($type) . " END";
}

sub column { return one_of([ 'v', 'v', 'v', 'd', 'a[1]' ]); }

# A query with a condition, planned or run, mostly with an index, sometimes as a generic plan.
sub query
{
	my ($type, $condition, $order) = @_;
	my $rest = "FROM ty_$type AS t" . (defined $condition ? " WHERE $condition" : '') . (defined $order ? " ORDER BY $order LIMIT 3" : '');
	my $query = defined $order ? "SELECT id $rest" : "SELECT count(*) $rest";
	$query = "SELECT count(*) FROM ty_$type AS t LEFT JOIN ty_$type AS u ON $condition" if defined $condition && rand() < 0.1;
	$query = "SELECT count(*) FROM ty_$type AS u WHERE EXISTS (SELECT $rest)" if !defined $order && rand() < 0.1;
	my $set = rand() < 0.5 ? 'SET LOCAL ' . one_of(\@settings) . ' = off; ' : '';
	return "${set}EXPLAIN (VERBOSE) $query" if rand() < 0.6;
	return $set . $query if rand() < 0.8;
	my $name = 'p' . ++$number;
	return "SET LOCAL plan_cache_mode = force_generic_plan; PREPARE $name AS $query; EXECUTE $name; DEALLOCATE $name";
}

# ---- statements

my %statements = (
	# an operator of the extension, and a value from a stranger
	operator => sub {
		my ($name, $left, $right, $result) = @{ one_of(\@operators) };
		my ($table, $other, $on_left) = is_ours($left) ? ($left, $right, 1) : is_ours($right) ? ($right, $left, 0) : return;
		my $column = 't.' . column();
		my $other_side = value($other);
		my $expression = $on_left ? "$column OPERATOR(public.$name) $other_side" : "$other_side OPERATOR(public.$name) $column";
		return query($table, $result eq 'boolean' ? $expression : rand() < 0.5 ? "$expression < 1" : undef, $result eq 'boolean' ? undef : $expression);
	},
	# a function of the extension in a condition or a result
	function => sub {
		my $function = one_of(\@functions);
		return if grep { /^(internal|cstring)$/ } @{ $function->{types} }, $function->{result};
		return if $function->{result} eq 'trigger' || $function->{name} =~ /_distributed$|^live_clusters_create/;
		my ($table) = grep { is_ours($_) } @{ $function->{types} };
		my $used = 0;
		my $list = join ', ', map { defined $table && $_ eq $table && !$used++ ? 't.' . column() : value($_) } @{ $function->{types} };
		my $call = "$function->{name}($list)";
		return "CALL $call" if $function->{kind} eq 'p';
		return ($function->{kind} eq 'a' ? 'SELECT' : 'SELECT * FROM') . " $call" if !defined $table;
		return query($table, $call) if $function->{result} eq 'boolean' && $function->{kind} eq 'f';
		return $function->{set} eq 't' ? "SELECT (SELECT count(*) FROM $call) FROM ty_$table AS t LIMIT 3" : "SELECT $call FROM ty_$table AS t";
	},
	# a function of the extension with arguments of other types: only polymorphic ones and those with casts find it
	other_types => sub {
		my $function = one_of(\@functions);
		return if $function->{result} eq 'trigger' || $function->{name} =~ /_distributed$|^live_clusters_create/;
		my $list = join ', ', map {
			/^anyarray$/ || (/\[\]$/ && rand() < 0.3) ? 'ARRAY[' . join(', ', (value(any_type())) x 2) . ']' : /^any/ || rand() < 0.3 ? value(any_type()) : value($_)
		} map { /internal|cstring/ ? 'text' : $_ } @{ $function->{types} };
		return ($function->{kind} eq 'p' ? 'CALL' : 'SELECT') . " $function->{name}($list)";
	},
	# functions of the machinery, which nothing but NULL can be given to
	internal => sub {
		my $function = one_of([ grep { $_->{kind} eq 'f' && (grep { /internal|cstring/ } @{ $_->{types} }, $_->{result} or $_->{result} =~ /trigger|handler/) } @functions ]);
		my $list = join ', ', map { /internal/ ? 'NULL' : /^any/ ? 'NULL::integer' : rand() < 0.5 ? "NULL::$_" : plain_value($_) } @{ $function->{types} };
		return "SELECT $function->{name}($list)";
	},
	# an estimator of the extension for operators on anything
	estimator => sub {
		my $estimator = one_of(\@estimators);
		my $kind = @{ $estimator->{types} } == 4 ? 'RESTRICT' : 'JOIN';
		my ($left, $right) = map { my $t = any_type(); $t =~ /record|\(/ ? 'integer' : $t } 1, 2;
		my $table = is_ours($left) ? $left : one_of(\@types);
		my $column = is_ours($left) ? 't.v' : "(t.id::text)::$left";
		$column = 't.id' if $left eq 'integer';
		my $n = ++$number;
		my $function = "CREATE FUNCTION yes$n($left, $right) RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END'";
		my $operator = "CREATE OPERATOR ~~~~~ (LEFTARG = $left, RIGHTARG = $right, FUNCTION = yes$n, $kind = $estimator->{name})";
		my $side = rand() < 0.2 ? "(SELECT u.v FROM ty_$right AS u LIMIT 1)" : value($right);
		$side = value($right) if !is_ours($right);
		my $condition = "$column ~~~~~ $side";
		$condition = "EXISTS (SELECT FROM ty_$right AS u WHERE $column ~~~~~ u.v)" if is_ours($right) && rand() < 0.3;
		return "$function; $operator; EXPLAIN SELECT FROM ty_$table AS t WHERE $condition; DROP OPERATOR ~~~~~ ($left, $right); DROP FUNCTION yes$n";
	},
	# operator classes on columns of other types, with options that no one has asked for
	class => sub {
		my ($name, $method, $of) = @{ one_of(\@classes) };
		my $type = is_ours($of) && rand() < 0.5 ? $of : one_of(\@types);
		# no function that reads the table: PostgreSQL would look into the index that it is building
		my $column = one_of([ 'v', 'd', 'a', '(a[1])', 'id', '(v::text)', '(NULL::text)', '(CASE WHEN id % 2 = 0 THEN v END)' ]);
		my $options = one_of([ '', '', ' (bits = 64)', ' (bands = 3, rows = 7)', ' (threshold = 2)', ' (recall = 0)', ' (nothing = 1)', " (bits = 'x')", ' (compact = true)' ]);
		my $n = ++$number;
		my $leading = rand() < 0.2 && $method eq 'sketch' ? 'id, ' : '';
		return "CREATE INDEX ix$n ON ty_$type USING $method ($leading$column $name$options); EXPLAIN SELECT FROM ty_$type AS t WHERE v = " . value($type)
			. "; DROP INDEX ix$n";
	},
	# composite values that look like ours, and rows of queries with columns of any type
	record => sub {
		my $columns = join ', ', map { rand() < 0.05 ? 'pg_sleep(0)' : value(any_type()) } 1 .. 1 + int(rand(4));
		my $id = one_of([ 't.id', 't.id::bigint', 't.id::text', 't.id::domain_integer', 't.id::text::char(8)', 't.id::text::colour', 'NULL::integer', 't.v' ]);
		my $type = one_of(\@types);
		my $query = rand() < 0.5 ? "SELECT $columns" : "SELECT $id, " . one_of([ 't.v', 't.d', 't.a', value($type), value(any_type()) ]) . one_of([ '', '', ", $columns" ]) . " FROM ty_$type AS t";
		$query =~ s/'/''/g;
		my $ids = one_of([ '', '', 'NULL::text, ', 'NULL::uuid, ', 'NULL::domain_text, ', 'NULL::char(8), ', 'NULL::record, ' ]);
		my $unit = one_of([ "'line', 1", "'word', 2", "'paragraph'", "'line', 1, grouped => true" ]);
		my $limit = one_of([ 'threshold => 0.5', 'max_distance => 3', 'min_score => 80', "threshold => 'NaN'" ]);
		return one_of([
			"SELECT decision_score('{}', ROW($columns)::like_signals)", "SELECT decision_score('{}', ROW($columns))", "SELECT decision_rule('$query')",
			"SELECT * FROM near_duplicate_pairs('$query', $limit)", "SELECT * FROM near_duplicate_pairs(NULL::" . one_of([ 'integer', 'text', 'domain_text', 'colour', 'char(8)', 'record' ]) . ", '$query', $limit)",
			"SELECT * FROM near_duplicate_pairs_between('$query', '$query', $limit)", "SELECT * FROM deduplicate('$query', $limit)", "SELECT * FROM similarity_histogram('$query')",
			"SELECT * FROM removal_sample('$query', 3)", "SELECT * FROM removal_precision('$query')", "SELECT length(review_page('$query'))",
			"SELECT * FROM diverse_rows($ids'$query', 5, $limit)", "SELECT * FROM deduplicate_passages($ids'$query', $unit)", "SELECT * FROM deduplicate_passages_between($ids'$query', '$query', 'line', 1)",
			"SELECT * FROM deduplicate('$query', $limit, verify => 'lossless', signals => true, explain => true, guard => 'strict', rule => " . plain_value('jsonb') . ", min_precision => 0.5)",
			"SELECT corpus_words_agg(x::text) FROM ($query) AS x",
			"SELECT * FROM connected_components('$query')", "SELECT * FROM frequent_passages('$query')", "SELECT * FROM near_duplicate_clusters('$query', $limit, together => '$query')" ]);
	},
	# aggregates of the user's own with functions of the extension
	aggregate => sub {
		my $function = one_of([ grep { $_->{kind} eq 'f' && @{ $_->{types} } == 2 } @functions ]);
		my ($state, $type) = map { /internal|cstring|any/ ? one_of(\@types) : $_ } @{ $function->{types} };
		my $n = ++$number;
		my $table = is_ours($type) ? $type : one_of(\@types);
		my $argument = is_ours($type) ? 't.v' : value($type);
		my $final = one_of([ grep { $_->{kind} eq 'f' && ($_->{types}[0] // '') eq $state && (@{ $_->{types} } == 1 || (@{ $_->{types} } == 2 && $_->{types}[1] eq $type)) } @functions ]);
		my $more = $final && rand() < 0.5 ? ", FINALFUNC = $final->{name}" . (@{ $final->{types} } == 2 ? ', FINALFUNC_EXTRA' : '') : '';
		return "CREATE AGGREGATE agg$n ($type) (SFUNC = $function->{name}, STYPE = $state$more); SELECT agg$n($argument) OVER (ORDER BY t.id ROWS 2 PRECEDING) FROM ty_$table AS t;"
			. " SELECT agg$n($argument) FROM ty_$table AS t; DROP AGGREGATE agg$n ($type)";
	},
	# an operator of the user's own with a function of the extension, in a condition and in a result
	own_operator => sub {
		my $function = one_of([ grep { $_->{kind} eq 'f' && @{ $_->{types} } == 2 && !grep { /internal|cstring/ } @{ $_->{types} }, $_->{result} } @functions ]);
		my ($left, $right) = map { /^any/ ? one_of(\@types) : $_ } @{ $function->{types} };
		my $n = ++$number;
		my $table = is_ours($left) ? $left : one_of(\@types);
		my $column = is_ours($left) ? 't.' . column() : value($left);
		my $use = "$column ~~~~~ " . value($right);
		$use = "$column ~~~~~ ANY (ARRAY[" . value($right) . ', ' . value($right) . '])' if $function->{result} eq 'boolean' && rand() < 0.3;
		return "CREATE OPERATOR ~~~~~ (LEFTARG = $function->{types}[0], RIGHTARG = $function->{types}[1], FUNCTION = $function->{name}); SELECT $use FROM ty_$table AS t;"
			. ($function->{result} eq 'boolean' ? " SELECT count(*) FROM ty_$table AS t WHERE $use;" : '') . " DROP OPERATOR ~~~~~ ($function->{types}[0], $function->{types}[1])";
	},
	# ranges of our types: PostgreSQL calls their functions without an expression
	range => sub {
		my $function = one_of([ grep { $_->{result} eq 'double precision' && $_->{kind} eq 'f' && @{ $_->{types} } == 2 && $_->{types}[0] eq $_->{types}[1] } @functions ]);
		my $type = $function->{types}[0];
		return if $type =~ /^any|internal|minhash256$/; # two such values are too long for PostgreSQL's GiST, which reports it as XX000
		my $n = ++$number;
		my $collation = $type eq 'text' ? ', COLLATION = "C"' : '';
		return "CREATE TYPE rg$n AS RANGE (SUBTYPE = $type, SUBTYPE_DIFF = $function->{name}$collation); CREATE TABLE rt$n AS SELECT rg$n(a, b) AS r FROM (VALUES ("
			. join('), (', map { my ($a, $b) = map { value($type) } 1, 2; "LEAST($a, $b), GREATEST($a, $b)" } 1 .. 3) . ")) AS v (a, b), generate_series(1, 300);"
			. " CREATE INDEX ON rt$n USING gist (r); ANALYZE rt$n; SELECT count(*) FROM rt$n WHERE r \@> " . value($type) . "; DROP TABLE rt$n; DROP TYPE rg$n";
	},
	# a trigger function of the extension on any table with any arguments
	trigger => sub {
		my $function = one_of([ grep { $_->{result} eq 'trigger' } @functions ]);
		my $type = one_of(\@types);
		my $n = ++$number;
		my @words = ('id', 'v', 'd', 'a', 'v:0.5', 'd:3', 'reject', 'report', 'match=any', 'threshold=2', 'max_distance=3', 'x', '');
		my $list = join ', ', map { "'" . one_of(\@words) . "'" } 1 .. int(rand(5));
		my $when = one_of([ 'BEFORE INSERT OR UPDATE', 'AFTER INSERT', 'AFTER DELETE', 'BEFORE TRUNCATE', 'AFTER TRUNCATE' ]);
		my $each = $when =~ /TRUNCATE/ ? 'STATEMENT' : one_of([ 'ROW', 'ROW', 'STATEMENT' ]);
		my $write = $when =~ /TRUNCATE/ ? "TRUNCATE tr$n" : "INSERT INTO tr$n SELECT id, v, d, a FROM ty_$type LIMIT 3; UPDATE tr$n SET d = NULL; DELETE FROM tr$n";
		return "CREATE TABLE tr$n AS SELECT id, v, d, a FROM ty_$type LIMIT 0; CREATE TRIGGER t $when ON tr$n FOR EACH $each EXECUTE FUNCTION $function->{name}($list);"
			. " $write; DROP TABLE tr$n";
	},
	# the type of a column changes under indexes and statistics
	change => sub {
		my ($type, $other) = map { one_of(\@types) } 1, 2;
		my $n = ++$number;
		return "CREATE TABLE ch$n AS SELECT id, v FROM ty_$type; ANALYZE ch$n; PREPARE c$n AS SELECT count(*) FROM ch$n WHERE v = " . value($type) . "; EXECUTE c$n;"
			. " ALTER TABLE ch$n ALTER v TYPE $other USING " . value($other) . "; EXPLAIN SELECT FROM ch$n WHERE v = " . value($other) . "; ANALYZE ch$n; DROP TABLE ch$n";
	});

my %share = (operator => 30, function => 20, other_types => 15, internal => 5, estimator => 10, class => 6, record => 8, aggregate => 3, own_operator => 4, range => 2, trigger => 2, change => 3);

sub statement
{
	my @kinds = map { ($_) x $share{$_} } sort keys %share;
	while (1)
	{
		my $kind = one_of(\@kinds);
		my $made = $statements{$kind}->();
		return ($kind, $made) if defined $made;
	}
}

# As many statements, of all kinds, each as one of three roles.
sub test_types
{
	my ($count) = @_;
	$count = $ENV{TXTFP_TYPES_STATEMENTS} || $count;
	my $seed = $ENV{TXTFP_TYPES_SEED} || 1;
	srand($seed);
	note("TXTFP_TYPES_SEED=$seed");
	$server = new_server('types', conf => "statement_timeout = 60s\nlog_min_messages = log\n");
	my $main_pid = $server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')});
	read_catalog();
	make_objects();
	my (%of_role, %kinds);
	for (1 .. $count)
	{
		$role = one_of([ 'superuser', 'types_user', 'types_user', 'types_temp' ]);
		my ($kind, $statement) = statement();
		push @{ $of_role{ $kind eq 'estimator' ? 'superuser' : $role } }, $statement if $kind ne 'estimator' || $role ne 'types_temp';
		$kinds{$kind}++;
	}
	for $role (sort keys %of_role)
	{
		my @all = @{ $of_role{$role} };
		my $before = $role eq 'superuser' ? '' : "SET ROLE $role";
		$before .= join '', map { "; CREATE FUNCTION pg_temp.make(q $_, x bigint) RETURNS $_ LANGUAGE plpgsql STABLE AS 'BEGIN RETURN q; END'" } @types if $role eq 'types_temp';
		while (my @some = splice @all, 0, 200) { run_all($server, "statements of $role", $before, @some); }
	}
	is(internal_errors(), '', 'no internal error, and nothing that takes minutes');
	is($server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')}), $main_pid, 'the server lives');
	unlike(slurp_file($server->logfile), qr/terminated by signal|PANIC|TRAP/, 'no backend has crashed');
	note(join ', ', map { "$_ $kinds{$_}" } sort keys %kinds);
	note(outcomes());
	$server->stop;
}

1;

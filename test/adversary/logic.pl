# Ternary logic: for every operator and every function of the catalog that returns a boolean of two fingerprints, the rows of a condition, of its negation and of
# "is unknown" are together the table, each once; and every index of every operator class, alone, gives the same rows as a scan for the condition, its negation, what is
# unknown, conjunctions, disjunctions, counts, ordered and limited searches. Nothing is listed here: the operators, functions and classes are those of the catalog.
#
#   TXTFP_LOGIC_ROWS=2000   rows of the table (400)
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use TxtfpTest;
use PostgreSQL::Test::Utils ();
use Test::More;

my $rows = $ENV{TXTFP_LOGIC_ROWS} // 400;
my $server = new_server('logic', conf => "jit = off\nautovacuum = off\n");
sub sql { my ($statement) = @_; return $server->safe_psql('postgres', $statement) }

# Groups of five texts that differ in zero to four words, short ones without a digest, empty ones and NULL
sql(q{
	CREATE FUNCTION body(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT CASE WHEN i % 23 = 0 THEN NULL WHEN i % 29 = 0 THEN '' WHEN i % 31 = 0 THEN 'short ' || i ELSE (
			SELECT string_agg(CASE WHEN n < i % 5 THEN 'other' || i ELSE 'word' || (n * 7919 + i / 5 * 104729) % 1000 END, ' ' ORDER BY n) FROM generate_series(0, 59) AS n) END $$;
	CREATE TABLE texts AS SELECT i AS id, body(i) AS body, i % 7 AS tenant FROM generate_series(1, } . $rows . q{) AS i});
my %constructor = (fingerprint => 'public.to_simhash64(body)::public.fingerprint', embedding => q{CASE WHEN body IS NOT NULL THEN to_embedding(ARRAY[hashtext(body), length(body), hashtext(body || 'x')]::real[]) END});
my @types = split /\n/, sql(q{
	SELECT t.typname FROM pg_type AS t JOIN pg_depend AS d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'txtfp'
	WHERE t.typtype = 'b' AND t.typelem = 0 AND t.typname !~ 'probe|_gin|_gtsvector' ORDER BY 1});
my @columns = grep { $constructor{$_} || sql("SELECT count(*) FROM pg_proc WHERE proname = 'to_$_' AND proargtypes[0] = 'text'::regtype") ne '0' } @types;
cmp_ok(scalar(@columns), '>=', 11, "columns of the types @columns");
sql('CREATE TABLE docs AS SELECT id, tenant, ' . join(', ', map { ($constructor{$_} // "to_$_(body)") . " AS $_" } @columns) . ' FROM texts');
sql('ALTER TABLE docs ADD PRIMARY KEY (id); ANALYZE docs');

# ---- conditions: those of operators, and those of functions with a limit

# The values that are searched for: of a group, a short text, an empty one
sub probes { my ($type) = @_; return map { "(SELECT $type FROM docs WHERE id = $_)" } 12, 31, 29 }
my %limits = (integer => [ 0, 7, 60 ], 'double precision' => [ 0, '0.5', '0.9', 1 ]);

# A value as a constant: an index is searched by it.
my %literal;
sub literal
{
	my ($type, $probe) = @_;
	return $literal{$probe} //= do {
		my $value = sql("SELECT quote_nullable($probe)");
		$value eq 'NULL' ? "NULL::$type" : "${value}::$type";
	};
}

my %conditions;
for my $type (@columns)
{
	my @operators = split /\n/, sql("SELECT oprname FROM pg_operator WHERE oprleft = '$type'::regtype AND oprright = '$type'::regtype AND oprresult = 'boolean'::regtype AND oid >= 16384 ORDER BY 1");
	my @functions = map { [ split /\|/ ] } split /\n/, sql(qq{
		SELECT proname, coalesce(format_type(proargtypes[2], NULL), '') FROM pg_proc WHERE proargtypes[0] = '$type'::regtype AND proargtypes[1] = '$type'::regtype AND pronargs BETWEEN 2 AND 3
			AND prorettype = 'boolean'::regtype AND proname !~ '^_' AND oid >= 16384 ORDER BY 1});
	for my $probe (probes($type))
	{
		my $value = literal($type, $probe);
		push @{ $conditions{$type} }, map { ("$type OPERATOR(public.$_) $value", "$value OPERATOR(public.$_) $type") } @operators;
		for (@functions)
		{
			my ($name, $limit) = @$_;
			push @{ $conditions{$type} }, map { ("$name($type, $value$_)", "$name($value, $type$_)") } $limit eq '' ? ('') : map { ", $_" } @{ $limits{$limit} // die $limit };
		}
	}
}

# ---- answers

# The ids of a condition, or the error. Conditions on other configurations are errors in both ways.
sql(q{
	CREATE FUNCTION ids(condition text, rest text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
	DECLARE found int[];
	BEGIN
		EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM docs WHERE %s %s) AS d', condition, rest) INTO found;
		RETURN coalesce(found, '{}')::text;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END $$;
	CREATE FUNCTION variants(condition text) RETURNS SETOF text LANGUAGE sql AS $$
		SELECT v FROM unnest(ARRAY[condition, format('NOT (%s)', condition), format('(%s) IS NULL', condition), format('(%s) IS NOT FALSE', condition), format('%s AND id %% 3 = 0', condition),
			format('%s OR id = 7', condition), format('%s AND tenant = 3', condition), format('(%s) = (tenant = 3)', condition), format('id IN (SELECT id FROM docs WHERE %s)', condition),
			format('NOT EXISTS (SELECT FROM docs AS i WHERE i.id = docs.id AND %s)', condition)]) AS v $$;
	CREATE TABLE plain (condition text, variant text, ids text);
});
my $total = 0;
for my $type (@columns)
{
	my @all = @{ $conditions{$type} // [] };
	cmp_ok(scalar(@all), '>', 0, "$type has conditions");
	my $list = join ', ', map { "\$c\$$_\$c\$" } @all;
	my $wrong = sql(qq{
		SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
		INSERT INTO plain SELECT c, v, ids(v) FROM unnest(ARRAY[$list]) AS c, variants(c) AS v;
		SELECT c FROM unnest(ARRAY[$list]) AS c, LATERAL (SELECT ids(c) AS yes, ids(format('NOT (%s)', c)) AS no, ids(format('(%s) IS NULL', c)) AS unknown) AS part
		WHERE left(yes, 1) = chr(123) AND ARRAY(SELECT unnest(yes::int[] || no::int[] || unknown::int[]) ORDER BY 1) IS DISTINCT FROM ARRAY(SELECT id FROM docs ORDER BY 1)
			OR left(yes, 1) <> chr(123) AND (no, unknown) IS DISTINCT FROM (yes, yes)});
	is($wrong, '', "$type: a condition, its negation and what is unknown are the table (" . scalar(@all) . ' conditions)');
	$total += @all;
}
cmp_ok(sql(q{SELECT count(*) FROM plain WHERE condition = variant AND ids <> '{}' AND left(ids, 1) = chr(123)}), '>', $total / 5, 'many conditions find something');
note sql(q{SELECT count(*) FILTER (WHERE left(ids, 1) <> chr(123)) || ' errors among ' || count(*) || ' answers' FROM plain});

# ---- every operator class, alone

my @classes = map { [ split /\|/ ] } split /\n/, sql(q{
	SELECT amname, opcname, opcintype::regtype FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod
	WHERE c.oid >= 16384 AND opcintype::regtype::text = ANY (string_to_array('} . join(',', @columns) . q{', ',')) ORDER BY 1, 2});
cmp_ok(scalar(@classes), '>=', 25, 'operator classes');
for (@classes)
{
	my ($method, $class, $type) = @$_;
	my @all = @{ $conditions{$type} // [] };
	my $approximate = $class =~ /_lsh_ops$/ ? 'true' : 'false';
	for my $column ($method eq 'sketch' ? ("$type $class", "tenant, $type $class") : ("$type $class"))
	{
		my $list = join ', ', map { "\$c\$$_\$c\$" } @all;
		my $answer = sql(qq{
			CREATE INDEX tried ON docs USING $method ($column); ANALYZE docs;
			SET enable_seqscan = off; SET enable_indexscan = on; SET enable_bitmapscan = on;
			CREATE TEMP TABLE with_index AS SELECT c AS condition, v AS variant, ids(v) AS ids FROM unnest(ARRAY[$list]) AS c, variants(c) AS v;
			SELECT condition || ' as ' || variant FROM with_index JOIN plain USING (condition, variant)
			WHERE NOT $approximate AND with_index.ids <> plain.ids
				OR $approximate AND condition = variant AND left(plain.ids, 1) = chr(123) AND NOT with_index.ids::int[] <@ plain.ids::int[]
				OR $approximate AND left(plain.ids, 1) <> chr(123) AND with_index.ids <> plain.ids AND with_index.ids <> '{}' LIMIT 5});
		is($answer, '', "$method ($column): the same rows as a scan");
		if ($method eq 'sketch')
		{
			my $distance = sql(qq{SELECT oprname FROM pg_amop JOIN pg_opclass ON amopfamily = opcfamily JOIN pg_operator AS o ON o.oid = amopopr WHERE amoppurpose = 'o' AND opcname = '$class' LIMIT 1});
			for my $probe (map { literal($type, $_) } probes($type))
			{
				next if $probe =~ /^NULL/;
				for my $where ('true', 'tenant = 3', 'id % 2 = 0', 'tenant = ANY (ARRAY[1, 2])')
				{
					my $query = "SELECT string_agg(d::text, ' ') FROM (SELECT $type OPERATOR(public.$distance) $probe AS d FROM docs WHERE $where ORDER BY $type OPERATOR(public.$distance) $probe LIMIT 40) AS s";
					is(sql("SET enable_seqscan = off; $query"), sql("SET enable_indexscan = off; SET enable_bitmapscan = off; $query"), "$method ($column): the nearest where $where");
				}
			}
		}
		sql('DROP INDEX tried');
	}
}

# ---- the indexes were used

is(sql(qq{
	CREATE INDEX tried ON docs USING sketch (minhash128);
	SET enable_seqscan = off;
	CREATE TEMP TABLE plan (line text);
	DO \$\$ DECLARE line text; BEGIN FOR line IN EXECUTE \$q\$EXPLAIN SELECT id FROM docs WHERE minhash_similar(minhash128, } . literal('minhash128', (probes('minhash128'))[0]) . qq{, 0.5)\$q\$ LOOP INSERT INTO plan VALUES (line); END LOOP; END \$\$;
	SELECT count(*) > 0 FROM plan WHERE line ~ 'tried'}), 't', 'a condition is searched by the index');

done_testing();

-- The laws of naming (CONTRIBUTING.md). The description of a test that fails says what to do.
\set reference `cat docs/reference.md docs/reference_compare.md docs/reference_bulk.md docs/passages.md`
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(14);

CREATE TEMP VIEW ours AS
SELECT p.*, p.oid::regprocedure::text AS signature FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e' JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp';
-- What a user sees: functions, procedures and aggregates.
CREATE TEMP VIEW public_names AS SELECT DISTINCT proname::text AS name FROM ours WHERE proname !~ '^_';
-- Input and output arguments: name and type.
CREATE TEMP VIEW arguments AS
SELECT signature, proname, a.name, t.type FROM ours, unnest(proargnames) WITH ORDINALITY AS a (name, n)
	JOIN LATERAL (SELECT type::regtype::text, m FROM unnest(coalesce(proallargtypes, proargtypes::oid[])) WITH ORDINALITY AS t (type, m)) AS t ON m = a.n WHERE a.name <> '';

-- What only types, casts, operator classes, aggregates and the planner call
SELECT is_empty($$SELECT signature FROM ours WHERE proname !~ '^_' AND (proargtypes::oid[] && ARRAY['internal', 'cstring']::regtype[]::oid[] OR prorettype IN ('internal'::regtype, 'cstring'::regtype, 'index_am_handler'::regtype)) AND prokind <> 'a'$$,
	'a function with an argument or a result of type internal or cstring is for PostgreSQL alone: let its name begin with an underscore');
SELECT is_empty($$SELECT castfunc::regprocedure FROM pg_cast JOIN ours ON ours.oid = castfunc WHERE proname !~ '^(_|to_)'$$,
	'the function of a cast is internal (_type_to_other), or a constructor (to_type)');
SELECT is_empty($$SELECT signature FROM ours WHERE oid IN (SELECT amproc FROM pg_amproc UNION SELECT oprrest FROM pg_operator UNION SELECT oprjoin FROM pg_operator UNION SELECT prosupport FROM ours UNION SELECT aggfinalfn FROM pg_aggregate) AND proname !~ '^_'$$,
	'support functions of operator classes, estimators, planner support and final functions are internal: let their names begin with an underscore');
SELECT is_empty($$SELECT name FROM public_names WHERE name !~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$'$$, 'a public name consists of lower-case words with underscores between them');

-- Constructors
SELECT is_empty($$SELECT signature FROM ours JOIN pg_type ON typname = proname AND typtype = 'b'$$, 'no function has the name of a type, because type(''literal'') is parsed as a cast: call the constructor to_<type>');
SELECT is_empty($$SELECT signature FROM ours WHERE proname ~ '^to_' AND proname <> 'to_' || prorettype::regtype::text$$, 'to_<type> returns that type: rename the function or change its result');

-- Arguments
SELECT is_empty($$SELECT signature, a.name FROM ours, unnest(proargnames) WITH ORDINALITY AS a (name, n) LEFT JOIN pg_get_keywords() AS k ON word = a.name
	WHERE a.name <> '' AND (a.name !~ '^[a-z_][a-z0-9_]*$' OR catcode IN (CASE WHEN coalesce(proargmodes[n], 'i') IN ('o', 't') THEN 'T' ELSE 'C' END, 'R'))$$,
	'no argument and no column needs quotes where it is named: choose a name that is no keyword, such as min_shared for least, min_precision for precision');
SELECT is_empty($$SELECT signature, name, type FROM arguments WHERE name = 'threshold' AND type <> 'double precision' OR name IN ('max_distance', 'min_score', 'min_shared') AND type <> 'integer'$$,
	'threshold is a least similarity (double precision); a greatest distance is max_distance, a least score min_score, a least number of passages min_shared (integer)');
SELECT is_empty($$SELECT signature, name FROM arguments WHERE name IN ('distance', 'radius', 'least', 'min_similarity', 'min_jaccard', 'score') AND proname !~ '^_' AND name = ANY (SELECT a FROM ours AS o, unnest(o.proargnames[1:o.pronargs]) AS a WHERE o.oid::regprocedure::text = signature)$$,
	'the limit of a search is called threshold, max_distance, min_score or min_shared');

-- The parser would take f(NULL::text, …) for the form whose first argument is the query.
SELECT is_empty($$SELECT o.signature FROM ours AS o WHERE o.proargtypes[0] = 'anyelement'::regtype AND o.proargnames[2] ~ '^query' AND o.pronargs > 2
	AND NOT EXISTS (SELECT FROM ours AS t WHERE t.proname = o.proname AND t.signature = replace(o.signature, 'anyelement', 'text') AND t.pronargdefaults = o.pronargdefaults)$$,
	'a function with a query and with ids of the type of its first argument has the same form for text (sql/parts/bulk.sql)');

-- One direction: containment and contained are "of the first argument in the second"
SELECT ok(text_containment('one two three', 'zero one two three four', 'word-uax29') = 1 AND passages_containment(to_passages('one two three', 1), to_passages('zero one two three four', 1)) = 1
	AND minhash_containment(few, many) > 0.7 AND minhash_containment(many, few) < 0.5, 'containment(a, b) is the share of a in b')
FROM (SELECT to_minhash256(array_agg(i::text) FILTER (WHERE i <= 100)) AS few, to_minhash256(array_agg(i::text)) AS many FROM generate_series(1, 400) AS i) AS sets;
SELECT is_empty($$SELECT p, q, share FROM unnest(ARRAY[to_passages('a b c d', 1), to_passages('a b', 1), to_passages('x', 1)]) AS p, unnest(ARRAY[to_passages('a b c d', 1), to_passages('b c', 1)]) AS q, unnest('{0.01,0.25,0.5,0.75,1}'::float8[]) AS share
	WHERE passages_contained(p, q, share) <> (passages_containment(p, q) >= share)$$, 'contained(p, q, share) is containment(p, q) >= share');

-- A row of a table describes a function whose name stands in its first cell. What exists for several numbers of slots is described for 128.
SELECT is_empty(format($$SELECT name, count(section) AS tasks FROM public_names LEFT JOIN regexp_split_to_table(substring(%L, '\n(## Make a fingerprint\n.*)'), '\n## ') AS section
	ON section ~ ('\n\| [^|\n]*`' || regexp_replace(name, 'minhash(64|256)', 'minhash128') || '\(') GROUP BY name HAVING count(section) <> 1$$, :'reference'),
	'every public function is described in the table of one task of the reference (docs/reference*.md, docs/passages.md): add a row there');
SELECT cmp_ok((SELECT count(*) FROM public_names)::int, '<=', 116, 'there are at most 116 public names: give an existing function an option, or let the name of an internal one begin with an underscore');

SELECT * FROM finish();
ROLLBACK;

# The nesting matrix: every function of the extension is called inside a trigger, a policy, an index expression, a domain's check, the query of a bulk
# function, an aggregate's transition, the planning of a near-duplicate check's own search, and the writing of live clusters. Before and after each call operators are created
# and dropped, which makes every plan invalid; around those that read tables or keep plans also columns, indexes, triggers and privileges change. With `errors` the call is rolled back. Each answer must be the one outside of all this; the server must survive without an
# internal error. Under debug_discard_caches, if the server has it, each cache is dropped whenever it could be.
#
#   TXTFP_NESTING=calls      prints what is called, with the answers
#   TXTFP_NESTING_CONTEXTS   a regular expression: only these contexts
#   TXTFP_NESTING_CALLS      a regular expression: where caches are discarded, which takes a hundred times as long, only these calls
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use IPC::Run ();
use TxtfpTest;
use PostgreSQL::Test::Utils ();
use Test::More;

my $server = new_server('nesting', conf => "log_error_verbosity = verbose\n");

# ---- what is called: arguments by name, then by type

my %named = (query => q{'SELECT id, fp FROM nest.docs ORDER BY id'}, index => q{'nest.docs_fp'}, relation => q{'nest.clustered'}, max_distance => '7');
my $text  = q{'the quick brown fox jumps over the lazy dog, and the lazy dog sleeps on'};
my %typed = (
	text => $text, name => q{'fp'}, integer => '2', smallint => '2', bigint => '2', 'double precision' => '0.5', real => '0.5', boolean => 'true', oid => '1259',
	bytea => "pg_catalog.convert_to($text, 'UTF8')", jsonb => q{'{}'}, 'text[]' => q{'{a,b,c}'}, 'double precision[]' => q{'{1,2,3}'}, 'real[]' => q{'{1,2,3}'}, 'bigint[]' => q{'{1,2,3}'},
	'integer[]' => q{'{1,2,3}'}, 'bytea[]' => q{'{a,b}'}, regclass => q{'nest.docs'}, anyelement => '2', cstring => $text,
	(map { my $h = $_; ("minhash$h" => "public.to_minhash$h($text)", "minhash${h}_compact" => "public.to_minhash${h}_compact($text)", "minhash${h}[]" => "ARRAY[public.to_minhash$h($text)]") } qw(64 128 256)),
	simhash64 => "public.to_simhash64($text)", 'simhash64[]' => "ARRAY[public.to_simhash64($text)]", tlsh => "public.to_tlsh($text)", lavinhash => "public.to_lavinhash($text)",
	embedding => q{public.to_embedding('{1,2,3}')}, passages => "public.to_passages($text)", fingerprint => "public.to_simhash64($text)::public.fingerprint");

my $calls = $server->safe_psql('postgres', q{
	SELECT p.proname, p.prokind, p.pronargs - p.pronargdefaults, array_to_string(p.proargnames, ','), (SELECT string_agg(format_type(t, NULL), ',' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n))
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'txtfp'
	WHERE p.prokind IN ('f', 'a') AND p.prorettype NOT IN ('trigger'::regtype, 'internal'::regtype) AND NOT 'internal'::regtype = ANY (p.proargtypes) AND p.proname NOT IN ('near_duplicate_trigger_stats', 'bulk_progress', 'sketch_searches', 'fingerprint_index_info')
	ORDER BY 1, 5});
my @calls;
for (split /\n/, $calls)
{
	my ($function, $kind, $needed, $names, $types) = split /\|/;
	my @names = split /,/, $names // '';
	my @types = split /,/, $types // '';
	my @values = map { $named{ $names[$_] // '' } // $typed{ $types[$_] } // "NULL" } 0 .. $needed - 1;
	my $call = "public.$function(" . join(', ', map { $types[$_] =~ /any|cstring/ ? $values[$_] : "$values[$_]::" . ($types[$_] =~ /hash|tlsh|embedding|passages|fingerprint|signals|probe/ ? "public.$types[$_]" : $types[$_]) } 0 .. $needed - 1) . ')';
	push @calls, $kind eq 'a' ? "SELECT pg_catalog.md5($call\::text)" : "SELECT pg_catalog.string_agg(pg_catalog.md5(x::text), ' ') FROM (SELECT * FROM $call LIMIT 20) AS x";
}
my $near = "public.to_minhash128('one of the rows of the table number 3', 'word-uax29')";
push @calls, (
	"INSERT INTO nest.guarded (id, fp) VALUES (1000, $near) RETURNING 'done'",
	"UPDATE nest.guarded SET fp = $near WHERE id = 2 RETURNING 'done'",
	"INSERT INTO nest.copied VALUES (1000, $near) RETURNING 'done'",
	"INSERT INTO nest.counted (id, fp) VALUES (1000, $near) RETURNING 'done'",
	"UPDATE nest.counted SET fp = $near WHERE id = 4 RETURNING 'done'",
	"INSERT INTO nest.several (id, fp, meaning) VALUES (1000, $near, public.to_embedding('{0,1}')), (1001, NULL, public.to_embedding('{1,0}')) RETURNING 'done'",
	"UPDATE nest.several SET fp = $near, meaning = NULL WHERE id = 2 RETURNING 'done'",
	"INSERT INTO nest.every (id, fp, bits) VALUES (1000, $near, '0'::bit(64)::public.simhash64), (1001, $near, '111'::bit(64)::public.simhash64) RETURNING 'done'",
	"UPDATE nest.every SET fp = $near WHERE id = 4 RETURNING 'done'",
	"INSERT INTO nest.merged (id, fp) VALUES (1000, $near) RETURNING 'done'",
	"UPDATE nest.merged SET fp = $near WHERE id = 4 RETURNING 'done'",
	"SELECT nest.distributed()",
	"INSERT INTO nest.filled (body) VALUES ('some words of a body') RETURNING pg_catalog.md5(fp::text)",
	"INSERT INTO nest.clustered VALUES (pg_catalog.nextval('nest.ids'), $near) RETURNING 'done'",
	"DELETE FROM nest.clustered WHERE id = (SELECT pg_catalog.max(id) FROM nest.clustered) RETURNING 'done'",
	"UPDATE nest.clustered SET fp = $near WHERE id = 5 RETURNING 'done'",
	"SELECT nest.fill()");
cmp_ok(scalar @calls, '>', 200, scalar(@calls) . ' calls');

$server->safe_psql('postgres', q{
	CREATE ROLE nest_owner;
	CREATE SCHEMA nest AUTHORIZATION nest_owner;
	SET ROLE nest_owner;
	SET search_path = nest, public;
	CREATE FUNCTION words(number int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128('one of the rows of the table number ' || number / 2, 'word-uax29')$$;
	CREATE TABLE docs (id int PRIMARY KEY, fp minhash128, note text);
	INSERT INTO docs SELECT i, words(i) FROM generate_series(1, 20) AS i;
	CREATE INDEX docs_fp ON docs USING sketch (fp);
	CREATE TABLE other (id int, note text);
	CREATE TABLE guarded (id int, fp minhash128, near int, how float8);
	CREATE INDEX ON guarded USING sketch (fp);
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'similarity=how');
	INSERT INTO guarded SELECT id, fp FROM docs WHERE id < 6;
	CREATE TABLE copied (id int, fp minhash128);
	CREATE TRIGGER t AFTER INSERT ON copied FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'against=nest.guarded', 'threshold=0.99999');
	CREATE TABLE apart (a int, b int);
	INSERT INTO apart VALUES (1, 1000);
	CREATE TABLE counted (id int, fp minhash128, seen int DEFAULT 1, last timestamptz);
	CREATE INDEX ON counted USING sketch (fp);
	INSERT INTO counted SELECT id, fp FROM docs WHERE id IN (2, 4);
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON counted FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'last=last', 'apart=nest.apart', 'on_update=delete');
	CREATE TABLE merged (id int, fp minhash128, seen int DEFAULT 1);
	CREATE INDEX ON merged USING sketch (fp);
	INSERT INTO merged SELECT id, fp FROM docs WHERE id IN (2, 4);
	CREATE FUNCTION merging(kept merged, new merged, similarity float8) RETURNS merged LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + 1; RETURN kept; END$$;
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON merged FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=nest.merging', 'on_update=delete');
	CREATE TABLE several (id int, fp minhash128, meaning embedding, near int, wording float8, sense float8);
	CREATE INDEX ON several USING sketch (fp);
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON several FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:0.8, meaning:0.95', 'flag', 'match=any', 'column=near', 'similarity=wording, sense');
	INSERT INTO several SELECT id, fp, to_embedding(ARRAY[id, 1]) FROM docs WHERE id IN (2, 4);
	CREATE TABLE every (id int, fp minhash128, bits simhash64, seen int DEFAULT 1);
	CREATE INDEX ON every USING sketch (bits);
	INSERT INTO every SELECT id, fp, '0'::bit(64)::simhash64 FROM docs WHERE id IN (2, 4);
	CREATE FUNCTION merging_every(kept every, new every, similarities float8[]) RETURNS every LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + 1; RETURN kept; END$$;
	CREATE TRIGGER t BEFORE INSERT OR UPDATE ON every FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'bits:2, fp:0.8', 'merge', 'match=all', 'merge=nest.merging_every', 'on_update=delete');
	CREATE FUNCTION distributed() RETURNS text LANGUAGE plpgsql SET search_path = nest, public AS $$
	DECLARE
		found text;
	BEGIN
		CALL public.near_duplicate_pairs_distributed('SELECT id, fp FROM nest.docs', 'pairs');
		EXECUTE 'SELECT count(*)::text FROM nest.pairs' INTO found;
		DROP TABLE nest.pairs;
		RETURN found;
	END $$;
	CREATE TABLE filled (body text, fp minhash128);
	CREATE TRIGGER t BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
	CREATE TABLE clustered (id int PRIMARY KEY, fp minhash128);
	CREATE INDEX ON clustered USING sketch (fp);
	CREATE SEQUENCE ids START 1000;
	CALL live_clusters_create('clustered', 'id', 'fp', mode => 'star');
	INSERT INTO clustered SELECT id, fp FROM docs;
	CREATE FUNCTION fill() RETURNS text LANGUAGE plpgsql AS $$BEGIN CALL public.live_clusters_fill('nest.clustered'); RETURN 'done'; END$$;
	CREATE TABLE calls (number int, call text, has_state bool, answer text); -- has_state: it reads tables or keeps plans

	CREATE TABLE invalidations (name text, before text, after text);
	INSERT INTO invalidations VALUES
		('nothing', NULL, NULL),
		('operators', 'CREATE OPERATOR nest.=== (LEFTARG = int4, RIGHTARG = int4, FUNCTION = int4eq)', 'DROP OPERATOR nest.=== (int4, int4)'),
		('columns', 'ALTER TABLE nest.docs ADD more int', 'ALTER TABLE nest.docs DROP more'),
		('indexes', 'CREATE INDEX docs_note ON nest.docs (note)', 'DROP INDEX nest.docs_note'),
		('names', 'ALTER TRIGGER t ON nest.guarded RENAME TO u', 'ALTER TRIGGER u ON nest.guarded RENAME TO t'),
		('triggers', 'ALTER TABLE nest.guarded DISABLE TRIGGER t', 'ALTER TABLE nest.guarded ENABLE TRIGGER t'),
		('privileges', 'GRANT SELECT ON ALL TABLES IN SCHEMA nest TO PUBLIC', 'REVOKE SELECT ON ALL TABLES IN SCHEMA nest FROM PUBLIC');

	-- Runs a statement. What it does is lost if it fails, but other sessions' view of caches has changed.
	CREATE FUNCTION attempt(statement text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		IF statement IS NOT NULL THEN EXECUTE statement; END IF;
	EXCEPTION WHEN OTHERS THEN NULL;
	END $$;
	CREATE FUNCTION answer(call text, before text, after text, with_errors bool) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		got text;
	BEGIN
		PERFORM nest.attempt(before);
		BEGIN
			EXECUTE call INTO got;
			IF with_errors THEN
				RAISE SQLSTATE 'NNNNN';
			END IF;
		EXCEPTION WHEN SQLSTATE 'NNNNN' THEN NULL;
		WHEN OTHERS THEN got := SQLSTATE;
		END;
		PERFORM nest.attempt(after);
		RETURN coalesce(got, 'null');
	END $$;
	-- once in a statement, however often it is called
	CREATE FUNCTION run() RETURNS bool LANGUAGE plpgsql VOLATILE AS $$
	DECLARE
		how nest.invalidations;
		c nest.calls;
		got text;
	BEGIN
		IF current_setting('nest.state', true) IS DISTINCT FROM 'armed' THEN
			RETURN true;
		END IF;
		PERFORM pg_catalog.set_config('nest.state', 'running', false);
		SELECT * INTO how FROM nest.invalidations WHERE name = current_setting('nest.invalidation');
		FOR c IN SELECT * FROM nest.calls WHERE how.name = 'operators' OR has_state ORDER BY number LOOP
			got := nest.answer(c.call, how.before, how.after, current_setting('nest.errors')::bool);
			IF got <> c.answer THEN
				RAISE WARNING 'nest: % gives %, not %', c.call, got, c.answer;
			END IF;
		END LOOP;
		RAISE WARNING 'nest: ran';
		RETURN true;
	END $$;
	CREATE FUNCTION quiet(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN nest.run(); END $$;
	CREATE FUNCTION run_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM nest.run(); RETURN NEW; END $$;

	CREATE TABLE in_trigger (id int);
	CREATE TRIGGER t BEFORE INSERT ON in_trigger FOR EACH ROW EXECUTE FUNCTION run_trigger();
	CREATE TRIGGER u AFTER UPDATE ON in_trigger FOR EACH ROW EXECUTE FUNCTION run_trigger();
	CREATE TABLE in_policy AS SELECT 1 AS id;
	ALTER TABLE in_policy ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE POLICY p ON in_policy USING (run());
	CREATE TABLE in_index (id int);
	CREATE INDEX ON in_index ((quiet(id)));
	CREATE TABLE in_statistics AS SELECT id, fp FROM docs;
	CREATE INDEX ON in_statistics ((CASE WHEN quiet(id) THEN fp END));
	CREATE DOMAIN in_input AS text CHECK (run());
	CREATE FUNCTION step(bigint, int) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN PERFORM nest.run(); RETURN $1 + $2; END $$;
	CREATE AGGREGATE in_aggregate(int) (SFUNC = step, STYPE = bigint, INITCOND = '0');
	CREATE TABLE in_search (id int, fp minhash128, CHECK (quiet(1)));
	CREATE INDEX ON in_search USING sketch (fp);
	CREATE TRIGGER t BEFORE INSERT ON in_search FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject');
	CREATE TABLE in_several (id int, fp minhash128, bits simhash64, near int, CHECK (quiet(1)));
	CREATE INDEX ON in_several USING sketch (fp);
	CREATE INDEX ON in_several USING sketch (bits);
	CREATE TRIGGER t BEFORE INSERT ON in_several FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp, bits:3', 'flag', 'match=any', 'column=near');
	CREATE TABLE in_protected (id int, fp minhash128);
	CREATE TRIGGER t AFTER INSERT ON in_protected FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'against=nest.in_search');
	CREATE TABLE in_merge (id int, fp minhash128, seen int DEFAULT 1);
	INSERT INTO in_merge VALUES (1, words(1));
	CREATE FUNCTION merging(kept in_merge, new in_merge, similarity float8) RETURNS in_merge LANGUAGE plpgsql AS $$BEGIN PERFORM nest.run(); kept.seen := kept.seen + 1; RETURN kept; END$$;
	CREATE TRIGGER t BEFORE INSERT ON in_merge FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=nest.merging');
	CREATE TABLE in_count (id int, fp minhash128, seen int DEFAULT 1);
	INSERT INTO in_count VALUES (1, words(1));
	CREATE TRIGGER t BEFORE INSERT ON in_count FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen');
	CREATE TRIGGER u BEFORE UPDATE ON in_count FOR EACH ROW EXECUTE FUNCTION run_trigger();
	CREATE FUNCTION probe() RETURNS minhash128 LANGUAGE plpgsql STABLE AS $$BEGIN PERFORM nest.run(); RETURN nest.words(3); END $$});
for my $number (0 .. $#calls)
{
	(my $call = $calls[$number]) =~ s/'/''/g;
	my $has_state = $call =~ /^(?!SELECT)|nest\./ ? 'true' : 'false';
	$calls[$number] = "INSERT INTO nest.calls VALUES ($number, '$call', $has_state)";
}
my $prelude = 'SET client_min_messages = warning; SET ROLE nest_owner; SET search_path = nest, public; SET constraint_exclusion = on; SET txtfp.progress = off';
$server->safe_psql('postgres', "$prelude;" . join(';', @calls) . q{; UPDATE calls SET answer = nest.answer(call, NULL, NULL, false); CREATE TRIGGER t BEFORE INSERT OR UPDATE ON clustered_clusters_members FOR EACH ROW EXECUTE FUNCTION run_trigger()});
if (($ENV{TXTFP_NESTING} // '') eq 'calls')
{
	diag($server->safe_psql('postgres', q{SELECT answer || '  ' || call FROM nest.calls ORDER BY number}));
}
my $failing = $server->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE answer ~ '^[0-9A-Z]{5}$') * 100 / count(*) FROM nest.calls});
cmp_ok($failing, '<', 25, "$failing % of the calls raise an error");

# ---- the matrix

my %contexts = (
	'a query'                     => 'SELECT nest.run()',
	'a trigger, BEFORE'           => 'INSERT INTO in_trigger VALUES (1)',
	'a trigger, AFTER'            => 'INSERT INTO in_trigger VALUES (1); UPDATE in_trigger SET id = 2',
	'a policy'                    => 'SELECT count(*) FROM in_policy',
	'an index expression'         => 'INSERT INTO in_index VALUES (1)',
	'statistics of an expression' => 'ANALYZE in_statistics',
	'an index build'              => 'CREATE INDEX ON in_statistics USING sketch (fp) WHERE quiet(id)',
	'a check of an index'         => q{SELECT count(*) FROM fingerprint_index_recall('in_checked_fp')},
	'a domain'                    => q{SELECT 'x'::nest.in_input},
	'a bulk function, pairs'      => q{SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM nest.docs WHERE nest.run()', threshold => 0.8)},
	'a bulk function, clusters'   => q{SELECT count(*) FROM near_duplicate_clusters('SELECT id, fp FROM nest.docs WHERE nest.run()', threshold => 0.8)},
	'a bulk function, deduplicate' => q{SELECT count(*) FROM deduplicate('SELECT id, fp FROM nest.docs WHERE nest.run()', 0.8)},
	'an aggregate'                => 'SELECT in_aggregate(id) FROM docs',
	'the planning of a search'    => 'INSERT INTO in_search VALUES (1, words(1))',
	'the planning of searches of several columns' => q{INSERT INTO in_several VALUES (1, words(1), '0'::bit(64)::simhash64), (2, words(7), '1'::bit(64)::simhash64)},
	'the planning of a search of a protected table' => 'INSERT INTO in_protected VALUES (1, words(99))',
	'the function of merge'       => 'INSERT INTO in_merge VALUES (2, words(1))',
	'the change of a counted row' => 'INSERT INTO in_count VALUES (2, words(1))',
	'a distributed join'          => q{CALL near_duplicate_pairs_distributed('SELECT id, fp FROM nest.docs WHERE nest.run()', 'joined'); DROP TABLE joined},
	'the probe of a search'       => 'SET enable_seqscan = off; SELECT count(*) FROM docs WHERE minhash_similar(fp, probe(), 0.8)',
	'the writing of live clusters' => q{INSERT INTO clustered VALUES (nextval('ids'), words(7))},
	'the filling of live clusters' => q{UPDATE clustered_clusters_members SET since = since WHERE id = 1; CALL live_clusters_fill('clustered', again => true)},
);
$server->safe_psql('postgres', "$prelude; CREATE TABLE in_checked AS SELECT id, fp FROM docs; CREATE INDEX in_checked_fp ON in_checked USING sketch (fp) WHERE quiet(id)");

my $chosen = $ENV{TXTFP_NESTING_CONTEXTS} // '';
my @contexts = grep { /$chosen/ } sort keys %contexts;

sub enter
{
	my ($context, $invalidation, $errors, $settings) = @_;
	my $arm = "SET nest.invalidation = '$invalidation'; SET nest.errors = $errors; $settings";
	# twice, so that plans have been cached the second time; not in one transaction, which would not survive an error of the context itself
	my $times = $invalidation eq 'operators' && $errors eq 'off' ? 2 : 1;
	my @statements = ($prelude, $arm, map { ("SET nest.state = 'armed'", $contexts{$context}) } 1 .. $times);
	IPC::Run::run([ 'psql', '-XqAt', '-d', $server->connstr('postgres'), map { ('-c', $_) } @statements ], '<', \'', '>', \my $out, '2>', \my $err);
	my @different = map { length > 300 ? '… ' . substr $_, -300 : $_ } grep { !/nest: ran/ } $err =~ /(nest: .*)/g;
	@different = grep { !/live_clusters_check/ } @different if $context =~ /live clusters/;    # in the middle of a change the state is not complete
	@different = grep { !/distributed\(\w+\) gives 0A000/ } @different if $context eq 'statistics of an expression';    # it analyzes its tables, which PostgreSQL refuses within ANALYZE
	my $ran = () = $err =~ /nest: ran/g;
	return ($ran, \@different, $err);
}

for my $context (@contexts)
{
	for my $invalidation (split /\n/, $server->safe_psql('postgres', 'SELECT name FROM nest.invalidations ORDER BY 1'))
	{
		for my $errors ('off', 'on')
		{
			my ($ran, $different, $err) = enter($context, $invalidation, $errors, '');
			my $what = "$context, $invalidation" . ($errors eq 'on' ? ', errors' : '');
			ok($ran > 0, "$what: ran") or diag(substr $err, 0, 500);
			is_deeply($different, [], "$what: the same answers");
			}
	}
}

my ($discards) = $server->psql('postgres', 'SET debug_discard_caches = 1');
SKIP:
{
	skip 'debug_discard_caches needs a server with assertions', 1 if $discards != 0;
	my $calls_chosen = $ENV{TXTFP_NESTING_CALLS} // '';
	$server->safe_psql('postgres', qq{DELETE FROM nest.calls WHERE NOT has_state OR call !~ \$\$$calls_chosen\$\$}) if $calls_chosen;
	$server->safe_psql('postgres', q{DELETE FROM nest.calls WHERE NOT has_state; GRANT SET ON PARAMETER debug_discard_caches TO nest_owner});
	for my $context (@contexts)
	{
		my ($ran, $different, $err) = enter($context, 'operators', 'off', 'SET debug_discard_caches = 1;');
		ok($ran > 0, "$context, caches discarded: ran") or diag(substr $err, 0, 500);
		is_deeply($different, [], "$context, caches discarded: the same answers");
	}
}

is($server->safe_psql('postgres', q{SELECT count(*) FROM live_clusters_check('nest.clustered')}), 0, 'the clusters are right');
my $log = PostgreSQL::Test::Utils::slurp_file($server->logfile);
is(join("\n", $log =~ /^.*(?:terminated by signal|PANIC|TRAP|ERROR:  XX).*$/mg), '', 'no crash, no internal error');
$server->stop;
done_testing();

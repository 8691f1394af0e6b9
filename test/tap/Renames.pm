# The matrix of renames. A session has used everything that keeps plans or names; another session renames something, or puts another object into its place;
# then the first session goes on. What it does must concern the same rows as before, or be an error; never rows of another table.
#
#   what is renamed     schema, table, tables of clusters, column, index, role, owner, extension's schema, tablespace, database
#   when                between two statements; between BEGIN and the first statement; after the snapshot; within a transaction that has written
#   who goes on         live clusters, near_duplicate_trigger, bulk functions, prepared statements, each of them as the first one
package Renames;

use strict;
use warnings;

use Exporter 'import';
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(test_renames);

# Tables of schema `blue`, and the same with other rows, which take their place: in schema `green`, and in `blue` under other names.
my $fixture = q{
	CREATE SCHEMA blue;
	CREATE SCHEMA green;
	CREATE FUNCTION pg_temp.tables(space text, prefix text, n int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('CREATE TABLE %1$I.%2$I (id int PRIMARY KEY, fp simhash64) TABLESPACE rn_space; CREATE TABLE %1$I.%3$I (id int PRIMARY KEY, fp simhash64, more simhash64);'
			|| 'CREATE INDEX ON %1$I.%2$I USING sketch (fp); CREATE INDEX ON %1$I.%3$I USING sketch (fp);'
			|| 'CREATE TRIGGER guard BEFORE INSERT ON %1$I.%3$I FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger(''id'', ''fp:2, more:2'', ''reject'', ''match=any'')',
			space, prefix || 'docs', prefix || 'guarded');
		EXECUTE format('ALTER TABLE %1$I.%2$I OWNER TO rn_owner; ALTER TABLE %1$I.%3$I OWNER TO rn_owner; GRANT ALL ON SCHEMA %1$I TO rn_owner, rn_other',
			space, prefix || 'docs', prefix || 'guarded');
		EXECUTE format('CALL live_clusters_create(%L, ''id'', ''fp'', max_distance => 2)', format('%I.%I', space, prefix || 'docs'));
		EXECUTE format('INSERT INTO %1$I.%2$I VALUES ($1, point($1)), ($1 + 1, point($1 + 1)); ', space, prefix || 'docs') USING n;
		EXECUTE format('INSERT INTO %1$I.%2$I VALUES ($1, point($1))', space, prefix || 'guarded') USING n;
	END $$;
	GRANT CREATE ON TABLESPACE rn_space TO rn_owner, rn_other;
	SELECT pg_temp.tables('blue', '', 1), pg_temp.tables('green', '', 30), pg_temp.tables('blue', 'other_', 30);
};

# A statement's result, or its SQLSTATE.
my $functions = q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT rpad(repeat('1', n), 64, '0')::bit(64)::simhash64$$;
	CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text;
	BEGIN
		IF statement ~ '^(INSERT|DELETE)' THEN
			EXECUTE statement;
			RETURN 'done';
		END IF;
		EXECUTE statement INTO result;
		RETURN result;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END $$;
};

# Each: what the other session runs; how the session then names the tables. `loud`: the error that triggers and clusters raise until `back` has been run.
# `blocks`: it waits for transactions that have used the tables.
my @renames = (
	{ what => 'schema', run => 'ALTER SCHEMA blue RENAME TO red; ALTER SCHEMA green RENAME TO blue', docs => 'red.docs', guarded => 'red.guarded', view => 'red.docs_clusters', others => 'blue.docs', back => 'ALTER SCHEMA blue RENAME TO green; ALTER SCHEMA red RENAME TO blue' },
	{ what => 'table', blocks => 1, run => 'ALTER TABLE blue.docs RENAME TO old_docs; ALTER TABLE blue.other_docs RENAME TO docs; ALTER TABLE blue.guarded RENAME TO old_guarded; ALTER TABLE blue.other_guarded RENAME TO guarded', docs => 'blue.old_docs', guarded => 'blue.old_guarded', others => 'blue.docs' },
	{ what => 'table to another schema', blocks => 1, run => 'ALTER TABLE blue.docs SET SCHEMA public; ALTER TABLE blue.guarded SET SCHEMA public; ALTER TABLE blue.other_docs RENAME TO docs; ALTER TABLE blue.other_guarded RENAME TO guarded', docs => 'public.docs', guarded => 'public.guarded', others => 'blue.docs' },
	{ what => 'tables of the clusters', blocks => 1, run => join('; ', map { ("ALTER TABLE blue.docs_clusters_$_ RENAME TO old_$_", "ALTER TABLE blue.other_docs_clusters_$_ RENAME TO docs_clusters_$_") } qw(members sets links)) },
	{ what => 'tables of the clusters to another schema', blocks => 1, run => join('; ', map { ("ALTER TABLE blue.docs_clusters_$_ SET SCHEMA public", "ALTER TABLE blue.other_docs_clusters_$_ RENAME TO docs_clusters_$_") } qw(members sets links)) },
	{ what => 'view of the clusters', run => 'ALTER VIEW blue.docs_clusters RENAME TO old_clusters; ALTER VIEW blue.other_docs_clusters RENAME TO docs_clusters', view => 'blue.old_clusters' },
	{ what => 'column', blocks => 1, loud => '42703', run => 'ALTER TABLE blue.docs RENAME fp TO print; ALTER TABLE blue.guarded RENAME fp TO print', back => 'ALTER TABLE blue.docs RENAME print TO fp; ALTER TABLE blue.guarded RENAME print TO fp' },
	{ what => 'index', run => 'ALTER INDEX blue.docs_fp_idx RENAME TO an_index; ALTER INDEX blue.docs_pkey RENAME TO a_key; ALTER INDEX blue.docs_clusters_members_pkey RENAME TO another_key' },
	{ what => 'role', run => 'ALTER ROLE rn_owner RENAME TO rn_renamed', back => 'ALTER ROLE rn_renamed RENAME TO rn_owner' },
	{ what => 'owner', blocks => 1, run => 'REASSIGN OWNED BY rn_owner TO rn_other' },
	{ what => 'extension', run => 'ALTER EXTENSION txtfp SET SCHEMA ext', back => 'ALTER EXTENSION txtfp SET SCHEMA public' },
	{ what => 'tablespace', run => 'ALTER TABLESPACE rn_space RENAME TO rn_place', back => 'ALTER TABLESPACE rn_place RENAME TO rn_space' },
	{ what => 'tablespace of the tables', blocks => 1, run => 'ALTER TABLE blue.docs SET TABLESPACE pg_default; ALTER TABLE blue.docs_clusters_members SET TABLESPACE rn_space; ALTER INDEX blue.docs_fp_idx SET TABLESPACE rn_space' },
	{ what => 'database', database => 'rn_renamed', run => 'ALTER DATABASE rn RENAME TO rn_renamed', back => 'ALTER DATABASE rn_renamed RENAME TO rn' },
);

my %moments = (
	'between two statements'                 => { first => '',  last => '' },
	'between BEGIN and the first statement'  => { first => 'BEGIN;', last => 'COMMIT;' },
	'after the snapshot'                     => { first => 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;', last => 'COMMIT;' },
	'within a transaction'                   => { first => 'BEGIN; SELECT outcome(\'INSERT INTO blue.docs VALUES (3, point(3))\'); SELECT outcome(\'INSERT INTO blue.guarded VALUES (20, point(20))\');', last => 'COMMIT;', holds_locks => 1 },
);

# What a session does before and after, and what must come out then. {docs}, {guarded}, {view}: the tables by their present names.
my @consumers = (
	{ what => 'live clusters', before => 'SELECT outcome($$INSERT INTO blue.docs VALUES (3, point(3))$$)',
		after => [ [ q{INSERT INTO {docs} VALUES (4, point(4))}, 'done' ], [ q{SELECT string_agg(id::text, ',' ORDER BY id) FROM {view}}, '1,2,3,4' ],
			[ q{SELECT count(*) FROM live_clusters_check('{docs}')}, '0' ], [ q{SELECT count(*) FROM live_clusters_check('{others}')}, '0' ],
			[ q{DELETE FROM {docs} WHERE id = 4}, 'done' ] ] },
	{ what => 'near_duplicate_trigger', before => 'SELECT outcome($$INSERT INTO blue.guarded VALUES (2, point(2))$$)',
		after => [ [ q{INSERT INTO {guarded} VALUES (2, point(2))}, '23505' ], [ q{INSERT INTO {guarded} VALUES (31, point(31))}, 'done' ], [ q{DELETE FROM {guarded} WHERE id = 31}, 'done' ] ] },
	{ what => 'bulk functions', loudless => 1, before => q{SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM blue.docs', max_distance => 2)},
		after => [ [ q{SELECT string_agg(a || '-' || b, ',' ORDER BY a, b) FROM near_duplicate_pairs('SELECT id, {fp} FROM {docs}', max_distance => 2)}, '1-2,1-3,2-3' ],
			[ q{SELECT count(*) FROM near_duplicate_clusters('SELECT id, {fp} FROM {docs}', max_distance => 2)}, '3' ] ] },
	{ what => 'a prepared statement', loudless => 1, before => 'PREPARE q AS SELECT string_agg(id::text, \',\' ORDER BY id) FROM blue.docs WHERE simhash_similar(fp, point(1), 1); EXECUTE q', prepared => 1, after => [] },
);

sub named
{
	my ($text, $rename) = @_;
	my %names = (docs => 'blue.docs', guarded => 'blue.guarded', view => 'blue.docs_clusters', others => 'blue.other_docs', fp => 'fp', %$rename);
	$names{fp} = 'print' if $rename->{what} eq 'column';
	return $text =~ s/\{(\w+)\}/$names{$1}/gr;
}

# The statements after a rename, and what they must print. A prepared statement gives what its text gives now, whatever that is: PostgreSQL looks the names up.
sub afterwards
{
	my ($rename, @order) = @_;
	my (@statements, @expected);
	for my $consumer (@order)
	{
		if ($consumer->{prepared})
		{
			push @statements, "SELECT outcome('EXECUTE q') IS NOT DISTINCT FROM outcome('SELECT string_agg(id::text, '','' ORDER BY id) FROM blue.docs WHERE simhash_similar(fp, point(1), 1)');";
			push @expected, 't';
			next;
		}
		for my $step (@{ $consumer->{after} })
		{
			my $loud = $rename->{loud} && !$consumer->{loudless};
			next if $loud && $step->[0] =~ /\{others\}|\{view\}|^DELETE/; # these do not fire the trigger of the table
			push @statements, 'SELECT outcome($$' . named($step->[0], $rename) . '$$);';
			push @expected, $loud ? $rename->{loud} : $step->[1];
		}
	}
	return (\@statements, \@expected);
}

sub test_rename
{
	my ($server, $rename, $moment, @order) = @_;
	my $name = "$rename->{what}, $moment, first $order[0]{what}";
	$server->safe_psql('rn', "SET client_min_messages = warning; $fixture");
	my $other = sub { my ($sql, $database) = @_; return "\\! PGOPTIONS='-c lock_timeout=10s' psql -X -q -v ON_ERROR_STOP=1 -d \"" . $server->connstr($database) . "\" -c \"$sql\"" };
	my ($before, $after) = @{ $moments{$moment} }{ 'first', 'last' };
	my $database = $rename->{database};
	my ($statements, $expected) = afterwards($rename, @order);
	my @script = (
		'SET search_path = public, ext;', (map { "$_->{before};" } @order), $database ? '\\c postgres' : (), $before,
		$other->($rename->{run}, $database ? 'postgres' : 'rn'),
		$database ? ("\\c $database", 'SET search_path = public, ext;', "$consumers[3]{before};") : (), "\\echo after\n", @$statements, $after);
	if ($rename->{back})
	{
		my ($again, $more) = afterwards({ what => 'back' }, @order);
		push @script, $database ? '\\c postgres' : (), $other->($rename->{back}, $database ? 'postgres' : 'rn');
		if (!$database) { push @script, @$again; push @$expected, @$more }
	}
	my ($result, $out, $err);
	$result = $server->psql('rn', join("\n", @script), on_error_stop => 0, stdout => \$out, stderr => \$err);
	$out =~ s/^.*?^after\n//ms;
	my $wanted = join("\n", @$expected);
	my $right = $result == 0 && $err eq '' && $out eq $wanted;
	ok($right, $name) or diag("wanted:\n$wanted\ngot ($result):\n$out\n$err\nscript:\n" . join("\n", @script));
	$server->safe_psql('rn', 'SET client_min_messages = warning; DROP SCHEMA IF EXISTS blue, green, red CASCADE; DROP TABLE IF EXISTS public.docs, public.guarded, public.docs_clusters_members, public.docs_clusters_sets, public.docs_clusters_links CASCADE');
}

# With `quick` false every consumer is once the first to go on.
sub test_renames
{
	my ($quick) = @_;
	my $server = new_server('renames', conf => "allow_in_place_tablespaces = on\n");
	$server->safe_psql('postgres', $_) for 'CREATE DATABASE rn', "CREATE TABLESPACE rn_space LOCATION ''", 'CREATE ROLE rn_owner', 'CREATE ROLE rn_other';
	$server->safe_psql('rn', "CREATE EXTENSION txtfp; CREATE SCHEMA ext; GRANT ALL ON SCHEMA public, ext TO rn_owner, rn_other; $functions");
	for my $rename (@renames)
	{
		for my $moment (sort keys %moments)
		{
			next if $rename->{database} && $moment ne 'between two statements' || $rename->{blocks} && $moments{$moment}{holds_locks};
			for my $first (0 .. ($quick ? 0 : $#consumers))
			{
				test_rename($server, $rename, $moment, @consumers[ $first .. $#consumers ], @consumers[ 0 .. $first - 1 ]);
			}
		}
	}
	$server->stop;
}

1;

# Tables that change after a trigger, live clusters or an index have learned what they are. Each column of each table involved changes its type, modifier,
# collation, nullability and default, is renamed, dropped and added again, changes places with another; each table changes its owner, its row security, its
# schema, becomes a partition or a child. A session that has used everything before goes on: in the same transaction, or as a writer that was waiting for
# the lock. What it does must be an error or right: no crash, no internal error (XX000).
#
#   TXTFP_CHANGES  number of changes in the same transaction, and while a writer waits, "500 100"; 0: all
#   TXTFP_SEED     of the random numbers (default 1), which choose where not all changes are made
package Shapes;

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(shuffle);
use State ();
use TxtfpTest;
use Time::HiRes qw(sleep);
use Test::More;

our @EXPORT = qw(test_shapes);

my $fixture = q{
	DROP SCHEMA IF EXISTS shapes CASCADE;
	DROP SCHEMA IF EXISTS elsewhere CASCADE;
	CREATE SCHEMA shapes AUTHORIZATION sh_owner;
	CREATE SCHEMA elsewhere AUTHORIZATION sh_owner;
	GRANT ALL ON SCHEMA shapes, elsewhere TO sh_other;
	SET ROLE sh_owner;
	SET search_path = shapes, public;
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT rpad(repeat('1', n), 64, '0')::bit(64)::public.simhash64$$;
	CREATE FUNCTION words(n int) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS $$SELECT public.to_minhash128(ARRAY['a', 'b', 'c', 'd', 'e', 'x' || n])$$;
	CREATE TABLE known (id text, fp simhash64, meaning minhash128, hits int DEFAULT 0, last timestamptz);
	CREATE TABLE guarded (id text PRIMARY KEY, body text, fp simhash64, meaning minhash128, dup text, how float8, tenant int DEFAULT 1);
	CREATE TABLE counted (id text PRIMARY KEY, fp simhash64, hits int DEFAULT 0, last timestamptz);
	CREATE TABLE merged (id text PRIMARY KEY, fp simhash64, note varchar(20));
	CREATE TABLE guards (a text, b text);
	CREATE TABLE said (id text PRIMARY KEY, body text, fp simhash64, hits int DEFAULT 0);
	CREATE TABLE said_log (action text, outcome text, reason text, kept text, similarity float8, jaccard float8, containment float8, score float8, new_row jsonb);
	CREATE TABLE answers (id text, answer varchar, fp simhash64);
	CREATE INDEX ON guarded USING sketch (fp);
	CREATE INDEX ON guarded USING sketch (tenant, meaning);
	CREATE INDEX ON known USING gin (fp);
	CREATE FUNCTION keep(kept merged, added merged, similarity float8) RETURNS merged LANGUAGE sql AS 'SELECT kept.id, added.fp, added.note';
	CREATE TRIGGER a_fp BEFORE INSERT ON guarded FOR EACH ROW WHEN (NEW.body IS NOT NULL) EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
	CREATE TRIGGER b_known BEFORE INSERT ON guarded FOR EACH ROW WHEN (NEW.id LIKE 'k%') EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=dup', 'similarity=how', 'against=shapes.known', 'max_distance=2');
	CREATE TRIGGER c_own BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW WHEN (NEW.id LIKE 'o%') EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:2, meaning:0.8', 'flag', 'match=any', 'column=dup', 'within=tenant', 'apart=shapes.guards');
	CREATE TRIGGER near_dup BEFORE INSERT ON counted FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=hits', 'last=last', 'against=shapes.known', 'max_distance=2');
	CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON merged FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=shapes.keep', 'max_distance=2');
	CREATE TRIGGER near_dup BEFORE INSERT OR UPDATE ON said FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=hits', 'max_distance=2', 'text=body', 'verify=lossless', 'guard=strict', 'on_update=delete', 'log=shapes.said_log');
	CREATE TRIGGER near_dup BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'max_distance=2', 'text=answer', 'verify=none', 'guard=scope', 'against=shapes.said', 'against_text=body', 'log=shapes.said_log');
	INSERT INTO known SELECT n::text, point(n), words(n) FROM generate_series(5, 50, 15) AS n;
	CREATE TABLE docs (id text COLLATE "C" PRIMARY KEY, fp minhash128, p int, body text);
	CREATE INDEX ON docs USING sketch (fp);
	CREATE TABLE apart (a text COLLATE "C", b text COLLATE "C");
	CREATE TABLE together (a text COLLATE "C", b text COLLATE "C");
	CALL live_clusters_create('docs', 'id', 'fp', 0.5, mode => 'star', priority => 'p', text => 'body', events => true, apart => 'apart', together => 'together');
	CREATE TABLE points (id int PRIMARY KEY, fp simhash64, body varchar(20) DEFAULT 'the same text');
	CREATE INDEX ON points USING sketch (fp);
	CALL live_clusters_create('points', 'id', 'fp', max_distance => 2, text => 'body', verify => 'lossless', guard => 'strict');
	-- so that the columns below the views may be altered: the triggers name the views
	CREATE OR REPLACE VIEW docs_clusters AS SELECT NULL::text COLLATE "C" AS id, NULL::text COLLATE "C" AS cluster, NULL::bigint AS size, NULL::float8 AS similarity, NULL::float8 AS jaccard,
		NULL::float8 AS containment, NULL::timestamptz AS since, NULL::bigint AS number;
	CREATE OR REPLACE VIEW points_clusters AS SELECT NULL::int AS id, NULL::int AS cluster, NULL::bigint AS size, NULL::bigint AS number;
	RESET ROLE;
	GRANT ALL ON ALL TABLES IN SCHEMA shapes TO sh_other;
};

my @operations = (
	q{INSERT INTO guarded (id, fp, meaning) VALUES ('k1', point(6), words(1)), ('k2', point(60), words(2))},
	q{INSERT INTO guarded (id, fp, meaning) VALUES ('o1', point(6), words(3)), ('o2', point(7), words(3)), ('o3', point(60), words(2))},
	q{INSERT INTO guarded (id, body) VALUES ('k3', 'some words of a text')},
	q{UPDATE guarded SET meaning = words(3) WHERE id = 'o3'},
	q{INSERT INTO counted (id, fp) VALUES ('c1', point(6)), ('c2', point(60))},
	q{INSERT INTO merged VALUES ('m1', point(6), 'one'), ('m2', point(7), 'two'), ('m3', point(60), 'three')},
	q{UPDATE merged SET fp = point(61) WHERE id = 'm1'},
	q{INSERT INTO said VALUES ('s1', 'dogs are permitted', point(6)), ('s2', 'dogs are not permitted', point(6)), ('s3', 'DOGS are permitted', point(7)), ('s4', 'cats', point(60))},
	q{UPDATE said SET body = 'Dogs are permitted' WHERE id = 's2'},
	q{INSERT INTO answers VALUES ('a1', 'dogs are never permitted', point(6)), ('a2', 'DOGS are permitted', point(7))},
	q{UPDATE points SET body = 'another text' WHERE id = 2},
	q{INSERT INTO docs SELECT i::text, words(i / 2), i, 'a b c d ' || i / 2 FROM generate_series(1, 6) AS i},
	q{INSERT INTO docs VALUES ('n', words(1), 7, 'x y')},
	q{UPDATE docs SET fp = words(9), p = p + 1 WHERE id = '2'},
	q{DELETE FROM docs WHERE id = '3'},
	q{INSERT INTO apart VALUES ('1', 'n')}, q{INSERT INTO together VALUES ('4', '5')}, q{UPDATE apart SET a = '4'}, q{DELETE FROM apart}, q{DELETE FROM together},
	q{SELECT FROM live_clusters_kept('docs', '5'::text)}, q{SELECT FROM live_clusters_check('docs')}, q{CALL live_clusters_fill('docs', again => true)},
	q{INSERT INTO points (id, fp) SELECT i, point(i) FROM generate_series(1, 12) AS i WHERE i <> 7},
	q{DELETE FROM points WHERE id = 4}, q{SELECT FROM live_clusters_check('points')}, q{CALL live_clusters_fill('points', 1)},
	q{SELECT FROM near_duplicate_pairs('SELECT id, fp FROM shapes.points', 2) AS pair},
	q{SELECT FROM diverse_rows('SELECT id, fp FROM shapes.points ORDER BY id', 3, max_distance => 2)}, q{SELECT FROM deduplicate_passages('SELECT id, body FROM shapes.points', 'line', 1)},
	q{SELECT FROM deduplicate('SELECT id, fp, body FROM shapes.points', max_distance => 2, verify => 'lossless', signals => true)},
	q{SELECT FROM docs_clusters},
	q{TRUNCATE points},
);

# ---- what is changed

# The changes of a column that another session can make. The owner of the table may do all of this.
sub column_changes
{
	my ($table, $column, $type, $other) = @_;
	my $any = $type =~ /^text/ ? "'1'" : $type =~ /hash/ ? 'NULL' : $type eq 'boolean' ? 'true' : $type =~ /time/ ? 'now()' : '1';
	my @changes = map { "ALTER TABLE $table ALTER $column TYPE $_->[0] USING $_->[1]" } grep { $_->[0] ne $type } (
		[ 'text', "'1'" ], [ 'bigint', '12345' ], [ 'integer', '1' ], [ 'bytea', q{'\x31'} ], [ 'varchar(3)', q{'1'} ], [ 'char(8)', q{'1'} ], [ 'double precision', '1' ], [ 'numeric(5,2)', '1' ],
		[ 'public.simhash64', 'shapes.point(3)' ], [ 'public.minhash128', 'shapes.words(3)' ], [ 'public.minhash64', 'NULL' ], [ 'uuid', 'NULL' ], [ 'boolean', 'true' ], [ 'public.sh_text', q{'1'} ], [ 'public.sh_int', '1' ],
		[ 'public.sh_point', 'shapes.point(3)' ], [ 'jsonb', q{'1'} ], [ 'text[]', q{'{1}'} ]);
	push @changes, map { "ALTER TABLE $table ALTER $column TYPE text COLLATE $_ USING $column" } '"C"', '"POSIX"', 'public.sh_folded' if $type eq 'text';
	push @changes, "ALTER TABLE $table ALTER $column DROP NOT NULL", "ALTER TABLE $table ALTER $column SET NOT NULL", "ALTER TABLE $table ALTER $column SET DEFAULT $any",
	  "ALTER TABLE $table DROP COLUMN $column CASCADE", "ALTER TABLE $table DROP COLUMN $column CASCADE, ADD COLUMN $column $type", "ALTER TABLE $table RENAME $column TO another",
	  "ALTER TABLE $table RENAME $column TO another; ALTER TABLE $table ADD COLUMN $column $type", "ALTER TABLE $table ALTER $column SET STORAGE PLAIN",
	  "ALTER TABLE $table DROP COLUMN $column CASCADE, ADD COLUMN $column $type GENERATED ALWAYS AS (NULL) STORED";
	push @changes, "ALTER TABLE $table RENAME $column TO another; ALTER TABLE $table RENAME $other TO $column; ALTER TABLE $table RENAME another TO $other" if defined $other;
	return @changes;
}

sub table_changes
{
	my ($table) = @_;
	my $name = $table =~ s/.*\.//r;
	return (
		"ALTER TABLE $table OWNER TO sh_other", "ALTER TABLE $table ENABLE ROW LEVEL SECURITY", "ALTER TABLE $table FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY", "ALTER TABLE $table SET SCHEMA elsewhere",
		"ALTER TABLE $table SET UNLOGGED", "ALTER TABLE $table RENAME TO $name\_1", "ALTER TABLE $table RENAME TO $name\_1; CREATE TABLE $table (LIKE shapes.$name\_1 INCLUDING ALL)",
		"CREATE TABLE shapes.child () INHERITS ($table)", "CREATE TABLE shapes.parent (LIKE $table); ALTER TABLE $table INHERIT shapes.parent",
		"CREATE TABLE shapes.whole (LIKE $table) PARTITION BY RANGE ((1)); ALTER TABLE shapes.whole ATTACH PARTITION $table DEFAULT", "ALTER TABLE $table DISABLE TRIGGER USER", "DROP TABLE $table CASCADE",
		"ALTER TABLE $table RENAME TO $name\_1; CREATE VIEW $table AS SELECT * FROM shapes.$name\_1", 'ALTER SCHEMA shapes RENAME TO hidden',
		"CREATE RULE instead AS ON INSERT TO $table DO INSTEAD NOTHING", "CREATE RULE also AS ON DELETE TO $table DO INSTEAD NOTHING");
}

sub all_changes
{
	my ($server) = @_;
	my %columns;
	for (split /\n/, $server->safe_psql('postgres', q{SELECT 'shapes.' || relname, attname, format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
		WHERE relnamespace = 'shapes'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped ORDER BY 1, attnum}))
	{
		my ($table, $column, $type) = split /\|/;
		push @{ $columns{$table} }, [ $column, $type =~ /hash/ ? "public.$type" : $type ];
	}
	my @changes;
	for my $table (sort keys %columns)
	{
		my @of = @{ $columns{$table} };
		for my $i (0 .. $#of)
		{
			push @changes, column_changes($table, @{ $of[$i] }, @of > 1 ? $of[ ($i + 1) % @of ][0] : undef);
		}
		push @changes, table_changes($table);
	}
	return @changes;
}

# ---- sessions

sub new_session
{
	my ($server, $name) = @_;
	my $session = { in => '', out => '', err => '', n => 0 };
	$session->{process} = IPC::Run::start([ 'psql', '-XqAt', '-v', 'VERBOSITY=sqlstate', '-d', $server->connstr('postgres') . " application_name=$name" ],
		'<', \$session->{in}, '>', \$session->{out}, '2>', \$session->{err}, IPC::Run::timer(300));
	return $session;
}

sub send_to { my ($session, $sql) = @_; $session->{out} = ''; ++$session->{n}; $session->{in} .= "$sql;\n\\echo done $session->{n}\n"; return }

sub is_done
{
	my ($session) = @_;
	eval { $session->{process}->pump_nb; 1 } or return 1;
	return $session->{out} =~ /done $session->{n}\n/ || !$session->{process}->pumpable;
}

sub answer
{
	my ($session) = @_;
	sleep 0.001 until is_done($session);
	return $session->{out} =~ s/done $session->{n}\n//r;
}

sub ask { my ($session, $sql) = @_; send_to($session, $sql); return answer($session) }

my $context = 'SET client_min_messages = error; SET search_path = shapes, public; SET jit = off; SET statement_timeout = \'60s\'';

# The outcomes that are wrong: none, internal errors, time that is up. A message of PostgreSQL that needs no table of ours is none of these.
sub wrong
{
	my ($what, $outcomes, @statements) = @_;
	my @results = split ' ', $outcomes;
	return "$what: no answer, the server has crashed" if @results != @statements;
	return map { "$what: $statements[$_]: $results[$_]" } grep { $results[$_] =~ /^(XX00[02]|57014)/ } 0 .. $#results;
}

sub count_states { my ($states, $outcomes) = @_; ++$states->{$_} for $outcomes =~ /(\w{5}):/g; return }

sub test_shapes
{
	my ($sequential, $waiting) = defined $ENV{TXTFP_CHANGES} ? split(' ', $ENV{TXTFP_CHANGES}) : @_;    # numbers of changes; 0: all
	my $seed = $ENV{TXTFP_SEED} // 1;
	srand $seed;
	my $server = new_server('shapes', conf => "log_error_verbosity = verbose\nfsync = off\nrestart_after_crash = on\n");
	$server->safe_psql('postgres', q{
		CREATE ROLE sh_owner; CREATE ROLE sh_other; GRANT sh_other TO sh_owner; GRANT CREATE ON DATABASE postgres TO sh_owner;
		CREATE DOMAIN sh_text AS text; CREATE DOMAIN sh_int AS int; CREATE DOMAIN sh_point AS simhash64; CREATE COLLATION sh_folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		} . State::outcomes_function());
	$server->safe_psql('postgres', "SET client_min_messages = error; $fixture");
	my @changes = all_changes($server);
	my $all = @changes;
	my %states;

	# in the same transaction
	my @chosen = $sequential ? (shuffle @changes)[ 0 .. $sequential - 1 ] : @changes;
	my ($session, $made, @wrong) = (undef, 0);
	for my $change (@chosen)
	{
		if (!defined $session)
		{
			$session = new_session($server, 'goes_on');
			ask($session, $context);
			ask($session, 'SELECT outcomes(' . State::quoted(@operations) . ')');
		}
		my @statements = ($change, @operations);
		my $outcomes = ask($session, 'SELECT outcomes(' . State::quoted(@statements) . ')');
		++$made if $outcomes =~ /^00000/;
		count_states(\%states, $outcomes);
		my @found = wrong($change, $outcomes, @statements);
		push @wrong, @found;
		$session = undef if grep { /crashed/ } @found;
		sleep 1, wait_until($server, 'SELECT true') if !defined $session;
	}
	is(scalar @wrong, 0, scalar(@chosen) . " of $all changes, $made of them made: no crash and no internal error") or diag join "\n", @wrong[ 0 .. ($#wrong > 19 ? 19 : $#wrong) ];
	$session->{process}->kill_kill if defined $session;

	# while a writer waits
	@chosen = $waiting ? (shuffle @changes)[ 0 .. $waiting - 1 ] : @changes;
	my ($writer, $other, $waited) = (undef, new_session($server, 'changes'), 0);
	@wrong = ();
	for my $change (@chosen)
	{
		if (!defined $writer)
		{
			$writer = new_session($server, 'writer');
			ask($writer, $context);
		}
		ask($other, "SET client_min_messages = error; $fixture; RESET search_path");
		ask($writer, 'SELECT outcomes(' . State::quoted(@operations) . ')');    # what it learns
		ask($other, "BEGIN; $change");
		my $first = int rand @operations;
		my @statements = @operations[ $first .. $#operations, 0 .. $first - 1 ];
		send_to($writer, 'SELECT outcomes(' . State::quoted(@statements) . ')');
		for (1 .. 400)
		{
			last if is_done($writer);
			if (ask($other, "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE application_name = 'writer' AND wait_event_type = 'Lock'") =~ /1/)
			{
				++$waited;
				last;
			}
			sleep 0.005;
		}
		ask($other, 'COMMIT; DROP SCHEMA IF EXISTS hidden CASCADE');
		my $outcomes = answer($writer);
		count_states(\%states, $outcomes);
		my @found = wrong("while a writer waits, $change", $outcomes, @statements);
		push @wrong, @found;
		if (grep { /crashed/ } @found)
		{
			wait_until($server, 'SELECT true');
			($writer, $other) = (undef, new_session($server, 'changes'));
		}
	}
	is(scalar @wrong, 0, scalar(@chosen) . " of $all changes, the writer waited $waited times: no crash and no internal error") or diag join "\n", @wrong[ 0 .. ($#wrong > 19 ? 19 : $#wrong) ];
	$_->{process}->kill_kill for grep { defined } $writer, $other;
	note "seed $seed; SQLSTATEs: " . join ', ', map { "$_ $states{$_}" } sort keys %states;
	$server->stop;
	return;
}

1;

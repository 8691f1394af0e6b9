# Random states of live clusters. Their tables belong to whoever owns the clustered table, who may write anything into them. In each state some values of
# some columns are others, rows are missing or doubled; then rows and pairs are written, and the clusters are filled again and checked. Whatever is read
# must be an error or harmless: no crash, no internal error (XX000). Before the writes, live_clusters_check must have noticed what was changed.
#
#   TXTFP_STATES  number of states
#   TXTFP_SEED    of the random numbers (default 1)
package State;

use strict;
use warnings;

use Exporter 'import';
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(test_states);

sub one_of { return $_[ int rand @_ ] }

# Keys of 1, 2, …; the types of ids that clusters take.
my %keys = (
	integer => sub { $_[0] }, bigint => sub { 5_000_000_000 + $_[0] },
	uuid => sub { sprintf "'%08x-0000-0000-0000-000000000000'", $_[0] }, text => sub { "'row $_[0]'" });
my %key_of_number = (
	integer => 'n::int', bigint => '5000000000 + n', uuid => q{(lpad(to_hex(n), 8, '0') || '-0000-0000-0000-000000000000')::uuid}, text => q{'row ' || n});

# ---- the fixture: chains of points, each a SimHash in unary, and one long chain

# Runs statements, each in a subtransaction of its own, and undoes all of them. Returns their SQLSTATEs, and the number of rows or the message.
sub outcomes_function
{
	return q{
	CREATE FUNCTION outcomes(statements text[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text := '';
		one text;
		n bigint;
	BEGIN
		BEGIN
			FOREACH one IN ARRAY statements LOOP
				BEGIN
					EXECUTE one;
					GET DIAGNOSTICS n = ROW_COUNT;
					result := result || '00000:' || n || ' ';
				EXCEPTION WHEN OTHERS THEN
					result := result || SQLSTATE || ':' || translate(SQLERRM, E' :\n', '___') || ' ';
				END;
			END LOOP;
			RAISE SQLSTATE 'TX000';
		EXCEPTION WHEN SQLSTATE 'TX000' THEN
			RETURN result;
		END;
	END $$;
	};
}

my $functions = outcomes_function() . q{
	CREATE FUNCTION point(n int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS $$SELECT rpad(repeat('1', n), 64, '0')::bit(64)::simhash64$$;

	-- What live_clusters_check compares, in one value.
	CREATE FUNCTION digest() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text;
	BEGIN
		EXECUTE (SELECT format('SELECT md5(concat((SELECT string_agg(m::text, '';'' ORDER BY m::text) FROM (SELECT id, cluster, priority, %s FROM docs_clusters_members AS m) AS m), ''|'','
			|| ' (SELECT string_agg(s::text, '';'' ORDER BY s::text) FROM (SELECT cluster, first, priority, size FROM docs_clusters_sets) AS s), ''|'', (SELECT count(*) FROM docs_clusters_links)))',
			CASE WHEN to_regclass('docs_clusters_history') IS NULL THEN 'NULLIF(kept, (SELECT min(first) FROM docs_clusters_sets AS s WHERE s.cluster = m.cluster))' ELSE 'kept, similarity' END)) INTO result;
		RETURN result;
	END $$;
	CREATE FUNCTION unchanged(before text) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		IF digest() IS NOT DISTINCT FROM before THEN RAISE EXCEPTION 'nothing has changed'; END IF;
		RETURN false;
	END $$;
};

sub fixture
{
	my (%of) = @_;
	my $key = $of{key};
	my $column = $key eq 'text' ? 'text COLLATE "C"' : $key;
	my $fp = $of{type} eq 'simhash64' ? 'point(n * 3)' : q{to_minhash128(ARRAY['a', 'b', 'c', 'd', 'e', 'x' || n / 2, 'y' || n / 3])};
	my $sql = qq{
		DROP SCHEMA IF EXISTS states CASCADE;
		CREATE SCHEMA states;
		SET search_path = states, public;
		$functions
		CREATE TABLE docs (id $column PRIMARY KEY, fp $of{type}, p int, body text);
		CREATE INDEX ON docs USING sketch (fp);
		CREATE TABLE apart (a $column, b $column);
		CREATE TABLE together (a $column, b $column);
		CALL live_clusters_create('docs', 'id', 'fp', mode => '$of{mode}', priority => 'p', text => 'body', events => $of{events},
			@{[ $of{type} eq 'simhash64' ? 'max_distance => 3' : 'threshold => 0.5' ]} @{[ $of{pairs} ? ", apart => 'apart', together => 'together'" : '' ]});
		INSERT INTO docs SELECT $key_of_number{$key}, $fp, n % 4, 'words of row ' || n / 2 FROM generate_series(1, 16) AS n WHERE n NOT IN (6, 11);
	};
	$sql .= "INSERT INTO apart VALUES (" . $keys{$key}->(2) . ', ' . $keys{$key}->(4) . "); INSERT INTO together VALUES (" . $keys{$key}->(5) . ', ' . $keys{$key}->(13) . ");" if $of{pairs};
	# without constraints more can be written into the tables
	$sql .= q{
		DO $$
		DECLARE what record;
		BEGIN
			FOR what IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE conrelid::regclass::text ~ '^docs_clusters_' AND contype = 'p' LOOP
				EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', what.t, what.conname);
			END LOOP;
			FOR what IN SELECT attrelid::regclass AS t, attname FROM pg_attribute WHERE attrelid::regclass::text ~ '^docs_clusters_(members|sets|links|history|events)$' AND attnotnull AND attnum > 0 AND attidentity = '' LOOP
				EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', what.t, what.attname);
			END LOOP;
			CREATE INDEX ON docs_clusters_members (id);
			CREATE INDEX ON docs_clusters_sets (cluster);
		END $$;
	} if $of{loose};
	$sql .= 'ALTER TABLE docs DROP CONSTRAINT docs_pkey; ALTER TABLE docs ALTER id DROP NOT NULL; CREATE INDEX ON docs (id);' if $of{doubled};
	return $sql;
}

# ---- what is changed

my %values = (
	bigint => [ 'NULL', -1, 0, 1, 2, 3, 5, 100, '9223372036854775807', '-9223372036854775808', '(SELECT max(cluster) FROM docs_clusters_sets)', 'floor(random() * 8)::int' ],
	'double precision' => [ 'NULL', "'NaN'", "'Infinity'", "'-Infinity'", 0, 1, 2, 'random()', '1e308', '-1e308' ],
	boolean => [ 'NULL', 'true', 'false' ],
	'timestamp with time zone' => [ "'infinity'", "'-infinity'", 'now()', 'NULL' ],
	xid8 => [ "'0'", "'18446744073709551615'" ],
	text => [ "''", "'what'", 'NULL' ],
);

sub damage
{
	my ($of, @columns) = @_;
	my ($table, $column, $type) = @{ one_of(@columns) };
	my $where = one_of('', 'WHERE random() < 0.5', 'WHERE random() < 0.2', 'WHERE ctid = (SELECT ctid FROM ' . $table . ' ORDER BY random() LIMIT 1)');
	my $kind = int rand 10;
	return "DELETE FROM $table $where" if $kind == 0;
	return "INSERT INTO $table SELECT * FROM $table $where" if $kind == 1;
	return "UPDATE $table AS t SET $column = (SELECT o.$column FROM $table AS o ORDER BY random() LIMIT 1) $where" if $kind <= 3;
	my $is_key = $column =~ /^(id|a|b|first|kept|kept_before)$/;
	my $value = $is_key ? one_of('NULL', map { $keys{ $of->{key} }->($_) } 1 .. 16, 99) : one_of(@{ $values{$type} // ['NULL'] });
	return "UPDATE $table SET $column = $value $where";
}

# ---- what follows

sub operation
{
	my ($of) = @_;
	my $id = $keys{ $of->{key} }->(1 + int rand 18);
	my $other = $keys{ $of->{key} }->(1 + int rand 18);
	my $fp = $of->{type} eq 'simhash64' ? 'point(' . int(rand 60) . ')' : "to_minhash128(ARRAY['a', 'b', 'c', 'd', 'e', 'x" . int(rand 8) . "', 'y" . int(rand 5) . "'])";
	my @operations = (
		"INSERT INTO docs VALUES ($id, $fp, " . int(rand 5) . ", 'other words')", "UPDATE docs SET fp = $fp WHERE id = $id", "DELETE FROM docs WHERE id = $id",
		"DELETE FROM docs WHERE random() < 0.3", "UPDATE docs SET p = " . int(rand 5) . " WHERE id = $id", "UPDATE docs SET p = p + 1 WHERE random() < 0.3",
		"UPDATE docs SET fp = NULL WHERE id = $id", "UPDATE docs SET id = $other WHERE id = $id",
		"CALL live_clusters_fill('docs', again => true)", "CALL live_clusters_fill('docs', " . one_of(1, 5) . ")", "SELECT FROM live_clusters_check('docs')",
		"SELECT FROM live_clusters_kept('docs', $id" . ($of->{key} eq 'text' || $of->{key} eq 'uuid' ? "::$of->{key}" : '') . ")", 'SELECT FROM docs_clusters');
	push @operations, "INSERT INTO apart VALUES ($id, $other)", "INSERT INTO together VALUES ($id, $other)", 'DELETE FROM apart', 'DELETE FROM together', "UPDATE together SET a = $id" if $of->{pairs};
	push @operations, "INSERT INTO docs SELECT * FROM docs WHERE random() < 0.2" if $of->{doubled};
	return one_of(@operations);
}

sub quoted { my $text = join ', ', map { my $s = $_; $s =~ s/'/''/g; "'$s'" } @_; return "ARRAY[$text]" }

sub test_states
{
	my ($count) = @_;
	$count = $ENV{TXTFP_STATES} // $count;
	my $seed = $ENV{TXTFP_SEED} // 1;
	my $server = new_server('state', conf => "log_error_verbosity = verbose\nfsync = off\nrestart_after_crash = on\n");

	my @fixtures;
	for my $mode ('components', 'star')
	{
		push @fixtures, { key => $_, mode => $mode, pairs => 0, type => $_ eq 'bigint' ? 'minhash128' : 'simhash64' }, { key => $_, mode => $mode, pairs => 1, type => $_ eq 'uuid' ? 'minhash128' : 'simhash64' } for sort keys %keys;
	}
	@$_{qw(events loose doubled)} = () for @fixtures;
	my ($n, %states, @wrong, @unnoticed) = (0);
	srand $seed;
	for my $i (0 .. $#fixtures)
	{
		my $of = $fixtures[$i];
		$of->{events}  = one_of('true', 'false');
		$of->{loose}   = $i % 3 != 0;
		$of->{doubled} = $i % 4 == 1;
		my $what = join ' ', map { "$_=" . ($of->{$_} || 0) } sort keys %$of;
		$server->safe_psql('postgres', 'SET client_min_messages = error; ' . fixture(%$of));
		my @columns = map { [ split /\|/ ] } split /\n/, $server->safe_psql('postgres', q{
			SELECT attrelid::regclass, attname, format_type(atttypid, NULL) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
			WHERE relname ~ '^docs_clusters_' AND relkind = 'r' AND attnum > 0 AND relname !~ 'history|events' UNION ALL
			SELECT attrelid::regclass, attname, format_type(atttypid, NULL) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
			WHERE relname ~ '^docs_clusters_history' AND attnum > 0 ORDER BY 1, 2} =~ s/attrelid::regclass/"'states.' || relname"/ger =~ s/"//gr);
		my $here = int($count * ($i + 1) / @fixtures) - int($count * $i / @fixtures);
		my @scripts;
		for my $state (1 .. $here)
		{
			my @damage = map { damage($of, @columns) } 1 .. 1 + int rand 3;
			my @operations = map { operation($of) } 1 .. 2 + int rand 6;
			push @scripts, [ $#damage, int(rand 1000) / 1000, @damage, q{SELECT unchanged(current_setting('states.digest'))}, q{SELECT FROM live_clusters_check('docs')}, @operations ];
		}
		while (@scripts)
		{
			my $script = "SET search_path = states, public; SET client_min_messages = error; SET statement_timeout = '60s'; SELECT set_config('states.digest', digest(), false);\n";
			$script .= "SELECT setseed($_->[1]) IS NULL;\nSELECT 'S ' || outcomes(" . quoted(@$_[ 2 .. $#$_ ]) . ");\n" for @scripts;
			my ($status, $out) = $server->psql('postgres', $script, on_error_stop => 0);
			my @outcomes = grep { /^S / } split /\n/, $out;
			$n += @outcomes;
			for my $outcome (@outcomes)
			{
				my (undef, @results) = split ' ', $outcome;
				my ($last, undef, @statements) = @{ shift @scripts };
				for my $j (0 .. $#results)
				{
					my ($sqlstate) = $results[$j] =~ /^(\w+)/;
					++$states{$sqlstate} unless $j == $last + 1;
					push @wrong, "$what: $results[$j]\n\t" . join ";\n\t", @statements[ 0 .. $j ] if $sqlstate =~ /^XX00[02]|^57014/;
				}
				push @unnoticed, "$what:\n\t" . join ";\n\t", @statements[ 0 .. $last ] if $results[ $last + 1 ] =~ /^00000/ && $results[ $last + 2 ] eq '00000:0';
			}
			if (my $crashed = shift @scripts)
			{
				++$n;
				push @wrong, "$what: the server has crashed\n\t" . join ";\n\t", @$crashed[ 2 .. $#$crashed ];
				wait_until($server, 'SELECT true');
			}
		}
	}
	$server->stop;
	note "$n states, seed $seed; SQLSTATEs: " . join ', ', map { "$_ $states{$_}" } sort keys %states;
	is($n, $count, "$n states");
	is(scalar @wrong, 0, 'no crash and no internal error') or diag join "\n", @wrong[ 0 .. ($#wrong > 9 ? 9 : $#wrong) ];
	is(scalar @unnoticed, 0, 'live_clusters_check notices each change') or diag join "\n", scalar(@unnoticed), @unnoticed[ 0 .. ($#unnoticed > 9 ? 9 : $#unnoticed) ];
	return;
}

1;

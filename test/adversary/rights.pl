# The rights matrix: executes every cell of the tables in docs/rights.md, each in a session and a transaction of its own.
#
#   TXTFP_RIGHTS=print  prints the tables as the server answers, instead of comparing
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use IPC::Run ();
use TxtfpTest;
use Test::More;

my $print  = ($ENV{TXTFP_RIGHTS} // '') eq 'print';
my $server = new_server('rights', conf => "max_prepared_transactions = 5\n");
my @roles  = qw(owner writer reader editor stranger superuser);

# ---- the tables: {first cell of the header}{row}{column} = cell; the first cell names one row, or several with "; " between them

my %expected;
{
	open my $page, '<:encoding(UTF-8)', "$FindBin::RealBin/../../docs/rights.md" or die "docs/rights.md: $!";
	my ($table, @columns);
	while (<$page>)
	{
		next if /^\|---/;
		if (!/^\| (.*) \|$/) { $table = undef; next }
		my ($first, @cells) = split / \| /, $1;
		if (!defined $table) { ($table, @columns) = ($first, @cells) }
		else
		{
			for my $row (split /; /, $first) { $expected{$table}{$row}{ $columns[$_] } = $cells[$_] for 0 .. $#columns }
		}
	}
}

# ---- running

# Runs statements and returns what happened: the SQLSTATE of the first error, or the last line of output.
sub outcome
{
	my (@statements) = @_;
	IPC::Run::run([ 'psql', '-XAt', '-v', 'VERBOSITY=verbose', '-v', 'ON_ERROR_STOP=1', '-d', $server->connstr('postgres'), map { ('-c', $_) } @statements ], '<', \'', '>', \my $out, '2>', \my $err);
	if ($err =~ /^ERROR: +([0-9A-Z]{5}): (.*)/m)
	{
		my ($state, $message) = ($1, $2);
		diag("$state: $message") if $state =~ /^(XX|42601|42703|42883)/;
		return $message !~ /violates near-duplicate check/ ? $state : $err =~ /^DETAIL/m ? 'named' : 'hidden';
	}
	return $err =~ /server closed|terminat/ ? 'crash' : (split /\n/, $out)[-1] // '';
}

# Compares the cells of a row; `ask` is called for each column and returns what happened.
sub row
{
	my ($table, $row, $columns, $ask) = @_;
	my %found = map { $_ => $ask->($_) } @$columns;
	if ($print)
	{
		diag("| $row | ", join(' | ', map { $found{$_} } @$columns), ' |');
		return;
	}
	my $cells = delete $expected{$table}{$row};
	ok(defined $cells, "docs/rights.md has a row \"$row\"") or return;
	is($found{$_}, $cells->{$_}, "$row: $_") for @$columns;
}

# "a / b / c", or "a" if all are the same
sub together
{
	my (@values) = @_;
	return (grep { $_ ne $values[0] } @values) ? join(' / ', @values) : $values[0];
}

my $socket = $server->host;
my $port   = $server->port;
$server->safe_psql('postgres', qq{
	CREATE EXTENSION postgres_fdw;
	CREATE ROLE owner; CREATE ROLE writer; CREATE ROLE reader; CREATE ROLE editor; CREATE ROLE stranger; CREATE ROLE superuser SUPERUSER; CREATE ROLE protector;
	CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$socket', port '$port', dbname 'postgres');
	CREATE USER MAPPING FOR public SERVER here OPTIONS (user 'postgres', password_required 'false');
	GRANT USAGE ON FOREIGN SERVER here TO owner, protector;
	CREATE FUNCTION words(text) RETURNS minhash128 LANGUAGE sql IMMUTABLE AS \$\$SELECT public.to_minhash128(\$1, 'word-uax29')\$\$;
	CREATE SCHEMA s AUTHORIZATION owner; GRANT USAGE ON SCHEMA s TO public;
	CREATE SCHEMA p AUTHORIZATION protector; GRANT USAGE ON SCHEMA p TO public;
	GRANT CREATE ON SCHEMA s, p TO owner, protector;
	CREATE TABLE log (role name); GRANT INSERT, SELECT ON log TO public;
	CREATE FUNCTION spy() RETURNS bool LANGUAGE plpgsql AS \$\$BEGIN INSERT INTO public.log VALUES (current_user); RETURN true; END\$\$;
	CREATE FUNCTION quiet_spy(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS \$\$BEGIN RETURN public.spy(); END\$\$});

# ---- a table, with and without row security

my %table;    # {kind}{row security} = [table to be used, its index]
my $columns = '(id int, tenant text, fp minhash128, near int, how float8, more minhash128)';
for my $security ('none', 'enabled', 'forced')
{
	for my $kind ('table', 'partitioned', 'partition')
	{
		my ($name, $sql) = ("s.${kind}_$security", '');
		if ($kind eq 'table')
		{
			$sql = "CREATE TABLE $name $columns; CREATE INDEX ${kind}_${security}_fp ON $name USING sketch (fp);";
		}
		else
		{
			$sql = "CREATE TABLE $name $columns PARTITION BY RANGE (id); CREATE TABLE ${name}_1 PARTITION OF $name DEFAULT; CREATE INDEX ${kind}_${security}_fp ON ${name}_1 USING sketch (fp);";
		}
		my @tables = $kind eq 'table' ? $name : ($name, "${name}_1");
		for my $table (@tables)
		{
			$sql .= "GRANT INSERT ON $table TO writer; GRANT SELECT ON $table TO reader; GRANT INSERT, SELECT ON $table TO editor;";
			$sql .= "ALTER TABLE $table ENABLE ROW LEVEL SECURITY; CREATE POLICY visible ON $table USING (id >= 10) WITH CHECK (id >= 10);" if $security ne 'none';
			$sql .= "ALTER TABLE $table FORCE ROW LEVEL SECURITY;" if $security eq 'forced';
		}
		$server->safe_psql('postgres', qq{SET ROLE owner; $sql RESET ROLE;
			INSERT INTO $name (id, tenant, fp) VALUES (1, 'a', words('the text of a hidden row')), (2, 'a', words('the text of a hidden row')),
				(10, 'a', words('what everybody may see')), (12, 'a', words('what everybody may see'))});
		$table{$kind}{$security} = [ $kind eq 'partition' ? $tables[1] : $name, "s.${kind}_${security}_fp" ];
	}
}

my $near_duplicate = "words('the text of a hidden row')";
sub trigger
{
	my ($time, $arguments) = @_;
	return sub { "CREATE TRIGGER t $time INSERT ON $_[0] FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', $arguments)" };
}
sub insert { my ($id) = @_; return sub { "INSERT INTO $_[0] (id, tenant, fp) VALUES ($id, 'a', $near_duplicate)" } }
my $reject = trigger('BEFORE', "'reject', 'threshold=0.8'");
my $late   = trigger('AFTER',  "'reject', 'threshold=0.8'");
my $flag   = trigger('BEFORE', "'flag', 'column=near', 'similarity=how'");
my $flagged = sub { "RESET ROLE; SELECT CASE WHEN near IN (1, 2) AND how = 1 THEN 'named' WHEN near = 20 AND how IS NULL THEN 'hidden' ELSE 'other' END FROM $_[0] WHERE id = 20" };
# [statements of a superuser, statements of the role]
my %on_table = (
	'write a near-duplicate, `reject`' => [ $reject, insert(20) ],
	'write a near-duplicate, `reject` by an `AFTER` trigger' => [ $late, insert(20) ],
	'write a near-duplicate, `skip`' => [ trigger('BEFORE', "'skip'"), insert(20) ],
	'write a near-duplicate, `count`' => [ trigger('BEFORE', "'count', 'counter=near'"), insert(20), sub { "RESET ROLE; SELECT CASE sum(near) WHEN 1 THEN 'counted' ELSE 'other' END FROM $_[0]" } ],
	'write a near-duplicate, `merge`' => [ sub { (my $type = $_[0]) =~ s/\W//g; "CREATE FUNCTION public.merge_$type(kept $_[0], new $_[0], similarity float8) RETURNS $_[0] LANGUAGE plpgsql AS 'BEGIN kept.tenant := current_user; RETURN kept; END'; ALTER FUNCTION public.merge_$type OWNER TO owner; "
			. trigger('BEFORE', "'merge', 'merge=public.merge_$type'")->($_[0]) },
		insert(20), sub { "RESET ROLE; SELECT CASE WHEN count(*) = 1 THEN 'merged' ELSE 'other' END FROM $_[0] WHERE tenant = 'owner'" } ],
	'write a near-duplicate in one of two fingerprints, `reject`' => [ sub { "CREATE TRIGGER t BEFORE INSERT ON $_[0] FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'more:0.8, fp:0.8', 'reject', 'match=any')" }, insert(20) ],
	'write a near-duplicate, `flag`' => [ $flag, insert(20), $flagged ],
	'write a near-duplicate `within` a tenant' => [ trigger('BEFORE', "'reject', 'within=tenant'"), insert(20) ],
	'write a near-duplicate that a policy refuses, `reject`' => [ $reject, insert(5) ],
	'write a near-duplicate that a policy refuses, `AFTER`' => [ $late, insert(5) ],
	'`near_duplicate_trigger_stats().found` of a near-duplicate' => [ $flag, insert(20), sub { "SELECT CASE WHEN found > 0 THEN 'told' ELSE 'null' END FROM near_duplicate_trigger_stats()" } ],
	'`near_duplicate_pairs` of its rows' => [ sub { 'SELECT 1' }, sub { "SELECT CASE count(*) WHEN 2 THEN 'all' WHEN 1 THEN 'visible' ELSE 'other' END FROM near_duplicate_pairs('SELECT id, fp FROM $_[0]', threshold => 0.8)" } ],
	'`fingerprint_index_info`' => [ sub { 'SELECT 1' }, sub { "SELECT CASE WHEN count(*) = 1 THEN 'told' END FROM fingerprint_index_info('$_[1]')" } ],
	'`fingerprint_index_recall`' => [ sub { 'SELECT 1' }, sub { "SELECT CASE WHEN count(*) = 1 THEN 'told' END FROM fingerprint_index_recall('$_[1]')" } ],
	'`sketch_check`' => [ sub { 'SELECT 1' }, sub { "SELECT CASE WHEN sketch_check('$_[1]', true) >= 4 THEN 'told' END" } ],
);
my $first = 'a table, partitioned table or partition';
for my $row (sort keys %on_table)
{
	my ($prepare, @steps) = @{ $on_table{$row} };
	row($first, $row, \@roles, sub {
		my ($role) = @_;
		my %by_kind;
		for my $kind (sort keys %table)
		{
			my @values;
			for my $security ('none', 'enabled', 'forced')
			{
				my ($name, $index) = @{ $table{$kind}{$security} };
				(my $root = $name) =~ s/_1$//;
				my $value = outcome('SET client_min_messages = error', 'BEGIN', $prepare->($root, $index), "SET ROLE $role", map { $_->($name, $index) } @steps);
				push @values, $value eq 'INSERT 0 0' ? 'skipped' : $value eq 'INSERT 0 1' ? 'written' : $value;
			}
			$by_kind{$kind} = together(@values);
		}
		my @different = grep { $by_kind{$_} ne $by_kind{table} } sort keys %by_kind;
		return join ', ', $by_kind{table}, map { "$_: $by_kind{$_}" } @different;
	});
}

# ---- a protected table

my $protected = 'a protected relation';
my @rights = ('all rows', 'the key only', 'nothing', 'some rows');
my %grant = ('all rows' => 'GRANT SELECT ON p.library TO owner', 'the key only' => 'GRANT SELECT (id) ON p.library TO owner', 'nothing' => 'SELECT 1',
	'some rows' => 'GRANT SELECT ON p.library TO owner; ALTER TABLE p.library ENABLE ROW LEVEL SECURITY; CREATE POLICY part ON p.library USING (id > 1)');
my $library = '(id int, fp minhash128)';
my $drop_and = 'CREATE TABLE p.library (id int, fp minhash128); GRANT SELECT ON p.library TO owner; SET ROLE writer; INSERT INTO s.docs VALUES (1, NULL); RESET ROLE; SET ROLE protector; DROP TABLE p.library; ';
my %relation = (
	'table' => "CREATE TABLE p.library $library; INSERT INTO p.library VALUES (1, $near_duplicate)",
	'partitioned table' => "CREATE TABLE p.library $library PARTITION BY LIST (id); CREATE TABLE p.library_1 PARTITION OF p.library DEFAULT; INSERT INTO p.library VALUES (1, $near_duplicate)",
	'partition' => "CREATE TABLE p.parent $library PARTITION BY LIST (id); CREATE TABLE p.library PARTITION OF p.parent DEFAULT; INSERT INTO p.library VALUES (1, $near_duplicate)",
	'view' => "CREATE VIEW p.library AS SELECT 1 AS id, $near_duplicate AS fp",
	'materialized view' => "CREATE MATERIALIZED VIEW p.library AS SELECT 1 AS id, $near_duplicate AS fp",
	'foreign table' => "CREATE FOREIGN TABLE p.library $library SERVER here OPTIONS (schema_name 's', table_name 'table_none')",
	'table that a view replaces' => $drop_and . "CREATE VIEW p.library AS SELECT 1 AS id, $near_duplicate AS fp",
	'table that another one replaces' => $drop_and . "CREATE TABLE p.library $library; INSERT INTO p.library VALUES (1, $near_duplicate)",
	'table that is dropped' => $drop_and . 'SELECT 1',
);
for my $row (sort keys %relation)
{
	row($protected, $row, \@rights, sub {
		my ($right) = @_;
		my $has_rows = $row !~ /view|foreign|dropped/;
		my $grant = $row =~ /dropped/ ? 'SELECT 1' : $right eq 'some rows' && !$has_rows ? 'GRANT SELECT ON p.library TO owner' : $grant{$right};
		my $value = outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE owner', "CREATE TABLE s.docs $library; GRANT INSERT ON s.docs TO writer",
			"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'against=p.library')",
			'RESET ROLE', 'SET ROLE protector', $relation{$row}, $grant, 'SET ROLE writer', "INSERT INTO s.docs VALUES (1, $near_duplicate)");
		return $value eq 'hidden' ? 'searched' : $value;
	});
}

# ---- who may change a protected table: what its owner has granted to that of the guarded table

my %grant_update = ('the table' => 'GRANT SELECT, UPDATE ON p.library TO owner', 'the counter' => 'GRANT SELECT, UPDATE (seen) ON p.library TO owner', 'another column' => 'GRANT SELECT, UPDATE (id) ON p.library TO owner',
	'nothing' => 'GRANT SELECT ON p.library TO owner', 'some rows' => 'GRANT SELECT, UPDATE ON p.library TO owner; ALTER TABLE p.library ENABLE ROW LEVEL SECURITY; CREATE POLICY part ON p.library USING (id > 1)');
my $in_library = 'CREATE FUNCTION s.in_library(kept p.library, new s.docs, similarity float8) RETURNS p.library LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + 1; RETURN kept; END$$';
my %changes = ('`count`' => "'count', 'counter=seen'", '`merge`' => "'merge', 'merge=s.in_library'");
for my $row (sort keys %changes)
{
	row('the owner may change of a protected table', $row, [ sort keys %grant_update ], sub {
		my ($right) = @_;
		return outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE protector', "CREATE TABLE p.library (id int, fp minhash128, seen int DEFAULT 1); INSERT INTO p.library VALUES (1, $near_duplicate)", $grant_update{$right},
			'RESET ROLE', 'SET ROLE owner', "CREATE TABLE s.docs $library; GRANT INSERT ON s.docs TO writer", $in_library,
			"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', $changes{$row}, 'against=p.library')", 'RESET ROLE', 'SET ROLE writer',
			"INSERT INTO s.docs VALUES (1, $near_duplicate)", 'RESET ROLE', "SELECT CASE seen WHEN 2 THEN 'changed' END FROM p.library");
	});
}

# ---- whose function `merge` runs: one whose owner has the rights of the owner of the guarded table

row('the function of `merge` belongs to', 'a near-duplicate is written', [ 'the owner', 'a superuser', 'a role with the owner\'s rights', 'a role with `TRIGGER`', 'the writer' ], sub {
	my ($of) = @_;
	my %role = ('the owner' => 'owner', 'a superuser' => 'superuser', "a role with the owner's rights" => 'reader', 'a role with `TRIGGER`' => 'editor', 'the writer' => 'writer');
	return outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE owner', "CREATE TABLE s.docs (id int, fp minhash128, role name); GRANT INSERT ON s.docs TO writer; GRANT TRIGGER ON s.docs TO editor",
		'RESET ROLE', 'GRANT owner TO reader; GRANT CREATE ON SCHEMA s TO reader, editor, writer', "SET ROLE $role{$of}",
		'CREATE FUNCTION s.merges(kept s.docs, new s.docs, similarity float8) RETURNS s.docs LANGUAGE plpgsql AS $$BEGIN kept.role := current_user; RETURN kept; END$$', 'RESET ROLE', 'SET ROLE editor',
		"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=s.merges')", 'RESET ROLE', 'SET ROLE writer',
		"INSERT INTO s.docs VALUES (1, $near_duplicate); INSERT INTO s.docs VALUES (2, $near_duplicate)", 'RESET ROLE', "SELECT 'runs as ' || role FROM s.docs WHERE id = 1");
});

# ---- who may keep clusters

my @owners = grep { $_ ne 'editor' } @roles;
my $clustered = "CREATE TABLE s.docs (id int PRIMARY KEY, fp minhash128); CREATE INDEX ON s.docs USING sketch (fp); GRANT INSERT ON s.docs TO writer; GRANT SELECT ON s.docs TO reader";
my $created = "CALL live_clusters_create('s.docs', 'id', 'fp', mode => 'star', events => true); INSERT INTO s.docs VALUES (1, $near_duplicate), (2, $near_duplicate)";
my %clusters = (
	'`live_clusters_create`' => [ 'SELECT 1', "CALL live_clusters_create('s.docs', 'id', 'fp')", "SELECT 'done'" ],
	'`live_clusters_fill`' => [ $created, "CALL live_clusters_fill('s.docs')", "SELECT 'done'" ],
	'`live_clusters_drop`' => [ $created, "CALL live_clusters_drop('s.docs')", "SELECT 'done'" ],
	'`live_clusters_check`' => [ $created, "SELECT CASE WHEN count(*) = 0 THEN 'told' END FROM live_clusters_check('s.docs')" ],
	'`live_clusters_kept`' => [ $created, "SELECT CASE WHEN count(*) = 1 THEN 'told' END FROM live_clusters_kept('s.docs', 2)" ],
	'write a row that has a near-duplicate' => [ $created, "INSERT INTO s.docs VALUES (3, $near_duplicate)", "RESET ROLE; SELECT CASE WHEN count(*) = 3 THEN 'clustered' END FROM s.docs_clusters" ],
	'read the clusters' => [ $created, "SELECT 'told' FROM s.docs_clusters LIMIT 1" ],
	'write a pair of rows that are apart' => [ "CREATE TABLE s.pairs (a int, b int); CALL live_clusters_create('s.docs', 'id', 'fp', apart => 's.pairs'); INSERT INTO s.docs VALUES (1, $near_duplicate), (2, $near_duplicate)", "INSERT INTO s.pairs VALUES (1, 2)", "RESET ROLE; SELECT CASE WHEN count(*) = 0 THEN 'apart' END FROM s.docs_clusters" ],
	'`live_clusters_create` with pairs of another owner' => [ "RESET ROLE; CREATE TABLE p.pairs (a int, b int); ALTER TABLE p.pairs OWNER TO protector; GRANT SELECT ON p.pairs TO owner", "CALL live_clusters_create('s.docs', 'id', 'fp', apart => 'p.pairs')", "SELECT 'done'" ],
	'read the events' => [ $created, "SELECT 'told' FROM s.docs_clusters_events LIMIT 1" ],
	'delete events' => [ $created, "DELETE FROM s.docs_clusters_events", "SELECT 'done'" ],
);
for my $row (sort keys %clusters)
{
	my ($prepare, @steps) = @{ $clusters{$row} };
	row('clusters of a table', $row, \@owners, sub {
		my ($role) = @_;
		return outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE owner', $clustered, $prepare, "SET ROLE $role", @steps);
	});
}

# ---- as whom code runs that the owner of a table has chosen: here a function in a constraint, which the planner evaluates, or in the predicate of an index

my $spied = "SELECT coalesce(string_agg(DISTINCT role, ', ' ORDER BY role), 'nobody') FROM log";
my $docs = "CREATE TABLE s.docs (id int PRIMARY KEY, fp minhash128, near int); GRANT INSERT, SELECT ON s.docs TO editor";
my $constraint = 'ALTER TABLE s.docs ADD CHECK (quiet_spy(1))';
my $quietly = 'RESET ROLE; TRUNCATE log; SET constraint_exclusion = on';
my $searches = "CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip'%s)";
my $written = "INSERT INTO s.docs VALUES (1, $near_duplicate), (2, $near_duplicate); SELECT 1";
my %code = (
	'the search of `near_duplicate_trigger`' => [ 'editor', $docs, "INSERT INTO s.docs VALUES (7, $near_duplicate)", $constraint, sprintf($searches, ''), $quietly,
		"INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'the search of a protected table' => [ 'editor', $docs, 'SET ROLE protector', "CREATE TABLE p.library $library; GRANT SELECT ON p.library TO owner; ALTER TABLE p.library ADD CHECK (quiet_spy(1)); INSERT INTO p.library VALUES (1, $near_duplicate)",
		'RESET ROLE', 'SET ROLE owner', sprintf($searches, ", 'against=p.library'"), $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'a trigger on the row that `count` changes' => [ 'editor', $docs, "INSERT INTO s.docs VALUES (7, $near_duplicate)", 'CREATE FUNCTION s.seen() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN NEW; END$$; CREATE TRIGGER seen BEFORE UPDATE ON s.docs FOR EACH ROW EXECUTE FUNCTION s.seen()',
		"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=near')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'a trigger on the row of a protected table that `count` changes' => [ 'editor', $docs, 'SET ROLE protector', "CREATE TABLE p.library (id int, fp minhash128, seen int); GRANT SELECT, UPDATE ON p.library TO owner; INSERT INTO p.library VALUES (1, $near_duplicate)", 'CREATE FUNCTION p.seen() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN NEW; END$$; CREATE TRIGGER seen BEFORE UPDATE ON p.library FOR EACH ROW EXECUTE FUNCTION p.seen()',
		'RESET ROLE', 'SET ROLE owner', "CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'count', 'counter=seen', 'against=p.library')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'the function of `merge`' => [ 'editor', $docs, "INSERT INTO s.docs VALUES (7, $near_duplicate)", 'CREATE FUNCTION s.merges(kept s.docs, new s.docs, similarity float8) RETURNS s.docs LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN kept; END$$',
		"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=s.merges')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'the function of `merge` with a protected table' => [ 'editor', $docs, 'SET ROLE protector', "CREATE TABLE p.library $library; GRANT SELECT, UPDATE ON p.library TO owner; INSERT INTO p.library VALUES (1, $near_duplicate)",
		'RESET ROLE', 'SET ROLE owner', 'CREATE FUNCTION s.merges(kept p.library, new s.docs, similarity float8) RETURNS p.library LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN kept; END$$',
		"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'merge', 'merge=s.merges', 'against=p.library')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'a policy, asked what the writer may see' => [ 'editor', $docs, "INSERT INTO s.docs VALUES (7, $near_duplicate); CREATE POLICY p ON s.docs USING (spy()); ALTER TABLE s.docs ENABLE ROW LEVEL SECURITY", 
		"CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'a policy of a protected table' => [ 'editor', $docs, 'SET ROLE protector', "CREATE TABLE p.library $library; GRANT SELECT ON p.library TO owner, editor; INSERT INTO p.library VALUES (1, $near_duplicate); CREATE POLICY p ON p.library USING (spy()); ALTER TABLE p.library ENABLE ROW LEVEL SECURITY",
		'RESET ROLE; ALTER ROLE owner BYPASSRLS', 'SET ROLE owner', "CREATE TRIGGER t BEFORE INSERT ON s.docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'flag', 'column=near', 'against=p.library')", $quietly, "INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'`near_duplicate_pairs`' => [ 'editor', $docs, $constraint, $written, $quietly, "SELECT count(*) FROM near_duplicate_pairs('SELECT id, fp FROM s.docs WHERE id > 0', threshold => 0.8)" ],
	'`fingerprint_index_recall`' => [ 'editor', $docs, 'CREATE INDEX docs_fp ON s.docs USING sketch (fp) WHERE quiet_spy(id)', $written, $quietly, "SELECT count(*) FROM fingerprint_index_recall('s.docs_fp')" ],
	'`sketch_check`' => [ 'superuser', $docs, 'CREATE INDEX docs_fp ON s.docs USING sketch (fp) WHERE quiet_spy(id)', $written, $quietly, "SELECT sketch_check('s.docs_fp', true)" ],
	'`live_clusters_fill`' => [ 'superuser', $docs, $constraint, "CREATE INDEX ON s.docs USING sketch (fp); $written", "CALL live_clusters_create('s.docs', 'id', 'fp')", $quietly, "CALL live_clusters_fill('s.docs')" ],
	'`live_clusters_trigger`' => [ 'editor', $docs, "CREATE INDEX ON s.docs USING sketch (fp); $written", "CALL live_clusters_create('s.docs', 'id', 'fp')", 'CREATE FUNCTION s.seen() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN NEW; END$$; CREATE TRIGGER seen BEFORE INSERT ON s.docs_clusters_members FOR EACH ROW EXECUTE FUNCTION s.seen()', $quietly,
		"INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'a trigger on the events' => [ 'editor', $docs, "CREATE INDEX ON s.docs USING sketch (fp); $written", "CALL live_clusters_create('s.docs', 'id', 'fp', events => true)", 'CREATE FUNCTION s.seen() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM public.spy(); RETURN NEW; END$$; CREATE TRIGGER seen BEFORE INSERT ON s.docs_clusters_events FOR EACH ROW EXECUTE FUNCTION s.seen()', $quietly,
		"INSERT INTO s.docs VALUES (8, $near_duplicate)" ],
	'`live_clusters_check`' => [ 'superuser', $docs, "CREATE INDEX ON s.docs USING sketch (fp)", "CALL live_clusters_create('s.docs', 'id', 'fp')", 'CREATE INDEX ON s.docs (near) WHERE quiet_spy(1)', $quietly, "SELECT count(*) FROM live_clusters_check('s.docs')" ],
);
for my $row (sort keys %code)
{
	my ($role, @steps) = @{ $code{$row} };
	my $last = pop @steps;
	row('code that the owner of a table has chosen', $row, ['runs as'], sub {
		return outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE owner', @steps, "SET ROLE $role", $last, 'RESET ROLE', $spied);
	});
}

# ---- kinds of relations

my @kinds = ('table', 'partitioned table', 'partition', 'view', 'materialized view', 'foreign table', 'temporary table');
my $unique = '(id int PRIMARY KEY, body text, fp minhash128)';
my %kind = (
	'table' => "CREATE TABLE s.r $unique",
	'partitioned table' => "CREATE TABLE s.r $unique PARTITION BY LIST (id); CREATE TABLE s.r_1 PARTITION OF s.r DEFAULT",
	'partition' => "CREATE TABLE s.parent $unique PARTITION BY LIST (id); CREATE TABLE s.r PARTITION OF s.parent DEFAULT",
	'view' => "CREATE VIEW s.r AS SELECT id, fp, tenant AS body FROM s.table_none",
	'materialized view' => "CREATE MATERIALIZED VIEW s.r AS SELECT id, fp, tenant AS body FROM s.table_none",
	'foreign table' => "CREATE FOREIGN TABLE s.r (id int, body text OPTIONS (column_name 'tenant'), fp minhash128) SERVER here OPTIONS (schema_name 's', table_name 'table_none')",
	'temporary table' => "CREATE TEMP TABLE r $unique; SET search_path = pg_temp, public",
);
my %function = (
	'`near_duplicate_trigger`' => [ "CREATE TRIGGER t BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject')", "INSERT INTO %s (id, fp) VALUES (50, $near_duplicate)", "SELECT 'yes'" ],
	'`fingerprint_trigger`' => [ "CREATE TRIGGER t BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp', 'tokenizer=word-uax29')", "INSERT INTO %s (id, body) VALUES (50, 'a b c d e f')", "SELECT 'yes'" ],
	'`live_clusters_create`' => [ "CALL live_clusters_create('%s', 'id', 'fp')", "SELECT 'yes'" ],
	'`near_duplicate_pairs`' => [ "SELECT 'yes' FROM near_duplicate_pairs('SELECT id, fp FROM %s WHERE id < 0', threshold => 0.8) UNION ALL SELECT 'yes'" ],
);
for my $row (sort keys %function)
{
	row('a relation', $row, \@kinds, sub {
		my ($of) = @_;
		my $name = $of eq 'temporary table' ? 'r' : 's.r';
		return outcome('SET client_min_messages = error', 'BEGIN', 'SET ROLE owner', $kind{$of}, map { /%s/ ? sprintf($_, $name) : $_ } @{ $function{$row} });
	});
}

# ---- locks tell nothing: the same row in a copy of the database has other numbers

$server->safe_psql('postgres', "CREATE TRIGGER t BEFORE INSERT ON s.table_none FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip')");
$server->safe_psql('template1', 'CREATE DATABASE copy TEMPLATE postgres');
my %locks;
for my $database ('postgres', 'copy')
{
	my $locks = $server->safe_psql($database, "BEGIN; INSERT INTO s.table_none (id, fp) VALUES (100, words('a text that is not committed')); SELECT classid || ' ' || objid FROM pg_locks WHERE objsubid = 21761");
	$locks{$database} = { map { $_ => 1 } split /\n/, $locks };
	cmp_ok(scalar(keys %{ $locks{$database} }), '>', 20, "$database: there are locks");
}
is(scalar(grep { $locks{copy}{$_} } keys %{ $locks{postgres} }), 0, 'other numbers in another database');

if (!$print) { is_deeply([ map { keys %{ $expected{$_} } } sort keys %expected ], [], 'every row of docs/rights.md has been executed') }
$server->stop;
done_testing();

# sketch_trgm_ops in servers: the answers of scans, for random probes, in databases of several encodings and locales; after rows have been written by
# several sessions at once, deleted, vacuumed and replaced; after a crash; and on a replica. TXTFP_PROBES=1000000 asks so many questions (default 200).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $probes = $ENV{TXTFP_PROBES} || 200;
my $server = new_server('trgm', streaming => 1, conf => "checkpoint_timeout = 1h\nmax_wal_size = 4GB\nmax_parallel_workers_per_gather = 0\n");
$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('trgm_replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->start;

# encoding and locale, as this machine has them
my %databases = (utf8 => q{ENCODING 'UTF8' LOCALE 'C'}, latin1 => q{ENCODING 'LATIN1' LOCALE 'C'}, ascii => q{ENCODING 'SQL_ASCII' LOCALE 'C'});
my $has = $server->safe_psql('postgres', q{SELECT string_agg(collname, ' ') FROM pg_collation WHERE collname IN ('C.utf8', 'en_US.utf8', 'tr_TR.utf8')});
$databases{ 'locale_' . lc($1) } = "ENCODING 'UTF8' LOCALE '$1.UTF-8'" while $has =~ /(C|\w\w_\w\w)\.utf8/g;

my $setup = q{
	CREATE EXTENSION txtfp_trgm CASCADE;
	CREATE TABLE titles (id int PRIMARY KEY, tenant int, title text);
	-- words from a small vocabulary, with errors: many rows are similar to a few
	CREATE FUNCTION title_of(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT CASE WHEN n % 97 = 0 THEN NULL ELSE string_agg(overlay(word PLACING chr(97 + abs(hashint4(n * 31 + i)) % 26) FROM 1 + abs(hashint4(n + i)) % 4 FOR abs(hashint4(n - i)) % 2), ' ') END
		FROM (SELECT i, (ARRAY['Garden', 'history', 'MODERN', 'atlas', 'short', 'x', 'introduction', 'river', 'mountain', 'of', 'I', 'file-1.2', 'ISTANBUL', 'words'])[1 + abs(hashint4(n * 7 + i * i)) % 14]
			|| SPECIAL AS word FROM generate_series(1, 1 + abs(hashint4(n)) % 8) AS i) AS w $$;
	INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(1, 3000) AS n;
	CREATE INDEX titles_sketch ON titles USING sketch (title sketch_trgm_ops);
	ANALYZE titles;
	CREATE FUNCTION answers(condition text, ordering text, probe text, by_index boolean) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		found text;
		nearest text;
	BEGIN
		PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_sort', (NOT by_index)::text, true),
			set_config('enable_indexscan', by_index::text, true), set_config('enable_bitmapscan', by_index::text, true);
		EXECUTE format('SELECT md5(string_agg(id::text, '' '' ORDER BY id)) FROM titles WHERE ' || condition, probe) INTO found;
		EXECUTE format('SELECT string_agg(d::text, '' '') FROM (SELECT ' || ordering || ' AS d FROM titles ORDER BY d LIMIT 10) AS s', probe) INTO nearest;
		RETURN concat_ws(' / ', found, nearest);
	END $$;
	CREATE FUNCTION differences(questions int, seed float8) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		r record;
		wrong text := '';
		conditions constant text[] := ARRAY['title %% %L', 'title %%> %L', '%L <<%% title', 'title <%% %L', 'title = %L'];
		orderings constant text[] := ARRAY['title <-> %L', '%L <<-> title', 'title <->>> %L', 'title <<-> %L'];
		condition text;
		ordering text;
	BEGIN
		PERFORM setseed(seed);
		FOR r IN SELECT i, coalesce(overlay(title PLACING 'zq' FROM 1 + (random() * 9)::int FOR (random() * 3)::int), '') AS probe, random() AS limits FROM titles, generate_series(1, 1 + questions / 3000) AS i
			ORDER BY random() LIMIT questions LOOP
			PERFORM set_config('pg_trgm.' || kind || 'similarity_threshold', round(r.limits::numeric, 3)::text, true) FROM unnest('{"",word_,strict_word_}'::text[]) AS kind;
			condition := conditions[1 + (random() * 4)::int];
			ordering := orderings[1 + (random() * 3)::int];
			IF answers(condition, ordering, r.probe, true) IS DISTINCT FROM answers(condition, ordering, r.probe, false) THEN
				wrong := wrong || format('%s, %s, at %s: %L; ', condition, ordering, r.limits, r.probe);
			END IF;
		END LOOP;
		RETURN wrong;
	END $$};

my $databases = keys %databases;
my $share = int($probes / $databases / 4) || 1;
for my $name (sort keys %databases)
{
	$server->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 $databases{$name}");
	my $special = $name eq 'latin1' ? q{(CASE n % 3 WHEN 0 THEN convert_from('\xe9df'::bytea, 'LATIN1') ELSE '' END)}
		: $name eq 'ascii' ? q{''} : q{(CASE n % 3 WHEN 0 THEN U&'\00e9\0130\6771\4eac' ELSE '' END)};
	(my $statements = $setup) =~ s/SPECIAL/$special/;
	$server->safe_psql($name, $statements);
	is($server->safe_psql($name, "SELECT differences($share, 0.1)"), '', "$name: after a build");

	# several sessions, one of which is undone
	my @sessions = map {
		my $first = 3001 + 1000 * $_;
		start_sql($server, "\\c $name", "BEGIN; INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series($first, $first + 999) AS n; " . ($_ == 2 ? 'ROLLBACK' : 'COMMIT'))
	} 0 .. 2;
	for (my $i = 0; $i < @sessions; $i += 2)
	{
		$sessions[$i]->finish;
		is(${ $sessions[ $i + 1 ] }, '', "$name: no error in session $i");
	}
	$server->safe_psql($name, 'DELETE FROM titles WHERE id % 3 = 1');
	$server->safe_psql($name, 'VACUUM titles');
	$server->safe_psql($name, q{INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(9001, 9900) AS n; UPDATE titles SET title = title || ' changed' WHERE id % 11 = 0});
	is($server->safe_psql($name, "SELECT differences($share, 0.2)"), '', "$name: after inserts, deletions and vacuum");
	cmp_ok($server->safe_psql($name, q{SELECT sketch_check('titles_sketch', true)}), '>', 3000, "$name: the index is sound");
}

# a crash in the middle of an insertion
my ($writer) = start_sql($server, '\c utf8', 'INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(20001, 900000) AS n');
my $full = 0;
for (1 .. 100)
{
	$full = $server->safe_psql('utf8', q{SELECT pg_relation_size('titles_sketch') / 8192 > 80});
	last if $full eq 't';
	PostgreSQL::Test::Utils::system_log('sleep', '0.2');
}
is($full, 't', 'the writer has added groups');
$server->stop('immediate');
$writer->finish;
$server->start;
for my $name (sort keys %databases)
{
	cmp_ok($server->safe_psql($name, q{SELECT sketch_check('titles_sketch', true)}), '>', 3000, "$name: the index is sound after a crash");
	is($server->safe_psql($name, "SELECT differences($share, 0.3)"), '', "$name: after a crash");
}
$server->safe_psql('utf8', 'VACUUM titles; INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(20001, 21000) AS n');
is($server->safe_psql('utf8', q{SELECT sketch_check('titles_sketch', true) > 4000}), 't', 'places of the crashed insertion are used again');

$server->wait_for_catchup($replica);
is($replica->safe_psql($_, "SELECT differences($share, 0.4)"), '', "$_: on a replica") for sort keys %databases;

# leading columns, several processes, dump and restore
$server->safe_psql('utf8', q{
	DROP INDEX titles_sketch;
	INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(30001, 60000) AS n;
	SET maintenance_work_mem = '128MB'; SET max_parallel_maintenance_workers = 2; ALTER TABLE titles SET (parallel_workers = 2);
	CREATE INDEX titles_tenant ON titles USING sketch (tenant, title sketch_trgm_ops);
	ANALYZE titles});
is($server->safe_psql('utf8', q{SELECT sketch_check('titles_tenant', true) > 30000}), 't', 'an index with a leading column, built by several processes');
(my $within = q{SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), 'none') FROM titles WHERE tenant = 3 AND title % 'Garden history of MODERN atlas'}) =~ s/^/SET pg_trgm.similarity_threshold = 0.4; /;
is($server->safe_psql('utf8', "SET enable_seqscan = off; $within"), $server->safe_psql('utf8', "SET enable_indexscan = off; SET enable_bitmapscan = off; $within"), 'in a tenant');
my $dump = $server->basedir . '/utf8.sql';
command_ok([ 'pg_dump', '-d', $server->connstr('utf8'), '-f', $dump ], 'dump');
$server->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $server->connstr('restored'), '-f', $dump ], 'restore');
is($server->safe_psql('restored', "SET enable_seqscan = off; $within"), $server->safe_psql('utf8', $within), 'restored');
done_testing();

# sketch_trgm_ops in servers: the answers of scans, for random probes, in databases of several encodings and locales; after rows have been written by
# several sessions at once, deleted, vacuumed and replaced; after a crash; and on a replica. TXTFP_PROBES=1000000 asks so many questions (default 300, in the long run 600): a
# random operator, at a random threshold or just at the similarity of a row, with a title that has errors. In the long run 100 questions have one probe. TXTFP_PIECE, a number from 1 to 99, asks others.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $probes = $ENV{TXTFP_PROBES} || by_length(600, 300);
my $server = new_server('trgm', streaming => 1, conf => "checkpoint_timeout = 1h\nmax_wal_size = 4GB\nwal_keep_size = 1GB\nmax_parallel_workers_per_gather = 0\n");
$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('trgm_replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->start;

# encoding and locale, as this machine has them
my %databases = (
	utf8   => q{ENCODING 'UTF8' LOCALE 'C'},
	latin1 => q{ENCODING 'LATIN1' LOCALE 'C'},
	ascii  => q{ENCODING 'SQL_ASCII' LOCALE 'C'},
	euc_jp => q{ENCODING 'EUC_JP' LOCALE 'C'});
my $has = $server->safe_psql('postgres', q{SELECT string_agg(collname, ' ') FROM pg_collation WHERE collname IN ('C.utf8', 'en_US.utf8', 'tr_TR.utf8', 'tr-TR-x-icu')});
$databases{ 'locale_' . lc($1) } = "ENCODING 'UTF8' LOCALE '$1.UTF-8'" while $has =~ /\b(C|\w\w_\w\w)\.utf8/g;
$databases{icu_tr} = q{ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'} if $has =~ /icu/;

my $setup = q{
	CREATE EXTENSION txtfp_trgm CASCADE;
	CREATE TABLE titles (id int PRIMARY KEY, tenant int, title text);
	-- words from a small vocabulary, with errors: many rows are similar to a few
	CREATE FUNCTION title_of(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT CASE WHEN n % 97 = 0 THEN NULL ELSE string_agg(overlay(word PLACING chr(97 + abs(hashint4(n * 31 + i)) % 26) FROM 1 + abs(hashint4(n + i)) % 4 FOR abs(hashint4(n - i)) % 2), ' ') END
		FROM (SELECT i, (ARRAY['Garden', 'history', 'MODERN', 'atlas', 'short', 'x', 'introduction', 'river', 'mountain', 'of', 'I', 'file-1.2', 'ISTANBUL', 'words'])[1 + abs(hashint4(n * 7 + i * i)) % 14]
			|| SPECIAL AS word FROM generate_series(1, 1 + abs(hashint4(n)) % 8) AS i) AS w $$;
	INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(1, 1500) AS n;
	CREATE INDEX titles_sketch ON titles USING sketch (title sketch_trgm_ops);
	ANALYZE titles;

	-- Each condition with its setting, and the similarity that it compares with this; each ordering with its similarity. 1: of the texts; 2 and 3: of the
	-- probe to a part of the title, up to word boundaries; 4 and 5: of the title to a part of the probe; 6: 1 for equal texts.
	CREATE TABLE questions (number int, is_search boolean, question text, similarity int, setting text);
	INSERT INTO questions VALUES (1, true, 'title % p', 1, 'similarity'), (2, true, 'title %> p', 2, 'word_similarity'), (3, true, 'p <% title', 2, 'word_similarity'),
		(4, true, 'title %>> p', 3, 'strict_word_similarity'), (5, true, 'title <% p', 4, 'word_similarity'), (6, true, 'title <<% p', 5, 'strict_word_similarity'), (7, true, 'title = p', 6, NULL),
		(8, false, 'title <-> p', 1, NULL), (9, false, 'title <->> p', 2, NULL), (10, false, 'p <<-> title', 2, NULL), (11, false, 'title <->>> p', 3, NULL), (12, false, 'title <<-> p', 4, NULL),
		(13, false, 'title <<<-> p', 5, NULL);
	-- From 16 on the primary key would give an aggregate the order that it asks for, but for OFFSET 0.
	CREATE FUNCTION statement_of(q questions, p text) RETURNS text LANGUAGE sql AS $$
		SELECT CASE WHEN q.is_search THEN format('SELECT md5(string_agg(id::text, '' '' ORDER BY id)) FROM (SELECT id FROM titles WHERE %s OFFSET 0) AS s', replace(q.question, 'p', p))
			ELSE format('SELECT string_agg(d::text, '' '') FROM (SELECT %1$s AS d FROM titles WHERE title IS NOT NULL ORDER BY %1$s LIMIT 10) AS s', replace(q.question, 'p', p)) END $$;
	-- Each is planned once in a session.
	DO $$ DECLARE q questions; BEGIN FOR q IN TABLE questions LOOP
		EXECUTE format('CREATE FUNCTION answer_%s(text) RETURNS text LANGUAGE plpgsql AS %L', q.number, format('BEGIN RETURN (%s); END', statement_of(q, '$1')));
	END LOOP; END $$;

	-- The answer by the similarities of all rows
	CREATE FUNCTION by_definition(q questions, ids int[], similarities real[], threshold float8) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		IF q.is_search THEN
			RETURN (SELECT md5(string_agg(id::text, ' ' ORDER BY id)) FROM unnest(ids, similarities) AS r (id, s) WHERE s::float8 >= threshold);
		END IF;
		RETURN (SELECT string_agg((1 - s::float8)::real::text, ' ' ORDER BY s DESC) FROM (SELECT s FROM unnest(similarities) AS s WHERE s IS NOT NULL ORDER BY s DESC LIMIT 10) AS r);
	END $$;
	CREATE FUNCTION differences(count int, of_each int, seed float8) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off
		SET plan_cache_mode = force_generic_plan AS $$
	DECLARE
		wrong text := ''; probe text; ids int[]; by_kind jsonb; s1 real[]; s2 real[]; s3 real[]; s4 real[]; s5 real[]; s6 real[]; s real[];
		all_questions questions[]; q questions; threshold float8; answer text; right_answer text; plan text;
	BEGIN
		PERFORM setseed(seed);
		all_questions := ARRAY(SELECT x FROM questions AS x ORDER BY number);
		FOREACH q IN ARRAY all_questions LOOP
			EXECUTE 'EXPLAIN (FORMAT json) ' || statement_of(q, '''probe''') INTO plan;
			IF plan !~ 'titles_sketch' THEN wrong := wrong || format('%s does not use the index; ', q.question); END IF;
		END LOOP;
		FOR i IN 0 .. count - 1 LOOP
			IF i % of_each = 0 THEN -- the next probe, compared with all rows
				SELECT coalesce(overlay(title PLACING 'zq' FROM 1 + (random() * 9)::int FOR (random() * 3)::int), '') INTO probe FROM titles WHERE id >= random() * 1500 ORDER BY id LIMIT 1;
				SELECT array_agg(id), array_agg(similarity(title, probe)), array_agg(word_similarity(probe, title)), array_agg(strict_word_similarity(probe, title)),
					array_agg(word_similarity(title, probe)), array_agg(strict_word_similarity(title, probe)), array_agg((title = probe)::int::real) INTO ids, s1, s2, s3, s4, s5, s6 FROM titles;
			END IF;
			q := all_questions[1 + floor(random() * 13)];
			s := CASE q.similarity WHEN 1 THEN s1 WHEN 2 THEN s2 WHEN 3 THEN s3 WHEN 4 THEN s4 WHEN 5 THEN s5 ELSE s6 END;
			-- often just what a row has
			threshold := CASE WHEN q.setting IS NULL THEN 1 WHEN random() < 0.5 THEN coalesce(s[1 + floor(random() * cardinality(s))::int], 0.5)::float8 ELSE round(random()::numeric, 3)::float8 END;
			IF q.setting IS NOT NULL THEN
				PERFORM set_config(format('pg_trgm.%s_threshold', q.setting), threshold::text, true);
			END IF;
			EXECUTE format('SELECT answer_%s($1)', q.number) USING probe INTO answer;
			right_answer := by_definition(q, ids, s, threshold);
			IF i % of_each = 0 AND answer IS NOT DISTINCT FROM right_answer THEN -- that the definition is what a scan says
				PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'on', true), set_config('enable_sort', 'on', true);
				EXECUTE statement_of(q, quote_literal(probe)) INTO right_answer;
				PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true);
			END IF;
			IF answer IS DISTINCT FROM right_answer THEN
				wrong := wrong || format('%s at %s with %L: %s, not %s; ', q.question, threshold, probe, answer, right_answer);
			END IF;
		END LOOP;
		RETURN left(wrong, 1000);
	END $$};

my $databases = keys %databases;
my $share     = int($probes / $databases / 4) || 1;
my $of_each   = $share >= 1000 ? 100 : 4;
my $piece     = ($ENV{TXTFP_PIECE} || 0) / 1000;
sub differences { return sprintf 'SELECT differences(%d, %d, %s)', $share, $of_each, $_[0] + $piece }
for my $name (sort keys %databases)
{
	$server->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 $databases{$name}");
	my $special = $name eq 'euc_jp' ? q{(CASE n % 3 WHEN 0 THEN convert_from('\xc5ecb5feb1ec'::bytea, 'EUC_JP') ELSE '' END)}
		: $name eq 'latin1' ? q{(CASE n % 3 WHEN 0 THEN convert_from('\xe9df'::bytea, 'LATIN1') ELSE '' END)}
		: $name eq 'ascii' ? q{''} : q{(CASE n % 3 WHEN 0 THEN U&'\00e9\0130\6771\4eac' ELSE '' END)};
	(my $statements = $setup) =~ s/SPECIAL/$special/;
	$server->safe_psql($name, $statements);
	is($server->safe_psql($name, differences(0.1)), '', "$name: after a build");

	# several sessions, one of which is undone
	my @sessions = map {
		my $first = 3001 + 400 * $_;
		start_sql($server, "\\c $name", "BEGIN; INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series($first, $first + 399) AS n; " . ($_ == 2 ? 'ROLLBACK' : 'COMMIT'))
	} 0 .. 2;
	for (my $i = 0; $i < @sessions; $i += 2)
	{
		$sessions[$i]->finish;
		is(${ $sessions[ $i + 1 ] }, '', "$name: no error in session $i");
	}
	$server->safe_psql($name, 'DELETE FROM titles WHERE id % 3 = 1');
	$server->safe_psql($name, 'VACUUM titles');
	$server->safe_psql($name, q{INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(9001, 9300) AS n; UPDATE titles SET title = title || ' changed' WHERE id % 11 = 0});
	is($server->safe_psql($name, differences(0.2)), '', "$name: after inserts, deletions and vacuum");
	cmp_ok($server->safe_psql($name, q{SELECT sketch_check('titles_sketch', true)}), '>', 1500, "$name: the index is sound");
}

# a crash in the middle of an insertion
my ($writer) = start_sql($server, '\c utf8', 'INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(20001, 900000) AS n');
my $full = 0;
for (1 .. 1500)
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
	cmp_ok($server->safe_psql($name, q{SELECT sketch_check('titles_sketch', true)}), '>', 1500, "$name: the index is sound after a crash");
	is($server->safe_psql($name, 'SELECT differences(8, 4, 0.5)'), '', "$name: after a crash");
	$server->safe_psql($name, 'VACUUM titles');
	is($server->safe_psql($name, differences(0.3)), '', "$name: after a crash and vacuum");
}
$server->safe_psql('utf8', ' INSERT INTO titles SELECT n, n % 5, title_of(n) FROM generate_series(20001, 21000) AS n');
is($server->safe_psql('utf8', q{SELECT sketch_check('titles_sketch', true) > 2500}), 't', 'places of the crashed insertion are used again');

$server->wait_for_catchup($replica);
is($replica->safe_psql($_, differences(0.4)), '', "$_: on a replica") for sort keys %databases;

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

# damage: what the index has of its own for sets of terms. sketch_check reports it, and no search crashes.
my %damage = ('least number of terms' => [ 1, 36, "\xFF\xFF" ], 'greatest number of terms' => [ 1, 38, "\0\0" ], 'number of terms' => [ 1, 3176, "\xFF\xFF" ],
	'plane of the first page' => [ 1, 4224, "\xFF" x 64 ], 'plane' => [ 2, 64, "\xFF" x 64 ], 'another page' => [ 3, 8192 - 12, "\0" ]);
my $damaged = new_server('trgm_damage', damaged => 1);
my @what = sort keys %damage;
$damaged->safe_psql('postgres', "CREATE EXTENSION txtfp_trgm CASCADE; CREATE TABLE t (id int, w text); INSERT INTO t SELECT i, concat_ws(' ', md5(i::text), 'word', i % 7) FROM generate_series(1, 500) AS i;"
	  . join '', map { "CREATE INDEX damaged_$_ ON t USING sketch (w sketch_trgm_ops) WHERE id <> -$_;" } 0 .. $#what);
my @files = map { $damaged->data_dir . '/' . $damaged->safe_psql('postgres', "SELECT pg_relation_filepath('damaged_$_')") } 0 .. $#what;
$damaged->stop;
for my $i (0 .. $#what)
{
	my ($block, $offset, $bytes) = @{ $damage{ $what[$i] } };
	open my $file, '+<:raw', $files[$i] or die "$files[$i]: $!";
	seek $file, 8192 * $block + $offset, 0;
	print $file $bytes;
	close $file or die;
}
$damaged->start;
for my $i (0 .. $#what)
{
	my (undef, undef, $error) = $damaged->psql('postgres', "\\set VERBOSITY sqlstate\nSELECT sketch_check('damaged_$i', true)");
	like($error, qr/XX002/, "$what[$i]: sketch_check reports it");
	my (undef, $found, $searches) = $damaged->psql('postgres', "\\set VERBOSITY sqlstate\nSET enable_seqscan = off; SELECT count(*) FROM t WHERE id <> -$i AND w % 'word 5'; SELECT id FROM t WHERE id <> -$i ORDER BY w <-> 'word 5' LIMIT 600");
	like("$found$searches", qr/^\d|XX002/, "$what[$i]: a search ends");
}
done_testing();

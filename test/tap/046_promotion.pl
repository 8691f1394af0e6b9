# Searches on a standby through indexes USING sketch, with and without a directory, and through GIN, while the primary writes, merges, vacuums and rebuilds
# indexes, while the standby is promoted, and while it then writes itself. Each search sees what a scan of the table sees in the same snapshot.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = new_server('primary', streaming => 1, conf => "hot_standby = on\nmax_standby_streaming_delay = 200ms\nfsync = off\nmaintenance_work_mem = 16MB\n");
$primary->safe_psql('postgres', q{
	CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS
		$$SELECT array_agg(CASE WHEN i <= n % 8 * 3 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '') FROM generate_series(1, 60) AS i$$;
	CREATE TABLE docs (id int PRIMARY KEY, part int, fp minhash256, c minhash64_compact, s simhash64) WITH (autovacuum_enabled = off);
	CREATE FUNCTION put(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO docs SELECT n, n % 5, to_minhash256(w), to_minhash64(w)::minhash64_compact, (n / 8 * 1234567891::bigint # n % 8)::simhash64
			FROM generate_series(first, last) AS n, LATERAL (SELECT words(n) AS w OFFSET 0) AS x ON CONFLICT (id) DO UPDATE SET part = docs.part + 1, fp = EXCLUDED.fp $$;
	SELECT put(1, 5400);
	CREATE INDEX by_fp ON docs USING sketch (fp);
	CREATE INDEX by_part ON docs USING sketch (part, fp);
	CREATE INDEX by_c ON docs USING sketch (c);
	CREATE INDEX by_s ON docs USING gin (s);
	CREATE INDEX by_m ON docs USING sketch (s);
	-- raises an error if a search through an index and a scan of the table differ
	CREATE FUNCTION compare(n int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		a minhash256 := to_minhash256(words(n));
		b minhash64_compact := to_minhash64(words(n))::minhash64_compact;
		d simhash64 := (n / 8 * 1234567891::bigint # n % 8)::simhash64;
		by_index text; by_table text;
		-- the condition with + 0 is none of an index
		conditions text[] := ARRAY['minhash_similar(fp, $1, 0.8)', 'jaccard(fp, $1) + 0 >= 0.8', 'part = 2 AND minhash_similar(fp, $1, 0.4)', 'part = 2 AND jaccard(fp, $1) + 0 >= 0.4',
			'minhash_similar(c, $2, 0.6)', 'jaccard(c, $2) + 0 >= 0.6', 'simhash_similar(s, $3, 3)', 'hamming(s, $3) + 0 <= 3'];
	BEGIN
		FOR i IN 1 .. 7 BY 2 LOOP
			EXECUTE 'SELECT string_agg(id::text, '','' ORDER BY id) FROM docs WHERE ' || conditions[i] INTO by_index USING a, b, d;
			EXECUTE 'SELECT string_agg(id::text, '','' ORDER BY id) FROM docs WHERE ' || conditions[i + 1] INTO by_table USING a, b, d;
			IF by_index IS DISTINCT FROM by_table THEN RAISE EXCEPTION 'lost: % %: % instead of %', n, conditions[i], by_index, by_table; END IF;
		END LOOP;
	END $$});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

my @sessions;
my $tempdir = PostgreSQL::Test::Utils::tempdir();
for my $session (1 .. 3)
{
	my $script = join "\n", "SET enable_seqscan = off; SET statement_timeout = '120s'; SET default_transaction_isolation = 'repeatable read';", $session == 2 ? 'SET enable_bitmapscan = off;' : (),
	  map { my $n = 1 + ($_ * 7919 + $session * 131) % 5600; "BEGIN; SELECT compare($n); COMMIT;" } 1 .. 20_000; # more than they get to
	append_to_file("$tempdir/session$session.sql", $script);
	my ($out, $err) = ('', '');
	local $ENV{PGAPPNAME} = 'searches';
	push @sessions, { err => \$err, process => IPC::Run::start([ 'psql', '-XqAt', '-v', 'VERBOSITY=verbose', '-f', "$tempdir/session$session.sql", '-d', $standby->connstr('postgres') ], '<', \'', '>', \$out, '2>', \$err) };
}
my $running = q{SELECT count(*) = 3 FROM pg_stat_activity WHERE application_name = 'searches'};
ok(wait_until($standby, $running), 'three sessions search');
sub write_rows
{
	my ($server, $round) = @_;
	$server->safe_psql('postgres', $_) for "SELECT put(" . (5400 + 300 * $round) . ', ' . (5700 + 300 * $round) . ')', "DELETE FROM docs WHERE id % 17 = $round", "SELECT put($round * 40, $round * 40 + 200)", 'VACUUM docs';
	return;
}
for my $round (1 .. 4)
{
	write_rows($primary, $round);
	$primary->safe_psql('postgres', 'REINDEX INDEX ' . (qw(by_fp by_part by_c by_s))[ $round - 1 ]);
}
$primary->wait_for_catchup($standby, 'replay');
write_rows($primary, 5);    # may be on its way
# a conflict with the recovery may end a session
$running =~ s/= 3/> 0/;
ok($standby->safe_psql('postgres', $running) eq 't', 'they still do when the standby is promoted');
$standby->promote;
write_rows($standby, $_) for 6, 7;
my $went_on = $standby->safe_psql('postgres', $running);
$standby->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'searches'});
$_->{process}->finish for @sessions;
is($went_on, 't', 'and while it writes itself');
my $errors = join "\n", map { ${ $_->{err} } } @sessions;
my %states;
$states{$1}++ while $errors =~ /(?:ERROR|FATAL): +(\w{5}):/g;
note('SQLSTATEs: ', join ' ', map { "$_ $states{$_}" } sort keys %states);
is(join(' ', grep { !/^(40001|57P01|25P02|40P01)$/ } sort keys %states), '', 'no error but of conflicts with the recovery, and of the end') or diag substr $errors, 0, 2000;
$standby->safe_psql('postgres', "SET enable_seqscan = off; SELECT compare(i) FROM generate_series(1, 6000, 151) AS i");
is($standby->safe_psql('postgres', "SELECT count(sketch_check(i::regclass, true)) FROM unnest('{by_fp,by_part,by_c,by_m}'::text[]) AS i"), 4, 'the indexes are sound');
unlike(slurp_file($_->logfile), qr/ERROR: +XX\d{3}|terminated by signal [^9]|PANIC|TRAP:/, 'no internal error') for $primary, $standby;
$_->stop for $primary, $standby;
done_testing();

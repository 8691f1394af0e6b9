# similar_string_pairs in servers: the pairs of a join by similarity(), for random strings in databases of several encodings and locales, with 0, 1, 2 and
# 4 threads and little memory; a cancel, a terminated session and a full temp_file_limit in each phase leave no file and no thread, and the session goes
# on; in parallel queries, in nested calls, under row-level security; the peak of memory.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = new_server('pairs', conf => "min_parallel_table_scan_size = 0\nmaintenance_work_mem = 1MB\nmax_parallel_maintenance_workers = 2\n");

my %databases = (utf8 => q{ENCODING 'UTF8' LOCALE 'C'}, latin1 => q{ENCODING 'LATIN1' LOCALE 'C'}, ascii => q{ENCODING 'SQL_ASCII' LOCALE 'C'}, euc_jp => q{ENCODING 'EUC_JP' LOCALE 'C'});
my $has = $server->safe_psql('postgres', q{SELECT string_agg(collname, ' ') FROM pg_collation WHERE collname IN ('C.utf8', 'en_US.utf8', 'tr_TR.utf8', 'tr-TR-x-icu')});
$databases{ 'locale_' . lc($1) } = "ENCODING 'UTF8' LOCALE '$1.UTF-8'" while $has =~ /\b(C|\w\w_\w\w)\.utf8/g;
$databases{icu_tr} = q{ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'tr' LOCALE 'C'} if $has =~ /icu/;

my $rows  = by_length(1500, 400);
my $setup = qq{
	CREATE EXTENSION txtfp_trgm CASCADE;
	CREATE TABLE strings (id int, string text);
	INSERT INTO strings SELECT (n * 7919) % 100003, CASE WHEN n % 50 = 0 THEN repeat(letter, n) WHEN n % 41 = 0 THEN repeat(' ', n % 3) ELSE
		(SELECT string_agg(substr('GardenhistoryMODERNIatlas file-1.2', 1 + abs(hashint4(n / 3 * 31 + i)) % 20, 3 + abs(hashint4(i + n * (i % 4))) % 5) || CASE WHEN i % 3 = 0 THEN letter ELSE ' ' END, '')
			FROM generate_series(1, 1 + abs(hashint4(n / 3)) % 7) AS i) END
		FROM generate_series(1, $rows) AS n, LATERAL (SELECT (ARRAY[LETTERS])[1 + n / 3 % 4] AS letter) AS l;
	CREATE FUNCTION differences(threshold float8) RETURNS text LANGUAGE sql AS \$\$
		WITH f AS MATERIALIZED (SELECT a, b, similarity FROM similar_string_pairs('SELECT id, string FROM strings', threshold)),
		j AS MATERIALIZED (SELECT x.id::bigint, y.id::bigint, similarity(x.string, y.string) FROM strings x JOIN strings y ON x.id < y.id WHERE similarity(x.string, y.string)::float8 >= threshold)
		SELECT concat_ws(' ', (SELECT count(*) FROM (TABLE f EXCEPT ALL TABLE j) AS d), (SELECT count(*) FROM (TABLE j EXCEPT ALL TABLE f) AS d), EXISTS (TABLE j)) \$\$};
for my $name (sort keys %databases)
{
	my $letters = $name eq 'ascii' ? q{'a', 'b', 'I', 'i'}
		: $name eq 'latin1' ? q{convert_from('\xe9'::bytea, 'LATIN1'), convert_from('\xdf'::bytea, 'LATIN1'), 'I', convert_from('\xc9'::bytea, 'LATIN1')}
		: $name eq 'euc_jp' ? q{convert_from('\xc5ec'::bytea, 'EUC_JP'), convert_from('\xb5fe'::bytea, 'EUC_JP'), 'I', 'i'}
		:                     q{U&'\0130', U&'\6771\4eac', U&'\00c9', U&'\00e9'};
	$server->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 $databases{$name}");
	(my $statements = $setup) =~ s/LETTERS/$letters/;
	$server->safe_psql($name, $statements);
	is($server->safe_psql($name, "SET max_parallel_maintenance_workers = $_->[0]; SELECT differences($_->[1])"), '0 0 t', "$name: at $_->[1] with $_->[0] threads")
		for [ 0, 0.3 ], [ 2, 0.5 ], [ 1, 0.7 ], [ 4, 0.9 ], [ 2, 1 ];
}

# ---- many strings: threads, files
$server->safe_psql('utf8', q{CREATE TABLE many AS SELECT i AS id, md5((i / 3)::text) || left(md5((i / 40)::text), 12) || i % 3 AS string FROM generate_series(1, 60000) AS i});
sub with { return "SET max_parallel_maintenance_workers = $_[0]; SET maintenance_work_mem = '$_[1]';" }
my $all = q{similar_string_pairs('SELECT id, string FROM many', 0.6)};
my $digest = "SELECT count(*), md5(string_agg(concat_ws(' ', a, b, similarity), ',' ORDER BY a, b)) FROM $all";
my $alone = $server->safe_psql('utf8', with(0, '1GB') . $digest);
cmp_ok(($alone =~ /^(\d+)/)[0], '>', 50_000, 'there are pairs');
for my $memory ('64MB', '4MB')
{
	my @results = split /\n/, $server->safe_psql('utf8', join '; ', map { with($_, $memory) . $digest } 0, 1, 2, 4);
	is("@results", join(' ', ($alone) x 4), "equal with 0, 1, 2, 4 threads and $memory");
}

sub nothing_is_left
{
	my ($after) = @_;
	is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, "$after: no temporary file is left");
}

# ---- a cancel and a termination in each phase
my $endless = q{similar_string_pairs('SELECT id + 60000 * k, string FROM many, generate_series(0, 7) AS k', 0.6)};
for my $workers (0, 2)
{
	for my $phase ('reading rows', 'ordering strings', 'comparing strings that share trigrams')
	{
		# The division by zero in the same session tells that it goes on.
		my ($busy, $err) = start_sql($server, '\c utf8', with($workers, '4MB') . 'SET statement_timeout = 0', "SELECT count(*) FROM $endless", 'SELECT 1 / 0');
		my $cancelled = '';
		for (1 .. 3000)
		{
			$cancelled = $server->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM bulk_progress() WHERE function = 'similar_string_pairs' AND phase = '$phase'");
			last if $cancelled ne '';
			select undef, undef, undef, 0.02;
		}
		is($cancelled, 't', "$workers threads: cancelled while $phase");
		$busy->finish;
		like($$err, qr/57014.*22012/s, "$workers threads, $phase: the statement was cancelled, and the session went on");
		nothing_is_left("$workers threads, cancelled while $phase");
	}
	my ($busy, $err) = start_sql($server, '\c utf8', with($workers, '4MB'), "SELECT count(*) FROM $endless");
	for (1 .. 3000)
	{
		last if $server->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM bulk_progress() WHERE phase LIKE 'comparing%'}) ne '';
		select undef, undef, undef, 0.02;
	}
	$busy->finish;
	like($$err, qr/FATAL:  57P01/, "$workers threads: a session that is terminated ends");
	nothing_is_left("$workers threads, terminated");
}

# ---- temp_file_limit: everything between no file and all of them
for my $workers (0, 2)
{
	my ($refused, $done) = (0, 0);
	for my $limit (500, 2000, 5000, 9000, 12000, 15000, 20000, 100000)
	{
		my ($status, $out, $err) = $server->psql('utf8', with($workers, '1MB') . "SET temp_file_limit = '${limit}kB'; \\set VERBOSITY sqlstate\nSELECT count(*) FROM $all;\nSELECT 'on';", on_error_stop => 0);
		$refused++ if $err =~ /ERROR:\s+53400/ && $out eq 'on';
		$done++ if $err eq '' && $out =~ /^\d+\non$/;
	}
	cmp_ok($refused, '>', 2, "$workers threads: temp_file_limit ends the statement, and the session goes on");
	cmp_ok($done, '>', 0, "$workers threads: or all fits into it");
	is($refused + $done, 8, "$workers threads: nothing else happens");
	nothing_is_left("$workers threads, temp_file_limit");
}

# ---- where it is called from
is($server->safe_psql('utf8', q{SELECT count(*) FROM similar_string_pairs('SELECT id, string FROM many WHERE id <= (SELECT 300 + 0 * count(*) FROM similar_string_pairs(''SELECT id, string FROM many WHERE id < 500'', 0.9))', 0.6)}),
	$server->safe_psql('utf8', q{SELECT count(*) FROM similar_string_pairs('SELECT id, string FROM many WHERE id <= 300', 0.6)}), 'a query that calls it again');
$server->safe_psql('utf8', q{CREATE FUNCTION own(i int) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN
	RETURN (SELECT count(*) || md5(string_agg(r::text, ' ' ORDER BY r::text COLLATE "C")) FROM similar_string_pairs('SELECT id, string FROM many WHERE id < 3000', 0.6) AS r); END $$;
	CREATE TABLE calls AS SELECT i FROM generate_series(1, 4) AS i});
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;';
is($server->safe_psql('utf8', "$parallel SELECT count(DISTINCT own(i)) = 1 AND min(own(i)) = (SELECT own(1)) FROM calls"), 't', 'in a parallel query, where it has no threads');
$server->safe_psql('utf8', q{CREATE ROLE txtfp_reader; GRANT SELECT ON many TO txtfp_reader; ALTER TABLE many ENABLE ROW LEVEL SECURITY; CREATE POLICY only_even ON many FOR SELECT TO txtfp_reader USING (id % 2 = 0)});
is($server->safe_psql('utf8', with($_, '4MB') . "SET ROLE txtfp_reader; $digest"),
	$server->safe_psql('utf8', $digest =~ s/FROM many/FROM many WHERE id % 2 = 0/r), "row-level security, $_ threads") for 0, 2;

# ---- memory: beyond what is allowed, 24 bytes for each string, and what the session had before
SKIP:
{
	skip 'no /proc here', 2 if !-r '/proc/self/status' || $ENV{TXTFP_SERVER_ENV};
	for my $workers (0, 2)
	{
		my ($busy, $err) = start_sql($server, '\c utf8', with($workers, '16MB'), q{SELECT count(*) FROM similar_string_pairs('SELECT id + 60000 * k, string || k FROM many, generate_series(0, 6) AS k', 0.99)});
		my ($peak, $pid) = (0);
		while ($busy->pumpable)
		{
			$busy->pump_nb;
			$pid ||= $server->safe_psql('postgres', q{SELECT max(pid) FROM bulk_progress()}) || next;
			select undef, undef, undef, 0.002;
			my ($kilobytes) = (eval { PostgreSQL::Test::Utils::slurp_file("/proc/$pid/status") } // '') =~ /RssAnon:\s+(\d+)/;
			$peak = $kilobytes if defined $kilobytes && $kilobytes > $peak;
		}
		$busy->finish;
		is($$err, '', "$workers threads: 420,000 strings");
		cmp_ok($peak, '<', 16_384 + 420_000 * 24 / 1024 + 20_000, "$workers threads take $peak kB, of which 16 MB are allowed, and 24 bytes for each string");
	}
}
done_testing();

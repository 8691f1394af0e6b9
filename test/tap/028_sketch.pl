# Random searches of indexes of the access method sketch return the same rows as scans of the table, with inserts, updates, deletes, vacuum,
# rollbacks and crashes in between. TXTFP_SKETCH_PROBES=N searches (default 1500, in the long run 6000; a million take about twenty minutes),
# TXTFP_SKETCH_SEED=N other searches; TXTFP_SKETCH_TYPES='minhash64_compact tlsh' divides them among these types alone. The test also opens an index in the format of another library.
use strict;
use warnings;

use FindBin;
use List::Util qw(shuffle);
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;

my $probes = $ENV{TXTFP_SKETCH_PROBES} // by_length(6000, 1500);
my $seed   = $ENV{TXTFP_SKETCH_SEED} // 1;
my $rounds = $probes > 100000 ? 40 : by_length(6, 2);
srand $seed;

my $server = new_server('sketch', damaged => 1, conf => "fsync = off\nshared_buffers = 16MB\ncheckpoint_timeout = 1h\n");

# share: fraction of the searches; rows: number of rows in the table; parts: the index has a leading column, and searches are for one of its values
my %type = (
	minhash64  => { share => 0.1,  rows => 1500, make => 'to_minhash64(%s, \'word-uax29\')',  similar => 'minhash_similar',   threshold => 'random()', distance => '<%>' },
	minhash64_compact  => { share => 0.05, rows => 1500, make => 'to_minhash64_compact(%s, \'word-uax29\')', similar => 'minhash_similar', threshold => 'random()', distance => '<%>' },
	minhash256_compact => { share => 0.05, parts => 1, rows => 1000, make => 'to_minhash256_compact(%s, \'word-uax29\')', similar => 'minhash_similar', threshold => 'random()', distance => '<%>' },
	minhash128_compact => { share => 0.1, parts => 1, rows => 1200, make => 'to_minhash128_compact(%s, \'word-uax29\')', similar => 'minhash_similar', threshold => 'random()', distance => '<%>' },
	minhash128 => { share => 0.1,  rows => 1200, make => 'to_minhash128(%s, \'word-uax29\')', similar => 'minhash_similar',   threshold => 'random()', distance => '<%>' },
	minhash256 => { share => 0.1,  rows => 800,  make => 'to_minhash256(%s, \'word-uax29\')', similar => 'minhash_similar',   threshold => 'random()', distance => '<%>' },
	simhash64  => { share => 0.25, rows => 1500, make => 'to_simhash64(%s)',                  similar => 'simhash_similar',   threshold => '(random() * 40)::int', distance => '<#>' },
	tlsh       => { share => 0.2,  rows => 900, parts => 1, make => 'to_tlsh(%s)',                       similar => 'tlsh_similar',      threshold => '(random() ^ 2 * 300)::int', distance => '<~>' },
	lavinhash  => { share => 0.05, rows => 250,  make => 'to_lavinhash(convert_to(%s, \'UTF8\'))', similar => 'lavinhash_similar', threshold => '(random() * 100)::int', distance => '<->' });
if (my @chosen = split ' ', $ENV{TXTFP_SKETCH_TYPES} // '')
{
	$type{$_} // die "there is no type $_" for @chosen;
	%type = map { my $name = $_; $_ => { %{ $type{$_} }, share => scalar(grep { $_ eq $name } @chosen) / @chosen } } 'minhash128', 'simhash64', @chosen; # the end asks these two
}

# Texts in families of eight: each text of a family has less in common with the first one.
$server->safe_psql('postgres', q{
	CREATE FUNCTION words(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT string_agg(md5(CASE WHEN i <= n % 8 * 4 THEN n * 100 ELSE n / 8 * 100000 END + i || ''), ' ' ORDER BY i) FROM generate_series(1, 30) AS i $$});
for my $name (sort keys %type)
{
	my $t = $type{$name};
	my ($make, $similar, $distance) = (sprintf($t->{make}, 'words(n)'), "$t->{similar}(fp, q, threshold)", "fp $t->{distance} q");
	my ($part, $columns) = $t->{parts} ? ('part = p AND', 'part, fp') : ('', 'fp');
	my $threshold_type = $t->{threshold} =~ /int/ ? 'int' : 'float8';
	my $answers = sub {
		my ($prefix, $settings) = @_;
		return qq{
			CREATE FUNCTION ${prefix}_within_$name(q $name, threshold $threshold_type, p int) RETURNS text LANGUAGE plpgsql $settings AS \$\$
				BEGIN RETURN (SELECT string_agg(id::text, ',' ORDER BY id) FROM docs_$name WHERE $part $similar); END \$\$;
			CREATE FUNCTION ${prefix}_nearest_$name(q $name, k int, p int) RETURNS text LANGUAGE plpgsql $settings AS \$\$
				BEGIN RETURN (SELECT string_agg(coalesce(d::text, 'null'), ',') FROM (SELECT $distance AS d FROM docs_$name WHERE $part true ORDER BY $distance LIMIT k) AS x); END \$\$;
			CREATE FUNCTION ${prefix}_both_$name(q $name, threshold $threshold_type, k int, p int) RETURNS text LANGUAGE plpgsql $settings AS \$\$
				BEGIN RETURN (SELECT string_agg(d::text, ',') FROM (SELECT $distance AS d FROM docs_$name WHERE $part $similar ORDER BY $distance LIMIT k) AS x); END \$\$;
			CREATE FUNCTION ${prefix}_all_$name(q $name, p int) RETURNS text LANGUAGE plpgsql $settings AS \$\$
				BEGIN RETURN (SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || sum(id) || ' ' || md5(string_agg(coalesce(d::text, 'null'), ',')) FROM (SELECT id, $distance AS d FROM docs_$name WHERE $part true ORDER BY $distance) AS x); END \$\$};
	};
	$server->safe_psql('postgres', qq{
		CREATE TABLE pool_$name AS SELECT n, $make AS fp FROM generate_series(1, 3000) AS n;
		INSERT INTO pool_$name SELECT 3000 + n, $make FROM generate_series(100001, 100500) AS n;
		ALTER TABLE pool_$name ADD PRIMARY KEY (n);
		CREATE TABLE docs_$name (id int GENERATED ALWAYS AS IDENTITY, part int DEFAULT random() ^ 3 * 8, fp $name);
		CREATE INDEX docs_${name}_fp ON docs_$name USING sketch ($columns);
		CREATE FUNCTION put_$name(rows int) RETURNS void LANGUAGE sql AS \$\$
			INSERT INTO docs_$name (fp) SELECT CASE WHEN random() < 0.97 THEN (SELECT fp FROM pool_$name WHERE n = wanted) END
			FROM (SELECT 1 + (random() * 2999)::int AS wanted FROM generate_series(1, rows)) AS x \$\$;}
		  . $answers->('table', 'SET enable_indexscan = off SET enable_bitmapscan = off')
		  . ';' . $answers->('index', 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off')
		  . ';' . $answers->('bitmap', 'SET enable_seqscan = off SET enable_indexscan = off')
		  . qq{;
		CREATE FUNCTION differences_$name(searches int) RETURNS bigint LANGUAGE plpgsql AS \$\$
		DECLARE
			q $name;
			threshold $threshold_type;
			k int;
			kind float8;
			p int;
			wrong bigint := 0;
		BEGIN
			FOR i IN 1 .. searches LOOP
				SELECT fp INTO q FROM pool_$name WHERE n = 1 + (random() * 3499)::int;
				threshold := $t->{threshold};
				k := 1 + (random() ^ 3 * 200)::int;
				kind := random();
				p := random() ^ 2 * 9;
				wrong := wrong + CASE
					WHEN kind < 0.35 THEN index_within_$name(q, threshold, p) IS DISTINCT FROM table_within_$name(q, threshold, p)
					WHEN kind < 0.5 THEN bitmap_within_$name(q, threshold, p) IS DISTINCT FROM table_within_$name(q, threshold, p)
					WHEN kind < 0.8 THEN index_nearest_$name(q, k, p) IS DISTINCT FROM table_nearest_$name(q, k, p)
					WHEN kind < 0.98 THEN index_both_$name(q, threshold, k, p) IS DISTINCT FROM table_both_$name(q, threshold, k, p)
					ELSE index_all_$name(q, p) IS DISTINCT FROM table_all_$name(q, p) END::int;
			END LOOP;
			RETURN wrong;
		END \$\$});
}

# Makes one change of each kind, in random order; a crash happens in the middle of an insert.
sub disturb
{
	my ($name) = @_;
	my $rows = $type{$name}{rows};
	my @steps = (
		"SELECT put_$name(" . int(rand $rows / 3) . ')',
		"DELETE FROM docs_$name WHERE random() < " . rand(0.4),
		"UPDATE docs_$name SET fp = (SELECT p.fp FROM pool_$name AS p WHERE n = 1 + docs_$name.id % 3000) WHERE random() < 0.1",
		"UPDATE docs_$name SET part = (part + 1) % 9 WHERE random() < 0.1",
		"BEGIN; SELECT put_$name(50); ROLLBACK",
		"VACUUM docs_$name",
		"SELECT put_$name(greatest(0, $rows - (SELECT count(*)::int FROM docs_$name)))");
	$server->safe_psql('postgres', $steps[$_]) for shuffle(0 .. 5);
	$server->safe_psql('postgres', $steps[6]);
	return;
}

my ($searches, $differences, $crashes) = (0, 0, 0);
for my $round (1 .. $rounds)
{
	disturb($_) for sort keys %type;
	if ($round % 2 == 0)
	{
		my ($writer) = start_sql($server, map { "SELECT put_$_(200)" } (sort keys %type) x 20);
		Time::HiRes::sleep(rand 0.3);
		$server->stop('immediate');
		$writer->finish;
		$server->start;
		++$crashes;
	}
	for my $name (sort keys %type)
	{
		is($server->safe_psql('postgres', "SELECT sketch_check('docs_${name}_fp', true) >= count(*) FROM docs_$name"), 't', "round $round: index of $name is sound");
		my $n = int($type{$name}{share} * $probes / $rounds);
		my $wrong = $server->safe_psql('postgres', 'SELECT setseed(' . rand() . "); SELECT differences_$name($n)");
		$wrong =~ s/.*\n//s;
		is($wrong, 0, "round $round: $n searches of $name as the table answers");
		$searches += $n;
		$differences += $wrong;
	}
}
note "$searches searches, $differences differences, $crashes crashes (seed $seed)";

for my $function ('within', 'nearest', 'both')
{
	my $query = $function eq 'within' ? 'minhash_similar(fp, (SELECT fp FROM pool_minhash128 LIMIT 1), 0.5)' : 'true';
	my $order = $function eq 'within' ? '' : 'ORDER BY fp <%> (SELECT fp FROM pool_minhash128 LIMIT 1) LIMIT 3';
	like($server->safe_psql('postgres', "SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN SELECT id FROM docs_minhash128 WHERE $query $order"),
		qr/Index Scan using docs_minhash128_fp/, "$function: it was the index that answered");
}

# ---- an index of another format: bytes of its metapage are changed while the server is down

sub patch
{
	my ($offset, $bytes) = @_;
	my $file = $server->data_dir . '/' . $server->safe_psql('postgres', "SELECT pg_relation_filepath('docs_simhash64_fp')");
	$server->stop;
	open my $handle, '+<:raw', $file or die "$file: $!";
	seek $handle, $offset, 0;
	read $handle, my $before, length $bytes;
	seek $handle, $offset, 0;
	print $handle $bytes;
	close $handle;
	$server->start;
	return $before;
}

sub error_of
{
	my ($query) = @_;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY verbose\nSET enable_seqscan = off; $query");
	return $err;
}

my @queries = (q{SELECT id FROM docs_simhash64 WHERE simhash_similar(fp, '0000000000000000', 3)},
	q{SELECT id FROM docs_simhash64 ORDER BY fp <#> '0000000000000000' LIMIT 1}, q{INSERT INTO docs_simhash64 (fp) VALUES ('0000000000000000')},
	q{DELETE FROM docs_simhash64; VACUUM docs_simhash64}, q{SELECT sketch_check('docs_simhash64_fp')});
for my $damage (
	[ 28, pack('v', 99), qr/0A000: .*index "docs_simhash64_fp" has format 99, features 0 of the access method "sketch", not 2, 0 to 3.*REINDEX/s, 'a later format' ],
	[ 36, pack('V', 8), qr/0A000: .*has format 2, features 8 .*REINDEX/s, 'an unknown feature' ],
	[ 24, 'oops', qr/XX002: .*index "docs_simhash64_fp" is damaged at block 0.*REINDEX/s, 'no magic number' ])
{
	my ($offset, $bytes, $expected, $what) = @$damage;
	my $before = patch($offset, $bytes);
	like(error_of($_), $expected, "$what: " . substr($_, 0, 40)) for @queries;
	patch($offset, $before);
}
is(error_of('REINDEX INDEX docs_simhash64_fp'), '', 'REINDEX');

done_testing();

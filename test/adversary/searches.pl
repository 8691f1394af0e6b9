# The operator class option `threshold` chooses a banding, by trying all of them. That must not be paid for again and again: a search, and a
# statement that inserts, take as long as with the same banding given as `bands` and `rows`. Times are compared in one run.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use TxtfpTest;
use Test::More;

my $server = new_server('searches');
my $clock  = q{split_part(s, ' ', 12)::int + split_part(s, ' ', 13)::int FROM (SELECT regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', 'x ') AS s) AS stat};

$server->safe_psql('postgres', q{
	CREATE TABLE given AS SELECT i AS id, to_minhash128('text number ' || i || ' of many, of which none is like another ' || i * 7919 % 100003, 'word-uax29') AS fp FROM generate_series(1, 20000) AS i;
	CREATE TABLE chosen AS SELECT * FROM given;
	CREATE INDEX ON chosen USING gin (fp minhash128_lsh_ops (threshold = 0.8, recall = 0.99)) WITH (fastupdate = off)});
my ($bands, $rows) = split /\|/, $server->safe_psql('postgres', 'SELECT * FROM lsh_params(0.8, 128, 0.99)');
$server->safe_psql('postgres', "CREATE INDEX ON given USING gin (fp minhash128_lsh_ops (bands = $bands, rows = $rows, recall = 0.99)) WITH (fastupdate = off); VACUUM ANALYZE given, chosen");
for my $table ('given', 'chosen')
{
	$server->safe_psql('postgres', qq{
		CREATE FUNCTION search_$table(n int) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS \$\$
		DECLARE q minhash128 := (SELECT fp FROM $table WHERE id = 77);
		BEGIN FOR i IN 1 .. n LOOP PERFORM FROM $table WHERE minhash_similar(fp, q, 0.8); END LOOP; END \$\$;
		CREATE FUNCTION insert_$table(n int) RETURNS void LANGUAGE plpgsql AS \$\$
		DECLARE q minhash128 := (SELECT fp FROM $table WHERE id = 77);
		BEGIN FOR i IN 1 .. n LOOP INSERT INTO $table VALUES (-i, q); END LOOP; END \$\$});
}

# processor time, the least of several runs
sub ticks
{
	my ($call) = @_;
	my $least;
	for (1 .. 4)
	{
		my @ticks = split /\n/, $server->safe_psql('postgres', "BEGIN; SELECT $clock; SELECT $call; SELECT $clock; ROLLBACK");
		@ticks = grep { $_ ne '' } @ticks;
		my $taken = $ticks[-1] - $ticks[0];
		$least = $taken unless defined $least && $least < $taken;
	}
	return $least;
}

for my $what ('search', 'insert')
{
	my $given = ticks("${what}_given(20000)");
	my $chosen = ticks("${what}_chosen(20000)");
	cmp_ok($given, '>', 5, "$what: long enough to measure ($given ticks)");
	cmp_ok($chosen / $given, '<=', 1.5, sprintf('%s: with the threshold %.2f times as long as with the banding', $what, $chosen / $given));
}

$server->stop;
done_testing();

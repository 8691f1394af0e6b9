# Ids that would collide in a hash table if its hash were known, and very many tokens. Limits apply to growth and to the ratio to
# ordinary input in the same run, not to seconds.
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib "$FindBin::RealBin/../tap";
use TxtfpTest;
use Test::More;

my $server = new_server('flooding');

# The bigint whose XXH3 (64 bits, seed 0) is the argument: for 8 bytes XXH3 is a bijection (see test/unit/table_hash.cpp).
sub id_of_hash
{
	use integer;
	my ($h)        = @_;
	my $multiplier = -6939452855193903323;                                                        # 0x9FB21C651E98DF25
	my $inverse    = 1;
	my $right      = sub { my ($x, $n) = @_; return ($x >> $n) & ((1 << (64 - $n)) - 1) };
	my $rotate     = sub { my ($x, $n) = @_; return $n == 0 ? $x : ($x << $n) | $right->($x, 64 - $n) };
	$inverse *= 2 - $multiplier * $inverse for 1 .. 6;
	$h = ($h ^ $right->($h, 28) ^ $right->($h, 56)) * $inverse;
	$h = ($h ^ ($right->($h, 35) + 8)) * $inverse;
	$h = $h ^ $rotate->($h, 49 * $_ % 64) ^ $rotate->($h, 24 * $_ % 64) for 1, 2, 4, 8, 16, 32;
	$h ^= 2066345149520216444 ^ -2623469361688619810;                                             # words of the default secret
	return $rotate->($h, 32);
}

# processor time of a session that executes a query four times, the least of several
sub seconds_of
{
	my ($query) = @_;
	my $clock = q{SELECT 'ticks', split_part(s, ' ', 12)::int + split_part(s, ' ', 13)::int FROM (SELECT regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', 'x ') AS s) AS stat};
	my $least;
	for (1 .. 3)
	{
		my @ticks = $server->safe_psql('postgres', "$clock; " . "$query; " x 4 . $clock) =~ /^ticks\|(\d+)$/mg;
		my $seconds = ($ticks[1] - $ticks[0] + 0.5) / 100;
		$least = $seconds unless defined $least && $least < $seconds;
	}
	return $least;
}

sub load_ids
{
	my ($table, @ids) = @_;
	$server->safe_psql('postgres', "CREATE TABLE $table (id bigint)");
	my $file = File::Spec->rel2abs("${PostgreSQL::Test::Utils::tmp_check}/$table"); # the server is in another directory
	PostgreSQL::Test::Utils::append_to_file($file, join("\n", @ids) . "\n");
	$server->safe_psql('postgres', "COPY $table FROM '$file'");
}

load_ids('crafted_small', map { id_of_hash($_ << 32) } 1 .. 25000);
load_ids('crafted_large', map { id_of_hash($_ << 32) } 1 .. 100000);
{
	use integer;
	load_ids('ordinary', map { id_of_hash($_ * 7046029254386353131) } 1 .. 100000);
}
is($server->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM crafted_large'), 100000, 'the ids are different');
my ($small, $large, $ordinary) = map { seconds_of("SELECT count(*) FROM connected_components('SELECT id, id FROM $_')") } qw(crafted_small crafted_large ordinary);
cmp_ok($large / $small,    '<=', 6, sprintf('connected_components: four times the chosen ids take %.1f times as long', $large / $small));
cmp_ok($large / $ordinary, '<=', 3, sprintf('connected_components: chosen ids take %.1f times as long as others', $large / $ordinary));

# Ids without any order, as numbers and as text, of which no two are equal: growth, and beside ids that come in order.
$server->safe_psql('postgres', q{CREATE TABLE random_large AS SELECT hashint8extended(i, 42) AS id FROM generate_series(1, 400000) AS i;
	CREATE TABLE random_small AS SELECT * FROM random_large LIMIT 100000;
	CREATE TABLE in_order AS SELECT i AS id FROM generate_series(1::bigint, 400000) AS i});
for my $type ('bigint', 'text', 'uuid')
{
	my $id = { bigint => 'id', text => 'md5(id::text)', uuid => 'md5(id::text)::uuid' }->{$type};
	my ($few, $many, $ordered) = map { seconds_of("SELECT count(*) FROM connected_components(NULL::$type, 'SELECT $id, $id FROM $_')") } qw(random_small random_large in_order);
	cmp_ok($many / $few,     '<=', 7, sprintf('connected_components of %s: four times the random ids take %.1f times as long', $type, $many / $few));
	cmp_ok($many / $ordered, '<=', 5, sprintf('connected_components of %s: random ids take %.1f times as long as ids in order', $type, $many / $ordered));
}

# Very many distinct tokens, of one document and of a corpus: time must be linear.
for my $function ("to_simhash64(string_agg('w' || i, ' '), 'word-uax29', weighting => 'uniform')", "simhash_idf_agg('w' || i, 'word-uax29') IS NULL")
{
	my ($few, $many) = map { seconds_of("SELECT $function FROM generate_series(1, $_) AS i") } 50000, 200000;
	(my $name = $function) =~ s/\(.*//;
	cmp_ok($many / $few, '<=', 7, sprintf('%s: four times the tokens take %.1f times as long', $name, $many / $few));
}

done_testing();

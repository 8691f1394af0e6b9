# The index reaches its recall: recall and precision on 20,000 texts (in the short run 8,000) with different numbers of edits, compared with all
# pairs of a tenth of them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use Test::More;

my $documents = by_length(20_000, 8_000);

# Texts of 200 words, frequent words more often (Zipf). Of every four texts three are copies of the first with 0 to 12 edits.
srand(20240229);
my @vocabulary = map { my $n = $_; join('', map { chr(97 + ($n = ($n * 7 + 13) % 1009) % 26) } 1 .. 3 + $_ % 6) . $_ } 1 .. 20_000;
sub word { return $vocabulary[ int(@vocabulary**rand) - 1 ] }

my (@texts, @original);
for my $i (0 .. $documents - 1)
{
	@original = map { word() } 1 .. 200 if $i % 4 == 0;
	my @words = @original;
	if ($i % 4)
	{
		for (1 .. $i % 13)    # replace, delete, insert
		{
			splice @words, int rand @words, $_ % 3 == 2 ? 0 : 1, $_ % 3 == 1 ? () : word();
		}
	}
	push @texts, join ' ', @words;
}

my $server = new_server('recall', conf => "shared_buffers = 128MB\nmax_parallel_workers_per_gather = 2\n");
$server->safe_psql('postgres',
	"CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);\nCOPY docs (id, body) FROM stdin;\n"
	  . join('', map { "$_\t$texts[$_]\n" } 0 .. $#texts)
	  . "\\.\n");
$server->safe_psql('postgres', q{CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops) WITH (fastupdate = off); VACUUM ANALYZE docs});
my $chosen = 'id % 40 < 4';    # a tenth: texts and their edited copies
$server->safe_psql('postgres',
	"CREATE TABLE truth AS SELECT p.id AS probe, d.id, jaccard(p.fp, d.fp) AS similarity FROM (SELECT * FROM docs WHERE $chosen) AS p, docs AS d WHERE jaccard(p.fp, d.fp) >= 0.6 AND p.id <> d.id");

sub check
{
	my ($name, $least, @thresholds) = @_;
	for my $t (@thresholds)
	{
		my $plan = $server->safe_psql('postgres', "EXPLAIN SELECT d.id FROM docs AS p JOIN docs AS d ON minhash_similar(d.fp, p.fp, $t)");
		like($plan, qr/Bitmap Index Scan on docs_fp/, "$name, $t: the join uses the index, unasked");
		my ($true, $found, $wrong) = split /\|/, $server->safe_psql('postgres', qq{
			WITH found AS (SELECT p.id AS probe, d.id FROM (SELECT * FROM docs WHERE $chosen) AS p JOIN docs AS d ON minhash_similar(d.fp, p.fp, $t) WHERE p.id <> d.id),
				truth AS (SELECT probe, id FROM truth WHERE similarity >= $t)
			SELECT (SELECT count(*) FROM truth), (SELECT count(*) FROM truth JOIN found USING (probe, id)), (SELECT count(*) FROM (TABLE found EXCEPT TABLE truth) AS w)});
		cmp_ok($true, '>', $documents / 100, "$name, $t: there are pairs to find ($true)");
		cmp_ok($found, '>=', $least * $true, sprintf('%s, %s: recall %.4f', $name, $t, $found / $true));
		is($wrong, 0, "$name, $t: no false pair");
	}
}

check('default', 0.99, 0.7, 0.75, 0.8, 0.85, 0.9);

for my $options ('bands = 32', 'threshold = 0.75', 'threshold = 0.85, recall = 0.95')
{
	$server->safe_psql('postgres', "DROP INDEX docs_fp; CREATE INDEX docs_fp ON docs USING gin (fp minhash128_lsh_ops ($options)) WITH (fastupdate = off)");
	check($options, $options =~ /recall = ([\d.]+)/ ? $1 : 0.99, grep { $_ >= ($options =~ /threshold = ([\d.]+)/ ? $1 : 0) } 0.75, 0.8, 0.85, 0.9);
}

# Estimates are close to the similarities of the texts: with 128 slots the error is nearly always below 0.15.
my $off = $server->safe_psql('postgres', q{
	CREATE FUNCTION exact(a int, b int) RETURNS float8 LANGUAGE sql AS $$
		WITH s AS (SELECT array(SELECT DISTINCT unnest(tokenize(canonicalize(x.body), 'shingle-k=5/word-uax29'))) AS x, array(SELECT DISTINCT unnest(tokenize(canonicalize(y.body), 'shingle-k=5/word-uax29'))) AS y
			FROM docs AS x, docs AS y WHERE x.id = a AND y.id = b)
		SELECT (SELECT count(*) FROM (SELECT unnest(x) INTERSECT SELECT unnest(y)) AS i)::float8 / (SELECT count(*) FROM (SELECT unnest(x) UNION SELECT unnest(y)) AS u) FROM s $$;
	SELECT count(*) FILTER (WHERE abs(similarity - exact(probe, id)) > 0.15) FROM (SELECT * FROM truth WHERE probe < id ORDER BY probe, id LIMIT 300) AS t});
cmp_ok($off, '<=', 3, "estimates are near the exact similarities ($off of 300 are off by 0.15)");

done_testing();

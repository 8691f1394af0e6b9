# Every SIMD level gives the same results: fingerprints of every kind, distances, searches by every index, bulk functions. A
# TXTFP_SIMD_LEVEL that cannot be used is reported.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use Test::More;

my %digest_of;
for my $level ('', 'baseline', 'avx2', 'avx512', 'neon', 'sse9')
{
	my $server = do
	{
		local %ENV = (%ENV, $level eq '' ? () : (TXTFP_SIMD_LEVEL => $level));
		delete $ENV{TXTFP_SIMD_LEVEL} if $level eq '';
		new_server('simd' . ($level || '_best'));
	};
	my ($status, $used, $said) = $server->psql('postgres', 'SELECT simd FROM txtfp_info()');
	if ($said ne '')
	{
		like($said, qr/WARNING:  environment variable TXTFP_SIMD_LEVEL is "$level", which (is no level|this processor does not have)/, "$level: refused, loudly");
		isnt($used, $level, "$level: another one is used");
		if (by_length(0, 1))    # which was the first of this loop
		{
			$server->stop;
			next;
		}
	}
	else
	{
		is($used, $level, "$level: used") if $level ne '';
	}
	create_docs($server, 400);
	my @columns = split /\n/, $server->safe_psql('postgres', q{
		SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'docs'::regclass AND attnum > 0 AND atttypid::regtype::text ~ '^(minhash|simhash|tlsh|lavinhash|fingerprint)' AND NOT attisdropped ORDER BY attname});
	cmp_ok(scalar @columns, '>=', 6, "$used: columns of every type");
	my @queries = map { "SELECT md5(string_agg($_\::text, ' ' ORDER BY id)) FROM docs" } @columns;
	push @queries, map { "SELECT md5(string_agg(a.id || ' ' || b.id, ',' ORDER BY a.id, b.id)) FROM docs AS a JOIN docs AS b ON $_ WHERE a.id % 7 = 0" }
	  'minhash_similar(a.minhash, b.minhash, 0.6)', 'simhash_similar(a.simhash, b.simhash, 9)', 'tlsh_similar(a.tlsh, b.tlsh, 60)', 'lavinhash_similar(a.lavinhash, b.lavinhash, 60)';
	push @queries, map { "SELECT md5(string_agg($_, ',' ORDER BY a.id, b.id)) FROM docs AS a, docs AS b WHERE a.id % 40 = 0" } 'jaccard(a.minhash, b.minhash)::text', 'tlsh_distance(a.tlsh, b.tlsh)::text',
	  '(a.lavinhash <-> b.lavinhash)::text';
	push @queries, "SELECT md5(string_agg(a || ' ' || b, ',' ORDER BY a, b)) FROM near_duplicate_pairs('SELECT id, minhash FROM docs', 0.3)",
	  "SELECT md5(string_agg(a || ' ' || b, ',' ORDER BY a, b)) FROM near_duplicate_pairs('SELECT id, simhash FROM docs', max_distance => 20)",
	  "SELECT md5(string_agg(a || ' ' || b, ',' ORDER BY a, b)) FROM near_duplicate_pairs('SELECT i, to_minhash128(array(SELECT ''x'' || t FROM generate_series(1, 33) AS t) || array(SELECT format(''y%s %s'', i / 2, t) FROM generate_series(1, 7) AS t) || i::text) FROM generate_series(1, 1500) AS i', 0.7)";
	my @answers = map { $server->safe_psql('postgres', $_) } @queries;
	is(scalar(grep { $_ eq '' } @answers), 0, "$used: every query has an answer");
	my $digest = join ' ', @answers;
	$digest_of{best} //= $digest;
	is($digest, $digest_of{best}, "$used: the same as at the best level");
	$server->stop;
}

done_testing();

# What functions do must not depend on what their memory held before: in a server whose malloc fills memory (soiled_memory.c), clusters are checked with
# more and more differences, each of which moves what is allocated afterwards. Before a cursor's parameters all had a value, some of the checks ended with
# "cache lookup failed for type".
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir()) . '/soiled_memory.so';
my @compile = (split(' ', $ENV{CC} || 'cc'), '-shared', '-fPIC', '-O1', '-fno-builtin', '-o', $library, "$FindBin::RealBin/soiled_memory.c");
plan skip_all => 'needs glibc and a C compiler' if $^O ne 'linux' || !PostgreSQL::Test::Utils::run_log(\@compile);

my $server = new_server('memory');
$server->stop;
{
	local $ENV{LD_PRELOAD} = $library;
	$server->start;
}
$server->safe_psql('postgres', q{
	CREATE TABLE points (id int PRIMARY KEY, fp simhash64);
	CREATE INDEX ON points USING sketch (fp);
	CALL live_clusters_create('points', 'id', 'fp', mode => 'star', max_distance => 2);
	ALTER TABLE points DISABLE TRIGGER USER});
for my $session (1 .. 4)
{
	my $statements = join ' ', map { "INSERT INTO points VALUES ($_, ($_ / 2)::bit(64)::simhash64); SELECT FROM live_clusters_check('points') LIMIT 1;" } map { $session * 1000 + $_ } 1 .. 50;
	my ($status, $out, $err) = $server->psql('postgres', "TRUNCATE points; $statements");
	is($err, '', "session $session: no error");
}
$server->stop;
done_testing();

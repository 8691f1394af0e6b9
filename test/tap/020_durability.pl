# Indexes of every type after a crash while they are built, rebuilt and written to. 019_maintenance has what needs no crash.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rows   = by_length(2000, 500);
my $server = new_server('durable', streaming => 1, conf => "shared_buffers = 32MB\nmaintenance_work_mem = 4MB\ncheckpoint_timeout = 1h\n");
create_docs($server, $rows);
create_load($server);
answers_agree($server, 'at first');

# ---- a crash while an index is built or rebuilt, with concurrent writers, at several moments

my $faults = 0;
sub crash_during
{
	my ($what, $sql, $later) = @_;
	my ($process) = start_sql($server, 'SET client_min_messages = error', ($sql) x 5000);
	(my $verb) = $sql =~ /^(\w+)/;
	my $running = is_at_work($server, $verb);
	my $rows_before = $server->safe_psql('postgres', 'SELECT max(id) FROM docs') if $later eq 'load';
	Time::HiRes::sleep($later) if $later ne 'load';
	wait_until($server, "SELECT max(id) > $rows_before + 40 FROM docs") if $later eq 'load';
	$server->stop('immediate');
	$process->finish;
	$server->start;
	++$faults;
	ok($running, "$what: was at work when the server went down");
}

my @builds = (
	docs_minhash   => 0.02, docs_simhash => 0.15, docs_tlsh      => 0.02, docs_tlsh   => 0.1,
	docs_compact => 0.3,  docs_lavinhash => 0.02, docs_lavinhash => 0.2);
while (my ($name, $later) = splice @builds, 0, 2)
{
	crash_during("CREATE INDEX as $name", "DO \$\$ BEGIN DROP INDEX IF EXISTS again; CREATE INDEX again ON docs USING $index{$name}; END \$\$", $later);
	crash_during("REINDEX $name", "REINDEX INDEX $name", $later);
}
$server->safe_psql('postgres', 'DROP INDEX IF EXISTS again');
answers_agree($server, 'after crashes during builds');
is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_index WHERE NOT (indisvalid AND indisready)'), 0, 'no index is invalid');

# ---- a crash while rows are written
for my $round (1 .. 3)
{
	crash_during("writers, round $round", 'CALL load(' . $round * 1_000_000 . ')', 'load');
	answers_agree($server, "after a crash of writers, round $round", "id % 40 IN (0, 1) OR id > $round * 1000000");
}
note("$faults crashes");

$server->stop;
done_testing();

# Indexes of every type after CONCURRENTLY under load and after VACUUM, and on a replica; values of every type through COPY, text and
# binary, and pg_dump.
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rows   = by_length(2000, 500);
my $server = new_server('maintained', streaming => 1, conf => "shared_buffers = 32MB\nmaintenance_work_mem = 4MB\ncheckpoint_timeout = 1h\n");
create_docs($server, $rows);
create_load($server);
answers_agree($server, 'at first');

# ---- CONCURRENTLY under load
my @writers = map { [ start_sql($server, "CALL load($_)") ] } 5_000_000, 5_000_000 - 8;
ok(is_at_work($server, 'CALL'), 'writers are at work');
my $before = $server->safe_psql('postgres', 'SELECT count(*) FROM docs');
for my $name (grep { $index{$_} !~ /^(btree|hash)/ } sort keys %index)
{
	$server->safe_psql('postgres', "REINDEX INDEX CONCURRENTLY $name");
}
$server->safe_psql('postgres', "DROP INDEX CONCURRENTLY $_; CREATE INDEX CONCURRENTLY $_ ON docs USING $index{$_}")
  for qw(docs_minhash docs_compact docs_tlsh docs_lavinhash);
$server->safe_psql('postgres', 'VACUUM docs');
cmp_ok($server->safe_psql('postgres', 'SELECT count(*) FROM docs'), '>', $before, 'rows came meanwhile');
$server->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL load%'});
$_->[0]->finish for @writers;
answers_agree($server, 'after CONCURRENTLY under load', 'id % 40 IN (0, 1)');

# ---- deletes and vacuum
$server->safe_psql('postgres', 'DELETE FROM docs WHERE id % 3 = 0');
answers_agree($server, 'after deletes');
$server->safe_psql('postgres', 'VACUUM docs');
answers_agree($server, 'after vacuum');
$server->safe_psql('postgres', "SELECT put(1, $rows, 12)");
answers_agree($server, 'after new rows in the old places');

# ---- a replica
$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->start;
for my $change ("SELECT put(8000, 8400)", 'DELETE FROM docs WHERE id % 7 = 0', 'VACUUM docs', 'REINDEX TABLE docs', "SELECT put(8000, 8400, 4)")
{
	$server->safe_psql('postgres', $change);
	$server->wait_for_catchup($replica);
	my @here     = answers($server, 'id % 40 IN (0, 1)');
	my @there    = answers($replica, 'id % 40 IN (0, 1)');
	my @by_table = answers($replica, 'id % 40 IN (0, 1)', 1);
	is("@there", "@here", "replica, after $change: indexes answer as on the primary");
	is("@there", "@by_table", "replica, after $change: and as the table does");
}
$replica->stop;

# ---- COPY of every type
my $all = q{SELECT count(*), count(minhash), md5(string_agg(docs::text, ',' ORDER BY id)) FROM };
for my $format ('text', 'csv', 'binary')
{
	my $file = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir()) . "/docs.$format";
	is($server->safe_psql('postgres', "COPY docs TO '$file' (FORMAT $format); CREATE TABLE copied (LIKE docs); COPY copied FROM '$file' (FORMAT $format); $all copied AS docs; DROP TABLE copied"),
		$server->safe_psql('postgres', "$all docs"), "COPY, $format: every value comes back");
}

# ---- pg_dump of every type and option
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$server->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'pg_dump', '-d', $server->connstr('postgres'), '-f', $dump ], 'pg_dump');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $server->connstr('restored'), '-f', $dump ], 'psql reads it');
is($server->safe_psql('restored', "$all docs"), $server->safe_psql('postgres', "$all docs"), 'every value comes back');
my $definitions = q{SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = 'docs'::regclass};
is($server->safe_psql('restored', $definitions), $server->safe_psql('postgres', $definitions), 'indexes keep their options');
is((split /\n/, $server->safe_psql('postgres', $definitions)) + 0, 1 + keys %index, 'there were so many');

$server->stop;
done_testing();

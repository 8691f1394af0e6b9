# Clients insert, search, update, delete and vacuum at the same time, on a table with an index of every kind. Afterwards every
# index gives the same answers as the table, and amcheck finds no damage. TXTFP_MIX_SECONDS=N (default 3, in the long run 10).
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{TXTFP_MIX_SECONDS} || by_length(10, 3);
my $server  = new_server('mix', conf => "max_connections = 40\nautovacuum = on\nautovacuum_naptime = 2s\n");
create_docs($server, by_length(2000, 1000));
$server->safe_psql('postgres', 'ALTER TABLE docs SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 50)');

my $id = "\\set id random(1, 4000)\n";
my %scripts = (
	'insert@8'  => "${id}SELECT put(:id, :id + 3);",
	'update@4'  => "${id}SELECT put(:id, :id, 4);",
	'one@4'     => "${id}UPDATE docs SET print = minhash, simhash = (~simhash::bigint)::simhash64 WHERE id = :id;",
	'delete@3'  => "${id}DELETE FROM docs WHERE id = :id;",
	'rollback@1' => "${id}BEGIN;\nSELECT put(:id + 5000, :id + 5010);\nROLLBACK;",
	'vacuum@1'  => 'VACUUM docs;',
	'pending@1' => q{SELECT gin_clean_pending_list('docs_minhash');},
	(map { ("probe_$_\@2" => "${id}SET enable_seqscan = off;\nSELECT count(*) FROM docs AS p JOIN docs AS d ON $condition{$_} WHERE p.id = :id;") } keys %condition));

my $dir = PostgreSQL::Test::Utils::tempdir();
my @files;
for my $name (sort keys %scripts)
{
	(my $file = $name) =~ s/\@.*//;
	append_to_file("$dir/$file.sql", $scripts{$name});
	push @files, '-f', "$dir/$file.sql" . ($name =~ /(\@.*)/)[0];
}
my ($out, $err);
my $ok = IPC::Run::run([ 'pgbench', '-n', '-c', 8, '-j', 2, '-T', $seconds, '--max-tries=100', '--random-seed=11', @files, $server->connstr('postgres') ], '>', \$out, '2>', \$err);
ok($ok, 'pgbench finishes') or diag $err;
unlike($err, qr/aborted|ERROR/, 'no client met an error') or diag substr $err, 0, 2000;
my ($transactions) = $out =~ /number of transactions actually processed: (\d+)/;
cmp_ok($transactions // 0, '>', 5 * $seconds, 'transactions: ' . ($transactions // 0));

answers_agree($server, 'afterwards', 'id % 20 < 2');
amcheck($server, 'afterwards', 'docs');
$server->safe_psql('postgres', 'VACUUM docs');
answers_agree($server, 'after vacuum', 'id % 20 < 2');
amcheck($server, 'after vacuum', 'docs');

$server->stop;
done_testing();

# The recipes of the README work as described: the trigger, and the queue with two workers and files that have no text.
use strict;
use warnings;

use TxtfpTest;
use Pages;
use PdfFiles;
use File::Temp ();
use Test::More;

my $server = new_server('recipes');
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_pdf');
my $dir = File::Temp::tempdir(CLEANUP => 1);
for my $file ([ 'good', page_pdf('BT /F 9 Tf 9 9 Td (all is well) Tj ET') ], [ 'bad', 'no PDF at all' ])
{
	open my $out, '>:raw', "$dir/$file->[0].pdf" or die $!;
	print $out $file->[1];
	close $out or die $!;
}
my ($good, $bad) = map { "pg_read_binary_file('$dir/$_.pdf')" } 'good', 'bad';

my @recipes = map { $_->{sql} } grep { $_->{sql} =~ /CREATE TABLE uploads/ } blocks('contrib/txtfp_pdf/README.md');
is(scalar @recipes, 2, 'the README has two recipes');
my ($trigger, $queue) = map { my $n = $_; $server->safe_psql('postgres', "CREATE DATABASE recipe$n"); $server->safe_psql("recipe$n", "CREATE EXTENSION txtfp_pdf CASCADE"); "recipe$n" } 0 .. 1;

$server->safe_psql($trigger, "$recipes[0]; INSERT INTO uploads (file) VALUES ($good), ($bad)");
is($server->safe_psql($trigger, 'SELECT id, trim(body, E\'\n\f\'), problem FROM uploads ORDER BY id'),
	"1|all is well|\n2||22P02: pdf parse error: May not be a PDF file", 'the trigger keeps the text, or what is wrong');
$server->safe_psql($trigger, "UPDATE uploads SET file = $good WHERE id = 2");
is($server->safe_psql($trigger, q{SELECT count(*) FROM uploads WHERE body LIKE 'all is well%' AND problem IS NULL}), 2, '... and anew when the file changes');

my $calls = "CALL extract_texts();\n";
my $define = $recipes[1] =~ s/^CALL extract_texts\(\);$//mr;
isnt($define, $recipes[1], 'the recipe of the queue ends in its call');
$server->safe_psql($queue, "$define; INSERT INTO uploads (file) SELECT CASE WHEN i % 4 = 0 THEN $bad ELSE $good END FROM generate_series(1, 20) AS i");
my @workers = map { IPC::Run::start([ 'psql', '-Xq', '-d', $server->connstr($queue) ], '<', \$calls, '>', \my $out, '2>', \my $err) } 1 .. 2;
$_->finish for @workers;
is($server->safe_psql($queue, q{SELECT count(*) FILTER (WHERE body LIKE 'all is well%'), count(*) FILTER (WHERE problem LIKE '22P02: pdf parse error: %'), max(attempts) FILTER (WHERE body IS NOT NULL),
	max(attempts) FROM uploads}), '15|5|1|3', 'two workers: each text once, a file without text three attempts');
is($server->safe_psql($queue, "$calls; SELECT max(attempts) FROM uploads"), 3, 'then the queue is empty');
$server->stop;
done_testing();

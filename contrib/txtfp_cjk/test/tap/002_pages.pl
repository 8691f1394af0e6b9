# Runs the SQL of this module's README, and compares its output.
use strict;
use warnings;

use TxtfpTest;
use Pages;
use Test::More;

$ENV{PGCLIENTENCODING} = 'UTF8';
my $server = new_server('languages');
check_page($server, 'contrib/txtfp_cjk/README.md', bare => 1);
$server->stop;
done_testing();

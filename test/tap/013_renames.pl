# Something is renamed while a session that has used it goes on: see Renames.pm. test/adversary/renames.pl has more orders.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Renames;
use Test::More;

test_renames(1);

done_testing();

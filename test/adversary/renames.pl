# The matrix of renames (test/tap/Renames.pm), with everything that keeps names once as the first to go on after the rename.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use Renames;
use Test::More;

test_renames(0);

done_testing();

# Some of the queries of test/adversary/plans.pl, which has 20,000 in the long run.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest; # what chooses ports runs before the program does

$ENV{TXTFP_PLANS} //= 110;
do "$FindBin::RealBin/../adversary/plans.pl" or die $@ || $!;

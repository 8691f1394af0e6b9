# Damaged pages of indexes over sets of terms: see Damage.pm.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../../../test/tap";
use Damage;
use Test::More;
use TxtfpTest;

test_damages(by_length(600, 8), 'txtfp_trgm');

done_testing();

# Damaged pages of indexes of every operator class, and damaged values: see Damage.pm. test/adversary/damage.pl has more.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Damage;
use Test::More;
use TxtfpTest;

test_damages(by_length(1000, 36));

done_testing();

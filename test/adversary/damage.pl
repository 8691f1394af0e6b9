# Five thousand damaged indexes (test/tap/Damage.pm).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use Damage;
use Test::More;

test_damages(5_000);

done_testing();

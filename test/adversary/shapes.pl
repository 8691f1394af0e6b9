# Every change of every table and column that a trigger or live clusters have learned (test/tap/Shapes.pm).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use Shapes;
use Test::More;

test_shapes(0, 0);

done_testing();

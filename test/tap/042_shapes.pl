# Tables that are altered after triggers and live clusters have learned what they are: see Shapes.pm. test/adversary/shapes.pl makes all changes.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Shapes;
use Test::More;
use TxtfpTest;

test_shapes(by_length(200, 30), by_length(60, 10));

done_testing();

# Ten thousand random states of live clusters (test/tap/State.pm).
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use State;
use Test::More;

test_states(10_000);

done_testing();

# Live clusters whose tables somebody has written into: see State.pm. test/adversary/state.pl has more states.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use State;
use Test::More;
use TxtfpTest;

test_states(by_length(1000, 160));

done_testing();

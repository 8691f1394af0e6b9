# Statements with types, functions and operators of users (test/tap/Types.pm), as many as show what a hundred do not.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../tap";
use Types;
use Test::More;

test_types(20000);

done_testing();

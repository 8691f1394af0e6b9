# Types, functions and operators of users meet those of the extension: see Types.pm. test/adversary/types.pl has more statements.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Types;
use Test::More;

test_types(400);

done_testing();

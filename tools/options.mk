# Options that the core extension, the command line and the modules share.

DEBUG_INFO = $(if $(NO_DEBUG_INFO),-g0,-g)
# With these options g++ compiles the tests twice as fast, and they run about as long. With -Og, g++ 14 cannot inline all that xxHash orders.
TEST_OPTIONS = $(if $(findstring clang,$(CXX)),-O1,-Og -fno-var-tracking -DXXH_NO_INLINE_HINTS) $(DEBUG_INFO)
# COVERAGE=yes counts lines and branches instead of looking for errors: scripts/coverage.py. A function that is inlined before it is counted would have
# its branches once more in each place.
COVERAGE_OPTIONS = --coverage -fno-early-inlining -DTXTFP_COVERAGE
SANITIZE = $(if $(COVERAGE),$(COVERAGE_OPTIONS),-fsanitize=address,undefined -fno-sanitize-recover=all)

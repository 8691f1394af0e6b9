# Shared by the scripts of this folder. To be sourced by a script whose working directory is the root of the repository.
median=$(cat bench/median.awk)
WORK=${WORK:-build/bench}
CXX=${CXX:-g++}
# The options of the extension: the PGXS defaults of Debian and the Makefile's own, without -march=native.
CXXFLAGS=${CXXFLAGS:--O2 -g -fPIC -fno-strict-aliasing -fwrapv -fstack-protector-strong -D_FORTIFY_SOURCE=2 -std=c++20 -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off}
mkdir -p "$WORK"
WORK=$(cd "$WORK" && pwd)

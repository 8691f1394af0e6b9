# Shared by the Makefiles of the optional extensions. A module's Makefile sets the variables below and includes this file.
#
#   EXTENSION    name of the extension, of its folder, its control file and its shared library
#   SHARED       sources of the core extension that the module compiles in, relative to src and without .cpp, e.g. core/text/utf8
#   SHARED_CORE  those of SHARED that do not use PostgreSQL; unit tests and fuzz targets are linked with them
#   SHARED_TEST  further sources that only unit tests and fuzz targets need; TEST_SRCS: sources of the module outside of src
#   MODULE_INCLUDES  include options for unit tests and fuzz targets, for headers of other libraries
#   REQUIRED     extensions that the module requires besides txtfp
#   LIBRARIES    -l options of the shared library; CORE_LIBRARIES: those that src/core alone needs
#
# A module has the folders of the core extension: src/core (without PostgreSQL) and src/pg, sql/*.sql (concatenated in alphabetical
# order), test/sql with expected, test/unit, test/fuzz and test/tap; each may be missing. The file PACKAGES lists, one per line, the
# Debian packages that building and testing need; @PG@ stands for the major version of PostgreSQL.

top := ../..
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(EXTENSION).control)
MODULE_big = $(EXTENSION)

MODULE_SRCS = $(sort $(wildcard src/*/*.cpp))
OBJS = $(MODULE_SRCS:.cpp=.o) $(SHARED:%=build/shared/%.o)
DEPENDENCIES = $(OBJS:.o=.d)

DATA_built += build/$(EXTENSION)--$(EXTVERSION).sql
include $(top)/tools/upgrade.mk

REGRESS        = $(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql)))
REGRESS_OPTS   = --inputdir=test --load-extension=txtfp $(REQUIRED:%=--load-extension=%) --load-extension=$(EXTENSION) --encoding=UTF8 --no-locale --dbname=regression_$(EXTENSION)
REGRESS_PREP   = $(if $(REGRESS),test/expected)

PG_CPPFLAGS += -DTXTFP_MODULE='"$(EXTENSION)"' -DTXTFP_VERSION='"$(EXTVERSION)"' -Isrc -I$(top)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CXXFLAGS += -std=c++20 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off
PG_CXXFLAGS += $(COPT) # PGXS gives it to C alone
PG_CXXFLAGS += $(if $(autodepend),,-MMD -MP)
# The x87 unit of 32-bit x86 rounds differently (core/base/platform.hpp)
PG_CXXFLAGS += $(if $(filter i386-% i486-% i586-% i686-%,$(shell $(CXX) -dumpmachine)),-msse2 -mfpmath=sse)
ifneq (,$(findstring clang,$(CXX)))
PG_CXXFLAGS += -Wno-unknown-warning-option
endif
# Debugging information is a quarter of the time that compiling takes.
ifdef NO_DEBUG_INFO
PG_CXXFLAGS += -g0
endif
SHLIB_LINK += $(LIBRARIES) $(if $(filter darwin freebsd openbsd,$(PORTNAME)),-lc++,-lstdc++)

# No bitcode, as in the core extension: if JIT inlines C++, an assertion of LLVM may crash the server.
override with_llvm = no

EXTRA_CLEAN += build test/expected results log tmp_check $(DEPENDENCIES)

include $(top)/tools/server.mk

$(OBJS): Makefile $(top)/contrib/module.mk build/server
-include $(wildcard $(DEPENDENCIES))

include $(top)/tools/options.mk $(top)/tools/precompiled.mk

build/shared/%.o: $(top)/src/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c -o $@ $<

build/$(EXTENSION)--$(EXTVERSION).sql: $(sort $(wildcard sql/*.sql)) $(EXTENSION).control Makefile
	@mkdir -p $(@D)
	cat $(filter %.sql,$^) > $@

# PostgreSQL 15 expects expected/ beside sql/.
test/expected:
	ln -sfn ../expected $@

TEST_CXX    = $(CXX) -std=c++20 $(TEST_OPTIONS) -Wall -Wextra -Isrc -I$(top)/src -I$(top)/test -Itest $(MODULE_INCLUDES) -ffp-contract=off
CORE_SRCS   = $(sort $(wildcard src/core/*.cpp))
UNIT_OBJS   = $(patsubst %.cpp,build/unit-objects/%.o,$(CORE_SRCS) $(TEST_SRCS) $(sort $(wildcard test/unit/*.cpp))) \
	$(patsubst %,build/unit-shared/%.o,$(SHARED_CORE) $(SHARED_TEST))
FUZZ_TIME  ?= 60
FUZZ_CXX   ?= clang++-14
FUZZ_TARGETS = $(patsubst test/fuzz/%.cpp,%,$(wildcard test/fuzz/*.cpp))
PROVE_TESTS ?= $(sort $(wildcard test/tap/*.pl)) $(top)/contrib/update.pl

.PHONY: check-core check-tap fuzz

build/unit-objects/%.o: %.cpp Makefile build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) $(SANITIZE) $(PRECOMPILED_HEADER) -MMD -MP -c $< -o $@

build/unit-shared/%.o: $(top)/src/%.cpp Makefile build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) $(SANITIZE) $(PRECOMPILED_HEADER) -MMD -MP -c $< -o $@

-include $(wildcard $(UNIT_OBJS:.o=.d))
# With few files, compiling the headers ahead saves nothing: a module with many sets this before it includes this file.
ifdef PRECOMPILE_UNIT
$(eval $(call precompile,build/unit-objects,$(UNIT_OBJS),$(TEST_CXX) $(SANITIZE)))
endif

# test/unit/main.cpp of the core extension also runs the tests of a module, some of which read tables.
UNIT_SHARED = $(addprefix $(top)/test/unit/,main.cpp $(if $(shell grep -l unit/data.hpp test/unit/*.cpp 2>/dev/null),data.cpp))
build/unit: $(UNIT_OBJS) $(UNIT_SHARED)
	$(TEST_CXX) $(SANITIZE) $^ $(CORE_LIBRARIES) -o $@

check-core: build/unit # unit tests, without PostgreSQL, under ASan and UBSan
	TXTFP_TEST_DATA="$(CURDIR)/test/data" build/unit $(UNIT)

check-tap: # tests that start servers of their own
	rm -rf tmp_check
	TXTFP_MODULE=$(EXTENSION) PG_CONFIG="$(PG_CONFIG)" PERL5LIB="$(CURDIR)/$(top)/test/tap:$$PERL5LIB" prove -v --timer $(PROVE_FLAGS) $(PROVE_TESTS)

# The sources are compiled once for all targets.
.PRECIOUS: build/objects-fuzz/%.o
FUZZ_COMPILE = $(FUZZ_CXX) -std=c++20 -O1 -g -Wall -Wextra -Isrc -I$(top)/src -I$(top)/test -Itest $(MODULE_INCLUDES) -ffp-contract=off \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -MMD -MP -c
FUZZ_OBJS    = $(patsubst %.cpp,build/objects-fuzz/%.o,$(CORE_SRCS) $(TEST_SRCS)) $(patsubst %,build/shared-fuzz/%.o,$(SHARED_CORE) $(SHARED_TEST))

build/objects-fuzz/%.o: %.cpp Makefile
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) $< -o $@

build/shared-fuzz/%.o: $(top)/src/%.cpp Makefile
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) $< -o $@

-include $(wildcard $(FUZZ_OBJS:.o=.d) $(FUZZ_TARGETS:%=build/objects-fuzz/test/fuzz/%.d))

build/fuzz-%: build/objects-fuzz/test/fuzz/%.o $(FUZZ_OBJS)
	$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined $^ $(CORE_LIBRARIES) -o $@

include $(top)/tools/corpora.mk

fuzz: $(FUZZ_TARGETS:%=build/fuzz-%) corpora # libFuzzer, FUZZ_TIME seconds each
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p build/corpus/$$target build/corpora/$$target; \
		build/fuzz-$$target -max_total_time=$(FUZZ_TIME) -print_final_stats=1 -artifact_prefix=build/ \
			build/corpus/$$target build/corpora/$$target || exit 1; done

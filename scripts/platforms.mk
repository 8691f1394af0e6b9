# The core, its unit tests and its fuzz targets for one platform, without PostgreSQL; used by scripts/platforms.sh:
#
#   make -f scripts/platforms.mk OUT=/var/tmp/arm64 CXX=aarch64-linux-gnu-g++ FLAGS=-fsanitize=undefined RUN=qemu-aarch64 check
#
#   OUT     folder for what is built       RUN       what runs a program of the platform; empty: nothing is needed
#   FLAGS   options for compiler and linker LEVELS    values of TXTFP_SIMD_LEVEL that the unit tests run with, `best` is none
#
# Each part prints "N passed, N failed".

OUT    ?= build/platform
$(if $(OUT),,$(error OUT is empty))
LEVELS ?= best
LDLIBS ?= -licuuc

FOLDERS   = $(patsubst src/core/%/,%,$(sort $(dir $(wildcard src/core/*/*.cpp))))
TESTS     = $(patsubst test/unit/%.cpp,%,$(sort $(wildcard test/unit/*.cpp)))
FUZZ      = $(patsubst test/fuzz/%.cpp,%,$(sort $(wildcard test/fuzz/*.cpp)))
CORE_OBJS = $(FOLDERS:%=$(OUT)/core/%.o)
UNIT_OBJS = $(TESTS:%=$(OUT)/test/unit/%.o)
FUZZ_OBJS = $(FUZZ:%=$(OUT)/test/fuzz/%.o) $(OUT)/test/fuzz/replay/main.o
compile   = $(CXX) -std=c++20 -O1 -Wall -Wextra -Werror -Isrc -Itest -ffp-contract=off $(FLAGS)
# The standard library's headers, which g++ compiles once
headers   = $(if $(findstring clang,$(CXX)),,$(OUT)/standard.hpp.gch)
included  = $(if $(headers),-include $(OUT)/standard.hpp)

.PHONY: check check-unit check-fuzz all
.SECONDARY:

all: $(OUT)/unit $(FUZZ:%=$(OUT)/replay-%)

check: check-unit check-fuzz

$(OUT)/standard.hpp.gch: tools/standard.hpp scripts/platforms.mk
	@mkdir -p $(@D)
	cp $< $(OUT)/standard.hpp
	$(compile) -x c++-header $(OUT)/standard.hpp -o $@

# The files of a folder of the core are compiled together, as in the Makefile.
$(OUT)/core/%.cpp: src/core/%/*.cpp
	@mkdir -p $(@D)
	printf '#include "%s"\n' $(patsubst src/%,%,$(sort $(wildcard src/core/$*/*.cpp))) > $@

$(CORE_OBJS): $(OUT)/core/%.o: $(OUT)/core/%.cpp scripts/platforms.mk $(headers)
	$(compile) $(included) -MMD -MP -c $< -o $@

$(UNIT_OBJS) $(FUZZ_OBJS): $(OUT)/%.o: %.cpp scripts/platforms.mk $(headers)
	@mkdir -p $(@D)
	$(compile) $(included) -MMD -MP -c $< -o $@

-include $(patsubst %.o,%.d,$(CORE_OBJS) $(UNIT_OBJS) $(FUZZ_OBJS))

$(OUT)/unit: $(CORE_OBJS) $(UNIT_OBJS)
	$(compile) $^ $(LDLIBS) -o $@

$(OUT)/replay-%: $(OUT)/test/fuzz/%.o $(CORE_OBJS) $(OUT)/test/fuzz/replay/main.o
	$(compile) $^ $(LDLIBS) -o $@

check-unit: $(OUT)/unit
	@for level in $(LEVELS); do \
		echo "level $$level"; \
		[ $$level = best ] && name= || name=$$level; \
		TXTFP_SIMD_LEVEL=$$name TXTFP_TEST_DATA=test/data TXTFP_TEST_DIGESTS=1 $(RUN) $(OUT)/unit || failed=yes; \
	done; [ -z "$$failed" ]

CORPORA = $(OUT)/corpora
include tools/corpora.mk

check-fuzz: $(FUZZ:%=$(OUT)/replay-%) corpora
	@passed=0 failed=0; for target in $(FUZZ); do \
		if $(RUN) $(OUT)/replay-$$target $(CORPORA)/$$target >$(OUT)/replay-$$target.log 2>&1; \
		then passed=$$((passed + 1)); else failed=$$((failed + 1)); tail -n 5 $(OUT)/replay-$$target.log; fi; \
	done; echo "corpora"; echo "$$passed passed, $$failed failed"; [ $$failed = 0 ]

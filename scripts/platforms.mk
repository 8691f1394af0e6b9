# The core, its unit tests and its fuzz targets for one platform, without PostgreSQL; used by scripts/platforms.sh:
#
#   make -f scripts/platforms.mk OUT=/var/tmp/arm64 CXX=aarch64-linux-gnu-g++ FLAGS=-fsanitize=undefined RUN=qemu-aarch64 check
#
#   OUT     folder for what is built       RUN       what runs a program of the platform; empty: nothing is needed
#   FLAGS   options for compiler and linker LEVELS    values of TXTFP_SIMD_LEVEL that the unit tests run with, `best` is none
#
# Each part prints "N passed, N failed".

OUT    ?= build/platform
LEVELS ?= best
LDLIBS ?= -licuuc

CORE      = $(sort $(wildcard src/core/*/*.cpp))
UNIT      = $(CORE) $(sort $(wildcard test/unit/*.cpp))
FUZZ      = $(patsubst test/fuzz/%.cpp,%,$(sort $(wildcard test/fuzz/*.cpp)))
objects   = $(patsubst %.cpp,$(OUT)/%.o,$(1))
compile   = $(CXX) -std=c++20 -O1 -Wall -Wextra -Werror -Isrc -Itest -ffp-contract=off $(FLAGS)

.PHONY: check check-unit check-fuzz all
.SECONDARY:

all: $(OUT)/unit $(FUZZ:%=$(OUT)/replay-%)

check: check-unit check-fuzz

$(OUT)/%.o: %.cpp scripts/platforms.mk
	@mkdir -p $(@D)
	$(compile) -MMD -MP -c $< -o $@

-include $(patsubst %.o,%.d,$(call objects,$(UNIT) test/fuzz/replay/main.cpp $(FUZZ:%=test/fuzz/%.cpp)))

$(OUT)/unit: $(call objects,$(UNIT))
	$(compile) $^ $(LDLIBS) -o $@

$(OUT)/replay-%: $(OUT)/test/fuzz/%.o $(call objects,$(CORE) test/fuzz/replay/main.cpp)
	$(compile) $^ $(LDLIBS) -o $@

check-unit: $(OUT)/unit
	@for level in $(LEVELS); do \
		echo "level $$level"; \
		[ $$level = best ] && name= || name=$$level; \
		TXTFP_SIMD_LEVEL=$$name TXTFP_TEST_DATA=test/data TXTFP_TEST_DIGESTS=1 $(RUN) $(OUT)/unit || failed=yes; \
	done; [ -z "$$failed" ]

check-fuzz: $(FUZZ:%=$(OUT)/replay-%)
	@passed=0 failed=0; for target in $(FUZZ); do \
		if $(RUN) $(OUT)/replay-$$target test/fuzz/corpus/$$target >$(OUT)/replay-$$target.log 2>&1; \
		then passed=$$((passed + 1)); else failed=$$((failed + 1)); tail -n 5 $(OUT)/replay-$$target.log; fi; \
	done; echo "corpora"; echo "$$passed passed, $$failed failed"; [ $$failed = 0 ]

# The command line: `make cli` builds build/txtfp from src/cli, src/records and the core, with CLI11, simdjson, zlib, zstd, liblzma and bzip2; no
# PostgreSQL. Debian: libcli11-dev libsimdjson-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev

CLI_SRCS    = $(sort $(wildcard src/cli/*.cpp src/records/*.cpp))
# Compiled together, as the folders of the core, but for main.cpp, which reads the headers of CLI11
CLI_PARTS    = $(filter-out %/main.cpp,$(CLI_SRCS))
CLI_TOGETHER = build/together/cli.cpp build/together/records.cpp
CLI_COMPILED = src/cli/main.cpp $(if $(APART),$(CLI_PARTS),$(CLI_TOGETHER))
RECORD_LIBS = -lsimdjson -lz -lzstd -llzma -lbz2
CLI_LIBS    = $(RECORD_LIBS) -licuuc -pthread
CLI_FLAGS   = $(SSE2) -std=c++20 -O2 $(DEBUG_INFO) -Wall -Wextra -ffp-contract=off -pthread -Isrc -Ibuild/embedded -DTXTFP_VERSION='"$(EXTVERSION)"'
CLI_OBJS    = $(patsubst %.cpp,build/cli-objects/%.o,$(CLI_COMPILED)) $(CLI_CORE)
# The core; scripts/test.sh links the objects of the extension instead, which it has built already and which differ in -fPIC.
CLI_CORE    = $(if $(CORE_OF_EXTENSION),$(PLAIN_CORE),$(CORE_TOGETHER:%.cpp=build/cli-objects/%.o))
# For the tests: the program built with the sanitizers, and the unit tests of its parts
CLI_CHECKED = $(patsubst %.cpp,build/cli-checked/%.o,$(CLI_COMPILED))
CLI_TESTS   = $(patsubst %.cpp,build/cli-checked/%.o,$(wildcard test/cli/unit/*.cpp))
CLI_UNIT    = $(CLI_TESTS) $(filter-out %/main.o,$(CLI_CHECKED)) build/unit-objects/test/unit/main.o $(UNIT_CORE)
CLI_FUZZ    = $(patsubst test/cli/fuzz/%.cpp,%,$(wildcard test/cli/fuzz/*.cpp))
prefix     ?= /usr/local
cli_bin     = $(DESTDIR)$(call required,prefix)/bin
cli_share   = $(DESTDIR)$(call required,prefix)/share

.PHONY: cli install-cli uninstall-cli check-cli check-cli-unit check-cli-runs fuzz-cli mutate-cli

$(CLI_OBJS) $(CLI_CHECKED): | $(PAGE_FILES)

$(CLI_TOGETHER): build/together/%.cpp: always
	$(call write_together,$(CLI_PARTS))

cli: build/txtfp ## the program txtfp, which needs no PostgreSQL (src/cli)

build/cli-objects/%.o: %.cpp Makefile src/cli/cli.mk build/compiler
	@mkdir -p $(@D)
	$(CXX) $(CLI_FLAGS) $(PRECOMPILED_HEADER) -MMD -MP -c $< -o $@

$(eval $(call precompile,build/cli-objects,$(filter build/cli-objects/%,$(CLI_OBJS)),$(CXX) $(CLI_FLAGS)))

build/cli-checked/%.o: %.cpp Makefile src/cli/cli.mk build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) $(SANITIZE) $(PRECOMPILED_HEADER) -Ibuild/embedded -DTXTFP_VERSION='"$(EXTVERSION)"' -MMD -MP -c $< -o $@

-include $(wildcard $(CLI_OBJS:.o=.d) $(CLI_CHECKED:.o=.d))

build/txtfp: $(CLI_OBJS)
	$(CXX) $(CLI_FLAGS) $^ $(CLI_LIBS) -o $@

# At fixed addresses, because it is started hundreds of times
build/txtfp-checked: $(CLI_CHECKED) $(UNIT_CORE)
	$(TEST_CXX) $(SANITIZE) -no-pie $^ $(CLI_LIBS) -o $@

build/txtfp-thread: $(CLI_COMPILED:%.cpp=build/thread-objects/%.o) $(THREAD_CORE)
	$(TEST_CXX) -fsanitize=thread $^ $(CLI_LIBS) -o $@

build/cli-unit: $(CLI_UNIT)
	$(TEST_CXX) $(SANITIZE) $^ $(CLI_LIBS) -o $@

install-cli: cli ## installs it below prefix (/usr/local), with its manual and the completion of bash and zsh
	install -d '$(cli_bin)' '$(cli_share)/man/man1' '$(cli_share)/bash-completion/completions' '$(cli_share)/zsh/site-functions'
	install -m 755 build/txtfp '$(cli_bin)/txtfp'
	install -m 644 src/cli/txtfp.1 '$(cli_share)/man/man1/txtfp.1'
	install -m 644 src/cli/completion.bash '$(cli_share)/bash-completion/completions/txtfp'
	install -m 644 src/cli/completion.zsh '$(cli_share)/zsh/site-functions/_txtfp'

uninstall-cli:
	rm -f '$(cli_bin)/txtfp' '$(cli_share)/man/man1/txtfp.1' '$(cli_share)/bash-completion/completions/txtfp' \
		'$(cli_share)/zsh/site-functions/_txtfp'

check-cli: check-cli-unit check-cli-runs ## its unit tests and runs from end to end, under ASan and UBSan

check-cli-unit: build/cli-unit
	TXTFP_TEST_DATA="$(CURDIR)/test/data" build/cli-unit $(UNIT)

check-cli-runs: build/txtfp-checked
	TXTFP_CHECKED="$(CURDIR)/build/txtfp-checked" prove -v $(PROVE_FLAGS) test/cli/*.t

# Fuzz targets link the readers without main.
build/fuzz-cli-%: test/cli/fuzz/%.cpp $(CLI_SRCS) $(CORE_SRCS) $(CORE_HEADERS) $(wildcard src/cli/*.hpp src/records/*.hpp test/fuzz/*.hpp)
	@mkdir -p $(@D)
	$(FUZZ_CXX) -std=c++20 -O2 -g1 -Wall -Wextra -Isrc -Itest -ffp-contract=off \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $< \
		$(wildcard src/records/*.cpp) $(RECORD_LIBS) -lcsv -o $@

# Without libFuzzer and its bookkeeping some ten times as many inputs, mutations of a corpus that it has made: build/corpus/cli-NAME
MUTATIONS ?= 1000000
build/mutate-cli-%: test/cli/fuzz/%.cpp test/fuzz/replay/mutate.cpp $(CLI_SRCS) $(CORE_HEADERS) $(wildcard src/records/*.hpp test/fuzz/*.hpp)
	@mkdir -p $(@D)
	$(FUZZ_CXX) -std=c++20 -O2 -g1 -Wall -Wextra -Isrc -Itest -ffp-contract=off -fsanitize=address $< test/fuzz/replay/mutate.cpp \
		$(wildcard src/records/*.cpp) $(RECORD_LIBS) -lcsv -o $@

mutate-cli: $(CLI_FUZZ:%=build/mutate-cli-%) $(CLI_FUZZ:%=build/corpora/cli-%) # MUTATIONS inputs each
	@for target in $(CLI_FUZZ); do \
		mkdir -p build/corpus/cli-$$target; \
		ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=1 \
			build/mutate-cli-$$target $(MUTATIONS) 1 build/corpus/cli-$$target build/corpora/cli-$$target || exit 1; done

build/corpora/cli-%: test/cli/fuzz/corpus/%.tar.gz
	rm -rf $@
	mkdir -p $@
	tar -xzf $< -C $@

fuzz-cli: $(CLI_FUZZ:%=build/fuzz-cli-%) $(CLI_FUZZ:%=build/corpora/cli-%) # libFuzzer on the readers, FUZZ_TIME seconds each; Debian: libcsv-dev
	@for target in $(CLI_FUZZ); do \
		mkdir -p build/corpus/cli-$$target; \
		build/fuzz-cli-$$target -max_total_time=$(FUZZ_TIME) -print_final_stats=1 -artifact_prefix=build/ \
			build/corpus/cli-$$target build/corpora/cli-$$target || exit 1; done

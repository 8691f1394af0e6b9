# txtfp: text fingerprints and near-duplicate search. `make help` lists the targets.

EXTENSION  = txtfp
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" txtfp.control)
MODULE_big = $(EXTENSION)

SRCS = $(sort $(wildcard src/core/*/*.cpp src/pg/*/*.cpp))
# The files of a folder are compiled together, because reading the headers takes more time than compiling what follows them. APART=yes
# compiles each file alone, which finds what it does not include, and builds a changed file sooner.
TOGETHER = $(patsubst src/%/,build/together/%.cpp,$(sort $(dir $(SRCS))))
OBJS     = $(patsubst %.cpp,%.o,$(if $(APART),$(SRCS),$(TOGETHER)))
DEPENDENCIES = $(OBJS:.o=.d)

DATA_built = build/$(EXTENSION)--$(EXTVERSION).sql
include tools/upgrade.mk
DOCS       = $(wildcard docs/*.md)

# What takes long and notices little that the others do not: only with TXTFP_LONG=yes, in make check-all.
LONG_REGRESS   = limits_long near_duplicates_scale
REGRESS        = $(filter-out $(if $(TXTFP_LONG),,$(LONG_REGRESS)),$(patsubst test/sql/%.sql,%,$(sort $(wildcard test/sql/*.sql))))
ISOLATION      = $(patsubst test/specs/%.spec,%,$(sort $(wildcard test/specs/*.spec)))
REGRESS_OPTS   = --inputdir=test --load-extension=$(EXTENSION) --encoding=UTF8 --no-locale
ISOLATION_OPTS = --inputdir=test --load-extension=$(EXTENSION)
REGRESS_PREP   = test/expected

include tools/options.mk

PG_CPPFLAGS = -DTXTFP_VERSION='"$(EXTVERSION)"' -Isrc -Ibuild/embedded -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CXXFLAGS = -std=c++20 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off
PG_CXXFLAGS += $(COPT) # PGXS gives it to C alone
# Rebuilds what includes a changed header. If the server was configured with --enable-depend, PGXS does this itself.
PG_CXXFLAGS += $(if $(autodepend),,-MMD -MP)
# The x87 unit of 32-bit x86 rounds differently (core/base/platform.hpp)
SSE2 = $(if $(filter i386-% i486-% i586-% i686-%,$(shell $(CXX) -dumpmachine)),-msse2 -mfpmath=sse)
PG_CXXFLAGS += $(SSE2)
# If PostgreSQL was built by g++, its options may be unknown to clang. Its critical sections increment a volatile variable.
ifneq (,$(findstring clang,$(CXX)))
PG_CXXFLAGS += -Wno-unknown-warning-option -Wno-deprecated-volatile
endif
SHLIB_LINK  = -pthread -licuuc $(if $(filter darwin freebsd openbsd,$(PORTNAME)),-lc++,-lstdc++)

# For scripts/sanitize.sh: calls of PostgreSQL inside pg::guarded abort; the sanitizers' libraries are preloaded into the server.
ifdef TRIPWIRE
PG_CPPFLAGS += -DTXTFP_TRIPWIRE
SHLIB_LINK += build/tripwire.o -Wl,@build/tripwire.options
SHLIB_PREREQS += build/tripwire.o
endif
# Debugging information is a quarter of the time that compiling takes.
ifdef NO_DEBUG_INFO
PG_CXXFLAGS += -g0
endif
# For tests: an index behind the end of a span, an array or a vector aborts.
ifdef BOUNDS
PG_CPPFLAGS += -D_GLIBCXX_ASSERTIONS
endif
ifdef COVERAGE
PG_CXXFLAGS += $(COVERAGE_OPTIONS) -O1
SHLIB_LINK += --coverage
endif
ifdef SANITIZED # with assertions, which Debian's server leaves out
PG_CXXFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer -O1 -g -DUSE_ASSERT_CHECKING
SHLIB_LINK += -lasan -lubsan
endif

# Do not install bitcode for JIT: if it inlines C++, an assertion of LLVM may crash the server
# (seen with 17, LLVM 19 and to_minhash128).
override with_llvm = no

EXTRA_CLEAN = build test/expected results output_iso log tmp_check $(DEPENDENCIES)

include tools/server.mk

# Other packages may have documents with these names, so ours get a directory. PGXS would not remove it.
docmoduledir := extension/$(EXTENSION)
uninstall: uninstall-docs
.PHONY: uninstall-docs
uninstall-docs:
	rm -rf '$(DESTDIR)$(call required,docdir)/$(call required,docmoduledir)'

$(OBJS): Makefile build/server
-include $(wildcard $(DEPENDENCIES))

# The files of the review page, as constants
PAGE_FILES = build/embedded/review_page_files.hpp
$(PAGE_FILES): tools/embed_page.sh $(wildcard src/core/review/page/*)
	@mkdir -p $(@D)
	sh tools/embed_page.sh src/core/review/page > $@.new
	mv $@.new $@
$(OBJS): | $(PAGE_FILES)

# $(call write_together,FILES): a file that includes those of its folder. Written again only if a file came or went.
define write_together
@mkdir -p $(@D)
@list() { printf '#include "%s"\n' $(patsubst src/%,%,$(filter src/$*/%,$(1))); }; list | cmp -s - $@ || list > $@
endef
$(TOGETHER): build/together/%.cpp: always
	$(call write_together,$(SRCS))

include tools/precompiled.mk
$(eval $(call precompile,build,$(OBJS),$(COMPILE.cc)))
$(OBJS): COMPILE.cc = $(CXX) $(PRECOMPILED_HEADER) $(CXXFLAGS) $(CPPFLAGS) -c

build/tripwire.o: tools/tripwire.sh $(OBJS)
	@mkdir -p $(@D)
	sh tools/tripwire.sh $(shell $(PG_CONFIG) --bindir)/postgres $(OBJS) > build/tripwire.s 3> build/tripwire.options
	$(CC) -c build/tripwire.s -o $@

SQL_PARTS = $(sort $(wildcard sql/install/*.sql))

# A part named *.each.sql is repeated for the three MinHash types: @H@ is replaced by the number of slots, and @a|b|c@ by a, b or c.
# sql/parts has what several types have in common; see expand_sql.awk.
build/$(EXTENSION)--$(EXTVERSION).sql: $(SQL_PARTS) $(wildcard sql/parts/*.sql) scripts/expand_sql.awk txtfp.control Makefile
	@mkdir -p $(@D)
	@for part in $(SQL_PARTS); do case $$part in \
		*.each.sql) for each in '64 \1' '128 \2' '256 \3'; do \
			sed "s/@H@/$${each% *}/g; s/@\([0-9]*\)|\([0-9]*\)|\([0-9]*\)@/$${each#* }/g" $$part || exit 1; done ;; \
		*) cat $$part ;; esac || exit 1; done > build/parts.sql
	awk -v parts=sql/parts -f scripts/expand_sql.awk build/parts.sql > $@

# PostgreSQL 15 expects expected/ beside sql/.
test/expected:
	ln -sfn ../expected $@

TEST_CXX      = $(CXX) $(SSE2) -std=c++20 $(TEST_OPTIONS) -pthread -Wall -Wextra -Isrc -Itest -ffp-contract=off
CORE_SRCS     = $(sort $(wildcard src/core/*/*.cpp))
CORE_HEADERS  = $(wildcard src/core/*/*.hpp)
CORE_TOGETHER = $(filter build/together/core/%,$(TOGETHER))
UNIT_CORE     = $(CORE_TOGETHER:%.cpp=build/unit-objects/%.o)
UNIT_OBJS     = $(UNIT_CORE) $(UNIT_COMPILED:%.cpp=build/unit-objects/%.o)
UNIT_SRCS     = $(sort $(wildcard test/unit/*.cpp))
# Unit tests are compiled together by the first letters of their names, each file in a namespace of its own, but for those that define names elsewhere.
UNIT_APART    = $(if $(APART),$(UNIT_SRCS),$(addprefix test/unit/,main.cpp data.cpp ucd.cpp cjk.cpp))
UNIT_LETTERS  = ab c defg hijkl m nopqr s tuvwxyz
UNIT_TOGETHER = $(if $(APART),,$(UNIT_LETTERS:%=build/together/unit/%.cpp))
UNIT_COMPILED = $(UNIT_APART) $(UNIT_TOGETHER)
UNIT_NOWHERE  = $(filter-out $(foreach letters,$(UNIT_LETTERS),$(wildcard test/unit/[$(letters)]*.cpp)),$(UNIT_SRCS))
$(if $(UNIT_NOWHERE),$(error $(UNIT_NOWHERE): UNIT_LETTERS has no group for it))
FUZZ_TARGETS  = $(patsubst test/fuzz/%.cpp,%,$(wildcard test/fuzz/*.cpp))
FUZZ_TIME    ?= 60
FUZZ_CXX     ?= clang++-14
PROVE_TESTS  ?= $(sort $(wildcard test/tap/*.pl))
PGTAP_TESTS  ?= $(sort $(wildcard test/pgtap/*.sql))

.PHONY: help check-core check-core-plain check-valgrind check-threads check-pgtap check-tap check-layers check-odr check-version check-dist check-pgspot deb check-all adversary sanitize coverage fuzz keep-corpora mutate matrix bench format lint lint-page format-page dist site unicode-tables platforms

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile src/cli/cli.mk | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 18
	@printf '%s\n' 'all, install, installcheck, clean: as in every PGXS extension; PG_CONFIG=… chooses the server'

# The headers that the files of these letters include, and each file in its namespace
UNIT_LIST = /^\#include/ && !seen[$$0]++; END { for (i = 1; i < ARGC; i++) { name = ARGV[i]; gsub(/.*\/|\.cpp/, "", name); \
	print "namespace file_" name " {\n\#include \"unit/" name ".cpp\"\n}" } }
$(UNIT_TOGETHER): build/together/unit/%.cpp: always
	@mkdir -p $(@D)
	@list() { awk '$(UNIT_LIST)' $(filter-out $(UNIT_APART),$(sort $(wildcard test/unit/[$*]*.cpp))); }; list | cmp -s - $@ || list > $@

build/unit-objects/%.o: %.cpp Makefile build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) $(SANITIZE) $(PRECOMPILED_HEADER) -MMD -MP -c $< -o $@

-include $(wildcard $(UNIT_OBJS:.o=.d))

build/unit: $(UNIT_OBJS)
	$(TEST_CXX) $(SANITIZE) $^ -licuuc -o $@

check-core: build/unit ## unit tests of the core, without PostgreSQL, under ASan and UBSan
	TXTFP_TEST_DATA="$(CURDIR)/test/data" build/unit $(UNIT)

# Without a sanitizer, which valgrind does not support.
VALGRIND_OBJS = $(UNIT_OBJS:build/unit-objects/%=build/valgrind-objects/%)
build/valgrind-objects/%.o: %.cpp Makefile build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) -O1 -g -MMD -MP -c $< -o $@

-include $(wildcard $(VALGRIND_OBJS:.o=.d))

build/unit-valgrind: $(VALGRIND_OBJS)
	$(TEST_CXX) $^ -licuuc -o $@

check-valgrind: build/unit-valgrind ## unit tests of the core under valgrind, which reports reads of memory that nothing wrote; UNIT=name for some
	TXTFP_TEST_DATA="$(CURDIR)/test/data" valgrind --quiet --error-exitcode=99 build/unit-valgrind $(UNIT)

# Threads under ThreadSanitizer: the tests of the team that joins of the server and of the program share, with hosts that stand in for theirs, and whole joins
# of the program. Addresses at random are more than the sanitizer of g++ 12 can take.
THREAD_TESTS = main team team_executor partitions second_part dedup
THREAD_CORE  = $(CORE_TOGETHER:%.cpp=build/thread-objects/%.o)
build/thread-objects/%.o: %.cpp Makefile build/compiler | $(PAGE_FILES)
	@mkdir -p $(@D)
	$(TEST_CXX) -fsanitize=thread $(PRECOMPILED_HEADER) -Ibuild/embedded -DTXTFP_VERSION='"$(EXTVERSION)"' -MMD -MP -c $< -o $@

build/unit-thread: $(THREAD_CORE) $(THREAD_TESTS:%=build/thread-objects/test/unit/%.o)
	$(TEST_CXX) -fsanitize=thread $^ -licuuc -o $@

check-threads: build/unit-thread build/txtfp-thread ## the threads of the core under ThreadSanitizer
	TSAN_OPTIONS=halt_on_error=1 setarch -R build/unit-thread
	TXTFP="$(CURDIR)/build/txtfp-thread" prove -v test/cli/threads.pl

# Without the sanitizers, and with the extension's own objects: a third of the time
PLAIN_CORE  = $(filter src/core/% build/together/core/%,$(OBJS))
PLAIN_TESTS = $(UNIT_COMPILED:%.cpp=build/plain-objects/%.o)
build/plain-objects/%.o: %.cpp Makefile build/compiler
	@mkdir -p $(@D)
	$(TEST_CXX) $(PRECOMPILED_HEADER) -MMD -MP -c $< -o $@
$(eval $(call precompile,build/plain-objects,$(PLAIN_TESTS),$(TEST_CXX)))
-include $(wildcard $(PLAIN_TESTS:.o=.d))

build/unit-plain: $(PLAIN_CORE) $(PLAIN_TESTS)
	$(TEST_CXX) $^ -licuuc -o $@

check-core-plain: build/unit-plain ## the same without the sanitizers, in a third of the time
	TXTFP_TEST_DATA="$(CURDIR)/test/data" build/unit-plain $(UNIT)

# The sources are compiled once for all targets. FUZZ_FAST=yes leaves out the sanitizers, for several times as many inputs; the checks of the targets remain.
# FUZZ_COUNTED=yes is for scripts/fuzz_coverage.sh.
FUZZ          = fuzz$(if $(FUZZ_FAST),-fast)$(if $(FUZZ_COUNTED),-counted)
FUZZ_COUNT    = -O1 -fprofile-instr-generate -fcoverage-mapping -fsanitize=fuzzer
FUZZ_CHECKS   = $(if $(FUZZ_FAST),-O2 -fsanitize=fuzzer,$(if $(FUZZ_COUNTED),$(FUZZ_COUNT),-O1 -g -fno-sanitize-recover=all -fsanitize=address,undefined,fuzzer))
FUZZ_COMPILE  = $(FUZZ_CXX) -std=c++20 -Wall -Wextra -Isrc -Itest -ffp-contract=off $(FUZZ_CHECKS)-no-link -MMD -MP
FUZZ_OBJS     = $(CORE_TOGETHER:%.cpp=build/objects-$(FUZZ)/%.o)
.PRECIOUS: build/objects-$(FUZZ)/%.o
build/objects-$(FUZZ)/%.o: %.cpp Makefile
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) -c $< -o $@

-include $(wildcard $(FUZZ_OBJS:.o=.d) $(FUZZ_TARGETS:%=build/objects-$(FUZZ)/test/fuzz/%.d))

build/$(FUZZ)-%: build/objects-$(FUZZ)/test/fuzz/%.o $(FUZZ_OBJS)
	$(FUZZ_CXX) $(FUZZ_CHECKS) $^ -licuuc -pthread -o $@

include src/cli/cli.mk
$(eval $(call precompile,build/unit-objects,$(UNIT_OBJS) $(CLI_CHECKED) $(CLI_TESTS),$(TEST_CXX) $(SANITIZE)))

$(eval $(call precompile,build/thread-objects,$(THREAD_CORE) $(THREAD_TESTS:%=build/thread-objects/test/unit/%.o) $(CLI_COMPILED:%.cpp=build/thread-objects/%.o),$(TEST_CXX) -fsanitize=thread))
-include $(wildcard $(THREAD_CORE:.o=.d) $(THREAD_TESTS:%=build/thread-objects/test/unit/%.d) $(CLI_COMPILED:%.cpp=build/thread-objects/%.d))

include tools/corpora.mk

fuzz: $(FUZZ_TARGETS:%=build/$(FUZZ)-%) corpora ## libFuzzer on the core, FUZZ_TIME seconds each
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p build/corpus/$$target build/corpora/$$target; \
		build/$(FUZZ)-$$target -max_total_time=$(FUZZ_TIME) -print_final_stats=1 -artifact_prefix=build/ \
			build/corpus/$$target build/corpora/$$target || exit 1; done

keep-corpora: $(FUZZ_TARGETS:%=build/$(FUZZ)-%) corpora ## adds what `make fuzz` has found to the corpora of the repository
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p build/corpus/$$target build/corpora/$$target; \
		build/$(FUZZ)-$$target -merge=1 build/corpora/$$target build/corpus/$$target || exit 1; \
		$(call pack,build/corpora/$$target,"$(CURDIR)/test/fuzz/corpus/$$target.tar.gz") || exit 1; done

check-pgtap: ## the API as a contract, against the running server
	pg_prove --ext .sql -d $(or $(PGDATABASE),postgres) $(PGTAP_TESTS)

check-tap: ## tests that start servers of their own
	rm -rf tmp_check # directories of a failed run
	PG_CONFIG="$(PG_CONFIG)" prove -v --timer $(PROVE_FLAGS) $(PROVE_TESTS)

coverage: ## which lines and branches the tests reach, by folder (scripts/coverage.py)
	python3 scripts/coverage.py

MUTANTS ?= --seed 1 --count 60
mutate: ## do the tests notice a changed operator, constant or argument? MUTANTS='--seed 1 --count 60'
	python3 scripts/mutate.py $(MUTANTS)

ADVERSARY_TESTS ?= $(sort $(wildcard test/adversary/*.pl))
adversary: ## rights, nested calls, renames, ternary logic, and what grows when somebody wants it to; in servers of their own
	rm -rf tmp_check
	PG_CONFIG="$(PG_CONFIG)" prove -v $(ADVERSARY_TESTS)

sanitize: ## the SQL tests under ASan, UBSan and a tripwire, in a server of their own
	sh scripts/sanitize.sh

matrix: ## every test on PostgreSQL 15, 16, 17, 18 and 19, in chroots (as root, on Debian with mmdebstrap; an hour)
	sh scripts/matrix.sh

platforms: ## the core on other processors and libraries, in a chroot under qemu (as root, on Debian; 45 minutes)
	sh scripts/platforms.sh

check-layers: ## who may include whom (src/layers.txt), who may own C++ objects, that the SQL is ASCII, and plain English in pages and comments
	@perl scripts/check_layers.pl src
	@perl scripts/check_words.pl .
	@! LC_ALL=C grep -n '[^ -~	]' $(SQL_PARTS) $(wildcard sql/parts/*.sql) txtfp.control # databases have all kinds of encodings
	@echo "layers: ok"

ODR_OBJS = $(patsubst %.cpp,build/odr/%.o,$(SRCS))
build/odr/%.o: %.cpp Makefile build/server | $(PAGE_FILES)
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(PG_CXXFLAGS) -fPIC -O1 -flto -c $< -o $@

build/odr/$(EXTENSION).so: $(ODR_OBJS)
	$(CXX) -shared -fPIC -O1 -flto=auto -Wodr -Wlto-type-mismatch -Werror $^ $(SHLIB_LINK) -o $@

check-odr: build/odr/$(EXTENSION).so ## every type and function has one definition (g++ with link-time optimization)
	@echo "odr: ok"

check-version: ## control file, META.json (complete and valid), CHANGELOG, debian/ and the Python package agree
	@perl scripts/check_meta.pl META.json $(EXTENSION) $(EXTVERSION)
	@head -n 1 debian/changelog | grep -q '($(EXTVERSION)-' || { echo "debian/changelog does not begin with $(EXTVERSION)"; exit 1; }
	@grep -q '^## \[$(EXTVERSION)\]' CHANGELOG.md || { echo "CHANGELOG.md does not say $(EXTVERSION)"; exit 1; }
	@grep -q '^__version__ = "$(EXTVERSION)"' clients/python/txtfp/__init__.py || { echo "clients/python/txtfp/__init__.py does not say $(EXTVERSION)"; exit 1; }
	@echo "version: $(EXTVERSION)"

check-all: ## every test at its full length, also at each vector unit, under other settings, and what makes work grow (scripts/test.sh all)
	sh scripts/test.sh all

bench: ## measures the figures of the pages, on a server of its own; writes bench/results.md
	sh bench/run

build/generate: tools/unicode/generate.cpp $(CORE_HEADERS) build/compiler
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -O1 -Wall -Wextra -Isrc $< -licuuc -licui18n -o $@

unicode-tables: build/generate ## rewrite src/core/text/unicode_tables.cpp (ICU 72 only)
	build/generate tools/unicode/overrides.txt > build/unicode_tables.cpp
	mv build/unicode_tables.cpp src/core/text/unicode_tables.cpp

FORMATTED = $(wildcard src/*/*.?pp src/*/*/*.?pp test/*/*.?pp test/cli/*/*.?pp bench/*.cpp tools/*/*.cpp contrib/*/src/*.?pp contrib/*/src/*/*.?pp contrib/*/test/*/*.?pp contrib/*/program/*.?pp contrib/*/program/*/*.?pp contrib/*/tools/*.?pp contrib/*/bench/*.?pp clients/python/cpp/*.?pp)

format: ## clang-format all sources
	clang-format-14 -i $(filter-out %/unicode_tables.cpp,$(FORMATTED))

lint: ## what clang-format would change
	clang-format-14 --dry-run -Werror $(filter-out %/unicode_tables.cpp,$(FORMATTED))

lint-page: ## eslint and prettier over the files of the review page (npm; nothing else needs it)
	sh tools/lint_page.sh

format-page: ## prettier formats them
	sh tools/lint_page.sh --write

site: ## build/site/html: the pages with search, links checked (mkdocs, from the Python package index)
	sh packaging/site/build.sh build/site

DIST = build/$(EXTENSION)-$(EXTVERSION).zip

dist: check-version ## a PGXN archive of the committed tree
	@mkdir -p build
	git archive --format=zip --prefix=$(EXTENSION)-$(EXTVERSION)/ -o $(DIST) HEAD

check-pgspot: $(DATA_built) ## pgspot finds nothing unsafe in the extension scripts (pip install pgspot)
	@for module in contrib/*/sql; do cat $$module/*.sql > build/$$(basename $$(dirname $$module)).sql; done
	@sh scripts/check_pgspot.sh $(DATA_built) $(patsubst contrib/%/sql,build/%.sql,$(wildcard contrib/*/sql))

deb: ## Debian packages for every PostgreSQL that apt offers, tested (root or sudo; scripts/deb.sh)
	sh scripts/deb.sh

check-dist: dist ## the archive holds the committed tree, builds, installs and passes its tests without git
	sh scripts/check_dist.sh $(DIST)

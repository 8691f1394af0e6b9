# The parsers as a static library: make -f parsers.mk OUT=DIRECTORY CFLAGS=… DIRECTORY/libparsers.a
# SOURCES is the folder in which parsers.sh puts the sources.

SOURCES ?= build/parsers
OUT     ?= build/parsers
$(if $(and $(OUT),$(SOURCES)),,$(error OUT or SOURCES is empty))

lexbor_sources := $(shell find $(patsubst %,$(SOURCES)/source/lexbor/%,core dom html ns tag ports/posix/lexbor/core) -name '*.c')
objects := $(patsubst $(SOURCES)/%.c,$(OUT)/objects/%.o,$(lexbor_sources) $(SOURCES)/src/md4c.c $(SOURCES)/src/entity.c)

$(OUT)/libparsers.a: $(objects)
	rm -f $@
	$(AR) rcs $@ $^

$(OUT)/objects/%.o: $(SOURCES)/%.c parsers.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -w -fPIC -fvisibility=hidden -DLEXBOR_STATIC -I$(SOURCES)/source $(OPTIONS) -c $< -o $@

# MD4C includes markdown_output.h (md4c.changes). Jump tables cost it time: its branches are foreseen, their targets are not.
$(OUT)/objects/src/md4c.o: OPTIONS = -Isrc/core -I$(SOURCES)/src -fno-jump-tables
$(OUT)/objects/src/md4c.o: src/core/markdown_output.h

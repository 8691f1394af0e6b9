# The server for which a Makefile builds, and what its objects depend on. To be included after what PGXS reads, such as OBJS, has been set.
#
#   PG_CONFIG                its program pg_config
#   $(call required,NAME)    the value of a variable; an error if it is empty: for paths that are written or removed, which would begin at the root
#   $(call stamp,TEXT)       recipe of a file that holds the text; it changes, and with it all that depends on it, only if the text does

PG_CONFIG ?= pg_config

required = $(or $(strip $($(1))),$(error the variable $(1) is empty, but is part of a path))

define stamp
@mkdir -p $(@D)
@echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' > $@
endef
.PHONY: always

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq (,$(wildcard $(PGXS)))
include $(PGXS)
else
# What needs no server can be made without one: the command line, the unit tests, the fuzz targets, …
NEED_SERVER = all install uninstall installdirs installcheck check clean distclean maintainer-clean adversary check-odr check-pgtap check-pgspot check-tap $(shlib) $(EXTENSION).so
ifneq (,$(filter $(NEED_SERVER),$(or $(MAKECMDGOALS),all)))
$(error $(PG_CONFIG) of PostgreSQL's server was not found: install the package postgresql-server-dev-NN (Debian; NN is the major version of the server) or \
	postgresql-server-devel (Fedora), or name the program: make PG_CONFIG=…/bin/pg_config)
endif
endif

# Objects belong to a compiler and, if they include headers of the server, to its version.
OBJECTS_COMPILER := $(CXX) $(shell $(CXX) --version 2>/dev/null | head -n 1)
OBJECTS_SERVER   := $(PG_CONFIG) $(shell $(PG_CONFIG) --version 2>/dev/null)
build/compiler: always
	$(call stamp,$(OBJECTS_COMPILER))
build/server: always
	$(call stamp,$(OBJECTS_COMPILER) $(OBJECTS_SERVER))

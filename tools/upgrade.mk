# The script that updates an extension from its last release, whose script is frozen in sql/upgrade: derived while building, and frozen by the next
# release. To be included before PGXS, when EXTENSION and EXTVERSION are set. Without perl there is no such script, and all else is built.

DATA += $(wildcard sql/upgrade/*.sql)
RELEASES := $(patsubst sql/upgrade/$(EXTENSION)--%.sql,%,$(wildcard sql/upgrade/$(EXTENSION)--*.sql))
LAST_RELEASE := $(shell printf '%s\n' $(RELEASES) | grep -v -e -- | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1)
UPDATE = $(EXTENSION)--$(LAST_RELEASE)--$(EXTVERSION).sql

first_target: all # not the first rule below
ifneq ($(filter-out $(EXTVERSION),$(LAST_RELEASE)),)
ifeq ($(wildcard sql/upgrade/$(UPDATE)),)
ifneq ($(shell perl -e 'print 1' 2>/dev/null),)
DATA_built += build/$(UPDATE)
build/$(UPDATE): sql/upgrade/$(EXTENSION)--$(LAST_RELEASE).sql build/$(EXTENSION)--$(EXTVERSION).sql $(or $(top),.)/scripts/update_sql.pl
	perl $(or $(top),.)/scripts/update_sql.pl $(EXTENSION) $< $(word 2,$^) > $@.new
	mv $@.new $@
endif
endif
endif

.PHONY: all-sql
all-sql: $(filter %.sql,$(DATA_built)) # the scripts that are built

# The standard library's headers are a third of the time that compiling takes, so g++ reads them once for many objects:
#
#   $(eval $(call precompile,FOLDER,OBJECTS,COMMAND))
#
# puts the compiled headers into FOLDER. COMMAND compiles the OBJECTS with -c; their recipes insert $(PRECOMPILED_HEADER), which is empty if there
# are none. Not under ccache, which is quicker still and would have to be told that this is safe. PRECOMPILED= switches it off.

precompiled_source := $(dir $(lastword $(MAKEFILE_LIST)))standard.hpp
compiler_path = $(realpath $(shell command -v $(firstword $(CXX)) 2>/dev/null))
PRECOMPILED ?= $(if $(findstring ccache,$(compiler_path)$(CXX)),,$(if $(shell $(CXX) --version 2>/dev/null | grep 'Free Software'),yes))

ifneq (,$(PRECOMPILED))
define precompile
$(2): PRECOMPILED_HEADER = -include $(1)/standard.hpp
$(2): | $(1)/standard.hpp.gch
$(1)/standard.hpp.gch: $(precompiled_source) Makefile build/compiler
	@mkdir -p $(1)
	cp $(precompiled_source) $(1)/standard.hpp
	$(3) -x c++-header -o $$@ $(1)/standard.hpp
endef
endif

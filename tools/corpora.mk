# The corpora of the fuzz targets: test/fuzz/corpus/NAME.tar.gz has the inputs of a target; it is unpacked into build/corpora/NAME.
#
#   FUZZ_CORPORA      folder of the archives           CORPORA    folder into which they are unpacked
#   $(call pack,FOLDER,ARCHIVE)    command that packs the files of a folder; the same files give the same bytes

FUZZ_CORPORA ?= test/fuzz/corpus
CORPORA      ?= build/corpora

$(CORPORA)/%: $(FUZZ_CORPORA)/%.tar.gz
	rm -rf $@
	mkdir -p $@
	tar -xzf $< -C $@
	touch $@

.PHONY: corpora
.PRECIOUS: $(CORPORA)/%
corpora: $(patsubst $(FUZZ_CORPORA)/%.tar.gz,$(CORPORA)/%,$(wildcard $(FUZZ_CORPORA)/*.tar.gz))

pack = (cd $(1) && find . -type f | LC_ALL=C sort | tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -cf - -T -) | gzip -9n > $(2)

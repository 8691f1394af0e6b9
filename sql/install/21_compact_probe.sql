-- minhash_compact_probe: the same of the compact form.

@use type
@  TYPE = minhash_compact_probe
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
@  COMMENT = compact MinHash sketch with the least similarity at which it matches another

@use selectivity
@  SYMBOL = minhash_compact
@  PROBE = minhash_compact_probe
@  ANALYZES = ANALYZE of compact MinHash columns: how many near-duplicates rows have

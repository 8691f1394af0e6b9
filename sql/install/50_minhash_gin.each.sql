-- GIN over LSH band keys of minhash@H@.

@use gin
@  TYPE = minhash@H@
@  VALUE_SYMBOL = minhash
@  CONSISTENT_SYMBOL = minhash
@  OPTIONS = bands, rows, threshold, recall

@use minhash_gin
@  TYPE = minhash@H@
@  PROBE = minhash_probe

-- minhash_probe: a sketch and the threshold at which it is looked for, the right operand of an index condition.

@use type
@  TYPE = minhash_probe
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
@  COMMENT = MinHash sketch with the least similarity at which it matches another

-- Planner support shared by the MinHash types.

@use selectivity
@  SYMBOL = minhash
@  PROBE = minhash_probe
@  ANALYZES = ANALYZE of MinHash columns: how many near-duplicates rows have


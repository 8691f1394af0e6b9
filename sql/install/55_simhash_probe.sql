-- simhash_probe: a SimHash and the distance of a search around it, the right operand of an index condition.

@use type
@  TYPE = simhash_probe
@  PROPERTIES = INTERNALLENGTH = 16, ALIGNMENT = double
@  COMMENT = SimHash with the greatest Hamming distance at which it matches another

@use selectivity
@  SYMBOL = simhash64
@  PROBE = simhash_probe
@  ANALYZES = ANALYZE of SimHash columns: how many rows are within which distance


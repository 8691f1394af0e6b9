-- tlsh_probe: a TLSH digest and the distance of a search around it, the right operand of an index condition.

@use type
@  TYPE = tlsh_probe
@  PROPERTIES = INTERNALLENGTH = 40, ALIGNMENT = int4
@  COMMENT = TLSH digest with the greatest distance at which it matches another

@use selectivity
@  SYMBOL = tlsh
@  PROBE = tlsh_probe
@  ANALYZES = ANALYZE of TLSH columns: how many rows are within which distance


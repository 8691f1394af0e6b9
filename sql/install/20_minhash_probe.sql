-- minhash_probe: a sketch and the threshold of a search for it, the right operand of an index condition.

@use type
@  TYPE = minhash_probe
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
@  COMMENT = MinHash sketch with the least similarity at which it matches another

-- Planner support of the functions of all types that make a probe from a value and a threshold.

CREATE FUNCTION _probe_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_probe_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _probe_support(internal) IS 'planner support for functions that make a probe';

-- Planner support shared by the MinHash types.

@use selectivity
@  SYMBOL = minhash
@  PROBE = minhash_probe
@  ANALYZES = ANALYZE of MinHash columns: how many near-duplicates rows have


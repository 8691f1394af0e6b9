-- Banding: how bands and rows decide which pairs share a key.

CREATE FUNCTION lsh_params(threshold double precision, num_slots integer, recall double precision DEFAULT NULL,
	OUT bands integer, OUT rows integer) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_lsh_params' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5500;
COMMENT ON FUNCTION lsh_params(double precision, integer, double precision) IS
	'banding of num_slots slots for a threshold: the cheapest one that reaches the recall, or without recall the one with the least error area';

CREATE FUNCTION lsh_probability(similarity double precision, bands integer, rows integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lsh_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(double precision, integer, integer) IS
	'probability that two sketches of a similarity s share a band: 1 - (1 - s^rows)^bands';


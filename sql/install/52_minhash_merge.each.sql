
-- minhash@H@: merging

CREATE FUNCTION minhash_union(a minhash@H@, b minhash@H@) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @7|13|25@;
COMMENT ON FUNCTION minhash_union(minhash@H@, minhash@H@) IS 'sketch of the union of two token sets: slot-wise minimum';

CREATE AGGREGATE minhash_union_agg(minhash@H@) (
	SFUNC = minhash_union, STYPE = minhash@H@, COMBINEFUNC = minhash_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash@H@) IS 'sketch of the union of all token sets';

CREATE FUNCTION minhash_cardinality(fp minhash@H@) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @25|40|80@;
COMMENT ON FUNCTION minhash_cardinality(minhash@H@) IS 'estimated number of distinct tokens';

CREATE FUNCTION minhash_intersection_estimate(a minhash@H@, b minhash@H@) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @30|50|100@;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash@H@, minhash@H@) IS
	'estimated number of distinct tokens that two texts share';

CREATE FUNCTION minhash_intersection_estimate(a minhash@H@, b minhash@H@, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash@H@, minhash@H@, double precision, double precision) IS
	'estimated number of distinct tokens that two texts share, given the number of distinct tokens of each';

CREATE FUNCTION minhash_containment(a minhash@H@, b minhash@H@) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @30|50|100@;
COMMENT ON FUNCTION minhash_containment(minhash@H@, minhash@H@) IS
	'estimated share of the distinct tokens of a that b contains';

CREATE FUNCTION minhash_containment(a minhash@H@, b minhash@H@, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION minhash_containment(minhash@H@, minhash@H@, double precision, double precision) IS
	'estimated share of the distinct tokens of a that b contains, given the number of distinct tokens of each';

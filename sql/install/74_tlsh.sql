-- tlsh: TLSH with 128 buckets and a 1-byte checksum, 35 bytes.

@use type
@  TYPE = tlsh
@  IN_COST = 400
@  OUT_COST = 50
@  PROPERTIES = ANALYZE = _tlsh_typanalyze, INTERNALLENGTH = 35, ALIGNMENT = char
@  COMMENT = TLSH digest of 128 buckets, estimates how far apart two byte strings are

-- Constructors

CREATE FUNCTION to_tlsh(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_text_to_tlsh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION to_tlsh(text, text) IS
	'TLSH of the canonical form of a text; NULL if it is too short or too uniform';

CREATE FUNCTION to_tlsh(data bytea) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_bytea_to_tlsh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION to_tlsh(bytea) IS
	'TLSH of bytes; NULL if there are too few or they are too uniform';

CREATE FUNCTION tlsh_reason(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_text_tlsh_reason' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION tlsh_reason(text, text) IS
	'why to_tlsh returns NULL: ''too short'' or ''too uniform''; NULL if it returns a value';

CREATE FUNCTION tlsh_reason(data bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_bytea_tlsh_reason' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION tlsh_reason(bytea) IS
	'why to_tlsh returns NULL: ''too short'' or ''too uniform''; NULL if it returns a value';

-- Casts

CREATE FUNCTION _tlsh_to_bytea(tlsh) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_to_bytea(tlsh) IS 'the 35 bytes that the text form writes in hexadecimal';
CREATE CAST (tlsh AS bytea) WITH FUNCTION _tlsh_to_bytea(tlsh);

CREATE FUNCTION _tlsh_from_bytea(bytea) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_from_bytea(bytea) IS 'TLSH from the 35 bytes that its text form writes in hexadecimal';
CREATE CAST (bytea AS tlsh) WITH FUNCTION _tlsh_from_bytea(bytea);

COMMENT ON CAST (tlsh AS bytea) IS 'bytes of the text form';
COMMENT ON CAST (bytea AS tlsh) IS 'bytes of the text form';

-- Order and equality, as text forms

@use order
@  TYPE = tlsh

-- Values of the header

CREATE FUNCTION tlsh_header(fp tlsh, OUT checksum integer, OUT length_class integer, OUT q1_ratio integer, OUT q2_ratio integer)
	RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_header' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlsh_header(tlsh) IS
	'checksum (0 to 255), length class (0 to 169: each class begins 10 to 50 % higher than the one before), first and second quartile in percent of the third, modulo 16';

-- Distance

CREATE FUNCTION tlsh_distance(a tlsh, b tlsh, with_length boolean DEFAULT true) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION tlsh_distance(tlsh, tlsh, boolean) IS
	'TLSH distance, 0 (equal) to 2473, or 0 to 937 without the part of the length classes';

CREATE FUNCTION _tlsh_distance_op(tlsh, tlsh) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _tlsh_distance_op(tlsh, tlsh) IS
	'implementation of <~> operator';

CREATE OPERATOR <~> (LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_distance_op, COMMUTATOR = <~>);
COMMENT ON OPERATOR <~> (tlsh, tlsh) IS 'TLSH distance';

-- Search

CREATE FUNCTION _tlsh_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_similar_support(internal) IS 'planner support for tlsh_similar and %';

-- STABLE: reads txtfp.tlsh_threshold
CREATE FUNCTION _tlsh_similar_op(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _tlsh_similar_support;
COMMENT ON FUNCTION _tlsh_similar_op(tlsh, tlsh) IS 'implementation of % operator';

CREATE FUNCTION tlsh_similar(a tlsh, b tlsh, max_distance integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _tlsh_similar_support;
COMMENT ON FUNCTION tlsh_similar(tlsh, tlsh, integer) IS
	'TLSH distance is at most max_distance; uses an index of the access method sketch';

CREATE FUNCTION _to_tlsh_probe(value tlsh, max_distance integer) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_tlsh_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_tlsh_probe(tlsh, integer) IS 'right operand of %: a digest and the greatest distance of the search';

-- STABLE: reads txtfp.tlsh_threshold
CREATE FUNCTION _to_tlsh_probe(value tlsh) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_tlsh_probe' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_tlsh_probe(tlsh) IS 'right operand of %: a digest and the distance txtfp.tlsh_threshold';

CREATE FUNCTION _tlsh_matches_probe(tlsh, tlsh_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _tlsh_matches_probe(tlsh, tlsh_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_similar_op,
	COMMUTATOR = %, RESTRICT = _tlsh_sel, JOIN = _tlsh_joinsel
);
COMMENT ON OPERATOR % (tlsh, tlsh) IS 'TLSH distance is at most txtfp.tlsh_threshold';

CREATE OPERATOR % (
	LEFTARG = tlsh, RIGHTARG = tlsh_probe, FUNCTION = _tlsh_matches_probe,
	RESTRICT = _tlsh_probe_sel, JOIN = _tlsh_joinsel
);
COMMENT ON OPERATOR % (tlsh, tlsh_probe) IS 'TLSH distance is at most the limit of the probe';

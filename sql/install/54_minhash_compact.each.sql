-- minhash@H@_compact: the compact form of minhash@H@, 8 bits of each slot.

-- The code takes values at any alignment, so they may have the short header. STORAGE main, as the full sketch.
@use type
@  TYPE = minhash@H@_compact
@  IN_COST = @60|100|200@
@  OUT_COST = @20|30|50@
@  SYMBOL = compact
@  INPUT_SYMBOL = minhash@H@_compact
@  PROPERTIES = ANALYZE = _minhash_compact_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
@  COMMENT = compact MinHash sketch of @H@ slots of 8 bits, estimates the Jaccard similarity of token sets

-- From the full sketch, which cannot be had back. On assignment, so that INSERT ... SELECT fills a compact column.

CREATE FUNCTION to_minhash@H@_compact(fp minhash@H@) RETURNS minhash@H@_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @5|8|15@;
COMMENT ON FUNCTION to_minhash@H@_compact(minhash@H@) IS 'compact form of a sketch: 8 bits of each slot, and the configuration';
CREATE CAST (minhash@H@ AS minhash@H@_compact) WITH FUNCTION to_minhash@H@_compact(minhash@H@) AS ASSIGNMENT;
COMMENT ON CAST (minhash@H@ AS minhash@H@_compact) IS '8 bits of each slot, and the configuration';

CREATE FUNCTION to_minhash@H@_compact(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash@H@_compact
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash@H@_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @450|400|450@;
COMMENT ON FUNCTION to_minhash@H@_compact(text, text, text, text, bigint) IS
	'compact MinHash sketch of a text: to_minhash@H@_compact(to_minhash@H@(...)); NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash@H@_compact(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash@H@_compact
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash@H@_compact' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash@H@_compact(text[], text, bigint, text, text) IS
	'compact MinHash sketch of any set of tokens: to_minhash@H@_compact(to_minhash@H@(...)); NULL if the set is empty';

-- Casts and configuration

CREATE FUNCTION _minhash@H@_compact_to_bytea(minhash@H@_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash@H@_compact_to_bytea(minhash@H@_compact) IS 'wire form, without the configuration';
CREATE CAST (minhash@H@_compact AS bytea) WITH FUNCTION _minhash@H@_compact_to_bytea(minhash@H@_compact);
COMMENT ON CAST (minhash@H@_compact AS bytea) IS 'wire form';

CREATE FUNCTION _minhash@H@_compact_from_bytea(bytea) RETURNS minhash@H@_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_compact_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash@H@_compact_from_bytea(bytea) IS 'compact sketch from its wire form, with unknown configuration';
CREATE CAST (bytea AS minhash@H@_compact) WITH FUNCTION _minhash@H@_compact_from_bytea(bytea);
COMMENT ON CAST (bytea AS minhash@H@_compact) IS 'wire form';

CREATE FUNCTION minhash_config(fp minhash@H@_compact) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_compact_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash@H@_compact) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash@H@_compact, config text) RETURNS minhash@H@_compact
	AS 'MODULE_PATHNAME', 'txtfp_compact_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash@H@_compact, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

@use order
@  TYPE = minhash@H@_compact
@  SYMBOL = compact
@  HASH_COST =  COST 3

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash@H@_compact, b minhash@H@_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard(minhash@H@_compact, minhash@H@_compact) IS
	'estimated Jaccard similarity: the share of equal slots, less those that are equal by chance';

CREATE FUNCTION jaccard_distance(a minhash@H@_compact, b minhash@H@_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard_distance(minhash@H@_compact, minhash@H@_compact) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash@H@_compact_similar_op(minhash@H@_compact, minhash@H@_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash@H@_compact_similar_op(minhash@H@_compact, minhash@H@_compact) IS 'implementation of % operator';

CREATE FUNCTION _minhash@H@_compact_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_compact_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_compact_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash@H@_compact, b minhash@H@_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2
	SUPPORT _minhash@H@_compact_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash@H@_compact, minhash@H@_compact, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash@H@_compact_lsh_ops index';

CREATE FUNCTION _to_minhash_compact_probe(value minhash@H@_compact, threshold double precision) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_compact_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_compact_probe(minhash@H@_compact, double precision) IS
	'right operand of %: a compact sketch and the threshold of the search';

CREATE FUNCTION _minhash@H@_compact_matches_probe(minhash@H@_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash@H@_compact_matches_probe(minhash@H@_compact, minhash_compact_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash@H@_compact_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_compact_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_compact_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash@H@_compact, b minhash@H@_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _minhash@H@_compact_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash@H@_compact, minhash@H@_compact, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash@H@_compact_matches_probe_leakproof(minhash@H@_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash@H@_compact_matches_probe_leakproof(minhash@H@_compact, minhash_compact_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash@H@_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash@H@_compact_matches_probe_leakproof,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR %& (minhash@H@_compact, minhash_compact_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash@H@_compact, RIGHTARG = minhash@H@_compact, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash@H@_compact, minhash@H@_compact) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash@H@_compact, RIGHTARG = minhash@H@_compact, FUNCTION = _minhash@H@_compact_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_compact_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash@H@_compact, minhash@H@_compact) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash@H@_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash@H@_compact_matches_probe,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash@H@_compact, minhash_compact_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash@H@_compact, b minhash@H@_compact, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash@H@_compact, minhash@H@_compact, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash@H@_compact, bands integer, rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_compact_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash@H@_compact, integer, integer) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number';

-- GIN over LSH band keys of minhash@H@_compact.

@use gin
@  TYPE = minhash@H@_compact
@  VALUE_SYMBOL = compact
@  CONSISTENT_SYMBOL = minhash
@  OPTIONS = bands, rows, threshold, recall

@use minhash_gin
@  TYPE = minhash@H@_compact
@  PROBE = minhash_compact_probe

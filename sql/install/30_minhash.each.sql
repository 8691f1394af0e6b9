-- minhash@H@: MinHash sketch of @H@ slots.

-- STORAGE main: slots do not compress, and an index recheck reads them, so in a wide row the document moves out first.
@use type
@  TYPE = minhash@H@
@  IN_COST = @500|1000|2000@
@  OUT_COST = @100|200|400@
@  SYMBOL = minhash
@  INPUT_SYMBOL = minhash@H@
@  PROPERTIES = ANALYZE = _minhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
@  COMMENT = MinHash sketch of @H@ slots, estimates the Jaccard similarity of token sets

-- Constructors. They return NULL for a text without tokens, because a generated column must not reject a row.

CREATE FUNCTION to_minhash@H@(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash@H@' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @450|400|450@;
COMMENT ON FUNCTION to_minhash@H@(text, text, text, text, bigint) IS
	'MinHash sketch of a text: canonicalized, cut into tokens, hashed; NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash@H@(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash@H@' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash@H@(text[], text, bigint, text, text) IS
	'MinHash sketch of any set of tokens, used unchanged; tokenizer and canonicalizer declare its configuration, which is unknown without a tokenizer; NULL if the set is empty';

-- Casts

CREATE FUNCTION _minhash@H@_to_bytea(minhash@H@) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash@H@_to_bytea(minhash@H@) IS 'txtfp wire form, without the configuration';
CREATE CAST (minhash@H@ AS bytea) WITH FUNCTION _minhash@H@_to_bytea(minhash@H@);

CREATE FUNCTION _minhash@H@_from_bytea(bytea) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash@H@_from_bytea(bytea) IS 'sketch from its txtfp wire form, with unknown configuration';
CREATE CAST (bytea AS minhash@H@) WITH FUNCTION _minhash@H@_from_bytea(bytea);

-- Functions on the configuration, which the wire form does not contain
CREATE FUNCTION minhash_config(fp minhash@H@) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_minhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash@H@) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash@H@, config text) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash@H@, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

CREATE FUNCTION _minhash@H@_to_jsonb(minhash@H@) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @1500|3000|6000@;
COMMENT ON FUNCTION _minhash@H@_to_jsonb(minhash@H@) IS 'schema, slots and, if known, configuration';
CREATE CAST (minhash@H@ AS jsonb) WITH FUNCTION _minhash@H@_to_jsonb(minhash@H@);

CREATE FUNCTION _minhash@H@_from_jsonb(jsonb) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @1500|3000|6000@;
COMMENT ON FUNCTION _minhash@H@_from_jsonb(jsonb) IS 'sketch from schema, slots and optional configuration';
CREATE CAST (jsonb AS minhash@H@) WITH FUNCTION _minhash@H@_from_jsonb(jsonb);

COMMENT ON CAST (minhash@H@ AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS minhash@H@) IS 'txtfp wire form';
COMMENT ON CAST (minhash@H@ AS jsonb) IS 'schema, slots, configuration';
COMMENT ON CAST (jsonb AS minhash@H@) IS 'schema, slots, optional configuration';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

@use order
@  TYPE = minhash@H@
@  SYMBOL = minhash
@  HASH_COST =  COST 10

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash@H@, b minhash@H@) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION jaccard(minhash@H@, minhash@H@) IS 'estimated Jaccard similarity: equal slots / @H@';

CREATE FUNCTION jaccard_distance(a minhash@H@, b minhash@H@) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION jaccard_distance(minhash@H@, minhash@H@) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash@H@_similar_op(minhash@H@, minhash@H@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION _minhash@H@_similar_op(minhash@H@, minhash@H@) IS 'implementation of % operator';

CREATE FUNCTION _minhash@H@_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash@H@, b minhash@H@, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@
	SUPPORT _minhash@H@_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash@H@, minhash@H@, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash@H@_lsh_ops index';

CREATE FUNCTION _to_minhash_probe(value minhash@H@, threshold double precision) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_probe(minhash@H@, double precision) IS 'right operand of %: a sketch and the threshold of the search';

CREATE FUNCTION _minhash@H@_matches_probe(minhash@H@, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION _minhash@H@_matches_probe(minhash@H@, minhash_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash@H@_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash@H@, b minhash@H@, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST @2|3|5@
	SUPPORT _minhash@H@_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash@H@, minhash@H@, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash@H@_matches_probe_leakproof(minhash@H@, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST @2|3|5@;
COMMENT ON FUNCTION _minhash@H@_matches_probe_leakproof(minhash@H@, minhash_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash@H@, RIGHTARG = minhash_probe, FUNCTION = _minhash@H@_matches_probe_leakproof,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR %& (minhash@H@, minhash_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash@H@, RIGHTARG = minhash@H@, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash@H@, minhash@H@) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash@H@, RIGHTARG = minhash@H@, FUNCTION = _minhash@H@_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash@H@, minhash@H@) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash@H@, RIGHTARG = minhash_probe, FUNCTION = _minhash@H@_matches_probe,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash@H@, minhash_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash@H@, b minhash@H@, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash@H@, minhash@H@, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash@H@, bands integer, rows integer, crate_keys boolean DEFAULT false) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash@H@, integer, integer, boolean) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number unless crate_keys is true';


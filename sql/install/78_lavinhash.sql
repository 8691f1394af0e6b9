-- lavinhash_probe: a value and the score of a search for it, the right operand of an index condition.

@use type
@  TYPE = lavinhash_probe
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
@  COMMENT = LavinHash with the least score at which it matches another

@use selectivity
@  SYMBOL = lavinhash
@  PROBE = lavinhash_probe
@  ANALYZES = ANALYZE of LavinHash columns: how many rows reach which score

-- lavinhash: fuzzy hash of bytes, in two layers.
--
-- STORAGE main: filters of short documents compress, long ones do not; and an index recheck reads them, so in a
-- wide row the document moves out first.

@use type
@  TYPE = lavinhash
@  IN_COST = 1000
@  OUT_COST = 150
@  PROPERTIES = ANALYZE = _lavinhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
@  COMMENT = LavinHash of bytes: which pieces they are made of, and how their entropy runs

-- Constructor. Returns NULL for the empty document, because a generated column must not reject a row.

CREATE FUNCTION to_lavinhash(doc bytea, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 700;
COMMENT ON FUNCTION to_lavinhash(bytea, integer, boolean) IS 'LavinHash of a document; NULL if it is empty';
CREATE FUNCTION to_lavinhash(doc text, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_text_to_lavinhash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 700;
COMMENT ON FUNCTION to_lavinhash(text, integer, boolean) IS 'LavinHash of the UTF-8 bytes of a text, which is not canonicalized; NULL if it is empty';

-- Casts

CREATE FUNCTION _lavinhash_to_bytea(lavinhash) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_to_bytea(lavinhash) IS 'serialized form';
CREATE CAST (lavinhash AS bytea) WITH FUNCTION _lavinhash_to_bytea(lavinhash);

CREATE FUNCTION _lavinhash_from_bytea(bytea) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_from_bytea(bytea) IS 'LavinHash from its serialized form';
CREATE CAST (bytea AS lavinhash) WITH FUNCTION _lavinhash_from_bytea(bytea);

COMMENT ON CAST (lavinhash AS bytea) IS 'serialized form';
COMMENT ON CAST (bytea AS lavinhash) IS 'serialized form';

-- Order and equality, by the bytes of the serialized form. The order has no meaning.

@use order
@  TYPE = lavinhash
@  HASH_COST =  COST 5

-- Similarity

CREATE FUNCTION lavinhash_similarity(a lavinhash, b lavinhash, alpha double precision DEFAULT 0.3) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_similarity(lavinhash, lavinhash, double precision) IS
	'score, 0 to 100: 100 * (alpha * structure + (1 - alpha) * content), rounded down';

CREATE FUNCTION lavinhash_structure(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_structure' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_structure(lavinhash, lavinhash) IS
	'similarity of the structures, 0 to 1, by edit distance of the block entropies';

CREATE FUNCTION lavinhash_content(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_content' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_content(lavinhash, lavinhash) IS
	'Jaccard similarity of the filters, 0 to 1; 1 if both are empty, as for documents up to 64 bytes';

CREATE FUNCTION lavinhash_distance(a lavinhash, b lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_distance(lavinhash, lavinhash) IS 'implementation of <-> operator: 100 - lavinhash_similarity';

CREATE OPERATOR <-> (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_distance, COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (lavinhash, lavinhash) IS '100 - score, 0 (same) to 100';

-- Search. STABLE: reads txtfp.lavinhash_threshold
CREATE FUNCTION _lavinhash_similar_op(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE COST 12;
COMMENT ON FUNCTION _lavinhash_similar_op(lavinhash, lavinhash) IS 'implementation of % operator';

CREATE FUNCTION _lavinhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_similar_support(internal) IS 'planner support for lavinhash_similar';

CREATE FUNCTION lavinhash_similar(a lavinhash, b lavinhash, min_score integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 12
	SUPPORT _lavinhash_similar_support;
COMMENT ON FUNCTION lavinhash_similar(lavinhash, lavinhash, integer) IS
	'score (alpha 0.3) is at least min_score; uses a lavinhash_lsh_ops index';

CREATE FUNCTION _to_lavinhash_probe(value lavinhash, min_score integer) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_lavinhash_probe(lavinhash, integer) IS 'right operand of %: a value and the least score of the search';

CREATE FUNCTION _lavinhash_matches_probe(lavinhash, lavinhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 12;
COMMENT ON FUNCTION _lavinhash_matches_probe(lavinhash, lavinhash_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_similar_op,
	COMMUTATOR = %, RESTRICT = _lavinhash_sel, JOIN = _lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash) IS 'score is at least txtfp.lavinhash_threshold';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash_probe, FUNCTION = _lavinhash_matches_probe,
	RESTRICT = _lavinhash_probe_sel, JOIN = _lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash_probe) IS 'score is at least the limit of the probe';

-- GIN over LSH band keys of the filter

@use gin
@  TYPE = lavinhash
@  CONSISTENT_SYMBOL = minhash
@  OPTIONS = bands, rows, recall


CREATE OPERATOR CLASS lavinhash_lsh_ops DEFAULT FOR TYPE lavinhash USING gin AS
	OPERATOR 1 % (lavinhash, lavinhash),
	OPERATOR 2 % (lavinhash, lavinhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _lavinhash_gin_extract_value(lavinhash, internal, internal),
	FUNCTION 3 _lavinhash_gin_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _lavinhash_gin_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal),
	FUNCTION 6 _lavinhash_gin_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal),
	FUNCTION 7 _lavinhash_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS lavinhash_lsh_ops USING gin IS
	'search by score over LSH band keys of the content; options bands, rows, recall';
COMMENT ON OPERATOR FAMILY lavinhash_lsh_ops USING gin IS 'search by score over LSH band keys of the content';


-- simhash64: SimHash of 64 bits, passed by value.

@use type
@  TYPE = simhash64
@  IN_COST = 40
@  OUT_COST = 50
@  PROPERTIES = ANALYZE = _simhash64_typanalyze, LIKE = pg_catalog.int8
@  COMMENT = SimHash of 64 bits, estimates the angle between weighted token sets by Hamming distance

-- Constructors

CREATE FUNCTION to_simhash64(doc text, tokenizer text DEFAULT 'shingle-k=2/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781, weighting text DEFAULT 'tf', idf jsonb DEFAULT NULL) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text, text, text, text, bigint, text, jsonb) IS
	'SimHash of a text: canonicalized, cut into tokens, weighted by tf, uniform or idf; NULL if it has no token';

CREATE FUNCTION to_simhash64(tokens text[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[]) IS 'SimHash of any tokens, used unchanged, each weighted by how often it occurs; NULL if there is none';

-- hash and seed have no defaults, so that a literal as the only second argument means an array of weights, not a hash.
-- not strict: idf may be NULL
CREATE FUNCTION to_simhash64(tokens text[], hash text, seed bigint, weighting text DEFAULT 'tf', idf jsonb DEFAULT NULL)
	RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_simhash64' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[], text, bigint, text, jsonb) IS
	'SimHash of any tokens, used unchanged, weighted by tf, uniform or idf; NULL if there is none';

CREATE FUNCTION to_simhash64(features text[], weights double precision[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_features_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[], double precision[]) IS
	'SimHash of weighted features, hashed by xxh3-64 with the default seed; NULL if there is none';

-- Casts

CREATE CAST (simhash64 AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash64) WITHOUT FUNCTION;

CREATE FUNCTION _simhash64_to_bytea(simhash64) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_to_bytea(simhash64) IS 'the 8 bytes, little-endian: txtfp wire form';
CREATE CAST (simhash64 AS bytea) WITH FUNCTION _simhash64_to_bytea(simhash64);

CREATE FUNCTION _simhash64_from_bytea(bytea) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_from_bytea(bytea) IS 'SimHash from its txtfp wire form';
CREATE CAST (bytea AS simhash64) WITH FUNCTION _simhash64_from_bytea(bytea);

CREATE FUNCTION _simhash64_to_bit(simhash64) RETURNS bit
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_bit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_to_bit(simhash64) IS 'bit(64), most significant bit first';
CREATE CAST (simhash64 AS bit) WITH FUNCTION _simhash64_to_bit(simhash64);

CREATE FUNCTION _simhash64_from_bit(bit) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_bit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_from_bit(bit) IS 'SimHash from bit(64), most significant bit first';
CREATE CAST (bit AS simhash64) WITH FUNCTION _simhash64_from_bit(bit);

CREATE FUNCTION _simhash64_to_jsonb(simhash64) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _simhash64_to_jsonb(simhash64) IS 'unsigned integer';
CREATE CAST (simhash64 AS jsonb) WITH FUNCTION _simhash64_to_jsonb(simhash64);

CREATE FUNCTION _simhash64_from_jsonb(jsonb) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _simhash64_from_jsonb(jsonb) IS 'SimHash from an unsigned integer';
CREATE CAST (jsonb AS simhash64) WITH FUNCTION _simhash64_from_jsonb(jsonb);

COMMENT ON CAST (simhash64 AS bigint) IS 'same bits';
COMMENT ON CAST (bigint AS simhash64) IS 'same bits';
COMMENT ON CAST (simhash64 AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS simhash64) IS 'txtfp wire form';
COMMENT ON CAST (simhash64 AS bit) IS 'bit(64)';
COMMENT ON CAST (bit AS simhash64) IS 'bit(64)';
COMMENT ON CAST (simhash64 AS jsonb) IS 'unsigned integer';
COMMENT ON CAST (jsonb AS simhash64) IS 'unsigned integer';

-- Order and equality, as unsigned integers

@use order
@  TYPE = simhash64

-- Distance

CREATE FUNCTION hamming(a simhash64, b simhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_hamming' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming(simhash64, simhash64) IS 'Hamming distance, 0 to 64: the number of bits that differ';

CREATE FUNCTION cosine_estimate(a simhash64, b simhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_cosine_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION cosine_estimate(simhash64, simhash64) IS 'estimated cosine similarity: cos(pi * hamming / 64)';

CREATE OPERATOR <#> (LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = hamming, COMMUTATOR = <#>);
COMMENT ON OPERATOR <#> (simhash64, simhash64) IS 'Hamming distance';

-- Search. STABLE: reads txtfp.hamming_threshold
CREATE FUNCTION _simhash64_similar_op(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_similar_op(simhash64, simhash64) IS 'implementation of % operator';

CREATE FUNCTION _simhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash_similar_support(internal) IS 'planner support for simhash_similar';

CREATE FUNCTION simhash_similar(a simhash64, b simhash64, max_distance integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	SUPPORT _simhash_similar_support;
COMMENT ON FUNCTION simhash_similar(simhash64, simhash64, integer) IS
	'Hamming distance is at most max_distance; uses a simhash64_ops index';

CREATE FUNCTION _to_simhash_probe(value simhash64, max_distance integer) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_simhash_probe(simhash64, integer) IS 'right operand of %: a SimHash and the greatest distance of the search';

CREATE FUNCTION _simhash64_matches_probe(simhash64, simhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_matches_probe(simhash64, simhash_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_similar_op,
	COMMUTATOR = %, RESTRICT = _simhash64_sel, JOIN = _simhash64_joinsel
);
COMMENT ON OPERATOR % (simhash64, simhash64) IS 'Hamming distance is at most txtfp.hamming_threshold';

CREATE OPERATOR % (
	LEFTARG = simhash64, RIGHTARG = simhash_probe, FUNCTION = _simhash64_matches_probe,
	RESTRICT = _simhash_probe_sel, JOIN = _simhash64_joinsel
);
COMMENT ON OPERATOR % (simhash64, simhash_probe) IS 'Hamming distance is at most the limit of the probe';

-- GIN over the four 16-bit blocks

@use gin
@  TYPE = simhash64
@  OPTIONS = compact

CREATE FUNCTION _simhash64_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS simhash64_ops DEFAULT FOR TYPE simhash64 USING gin AS
	OPERATOR 1 % (simhash64, simhash64),
	OPERATOR 2 % (simhash64, simhash_probe),
	OPERATOR 3 = (simhash64, simhash64),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _simhash64_gin_extract_value(simhash64, internal, internal),
	FUNCTION 3 _simhash64_gin_extract_query(simhash64, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _simhash64_gin_consistent(internal, smallint, simhash64, integer, internal, internal, internal, internal),
	FUNCTION 5 _simhash64_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _simhash64_gin_triconsistent(internal, smallint, simhash64, integer, internal, internal, internal),
	FUNCTION 7 _simhash64_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS simhash64_ops USING gin IS 'exact search within a Hamming distance; option compact';
COMMENT ON OPERATOR FAMILY simhash64_ops USING gin IS 'exact search within a Hamming distance';


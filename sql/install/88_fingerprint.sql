
-- fingerprint: a value of any fingerprint type, tagged with its kind

@use type
@  TYPE = fingerprint
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
@  COMMENT = any of the fingerprint types in one column: its kind and its value

-- Order and equality, by kind and bytes, of any two values. The order has no meaning.

@use order
@  TYPE = fingerprint
@  HASH_COST =  COST 10

-- Kind and metadata

CREATE FUNCTION fingerprint_name(fp fingerprint) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fingerprint_name(fingerprint) IS 'kind of the fingerprint, such as minhash-h128-v1: algorithm, model if there is one, and schema version';

CREATE FUNCTION fingerprint_metadata(fp fingerprint) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_metadata' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION fingerprint_metadata(fingerprint) IS 'algorithm, config_hash (zeros mean unknown), schema_version, byte_size, model_id';

CREATE FUNCTION fingerprint_metadata(fp fingerprint, canonicalizer text, tokenizer text, algorithm text) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_metadata_with' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION fingerprint_metadata(fingerprint, text, text, text) IS
	'metadata with the config_hash of the canonicalizer, tokenizer and algorithm that the caller names';

CREATE FUNCTION fingerprint_similarity(a fingerprint, b fingerprint) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 8;
COMMENT ON FUNCTION fingerprint_similarity(fingerprint, fingerprint) IS
	'similarity by the measure of the kind: jaccard, cosine_estimate or semantic_similarity, or 0 to 1 for tlsh and lavinhash; an error if kinds differ';

-- Casts

@use fingerprint
@  TYPE = simhash64
@  COST = 10

@use fingerprint
@  TYPE = tlsh
@  COST = 10

@use fingerprint
@  TYPE = lavinhash
@  COST = 10

@use fingerprint
@  TYPE = embedding
@  COST = 25

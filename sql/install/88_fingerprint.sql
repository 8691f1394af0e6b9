
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

CREATE FUNCTION similarity(a fingerprint, b fingerprint) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 8;
COMMENT ON FUNCTION similarity(fingerprint, fingerprint) IS
	'similarity by the measure of the kind: jaccard, cosine_estimate or semantic_similarity, or 0 to 1 for tlsh and lavinhash; an error if kinds differ';

-- Casts. They apply on assignment only: with implicit casts, values of different types could be compared by mistake.

CREATE FUNCTION simhash64_to_fingerprint(simhash64) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash64_to_fingerprint(simhash64) IS 'fingerprint that holds the simhash64';
CREATE CAST (simhash64 AS fingerprint) WITH FUNCTION simhash64_to_fingerprint(simhash64) AS ASSIGNMENT;
COMMENT ON CAST (simhash64 AS fingerprint) IS 'fingerprint that holds the simhash64';

CREATE FUNCTION simhash64_from_fingerprint(fingerprint) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash64_from_fingerprint(fingerprint) IS 'the simhash64 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS simhash64) WITH FUNCTION simhash64_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS simhash64) IS 'the simhash64 in the fingerprint';

CREATE FUNCTION tlsh_to_fingerprint(tlsh) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tlsh_to_fingerprint(tlsh) IS 'fingerprint that holds the tlsh';
CREATE CAST (tlsh AS fingerprint) WITH FUNCTION tlsh_to_fingerprint(tlsh) AS ASSIGNMENT;
COMMENT ON CAST (tlsh AS fingerprint) IS 'fingerprint that holds the tlsh';

CREATE FUNCTION tlsh_from_fingerprint(fingerprint) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tlsh_from_fingerprint(fingerprint) IS 'the tlsh in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS tlsh) WITH FUNCTION tlsh_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS tlsh) IS 'the tlsh in the fingerprint';

CREATE FUNCTION lavinhash_to_fingerprint(lavinhash) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION lavinhash_to_fingerprint(lavinhash) IS 'fingerprint that holds the lavinhash';
CREATE CAST (lavinhash AS fingerprint) WITH FUNCTION lavinhash_to_fingerprint(lavinhash) AS ASSIGNMENT;
COMMENT ON CAST (lavinhash AS fingerprint) IS 'fingerprint that holds the lavinhash';

CREATE FUNCTION lavinhash_from_fingerprint(fingerprint) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION lavinhash_from_fingerprint(fingerprint) IS 'the lavinhash in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS lavinhash) WITH FUNCTION lavinhash_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS lavinhash) IS 'the lavinhash in the fingerprint';

CREATE FUNCTION embedding_to_fingerprint(embedding) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION embedding_to_fingerprint(embedding) IS 'fingerprint that holds the embedding';
CREATE CAST (embedding AS fingerprint) WITH FUNCTION embedding_to_fingerprint(embedding) AS ASSIGNMENT;
COMMENT ON CAST (embedding AS fingerprint) IS 'fingerprint that holds the embedding';

CREATE FUNCTION embedding_from_fingerprint(fingerprint) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION embedding_from_fingerprint(fingerprint) IS 'the embedding in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS embedding) WITH FUNCTION embedding_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS embedding) IS 'the embedding in the fingerprint';

-- embedding: a vector of floats, optionally with the name of the model that made it.

-- STORAGE external: floats do not compress.
@use type
@  TYPE = embedding
@  IN_COST = 2000
@  OUT_COST = 2000
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
@  COMMENT = embedding of a text: a vector of floats, and perhaps the name of the model that made it

-- Constructor. Not strict: the model may be NULL.

CREATE FUNCTION to_embedding(vector real[], model text DEFAULT NULL) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION to_embedding(real[], text) IS 'embedding of the elements, which must be finite; embeddings of different models cannot be compared';

-- Casts. Cast to real[] to reach the type of pgvector.

CREATE FUNCTION _embedding_to_real(embedding) RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION _embedding_to_real(embedding) IS 'the elements';
CREATE CAST (embedding AS real[]) WITH FUNCTION _embedding_to_real(embedding);

CREATE FUNCTION _embedding_from_real(real[]) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _embedding_from_real(real[]) IS 'embedding without a model';
CREATE CAST (real[] AS embedding) WITH FUNCTION _embedding_from_real(real[]);

CREATE FUNCTION _embedding_to_jsonb(embedding) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _embedding_to_jsonb(embedding) IS '{"vector": [...], "model_id": "..."}, null without a model';
CREATE CAST (embedding AS jsonb) WITH FUNCTION _embedding_to_jsonb(embedding);

CREATE FUNCTION _embedding_from_jsonb(jsonb) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _embedding_from_jsonb(jsonb) IS 'embedding from {"vector": [...], "model_id": "..."}';
CREATE CAST (jsonb AS embedding) WITH FUNCTION _embedding_from_jsonb(jsonb);

COMMENT ON CAST (embedding AS real[]) IS 'the elements';
COMMENT ON CAST (real[] AS embedding) IS 'embedding without a model';
COMMENT ON CAST (embedding AS jsonb) IS 'vector and model_id';
COMMENT ON CAST (jsonb AS embedding) IS 'vector and model_id';

-- Order and equality, by model and bytes, of any two values. The order has no meaning.

@use order
@  TYPE = embedding
@  IN_COST = 2000
@  OUT_COST = 2000

-- Similarity. semantic_similarity adds in the order of the elements, as the crate does; cosine_similarity adds in parallel lanes.

CREATE FUNCTION semantic_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_semantic_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 35;
COMMENT ON FUNCTION semantic_similarity(embedding, embedding) IS 'cosine of the angle between two embeddings, bit by bit as the crate txtfp computes it; an error if models or dimensions differ';
CREATE FUNCTION cosine_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_cosine_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cosine_similarity(embedding, embedding) IS 'semantic_similarity up to rounding, clamped to -1 to 1, and several times as fast';
CREATE FUNCTION cosine_distance(a embedding, b embedding) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cosine_distance(embedding, embedding) IS '1 - cosine_similarity';

CREATE OPERATOR <=> (LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = cosine_distance, COMMUTATOR = <=>);
COMMENT ON OPERATOR <=> (embedding, embedding) IS 'cosine distance';

CREATE FUNCTION inner_product(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION inner_product(embedding, embedding) IS 'sum of the products of their elements';
CREATE FUNCTION l2_norm(value embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION l2_norm(embedding) IS 'length of the vector';
CREATE FUNCTION l2_normalize(value embedding) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION l2_normalize(embedding) IS 'the embedding divided by its length, unless that is zero or infinite';
CREATE FUNCTION embedding_dims(value embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dims' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_dims(embedding) IS 'number of elements';
CREATE FUNCTION embedding_model(value embedding) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_embedding_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_model(embedding) IS 'name of the model; NULL if it has none';

-- SimHash, so that a simhash64_ops index serves embeddings

CREATE FUNCTION to_simhash64(value embedding, seed bigint DEFAULT 828927532781) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 650;
COMMENT ON FUNCTION to_simhash64(embedding, bigint) IS 'SimHash of an embedding: signs of 64 random projections; cosine_estimate of two estimates their cosine; NULL if all elements are zero';
CREATE FUNCTION simhash_max_distance(similarity double precision, recall double precision DEFAULT 0.99) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash_max_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 350;
COMMENT ON FUNCTION simhash_max_distance(double precision, double precision) IS 'Hamming distance that the SimHashes of two embeddings of this cosine do not exceed with this probability';

-- Pooling. Not strict: the mask may be NULL.

CREATE FUNCTION embedding_pool(hidden real[], dim integer, mask integer[] DEFAULT NULL,
	pooling text DEFAULT 'mean') RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embedding_pool' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION embedding_pool(real[], integer, integer[], text) IS 'combines the token vectors, dim values each, into one; pooling cls, mean, mean-no-norm, max or last';


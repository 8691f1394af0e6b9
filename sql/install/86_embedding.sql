-- embedding: a vector of floats, and perhaps the model that made it.

CREATE TYPE embedding;

CREATE FUNCTION embedding_in(cstring) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION embedding_out(embedding) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_embedding_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION embedding_recv(internal) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION embedding_send(embedding) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_embedding_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- STORAGE external: floats do not compress.
CREATE TYPE embedding (
	INPUT = embedding_in, OUTPUT = embedding_out, RECEIVE = embedding_recv, SEND = embedding_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

COMMENT ON TYPE embedding IS 'embedding of a text: a vector of floats, and perhaps the name of the model that made it';
COMMENT ON FUNCTION embedding_in(cstring) IS 'I/O';
COMMENT ON FUNCTION embedding_out(embedding) IS 'I/O';
COMMENT ON FUNCTION embedding_recv(internal) IS 'I/O';
COMMENT ON FUNCTION embedding_send(embedding) IS 'I/O';

-- Constructor. Not strict: the model may be NULL.

CREATE FUNCTION to_embedding(vector real[], model text DEFAULT NULL) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION to_embedding(real[], text) IS 'embedding of the elements, which must be finite; the model, if given, guards comparisons';

-- Casts. To pgvector's type by way of real[].

CREATE FUNCTION embedding_to_real(embedding) RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_to_real(embedding) IS 'the elements';
CREATE CAST (embedding AS real[]) WITH FUNCTION embedding_to_real(embedding);

CREATE FUNCTION embedding_from_real(real[]) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_from_real(real[]) IS 'embedding without a model';
CREATE CAST (real[] AS embedding) WITH FUNCTION embedding_from_real(real[]);

CREATE FUNCTION embedding_to_jsonb(embedding) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION embedding_to_jsonb(embedding) IS '{"vector": [...], "model_id": "..."}, null without a model';
CREATE CAST (embedding AS jsonb) WITH FUNCTION embedding_to_jsonb(embedding);

CREATE FUNCTION embedding_from_jsonb(jsonb) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION embedding_from_jsonb(jsonb) IS 'embedding from {"vector": [...], "model_id": "..."}';
CREATE CAST (jsonb AS embedding) WITH FUNCTION embedding_from_jsonb(jsonb);

COMMENT ON CAST (embedding AS real[]) IS 'the elements';
COMMENT ON CAST (real[] AS embedding) IS 'embedding without a model';
COMMENT ON CAST (embedding AS jsonb) IS 'vector and model_id';
COMMENT ON CAST (jsonb AS embedding) IS 'vector and model_id';

-- Order and equality, by model and bytes, for any two values. The order means nothing.

CREATE FUNCTION embedding_eq(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_ne(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_lt(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_le(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_gt(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_ge(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_cmp(embedding, embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION embedding_hash(embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION embedding_hash_extended(embedding, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_embedding_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION embedding_eq(embedding, embedding) IS 'implementation of = operator';
COMMENT ON FUNCTION embedding_ne(embedding, embedding) IS 'implementation of <> operator';
COMMENT ON FUNCTION embedding_lt(embedding, embedding) IS 'implementation of < operator';
COMMENT ON FUNCTION embedding_le(embedding, embedding) IS 'implementation of <= operator';
COMMENT ON FUNCTION embedding_gt(embedding, embedding) IS 'implementation of > operator';
COMMENT ON FUNCTION embedding_ge(embedding, embedding) IS 'implementation of >= operator';
COMMENT ON FUNCTION embedding_cmp(embedding, embedding) IS 'less-equal-greater';
COMMENT ON FUNCTION embedding_hash(embedding) IS 'hash';
COMMENT ON FUNCTION embedding_hash_extended(embedding, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = embedding_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (embedding, embedding) IS 'equal';
COMMENT ON OPERATOR <> (embedding, embedding) IS 'not equal';
COMMENT ON OPERATOR < (embedding, embedding) IS 'less than';
COMMENT ON OPERATOR <= (embedding, embedding) IS 'less than or equal';
COMMENT ON OPERATOR > (embedding, embedding) IS 'greater than';
COMMENT ON OPERATOR >= (embedding, embedding) IS 'greater than or equal';

CREATE OPERATOR CLASS embedding_btree_ops DEFAULT FOR TYPE embedding USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 embedding_cmp(embedding, embedding),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS embedding_hash_ops DEFAULT FOR TYPE embedding USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 embedding_hash(embedding),
	FUNCTION 2 embedding_hash_extended(embedding, bigint);
COMMENT ON OPERATOR CLASS embedding_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS embedding_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY embedding_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY embedding_hash_ops USING hash IS 'equality';

-- Similarity. semantic_similarity adds in the order of the elements, as the crate does, cosine_similarity side by side.

CREATE FUNCTION semantic_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_semantic_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION semantic_similarity(embedding, embedding) IS 'cosine of the angle between them, bit by bit that of the crate txtfp; refuses different models and dimensions';
CREATE FUNCTION cosine_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_cosine_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION cosine_similarity(embedding, embedding) IS 'semantic_similarity within rounding, several times as fast, -1 to 1';
CREATE FUNCTION cosine_distance(a embedding, b embedding) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION cosine_distance(embedding, embedding) IS '1 - cosine_similarity';

CREATE OPERATOR <=> (LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = cosine_distance, COMMUTATOR = <=>);
COMMENT ON OPERATOR <=> (embedding, embedding) IS 'cosine distance';

CREATE FUNCTION inner_product(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION inner_product(embedding, embedding) IS 'sum of the products of their elements';
CREATE FUNCTION l2_norm(value embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION l2_norm(embedding) IS 'length of the vector';
CREATE FUNCTION l2_normalize(value embedding) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION l2_normalize(embedding) IS 'divided by its length, unless that is zero or infinite';
CREATE FUNCTION embedding_dims(value embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dims' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_dims(embedding) IS 'number of elements';
CREATE FUNCTION embedding_model(value embedding) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_embedding_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_model(embedding) IS 'name of the model; NULL if it has none';

-- SimHash, so that a simhash64_ops index serves embeddings

CREATE FUNCTION to_simhash64(value embedding, seed bigint DEFAULT 828927532781) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION to_simhash64(embedding, bigint) IS 'signs of 64 random projections: cosine_estimate of two estimates their cosine; NULL if all elements are zero';
CREATE FUNCTION simhash_radius(similarity double precision, recall double precision DEFAULT 0.99) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash_radius' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION simhash_radius(double precision, double precision) IS 'Hamming distance within which the SimHashes of two embeddings of this cosine lie with this probability';

-- Pooling. Not strict: there may be no mask.

CREATE FUNCTION pool(hidden real[], dim integer, mask integer[] DEFAULT NULL,
	pooling text DEFAULT 'mean') RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_pool' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION pool(real[], integer, integer[], text) IS 'one vector out of those of the tokens, dim values each; pooling cls, mean, mean-no-norm or max';


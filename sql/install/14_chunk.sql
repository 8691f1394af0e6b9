-- Chunks for an embedding model.

CREATE FUNCTION chunk_for_model(input text, max_tokens integer DEFAULT 256, overlap integer DEFAULT 32,
	mode text DEFAULT 'sentence') RETURNS text[]
	AS 'MODULE_PATHNAME', 'txtfp_chunk_for_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION chunk_for_model(text, integer, integer, text) IS
	'chunks of a text with at most max_tokens tokens each, estimated as 1.3 per word; mode fixed, sentence or recursive';


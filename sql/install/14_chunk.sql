-- Chunks for an embedding model.

CREATE FUNCTION chunk_for_model(input text, max_tokens integer DEFAULT 256, overlap integer DEFAULT 32,
	mode text DEFAULT 'sentence') RETURNS text[]
	AS 'MODULE_PATHNAME', 'txtfp_chunk_for_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION chunk_for_model(text, integer, integer, text) IS
	'the text in chunks of at most so many tokens, a word being 1.3; mode fixed, sentence or recursive';


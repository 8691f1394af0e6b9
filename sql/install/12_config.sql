
-- Configuration hashes. They are text, 16 hexadecimal digits, because they are unsigned and sketches show them so. The
-- tokenizer may be one that txtfp does not have, and the algorithm is any text.

CREATE FUNCTION config_hash(canonicalizer text, tokenizer text, algorithm text) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_config_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION config_hash(text, text, text) IS '64-bit hash of a configuration, without hash function and seed';

CREATE FUNCTION config_hash_classical(canonicalizer text, tokenizer text, algorithm text,
	hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_config_hash_classical' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION config_hash_classical(text, text, text, text, bigint) IS
	'64-bit hash of a configuration, as stored in a MinHash sketch';

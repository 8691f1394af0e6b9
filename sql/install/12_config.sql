
-- Configuration hashes. They are text, 16 hexadecimal digits, because they are unsigned and sketches show them so. The
-- tokenizer may be one that txtfp does not have, and the algorithm is any text.

-- Not strict: without a hash function, the hash is what the crate's config_hash gives and fingerprint_metadata shows.
CREATE FUNCTION config_hash(canonicalizer text, tokenizer text, algorithm text,
	hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_config_hash' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION config_hash(text, text, text, text, bigint) IS
	'64-bit hash of a configuration, as stored in a MinHash sketch; with hash NULL, that without hash function and seed';

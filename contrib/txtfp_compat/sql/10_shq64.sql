-- q64: bytes as text, 4 bits per character. Shq64: the q64 text of a simhash64.

CREATE FUNCTION q64_encode(data bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_q64_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION q64_encode(bytea) IS 'bytes as q64 text, two characters per byte';

CREATE FUNCTION q64_decode(code text) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_q64_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION q64_decode(text) IS 'bytes of a q64 text';

CREATE FUNCTION eq64_encode(data bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_eq64_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION eq64_encode(bytea) IS
	'bytes as q64 text with a dot after every 8 characters';

CREATE FUNCTION eq64_decode(code text) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_eq64_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION eq64_decode(text) IS
	'bytes of a q64 text; dots are ignored';

CREATE FUNCTION shq64_encode(fp simhash64, dotted boolean DEFAULT false) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_shq64_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION shq64_encode(simhash64, boolean) IS 'Shq64 code: 16 characters, or 19 with a dot after every fourth';

CREATE FUNCTION shq64_decode(code text) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_shq64_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION shq64_decode(text) IS 'SimHash of a Shq64 code, plain or with dots';

CREATE FUNCTION shq64_is_valid(code text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_shq64_is_valid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION shq64_is_valid(text) IS
	'true if the text is a Shq64 code, plain or with dots';

CREATE FUNCTION shq64_variants(fp simhash64, distance integer, dotted boolean DEFAULT false) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'txtfp_shq64_variants' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 2080;
COMMENT ON FUNCTION shq64_variants(simhash64, integer, boolean) IS
	'the Shq64 codes of all other values within a Hamming distance, nearest first';

CREATE FUNCTION shq64_hamming(a text, b text) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_shq64_hamming' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION shq64_hamming(text, text) IS 'Hamming distance of two Shq64 codes in bits, 0 to 64';

CREATE FUNCTION shq64_similarity(a text, b text) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_shq64_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION shq64_similarity(text, text) IS 'share of the 16 characters in which two Shq64 codes agree';

CREATE FUNCTION shq64_prefix_range(prefix text, OUT low simhash64, OUT high simhash64) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_shq64_prefix_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION shq64_prefix_range(text) IS 'smallest and largest SimHash whose Shq64 code begins with a prefix';

CREATE FUNCTION to_simhash64_bytes(doc bytea, shingle integer DEFAULT 4, num_bits integer DEFAULT 64) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION to_simhash64_bytes(bytea, integer, integer) IS
	'SimHash of all byte strings of a given length in a document, all bits or the low ones; NULL if the document is shorter';

CREATE FUNCTION to_simhash64_bytes(features bytea[], weights double precision[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_byte_features_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64_bytes(bytea[], double precision[]) IS
	'SimHash of weighted byte strings, hashed like those of a document; NULL if there is none';

-- COST was measured with a cached matrix of 64 planes for 1024 bytes.
CREATE FUNCTION shq64_project_rust(data bytea, planes integer DEFAULT 64) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_shq64_project_rust' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION shq64_project_rust(bytea, integer) IS
	'Shq64 by random projection of the bytes as coordinates, compatible with the native module of uubed';

CREATE FUNCTION shq64_project_numpy(data bytea, planes integer DEFAULT 64, seed bigint DEFAULT 42) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_shq64_project_numpy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 800;
COMMENT ON FUNCTION shq64_project_numpy(bytea, integer, bigint) IS
	'Shq64 by random projection of the bytes as coordinates, compatible with the Python code of uubed';

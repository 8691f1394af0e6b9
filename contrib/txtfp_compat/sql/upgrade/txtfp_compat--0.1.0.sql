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
-- SimHash of hashes, and the SimHashes of older programs: jenkins64, byte windows, words in cyclic windows, majority.

CREATE FUNCTION jenkins64(data text, seed bigint DEFAULT 0) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_jenkins64_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION jenkins64(text, bigint) IS
	'lookup3 hash of a text in UTF-8, as simhash-cpp uses it';

CREATE FUNCTION to_simhash64_windows(doc text, window_size integer DEFAULT 5) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_windows_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_simhash64_windows(text, integer) IS
	'SimHash of all byte windows of a given size of a text in UTF-8, by jenkins64; NULL for a shorter document';

CREATE FUNCTION to_simhash64_windows_but_last(doc text, window_size integer DEFAULT 5) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_windows_but_last_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_simhash64_windows_but_last(text, integer) IS
	'SimHash of all byte windows but the last one, as the program simhash computes it; NULL for a shorter document';

CREATE FUNCTION to_simhash64_cyclic(doc text, window_size integer DEFAULT 3, padded boolean DEFAULT false) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_cyclic_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64_cyclic(text, integer, boolean) IS
	'SimHash of words of the letters A-Z, by a cyclic hash of jenkins64 over windows of words, as simhash-cpp computed it; 0 without words';

CREATE FUNCTION jenkins64(data bytea, seed bigint DEFAULT 0) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_jenkins64_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION jenkins64(bytea, bigint) IS
	'lookup3 hash of bytes, as simhash-cpp uses it';

CREATE FUNCTION to_simhash64_windows(doc bytea, window_size integer DEFAULT 5) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_windows_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_simhash64_windows(bytea, integer) IS
	'SimHash of all byte windows of a given size, by jenkins64; NULL for a shorter document';

CREATE FUNCTION to_simhash64_windows_but_last(doc bytea, window_size integer DEFAULT 5) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_windows_but_last_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_simhash64_windows_but_last(bytea, integer) IS
	'SimHash of all byte windows but the last one, as the program simhash computes it; NULL for a shorter document';

CREATE FUNCTION to_simhash64_cyclic(doc bytea, window_size integer DEFAULT 3, padded boolean DEFAULT false) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_cyclic_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64_cyclic(bytea, integer, boolean) IS
	'SimHash of words of the letters A-Z, by a cyclic hash of jenkins64 over windows of words, as simhash-cpp computed it; 0 without words';

CREATE FUNCTION simhash64_majority(hashes simhash64[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash64_majority(simhash64[]) IS
	'the bits that more than half of the hashes have; 0 for the empty array';

CREATE FUNCTION simhash64_majority(hashes bigint[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash64_majority(bigint[]) IS
	'the bits that more than half of the hashes have; 0 for the empty array';

-- The state is internal: 49 words that are changed in place.
CREATE FUNCTION _simhash64_majority_agg_step(internal, simhash64) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_step(internal, simhash64) IS 'aggregate transition function';
CREATE FUNCTION _simhash64_majority_agg_step(internal, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_step(internal, bigint) IS 'aggregate transition function';
CREATE FUNCTION _simhash64_majority_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_combine(internal, internal) IS 'aggregate combine function';
CREATE FUNCTION _simhash64_majority_agg_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_serialize(internal) IS 'aggregate serialize function';
CREATE FUNCTION _simhash64_majority_agg_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_deserialize(bytea, internal) IS 'aggregate deserialize function';
CREATE FUNCTION _simhash64_majority_agg_final(internal) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_majority_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_majority_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE simhash64_majority_agg(hash simhash64) (
	SFUNC = _simhash64_majority_agg_step, STYPE = internal, SSPACE = 600, FINALFUNC = _simhash64_majority_agg_final,
	COMBINEFUNC = _simhash64_majority_agg_combine, SERIALFUNC = _simhash64_majority_agg_serialize,
	DESERIALFUNC = _simhash64_majority_agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_majority_agg(simhash64) IS 'the bits that more than half of the hashes have; NULLs do not count';
CREATE AGGREGATE simhash64_majority_agg(hash bigint) (
	SFUNC = _simhash64_majority_agg_step, STYPE = internal, SSPACE = 600, FINALFUNC = _simhash64_majority_agg_final,
	COMBINEFUNC = _simhash64_majority_agg_combine, SERIALFUNC = _simhash64_majority_agg_serialize,
	DESERIALFUNC = _simhash64_majority_agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_majority_agg(bigint) IS 'the bits that more than half of the hashes have; NULLs do not count';

CREATE FUNCTION simhash64_concat(parts simhash64[], widths integer[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_concat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_concat(simhash64[], integer[]) IS
	'concatenates the low bits of each part, as many as its width, the first part highest; the widths add up to 64';

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

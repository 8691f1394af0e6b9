-- q64: bytes as text, 4 bits per character. Shq64: the q64 text of a simhash64.

CREATE FUNCTION q64_encode(data bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_q64_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION q64_encode(bytea) IS 'bytes as q64 text, two characters per byte';

CREATE FUNCTION q64_decode(code text) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_q64_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION q64_decode(text) IS 'bytes of a q64 text';

CREATE FUNCTION shq64_encode(fp simhash64, dotted boolean DEFAULT false) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_shq64_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shq64_encode(simhash64, boolean) IS 'Shq64 code: 16 characters, or 19 with a dot after every fourth';

CREATE FUNCTION shq64_decode(code text) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_shq64_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shq64_decode(text) IS 'SimHash of a Shq64 code, plain or with dots';

CREATE FUNCTION shq64_hamming(a text, b text) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_shq64_hamming' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shq64_hamming(text, text) IS 'Hamming distance of two Shq64 codes in bits, 0 to 64';

CREATE FUNCTION shq64_similarity(a text, b text) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_shq64_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shq64_similarity(text, text) IS 'share of the 16 characters in which two Shq64 codes agree';

CREATE FUNCTION shq64_prefix_range(prefix text, OUT low simhash64, OUT high simhash64) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_shq64_prefix_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION shq64_prefix_range(text) IS 'smallest and largest SimHash whose Shq64 code begins with a prefix';

CREATE FUNCTION to_simhash64_bytes(doc bytea, shingle integer DEFAULT 4) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION to_simhash64_bytes(bytea, integer) IS
	'SimHash of all byte strings of this length in a document; NULL if it is shorter';

-- Text processing that precedes fingerprinting.
-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only, whatever ICU is loaded.

CREATE FUNCTION canonicalize(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_canonicalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION canonicalize(text, text) IS
	'canonical form of a text, which fingerprints are computed from: without format controls, normalized, case-folded';

CREATE FUNCTION tokenize(doc text, tokenizer text DEFAULT 'word-uax29') RETURNS text[]
	AS 'MODULE_PATHNAME', 'txtfp_tokenize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tokenize(text, text) IS
	'words, graphemes or shingles of a text; the text is not canonicalized, so compose with canonicalize';


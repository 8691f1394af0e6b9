-- Comparing texts: exact measures on two texts, and the passages that they share.
-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only.

CREATE FUNCTION text_jaccard(a text, b text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_text_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 550;
COMMENT ON FUNCTION text_jaccard(text, text, text, text) IS
	'exact Jaccard similarity of the token sets of two texts; NULL if either has no token';

CREATE FUNCTION text_containment(a text, b text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_text_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 550;
COMMENT ON FUNCTION text_containment(text, text, text, text) IS
	'exact share of the token set of the first text that the second text contains; NULL if either has no token';

CREATE FUNCTION shared_passages(a text, b text, min_words integer DEFAULT 5,
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', tokenizer text DEFAULT 'word-uax29',
	OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT words integer)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900 ROWS 10;
COMMENT ON FUNCTION shared_passages(text, text, integer, text, text) IS
	'the passages of min_words words or more that two texts share, with their positions in the given texts';

CREATE FUNCTION mark_shared_passages(a text, b text, start_mark text DEFAULT '<b>', stop_mark text DEFAULT '</b>',
	min_words integer DEFAULT 5, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	tokenizer text DEFAULT 'word-uax29') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_mark_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900;
COMMENT ON FUNCTION mark_shared_passages(text, text, text, text, integer, text, text) IS
	'the first text with marks around the passages that it shares with the second';

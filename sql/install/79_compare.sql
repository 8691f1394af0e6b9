-- Comparing texts: exact measures on two texts, the passages that they share, and what distinguishes them.
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
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', tokenizer text DEFAULT 'word-uax29', longest boolean DEFAULT false,
	OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT words integer)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900 ROWS 10;
COMMENT ON FUNCTION shared_passages(text, text, integer, text, text, boolean) IS
	'the passages of min_words words or more that two texts share, or only the longest common run, with their positions in the given texts';

CREATE FUNCTION mark_shared_passages(a text, b text, start_mark text DEFAULT '<b>', stop_mark text DEFAULT '</b>',
	min_words integer DEFAULT 5, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	tokenizer text DEFAULT 'word-uax29') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_mark_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900;
COMMENT ON FUNCTION mark_shared_passages(text, text, text, text, integer, text, text) IS
	'the first text with marks around the passages that it shares with the second';

CREATE FUNCTION text_difference(a text, b text, tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	OUT kind text, OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT a_text text, OUT b_text text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_text_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION text_difference(text, text, text, text) IS
	'how the first text becomes the second: the differences in order, with their kinds and their positions in the given texts';

CREATE FUNCTION mark_difference(a text, b text, deleted_start text DEFAULT '[-', deleted_stop text DEFAULT '-]',
	inserted_start text DEFAULT '{+', inserted_stop text DEFAULT '+}', tokenizer text DEFAULT 'word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_mark_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mark_difference(text, text, text, text, text, text, text, text) IS
	'both texts in one, with marks around what is deleted from the first and what is inserted from the second';

-- In how many documents of a corpus each word occurs: what its words weigh among the signals.

@use type
@  TYPE = corpus_words
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended
@  COMMENT = how many documents of a corpus have each word, made by corpus_words_agg

CREATE FUNCTION _corpus_words_agg_step(state internal, doc text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_corpus_words_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500;
COMMENT ON FUNCTION _corpus_words_agg_step(internal, text) IS 'aggregate transition function';
CREATE FUNCTION _corpus_words_agg_combine(state internal, other internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_corpus_words_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _corpus_words_agg_combine(internal, internal) IS 'aggregate combine function';
CREATE FUNCTION _corpus_words_agg_serial(state internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_corpus_words_agg_serial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _corpus_words_agg_serial(internal) IS 'aggregate serial function';
CREATE FUNCTION _corpus_words_agg_deserial(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_corpus_words_agg_deserial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _corpus_words_agg_deserial(bytea, internal) IS 'aggregate deserial function';
CREATE FUNCTION _corpus_words_agg_final(state internal) RETURNS corpus_words
	AS 'MODULE_PATHNAME', 'txtfp_corpus_words_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _corpus_words_agg_final(internal) IS 'aggregate final function';
CREATE AGGREGATE corpus_words_agg(doc text) (
	SFUNC = _corpus_words_agg_step, STYPE = internal, FINALFUNC = _corpus_words_agg_final, COMBINEFUNC = _corpus_words_agg_combine,
	SERIALFUNC = _corpus_words_agg_serial, DESERIALFUNC = _corpus_words_agg_deserial, PARALLEL = SAFE
);
COMMENT ON AGGREGATE corpus_words_agg(text) IS
	'how many documents have each word: exact up to 262144 words, then counts that are never too small, in 4 MB';

-- What the signals are is said in core/compare/difference_signals.hpp. The type grows at its end only, with a new version.
CREATE TYPE difference_signals AS (version integer,
	removed_words double precision, kept_words double precision, shared double precision, edits double precision,
	two_sided double precision, two_sided_words double precision, longest_removed double precision, longest_kept double precision,
	new_removed double precision, new_kept double precision, new_both double precision, repeated double precision,
	respelled double precision, numbers_removed double precision, numbers_kept double precision, names_removed double precision,
	names_kept double precision, numbers_both double precision, names_both double precision, symbols double precision,
	scope double precision, short_words double precision, first_line_removed double precision, first_line_kept double precision,
	last_line_removed double precision, last_line_kept double precision, first_edit double precision, last_edit double precision,
	contained double precision, moved double precision, layout double precision, neighbours double precision,
	kept_neighbours double precision, changed_removed double precision, changed_kept double precision,
	changed_numbers double precision, changed_names double precision, whole double precision,
	weighted_shared double precision, weighted_removed double precision, weighted_kept double precision,
	weighted_cosine double precision, line_shared double precision, line_removed double precision, line_kept double precision,
	rarest_common double precision, rarest_removed double precision, rarest_kept double precision,
	second_common double precision, second_removed double precision, second_kept double precision,
	rare_code_common double precision, rare_code_removed double precision, rare_code_kept double precision,
	codes_common double precision, codes_inside double precision, codes_removed double precision, codes_kept double precision,
	trigrams double precision, quantities_common double precision, quantities_removed double precision,
	quantities_kept double precision, shape double precision, quoted_removed double precision,
	quoted_kept double precision);
COMMENT ON TYPE difference_signals IS 'the differences between a row to be removed and the row that is kept, as numbers';
CREATE FUNCTION difference_signals(a text, b text, neighbours integer DEFAULT NULL, kept_neighbours integer DEFAULT NULL,
	corpus corpus_words DEFAULT NULL) RETURNS difference_signals
	AS 'MODULE_PATHNAME', 'txtfp_difference_signals_v2' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION difference_signals(text, text, integer, integer, corpus_words) IS
	'the signals of a removal: the texts of the row to be removed and of the kept row, how many near-duplicates either has, and the corpus that weighs words';

-- IDF tables for the weighting idf. Aggregates have no default arguments, so there are three forms.

CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text, tokenizer text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text, tokenizer text, canonicalizer text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text, text, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_final(state internal) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _simhash_idf_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE simhash_idf_agg(doc text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text) IS
	'idf table of a column of texts, with the tokenizer of to_simhash64: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';
CREATE AGGREGATE simhash_idf_agg(doc text, tokenizer text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text, text) IS
	'idf table of a column of texts, with any tokenizer: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';
CREATE AGGREGATE simhash_idf_agg(doc text, tokenizer text, canonicalizer text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text, text, text) IS
	'idf table of a column of texts, with any tokenizer and canonicalizer: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';


-- PostgreSQL records that an expression depends on the functions in it, not on what a text in it means.
CREATE FUNCTION cjk_tokenizer(tokenizer text) RETURNS text
AS 'MODULE_PATHNAME', 'txtfp_cjk_tokenizer'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cjk_tokenizer(text) IS
'the tokenizer, as given; a column, index or view that calls it depends on this extension, which then cannot be dropped without them';

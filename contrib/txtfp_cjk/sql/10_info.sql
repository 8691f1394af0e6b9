-- The extension contains tokenizers, which txtfp calls by name.

CREATE FUNCTION txtfp_cjk_info(
	OUT dictionary text, OUT tokenizers text, OUT edition text, OUT licence text, OUT checksum text, OUT installed bool,
	OUT words bigint, OUT entries bigint, OUT bytes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'txtfp_cjk_info'
LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION txtfp_cjk_info() IS
'the dictionaries of txtfp_cjk: what they are made from, their checksums, and which of them are installed';

\echo Use "CREATE EXTENSION txtfp_markup" to load this file. \quit
-- Immutable: the parsers and their tables of widths and names are part of the library.

CREATE FUNCTION html_to_text(page text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3000
	AS 'MODULE_PATHNAME', 'txtfp_html_to_text';
COMMENT ON FUNCTION html_to_text(text) IS
	'an HTML page as text for reading: **bold**, links as footnotes, tables with borders; the form of the crate txtfp';

CREATE FUNCTION html_to_plain_text(page text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000
	AS 'MODULE_PATHNAME', 'txtfp_html_to_plain_text';
COMMENT ON FUNCTION html_to_plain_text(text) IS
	'the words of an HTML page without decoration, a line for each block: what to make fingerprints of';

CREATE FUNCTION markdown_to_text(document text, include_code_blocks boolean DEFAULT true,
	include_inline_code boolean DEFAULT true, break_to_space boolean DEFAULT true) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500
	AS 'MODULE_PATHNAME', 'txtfp_markdown_to_text';
COMMENT ON FUNCTION markdown_to_text(text, boolean, boolean, boolean) IS
	'the text of a CommonMark document without its marks, addresses and raw HTML';

\echo Use "CREATE EXTENSION txtfp_pdf" to load this file. \quit

CREATE FUNCTION pdf_to_text(pdf bytea, max_bytes int DEFAULT 52428800, timeout_secs int DEFAULT 30) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_pdf_to_text' LANGUAGE C VOLATILE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION pdf_to_text(bytea, int, int) IS
	'text of a PDF file, each page ended by a form feed; extracted by a confined program within limits of time and memory';

-- The administrator decides who may have files parsed.
REVOKE ALL ON FUNCTION pdf_to_text(bytea, int, int) FROM PUBLIC;

CREATE FUNCTION txtfp_version() RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_version' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION txtfp_version() IS 'version of the loaded library';

-- STABLE: the machine and the loaded ICU may change between sessions
CREATE FUNCTION txtfp_info(OUT version text, OUT format_version integer, OUT unicode_version text,
	OUT icu_version text, OUT icu_unicode_version text, OUT xxhash_version text, OUT simd text, OUT compiler text,
	OUT built_for text, OUT server text, OUT encoding text)
	RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_info' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION txtfp_info() IS 'data for a bug report: versions, pinned and loaded Unicode version, SIMD level in use, server and platform';

-- The support functions of a GIN operator class.
--   TYPE               name of the indexed type
--   VALUE_SYMBOL       the C function of extract_value is txtfp_VALUE_SYMBOL_gin_extract_value; default: TYPE
--   CONSISTENT_SYMBOL  and so for consistent and triconsistent; default: TYPE
--   OPTIONS            the names of the class's options

CREATE FUNCTION _@TYPE@_gin_extract_value(@TYPE@, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_@VALUE_SYMBOL@_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_gin_extract_query(@TYPE@, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_@TYPE@_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_gin_consistent(internal, smallint, @TYPE@, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@CONSISTENT_SYMBOL@_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_gin_triconsistent(internal, smallint, @TYPE@, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_@CONSISTENT_SYMBOL@_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_@TYPE@_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _@TYPE@_gin_extract_value(@TYPE@, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _@TYPE@_gin_extract_query(@TYPE@, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_@TYPE@_gin_consistent(internal, smallint, @TYPE@, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _@TYPE@_gin_triconsistent(internal, smallint, @TYPE@, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _@TYPE@_gin_options(internal) IS 'GIN support: @OPTIONS@';

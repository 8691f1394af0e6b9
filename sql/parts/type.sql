-- A base type with its text and binary input and output.
--   TYPE          name of the type
--   SYMBOL        names the C functions txtfp_SYMBOL_out and _send; default: TYPE
--   INPUT_SYMBOL  names the C functions txtfp_INPUT_SYMBOL_in and _recv; default: SYMBOL
--   PROPERTIES    the rest of CREATE TYPE: length, alignment, storage, ANALYZE
--   IN_COST       COST of the text input, and OUT_COST of the text output; default: 1
--   COMMENT       comment of the type

CREATE TYPE @TYPE@;

CREATE FUNCTION _@TYPE@_in(cstring) RETURNS @TYPE@
	AS 'MODULE_PATHNAME', 'txtfp_@INPUT_SYMBOL@_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @IN_COST@;
CREATE FUNCTION _@TYPE@_out(@TYPE@) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @OUT_COST@;
CREATE FUNCTION _@TYPE@_recv(internal) RETURNS @TYPE@
	AS 'MODULE_PATHNAME', 'txtfp_@INPUT_SYMBOL@_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_send(@TYPE@) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE @TYPE@ (
	INPUT = _@TYPE@_in, OUTPUT = _@TYPE@_out, RECEIVE = _@TYPE@_recv, SEND = _@TYPE@_send,
	@PROPERTIES@
);

COMMENT ON TYPE @TYPE@ IS '@COMMENT@';
COMMENT ON FUNCTION _@TYPE@_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _@TYPE@_out(@TYPE@) IS 'I/O';
COMMENT ON FUNCTION _@TYPE@_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _@TYPE@_send(@TYPE@) IS 'I/O';

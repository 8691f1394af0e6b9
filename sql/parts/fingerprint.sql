-- The casts between a type and fingerprint. On assignment only: with implicit ones, values of different types could be compared by mistake.
--   TYPE  name of the type
--   COST  of either cast

CREATE FUNCTION _@TYPE@_to_fingerprint(@TYPE@) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_@TYPE@_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @COST@;
COMMENT ON FUNCTION _@TYPE@_to_fingerprint(@TYPE@) IS 'fingerprint that holds the @TYPE@';
CREATE CAST (@TYPE@ AS fingerprint) WITH FUNCTION _@TYPE@_to_fingerprint(@TYPE@) AS ASSIGNMENT;
COMMENT ON CAST (@TYPE@ AS fingerprint) IS 'fingerprint that holds the @TYPE@';

CREATE FUNCTION _@TYPE@_from_fingerprint(fingerprint) RETURNS @TYPE@
	AS 'MODULE_PATHNAME', 'txtfp_@TYPE@_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST @COST@;
COMMENT ON FUNCTION _@TYPE@_from_fingerprint(fingerprint) IS 'the @TYPE@ in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS @TYPE@) WITH FUNCTION _@TYPE@_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS @TYPE@) IS 'the @TYPE@ in the fingerprint';


CREATE FUNCTION minhash@H@_to_fingerprint(minhash@H@) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION minhash@H@_to_fingerprint(minhash@H@) IS 'fingerprint that holds the minhash@H@';
CREATE CAST (minhash@H@ AS fingerprint) WITH FUNCTION minhash@H@_to_fingerprint(minhash@H@) AS ASSIGNMENT;
COMMENT ON CAST (minhash@H@ AS fingerprint) IS 'fingerprint that holds the minhash@H@';

CREATE FUNCTION minhash@H@_from_fingerprint(fingerprint) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION minhash@H@_from_fingerprint(fingerprint) IS 'the minhash@H@ in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash@H@) WITH FUNCTION minhash@H@_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash@H@) IS 'the minhash@H@ in the fingerprint';

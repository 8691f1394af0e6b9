
CREATE FUNCTION _minhash@H@_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_sketch_class(internal) IS 'support of the access method sketch';

@use exact_search
@  TYPE = minhash@H@
@  LIMIT = double precision
@  PROBE = minhash_probe
@  SUPPORT = minhash@H@
@  ESTIMATOR = minhash
@  SYMBOL = minhash
@  PROPERTIES =  COST @2|3|5@

CREATE OPERATOR CLASS minhash@H@_sketch_ops DEFAULT FOR TYPE minhash@H@ USING sketch AS
	OPERATOR 1 % (minhash@H@, minhash@H@),
	OPERATOR 2 % (minhash@H@, minhash_probe),
	OPERATOR 3 = (minhash@H@, minhash@H@),
	OPERATOR 4 %= (minhash@H@, minhash_probe),
	OPERATOR 15 <%> (minhash@H@, minhash@H@) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash@H@_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash@H@_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash@H@_sketch_ops USING sketch IS 'exact search by similarity, and in its order';


CREATE FUNCTION _minhash@H@_compact_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_compact_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash@H@_compact_sketch_class(internal) IS 'support of the access method sketch';

@use exact_search
@  TYPE = minhash@H@_compact
@  LIMIT = double precision
@  PROBE = minhash_compact_probe
@  SUPPORT = minhash@H@_compact
@  ESTIMATOR = minhash_compact
@  SYMBOL = compact
@  PROPERTIES =  COST 2

CREATE OPERATOR CLASS minhash@H@_compact_sketch_ops DEFAULT FOR TYPE minhash@H@_compact USING sketch AS
	OPERATOR 1 % (minhash@H@_compact, minhash@H@_compact),
	OPERATOR 2 % (minhash@H@_compact, minhash_compact_probe),
	OPERATOR 3 = (minhash@H@_compact, minhash@H@_compact),
	OPERATOR 4 %= (minhash@H@_compact, minhash_compact_probe),
	OPERATOR 15 <%> (minhash@H@_compact, minhash@H@_compact) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash@H@_compact_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash@H@_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash@H@_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';

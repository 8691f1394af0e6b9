-- What the planner makes of a condition on a distance or a similarity: a function that only the access method sketch serves, and its operator, which
-- no other access method has. So no index that may miss rows takes the condition.
--   TYPE        name of the type
--   LIMIT       type of the limit
--   PROBE       type of the probe
--   SUPPORT     the planner support is _SUPPORT_similar_support
--   ESTIMATOR   the operator's join estimator is _ESTIMATOR_joinsel
--   SYMBOL      the C function is txtfp_exactly_SYMBOL_similar
--   PROPERTIES  of the function

CREATE FUNCTION _exactly_similar(a @TYPE@, b @TYPE@, @LIMIT@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_exactly_@SYMBOL@_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE@PROPERTIES@
	SUPPORT _@SUPPORT@_similar_support;
COMMENT ON FUNCTION _exactly_similar(@TYPE@, @TYPE@, @LIMIT@) IS
	'what the planner makes of a condition on the similarity or distance of two values: only an exact search serves it';
CREATE OPERATOR %= (
	LEFTARG = @TYPE@, RIGHTARG = @PROBE@, FUNCTION = _@TYPE@_matches_probe,
	RESTRICT = _@PROBE@_sel, JOIN = _@ESTIMATOR@_joinsel
);
COMMENT ON OPERATOR %= (@TYPE@, @PROBE@) IS '% of a search that misses no row, whatever the recall of the index is';

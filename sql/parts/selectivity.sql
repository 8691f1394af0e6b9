-- Selectivity of % and the ANALYZE function behind it.
--   SYMBOL    the functions are called SYMBOL_sel, SYMBOL_joinsel and SYMBOL_typanalyze; their C names begin with txtfp_
--   PROBE     the probe type, whose estimator is PROBE_sel
--   ANALYZES  comment of SYMBOL_typanalyze: what ANALYZE stores

CREATE FUNCTION _@SYMBOL@_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _@SYMBOL@_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _@PROBE@_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_@PROBE@_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _@PROBE@_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _@SYMBOL@_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _@SYMBOL@_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _@SYMBOL@_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _@SYMBOL@_typanalyze(internal) IS '@ANALYZES@';

-- Equality and order of a type: functions, operators, b-tree and hash operator classes.
--   TYPE       name of the type
--   SYMBOL     names the C functions txtfp_SYMBOL_eq, _ne, _lt, _le, _gt, _ge, _cmp, _hash and _hash_extended; default: TYPE
--   HASH_COST  " COST n", if hashing costs more than 1

CREATE FUNCTION _@TYPE@_eq(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_ne(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_lt(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_le(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_gt(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_ge(@TYPE@, @TYPE@) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_cmp(@TYPE@, @TYPE@) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _@TYPE@_hash(@TYPE@) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE@HASH_COST@;
CREATE FUNCTION _@TYPE@_hash_extended(@TYPE@, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_@SYMBOL@_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE@HASH_COST@;

COMMENT ON FUNCTION _@TYPE@_eq(@TYPE@, @TYPE@) IS 'implementation of = operator';
COMMENT ON FUNCTION _@TYPE@_ne(@TYPE@, @TYPE@) IS 'implementation of <> operator';
COMMENT ON FUNCTION _@TYPE@_lt(@TYPE@, @TYPE@) IS 'implementation of < operator';
COMMENT ON FUNCTION _@TYPE@_le(@TYPE@, @TYPE@) IS 'implementation of <= operator';
COMMENT ON FUNCTION _@TYPE@_gt(@TYPE@, @TYPE@) IS 'implementation of > operator';
COMMENT ON FUNCTION _@TYPE@_ge(@TYPE@, @TYPE@) IS 'implementation of >= operator';
COMMENT ON FUNCTION _@TYPE@_cmp(@TYPE@, @TYPE@) IS 'less-equal-greater';
COMMENT ON FUNCTION _@TYPE@_hash(@TYPE@) IS 'hash';
COMMENT ON FUNCTION _@TYPE@_hash_extended(@TYPE@, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = @TYPE@, RIGHTARG = @TYPE@, FUNCTION = _@TYPE@_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (@TYPE@, @TYPE@) IS 'equal';
COMMENT ON OPERATOR <> (@TYPE@, @TYPE@) IS 'not equal';
COMMENT ON OPERATOR < (@TYPE@, @TYPE@) IS 'less than';
COMMENT ON OPERATOR <= (@TYPE@, @TYPE@) IS 'less than or equal';
COMMENT ON OPERATOR > (@TYPE@, @TYPE@) IS 'greater than';
COMMENT ON OPERATOR >= (@TYPE@, @TYPE@) IS 'greater than or equal';

CREATE OPERATOR CLASS @TYPE@_btree_ops DEFAULT FOR TYPE @TYPE@ USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _@TYPE@_cmp(@TYPE@, @TYPE@),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS @TYPE@_hash_ops DEFAULT FOR TYPE @TYPE@ USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _@TYPE@_hash(@TYPE@),
	FUNCTION 2 _@TYPE@_hash_extended(@TYPE@, bigint);
COMMENT ON OPERATOR CLASS @TYPE@_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS @TYPE@_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY @TYPE@_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY @TYPE@_hash_ops USING hash IS 'equality';

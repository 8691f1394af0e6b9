-- tlsh_ops: SP-GiST, a tree over the parts of digests, exact

CREATE FUNCTION tlsh_spgist_config(internal, internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_spgist_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_spgist_choose(internal, internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_spgist_choose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_spgist_picksplit(internal, internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_spgist_picksplit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_spgist_inner_consistent(internal, internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_spgist_inner_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_spgist_leaf_consistent(internal, internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_spgist_leaf_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION tlsh_spgist_config(internal, internal) IS 'SP-GiST support';
COMMENT ON FUNCTION tlsh_spgist_choose(internal, internal) IS 'SP-GiST support';
COMMENT ON FUNCTION tlsh_spgist_picksplit(internal, internal) IS 'SP-GiST support';
COMMENT ON FUNCTION tlsh_spgist_inner_consistent(internal, internal) IS 'SP-GiST support';
COMMENT ON FUNCTION tlsh_spgist_leaf_consistent(internal, internal) IS 'SP-GiST support';

CREATE OPERATOR CLASS tlsh_ops DEFAULT FOR TYPE tlsh USING spgist AS
	OPERATOR 1 % (tlsh, tlsh_probe),
	OPERATOR 3 = (tlsh, tlsh),
	OPERATOR 15 <~> (tlsh, tlsh) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 tlsh_spgist_config(internal, internal),
	FUNCTION 2 tlsh_spgist_choose(internal, internal),
	FUNCTION 3 tlsh_spgist_picksplit(internal, internal),
	FUNCTION 4 tlsh_spgist_inner_consistent(internal, internal),
	FUNCTION 5 tlsh_spgist_leaf_consistent(internal, internal);
COMMENT ON OPERATOR CLASS tlsh_ops USING spgist IS 'exact search within a distance, and by distance';
COMMENT ON OPERATOR FAMILY tlsh_ops USING spgist IS 'exact search within a distance, and by distance';

-- tlsh_lsh_ops: GIN on bands of high bits, approximate

@use gin
@  TYPE = tlsh
@  OPTIONS = bands, bits


CREATE OPERATOR CLASS tlsh_lsh_ops DEFAULT FOR TYPE tlsh USING gin AS
	OPERATOR 1 % (tlsh, tlsh_probe),
	OPERATOR 3 = (tlsh, tlsh),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 tlsh_gin_extract_value(tlsh, internal, internal),
	FUNCTION 3 tlsh_gin_extract_query(tlsh, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 tlsh_gin_consistent(internal, smallint, tlsh, integer, internal, internal, internal, internal),
	FUNCTION 6 tlsh_gin_triconsistent(internal, smallint, tlsh, integer, internal, internal, internal),
	FUNCTION 7 tlsh_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS tlsh_lsh_ops USING gin IS 'approximate search within a distance; options bands, bits';
COMMENT ON OPERATOR FAMILY tlsh_lsh_ops USING gin IS 'approximate search within a distance';

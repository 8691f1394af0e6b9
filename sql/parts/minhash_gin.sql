-- The operator class of a MinHash type for GIN, and the support function that only MinHash types have. After the part gin.
--   TYPE   name of the indexed type
--   PROBE  type of the probe

CREATE FUNCTION _@TYPE@_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _@TYPE@_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS @TYPE@_lsh_ops DEFAULT FOR TYPE @TYPE@ USING gin AS
	OPERATOR 1 % (@TYPE@, @TYPE@),
	OPERATOR 2 % (@TYPE@, @PROBE@),
	OPERATOR 3 %& (@TYPE@, @PROBE@),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _@TYPE@_gin_extract_value(@TYPE@, internal, internal),
	FUNCTION 3 _@TYPE@_gin_extract_query(@TYPE@, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _@TYPE@_gin_consistent(internal, smallint, @TYPE@, integer, internal, internal, internal, internal),
	FUNCTION 5 _@TYPE@_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _@TYPE@_gin_triconsistent(internal, smallint, @TYPE@, integer, internal, internal, internal),
	FUNCTION 7 _@TYPE@_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS @TYPE@_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY @TYPE@_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';


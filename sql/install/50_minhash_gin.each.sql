-- GIN over LSH band keys of minhash@H@.

@use gin
@  TYPE = minhash@H@
@  VALUE_SYMBOL = minhash
@  CONSISTENT_SYMBOL = minhash
@  OPTIONS = bands, rows, threshold, recall

CREATE FUNCTION minhash@H@_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash@H@_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash@H@_lsh_ops DEFAULT FOR TYPE minhash@H@ USING gin AS
	OPERATOR 1 % (minhash@H@, minhash@H@),
	OPERATOR 2 % (minhash@H@, minhash_probe),
	OPERATOR 3 %& (minhash@H@, minhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 minhash@H@_gin_extract_value(minhash@H@, internal, internal),
	FUNCTION 3 minhash@H@_gin_extract_query(minhash@H@, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 minhash@H@_gin_consistent(internal, smallint, minhash@H@, integer, internal, internal, internal, internal),
	FUNCTION 5 minhash@H@_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 minhash@H@_gin_triconsistent(internal, smallint, minhash@H@, integer, internal, internal, internal),
	FUNCTION 7 minhash@H@_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash@H@_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash@H@_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';


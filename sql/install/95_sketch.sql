-- The access method sketch: a search reads signatures of fixed size sequentially. It is exact at every threshold and returns rows in the order of
-- their distance. For MinHash sketches it also has a band directory.

CREATE FUNCTION _sketch_handler(internal) RETURNS index_am_handler
	AS 'MODULE_PATHNAME', 'txtfp_sketch_handler' LANGUAGE C STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _sketch_handler(internal) IS 'access method sketch';

CREATE ACCESS METHOD sketch TYPE INDEX HANDLER _sketch_handler;
COMMENT ON ACCESS METHOD sketch IS 'exact search of fingerprints at every threshold, and in the order of their distance';

CREATE FUNCTION sketch_check(index regclass, heapallindexed boolean DEFAULT false) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_sketch_check' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION sketch_check(regclass, boolean) IS
	'number of rows in an index of the access method sketch; raises an error if a page is damaged or a row of the table is missing';
REVOKE ALL ON FUNCTION sketch_check(regclass, boolean) FROM PUBLIC;

CREATE FUNCTION _simhash64_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_sketch_class(internal) IS 'support of the access method sketch';

@use exact_search
@  TYPE = simhash64
@  LIMIT = integer
@  PROBE = simhash_probe
@  SUPPORT = simhash
@  ESTIMATOR = simhash64
@  SYMBOL = simhash
@  PROPERTIES =  LEAKPROOF

CREATE OPERATOR CLASS simhash64_sketch_ops DEFAULT FOR TYPE simhash64 USING sketch AS
	OPERATOR 1 % (simhash64, simhash64),
	OPERATOR 2 % (simhash64, simhash_probe),
	OPERATOR 3 = (simhash64, simhash64),
	OPERATOR 4 %= (simhash64, simhash_probe),
	OPERATOR 15 <#> (simhash64, simhash64) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 _simhash64_sketch_class(internal);
COMMENT ON OPERATOR CLASS simhash64_sketch_ops USING sketch IS 'exact search by Hamming distance, and in its order';
COMMENT ON OPERATOR FAMILY simhash64_sketch_ops USING sketch IS 'exact search by Hamming distance, and in its order';

CREATE FUNCTION _tlsh_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_sketch_class(internal) IS 'support of the access method sketch';

@use exact_search
@  TYPE = tlsh
@  LIMIT = integer
@  PROBE = tlsh_probe
@  SUPPORT = tlsh
@  ESTIMATOR = tlsh
@  SYMBOL = tlsh
@  PROPERTIES =  LEAKPROOF COST 2

CREATE OPERATOR CLASS tlsh_sketch_ops DEFAULT FOR TYPE tlsh USING sketch AS
	OPERATOR 1 % (tlsh, tlsh_probe),
	OPERATOR 2 % (tlsh, tlsh),
	OPERATOR 3 = (tlsh, tlsh),
	OPERATOR 4 %= (tlsh, tlsh_probe),
	OPERATOR 15 <~> (tlsh, tlsh) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 _tlsh_sketch_class(internal);
COMMENT ON OPERATOR CLASS tlsh_sketch_ops USING sketch IS 'exact search by TLSH distance, and in its order';
COMMENT ON OPERATOR FAMILY tlsh_sketch_ops USING sketch IS 'exact search by TLSH distance, and in its order';

CREATE FUNCTION _lavinhash_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_sketch_class(internal) IS 'support of the access method sketch';

@use exact_search
@  TYPE = lavinhash
@  LIMIT = integer
@  PROBE = lavinhash_probe
@  SUPPORT = lavinhash
@  ESTIMATOR = lavinhash
@  SYMBOL = lavinhash
@  PROPERTIES =  LEAKPROOF COST 12

CREATE OPERATOR CLASS lavinhash_sketch_ops DEFAULT FOR TYPE lavinhash USING sketch AS
	OPERATOR 1 % (lavinhash, lavinhash),
	OPERATOR 2 % (lavinhash, lavinhash_probe),
	OPERATOR 3 = (lavinhash, lavinhash),
	OPERATOR 4 %= (lavinhash, lavinhash_probe),
	OPERATOR 15 <-> (lavinhash, lavinhash) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 _lavinhash_sketch_class(internal);
COMMENT ON OPERATOR CLASS lavinhash_sketch_ops USING sketch IS 'exact search by LavinHash score, and in its order';
COMMENT ON OPERATOR FAMILY lavinhash_sketch_ops USING sketch IS 'exact search by LavinHash score, and in its order';

-- For operator classes of other extensions, which add support functions 3 and 4: src/pg/sketch/README.md.
CREATE FUNCTION _terms_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_terms_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _terms_sketch_class(internal) IS 'support of the access method sketch';
CREATE FUNCTION _terms_sketch_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_terms_sketch_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _terms_sketch_options(internal) IS 'support of the access method sketch';


-- fingerprint: a value of any fingerprint type, and which

CREATE TYPE fingerprint;

CREATE FUNCTION fingerprint_in(cstring) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION fingerprint_out(fingerprint) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION fingerprint_recv(internal) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION fingerprint_send(fingerprint) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE fingerprint (
	INPUT = fingerprint_in, OUTPUT = fingerprint_out, RECEIVE = fingerprint_recv, SEND = fingerprint_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
);

COMMENT ON TYPE fingerprint IS 'any of the fingerprint types in one column: its kind and its value';
COMMENT ON FUNCTION fingerprint_in(cstring) IS 'I/O';
COMMENT ON FUNCTION fingerprint_out(fingerprint) IS 'I/O';
COMMENT ON FUNCTION fingerprint_recv(internal) IS 'I/O';
COMMENT ON FUNCTION fingerprint_send(fingerprint) IS 'I/O';

-- Order and equality: by kind and bytes, for any two values. The order means nothing.

CREATE FUNCTION fingerprint_eq(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_ne(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_lt(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_le(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_gt(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_ge(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_cmp(fingerprint, fingerprint) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION fingerprint_hash(fingerprint) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION fingerprint_hash_extended(fingerprint, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION fingerprint_eq(fingerprint, fingerprint) IS 'implementation of = operator';
COMMENT ON FUNCTION fingerprint_ne(fingerprint, fingerprint) IS 'implementation of <> operator';
COMMENT ON FUNCTION fingerprint_lt(fingerprint, fingerprint) IS 'implementation of < operator';
COMMENT ON FUNCTION fingerprint_le(fingerprint, fingerprint) IS 'implementation of <= operator';
COMMENT ON FUNCTION fingerprint_gt(fingerprint, fingerprint) IS 'implementation of > operator';
COMMENT ON FUNCTION fingerprint_ge(fingerprint, fingerprint) IS 'implementation of >= operator';
COMMENT ON FUNCTION fingerprint_cmp(fingerprint, fingerprint) IS 'less-equal-greater';
COMMENT ON FUNCTION fingerprint_hash(fingerprint) IS 'hash';
COMMENT ON FUNCTION fingerprint_hash_extended(fingerprint, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = fingerprint_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (fingerprint, fingerprint) IS 'same kind and value';
COMMENT ON OPERATOR <> (fingerprint, fingerprint) IS 'other kind or value';
COMMENT ON OPERATOR < (fingerprint, fingerprint) IS 'less than';
COMMENT ON OPERATOR <= (fingerprint, fingerprint) IS 'less than or equal';
COMMENT ON OPERATOR > (fingerprint, fingerprint) IS 'greater than';
COMMENT ON OPERATOR >= (fingerprint, fingerprint) IS 'greater than or equal';

CREATE OPERATOR CLASS fingerprint_btree_ops DEFAULT FOR TYPE fingerprint USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 fingerprint_cmp(fingerprint, fingerprint),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS fingerprint_hash_ops DEFAULT FOR TYPE fingerprint USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 fingerprint_hash(fingerprint),
	FUNCTION 2 fingerprint_hash_extended(fingerprint, bigint);
COMMENT ON OPERATOR CLASS fingerprint_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS fingerprint_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY fingerprint_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY fingerprint_hash_ops USING hash IS 'equality';

-- What it is

CREATE FUNCTION fingerprint_name(fp fingerprint) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fingerprint_name(fingerprint) IS 'its kind, such as minhash-h128-v1: algorithm, model if there is one, and version of the schema';

CREATE FUNCTION fingerprint_metadata(fp fingerprint) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_metadata' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION fingerprint_metadata(fingerprint) IS 'algorithm, config_hash (zeros: unknown), schema_version, byte_size, model_id';

CREATE FUNCTION similarity(a fingerprint, b fingerprint) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION similarity(fingerprint, fingerprint) IS
	'similarity by the measure of their kind: jaccard, cosine_estimate, semantic_similarity, of tlsh and lavinhash 0 to 1; refuses different kinds';

-- Casts. On assignment only: with implicit ones, values of different types could be compared by mistake.

CREATE FUNCTION simhash64_to_fingerprint(simhash64) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_to_fingerprint(simhash64) IS 'fingerprint that holds the simhash64';
CREATE CAST (simhash64 AS fingerprint) WITH FUNCTION simhash64_to_fingerprint(simhash64) AS ASSIGNMENT;
COMMENT ON CAST (simhash64 AS fingerprint) IS 'fingerprint that holds the simhash64';

CREATE FUNCTION simhash64_from_fingerprint(fingerprint) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_from_fingerprint(fingerprint) IS 'the simhash64 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS simhash64) WITH FUNCTION simhash64_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS simhash64) IS 'the simhash64 in the fingerprint';

CREATE FUNCTION tlsh_to_fingerprint(tlsh) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_to_fingerprint(tlsh) IS 'fingerprint that holds the tlsh';
CREATE CAST (tlsh AS fingerprint) WITH FUNCTION tlsh_to_fingerprint(tlsh) AS ASSIGNMENT;
COMMENT ON CAST (tlsh AS fingerprint) IS 'fingerprint that holds the tlsh';

CREATE FUNCTION tlsh_from_fingerprint(fingerprint) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_from_fingerprint(fingerprint) IS 'the tlsh in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS tlsh) WITH FUNCTION tlsh_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS tlsh) IS 'the tlsh in the fingerprint';

CREATE FUNCTION lavinhash_to_fingerprint(lavinhash) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_to_fingerprint(lavinhash) IS 'fingerprint that holds the lavinhash';
CREATE CAST (lavinhash AS fingerprint) WITH FUNCTION lavinhash_to_fingerprint(lavinhash) AS ASSIGNMENT;
COMMENT ON CAST (lavinhash AS fingerprint) IS 'fingerprint that holds the lavinhash';

CREATE FUNCTION lavinhash_from_fingerprint(fingerprint) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_from_fingerprint(fingerprint) IS 'the lavinhash in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS lavinhash) WITH FUNCTION lavinhash_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS lavinhash) IS 'the lavinhash in the fingerprint';

CREATE FUNCTION embedding_to_fingerprint(embedding) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_to_fingerprint(embedding) IS 'fingerprint that holds the embedding';
CREATE CAST (embedding AS fingerprint) WITH FUNCTION embedding_to_fingerprint(embedding) AS ASSIGNMENT;
COMMENT ON CAST (embedding AS fingerprint) IS 'fingerprint that holds the embedding';

CREATE FUNCTION embedding_from_fingerprint(fingerprint) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_from_fingerprint(fingerprint) IS 'the embedding in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS embedding) WITH FUNCTION embedding_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS embedding) IS 'the embedding in the fingerprint';

-- lavinhash: fuzzy hash of bytes, in two layers.

CREATE TYPE lavinhash;

CREATE FUNCTION lavinhash_in(cstring) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_out(lavinhash) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_recv(internal) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_send(lavinhash) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- STORAGE main: filters of short documents compress, those of long ones do not; and an index recheck reads them, so in a
-- wide row the document moves out first.
CREATE TYPE lavinhash (
	INPUT = lavinhash_in, OUTPUT = lavinhash_out, RECEIVE = lavinhash_recv, SEND = lavinhash_send,
	ANALYZE = lavinhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
);

COMMENT ON TYPE lavinhash IS 'LavinHash of bytes: which pieces they are made of, and how their entropy runs';
COMMENT ON FUNCTION lavinhash_in(cstring) IS 'I/O';
COMMENT ON FUNCTION lavinhash_out(lavinhash) IS 'I/O';
COMMENT ON FUNCTION lavinhash_recv(internal) IS 'I/O';
COMMENT ON FUNCTION lavinhash_send(lavinhash) IS 'I/O';
COMMENT ON FUNCTION lavinhash_typanalyze(internal) IS 'ANALYZE of LavinHash columns: how many rows reach which score';

-- lavinhash_probe: a value and the score at which it is looked for, the right operand of an index condition.

CREATE TYPE lavinhash_probe;

CREATE FUNCTION lavinhash_probe_in(cstring) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_probe_out(lavinhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_probe_recv(internal) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_probe_send(lavinhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE lavinhash_probe (
	INPUT = lavinhash_probe_in, OUTPUT = lavinhash_probe_out, RECEIVE = lavinhash_probe_recv,
	SEND = lavinhash_probe_send, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

COMMENT ON TYPE lavinhash_probe IS 'LavinHash with the least score at which it matches another';
COMMENT ON FUNCTION lavinhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION lavinhash_probe_out(lavinhash_probe) IS 'I/O';
COMMENT ON FUNCTION lavinhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION lavinhash_probe_send(lavinhash_probe) IS 'I/O';

CREATE FUNCTION lavinhash_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION lavinhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION lavinhash_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';

-- Constructor. NULL for the empty document: a generated column must not reject a row.

CREATE FUNCTION to_lavinhash(doc bytea, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION to_lavinhash(bytea, integer, boolean) IS 'LavinHash of a document; NULL if it is empty';

-- Casts

CREATE FUNCTION lavinhash_to_bytea(lavinhash) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_to_bytea(lavinhash) IS 'serialized form';
CREATE CAST (lavinhash AS bytea) WITH FUNCTION lavinhash_to_bytea(lavinhash);

CREATE FUNCTION lavinhash_from_bytea(bytea) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_from_bytea(bytea) IS 'LavinHash from its serialized form';
CREATE CAST (bytea AS lavinhash) WITH FUNCTION lavinhash_from_bytea(bytea);

COMMENT ON CAST (lavinhash AS bytea) IS 'serialized form';
COMMENT ON CAST (bytea AS lavinhash) IS 'serialized form';

-- Order and equality, by the bytes of the serialized form. The order means nothing.

CREATE FUNCTION lavinhash_eq(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_ne(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_lt(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_le(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_gt(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_ge(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_cmp(lavinhash, lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION lavinhash_hash(lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION lavinhash_hash_extended(lavinhash, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION lavinhash_eq(lavinhash, lavinhash) IS 'implementation of = operator';
COMMENT ON FUNCTION lavinhash_ne(lavinhash, lavinhash) IS 'implementation of <> operator';
COMMENT ON FUNCTION lavinhash_lt(lavinhash, lavinhash) IS 'implementation of < operator';
COMMENT ON FUNCTION lavinhash_le(lavinhash, lavinhash) IS 'implementation of <= operator';
COMMENT ON FUNCTION lavinhash_gt(lavinhash, lavinhash) IS 'implementation of > operator';
COMMENT ON FUNCTION lavinhash_ge(lavinhash, lavinhash) IS 'implementation of >= operator';
COMMENT ON FUNCTION lavinhash_cmp(lavinhash, lavinhash) IS 'less-equal-greater';
COMMENT ON FUNCTION lavinhash_hash(lavinhash) IS 'hash';
COMMENT ON FUNCTION lavinhash_hash_extended(lavinhash, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (lavinhash, lavinhash) IS 'equal';
COMMENT ON OPERATOR <> (lavinhash, lavinhash) IS 'not equal';
COMMENT ON OPERATOR < (lavinhash, lavinhash) IS 'less than';
COMMENT ON OPERATOR <= (lavinhash, lavinhash) IS 'less than or equal';
COMMENT ON OPERATOR > (lavinhash, lavinhash) IS 'greater than';
COMMENT ON OPERATOR >= (lavinhash, lavinhash) IS 'greater than or equal';

CREATE OPERATOR CLASS lavinhash_btree_ops DEFAULT FOR TYPE lavinhash USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 lavinhash_cmp(lavinhash, lavinhash),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS lavinhash_hash_ops DEFAULT FOR TYPE lavinhash USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 lavinhash_hash(lavinhash),
	FUNCTION 2 lavinhash_hash_extended(lavinhash, bigint);
COMMENT ON OPERATOR CLASS lavinhash_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS lavinhash_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY lavinhash_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY lavinhash_hash_ops USING hash IS 'equality';

-- Similarity

CREATE FUNCTION lavinhash_similarity(a lavinhash, b lavinhash, alpha double precision DEFAULT 0.3) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_similarity(lavinhash, lavinhash, double precision) IS
	'score, 0 to 100: alpha of it for the structure, the rest for the content';

CREATE FUNCTION lavinhash_structure(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_structure' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_structure(lavinhash, lavinhash) IS
	'similarity of the runs of entropy, 0 to 1: edit distance of the block entropies';

CREATE FUNCTION lavinhash_content(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_content' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION lavinhash_content(lavinhash, lavinhash) IS
	'Jaccard similarity of the filters, 0 to 1; 1 if both are empty, as those of documents up to 64 bytes are';

CREATE FUNCTION lavinhash_distance(a lavinhash, b lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_distance(lavinhash, lavinhash) IS 'implementation of <-> operator: 100 - lavinhash_similarity';

CREATE OPERATOR <-> (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_distance, COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (lavinhash, lavinhash) IS '100 - score, 0 (same) to 100';

-- Search. STABLE: reads txtfp.lavinhash_threshold
CREATE FUNCTION lavinhash_similar_op(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE COST 3;
COMMENT ON FUNCTION lavinhash_similar_op(lavinhash, lavinhash) IS 'implementation of % operator';

CREATE FUNCTION lavinhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lavinhash_similar_support(internal) IS 'planner support for lavinhash_similar';

CREATE FUNCTION lavinhash_similar(a lavinhash, b lavinhash, min_score integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 3
	SUPPORT lavinhash_similar_support;
COMMENT ON FUNCTION lavinhash_similar(lavinhash, lavinhash, integer) IS
	'score (alpha 0.3) is at least min_score; uses a lavinhash_lsh_ops index';

CREATE FUNCTION to_lavinhash_probe(value lavinhash, min_score integer) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT probe_support;
COMMENT ON FUNCTION to_lavinhash_probe(lavinhash, integer) IS 'right operand of % with a score of its own';

CREATE FUNCTION lavinhash_matches_probe(lavinhash, lavinhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 3;
COMMENT ON FUNCTION lavinhash_matches_probe(lavinhash, lavinhash_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = lavinhash_similar_op,
	COMMUTATOR = %, RESTRICT = lavinhash_sel, JOIN = lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash) IS 'score is at least txtfp.lavinhash_threshold';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash_probe, FUNCTION = lavinhash_matches_probe,
	RESTRICT = lavinhash_probe_sel, JOIN = lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash_probe) IS 'score is at least that of the probe';

-- GIN over LSH band keys of the filter

CREATE FUNCTION lavinhash_lsh_extract_value(lavinhash, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_lsh_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_lsh_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_lsh_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_lsh_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_lsh_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_lsh_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_lsh_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lavinhash_lsh_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_lsh_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION lavinhash_lsh_extract_value(lavinhash, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION lavinhash_lsh_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	lavinhash_lsh_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION lavinhash_lsh_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION lavinhash_lsh_options(internal) IS 'GIN support: bands, rows, recall';

CREATE OPERATOR CLASS lavinhash_lsh_ops DEFAULT FOR TYPE lavinhash USING gin AS
	OPERATOR 1 % (lavinhash, lavinhash),
	OPERATOR 2 % (lavinhash, lavinhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 lavinhash_lsh_extract_value(lavinhash, internal, internal),
	FUNCTION 3 lavinhash_lsh_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 lavinhash_lsh_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal),
	FUNCTION 6 lavinhash_lsh_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal),
	FUNCTION 7 lavinhash_lsh_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS lavinhash_lsh_ops USING gin IS
	'search by score over LSH band keys of the content; options bands, rows, recall';
COMMENT ON OPERATOR FAMILY lavinhash_lsh_ops USING gin IS 'search by score over LSH band keys of the content';


-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION txtfp" to load this file. \quit

-- Text processing that precedes fingerprinting.
-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only, whatever ICU is loaded.

CREATE FUNCTION canonicalize(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_canonicalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION canonicalize(text, text) IS
	'canonical form of a text, which fingerprints are computed from: without format controls, normalized, case-folded';

CREATE FUNCTION tokenize(doc text, tokenizer text DEFAULT 'word-uax29') RETURNS text[]
	AS 'MODULE_PATHNAME', 'txtfp_tokenize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION tokenize(text, text) IS
	'words, graphemes or shingles of a text; the text is not canonicalized, so compose with canonicalize';


-- Configuration hashes. They are text, 16 hexadecimal digits, because they are unsigned and sketches show them so. The
-- tokenizer may be one that txtfp does not have, and the algorithm is any text.

-- Not strict: without a hash function, the hash is that of the crate's config_hash, which fingerprint_metadata shows.
CREATE FUNCTION config_hash(canonicalizer text, tokenizer text, algorithm text,
	hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_config_hash' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION config_hash(text, text, text, text, bigint) IS
	'64-bit hash of a configuration, as stored in a MinHash sketch; with hash NULL, that without hash function and seed';
-- Chunks for an embedding model.

CREATE FUNCTION chunk_for_model(input text, max_tokens integer DEFAULT 256, overlap integer DEFAULT 32,
	mode text DEFAULT 'sentence') RETURNS text[]
	AS 'MODULE_PATHNAME', 'txtfp_chunk_for_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION chunk_for_model(text, integer, integer, text) IS
	'chunks of a text with at most max_tokens tokens each, estimated as 1.3 per word; mode fixed, sentence or recursive';

-- minhash_probe: a sketch and the threshold of a search for it, the right operand of an index condition.

CREATE TYPE minhash_probe;

CREATE FUNCTION _minhash_probe_in(cstring) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _minhash_probe_out(minhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _minhash_probe_recv(internal) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash_probe_send(minhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash_probe (
	INPUT = _minhash_probe_in, OUTPUT = _minhash_probe_out, RECEIVE = _minhash_probe_recv, SEND = _minhash_probe_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE minhash_probe IS 'MinHash sketch with the least similarity at which it matches another';
COMMENT ON FUNCTION _minhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash_probe_out(minhash_probe) IS 'I/O';
COMMENT ON FUNCTION _minhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash_probe_send(minhash_probe) IS 'I/O';

-- Planner support of the functions of all types that make a probe from a value and a threshold.

CREATE FUNCTION _probe_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_probe_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _probe_support(internal) IS 'planner support for functions that make a probe';

-- Planner support shared by the MinHash types.

CREATE FUNCTION _minhash_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _minhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _minhash_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _minhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_typanalyze(internal) IS 'ANALYZE of MinHash columns: how many near-duplicates rows have';

-- minhash_compact_probe: the same of the compact form.

CREATE TYPE minhash_compact_probe;

CREATE FUNCTION _minhash_compact_probe_in(cstring) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _minhash_compact_probe_out(minhash_compact_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _minhash_compact_probe_recv(internal) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash_compact_probe_send(minhash_compact_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash_compact_probe (
	INPUT = _minhash_compact_probe_in, OUTPUT = _minhash_compact_probe_out, RECEIVE = _minhash_compact_probe_recv, SEND = _minhash_compact_probe_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE minhash_compact_probe IS 'compact MinHash sketch with the least similarity at which it matches another';
COMMENT ON FUNCTION _minhash_compact_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash_compact_probe_out(minhash_compact_probe) IS 'I/O';
COMMENT ON FUNCTION _minhash_compact_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash_compact_probe_send(minhash_compact_probe) IS 'I/O';

CREATE FUNCTION _minhash_compact_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_compact_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _minhash_compact_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_compact_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _minhash_compact_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_compact_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _minhash_compact_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_compact_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash_compact_typanalyze(internal) IS 'ANALYZE of compact MinHash columns: how many near-duplicates rows have';
-- minhash64: MinHash sketch of 64 slots.

-- STORAGE main: slots do not compress, and an index recheck reads them, so in a wide row the document moves out first.
CREATE TYPE minhash64;

CREATE FUNCTION _minhash64_in(cstring) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION _minhash64_out(minhash64) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION _minhash64_recv(internal) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_send(minhash64) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash64 (
	INPUT = _minhash64_in, OUTPUT = _minhash64_out, RECEIVE = _minhash64_recv, SEND = _minhash64_send,
	ANALYZE = _minhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
);

COMMENT ON TYPE minhash64 IS 'MinHash sketch of 64 slots, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash64_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash64_out(minhash64) IS 'I/O';
COMMENT ON FUNCTION _minhash64_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash64_send(minhash64) IS 'I/O';

-- Constructors. They return NULL for a text without tokens, because a generated column must not reject a row.

CREATE FUNCTION to_minhash64(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_minhash64(text, text, text, text, bigint) IS
	'MinHash sketch of a text: canonicalized, cut into tokens, hashed; NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash64(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash64' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash64(text[], text, bigint, text, text) IS
	'MinHash sketch of any set of tokens, used unchanged; tokenizer and canonicalizer declare its configuration, which is unknown without a tokenizer; NULL if the set is empty';

-- Casts

CREATE FUNCTION _minhash64_to_bytea(minhash64) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash64_to_bytea(minhash64) IS 'txtfp wire form, without the configuration';
CREATE CAST (minhash64 AS bytea) WITH FUNCTION _minhash64_to_bytea(minhash64);

CREATE FUNCTION _minhash64_from_bytea(bytea) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash64_from_bytea(bytea) IS 'sketch from its txtfp wire form, with unknown configuration';
CREATE CAST (bytea AS minhash64) WITH FUNCTION _minhash64_from_bytea(bytea);

-- Functions on the configuration, which the wire form does not contain
CREATE FUNCTION minhash_config(fp minhash64) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_minhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash64) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash64, config text) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash64, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

CREATE FUNCTION _minhash64_to_jsonb(minhash64) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1500;
COMMENT ON FUNCTION _minhash64_to_jsonb(minhash64) IS 'schema, slots and, if known, configuration';
CREATE CAST (minhash64 AS jsonb) WITH FUNCTION _minhash64_to_jsonb(minhash64);

CREATE FUNCTION _minhash64_from_jsonb(jsonb) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1500;
COMMENT ON FUNCTION _minhash64_from_jsonb(jsonb) IS 'sketch from schema, slots and optional configuration';
CREATE CAST (jsonb AS minhash64) WITH FUNCTION _minhash64_from_jsonb(jsonb);

COMMENT ON CAST (minhash64 AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS minhash64) IS 'txtfp wire form';
COMMENT ON CAST (minhash64 AS jsonb) IS 'schema, slots, configuration';
COMMENT ON CAST (jsonb AS minhash64) IS 'schema, slots, optional configuration';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash64_eq(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_ne(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_lt(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_le(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_gt(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_ge(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_cmp(minhash64, minhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_hash(minhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _minhash64_hash_extended(minhash64, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION _minhash64_eq(minhash64, minhash64) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash64_ne(minhash64, minhash64) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash64_lt(minhash64, minhash64) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash64_le(minhash64, minhash64) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash64_gt(minhash64, minhash64) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash64_ge(minhash64, minhash64) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash64_cmp(minhash64, minhash64) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash64_hash(minhash64) IS 'hash';
COMMENT ON FUNCTION _minhash64_hash_extended(minhash64, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash64, minhash64) IS 'equal';
COMMENT ON OPERATOR <> (minhash64, minhash64) IS 'not equal';
COMMENT ON OPERATOR < (minhash64, minhash64) IS 'less than';
COMMENT ON OPERATOR <= (minhash64, minhash64) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash64, minhash64) IS 'greater than';
COMMENT ON OPERATOR >= (minhash64, minhash64) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash64_btree_ops DEFAULT FOR TYPE minhash64 USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash64_cmp(minhash64, minhash64),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash64_hash_ops DEFAULT FOR TYPE minhash64 USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash64_hash(minhash64),
	FUNCTION 2 _minhash64_hash_extended(minhash64, bigint);
COMMENT ON OPERATOR CLASS minhash64_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash64_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash64_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash64_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash64, b minhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard(minhash64, minhash64) IS 'estimated Jaccard similarity: equal slots / 64';

CREATE FUNCTION jaccard_distance(a minhash64, b minhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard_distance(minhash64, minhash64) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash64_similar_op(minhash64, minhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_similar_op(minhash64, minhash64) IS 'implementation of % operator';

CREATE FUNCTION _minhash64_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash64, b minhash64, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2
	SUPPORT _minhash64_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash64, minhash64, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash64_lsh_ops index';

CREATE FUNCTION _to_minhash_probe(value minhash64, threshold double precision) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_probe(minhash64, double precision) IS 'right operand of %: a sketch and the threshold of the search';

CREATE FUNCTION _minhash64_matches_probe(minhash64, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_matches_probe(minhash64, minhash_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash64_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash64, b minhash64, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _minhash64_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash64, minhash64, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash64_matches_probe_leakproof(minhash64, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_matches_probe_leakproof(minhash64, minhash_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash64, RIGHTARG = minhash_probe, FUNCTION = _minhash64_matches_probe_leakproof,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR %& (minhash64, minhash_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash64, minhash64) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash64, RIGHTARG = minhash64, FUNCTION = _minhash64_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash64, minhash64) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash64, RIGHTARG = minhash_probe, FUNCTION = _minhash64_matches_probe,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash64, minhash_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash64, b minhash64, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash64, minhash64, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash64, bands integer, rows integer, crate_keys boolean DEFAULT false) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash64, integer, integer, boolean) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number unless crate_keys is true';

-- minhash128: MinHash sketch of 128 slots.

-- STORAGE main: slots do not compress, and an index recheck reads them, so in a wide row the document moves out first.
CREATE TYPE minhash128;

CREATE FUNCTION _minhash128_in(cstring) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION _minhash128_out(minhash128) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION _minhash128_recv(internal) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_send(minhash128) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash128 (
	INPUT = _minhash128_in, OUTPUT = _minhash128_out, RECEIVE = _minhash128_recv, SEND = _minhash128_send,
	ANALYZE = _minhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
);

COMMENT ON TYPE minhash128 IS 'MinHash sketch of 128 slots, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash128_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash128_out(minhash128) IS 'I/O';
COMMENT ON FUNCTION _minhash128_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash128_send(minhash128) IS 'I/O';

-- Constructors. They return NULL for a text without tokens, because a generated column must not reject a row.

CREATE FUNCTION to_minhash128(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash128' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION to_minhash128(text, text, text, text, bigint) IS
	'MinHash sketch of a text: canonicalized, cut into tokens, hashed; NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash128(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash128' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash128(text[], text, bigint, text, text) IS
	'MinHash sketch of any set of tokens, used unchanged; tokenizer and canonicalizer declare its configuration, which is unknown without a tokenizer; NULL if the set is empty';

-- Casts

CREATE FUNCTION _minhash128_to_bytea(minhash128) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash128_to_bytea(minhash128) IS 'txtfp wire form, without the configuration';
CREATE CAST (minhash128 AS bytea) WITH FUNCTION _minhash128_to_bytea(minhash128);

CREATE FUNCTION _minhash128_from_bytea(bytea) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash128_from_bytea(bytea) IS 'sketch from its txtfp wire form, with unknown configuration';
CREATE CAST (bytea AS minhash128) WITH FUNCTION _minhash128_from_bytea(bytea);

-- Functions on the configuration, which the wire form does not contain
CREATE FUNCTION minhash_config(fp minhash128) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_minhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash128) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash128, config text) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash128, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

CREATE FUNCTION _minhash128_to_jsonb(minhash128) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3000;
COMMENT ON FUNCTION _minhash128_to_jsonb(minhash128) IS 'schema, slots and, if known, configuration';
CREATE CAST (minhash128 AS jsonb) WITH FUNCTION _minhash128_to_jsonb(minhash128);

CREATE FUNCTION _minhash128_from_jsonb(jsonb) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3000;
COMMENT ON FUNCTION _minhash128_from_jsonb(jsonb) IS 'sketch from schema, slots and optional configuration';
CREATE CAST (jsonb AS minhash128) WITH FUNCTION _minhash128_from_jsonb(jsonb);

COMMENT ON CAST (minhash128 AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS minhash128) IS 'txtfp wire form';
COMMENT ON CAST (minhash128 AS jsonb) IS 'schema, slots, configuration';
COMMENT ON CAST (jsonb AS minhash128) IS 'schema, slots, optional configuration';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash128_eq(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_ne(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_lt(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_le(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_gt(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_ge(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_cmp(minhash128, minhash128) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_hash(minhash128) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _minhash128_hash_extended(minhash128, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION _minhash128_eq(minhash128, minhash128) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash128_ne(minhash128, minhash128) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash128_lt(minhash128, minhash128) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash128_le(minhash128, minhash128) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash128_gt(minhash128, minhash128) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash128_ge(minhash128, minhash128) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash128_cmp(minhash128, minhash128) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash128_hash(minhash128) IS 'hash';
COMMENT ON FUNCTION _minhash128_hash_extended(minhash128, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash128, minhash128) IS 'equal';
COMMENT ON OPERATOR <> (minhash128, minhash128) IS 'not equal';
COMMENT ON OPERATOR < (minhash128, minhash128) IS 'less than';
COMMENT ON OPERATOR <= (minhash128, minhash128) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash128, minhash128) IS 'greater than';
COMMENT ON OPERATOR >= (minhash128, minhash128) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash128_btree_ops DEFAULT FOR TYPE minhash128 USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash128_cmp(minhash128, minhash128),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash128_hash_ops DEFAULT FOR TYPE minhash128 USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash128_hash(minhash128),
	FUNCTION 2 _minhash128_hash_extended(minhash128, bigint);
COMMENT ON OPERATOR CLASS minhash128_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash128_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash128_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash128_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash128, b minhash128) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION jaccard(minhash128, minhash128) IS 'estimated Jaccard similarity: equal slots / 128';

CREATE FUNCTION jaccard_distance(a minhash128, b minhash128) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION jaccard_distance(minhash128, minhash128) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash128_similar_op(minhash128, minhash128) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION _minhash128_similar_op(minhash128, minhash128) IS 'implementation of % operator';

CREATE FUNCTION _minhash128_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash128, b minhash128, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3
	SUPPORT _minhash128_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash128, minhash128, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash128_lsh_ops index';

CREATE FUNCTION _to_minhash_probe(value minhash128, threshold double precision) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_probe(minhash128, double precision) IS 'right operand of %: a sketch and the threshold of the search';

CREATE FUNCTION _minhash128_matches_probe(minhash128, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION _minhash128_matches_probe(minhash128, minhash_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash128_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash128, b minhash128, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 3
	SUPPORT _minhash128_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash128, minhash128, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash128_matches_probe_leakproof(minhash128, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 3;
COMMENT ON FUNCTION _minhash128_matches_probe_leakproof(minhash128, minhash_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash128, RIGHTARG = minhash_probe, FUNCTION = _minhash128_matches_probe_leakproof,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR %& (minhash128, minhash_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash128, minhash128) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash128, RIGHTARG = minhash128, FUNCTION = _minhash128_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash128, minhash128) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash128, RIGHTARG = minhash_probe, FUNCTION = _minhash128_matches_probe,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash128, minhash_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash128, b minhash128, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash128, minhash128, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash128, bands integer, rows integer, crate_keys boolean DEFAULT false) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash128, integer, integer, boolean) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number unless crate_keys is true';

-- minhash256: MinHash sketch of 256 slots.

-- STORAGE main: slots do not compress, and an index recheck reads them, so in a wide row the document moves out first.
CREATE TYPE minhash256;

CREATE FUNCTION _minhash256_in(cstring) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION _minhash256_out(minhash256) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION _minhash256_recv(internal) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_send(minhash256) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash256 (
	INPUT = _minhash256_in, OUTPUT = _minhash256_out, RECEIVE = _minhash256_recv, SEND = _minhash256_send,
	ANALYZE = _minhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
);

COMMENT ON TYPE minhash256 IS 'MinHash sketch of 256 slots, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash256_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash256_out(minhash256) IS 'I/O';
COMMENT ON FUNCTION _minhash256_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash256_send(minhash256) IS 'I/O';

-- Constructors. They return NULL for a text without tokens, because a generated column must not reject a row.

CREATE FUNCTION to_minhash256(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash256' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_minhash256(text, text, text, text, bigint) IS
	'MinHash sketch of a text: canonicalized, cut into tokens, hashed; NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash256(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash256' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash256(text[], text, bigint, text, text) IS
	'MinHash sketch of any set of tokens, used unchanged; tokenizer and canonicalizer declare its configuration, which is unknown without a tokenizer; NULL if the set is empty';

-- Casts

CREATE FUNCTION _minhash256_to_bytea(minhash256) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash256_to_bytea(minhash256) IS 'txtfp wire form, without the configuration';
CREATE CAST (minhash256 AS bytea) WITH FUNCTION _minhash256_to_bytea(minhash256);

CREATE FUNCTION _minhash256_from_bytea(bytea) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _minhash256_from_bytea(bytea) IS 'sketch from its txtfp wire form, with unknown configuration';
CREATE CAST (bytea AS minhash256) WITH FUNCTION _minhash256_from_bytea(bytea);

-- Functions on the configuration, which the wire form does not contain
CREATE FUNCTION minhash_config(fp minhash256) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_minhash_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash256) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash256, config text) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash256, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

CREATE FUNCTION _minhash256_to_jsonb(minhash256) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 6000;
COMMENT ON FUNCTION _minhash256_to_jsonb(minhash256) IS 'schema, slots and, if known, configuration';
CREATE CAST (minhash256 AS jsonb) WITH FUNCTION _minhash256_to_jsonb(minhash256);

CREATE FUNCTION _minhash256_from_jsonb(jsonb) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 6000;
COMMENT ON FUNCTION _minhash256_from_jsonb(jsonb) IS 'sketch from schema, slots and optional configuration';
CREATE CAST (jsonb AS minhash256) WITH FUNCTION _minhash256_from_jsonb(jsonb);

COMMENT ON CAST (minhash256 AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS minhash256) IS 'txtfp wire form';
COMMENT ON CAST (minhash256 AS jsonb) IS 'schema, slots, configuration';
COMMENT ON CAST (jsonb AS minhash256) IS 'schema, slots, optional configuration';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash256_eq(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_ne(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_lt(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_le(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_gt(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_ge(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_cmp(minhash256, minhash256) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_hash(minhash256) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _minhash256_hash_extended(minhash256, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_minhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION _minhash256_eq(minhash256, minhash256) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash256_ne(minhash256, minhash256) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash256_lt(minhash256, minhash256) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash256_le(minhash256, minhash256) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash256_gt(minhash256, minhash256) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash256_ge(minhash256, minhash256) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash256_cmp(minhash256, minhash256) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash256_hash(minhash256) IS 'hash';
COMMENT ON FUNCTION _minhash256_hash_extended(minhash256, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash256, minhash256) IS 'equal';
COMMENT ON OPERATOR <> (minhash256, minhash256) IS 'not equal';
COMMENT ON OPERATOR < (minhash256, minhash256) IS 'less than';
COMMENT ON OPERATOR <= (minhash256, minhash256) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash256, minhash256) IS 'greater than';
COMMENT ON OPERATOR >= (minhash256, minhash256) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash256_btree_ops DEFAULT FOR TYPE minhash256 USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash256_cmp(minhash256, minhash256),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash256_hash_ops DEFAULT FOR TYPE minhash256 USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash256_hash(minhash256),
	FUNCTION 2 _minhash256_hash_extended(minhash256, bigint);
COMMENT ON OPERATOR CLASS minhash256_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash256_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash256_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash256_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash256, b minhash256) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION jaccard(minhash256, minhash256) IS 'estimated Jaccard similarity: equal slots / 256';

CREATE FUNCTION jaccard_distance(a minhash256, b minhash256) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION jaccard_distance(minhash256, minhash256) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash256_similar_op(minhash256, minhash256) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash256_similar_op(minhash256, minhash256) IS 'implementation of % operator';

CREATE FUNCTION _minhash256_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash256, b minhash256, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT _minhash256_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash256, minhash256, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash256_lsh_ops index';

CREATE FUNCTION _to_minhash_probe(value minhash256, threshold double precision) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_probe(minhash256, double precision) IS 'right operand of %: a sketch and the threshold of the search';

CREATE FUNCTION _minhash256_matches_probe(minhash256, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash256_matches_probe(minhash256, minhash_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash256_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash256, b minhash256, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5
	SUPPORT _minhash256_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash256, minhash256, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash256_matches_probe_leakproof(minhash256, minhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash256_matches_probe_leakproof(minhash256, minhash_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash256, RIGHTARG = minhash_probe, FUNCTION = _minhash256_matches_probe_leakproof,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR %& (minhash256, minhash_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash256, minhash256) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash256, RIGHTARG = minhash256, FUNCTION = _minhash256_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash256, minhash256) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash256, RIGHTARG = minhash_probe, FUNCTION = _minhash256_matches_probe,
	RESTRICT = _minhash_probe_sel, JOIN = _minhash_joinsel
);
COMMENT ON OPERATOR % (minhash256, minhash_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash256, b minhash256, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash256, minhash256, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash256, bands integer, rows integer, crate_keys boolean DEFAULT false) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash256, integer, integer, boolean) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number unless crate_keys is true';

-- Banding: how bands and rows decide which pairs share a key.

CREATE FUNCTION lsh_params(threshold double precision, num_slots integer, recall double precision DEFAULT NULL,
	OUT bands integer, OUT rows integer) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_lsh_params' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5500;
COMMENT ON FUNCTION lsh_params(double precision, integer, double precision) IS
	'banding of num_slots slots for a threshold: the cheapest one that reaches the recall, or without recall the one with the least error area';

CREATE FUNCTION lsh_probability(similarity double precision, bands integer, rows integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lsh_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability(double precision, integer, integer) IS
	'probability that two sketches of a similarity s share a band: 1 - (1 - s^rows)^bands';

-- GIN over LSH band keys of minhash64.

CREATE FUNCTION _minhash64_gin_extract_value(minhash64, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_gin_extract_query(minhash64, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_gin_consistent(internal, smallint, minhash64, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_gin_triconsistent(internal, smallint, minhash64, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash64_gin_extract_value(minhash64, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash64_gin_extract_query(minhash64, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash64_gin_consistent(internal, smallint, minhash64, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash64_gin_triconsistent(internal, smallint, minhash64, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash64_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash64_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash64_lsh_ops DEFAULT FOR TYPE minhash64 USING gin AS
	OPERATOR 1 % (minhash64, minhash64),
	OPERATOR 2 % (minhash64, minhash_probe),
	OPERATOR 3 %& (minhash64, minhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash64_gin_extract_value(minhash64, internal, internal),
	FUNCTION 3 _minhash64_gin_extract_query(minhash64, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash64_gin_consistent(internal, smallint, minhash64, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash64_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash64_gin_triconsistent(internal, smallint, minhash64, integer, internal, internal, internal),
	FUNCTION 7 _minhash64_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash64_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash64_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';

-- GIN over LSH band keys of minhash128.

CREATE FUNCTION _minhash128_gin_extract_value(minhash128, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_gin_extract_query(minhash128, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_gin_consistent(internal, smallint, minhash128, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_gin_triconsistent(internal, smallint, minhash128, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash128_gin_extract_value(minhash128, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash128_gin_extract_query(minhash128, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash128_gin_consistent(internal, smallint, minhash128, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash128_gin_triconsistent(internal, smallint, minhash128, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash128_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash128_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash128_lsh_ops DEFAULT FOR TYPE minhash128 USING gin AS
	OPERATOR 1 % (minhash128, minhash128),
	OPERATOR 2 % (minhash128, minhash_probe),
	OPERATOR 3 %& (minhash128, minhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash128_gin_extract_value(minhash128, internal, internal),
	FUNCTION 3 _minhash128_gin_extract_query(minhash128, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash128_gin_consistent(internal, smallint, minhash128, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash128_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash128_gin_triconsistent(internal, smallint, minhash128, integer, internal, internal, internal),
	FUNCTION 7 _minhash128_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash128_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash128_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';

-- GIN over LSH band keys of minhash256.

CREATE FUNCTION _minhash256_gin_extract_value(minhash256, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_gin_extract_query(minhash256, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_gin_consistent(internal, smallint, minhash256, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_gin_triconsistent(internal, smallint, minhash256, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash256_gin_extract_value(minhash256, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash256_gin_extract_query(minhash256, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash256_gin_consistent(internal, smallint, minhash256, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash256_gin_triconsistent(internal, smallint, minhash256, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash256_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash256_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash256_lsh_ops DEFAULT FOR TYPE minhash256 USING gin AS
	OPERATOR 1 % (minhash256, minhash256),
	OPERATOR 2 % (minhash256, minhash_probe),
	OPERATOR 3 %& (minhash256, minhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash256_gin_extract_value(minhash256, internal, internal),
	FUNCTION 3 _minhash256_gin_extract_query(minhash256, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash256_gin_consistent(internal, smallint, minhash256, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash256_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash256_gin_triconsistent(internal, smallint, minhash256, integer, internal, internal, internal),
	FUNCTION 7 _minhash256_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash256_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash256_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';


-- minhash64: merging

CREATE FUNCTION minhash_union(a minhash64, b minhash64) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION minhash_union(minhash64, minhash64) IS 'sketch of the union of two token sets: slot-wise minimum';

CREATE AGGREGATE minhash_union_agg(minhash64) (
	SFUNC = minhash_union, STYPE = minhash64, COMBINEFUNC = minhash_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash64) IS 'sketch of the union of all token sets';

CREATE FUNCTION minhash_cardinality(fp minhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION minhash_cardinality(minhash64) IS 'estimated number of distinct tokens';

CREATE FUNCTION minhash_intersection_estimate(a minhash64, b minhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash64, minhash64) IS
	'estimated number of distinct tokens that two texts share';

CREATE FUNCTION minhash_intersection_estimate(a minhash64, b minhash64, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash64, minhash64, double precision, double precision) IS
	'estimated number of distinct tokens that two texts share, given the number of distinct tokens of each';

CREATE FUNCTION minhash_containment(a minhash64, b minhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION minhash_containment(minhash64, minhash64) IS
	'estimated share of the distinct tokens of a that b contains';

CREATE FUNCTION minhash_containment(a minhash64, b minhash64, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION minhash_containment(minhash64, minhash64, double precision, double precision) IS
	'estimated share of the distinct tokens of a that b contains, given the number of distinct tokens of each';

-- minhash128: merging

CREATE FUNCTION minhash_union(a minhash128, b minhash128) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 13;
COMMENT ON FUNCTION minhash_union(minhash128, minhash128) IS 'sketch of the union of two token sets: slot-wise minimum';

CREATE AGGREGATE minhash_union_agg(minhash128) (
	SFUNC = minhash_union, STYPE = minhash128, COMBINEFUNC = minhash_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash128) IS 'sketch of the union of all token sets';

CREATE FUNCTION minhash_cardinality(fp minhash128) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION minhash_cardinality(minhash128) IS 'estimated number of distinct tokens';

CREATE FUNCTION minhash_intersection_estimate(a minhash128, b minhash128) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash128, minhash128) IS
	'estimated number of distinct tokens that two texts share';

CREATE FUNCTION minhash_intersection_estimate(a minhash128, b minhash128, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash128, minhash128, double precision, double precision) IS
	'estimated number of distinct tokens that two texts share, given the number of distinct tokens of each';

CREATE FUNCTION minhash_containment(a minhash128, b minhash128) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION minhash_containment(minhash128, minhash128) IS
	'estimated share of the distinct tokens of a that b contains';

CREATE FUNCTION minhash_containment(a minhash128, b minhash128, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
COMMENT ON FUNCTION minhash_containment(minhash128, minhash128, double precision, double precision) IS
	'estimated share of the distinct tokens of a that b contains, given the number of distinct tokens of each';

-- minhash256: merging

CREATE FUNCTION minhash_union(a minhash256, b minhash256) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION minhash_union(minhash256, minhash256) IS 'sketch of the union of two token sets: slot-wise minimum';

CREATE AGGREGATE minhash_union_agg(minhash256) (
	SFUNC = minhash_union, STYPE = minhash256, COMBINEFUNC = minhash_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash_union_agg(minhash256) IS 'sketch of the union of all token sets';

CREATE FUNCTION minhash_cardinality(fp minhash256) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_cardinality' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION minhash_cardinality(minhash256) IS 'estimated number of distinct tokens';

CREATE FUNCTION minhash_intersection_estimate(a minhash256, b minhash256) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash256, minhash256) IS
	'estimated number of distinct tokens that two texts share';

CREATE FUNCTION minhash_intersection_estimate(a minhash256, b minhash256, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_intersection_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION minhash_intersection_estimate(minhash256, minhash256, double precision, double precision) IS
	'estimated number of distinct tokens that two texts share, given the number of distinct tokens of each';

CREATE FUNCTION minhash_containment(a minhash256, b minhash256) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_containment(minhash256, minhash256) IS
	'estimated share of the distinct tokens of a that b contains';

CREATE FUNCTION minhash_containment(a minhash256, b minhash256, size_a double precision, size_b double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION minhash_containment(minhash256, minhash256, double precision, double precision) IS
	'estimated share of the distinct tokens of a that b contains, given the number of distinct tokens of each';

-- minhash64: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _minhash64_agg_final(internal) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash64_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _minhash64_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk text) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(text) IS
	'MinHash sketch of the concatenated chunks: minhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash64_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk text, tokenizer text) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(text, text) IS
	'MinHash sketch of the concatenated chunks: minhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash64_agg_step(internal, text, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, text, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(text, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks: minhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash64_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk bytea) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(bytea) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash64_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk bytea, tokenizer text) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(bytea, text) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash64_agg_step(internal, bytea, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash64_agg_step(internal, bytea, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash64_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash64_agg(bytea, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash64_agg(chunk, ... ORDER BY ...)';

-- minhash128: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _minhash128_agg_final(internal) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash128_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _minhash128_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk text) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(text) IS
	'MinHash sketch of the concatenated chunks: minhash128_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash128_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk text, tokenizer text) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(text, text) IS
	'MinHash sketch of the concatenated chunks: minhash128_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash128_agg_step(internal, text, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, text, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(text, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks: minhash128_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash128_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk bytea) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(bytea) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash128_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash128_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk bytea, tokenizer text) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(bytea, text) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash128_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash128_agg_step(internal, bytea, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash128_agg_step(internal, bytea, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash128_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash128_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash128_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash128_agg(bytea, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash128_agg(chunk, ... ORDER BY ...)';

-- minhash256: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _minhash256_agg_final(internal) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash256_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _minhash256_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk text) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(text) IS
	'MinHash sketch of the concatenated chunks: minhash256_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash256_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk text, tokenizer text) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(text, text) IS
	'MinHash sketch of the concatenated chunks: minhash256_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash256_agg_step(internal, text, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, text, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(text, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks: minhash256_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash256_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk bytea) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(bytea) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash256_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash256_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk bytea, tokenizer text) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(bytea, text) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash256_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash256_agg_step(internal, bytea, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash256_agg_step(internal, bytea, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash256_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash256_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash256_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash256_agg(bytea, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash256_agg(chunk, ... ORDER BY ...)';
-- minhash64_compact: the compact form of minhash64, 8 bits of each slot.

-- The code takes values at any alignment, so they may have the short header. STORAGE main as that of the full sketch.
CREATE TYPE minhash64_compact;

CREATE FUNCTION _minhash64_compact_in(cstring) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60;
CREATE FUNCTION _minhash64_compact_out(minhash64_compact) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_compact_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION _minhash64_compact_recv(internal) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_send(minhash64_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash64_compact (
	INPUT = _minhash64_compact_in, OUTPUT = _minhash64_compact_out, RECEIVE = _minhash64_compact_recv, SEND = _minhash64_compact_send,
	ANALYZE = _minhash_compact_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
);

COMMENT ON TYPE minhash64_compact IS 'compact MinHash sketch of 64 slots of 8 bits, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash64_compact_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash64_compact_out(minhash64_compact) IS 'I/O';
COMMENT ON FUNCTION _minhash64_compact_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash64_compact_send(minhash64_compact) IS 'I/O';

-- From the full sketch, which cannot be had back. On assignment, so that INSERT ... SELECT fills a compact column.

CREATE FUNCTION to_minhash64_compact(fp minhash64) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION to_minhash64_compact(minhash64) IS 'compact form of a sketch: 8 bits of each slot, and the configuration';
CREATE CAST (minhash64 AS minhash64_compact) WITH FUNCTION to_minhash64_compact(minhash64) AS ASSIGNMENT;
COMMENT ON CAST (minhash64 AS minhash64_compact) IS '8 bits of each slot, and the configuration';

CREATE FUNCTION to_minhash64_compact(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash64_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_minhash64_compact(text, text, text, text, bigint) IS
	'compact MinHash sketch of a text: to_minhash64_compact(to_minhash64(...)); NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash64_compact(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash64_compact' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash64_compact(text[], text, bigint, text, text) IS
	'compact MinHash sketch of any set of tokens: to_minhash64_compact(to_minhash64(...)); NULL if the set is empty';

-- Casts and configuration

CREATE FUNCTION _minhash64_compact_to_bytea(minhash64_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash64_compact_to_bytea(minhash64_compact) IS 'wire form, without the configuration';
CREATE CAST (minhash64_compact AS bytea) WITH FUNCTION _minhash64_compact_to_bytea(minhash64_compact);
COMMENT ON CAST (minhash64_compact AS bytea) IS 'wire form';

CREATE FUNCTION _minhash64_compact_from_bytea(bytea) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash64_compact_from_bytea(bytea) IS 'compact sketch from its wire form, with unknown configuration';
CREATE CAST (bytea AS minhash64_compact) WITH FUNCTION _minhash64_compact_from_bytea(bytea);
COMMENT ON CAST (bytea AS minhash64_compact) IS 'wire form';

CREATE FUNCTION minhash_config(fp minhash64_compact) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_compact_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash64_compact) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash64_compact, config text) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_compact_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash64_compact, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash64_compact_eq(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_ne(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_lt(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_le(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_gt(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_ge(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_cmp(minhash64_compact, minhash64_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_hash(minhash64_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
CREATE FUNCTION _minhash64_compact_hash_extended(minhash64_compact, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;

COMMENT ON FUNCTION _minhash64_compact_eq(minhash64_compact, minhash64_compact) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash64_compact_ne(minhash64_compact, minhash64_compact) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash64_compact_lt(minhash64_compact, minhash64_compact) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash64_compact_le(minhash64_compact, minhash64_compact) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash64_compact_gt(minhash64_compact, minhash64_compact) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash64_compact_ge(minhash64_compact, minhash64_compact) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash64_compact_cmp(minhash64_compact, minhash64_compact) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash64_compact_hash(minhash64_compact) IS 'hash';
COMMENT ON FUNCTION _minhash64_compact_hash_extended(minhash64_compact, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash64_compact, minhash64_compact) IS 'equal';
COMMENT ON OPERATOR <> (minhash64_compact, minhash64_compact) IS 'not equal';
COMMENT ON OPERATOR < (minhash64_compact, minhash64_compact) IS 'less than';
COMMENT ON OPERATOR <= (minhash64_compact, minhash64_compact) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash64_compact, minhash64_compact) IS 'greater than';
COMMENT ON OPERATOR >= (minhash64_compact, minhash64_compact) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash64_compact_btree_ops DEFAULT FOR TYPE minhash64_compact USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash64_compact_cmp(minhash64_compact, minhash64_compact),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash64_compact_hash_ops DEFAULT FOR TYPE minhash64_compact USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash64_compact_hash(minhash64_compact),
	FUNCTION 2 _minhash64_compact_hash_extended(minhash64_compact, bigint);
COMMENT ON OPERATOR CLASS minhash64_compact_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash64_compact_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash64_compact_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash64_compact_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash64_compact, b minhash64_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard(minhash64_compact, minhash64_compact) IS
	'estimated Jaccard similarity: the share of equal slots, less those that are equal by chance';

CREATE FUNCTION jaccard_distance(a minhash64_compact, b minhash64_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard_distance(minhash64_compact, minhash64_compact) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash64_compact_similar_op(minhash64_compact, minhash64_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_compact_similar_op(minhash64_compact, minhash64_compact) IS 'implementation of % operator';

CREATE FUNCTION _minhash64_compact_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_compact_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash64_compact, b minhash64_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2
	SUPPORT _minhash64_compact_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash64_compact, minhash64_compact, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash64_compact_lsh_ops index';

CREATE FUNCTION _to_minhash_compact_probe(value minhash64_compact, threshold double precision) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_compact_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_compact_probe(minhash64_compact, double precision) IS
	'right operand of %: a compact sketch and the threshold of the search';

CREATE FUNCTION _minhash64_compact_matches_probe(minhash64_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_compact_matches_probe(minhash64_compact, minhash_compact_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash64_compact_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_compact_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash64_compact, b minhash64_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _minhash64_compact_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash64_compact, minhash64_compact, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash64_compact_matches_probe_leakproof(minhash64_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash64_compact_matches_probe_leakproof(minhash64_compact, minhash_compact_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash64_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash64_compact_matches_probe_leakproof,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR %& (minhash64_compact, minhash_compact_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash64_compact, minhash64_compact) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash64_compact, RIGHTARG = minhash64_compact, FUNCTION = _minhash64_compact_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_compact_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash64_compact, minhash64_compact) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash64_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash64_compact_matches_probe,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash64_compact, minhash_compact_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash64_compact, b minhash64_compact, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash64_compact, minhash64_compact, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash64_compact, bands integer, rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_compact_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash64_compact, integer, integer) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number';

-- GIN over LSH band keys of minhash64_compact.

CREATE FUNCTION _minhash64_compact_gin_extract_value(minhash64_compact, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_compact_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_gin_extract_query(minhash64_compact, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_gin_consistent(internal, smallint, minhash64_compact, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_gin_triconsistent(internal, smallint, minhash64_compact, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash64_compact_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash64_compact_gin_extract_value(minhash64_compact, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash64_compact_gin_extract_query(minhash64_compact, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash64_compact_gin_consistent(internal, smallint, minhash64_compact, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash64_compact_gin_triconsistent(internal, smallint, minhash64_compact, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash64_compact_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash64_compact_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_compact_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash64_compact_lsh_ops DEFAULT FOR TYPE minhash64_compact USING gin AS
	OPERATOR 1 % (minhash64_compact, minhash64_compact),
	OPERATOR 2 % (minhash64_compact, minhash_compact_probe),
	OPERATOR 3 %& (minhash64_compact, minhash_compact_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash64_compact_gin_extract_value(minhash64_compact, internal, internal),
	FUNCTION 3 _minhash64_compact_gin_extract_query(minhash64_compact, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash64_compact_gin_consistent(internal, smallint, minhash64_compact, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash64_compact_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash64_compact_gin_triconsistent(internal, smallint, minhash64_compact, integer, internal, internal, internal),
	FUNCTION 7 _minhash64_compact_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash64_compact_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash64_compact_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';

-- minhash128_compact: the compact form of minhash128, 8 bits of each slot.

-- The code takes values at any alignment, so they may have the short header. STORAGE main as that of the full sketch.
CREATE TYPE minhash128_compact;

CREATE FUNCTION _minhash128_compact_in(cstring) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION _minhash128_compact_out(minhash128_compact) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_compact_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
CREATE FUNCTION _minhash128_compact_recv(internal) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_send(minhash128_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash128_compact (
	INPUT = _minhash128_compact_in, OUTPUT = _minhash128_compact_out, RECEIVE = _minhash128_compact_recv, SEND = _minhash128_compact_send,
	ANALYZE = _minhash_compact_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
);

COMMENT ON TYPE minhash128_compact IS 'compact MinHash sketch of 128 slots of 8 bits, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash128_compact_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash128_compact_out(minhash128_compact) IS 'I/O';
COMMENT ON FUNCTION _minhash128_compact_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash128_compact_send(minhash128_compact) IS 'I/O';

-- From the full sketch, which cannot be had back. On assignment, so that INSERT ... SELECT fills a compact column.

CREATE FUNCTION to_minhash128_compact(fp minhash128) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 8;
COMMENT ON FUNCTION to_minhash128_compact(minhash128) IS 'compact form of a sketch: 8 bits of each slot, and the configuration';
CREATE CAST (minhash128 AS minhash128_compact) WITH FUNCTION to_minhash128_compact(minhash128) AS ASSIGNMENT;
COMMENT ON CAST (minhash128 AS minhash128_compact) IS '8 bits of each slot, and the configuration';

CREATE FUNCTION to_minhash128_compact(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash128_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION to_minhash128_compact(text, text, text, text, bigint) IS
	'compact MinHash sketch of a text: to_minhash128_compact(to_minhash128(...)); NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash128_compact(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash128_compact' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash128_compact(text[], text, bigint, text, text) IS
	'compact MinHash sketch of any set of tokens: to_minhash128_compact(to_minhash128(...)); NULL if the set is empty';

-- Casts and configuration

CREATE FUNCTION _minhash128_compact_to_bytea(minhash128_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash128_compact_to_bytea(minhash128_compact) IS 'wire form, without the configuration';
CREATE CAST (minhash128_compact AS bytea) WITH FUNCTION _minhash128_compact_to_bytea(minhash128_compact);
COMMENT ON CAST (minhash128_compact AS bytea) IS 'wire form';

CREATE FUNCTION _minhash128_compact_from_bytea(bytea) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash128_compact_from_bytea(bytea) IS 'compact sketch from its wire form, with unknown configuration';
CREATE CAST (bytea AS minhash128_compact) WITH FUNCTION _minhash128_compact_from_bytea(bytea);
COMMENT ON CAST (bytea AS minhash128_compact) IS 'wire form';

CREATE FUNCTION minhash_config(fp minhash128_compact) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_compact_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash128_compact) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash128_compact, config text) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_compact_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash128_compact, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash128_compact_eq(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_ne(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_lt(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_le(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_gt(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_ge(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_cmp(minhash128_compact, minhash128_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_hash(minhash128_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
CREATE FUNCTION _minhash128_compact_hash_extended(minhash128_compact, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;

COMMENT ON FUNCTION _minhash128_compact_eq(minhash128_compact, minhash128_compact) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash128_compact_ne(minhash128_compact, minhash128_compact) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash128_compact_lt(minhash128_compact, minhash128_compact) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash128_compact_le(minhash128_compact, minhash128_compact) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash128_compact_gt(minhash128_compact, minhash128_compact) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash128_compact_ge(minhash128_compact, minhash128_compact) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash128_compact_cmp(minhash128_compact, minhash128_compact) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash128_compact_hash(minhash128_compact) IS 'hash';
COMMENT ON FUNCTION _minhash128_compact_hash_extended(minhash128_compact, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash128_compact, minhash128_compact) IS 'equal';
COMMENT ON OPERATOR <> (minhash128_compact, minhash128_compact) IS 'not equal';
COMMENT ON OPERATOR < (minhash128_compact, minhash128_compact) IS 'less than';
COMMENT ON OPERATOR <= (minhash128_compact, minhash128_compact) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash128_compact, minhash128_compact) IS 'greater than';
COMMENT ON OPERATOR >= (minhash128_compact, minhash128_compact) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash128_compact_btree_ops DEFAULT FOR TYPE minhash128_compact USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash128_compact_cmp(minhash128_compact, minhash128_compact),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash128_compact_hash_ops DEFAULT FOR TYPE minhash128_compact USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash128_compact_hash(minhash128_compact),
	FUNCTION 2 _minhash128_compact_hash_extended(minhash128_compact, bigint);
COMMENT ON OPERATOR CLASS minhash128_compact_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash128_compact_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash128_compact_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash128_compact_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash128_compact, b minhash128_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard(minhash128_compact, minhash128_compact) IS
	'estimated Jaccard similarity: the share of equal slots, less those that are equal by chance';

CREATE FUNCTION jaccard_distance(a minhash128_compact, b minhash128_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard_distance(minhash128_compact, minhash128_compact) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash128_compact_similar_op(minhash128_compact, minhash128_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash128_compact_similar_op(minhash128_compact, minhash128_compact) IS 'implementation of % operator';

CREATE FUNCTION _minhash128_compact_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_compact_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash128_compact, b minhash128_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2
	SUPPORT _minhash128_compact_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash128_compact, minhash128_compact, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash128_compact_lsh_ops index';

CREATE FUNCTION _to_minhash_compact_probe(value minhash128_compact, threshold double precision) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_compact_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_compact_probe(minhash128_compact, double precision) IS
	'right operand of %: a compact sketch and the threshold of the search';

CREATE FUNCTION _minhash128_compact_matches_probe(minhash128_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash128_compact_matches_probe(minhash128_compact, minhash_compact_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash128_compact_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_compact_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash128_compact, b minhash128_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _minhash128_compact_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash128_compact, minhash128_compact, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash128_compact_matches_probe_leakproof(minhash128_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash128_compact_matches_probe_leakproof(minhash128_compact, minhash_compact_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash128_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash128_compact_matches_probe_leakproof,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR %& (minhash128_compact, minhash_compact_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash128_compact, minhash128_compact) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash128_compact, RIGHTARG = minhash128_compact, FUNCTION = _minhash128_compact_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_compact_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash128_compact, minhash128_compact) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash128_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash128_compact_matches_probe,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash128_compact, minhash_compact_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash128_compact, b minhash128_compact, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash128_compact, minhash128_compact, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash128_compact, bands integer, rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_compact_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash128_compact, integer, integer) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number';

-- GIN over LSH band keys of minhash128_compact.

CREATE FUNCTION _minhash128_compact_gin_extract_value(minhash128_compact, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_compact_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_gin_extract_query(minhash128_compact, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_gin_consistent(internal, smallint, minhash128_compact, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_gin_triconsistent(internal, smallint, minhash128_compact, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash128_compact_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash128_compact_gin_extract_value(minhash128_compact, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash128_compact_gin_extract_query(minhash128_compact, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash128_compact_gin_consistent(internal, smallint, minhash128_compact, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash128_compact_gin_triconsistent(internal, smallint, minhash128_compact, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash128_compact_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash128_compact_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_compact_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash128_compact_lsh_ops DEFAULT FOR TYPE minhash128_compact USING gin AS
	OPERATOR 1 % (minhash128_compact, minhash128_compact),
	OPERATOR 2 % (minhash128_compact, minhash_compact_probe),
	OPERATOR 3 %& (minhash128_compact, minhash_compact_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash128_compact_gin_extract_value(minhash128_compact, internal, internal),
	FUNCTION 3 _minhash128_compact_gin_extract_query(minhash128_compact, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash128_compact_gin_consistent(internal, smallint, minhash128_compact, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash128_compact_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash128_compact_gin_triconsistent(internal, smallint, minhash128_compact, integer, internal, internal, internal),
	FUNCTION 7 _minhash128_compact_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash128_compact_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash128_compact_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';

-- minhash256_compact: the compact form of minhash256, 8 bits of each slot.

-- The code takes values at any alignment, so they may have the short header. STORAGE main as that of the full sketch.
CREATE TYPE minhash256_compact;

CREATE FUNCTION _minhash256_compact_in(cstring) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION _minhash256_compact_out(minhash256_compact) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_compact_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION _minhash256_compact_recv(internal) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_send(minhash256_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash256_compact (
	INPUT = _minhash256_compact_in, OUTPUT = _minhash256_compact_out, RECEIVE = _minhash256_compact_recv, SEND = _minhash256_compact_send,
	ANALYZE = _minhash_compact_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
);

COMMENT ON TYPE minhash256_compact IS 'compact MinHash sketch of 256 slots of 8 bits, estimates the Jaccard similarity of token sets';
COMMENT ON FUNCTION _minhash256_compact_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _minhash256_compact_out(minhash256_compact) IS 'I/O';
COMMENT ON FUNCTION _minhash256_compact_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _minhash256_compact_send(minhash256_compact) IS 'I/O';

-- From the full sketch, which cannot be had back. On assignment, so that INSERT ... SELECT fills a compact column.

CREATE FUNCTION to_minhash256_compact(fp minhash256) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash_to_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION to_minhash256_compact(minhash256) IS 'compact form of a sketch: 8 bits of each slot, and the configuration';
CREATE CAST (minhash256 AS minhash256_compact) WITH FUNCTION to_minhash256_compact(minhash256) AS ASSIGNMENT;
COMMENT ON CAST (minhash256 AS minhash256_compact) IS '8 bits of each slot, and the configuration';

CREATE FUNCTION to_minhash256_compact(doc text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash256_compact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 450;
COMMENT ON FUNCTION to_minhash256_compact(text, text, text, text, bigint) IS
	'compact MinHash sketch of a text: to_minhash256_compact(to_minhash256(...)); NULL if it has no token';

-- not strict: tokenizer may be NULL
CREATE FUNCTION to_minhash256_compact(tokens text[], hash text DEFAULT 'xxh3-64', seed bigint DEFAULT 828927532781,
	tokenizer text DEFAULT NULL, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_minhash256_compact' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 350;
COMMENT ON FUNCTION to_minhash256_compact(text[], text, bigint, text, text) IS
	'compact MinHash sketch of any set of tokens: to_minhash256_compact(to_minhash256(...)); NULL if the set is empty';

-- Casts and configuration

CREATE FUNCTION _minhash256_compact_to_bytea(minhash256_compact) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_compact_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash256_compact_to_bytea(minhash256_compact) IS 'wire form, without the configuration';
CREATE CAST (minhash256_compact AS bytea) WITH FUNCTION _minhash256_compact_to_bytea(minhash256_compact);
COMMENT ON CAST (minhash256_compact AS bytea) IS 'wire form';

CREATE FUNCTION _minhash256_compact_from_bytea(bytea) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _minhash256_compact_from_bytea(bytea) IS 'compact sketch from its wire form, with unknown configuration';
CREATE CAST (bytea AS minhash256_compact) WITH FUNCTION _minhash256_compact_from_bytea(bytea);
COMMENT ON CAST (bytea AS minhash256_compact) IS 'wire form';

CREATE FUNCTION minhash_config(fp minhash256_compact) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_compact_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_config(minhash256_compact) IS 'configuration of a sketch, 16 hexadecimal digits; zeros mean unknown';

CREATE FUNCTION minhash_with_config(fp minhash256_compact, config text) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_compact_with_config' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_with_config(minhash256_compact, text) IS
	'the sketch with a declared configuration; an error if it has another known one';

-- Order and equality, by configuration and slots, of any two values. The order has no meaning.

CREATE FUNCTION _minhash256_compact_eq(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_ne(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_lt(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_le(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_gt(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_ge(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_cmp(minhash256_compact, minhash256_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_hash(minhash256_compact) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;
CREATE FUNCTION _minhash256_compact_hash_extended(minhash256_compact, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_compact_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 3;

COMMENT ON FUNCTION _minhash256_compact_eq(minhash256_compact, minhash256_compact) IS 'implementation of = operator';
COMMENT ON FUNCTION _minhash256_compact_ne(minhash256_compact, minhash256_compact) IS 'implementation of <> operator';
COMMENT ON FUNCTION _minhash256_compact_lt(minhash256_compact, minhash256_compact) IS 'implementation of < operator';
COMMENT ON FUNCTION _minhash256_compact_le(minhash256_compact, minhash256_compact) IS 'implementation of <= operator';
COMMENT ON FUNCTION _minhash256_compact_gt(minhash256_compact, minhash256_compact) IS 'implementation of > operator';
COMMENT ON FUNCTION _minhash256_compact_ge(minhash256_compact, minhash256_compact) IS 'implementation of >= operator';
COMMENT ON FUNCTION _minhash256_compact_cmp(minhash256_compact, minhash256_compact) IS 'less-equal-greater';
COMMENT ON FUNCTION _minhash256_compact_hash(minhash256_compact) IS 'hash';
COMMENT ON FUNCTION _minhash256_compact_hash_extended(minhash256_compact, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (minhash256_compact, minhash256_compact) IS 'equal';
COMMENT ON OPERATOR <> (minhash256_compact, minhash256_compact) IS 'not equal';
COMMENT ON OPERATOR < (minhash256_compact, minhash256_compact) IS 'less than';
COMMENT ON OPERATOR <= (minhash256_compact, minhash256_compact) IS 'less than or equal';
COMMENT ON OPERATOR > (minhash256_compact, minhash256_compact) IS 'greater than';
COMMENT ON OPERATOR >= (minhash256_compact, minhash256_compact) IS 'greater than or equal';

CREATE OPERATOR CLASS minhash256_compact_btree_ops DEFAULT FOR TYPE minhash256_compact USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _minhash256_compact_cmp(minhash256_compact, minhash256_compact),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS minhash256_compact_hash_ops DEFAULT FOR TYPE minhash256_compact USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _minhash256_compact_hash(minhash256_compact),
	FUNCTION 2 _minhash256_compact_hash_extended(minhash256_compact, bigint);
COMMENT ON OPERATOR CLASS minhash256_compact_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS minhash256_compact_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY minhash256_compact_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY minhash256_compact_hash_ops USING hash IS 'equality';

-- Similarity. All of these raise an error for values with different known configurations.

CREATE FUNCTION jaccard(a minhash256_compact, b minhash256_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard(minhash256_compact, minhash256_compact) IS
	'estimated Jaccard similarity: the share of equal slots, less those that are equal by chance';

CREATE FUNCTION jaccard_distance(a minhash256_compact, b minhash256_compact) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_compact_jaccard_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION jaccard_distance(minhash256_compact, minhash256_compact) IS 'implementation of <%> operator: 1 - jaccard';

-- STABLE: reads txtfp.jaccard_threshold
CREATE FUNCTION _minhash256_compact_similar_op(minhash256_compact, minhash256_compact) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_op' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash256_compact_similar_op(minhash256_compact, minhash256_compact) IS 'implementation of % operator';

CREATE FUNCTION _minhash256_compact_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_compact_similar_support(internal) IS 'planner support for minhash_similar';

CREATE FUNCTION minhash_similar(a minhash256_compact, b minhash256_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2
	SUPPORT _minhash256_compact_similar_support;
COMMENT ON FUNCTION minhash_similar(minhash256_compact, minhash256_compact, double precision) IS
	'estimated Jaccard similarity is at least the threshold; uses a minhash256_compact_lsh_ops index';

CREATE FUNCTION _to_minhash_compact_probe(value minhash256_compact, threshold double precision) RETURNS minhash_compact_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_minhash_compact_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_minhash_compact_probe(minhash256_compact, double precision) IS
	'right operand of %: a compact sketch and the threshold of the search';

CREATE FUNCTION _minhash256_compact_matches_probe(minhash256_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash256_compact_matches_probe(minhash256_compact, minhash_compact_probe) IS 'implementation of % operator';

-- For tables under row-level security and views with security_barrier: errors do not depend on the rows.
CREATE FUNCTION _minhash256_compact_leakproof_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_leakproof_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_compact_leakproof_support(internal) IS 'planner support for minhash_similar_leakproof';
CREATE FUNCTION minhash_similar_leakproof(a minhash256_compact, b minhash256_compact, threshold double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_similar_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _minhash256_compact_leakproof_support;
COMMENT ON FUNCTION minhash_similar_leakproof(minhash256_compact, minhash256_compact, double precision) IS
	'minhash_similar for tables under row-level security: false if configurations differ';
CREATE FUNCTION _minhash256_compact_matches_probe_leakproof(minhash256_compact, minhash_compact_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_compact_matches_probe_leakproof' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _minhash256_compact_matches_probe_leakproof(minhash256_compact, minhash_compact_probe) IS 'implementation of %& operator';
CREATE OPERATOR %& (
	LEFTARG = minhash256_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash256_compact_matches_probe_leakproof,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR %& (minhash256_compact, minhash_compact_probe) IS
	'% for tables under row-level security: false if configurations differ';

CREATE OPERATOR <%> (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = jaccard_distance, COMMUTATOR = <%>
);
COMMENT ON OPERATOR <%> (minhash256_compact, minhash256_compact) IS 'estimated Jaccard distance, 0 (same) to 1';

CREATE OPERATOR % (
	LEFTARG = minhash256_compact, RIGHTARG = minhash256_compact, FUNCTION = _minhash256_compact_similar_op,
	COMMUTATOR = %, RESTRICT = _minhash_compact_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash256_compact, minhash256_compact) IS 'estimated Jaccard similarity is at least txtfp.jaccard_threshold';

CREATE OPERATOR % (
	LEFTARG = minhash256_compact, RIGHTARG = minhash_compact_probe, FUNCTION = _minhash256_compact_matches_probe,
	RESTRICT = _minhash_compact_probe_sel, JOIN = _minhash_compact_joinsel
);
COMMENT ON OPERATOR % (minhash256_compact, minhash_compact_probe) IS 'estimated Jaccard similarity is at least the threshold of the probe';

CREATE FUNCTION _first_common_band(a minhash256_compact, b minhash256_compact, bands integer, rows integer) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_compact_first_common_band' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION _first_common_band(minhash256_compact, minhash256_compact, integer, integer) IS
	'number, from 1, of the first LSH band that two sketches share, or NULL; a join over lsh_keys returns each pair once if it keeps that band only';

CREATE FUNCTION lsh_keys(fp minhash256_compact, bands integer, rows integer) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'txtfp_compact_lsh_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION lsh_keys(minhash256_compact, integer, integer) IS
	'LSH band keys; sketches that share one are likely similar; each key includes the band number';

-- GIN over LSH band keys of minhash256_compact.

CREATE FUNCTION _minhash256_compact_gin_extract_value(minhash256_compact, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_compact_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_gin_extract_query(minhash256_compact, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_gin_consistent(internal, smallint, minhash256_compact, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_gin_triconsistent(internal, smallint, minhash256_compact, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _minhash256_compact_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _minhash256_compact_gin_extract_value(minhash256_compact, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _minhash256_compact_gin_extract_query(minhash256_compact, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_minhash256_compact_gin_consistent(internal, smallint, minhash256_compact, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash256_compact_gin_triconsistent(internal, smallint, minhash256_compact, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _minhash256_compact_gin_options(internal) IS 'GIN support: bands, rows, threshold, recall';

CREATE FUNCTION _minhash256_compact_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_compact_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS minhash256_compact_lsh_ops DEFAULT FOR TYPE minhash256_compact USING gin AS
	OPERATOR 1 % (minhash256_compact, minhash256_compact),
	OPERATOR 2 % (minhash256_compact, minhash_compact_probe),
	OPERATOR 3 %& (minhash256_compact, minhash_compact_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _minhash256_compact_gin_extract_value(minhash256_compact, internal, internal),
	FUNCTION 3 _minhash256_compact_gin_extract_query(minhash256_compact, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _minhash256_compact_gin_consistent(internal, smallint, minhash256_compact, integer, internal, internal, internal, internal),
	FUNCTION 5 _minhash256_compact_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _minhash256_compact_gin_triconsistent(internal, smallint, minhash256_compact, integer, internal, internal, internal),
	FUNCTION 7 _minhash256_compact_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS minhash256_compact_lsh_ops USING gin IS
	'near-duplicate search over LSH band keys; options bands, rows, threshold, recall';
COMMENT ON OPERATOR FAMILY minhash256_compact_lsh_ops USING gin IS 'near-duplicate search over LSH band keys';

-- simhash_probe: a SimHash and the distance of a search around it, the right operand of an index condition.

CREATE TYPE simhash_probe;

CREATE FUNCTION _simhash_probe_in(cstring) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _simhash_probe_out(simhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _simhash_probe_recv(internal) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash_probe_send(simhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE simhash_probe (
	INPUT = _simhash_probe_in, OUTPUT = _simhash_probe_out, RECEIVE = _simhash_probe_recv, SEND = _simhash_probe_send,
	INTERNALLENGTH = 16, ALIGNMENT = double
);

COMMENT ON TYPE simhash_probe IS 'SimHash with the greatest Hamming distance at which it matches another';
COMMENT ON FUNCTION _simhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _simhash_probe_out(simhash_probe) IS 'I/O';
COMMENT ON FUNCTION _simhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _simhash_probe_send(simhash_probe) IS 'I/O';

CREATE FUNCTION _simhash64_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _simhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _simhash64_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _simhash64_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_typanalyze(internal) IS 'ANALYZE of SimHash columns: how many rows are within which distance';

-- simhash64: SimHash of 64 bits, passed by value.

CREATE TYPE simhash64;

CREATE FUNCTION _simhash64_in(cstring) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
CREATE FUNCTION _simhash64_out(simhash64) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION _simhash64_recv(internal) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_send(simhash64) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE simhash64 (
	INPUT = _simhash64_in, OUTPUT = _simhash64_out, RECEIVE = _simhash64_recv, SEND = _simhash64_send,
	ANALYZE = _simhash64_typanalyze, LIKE = pg_catalog.int8
);

COMMENT ON TYPE simhash64 IS 'SimHash of 64 bits, estimates the angle between weighted token sets by Hamming distance';
COMMENT ON FUNCTION _simhash64_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _simhash64_out(simhash64) IS 'I/O';
COMMENT ON FUNCTION _simhash64_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _simhash64_send(simhash64) IS 'I/O';

-- Constructors

CREATE FUNCTION to_simhash64(doc text, tokenizer text DEFAULT 'shingle-k=2/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', hash text DEFAULT 'xxh3-64',
	seed bigint DEFAULT 828927532781, weighting text DEFAULT 'tf', idf jsonb DEFAULT NULL) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash64' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text, text, text, text, bigint, text, jsonb) IS
	'SimHash of a text: canonicalized, cut into tokens, weighted by tf, uniform or idf; NULL if it has no token';

CREATE FUNCTION to_simhash64(tokens text[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[]) IS 'SimHash of any tokens, used unchanged, each weighted by how often it occurs; NULL if there is none';

-- hash and seed have no defaults, so that a literal as the only second argument means an array of weights, not a hash.
-- not strict: idf may be NULL
CREATE FUNCTION to_simhash64(tokens text[], hash text, seed bigint, weighting text DEFAULT 'tf', idf jsonb DEFAULT NULL)
	RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_tokens_to_simhash64' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[], text, bigint, text, jsonb) IS
	'SimHash of any tokens, used unchanged, weighted by tf, uniform or idf; NULL if there is none';

CREATE FUNCTION to_simhash64(features text[], weights double precision[]) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_features_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 250;
COMMENT ON FUNCTION to_simhash64(text[], double precision[]) IS
	'SimHash of weighted features, hashed by xxh3-64 with the default seed; NULL if there is none';

-- Casts

CREATE CAST (simhash64 AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash64) WITHOUT FUNCTION;

CREATE FUNCTION _simhash64_to_bytea(simhash64) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_to_bytea(simhash64) IS 'the 8 bytes, little-endian: txtfp wire form';
CREATE CAST (simhash64 AS bytea) WITH FUNCTION _simhash64_to_bytea(simhash64);

CREATE FUNCTION _simhash64_from_bytea(bytea) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_from_bytea(bytea) IS 'SimHash from its txtfp wire form';
CREATE CAST (bytea AS simhash64) WITH FUNCTION _simhash64_from_bytea(bytea);

CREATE FUNCTION _simhash64_to_bit(simhash64) RETURNS bit
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_bit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_to_bit(simhash64) IS 'bit(64), most significant bit first';
CREATE CAST (simhash64 AS bit) WITH FUNCTION _simhash64_to_bit(simhash64);

CREATE FUNCTION _simhash64_from_bit(bit) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_bit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_from_bit(bit) IS 'SimHash from bit(64), most significant bit first';
CREATE CAST (bit AS simhash64) WITH FUNCTION _simhash64_from_bit(bit);

CREATE FUNCTION _simhash64_to_jsonb(simhash64) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _simhash64_to_jsonb(simhash64) IS 'unsigned integer';
CREATE CAST (simhash64 AS jsonb) WITH FUNCTION _simhash64_to_jsonb(simhash64);

CREATE FUNCTION _simhash64_from_jsonb(jsonb) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION _simhash64_from_jsonb(jsonb) IS 'SimHash from an unsigned integer';
CREATE CAST (jsonb AS simhash64) WITH FUNCTION _simhash64_from_jsonb(jsonb);

COMMENT ON CAST (simhash64 AS bigint) IS 'same bits';
COMMENT ON CAST (bigint AS simhash64) IS 'same bits';
COMMENT ON CAST (simhash64 AS bytea) IS 'txtfp wire form';
COMMENT ON CAST (bytea AS simhash64) IS 'txtfp wire form';
COMMENT ON CAST (simhash64 AS bit) IS 'bit(64)';
COMMENT ON CAST (bit AS simhash64) IS 'bit(64)';
COMMENT ON CAST (simhash64 AS jsonb) IS 'unsigned integer';
COMMENT ON CAST (jsonb AS simhash64) IS 'unsigned integer';

-- Order and equality, as unsigned integers

CREATE FUNCTION _simhash64_eq(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_ne(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_lt(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_le(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_gt(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_ge(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_cmp(simhash64, simhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _simhash64_hash(simhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_hash_extended(simhash64, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _simhash64_eq(simhash64, simhash64) IS 'implementation of = operator';
COMMENT ON FUNCTION _simhash64_ne(simhash64, simhash64) IS 'implementation of <> operator';
COMMENT ON FUNCTION _simhash64_lt(simhash64, simhash64) IS 'implementation of < operator';
COMMENT ON FUNCTION _simhash64_le(simhash64, simhash64) IS 'implementation of <= operator';
COMMENT ON FUNCTION _simhash64_gt(simhash64, simhash64) IS 'implementation of > operator';
COMMENT ON FUNCTION _simhash64_ge(simhash64, simhash64) IS 'implementation of >= operator';
COMMENT ON FUNCTION _simhash64_cmp(simhash64, simhash64) IS 'less-equal-greater';
COMMENT ON FUNCTION _simhash64_hash(simhash64) IS 'hash';
COMMENT ON FUNCTION _simhash64_hash_extended(simhash64, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (simhash64, simhash64) IS 'equal';
COMMENT ON OPERATOR <> (simhash64, simhash64) IS 'not equal';
COMMENT ON OPERATOR < (simhash64, simhash64) IS 'less than';
COMMENT ON OPERATOR <= (simhash64, simhash64) IS 'less than or equal';
COMMENT ON OPERATOR > (simhash64, simhash64) IS 'greater than';
COMMENT ON OPERATOR >= (simhash64, simhash64) IS 'greater than or equal';

CREATE OPERATOR CLASS simhash64_btree_ops DEFAULT FOR TYPE simhash64 USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _simhash64_cmp(simhash64, simhash64),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS simhash64_hash_ops DEFAULT FOR TYPE simhash64 USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _simhash64_hash(simhash64),
	FUNCTION 2 _simhash64_hash_extended(simhash64, bigint);
COMMENT ON OPERATOR CLASS simhash64_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS simhash64_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY simhash64_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY simhash64_hash_ops USING hash IS 'equality';

-- Distance

CREATE FUNCTION hamming(a simhash64, b simhash64) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_hamming' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming(simhash64, simhash64) IS 'Hamming distance, 0 to 64: the number of bits that differ';

CREATE FUNCTION cosine_estimate(a simhash64, b simhash64) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_cosine_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION cosine_estimate(simhash64, simhash64) IS 'estimated cosine similarity: cos(pi * hamming / 64)';

CREATE OPERATOR <#> (LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = hamming, COMMUTATOR = <#>);
COMMENT ON OPERATOR <#> (simhash64, simhash64) IS 'Hamming distance';

-- Search. STABLE: reads txtfp.hamming_threshold
CREATE FUNCTION _simhash64_similar_op(simhash64, simhash64) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_similar_op(simhash64, simhash64) IS 'implementation of % operator';

CREATE FUNCTION _simhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash_similar_support(internal) IS 'planner support for simhash_similar';

CREATE FUNCTION simhash_similar(a simhash64, b simhash64, max_distance integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
	SUPPORT _simhash_similar_support;
COMMENT ON FUNCTION simhash_similar(simhash64, simhash64, integer) IS
	'Hamming distance is at most max_distance; uses a simhash64_ops index';

CREATE FUNCTION _to_simhash_probe(value simhash64, max_distance integer) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_simhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_simhash_probe(simhash64, integer) IS 'right operand of %: a SimHash and the greatest distance of the search';

CREATE FUNCTION _simhash64_matches_probe(simhash64, simhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_matches_probe(simhash64, simhash_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = simhash64, RIGHTARG = simhash64, FUNCTION = _simhash64_similar_op,
	COMMUTATOR = %, RESTRICT = _simhash64_sel, JOIN = _simhash64_joinsel
);
COMMENT ON OPERATOR % (simhash64, simhash64) IS 'Hamming distance is at most txtfp.hamming_threshold';

CREATE OPERATOR % (
	LEFTARG = simhash64, RIGHTARG = simhash_probe, FUNCTION = _simhash64_matches_probe,
	RESTRICT = _simhash_probe_sel, JOIN = _simhash64_joinsel
);
COMMENT ON OPERATOR % (simhash64, simhash_probe) IS 'Hamming distance is at most that of the probe';

-- GIN over the four 16-bit blocks

CREATE FUNCTION _simhash64_gin_extract_value(simhash64, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_gin_extract_query(simhash64, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_gin_consistent(internal, smallint, simhash64, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_gin_triconsistent(internal, smallint, simhash64, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _simhash64_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _simhash64_gin_extract_value(simhash64, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _simhash64_gin_extract_query(simhash64, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_simhash64_gin_consistent(internal, smallint, simhash64, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _simhash64_gin_triconsistent(internal, smallint, simhash64, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _simhash64_gin_options(internal) IS 'GIN support: compact';

CREATE FUNCTION _simhash64_gin_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _simhash64_gin_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS simhash64_ops DEFAULT FOR TYPE simhash64 USING gin AS
	OPERATOR 1 % (simhash64, simhash64),
	OPERATOR 2 % (simhash64, simhash_probe),
	OPERATOR 3 = (simhash64, simhash64),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _simhash64_gin_extract_value(simhash64, internal, internal),
	FUNCTION 3 _simhash64_gin_extract_query(simhash64, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _simhash64_gin_consistent(internal, smallint, simhash64, integer, internal, internal, internal, internal),
	FUNCTION 5 _simhash64_gin_compare_partial(bigint, bigint, smallint, internal),
	FUNCTION 6 _simhash64_gin_triconsistent(internal, smallint, simhash64, integer, internal, internal, internal),
	FUNCTION 7 _simhash64_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS simhash64_ops USING gin IS 'exact search within a Hamming distance; option compact';
COMMENT ON OPERATOR FAMILY simhash64_ops USING gin IS 'exact search within a Hamming distance';


-- simhash64: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _simhash64_agg_final(internal) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _simhash64_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _simhash64_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text, text, text, bigint, text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text, text, text, bigint, text) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text, jsonb) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text, idf jsonb) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text, text, text, bigint, text, jsonb) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text, jsonb) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text, idf jsonb) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text, text, text, bigint, text, jsonb) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';
-- IDF tables for the weighting idf. Aggregates have no default arguments, so there are three forms.

CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text, tokenizer text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_step(state internal, doc text, tokenizer text, canonicalizer text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 300;
COMMENT ON FUNCTION _simhash_idf_agg_step(internal, text, text, text) IS 'aggregate transition function';
CREATE FUNCTION _simhash_idf_agg_final(state internal) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_simhash_idf_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION _simhash_idf_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE simhash_idf_agg(doc text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text) IS
	'idf table of a column of texts, with the tokenizer of to_simhash64: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';
CREATE AGGREGATE simhash_idf_agg(doc text, tokenizer text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text, text) IS
	'idf table of a column of texts, with any tokenizer: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';
CREATE AGGREGATE simhash_idf_agg(doc text, tokenizer text, canonicalizer text) (
	SFUNC = _simhash_idf_agg_step, STYPE = internal, FINALFUNC = _simhash_idf_agg_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash_idf_agg(text, text, text) IS
	'idf table of a column of texts, with any tokenizer and canonicalizer: {token: ln((1 + documents) / (1 + documents with the token)) + 1}';
-- tlsh_probe: a TLSH digest and the distance of a search around it, the right operand of an index condition.

CREATE TYPE tlsh_probe;

CREATE FUNCTION _tlsh_probe_in(cstring) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _tlsh_probe_out(tlsh_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _tlsh_probe_recv(internal) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _tlsh_probe_send(tlsh_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE tlsh_probe (
	INPUT = _tlsh_probe_in, OUTPUT = _tlsh_probe_out, RECEIVE = _tlsh_probe_recv, SEND = _tlsh_probe_send,
	INTERNALLENGTH = 40, ALIGNMENT = int4
);

COMMENT ON TYPE tlsh_probe IS 'TLSH digest with the greatest distance at which it matches another';
COMMENT ON FUNCTION _tlsh_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _tlsh_probe_out(tlsh_probe) IS 'I/O';
COMMENT ON FUNCTION _tlsh_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _tlsh_probe_send(tlsh_probe) IS 'I/O';

CREATE FUNCTION _tlsh_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _tlsh_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _tlsh_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _tlsh_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_typanalyze(internal) IS 'ANALYZE of TLSH columns: how many rows are within which distance';

-- tlsh: TLSH with 128 buckets and a 1-byte checksum, 35 bytes.

CREATE TYPE tlsh;

CREATE FUNCTION _tlsh_in(cstring) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION _tlsh_out(tlsh) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION _tlsh_recv(internal) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _tlsh_send(tlsh) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE tlsh (
	INPUT = _tlsh_in, OUTPUT = _tlsh_out, RECEIVE = _tlsh_recv, SEND = _tlsh_send,
	ANALYZE = _tlsh_typanalyze, INTERNALLENGTH = 35, ALIGNMENT = char
);

COMMENT ON TYPE tlsh IS 'TLSH digest of 128 buckets, estimates how far apart two byte strings are';
COMMENT ON FUNCTION _tlsh_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _tlsh_out(tlsh) IS 'I/O';
COMMENT ON FUNCTION _tlsh_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _tlsh_send(tlsh) IS 'I/O';

-- Constructors

CREATE FUNCTION to_tlsh(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_text_to_tlsh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION to_tlsh(text, text) IS
	'TLSH of the canonical form of a text; NULL if it is too short or too uniform';

CREATE FUNCTION to_tlsh(data bytea) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_bytea_to_tlsh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION to_tlsh(bytea) IS
	'TLSH of bytes; NULL if there are too few or they are too uniform';

CREATE FUNCTION tlsh_reason(doc text, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_text_tlsh_reason' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION tlsh_reason(text, text) IS
	'why to_tlsh returns NULL: ''too short'' or ''too uniform''; NULL if it returns a value';

CREATE FUNCTION tlsh_reason(data bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_bytea_tlsh_reason' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 270;
COMMENT ON FUNCTION tlsh_reason(bytea) IS
	'why to_tlsh returns NULL: ''too short'' or ''too uniform''; NULL if it returns a value';

-- Casts

CREATE FUNCTION _tlsh_to_bytea(tlsh) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_to_bytea(tlsh) IS 'the 35 bytes that the text form writes in hexadecimal';
CREATE CAST (tlsh AS bytea) WITH FUNCTION _tlsh_to_bytea(tlsh);

CREATE FUNCTION _tlsh_from_bytea(bytea) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_from_bytea(bytea) IS 'TLSH from the 35 bytes that its text form writes in hexadecimal';
CREATE CAST (bytea AS tlsh) WITH FUNCTION _tlsh_from_bytea(bytea);

COMMENT ON CAST (tlsh AS bytea) IS 'bytes of the text form';
COMMENT ON CAST (bytea AS tlsh) IS 'bytes of the text form';

-- Order and equality, as text forms

CREATE FUNCTION _tlsh_eq(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_ne(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_lt(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_le(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_gt(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_ge(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_cmp(tlsh, tlsh) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _tlsh_hash(tlsh) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _tlsh_hash_extended(tlsh, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _tlsh_eq(tlsh, tlsh) IS 'implementation of = operator';
COMMENT ON FUNCTION _tlsh_ne(tlsh, tlsh) IS 'implementation of <> operator';
COMMENT ON FUNCTION _tlsh_lt(tlsh, tlsh) IS 'implementation of < operator';
COMMENT ON FUNCTION _tlsh_le(tlsh, tlsh) IS 'implementation of <= operator';
COMMENT ON FUNCTION _tlsh_gt(tlsh, tlsh) IS 'implementation of > operator';
COMMENT ON FUNCTION _tlsh_ge(tlsh, tlsh) IS 'implementation of >= operator';
COMMENT ON FUNCTION _tlsh_cmp(tlsh, tlsh) IS 'less-equal-greater';
COMMENT ON FUNCTION _tlsh_hash(tlsh) IS 'hash';
COMMENT ON FUNCTION _tlsh_hash_extended(tlsh, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (tlsh, tlsh) IS 'equal';
COMMENT ON OPERATOR <> (tlsh, tlsh) IS 'not equal';
COMMENT ON OPERATOR < (tlsh, tlsh) IS 'less than';
COMMENT ON OPERATOR <= (tlsh, tlsh) IS 'less than or equal';
COMMENT ON OPERATOR > (tlsh, tlsh) IS 'greater than';
COMMENT ON OPERATOR >= (tlsh, tlsh) IS 'greater than or equal';

CREATE OPERATOR CLASS tlsh_btree_ops DEFAULT FOR TYPE tlsh USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _tlsh_cmp(tlsh, tlsh),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS tlsh_hash_ops DEFAULT FOR TYPE tlsh USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _tlsh_hash(tlsh),
	FUNCTION 2 _tlsh_hash_extended(tlsh, bigint);
COMMENT ON OPERATOR CLASS tlsh_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS tlsh_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY tlsh_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY tlsh_hash_ops USING hash IS 'equality';

-- Values of the header

CREATE FUNCTION tlsh_header(fp tlsh, OUT checksum integer, OUT length_class integer, OUT q1_ratio integer, OUT q2_ratio integer)
	RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_header' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tlsh_header(tlsh) IS
	'checksum (0 to 255), length class (0 to 169: each class begins 10 to 50 % higher than the one before), first and second quartile in percent of the third, modulo 16';

-- Distance

CREATE FUNCTION tlsh_distance(a tlsh, b tlsh, with_length boolean DEFAULT true) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION tlsh_distance(tlsh, tlsh, boolean) IS
	'TLSH distance, 0 (equal) to 2473, or 0 to 937 without the part of the length classes';

CREATE FUNCTION _tlsh_distance_op(tlsh, tlsh) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _tlsh_distance_op(tlsh, tlsh) IS
	'implementation of <~> operator';

CREATE OPERATOR <~> (LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_distance_op, COMMUTATOR = <~>);
COMMENT ON OPERATOR <~> (tlsh, tlsh) IS 'TLSH distance';

-- Search

CREATE FUNCTION _tlsh_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_similar_support(internal) IS 'planner support for tlsh_similar and %';

-- STABLE: reads txtfp.tlsh_threshold
CREATE FUNCTION _tlsh_similar_op(tlsh, tlsh) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _tlsh_similar_support;
COMMENT ON FUNCTION _tlsh_similar_op(tlsh, tlsh) IS 'implementation of % operator';

CREATE FUNCTION tlsh_similar(a tlsh, b tlsh, max_distance integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2
	SUPPORT _tlsh_similar_support;
COMMENT ON FUNCTION tlsh_similar(tlsh, tlsh, integer) IS
	'TLSH distance is at most max_distance; uses an index of the access method sketch';

CREATE FUNCTION _to_tlsh_probe(value tlsh, max_distance integer) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_tlsh_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_tlsh_probe(tlsh, integer) IS 'right operand of %: a digest and the greatest distance of the search';

-- STABLE: reads txtfp.tlsh_threshold
CREATE FUNCTION _to_tlsh_probe(value tlsh) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_tlsh_probe' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_tlsh_probe(tlsh) IS 'right operand of %: a digest and the distance txtfp.tlsh_threshold';

CREATE FUNCTION _tlsh_matches_probe(tlsh, tlsh_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 2;
COMMENT ON FUNCTION _tlsh_matches_probe(tlsh, tlsh_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = tlsh, RIGHTARG = tlsh, FUNCTION = _tlsh_similar_op,
	COMMUTATOR = %, RESTRICT = _tlsh_sel, JOIN = _tlsh_joinsel
);
COMMENT ON OPERATOR % (tlsh, tlsh) IS 'TLSH distance is at most txtfp.tlsh_threshold';

CREATE OPERATOR % (
	LEFTARG = tlsh, RIGHTARG = tlsh_probe, FUNCTION = _tlsh_matches_probe,
	RESTRICT = _tlsh_probe_sel, JOIN = _tlsh_joinsel
);
COMMENT ON OPERATOR % (tlsh, tlsh_probe) IS 'TLSH distance is at most that of the probe';
-- lavinhash_probe: a value and the score of a search for it, the right operand of an index condition.

CREATE TYPE lavinhash_probe;

CREATE FUNCTION _lavinhash_probe_in(cstring) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _lavinhash_probe_out(lavinhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _lavinhash_probe_recv(internal) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_probe_send(lavinhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE lavinhash_probe (
	INPUT = _lavinhash_probe_in, OUTPUT = _lavinhash_probe_out, RECEIVE = _lavinhash_probe_recv, SEND = _lavinhash_probe_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

COMMENT ON TYPE lavinhash_probe IS 'LavinHash with the least score at which it matches another';
COMMENT ON FUNCTION _lavinhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_probe_out(lavinhash_probe) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_probe_send(lavinhash_probe) IS 'I/O';

CREATE FUNCTION _lavinhash_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION _lavinhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION _lavinhash_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION _lavinhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_typanalyze(internal) IS 'ANALYZE of LavinHash columns: how many rows reach which score';

-- lavinhash: fuzzy hash of bytes, in two layers.
--
-- STORAGE main: filters of short documents compress, those of long ones do not; and an index recheck reads them, so in a
-- wide row the document moves out first.

CREATE TYPE lavinhash;

CREATE FUNCTION _lavinhash_in(cstring) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION _lavinhash_out(lavinhash) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 150;
CREATE FUNCTION _lavinhash_recv(internal) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_send(lavinhash) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE lavinhash (
	INPUT = _lavinhash_in, OUTPUT = _lavinhash_out, RECEIVE = _lavinhash_recv, SEND = _lavinhash_send,
	ANALYZE = _lavinhash_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main
);

COMMENT ON TYPE lavinhash IS 'LavinHash of bytes: which pieces they are made of, and how their entropy runs';
COMMENT ON FUNCTION _lavinhash_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_out(lavinhash) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _lavinhash_send(lavinhash) IS 'I/O';

-- Constructor. Returns NULL for the empty document, because a generated column must not reject a row.

CREATE FUNCTION to_lavinhash(doc bytea, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 700;
COMMENT ON FUNCTION to_lavinhash(bytea, integer, boolean) IS 'LavinHash of a document; NULL if it is empty';
CREATE FUNCTION to_lavinhash(doc text, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_text_to_lavinhash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 700;
COMMENT ON FUNCTION to_lavinhash(text, integer, boolean) IS 'LavinHash of the UTF-8 bytes of a text, which is not canonicalized; NULL if it is empty';

-- Casts

CREATE FUNCTION _lavinhash_to_bytea(lavinhash) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_to_bytea(lavinhash) IS 'serialized form';
CREATE CAST (lavinhash AS bytea) WITH FUNCTION _lavinhash_to_bytea(lavinhash);

CREATE FUNCTION _lavinhash_from_bytea(bytea) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_from_bytea(bytea) IS 'LavinHash from its serialized form';
CREATE CAST (bytea AS lavinhash) WITH FUNCTION _lavinhash_from_bytea(bytea);

COMMENT ON CAST (lavinhash AS bytea) IS 'serialized form';
COMMENT ON CAST (bytea AS lavinhash) IS 'serialized form';

-- Order and equality, by the bytes of the serialized form. The order has no meaning.

CREATE FUNCTION _lavinhash_eq(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_ne(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_lt(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_le(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_gt(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_ge(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_cmp(lavinhash, lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _lavinhash_hash(lavinhash) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION _lavinhash_hash_extended(lavinhash, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION _lavinhash_eq(lavinhash, lavinhash) IS 'implementation of = operator';
COMMENT ON FUNCTION _lavinhash_ne(lavinhash, lavinhash) IS 'implementation of <> operator';
COMMENT ON FUNCTION _lavinhash_lt(lavinhash, lavinhash) IS 'implementation of < operator';
COMMENT ON FUNCTION _lavinhash_le(lavinhash, lavinhash) IS 'implementation of <= operator';
COMMENT ON FUNCTION _lavinhash_gt(lavinhash, lavinhash) IS 'implementation of > operator';
COMMENT ON FUNCTION _lavinhash_ge(lavinhash, lavinhash) IS 'implementation of >= operator';
COMMENT ON FUNCTION _lavinhash_cmp(lavinhash, lavinhash) IS 'less-equal-greater';
COMMENT ON FUNCTION _lavinhash_hash(lavinhash) IS 'hash';
COMMENT ON FUNCTION _lavinhash_hash_extended(lavinhash, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_ge,
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
	FUNCTION 1 _lavinhash_cmp(lavinhash, lavinhash),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS lavinhash_hash_ops DEFAULT FOR TYPE lavinhash USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _lavinhash_hash(lavinhash),
	FUNCTION 2 _lavinhash_hash_extended(lavinhash, bigint);
COMMENT ON OPERATOR CLASS lavinhash_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS lavinhash_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY lavinhash_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY lavinhash_hash_ops USING hash IS 'equality';

-- Similarity

CREATE FUNCTION lavinhash_similarity(a lavinhash, b lavinhash, alpha double precision DEFAULT 0.3) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_similarity(lavinhash, lavinhash, double precision) IS
	'score, 0 to 100: 100 * (alpha * structure + (1 - alpha) * content), rounded down';

CREATE FUNCTION lavinhash_structure(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_structure' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION lavinhash_structure(lavinhash, lavinhash) IS
	'similarity of the structures, 0 to 1, by edit distance of the block entropies';

CREATE FUNCTION lavinhash_content(a lavinhash, b lavinhash) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_content' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
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
CREATE FUNCTION _lavinhash_similar_op(lavinhash, lavinhash) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_op' LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE COST 12;
COMMENT ON FUNCTION _lavinhash_similar_op(lavinhash, lavinhash) IS 'implementation of % operator';

CREATE FUNCTION _lavinhash_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_similar_support(internal) IS 'planner support for lavinhash_similar';

CREATE FUNCTION lavinhash_similar(a lavinhash, b lavinhash, min_score integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_similar' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 12
	SUPPORT _lavinhash_similar_support;
COMMENT ON FUNCTION lavinhash_similar(lavinhash, lavinhash, integer) IS
	'score (alpha 0.3) is at least min_score; uses a lavinhash_lsh_ops index';

CREATE FUNCTION _to_lavinhash_probe(value lavinhash, min_score integer) RETURNS lavinhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_lavinhash_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT _probe_support;
COMMENT ON FUNCTION _to_lavinhash_probe(lavinhash, integer) IS 'right operand of %: a value and the least score of the search';

CREATE FUNCTION _lavinhash_matches_probe(lavinhash, lavinhash_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_matches_probe' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 12;
COMMENT ON FUNCTION _lavinhash_matches_probe(lavinhash, lavinhash_probe) IS 'implementation of % operator';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash, FUNCTION = _lavinhash_similar_op,
	COMMUTATOR = %, RESTRICT = _lavinhash_sel, JOIN = _lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash) IS 'score is at least txtfp.lavinhash_threshold';

CREATE OPERATOR % (
	LEFTARG = lavinhash, RIGHTARG = lavinhash_probe, FUNCTION = _lavinhash_matches_probe,
	RESTRICT = _lavinhash_probe_sel, JOIN = _lavinhash_joinsel
);
COMMENT ON OPERATOR % (lavinhash, lavinhash_probe) IS 'score is at least that of the probe';

-- GIN over LSH band keys of the filter

CREATE FUNCTION _lavinhash_gin_extract_value(lavinhash, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_gin_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_gin_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_gin_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _lavinhash_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _lavinhash_gin_extract_value(lavinhash, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _lavinhash_gin_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_lavinhash_gin_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _lavinhash_gin_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _lavinhash_gin_options(internal) IS 'GIN support: bands, rows, recall';


CREATE OPERATOR CLASS lavinhash_lsh_ops DEFAULT FOR TYPE lavinhash USING gin AS
	OPERATOR 1 % (lavinhash, lavinhash),
	OPERATOR 2 % (lavinhash, lavinhash_probe),
	FUNCTION 1 pg_catalog.btint8cmp(bigint, bigint),
	FUNCTION 2 _lavinhash_gin_extract_value(lavinhash, internal, internal),
	FUNCTION 3 _lavinhash_gin_extract_query(lavinhash, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _lavinhash_gin_consistent(internal, smallint, lavinhash, integer, internal, internal, internal, internal),
	FUNCTION 6 _lavinhash_gin_triconsistent(internal, smallint, lavinhash, integer, internal, internal, internal),
	FUNCTION 7 _lavinhash_gin_options(internal),
	STORAGE bigint;
COMMENT ON OPERATOR CLASS lavinhash_lsh_ops USING gin IS
	'search by score over LSH band keys of the content; options bands, rows, recall';
COMMENT ON OPERATOR FAMILY lavinhash_lsh_ops USING gin IS 'search by score over LSH band keys of the content';

-- Comparing texts: exact measures on two texts, the passages that they share, and what distinguishes them.
-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only.

CREATE FUNCTION text_jaccard(a text, b text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_text_jaccard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 550;
COMMENT ON FUNCTION text_jaccard(text, text, text, text) IS
	'exact Jaccard similarity of the token sets of two texts; NULL if either has no token';

CREATE FUNCTION text_containment(a text, b text, tokenizer text DEFAULT 'shingle-k=5/word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_text_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 550;
COMMENT ON FUNCTION text_containment(text, text, text, text) IS
	'exact share of the token set of the first text that the second text contains; NULL if either has no token';

CREATE FUNCTION shared_passages(a text, b text, min_words integer DEFAULT 5,
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', tokenizer text DEFAULT 'word-uax29', longest boolean DEFAULT false,
	OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT words integer)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900 ROWS 10;
COMMENT ON FUNCTION shared_passages(text, text, integer, text, text, boolean) IS
	'the passages of min_words words or more that two texts share, or only the longest common run, with their positions in the given texts';

CREATE FUNCTION mark_shared_passages(a text, b text, start_mark text DEFAULT '<b>', stop_mark text DEFAULT '</b>',
	min_words integer DEFAULT 5, canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	tokenizer text DEFAULT 'word-uax29') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_mark_shared_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 900;
COMMENT ON FUNCTION mark_shared_passages(text, text, text, text, integer, text, text) IS
	'the first text with marks around the passages that it shares with the second';

CREATE FUNCTION text_difference(a text, b text, tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	OUT kind text, OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT a_text text, OUT b_text text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_text_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION text_difference(text, text, text, text) IS
	'how the first text becomes the second: the differences in order, with their kinds and their positions in the given texts';

CREATE FUNCTION mark_difference(a text, b text, deleted_start text DEFAULT '[-', deleted_stop text DEFAULT '-]',
	inserted_start text DEFAULT '{+', inserted_stop text DEFAULT '+}', tokenizer text DEFAULT 'word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_mark_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mark_difference(text, text, text, text, text, text, text, text) IS
	'both texts in one, with marks around what is deleted from the first and what is inserted from the second';

-- What the signals are is said in core/compare/difference_signals.hpp. The type grows at its end only, with a new version.
CREATE TYPE difference_signals AS (version integer,
	removed_words double precision, kept_words double precision, shared double precision, edits double precision,
	two_sided double precision, two_sided_words double precision, longest_removed double precision, longest_kept double precision,
	new_removed double precision, new_kept double precision, new_both double precision, repeated double precision,
	respelled double precision, numbers_removed double precision, numbers_kept double precision, names_removed double precision,
	names_kept double precision, numbers_both double precision, names_both double precision, symbols double precision,
	scope double precision, short_words double precision, first_line_removed double precision, first_line_kept double precision,
	last_line_removed double precision, last_line_kept double precision, first_edit double precision, last_edit double precision,
	contained double precision, moved double precision, layout double precision, neighbours double precision,
	kept_neighbours double precision);
COMMENT ON TYPE difference_signals IS 'the differences between a row to be removed and the row that is kept, as numbers';
CREATE FUNCTION difference_signals(a text, b text, neighbours integer DEFAULT NULL, kept_neighbours integer DEFAULT NULL)
	RETURNS difference_signals
	AS 'MODULE_PATHNAME', 'txtfp_difference_signals' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION difference_signals(text, text, integer, integer) IS
	'the signals of a removal: the text of the row to be removed, that of the kept row, and how many near-duplicates either has';
-- Bulk: pairs and clusters of all rows of a query. STABLE: the query runs in the snapshot of the statement. PARALLEL UNSAFE: the
-- query may be any, and may run in parallel itself. Each function exists twice: with ids of type bigint, and with ids of the type of
-- its first argument, a typed NULL as for json_populate_record. (A polymorphic argument with a default does not work: the
-- parser does not know its type when it resolves the columns of the result.)

CREATE FUNCTION near_duplicate_pairs(query text, threshold double precision DEFAULT NULL, bands integer DEFAULT NULL,
	rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL,
	OUT a bigint, OUT b bigint, OUT similarity double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION near_duplicate_pairs(anyelement, query text, threshold double precision, bands integer DEFAULT NULL,
	rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL,
	OUT a anyelement, OUT b anyelement, OUT similarity double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION near_duplicate_pairs(text, double precision, integer, integer, double precision, boolean, integer, integer) IS
	'all pairs of near-duplicates among the rows (id, fingerprint [, group]) of a query, each once, verified';
COMMENT ON FUNCTION near_duplicate_pairs(anyelement, text, double precision, integer, integer, double precision, boolean, integer, integer) IS
	'all pairs of near-duplicates among the rows (id, fingerprint [, group]) of a query, ids of the type of the first argument';

CREATE FUNCTION near_duplicate_pairs_between(query_a text, query_b text, threshold double precision DEFAULT NULL,
	bands integer DEFAULT NULL, rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, nearest boolean DEFAULT false,
	OUT a bigint, OUT b bigint, OUT similarity double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs_between' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION near_duplicate_pairs_between(anyelement, query_a text, query_b text, threshold double precision,
	bands integer DEFAULT NULL, rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, nearest boolean DEFAULT false,
	OUT a anyelement, OUT b anyelement, OUT similarity double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs_between' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION
	near_duplicate_pairs_between(text, text, double precision, integer, integer, double precision, boolean, integer, integer, boolean) IS
	'all pairs of near-duplicates of which one is a row (id, fingerprint [, group]) of the first query and one of the second';
COMMENT ON FUNCTION
	near_duplicate_pairs_between(anyelement, text, text, double precision, integer, integer, double precision, boolean, integer, integer, boolean) IS
	'all pairs of near-duplicates between the rows of two queries, ids of the type of the first argument';

CREATE PROCEDURE near_duplicate_pairs_distributed(query text, result name, threshold double precision DEFAULT 0.8,
	recall double precision DEFAULT 0.999, max_key_rows integer DEFAULT 1000, one_step boolean DEFAULT false)
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs_distributed' LANGUAGE C;
COMMENT ON PROCEDURE near_duplicate_pairs_distributed(text, name, double precision, double precision, integer, boolean) IS
	'creates a table (a, b, similarity) of the pairs of near-duplicates among the rows (id, MinHash sketch) of a query, found on the servers that have the rows';

-- What that procedure calls where the rows are. Citus sends immutable functions only; these see nothing but their arguments.
CREATE FUNCTION _join_place(id anyelement, labels integer[]) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_join_place' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION _join_place(anyelement, integer[]) IS 'the label of the place where a join over several servers has the row';
CREATE FUNCTION _join_keys(ids anyarray, sketches anycompatiblearray, bands integer, rows integer, labels integer[],
	OUT place integer, OUT entries bytea) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_join_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION _join_keys(anyarray, anycompatiblearray, integer, integer, integer[]) IS
	'the band keys of the rows of a place, for the places of the keys';
CREATE FUNCTION _join_groups(entries bytea[], labels integer[], max_key_rows integer,
	OUT place integer, OUT groups bytea, OUT crowded bigint, OUT largest bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_join_groups' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION _join_groups(bytea[], integer[], integer) IS
	'the rows that have a band key of a place in common, for the places of the rows, and how many keys too many rows have';
CREATE FUNCTION _join_halves(ids anyarray, sketches anycompatiblearray, groups bytea[], label integer, labels integer[],
	OUT place integer, OUT halves bytea) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_join_halves' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION _join_halves(anyarray, anycompatiblearray, bytea[], integer, integer[]) IS
	'the rows of a place with their sketches, for the places of the rows that share a band key with them';
CREATE FUNCTION _join_pairs(ids anyarray, sketches anycompatiblearray, halves bytea[], threshold double precision,
	OUT a anyelement, OUT b anyelement, OUT similarity double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_join_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION _join_pairs(anyarray, anycompatiblearray, bytea[], double precision) IS
	'the pairs of similar rows, of which one is at this place and the other one has come to it';

CREATE FUNCTION near_duplicate_clusters(query text, threshold double precision DEFAULT NULL, mode text DEFAULT 'components',
	bands integer DEFAULT NULL, rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL,
	max_size integer DEFAULT NULL, thresholds double precision[] DEFAULT NULL,
	OUT id bigint, OUT cluster bigint, OUT size bigint, OUT similarity double precision, OUT formed_at double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_clusters' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION near_duplicate_clusters(anyelement, query text, threshold double precision,
	mode text DEFAULT 'components', bands integer DEFAULT NULL, rows integer DEFAULT NULL,
	recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL,
	max_size integer DEFAULT NULL, thresholds double precision[] DEFAULT NULL,
	OUT id anyelement, OUT cluster anyelement, OUT size bigint, OUT similarity double precision, OUT formed_at double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_clusters' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION near_duplicate_clusters(text, double precision, text, integer, integer, double precision, boolean, integer, integer, text, text, integer, double precision[]) IS
	'clusters of near-duplicates among the rows (id, fingerprint [, group] [, priority]) of a query, named after their first row, and how similar each row is to that';
COMMENT ON FUNCTION
	near_duplicate_clusters(anyelement, text, double precision, text, integer, integer, double precision, boolean, integer, integer, text, text, integer, double precision[]) IS
	'clusters of near-duplicates among the rows (id, fingerprint [, group] [, priority]) of a query, ids of the type of the first argument';

CREATE FUNCTION deduplicate(query text, threshold double precision DEFAULT NULL, verify text DEFAULT 'none',
	verify_threshold double precision DEFAULT NULL, explain boolean DEFAULT false,
	tokenizer text DEFAULT 'shingle-k=5/word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	bands integer DEFAULT NULL, rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, signals boolean DEFAULT false, guard text DEFAULT NULL,
	rule jsonb DEFAULT NULL, min_precision double precision DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL,
	OUT id bigint, OUT kept bigint, OUT similarity double precision, OUT jaccard double precision,
	OUT containment double precision, OUT reason text, OUT kept_containment double precision,
	OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_deduplicate' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION deduplicate(anyelement, query text, threshold double precision, verify text DEFAULT 'none',
	verify_threshold double precision DEFAULT NULL, explain boolean DEFAULT false,
	tokenizer text DEFAULT 'shingle-k=5/word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	bands integer DEFAULT NULL, rows integer DEFAULT NULL, recall double precision DEFAULT NULL, grouped boolean DEFAULT false,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, signals boolean DEFAULT false, guard text DEFAULT NULL,
	rule jsonb DEFAULT NULL, min_precision double precision DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL,
	OUT id anyelement, OUT kept anyelement, OUT similarity double precision, OUT jaccard double precision,
	OUT containment double precision, OUT reason text, OUT kept_containment double precision,
	OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_deduplicate' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION
	deduplicate(text, double precision, text, double precision, boolean, text, text, integer, integer, double precision, boolean, integer, integer, boolean, text, jsonb, double precision, text, text) IS
	'which rows of a query (id, fingerprint [, group] [, text] [, priority]) to remove, which row is kept instead of each, and why; with guards or a rule also those to be read';
COMMENT ON FUNCTION
	deduplicate(anyelement, text, double precision, text, double precision, boolean, text, text, integer, integer, double precision, boolean, integer, integer, boolean, text, jsonb, double precision, text, text)
	IS 'which rows of a query (id, fingerprint [, group] [, text] [, priority]) to remove, ids of the type of the first argument';

CREATE FUNCTION connected_components(query text, OUT id bigint, OUT cluster bigint, OUT size bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_connected_components' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION connected_components(anyelement, query text, OUT id anyelement, OUT cluster anyelement, OUT size bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_connected_components' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION connected_components(text) IS
	'connected components of the graph of pairs (a, b) of a query, named after their smallest id';
COMMENT ON FUNCTION connected_components(anyelement, text) IS
	'connected components of the graph of pairs (a, b) of a query, ids of the type of the first argument';

CREATE FUNCTION bulk_progress(OUT pid integer, OUT database name, OUT function text, OUT phase text, OUT done bigint, OUT total bigint,
	OUT started timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_bulk_progress' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 10;
COMMENT ON FUNCTION bulk_progress() IS 'progress of the bulk functions that are running, in all sessions of the server';
-- passages: winnowed fingerprints of a text, which find excerpts of it.
-- STORAGE external: hashes do not compress.

CREATE FUNCTION _passages_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_typanalyze(internal) IS 'ANALYZE of passages columns: how many rows share how many passages';

CREATE TYPE passages;

CREATE FUNCTION _passages_in(cstring) RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_passages_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _passages_out(passages) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_passages_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _passages_recv(internal) RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_passages_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_send(passages) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_passages_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE passages (
	INPUT = _passages_in, OUTPUT = _passages_out, RECEIVE = _passages_recv, SEND = _passages_send,
	ANALYZE = _passages_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE passages IS 'fingerprints of the passages of a text, chosen so that two texts that share a run of words share one';
COMMENT ON FUNCTION _passages_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _passages_out(passages) IS 'I/O';
COMMENT ON FUNCTION _passages_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _passages_send(passages) IS 'I/O';

CREATE TYPE passages_probe;

CREATE FUNCTION _passages_probe_in(cstring) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_passages_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _passages_probe_out(passages_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_passages_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _passages_probe_recv(internal) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_passages_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_probe_send(passages_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_passages_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE passages_probe (
	INPUT = _passages_probe_in, OUTPUT = _passages_probe_out, RECEIVE = _passages_probe_recv, SEND = _passages_probe_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE passages_probe IS 'passages and how many of them a row must have: the right operand of %';
COMMENT ON FUNCTION _passages_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _passages_probe_out(passages_probe) IS 'I/O';
COMMENT ON FUNCTION _passages_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _passages_probe_send(passages_probe) IS 'I/O';

-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only.

CREATE FUNCTION to_passages(doc text, guarantee integer DEFAULT 12, tokenizer text DEFAULT 'word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_to_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 650;
COMMENT ON FUNCTION to_passages(text, integer, text, text) IS
	'winnowed fingerprints of a text; two texts with a common run of guarantee words share one; NULL if the text has no word';

CREATE FUNCTION passages_count(p passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION passages_count(passages) IS 'number of fingerprints';

CREATE FUNCTION passages_overlap(p passages, q passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_overlap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION passages_overlap(passages, passages) IS 'number of fingerprints that both have';

CREATE FUNCTION passages_containment(p passages, q passages) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION passages_containment(passages, passages) IS 'share of the fingerprints of the first value that the second has';

CREATE FUNCTION passages_union(p passages, q passages) RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_passages_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 35;
COMMENT ON FUNCTION passages_union(passages, passages) IS 'the fingerprints of both values';

CREATE AGGREGATE passages_union_agg(p passages) (
	SFUNC = passages_union, STYPE = passages, COMBINEFUNC = passages_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE passages_union_agg(passages) IS 'the fingerprints of all values';

-- Order and equality, by configuration and fingerprints. The order has no meaning.

CREATE FUNCTION _passages_eq(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_ne(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_lt(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_le(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_gt(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_ge(passages, passages) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_cmp(passages, passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _passages_hash(passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION _passages_hash_extended(passages, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_passages_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION _passages_eq(passages, passages) IS 'implementation of = operator';
COMMENT ON FUNCTION _passages_ne(passages, passages) IS 'implementation of <> operator';
COMMENT ON FUNCTION _passages_lt(passages, passages) IS 'implementation of < operator';
COMMENT ON FUNCTION _passages_le(passages, passages) IS 'implementation of <= operator';
COMMENT ON FUNCTION _passages_gt(passages, passages) IS 'implementation of > operator';
COMMENT ON FUNCTION _passages_ge(passages, passages) IS 'implementation of >= operator';
COMMENT ON FUNCTION _passages_cmp(passages, passages) IS 'less-equal-greater';
COMMENT ON FUNCTION _passages_hash(passages) IS 'hash';
COMMENT ON FUNCTION _passages_hash_extended(passages, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = passages, RIGHTARG = passages, FUNCTION = _passages_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (passages, passages) IS 'equal';
COMMENT ON OPERATOR <> (passages, passages) IS 'not equal';
COMMENT ON OPERATOR < (passages, passages) IS 'less than';
COMMENT ON OPERATOR <= (passages, passages) IS 'less than or equal';
COMMENT ON OPERATOR > (passages, passages) IS 'greater than';
COMMENT ON OPERATOR >= (passages, passages) IS 'greater than or equal';

CREATE OPERATOR CLASS passages_btree_ops DEFAULT FOR TYPE passages USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _passages_cmp(passages, passages),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS passages_hash_ops DEFAULT FOR TYPE passages USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _passages_hash(passages),
	FUNCTION 2 _passages_hash_extended(passages, bigint);
COMMENT ON OPERATOR CLASS passages_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS passages_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY passages_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY passages_hash_ops USING hash IS 'equality';

-- Search

CREATE FUNCTION _passages_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_sel(internal, oid, internal, integer) IS 'restriction selectivity of % of passages';
CREATE FUNCTION _passages_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of % of passages';
CREATE FUNCTION _passages_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_similar_support(internal) IS 'planner support for passages_similar';
CREATE FUNCTION _passages_contained_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_contained_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_contained_support(internal) IS 'planner support for passages_contained';

CREATE FUNCTION passages_similar(p passages, q passages, min_shared integer DEFAULT 1) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT _passages_similar_support;
COMMENT ON FUNCTION passages_similar(passages, passages, integer) IS
	'true if the two share at least this number of fingerprints; uses a passages_ops index';

CREATE FUNCTION passages_contained(p passages, q passages, share double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT _passages_contained_support;
COMMENT ON FUNCTION passages_contained(passages, passages, double precision) IS
	'true if the second has at least this share of the fingerprints of the first, and at least one; uses a passages_ops index on the second';

CREATE FUNCTION _to_passages_probe(value passages, min_shared integer) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_passages_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_passages_probe(passages, integer) IS 'right operand of %: passages and the number of fingerprints that a row must share';
CREATE FUNCTION _to_passages_probe(value passages, share double precision) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_passages_probe_of_share' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_passages_probe(passages, double precision) IS
	'right operand of %: passages and the share of their fingerprints that a row must have';

CREATE FUNCTION _passages_matches_probe(passages, passages_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _passages_matches_probe(passages, passages_probe) IS 'implementation of % operator';
CREATE OPERATOR % (
	LEFTARG = passages, RIGHTARG = passages_probe, FUNCTION = _passages_matches_probe,
	RESTRICT = _passages_sel, JOIN = _passages_joinsel
);
COMMENT ON OPERATOR % (passages, passages_probe) IS 'shares as many fingerprints with the probe as the probe requires';

-- GIN over the leading bits of the fingerprints

CREATE FUNCTION _passages_gin_extract_value(passages, internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_gin_extract_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_gin_extract_query(passages, internal, smallint, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_gin_extract_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_gin_consistent(internal, smallint, passages, integer, internal, internal, internal, internal)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_gin_triconsistent(internal, smallint, passages, integer, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'txtfp_minhash_gin_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _passages_gin_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'txtfp_passages_gin_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _passages_gin_extract_value(passages, internal, internal) IS 'GIN support';
COMMENT ON FUNCTION _passages_gin_extract_query(passages, internal, smallint, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION
	_passages_gin_consistent(internal, smallint, passages, integer, internal, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _passages_gin_triconsistent(internal, smallint, passages, integer, internal, internal, internal)
	IS 'GIN support';
COMMENT ON FUNCTION _passages_gin_options(internal) IS 'GIN support: bits';

CREATE FUNCTION _passages_gin_compare_partial(integer, integer, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_gin_compare_partial(integer, integer, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS passages_ops DEFAULT FOR TYPE passages USING gin AS
	OPERATOR 1 % (passages, passages_probe),
	FUNCTION 1 pg_catalog.btint4cmp(integer, integer),
	FUNCTION 2 _passages_gin_extract_value(passages, internal, internal),
	FUNCTION 3 _passages_gin_extract_query(passages, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _passages_gin_consistent(internal, smallint, passages, integer, internal, internal, internal, internal),
	FUNCTION 5 _passages_gin_compare_partial(integer, integer, smallint, internal),
	FUNCTION 6 _passages_gin_triconsistent(internal, smallint, passages, integer, internal, internal, internal),
	FUNCTION 7 _passages_gin_options(internal),
	STORAGE integer;
COMMENT ON OPERATOR CLASS passages_ops USING gin IS 'search for texts that share passages; option bits';
COMMENT ON OPERATOR FAMILY passages_ops USING gin IS 'search for texts that share passages';

-- Boilerplate

CREATE FUNCTION without_passages(doc text, frequent passages, guarantee integer DEFAULT 12,
	tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_without_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1100;
COMMENT ON FUNCTION without_passages(text, passages, integer, text, text) IS
	'the text without the runs of words whose fingerprints are in the given value';

-- Bulk: STABLE and UNSAFE like the other bulk functions; frequent_passages runs its query four times. With ids of another type all
-- arguments of passage_pairs must be given, because otherwise the parser could take the query for a number.

CREATE FUNCTION frequent_passages(query text, documents integer DEFAULT 10, guarantee integer DEFAULT 12,
	tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	OUT passage text, OUT words integer, OUT found_in bigint, OUT fingerprints passages) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_frequent_passages' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 100;
COMMENT ON FUNCTION frequent_passages(text, integer, integer, text, text) IS
	'runs of guarantee words or more that at least the given number of documents of a query have';

CREATE FUNCTION passage_pairs(query text, min_shared integer DEFAULT 1, crowd integer DEFAULT 100, grouped boolean DEFAULT false,
	OUT a bigint, OUT b bigint, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_passage_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION passage_pairs(anyelement, query text, min_shared integer, crowd integer, grouped boolean DEFAULT false,
	OUT a anyelement, OUT b anyelement, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_passage_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION passage_pairs(text, integer, integer, boolean) IS
	'all pairs of the rows (id, passages [, group]) of a query that share passages, but those that more than crowd rows have';
COMMENT ON FUNCTION passage_pairs(anyelement, text, integer, integer, boolean) IS
	'all pairs of the rows (id, passages [, group]) of a query that share passages, ids of the type of the first argument';

CREATE FUNCTION passage_pairs_between(query_a text, query_b text, min_shared integer DEFAULT 1, crowd integer DEFAULT 100,
	grouped boolean DEFAULT false,
	OUT a bigint, OUT b bigint, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_passage_pairs_between' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION passage_pairs_between(anyelement, query_a text, query_b text, min_shared integer, crowd integer,
	grouped boolean DEFAULT false,
	OUT a anyelement, OUT b anyelement, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_passage_pairs_between' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION passage_pairs_between(text, text, integer, integer, boolean) IS
	'all pairs of a row (id, passages [, group]) of the first query and one of the second that share passages';
COMMENT ON FUNCTION passage_pairs_between(anyelement, text, text, integer, integer, boolean) IS
	'all pairs between the rows of two queries that share passages, ids of the type of the first argument';
-- Triggers that keep a fingerprint column up to date and that keep near-duplicates out.

CREATE FUNCTION fingerprint_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_trigger' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fingerprint_trigger() IS
	'BEFORE INSERT OR UPDATE FOR EACH ROW: computes a fingerprint column; arguments: source column, fingerprint column, option=value ...';

-- PARALLEL UNSAFE: takes locks and searches rows of other sessions
CREATE FUNCTION near_duplicate_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_trigger' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION near_duplicate_trigger() IS
	'BEFORE or AFTER INSERT OR UPDATE FOR EACH ROW: rejects, skips, flags, counts or merges near-duplicates; arguments: key column, fingerprint column or columns with limits, reject | skip | flag | count | merge, option=value ...';

-- PARALLEL RESTRICTED: the leader has the counts
CREATE FUNCTION near_duplicate_trigger_stats(OUT trigger oid, OUT relation regclass, OUT checked bigint, OUT found bigint, OUT found_by bigint[]) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_trigger_stats' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 10;
COMMENT ON FUNCTION near_duplicate_trigger_stats() IS
	'what near_duplicate_trigger has done in this session, for each trigger: rows checked, and rows that had a near-duplicate (rejected, skipped, flagged, counted or merged), also by fingerprint column';
-- Clusters that follow the rows of a table. None is STRICT: most arguments may be left out.

CREATE FUNCTION live_clusters_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_trigger' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION live_clusters_trigger() IS
	'AFTER INSERT OR UPDATE OR DELETE FOR EACH ROW, and AFTER TRUNCATE: keeps clusters; arguments: key column, fingerprint column, name, option=value ...';

CREATE PROCEDURE live_clusters_create(relation regclass, key name, fingerprint name,
	threshold double precision DEFAULT NULL, mode text DEFAULT 'components', priority name DEFAULT NULL, text name DEFAULT NULL,
	clusters name DEFAULT NULL, max_distance integer DEFAULT NULL, events boolean DEFAULT false, notify name DEFAULT NULL,
	apart regclass DEFAULT NULL, together regclass DEFAULT NULL)
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_create' LANGUAGE C;
COMMENT ON PROCEDURE live_clusters_create(regclass, name, name, double precision, text, name, name, name, integer, boolean, name, regclass, regclass) IS
	'creates tables, a view and triggers that keep the clusters of a table';

CREATE PROCEDURE live_clusters_fill(relation regclass, batch integer DEFAULT 100, again boolean DEFAULT false,
	clusters name DEFAULT NULL)
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_fill' LANGUAGE C;
COMMENT ON PROCEDURE live_clusters_fill(regclass, integer, boolean, name) IS
	'adds existing rows to the clusters in committed batches while writers continue';

CREATE PROCEDURE live_clusters_drop(relation regclass, clusters name DEFAULT NULL)
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_drop' LANGUAGE C;
COMMENT ON PROCEDURE live_clusters_drop(regclass, name) IS
	'drops what live_clusters_create has created';

-- PARALLEL UNSAFE: runs queries over the whole table
CREATE FUNCTION live_clusters_check(relation regclass, clusters name DEFAULT NULL,
	OUT part text, OUT id text, OUT stored text, OUT expected text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_check' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10;
COMMENT ON FUNCTION live_clusters_check(regclass, name) IS
	'rows whose cluster, kept row, similarity, priority, number or link is not what follows from a search for each row; none: the clusters are right';

CREATE FUNCTION live_clusters_kept(relation regclass, id anyelement, clusters name DEFAULT NULL,
	OUT kept anyelement, OUT similarity double precision, OUT jaccard double precision, OUT containment double precision,
	OUT priority double precision, OUT kept_priority double precision, OUT since timestamptz, OUT until timestamptz)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_kept' LANGUAGE C STABLE PARALLEL UNSAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION live_clusters_kept(regclass, anyelement, name) IS
	'which rows were kept for a row, the present one first, how similar they were, and from when to when';
-- Choosing a threshold and a banding

CREATE FUNCTION minhash_advice(edits double precision, recall double precision DEFAULT 0.99,
	OUT tokenizer text, OUT similarity double precision, OUT threshold double precision, OUT bands integer, OUT rows integer,
	OUT recommended boolean, OUT advice text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_minhash_advice' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 4;
COMMENT ON FUNCTION minhash_advice(double precision, double precision) IS
	'tokenizer, threshold, banding and statements that catch copies of which at most a share of the words has been replaced';

-- STABLE and UNSAFE like the bulk functions: it runs any query, twice.
CREATE FUNCTION similarity_histogram(query text, sample integer DEFAULT 100, buckets integer DEFAULT 20,
	OUT low double precision, OUT high double precision, OUT pairs bigint, OUT per_row double precision, OUT bar text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_similarity_histogram' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION similarity_histogram(text, integer, integer) IS
	'histogram of the similarities between a sample of the fingerprints of a query and all of them';

-- Recall of an index. STABLE: reads the table in the snapshot of the statement. PARALLEL UNSAFE: scans the table itself.

-- Not strict: only the limit of the index's kind may be given.
CREATE FUNCTION fingerprint_index_recall(index regclass, sample integer DEFAULT 100, threshold double precision DEFAULT NULL,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL,
	OUT rows bigint, OUT probes integer, OUT expected bigint, OUT found bigint, OUT recall double precision,
	OUT promise double precision) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_index_recall' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION fingerprint_index_recall(regclass, integer, double precision, integer, integer) IS
	'share of the similar rows that an index on fingerprints finds, for a sample of the rows of its table';

-- What an index is made for and what is in it. VOLATILE: the state of the moment, and the counts of the session, which no worker has.

CREATE FUNCTION fingerprint_index_info(index regclass, of_server boolean DEFAULT false, OUT indexed text, OUT access_method text, OUT operator_class text,
	OUT bands integer, OUT rows integer, OUT reach double precision, OUT recall double precision,
	OUT fastupdate boolean, OUT pending_pages bigint, OUT pending_rows bigint,
	OUT tables integer, OUT covered_rows bigint, OUT other_rows bigint, OUT table_bytes bigint, OUT free_bytes bigint,
	OUT by_bands bigint, OUT by_leading_columns bigint, OUT of_all_groups bigint, OUT groups_read bigint,
	OUT rows_compared bigint, OUT rows_returned bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_index_info' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 100 ROWS 1;
COMMENT ON FUNCTION fingerprint_index_info(regclass, boolean) IS
	'what each fingerprint column of an index is made for: banding, reach (lowest similarity or score, greatest distance), promised recall; pending list of GIN; band directory of sketch, and what the searches of this session, or of all of the server, did in it';
-- Rules that decide about removals, learned from labels, and how good removals are. The functions that run a query are STABLE and PARALLEL UNSAFE as the bulk
-- functions are; see there.

CREATE FUNCTION decision_rule(query text, min_precision double precision DEFAULT NULL, seed integer DEFAULT 0) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_decision_rule' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION decision_rule(text, double precision, integer) IS
	'a rule learned from labelled removals (label boolean, signals difference_signals), with cut-offs and what they give by cross-validation';

CREATE FUNCTION decision_score(rule jsonb, signals difference_signals) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_decision_score' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION decision_score(jsonb, difference_signals) IS 'probability, by a rule, that a removal is right: 0 to 1';

CREATE FUNCTION removal_sample(query text, n integer, seed integer DEFAULT 0,
	OUT stratum text, OUT id bigint, OUT kept bigint, OUT score double precision, OUT weight double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_removal_sample' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 100;
CREATE FUNCTION removal_sample(anyelement, query text, n integer, seed integer DEFAULT 0,
	OUT stratum text, OUT id anyelement, OUT kept anyelement, OUT score double precision, OUT weight double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_removal_sample' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 100;
COMMENT ON FUNCTION removal_sample(text, integer, integer) IS
	'a random sample of removals (id, kept, score) to be read by somebody, with more of those that are doubtful';
COMMENT ON FUNCTION removal_sample(anyelement, text, integer, integer) IS
	'a random sample of removals (id, kept, score), ids of the type of the first argument';

CREATE FUNCTION removal_precision(query text, OUT "precision" double precision, OUT low double precision, OUT high double precision,
	OUT labels bigint)
	AS 'MODULE_PATHNAME', 'txtfp_removal_precision' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION removal_precision(text) IS
	'what share of all removals is right, from the labels (stratum, label boolean) of a sample, with an interval of 95 %';

CREATE FUNCTION review_page(query text, title text DEFAULT 'Planned removals', pairs integer DEFAULT 10000, seed integer DEFAULT 0) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_review_page' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION review_page(text, text, integer, integer) IS
	'a page of HTML on which a person decides about planned removals (id, kept, text, kept_text, and what else deduplicate returns)';
-- embedding: a vector of floats, optionally with the name of the model that made it.

-- STORAGE external: floats do not compress.
CREATE TYPE embedding;

CREATE FUNCTION _embedding_in(cstring) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION _embedding_out(embedding) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_embedding_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION _embedding_recv(internal) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _embedding_send(embedding) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_embedding_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE embedding (
	INPUT = _embedding_in, OUTPUT = _embedding_out, RECEIVE = _embedding_recv, SEND = _embedding_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

COMMENT ON TYPE embedding IS 'embedding of a text: a vector of floats, and perhaps the name of the model that made it';
COMMENT ON FUNCTION _embedding_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _embedding_out(embedding) IS 'I/O';
COMMENT ON FUNCTION _embedding_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _embedding_send(embedding) IS 'I/O';

-- Constructor. Not strict: the model may be NULL.

CREATE FUNCTION to_embedding(vector real[], model text DEFAULT NULL) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30;
COMMENT ON FUNCTION to_embedding(real[], text) IS 'embedding of the elements, which must be finite; embeddings of different models cannot be compared';

-- Casts. Cast to real[] to reach the type of pgvector.

CREATE FUNCTION _embedding_to_real(embedding) RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION _embedding_to_real(embedding) IS 'the elements';
CREATE CAST (embedding AS real[]) WITH FUNCTION _embedding_to_real(embedding);

CREATE FUNCTION _embedding_from_real(real[]) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_to_embedding' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _embedding_from_real(real[]) IS 'embedding without a model';
CREATE CAST (real[] AS embedding) WITH FUNCTION _embedding_from_real(real[]);

CREATE FUNCTION _embedding_to_jsonb(embedding) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _embedding_to_jsonb(embedding) IS '{"vector": [...], "model_id": "..."}, null without a model';
CREATE CAST (embedding AS jsonb) WITH FUNCTION _embedding_to_jsonb(embedding);

CREATE FUNCTION _embedding_from_jsonb(jsonb) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION _embedding_from_jsonb(jsonb) IS 'embedding from {"vector": [...], "model_id": "..."}';
CREATE CAST (jsonb AS embedding) WITH FUNCTION _embedding_from_jsonb(jsonb);

COMMENT ON CAST (embedding AS real[]) IS 'the elements';
COMMENT ON CAST (real[] AS embedding) IS 'embedding without a model';
COMMENT ON CAST (embedding AS jsonb) IS 'vector and model_id';
COMMENT ON CAST (jsonb AS embedding) IS 'vector and model_id';

-- Order and equality, by model and bytes, of any two values. The order has no meaning.

CREATE FUNCTION _embedding_eq(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_ne(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_lt(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_le(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_gt(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_ge(embedding, embedding) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_embedding_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_cmp(embedding, embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _embedding_hash(embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _embedding_hash_extended(embedding, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_embedding_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION _embedding_eq(embedding, embedding) IS 'implementation of = operator';
COMMENT ON FUNCTION _embedding_ne(embedding, embedding) IS 'implementation of <> operator';
COMMENT ON FUNCTION _embedding_lt(embedding, embedding) IS 'implementation of < operator';
COMMENT ON FUNCTION _embedding_le(embedding, embedding) IS 'implementation of <= operator';
COMMENT ON FUNCTION _embedding_gt(embedding, embedding) IS 'implementation of > operator';
COMMENT ON FUNCTION _embedding_ge(embedding, embedding) IS 'implementation of >= operator';
COMMENT ON FUNCTION _embedding_cmp(embedding, embedding) IS 'less-equal-greater';
COMMENT ON FUNCTION _embedding_hash(embedding) IS 'hash';
COMMENT ON FUNCTION _embedding_hash_extended(embedding, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = _embedding_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (embedding, embedding) IS 'equal';
COMMENT ON OPERATOR <> (embedding, embedding) IS 'not equal';
COMMENT ON OPERATOR < (embedding, embedding) IS 'less than';
COMMENT ON OPERATOR <= (embedding, embedding) IS 'less than or equal';
COMMENT ON OPERATOR > (embedding, embedding) IS 'greater than';
COMMENT ON OPERATOR >= (embedding, embedding) IS 'greater than or equal';

CREATE OPERATOR CLASS embedding_btree_ops DEFAULT FOR TYPE embedding USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _embedding_cmp(embedding, embedding),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS embedding_hash_ops DEFAULT FOR TYPE embedding USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _embedding_hash(embedding),
	FUNCTION 2 _embedding_hash_extended(embedding, bigint);
COMMENT ON OPERATOR CLASS embedding_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS embedding_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY embedding_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY embedding_hash_ops USING hash IS 'equality';

-- Similarity. semantic_similarity adds in the order of the elements, as the crate does; cosine_similarity adds in parallel lanes.

CREATE FUNCTION semantic_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_semantic_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 35;
COMMENT ON FUNCTION semantic_similarity(embedding, embedding) IS 'cosine of the angle between two embeddings, bit by bit that of the crate txtfp; an error if models or dimensions differ';
CREATE FUNCTION cosine_similarity(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_cosine_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cosine_similarity(embedding, embedding) IS 'semantic_similarity up to rounding, clamped to -1 to 1, and several times as fast';
CREATE FUNCTION cosine_distance(a embedding, b embedding) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION cosine_distance(embedding, embedding) IS '1 - cosine_similarity';

CREATE OPERATOR <=> (LEFTARG = embedding, RIGHTARG = embedding, FUNCTION = cosine_distance, COMMUTATOR = <=>);
COMMENT ON OPERATOR <=> (embedding, embedding) IS 'cosine distance';

CREATE FUNCTION inner_product(a embedding, b embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION inner_product(embedding, embedding) IS 'sum of the products of their elements';
CREATE FUNCTION l2_norm(value embedding) RETURNS real
	AS 'MODULE_PATHNAME', 'txtfp_embedding_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION l2_norm(embedding) IS 'length of the vector';
CREATE FUNCTION l2_normalize(value embedding) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION l2_normalize(embedding) IS 'the embedding divided by its length, unless that is zero or infinite';
CREATE FUNCTION embedding_dims(value embedding) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_embedding_dims' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_dims(embedding) IS 'number of elements';
CREATE FUNCTION embedding_model(value embedding) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_embedding_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION embedding_model(embedding) IS 'name of the model; NULL if it has none';

-- SimHash, so that a simhash64_ops index serves embeddings

CREATE FUNCTION to_simhash64(value embedding, seed bigint DEFAULT 828927532781) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_simhash64' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 650;
COMMENT ON FUNCTION to_simhash64(embedding, bigint) IS 'SimHash of an embedding: signs of 64 random projections; cosine_estimate of two estimates their cosine; NULL if all elements are zero';
CREATE FUNCTION simhash_max_distance(similarity double precision, recall double precision DEFAULT 0.99) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_simhash_max_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 350;
COMMENT ON FUNCTION simhash_max_distance(double precision, double precision) IS 'Hamming distance that the SimHashes of two embeddings of this cosine do not exceed with this probability';

-- Pooling. Not strict: the mask may be NULL.

CREATE FUNCTION embedding_pool(hidden real[], dim integer, mask integer[] DEFAULT NULL,
	pooling text DEFAULT 'mean') RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embedding_pool' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION embedding_pool(real[], integer, integer[], text) IS 'combines the token vectors, dim values each, into one; pooling cls, mean, mean-no-norm, max or last';


-- fingerprint: a value of any fingerprint type, tagged with its kind

CREATE TYPE fingerprint;

CREATE FUNCTION _fingerprint_in(cstring) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _fingerprint_out(fingerprint) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
CREATE FUNCTION _fingerprint_recv(internal) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _fingerprint_send(fingerprint) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE fingerprint (
	INPUT = _fingerprint_in, OUTPUT = _fingerprint_out, RECEIVE = _fingerprint_recv, SEND = _fingerprint_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = main
);

COMMENT ON TYPE fingerprint IS 'any of the fingerprint types in one column: its kind and its value';
COMMENT ON FUNCTION _fingerprint_in(cstring) IS 'I/O';
COMMENT ON FUNCTION _fingerprint_out(fingerprint) IS 'I/O';
COMMENT ON FUNCTION _fingerprint_recv(internal) IS 'I/O';
COMMENT ON FUNCTION _fingerprint_send(fingerprint) IS 'I/O';

-- Order and equality, by kind and bytes, of any two values. The order has no meaning.

CREATE FUNCTION _fingerprint_eq(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_ne(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_lt(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_le(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_gt(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_ge(fingerprint, fingerprint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_cmp(fingerprint, fingerprint) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _fingerprint_hash(fingerprint) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _fingerprint_hash_extended(fingerprint, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;

COMMENT ON FUNCTION _fingerprint_eq(fingerprint, fingerprint) IS 'implementation of = operator';
COMMENT ON FUNCTION _fingerprint_ne(fingerprint, fingerprint) IS 'implementation of <> operator';
COMMENT ON FUNCTION _fingerprint_lt(fingerprint, fingerprint) IS 'implementation of < operator';
COMMENT ON FUNCTION _fingerprint_le(fingerprint, fingerprint) IS 'implementation of <= operator';
COMMENT ON FUNCTION _fingerprint_gt(fingerprint, fingerprint) IS 'implementation of > operator';
COMMENT ON FUNCTION _fingerprint_ge(fingerprint, fingerprint) IS 'implementation of >= operator';
COMMENT ON FUNCTION _fingerprint_cmp(fingerprint, fingerprint) IS 'less-equal-greater';
COMMENT ON FUNCTION _fingerprint_hash(fingerprint) IS 'hash';
COMMENT ON FUNCTION _fingerprint_hash_extended(fingerprint, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = fingerprint, RIGHTARG = fingerprint, FUNCTION = _fingerprint_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (fingerprint, fingerprint) IS 'equal';
COMMENT ON OPERATOR <> (fingerprint, fingerprint) IS 'not equal';
COMMENT ON OPERATOR < (fingerprint, fingerprint) IS 'less than';
COMMENT ON OPERATOR <= (fingerprint, fingerprint) IS 'less than or equal';
COMMENT ON OPERATOR > (fingerprint, fingerprint) IS 'greater than';
COMMENT ON OPERATOR >= (fingerprint, fingerprint) IS 'greater than or equal';

CREATE OPERATOR CLASS fingerprint_btree_ops DEFAULT FOR TYPE fingerprint USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 _fingerprint_cmp(fingerprint, fingerprint),
	FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS fingerprint_hash_ops DEFAULT FOR TYPE fingerprint USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 _fingerprint_hash(fingerprint),
	FUNCTION 2 _fingerprint_hash_extended(fingerprint, bigint);
COMMENT ON OPERATOR CLASS fingerprint_btree_ops USING btree IS 'equality and order, for DISTINCT, GROUP BY, UNIQUE';
COMMENT ON OPERATOR CLASS fingerprint_hash_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY fingerprint_btree_ops USING btree IS 'equality and order';
COMMENT ON OPERATOR FAMILY fingerprint_hash_ops USING hash IS 'equality';

-- Kind and metadata

CREATE FUNCTION fingerprint_name(fp fingerprint) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fingerprint_name(fingerprint) IS 'kind of the fingerprint, such as minhash-h128-v1: algorithm, model if there is one, and schema version';

CREATE FUNCTION fingerprint_metadata(fp fingerprint) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_metadata' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION fingerprint_metadata(fingerprint) IS 'algorithm, config_hash (zeros mean unknown), schema_version, byte_size, model_id';

CREATE FUNCTION fingerprint_metadata(fp fingerprint, canonicalizer text, tokenizer text, algorithm text) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_metadata_with' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION fingerprint_metadata(fingerprint, text, text, text) IS
	'metadata with the config_hash of the canonicalizer, tokenizer and algorithm that the caller names';

CREATE FUNCTION fingerprint_similarity(a fingerprint, b fingerprint) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 8;
COMMENT ON FUNCTION fingerprint_similarity(fingerprint, fingerprint) IS
	'similarity by the measure of the kind: jaccard, cosine_estimate or semantic_similarity, or 0 to 1 for tlsh and lavinhash; an error if kinds differ';

-- Casts

CREATE FUNCTION _simhash64_to_fingerprint(simhash64) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _simhash64_to_fingerprint(simhash64) IS 'fingerprint that holds the simhash64';
CREATE CAST (simhash64 AS fingerprint) WITH FUNCTION _simhash64_to_fingerprint(simhash64) AS ASSIGNMENT;
COMMENT ON CAST (simhash64 AS fingerprint) IS 'fingerprint that holds the simhash64';

CREATE FUNCTION _simhash64_from_fingerprint(fingerprint) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _simhash64_from_fingerprint(fingerprint) IS 'the simhash64 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS simhash64) WITH FUNCTION _simhash64_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS simhash64) IS 'the simhash64 in the fingerprint';

CREATE FUNCTION _tlsh_to_fingerprint(tlsh) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _tlsh_to_fingerprint(tlsh) IS 'fingerprint that holds the tlsh';
CREATE CAST (tlsh AS fingerprint) WITH FUNCTION _tlsh_to_fingerprint(tlsh) AS ASSIGNMENT;
COMMENT ON CAST (tlsh AS fingerprint) IS 'fingerprint that holds the tlsh';

CREATE FUNCTION _tlsh_from_fingerprint(fingerprint) RETURNS tlsh
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _tlsh_from_fingerprint(fingerprint) IS 'the tlsh in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS tlsh) WITH FUNCTION _tlsh_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS tlsh) IS 'the tlsh in the fingerprint';

CREATE FUNCTION _lavinhash_to_fingerprint(lavinhash) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _lavinhash_to_fingerprint(lavinhash) IS 'fingerprint that holds the lavinhash';
CREATE CAST (lavinhash AS fingerprint) WITH FUNCTION _lavinhash_to_fingerprint(lavinhash) AS ASSIGNMENT;
COMMENT ON CAST (lavinhash AS fingerprint) IS 'fingerprint that holds the lavinhash';

CREATE FUNCTION _lavinhash_from_fingerprint(fingerprint) RETURNS lavinhash
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _lavinhash_from_fingerprint(fingerprint) IS 'the lavinhash in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS lavinhash) WITH FUNCTION _lavinhash_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS lavinhash) IS 'the lavinhash in the fingerprint';

CREATE FUNCTION _embedding_to_fingerprint(embedding) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_embedding_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _embedding_to_fingerprint(embedding) IS 'fingerprint that holds the embedding';
CREATE CAST (embedding AS fingerprint) WITH FUNCTION _embedding_to_fingerprint(embedding) AS ASSIGNMENT;
COMMENT ON CAST (embedding AS fingerprint) IS 'fingerprint that holds the embedding';

CREATE FUNCTION _embedding_from_fingerprint(fingerprint) RETURNS embedding
	AS 'MODULE_PATHNAME', 'txtfp_embedding_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _embedding_from_fingerprint(fingerprint) IS 'the embedding in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS embedding) WITH FUNCTION _embedding_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS embedding) IS 'the embedding in the fingerprint';
CREATE FUNCTION _minhash64_to_fingerprint(minhash64) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash64_to_fingerprint(minhash64) IS 'fingerprint that holds the minhash64';
CREATE CAST (minhash64 AS fingerprint) WITH FUNCTION _minhash64_to_fingerprint(minhash64) AS ASSIGNMENT;
COMMENT ON CAST (minhash64 AS fingerprint) IS 'fingerprint that holds the minhash64';

CREATE FUNCTION _minhash64_from_fingerprint(fingerprint) RETURNS minhash64
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash64_from_fingerprint(fingerprint) IS 'the minhash64 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash64) WITH FUNCTION _minhash64_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash64) IS 'the minhash64 in the fingerprint';

CREATE FUNCTION _minhash64_compact_to_fingerprint(minhash64_compact) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash64_compact_to_fingerprint(minhash64_compact) IS 'fingerprint that holds the minhash64_compact';
CREATE CAST (minhash64_compact AS fingerprint) WITH FUNCTION _minhash64_compact_to_fingerprint(minhash64_compact) AS ASSIGNMENT;
COMMENT ON CAST (minhash64_compact AS fingerprint) IS 'fingerprint that holds the minhash64_compact';

CREATE FUNCTION _minhash64_compact_from_fingerprint(fingerprint) RETURNS minhash64_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash64_compact_from_fingerprint(fingerprint) IS 'the minhash64_compact in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash64_compact) WITH FUNCTION _minhash64_compact_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash64_compact) IS 'the minhash64_compact in the fingerprint';
CREATE FUNCTION _minhash128_to_fingerprint(minhash128) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash128_to_fingerprint(minhash128) IS 'fingerprint that holds the minhash128';
CREATE CAST (minhash128 AS fingerprint) WITH FUNCTION _minhash128_to_fingerprint(minhash128) AS ASSIGNMENT;
COMMENT ON CAST (minhash128 AS fingerprint) IS 'fingerprint that holds the minhash128';

CREATE FUNCTION _minhash128_from_fingerprint(fingerprint) RETURNS minhash128
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash128_from_fingerprint(fingerprint) IS 'the minhash128 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash128) WITH FUNCTION _minhash128_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash128) IS 'the minhash128 in the fingerprint';

CREATE FUNCTION _minhash128_compact_to_fingerprint(minhash128_compact) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash128_compact_to_fingerprint(minhash128_compact) IS 'fingerprint that holds the minhash128_compact';
CREATE CAST (minhash128_compact AS fingerprint) WITH FUNCTION _minhash128_compact_to_fingerprint(minhash128_compact) AS ASSIGNMENT;
COMMENT ON CAST (minhash128_compact AS fingerprint) IS 'fingerprint that holds the minhash128_compact';

CREATE FUNCTION _minhash128_compact_from_fingerprint(fingerprint) RETURNS minhash128_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash128_compact_from_fingerprint(fingerprint) IS 'the minhash128_compact in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash128_compact) WITH FUNCTION _minhash128_compact_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash128_compact) IS 'the minhash128_compact in the fingerprint';
CREATE FUNCTION _minhash256_to_fingerprint(minhash256) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash256_to_fingerprint(minhash256) IS 'fingerprint that holds the minhash256';
CREATE CAST (minhash256 AS fingerprint) WITH FUNCTION _minhash256_to_fingerprint(minhash256) AS ASSIGNMENT;
COMMENT ON CAST (minhash256 AS fingerprint) IS 'fingerprint that holds the minhash256';

CREATE FUNCTION _minhash256_from_fingerprint(fingerprint) RETURNS minhash256
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 25;
COMMENT ON FUNCTION _minhash256_from_fingerprint(fingerprint) IS 'the minhash256 in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash256) WITH FUNCTION _minhash256_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash256) IS 'the minhash256 in the fingerprint';

CREATE FUNCTION _minhash256_compact_to_fingerprint(minhash256_compact) RETURNS fingerprint
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_to_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash256_compact_to_fingerprint(minhash256_compact) IS 'fingerprint that holds the minhash256_compact';
CREATE CAST (minhash256_compact AS fingerprint) WITH FUNCTION _minhash256_compact_to_fingerprint(minhash256_compact) AS ASSIGNMENT;
COMMENT ON CAST (minhash256_compact AS fingerprint) IS 'fingerprint that holds the minhash256_compact';

CREATE FUNCTION _minhash256_compact_from_fingerprint(fingerprint) RETURNS minhash256_compact
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_from_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash256_compact_from_fingerprint(fingerprint) IS 'the minhash256_compact in the fingerprint; an error if it holds another kind';
CREATE CAST (fingerprint AS minhash256_compact) WITH FUNCTION _minhash256_compact_from_fingerprint(fingerprint);
COMMENT ON CAST (fingerprint AS minhash256_compact) IS 'the minhash256_compact in the fingerprint';
CREATE FUNCTION txtfp_version() RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_version' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION txtfp_version() IS 'version of the loaded library';

-- STABLE: the machine and the loaded ICU may change between sessions
CREATE FUNCTION txtfp_info(OUT version text, OUT format_version integer, OUT unicode_version text,
	OUT icu_version text, OUT icu_unicode_version text, OUT xxhash_version text, OUT simd text, OUT compiler text,
	OUT built_for text, OUT server text, OUT encoding text)
	RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_info' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION txtfp_info() IS 'data for a bug report: versions, pinned and loaded Unicode version, SIMD level in use, server and platform';
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

CREATE OPERATOR CLASS simhash64_sketch_ops DEFAULT FOR TYPE simhash64 USING sketch AS
	OPERATOR 1 % (simhash64, simhash64),
	OPERATOR 2 % (simhash64, simhash_probe),
	OPERATOR 3 = (simhash64, simhash64),
	OPERATOR 15 <#> (simhash64, simhash64) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 _simhash64_sketch_class(internal);
COMMENT ON OPERATOR CLASS simhash64_sketch_ops USING sketch IS 'exact search by Hamming distance, and in its order';
COMMENT ON OPERATOR FAMILY simhash64_sketch_ops USING sketch IS 'exact search by Hamming distance, and in its order';

CREATE FUNCTION _tlsh_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _tlsh_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS tlsh_sketch_ops DEFAULT FOR TYPE tlsh USING sketch AS
	OPERATOR 1 % (tlsh, tlsh_probe),
	OPERATOR 2 % (tlsh, tlsh),
	OPERATOR 3 = (tlsh, tlsh),
	OPERATOR 15 <~> (tlsh, tlsh) FOR ORDER BY pg_catalog.integer_ops,
	FUNCTION 1 _tlsh_sketch_class(internal);
COMMENT ON OPERATOR CLASS tlsh_sketch_ops USING sketch IS 'exact search by TLSH distance, and in its order';
COMMENT ON OPERATOR FAMILY tlsh_sketch_ops USING sketch IS 'exact search by TLSH distance, and in its order';

CREATE FUNCTION _lavinhash_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_lavinhash_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _lavinhash_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS lavinhash_sketch_ops DEFAULT FOR TYPE lavinhash USING sketch AS
	OPERATOR 1 % (lavinhash, lavinhash),
	OPERATOR 2 % (lavinhash, lavinhash_probe),
	OPERATOR 3 = (lavinhash, lavinhash),
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

CREATE FUNCTION _minhash64_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash64_sketch_ops DEFAULT FOR TYPE minhash64 USING sketch AS
	OPERATOR 1 % (minhash64, minhash64),
	OPERATOR 2 % (minhash64, minhash_probe),
	OPERATOR 3 = (minhash64, minhash64),
	OPERATOR 15 <%> (minhash64, minhash64) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash64_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash64_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash64_sketch_ops USING sketch IS 'exact search by similarity, and in its order';


CREATE FUNCTION _minhash64_compact_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash64_compact_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash64_compact_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash64_compact_sketch_ops DEFAULT FOR TYPE minhash64_compact USING sketch AS
	OPERATOR 1 % (minhash64_compact, minhash64_compact),
	OPERATOR 2 % (minhash64_compact, minhash_compact_probe),
	OPERATOR 3 = (minhash64_compact, minhash64_compact),
	OPERATOR 15 <%> (minhash64_compact, minhash64_compact) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash64_compact_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash64_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash64_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';

CREATE FUNCTION _minhash128_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash128_sketch_ops DEFAULT FOR TYPE minhash128 USING sketch AS
	OPERATOR 1 % (minhash128, minhash128),
	OPERATOR 2 % (minhash128, minhash_probe),
	OPERATOR 3 = (minhash128, minhash128),
	OPERATOR 15 <%> (minhash128, minhash128) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash128_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash128_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash128_sketch_ops USING sketch IS 'exact search by similarity, and in its order';


CREATE FUNCTION _minhash128_compact_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash128_compact_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash128_compact_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash128_compact_sketch_ops DEFAULT FOR TYPE minhash128_compact USING sketch AS
	OPERATOR 1 % (minhash128_compact, minhash128_compact),
	OPERATOR 2 % (minhash128_compact, minhash_compact_probe),
	OPERATOR 3 = (minhash128_compact, minhash128_compact),
	OPERATOR 15 <%> (minhash128_compact, minhash128_compact) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash128_compact_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash128_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash128_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';

CREATE FUNCTION _minhash256_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash256_sketch_ops DEFAULT FOR TYPE minhash256 USING sketch AS
	OPERATOR 1 % (minhash256, minhash256),
	OPERATOR 2 % (minhash256, minhash_probe),
	OPERATOR 3 = (minhash256, minhash256),
	OPERATOR 15 <%> (minhash256, minhash256) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash256_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash256_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash256_sketch_ops USING sketch IS 'exact search by similarity, and in its order';


CREATE FUNCTION _minhash256_compact_sketch_class(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash256_compact_sketch_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _minhash256_compact_sketch_class(internal) IS 'support of the access method sketch';

CREATE OPERATOR CLASS minhash256_compact_sketch_ops DEFAULT FOR TYPE minhash256_compact USING sketch AS
	OPERATOR 1 % (minhash256_compact, minhash256_compact),
	OPERATOR 2 % (minhash256_compact, minhash_compact_probe),
	OPERATOR 3 = (minhash256_compact, minhash256_compact),
	OPERATOR 15 <%> (minhash256_compact, minhash256_compact) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 _minhash256_compact_sketch_class(internal);
COMMENT ON OPERATOR CLASS minhash256_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
COMMENT ON OPERATOR FAMILY minhash256_compact_sketch_ops USING sketch IS 'exact search by similarity, and in its order';
-- Leading columns of the access method sketch: the types that have a default hash operator class in PostgreSQL. A class for another type is made
-- in the same way, by a superuser.

CREATE OPERATOR CLASS aclitem_sketch_ops DEFAULT FOR TYPE aclitem USING sketch AS
	OPERATOR 1 pg_catalog.= (aclitem, aclitem), FUNCTION 2 pg_catalog.hash_aclitem(aclitem);
COMMENT ON OPERATOR CLASS aclitem_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY aclitem_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS array_sketch_ops DEFAULT FOR TYPE anyarray USING sketch AS
	OPERATOR 1 pg_catalog.= (anyarray, anyarray), FUNCTION 2 pg_catalog.hash_array(anyarray);
COMMENT ON OPERATOR CLASS array_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY array_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS bool_sketch_ops DEFAULT FOR TYPE boolean USING sketch AS
	OPERATOR 1 pg_catalog.= (boolean, boolean), FUNCTION 2 pg_catalog.hashchar("char");
COMMENT ON OPERATOR CLASS bool_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY bool_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS bpchar_sketch_ops DEFAULT FOR TYPE character USING sketch AS
	OPERATOR 1 pg_catalog.= (character, character), FUNCTION 2 pg_catalog.hashbpchar(character);
COMMENT ON OPERATOR CLASS bpchar_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY bpchar_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS bytea_sketch_ops DEFAULT FOR TYPE bytea USING sketch AS
	OPERATOR 1 pg_catalog.= (bytea, bytea), FUNCTION 2 pg_catalog.hashvarlena(internal);
COMMENT ON OPERATOR CLASS bytea_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY bytea_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS char_sketch_ops DEFAULT FOR TYPE "char" USING sketch AS
	OPERATOR 1 pg_catalog.= ("char", "char"), FUNCTION 2 pg_catalog.hashchar("char");
COMMENT ON OPERATOR CLASS char_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY char_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS cid_sketch_ops DEFAULT FOR TYPE cid USING sketch AS
	OPERATOR 1 pg_catalog.= (cid, cid), FUNCTION 2 pg_catalog.hashint4(integer);
COMMENT ON OPERATOR CLASS cid_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY cid_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS date_sketch_ops DEFAULT FOR TYPE date USING sketch AS
	OPERATOR 1 pg_catalog.= (date, date), FUNCTION 2 pg_catalog.hashint4(integer);
COMMENT ON OPERATOR CLASS date_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY date_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS enum_sketch_ops DEFAULT FOR TYPE anyenum USING sketch AS
	OPERATOR 1 pg_catalog.= (anyenum, anyenum), FUNCTION 2 pg_catalog.hashenum(anyenum);
COMMENT ON OPERATOR CLASS enum_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY enum_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS interval_sketch_ops DEFAULT FOR TYPE interval USING sketch AS
	OPERATOR 1 pg_catalog.= (interval, interval), FUNCTION 2 pg_catalog.interval_hash(interval);
COMMENT ON OPERATOR CLASS interval_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY interval_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS jsonb_sketch_ops DEFAULT FOR TYPE jsonb USING sketch AS
	OPERATOR 1 pg_catalog.= (jsonb, jsonb), FUNCTION 2 pg_catalog.jsonb_hash(jsonb);
COMMENT ON OPERATOR CLASS jsonb_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY jsonb_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS macaddr_sketch_ops DEFAULT FOR TYPE macaddr USING sketch AS
	OPERATOR 1 pg_catalog.= (macaddr, macaddr), FUNCTION 2 pg_catalog.hashmacaddr(macaddr);
COMMENT ON OPERATOR CLASS macaddr_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY macaddr_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS macaddr8_sketch_ops DEFAULT FOR TYPE macaddr8 USING sketch AS
	OPERATOR 1 pg_catalog.= (macaddr8, macaddr8), FUNCTION 2 pg_catalog.hashmacaddr8(macaddr8);
COMMENT ON OPERATOR CLASS macaddr8_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY macaddr8_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS multirange_sketch_ops DEFAULT FOR TYPE anymultirange USING sketch AS
	OPERATOR 1 pg_catalog.= (anymultirange, anymultirange), FUNCTION 2 pg_catalog.hash_multirange(anymultirange);
COMMENT ON OPERATOR CLASS multirange_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY multirange_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS inet_sketch_ops DEFAULT FOR TYPE inet USING sketch AS
	OPERATOR 1 pg_catalog.= (inet, inet), FUNCTION 2 pg_catalog.hashinet(inet);
COMMENT ON OPERATOR CLASS inet_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY inet_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS numeric_sketch_ops DEFAULT FOR TYPE numeric USING sketch AS
	OPERATOR 1 pg_catalog.= (numeric, numeric), FUNCTION 2 pg_catalog.hash_numeric(numeric);
COMMENT ON OPERATOR CLASS numeric_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY numeric_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS oid_sketch_ops DEFAULT FOR TYPE oid USING sketch AS
	OPERATOR 1 pg_catalog.= (oid, oid), FUNCTION 2 pg_catalog.hashoid(oid);
COMMENT ON OPERATOR CLASS oid_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY oid_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS oidvector_sketch_ops DEFAULT FOR TYPE oidvector USING sketch AS
	OPERATOR 1 pg_catalog.= (oidvector, oidvector), FUNCTION 2 pg_catalog.hashoidvector(oidvector);
COMMENT ON OPERATOR CLASS oidvector_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY oidvector_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS pg_lsn_sketch_ops DEFAULT FOR TYPE pg_lsn USING sketch AS
	OPERATOR 1 pg_catalog.= (pg_lsn, pg_lsn), FUNCTION 2 pg_catalog.pg_lsn_hash(pg_lsn);
COMMENT ON OPERATOR CLASS pg_lsn_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY pg_lsn_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS range_sketch_ops DEFAULT FOR TYPE anyrange USING sketch AS
	OPERATOR 1 pg_catalog.= (anyrange, anyrange), FUNCTION 2 pg_catalog.hash_range(anyrange);
COMMENT ON OPERATOR CLASS range_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY range_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS record_sketch_ops DEFAULT FOR TYPE record USING sketch AS
	OPERATOR 1 pg_catalog.= (record, record), FUNCTION 2 pg_catalog.hash_record(record);
COMMENT ON OPERATOR CLASS record_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY record_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS tid_sketch_ops DEFAULT FOR TYPE tid USING sketch AS
	OPERATOR 1 pg_catalog.= (tid, tid), FUNCTION 2 pg_catalog.hashtid(tid);
COMMENT ON OPERATOR CLASS tid_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY tid_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS time_sketch_ops DEFAULT FOR TYPE time without time zone USING sketch AS
	OPERATOR 1 pg_catalog.= (time without time zone, time without time zone), FUNCTION 2 pg_catalog.time_hash(time without time zone);
COMMENT ON OPERATOR CLASS time_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY time_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS timestamp_sketch_ops DEFAULT FOR TYPE timestamp without time zone USING sketch AS
	OPERATOR 1 pg_catalog.= (timestamp without time zone, timestamp without time zone), FUNCTION 2 pg_catalog.timestamp_hash(timestamp without time zone);
COMMENT ON OPERATOR CLASS timestamp_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY timestamp_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS timestamptz_sketch_ops DEFAULT FOR TYPE timestamp with time zone USING sketch AS
	OPERATOR 1 pg_catalog.= (timestamp with time zone, timestamp with time zone), FUNCTION 2 pg_catalog.timestamp_hash(timestamp without time zone);
COMMENT ON OPERATOR CLASS timestamptz_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY timestamptz_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS timetz_sketch_ops DEFAULT FOR TYPE time with time zone USING sketch AS
	OPERATOR 1 pg_catalog.= (time with time zone, time with time zone), FUNCTION 2 pg_catalog.timetz_hash(time with time zone);
COMMENT ON OPERATOR CLASS timetz_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY timetz_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS uuid_sketch_ops DEFAULT FOR TYPE uuid USING sketch AS
	OPERATOR 1 pg_catalog.= (uuid, uuid), FUNCTION 2 pg_catalog.uuid_hash(uuid);
COMMENT ON OPERATOR CLASS uuid_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY uuid_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS xid_sketch_ops DEFAULT FOR TYPE xid USING sketch AS
	OPERATOR 1 pg_catalog.= (xid, xid), FUNCTION 2 pg_catalog.hashint4(integer);
COMMENT ON OPERATOR CLASS xid_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY xid_sketch_ops USING sketch IS 'leading column, searched by equality';

CREATE OPERATOR CLASS xid8_sketch_ops DEFAULT FOR TYPE xid8 USING sketch AS
	OPERATOR 1 pg_catalog.= (xid8, xid8), FUNCTION 2 pg_catalog.hashint8(bigint);
COMMENT ON OPERATOR CLASS xid8_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY xid8_sketch_ops USING sketch IS 'leading column, searched by equality';

-- Families of several types, whose values are compared with each other.

CREATE OPERATOR FAMILY integer_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY integer_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int2_sketch_ops DEFAULT FOR TYPE smallint USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (smallint, smallint), FUNCTION 2 pg_catalog.hashint2(smallint);
COMMENT ON OPERATOR CLASS int2_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int4_sketch_ops DEFAULT FOR TYPE integer USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (integer, integer), FUNCTION 2 pg_catalog.hashint4(integer);
COMMENT ON OPERATOR CLASS int4_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int8_sketch_ops DEFAULT FOR TYPE bigint USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (bigint, bigint), FUNCTION 2 pg_catalog.hashint8(bigint);
COMMENT ON OPERATOR CLASS int8_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY integer_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (smallint, integer), OPERATOR 1 pg_catalog.= (smallint, bigint), OPERATOR 1 pg_catalog.= (integer, smallint), OPERATOR 1 pg_catalog.= (integer, bigint), OPERATOR 1 pg_catalog.= (bigint, smallint), OPERATOR 1 pg_catalog.= (bigint, integer);

CREATE OPERATOR FAMILY float_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY float_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS float4_sketch_ops DEFAULT FOR TYPE real USING sketch FAMILY float_sketch_ops AS
	OPERATOR 1 pg_catalog.= (real, real), FUNCTION 2 pg_catalog.hashfloat4(real);
COMMENT ON OPERATOR CLASS float4_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS float8_sketch_ops DEFAULT FOR TYPE double precision USING sketch FAMILY float_sketch_ops AS
	OPERATOR 1 pg_catalog.= (double precision, double precision), FUNCTION 2 pg_catalog.hashfloat8(double precision);
COMMENT ON OPERATOR CLASS float8_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY float_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (real, double precision), OPERATOR 1 pg_catalog.= (double precision, real);

CREATE OPERATOR FAMILY text_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY text_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS name_sketch_ops DEFAULT FOR TYPE name USING sketch FAMILY text_sketch_ops AS
	OPERATOR 1 pg_catalog.= (name, name), FUNCTION 2 pg_catalog.hashname(name);
COMMENT ON OPERATOR CLASS name_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS text_sketch_ops DEFAULT FOR TYPE text USING sketch FAMILY text_sketch_ops AS
	OPERATOR 1 pg_catalog.= (text, text), FUNCTION 2 pg_catalog.hashtext(text);
COMMENT ON OPERATOR CLASS text_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY text_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (text, name), OPERATOR 1 pg_catalog.= (name, text);

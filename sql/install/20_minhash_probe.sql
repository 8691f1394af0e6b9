-- minhash_probe: a sketch and the threshold at which it is looked for, the right operand of an index condition.

CREATE TYPE minhash_probe;

CREATE FUNCTION minhash_probe_in(cstring) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_probe_out(minhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_probe_recv(internal) RETURNS minhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_probe_send(minhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE minhash_probe (
	INPUT = minhash_probe_in, OUTPUT = minhash_probe_out, RECEIVE = minhash_probe_recv, SEND = minhash_probe_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
);

COMMENT ON TYPE minhash_probe IS 'MinHash sketch with the least similarity at which it matches another';
COMMENT ON FUNCTION minhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION minhash_probe_out(minhash_probe) IS 'I/O';
COMMENT ON FUNCTION minhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION minhash_probe_send(minhash_probe) IS 'I/O';

-- Planner support of the functions that make a probe of a value and a threshold, of all types.

CREATE FUNCTION probe_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_probe_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION probe_support(internal) IS 'planner support for functions that make a probe';

-- Planner support shared by the MinHash types.

CREATE FUNCTION minhash_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION minhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION minhash_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_minhash_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION minhash_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_minhash_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_typanalyze(internal) IS 'ANALYZE of MinHash columns: how many near-duplicates rows have';


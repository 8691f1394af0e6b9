-- simhash_probe: a SimHash and the distance within which it is looked for, the right operand of an index condition.

CREATE TYPE simhash_probe;

CREATE FUNCTION simhash_probe_in(cstring) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_probe_out(simhash_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_probe_recv(internal) RETURNS simhash_probe
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_probe_send(simhash_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE simhash_probe (
	INPUT = simhash_probe_in, OUTPUT = simhash_probe_out, RECEIVE = simhash_probe_recv, SEND = simhash_probe_send,
	INTERNALLENGTH = 16, ALIGNMENT = double
);

COMMENT ON TYPE simhash_probe IS 'SimHash with the greatest Hamming distance at which it matches another';
COMMENT ON FUNCTION simhash_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_probe_out(simhash_probe) IS 'I/O';
COMMENT ON FUNCTION simhash_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION simhash_probe_send(simhash_probe) IS 'I/O';

CREATE FUNCTION simhash64_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION simhash_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION simhash64_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION simhash64_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash64_typanalyze(internal) IS 'ANALYZE of SimHash columns: how many rows are within which distance';


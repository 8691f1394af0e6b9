-- tlsh_probe: a TLSH digest and the distance within which it is looked for, the right operand of an index condition.

CREATE TYPE tlsh_probe;

CREATE FUNCTION tlsh_probe_in(cstring) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_probe_out(tlsh_probe) RETURNS cstring
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_probe_recv(internal) RETURNS tlsh_probe
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tlsh_probe_send(tlsh_probe) RETURNS bytea
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE tlsh_probe (
	INPUT = tlsh_probe_in, OUTPUT = tlsh_probe_out, RECEIVE = tlsh_probe_recv, SEND = tlsh_probe_send,
	INTERNALLENGTH = 40, ALIGNMENT = int4
);

COMMENT ON TYPE tlsh_probe IS 'TLSH digest with the greatest distance at which it matches another';
COMMENT ON FUNCTION tlsh_probe_in(cstring) IS 'I/O';
COMMENT ON FUNCTION tlsh_probe_out(tlsh_probe) IS 'I/O';
COMMENT ON FUNCTION tlsh_probe_recv(internal) IS 'I/O';
COMMENT ON FUNCTION tlsh_probe_send(tlsh_probe) IS 'I/O';

CREATE FUNCTION tlsh_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_sel(internal, oid, internal, integer) IS 'restriction selectivity of %';
CREATE FUNCTION tlsh_probe_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_probe_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_probe_sel(internal, oid, internal, integer) IS 'restriction selectivity of % with a probe';
CREATE FUNCTION tlsh_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of %';
CREATE FUNCTION tlsh_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_tlsh_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tlsh_typanalyze(internal) IS 'ANALYZE of TLSH columns: how many rows are within which distance';


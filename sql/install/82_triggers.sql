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
CREATE FUNCTION near_duplicate_trigger_stats(OUT trigger oid, OUT relation regclass, OUT checked bigint, OUT found bigint, OUT found_by bigint[], OUT reviewed bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_trigger_stats_v2' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 10 ROWS 10;
COMMENT ON FUNCTION near_duplicate_trigger_stats() IS
	'what near_duplicate_trigger has done in this session, for each trigger: rows checked, and rows that had a near-duplicate (rejected, skipped, flagged, counted or merged), also by fingerprint column; and rows that somebody must look at, because the texts do not decide';

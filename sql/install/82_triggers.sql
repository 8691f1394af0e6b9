-- Triggers: a fingerprint column kept up to date, and near-duplicates that are not let in.

CREATE FUNCTION fingerprint_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_trigger' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fingerprint_trigger() IS
	'BEFORE INSERT OR UPDATE FOR EACH ROW: computes a fingerprint column; arguments: source column, fingerprint column, option=value ...';

-- PARALLEL UNSAFE: takes locks and looks for rows of other sessions
CREATE FUNCTION near_duplicate_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_trigger' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION near_duplicate_trigger() IS
	'BEFORE or AFTER INSERT OR UPDATE FOR EACH ROW: rejects, skips or flags near-duplicates; arguments: key column, fingerprint column, reject | skip | flag, option=value ...';

-- Clusters that follow the rows of a table. None is STRICT: most arguments may be left out.

CREATE FUNCTION live_clusters_trigger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_trigger' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION live_clusters_trigger() IS
	'AFTER INSERT OR UPDATE OR DELETE FOR EACH ROW, and AFTER TRUNCATE: keeps clusters; arguments: key column, fingerprint column, name, option=value ...';

CREATE PROCEDURE live_clusters_create(relation regclass, key name, fingerprint name,
	threshold double precision DEFAULT NULL, mode text DEFAULT 'components', priority name DEFAULT NULL, text name DEFAULT NULL,
	clusters name DEFAULT NULL, max_distance integer DEFAULT NULL, events boolean DEFAULT false, notify name DEFAULT NULL,
	apart regclass DEFAULT NULL, together regclass DEFAULT NULL, verify text DEFAULT NULL, verify_threshold double precision DEFAULT NULL,
	guard text DEFAULT NULL, rule jsonb DEFAULT NULL, min_precision double precision DEFAULT NULL)
	AS 'MODULE_PATHNAME', 'txtfp_live_clusters_create_v2' LANGUAGE C;
COMMENT ON PROCEDURE live_clusters_create(regclass, name, name, double precision, text, name, name, name, integer, boolean, name, regclass, regclass, text, double precision, text, jsonb, double precision) IS
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

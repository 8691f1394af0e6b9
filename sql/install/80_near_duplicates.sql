-- Bulk: pairs and clusters of all rows of a query. STABLE: the query runs in the snapshot of the statement. PARALLEL UNSAFE: the
-- query may be any, and may run in parallel itself. sql/parts/bulk.sql has the forms of each for other types of ids.

@use bulk
@  NAME = near_duplicate_pairs
@  SYMBOL = txtfp_near_duplicate_pairs_v2
@  QUERY = query text
@  FIRST = threshold double precision
@  DEFAULT =  DEFAULT NULL
@  OPTIONS = , recall double precision DEFAULT NULL, bands integer DEFAULT NULL, rows integer DEFAULT NULL, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL
@  A = a
@  B = b
@  OUT = , OUT similarity double precision
@  ROWS = 10000
@  COMMENT = all pairs of near-duplicates among the rows (id, fingerprint [, group]) of a query, each once, verified

@use bulk
@  NAME = near_duplicate_pairs_between
@  SYMBOL = txtfp_near_duplicate_pairs_between_v2
@  QUERY = query_a text, query_b text
@  FIRST = threshold double precision
@  DEFAULT =  DEFAULT NULL
@  OPTIONS = , recall double precision DEFAULT NULL, bands integer DEFAULT NULL, rows integer DEFAULT NULL, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, nearest boolean DEFAULT false, signals boolean DEFAULT false, rule jsonb DEFAULT NULL, min_precision double precision DEFAULT NULL
@  A = a
@  B = b
@  OUT = , OUT similarity double precision, OUT score double precision, OUT signals difference_signals
@  ROWS = 10000
@  COMMENT = all pairs of near-duplicates between the rows (id, fingerprint [, group] [, text]) of the first query and of the second, and what a rule says of them

CREATE PROCEDURE near_duplicate_pairs_distributed(query text, result name, threshold double precision DEFAULT 0.8,
	recall double precision DEFAULT 0.999, max_key_rows integer DEFAULT 1000)
	AS 'MODULE_PATHNAME', 'txtfp_near_duplicate_pairs_distributed_v2' LANGUAGE C;
COMMENT ON PROCEDURE near_duplicate_pairs_distributed(text, name, double precision, double precision, integer) IS
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
	'the pairs of similar rows: one is at this place, the other one has come to it';

@use bulk
@  NAME = near_duplicate_clusters
@  SYMBOL = txtfp_near_duplicate_clusters_v2
@  QUERY = query text
@  FIRST = threshold double precision
@  DEFAULT =  DEFAULT NULL
@  OPTIONS = , mode text DEFAULT 'components', recall double precision DEFAULT NULL, bands integer DEFAULT NULL, rows integer DEFAULT NULL, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL, max_size integer DEFAULT NULL, thresholds double precision[] DEFAULT NULL
@  A = id
@  B = cluster
@  OUT = , OUT size bigint, OUT similarity double precision, OUT formed_at double precision
@  ROWS = 10000
@  COMMENT = clusters of near-duplicates among the rows (id, fingerprint [, group] [, priority]) of a query, named after their first row, and how similar each row is to that

@use bulk
@  NAME = deduplicate
@  SYMBOL = txtfp_deduplicate_v2
@  QUERY = query text
@  FIRST = threshold double precision
@  DEFAULT =  DEFAULT NULL
@  OPTIONS = , verify text DEFAULT NULL, verify_threshold double precision DEFAULT NULL, explain boolean DEFAULT false, tokenizer text DEFAULT NULL, canonicalizer text DEFAULT NULL, recall double precision DEFAULT NULL, bands integer DEFAULT NULL, rows integer DEFAULT NULL, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, signals boolean DEFAULT false, guard text DEFAULT NULL, rule jsonb DEFAULT NULL, min_precision double precision DEFAULT NULL, apart text DEFAULT NULL, together text DEFAULT NULL
@  A = id
@  B = kept
@  OUT = , OUT similarity double precision, OUT jaccard double precision, OUT containment double precision, OUT reason text, OUT kept_containment double precision, OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals
@  ROWS = 10000
@  COMMENT = which rows of a query (id, fingerprint [, group] [, text] [, priority]) to remove, which row is kept instead of each, and why; also those that somebody must read first

CREATE FUNCTION diverse_rows(query text, k integer, threshold double precision DEFAULT NULL, max_distance integer DEFAULT NULL,
	min_score integer DEFAULT NULL, OUT id bigint, OUT place bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_diverse_rows' LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;
CREATE FUNCTION diverse_rows(text, query text, k integer, threshold double precision DEFAULT NULL, max_distance integer DEFAULT NULL,
	min_score integer DEFAULT NULL, OUT id text, OUT place bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_diverse_rows' LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;
CREATE FUNCTION diverse_rows(anyelement, query text, k integer, threshold double precision DEFAULT NULL, max_distance integer DEFAULT NULL,
	min_score integer DEFAULT NULL, OUT id anyelement, OUT place bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_diverse_rows' LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION diverse_rows(text, integer, double precision, integer, integer) IS
	'the first k rows of an ordered query (id, fingerprint) of which no two are similar, and their places in it';
COMMENT ON FUNCTION diverse_rows(text, text, integer, double precision, integer, integer) IS
	'the first k rows of an ordered query (id, fingerprint) of which no two are similar, and their places in it; ids of type text';
COMMENT ON FUNCTION diverse_rows(anyelement, text, integer, double precision, integer, integer) IS
	'the first k rows of an ordered query (id, fingerprint) of which no two are similar, and their places in it; ids of the type of the first argument';

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

-- All similar pairs of a query's strings, by pg_trgm's similarity.

CREATE FUNCTION similar_string_pairs(query text, threshold double precision DEFAULT NULL,
	OUT a bigint, OUT b bigint, OUT similarity real) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_similar_string_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
CREATE FUNCTION similar_string_pairs(anyelement, query text, threshold double precision,
	OUT a anyelement, OUT b anyelement, OUT similarity real) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_similar_string_pairs' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000;
COMMENT ON FUNCTION similar_string_pairs(text, double precision) IS
	'all pairs of the strings of a query (id, string) whose similarity by pg_trgm reaches a threshold, by default pg_trgm.similarity_threshold';
COMMENT ON FUNCTION similar_string_pairs(anyelement, text, double precision) IS
	'the same for ids of the type of the first argument, whose value is not used';

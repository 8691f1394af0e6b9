-- A bulk function in three forms: with ids of type bigint, with ids of type text, and with ids of the type of its first argument, a typed NULL as for
-- json_populate_record. The form for text is one of its own, because a form with anyelement loses against the first form, whose first argument is exactly
-- a text. The argument after the query has no default where a type comes first: with one, f($1, $2) with parameters of unknown types would be ambiguous.
--
-- NAME, SYMBOL     the function, and the symbol in the library
-- QUERY            the query, or two
-- FIRST, DEFAULT   the argument after the query, its default in the first form
-- OPTIONS          the others, with a comma before each
-- BEFORE, A, BETWEEN, B, OUT, ROWS   the result: columns before the ids, both ids, columns between and after them with a comma before each; how many rows
-- COMMENT

CREATE FUNCTION @NAME@(@QUERY@, @FIRST@@DEFAULT@@OPTIONS@,
	@BEFORE@OUT @A@ bigint@BETWEEN@, OUT @B@ bigint@OUT@) RETURNS SETOF record
	AS 'MODULE_PATHNAME', '@SYMBOL@' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS @ROWS@;
CREATE FUNCTION @NAME@(text, @QUERY@, @FIRST@@OPTIONS@,
	@BEFORE@OUT @A@ text@BETWEEN@, OUT @B@ text@OUT@) RETURNS SETOF record
	AS 'MODULE_PATHNAME', '@SYMBOL@' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS @ROWS@;
CREATE FUNCTION @NAME@(anyelement, @QUERY@, @FIRST@@OPTIONS@,
	@BEFORE@OUT @A@ anyelement@BETWEEN@, OUT @B@ anyelement@OUT@) RETURNS SETOF record
	AS 'MODULE_PATHNAME', '@SYMBOL@' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS @ROWS@;
COMMENT ON FUNCTION @NAME@(@QUERY@, @FIRST@@OPTIONS_SIGNATURE@) IS
	'@COMMENT@';
COMMENT ON FUNCTION @NAME@(text, @QUERY@, @FIRST@@OPTIONS_SIGNATURE@) IS
	'@COMMENT@; ids of type text';
COMMENT ON FUNCTION @NAME@(anyelement, @QUERY@, @FIRST@@OPTIONS_SIGNATURE@) IS
	'@COMMENT@; ids of the type of the first argument';

-- Nearest neighbours by Hamming distance

CREATE FUNCTION simhash_nearest(row_type anyelement, column_name name, query simhash64, k integer) RETURNS SETOF anyelement
	AS 'MODULE_PATHNAME', 'txtfp_simhash_nearest' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10;
COMMENT ON FUNCTION simhash_nearest(anyelement, name, simhash64, integer) IS
	'the k rows of a table that are nearest to a SimHash, nearest first; the first argument names the table by its row type: NULL::my_table';

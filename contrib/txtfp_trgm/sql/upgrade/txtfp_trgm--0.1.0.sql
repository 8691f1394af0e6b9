-- The operator class: pg_trgm's operators, and what the access method asks of a class of sets of terms (src/pg/sketch/terms.cpp).

CREATE FUNCTION _trgm_sketch_terms(value text) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'txtfp_trgm_sketch_terms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION _trgm_sketch_terms(text) IS 'hashes of the trigrams of a text, for the access method sketch';

CREATE FUNCTION _trgm_sketch_threshold(strategy smallint) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_trgm_sketch_threshold' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _trgm_sketch_threshold(smallint) IS 'threshold of an operator of sketch_trgm_ops, from pg_trgm''s settings';

CREATE OPERATOR CLASS sketch_trgm_ops FOR TYPE text USING sketch AS
	OPERATOR 1 % (text, text),
	OPERATOR 2 %> (text, text),
	OPERATOR 3 pg_catalog.= (text, text),
	OPERATOR 4 %>> (text, text),
	OPERATOR 5 <% (text, text),
	OPERATOR 6 <<% (text, text),
	OPERATOR 11 <<<-> (text, text) FOR ORDER BY pg_catalog.float_ops,
	OPERATOR 12 <<-> (text, text) FOR ORDER BY pg_catalog.float_ops,
	OPERATOR 13 <->>> (text, text) FOR ORDER BY pg_catalog.float_ops,
	OPERATOR 14 <->> (text, text) FOR ORDER BY pg_catalog.float_ops,
	OPERATOR 15 <-> (text, text) FOR ORDER BY pg_catalog.float_ops,
	FUNCTION 1 (text, text) _terms_sketch_class(internal),
	FUNCTION 3 (text, text) _trgm_sketch_terms(text),
	FUNCTION 4 (text, text) _trgm_sketch_threshold(smallint),
	FUNCTION 5 (text, text) _terms_sketch_options(internal);
COMMENT ON OPERATOR CLASS sketch_trgm_ops USING sketch IS 'exact search by the similarity of pg_trgm, and in its order';
COMMENT ON OPERATOR FAMILY sketch_trgm_ops USING sketch IS 'exact search by the similarity of pg_trgm, and in its order';

-- The names above were looked up in the schemas of this extension, of txtfp and of pg_trgm. Another operator of the same name would have been taken
-- without a word.
DO $$
DECLARE
	stranger text;
BEGIN
	SELECT string_agg(o.amopopr::pg_catalog.regoperator::text, ', ') INTO stranger
	FROM pg_catalog.pg_amop o
	JOIN pg_catalog.pg_opfamily f ON f.oid OPERATOR(pg_catalog.=) o.amopfamily
	JOIN pg_catalog.pg_am a ON a.oid OPERATOR(pg_catalog.=) f.opfmethod
	WHERE f.opfname OPERATOR(pg_catalog.=) 'sketch_trgm_ops' AND a.amname OPERATOR(pg_catalog.=) 'sketch' AND o.amopstrategy OPERATOR(pg_catalog.<>) 3
	AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid
		WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) o.amopopr
		AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
		AND e.extname OPERATOR(pg_catalog.=) 'pg_trgm');
	IF stranger IS NOT NULL THEN
		RAISE EXCEPTION 'operators that are not those of pg_trgm have the same names: %', stranger
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Create the extension in another schema.';
	END IF;
END $$;
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

-- STABLE, so that a query like ORDER BY vector <=> embed('…', 'model')::vector can use an index.
CREATE FUNCTION embed(input text, model text, purpose text DEFAULT 'query') RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embed' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION embed(text, text, text) IS
	'vector of a text (purpose query or document), made by the program txtfp-embed beside the server';

-- Models cost time or money, so the administrator decides who may use them.
REVOKE ALL ON FUNCTION embed(text, text, text) FROM PUBLIC;

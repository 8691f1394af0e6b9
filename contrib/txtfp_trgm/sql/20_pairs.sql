-- All similar pairs of a query's strings, by pg_trgm's similarity.
--
-- The filters are those of AllPairs (Bayardo, Ma and Srikant, 2007) and PPJoin (Xiao, Wang, Lin and Yu, 2008). The trigrams of a string are put in
-- the order of their frequency, the rarest first. Two strings of similarity t have at least t times as many common trigrams as each of them has
-- trigrams; so one of the first n - ceil(t n) + 1 trigrams of each is common (the prefix), their numbers of trigrams differ by at most the factor t,
-- and after the first common trigram both have enough left. Pairs that pass are compared by similarity().
CREATE FUNCTION similar_string_pairs(query text, threshold double precision DEFAULT NULL,
	OUT a bigint, OUT b bigint, OUT similarity real) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 10000 AS $$
DECLARE
	trgm_schema CONSTANT name := (SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace WHERE e.extname OPERATOR(pg_catalog.=) 'pg_trgm');
	own_schema CONSTANT name := (SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace WHERE e.extname OPERATOR(pg_catalog.=) 'txtfp_trgm');
BEGIN
	IF query IS NULL THEN
		RETURN;
	END IF;
	IF threshold IS NULL THEN
		EXECUTE pg_catalog.format('SELECT %I.show_limit()', trgm_schema); -- loads the library, which defines the setting
		threshold := pg_catalog.current_setting('pg_trgm.similarity_threshold')::double precision;
	END IF;
	IF NOT (threshold OPERATOR(pg_catalog.>) 0 AND threshold OPERATOR(pg_catalog.<=) 1) THEN
		RAISE EXCEPTION 'threshold % is not above 0 and at most 1', threshold USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN QUERY EXECUTE pg_catalog.format($statement$
		WITH strings AS MATERIALIZED (
			SELECT q.id::bigint AS id, q.string::text AS string, pg_catalog.row_number() OVER () AS k FROM (%1$s
			) AS q (id, string) WHERE q.string IS NOT NULL),
		sets AS MATERIALIZED (
			SELECT s.k, terms, pg_catalog.cardinality(terms) AS n FROM strings AS s, %2$I._trgm_sketch_terms(s.string) AS terms),
		ranks AS MATERIALIZED (
			SELECT term, pg_catalog.row_number() OVER (ORDER BY pg_catalog.count(*), term) AS rank FROM sets, pg_catalog.unnest(terms) AS term GROUP BY term),
		ordered AS (
			SELECT s.k, s.n, r.rank, pg_catalog.row_number() OVER (PARTITION BY s.k ORDER BY r.rank) AS place
			FROM sets AS s, pg_catalog.unnest(s.terms) AS term JOIN ranks AS r USING (term)),
		prefixes AS MATERIALIZED (
			SELECT k, n, rank, place FROM ordered WHERE (place OPERATOR(pg_catalog.+) pg_catalog.ceil($2 OPERATOR(pg_catalog.*) n)) OPERATOR(pg_catalog.<=) (n OPERATOR(pg_catalog.+) 1)),
		candidates AS MATERIALIZED (
			SELECT DISTINCT x.k AS x, y.k AS y
			FROM prefixes AS x JOIN prefixes AS y ON x.rank OPERATOR(pg_catalog.=) y.rank AND x.k OPERATOR(pg_catalog.<) y.k
			WHERE y.n OPERATOR(pg_catalog.>=) ($2 OPERATOR(pg_catalog.*) x.n) AND x.n OPERATOR(pg_catalog.>=) ($2 OPERATOR(pg_catalog.*) y.n)
			-- one more than PPJoin has: hashes of different trigrams may be equal
			AND (2 OPERATOR(pg_catalog.+) LEAST(x.n OPERATOR(pg_catalog.-) x.place, y.n OPERATOR(pg_catalog.-) y.place)) OPERATOR(pg_catalog.>=) (($2 OPERATOR(pg_catalog./) (1 OPERATOR(pg_catalog.+) $2)) OPERATOR(pg_catalog.*) (x.n OPERATOR(pg_catalog.+) y.n))),
		compared AS (
			SELECT s.id AS a, t.id AS b, %3$I.similarity(s.string, t.string) AS similarity
			FROM candidates AS c JOIN strings AS s ON s.k OPERATOR(pg_catalog.=) c.x JOIN strings AS t ON t.k OPERATOR(pg_catalog.=) c.y)
		SELECT LEAST(a, b), GREATEST(a, b), similarity FROM compared WHERE similarity::double precision OPERATOR(pg_catalog.>=) $1$statement$, query, own_schema, trgm_schema)
		-- rounded similarities may reach a threshold that the true ones are just below
		USING threshold, threshold OPERATOR(pg_catalog.-) 1e-6;
END $$;
COMMENT ON FUNCTION similar_string_pairs(text, double precision) IS
	'all pairs of the strings of a query (id, string) whose similarity by pg_trgm reaches a threshold, by default pg_trgm.similarity_threshold';

-- Functions that look at plans, for the scripts that include this file.

-- The number of rows that the planner expects.
CREATE FUNCTION estimate(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;

-- The first index in the plan, or 'none'.
CREATE FUNCTION index_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	index text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		index := coalesce(index, substring(line, 'Index (?:Only )?Scan (?:on|using) (\w+)'));
	END LOOP;
	RETURN coalesce(index, 'none');
END $$;

-- The nodes of the plan, from the top, with their depth.
CREATE FUNCTION plan_nodes(query text) RETURNS TABLE (depth int, node json) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN QUERY WITH RECURSIVE nodes(path, node) AS (
		SELECT ARRAY[]::int[], plan->0->'Plan'
		UNION ALL SELECT path || i::int, child FROM nodes, json_array_elements(nodes.node->'Plans') WITH ORDINALITY AS c(child, i))
	SELECT cardinality(path), nodes.node FROM nodes ORDER BY path;
END $$;

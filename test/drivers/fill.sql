-- Documents that have nothing in common, enough of them that the planner uses the index for every search.
INSERT INTO docs (body)
SELECT (SELECT string_agg(md5(format('%s %s', i, j)), ' ') FROM generate_series(1, 40) AS j) FROM generate_series(1, 5000) AS i;
ANALYZE docs;

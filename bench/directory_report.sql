-- The table of bench/directory.sh. Variable: schema.
\pset footer off
SET search_path = :schema, pg_catalog;
SELECT what, rows, round(max(value) FILTER (WHERE method = 'none')::numeric, 2) AS "no index", round(max(value) FILTER (WHERE method = 'gin')::numeric, 2) AS "GIN",
	round(max(value) FILTER (WHERE method = 'planes')::numeric, 2) AS "planes", round(max(value) FILTER (WHERE method = 'directory')::numeric, 2) AS "directory",
	round(max(value) FILTER (WHERE method = 'sixteen')::numeric, 2) AS "16 bands, recall 0.99",
	round((max(value) FILTER (WHERE method = 'directory') / nullif(max(value) FILTER (WHERE method = 'gin'), 0))::numeric, 3) AS "directory / GIN"
FROM result GROUP BY what, rows ORDER BY what, rows;

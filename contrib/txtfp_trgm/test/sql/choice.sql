CREATE EXTENSION btree_gist;
-- Which of sketch, GIN and GiST on one column the planner takes; bench/planner.sh measures whether it is right.
CREATE TABLE titles (id int PRIMARY KEY, tenant int, title text);
INSERT INTO titles SELECT i, i % 10, concat_ws(' ', md5(i::text), left(md5((i / 7)::text), 12), 'title') FROM generate_series(1, 6000) AS i;
CREATE INDEX titles_sketch ON titles USING sketch (title sketch_trgm_ops);
CREATE INDEX titles_gin ON titles USING gin (title gin_trgm_ops);
CREATE INDEX titles_gist ON titles USING gist (title gist_trgm_ops (siglen = 64));
CREATE INDEX titles_tenant ON titles USING sketch (tenant, upper(title) sketch_trgm_ops);
CREATE INDEX titles_upper ON titles USING gist (id, upper(title) gist_trgm_ops);
CREATE INDEX titles_part ON titles USING gist (title gist_trgm_ops) WHERE id < 0;
VACUUM ANALYZE titles;
CREATE FUNCTION taken(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN coalesce((SELECT string_agg(DISTINCT name #>> '{}', ' ') FROM jsonb_path_query(plan, '$.**."Index Name"') AS name), 'no index');
END $$;
CREATE TABLE queries (number int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query) VALUES ('SELECT id FROM titles WHERE title % ''c4ca4238a0b92382 title'''), ('SELECT count(*) FROM titles WHERE title %> ''c4ca4238a0b9'''), ('SELECT id FROM titles ORDER BY title <-> ''c4ca4238a0b92382'' LIMIT 1'),
	('SELECT id FROM titles ORDER BY title <-> ''c4ca4238a0b92382'' LIMIT 100'), ('SELECT id FROM titles ORDER BY ''c4ca4238a0b9'' <<-> title LIMIT 10'), ('SELECT id FROM titles WHERE title % ''c4ca title'' ORDER BY title <-> ''c4ca'' LIMIT 5'),
	('SELECT id FROM titles WHERE title <% ''c4ca4238a0b92382 title'''),
	('SELECT id FROM titles WHERE tenant = 3 AND upper(title) % ''C4CA4238A0B92382''');
SELECT query, taken(query) FROM queries ORDER BY number;
SELECT taken('SELECT id FROM titles WHERE title LIKE ''%c4ca4238a0%''') ~ 'gi[ns]t?$' AS like_by_pg_trgm;
-- Without GiST, whose costs PostgreSQL estimates as much too low
DROP INDEX titles_gist;
SELECT query, taken(query) FROM queries ORDER BY number;
DROP TABLE titles, queries;
DROP FUNCTION taken;
DROP EXTENSION btree_gist;

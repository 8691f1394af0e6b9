-- Times statements of one row, for live_clusters.sql and triggers.sql; to be included after the table `fresh` (id, …) has been made, whose rows
-- they use. Variable: body, the timed statement in PL/pgSQL. In it, `row` is a row of fresh, and `statement` an argument of measure().

CREATE TABLE sample (variant text, what text, us float8);
CREATE SEQUENCE used;

-- Runs the timed statement for n rows of fresh that have not been used before, each in a transaction of its own, so that locks are taken for
-- each. Adds the times by the clock to the table `sample`.
SELECT format($format$
CREATE PROCEDURE measure(variant text, what text, n int, statement text DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	row fresh;
	started timestamptz;
	times float8[] := '{}';
	first bigint := nextval('used') * n;
BEGIN
	FOR row IN SELECT * FROM fresh WHERE id > first AND id <= first + n LOOP
		started := clock_timestamp();
		%s;
		times := times || extract(epoch FROM clock_timestamp() - started)::float8 * 1e6;
		COMMIT;
	END LOOP;
	IF cardinality(times) <> n THEN
		RAISE EXCEPTION 'only %% of %% statements run', cardinality(times), n;
	END IF;
	INSERT INTO sample SELECT variant, what, unnest(times);
	COMMIT;
END $$$format$, :'body') \gexec

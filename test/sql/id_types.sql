-- The forms of the bulk functions with ids of another type: the same call for every type, also with parameters whose types the client does not tell.
\set VERBOSITY terse
CREATE TABLE typed AS SELECT i AS id, to_minhash128('one two three four five six seven ' || i / 2) AS fp, to_passages('one two three four five six seven ' || i / 2, 3) AS p FROM generate_series(1, 6) AS i;

-- %1$s is the type of the ids, %2$L a query of fingerprints, %3$L one of passages, %4$L one of pairs, %5$L one of scored pairs, %6$L one of texts.
CREATE TABLE calls (call text);
INSERT INTO calls VALUES ('near_duplicate_pairs(NULL::%1$s, %2$L, 0.9)'), ('near_duplicate_pairs(NULL::%1$s, %2$L, 1)'), ('near_duplicate_pairs(NULL::%1$s, %2$L, NULL)'),
	('near_duplicate_pairs(NULL::%1$s, %2$L, threshold => NULL, recall => 0.9)'), ('near_duplicate_pairs(NULL::%1$s, query => %2$L, threshold => 0.9)'),
	('near_duplicate_pairs_between(NULL::%1$s, %2$L, %2$L, 1)'), ('near_duplicate_pairs_between(NULL::%1$s, %2$L, %2$L, 0.9, 0.9)'),
	('near_duplicate_clusters(NULL::%1$s, %2$L, 1)'), ('near_duplicate_clusters(NULL::%1$s, %2$L, 0.9, ''star'')'), ('near_duplicate_clusters(NULL::%1$s, %2$L, threshold => NULL)'),
	('deduplicate(NULL::%1$s, %2$L, 1)'), ('deduplicate(NULL::%1$s, %2$L, 0.9, NULL)'), ('connected_components(NULL::%1$s, %4$L)'),
	('passage_pairs(NULL::%1$s, %3$L, 1)'), ('passage_pairs(NULL::%1$s, %3$L, 1, 50)'), ('passage_pairs_between(NULL::%1$s, %3$L, %3$L, 1)'),
	('deduplicate_passages(NULL::%1$s, %6$L, ''line'')'), ('deduplicate_passages(NULL::%1$s, %6$L, ''line'', 3)'), ('deduplicate_passages_between(NULL::%1$s, %6$L, %6$L, ''line'')'),
	('removal_sample(NULL::%1$s, %5$L, 10)'), ('removal_sample(NULL::%1$s, %5$L, 10, 7)');
CREATE FUNCTION answers(call text, type text, OUT answers bigint, OUT types text) LANGUAGE plpgsql AS $$
DECLARE
	id text := CASE type WHEN 'uuid' THEN 'md5(id::text)::uuid' ELSE 'id::' || type END;
	next_id text := CASE type WHEN 'uuid' THEN 'md5((id + 1)::text)::uuid' ELSE '(id + 1)::' || type END;
BEGIN
	EXECUTE format('SELECT count(*), string_agg(DISTINCT pg_typeof(%s)::text, '' '') FROM ', CASE WHEN call ~ 'pairs' THEN 'a' ELSE 'id' END)
		|| format(call, type, format('SELECT %s, fp FROM typed', id), format('SELECT %s, p FROM typed', id), format('SELECT %s, %s FROM typed', id, next_id),
			format('SELECT %s, %s, 0.5::float8 FROM typed', id, next_id), format('SELECT %s, ''one two three four five '' || id / 2 FROM typed', id)) INTO answers, types;
EXCEPTION WHEN others THEN
	types := SQLERRM;
END $$;
SELECT call, string_agg(DISTINCT answers::text, ' ') AS answers, string_agg(types, ', ' ORDER BY n) AS "int, bigint, uuid, text"
FROM calls, unnest('{int,bigint,uuid,text}'::text[]) WITH ORDINALITY AS t (type, n), answers(call, type) GROUP BY call ORDER BY call COLLATE "C";

-- Drivers that leave the types to the server
CREATE FUNCTION prepared(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	types text;
BEGIN
	EXECUTE 'PREPARE untyped AS SELECT * FROM ' || call;
	SELECT array_to_string(parameter_types, ', ') INTO types FROM pg_prepared_statements WHERE name = 'untyped';
	DEALLOCATE untyped;
	RETURN types;
EXCEPTION WHEN others THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT call, prepared(call) FROM unnest(ARRAY['near_duplicate_pairs($1)', 'near_duplicate_pairs($1, $2)', 'near_duplicate_pairs($1, threshold => $2, recall => $3)', 'near_duplicate_pairs(NULL::uuid, $1, $2)',
	'near_duplicate_pairs(NULL::text, $1, $2)', 'near_duplicate_pairs(NULL::text, $1, threshold => $2)', 'near_duplicate_pairs_between($1, $2)', 'near_duplicate_pairs_between($1, $2, $3)', 'near_duplicate_pairs_between(NULL::text, $1, $2, $3)',
	'near_duplicate_clusters($1, $2)', 'near_duplicate_clusters(NULL::text, $1, threshold => $2)', 'deduplicate($1, $2)', 'deduplicate(NULL::text, $1, threshold => $2, verify => $3)', 'connected_components($1)', 'connected_components(NULL::text, $1)',
	'passage_pairs($1)', 'passage_pairs($1, $2)', 'passage_pairs(NULL::text, $1, $2)', 'passage_pairs_between($1, $2)', 'passage_pairs_between($1, $2, $3)', 'passage_pairs_between(NULL::uuid, $1, $2, $3)', 'removal_sample($1, $2)', 'removal_sample($1, n => $2, seed => $3)',
	'removal_sample(NULL::text, $1, $2)', 'near_duplicate_pairs($1, $2, $3)', 'removal_sample($1, $2, $3)']) AS call;

-- What a call of three untyped parameters with the query first means is told by the error.
\set VERBOSITY default
PREPARE untyped AS SELECT * FROM near_duplicate_pairs($1, $2, $3);
EXECUTE untyped ('SELECT id, fp FROM typed', '0.9', 0.9);
SELECT * FROM removal_sample('SELECT id, id, 1.0::float8 FROM typed'::text, '10', 1);
SELECT removal_sample(NULL::text, 'SELECT ''a'', ''b'', NULL::float8', 10);
SELECT near_duplicate_pairs(NULL::text, 'SELECT id, fp FROM typed', 0.9);
SELECT deduplicate_passages('SELECT id, ''a'' FROM typed'::text, 'line'::text, 'word');
DROP TABLE typed, calls;
DROP FUNCTION answers, prepared;

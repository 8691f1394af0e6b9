\echo Use "CREATE EXTENSION txtfp_embed" to load this file. \quit
-- STABLE, so that a query like ORDER BY vector <=> embed('…', 'model')::vector can use an index.
CREATE FUNCTION embed(input text, model text, purpose text DEFAULT 'query') RETURNS real[]
	AS 'MODULE_PATHNAME', 'txtfp_embed' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION embed(text, text, text) IS
	'vector of a text (purpose query or document), made by the program txtfp-embed beside the server';

-- Models cost time or money, so the administrator decides who may use them.
REVOKE ALL ON FUNCTION embed(text, text, text) FROM PUBLIC;
-- ------------------------------------------------------------------------------------------------ tables
CREATE TABLE embed_queues (
	id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	source regclass NOT NULL,
	key_column name NOT NULL,
	text_column name NOT NULL,
	target_column name NOT NULL,
	model text NOT NULL,
	created timestamptz NOT NULL DEFAULT pg_catalog.now(),
	UNIQUE (source, target_column)
);
COMMENT ON TABLE embed_queues IS 'tables whose texts are embedded by workers of txtfp-embed, see embed_queue()';

-- Only the number is unique: a writer only appends, and never waits for a worker that holds an older job of the same row.
CREATE TABLE embed_jobs (
	queue int NOT NULL REFERENCES embed_queues ON DELETE CASCADE,
	id bigint GENERATED ALWAYS AS IDENTITY,
	key text NOT NULL,
	attempts int NOT NULL DEFAULT 0,
	queued timestamptz NOT NULL DEFAULT pg_catalog.now(),
	PRIMARY KEY (queue, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
COMMENT ON TABLE embed_jobs IS 'rows that wait to be embedded';

CREATE TABLE embed_failures (
	queue int NOT NULL REFERENCES embed_queues ON DELETE CASCADE,
	key text NOT NULL,
	state text NOT NULL CHECK (state OPERATOR(pg_catalog.=) ANY (ARRAY['waiting', 'queued', 'given up'])),
	attempts int NOT NULL,
	reason text NOT NULL,
	failed timestamptz NOT NULL DEFAULT pg_catalog.now(),
	retry timestamptz,
	PRIMARY KEY (queue, key)
);
COMMENT ON TABLE embed_failures IS
	'rows that could not be embedded, and why; "waiting" for the time of the next attempt, "queued" for it, or "given up"';

CREATE TABLE embed_workers (
	pid int PRIMARY KEY,
	started timestamptz NOT NULL DEFAULT pg_catalog.now(),
	seen timestamptz NOT NULL DEFAULT pg_catalog.now(),
	rows_done bigint NOT NULL DEFAULT 0,
	rows_failed bigint NOT NULL DEFAULT 0,
	rows_per_second real NOT NULL DEFAULT 0
);
COMMENT ON TABLE embed_workers IS 'what each worker of txtfp-embed has done; pid is that of its server process';

REVOKE ALL ON embed_queues, embed_jobs, embed_failures, embed_workers FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('embed_queues', '');
SELECT pg_catalog.pg_extension_config_dump('embed_jobs', '');
SELECT pg_catalog.pg_extension_config_dump('embed_failures', '');
SELECT pg_catalog.pg_extension_config_dump('embed_queues_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('embed_jobs_id_seq', '');

-- ------------------------------------------------------------------------------------------------ triggers
-- Arguments: number of the queue, key column, text column. SECURITY DEFINER, because users who write the table must not need
-- rights on the queue. Therefore no code of the table's owner may run here: keys have types whose cast to text is PostgreSQL's own.
CREATE FUNCTION embed_enqueue() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM FROM pg_attribute WHERE attrelid = TG_RELID AND attname = TG_ARGV[1]
		AND atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype);
	IF NOT FOUND THEN
		RAISE EXCEPTION 'column "%" of table "%" is no key of an embedding queue any more', TG_ARGV[1], TG_TABLE_NAME
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Drop the queue with embed_queue_drop() and make it anew.';
	END IF;
	IF TG_LEVEL = 'STATEMENT' THEN
		-- Without the transition table, the name might be found in a temporary schema of another user.
		PERFORM FROM pg_trigger WHERE tgrelid = TG_RELID AND tgname = TG_NAME AND tgnewtable = 'txtfp_embed_new';
		IF NOT FOUND THEN
			RAISE EXCEPTION 'trigger "%" was not made by embed_queue()', TG_NAME USING ERRCODE = 'object_not_in_prerequisite_state';
		END IF;
		EXECUTE format('INSERT INTO @extschema@.embed_jobs (queue, key) SELECT $1, %1$I::pg_catalog.text FROM txtfp_embed_new WHERE %2$I IS NOT NULL',
			TG_ARGV[1], TG_ARGV[2]) USING TG_ARGV[0]::int;
	ELSE
		EXECUTE format('INSERT INTO @extschema@.embed_jobs (queue, key) SELECT $1, ($2).%1$I::pg_catalog.text', TG_ARGV[1])
			USING TG_ARGV[0]::int, NEW;
	END IF;
	RETURN NULL;
END $$;
COMMENT ON FUNCTION embed_enqueue() IS 'trigger of embed_queue(): notes which rows are to be embedded';
REVOKE ALL ON FUNCTION embed_enqueue() FROM PUBLIC;

CREATE FUNCTION embed_queue(source regclass, key name, input name, target name, model text) RETURNS int
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	queue int;
	one name;
	changed text;
BEGIN
	IF source IS NULL OR key IS NULL OR input IS NULL OR target IS NULL OR model IS NULL THEN
		RAISE EXCEPTION 'arguments of embed_queue must not be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOREACH one IN ARRAY ARRAY[key, input, target] LOOP
		PERFORM FROM pg_attribute WHERE attrelid = source AND attname = one AND attnum > 0 AND NOT attisdropped;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'column "%" of table "%" does not exist', one, source USING ERRCODE = 'undefined_column';
		END IF;
	END LOOP;
	PERFORM FROM pg_attribute WHERE attrelid = source AND attname = key
		AND atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype);
	IF NOT FOUND THEN
		RAISE EXCEPTION 'column "%" cannot be the key of an embedding queue', key USING ERRCODE = 'datatype_mismatch',
			HINT = 'A key is of type smallint, integer, bigint, uuid, text or varchar.';
	END IF;
	PERFORM FROM pg_attribute WHERE attrelid = source AND attname = input AND atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype);
	IF NOT FOUND THEN
		RAISE EXCEPTION 'column "%" is no text', input USING ERRCODE = 'datatype_mismatch';
	END IF;
	PERFORM FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		WHERE i.indrelid = source AND i.indisunique AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indisvalid AND a.attname = key;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'column "%" is not unique', key USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It needs a primary key or a unique index of its own.';
	END IF;
	INSERT INTO @extschema@.embed_queues (source, key_column, text_column, target_column, model)
		VALUES (embed_queue.source, key, input, target, embed_queue.model) RETURNING id INTO queue;
	EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %s REFERENCING NEW TABLE AS txtfp_embed_new FOR EACH STATEMENT
		EXECUTE FUNCTION @extschema@.embed_enqueue(%L, %L, %L)', 'embed_queue_insert_' || queue, source, queue, key, input);
	changed := format('(OLD.%1$I IS DISTINCT FROM NEW.%1$I OR OLD.%2$I IS DISTINCT FROM NEW.%2$I)', input, key);
	EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %s FOR EACH ROW WHEN %s
		EXECUTE FUNCTION @extschema@.embed_enqueue(%L, %L, %L)', 'embed_queue_update_' || queue, source, changed, queue, key, input);
	-- The locks of CREATE TRIGGER keep writers out until all of this is committed.
	EXECUTE format('INSERT INTO @extschema@.embed_jobs (queue, key) SELECT $1, %1$I::text FROM %2$s WHERE %3$I IS NOT NULL AND %4$I IS NULL ORDER BY %1$I',
		key, source, input, target) USING queue;
	RETURN queue;
END $$;
COMMENT ON FUNCTION embed_queue(regclass, name, name, name, text) IS
	'has workers of txtfp-embed keep a column of embeddings for the texts of a table; the number of the queue';

CREATE FUNCTION embed_queue_drop(queue int) RETURNS void LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass;
BEGIN
	DELETE FROM @extschema@.embed_queues q WHERE q.id = queue RETURNING q.source INTO source;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no embedding queue %', queue USING ERRCODE = 'undefined_object';
	END IF;
	IF EXISTS (SELECT FROM pg_class c WHERE c.oid = source) THEN
		EXECUTE format('DROP TRIGGER IF EXISTS %I ON %s', 'embed_queue_insert_' || queue, source);
		EXECUTE format('DROP TRIGGER IF EXISTS %I ON %s', 'embed_queue_update_' || queue, source);
	END IF;
END $$;
COMMENT ON FUNCTION embed_queue_drop(int) IS 'ends a queue; the embeddings that are there stay';

CREATE FUNCTION embed_retry(queue int DEFAULT NULL) RETURNS bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
	WITH again AS (
		UPDATE @extschema@.embed_failures f SET state = 'queued', retry = NULL
			WHERE f.state <> 'queued' AND (embed_retry.queue IS NULL OR f.queue = embed_retry.queue) RETURNING f.queue, f.key),
	jobs AS (INSERT INTO @extschema@.embed_jobs (queue, key, attempts) SELECT a.queue, a.key, 1 FROM again a RETURNING 1)
	SELECT count(*) FROM jobs
$$;
COMMENT ON FUNCTION embed_retry(int) IS 'queues again what failed, in one queue or in all; the number of rows';

REVOKE ALL ON FUNCTION embed_queue(regclass, name, name, name, text), embed_queue_drop(int), embed_retry(int) FROM PUBLIC;

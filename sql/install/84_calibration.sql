-- Choosing a threshold and a banding

CREATE FUNCTION minhash_advice(edits double precision, recall double precision DEFAULT 0.99, damage text DEFAULT 'words',
	OUT tokenizer text, OUT similarity double precision, OUT threshold double precision, OUT bands integer, OUT rows integer,
	OUT recommended boolean, OUT advice text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_minhash_advice_v2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 4;
COMMENT ON FUNCTION minhash_advice(double precision, double precision, text) IS
	'tokenizer, threshold, banding and statements that catch copies with at most a share of the words, or characters, replaced';

-- STABLE and UNSAFE like the bulk functions: it runs any query, twice.
CREATE FUNCTION similarity_histogram(query text, sample integer DEFAULT 100, buckets integer DEFAULT 20,
	OUT low double precision, OUT high double precision, OUT pairs bigint, OUT per_row double precision, OUT bar text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_similarity_histogram' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 20;
COMMENT ON FUNCTION similarity_histogram(text, integer, integer) IS
	'histogram of the similarities between a sample of the fingerprints of a query and all of them';

-- Recall of an index. STABLE: reads the table in the snapshot of the statement. PARALLEL UNSAFE: scans the table itself.

-- Not strict: only the limit of the index's kind may be given.
CREATE FUNCTION fingerprint_index_recall(index regclass, sample integer DEFAULT 100, threshold double precision DEFAULT NULL,
	max_distance integer DEFAULT NULL, min_score integer DEFAULT NULL, nearest integer DEFAULT NULL,
	OUT rows bigint, OUT probes integer, OUT expected bigint, OUT found bigint, OUT recall double precision,
	OUT promise double precision) RETURNS record
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_index_recall_v2' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION fingerprint_index_recall(regclass, integer, double precision, integer, integer, integer) IS
	'share of the similar rows that an index on fingerprints finds, for a sample of the rows of its table';

-- What an index is made for and what is in it. VOLATILE: the state of the moment, and the counts of the session, which no worker has.

CREATE FUNCTION fingerprint_index_info(index regclass, OUT indexed text, OUT access_method text, OUT operator_class text,
	OUT bands integer, OUT rows integer, OUT reach double precision, OUT recall double precision,
	OUT fastupdate boolean, OUT pending_pages bigint, OUT pending_rows bigint,
	OUT tables integer, OUT covered_rows bigint, OUT other_rows bigint, OUT table_bytes bigint, OUT free_bytes bigint,
	OUT by_bands bigint, OUT by_leading_columns bigint, OUT of_all_groups bigint, OUT groups_read bigint,
	OUT rows_compared bigint, OUT rows_returned bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_fingerprint_index_info_v2' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED COST 100 ROWS 1;
COMMENT ON FUNCTION fingerprint_index_info(regclass) IS
	'what each fingerprint column of an index is made for: banding, reach (lowest similarity or score, greatest distance), promised recall; pending list of GIN; band directory of sketch, and what the searches of this session did in it';

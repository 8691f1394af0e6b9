-- The functions: signatures, volatility, strictness, parallel safety, cost
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT plan(14);

CREATE TEMP VIEW ours AS
SELECT pg_proc.*, pg_proc.oid::regprocedure AS signature, (proname || '(' || pg_get_function_arguments(pg_proc.oid) || ')') COLLATE "default" AS arguments,
	pg_get_function_result(pg_proc.oid) COLLATE "default" AS result
FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e' JOIN pg_extension ON pg_extension.oid = refobjid AND extname = 'txtfp'
WHERE prokind = 'f'; -- aggregates: aggregates.sql
-- Functions for users. The names of the others, which only types, operators, indexes and the planner call, begin with an underscore.
CREATE TEMP VIEW public_ones AS SELECT * FROM ours WHERE proname !~ '^_';

SELECT bag_eq('SELECT arguments, result FROM public_ones', $$
	VALUES ('canonicalize(doc text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'text'),
		('tokenize(doc text, tokenizer text DEFAULT ''word-uax29''::text)', 'text[]'),
		('lsh_params(threshold double precision, num_slots integer, recall double precision DEFAULT NULL::double precision, OUT bands integer, OUT rows integer)', 'record'),
		('lsh_probability(similarity double precision, bands integer, rows integer)', 'double precision'),
		('to_simhash64(doc text, tokenizer text DEFAULT ''shingle-k=2/word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint, weighting text DEFAULT ''tf''::text, idf jsonb DEFAULT NULL::jsonb)', 'simhash64'),
		('to_simhash64(features text[], weights double precision[])', 'simhash64'),
		('to_simhash64(tokens text[])', 'simhash64'),
		('to_simhash64(tokens text[], hash text, seed bigint, weighting text DEFAULT ''tf''::text, idf jsonb DEFAULT NULL::jsonb)', 'simhash64'),
		('fingerprint_metadata(fp fingerprint, canonicalizer text, tokenizer text, algorithm text)', 'jsonb'),
		('hamming(a simhash64, b simhash64)', 'integer'),
		('cosine_estimate(a simhash64, b simhash64)', 'double precision'),
		('simhash_similar(a simhash64, b simhash64, max_distance integer)', 'boolean'),
		('config_hash(canonicalizer text, tokenizer text, algorithm text, hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint)', 'text'),
		('fingerprint_name(fp fingerprint)', 'text'),
		('fingerprint_metadata(fp fingerprint)', 'jsonb'),
		('fingerprint_similarity(a fingerprint, b fingerprint)', 'double precision'),
		('to_lavinhash(doc bytea, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true)', 'lavinhash'),
		('to_lavinhash(doc text, min_modulus integer DEFAULT 16, chunked boolean DEFAULT true)', 'lavinhash'),
		('lavinhash_similarity(a lavinhash, b lavinhash, alpha double precision DEFAULT 0.3)', 'integer'),
		('lavinhash_structure(a lavinhash, b lavinhash)', 'double precision'),
		('lavinhash_content(a lavinhash, b lavinhash)', 'double precision'),
		('lavinhash_distance(a lavinhash, b lavinhash)', 'integer'),
		('lavinhash_similar(a lavinhash, b lavinhash, min_score integer)', 'boolean'),
		('to_tlsh(doc text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'tlsh'),
		('to_tlsh(data bytea)', 'tlsh'),
		('tlsh_reason(doc text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'text'),
		('tlsh_reason(data bytea)', 'text'),
		('tlsh_distance(a tlsh, b tlsh, with_length boolean DEFAULT true)', 'integer'),
		('tlsh_similar(a tlsh, b tlsh, max_distance integer)', 'boolean'),
		('tlsh_header(fp tlsh, OUT checksum integer, OUT length_class integer, OUT q1_ratio integer, OUT q2_ratio integer)', 'record'),
		('to_embedding(vector real[], model text DEFAULT NULL::text)', 'embedding'),
		('semantic_similarity(a embedding, b embedding)', 'real'),
		('cosine_similarity(a embedding, b embedding)', 'real'),
		('cosine_distance(a embedding, b embedding)', 'double precision'),
		('inner_product(a embedding, b embedding)', 'real'),
		('l2_norm(value embedding)', 'real'),
		('l2_normalize(value embedding)', 'embedding'),
		('embedding_dims(value embedding)', 'integer'),
		('embedding_model(value embedding)', 'text'),
		('to_simhash64(value embedding, seed bigint DEFAULT ''828927532781''::bigint)', 'simhash64'),
		('simhash_max_distance(similarity double precision, recall double precision DEFAULT 0.99)', 'integer'),
		('embedding_pool(hidden real[], dim integer, mask integer[] DEFAULT NULL::integer[], pooling text DEFAULT ''mean''::text)', 'real[]'),
		('chunk_for_model(input text, max_tokens integer DEFAULT 256, overlap integer DEFAULT 32, mode text DEFAULT ''sentence''::text)', 'text[]'),
		('sketch_check(index regclass, heapallindexed boolean DEFAULT false)', 'bigint'),
		('fingerprint_trigger()', 'trigger'),
		('near_duplicate_trigger()', 'trigger'),
		('live_clusters_trigger()', 'trigger'),
		('live_clusters_check(relation regclass, clusters name DEFAULT NULL::name, OUT part text, OUT id text, OUT stored text, OUT expected text)', 'SETOF record'),
		('live_clusters_kept(relation regclass, id anyelement, clusters name DEFAULT NULL::name, OUT kept anyelement, OUT similarity double precision, OUT jaccard double precision, OUT containment double precision, OUT priority double precision, OUT kept_priority double precision, OUT since timestamp with time zone, OUT until timestamp with time zone)', 'SETOF record'),
		('near_duplicate_trigger_stats(OUT trigger oid, OUT relation regclass, OUT checked bigint, OUT found bigint, OUT found_by bigint[], OUT reviewed bigint)', 'SETOF record'),
		('near_duplicate_pairs(query text, threshold double precision DEFAULT NULL::double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT a bigint, OUT b bigint, OUT similarity double precision)', 'SETOF record'),
		('near_duplicate_pairs(text, query text, threshold double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT a text, OUT b text, OUT similarity double precision)', 'SETOF record'),
		('near_duplicate_pairs(anyelement, query text, threshold double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT a anyelement, OUT b anyelement, OUT similarity double precision)', 'SETOF record'),
		('near_duplicate_pairs_between(query_a text, query_b text, threshold double precision DEFAULT NULL::double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, nearest boolean DEFAULT false, signals boolean DEFAULT false, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, OUT a bigint, OUT b bigint, OUT similarity double precision, OUT score double precision, OUT signals difference_signals)', 'SETOF record'),
		('near_duplicate_pairs_between(text, query_a text, query_b text, threshold double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, nearest boolean DEFAULT false, signals boolean DEFAULT false, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, OUT a text, OUT b text, OUT similarity double precision, OUT score double precision, OUT signals difference_signals)', 'SETOF record'),
		('near_duplicate_pairs_between(anyelement, query_a text, query_b text, threshold double precision, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, nearest boolean DEFAULT false, signals boolean DEFAULT false, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, OUT a anyelement, OUT b anyelement, OUT similarity double precision, OUT score double precision, OUT signals difference_signals)', 'SETOF record'),
		('bulk_progress(OUT pid integer, OUT database name, OUT function text, OUT phase text, OUT done bigint, OUT total bigint, OUT started timestamp with time zone)', 'SETOF record'),
		('near_duplicate_clusters(query text, threshold double precision DEFAULT NULL::double precision, mode text DEFAULT ''components''::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, max_size integer DEFAULT NULL::integer, thresholds double precision[] DEFAULT NULL::double precision[], OUT id bigint, OUT cluster bigint, OUT size bigint, OUT similarity double precision, OUT formed_at double precision)', 'SETOF record'),
		('near_duplicate_clusters(text, query text, threshold double precision, mode text DEFAULT ''components''::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, max_size integer DEFAULT NULL::integer, thresholds double precision[] DEFAULT NULL::double precision[], OUT id text, OUT cluster text, OUT size bigint, OUT similarity double precision, OUT formed_at double precision)', 'SETOF record'),
		('near_duplicate_clusters(anyelement, query text, threshold double precision, mode text DEFAULT ''components''::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, max_size integer DEFAULT NULL::integer, thresholds double precision[] DEFAULT NULL::double precision[], OUT id anyelement, OUT cluster anyelement, OUT size bigint, OUT similarity double precision, OUT formed_at double precision)', 'SETOF record'),
		('deduplicate(query text, threshold double precision DEFAULT NULL::double precision, verify text DEFAULT NULL::text, verify_threshold double precision DEFAULT NULL::double precision, explain boolean DEFAULT false, tokenizer text DEFAULT NULL::text, canonicalizer text DEFAULT NULL::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, signals boolean DEFAULT false, guard text DEFAULT NULL::text, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, OUT id bigint, OUT kept bigint, OUT similarity double precision, OUT jaccard double precision, OUT containment double precision, OUT reason text, OUT kept_containment double precision, OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals)', 'SETOF record'),
		('deduplicate(text, query text, threshold double precision, verify text DEFAULT NULL::text, verify_threshold double precision DEFAULT NULL::double precision, explain boolean DEFAULT false, tokenizer text DEFAULT NULL::text, canonicalizer text DEFAULT NULL::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, signals boolean DEFAULT false, guard text DEFAULT NULL::text, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, OUT id text, OUT kept text, OUT similarity double precision, OUT jaccard double precision, OUT containment double precision, OUT reason text, OUT kept_containment double precision, OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals)', 'SETOF record'),
		('deduplicate(anyelement, query text, threshold double precision, verify text DEFAULT NULL::text, verify_threshold double precision DEFAULT NULL::double precision, explain boolean DEFAULT false, tokenizer text DEFAULT NULL::text, canonicalizer text DEFAULT NULL::text, recall double precision DEFAULT NULL::double precision, bands integer DEFAULT NULL::integer, rows integer DEFAULT NULL::integer, grouped boolean DEFAULT false, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, signals boolean DEFAULT false, guard text DEFAULT NULL::text, rule jsonb DEFAULT NULL::jsonb, min_precision double precision DEFAULT NULL::double precision, apart text DEFAULT NULL::text, together text DEFAULT NULL::text, OUT id anyelement, OUT kept anyelement, OUT similarity double precision, OUT jaccard double precision, OUT containment double precision, OUT reason text, OUT kept_containment double precision, OUT outcome text, OUT score double precision, OUT neighbours integer, OUT kept_neighbours integer, OUT signals difference_signals)', 'SETOF record'),
		('fingerprint_index_recall(index regclass, sample integer DEFAULT 100, threshold double precision DEFAULT NULL::double precision, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, nearest integer DEFAULT NULL::integer, OUT rows bigint, OUT probes integer, OUT expected bigint, OUT found bigint, OUT recall double precision, OUT promise double precision)', 'record'),
		('fingerprint_index_info(index regclass, OUT indexed text, OUT access_method text, OUT operator_class text, OUT bands integer, OUT rows integer, OUT reach double precision, OUT recall double precision, OUT fastupdate boolean, OUT pending_pages bigint, OUT pending_rows bigint, OUT tables integer, OUT covered_rows bigint, OUT other_rows bigint, OUT table_bytes bigint, OUT free_bytes bigint, OUT by_bands bigint, OUT by_leading_columns bigint, OUT of_all_groups bigint, OUT groups_read bigint, OUT rows_compared bigint, OUT rows_returned bigint)', 'SETOF record'),
		('text_jaccard(a text, b text, tokenizer text DEFAULT ''shingle-k=5/word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'double precision'),
		('text_containment(a text, b text, tokenizer text DEFAULT ''shingle-k=5/word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'double precision'),
		('shared_passages(a text, b text, min_words integer DEFAULT 5, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, tokenizer text DEFAULT ''word-uax29''::text, longest boolean DEFAULT false, OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT words integer)', 'SETOF record'),
		('mark_shared_passages(a text, b text, start_mark text DEFAULT ''<b>''::text, stop_mark text DEFAULT ''</b>''::text, min_words integer DEFAULT 5, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, tokenizer text DEFAULT ''word-uax29''::text)', 'text'),
		('text_difference(a text, b text, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT kind text, OUT a_start integer, OUT a_length integer, OUT b_start integer, OUT b_length integer, OUT a_text text, OUT b_text text)', 'SETOF record'),
		('mark_difference(a text, b text, deleted_start text DEFAULT ''[-''::text, deleted_stop text DEFAULT ''-]''::text, inserted_start text DEFAULT ''{+''::text, inserted_stop text DEFAULT ''+}''::text, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'text'),
		('difference_signals(a text, b text, neighbours integer DEFAULT NULL::integer, kept_neighbours integer DEFAULT NULL::integer, corpus corpus_words DEFAULT NULL::corpus_words)', 'difference_signals'),
		('decision_rule(query text, min_precision double precision DEFAULT NULL::double precision, seed integer DEFAULT 0, for_new boolean DEFAULT true)', 'jsonb'),
		('decision_score(rule jsonb, signals difference_signals)', 'double precision'),
		('removal_sample(query text, n integer, seed integer DEFAULT 0, OUT stratum text, OUT id bigint, OUT kept bigint, OUT score double precision, OUT weight double precision)', 'SETOF record'),
		('removal_sample(text, query text, n integer, seed integer DEFAULT 0, OUT stratum text, OUT id text, OUT kept text, OUT score double precision, OUT weight double precision)', 'SETOF record'),
		('removal_sample(anyelement, query text, n integer, seed integer DEFAULT 0, OUT stratum text, OUT id anyelement, OUT kept anyelement, OUT score double precision, OUT weight double precision)', 'SETOF record'),
		('review_page(query text, title text DEFAULT ''Planned removals''::text, pairs integer DEFAULT 10000, seed integer DEFAULT 0)', 'text'),
		('removal_precision(query text, OUT "precision" double precision, OUT low double precision, OUT high double precision, OUT labels bigint)', 'record'),
		('to_passages(doc text, guarantee integer DEFAULT 12, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'passages'),
		('passages_count(p passages)', 'integer'),
		('passages_overlap(p passages, q passages)', 'integer'),
		('passages_containment(p passages, q passages)', 'double precision'),
		('passages_union(p passages, q passages)', 'passages'),
		('passages_similar(p passages, q passages, min_shared integer DEFAULT 1)', 'boolean'),
		('passages_contained(p passages, q passages, share double precision)', 'boolean'),
		('without_passages(doc text, frequent passages, guarantee integer DEFAULT 12, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', 'text'),
		('frequent_passages(query text, documents integer DEFAULT 10, guarantee integer DEFAULT 12, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT passage text, OUT words integer, OUT found_in bigint, OUT fingerprints passages)', 'SETOF record'),
		('deduplicate_passages(query text, unit text DEFAULT ''paragraph''::text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id bigint, OUT start integer, OUT length integer, OUT kept bigint, OUT kept_start integer)', 'SETOF record'),
		('deduplicate_passages(text, query text, unit text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id text, OUT start integer, OUT length integer, OUT kept text, OUT kept_start integer)', 'SETOF record'),
		('deduplicate_passages(anyelement, query text, unit text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id anyelement, OUT start integer, OUT length integer, OUT kept anyelement, OUT kept_start integer)', 'SETOF record'),
		('deduplicate_passages_between(query_a text, query_b text, unit text DEFAULT ''paragraph''::text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id bigint, OUT start integer, OUT length integer, OUT kept bigint, OUT kept_start integer)', 'SETOF record'),
		('deduplicate_passages_between(text, query_a text, query_b text, unit text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id text, OUT start integer, OUT length integer, OUT kept text, OUT kept_start integer)', 'SETOF record'),
		('deduplicate_passages_between(anyelement, query_a text, query_b text, unit text, min_words integer DEFAULT NULL::integer, grouped boolean DEFAULT false, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT id anyelement, OUT start integer, OUT length integer, OUT kept anyelement, OUT kept_start integer)', 'SETOF record'),
		('passage_keys(doc text, unit text DEFAULT ''paragraph''::text, min_words integer DEFAULT NULL::integer, tokenizer text DEFAULT ''word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, OUT key uuid, OUT start integer, OUT length integer)', 'SETOF record'),
		('without_ranges(doc text, starts integer[], lengths integer[], mark text DEFAULT ''''::text)', 'text'),
		('passage_pairs(query text, min_shared integer DEFAULT 1, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a bigint, OUT b bigint, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('passage_pairs(text, query text, min_shared integer, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a text, OUT b text, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('passage_pairs(anyelement, query text, min_shared integer, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a anyelement, OUT b anyelement, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('passage_pairs_between(query_a text, query_b text, min_shared integer DEFAULT 1, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a bigint, OUT b bigint, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('passage_pairs_between(text, query_a text, query_b text, min_shared integer, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a text, OUT b text, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('passage_pairs_between(anyelement, query_a text, query_b text, min_shared integer, crowd integer DEFAULT 100, grouped boolean DEFAULT false, OUT a anyelement, OUT b anyelement, OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision)', 'SETOF record'),
		('minhash_advice(edits double precision, recall double precision DEFAULT 0.99, damage text DEFAULT ''words''::text, OUT tokenizer text, OUT similarity double precision, OUT threshold double precision, OUT bands integer, OUT rows integer, OUT recommended boolean, OUT advice text)', 'SETOF record'),
		('similarity_histogram(query text, sample integer DEFAULT 100, buckets integer DEFAULT 20, OUT low double precision, OUT high double precision, OUT pairs bigint, OUT per_row double precision, OUT bar text)', 'SETOF record'),
		('diverse_rows(query text, k integer, threshold double precision DEFAULT NULL::double precision, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT id bigint, OUT place bigint)', 'SETOF record'),
		('diverse_rows(text, query text, k integer, threshold double precision DEFAULT NULL::double precision, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT id text, OUT place bigint)', 'SETOF record'),
		('diverse_rows(anyelement, query text, k integer, threshold double precision DEFAULT NULL::double precision, max_distance integer DEFAULT NULL::integer, min_score integer DEFAULT NULL::integer, OUT id anyelement, OUT place bigint)', 'SETOF record'),
		('connected_components(query text, OUT id bigint, OUT cluster bigint, OUT size bigint)', 'SETOF record'),
		('connected_components(anyelement, query text, OUT id anyelement, OUT cluster anyelement, OUT size bigint)', 'SETOF record'),
		('txtfp_version()', 'text'),
		('txtfp_info(OUT version text, OUT format_version integer, OUT unicode_version text, OUT icu_version text, OUT icu_unicode_version text, OUT xxhash_version text, OUT simd text, OUT compiler text, OUT built_for text, OUT server text, OUT encoding text)', 'record')
	UNION ALL SELECT replace(f, '@', type), replace(r, '@', type) FROM unnest('{minhash64,minhash128,minhash256}'::text[]) AS type, (VALUES
		('to_@(doc text, tokenizer text DEFAULT ''shingle-k=5/word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint)', '@'),
		('to_@(tokens text[], hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint, tokenizer text DEFAULT NULL::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', '@'),
		('minhash_config(fp @)', 'text'),
		('minhash_with_config(fp @, config text)', '@'),
		('jaccard(a @, b @)', 'double precision'),
		('jaccard_distance(a @, b @)', 'double precision'),
		('minhash_similar(a @, b @, threshold double precision)', 'boolean'),
		('minhash_union(a @, b @)', '@'),
		('minhash_cardinality(fp @)', 'double precision'),
		('minhash_intersection_estimate(a @, b @)', 'double precision'),
		('minhash_intersection_estimate(a @, b @, size_a double precision, size_b double precision)', 'double precision'),
		('minhash_containment(a @, b @)', 'double precision'),
		('minhash_similar_leakproof(a @, b @, threshold double precision)', 'boolean'),
		('minhash_containment(a @, b @, size_a double precision, size_b double precision)', 'double precision'),
		('lsh_keys(fp @, bands integer, rows integer, crate_keys boolean DEFAULT false)', 'bigint[]'),
		('to_@_compact(fp @)', '@_compact')) AS of_each(f, r)
	UNION ALL SELECT replace(f, '@', type), replace(r, '@', type) FROM unnest('{minhash64_compact,minhash128_compact,minhash256_compact}'::text[]) AS type, (VALUES
		('to_@(doc text, tokenizer text DEFAULT ''shingle-k=5/word-uax29''::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text, hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint)', '@'),
		('to_@(tokens text[], hash text DEFAULT ''xxh3-64''::text, seed bigint DEFAULT ''828927532781''::bigint, tokenizer text DEFAULT NULL::text, canonicalizer text DEFAULT ''nfkc-cf-simple-bidi-fmt''::text)', '@'),
		('minhash_config(fp @)', 'text'),
		('minhash_with_config(fp @, config text)', '@'),
		('jaccard(a @, b @)', 'double precision'),
		('jaccard_distance(a @, b @)', 'double precision'),
		('minhash_similar(a @, b @, threshold double precision)', 'boolean'),
		('minhash_similar_leakproof(a @, b @, threshold double precision)', 'boolean'),
		('lsh_keys(fp @, bands integer, rows integer)', 'bigint[]')) AS of_each(f, r)$$, 'functions for users');

SELECT bag_eq($$SELECT proname || '(' || pg_get_function_arguments(oid) || ')' FROM pg_proc WHERE prokind = 'p' AND oid IN (SELECT objid FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid AND extname = 'txtfp' WHERE classid = 'pg_proc'::regclass)$$,
	ARRAY['live_clusters_create(IN relation regclass, IN key name, IN fingerprint name, IN threshold double precision DEFAULT NULL::double precision, IN mode text DEFAULT ''components''::text, IN priority name DEFAULT NULL::name, IN text name DEFAULT NULL::name, IN clusters name DEFAULT NULL::name, IN max_distance integer DEFAULT NULL::integer, IN events boolean DEFAULT false, IN notify name DEFAULT NULL::name, IN apart regclass DEFAULT NULL::regclass, IN together regclass DEFAULT NULL::regclass, IN verify text DEFAULT NULL::text, IN verify_threshold double precision DEFAULT NULL::double precision, IN guard text DEFAULT NULL::text, IN rule jsonb DEFAULT NULL::jsonb, IN min_precision double precision DEFAULT NULL::double precision)',
		'live_clusters_fill(IN relation regclass, IN batch integer DEFAULT 100, IN again boolean DEFAULT false, IN clusters name DEFAULT NULL::name)',
		'live_clusters_drop(IN relation regclass, IN clusters name DEFAULT NULL::name)',
		'near_duplicate_pairs_distributed(IN query text, IN result name, IN threshold double precision DEFAULT 0.8, IN recall double precision DEFAULT 0.999, IN max_key_rows integer DEFAULT 1000)'], 'procedures');
SELECT is_empty($$SELECT signature FROM ours JOIN pg_language ON pg_language.oid = prolang WHERE lanname <> 'c' OR probin !~ 'txtfp$'$$, 'all are in the library');
SELECT is_empty($$SELECT a.signature FROM ours AS a JOIN pg_type ON typname = a.proname AND a.pronargs = 1$$, 'none of one argument has the name of a type: that would make type(''literal'') a cast');
-- Bulk functions run any query.
CREATE TEMP VIEW bulk AS SELECT * FROM ours WHERE proname IN ('near_duplicate_pairs', 'near_duplicate_pairs_between', 'near_duplicate_clusters', 'deduplicate', 'connected_components', 'diverse_rows', 'similarity_histogram', 'frequent_passages', 'passage_pairs', 'passage_pairs_between', 'deduplicate_passages', 'deduplicate_passages_between', 'decision_rule', 'removal_sample', 'removal_precision', 'review_page');
SELECT bag_eq($$SELECT DISTINCT proname || ' ' || proparallel::text FROM ours WHERE proparallel <> 's' AND oid NOT IN (SELECT oid FROM bulk)$$, ARRAY['near_duplicate_trigger_stats r', 'bulk_progress r', 'near_duplicate_trigger u', 'live_clusters_trigger u', 'live_clusters_check u', 'live_clusters_kept u', 'sketch_check u', 'fingerprint_index_info r', 'fingerprint_index_recall u'], 'all are parallel safe but what runs queries');
SELECT is_empty($$SELECT signature FROM bulk WHERE proparallel <> 'u' OR provolatile <> 's' OR procost < 1000 OR (NOT proretset AND proname NOT IN ('decision_rule', 'removal_precision', 'review_page'))$$, 'bulk functions are stable, dear and return sets, or one result of all rows');
SELECT is_empty($$SELECT signature FROM ours WHERE prosecdef OR provariadic <> 0 OR proconfig IS NOT NULL$$, 'none is SECURITY DEFINER, variadic or sets parameters');

SELECT bag_eq('SELECT DISTINCT proname::text FROM ours WHERE NOT proisstrict AND oid NOT IN (SELECT oid FROM bulk)', ARRAY['_join_place', 'lsh_params', 'config_hash', 'fingerprint_index_recall', 'live_clusters_check', 'live_clusters_kept', 'to_simhash64', 'to_minhash64', 'to_minhash128', 'to_minhash256', 'to_minhash64_compact', 'to_minhash128_compact', 'to_minhash256_compact', 'to_embedding', 'embedding_pool', '_simhash_idf_agg_step', '_simhash_idf_agg_final', '_minhash64_agg_step', '_minhash128_agg_step', '_minhash256_agg_step', '_simhash64_agg_step', 'difference_signals', '_corpus_words_agg_step', '_corpus_words_agg_combine', '_corpus_words_agg_final', 'passage_keys', 'without_ranges'],
	'all are strict but those with an argument that may be NULL: an id, recall, a limit, a hash, idf, the tokenizer of own tokens, a model, a mask, a null row, a number of neighbours or words, ranges, the state of an aggregate');
SELECT bag_eq($$SELECT signature::text FROM ours WHERE provolatile <> 'i' AND oid NOT IN (SELECT oid FROM bulk)$$, ARRAY['_minhash64_compact_similar_op(minhash64_compact,minhash64_compact)', '_minhash128_compact_similar_op(minhash128_compact,minhash128_compact)',
	'_minhash256_compact_similar_op(minhash256_compact,minhash256_compact)', '_minhash_compact_sel(internal,oid,internal,integer)', '_minhash_compact_probe_sel(internal,oid,internal,integer)',
	'_minhash_compact_joinsel(internal,oid,internal,smallint,internal)', '_minhash_compact_typanalyze(internal)', '_minhash64_similar_op(minhash64,minhash64)', '_minhash128_similar_op(minhash128,minhash128)',
	'_minhash256_similar_op(minhash256,minhash256)', '_minhash_sel(internal,oid,internal,integer)', '_minhash_probe_sel(internal,oid,internal,integer)',
	'_minhash_joinsel(internal,oid,internal,smallint,internal)', '_minhash_typanalyze(internal)', 'txtfp_info()', 'txtfp_version()', '_simhash64_similar_op(simhash64,simhash64)',
	'_simhash64_sel(internal,oid,internal,integer)', '_simhash_probe_sel(internal,oid,internal,integer)', '_simhash64_joinsel(internal,oid,internal,smallint,internal)', '_simhash64_typanalyze(internal)',
	'_lavinhash_similar_op(lavinhash,lavinhash)', '_lavinhash_sel(internal,oid,internal,integer)', '_lavinhash_probe_sel(internal,oid,internal,integer)',
	'_lavinhash_joinsel(internal,oid,internal,smallint,internal)', '_lavinhash_typanalyze(internal)', '_passages_sel(internal,oid,internal,integer)', '_passages_typanalyze(internal)', '_passages_joinsel(internal,oid,internal,smallint,internal)',
	'_tlsh_similar_op(tlsh,tlsh)', '_to_tlsh_probe(tlsh)', '_tlsh_sel(internal,oid,internal,integer)', '_tlsh_probe_sel(internal,oid,internal,integer)',
	'_tlsh_joinsel(internal,oid,internal,smallint,internal)', '_tlsh_typanalyze(internal)',
	'live_clusters_trigger()', 'live_clusters_check(regclass,name)', 'live_clusters_kept(regclass,anyelement,name)',
	'fingerprint_trigger()', 'near_duplicate_trigger()', 'near_duplicate_trigger_stats()', 'bulk_progress()', 'sketch_check(regclass,boolean)', '_sketch_handler(internal)',
	'fingerprint_index_recall(regclass,integer,double precision,integer,integer,integer)', 'fingerprint_index_info(regclass)'], 'immutable but what reads parameters, statistics or the machine');
SELECT bag_eq($$SELECT proname::text FROM ours WHERE provolatile = 'v'$$, ARRAY['fingerprint_trigger', 'near_duplicate_trigger', 'live_clusters_trigger', 'near_duplicate_trigger_stats', 'bulk_progress', 'sketch_check', 'fingerprint_index_info', '_sketch_handler'], 'none is volatile but the triggers and their counts, the progress of bulk functions, and the access method with what looks into it');
SELECT set_eq($$SELECT proname::text FROM ours WHERE proleakproof$$,
	$$SELECT '_' || type || '_' || name FROM unnest('{minhash64,minhash128,minhash256,minhash64_compact,minhash128_compact,minhash256_compact,simhash64,tlsh,lavinhash,embedding,fingerprint,passages}'::text[]) AS type, unnest('{eq,ne,lt,le,gt,ge,cmp}'::text[]) AS name
	UNION ALL SELECT unnest('{_exactly_similar,simhash_similar,_simhash64_similar_op,_simhash64_matches_probe,tlsh_similar,_tlsh_similar_op,_tlsh_matches_probe,lavinhash_similar,_lavinhash_similar_op,_lavinhash_matches_probe,minhash_similar_leakproof,_minhash64_matches_probe_leakproof,_minhash128_matches_probe_leakproof,_minhash256_matches_probe_leakproof,_minhash64_compact_matches_probe_leakproof,_minhash128_compact_matches_probe_leakproof,_minhash256_compact_matches_probe_leakproof}'::text[])$$, 'comparison and the searches that raise nothing are leakproof, nothing else');
SELECT is_empty($$SELECT signature, procost FROM ours WHERE procost <= 1
	AND proname ~ '^(canonicalize|tokenize|chunk_for_model|embedding_pool|semantic_similarity|cosine_similarity|cosine_distance|to_minhash(64|128|256)(_compact)?|to_tlsh|tlsh_reason|jaccard|jaccard_distance|minhash_similar|lsh_params|lsh_keys|first_common_band|_minhash\d+(_compact)?_(similar_op|matches_probe|hash|hash_extended|to_jsonb|from_jsonb))$'$$,
	'what takes longer than an addition says so');
SELECT bag_eq('SELECT DISTINCT prosupport::regproc::text FROM ours WHERE proname = ''minhash_similar''',
	ARRAY['_minhash64_similar_support', '_minhash128_similar_support', '_minhash256_similar_support', '_minhash64_compact_similar_support', '_minhash128_compact_similar_support', '_minhash256_compact_similar_support'], 'minhash_similar has planner support');
SELECT is_empty($$SELECT signature FROM ours WHERE obj_description(oid, 'pg_proc') IS NULL$$, 'all functions have comments');

SELECT * FROM finish();
ROLLBACK;

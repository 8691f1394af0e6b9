-- passages: winnowed fingerprints of a text, which find excerpts of it.
-- STORAGE external: hashes do not compress.

CREATE FUNCTION _passages_typanalyze(internal) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_typanalyze' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_typanalyze(internal) IS 'ANALYZE of passages columns: how many rows share how many passages';

@use type
@  TYPE = passages
@  PROPERTIES = ANALYZE = _passages_typanalyze, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
@  COMMENT = fingerprints of the passages of a text, chosen so that two texts that share a run of words share one

@use type
@  TYPE = passages_probe
@  PROPERTIES = INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external
@  COMMENT = passages and how many of them a row must have: the right operand of %

-- IMMUTABLE: results depend on the arguments and on the compiled-in Unicode 15.0 only.

CREATE FUNCTION to_passages(doc text, guarantee integer DEFAULT 12, tokenizer text DEFAULT 'word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_to_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 650;
COMMENT ON FUNCTION to_passages(text, integer, text, text) IS
	'winnowed fingerprints of a text; two texts with a common run of guarantee words share one; NULL if the text has no word';

CREATE FUNCTION passages_count(p passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION passages_count(passages) IS 'number of fingerprints';

CREATE FUNCTION passages_overlap(p passages, q passages) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_overlap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION passages_overlap(passages, passages) IS 'number of fingerprints that both have';

CREATE FUNCTION passages_containment(p passages, q passages) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_containment' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION passages_containment(passages, passages) IS 'share of the fingerprints of the first value that the second has';

CREATE FUNCTION passages_union(p passages, q passages) RETURNS passages
	AS 'MODULE_PATHNAME', 'txtfp_passages_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 35;
COMMENT ON FUNCTION passages_union(passages, passages) IS 'the fingerprints of both values';

CREATE AGGREGATE passages_union_agg(p passages) (
	SFUNC = passages_union, STYPE = passages, COMBINEFUNC = passages_union, PARALLEL = SAFE
);
COMMENT ON AGGREGATE passages_union_agg(passages) IS 'the fingerprints of all values';

-- Order and equality, by configuration and fingerprints. The order has no meaning.

@use order
@  TYPE = passages
@  HASH_COST =  COST 5

-- Search

CREATE FUNCTION _passages_sel(internal, oid, internal, integer) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_sel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_sel(internal, oid, internal, integer) IS 'restriction selectivity of % of passages';
CREATE FUNCTION _passages_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_passages_joinsel' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity of % of passages';
CREATE FUNCTION _passages_similar_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_similar_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_similar_support(internal) IS 'planner support for passages_similar';
CREATE FUNCTION _passages_contained_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_passages_contained_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_contained_support(internal) IS 'planner support for passages_contained';

CREATE FUNCTION passages_similar(p passages, q passages, min_shared integer DEFAULT 1) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_similar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT _passages_similar_support;
COMMENT ON FUNCTION passages_similar(passages, passages, integer) IS
	'true if the two share at least this number of fingerprints; uses a passages_ops index';

CREATE FUNCTION passages_contained(p passages, q passages, share double precision) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_contained' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT _passages_contained_support;
COMMENT ON FUNCTION passages_contained(passages, passages, double precision) IS
	'true if the second has at least this share of the fingerprints of the first, and at least one; uses a passages_ops index on the second';

CREATE FUNCTION _to_passages_probe(value passages, min_shared integer) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_passages_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_passages_probe(passages, integer) IS 'right operand of %: passages and the number of fingerprints that a row must share';
CREATE FUNCTION _to_passages_probe(value passages, share double precision) RETURNS passages_probe
	AS 'MODULE_PATHNAME', 'txtfp_to_passages_probe_of_share' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _to_passages_probe(passages, double precision) IS
	'right operand of %: passages and the share of their fingerprints that a row must have';

CREATE FUNCTION _passages_matches_probe(passages, passages_probe) RETURNS boolean
	AS 'MODULE_PATHNAME', 'txtfp_passages_matches_probe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION _passages_matches_probe(passages, passages_probe) IS 'implementation of % operator';
CREATE OPERATOR % (
	LEFTARG = passages, RIGHTARG = passages_probe, FUNCTION = _passages_matches_probe,
	RESTRICT = _passages_sel, JOIN = _passages_joinsel
);
COMMENT ON OPERATOR % (passages, passages_probe) IS 'shares as many fingerprints with the probe as the probe requires';

-- GIN over the leading bits of the fingerprints

@use gin
@  TYPE = passages
@  CONSISTENT_SYMBOL = minhash
@  OPTIONS = bits

CREATE FUNCTION _passages_gin_compare_partial(integer, integer, smallint, internal) RETURNS integer
	AS 'MODULE_PATHNAME', 'txtfp_passages_gin_compare_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _passages_gin_compare_partial(integer, integer, smallint, internal) IS 'GIN support';

CREATE OPERATOR CLASS passages_ops DEFAULT FOR TYPE passages USING gin AS
	OPERATOR 1 % (passages, passages_probe),
	FUNCTION 1 pg_catalog.btint4cmp(integer, integer),
	FUNCTION 2 _passages_gin_extract_value(passages, internal, internal),
	FUNCTION 3 _passages_gin_extract_query(passages, internal, smallint, internal, internal, internal, internal),
	FUNCTION 4 _passages_gin_consistent(internal, smallint, passages, integer, internal, internal, internal, internal),
	FUNCTION 5 _passages_gin_compare_partial(integer, integer, smallint, internal),
	FUNCTION 6 _passages_gin_triconsistent(internal, smallint, passages, integer, internal, internal, internal),
	FUNCTION 7 _passages_gin_options(internal),
	STORAGE integer;
COMMENT ON OPERATOR CLASS passages_ops USING gin IS 'search for texts that share passages; option bits';
COMMENT ON OPERATOR FAMILY passages_ops USING gin IS 'search for texts that share passages';

-- Boilerplate

CREATE FUNCTION without_passages(doc text, frequent passages, guarantee integer DEFAULT 12,
	tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_without_passages' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1100;
COMMENT ON FUNCTION without_passages(text, passages, integer, text, text) IS
	'the text without the runs of words whose fingerprints are in the given value';

-- Bulk: STABLE and UNSAFE like the other bulk functions; frequent_passages runs its query four times.

CREATE FUNCTION frequent_passages(query text, documents integer DEFAULT 10, guarantee integer DEFAULT 12,
	tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt',
	OUT passage text, OUT words integer, OUT found_in bigint, OUT fingerprints passages) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_frequent_passages' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 100;
COMMENT ON FUNCTION frequent_passages(text, integer, integer, text, text) IS
	'runs of guarantee words or more that at least the given number of documents of a query have';

@use bulk
@  NAME = passage_pairs
@  SYMBOL = txtfp_passage_pairs
@  QUERY = query text
@  FIRST = min_shared integer
@  DEFAULT =  DEFAULT 1
@  OPTIONS = , crowd integer DEFAULT 100, grouped boolean DEFAULT false
@  A = a
@  B = b
@  OUT = , OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision
@  ROWS = 10000
@  COMMENT = all pairs of the rows (id, passages [, group]) of a query that share passages, but those that more than crowd rows have

@use bulk
@  NAME = passage_pairs_between
@  SYMBOL = txtfp_passage_pairs_between
@  QUERY = query_a text, query_b text
@  FIRST = min_shared integer
@  DEFAULT =  DEFAULT 1
@  OPTIONS = , crowd integer DEFAULT 100, grouped boolean DEFAULT false
@  A = a
@  B = b
@  OUT = , OUT shared integer, OUT share_of_a double precision, OUT share_of_b double precision
@  ROWS = 10000
@  COMMENT = all pairs of a row (id, passages [, group]) of the first query and one of the second that share passages

-- Repeats. min_words is NULL for 50 words of a run, 5 of a line or paragraph. Places are counted in characters, from 1, as substring does.

@use bulk
@  NAME = deduplicate_passages
@  SYMBOL = txtfp_deduplicate_passages
@  QUERY = query text
@  FIRST = unit text
@  DEFAULT =  DEFAULT 'paragraph'
@  OPTIONS = , min_words integer DEFAULT NULL, grouped boolean DEFAULT false, tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt'
@  A = id
@  BETWEEN = , OUT start integer, OUT length integer
@  B = kept
@  OUT = , OUT kept_start integer
@  ROWS = 10000
@  COMMENT = what of the texts of the rows (id, text [, group] [, priority]) of a query stands in an earlier row: paragraphs, lines or runs of words

@use bulk
@  NAME = deduplicate_passages_between
@  SYMBOL = txtfp_deduplicate_passages_between
@  QUERY = query_a text, query_b text
@  FIRST = unit text
@  DEFAULT =  DEFAULT 'paragraph'
@  OPTIONS = , min_words integer DEFAULT NULL, grouped boolean DEFAULT false, tokenizer text DEFAULT 'word-uax29', canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt'
@  A = id
@  BETWEEN = , OUT start integer, OUT length integer
@  B = kept
@  OUT = , OUT kept_start integer
@  ROWS = 10000
@  COMMENT = what of the texts of the rows (id, text [, group]) of the second query stands in a row of the first: paragraphs, lines or runs of words

-- Not strict: min_words may be NULL.
CREATE FUNCTION passage_keys(doc text, unit text DEFAULT 'paragraph', min_words integer DEFAULT NULL, tokenizer text DEFAULT 'word-uax29',
	canonicalizer text DEFAULT 'nfkc-cf-simple-bidi-fmt', OUT key uuid, OUT start integer, OUT length integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_passage_keys' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 650 ROWS 10;
COMMENT ON FUNCTION passage_keys(text, text, integer, text, text) IS
	'the hashes by which deduplicate_passages compares the paragraphs, lines or runs of words of a text, for a table of what was seen';

-- Not strict: a text from which nothing is cut has no arrays.
CREATE FUNCTION without_ranges(doc text, starts integer[], lengths integer[], mark text DEFAULT '') RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_without_ranges' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION without_ranges(text, integer[], integer[], text) IS
	'the text without the characters of these ranges, with a mark in the place of each';

-- Rules that decide about removals, learned from labels, and how good removals are. The functions that run a query are STABLE and PARALLEL UNSAFE as the bulk
-- functions are; see there.

CREATE FUNCTION decision_rule(query text, min_precision double precision DEFAULT NULL, seed integer DEFAULT 0,
	for_new boolean DEFAULT true) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_decision_rule' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION decision_rule(text, double precision, integer, boolean) IS
	'a rule learned from labelled removals (label boolean, signals difference_signals [, group]), with cut-offs and what they give by cross-validation';

CREATE FUNCTION decision_score(rule jsonb, signals difference_signals) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_decision_score' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION decision_score(jsonb, difference_signals) IS 'probability, by a rule, that a removal is right: 0 to 1';

CREATE FUNCTION removal_sample(query text, n integer, seed integer DEFAULT 0,
	OUT stratum text, OUT id bigint, OUT kept bigint, OUT score double precision, OUT weight double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_removal_sample' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 100;
CREATE FUNCTION removal_sample(anyelement, query text, n integer, seed integer DEFAULT 0,
	OUT stratum text, OUT id anyelement, OUT kept anyelement, OUT score double precision, OUT weight double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txtfp_removal_sample' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 100;
COMMENT ON FUNCTION removal_sample(text, integer, integer) IS
	'a random sample of removals (id, kept, score) to be read by somebody, with more of those that are doubtful';
COMMENT ON FUNCTION removal_sample(anyelement, text, integer, integer) IS
	'a random sample of removals (id, kept, score), ids of the type of the first argument';

CREATE FUNCTION removal_precision(query text, OUT "precision" double precision, OUT low double precision, OUT high double precision,
	OUT labels bigint)
	AS 'MODULE_PATHNAME', 'txtfp_removal_precision' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION removal_precision(text) IS
	'what share of all removals is right, from the labels (stratum, label boolean [, group]) of a sample, with an interval of 95 %';

CREATE FUNCTION review_page(query text, title text DEFAULT 'Planned removals', pairs integer DEFAULT 10000, seed integer DEFAULT 0) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_review_page' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION review_page(text, text, integer, integer) IS
	'a page of HTML on which a person decides about planned removals (id, kept, text, kept_text, and what else deduplicate returns)';

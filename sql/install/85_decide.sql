-- Rules that decide about removals, learned from labels, and how good removals are. The functions that run a query are STABLE and PARALLEL UNSAFE as the bulk
-- functions are; see there.

CREATE FUNCTION decision_rule(query text, min_precision double precision DEFAULT NULL, seed integer DEFAULT 0,
	for_new boolean DEFAULT true) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'txtfp_decision_rule_v2' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION decision_rule(text, double precision, integer, boolean) IS
	'a rule learned from labelled removals (label boolean, signals difference_signals [, group]), with cut-offs and what they give by cross-validation';

CREATE FUNCTION decision_score(rule jsonb, signals difference_signals) RETURNS double precision
	AS 'MODULE_PATHNAME', 'txtfp_decision_score' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 300;
COMMENT ON FUNCTION decision_score(jsonb, difference_signals) IS 'probability, by a rule, that a removal is right: 0 to 1';

@use bulk
@  NAME = removal_sample
@  SYMBOL = txtfp_removal_sample
@  QUERY = query text
@  FIRST = n integer
@  DEFAULT = 
@  OPTIONS = , seed integer DEFAULT 0
@  BEFORE = OUT stratum text, 
@  A = id
@  B = kept
@  OUT = , OUT score double precision, OUT weight double precision
@  ROWS = 100
@  COMMENT = a random sample of removals (id, kept, score) to be read by somebody, with more of those that are doubtful

CREATE FUNCTION removal_precision(query text, OUT "precision" double precision, OUT low double precision, OUT high double precision,
	OUT labels bigint)
	AS 'MODULE_PATHNAME', 'txtfp_removal_precision' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION removal_precision(text) IS
	'what share of all removals is right, from the labels (stratum, label boolean [, group]) of a sample, with an interval of 95 %';

CREATE FUNCTION review_page(query text, title text DEFAULT 'Planned removals', pairs integer DEFAULT 10000, seed integer DEFAULT 0) RETURNS text
	AS 'MODULE_PATHNAME', 'txtfp_review_page' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION review_page(text, text, integer, integer) IS
	'a page of HTML on which a person decides about planned removals (id, kept, text, kept_text, and what else deduplicate returns)';

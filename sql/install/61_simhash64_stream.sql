
-- simhash64: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _simhash64_agg_final(internal) RETURNS simhash64
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _simhash64_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _simhash64_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text, text, text, bigint, text) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text, text, text, bigint, text) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, text, text, text, text, bigint, text, jsonb) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text, idf jsonb) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(text, text, text, text, bigint, text, jsonb) IS
	'SimHash of the concatenated chunks: simhash64_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_simhash64_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 250;
COMMENT ON FUNCTION _simhash64_agg_step(internal, bytea, text, text, text, bigint, text, jsonb) IS 'aggregate transition function';
CREATE AGGREGATE simhash64_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint, weighting text, idf jsonb) (
	SFUNC = _simhash64_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _simhash64_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE simhash64_agg(bytea, text, text, text, bigint, text, jsonb) IS
	'SimHash of the concatenated chunks, which are UTF-8: simhash64_agg(chunk, ... ORDER BY ...)';

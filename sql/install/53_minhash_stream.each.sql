
-- minhash@H@: streaming. The order of the chunks matters, so there is no combine function, and the state is internal.
-- SHAREABLE: no chunk can follow the final function, so the aggregates do not work as window functions.

CREATE FUNCTION _minhash@H@_agg_final(internal) RETURNS minhash@H@
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION _minhash@H@_agg_final(internal) IS 'aggregate final function';

CREATE FUNCTION _minhash@H@_agg_step(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk text) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(text) IS
	'MinHash sketch of the concatenated chunks: minhash@H@_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash@H@_agg_step(internal, text, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, text, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk text, tokenizer text) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(text, text) IS
	'MinHash sketch of the concatenated chunks: minhash@H@_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash@H@_agg_step(internal, text, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, text, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk text, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(text, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks: minhash@H@_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash@H@_agg_step(internal, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, bytea) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk bytea) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(bytea) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash@H@_agg(chunk ORDER BY ...)';

CREATE FUNCTION _minhash@H@_agg_step(internal, bytea, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, bytea, text) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk bytea, tokenizer text) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(bytea, text) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash@H@_agg(chunk, ... ORDER BY ...)';

CREATE FUNCTION _minhash@H@_agg_step(internal, bytea, text, text, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'txtfp_minhash@H@_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 400;
COMMENT ON FUNCTION _minhash@H@_agg_step(internal, bytea, text, text, text, bigint) IS 'aggregate transition function';
CREATE AGGREGATE minhash@H@_agg(chunk bytea, tokenizer text, canonicalizer text, hash text, seed bigint) (
	SFUNC = _minhash@H@_agg_step, STYPE = internal, SSPACE = 16384,
	FINALFUNC = _minhash@H@_agg_final, FINALFUNC_MODIFY = SHAREABLE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE minhash@H@_agg(bytea, text, text, text, bigint) IS
	'MinHash sketch of the concatenated chunks, which are UTF-8: minhash@H@_agg(chunk, ... ORDER BY ...)';

\echo Use "CREATE EXTENSION txtfp_cjk" to load this file. \quit
-- The extension contains tokenizers, which txtfp calls by name.

CREATE FUNCTION txtfp_cjk_info(
	OUT dictionary text, OUT tokenizers text, OUT edition text, OUT licence text, OUT checksum text, OUT installed bool,
	OUT words bigint, OUT entries bigint, OUT bytes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'txtfp_cjk_info'
LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 3;
COMMENT ON FUNCTION txtfp_cjk_info() IS
'the dictionaries of txtfp_cjk: what they are made from, their checksums, and which of them are installed';

-- PostgreSQL records that an expression depends on the functions in it, not on what a text in it means.
CREATE FUNCTION cjk_tokenizer(tokenizer text) RETURNS text
AS 'MODULE_PATHNAME', 'txtfp_cjk_tokenizer'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cjk_tokenizer(text) IS
'the tokenizer, as given; a column, index or view that calls it depends on this extension, which then cannot be dropped without them';
-- A tokenizer that an expression only names, 'shingle-k=3/cjk-jieba', leaves no dependency behind. Whoever creates such an object is told.
-- The function runs as that user and calls only what pg_catalog has; what has no row of this transaction was there before the command.
CREATE FUNCTION _cjk_warn_of_names() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	changed oid[] := ARRAY(SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid IN ('pg_class'::regclass, 'pg_trigger'::regclass));
	found record;
	called name[];
BEGIN
	FOR found IN
		SELECT *, pg_describe_object(class, object, 0) AS described, substring(expression FROM '''((?:[^'']*[/=])?cjk-(?:jieba|jieba-hmm|lindera-ipadic|lindera-ko-dic))''') AS name
		FROM (
			SELECT 'pg_attrdef'::regclass, oid, adrelid, adnum::int, pg_get_expr(adbin, adrelid) FROM pg_attrdef
				WHERE adrelid = ANY (changed) AND age(xmin) <= age(pg_current_xact_id()::xid)
			UNION ALL
			SELECT 'pg_constraint'::regclass, oid, 0, 0, pg_get_constraintdef(oid) FROM pg_constraint
				WHERE conrelid = ANY (changed) AND contype = 'c' AND age(xmin) <= age(pg_current_xact_id()::xid)
			UNION ALL
			SELECT 'pg_class'::regclass, indexrelid, 0, 0, pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid = ANY (changed)
			UNION ALL
			SELECT 'pg_rewrite'::regclass, oid, 0, 0, pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = ANY (changed) AND age(xmin) <= age(pg_current_xact_id()::xid)
			UNION ALL
			SELECT 'pg_trigger'::regclass, oid, 0, 0, pg_get_triggerdef(oid) FROM pg_trigger WHERE oid = ANY (changed)
		) AS e (class, object, relation, number, expression)
		WHERE expression ~ '(''|/|=)cjk-(jieba|lindera)' ORDER BY described
	LOOP
		-- the extensions whose functions it calls; a generated column depends on them by itself, a default by its own row
		SELECT array_agg(x.extname) INTO called FROM pg_depend AS d
			JOIN pg_depend AS p ON p.classid = 'pg_proc'::regclass AND p.objid = d.refobjid AND p.deptype = 'e' AND p.refclassid = 'pg_extension'::regclass
			JOIN pg_extension AS x ON x.oid = p.refobjid
			WHERE d.refclassid = 'pg_proc'::regclass AND ((d.classid, d.objid, d.objsubid) IN ((found.class, found.object, 0), ('pg_class'::regclass, found.relation, found.number)));
		CONTINUE WHEN found.name IS NULL OR ('txtfp' = ANY (called)) IS NOT TRUE OR 'txtfp_cjk' = ANY (called);
		RAISE WARNING 'DROP EXTENSION txtfp_cjk will not refuse because of %', found.described
			USING DETAIL = format('It names the tokenizer in a text, %L, which PostgreSQL does not record as a dependency.', found.name),
				HINT = CASE found.class WHEN 'pg_trigger'::regclass THEN 'Arguments of triggers cannot depend on anything: keep the extension as long as the trigger.'
					ELSE format('Write cjk_tokenizer(%L) in place of the name.', found.name) END;
	END LOOP;
END $$;
COMMENT ON FUNCTION _cjk_warn_of_names() IS 'warns of new objects that use a tokenizer of txtfp_cjk by its name only, on which they cannot depend';

CREATE EVENT TRIGGER txtfp_cjk_names ON ddl_command_end
	WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'CREATE INDEX', 'CREATE VIEW', 'CREATE MATERIALIZED VIEW', 'CREATE TRIGGER')
	EXECUTE FUNCTION _cjk_warn_of_names();
COMMENT ON EVENT TRIGGER txtfp_cjk_names IS 'warns of new objects that use a tokenizer of txtfp_cjk by its name only, on which they cannot depend';

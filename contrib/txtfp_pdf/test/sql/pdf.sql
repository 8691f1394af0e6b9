-- Generated files: objects without a cross-reference table, which the parser reconstructs.
\set SHOW_CONTEXT never

-- page_content() shows words, pdf_of() makes a file of such pages, many_lines() is the content of a page of 100 lines.
CREATE FUNCTION page_content(words text, size int DEFAULT 12) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT format('BT /F %s Tf 50 700 Td (%s) Tj ET', size, words)$$;
CREATE FUNCTION pdf_of(contents text[], font text DEFAULT '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
	more text DEFAULT '') RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT convert_to(
		E'%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n' ||
		format(E'2 0 obj<</Type/Pages/Kids[%s]/Count %s>>endobj\n3 0 obj%sendobj\n',
			string_agg(format('%s 0 R', 8 + 2 * n), ' ' ORDER BY n), count(*), font) ||
		string_agg(format(E'%s 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %s 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj\n'
			'%s 0 obj<</Length %s>>stream\n%s\nendstream endobj\n', 8 + 2 * n, 9 + 2 * n, 9 + 2 * n, octet_length(content), content), '' ORDER BY n) ||
		more || E'trailer<</Root 1 0 R>>\n%%EOF\n', 'UTF8')
	FROM unnest(contents) WITH ORDINALITY AS u(content, n)$$;

CREATE FUNCTION many_lines() RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(format('BT /F 2 Tf 9 %s Td (%s) Tj ET', n * 7, repeat('line ' || n || ' ', 15)), ' ') FROM generate_series(1, 100) AS n$$;
-- Returns SQLSTATE, message and hint of the error
CREATE FUNCTION outcome(pdf bytea, max_bytes int DEFAULT 52428800, timeout_secs int DEFAULT 30) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text; hint text;
BEGIN
	RETURN to_json(pdf_to_text(pdf, max_bytes, timeout_secs));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, message, nullif(hint, ''));
END $$;

-- Text: reading order, a form feed at the end of each page
SELECT to_json(pdf_to_text(pdf_of(ARRAY[page_content('Hello, world')]))) AS one_page;
-- a page that shows a part of itself, turned in each way: all of its text
SELECT rotation, to_json(pdf_to_text(convert_to(replace(convert_from(pdf_of(ARRAY['BT /F 12 Tf 50 700 Td (above) Tj 0 -300 Td (below) Tj ET']), 'UTF8'),
	'/MediaBox[0 0 600 800]', '/MediaBox[0 0 600 800]/CropBox[50 690 70 720]/Rotate ' || rotation), 'UTF8'))) AS text
FROM unnest('{0,90,180,270}'::int[]) AS rotation;
SELECT to_json(pdf_to_text(pdf_of(ARRAY[page_content('first page'), page_content(''), page_content('third \344\366\374\337')]))) AS three_pages;
SELECT n, page FROM regexp_split_to_table(pdf_to_text(pdf_of(ARRAY[page_content('one'), page_content('two')])), E'\n*\f') WITH ORDINALITY AS p(page, n)
WHERE page <> '';
SELECT pdf_to_text(NULL) IS NULL AS null_of_null;

-- U+0000 and unpaired surrogates become U+FFFD. After a U+0000 within a ligature only the rest of the word is lost.
SELECT to_json(pdf_to_text(pdf_of(
	ARRAY[page_content('a') || ' ' || replace(page_content('bcdef'), '700', '600') || ' ' || replace(page_content('aaa'), '700', '500')],
	'<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 4 0 R>>',
	format(E'4 0 obj<</Length %s>>stream\n%s\nendstream endobj\n', octet_length(cmap), cmap)))) AS replaced
FROM (SELECT E'begincmap\n1 begincodespacerange\n<00> <ff>\nendcodespacerange\n' || map || E'\nendcmap' AS cmap FROM (VALUES
	(E'6 beginbfchar\n<61> <0041>\n<62> <0042>\n<63> <00430000>\n<64> <0044>\n<65> <0045>\n<66> <d83dde00>\nendbfchar'),
	(E'6 beginbfchar\n<61> <0041>\n<62> <0042>\n<63> <d800>\n<64> <0044>\n<65> <0045>\n<66> <d83dde00>\nendbfchar'),
	(E'6 beginbfchar\n<61> <0041>\n<62> <0042>\n<63> <0000>\n<64> <0044>\n<65> <0045>\n<66> <d83dde00>\nendbfchar')) AS maps(map)) AS c;

-- Limits of a call
SELECT length(pdf_to_text(f, max_bytes => length(f))) FROM pdf_of(ARRAY[page_content('x')]) AS f;
SELECT outcome(f, max_bytes => length(f) - 1) FROM pdf_of(ARRAY[page_content('x')]) AS f;
SELECT outcome(repeat('x', 2000)::bytea, max_bytes => 0);
SELECT outcome('', max_bytes => -1);
SELECT outcome('', timeout_secs => 0);
SELECT outcome('', timeout_secs => 86401);

-- No PDF, a damaged PDF, a PDF without pages
SELECT outcome('');
SELECT outcome('Hello, world');
SELECT outcome(repeat('no PDF at all ', 1000)::bytea);
SELECT outcome('%PDF-1.4 and nothing else');
SELECT outcome(E'%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n');
SELECT outcome(E'%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n');
-- a password is needed
SELECT outcome(decode('
	JVBERi0xLjcKJb/3ov4KMSAwIG9iago8PCAvRXh0ZW5zaW9ucyA8PCAvQURCRSA8PCAvQmFzZVZlcnNpb24gLzEuNyAvRXh0ZW5zaW9uTGV2ZWwgOCA+PiA+
	PiAvUGFnZXMgMiAwIFIgL1R5cGUgL0NhdGFsb2cgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL0NvdW50IDEgL0tpZHMgWyAzIDAgUiBdIC9UeXBlIC9QYWdlcyA+
	PgplbmRvYmoKMyAwIG9iago8PCAvTWVkaWFCb3ggWyAwIDAgOTkgOTkgXSAvUGFyZW50IDIgMCBSIC9SZXNvdXJjZXMgPDwgPj4gL1R5cGUgL1BhZ2UgPj4K
	ZW5kb2JqCjQgMCBvYmoKPDwgL0NGIDw8IC9TdGRDRiA8PCAvQXV0aEV2ZW50IC9Eb2NPcGVuIC9DRk0gL0FFU1YzIC9MZW5ndGggMzIgPj4gPj4gL0ZpbHRl
	ciAvU3RhbmRhcmQgL0xlbmd0aCAyNTYgL08gPDc0NzlhNDExMTJjMDM4NzcyMTJiYWI4MzQ3OTUzYTNlNmFiMjRhZGRlNzBlNGYwOTM5NzdhYjNlOTZkYWE3
	YTE3YjA4YTdiYmUzYTJkM2M3NmZkODE2NzUwYmZkNzJmMj4gL09FIDw3YjA1MjQ2ZDViMmYwMmM3YTQ0ZTk0YzVmNzk1OTlmMGI4NTYwYjIwNTUwNWNkMzRi
	ZmY0ZjlmYjE3NGI1YTU5PiAvUCAtNCAvUGVybXMgPGYwOWUxOTg5ZjRiMjE3NjM5NzU0YjQ1ZWM5ZjI1YTA1PiAvUiA2IC9TdG1GIC9TdGRDRiAvU3RyRiAv
	U3RkQ0YgL1UgPDg5ZDNmNjc5Y2M5YzAzMTdhOTRmYjY0MjA1YmI0YjkzMTMxYjlhZTU2Yzk4N2ViOWFiMWJjOThjOGQwNDNiOGUzZWUzMDQyZTg5M2IwMjJh
	ZGI5OTlkMzIwZWQ0M2YwYz4gL1VFIDw5ZDdiZTdlOTY3NmRmMTE4ODEzMDRjM2JmZDQ5NGUwMjY2ZTNlZjI2OGJiYjFkNWMwNmMyNWM4Njc2ZjY1Y2NiPiAv
	ViA1ID4+CmVuZG9iagp4cmVmCjAgNQowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMTUgMDAwMDAgbiAKMDAwMDAwMDEzMCAwMDAwMCBuIAowMDAwMDAw
	MTg5IDAwMDAwIG4gCjAwMDAwMDAyNzcgMDAwMDAgbiAKdHJhaWxlciA8PCAvUm9vdCAxIDAgUiAvSUQgWzxiOWQ5MWQ0MjAwZWU4ZTRhM2NjMjViYmIwOWQw
	NWIzZD48YjlkOTFkNDIwMGVlOGU0YTNjYzI1YmJiMDlkMDViM2Q+XSAvRW5jcnlwdCA0IDAgUiA+PgpzdGFydHhyZWYKODI0CiUlRU9GCg==', 'base64'));
-- an object that is no page: a warning, and the text of the other pages
SELECT to_json(pdf_to_text(convert_to(replace(convert_from(pdf_of(ARRAY[page_content('one'), page_content('two')]), 'UTF8'), '10 0 R 12 0 R', '10 0 R 99 0 R'), 'UTF8'))) AS one_of_two;

-- Limits of the server
SET txtfp_pdf.max_pages = 2;
SELECT length(pdf_to_text(pdf_of(ARRAY[page_content('a'), page_content('b')])));
SELECT outcome(pdf_of(ARRAY[page_content('a'), page_content('b'), page_content('c')]));
RESET txtfp_pdf.max_pages;
SET txtfp_pdf.max_text = 1;
SELECT outcome(pdf_of(array_fill(many_lines(), ARRAY[100])));
RESET txtfp_pdf.max_text;
SELECT length(pdf_to_text(pdf_of(array_fill(many_lines(), ARRAY[100]))));
-- The words of PostgreSQL 17 are not those of 15
\set VERBOSITY sqlstate
SET txtfp_pdf.max_memory = '64MB';
SET txtfp_pdf.max_pages = 0;
SET txtfp_pdf.max_text = '1GB';
\set VERBOSITY default
SET txtfp_pdf.no_such_setting = 1;

-- An error can be caught, and the next call works
DO $$
DECLARE
	states text[];
BEGIN
	FOR i IN 1 .. 20 LOOP
		BEGIN
			PERFORM pdf_to_text('nothing');
		EXCEPTION WHEN OTHERS THEN
			states := states || SQLSTATE;
		END;
	END LOOP;
	RAISE NOTICE '% of state %', cardinality(states), (SELECT string_agg(DISTINCT s, ',') FROM unnest(states) AS s);
END $$;

-- Only roles with the privilege may call the function
CREATE ROLE regress_pdf_reader;
SET ROLE regress_pdf_reader;
SELECT pdf_to_text('');
SET txtfp_pdf.max_memory = '2GB';
RESET ROLE;
GRANT EXECUTE ON FUNCTION pdf_to_text TO regress_pdf_reader;
SET ROLE regress_pdf_reader;
SELECT to_json(pdf_to_text(pdf_of(ARRAY[page_content('granted')])));
RESET ROLE;
DROP OWNED BY regress_pdf_reader;
DROP ROLE regress_pdf_reader;

SELECT proname, provolatile, proisstrict, proparallel, obj_description(oid, 'pg_proc') FROM pg_proc WHERE proname = 'pdf_to_text';
SELECT superuser, trusted, relocatable FROM pg_available_extension_versions WHERE name = 'txtfp_pdf' AND installed;
SELECT name, setting, unit, context FROM pg_settings WHERE name LIKE 'txtfp_pdf.%' ORDER BY name;
DROP FUNCTION pdf_of, page_content, many_lines, outcome;

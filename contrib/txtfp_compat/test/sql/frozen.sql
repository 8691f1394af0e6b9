-- Values of 0.1.0, frozen: people have them in tables. If this test fails, fix the code, not the file.
CREATE TABLE texts (n int PRIMARY KEY, doc text);
INSERT INTO texts VALUES
	(1, 'The quick brown fox jumps over the lazy dog; the dog barks, and the fox is gone before anyone has counted to three.'),
	(2, 'word'), (3, ''), (4, U&'\2026 \0021'),
	(5, U&'Stra\00DFe \017Foll \FB01sch \212B \2460 e\0301te\0301 \0130STANBUL \1E9E'),
	(6, U&'\0416\0438\0432\044B\0435 \0441\043B\043E\0432\0430, \0395\039B\039B\0391\03A3 \03BF\03B4\03CC\03C2'),
	(7, U&'\0627\0644\0633\0644\0627\0645 \0639\0644\064A\0643\0645 \200F\202B\05E9\05DC\05D5\05DD\202C'),
	(8, U&'\0939\093F\0928\094D\0926\0940 \0E20\0E32\0E29\0E32\0E44\0E17\0E22 \1019\103C\1014\103A\1019\102C'),
	(9, U&'\65E5\672C\8A9E\306E\6587\7AE0 \D55C\AD6D\C5B4 \6F22\5B57\3001\FF76\FF9E'),
	(10, U&'\+01F468\200D\+01F469\200D\+01F467 \+01F1E9\+01F1EA\+01F1EB \2764\FE0F \0031\FE0F\20E3 \+01F44D\+01F3FD'),
	(11, U&'a\0323\0301b\0301\0323 \1100\1161\11A8 \0344 \0F71\0F72 \FEFF\200B\00AD\2060'),
	(12, U&'\0430\0440\0440\04CF\0435 paypa\FF4C g\043E\043Egle 3.14 can''t e-mail user@example.org a_b 1,000.5'),
	(13, (SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, 200) AS i)),
	(14, repeat('lorem ipsum dolor sit amet ', 40));
CREATE FUNCTION frozen(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(n || '':'' || coalesce((%s)::text, ''NULL''), E''\n'' ORDER BY n)) FROM texts', expression) INTO result;
	RETURN result;
END $$;
SELECT name, frozen(name) FROM unnest(ARRAY[
	'jenkins64(doc)',
	'to_simhash64_windows(doc)',
	'to_simhash64_windows_but_last(doc)',
	'to_simhash64_cyclic(doc)',
	'shq64_project_rust(convert_to(doc, ''UTF8''))',
	'shq64_project_numpy(convert_to(doc, ''UTF8''))',
	'shq64_encode(to_simhash64(doc), true)',
	'to_simhash64_bytes(convert_to(doc, ''UTF8''))',
	'q64_encode(convert_to(doc, ''UTF8''))']) WITH ORDINALITY AS e (name, ord) ORDER BY ord;
DROP FUNCTION frozen;
DROP TABLE texts;

-- canonicalize and tokenize
\set SHOW_CONTEXT never

-- Shows a text, with all but printable ASCII as code points.
CREATE FUNCTION show(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(CASE WHEN ascii(c) BETWEEN 32 AND 126 THEN c ELSE '<' || upper(to_hex(ascii(c))) || '>' END, '' ORDER BY n), '')
	FROM string_to_table(t, NULL) WITH ORDINALITY AS s(c, n) $$;

-- canonicalize: the default

SELECT what, show(canonicalize(doc)) AS canonical FROM (VALUES
	('case', 'Mixed CASE'),
	('full case folding', U&'STRASSE Stra\00DFe \1E9E'),
	('final sigma', U&'\03A3\039F\03A6\0399\0391\03A3 \03C2'),
	('dotted and dotless i', U&'\0130stanbul ISTANBUL \0131i'),
	('Cherokee folds up', U&'\AB70\13A0'),
	('three code points', U&'\0390 \0149 \FB13'),
	('full width', U&'\FF21\FF22\FF23\FF11\FF12\FF13'),
	('ligatures', U&'\FB01le \FB02ow o\FB03ce \0152UVRE'),
	('fractions and powers', U&'\00BD e\00B2 \338F \210C \2122'),
	('composition', U&'e\0301 A\030A \212B \1100\1161\11A8'),
	('canonical order', U&'a\0301\0327\0323x I\0307\0323'),
	('composition exclusion', U&'\0958 \FB31'),
	('half-width kana', U&'\FF76\FF9E \FF8A\FF9F'),
	('3 bytes to 33', U&'\FDFA'),
	('spaces', U&'\00A0nbsp\202Fnarrow\3000wide\2003em'),
	('line ends stay', E'a\r\nb\tc'),
	('directional controls go', U&'admin\202Edrow \2067x\2069 \200Ey\200F'),
	('format controls go', U&'Hello\200BWorld a\FE0F\+0E0061\+0E0100 \FEFFx \2060\180E'),
	('a control between marks', U&'a\0301\200B\0323'),
	('soft hyphen and joiners stay', U&'so\00ADft \034F \115F \3164 \206A'),
	('emoji lose their joiners', U&'\+01F468\200D\+01F469\200D\+01F467 \+01F3F3\FE0F\200D\+01F308'),
	('nothing left', U&'\200B\FEFF'),
	('empty', '')) AS t(what, doc);

-- The pinned Unicode: code points not assigned in 15.0 pass through, whatever ICU is loaded.
SELECT show(canonicalize(U&'\+01CCD6 \A7F1 \1C89 \A7CB \+0105C9 \+010D50')) AS unassigned;

-- canonicalize: every configuration of one text
SELECT config, show(canonicalize(U&'Fa\00E7ade \2014 \FF34\FF45\FF53\FF54\202Erev\200B \0130\1E9E', config)) AS canonical
FROM (SELECT concat_ws('-', norm, fold, bidi, fmt, conf) AS config
	FROM unnest('{nfc,nfkc,none}'::text[]) WITH ORDINALITY AS a(norm, i),
		unnest('{cf-simple,cf-none}'::text[]) WITH ORDINALITY AS b(fold, j),
		unnest('{bidi,NULL}'::text[]) WITH ORDINALITY AS c(bidi, k),
		unnest('{fmt,NULL}'::text[]) WITH ORDINALITY AS d(fmt, l),
		unnest('{NULL,conf}'::text[]) WITH ORDINALITY AS e(conf, m)
	ORDER BY i, j, k, l, m) AS configs;

SELECT canonicalize('HELLO') = canonicalize('HELLO', 'nfkc-cf-simple-bidi-fmt') AS "default",
	canonicalize(canonicalizer => 'none-cf-none', doc => 'HELLO') AS named;

-- The confusable skeleton: not idempotent, decomposed, and with capitals.
SELECT what, show(canonicalize(doc, 'nfkc-cf-simple-bidi-fmt-conf')) AS skeleton FROM (VALUES
	('Cyrillic', U&'\0440\0430\0443\0440\0430l'),
	('the same in Latin', 'paypal'),
	('ASCII', 'm1lI|O0"%`'),
	('accents', U&'caf\00E9 na\00EFve'),
	('Greek', U&'\03B2\03BF\03C1'),
	('prototypes of Unicode 16.0', U&'\019B \1734 \3126')) AS t(what, doc);

-- Normalization agrees with PostgreSQL's own, in blocks that were complete before Unicode 15.0.
SELECT form, config, count(*) AS code_points, count(*) FILTER (WHERE canonicalize(chr(c), config) <> expected) AS different,
	min(to_hex(c)) FILTER (WHERE canonicalize(chr(c), config) <> expected) AS first
FROM (VALUES (161, 879), (7680, 8190), (8448, 8585), (44032, 55203), (63744, 64109), (64256, 64262), (65281, 65470)) AS block(low, high),
	generate_series(low, high) AS c,
	LATERAL (VALUES ('NFC', 'nfc-cf-none', normalize(chr(c), NFC)), ('NFKC', 'nfkc-cf-none', normalize(chr(c), NFKC))) AS f(form, config, expected)
GROUP BY form, config ORDER BY form;

-- A second pass changes nothing.
SELECT config, count(*) FILTER (WHERE canonicalize(once, config) <> once) AS changed_again
FROM unnest('{nfc-cf-simple-bidi-fmt,nfkc-cf-simple-bidi-fmt,none-cf-simple-fmt,nfkc-cf-none}'::text[]) AS config,
	generate_series(1, 55295) AS c, LATERAL (SELECT canonicalize(chr(c) || U&'\0329\0301', config) AS once) AS first_pass
GROUP BY config ORDER BY config COLLATE "C";

SELECT length(canonicalize('a' || repeat(U&'\0323\0301', 5000))) AS marks,
	show(left(canonicalize('a' || repeat(U&'\0301\0323', 5000)), 4)) AS sorted,
	md5(canonicalize(repeat('The Quick Brown Fox. ', 100000))) = md5(repeat('the quick brown fox. ', 100000)) AS long_ascii,
	md5(canonicalize(repeat(U&'\00C9t\00E9 ', 100000))) = md5(repeat(U&'\00E9t\00E9 ', 100000)) AS long_latin;

-- tokenize: words

SELECT doc, tokenize(doc) AS words FROM (VALUES
	('hello world!'), (E'hi, world!\n\nhi'), ('don''t go! v1.2 RC3 3.14 1,000'),
	('example.com http://a:b/c user@host 10:30'), ('foo_bar __init__ _ x86_64'), ('e.g. C++ C# .NET 3D'),
	('''quoted'' rock''n''roll'), ('!!! ??? ...'), ('   '), ('')) AS t(doc);

SELECT what, show(array_to_string(tokenize(doc), '|')) AS words FROM (VALUES
	('accents', U&'caf\00E9 re\0301sume\0301'),
	('ideographs one by one', U&'\6211\7231\5317\4EAC'),
	('kana', U&'\79C1\306F\30AB\30BF\30AB\30CA'),
	('Hangul', U&'\C548\B155\D558\C138\C694 \D55C\AD6D\C5B4'),
	('Thai: no dictionary', U&'\0E2A\0E27\0E31\0E2A\0E14\0E35'),
	('Arabic with marks', U&'\0627\0644\0652\0639\064E\0631\064E\0628'),
	('Hebrew', U&'\05E6\05D4"\05DC \05D2''\05D3'),
	('apostrophes', U&'can\2019t l\00B7l a\00B7b'),
	('emoji are no words', U&'\+01F468\200D\+01F469\200D\+01F467 family \+01F1FA\+01F1F8'),
	('a joiner before a pictograph', U&'a\200D\24C2b'),
	('colon', U&'a:b a\FF1Ab \05D0:\05D1'),
	('numbers', U&'\0661\0662\066B\0663 1\20442 \00BD'),
	('soft hyphen', U&'ad\00ADmin'),
	('marks alone', U&'\0301\0301 \0363'),
	('letters newer than 15.0 are none', U&'a\1C89b \1C89')) AS t(what, doc);

-- tokenize: graphemes

SELECT what, show(array_to_string(tokenize(doc, 'grapheme-uax29'), '|')) AS graphemes FROM (VALUES
	('all of them', E'a b\r\n.'),
	('marks', U&'e\0301a\0301\0323'),
	('flags', U&'\+01F1FA\+01F1F8\+01F1E8\+01F1E6'),
	('family', U&'\+01F468\200D\+01F469\200D\+01F467\200D\+01F466'),
	('skin', U&'\+01F44D\+01F3FD\+01F44D'),
	('Hangul syllables', U&'\1100\1161\11A8\1100\1161\AC00\11A8'),
	('Indic conjuncts', U&'\0915\094D\0937\0924\094D\0930\093F'),
	('conjuncts of Unicode 15.1 and later', U&'\1780\17D2\1780')) AS t(what, doc);

-- tokenize: shingles

SELECT tokenizer, tokenize('The quick brown fox', tokenizer) AS shingles FROM (VALUES
	('shingle-k=1/word-uax29'), ('shingle-k=2/word-uax29'), ('shingle-k=3/word-uax29'), ('shingle-k=4/word-uax29'),
	('shingle-k=5/word-uax29'), ('shingle-k=1000000/word-uax29'), ('shingle-k=17/grapheme-uax29'),
	('shingle-k=2/shingle-k=2/word-uax29'), ('shingle-k=2/shingle-k=3/word-uax29'), ('shingle-k=3/shingle-k=2/word-uax29'),
	('shingle-k=2/shingle-k=9/word-uax29'), ('shingle-k=1/shingle-k=1/shingle-k=1/shingle-k=1/word-uax29')) AS t(tokenizer);

SELECT tokenize('', 'shingle-k=5/word-uax29') AS "no text", tokenize('...', 'shingle-k=5/word-uax29') AS "no word",
	tokenize('a b a b', 'shingle-k=2/word-uax29') AS duplicates,
	tokenize(tokenizer => 'shingle-k=2/word-uax29', doc => 'a b') AS named;

-- The text is not canonicalized: compose with canonicalize.
SELECT tokenize(U&'The \FB01rst') AS raw, tokenize(canonicalize(U&'The \FB01rst')) AS composed;

-- The result is an ordinary array.
SELECT array_ndims(t) AS dimensions, array_lower(t, 1) AS low, cardinality(t) AS n, t[1] AS first, t[40000] AS last, md5(array_to_string(t, ' '))
FROM tokenize(repeat('alpha beta gamma delta ', 10000)) AS t;
SELECT cardinality(tokenize('')) AS n, array_ndims(tokenize('')) AS dimensions, tokenize('') = '{}' AS equals_empty;

-- NULL in, NULL out

SELECT canonicalize(NULL) AS c1, canonicalize('a', NULL) AS c2, tokenize(NULL) AS t1, tokenize('a', NULL) AS t2;

-- Errors: canonicalizers

SELECT canonicalize('a', '');
SELECT canonicalize('a', 'nfd-cf-simple');
SELECT canonicalize('a', 'nfkc');
SELECT canonicalize('a', 'nfkc-');
SELECT canonicalize('a', 'nfkc-cf');
SELECT canonicalize('a', 'NFKC-CF-SIMPLE');
SELECT canonicalize('a', 'nfkc-cf-simple-fmt-bidi');
SELECT canonicalize('a', 'nfkc-cf-simple-bidi-bidi');
SELECT canonicalize('a', 'nfkc-cf-simple-bidi-fmt ');
SELECT canonicalize('a', ' nfkc-cf-simple-bidi-fmt');
SELECT canonicalize('a', 'word-uax29');
SELECT canonicalize('a', U&'nfkc-cf-simple-\0431idi');

-- Errors: tokenizers

SELECT tokenize('a', '');
SELECT tokenize('a', 'word');
SELECT tokenize('a', 'WORD-UAX29');
SELECT tokenize('a', 'word-uax29 ');
SELECT tokenize('a', 'sentence-uax29');
SELECT tokenize('a', 'cjk-jieba');
SELECT tokenize('a', 'shingle-k=5');
SELECT tokenize('a', 'shingle-k=5/');
SELECT tokenize('a', 'shingle-k=/word-uax29');
SELECT tokenize('a', 'shingle-k=5word-uax29');
SELECT tokenize('a', 'shingle-k=05/word-uax29');
SELECT tokenize('a', 'shingle-k=-1/word-uax29');
SELECT tokenize('a', 'shingle-k=+1/word-uax29');
SELECT tokenize('a', 'shingle-k=1.5/word-uax29');
SELECT tokenize('a', 'shingle-k= 5/word-uax29');
SELECT tokenize('a', 'shingle-k=5/shingle-k=5');
SELECT tokenize('a', 'word-uax29/shingle-k=5');
SELECT tokenize('a', 'shingle-k=0/word-uax29');
SELECT tokenize('a', 'shingle-k=2/shingle-k=0/word-uax29');
SELECT tokenize('a', 'shingle-k=1000001/word-uax29');
SELECT tokenize('a', 'shingle-k=4294967297/word-uax29');
SELECT tokenize('a', 'shingle-k=18446744073709551616/word-uax29');
SELECT tokenize('a', 'shingle-k=1/shingle-k=1/shingle-k=1/shingle-k=1/shingle-k=1/word-uax29');

-- The configuration is read before the text, so a wrong one is an error even for the empty text.
SELECT canonicalize('', 'nfkc-cf-none-x');
SELECT tokenize('', 'words');

-- Immutable: generated columns and expression indexes
CREATE TABLE names (
	name text,
	plain text GENERATED ALWAYS AS (canonicalize(name, 'nfkc-cf-simple-bidi-fmt-conf')) STORED UNIQUE,
	words text[] GENERATED ALWAYS AS (tokenize(canonicalize(name))) STORED
);
CREATE INDEX ON names (canonicalize(name));
INSERT INTO names VALUES ('Paypal Inc.'), (NULL);
INSERT INTO names VALUES (U&'\0420\0430\0443\0440\0430l inc.');
SELECT * FROM names;
DROP TABLE names;
DROP FUNCTION show(text);

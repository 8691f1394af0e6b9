-- What the pages define, word by word: each test is written from the line of the page that is quoted
BEGIN;
CREATE EXTENSION IF NOT EXISTS pgtap;
CREATE EXTENSION IF NOT EXISTS txtfp;
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.kinds(a text, b text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(kind, ' ') FROM text_difference(a, b)$$;
CREATE FUNCTION pg_temp.signal(name text, a text, b text) RETURNS float8 LANGUAGE sql AS $$SELECT (to_jsonb(difference_signals(a, b)) ->> name)::float8$$;

-- "A difference of several words has the strongest kind: number, name, word, symbol, punctuation, space."
SELECT is(pg_temp.kinds('see 5 Paris dogs here', 'see cat here'), 'number', 'number before name and word');
SELECT is(pg_temp.kinds('see Paris dogs here', 'see cat here'), 'name', 'name before word');
SELECT is(pg_temp.kinds('see + dogs = here', 'see cat & bird here'), 'word', 'word before symbol');
SELECT is(pg_temp.kinds('see, + here', 'see here'), 'symbol', 'symbol before punctuation');
SELECT is(pg_temp.kinds('see,  here', 'see here'), 'punctuation', 'punctuation before space');
-- "numeric characters that are no digits by themselves: 10² is neither 102 nor 10"
SELECT is(pg_temp.kinds('of 10² m', 'of 102 m'), 'number', '10² is not 102');
SELECT is(pg_temp.kinds('of 10² m', 'of 10 m'), 'number', '10² is not 10');
SELECT is(pg_temp.kinds('of 10² m', 'of 10² m'), NULL, '10² is 10²');
-- "words with a digit or another numeric character": letters with vowel signs and points are words
SELECT is(pg_temp.kinds('see ' || word || ' here', 'see here'), 'word', word)
FROM unnest('{का,বাংলা,தமிழ்,తెలుగు,മലയാളം,සිංහල,ગુજરાતી,ਪੰਜਾਬੀ,བོད་ཡིག,كِتَابٌ,שָׁלוֹם}'::text[]) AS word;

-- "words left over in a that b has somewhere, each as often as it is left over"
SELECT is(pg_temp.signal('moved', 'x x one two three four', 'one two three four x'), 2::float8, 'moved: each occurrence');
SELECT is(pg_temp.signal('moved', 'y one two three four', 'one two three four x'), 0::float8, 'moved: what b has nowhere');
-- "share of the distinct runs of three words of a that b has somewhere; a text of one or two words is one run, which only a text of the same words has; 1 for a text without words"
SELECT is(pg_temp.signal('contained', 'one two three four', 'one two three five'), 0.5::float8, 'contained: one of two runs');
SELECT is(round(pg_temp.signal('contained', 'a b c a b c', 'a b c')::numeric, 4), 0.3333, 'contained: distinct runs');
SELECT is(pg_temp.signal('contained', 'one two', 'One, two!'), 1::float8, 'contained: a short text');
SELECT is(pg_temp.signal('contained', 'one two', 'zero one two'), 0::float8, 'contained: a short text in a longer one');
SELECT is(pg_temp.signal('contained', '', 'zero'), 1::float8, 'contained: no words');
-- "symbols that stand in one text and not in the other between the same two matched words …; each as often as it stands there"
SELECT is(pg_temp.signal('symbols', 'C is good', 'C++ is good'), 2::float8, 'symbols: each');
SELECT is(pg_temp.signal('symbols', 'a = b', 'a b'), 1::float8, 'symbols: one');
SELECT is(pg_temp.signal('symbols', 'It is good.', 'It is good. Then a + b = c.'), 0::float8, 'symbols: of a statement more');
-- "one letter if the longer word has four letters or more, up to two if it has eight", "no numbers"
SELECT is(pg_temp.signal('respelled', 'see ' || a || ' here', 'see ' || b || ' here'), n::float8, format('respelled: %s, %s', a, b))
FROM (VALUES ('cars', 'care', 1), ('car', 'cat', 0), ('abcdefgh', 'abcdefxy', 1), ('abcdefg', 'abcdexy', 0), ('kälte', 'kalte', 1), ('a123', 'a124', 0)) AS v (a, b, n);
-- "distinct words of the last sentence (at most the last 24 words) that the last sentence of the other text does not have"
SELECT is(pg_temp.signal('last_line_removed', 'It was so. The end is is near', 'It is near. The end was here'), 2::float8, 'last_line_removed');
SELECT is(pg_temp.signal('last_line_kept', 'x y. Z w', E'x y\n\nz v u'), 2::float8, 'last_line_kept: behind a blank line');
SELECT is(pg_temp.signal('last_line_removed', 'p ' || repeat('q ', 23), 'r ' || repeat('q ', 30)), 1::float8, 'last_line_removed: 24 words');
SELECT is(pg_temp.signal('last_line_removed', 'p ' || repeat('q ', 24), 'r ' || repeat('q ', 30)), 0::float8, 'last_line_removed: not 25');
-- "a word of its list, one that ends with n't, begins with one of its stems or ends … with one of its Turkish endings; … one that lies in one of its phrases"
SELECT is(pg_temp.signal('scope', 'we ' || word || ' go there', 'we go there'), 1::float8, 'scope: ' || word)
FROM unnest('{not,"isn''t",keinen,ningún,aucune,nessuno,geen,żaden,не,gelmedi,نحن,لا,नहीं}'::text[]) AS word WHERE word <> 'نحن';
SELECT is(pg_temp.signal('scope', '我不去那里', '我去那里'), 1::float8, 'scope: a phrase');
SELECT is(pg_temp.signal('scope', 'the safe way', 'the unsafe way'), 1::float8, 'scope: a prefix');
-- "words of the kind word up to three letters that are left over and no words of scope"
SELECT is(pg_temp.signal('short_words', 'we go ' || word || ' there', 'we go there'), n::float8, 'short_words: ' || word)
FROM (VALUES ('by', 1), ('or', 0), ('für', 1), ('5', 0), ('over', 0), ('का', 1)) AS v (word, n);

-- "Up to four words that are replaced by as many are paired."
SELECT is(pg_temp.kinds('see red 5 dogs here', 'see blue 6 cats here'), 'word number word', 'pairs of words');

-- priorities: "the greatest wins, NULL is the least"
SELECT is((SELECT array_agg(DISTINCT cluster) FROM near_duplicate_clusters($$VALUES (1, to_simhash64('a b c'), NULL::float8), (2, to_simhash64('a b c'), '-Infinity')$$, max_distance => 0)), '{2}'::bigint[], '-Infinity before NULL');

-- "Texts that are equal byte by byte always go", however many kept rows are similar
CREATE TEMP TABLE rooms AS SELECT i AS id, format('The room %s of the old hotel beside the river has two windows, a table, four chairs, a lamp and a view of the mountains behind the town.', i % 301) AS body
FROM generate_series(0, 303) AS i;
SELECT results_eq($$SELECT id, kept, reason, outcome FROM deduplicate('SELECT id, to_minhash128(body, ''word-uax29''), body FROM rooms', 0.5, verify => 'lossless', guard => 'strict') WHERE outcome = 'remove' ORDER BY id$$,
	$$VALUES (301::bigint, 0::bigint, 'equal_text', 'remove'), (302, 1, 'equal_text', 'remove'), (303, 2, 'equal_text', 'remove')$$, 'equal texts go among 301 similar kept rows');
-- "neighbours: a row has more than 16 neighbours, and numbers or words of scope differ"
SELECT is((SELECT array_agg(DISTINCT reason) FROM deduplicate('SELECT id, to_minhash128(body, ''word-uax29''), body FROM rooms WHERE id < 17', 0.5, 'none', guard => 'neighbours')), '{similarity}', '16 neighbours');
SELECT is((SELECT array_agg(DISTINCT reason) FROM deduplicate('SELECT id, to_minhash128(body, ''word-uax29''), body FROM rooms WHERE id < 18', 0.5, 'none', guard => 'neighbours')), '{neighbours}', '17 neighbours');
SELECT is((SELECT count(*) FROM deduplicate($$SELECT id, to_minhash128(body, 'word-uax29'), body FROM (SELECT id, replace(body, id::text, repeat('x', id)) AS body FROM rooms WHERE id BETWEEN 1 AND 30) AS r$$, 0.5, 'none', guard => 'neighbours')
	WHERE reason = 'neighbours'), 0::bigint, 'no number differs');
-- "reason together": with signals and neighbours as every removal
SELECT results_eq($$SELECT id, reason, neighbours, (signals).removed_words > 0, (signals).edits FROM deduplicate('SELECT id, to_minhash128(body, ''word-uax29''), body FROM rooms WHERE id IN (1, 2)', 0.5, verify => 'lossless', signals => true,
	together => 'VALUES (1, 2)')$$, $$VALUES (2::bigint, 'together', 1, true, 1::float8)$$, 'together has signals and neighbours');

SELECT * FROM finish();
ROLLBACK;

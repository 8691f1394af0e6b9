-- deduplicate_passages: what of a text stands in an earlier one; passage_keys and without_ranges
CREATE TEMP TABLE letter (id int PRIMARY KEY, body text, grp text, rank float8);
INSERT INTO letter VALUES
	(1, E'Dear all, the meeting is on Monday.\n\nPlease bring the minutes of the last meeting, and a pen.\n\nYours, Ann', 'a', 1),
	(2, E'We have moved to a new house.\n\nPLEASE bring  the minutes of the last\nmeeting, and a pen.\n\nBob', 'b', 2),
	(3, E'Please bring the minutes of the last meeting, and a pen.\n\nPlease bring the minutes of the last meeting, and a pen.\n\nThank you', 'a', NULL),
	(4, NULL, 'a', 3),
	(5, '', 'a', 4);
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter');
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter ORDER BY id DESC');
SELECT * FROM deduplicate_passages('SELECT id, body, rank FROM letter');
SELECT * FROM deduplicate_passages('SELECT id, body, grp FROM letter', grouped => true);
SELECT * FROM deduplicate_passages('SELECT id, body, grp, rank FROM letter', grouped => true);
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', unit => 'line');
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', 'line', 1);
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', 'word', 4);
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', 'word', 4, canonicalizer => 'none-cf-none');
SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', min_words => 12);
SELECT * FROM deduplicate_passages('SELECT id::bigint, body::varchar FROM letter') ORDER BY id DESC LIMIT 1;
SELECT * FROM deduplicate_passages(NULL::text, 'SELECT ''m'' || id, body FROM letter', 'paragraph');
SELECT * FROM deduplicate_passages(NULL::uuid, 'SELECT md5(id::text)::uuid, body FROM letter', 'paragraph');

-- Two sets: only the second is cut, and only by the first.
SELECT * FROM deduplicate_passages_between('SELECT id, body FROM letter WHERE id = 2', 'SELECT id, body FROM letter');
SELECT * FROM deduplicate_passages_between('SELECT id, body FROM letter WHERE id = 1', 'SELECT id, body FROM letter WHERE id = 3', 'word', 5);
SELECT * FROM deduplicate_passages_between('SELECT id, body, grp FROM letter WHERE id = 1', 'SELECT id, body, grp FROM letter WHERE id > 1', grouped => true);
SELECT * FROM deduplicate_passages_between('SELECT id, body FROM letter WHERE false', 'SELECT id, body FROM letter');

-- Every piece has the words of its place in the text that is kept, and that place remains.
CREATE TEMP TABLE cut AS SELECT * FROM deduplicate_passages('SELECT id, body FROM letter', 'word', 3);
SELECT count(*), bool_and(tokenize(substring(b.body, c.start, c.length)) = tokenize(substring(k.body, c.kept_start, c.length + 3)))
	OR bool_and(starts_with(canonicalize(regexp_replace(substring(k.body, c.kept_start), '\s+', ' ', 'g')), rtrim(canonicalize(regexp_replace(substring(b.body, c.start, c.length), '\s+', ' ', 'g')))))
FROM cut AS c JOIN letter AS b USING (id) JOIN letter AS k ON k.id = c.kept;

-- The texts without them
SELECT id, without_ranges(body, starts, lengths), without_ranges(body, starts, lengths, '[...]') AS marked
FROM letter LEFT JOIN (SELECT id, array_agg(start) AS starts, array_agg(length) AS lengths FROM deduplicate_passages('SELECT id, body FROM letter') GROUP BY id) AS c USING (id) ORDER BY id;
SELECT without_ranges('abcdef', '{5,2}', '{1,2}'), without_ranges('abcdef', '{1,2}', '{3,3}', '-'), without_ranges('äöü', '{2}', '{1}'), without_ranges('abc', '{NULL}', '{NULL}'), without_ranges('abc', '{}', '{}', 'x');
SELECT without_ranges(NULL, '{1}', '{1}') IS NULL, without_ranges('abc', '{1}', '{1}', NULL);
SELECT without_ranges('abc', '{1,2}', '{1}');
SELECT without_ranges('abc', '{0}', '{1}');
SELECT without_ranges('abc', '{1}', '{-1}');
SELECT without_ranges('abc', '{2}', '{3}');
SELECT without_ranges('abc', '{9}', '{1}');
-- Ranges that overlap cost no more than others; marks cannot fill the memory
SELECT without_ranges(repeat('ä', 2000000), (SELECT array_agg(i) FROM generate_series(1, 100000) AS i), array_fill(1900000, ARRAY[100000])) = repeat('ä', 1);
SELECT without_ranges('abc', array_fill(1, ARRAY[200]), array_fill(1, ARRAY[200]), repeat('-', 10000000));

-- A table of what was seen, against which a batch is cut: the same result
SELECT * FROM passage_keys((SELECT body FROM letter WHERE id = 1));
SELECT count(*), count(DISTINCT key) FROM passage_keys('a b c d a b c', 'word', 3);
SELECT count(*) FROM passage_keys(NULL);
SELECT * FROM passage_keys('a b', 'word', 3);
CREATE TEMP TABLE seen (key uuid PRIMARY KEY, id int, start int);
INSERT INTO seen SELECT key, id, start FROM letter, passage_keys(body) ORDER BY id, start ON CONFLICT DO NOTHING;
SELECT l.id, k.start, k.length, s.id AS kept, s.start AS kept_start FROM letter AS l, passage_keys(l.body) AS k JOIN seen AS s USING (key)
WHERE (s.id, s.start) <> (l.id, k.start)
EXCEPT SELECT * FROM deduplicate_passages('SELECT id, body FROM letter');

-- Errors
SELECT deduplicate_passages(NULL);
SELECT deduplicate_passages('letter');
SELECT deduplicate_passages('SELECT 1');
SELECT deduplicate_passages('SELECT 1, 2');
SELECT deduplicate_passages('SELECT 1, ''a'', ''b''');
SELECT deduplicate_passages('SELECT 1, ''a'', 2, 3');
SELECT deduplicate_passages('SELECT 1, ''a''', grouped => true);
SELECT deduplicate_passages('SELECT 1.5, ''a''');
SELECT deduplicate_passages('SELECT ''x'', ''a''');
SELECT deduplicate_passages('SELECT NULL::int, ''a''');
SELECT deduplicate_passages('SELECT 1, ''a'' UNION ALL SELECT 1, ''b''');
SELECT deduplicate_passages('SELECT 1, ''a'', float8 ''NaN''');
SELECT deduplicate_passages('SELECT 1, ''a''', 'word', 0);
SELECT deduplicate_passages('SELECT 1, ''a''', 'word', 10001);
SELECT deduplicate_passages('SELECT 1, ''a''', unit => 'sentence');
SELECT deduplicate_passages('SELECT 1, ''a''', unit => NULL);
SELECT deduplicate_passages('SELECT 1, ''a''', grouped => NULL);
SELECT deduplicate_passages('SELECT 1, ''a''', tokenizer => 'shingle-k=2/word-uax29');
SELECT deduplicate_passages('SELECT 1, ''a''', tokenizer => NULL);
SELECT deduplicate_passages('SELECT 1, ''a''', canonicalizer => 'x');
SELECT deduplicate_passages('SELECT 1, ''a''', canonicalizer => NULL);
SELECT deduplicate_passages_between('SELECT 1, ''a''', NULL);
SELECT deduplicate_passages_between('SELECT 1, ''a''', 'SELECT 1, ''a'', 1');
SELECT deduplicate_passages_between('SELECT 1, ''a''', 'SELECT 1, ''a''', grouped => true);
SELECT passage_keys('a', unit => 'x');
SELECT passage_keys('a', min_words => 0);
SELECT passage_keys('a', tokenizer => NULL);

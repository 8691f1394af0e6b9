-- text_jaccard, text_containment, shared_passages, mark_shared_passages
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

-- Exact measures of sets of shingles of five words, or of the tokenizer's tokens

SELECT text_jaccard('a b c d e f', 'a b c d e g'), text_containment('a b c d e f g h', 'b c d e f g');
SELECT text_jaccard('one two three', 'Three TWO one', 'word-uax29') AS words, text_jaccard('one two three', 'Three TWO one', 'word-uax29', 'none-cf-none') AS as_given;
SELECT text_containment('a a a b', 'a c', 'word-uax29') AS of_the_first, text_containment('a c', 'a a a b', 'word-uax29') AS of_the_second;
SELECT text_jaccard('abc', 'abd', tokenizer => 'grapheme-uax29') AS graphemes;
-- NULL if either has no token
SELECT text_jaccard('', 'a'), text_jaccard('a', '...'), text_containment('', ''), text_jaccard(NULL, 'a'), text_containment('a', NULL);
-- the same as sets in SQL
CREATE FUNCTION tokens_of(doc text, tokenizer text) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(DISTINCT t COLLATE "C") FROM unnest(tokenize(canonicalize(doc), tokenizer)) AS t $$;
CREATE FUNCTION jaccard_of(a text[], b text[]) RETURNS float8 LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM (SELECT unnest(a) INTERSECT SELECT unnest(b)) AS x)::float8 / (SELECT count(*) FROM (SELECT unnest(a) UNION SELECT unnest(b)) AS x) $$;
CREATE TABLE words AS SELECT i, (SELECT string_agg((ARRAY['the', 'Fox', 'stra' || U&'\00DF' || 'e', 'don''t', '3.5', 'caf' || U&'\00E9', 'und', U&'\4E2D\6587', 'x'])[1 + abs(hashint4(i * 100 + j)) % 9], CASE j % 3 WHEN 0 THEN '  ' WHEN 1 THEN ', ' ELSE ' ' END) FROM generate_series(1, 3 + i % 40) AS j) AS body FROM generate_series(1, 60) AS i;
SELECT t AS tokenizer, count(*) AS pairs, count(*) FILTER (WHERE text_jaccard(x.body, y.body, t) IS DISTINCT FROM jaccard_of(tokens_of(x.body, t), tokens_of(y.body, t))) AS wrong,
	count(*) FILTER (WHERE text_containment(x.body, y.body, t) IS DISTINCT FROM (SELECT count(*) FROM (SELECT unnest(tokens_of(x.body, t)) INTERSECT SELECT unnest(tokens_of(y.body, t))) AS s)::float8 / cardinality(tokens_of(x.body, t))) AS wrong_containment
FROM words AS x, words AS y, unnest('{word-uax29,shingle-k=2/word-uax29,grapheme-uax29}'::text[]) AS t WHERE x.i % 30 = 0 GROUP BY t ORDER BY t;
SELECT text_jaccard('a', 'b', 'no-such');
SELECT text_containment('a', 'b', canonicalizer => 'no-such');

-- Passages: their positions in the given texts

SELECT * FROM shared_passages('Ünïcode:  The QUICK brown fox… jumps over the lazy dog!', 'a quick brown ｆox jumps', 4);
SELECT substring(a FROM a_start FOR a_length) AS in_a, substring(b FROM b_start FOR b_length) AS in_b, words
FROM (VALUES ('Ünïcode:  The QUICK brown fox… jumps over the lazy dog!', 'the lazy dog. A quick brown ｆox jumps')) AS t (a, b), shared_passages(a, b, 3);
-- the longest run from left to right, at its first occurrence in b; passages do not overlap in a
SELECT * FROM shared_passages('1 2 3 4 5 6', '4 5 6 7 1 2 3 4', 2);
SELECT * FROM shared_passages('1 2 1 2', '0 1 2', 2);
SELECT count(*) FROM shared_passages('a b c d', 'a b c d');
-- the longest common run, of which a passage may have taken the beginning
SELECT * FROM shared_passages('a b c d e f g h', 'a b c d e x c d e f g h');
SELECT * FROM shared_passages('a b c d e f g h', 'a b c d e x c d e f g h', longest => true);
SELECT * FROM shared_passages('x y x y', 'x y', 1, longest => true);
SELECT * FROM shared_passages('a b c d', 'a b c d', longest => true);
SELECT * FROM shared_passages('', '', 1, longest => true);
SELECT words FROM shared_passages(repeat('a ', 300000), repeat('a ', 200000), longest => true);
SELECT count(*) FROM shared_passages('a b c d e', 'a b c d e');
SELECT count(*) AS nulls FROM shared_passages(NULL, 'a', 1);
SELECT count(*) AS of_nothing FROM shared_passages('', 'a', 1);
-- a character that is four words is in the passage as a whole
SELECT * FROM shared_passages(U&'x \FDFA y', U&'\0635\0644\0649 \0627\0644\0644\0647 q', 2);
SELECT * FROM shared_passages('One two', 'one two', 2, canonicalizer => 'none-cf-none');
SELECT * FROM shared_passages('abcd', 'xbcx', 2, tokenizer => 'grapheme-uax29');
SELECT mark_shared_passages('Then the QUICK brown fox jumped over it.', 'the quick, brown fox jumped', min_words => 3);
SELECT mark_shared_passages('a b c d x e f g h', 'e f g h | a b c d', '[', ']', 4);
SELECT mark_shared_passages('a b c', 'd e f', '[', ']', 1), mark_shared_passages('', '', '[', ']'), mark_shared_passages('a b', 'a b', '', '', 1);
-- two passages that share a character are marked as one
SELECT mark_shared_passages(U&'x \FDFA y', U&'\0635\0644\0649 \0627\0644\0644\0647 \0639\0644\064A\0647 q \0648\0633\0644\0645 y', '[', ']', 2) = U&'x [\FDFA y]' AS "marked as one";
-- linear time: otherwise these would take hours
SELECT count(*), max(words) FROM shared_passages(repeat('a ', 300000), repeat('a ', 300000));
SELECT count(*), max(words) FROM shared_passages(repeat('ab cd ', 100000), repeat('cd ab ', 100000) || 'ab', 5);
SELECT length(mark_shared_passages(repeat('a', 1000000), repeat('a', 1000000), '[', ']', 1));

SELECT * FROM shared_passages('a', 'a', 0);
SELECT mark_shared_passages('a', 'a', '[', ']', -3);
SELECT * FROM shared_passages('a', 'a', 1, 'no-such');
SELECT * FROM shared_passages('a', 'a', 1, tokenizer => 'shingle-k=2/word-uax29');
SELECT mark_shared_passages(repeat('a ', 1000), 'a a', repeat('x', 100000000), '', 1);
SET statement_timeout = '100ms';
SELECT count(*) FROM shared_passages(repeat('lorem ipsum dolor ', 3000000), repeat('dolor lorem ipsum sit amet ', 3000000));
RESET statement_timeout;
DROP TABLE words;
DROP FUNCTION tokens_of, jaccard_of;

-- text_difference, mark_difference, difference_signals
\pset null NULL
SELECT * FROM text_difference('GCC 12 for C, the big dog', 'GCC 13 for C++, the dog');
SELECT * FROM text_difference('a', 'a');
SELECT kind, a_text, b_text FROM text_difference('Ünï  at 10 °C costs 5 €. See Welsh', 'ünï at -10 °C costs 5 $. See Arabic');
SELECT kind, a_start, b_start, a_text, b_text FROM text_difference('A one two three four B five six seven eight nine q', 'A B five six seven eight nine one two three four q');
SELECT kind, a_text, b_text FROM text_difference('abcd', 'abxd', 'grapheme-uax29');
SELECT kind, a_text, b_text FROM text_difference('The Dog', 'the dog', canonicalizer => 'none-cf-none');
SELECT count(*) AS nulls FROM text_difference(NULL, 'a');
SELECT mark_difference('the big red dog, 5 years', 'the dog, 6 years'), mark_difference('a b', 'a c', '<del>', '</del>', '<ins>', '</ins>');
SELECT mark_difference('', ''), mark_difference('', 'a'), mark_difference('a', '');

-- Replacing the differences from the last to the first gives the second text.
CREATE FUNCTION replaced(a text, b text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d record;
BEGIN
	FOR d IN SELECT * FROM text_difference(a, b) WITH ORDINALITY ORDER BY ordinality DESC LOOP
		IF substring(a FROM d.a_start FOR d.a_length) <> d.a_text OR substring(b FROM d.b_start FOR d.b_length) <> d.b_text THEN
			RAISE 'wrong position: %', d;
		END IF;
		a := overlay(a PLACING d.b_text FROM d.a_start FOR d.a_length);
	END LOOP;
	RETURN a;
END $$;
SELECT count(*), bool_and(replaced(a, b) = b) FROM (VALUES ('', 'x'), ('x', ''), (U&'e\0301 \FDFA y', U&'\00E9 y \FDFA'), ('a b c d e f', 'f e d c b a'),
	('x' || repeat(' lorem ipsum', 1000), repeat('dolor lorem ', 999)), ('++ --', '-- ++'), (U&'\+01F600 a', U&'\+01F601 a')) AS t (a, b);

SELECT * FROM difference_signals('Welsh dictionary for Aspell', 'Arabic dictionary for Aspell');
SELECT neighbours, kept_neighbours, symbols, edits, contained FROM difference_signals('C', 'C++', 7, 0);
SELECT difference_signals(NULL, 'a') IS NULL AS nulls, (difference_signals('', '')).shared, (difference_signals('', 'a')).new_kept;

SELECT * FROM text_difference('a', 'b', 'shingle-k=2/word-uax29');
SELECT * FROM text_difference('a', 'b', 'none');
SELECT mark_difference('a', 'b', canonicalizer => 'none');
SELECT difference_signals('a', 'b', -1);
SELECT mark_difference(string_agg('a ' || i, ' '), string_agg('a ' || i + 50, ' '), repeat('x', 100000000)) FROM generate_series(1, 20) AS i;
-- linear beyond the size up to which the alignment is minimal
SELECT count(*) > 0 AS differ FROM text_difference(repeat('lorem ipsum dolor ', 300000), repeat('dolor lorem ipsum sit amet ', 300000));
DROP FUNCTION replaced(text, text);

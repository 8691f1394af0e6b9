-- chunk_for_model: the three modes, their options and errors. Databases of other encodings: encodings.sql.
SELECT chunk_for_model('One two three. Four five six. Seven eight nine.', 10, 0);
SELECT chunk_for_model('One two three. Four five six. Seven eight nine.', 10, 3);
SELECT chunk_for_model('One two three. Four five six. Seven eight nine.', 10, 3, 'fixed');
SELECT chunk_for_model(E'a b\n\nc d\r\n\r\ne\n\n\n\nf', 4, 9, 'recursive');
SELECT chunk_for_model('Mr. Smith went to Washington. He said "Hi." Then he left... 3.5 is a number. ok? yes! no.', 8, 0);
SELECT chunk_for_model(U&'\4ECA\5929\5929\6C14\5F88\597D\3002\6211\4EEC\53BB\516C\56ED\5427\FF01', 12, 0);
SELECT chunk_for_model(''), chunk_for_model(' . ! '), chunk_for_model('a', 0), chunk_for_model(NULL), chunk_for_model(' . ! ', mode => 'recursive');
-- defaults: 256 tokens are 196 words, and 24 of them are repeated in the next chunk
SELECT n, cardinality(tokenize(chunk)), left(chunk, 15), right(chunk, 15) FROM
	unnest(chunk_for_model((SELECT string_agg('Word ' || i || '.', ' ' ORDER BY i) FROM generate_series(1, 300) AS i))) WITH ORDINALITY AS c (chunk, n);
SELECT cardinality(c), length(c[1]) FROM chunk_for_model((SELECT string_agg('word' || i, ' ' ORDER BY i) FROM generate_series(1, 1000) AS i)) AS c;
SELECT chunk_for_model('a b', 2147483647, 2147483647), chunk_for_model('a b', 1, 2147483647);
SELECT chunk_for_model('a', -1);
SELECT chunk_for_model('a', 5, -1);
SELECT chunk_for_model('a', mode => 'Sentence');
SELECT chunk_for_model('a', mode => repeat('x', 30));
-- windows of 1000 words, each one word after the last: more than an array can hold
SELECT chunk_for_model(repeat('word ', 400000), 1300, 1299, 'fixed');

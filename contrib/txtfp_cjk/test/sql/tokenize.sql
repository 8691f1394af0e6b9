-- The tokens of the specification's examples, which are outputs of jieba-rs 0.9.0 and lindera.
\pset format unaligned
\pset tuples_only on

SELECT t, array_to_string(tokenize(t, 'cjk-jieba'), '|'), array_to_string(tokenize(t, 'cjk-jieba-hmm'), '|')
FROM unnest(ARRAY['我爱北京天安门', '中文测试，简单一点。', '南京市长江大桥', '他来到了网易杭研大厦', '我们中出了一个叛徒',
	'abc网球拍卖会def！！？', 'v1.2 at&t c++', 'ascii only text 100% x_y-z', '東京都に住む', '讥䶯䶰䶱䶲䶳䶴䶵𦡦', '안녕하세요 세계',
	'B超检查', '', ' ']) t;
SELECT tokenize(E'\t\r\n', 'cjk-jieba'), tokenize(E'\t\r\n', 'cjk-lindera-ipadic');

SELECT t, array_to_string(tokenize(t, 'cjk-lindera-ipadic'), '|')
FROM unnest(ARRAY['私は日本語を勉強しています', '関西国際空港限定', '東京都に住む。明日は晴れ、たぶん。', 'すもももももももものうち',
	'hello world 2024年', 'foo_bar v1.2 at&t', 'コンピュータ・サイエンス', '', '　', E'\n\n']) t;

SELECT t, array_to_string(tokenize(t, 'cjk-lindera-ko-dic'), '|')
FROM unnest(ARRAY['이 책이 그 책이다', '안녕하세요 세계', '아버지가 방에 들어가신다', '']) t;

-- everywhere a tokenizer can be named
SELECT tokenize('南京市长江大桥很长', 'shingle-k=2/cjk-jieba');
SELECT config_hash('nfkc-cf-simple-bidi-fmt', 'cjk-jieba', 'h128-mmh3', NULL),
	config_hash('nfkc-cf-simple-bidi-fmt', 'shingle-k=5/cjk-jieba', 'minhash-h128');
SELECT name, jaccard(to_minhash128(a, name), to_minhash128(b, name)),
	hamming(to_simhash64(a, name), to_simhash64(b, name)) > 0
FROM (VALUES ('cjk-jieba', '我爱北京天安门', '我爱北京'), ('cjk-jieba-hmm', '他来到了网易杭研大厦', '他来到了网易'),
	('cjk-lindera-ipadic', '私は日本語を勉強しています', '私は英語を勉強しています'),
	('cjk-lindera-ko-dic', '이 책이 그 책이다', '이 책이 그 책')) AS v (name, a, b);
SELECT to_minhash64('', 'cjk-jieba') IS NULL, to_simhash64(' ', 'cjk-lindera-ipadic') IS NULL;

-- the configuration contains the tokenizer's name, and fingerprints of different tokenizers cannot be compared
SELECT jaccard(to_minhash64('我爱北京', 'cjk-jieba'), to_minhash64('我爱北京', 'cjk-jieba-hmm'));
SELECT to_minhash64('我爱北京天安门', 'cjk-jieba');
SELECT to_simhash64('我爱北京天安门', 'cjk-jieba');

-- a text in chunks, cut anywhere, gives the tokens of the whole text
CREATE TEMPORARY TABLE texts AS
SELECT n, name, (SELECT string_agg(piece, repeat('很', (i % 7)::int) || CASE i % 5 WHEN 0 THEN '。' WHEN 1 THEN E'\n' ELSE '' END ORDER BY i)
	FROM unnest(ARRAY['我爱北京天安门', '私は日本語を勉強しています', '이 책이 그 책이다', 'v1.2 c++', '網球拍賣會', 'カタカナ', '二〇二四年'])
		WITH ORDINALITY AS p (piece, i), generate_series(1, 40)) AS t
FROM unnest(ARRAY['cjk-jieba', 'cjk-jieba-hmm', 'cjk-lindera-ipadic', 'cjk-lindera-ko-dic']) AS name, generate_series(1, 1) n;
SELECT name, size, minhash64_agg(substr(bytes, from_byte, size), 'shingle-k=3/' || name ORDER BY from_byte)
	= to_minhash64(convert_from(bytes, 'UTF8'), 'shingle-k=3/' || name) AS same
FROM (SELECT name, convert_to(t, 'UTF8') AS bytes FROM texts) x, unnest(ARRAY[1, 5, 1000]) AS size,
	generate_series(1, octet_length(bytes), size) AS from_byte
GROUP BY name, bytes, size ORDER BY name, size;

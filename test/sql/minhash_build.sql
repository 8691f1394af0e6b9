-- to_minhash64, to_minhash128, to_minhash256
\set SHOW_CONTEXT never

-- The defaults

SELECT left(fp::text, 37) AS minhash64, md5(fp::bytea) FROM to_minhash64('The quick brown fox jumps over the lazy dog') AS fp;
SELECT left(fp::text, 37) AS minhash128, md5(fp::bytea) FROM to_minhash128('The quick brown fox jumps over the lazy dog') AS fp;
SELECT left(fp::text, 37) AS minhash256, md5(fp::bytea) FROM to_minhash256('The quick brown fox jumps over the lazy dog') AS fp;

SELECT to_minhash128(doc) = to_minhash128(doc, 'shingle-k=5/word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781) AS explicit,
	to_minhash128(doc) = to_minhash128(doc, seed => 828927532781, hash => 'xxh3-64', canonicalizer => 'nfkc-cf-simple-bidi-fmt', tokenizer => 'shingle-k=5/word-uax29') AS named,
	to_minhash128(doc) = to_minhash128(doc => doc) AS doc, to_hex(828927532781) AS seed
FROM (VALUES ('The quick brown fox jumps over the lazy dog')) AS t(doc);

-- Each argument changes the configuration, which is in the first 16 digits.
SELECT tokenizer, canonicalizer, hash, seed, left(to_minhash64(doc, tokenizer, canonicalizer, hash, seed)::text, 16) AS minhash64,
	left(to_minhash128(doc, tokenizer, canonicalizer, hash, seed)::text, 16) AS minhash128, left(to_minhash256(doc, tokenizer, canonicalizer, hash, seed)::text, 16) AS minhash256,
	md5(to_minhash128(doc, tokenizer, canonicalizer, hash, seed)::bytea) AS slots
FROM (VALUES ('the quick brown fox jumps over the lazy dog')) AS t(doc), (VALUES
	('shingle-k=5/word-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781),
	('word-uax29', 'nfkc-cf-simple', 'xxh3-64', 828927532781),
	('word-uax29', 'nfkc-cf-simple', 'mmh3-x64-128', 42),
	('grapheme-uax29', 'nfkc-cf-simple-bidi-fmt', 'xxh3-64', 828927532781),
	('shingle-k=3/word-uax29', 'nfc-cf-none', 'xxh3-64', 0),
	('shingle-k=2/shingle-k=2/word-uax29', 'none-cf-none-bidi-fmt-conf', 'mmh3-x64-128', -1)) AS c(tokenizer, canonicalizer, hash, seed);

-- Reference vectors of txtfp 0.2: hashes of the wire form

CREATE TEMP TABLE vectors (name text, doc text, minhash128 text, words128 text, murmur64 text, grapheme256 text);
INSERT INTO vectors VALUES
	('special00', '',
		NULL, NULL,
		NULL, NULL),
	('special01', U&'   \0009\000A ',
		NULL, NULL,
		NULL, '18b9fd21db873c43f42b2b91b27a3081'),
	('special02', 'a',
		'f292780b7cab7462c8bfa78e4b89b02d', 'f292780b7cab7462c8bfa78e4b89b02d',
		'bd450adc09bdf5d1708fb4c47c42ffe1', '0902c9609935def4fcdc81bdc055a7f9'),
	('special03', 'Don''t',
		'50b9790ad7a8994b569f65ba550261e3', '50b9790ad7a8994b569f65ba550261e3',
		'a21cf6b7ac52c9b3d8b190924f309387', 'db64ed05dd4aeda5d1fd8a7e7ea2bb0a'),
	('special04', U&'can\2019t stop',
		'49d0dbb4b494ed26586d8273cb97cbce', '5687ab5ef2ad7b67ebf7758ba0e019c8',
		'311ec9106075ef2030bb8c8f8a57ec18', 'f7207c94dd382614fc48ca472175a657'),
	('special05', 'e-mail me at a.b@c.com, ok?',
		'b9a47620459c830b8e95ccd6f752131a', '24156ffa3c08eed935aced757be8c073',
		'df74d43d7fff6c40fffb0bce87edb717', 'baff0bc74b1c4bc39efdb66c381d2bff'),
	('special06', '1,234.56 and 7.8.9',
		'ebf4210488f3f4c9ab673488e27c8437', '7668554f1b9b85dc4440c37c569e46fd',
		'bde7d6bbde1fba88606d8ab4ffd0e5cf', '97a32ace020a2f435f42383a37e24a45'),
	('special08', 'foo_bar __x__ _',
		'8fdb579e3132f9cf7bb795efbfbc1c8f', 'f1c02d2a75a86b5e01e5ed48da00137b',
		'e0dd57b7d756b0b793bdc1289b7db4e1', '0bc1ec7ef0f66b188b9dfdcc1f8f028c'),
	('special09', U&'\FB01le \FB02ow o\FB03ce',
		'051536d780b494967707d379ae94c25b', '137294900b7473925551b5f4ea491a68',
		'98fb9814752274bc28ccb27b4a7ffbd4', '0ec831920cf256c1ec72f05c77d53f3e'),
	('special10', U&'Stra\00DFe STRASSE \1E9E',
		'81befd89a7f96cd7d1e0fe48ad8b1834', '793bdce4073cfaec6a47dddc5dd4a5ed',
		'8ccbce8bddfbd37dcf2ad24c71c02302', 'b137b5beb15f7f19cb593558d5be4cd8'),
	('special11', U&'\03A3\038A\03A3\03A5\03A6\039F\03A3 \03C3\03AF\03C3\03C5\03C6\03BF\03C2 \03C2',
		'0331f673014239914f235dc46f25038c', 'fca4f35fe7cd35c61fca1b866ee3cbf7',
		'9812ec31df51b6fa9f31d94a5e2a4c38', '92a76c7feb7ab37dd1d141687e4074f1'),
	('special12', U&'\0130stanbul ISTANBUL \0131i',
		'b279c111a5c3927c9e96c969ede1d361', 'a6541b0efb5235d0b60aa6f86215034b',
		'16af5f7b5ed63a67d8c5afa7186f335b', '196837963ef35fde3137b0d73fe78455'),
	('special15', U&'\0149 \01F0 \0390',
		'd16a0f6b9ebf1ad44672d3877cd409fe', '333e11975ebf4b4ed222c6e383b092b9',
		'990e871f899bb831ee89ff81b6051c8f', '040d564245a66219d913d996a7d68ff9'),
	('special16', U&'A\030A \00C5 \212B',
		'e03a4e4c4566d423249e438cb4cf74a9', 'ca8f5d7e262206b13710037696379fe4',
		'f0259b1fab428d3ed751e6ebe68d4a8c', '9e749126ead24c52e5ae0f815a497b1d'),
	('special17', U&'Hello\200BWorld',
		'a06015bc89cf28bafe1db503d5025e26', 'a06015bc89cf28bafe1db503d5025e26',
		'99fbb8fc05708de3c179bdfd609357b2', '9fa81825cc34e7769f6d39e978dbbe65'),
	('special18', U&'admin\202Edrow',
		'3cc3d2c09de7417f2a6a95fbbb1d7c3a', '3cc3d2c09de7417f2a6a95fbbb1d7c3a',
		'56e10c1d635f878e16bc95313cdc1706', 'e6672cfe42f1b755305fa89737f766e6'),
	('special20', U&'\FF21\FF22\FF23\FF11\FF12\FF13',
		'8c7a8665cd3ddb60a5b4cb5f35af00db', '8c7a8665cd3ddb60a5b4cb5f35af00db',
		'd092e25b74960b4fedf4e20e1f009d85', '082e1ee0358b40bccd4315a5f393f488'),
	('special21', U&'\00BD \00BE \00B2 \00B3 \338F \337F',
		'b8f010346bf9a99097401895023711db', '963e0f16f93cac5e68e4f0ea5af7c140',
		'189e321ceda3bda2cd196b508681ecb4', '9f7b93e6abe5fea30991614efcdf6b9f'),
	('special22', U&'\+01F468\200D\+01F469\200D\+01F467\200D\+01F466 \+01F1FA\+01F1F8\+01F1E9\+01F1EA \+01F44D\+01F3FD 1\FE0F\20E3 #\FE0F\20E3',
		'2c8ba5177cdd146d59a1e7846f23d777', '2c8ba5177cdd146d59a1e7846f23d777',
		'62a4db796415f30a17649baea7332ee6', '2dc990256107692dae6ceef7a36cc681'),
	('special23', U&'a\0301\0323 a\0323\0301',
		'9a48093132c518ff56bb85ee6fe22993', '485f047cf6dcb86db1b621d1ac10e405',
		'9687801aaf5efb20d3e25533204e3c14', '6525f7f5fe3718693d886cdd537156b2'),
	('special25', U&'\0130\0323',
		'991ca0a27c5715fd41791cf5630222bb', '991ca0a27c5715fd41791cf5630222bb',
		'21d2b7af0f9176872cddae7085f939b2', 'f9edae0242990086d3aa0386ac7a0a9a'),
	('special29', U&'\AC01 \AC01 \AC00\11A8',
		'2a8489d4e0231733d01d58368ad9e713', '5949a80082eeee53edfb73a66af69ea9',
		'3db358c707114d51e33c0829ae87ffed', 'ba1c3e237b61e452e13f298eeb2c1ea4'),
	('special30', U&'\FF76\FF9E \30AC \304C \304B\3099',
		'c3ef4b55585a2cb692f5d640f6d08f9a', '6f65e6512a308261b394b354dc280716',
		'951a0e1afc30c19d073f51a1eacd6453', 'd744befe243d6f96eb8e90225c45b7e3'),
	('special31', U&'\6211\7231\5317\4EAC\5929\5B89\95E8',
		'540a06a22f4abba608bc4252c4aeeefc', '4a4ec5dbbc176b6ef303995737a08483',
		'dab27146d7ead11958ec6ca6c2ca95c6', 'f799d31ef1523df9a9159a2526de696b'),
	('special32', U&'\79C1\306F\65E5\672C\8A9E\3092\52C9\5F37\3057\3066\3044\307E\3059',
		'b5cf136353e6a3e59345f97a6e46a533', '547aa291734ed994db64a8a8d3c3f58c',
		'b17a8f59ba4deb2222a9a590b3938396', 'fc5dd4cb2b04792c45382c6671cfb337'),
	('special33', U&'\C548\B155\D558\C138\C694 \D55C\AD6D\C5B4',
		'f9c160def9c41c6607d4d5f69fd84d6e', 'd6f3df57175ed1ebe97d8dc37244f2c7',
		'96924a7ead9e6418d403563e42736d81', '078e78a6eb145b1b03e9927d1f4f9a9e'),
	('special34', U&'\0E20\0E32\0E29\0E32\0E44\0E17\0E22 \0E04\0E37\0E2D',
		'7c05e374cb5b466af0e413874d13598e', '222d83809187220dcf492749909c531f',
		'118d6f261d4c23491cf2491c255d6460', 'd764caa40a6e23a074fdaf173b304a30'),
	('special36', U&'\1797\17B6\179F\17B6\1781\17D2\1798\17C2\179A',
		'a0aaf692f189c18b3a216098d4ccbba8', '756bcfcb998898ac0c77a37706732059',
		'fefef1445259829dd9d2bff95eefa342', '8f7395471c925e6e9785fa88c109c250'),
	('special38', U&'\0915\094D\0937\0924\094D\0930\093F\092F \0939\093F\0928\094D\0926\0940',
		'449ea00dbeaa13b28dd151c174860ed9', 'b94d35e4f36d07fadfcff02985d0218d',
		'9ae039b1001b4f1761d9b68a3605e6b8', '466fea96c295dae0028614a9585b2b1a'),
	('special39', U&'\05E9\05B8\05C1\05DC\05D5\05B9\05DD \05E2\05D5\05DC\05DD',
		'c36b7def7517fc6cb0ca690a7c92022b', '70eded5142572882a3ad252616446d6f',
		'0c661c6868f8e28c12a762e7f422945d', 'afbce485e331137767a275c5f5e5c7ac'),
	('special40', U&'\0627\0644\0633\064E\0651\0644\0627\0645\064F \0639\0644\064A\0643\0645',
		'09e65b5695958a36a7c95e6ad034e4ee', 'd94c91b9b74c5d83e2dd99e9cf5e327b',
		'91cbb7a360c182ba7db56d7be897433c', '6efca1239096856cd45696f41959c30c'),
	('special41', U&'ab\00ADcd soft',
		'4b9b599370545afeb919e6ef4fbf47dd', 'e80d97571c294199e8385c0a05da077d',
		'a9ed7f27c02ea9327e13615b5737f8ef', 'a9e9761becbc52bfc6444c18288ad970'),
	('special43', U&'tab\0009sep\000D\000Aline\2028para\2029end\0085nel',
		'5e4ba16eaac743b35819cb3b9e5bcadb', '22b1d92d26b710064ce0735f025223bb',
		'01bbbe7f0c83f56d57df0c434ffa0435', '8526e6a35245f023cfa4f900f2bcfdef'),
	('special44', U&'\2026\2014\2013\2010\2011\2012 \201Cquotes\201D \2018single\2019',
		'a85bd44661a924aba35f5d27cb4ba674', 'b3c657bd88fa4146b54502e11165b587',
		'cb241c0d4aa1795117d06105804b7092', 'afcec5bad085d7064ddea3502db2d151'),
	('special45', 'http://exa-mple.com/pa_th?q=1&r=2#frag',
		'7adb286804c88577d93c0a253323a3ce', 'aec6783c893dc3d39f89197855da1510',
		'2f88e3c04a4efc17bf66ab582c75ac89', 'cb2faae41a8f078140abcdcf5035f669'),
	('special47', '''quoted'' o''clock rock''n''roll',
		'fb93261480869e003675b6cb82f000dc', '2e99e23fb3920262b971da3dbe4e6d96',
		'ece91004de3f08e8d3b7009085c94e2b', 'e571717003ada0dbd7d05bc18bce617f'),
	('special50', U&'A1B2 4x4 x\00B2',
		'89d99a6c4a97facadcf456099177a9fe', '5e63ae64da23f96e7b4f79b7e4d04540',
		'0d84f2a27abcddd39c55c36e5a2c8f14', '78003aad8a89efd9a1ad98642c933cc6'),
	('special51', U&'\+0E0001\+0E0061tag',
		'094d7b77273e7715a29437b3f9e99785', '094d7b77273e7715a29437b3f9e99785',
		'0cc6ae8726bb3513c841417096aab811', 'a1017f006f73afc9584d9d4fb366fc10'),
	('special65', U&'\2ADC',
		NULL, NULL,
		NULL, 'ed001bea4940218a85882558319f9409'),
	('special66', U&'\+01D15E',
		NULL, NULL,
		NULL, '3ce8f58eabdeb8774d7883ef3ace526c'),
	('special67', U&'\FDFA',
		'fefea730207e1ee79430b41e9c637f6c', 'fa3c1c67be54a3738b092993dc995e64',
		'a06f357de5ee85de0a9254271e5410b3', '98abe049c0afaa9f1228a6d23cb49696'),
	('rand1_00000', 'can-Was3,000',
		'd65ae1e49cecc87582763bc68c4190e4', '02f079f79ec96a9f64bebba81daa5dc7',
		'39812b2e117257c6f98518d2e6ad7aeb', 'fdeb63c8f629c1257178749c100d916c'),
	('rand1_00005', U&'ZI\1E9BeK that\000A from has one_ fBskQjN\00F7-',
		'8778f86cea45d02bac0ff537c9d963dd', 'afc099d077c724d20a183091d78ba310',
		'a78f9b321f2d5fbd682d159585995efd', 'f7b70eac4f9e14fa8c41a1246c45cf0b'),
	('rand1_00011', U&'RVJSqM  dlq  OR:  is  uFH3,000  Ta  but:  by\000A  or\0301  aOgA.  Has''s  \013ArqA',
		'b4d8ee575902461ea95a81be39a5fc22', '565186b7f8b09479cc957d323825e244',
		'ea491c8d8d0142e0ddb65c09559e0434', '619b01b363b8d2d1e2e2fe5c045b78e8'),
	('rand1_00019', U&'all \0E47\0E47 \0E51\0E56\0E56\0E07\0E4D\0E45\0E47 \0E08\0E50\0E52 \0E35\0E32\0E59\0E52\0E54 \0E56\0E4D\0E58\0E42\0E57-',
		'47857bb7c18447f3303d737298266836', 'de03ea026ad5a5c74ab10fe72a728288',
		'e7d2d8e94a748d03b4c637d1cc698723', '22f15a95996d74e6718a647a94721153'),
	('rand1_00030', U&'\096E\0917\0966\096A\0926\091D\0942\091C\0921 t\0335\0340\0337x\0332\031D \A727\A784- \FF96\3052\30FC\30FE\30C4\30F6\30F7\200D INU!',
		'84a5190f75f477569e042e9bfab13f7c', 'd76e3c2e620f677ffa8764328091b97c',
		'15b02188ea8117099c57e0bcce6e18ea', '084ea7b1ab902b3e17cbe11947a57706');
CREATE TEMP VIEW sketched AS SELECT name, md5(to_minhash128(doc)::bytea) AS minhash128, md5(to_minhash128(doc, 'word-uax29')::bytea) AS words128,
	md5(to_minhash64(doc, 'shingle-k=3/word-uax29', hash => 'mmh3-x64-128')::bytea) AS murmur64,
	md5(to_minhash256(doc, 'shingle-k=4/grapheme-uax29', seed => 42)::bytea) AS grapheme256
FROM vectors;
SELECT count(*) AS documents, count(minhash128) AS minhash128, count(words128) AS words128, count(murmur64) AS murmur64, count(grapheme256) AS grapheme256 FROM vectors;
SELECT name, to_jsonb(v) - 'doc' AS expected, to_jsonb(s) AS found FROM vectors AS v JOIN sketched AS s USING (name) WHERE to_jsonb(v) - 'doc' <> to_jsonb(s);

-- ... and the first eight slots
CREATE TEMP TABLE slots (doc text, tokenizer text, hash text, seed bigint, slots text);
INSERT INTO slots VALUES
	('the quick brown fox jumps over the lazy dog', 'shingle-k=5/word-uax29', 'xxh3-64', 828927532781,
		'a26accc88c8a8106e15840a4082f5c611eff7d5961f8633a9b3de051485fd438ab3ef8568e37fe25d85d8832209d3708f34e7a6b16ede83c0db1118bbbd7d206'),
	('the quick brown fox jumps over the lazy dog', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'7aea17f199c8a91df5fab8d30788b005cb78cf3a7dcfcb0b7f05c70d536a0046b798af6cf89e470a71cf9b7bcbd67d39a1313829a8d3a304bf97cc3a67bc410d'),
	('don''t go! v1.2 RC3 3.14 1,000 example.com http://a:b/c foo_bar e.g. 10:30', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'dc0526f2d4838d073756a365fbe285059a7480b7518a4324b5d404e7deaf7a07e45431458973ab16761f4ad7fb681f562e35e2d2c05c13095d4916f12db22425'),
	('don''t go! v1.2 RC3 3.14 1,000 example.com http://a:b/c foo_bar e.g. 10:30', 'shingle-k=3/word-uax29', 'mmh3-x64-128', 828927532781,
		'7e8854ea6b442714b3bdffb4eadd750efe23fde43d9b170b169811ad32591c0020f9bf084e4aa9074907c9a58739b90016d104a3a0434a32ca55921ea4e64e18'),
	(U&'caf\00E9 r\00E9sum\00E9 \2014 na\00EFve', 'shingle-k=3/word-uax29', 'mmh3-x64-128', 828927532781,
		'01072db2d549a4412c9f0d04753691f25737ee5514237ea382cfcea7b30f6b54ad67aff952fc5705d8ff8f4bf2e844b60398709d91d531672e3051ef30c21e18'),
	(U&'caf\00E9 r\00E9sum\00E9 \2014 na\00EFve', 'shingle-k=5/word-uax29', 'mmh3-x64-128', 42,
		'26e96c5d34386b3f9a2fe298deefbd990e7657d488a710f482bccc0f335f634ef602424bdd16b6a86a49b78687ce0803de8f2cc231865b5d52d6a1fddb3daeb7'),
	(U&'\79C1\306F\65E5\672C\8A9E\3092\52C9\5F37\3057\3066\3044\307E\3059 \6F22\5B57\3068\3072\3089\304C\306A\3068\30AB\30BF\30AB\30CA', 'shingle-k=5/word-uax29', 'mmh3-x64-128', 42,
		'cb72b3ebe3403f0e28c2bf2529640b0dfb82ebb23a815f527c0cbbce93b23f00a1f9f3aeed57db0b2aebb96c86f770090c3c54465225fa15016a428b247f6e03'),
	(U&'\79C1\306F\65E5\672C\8A9E\3092\52C9\5F37\3057\3066\3044\307E\3059 \6F22\5B57\3068\3072\3089\304C\306A\3068\30AB\30BF\30AB\30CA', 'shingle-k=5/word-uax29', 'xxh3-64', 828927532781,
		'd8b427633b7d560e399250214e65a4152d114d56f53f15023ddd43bfb0284f03511aa6e5d3b313002af62bc924968110a3a51c5f2bf30d00538ecd0cc0fe4c1a'),
	(U&'\05E9\05DC\05D5\05DD \05E2\05D5\05DC\05DD \05D1\05D3\05D9\05E7\05D4 \05D1\05E2\05D1\05E8\05D9\05EA \05DB\05EA\05D9\05D1\05D4 \05DE\05D9\05DE\05D9\05DF \05DC\05E9\05DE\05D0\05DC \05E6\05D4\05F4\05DC \05D2''\05D9\05E8\05E4\05D4', 'shingle-k=5/word-uax29', 'xxh3-64', 828927532781,
		'd631ec4be0b7f3081694dcefaf17d23c4199ef81c7673f250f3722b9b3e5546c607a0e9751cbd61e502210b05fef3913467786fd50e8650b5b93bf4a78cd2b46'),
	(U&'\05E9\05DC\05D5\05DD \05E2\05D5\05DC\05DD \05D1\05D3\05D9\05E7\05D4 \05D1\05E2\05D1\05E8\05D9\05EA \05DB\05EA\05D9\05D1\05D4 \05DE\05D9\05DE\05D9\05DF \05DC\05E9\05DE\05D0\05DC \05E6\05D4\05F4\05DC \05D2''\05D9\05E8\05E4\05D4', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'4e5e7e99b75e261b513dfa6c9ddeca3e9e30b6f0e8c61931073c8f542827b01e00e8e15e0bc84e03704378ddbab2ca18be39cfe7f6e559136377e16100dea514'),
	(U&'\03B3\03B5\03B9\03B1 \03C3\03BF\03C5 \03BA\03CC\03C3\03BC\03B5 \03B4\03BF\03BA\03B9\03BC\03AE \03C3\03C4\03B1 \03B5\03BB\03BB\03B7\03BD\03B9\03BA\03AC \03B3\03C1\03AC\03BC\03BC\03B1\03C4\03B1 \03A3\038A\03A3\03A5\03A6\039F\03A3', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'6ff5bedf23f3bd240a784ac93b23401a3440eec8154acb009cf387a6a8e3b204eec9c763207e7f0763b05cf3a7588b2df5f6164d91a56a3e515686f87d5dda10'),
	(U&'\03B3\03B5\03B9\03B1 \03C3\03BF\03C5 \03BA\03CC\03C3\03BC\03B5 \03B4\03BF\03BA\03B9\03BC\03AE \03C3\03C4\03B1 \03B5\03BB\03BB\03B7\03BD\03B9\03BA\03AC \03B3\03C1\03AC\03BC\03BC\03B1\03C4\03B1 \03A3\038A\03A3\03A5\03A6\039F\03A3', 'shingle-k=3/word-uax29', 'mmh3-x64-128', 828927532781,
		'4172b967a3525f181eb0a5226d469a1b176028be3ad3b711927db31d0a74504ded4d9714d253100b36244182639c2627c33b066b69d468047ac331604768dd12'),
	(U&'STRASSE Stra\00DFe \FB01le \FF21\FF22\FF23\FF11\FF12\FF13 e\00B2 \00BD \210C \338F \0130stanbul', 'shingle-k=3/word-uax29', 'mmh3-x64-128', 828927532781,
		'3aacc6e21a5df01219acf0296aeadd110480b739426fe9349648ad418b792d2a554c2d1e0cc5a60dc193b2d2075bac134d7f52c346bb3c337d911193a41cd809'),
	(U&'STRASSE Stra\00DFe \FB01le \FF21\FF22\FF23\FF11\FF12\FF13 e\00B2 \00BD \210C \338F \0130stanbul', 'shingle-k=5/word-uax29', 'mmh3-x64-128', 42,
		'55ac89dfe8726e45f5c3d61735cf6e36bd13fb0efd8f531b298511bb8b868820cdb725957266cb39f9c24eddf4a731426962737c6f1ed80bc3eda461fd22d30e'),
	(U&'a\0301\0327\0323x e\0301', 'shingle-k=5/word-uax29', 'mmh3-x64-128', 42,
		'8f820e734dc2c1e14746a295bc988c84ff0936b82b6f5727b7cdc9da9a4522ca6f915dfd091ced6c2755f11f79f2b70fdf188542e8c882b297dc1865579f4d55'),
	(U&'a\0301\0327\0323x e\0301', 'shingle-k=5/word-uax29', 'xxh3-64', 828927532781,
		'35b054fb3641ba3c7538f1fecd6c4b6fb5c08d026598dca1f5482a06fcc36dd435d1c60993effe067559630d2a1b9039b5e1ff10c146216cf5699c145872b29e'),
	(U&'\0600123 \06DD45 \070F\0710\0712 \19DA', 'shingle-k=5/word-uax29', 'xxh3-64', 828927532781,
		'94b88767e3224c0884d5685ba8f608e274f2494f6dcac5bb640f2b43329e8295542c0c37f7713f6f4449ed2abc45fc483466ce1e8119b9222483af1246ed75fc'),
	(U&'\0600123 \06DD45 \070F\0710\0712 \19DA', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'8a829418da06171de1791d05be4a1402c8a3abbcd98cc9107c9e7f7f2489611b61bb3764213c6b1665bb0ca7418b8101f098ea609f550c094c89cf8a4f7ac145'),
	('1st 2nd x86_64 _private __init__ snake_case CONST_A', 'shingle-k=1/word-uax29', 'xxh3-64', 42,
		'68df72940d31b34b63db3432000e070a7624d3a251bc7d1b60580cbe121e1b2ce2e2907a6abcce244fcb3ca9ca815603ad34337adc63a3092c11081a5856523e'),
	('1st 2nd x86_64 _private __init__ snake_case CONST_A', 'shingle-k=3/word-uax29', 'mmh3-x64-128', 828927532781,
		'ab7708e658e86b0ea2460004a552f503d3803d1582d78914a375c5766d947d2335f5b7373ce1b2357a85d33bbe81cd089769325af6eadb5663ee88a806adb52a');
SELECT count(*) AS vectors, count(*) FILTER (WHERE found = slots) AS "as expected"
FROM slots, LATERAL (SELECT substr(encode(to_minhash64(doc, tokenizer, 'nfkc-cf-simple-bidi-fmt', hash, seed)::bytea, 'hex'), 17, 128) AS found) AS f;

-- Slot i does not depend on the number of slots.
SELECT count(*) AS documents, count(*) FILTER (WHERE substr(to_minhash128(doc)::bytea, 1, 520) = to_minhash64(doc)::bytea) AS "64 of 128",
	count(*) FILTER (WHERE substr(to_minhash256(doc)::bytea, 1, 1032) = to_minhash128(doc)::bytea) AS "128 of 256"
FROM vectors WHERE minhash128 IS NOT NULL;

-- The stages are the functions of the same names.
SELECT count(*) AS documents, sum(jaccard(to_minhash128(doc), to_minhash128(tokenize(canonicalize(doc), 'shingle-k=5/word-uax29')))) AS shingles,
	sum(jaccard(to_minhash64(doc, 'grapheme-uax29', 'nfc-cf-none'), to_minhash64(tokenize(canonicalize(doc, 'nfc-cf-none'), 'grapheme-uax29')))) AS graphemes,
	sum(jaccard(to_minhash256(doc, 'word-uax29', 'nfkc-cf-simple-conf', 'mmh3-x64-128', -7),
		to_minhash256(tokenize(canonicalize(doc, 'nfkc-cf-simple-conf')), 'mmh3-x64-128', -7))) AS words
FROM vectors WHERE minhash128 IS NOT NULL;

-- Differences that do not matter, and those that do
SELECT a, b, jaccard(to_minhash128(a, 'word-uax29'), to_minhash128(b, 'word-uax29')) AS words, jaccard(to_minhash128(a, 'shingle-k=2/word-uax29'), to_minhash128(b, 'shingle-k=2/word-uax29')) AS pairs
FROM (VALUES
	('alpha beta gamma delta', 'ALPHA, beta; (gamma) - delta!'),
	('alpha beta gamma delta', 'delta gamma beta alpha'),
	('alpha beta gamma delta', 'alpha beta gamma delta alpha beta gamma delta'),
	('alpha beta gamma delta', 'one two three four')) AS t(a, b);
SELECT round(jaccard(to_minhash256(a), to_minhash256(b))::numeric, 2) AS one_word_of_200
FROM (SELECT string_agg('w' || i, ' ') AS a, string_agg(CASE i WHEN 100 THEN 'changed' ELSE 'w' || i END, ' ') AS b FROM generate_series(1, 200) AS i) AS t;

-- NULL for a text without tokens

SELECT what, to_minhash64(doc) AS minhash64, to_minhash128(doc) AS minhash128, to_minhash256(doc) AS minhash256, to_minhash64(doc, 'grapheme-uax29') IS NULL AS "no grapheme either"
FROM (VALUES ('empty', ''), ('blanks', E' \t\r\n'), ('punctuation', '... !?'), ('emoji', U&'\+01F600 \+01F468\200D\+01F469'), ('zero width', U&'\200B\FEFF\200B'), ('marks', U&'\0301\0302')) AS t(what, doc);
SELECT to_minhash128(NULL) AS doc, to_minhash128('a', NULL) AS tokenizer, to_minhash128('a', canonicalizer => NULL) AS canonicalizer, to_minhash128('a', hash => NULL) AS hash,
	to_minhash128('a', seed => NULL) AS seed, to_minhash128(NULL, 'no tokenizer') AS first;
SELECT to_minhash64(NULL::text[]) AS a, to_minhash256(ARRAY['a'], NULL) AS b, to_minhash128(ARRAY['a'], seed => NULL) AS c;

-- Sets of tokens, used unchanged

SELECT left(fp::text, 37) AS "configuration is unknown" FROM to_minhash64(ARRAY['a', 'b']) AS fp;
SELECT tokens, jaccard(to_minhash128(tokens), to_minhash128('{alpha,beta,gamma}'::text[])) AS jaccard FROM (VALUES
	('{alpha,beta,gamma}'::text[]), ('{gamma,alpha,beta}'), ('{alpha,beta,gamma,gamma,alpha}'), ('{{alpha,beta},{gamma,alpha}}'), ('[-1:1]={alpha,beta,gamma}'),
	('{Alpha,beta,gamma}'), ('{"alpha ",beta,gamma}'), ('{alpha,beta,gamma,""}'), ('{}'), ('{""}')) AS t(tokens);
SELECT md5(to_minhash128(ARRAY['hello'])::bytea) = md5(to_minhash128('Hello!')::bytea) AS one_word,
	md5(to_minhash64(ARRAY['hello'], 'mmh3-x64-128', 42)::bytea) = md5(to_minhash64('Hello!', hash => 'mmh3-x64-128', seed => 42)::bytea) AS options,
	md5(to_minhash256(hash => 'xxh3-64', tokens => ARRAY['hello'])::bytea) = md5(to_minhash256('Hello!')::bytea) AS named;
SELECT to_minhash64('{}'::text[]) AS "64", to_minhash128('{}'::text[]) AS "128", to_minhash256('{}'::text[]) AS "256";
SELECT round(jaccard(to_minhash256(array_agg('t' || i)), to_minhash256(array_agg('t' || (i + 50))))::numeric, 2) AS "near 1/3" FROM generate_series(1, 100) AS i;
SELECT md5(to_minhash128(array_agg(i::text ORDER BY i))::bytea) = md5(to_minhash128(array_agg(i::text ORDER BY -i))::bytea) AS any_order FROM generate_series(1, 100000) AS i;

SELECT to_minhash64(ARRAY['a', NULL]);
SELECT to_minhash128(ARRAY[NULL]::text[]);
SELECT to_minhash256('{{a,NULL},{b,c}}'::text[]);
SELECT to_minhash64(ARRAY['a'], 'sha1');
SELECT to_minhash128('{}'::text[], 'XXH3-64');

-- Options: errors

SELECT to_minhash64('a', 'words');
SELECT to_minhash128('a', '');
SELECT to_minhash256('a', 'shingle-k=0/word-uax29');
SELECT to_minhash64('a', 'shingle-k=1000001/word-uax29');
SELECT to_minhash128('a', 'shingle-k=1/shingle-k=1/shingle-k=1/shingle-k=1/shingle-k=1/word-uax29');
SELECT to_minhash256('a', canonicalizer => 'lower');
SELECT to_minhash64('a', canonicalizer => '');
SELECT to_minhash128('a', canonicalizer => 'nfkc-cf-simple-conf-bidi');
SELECT to_minhash256('a', hash => 'md5');
SELECT to_minhash64('a', hash => '');
SELECT to_minhash128('a', hash => 'xxh3');
SELECT to_minhash256('a', hash => 'MMH3-X64-128');
-- ... also for a text without tokens
SELECT to_minhash128('', 'words');
SELECT to_minhash128('...', hash => 'md5');

-- Options that vary: from row to row, from one execution of a plan to the next, from one turn of a loop to the next
SELECT t AS tokenizer, left(to_minhash64('a b c', t)::text, 16) AS config, md5(to_minhash64('a b c', t)::bytea)
FROM unnest('{word-uax29,shingle-k=2/word-uax29,shingle-k=3/word-uax29,grapheme-uax29}'::text[]) AS t;
SET plan_cache_mode = force_generic_plan;
PREPARE sketch(text, text) AS SELECT left(to_minhash64($1, $2)::text, 16) AS config;
EXECUTE sketch('a b c', 'word-uax29');
EXECUTE sketch('a b c', 'grapheme-uax29');
EXECUTE sketch('a b c', 'words');
DEALLOCATE sketch;
RESET plan_cache_mode;
DO $$
DECLARE
	t text;
	fp minhash64;
BEGIN
	FOREACH t IN ARRAY '{word-uax29,shingle-k=2/word-uax29,shingle-k=3/word-uax29,grapheme-uax29}'::text[] LOOP
		fp := to_minhash64('a b c', t);
		RAISE NOTICE '% % %', t, left(fp::text, 16), md5(fp::bytea);
	END LOOP;
END $$;
DO $$
DECLARE
	s bigint;
	h text;
	c text;
BEGIN
	FOREACH s IN ARRAY '{1,2}'::bigint[] LOOP
		FOREACH h IN ARRAY '{xxh3-64,mmh3-x64-128}'::text[] LOOP
			FOREACH c IN ARRAY '{nfc-cf-none,nfkc-cf-simple}'::text[] LOOP
				RAISE NOTICE '% % % %', s, h, c, left(to_minhash64('a b c', 'word-uax29', c, h, s)::text, 16);
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT s, h, c, left(to_minhash64('a b c', 'word-uax29', c, h, s)::text, 16) AS config
FROM generate_series(1, 2) AS s, unnest('{xxh3-64,mmh3-x64-128}'::text[]) AS h, unnest('{nfc-cf-none,nfkc-cf-simple}'::text[]) AS c ORDER BY s, h COLLATE "C" DESC, c COLLATE "C";

-- In a table

CREATE TABLE docs (id int PRIMARY KEY, body text NOT NULL, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);
INSERT INTO docs VALUES (1, 'The quick brown fox jumps over the lazy dog'), (2, '...'), (3, 'the  QUICK brown fox, jumps over the lazy dog!');
SELECT id, md5(fp::bytea), jaccard(fp, to_minhash128('the quick brown fox jumps over the lazy dog')) FROM docs ORDER BY id;
UPDATE docs SET body = 'another text' WHERE id = 3;
INSERT INTO docs VALUES (2, 'Now with words') ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT id, md5(fp::bytea), fp = to_minhash128(body) AS current FROM docs ORDER BY id;

CREATE INDEX docs_body ON docs USING gin (to_minhash64(body, 'word-uax29'));
CREATE INDEX docs_equal ON docs (to_minhash64(body));
SET enable_seqscan = off;
SELECT id FROM docs WHERE to_minhash64(body, 'word-uax29') % to_minhash64('NOW with WORDS', 'word-uax29');
SELECT id FROM docs WHERE to_minhash64(body) = to_minhash64('Another text');
RESET enable_seqscan;

CREATE TABLE kept (id int PRIMARY KEY, body text, fp minhash64, config text DEFAULT 'word-uax29');
CREATE FUNCTION sketch_body() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.fp := to_minhash64(NEW.body, NEW.config);
	RETURN NEW;
END $$;
CREATE TRIGGER sketch BEFORE INSERT OR UPDATE OF body, config ON kept FOR EACH ROW EXECUTE FUNCTION sketch_body();
INSERT INTO kept (id, body, config) VALUES (1, 'a b c', 'word-uax29'), (2, NULL, 'word-uax29'), (3, 'c b a', 'word-uax29'),
	(4, 'a b c', 'shingle-k=2/word-uax29');
UPDATE kept SET body = 'c b a d' WHERE id = 3;
SELECT id, left(fp::text, 16) AS config, md5(fp::bytea) FROM kept ORDER BY id;
INSERT INTO kept VALUES (5, 'a', NULL, 'shingle-k=0/word-uax29');
SELECT a.id, b.id, jaccard(a.fp, b.fp) FROM kept AS a, kept AS b WHERE a.id = 1 AND b.id = 4;

DROP TABLE docs, kept;
DROP FUNCTION sketch_body();

-- a document in the place of a tokenizer, or of a sketch
SELECT to_minhash128('a/path.txt', 'the body of a document that is longer than sixty bytes, of which a message shows no more');
SELECT to_minhash64('a') % 'some text';
SELECT 'some text'::simhash64;
SELECT 'some text'::tlsh;

-- a constant without a word is told of, because a search for it finds nothing, or anything; of the texts of rows nothing is said
SELECT to_minhash128('…') IS NULL AS m, to_minhash64_compact('') IS NULL AS c, to_simhash64(' ') IS NULL AS s, to_tlsh('short') IS NULL AS t, to_tlsh(repeat('a', 100)::bytea) IS NULL AS u;
SELECT count(to_minhash128(body)), count(to_simhash64(body)), count(to_tlsh(body)) FROM (VALUES (''), ('-')) AS v (body);
SELECT count(*) FROM (SELECT fp FROM (VALUES (to_minhash128('some words'))) AS v (fp) ORDER BY fp <%> to_minhash128('-') LIMIT 3) AS any_row;

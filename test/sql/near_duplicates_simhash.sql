-- near_duplicate_pairs, near_duplicate_clusters: SimHash values
\set SHOW_CONTEXT never
SET extra_float_digits = 0; -- reduce noise

CREATE TABLE docs (id int PRIMARY KEY, sh simhash64);
INSERT INTO docs VALUES (1, '00000000000000ff'), (2, '00000000000000fe'), (3, 'ff00000000000000'), (4, '00000000000000ff'), (5, NULL), (6, '000000000000f0ff'), (7, 'ffffffffffffff00');
-- the similarity is cosine_estimate; the distance follows from it
SELECT a, b, round(similarity::numeric, 4) AS similarity, round(acos(similarity) * 64 / pi()) AS distance FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 3) ORDER BY a, b;
SELECT a, b, round(similarity::numeric, 4) AS similarity, round(acos(similarity) * 64 / pi()) AS distance FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 5) ORDER BY a, b;
SELECT * FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 0);
SELECT count(*) AS "all pairs", min(similarity) FROM near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 64);
SELECT * FROM near_duplicate_clusters('SELECT id, sh FROM docs', max_distance => 3);
SELECT * FROM near_duplicate_clusters('SELECT id, sh FROM docs', max_distance => 4);
SELECT * FROM near_duplicate_clusters('SELECT id, sh FROM docs', max_distance => 4, mode => 'star');
SELECT * FROM near_duplicate_clusters(NULL::text, 'SELECT ''doc '' || id, sh FROM docs', threshold => NULL, max_distance => 1);
SELECT count(*) FROM near_duplicate_clusters('SELECT id, sh FROM docs WHERE false', max_distance => 4);

-- Errors

SELECT near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => -1);
SELECT near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 65);
SELECT near_duplicate_pairs('SELECT id, sh FROM docs', 0.8);
SELECT near_duplicate_clusters('SELECT id, sh FROM docs', threshold => 3, max_distance => 3);
SELECT near_duplicate_pairs('SELECT id, to_minhash64(''a'') FROM docs', max_distance => 3);
SELECT near_duplicate_pairs('SELECT id, sh FROM docs', max_distance => 3, bands => 4);
SELECT near_duplicate_clusters('SELECT id, sh FROM docs', max_distance => 3, rows => 4);
SELECT near_duplicate_clusters('SELECT id, sh FROM docs', max_distance => 3, recall => 0.9);
SELECT near_duplicate_pairs('SELECT id, sh::bigint FROM docs', max_distance => 3);
SELECT near_duplicate_pairs('SELECT 1, sh FROM docs', max_distance => 3);

-- All pairs, compared with brute force

CREATE TABLE heaps AS SELECT i AS id, (('x' || substr(md5((i / 5)::text), 1, 16))::bit(64) # (1::bigint << (i * 7 % 64))::bit(64) # (CASE i % 5 WHEN 0 THEN 0 ELSE 1::bigint << (i * 13 % 64) END)::bit(64)
	# (CASE i % 7 WHEN 0 THEN 0 ELSE (1::bigint << (i * 29 % 60)) * 7 END)::bit(64))::simhash64 AS sh FROM generate_series(1, 3000) AS i;
CREATE TEMP TABLE distances AS SELECT x.id AS a, y.id AS b, x.sh <#> y.sh AS distance FROM heaps x JOIN heaps y ON x.id < y.id WHERE x.sh <#> y.sh <= 23;
SELECT d AS distance, count(found) AS pairs, count(*) FILTER (WHERE found IS NULL) AS missed, count(*) FILTER (WHERE truth IS NULL) AS wrong, count(found) - count(DISTINCT (found, b)) AS several
FROM unnest('{0,1,2,3,4,5,7,8,11,15,20,23}'::int[]) AS d,
	LATERAL (SELECT t.a AS truth, f.a AS found, f.b FROM (SELECT * FROM distances WHERE distance <= d) AS t
		FULL JOIN near_duplicate_pairs('SELECT id, sh FROM heaps', max_distance => d) AS f ON t.a = f.a AND t.b = f.b AND abs(f.similarity - cos(pi() * t.distance / 64)) < 1e-6) AS both_ways GROUP BY d ORDER BY d;
SELECT count(*) AS differences FROM unnest('{0,3,7,11}'::int[]) AS d, LATERAL (SELECT id, cluster, size FROM near_duplicate_clusters('SELECT id, sh FROM heaps', max_distance => d)
	EXCEPT SELECT * FROM connected_components(format('SELECT a, b FROM distances WHERE distance <= %s', d))) AS difference;
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE s.id < s.cluster) AS "before its centre", count(*) FILTER (WHERE x.sh <#> y.sh > 7) AS "not similar"
FROM near_duplicate_clusters('SELECT id, sh FROM heaps', max_distance => 7, mode => 'star') AS s JOIN heaps x ON x.id = s.id JOIN heaps y ON y.id = s.cluster;

-- The pairs that seomoz's simhash-cpp finds in four sets of values. Its values are unsigned; ids number them in order.

CREATE FUNCTION unsigned(bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 < 0 THEN $1 + 18446744073709551616 ELSE $1 END';
CREATE FUNCTION signed(numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT (CASE WHEN m >= 9223372036854775808 THEN m - 18446744073709551616 ELSE m END)::bigint FROM mod($1, 18446744073709551616) AS m';
CREATE FUNCTION xor_shift(v numeric, bits int) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT unsigned(signed(v) # signed(div(v, 2::numeric ^ bits)))';
CREATE FUNCTION splitmix(seed numeric, n int) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT xor_shift(mod(xor_shift(mod(xor_shift(mod(seed + n * 11400714819323198485, 18446744073709551616), 30) * 13787848793156543929, 18446744073709551616), 27) * 10723151780598845931, 18446744073709551616), 31) $$;
CREATE TABLE sets (name text, value numeric, UNIQUE (name, value));
INSERT INTO sets SELECT 'tiny', unnest('{1,2,3,7,8,255,254,18446744073709551615,18446744073709551614,0,9223372036854775808}'::numeric[]);
INSERT INTO sets SELECT 'chain', unnest('{0,7,63,511,4095,32767}'::numeric[]);
INSERT INTO sets SELECT 'lowbits_512', generate_series(0, 511);
DO $$
DECLARE
	n int := 2000;
	h numeric;
	v numeric;
BEGIN
	INSERT INTO sets SELECT 'planted_2000', splitmix(71, i) FROM generate_series(1, 2000) AS i;
	FOR i IN 1..150 LOOP
		h := splitmix(71, i);
		n := n + 1;
		FOR copy IN 1..1 + mod(splitmix(71, n), 4) LOOP
			n := n + 1;
			FOR bit IN 1..1 + mod(splitmix(71, n), 4) LOOP
				n := n + 1;
				h := unsigned(signed(h) # (1::bigint << mod(splitmix(71, n), 64)::int));
			END LOOP;
			INSERT INTO sets VALUES ('planted_2000', h) ON CONFLICT DO NOTHING;
		END LOOP;
	END LOOP;
END $$;
CREATE TABLE numbered AS SELECT name, value, row_number() OVER (PARTITION BY name ORDER BY value) AS id, signed(value)::simhash64 AS sh FROM sets;
CREATE FUNCTION hex_sha256(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') $$;
SELECT v.name, distance, v.pairs, CASE p.sha WHEN pairs_sha256 THEN 'same' ELSE p.sha END AS "pairs are", v.clusters, CASE c.sha WHEN clusters_sha256 THEN 'same' ELSE c.sha END AS "clusters are"
FROM (VALUES
	('tiny', 3, 21, 'bf067d57dddb75c89daa4715c4eb91125fb1578c6435a84f1410ee4ee74edc76', 3, 'eb9ca7ed72f626adb0007f365fbbe7b28b788b15e16d3fc0b8e89d0bf5accf89', 7),
	('tiny', 2, 18, '60bea069895455dc9721ba87699b9bd29abc5be57ff5daa4bf8d1b373ff09e57', 3, 'eb9ca7ed72f626adb0007f365fbbe7b28b788b15e16d3fc0b8e89d0bf5accf89', 7),
	('tiny', 1, 9, '297a8e275fb9a1889da8abc404b48810417eb11feec99ba74a7fa4c3e8e1a2bc', 3, 'eb9ca7ed72f626adb0007f365fbbe7b28b788b15e16d3fc0b8e89d0bf5accf89', 7),
	('tiny', 4, 23, 'cbebfd97f4f492496e53099a558887eff2a010529cc22588073da3ff186dda0c', 3, 'eb9ca7ed72f626adb0007f365fbbe7b28b788b15e16d3fc0b8e89d0bf5accf89', 7),
	('chain', 3, 5, '706079b53b8adc01d9937f808cdc0a0797fbdc9e25bd9d8ee3881bc91a9c8c24', 1, 'b930108767c5c4337bda49fbc57e0ab743a4d0b1782b407074f9a0ff7be9e89e', 6),
	('chain', 2, 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0),
	('chain', 1, 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0),
	('chain', 4, 5, '706079b53b8adc01d9937f808cdc0a0797fbdc9e25bd9d8ee3881bc91a9c8c24', 1, 'b930108767c5c4337bda49fbc57e0ab743a4d0b1782b407074f9a0ff7be9e89e', 6),
	('planted_2000', 3, 335, '3374c557d4b3c32851495865a3d974a99a6611edb686be94b9f380431d841102', 142, '3c7dc1f0bf7e2f72beecad6c945c080e9902d9fce18ed12e37896be5a8b82878', 5),
	('planted_2000', 2, 231, 'eb36e9172e18b3395e7f3b01f9b4daa3aa56921e0ec715c8f75933706890bf60', 129, 'cb3dec2aaead1e6bc6dd259333c5366b646c5448e9a3281a655237922b40661d', 5),
	('planted_2000', 1, 116, 'c7204f9dcbda662ac8afbf6ae4d59ca5d1a41bf7adc09fa114161a3cc8d97f73', 94, '11f37bb5b5481c268429a655481c03eca0124fd0bf7e17b35eb34fcd4029cfe7', 4),
	('planted_2000', 4, 484, '94a6c3491628c72ad1c23a9ad8b4f1aa177c70a5138b0d11aa73c31e9bdf7cbe', 150, '5f3a827dca772056debce1b8ef367edf51a1b4e21dc23feeaa322486f598a62b', 5),
	('lowbits_512', 3, 33024, '1b068f24dffbb157d9f8a89ffc06013eec117702ba13eeb485ffba71b326a367', 1, 'a3ce48d960a04bfa377d22110476be95e238f8d527176a8eb31b12cab3f3b91a', 512),
	('lowbits_512', 1, 2304, '280f3584ae330cc149d71e86101cb143a27c78375c23dd9fef05626b49e326ab', 1, 'a3ce48d960a04bfa377d22110476be95e238f8d527176a8eb31b12cab3f3b91a', 512)) AS v (name, distance, pairs, pairs_sha256, clusters, clusters_sha256, largest),
	format('SELECT id, sh FROM numbered WHERE name = %L', v.name) AS query,
	LATERAL (SELECT hex_sha256(coalesce(string_agg(format(E'%s %s\n', x.value, y.value), '' ORDER BY x.value, y.value), '')) AS sha
		FROM near_duplicate_pairs(query, max_distance => distance) JOIN numbered x ON x.id = a AND x.name = v.name JOIN numbered y ON y.id = b AND y.name = v.name) AS p,
	LATERAL (SELECT hex_sha256(coalesce(string_agg(members, '' ORDER BY cluster), '')) AS sha
		FROM (SELECT cluster, string_agg(value::text, ' ' ORDER BY value) || E'\n' AS members FROM near_duplicate_clusters(query, max_distance => distance) JOIN numbered USING (id) WHERE name = v.name GROUP BY cluster) AS m) AS c;

DROP TABLE docs, heaps, sets, numbered;
DROP FUNCTION hex_sha256, splitmix, xor_shift, signed, unsigned;

-- a priority may be of any type of numbers, and decides the same
CREATE FUNCTION stars(priority text) RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(c::text, ',' ORDER BY id)) || ' ' || count(DISTINCT cluster) || ' ' || min(cluster - id) || ' ' || max(cluster - id)
	FROM near_duplicate_clusters(format('SELECT i, ((i / 5) * 7046029254386353::bigint # (1 << i %% 5))::bit(64)::simhash64, %s FROM generate_series(1, 200) AS i', priority), mode => 'star', max_distance => 3) AS c $$;
SELECT count(DISTINCT stars(format('(200 - i)::%s', type))) AS of_falling, count(DISTINCT stars(format('i::%s', type))) AS of_rising, count(DISTINCT stars(format('NULL::%s', type))) AS of_nulls FROM unnest('{smallint,int,bigint,real,float8,numeric}'::text[]) AS type;
SELECT stars('(200 - i)::int') ~ ' 40 -4 0$' AS first_kept, stars('i::numeric') ~ ' 40 0 4$' AS last_kept;
SELECT stars('i::text');
DROP FUNCTION stars;

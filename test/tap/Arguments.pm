# SQL expressions of every type, usual and hostile ones, and statements that are run one by one: shared by 011_chaos and Types.pm.
package Arguments;

use strict;
use warnings;

use Exporter 'import';
use FindBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(arguments argument one_of random_text texts run_all internal_errors outcomes);

# A rule, and others that a reader might take for one
my $rule = do { open my $file, '<', "$FindBin::RealBin/../frozen/rule.txt" or die "rule.txt: $!"; scalar <$file> };
chomp $rule;
my $leaf = '{"signal": "shared", "above": 1, "yes": ';
my @rules = map { "'$_'" } $rule, $rule =~ s/"(scale|weight)": -?[0-9.]+/"$1": 1e308/gr, $rule =~ s/"scale": [0-9.]+/"scale": 5e-324/gr, $rule =~ s/"center": /"center": -1/gr, $rule =~ s/"trees": \[/"trees": [{}, /r,
	$rule =~ s/"trees": \[/'"trees": [' . $leaf x 33 . '1' . ', "no": 0}' x 33 . ', '/er, $rule =~ s/"signal": "\w+"/"signal": "neighbours"/gr, $rule =~ s/"signals_version": \d+/"signals_version": 1e300/r;

my @texts = (
	q{''}, q{' '}, q{E'\n\t'}, q{'The quick brown fox jumps over the lazy dog'}, q{'x'}, q{repeat('a', 3000)},
	q{repeat('lorem ipsum ', 4000)}, q{U&'\0301'}, q{repeat(U&'\0301\0323', 20000)}, q{'a' || repeat(U&'\0323\0301', 50000)},
	q{U&'\202E\05D0\05D1 abc \200F'}, q{U&'\+01F468\200D\+01F469\200D\+01F467'}, q{U&'\FFFF\FFFE\+10FFFF'}, q{U&'\FEFF\200B\00AD'},
	q{repeat(U&'\D55C\AE00 \4E2D\6587 \0E44\0E17\0E22 \0939\093F', 500)}, q{U&'\1100\1161\11A8' || repeat(U&'\1160', 5000)},
	q{repeat(U&'\+01F1E6', 1001)}, q{'İSTANBUL ẞ ﬃ Å ①'}, q{'"quotes" \backslash ''single'''}, q{'NaN'}, q{'{}'}, q{'null'},
	q{'nfkc-cf-simple-bidi-fmt'}, q{'none-cf-none'}, q{'nfc-cf-simple-conf'}, q{'nfkc-cf-simple-bidi-fmt-conf-conf'},
	q{'word-uax29'}, q{'grapheme-uax29'}, q{'shingle-k=2/word-uax29'}, q{'shingle-k=0/word-uax29'},
	q{'shingle-k=1000000/shingle-k=1000000/grapheme-uax29'}, q{repeat('shingle-k=3/', 1000) || 'word-uax29'},
	q{'shingle-k=99999999999999999999/word-uax29'}, q{'xxh3-64'}, q{'mmh3-x64-128'}, q{'tf'}, q{'uniform'}, q{'idf'},
	q{'OdowLQp7Jdn3BTr2'}, q{'Odow.LQp7.Jdn3.BTr2'}, q{'0123456789abcdef'}, q{'ffffffffffffffff/64'}, q{'T1' || repeat('A', 70)}, q{'[1,2,3]'}, q{'m/[1e-8]'}, q{'embedding/m-v1/[1]'}, q{'fixed'}, q{'recursive'}, q{'max'}, q{'A. b. C! D? ' || repeat('e.f ', 900)},
	q{repeat('0', 70)}, q{'minhash128/0000000000000000:'}, q{'simhash64/0123456789abcdef'}, q{to_minhash128('a b c')::text},
	q{to_minhash64('a b c')::text}, q{to_simhash64('a b c')::text}, q{'SELECT 1, 2'}, q{'SELECT 1, to_minhash128(''a'')'},
	q{'SELECT i, to_simhash64(i::text) FROM generate_series(1, 50) AS i'}, q{'SELECT i, to_minhash64((i / 2)::text) FROM generate_series(1, 50) AS i'},
	q{'SELECT i, i + 1 FROM generate_series(1, 9) AS i'}, q{'SELECT i, ''One line of words.'' || E''\\n\\n'' || i FROM generate_series(1, 9) AS i'}, q{'SELECT i::text, ''some words of a text'', 1 FROM generate_series(1, 9) AS i'}, q{'paragraph'}, q{'line'}, q{'strict'}, q{'lossless'}, q{'DROP TABLE pg_class'}, q{'nonsense'}, q{'SELECT 1; SELECT 2'}, q{'components'}, q{'star'});
my @ints     = qw(0 1 -1 2 3 7 16 50 64 65 128 1000 2147483647 (-2147483648));
my @floats   = ("'NaN'", "'Infinity'", "'-Infinity'", qw(0 -0.0 1 0.5 0.8 0.01 0.999999 -1 2 100 1e308 -1e308 5e-324));
my %of_type = (
	'text'                => \@texts,
	'name'                => [ q{'oid'}, q{''}, q{'fp'}, q{'nothing'} ],
	'integer'             => \@ints,
	'smallint'            => [qw(0 1 -1 32767)],
	'bigint'              => [ @ints, qw(9223372036854775807 (-9223372036854775808) 828927532781) ],
	'double precision'    => \@floats,
	'real'                => [ grep { !/e308|e-324/ } @floats ],
	'boolean'             => [qw(true false)],
	'bytea'               => [
		q{''}, q{'\x00'}, q{'\xff'}, q{'\x48010100'}, q{'\x0100000000000000'}, q{decode(repeat('61', 49), 'hex')}, q{decode(repeat('61', 51), 'hex')},
		q{decode(repeat('00ff17', 700), 'hex')}, q{(SELECT string_agg(decode(md5(i::text), 'hex'), '') FROM generate_series(1, 400) AS i)}, q{convert_to(repeat('Some text. ', 300), 'UTF8')},
		q{to_minhash128('a b')::bytea}, q{to_minhash64('a b')::bytea}, q{to_minhash64_compact('a b')::bytea}, q{to_simhash64('a b')::bytea}, q{'\x80'}, q{'\xe282'}, q{decode('48010100' || repeat('ff', 1025), 'hex')} ],
	'bit'                 => [ q{B'1'}, q{B'0'::bit(64)}, q{(-1)::bigint::bit(64)}, q{B''} ],
	'jsonb'               => [
		q{'null'}, q{'{}'}, q{'[]'}, q{'"x"'}, q{'1'}, q{'18446744073709551615'}, q{'18446744073709551616'}, q{'-1'}, q{'1e400'}, q{'{"a": 1}'}, q{'{"a": "b"}'},
		q{'{"a": 1e39}'}, q{'{"schema": 1, "hashes": []}'}, q{'{"schema": 2}'}, q{to_minhash64('a')::jsonb}, @rules, q{('[' || repeat('[', 500) || repeat(']', 500) || ']')} ],
	'text[]'              => [ q{'{}'}, q{'{a,b,c}'}, q{'{NULL}'}, q{'{{a,b},{c,d}}'}, q{array_fill('x'::text, ARRAY[5000])}, q{ARRAY['', ' ']} ],
	'double precision[]'  => [ q{'{}'}, q{'{1,2,3}'}, q{'{NULL}'}, q{'{NaN,1,1}'}, q{'{Infinity,1,1}'}, q{'{{1,2},{3,4}}'} ],
	'real[]'              => [ q{'{}'}, q{'{1,2,3}'}, q{'{NULL}'}, q{'{NaN,1}'}, q{'{3e38,3e38,-3e38}'}, q{'{0,0}'}, q{'{{1,2},{3,4}}'}, q{array_fill(1e-30::real, ARRAY[5000])} ],
	'bytea[]'             => [ q{'{}'}, q{'{a,b,"\\\\x00ff"}'}, q{'{NULL}'}, q{'{{a,b},{c,d}}'}, q{array_fill('x'::bytea, ARRAY[5000])} ],
	'bigint[]'            => [ q{'{}'}, q{'{0,-1,1}'}, q{'{NULL}'}, q{'{{1},{-9223372036854775808}}'}, q{array_fill(7::bigint, ARRAY[5000])} ],
	'simhash64[]'         => [ q{'{}'}, q{'{0000000000000000,ffffffffffffffff}'}, q{'{NULL}'}, q{'{{0123456789abcdef},{fedcba9876543210}}'} ],
	'integer[]'           => [ q{'{}'}, q{'{1,0,1}'}, q{'{32,32}'}, q{'{64}'}, q{'{NULL}'}, q{'{{1},{2}}'} ],
	'embedding'           => [ q{to_embedding('{1,2,3}')}, q{to_embedding('{1,2,3}', 'm')}, q{to_embedding('{0,0,0}')}, q{to_embedding('{3e38,-3e38,1e-45}')}, q{to_embedding('{1}', 'n')}, q{to_embedding(array_fill(1e30::real, ARRAY[5000]))} ],
	'anyelement'          => [ 'NULL::pg_class', 'NULL::int', 'NULL::bigint', 'NULL::text', 'NULL::uuid', '1', q{'x'::text} ],
	'cstring'             => \@texts,
	'regclass'            => [ q{'pg_class'}, q{'pg_class_oid_index'}, '0', '16384', map { "(SELECT c.oid FROM pg_class AS c WHERE relkind IN ('i', 'r', 't', 'S', 'v', 'c') ORDER BY c.oid % 97, c.oid LIMIT 1 OFFSET $_)" } map { 7 * $_ } 0 .. 40 ],
	'oid'                 => [qw(0 1 1259)]);
my %makers = (
	simhash64     => [ q{'0000000000000000'}, q{'ffffffffffffffff'}, q{to_simhash64('some text')}, q{to_simhash64('some texts')} ],
	simhash_probe => [ q{'0123456789abcdef/0'}, q{'0123456789abcdef/64'}, q{_to_simhash_probe('0123456789abcdef', 7)} ],
	minhash_compact_probe => [ map { my $h = $_; map { "_to_minhash_compact_probe(to_minhash${h}_compact('some text'), $_)" } qw(0 0.5 1) } qw(64 128 256) ],
	minhash_probe => [ map { my $h = $_; map { "_to_minhash_probe(to_minhash$h('some text'), $_)" } qw(0 0.5 1) } qw(64 128 256) ],
	tlsh            => [ q{repeat('0', 70)}, q{repeat('f', 70)}, map { "to_tlsh(repeat('Some text. $_ ', 40))" } qw(a b) ],
	tlsh_probe      => [ q{repeat('0', 70) || '/0'}, q{_to_tlsh_probe(to_tlsh(repeat('Some text. ', 40)), 2473)}, q{_to_tlsh_probe(to_tlsh(repeat('Some text. ', 40)))} ],
	lavinhash       => [ map { "to_lavinhash(decode(repeat('$_', 900), 'hex'))" } qw(00 78 61) ],
	lavinhash_probe => [ map { "_to_lavinhash_probe(to_lavinhash(decode(repeat('00', 900), 'hex')), $_)" } qw(0 80 100) ],
	fingerprint     => [ map { "($_)::fingerprint" } q{to_simhash64('a b')}, q{to_minhash64('a b')}, q{to_minhash256('a b')}, q{to_lavinhash(repeat('x', 65))},
		q{to_tlsh(repeat('Some text. ', 40))} ],
	corpus_words => [ q{(SELECT corpus_words_agg(doc) FROM unnest('{a b c, b c d, x y}'::text[]) AS doc)}, q{(SELECT corpus_words_agg(doc) FROM unnest('{NULL, "", AB-12}'::text[]) AS doc)},
		q{('0100000000000000' || '01000000000000000100000000000000' || repeat('f', 16) || '01000000')} ],
	passages => [ map { "to_passages('$_', 2)" } 'one two three four five six seven', 'two three four five six seven eight nine' ],
	passages_probe => [ map { "_to_passages_probe(to_passages('one two three four five six seven', 2), $_)" } qw(1 2 1000) ],
	(map { my $h = $_; ("minhash${h}_compact" => [ qq{to_minhash${h}_compact('some text')}, qq{to_minhash${h}_compact(to_minhash$h('some texts'))}, qq{(to_minhash${h}_compact('some text')::bytea)::minhash${h}_compact} ]) } qw(64 128 256)),
	map { my $h = $_; ("minhash$h" => [ qq{to_minhash$h('some text')}, qq{to_minhash$h('some texts')}, qq{to_minhash$h(ARRAY['x'])},
		qq{to_minhash$h('some text', seed => 1)}, qq{(to_minhash$h('some text')::bytea)::minhash$h} ]) } qw(64 128 256));

# Arguments of a type: its own list, or what its constructor to_<type> returns for bytes and texts.
sub arguments
{
	my ($type) = @_;
	$type =~ s/^.*\.//;
	return $of_type{$type} ||= $makers{$type} || [ "to_$type('\\x00010203')", "to_$type(decode(repeat('00ff17a1', 700), 'hex'))",
		"to_$type((SELECT string_agg(decode(md5(i::text), 'hex'), '') FROM generate_series(1, 400) AS i))" ];
}

sub texts { return @texts }
sub one_of { my ($list) = @_; return $list->[ int(rand(@$list)) ]; }

sub argument
{
	my ($type) = @_;
	return "NULL::$type" if rand() < 0.04 && $type !~ /^any/;
	return random_text() if $type eq 'text' && rand() < 0.2;
	my $value = one_of(arguments($type));
	return $type =~ /^(any|cstring)/ ? $value : "($value)::$type";
}

# Code points of all planes, without NUL and surrogates.
sub random_text
{
	my $codes = join ',', map {
		my $code = int(rand(4)) ? 1 + int(rand(0x2FFF)) : 0xE000 + int(rand(0x102000));
		"chr($code)"
	} 1 .. 1 + int(rand(40));
	return "concat($codes)::text";
}

my (%states, @internal, $count);

# Runs statements in one session, each in its own subtransaction, and collects their SQLSTATEs. `before`: what the session runs first.
sub run_all
{
	my ($server, $name, $before, @statements) = @_;
	my $list = join ",\n", map { "\$stmt\$$_\$stmt\$" } @statements;
	my ($status, $out, $err) = $server->psql('postgres', qq{
		SET client_min_messages = error;
		$before;
		CREATE TEMP TABLE outcome (statement text, state text, message text);
		DO \$do\$
		DECLARE
			statement text;
		BEGIN
			FOREACH statement IN ARRAY ARRAY[$list]::text[] LOOP
				RAISE LOG 'next: %', statement; -- the last of them before a crash is to blame
				BEGIN
					EXECUTE statement;
					INSERT INTO outcome VALUES (statement, '00000', '');
				EXCEPTION WHEN OTHERS OR query_canceled THEN
					INSERT INTO outcome VALUES (statement, SQLSTATE, SQLERRM);
				END;
			END LOOP;
		END \$do\$;
		SELECT state, count(*), left(regexp_replace(max(statement || ' -> ' || message), '\\s+', ' ', 'g'), 400) FROM outcome GROUP BY 1}, timeout => 900);
	is($status, 0, $name) or diag(substr($err, 0, 2000));
	for my $line (split /\n/, $out // '')
	{
		my ($state, $n, $example) = split /\|/, $line, 3;
		$states{$state} += $n;
		$count += $n;
		note("$state: $example") if $ENV{TXTFP_CALLS_EXAMPLES};
		push @internal, "$state: $example" if $state =~ /^(XX|58|53[^24]|F0)/ || $state eq '57014';
	}
}

sub internal_errors { return join "\n", @internal }
sub outcomes { return sprintf '%d statements: %s', $count, join ', ', map { "$_ $states{$_}" } sort keys %states }

1;

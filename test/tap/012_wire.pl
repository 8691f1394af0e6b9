# Sends mutated values of every type as a driver does: text and binary parameters, and texts that functions parse. Each is either
# rejected as a user error, or returned unchanged; the server survives.
# TXTFP_WIRE_VALUES=N values of each kind (default 1000), TXTFP_WIRE_SEED=N other values.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use IO::Socket::UNIX;
use Test::More;

my $values = $ENV{TXTFP_WIRE_VALUES} || by_length(1000, 400);
srand($ENV{TXTFP_WIRE_SEED} || 1);

my $server = new_server('wire', conf => "log_statement = none\nlog_min_messages = fatal\nstatement_timeout = 60s\n");
my $postmaster = $server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')});

# ---- the protocol, version 3: one statement at a time

my $socket;

sub send_message { my ($type, $body) = @_; print {$socket} $type . pack('N', 4 + length $body) . $body; return }

sub receive
{
	my ($size) = @_;
	my $bytes = '';
	while (length $bytes < $size)
	{
		read($socket, $bytes, $size - length $bytes, length $bytes) or die "the server has closed the connection\n";
	}
	return $bytes;
}

# The messages until the server is ready: (type, body), ...
sub messages
{
	my @messages;
	for (;;)
	{
		my ($type, $size) = unpack 'aN', receive(5);
		my $body = receive($size - 4);
		return @messages if $type eq 'Z';
		push @messages, [ $type, $body ];
	}
}

sub state_of { my ($error) = @_; return ($error->[1] =~ /(?:^|\0)C(\w{5})\0/)[0] }

sub connect_server
{
	$socket = IO::Socket::UNIX->new(Peer => $server->host . '/.s.PGSQL.' . $server->port) or die "cannot connect: $!\n";
	binmode $socket;
	$socket->autoflush(0);
	my $body = pack('N', 196608) . "user\0" . $server->safe_psql('postgres', 'SELECT CURRENT_USER') . "\0database\0postgres\0client_encoding\0UTF8\0\0";
	print {$socket} pack('N', 4 + length $body) . $body;
	$socket->flush;
	messages();
	return;
}

sub prepare
{
	my ($name, $statement, $type) = @_;
	send_message('P', "$name\0$statement\0" . pack('nN', 1, $type));
	send_message('S', '');
	$socket->flush;
	my ($error) = grep { $_->[0] eq 'E' } messages();
	die "$statement: $error->[1]\n" if $error;
	return;
}

# Returns (result, SQLSTATE); formats: 0 text, 1 binary
sub execute
{
	my ($name, $format, $value, $result_format) = @_;
	send_message('B', "\0$name\0" . pack('nnnN', 1, $format, 1, length $value) . $value . pack('nn', 1, $result_format));
	send_message('E', "\0" . pack('N', 0));
	send_message('S', '');
	$socket->flush;
	my ($result, $state) = (undef, '');
	for my $message (messages())
	{
		$state = state_of($message) if $message->[0] eq 'E';
		$result = substr $message->[1], 6 if $message->[0] eq 'D' && substr($message->[1], 2, 4) ne "\xFF\xFF\xFF\xFF";
	}
	return ($result, $state);
}

# ---- mutations

sub one_of { return $_[ int rand @_ ] }

# Inserts, removes, moves or replaces bytes; new bytes are random ones that are common in such values.
sub mutated
{
	my ($value, $common, @pieces) = @_;
	for (1 .. 1 + int rand 3)
	{
		my $at = int rand(1 + length $value);
		my $length = int rand(1 + (length($value) - $at > 40 ? 40 : length($value) - $at));
		my $how = int rand 10;
		if    ($how == 0) { substr($value, $at) = '' }
		elsif ($how == 1) { $value .= one_of(@pieces, "\0", substr($value, $at, $length)) }
		elsif ($how == 2) { substr($value, $at, 0) = one_of(@pieces) }
		elsif ($how == 3) { substr($value, $at, $length) = '' }
		elsif ($how == 4) { substr($value, $at, $length) = substr($value, int rand(1 + length $value)) }
		elsif ($how == 5) { substr($value, $at, 1) = chr(ord(substr($value, $at, 1)) ^ 1 << int rand 8) if $at < length $value }
		elsif ($how == 6) { substr($value, $at, 1) = one_of(@pieces) if $at < length $value }
		else              { substr($value, $at, 1) = one_of(@$common) if $at < length $value }
	}
	return substr $value, 0, 20000;
}

my @bytes         = map { chr } 0 .. 255;
my @digits        = ('0' .. '9', 'a' .. 'f');
my @text_pieces   = (qw(0 1 9 a A f F g / : . - + T1 . _ Q x \x NaN Infinity 1e400 -1 18446744073709551615 99999999999999999999 { } [ ] "), ' ', "\n", "\t", ',', "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xCC\x81", "'");
my @binary_pieces = ("\0", "\xFF", "\0\0\0\0", "\xFF\xFF\xFF\xFF", "\x7F\xFF\xFF\xFF", "\x80\0\0\0", "\0\1", "\1\0", "H\1", "\x7F\xF8\0\0\0\0\0\0", "\x40\x59\0\0\0\0\0\0");

# ---- inputs

my %samples = (
	(map { my $h = $_; ("minhash$h" => [ "to_minhash$h('some words')", "to_minhash$h(ARRAY['x'], seed => -1)" ]) } 64, 128, 256),
	simhash64       => [ q{to_simhash64('some words')}, q{'ffffffffffffffff'} ],
	tlsh            => [ q{to_tlsh('Some words, and quite a few more of them, because a digest of this kind wants at least 50 bytes.')}, q{repeat('0f', 35)} ],
	lavinhash       => [ q{to_lavinhash(repeat('x', 65))}, q{to_lavinhash(decode(repeat('00', 900), 'hex'))} ],
	fingerprint     => [ q{to_simhash64('x')::fingerprint}, q{to_minhash64('x')::fingerprint}, q{to_minhash256('x y')::fingerprint}, q{to_minhash128_compact('x y')::fingerprint}, q{to_lavinhash(repeat('x', 65))::fingerprint}, q{to_embedding('{1,2}', 'm')::fingerprint}, q{to_tlsh('Some words, and quite a few more of them, because a digest of this kind wants at least 50 bytes.')::fingerprint} ],
	simhash_probe   => [ q{_to_simhash_probe('0123456789abcdef', 7)}, q{_to_simhash_probe('0123456789abcdef', 64)} ],
	(map { my $h = $_; ("minhash${h}_compact" => [ "to_minhash${h}_compact('some words')", "to_minhash${h}_compact(ARRAY['x'], seed => -1)" ]) } 64, 128, 256),
	minhash_compact_probe => [ q{_to_minhash_compact_probe(to_minhash64_compact('x'), 0.5)}, q{_to_minhash_compact_probe(to_minhash256_compact('x'), 1)} ],
	minhash_probe   => [ q{_to_minhash_probe(to_minhash64('x'), 0.5)}, q{_to_minhash_probe(to_minhash256('x'), 1)} ],
	tlsh_probe      => [ q{_to_tlsh_probe(repeat('0f', 35)::tlsh, 30)} ],
	embedding       => [ q{to_embedding('{1,-2.5,3e-8}')}, q{to_embedding('{0.1,2}', 'BAAI/bge')}, q{to_embedding('{1}', '')}, q{to_embedding((SELECT array_agg(sin(i)::real) FROM generate_series(1, 50) AS i), 'm')} ],
	passages        => [ q{to_passages('one two three four five six seven', 2)}, q{to_passages('')} ],
	passages_probe  => [ q{_to_passages_probe(to_passages('one two three four five six seven', 2), 1)}, q{_to_passages_probe(to_passages('one two three four five six seven', 2), 0.5::float8)} ],
	corpus_words    => [ q{(SELECT corpus_words_agg(doc) FROM unnest('{a b c, b c d, x y}'::text[]) AS doc)}, q{(SELECT corpus_words_agg(doc) FROM unnest('{""}'::text[]) AS doc)} ],
	lavinhash_probe => [ q{_to_lavinhash_probe(to_lavinhash(repeat('x', 65)), 90)} ],
);
open my $frozen, '<', "$FindBin::RealBin/../frozen/rule.txt" or die "rule.txt: $!";
chomp(my $rule = <$frozen>);
close $frozen;
# the result for a text or bytea parameter, and the value that it must equal, if any
my %parsers = (
	q{SELECT ($1::bytea)::minhash64_compact::bytea}   => [ 'bytea', q{to_minhash64_compact('x')::bytea}, 'same' ],
	q{SELECT ($1::bytea)::minhash64::bytea}           => [ 'bytea', q{to_minhash64('x')::bytea}, 'same' ],
	q{SELECT ($1::bytea)::minhash256::bytea}          => [ 'bytea', q{to_minhash256('x')::bytea}, 'same' ],
	q{SELECT ($1::bytea)::simhash64::bytea}           => [ 'bytea', q{to_simhash64('x')::bytea}, 'same' ],
	q{SELECT ($1::bytea)::lavinhash::bytea}           => [ 'bytea', q{to_lavinhash(repeat('x', 65))::bytea}, 'same' ],
	q{SELECT ($1::text)::jsonb::embedding::text}      => [ 'text', q{to_embedding('{1,-2.5,3e-8}', 'm')::jsonb} ],
	q{SELECT decision_score($1::text::jsonb, difference_signals('a b c', 'a b d', 1, 2, (SELECT corpus_words_agg(doc) FROM unnest('{a b c, b c d}'::text[]) AS doc)))} => [ 'text', "'$rule'" ],
	q{SELECT chunk_for_model($1::text, 8, 3)}         => [ 'text', q{'Some Text. And another! A third?' || U&'\3002\0301\200D\FF01'} ],
	q{SELECT ($1::text)::jsonb::minhash64::text}      => [ 'text', q{to_minhash64('x')::jsonb} ],
	q{SELECT to_simhash64('a b c', 'word-uax29', weighting => 'idf', idf => $1::text::jsonb)::text} => [ 'text', q{'{"a": 1.5, "b": -2e30, "c": 3e38, "\u0301": 0}'} ],
	q{SELECT to_minhash64('a b c', $1::text)::text}   => [ 'text', q{'shingle-k=3/shingle-k=2/word-uax29'} ],
	q{SELECT canonicalize('a b c', $1::text)}         => [ 'text', q{'nfkc-cf-simple-bidi-fmt-conf'} ],
	q{SELECT canonicalize($1::text)}                  => [ 'text', q{'Some Text, e' || U&'\0301\0323\FB01\200D\AC00'} ],
	q{SELECT tokenize($1::text, 'grapheme-uax29')}    => [ 'text', q{'Some Text, e' || U&'\0301\0323\FB01\200D\AC00'} ],
	q{SELECT count(*) FROM near_duplicate_pairs($1::text, 0.8)} => [ 'text', q{'SELECT i, to_minhash64((i / 2)::text) FROM generate_series(1, 5) AS i'} ],
);

my ($sent, $accepted, $odd, $changed) = (0) x 4;
my $users_mistake = qr/^(08P01|0A000|21000|22...|3F000|42...|54000)$/;

# Sends mutations of the samples; $check(value, result) returns what is wrong with an answer.
sub send_all
{
	my ($what, $name, $format, $result_format, $samples, $check) = @_;
	my ($fine, $rejected, @odd) = (0, 0);
	my @pieces = $format ? @binary_pieces : @text_pieces;
	for my $i (1 .. $values)
	{
		my $value = one_of(@$samples);
		$value = mutated($value, $format ? \@bytes : \@digits, @pieces) if $i > @$samples;
		my ($result, $state) = execute($name, $format, $value, $result_format);
		++$sent;
		if ($state ne '') { ++$rejected; push @odd, "$state: " . unpack('H*', $value) if $state !~ $users_mistake }
		else              { ++$fine; my $wrong = $check->($value, $result); push @odd, "$wrong: " . unpack('H*', $value) if $wrong ne '' }
	}
	$accepted += $fine;
	is(join("\n", @odd[ 0 .. ($#odd > 9 ? 9 : $#odd) ]), '', "$what: rejected, or comes back ($fine of $values)");
	cmp_ok($fine, '>', 0, "$what: some are accepted");
	return;
}

connect_server();
is($server->safe_psql('postgres', q{SELECT string_agg(typname, ' ' ORDER BY typname COLLATE "C") FROM pg_type AS t JOIN pg_depend AS d ON d.objid = t.oid AND d.deptype = 'e' AND d.classid = 'pg_type'::regclass
	WHERE typtype = 'b' AND typelem = 0}), join(' ', sort keys %samples), 'samples of every type');
for my $type (sort keys %samples)
{
	my ($oid) = $server->safe_psql('postgres', "SELECT '$type'::regtype::oid");
	my @text   = map { $server->safe_psql('postgres', "SELECT ($_)::${type}::text") } @{ $samples{$type} };
	my @binary = map { pack 'H*', $server->safe_psql('postgres', "SELECT encode(_${type}_send(($_)::$type), 'hex')") } @{ $samples{$type} };
	prepare($type, 'SELECT $1', $oid);
	send_all("binary $type", $type, 1, 1, \@binary, sub { my ($value, $result) = @_; return $result eq $value ? '' : 'changed to ' . unpack 'H*', $result });
	# texts have several spellings: the result must read back as itself, and be the same in binary
	send_all("text $type", $type, 0, 0, \@text, sub {
		my ($value, $result) = @_;
		my ($again) = execute($type, 0, $result, 0);
		my ($bytes) = execute($type, 0, $value,  1);
		my ($back)  = execute($type, 1, $bytes,  0);
		return $again eq $result && $back eq $result ? '' : "changed to $result";
	});
}
my $number = 0;
for my $statement (sort keys %parsers)
{
	my ($type, $sample, $same) = @{ $parsers{$statement} };
	my @samples = map { $type eq 'bytea' ? pack 'H*', $_ : $_ } $server->safe_psql('postgres', $type eq 'bytea' ? "SELECT encode($sample, 'hex')" : "SELECT ($sample)::text");
	prepare('parser' . ++$number, $statement, $type eq 'bytea' ? 17 : 25);
	send_all($statement, "parser$number", $type eq 'bytea' ? 1 : 0, $type eq 'bytea' ? 1 : 0, \@samples,
		sub { my ($value, $result) = @_; return !$same || $result eq $value ? '' : 'changed to ' . unpack 'H*', $result });
}
note("$sent values sent, $accepted accepted");
is($server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')}), $postmaster, 'the server lives');
close $socket;

$server->stop;
done_testing();

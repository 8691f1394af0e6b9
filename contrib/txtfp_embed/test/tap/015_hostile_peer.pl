# Whoever listens at the socket may be no friend: random answers, answers that drip, never end, or never come, and peers that do not read. embed() gives a
# vector or an error within its timeout, and the session goes on.
#
#   TXTFP_EMBED_ANSWERS=1000  random answers        TXTFP_SEED  of the random numbers (1)
use strict;
use warnings;

use lib 'test/tap';
use TxtfpTest;
use EmbedTest;
use IO::Socket::UNIX;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $answers = $ENV{TXTFP_EMBED_ANSWERS} // by_length(3000, 150);
srand($ENV{TXTFP_SEED} // 1);
my $dir = short_dir();
my $listener = IO::Socket::UNIX->new(Local => "$dir/s", Listen => 50) or die $!;
my $server = new_server('hostile', conf => "txtfp_embed.socket = '$dir/s'\n");
$server->safe_psql('postgres', q{
	CREATE EXTENSION txtfp_embed;
	CREATE FUNCTION outcome(input text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
		RETURN 'vector of ' || cardinality(embed(input, 'm')) || CASE WHEN 'NaN' = ANY (embed(input, 'm')) THEN ' with NaN' ELSE '' END;
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
	END $$});
my $started = $server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

# A peer in a process of its own, which plays each client the part
my $peer;
sub play
{
	my ($part) = @_;
	$peer = fork() // die $!;
	return if $peer;
	$SIG{PIPE} = 'IGNORE';
	while (my $client = $listener->accept) { $part->($client); close $client }
	POSIX::_exit(0);
}
sub stop_playing { kill 'KILL', $peer; waitpid $peer, 0; return }
sub read_request
{
	my ($client) = @_;
	my $request = '';
	while (length $request < 8 || length $request < 8 + unpack('V', substr $request, 4, 4)) { $client->sysread($request, 65536, length $request) or last }
	return;
}
sub random_bytes { return join '', map { chr int rand 256 } 1 .. $_[0] }
sub one_of { return $_[ int rand @_ ] }

# ---- random answers: heads and bodies that are nearly right
sub random_answer
{
	return pack('a4VC4f<*', 'TXE1', 4 + 4 * 9, 0, 0, 0, 0, map { one_of(rand, -1e38, 0) } 1 .. 9) if rand() < 0.2;
	my $size = one_of(0, 1, 3, 4, 7, 8, 12, 100, 4 + 4 * int rand 50);
	my $body = pack('C', one_of(0, 0, 0, 1 .. 12, int rand 256)) . one_of("\0\0\0", "\0\0\0", random_bytes(3));
	$body .= one_of(random_bytes(200), pack('f<*', map { rand } 1 .. 50), pack('f<*', map { one_of(rand, 9**9**9, -sin(9**9**9), 1e38) } 1 .. 50), "a message\0", "\xC3\x28", '%s%n' x 20);
	my $announced = one_of($size, $size, $size, $size + 1, 0xFFFFFFFF, 0x7FFFFFFF, 262_148, 262_149, int rand 2**32);
	return one_of('TXE1', 'TXE1', 'TXE1', 'TXE1', 'TXE2', random_bytes(4)) . pack('V', $announced) . substr($body, 0, $size);
}
play(sub { my ($client) = @_; read_request($client); my $answer = random_answer(); $client->syswrite($answer); $client->syswrite(random_bytes(one_of(0, 0, 5000))) if rand() < 0.2; });
my %outcomes;
$outcomes{$_}++ for split /\n/, $server->safe_psql('postgres', "SET txtfp_embed.timeout = 5000; SELECT outcome('a text') FROM generate_series(1, $answers)");
stop_playing();
note(join ', ', map { "$_: $outcomes{$_}" } sort keys %outcomes);
is(join(' ', grep { !/^(vector of \d+|08P01|08006|22023|22000|2202E|58030|53300|38000)$/ } sort keys %outcomes), '', "$answers random answers: vectors of numbers, or errors of theirs");
cmp_ok(scalar(keys %outcomes), '>', 4, 'of many kinds');

# ---- peers that take their time
sub outcome_within
{
	my ($what, $expected, $part, $input) = @_;
	play($part);
	my $begin = time;
	is($server->safe_psql('postgres', "SET txtfp_embed.timeout = 700; SELECT outcome($input)"), $expected, $what);
	cmp_ok(time - $begin, '<', 10 + patience($server), "$what: in time");
	stop_playing();
	return;
}
my $vector = pack('a4VC4f<2', 'TXE1', 12, 0, 0, 0, 0, 1, 2);
outcome_within('an answer that drips', '08006', sub { my ($client) = @_; read_request($client); for (split //, 'TXE1' . pack('V', 200_000) . "\0" x 200_000) { $client->syswrite($_) or last; sleep 0.05 } }, "'a'");
outcome_within('no answer', '08006', sub { my ($client) = @_; read_request($client); sleep 60 }, "'a'");
outcome_within('a head and no body', '08006', sub { my ($client) = @_; read_request($client); $client->syswrite(substr $vector, 0, 8); sleep 60 }, "'a'");
outcome_within('a peer that does not read', '08006', sub { sleep 60 }, "repeat('a', 16000000)");
outcome_within('more than the answer, without an end', 'vector of 2', sub { my ($client) = @_; read_request($client); $client->syswrite($vector); 1 while $client->syswrite('x' x 65536) }, "'a'");
outcome_within('an answer before the question', 'vector of 2', sub { my ($client) = @_; $client->syswrite($vector); read_request($client) }, "'a'");
outcome_within('a peer that hangs up at once', '08006', sub { }, "'a'");
is($server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server has not restarted');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/XX\d{3}|terminated by signal|PANIC/, 'no internal error');
$server->stop;
done_testing();

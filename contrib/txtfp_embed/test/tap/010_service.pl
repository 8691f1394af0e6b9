# embed() through the socket: vectors, errors with their SQLSTATEs, cancels, timeouts, false answers, many connections.
use strict;
use warnings;

use lib 'test/tap';
use TxtfpTest;
use EmbedTest;
use IO::Socket::UNIX;
use Test::More;
use Time::HiRes qw(sleep time);

my $dir = short_dir();
my $socket = "$dir/s";
my $provider = start_provider($dir);
local $ENV{EMBED_TEST_KEY} = 'sk-secret';
sub model { return { provider => 'openai', model => 'toy', key_env => 'EMBED_TEST_KEY', base_url => "http://127.0.0.1:$provider->{port}/$_[0]/v1", @_[ 1 .. $#_ ] } }
my $config = write_config($dir, 'config.json', {
	socket => $socket, socket_mode => '0600', service_threads => 4, workers => 0,
	models => {
		ok => model('ok', dimension => 8), bad => model('bad'), wait => model('wait'), slow => model('slow'), dim => model('dim', dimension => 8),
		nokey => { %{ model('ok') }, key_env => 'EMBED_TEST_NO_KEY' },
		local => { onnx => "$dir/none.onnx", tokenizer => "$dir/none.json" } } });
my $process = start_program($config, $socket);
my $server = new_server('embed', conf => "txtfp_embed.socket = '$socket'\n");
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_embed');

is($server->safe_psql('postgres', "SELECT embed('abc', 'ok')"),
	$server->safe_psql('postgres', "SELECT array_agg((get_byte(decode(md5('abc'), 'hex'), i) / 256.0 - 0.5)::real ORDER BY i) FROM generate_series(0, 7) i"),
	'the vector of a text');
is($server->safe_psql('postgres', "SELECT to_embedding(embed('abc', 'ok'), 'ok')::text LIKE 'ok/[%]'"), 't', 'as an embedding');
is((requests($provider))[0]{key}, 'Bearer sk-secret', 'the key is sent to the provider');

sub error_of
{
	my ($query, $before) = @_;
	my ($process, $err) = start_sql($server, $before // (), $query);
	$process->finish;
	$$err =~ /ERROR:  (.*)/ or return "no error: $$err";
	return $1;
}
is(error_of("SELECT embed('a', 'none')"), '22023: config error: there is no model "none"', 'a model that is not configured');
is(error_of("SELECT embed('a', 'nokey')"), '22023: config error: there is no key in EMBED_TEST_NO_KEY', 'no key');
is(error_of("SELECT embed('a', 'bad')"), '38000: http error: OpenAI returned 401 Unauthorized', 'a wrong key, which nobody is told');
is(error_of("SELECT embed('a', 'dim')"), '2202E: dimension mismatch: expected 8, OpenAI gave 5', 'another dimension');
like(error_of("SELECT embed('a', 'local')"), qr/^58030: io error: .*none.json: No such file or directory$/, 'a model that is not there');

my $start = time;
# Either the server or the program notices first.
like(error_of("SELECT embed('a', 'slow')", 'SET txtfp_embed.timeout = 300'), qr/^08006: (txtfp-embed did not answer within 300 ms|OpenAI did not answer in time)$/, 'timeout');
cmp_ok(time - $start, '<', 5 + patience($server), 'soon');
is(error_of("SELECT embed('a', 'slow')", "SET statement_timeout = '300ms'"), '57014: canceling statement due to statement timeout', 'statement_timeout');
my ($waiting, $err) = start_sql($server, "SET application_name = 'waiting'", "SELECT embed('a', 'slow')");
ok(wait_until($server, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'waiting' AND state = 'active')"), 'a session waits');
ok(wait_until($server, "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE application_name = 'waiting'"), 'as pg_stat_activity tells');
$server->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'waiting'");
$waiting->finish;
like($$err, qr/57014: canceling statement due to user request/, 'a cancel ends it');

# Many sessions at once, each with several calls in a row
my @sessions = map { [ start_sql($server, map { "SELECT array_length(embed('$_', 'ok'), 1)" } 1 .. 20) ] } 1 .. 10;
$_->[0]->finish for @sessions;
is(join('', map { ${ $_->[1] } } @sessions), '', 'ten sessions side by side');

# Clients that disconnect, stop in the middle, or send another protocol do no harm and leak no memory
sub memory { open my $file, '<', '/proc/' . $process->{KIDS}[0]{PID} . '/status' or die $!; my ($kb) = join('', <$file>) =~ /VmRSS:\s+(\d+)/; return $kb }
my $before = memory();
for my $round (1 .. 40)
{
	my @clients = map { IO::Socket::UNIX->new(Peer => $socket) or die "$!" } 1 .. 50;
	for my $i (0 .. $#clients)
	{
		my $bytes = ('', 'GET / HTTP/1.1', 'TXE1', "TXE1\xFF\xFF\xFF\xFF", "TXE1\x10\x00\x00\x00q", "TXE1\x0A\x00\x00\x00q\0\2\0\0\0\1\0ok")[ $i % 6 ];
		$clients[$i]->syswrite($bytes);
	}
	close $_ for @clients;
}
is($server->safe_psql('postgres', "SELECT array_length(embed('abc', 'ok'), 1)"), 8, 'it still answers');
my @open = map { IO::Socket::UNIX->new(Peer => $socket) or die "$!" } 1 .. 500;
sleep 0.5;
cmp_ok(memory() - $before, '<', 4096, '2,000 clients that came and went and 500 that stay take less than 4 MB');
is($server->safe_psql('postgres', "SELECT array_length(embed('abc', 'ok'), 1)"), 8, 'and it answers beside them');
close $_ for @open;

is((stat $socket)[2] & 0777, 0600, 'the mode of the socket');
my ($status, undef, $second) = run_program($config, '');
is($status, 1, 'a second service');
like($second, qr/another service answers at/, 'is refused');

# Ends
stop_program($process);
ok(!-e $socket, 'the socket file is gone');
like(error_of("SELECT embed('a', 'ok')"), qr/^08001: could not connect to txtfp-embed at ".*": No such file or directory$/, 'nobody there');

# A program that sends false answers
for (
	[ "TXE1\x08\x00\x00\x00\0\0\0\0\0\0\xC0\x7F", '08P01: txtfp-embed sent an invalid answer', 'NaN' ],
	[ "TXE1\x04\x00\x00\x00\0\0\0\0", '08P01: txtfp-embed sent an invalid answer', 'no vector' ],
	[ "TXE1\xFF\xFF\xFF\x7F", '08P01: txtfp-embed sent an invalid answer', 'a giant' ],
	[ "TXE1\x06\x00\x00\x00\x05\0\0\0\xFF\xFE", '08P01: txtfp-embed sent an invalid answer', 'a message that is no text' ],
	[ 'HTTP/1.1 400', '08P01: txtfp-embed sent an invalid answer', 'another protocol' ],
	[ "TXE1\x10", '08006: txtfp-embed closed the connection', 'half an answer' ],
	[ "TXE1\x08\x00\x00\x00\x01\0\0\0%s%n", '22023: %s%n', 'a message that is a format' ])
{
	my ($answer, $expected, $name) = @$_;
	unlink "$dir/liar";
	my $liar = IO::Socket::UNIX->new(Local => "$dir/liar", Listen => 1) or die $!;
	my ($call, $error) = start_sql($server, "SET txtfp_embed.socket = '$dir/liar'", "SELECT embed('a', 'ok')");
	my $client = $liar->accept;
	my $request = '';
	while (length $request < 19) { $client->sysread($request, 1000, length $request) or last }    # reads all of it, or the close would be a reset
	$client->syswrite($answer);
	close $client;
	$call->finish;
	like($$error, qr/ERROR:  \Q$expected\E/, $name);
}
unlike($server->safe_psql('postgres', 'SELECT pg_read_file(pg_current_logfile())') // '', qr/sk-secret/, 'no key in the server log') if $server->safe_psql('postgres', 'SHOW logging_collector') eq 'on';
open my $log, '<', "$config.log" or die $!;
unlike(join('', <$log>), qr/sk-secret/, 'no key in the log of the program');
$provider->{process}->kill_kill;
done_testing();

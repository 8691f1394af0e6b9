# Providers and their failures, simulated on this machine: the requests, the retries and their times, and the messages.
use strict;
use warnings;

use lib 'test/tap';
use EmbedTest;
use Test::More;
use Time::HiRes qw(time);

my $dir = short_dir();
my $provider = start_provider($dir);
local $ENV{EMBED_TEST_KEY} = 'sk-secret-1234';
open my $file, '>', "$dir/key" or die $!;
print $file "pa-secret-5678\n";
close $file;

# Returns (status, output, errors, seconds, requests) of one text, with these steps of the provider. Each plan is counted from its first
# request on, so no two calls that count use the same plan.
sub ask
{
	my ($kind, $plan, $more, $input) = @_;
	my $config = write_config($dir, 'config.json', { models => { m => {
		provider => $kind, key_file => 'key', base_url => "http://127.0.0.1:$provider->{port}/$plan/v1", dimension => 8, timeout_ms => 2000, %{ $more // {} } } } });
	my $before = requests($provider);
	my $start = time;
	my @result = run_program($config, $input // "a text\0", '--embed', 'm');
	my @all = requests($provider);
	return (@result, time - $start, @all[ $before .. $#all ]);
}

for ([ openai => '/embeddings', 'input', undef, 'text-embedding-3-small' ], [ voyage => '/embeddings', 'input', 'document', 'voyage-3-lite' ],
	[ cohere => '/embed', 'texts', 'search_document', 'embed-english-v3.0' ])
{
	my ($kind, $path, $texts, $type, $model) = @$_;
	my ($status, $out, $err, $seconds, @requests) = ask($kind, 'ok', {}, "one\0two \"2\"\0");
	is($status, 0, "$kind");
	is(scalar(split /\n/, $out), 2, 'two vectors');
	is(scalar @requests, 1, 'one request');
	like($requests[0]{path}, qr{/v1\Q$path\E$}, 'path');
	is_deeply($requests[0]{body}, { model => $model, $texts => [ 'one', 'two "2"' ], defined $type ? (input_type => $type) : () }, 'body');
	is($requests[0]{key}, 'Bearer pa-secret-5678', 'key');
}
my ($status, $out, $err, $seconds, @requests) = ask('openai', 'ok', { batch => 2 }, join '', map { "$_\0" } 1 .. 5);
is(scalar @requests, 3, 'more texts than a batch: more requests');

# What is retried, and when. A machine that is busy with others may be late by what twenty calls take that need no second attempt.
my $late = 20 * $seconds;
($status, $out, $err, $seconds, @requests) = ask('openai', '429,a');
is($status, 0, '429 without Retry-After: tried again');
is(scalar @requests, 2, 'once');
my $wait = $requests[1]{time} - $requests[0]{time};
ok($wait > 0.34 && $wait < 2 + $late, "after half a second or so ($wait)");
($status, $out, $err, $seconds, @requests) = ask('voyage', '429-2,b');
$wait = $requests[1]{time} - $requests[0]{time};
ok($status == 0 && $wait >= 1.99 && $wait < 4 + $late, "429 with Retry-After: after what it says ($wait)");
($status, $out, $err, $seconds, @requests) = ask('cohere', '500,reset,c');
is("$status " . @requests, '0 3', '500, then a reset connection, then an answer');
($status, $out, $err, $seconds, @requests) = ask('cohere', 'slow,d', { timeout_ms => 500 + int(250 * $late) });
is("$status " . @requests, '0 2', 'a body that takes too long');

# The messages if retrying does not help
($status, $out, $err, $seconds, @requests) = ask('openai', '429-7', { retry_ms => 1 });
is("$status $err", "1 txtfp-embed: http error: OpenAI returned 429 Too Many Requests (Retry-After 7s)\n", '429 for ever');
($status, $out, $err) = ask('openai', '500', { retry_ms => 1 });
is($err, "txtfp-embed: http error: OpenAI returned 500 Internal Server Error\n", '500 for ever');
($status, $out, $err, $seconds, @requests) = ask('voyage', '500', { retry_ms => 1500 + int(250 * $late) });
ok(@requests >= 3 && $seconds < 6 + $late, 'all within the budget, with one last attempt: ' . @requests . " in $seconds s");
($status, $out, $err, $seconds, @requests) = ask('openai', 'bad');
is("$err" . @requests, "txtfp-embed: http error: OpenAI returned 401 Unauthorized\n1", 'a wrong key is not tried again');
($status, $out, $err, $seconds, @requests) = ask('voyage', 'cut');
like($err . @requests, qr/^txtfp-embed: http error: Voyage answered no JSON: .*\n1$/, 'truncated JSON');
($status, $out, $err) = ask('cohere', 'shape');
is($err, "txtfp-embed: http error: missing `embeddings`\n", 'another shape');
($status, $out, $err) = ask('openai', 'dim');
is($err, "txtfp-embed: dimension mismatch: expected 8, OpenAI gave 5\n", 'another dimension');
($status, $out, $err) = ask('openai', 'short', {}, "1\0" . "2\0");
is($err, "txtfp-embed: http error: OpenAI gave 1 embeddings for 2 texts\n", 'a vector too few');
($status, $out, $err) = ask('openai', 'text');
is($err, "txtfp-embed: http error: an element of an embedding is no number\n", 'an element that is no number');
($status, $out, $err) = ask('openai', 'reset', { retry_ms => 1 });
like($err, qr/^txtfp-embed: http error: OpenAI send: .*\n$/, 'reset');
unlike($err, qr/secret/, 'without the key');
for my $address ('file:///etc/passwd?', 'http://[', '127.0.0.1:80/v1')
{
	($status, $out, $err, $seconds) = ask('openai', 'e', { base_url => $address });
	like($err, qr/base_url is not an address of http or https: \Q$address\E$/, "$address is refused");
	ok($seconds < 2 + $late, "at once ($seconds s)");
}
($status, $out, $err) = ask('openai', 'e', { key_file => 'nothing' });
like($err, qr/^txtfp-embed: io error: .*nothing: No such file or directory$/, 'no key file');
$provider->{process}->kill_kill;
done_testing();

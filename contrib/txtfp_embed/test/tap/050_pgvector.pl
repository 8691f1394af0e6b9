# pgvector: the queue fills a column of type vector with an HNSW index, and embed() searches it. Debian 12 has no package of pgvector:
# the test needs a server that has it, such as Debian 13's, or that of the Python package pgserver (TXTFP_PG_PREFIX).
use strict;
use warnings;

use lib 'test/tap';
use TxtfpTest;
use EmbedTest;
use Test::More;

my $dir = short_dir();
my $socket = "$dir/s";
my $server = new_server('pgvector', conf => "txtfp_embed.socket = '$socket'\n");
plan skip_all => 'no pgvector in this server'
	unless $server->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'}) + 0;
my $provider = start_provider($dir);
local $ENV{EMBED_TEST_KEY} = 'sk-secret';
my $config = write_config($dir, 'config.json', { database => $server->connstr('postgres'), socket => $socket, workers => 1, poll_ms => 50, models => {
	minilm => { provider => 'openai', model => 'toy', key_env => 'EMBED_TEST_KEY', base_url => "http://127.0.0.1:$provider->{port}/ok/v1" }, # the name in docs/meaning.md
	toy => { provider => 'openai', model => 'toy', key_env => 'EMBED_TEST_KEY', base_url => "http://127.0.0.1:$provider->{port}/ok/v1" } } });
$server->safe_psql('postgres', q{
	CREATE EXTENSION txtfp_embed; CREATE EXTENSION vector;
	CREATE TABLE docs (id bigint PRIMARY KEY, body text, vector vector(8));
	CREATE INDEX docs_vector ON docs USING hnsw (vector vector_cosine_ops);
	SELECT embed_queue('docs', 'id', 'body', 'vector', 'toy');
	INSERT INTO docs SELECT i, 'text number ' || i FROM generate_series(1, 2000) i;
	CREATE TABLE other (id bigint PRIMARY KEY, body text, vector vector(5));
	SELECT embed_queue('other', 'id', 'body', 'vector', 'toy');
	INSERT INTO other VALUES (1, 'x');});
my $process = start_program($config, $socket);
ok(wait_until($server, 'SELECT NOT EXISTS (SELECT FROM embed_jobs)'), 'the queue is done');
is($server->safe_psql('postgres', 'SELECT count(vector) FROM docs'), 2000, 'every row has its vector');
like($server->safe_psql('postgres', 'SELECT reason FROM embed_failures'), qr/^22000: expected 5 dimensions, not 8$/, 'a column of another dimension refuses');
my $search = q{SELECT id FROM docs ORDER BY vector <=> embed('text number 77', 'toy')::vector LIMIT 5};
like($server->safe_psql('postgres', "ANALYZE docs; SET enable_seqscan = off; EXPLAIN (COSTS OFF) $search"), qr/Index Scan using docs_vector/, 'a search uses the index');
is((split /\n/, $server->safe_psql('postgres', "SET enable_seqscan = off; $search"))[0], 77, 'and finds the text itself first');
is((split /\n/, $server->safe_psql('postgres', "SET enable_indexscan = off; $search"))[0], 77, 'as a scan of the table does');
SKIP:
{
	skip 'this pgvector has no halfvec', 1 unless $server->safe_psql('postgres', q{SELECT count(*) FROM pg_type WHERE typname = 'halfvec'}) + 0;
	$server->safe_psql('postgres', q{
		CREATE TABLE half (id bigint PRIMARY KEY, body text, vector halfvec(8));
		CREATE INDEX ON half USING hnsw (vector halfvec_l2_ops);
		SELECT embed_queue('half', 'id', 'body', 'vector', 'toy');
		INSERT INTO half SELECT i, 'text number ' || i FROM generate_series(1, 200) i;});
	wait_until($server, 'SELECT NOT EXISTS (SELECT FROM embed_jobs)');
	is($server->safe_psql('postgres', q{SET enable_seqscan = off; SELECT id FROM half ORDER BY vector <-> embed('text number 78', 'toy')::halfvec LIMIT 1}), 78, 'halfvec');
}
# The statements of docs/meaning.md, with shorter vectors
open my $page, '<:encoding(UTF-8)', '../../docs/meaning.md' or die $!;
my @blocks = join('', <$page>) =~ /^<!-- not run:[^\n]*\n```sql\n(.*?)^```/msg;
close $page;
is(scalar @blocks, 3, 'the page has three blocks of SQL that need a model');
s/vector\(384\)/vector(8)/g for @blocks;
$server->safe_psql('postgres', q{
	SELECT embed_queue_drop(id) FROM embed_queues; DROP TABLE docs;
	CREATE TABLE docs (id bigint PRIMARY KEY, body text NOT NULL);
	INSERT INTO docs VALUES (1, 'library that opens PDF files'), (2, 'a library that writes the files of a printer'), (3, 'library that opens PDF files');
	INSERT INTO docs SELECT i, md5(i::text) || ' is the checksum of the number ' || i FROM generate_series(4, 300) i;});
$server->safe_psql('postgres', $_) for @blocks[ 0, 1 ];
ok(wait_until($server, 'SELECT count(*) = count(vector) FROM originals'), 'docs/meaning.md: what is left is embedded');
is($server->safe_psql('postgres', 'SELECT id, duplicate_of FROM docs WHERE id NOT IN (SELECT id FROM originals)'), '3|1', 'and a copy is not');
my @both = split /\n/, $server->safe_psql('postgres', $blocks[2]);
is(scalar @both, 10, 'the search by both gives ten');
is($both[0], '1|' . $server->safe_psql('postgres', 'SELECT 1.0 / 61 + 1.0 / 61'), 'first the one that is first by both');
stop_program($process);
$provider->{process}->kill_kill;
done_testing();

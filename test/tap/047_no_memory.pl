# No memory at every allocation of the core: each function gives its answer, or error 53200, and the session goes on. A library that is preloaded into the server
# (new_faults.cpp) makes one call of operator new fail, in the backend or in its threads.
#
#   TXTFP_FAULTS=1000  how many calls of each statement at most
use strict;
use warnings;

use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir     = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
my $library = "$dir/new_faults.so";
my @compile = (split(' ', $ENV{CXX} || 'c++'), '-std=c++20', '-shared', '-fPIC', '-O1', '-o', $library, "$FindBin::RealBin/new_faults.cpp");
plan skip_all => 'needs a C++ compiler, and a server that preloads nothing else' if $ENV{TXTFP_SERVER_ENV} || !PostgreSQL::Test::Utils::run_log(\@compile);

my $most = $ENV{TXTFP_FAULTS} // by_length(400, 5);
sub faults { my ($number) = @_; open my $file, '+<', "$dir/faults" or die $!; binmode $file; print $file pack 'qq', $number, 0; close $file; return }
sub calls { open my $file, '<', "$dir/faults" or die $!; binmode $file; read $file, my $bytes, 16; return (unpack 'qq', $bytes)[1] }
append_to_file("$dir/faults", pack 'qq', 0, 0);

my $server = new_server('no_memory', conf => "max_parallel_workers_per_gather = 0\nmin_parallel_table_scan_size = 0\nmaintenance_work_mem = 8MB\nfsync = off\n");
$server->stop;
{
	local $ENV{LD_PRELOAD} = $library;
	local $ENV{TXTFP_NEW}  = "$dir/faults";
	$server->start;
}
$server->safe_psql('postgres', q{
	CREATE FUNCTION body(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT string_agg(CASE WHEN i = n % 4 THEN 'x' || n ELSE 'w' || n / 4 * 100 + i END, ' ') || '. Ünïcode! Zwei.' FROM generate_series(1, 50) AS i$$;
	CREATE TABLE docs AS SELECT n AS id, body(n) AS body, to_minhash128(body(n)) AS fp, to_simhash64(body(n)) AS s, to_tlsh(body(n)) AS t, to_lavinhash(convert_to(body(n), 'UTF8')) AS l,
		to_passages(body(n)) AS p, to_embedding((SELECT array_agg(hashint4(n / 4 + i)::real) FROM generate_series(1, 16) AS i), 'm') AS e FROM generate_series(1, 800) AS n;
	ALTER TABLE docs ADD PRIMARY KEY (id);
	CREATE TABLE few AS SELECT * FROM docs WHERE id < 30;
	CREATE TABLE guarded (id int PRIMARY KEY, body text, fp minhash128);
	CREATE TRIGGER a BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
	CREATE TRIGGER b BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip');
	CREATE INDEX ON guarded USING sketch (fp);
	CREATE TABLE clustered (id int PRIMARY KEY, s simhash64);
	CALL live_clusters_create('clustered', 'id', 's', mode => 'star', max_distance => 3);
	CREATE INDEX by_fp ON docs USING sketch (fp); CREATE INDEX by_s ON docs USING gin (s); CREATE INDEX by_p ON docs USING gin (p);
	ANALYZE});
my $postmaster = $server->safe_psql('postgres', q{SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)});

my $sum = 'SELECT count(*), sum(hashtextextended(r::text, 0)) FROM';
my @statements = (
	"$sum (SELECT canonicalize(body), tokenize(body, 'word-uax29'), to_minhash64(body), to_simhash64(body), to_tlsh(body), to_lavinhash(body), to_passages(body) FROM few) AS r",
	"$sum (SELECT fp::text::minhash128, s::text::simhash64, l::text::lavinhash, e::text::embedding, fp::jsonb, to_simhash64(e), fp::fingerprint::text FROM few) AS r",
	"$sum (SELECT text_difference(a.body, b.body), text_jaccard(a.body, b.body), shared_passages(a.body, b.body) FROM few AS a JOIN few AS b ON a.id = b.id + 1) AS r",
	"$sum (SELECT difference_signals(a.body, b.body) FROM few AS a JOIN few AS b ON a.id = b.id + 1) AS r",
	"$sum docs AS r WHERE minhash_similar(fp, (SELECT fp FROM docs WHERE id = 7), 0.5)", "$sum (SELECT id FROM docs ORDER BY fp <%> (SELECT fp FROM docs WHERE id = 7) LIMIT 9) AS r",
	"$sum docs AS r WHERE simhash_similar(s, (SELECT s FROM docs WHERE id = 7), 5)", "$sum docs AS r WHERE passages_similar(p, (SELECT p FROM docs WHERE id = 7), 3)",
	(map { ("$sum near_duplicate_pairs('SELECT id, $_->[0] FROM docs', $_->[1]) AS r", "SET max_parallel_maintenance_workers = 2; $sum near_duplicate_clusters('SELECT id, $_->[0] FROM docs', $_->[1]) AS r") }
		[ 'fp', 0.6 ], [ 's', 'max_distance => 5' ], [ 't', 'max_distance => 30' ], [ 'l', 'min_score => 80' ], [ 'e', 0.95 ]),
	"$sum deduplicate('SELECT id, fp, body FROM docs', 0.6, 'jaccard', 0.5) AS r", "$sum connected_components('SELECT id, id / 2 FROM docs') AS r", "$sum near_duplicate_pairs_between('SELECT id, fp FROM few', 'SELECT id, fp FROM docs', 0.7) AS r",
	'SELECT length(review_page($$SELECT b.id, a.id AS kept, b.body AS text, a.body AS kept_text FROM few AS a JOIN few AS b ON b.id = a.id + 1$$)) > 1000',
	"$sum frequent_passages('SELECT body FROM docs', 3) AS r", "$sum deduplicate_passages('SELECT id, body FROM docs', 'word', 3) AS r", "SET max_parallel_maintenance_workers = 2; $sum deduplicate_passages('SELECT id, body FROM docs', 'line') AS r",
	"$sum deduplicate_passages_between('SELECT id, body FROM few', 'SELECT id, body FROM docs', 'word', 3) AS r", "$sum diverse_rows('SELECT id, fp FROM docs ORDER BY id', 20, 0.6) AS r",
	"$sum (SELECT passage_keys(body, 'word', 5), without_ranges(body, '{1,9}', '{3,5}', '-'), without_passages(body, (SELECT p FROM docs WHERE id = 7)) FROM few) AS r",
	"$sum (SELECT difference_signals(a.body, b.body, 0, 0, (SELECT corpus_words_agg(body) FROM docs)) FROM few AS a JOIN few AS b ON a.id = b.id + 1) AS r",
	(map { "SET client_min_messages = error; BEGIN; CREATE INDEX made ON docs USING $_; ROLLBACK; SELECT 1" } 'sketch (fp)', 'sketch (l)', 'gin (fp)', 'gin (s)', 'gin (p)', 'btree (fp)', 'hash (e)'),
	'BEGIN; INSERT INTO guarded SELECT id, body FROM few; SELECT count(*), sum(hashtext(fp::text)) FROM guarded; ROLLBACK', 'BEGIN; INSERT INTO clustered SELECT id, s FROM docs WHERE id < 100; SELECT count(*), count(number) FROM clustered_clusters; ROLLBACK',
	'BEGIN; ANALYZE docs; ROLLBACK; SELECT 1', "$sum fingerprint_index_recall('by_fp', 5, threshold => 0.8) AS r");

# Of a session of its own, which loads the library: its answer, and the SQLSTATEs of errors
sub outcome
{
	my ($statement) = @_;
	my ($status, $out, $err) = $server->psql('postgres', "\\set VERBOSITY sqlstate\n$statement;\n\\echo alive", on_error_stop => 0);
	my @errors = $err =~ /(?:ERROR|FATAL): +(\w+)/g;
	return ($out =~ s/\n?alive\z//r, $out =~ /alive\z/ ? join ' ', sort keys %{ { map { $_ => 1 } grep { $_ ne '25P02' } @errors } } : "ended: $err");
}

my ($all, $failed) = (0, 0);
for my $statement (@statements)
{
	faults(0);
	my ($right, $error) = outcome($statement);
	my $calls = calls();
	is($error, '', "has an answer: $statement") or next;
	my ($step, $times, @odd) = ($calls > $most ? $calls / $most : 1, 0);
	for (my $n = 1; $n <= $calls && @odd < 3; $n += $step)
	{
		for my $number (int $n, -int $n)
		{
			faults($number);
			my ($answer, $error) = outcome($statement);
			faults(0);
			++$all;
			++$failed if $error ne '';
			++$times if $error ne '';
			push @odd, "$number: $error $answer" unless $error eq '53200' || $error eq '' && $answer eq $right;
			wait_until($server, 'SELECT true') if $error =~ /ended/;
		}
	}
	is(join("\n", @odd), '', "$calls calls, $times errors");
}
note("$all faults, $failed of them errors");
is($server->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no temporary file is left');
is($server->safe_psql('postgres', q{SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)}), $postmaster, 'the server lives');
unlike(slurp_file($server->logfile), qr/terminated by signal|PANIC|TRAP:|leak/, 'no backend has crashed, nothing leaked');
$server->stop;
done_testing();

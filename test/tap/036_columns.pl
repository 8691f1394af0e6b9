# near_duplicate_trigger of several columns on a table whose clusters stay current, under load: eight sessions write rows that are similar in one column or in both, with each
# action. Nothing that the trigger keeps out is left, no count is lost, the clusters of both columns are right, and no application sees a deadlock; so it is after a crash.
#
#   TXTFP_SECONDS  of each load (default 1, in the long run 3)
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $seconds = $ENV{TXTFP_SECONDS} || by_length(3, 1);
my $server  = new_server('columns', conf => "max_connections = 60\n");
my $tempdir = PostgreSQL::Test::Utils::tempdir();
sub sql { return $server->safe_psql('postgres', $_[0]) }

# A group of rows differs in 8 bits of each column. The trigger compares at a distance of 1, the clusters at one of 2.
sql(q{
	CREATE FUNCTION point(n int, seed int) RETURNS simhash64 LANGUAGE sql IMMUTABLE AS
		$$SELECT ((hashint8extended(n % 60, seed) & ~255::bigint) | (n / 60 % 256))::simhash64$$;
	CREATE TABLE docs (id bigserial PRIMARY KEY, fp simhash64, sh simhash64, rank int DEFAULT 0, seen int DEFAULT 1, near bigint) WITH (fillfactor = 70);
	CREATE INDEX ON docs USING sketch (fp);
	CREATE INDEX ON docs USING sketch (sh);
	CREATE TABLE log (n int);
	CREATE FUNCTION adds(kept docs, new docs, similarities float8[]) RETURNS docs LANGUAGE plpgsql AS $$BEGIN kept.seen := kept.seen + new.seen; kept.rank := kept.rank + 1; RETURN kept; END$$;
	CALL live_clusters_create('docs', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, clusters => 'stars', events => true);
	CALL live_clusters_create('docs', 'id', 'sh', max_distance => 2, clusters => 'components', events => true)});

sub script { my ($name, $text) = @_; append_to_file("$tempdir/$name.sql", "\\set n random(0, 15359)\n\\set m random(0, 15359)\n\\set id random(1, 3000)\n$text"); return "$tempdir/$name.sql" }
my $arrive = script('arrive', "WITH l AS (INSERT INTO log VALUES (1)) INSERT INTO docs (fp, sh) VALUES (point(:n, 7), point(:m, 8));\n");
my $change = script('change', "UPDATE docs SET fp = point(:n, 7) WHERE id = :id;\n");
my $rank   = script('rank', "UPDATE docs SET rank = :n % 7 WHERE id = :id;\n");
my $delete = script('delete', "DELETE FROM docs WHERE id = :id;\n");

sub start_load
{
	my @files = @_;
	local $ENV{PGOPTIONS} = '-c statement_timeout=60s';
	my ($out, $err) = ('', '');
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', 8, '-j', 2, '-T', $seconds, map({ ('-f', $_) } @files), $server->connstr('postgres') ], '>', \$out, '2>', \$err);
	return { bench => $bench, out => \$out, err => \$err };
}

sub is_right
{
	my ($what, $near) = @_;
	is(sql("SELECT count(*) || coalesce(': ' || left(string_agg(c::text, ' '), 300), '') FROM live_clusters_check('docs', '$_') AS c"), '0', "$what: $_ are right") for 'stars', 'components';
	is(sql("SELECT count(*) FROM docs AS a JOIN docs AS b ON a.id < b.id AND ($near)"), 0, "$what: no near-duplicates are left") if $near;
}

my ($fp, $sh) = ('hamming(a.fp, b.fp) <= 1', 'hamming(a.sh, b.sh) <= 1');
my @loads = (
	[ 'skip any', "'skip', 'match=any'", "$fp OR $sh", $arrive, $delete ],
	[ 'flag any', "'flag', 'match=any', 'column=near'", undef, $arrive, $change, $rank, $delete ],
	[ 'count any', "'count', 'match=any', 'counter=seen', 'on_update=skip'", "$fp OR $sh", $arrive, $change ],
	[ 'count all', "'count', 'match=all', 'counter=seen', 'on_update=skip'", "$fp AND $sh", $arrive, $change, $rank ],
	[ 'merge any', "'merge', 'match=any', 'merge=public.adds', 'on_update=delete'", "$fp OR $sh", $arrive, $change, $rank ],
	[ 'merge all', "'merge', 'match=all', 'merge=public.adds', 'on_update=delete'", "$fp AND $sh", $arrive, $change, $delete ]);
for my $load (@loads)
{
	my ($what, $arguments, $near, @files) = @$load;
	sql("TRUNCATE docs, log; ALTER SEQUENCE docs_id_seq RESTART; CREATE OR REPLACE TRIGGER near_dup BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp:1, sh:1', $arguments)");
	my $run = start_load(@files);
	$run->{bench}->finish;
	is(${ $run->{err} } =~ /(ERROR.*|aborted in command.*)/ ? $1 : 'none', 'none', "$what: no error, no deadlock");
	is_right($what, $near);
	is(sql('SELECT sum(seen) FROM docs'), sql('SELECT count(*) FROM log'), "$what: all are counted") if $what =~ /count|merge any/;
	cmp_ok(sql('SELECT count(*) FROM stars'), '>', 0, "$what: there are stars") if $what =~ /all|flag/;
}
my $run = start_load($arrive, $change, $rank);
sleep 0.5;
$server->stop('immediate');
$run->{bench}->finish;
$server->start;
is_right('after a crash', "$fp AND $sh");
$server->stop;
done_testing();

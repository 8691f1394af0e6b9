# Two versions of the library in one server, as after an upgrade of the package: a session that has loaded the old one goes on with it, new sessions have the new
# one, and each finds through every index what the table holds, whoever wrote it. The old library refuses an index of `sketch` as soon as the new one has written to
# it, if the format has changed, and leaves it as it is.
# TXTFP_OLD_PG=DIRECTORY names an installation of the same major version of PostgreSQL with an older version of the extension (DIRECTORY/bin); it is copied.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $old_path = $ENV{TXTFP_OLD_PG};
plan skip_all => 'TXTFP_OLD_PG names no PostgreSQL with an older version' if !defined $old_path;
sub told { my ($program, $what) = @_; chomp(my $answer = qx{$program --$what}); return $answer }
my ($old_major, $new_major) = map { told($_, 'version') =~ /(\d+)/ } "$old_path/bin/pg_config", 'pg_config';
plan skip_all => "TXTFP_OLD_PG is PostgreSQL $old_major, not $new_major" if $old_major != $new_major;

# ---- a copy of the old installation, into which the new files will be installed: the folder that has its programs, libraries and shared files

my @places = map { told("$old_path/bin/pg_config", $_) } qw(bindir pkglibdir sharedir);
my $all = $places[0];
$all =~ s{/[^/]*$}{} until !grep { index("$_/", "$all/") != 0 } @places;
plan skip_all => "$old_path is spread over the whole system" if $all eq '' || $all eq '/usr' || $all eq '/usr/local';
my $copy = PostgreSQL::Test::Utils::tempdir() . '/pg';
system_or_bail('cp', '-a', $all, $copy);
my ($bin, $lib, $share) = map { $copy . substr $_, length $all } @places;
my $server = new_server('two', install_path => $bin =~ s{/bin$}{}r, conf => "max_parallel_maintenance_workers = 0\nmax_parallel_workers_per_gather = 0\n");

# As a package manager does: the file gets another one's place, and who has it open keeps it.
my @new = glob told('pg_config', 'sharedir') . '/extension/txtfp{.control,--*.sql}';
my $install = "$copy/install.pl";
open my $script, '>', $install or die $!;
print $script "use File::Copy; sub put { my (\$from, \$to) = \@_; copy(\$from, \"\$to.new\") && rename(\"\$to.new\", \$to) or die \"\$to: \$!\" }\n",
	map { sprintf "put('%s', '%s');\n", @$_ } [ told('pg_config', 'pkglibdir') . '/txtfp.so', "$lib/txtfp.so" ], map { [ $_, "$share/extension/" . s{.*/}{}r ] } @new;
close $script or die $!;

my ($old_version) = $server->safe_psql('postgres', 'SELECT txtfp_version()');
create_docs($server, 200);
$server->safe_psql('postgres', q{
	CREATE TABLE guarded (id int PRIMARY KEY, body text, fp minhash128);
	CREATE INDEX ON guarded USING gin (fp minhash128_lsh_ops (threshold = 0.7)) WITH (fastupdate = off);
	CREATE TRIGGER a BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'fp');
	CREATE TRIGGER b BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'skip', 'threshold=0.8');
	INSERT INTO guarded SELECT i, words(i) FROM generate_series(1, 20) AS i;
	CREATE TABLE large AS SELECT n AS id, to_minhash128(array_agg(n / 4 || ' ' || i)) AS fp FROM generate_series(1, 4000) AS n, generate_series(1, 30) AS i GROUP BY n;
	CREATE INDEX large_fp ON large USING sketch (fp)});

# ---- one session from before the installation to the end; what others do meanwhile, its psql starts

my $probes = 'id % 20 IN (0, 1)';
my $url    = $server->connstr('postgres');
sub other { return '\! psql -XqAt -d "' . $url . '" ' . join(' ', map { '-c "' . s/"/\\"/gr . '"' } @_) . ' 2>&1' }
# For each index "NAME agrees" with the table, "differs", or is "refused"
sub agreement
{
	my ($table_off, $index_off) = map { my $list = $_; join '', map { "SET enable_$_ = off; " } @$list } [qw(indexscan bitmapscan indexonlyscan)], [qw(seqscan hashjoin mergejoin)];
	my @all = map { "SET enable_$_ = on;" } qw(indexscan bitmapscan indexonlyscan seqscan hashjoin mergejoin);
	return map { my $query = pairs_of('docs', $probes, $condition{$_}); ('\set i_count 0', '\set t_md5', "@all $index_off", "$query \\gset i_", "@all $table_off", "$query \\gset t_", "SELECT '$_ ' || CASE WHEN :i_count = 0 OR :'t_md5' = '' THEN 'refused' WHEN :'i_md5' = :'t_md5' THEN 'agrees' ELSE 'differs' END") } sort keys %index;
}
sub session
{
	my ($status, $out, $err) = $server->psql('postgres', join("\n", '\set VERBOSITY verbose', map { /^\\|\\gset/ ? $_ : "$_;" } @_), on_error_stop => 0);
	return ($out, $err);
}
my $large = 'SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM large AS d WHERE minhash_similar(d.fp, (SELECT fp FROM large WHERE id = 801), 0.5)';
my @echo  = map { "\\echo == $_" } 0 .. 9;
my ($out, $err) = session(
	$echo[0], 'SELECT txtfp_version()', $large, "\\! $^X $install",
	$echo[1], other('SELECT txtfp_version()'), 'SELECT txtfp_version()',
	$echo[2], other('SELECT put(201, 280)', 'DELETE FROM docs WHERE id % 7 = 0', 'VACUUM docs', 'INSERT INTO guarded SELECT i + 100, words(i) FROM generate_series(11, 30) AS i', 'INSERT INTO large SELECT id + 10000, fp FROM large', 'VACUUM large'), agreement(), $large, 'SELECT count(*) FROM guarded',
	$echo[3], 'SELECT put(301, 380)', 'DELETE FROM docs WHERE id % 11 = 0', 'VACUUM docs', 'INSERT INTO guarded SELECT i + 200, words(i) FROM generate_series(21, 40) AS i', 'INSERT INTO large SELECT id + 20000, fp FROM large WHERE id < 5000', agreement(),
	other('SELECT count(*) FROM guarded', $large, q{SELECT 'sound' FROM (SELECT sketch_check('large_fp', true)) AS x}),
	$echo[4], other('CREATE TABLE later AS TABLE large', 'CREATE INDEX later_fp ON later USING sketch (fp)'),
	$large =~ s/large/later/gr, 'INSERT INTO later SELECT id + 50000, fp FROM later LIMIT 5', other($large =~ s/large/later/gr, q{SELECT 'sound' FROM (SELECT sketch_check('later_fp', true)) AS x}),
	$echo[5], other('ALTER EXTENSION txtfp UPDATE', q{SELECT 'is ' || extversion FROM pg_extension WHERE extname = 'txtfp'}), agreement(), q{SELECT count(*) FROM near_duplicate_pairs('SELECT id, minhash FROM docs WHERE id > 0', 0.8)}, q{SELECT 'alive'});
my @part = (split /^== \d\n/m, $out)[ 1 .. 6 ];
my ($new_version) = PostgreSQL::Test::Utils::slurp_file("$share/extension/txtfp.control") =~ /default_version = '(.*)'/;
note("$old_version and $new_version");
isnt($old_version, $new_version, 'two versions');
is($part[0], "$old_version\n4\n", 'the session has the old library');
is($part[1], "$new_version\n$old_version\n", 'a new session has the new one, and the old session its own');
# An index answers as its table, or the session says that it does not know its format, and answers nothing.
my %is_refused;
sub check
{
	my ($when, $part) = @_;
	for my $name (sort keys %index)
	{
		my ($found) = $part =~ /^$name (\w+)$/m;
		$is_refused{$name} = 1 if $found eq 'refused' && $index{$name} =~ /^sketch/ && $err =~ /ERROR:  0A000: index "docs_\w+" has format/;
		like($found, $is_refused{$name} ? qr/^(refused|agrees)$/ : qr/^agrees$/, "$when: $name $found") or diag($err);
	}
}
check('the old library, after the new one has written', $part[2]);
like($part[2], qr/^30\n\z/m, 'its triggers know the rows of the new one') or diag($part[2], $err);
check('the old library, after it has written', $part[3]);
like($part[3], qr/^40\n(\d+)\nsound\n\z/m, 'the new one knows the rows of the old one') or diag($part[3], $err);
note('refused by the old library: ' . join ' ', sort keys %is_refused);
answers_agree($server, 'the new library, after both have written', $probes);
amcheck($server, 'after both have written', 'docs', 'guarded', 'large');
like($part[4], qr/^8\nsound\n\z/m, 'what the old library does to an index of the new one leaves it sound') or diag($part[4]);
like($err, qr/ERROR:  0A000: index "later_fp" has format/, 'it says that it does not know the format');
like($part[5], qr/^is \Q$new_version\E$/m, 'the extension is updated beside it');
check('the old library beside the updated extension', $part[5]);
like($part[5], qr/^alive\n?\z/m, 'and it lives');
unlike($err, qr/XX000|server closed|terminating/, 'no internal error');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/terminated by signal|PANIC|TRAP/, 'no crash');
$server->stop;
done_testing();

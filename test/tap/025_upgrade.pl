# pg_upgrade keeps every byte, every answer, the triggers, and the indexes unchanged, with copied files and with --link.
# TXTFP_OLD_PG=DIRECTORY names an older installation with the extension (DIRECTORY/bin), which may be of an older version; without it, the upgrade is to the same version.
use strict;
use warnings;

use Cwd;
use File::Compare;
use File::Spec;
use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use Shape;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old_path = $ENV{TXTFP_OLD_PG};
chomp(my $old_bin = $old_path ? "$old_path/bin" : qx{pg_config --bindir});
my @initdb   = ('--data-checksums');    # the default since 18; both clusters must have it
my $old      = new_server('old', ($old_path ? (install_path => $old_path) : ()), initdb => \@initdb);
my ($from, $to) = map { /(\d+)/ } $old->safe_psql('postgres', 'SHOW server_version'), scalar qx{pg_config --version};
note("from $from to $to");
cmp_ok($from, $old_path ? '<' : '==', $to, "from PostgreSQL $from to $to");

my $old_version = $old->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'txtfp'});
my ($new_version) = slurp_file(scalar(qx{pg_config --sharedir}) =~ s/\n//r . '/extension/txtfp.control') =~ /default_version = '(.*)'/;
note("txtfp $old_version to $new_version");

# ---- the data: every type and index; generated columns, triggers, an index on an expression; probes and arrays

create_docs($old, by_length(2000, 700));
$old->safe_psql('postgres', q{
	CREATE TABLE made (id int PRIMARY KEY, body text, kept minhash64,
		m minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED, s simhash64 GENERATED ALWAYS AS (to_simhash64(body)) STORED,
		t tlsh GENERATED ALWAYS AS (to_tlsh(body)) STORED, l lavinhash GENERATED ALWAYS AS (to_lavinhash(body::bytea)) STORED);
	CREATE INDEX made_m ON made USING gin (m minhash128_lsh_ops (threshold = 0.7));
	CREATE INDEX made_expression ON made USING gin (to_simhash64(canonicalize(body)));
	CREATE UNIQUE INDEX made_code ON made ((s::bigint));
	CREATE TRIGGER a BEFORE INSERT OR UPDATE ON made FOR EACH ROW EXECUTE FUNCTION fingerprint_trigger('body', 'kept');
	CREATE TRIGGER b BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'kept', 'skip', 'threshold=0.8');
	CREATE TABLE odd (id int PRIMARY KEY, many simhash64[], prints fingerprint[], s simhash_probe, m minhash_probe, t tlsh_probe, l lavinhash_probe, idf jsonb);
	INSERT INTO odd SELECT id, ARRAY[simhash, NULL, simhash_2], ARRAY[print, simhash::fingerprint, tlsh::fingerprint, lavinhash::fingerprint, wide::fingerprint, minhash::fingerprint],
			_to_simhash_probe(simhash, id % 64), _to_minhash_probe(minhash, 0.5 + id % 5 * 0.1), _to_tlsh_probe(tlsh, id), _to_lavinhash_probe(lavinhash, id % 100),
			(SELECT simhash_idf_agg(body) FROM docs AS d WHERE d.id BETWEEN docs.id AND docs.id + 3)
		FROM docs WHERE id % 20 = 0});
my $make = q{INSERT INTO made (id, body) SELECT %d + i, words(CASE WHEN %d = 0 AND i %% 10 = 3 THEN i - 1 ELSE i END) || U&' \FB01\00C5\0301 \0439 \1E9E \AC00\11A8' FROM generate_series(1, %d) AS i};
$old->safe_psql('postgres', sprintf $make, 0, 0, 300);
is($old->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE id % 10 = 3) FROM made'), '270|0', 'triggers keep near-duplicates out');
$old->safe_psql('postgres', 'UPDATE docs SET body = body WHERE id % 5 = 0; DELETE FROM docs WHERE id % 11 = 0; VACUUM docs; SELECT put(3001, 3100)');    # entries in pending lists, dead rows

my @tables = ('docs', 'made', 'odd');
my $files  = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
my $probes = 'id % 20 IN (0, 1)';

# Searches and computed values, one line each.
sub observations
{
	my ($server) = @_;
	my %query = (
		'generated columns'  => q{SELECT id, m = to_minhash128(body), s = to_simhash64(body), t = to_tlsh(body), l = to_lavinhash(convert_to(body, 'UTF8')), kept = to_minhash64(body) FROM made},
		'texts of the types' => 'SELECT id, minhash, wide, simhash, tlsh, lavinhash, print FROM docs',
		'computed anew'      => q{SELECT id, minhash = to_minhash128(body, 'word-uax29'), wide = to_minhash256(body), tlsh = to_tlsh(body), lavinhash = to_lavinhash(convert_to(body, 'UTF8')), print = to_minhash64(body)::fingerprint FROM docs},
		'expression index'   => q{SELECT p.id, d.id FROM made AS p JOIN made AS d ON simhash_similar(to_simhash64(canonicalize(d.body)), p.s, 12)},
		'similar rows'       => 'SELECT p.id, d.id FROM made AS p JOIN made AS d ON minhash_similar(d.m, p.m, 0.7)',
		'probes'             => 'SELECT o.id, (SELECT count(*) FROM docs AS d WHERE d.simhash % o.s), (SELECT count(*) FROM docs AS d WHERE d.minhash % o.m), (SELECT count(*) FROM docs AS d WHERE d.tlsh % o.t), (SELECT count(*) FROM docs AS d WHERE d.lavinhash % o.l) FROM odd AS o WHERE o.id % 200 = 0',
		'order by distance'  => 'SELECT o.id, n.id FROM docs AS o, LATERAL (SELECT d.id FROM docs AS d ORDER BY d.tlsh <~> o.tlsh, d.id LIMIT 4) AS n WHERE o.id % 200 = 0',
		'hash and order'     => 'SELECT row_number() OVER (ORDER BY print, id), id, hash_record(ROW(minhash, simhash, tlsh, lavinhash, print)) FROM docs',
		'bulk clusters'      => q{SELECT * FROM near_duplicate_clusters('SELECT id, simhash FROM docs', max_distance => 3)},
		'indexes'            => q{SELECT indexrelid::regclass, indisvalid, indisready, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid::regclass::text IN ('docs', 'made', 'odd')},
	);
	return map { "$_|" . $server->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*), md5(string_agg(q::text, E'\\n' ORDER BY q::text)) FROM ($query{$_}) AS q") } sort keys %query;
}

sub copy_out
{
	my ($server, $when) = @_;
	$server->safe_psql('postgres', join ';', map { "COPY (SELECT * FROM $_ ORDER BY id) TO '$files/$_.$when' (FORMAT binary)" } @tables);
}

my @by_index_before  = answers($old, $probes);
my @by_table_before  = answers($old, $probes, 1);
my @observed_before  = observations($old);
answers_agree($old, 'before', $probes);
copy_out($old, 'before');
$old->stop;

# ---- the upgrades: first with copied files, which leaves the old server unchanged, then with linked ones

sub upgraded
{
	my ($name, @options) = @_;
	my $new = PostgreSQL::Test::Cluster->new($name);
	$new->init(extra => [ '-E', 'UTF8', '--locale=C', @initdb ]);
	$new->append_conf('postgresql.conf', "jit = off\nautovacuum = off\n");
	my $here = getcwd();
	my ($old_data, $new_data) = map { File::Spec->rel2abs($_->data_dir) } $old, $new;
	chdir $files;    # pg_upgrade writes to the current directory
	{
		local $ENV{LD_LIBRARY_PATH} = join ':', "$old_bin/../lib", $ENV{LD_LIBRARY_PATH} // ();    # as for every program of the old server
		command_ok([ 'pg_upgrade', '--old-bindir' => $old_bin, '--new-bindir' => $new->config_data('--bindir'), '--old-datadir' => $old_data,
			'--new-datadir' => $new_data, '--old-port' => $old->port, '--new-port' => $new->port, '--socketdir' => $new->host, @options ], join ' ', 'pg_upgrade', @options);
	}
	my $asks = -e 'update_extensions.sql' ? slurp_file('update_extensions.sql') : '';
	like($asks, $old_version eq $new_version ? qr/^$/ : qr/ALTER EXTENSION "?txtfp"? UPDATE/, 'it asks to update the extension, if that is of an older version');
	unlink 'update_extensions.sql';
	ok(!-e 'reindex_hash.sql', '... and for nothing else to be done');
	chdir $here;
	$new->start;
	return $new;
}

# Checks before anything is rebuilt.
sub nothing_changed
{
	my ($new) = @_;
	copy_out($new, 'after');
	is(compare("$files/$_.before", "$files/$_.after"), 0, "$_: every byte is the same (" . (-s "$files/$_.after") . ')') for @tables;
	is(join("\n", answers($new, $probes)), join("\n", @by_index_before), 'every index answers as before, with the old declarations') if $old_version ne $new_version;
	(undef, undef, my $notice) = $new->psql('postgres', 'ALTER EXTENSION txtfp UPDATE');
	like($notice, $old_version eq $new_version ? qr/^.*NOTICE: +version ".*" of extension "txtfp" is already installed$/ : qr/^$/, "ALTER EXTENSION txtfp UPDATE, from $old_version to $new_version");
	my @by_index = answers($new, $probes);
	my @expected = @by_index_before;
	is(shift @by_index, shift @expected, "$_ answers as before") for sort keys %index;
	is(join("\n", answers($new, $probes, 1)), join("\n", @by_table_before), 'and so do the tables');
	answers_agree($new, 'after', $probes);
	my @after = observations($new);
	is(shift @after, $_, 'the same: ' . (/^(.*?\|\d+)/)[0]) for @observed_before;

	$new->safe_psql('postgres', 'CREATE DATABASE fresh');
	$new->safe_psql('fresh', 'CREATE EXTENSION txtfp');
	is(differences(shape($new, 'postgres', 'txtfp'), shape($new, 'fresh', 'txtfp')), '', 'its objects are those of a fresh installation');
}

sub life_goes_on
{
	my ($new) = @_;
	$new->safe_psql('postgres', sprintf $make, 1000, 1000, 20);
	is($new->safe_psql('postgres', q{SELECT string_agg(id::text, ' ' ORDER BY id) FROM made WHERE id > 300}), '1003 1013', 'triggers still know the old rows');
	$new->safe_psql('postgres', 'SELECT put(1, 400, 8); SELECT put(5001, 5100); DELETE FROM docs WHERE id % 7 = 0; VACUUM docs');
	answers_agree($new, 'after writing', $probes);
	amcheck($new, 'after writing', @tables);
	my @by_index = answers($new, $probes);
	$new->safe_psql('postgres', 'REINDEX TABLE docs');
	is(join("\n", answers($new, $probes)), join("\n", @by_index), 'indexes built anew answer the same');
	$new->stop;
}

for my $how (($old_path ? [ 'copied' ] : ()), [ 'linked', '--link' ])    # the default is to copy
{
	my $new = upgraded(@$how);
	nothing_changed($new);
	life_goes_on($new);
}
done_testing();

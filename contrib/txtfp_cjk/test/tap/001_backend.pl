# The cost of one connection, cancellation, dump and replica, and the errors for missing and damaged dictionaries.
use strict;
use warnings;

use TxtfpTest;
use File::Copy qw(copy);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %texts = (
	'cjk-jieba'          => 'U&\'\6211\7231\5317\4eac\5929\5b89\95e8\'',
	'cjk-jieba-hmm'      => 'U&\'\4ed6\6765\5230\4e86\7f51\6613\676d\7814\5927\53a6\'',
	'cjk-lindera-ipadic' => 'U&\'\79c1\306f\65e5\672c\8a9e\3092\52c9\5f37\3057\3066\3044\307e\3059\'',
	'cjk-lindera-ko-dic' => 'U&\'\c774 \cc45\c774 \adf8 \cc45\c774\b2e4\'',
);
my $server = new_server('cjk', streaming => 1, conf => "max_parallel_workers_per_gather = 2\n");
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_cjk');

# ---- an unprivileged owner of a database may install it
$server->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');
is($server->safe_psql('owned', 'SET ROLE owner; CREATE EXTENSION txtfp_cjk CASCADE; SELECT cardinality(tokenize(' . $texts{'cjk-jieba'} . q{, 'cjk-jieba'))}), 4,
	'trusted: the owner of a database installs it');

# ---- the first call of a connection, and its private memory, counted as anonymous pages: the system has one copy of mapped files (pages
# that wait to be written to the disk after an installation count as private and dirty, too)
my $private = q{(SELECT sum((regexp_match(line, '(\d+) kB'))[1]::int) FROM regexp_split_to_table(pg_read_file('/proc/' || pg_backend_pid() || '/smaps'), E'\n') AS line WHERE line ~ '^Anonymous:')};
# nanoseconds of processor time of the session. The system adds what a process has used when it stops to run, or else every few milliseconds; therefore
# it sleeps first.
$server->safe_psql('postgres', q{CREATE FUNCTION used(OUT ns bigint) LANGUAGE plpgsql AS $$ BEGIN
	PERFORM pg_sleep(0.001);
	ns := split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1);
END $$});
for my $tokenizer (sort keys %texts)
{
	my ($best, $memory);
	for (1 .. 5)
	{
		my $out = $server->safe_psql('postgres', qq{
			SELECT tokenize('warm up', 'word-uax29');
			CREATE TEMPORARY TABLE t AS SELECT 0::bigint AS before, 0::bigint AS after, 0::float AS call, 0::float AS yardstick;
			DO \$\$ DECLARE began bigint := used(); BEGIN
				PERFORM max(hashtextextended(i::text, 0)) FROM generate_series(1, 100000) AS i;
				UPDATE t SET yardstick = used() - began;
			END \$\$;
			UPDATE t SET before = $private;
			DO \$\$ DECLARE began bigint := used(); BEGIN
				PERFORM tokenize($texts{$tokenizer}, '$tokenizer');
				UPDATE t SET call = used() - began;
			END \$\$;
			UPDATE t SET after = $private;
			SELECT round((call / yardstick)::numeric, 3), after - before FROM t});
		my ($share, $kb) = (split /\n/, $out)[-1] =~ /^([\d.]+)\|(-?\d+)$/ or die $out;
		$best   = $share if !defined $best  || $share < $best;
		$memory = $kb if !defined $memory || $kb < $memory;
	}
	diag("$tokenizer: first call $best, private memory $memory kB");
	cmp_ok($best,   '<', 0.5,  "$tokenizer: the first call of a connection takes $best of what a hundred thousand hashes take");
	cmp_ok($memory, '<', 2048, "$tokenizer: private memory of a connection grows by $memory kB");
}

# ---- texts of megabytes without a break can be cancelled, and their memory is freed
for my $tokenizer (sort keys %texts)
{
	my ($code, $out, $err) = $server->psql('postgres',
		qq{SET statement_timeout = 300; SELECT cardinality(tokenize(repeat($texts{$tokenizer}, 3000000), '$tokenizer'))});
	like($err, qr/canceling statement due to statement timeout/, "$tokenizer: 60 MB are cancelled");
	($code, $out, $err) = $server->psql('postgres', qq{SELECT cardinality(tokenize(repeat($texts{$tokenizer}, 100000), '$tokenizer')) > 100000; SELECT $private});
	like($out, qr/^t\n/, "$tokenizer: 2 MB without a break have their tokens");
	my ($kb) = $out =~ /\n(\d+)$/;
	cmp_ok($kb, '<', 65536, "$tokenizer: and leave $kb kB of private memory");
}

# ---- a dump, restored into an empty database, and a replica
my $made = join ', ', map { "to_minhash64(body, 'shingle-k=2/$_')::text" } sort keys %texts;
$server->safe_psql('postgres', qq{
	CREATE TABLE docs (id int PRIMARY KEY, body text, fp minhash64 GENERATED ALWAYS AS (to_minhash64(body, 'shingle-k=2/cjk-jieba')) STORED);
	INSERT INTO docs SELECT id, repeat($texts{'cjk-jieba'}, 1 + id % 3) || id || $texts{'cjk-lindera-ipadic'} FROM generate_series(1, 200) AS id;
	CREATE INDEX docs_fp ON docs USING gin (fp minhash64_lsh_ops);
	CREATE INDEX docs_words ON docs USING gin (tokenize(body, 'cjk-lindera-ipadic'));
	CREATE INDEX docs_made ON docs USING gin ((to_minhash64(body, 'shingle-k=2/cjk-lindera-ko-dic')) minhash64_lsh_ops)});
my $all      = "SELECT count(*), md5(string_agg(concat(fp, $made), ',' ORDER BY id)) FROM docs";
my $expected = $server->safe_psql('postgres', $all);
my $dump     = $server->basedir . '/cjk.dump';
command_ok([ 'pg_dump', '-Fc', '-f', $dump, $server->connstr('postgres') ], 'pg_dump');
$server->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'pg_restore', '-j', '2', '-d', $server->connstr('restored'), $dump ], 'pg_restore with generated columns and expression indexes');
is($server->safe_psql('restored', $all), $expected, 'the restored table is the same');

$server->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($server, 'base', has_streaming => 1);
$replica->start;
is($replica->safe_psql('postgres', $all), $expected, 'a replica computes the same');
$replica->stop;

# ---- other encodings
$server->safe_psql('postgres', q{CREATE DATABASE eucjp ENCODING 'EUC_JP' TEMPLATE template0 LOCALE 'C'});
is($server->safe_psql('eucjp', qq{SET client_encoding = 'UTF8'; CREATE EXTENSION txtfp_cjk CASCADE; SELECT cardinality(tokenize($texts{'cjk-lindera-ipadic'}, 'cjk-lindera-ipadic'))}), 9,
	'a database in EUC_JP');

# ---- dictionaries that are missing, damaged, or have another checksum
my $folder = qx{$ENV{PG_CONFIG} --sharedir};
chomp $folder;
$folder .= '/txtfp_cjk';
SKIP:
{
	skip 'the installation belongs to somebody else', 5 unless -w $folder;
	my $kept = $server->basedir . '/jieba.dict';
	copy("$folder/jieba.dict", $kept) or die "$kept: $!";
	my $open   = 'SELECT tokenize(' . $texts{'cjk-jieba'} . q{, 'cjk-jieba')};
	my $change = sub {
		my ($what) = @_;
		unlink "$folder/jieba.dict";
		$what->() if $what;
		my $err = ($server->psql('postgres', "\\set VERBOSITY verbose\n$open"))[2];
		unlink "$folder/jieba.dict";
		copy($kept, "$folder/jieba.dict") or die "$folder: $!";
		return $err;
	};
	my $missing = $change->();
	like($missing, qr/58P01: dictionary "jieba" is not installed/, 'a missing dictionary');
	like($missing, qr/make DICTIONARIES=jieba install/, 'and what to do');
	like($change->(sub { copy("$folder/ipadic.dict", "$folder/jieba.dict") }), qr/XX001: .* is not the dictionary "jieba"/, 'another dictionary');
	like($change->(sub {
		copy($kept, "$folder/jieba.dict");
		open my $file, '+<:raw', "$folder/jieba.dict" or die $!;
		seek $file, 5_000_000, 0;
		print $file 'x';
		close $file;
	}), qr/XX001: .* is damaged/, 'a flipped byte');
	like($change->(sub { open my $file, '>', "$folder/jieba.dict" }), qr/XX001: .* is damaged/, 'an empty file');
	is(($server->psql('postgres', "$open IS NULL"))[1], 'f', 'the right one works again');
}

done_testing();

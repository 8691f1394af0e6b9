# What docs/operation.md says never changes, against the files of test/frozen, which a release has written. Until the first release of a version
# `sh scripts/freeze.sh` writes them; afterwards a failure here means that the code must be mended, not the file.
# TXTFP_FREEZE=DIRECTORY writes them there; with TXTFP_OLD_PG=DIRECTORY only the files of indexes, by that installation.
use strict;
use warnings;

use File::Spec;
use FindBin;
use IO::Compress::Gzip;
use IO::Uncompress::Gunzip;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use PostgreSQL::Test::Utils;
use Test::More;

my $frozen = "$FindBin::RealBin/../frozen";
my $freeze = $ENV{TXTFP_FREEZE};
my $old_path = $ENV{TXTFP_OLD_PG};
my $server = new_server('promises', (defined $freeze && $old_path ? (install_path => $old_path) : ()), damaged => 1, conf => "max_parallel_maintenance_workers = 0\nfsync = off\ndefault_toast_compression = pglz\n");
my $files  = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir());
sub sql { return $server->safe_psql('postgres', $_[0]) }

sub read_frozen
{
	my ($name) = @_;
	open my $in, '<:raw', "$frozen/$name" or die "$frozen/$name: $! (sh scripts/freeze.sh writes it)\n";
	return do { local $/; <$in> };
}

# Compares lines with those of a file, or writes it. $holds->(frozen line, \%lines of today) says whether a line still holds; without it, it must be there.
sub kept
{
	my ($name, $lines, $holds) = @_;
	if (defined $freeze)
	{
		open my $out, '>:raw', "$freeze/$name" or die "$freeze/$name: $!\n";
		print $out join '', map { "$_\n" } @$lines;
		close $out or die $!;
		return pass("$name is written");
	}
	my %today  = map { $_ => 1 } @$lines;
	my @frozen = split /\n/, read_frozen($name);
	cmp_ok(scalar @frozen, '>', 0, "$name: " . @frozen . ' promises');
	is(join("\n", grep { !$today{$_} && !($holds && $holds->($_, \%today)) } @frozen), '', "$name: all hold");
}

# ---- values of every type: text, the binary form of COPY, and both read back

my $text  = q{'The quick brown fox jumps over the lazy dog, and the dog looks after it: ' || repeat('seven more words of the same kind, ', 3) || 'the end of the text.'};
my %value = (
	(map { my $h = $_; ("minhash$h" => "to_minhash$h($text)", "minhash${h}_compact" => "to_minhash$h($text)::minhash${h}_compact") } 64, 128, 256),
	simhash64             => "to_simhash64($text)",
	tlsh                  => "to_tlsh($text)",
	lavinhash             => "to_lavinhash(convert_to($text, 'UTF8'))",
	passages              => "to_passages($text)",
	embedding             => q{to_embedding('{1,-0.5,0.25,0,3e-5}'::real[], 'a model')},
	corpus_words          => q{(SELECT corpus_words_agg(doc) FROM unnest('{one two three,two three four,three}'::text[]) AS doc)},
	minhash_probe         => "_to_minhash_probe(to_minhash64($text), 0.7)",
	minhash_compact_probe => "_to_minhash_compact_probe(to_minhash64($text)::minhash64_compact, 0.7)",
	simhash_probe         => "_to_simhash_probe(to_simhash64($text), 7)",
	tlsh_probe            => "_to_tlsh_probe(to_tlsh($text), 30)",
	lavinhash_probe       => "_to_lavinhash_probe(to_lavinhash(convert_to($text, 'UTF8')), 90)",
	passages_probe        => "_to_passages_probe(to_passages($text), 3)",
);
my @of_kinds = map { [ fingerprint => "$value{$_}::fingerprint" ] } grep { !/probe|passages|corpus|_compact|embedding/ } sort keys %value;
push @of_kinds, map { [ fingerprint => $_ ] } grep { (sql("SELECT count(*) FROM pg_cast WHERE castsource = 'embedding'::regtype AND casttarget = 'fingerprint'::regtype") > 0) } "$value{embedding}::fingerprint";
# A function may have more arguments that need not be given, and more columns at the end; a composite type may, too.
sub grows
{
	my ($line, $today) = @_;
	my $with_more = sub { my ($begins, $after) = @_; return grep { index($_, $begins) == 0 && substr($_, length $begins) =~ $after } keys %$today };
	return 1 if $line =~ /^type .*\)$/ && $with_more->(substr($line, 0, -1), qr/^, /);
	my ($inputs, $outputs) = $line =~ /^(\w+ \w+\((?:(?!OUT ).)*?)((?:(?:, )?OUT .*)?)\) -> / or return 0;
	for my $other (grep { index($_, $inputs) == 0 } keys %$today)
	{
		my ($more, $columns) = substr($other, length $inputs) =~ /^((?:(?!OUT ).)*?)((?:(?:, )?OUT .*)?)\) -> / or next;
		return 1 if !grep({ !/ DEFAULT / } grep { /\S/ } split /, /, $more) && index($columns, $outputs) == 0 && ($line =~ s/.* -> //r) eq ($other =~ s/.* -> //r);
	}
	return 0;
}

sub check_catalog
{
	my @values;
	for (map({ [ $_ => $value{$_} ] } sort keys %value), @of_kinds)
	{
		my ($type, $expression) = @$_;
		sql("DROP TABLE IF EXISTS one; CREATE TABLE one (v $type); INSERT INTO one SELECT $expression; COPY one TO '$files/one' (FORMAT binary)");
		my $bytes = slurp_file("$files/one");
		push @values, join "\t", $type, sql('SELECT v FROM one'), unpack 'H*', $bytes;
		is(sql("CREATE TABLE two (v $type); COPY two FROM '$files/one' (FORMAT binary); SELECT count(*) FROM one JOIN two ON one.v::text = two.v::text; DROP TABLE two"), '1', "$type: the binary form is read");
	}
	kept('values.tsv', \@values);
	if (!defined $freeze)
	{
		for (split /\n/, read_frozen('values.tsv'))
		{
			my ($type, $as_text, $hex) = split /\t/;
			append_to_file("$files/frozen", '');
			open my $out, '>:raw', "$files/frozen" or die $!;
			print $out pack 'H*', $hex;
			close $out;
			is(sql("CREATE TABLE two (v $type); COPY two FROM '$files/frozen' (FORMAT binary); SELECT v::text FROM two; DROP TABLE two"), $as_text, "$type: the frozen binary form is read");
			is(sql("SELECT '$as_text'::$type"), $as_text, "$type: and its text form");
		}
	}
	my @types = split /\n/, sql(q{SELECT typname FROM pg_type JOIN pg_depend ON objid = pg_type.oid AND classid = 'pg_type'::regclass AND deptype = 'e' JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp'
		WHERE typtype = 'b' AND typelem = 0 ORDER BY typname});
	my @without = grep { my $type = $_; !grep { /^$type\t/ } @values } @types;
	defined $freeze ? is("@without", '', 'every type has a value here: add one to this test') : note("types without a frozen value: @without");

	# ---- names and arguments

	my @names = split /\n/, sql(q{
		WITH ours AS (SELECT classid, objid FROM pg_depend JOIN pg_extension AS e ON e.oid = refobjid AND extname = 'txtfp' AND refclassid = 'pg_extension'::regclass AND deptype = 'e')
		SELECT CASE prokind WHEN 'p' THEN 'procedure ' WHEN 'a' THEN 'aggregate ' ELSE 'function ' END || proname || '(' || pg_get_function_arguments(p.oid) || ') -> ' || coalesce(pg_get_function_result(p.oid), '')
			FROM pg_proc AS p JOIN ours ON classid = 'pg_proc'::regclass AND objid = p.oid WHERE proname !~ '^_'
		UNION ALL SELECT 'operator ' || objid::regoperator || ' -> ' || format_type(oprresult, NULL) FROM pg_operator AS o JOIN ours ON classid = 'pg_operator'::regclass AND objid = o.oid
		UNION ALL SELECT 'type ' || objid::regtype || coalesce(' (' || (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped) || ')', '')
			FROM pg_type AS t JOIN ours ON classid = 'pg_type'::regclass AND objid = t.oid
		UNION ALL SELECT 'cast ' || format_type(castsource, NULL) || ' to ' || format_type(casttarget, NULL) || ' ' || castcontext::text FROM pg_cast AS c JOIN ours ON classid = 'pg_cast'::regclass AND objid = c.oid
		UNION ALL SELECT 'operator class ' || opcname || ' using ' || amname || ' for ' || format_type(opcintype, NULL) || CASE WHEN opcdefault THEN ' default' ELSE '' END
			FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod JOIN ours ON classid = 'pg_opclass'::regclass AND objid = c.oid
		UNION ALL SELECT 'setting ' || name || ' ' || vartype || ' ' || boot_val || concat(' ', min_val, ' ', max_val) FROM pg_settings WHERE name LIKE 'txtfp.%'
		ORDER BY 1});

	is(grows('function f(a text, b integer DEFAULT 1) -> text', { 'function f(a text, b integer DEFAULT 1, c text DEFAULT NULL::text) -> text' => 1 }), 1, 'an argument with a default may come');
	is(grows('function f(a text) -> text', { 'function f(a text, c text) -> text' => 1 }), 0, '... not one without');
	is(grows('function f(a text, OUT x integer) -> SETOF record', { 'function f(a text, b text DEFAULT NULL::text, OUT x integer, OUT y integer) -> SETOF record' => 1 }), 1, 'a column may come');
	is(grows('function f(a text, OUT x integer) -> SETOF record', { 'function f(a text, OUT y integer, OUT x integer) -> SETOF record' => 1 }), 0, '... at the end');
	kept('names.txt', \@names, \&grows);

	# ---- numbers that others see, the columns of live clusters, words of decisions, rules

	my @numbers = map { "kind of statistics of $_->[0]: $_->[1]" } map { [ split /\|/ ] } split /\n/, do {
		sql('CREATE TABLE counted AS SELECT ' . join(', ', map { "$value{$_} AS $_" } qw(minhash64 minhash128 minhash256 simhash64 tlsh lavinhash passages)) . ' FROM generate_series(1, 300)');
		sql(q{UPDATE counted SET simhash64 = (hashint8extended(('x' || substr(md5(ctid::text), 1, 8))::bit(32)::int, 1))::simhash64});
		sql(q{ANALYZE counted; SELECT attname, string_agg(k::text, ' ' ORDER BY k) FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum,
			unnest(ARRAY[stakind1, stakind2, stakind3, stakind4, stakind5]) AS k WHERE starelid = 'counted'::regclass AND k > 10000 GROUP BY attname ORDER BY attname});
	};
	push @numbers, 'class of the lock of a key: ' . sql(q{
		CREATE TABLE guarded (id int PRIMARY KEY, fp simhash64);
		CREATE TRIGGER t BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION near_duplicate_trigger('id', 'fp', 'reject', 'max_distance=0');
		BEGIN; INSERT INTO guarded VALUES (1, to_simhash64('some words')); SELECT string_agg(DISTINCT objsubid::text, ' ' ORDER BY objsubid::text) FROM pg_locks WHERE locktype = 'advisory'; COMMIT}) =~ s/\n//gr;
	kept('numbers.txt', \@numbers);

	sql(q{
		CREATE TABLE followed (id int PRIMARY KEY, fp simhash64, body text, rank int); CREATE INDEX ON followed USING sketch (fp);
		CREATE TABLE followed_text (id text COLLATE "C" PRIMARY KEY, fp simhash64, rank int); CREATE INDEX ON followed_text USING sketch (fp);
		CALL live_clusters_create('followed', 'id', 'fp', max_distance => 2, events => true);
		CALL live_clusters_create('followed_text', 'id', 'fp', mode => 'star', priority => 'rank', max_distance => 2, events => true)});
	kept('live_clusters.txt', [ split /\n/, sql(q{SELECT relname || ' (' || string_agg(attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END, ', ' ORDER BY attnum) || ')'
		FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'v') AND relname ~ '^followed.*_clusters' GROUP BY relname ORDER BY relname}) ]);

	sql(q{CREATE FUNCTION words(number int) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT string_agg(md5(number || ' ' || n), ' ' ORDER BY n) FROM generate_series(1, 20) AS n$$;
		CREATE TABLE labels AS SELECT i, i % 3 > 0 AS label, words(i) AS a, CASE WHEN i % 3 > 0 THEN words(i) || ' and more' WHEN i % 2 = 0 THEN replace(words(i), 'a', 'b') ELSE words(i + 1) END AS b FROM generate_series(1, 90) AS i});
	my $rule = defined $freeze ? sql(q{SELECT decision_rule('SELECT label, difference_signals(a, b) FROM labels')}) : (split /\n/, read_frozen('rule.txt'))[0];
	kept('rule.txt', [ $rule, split /\n/, sql(qq{SELECT i || ' ' || round(decision_score(\$rule\$$rule\$rule\$, difference_signals(a, b))::numeric, 9) FROM labels WHERE i % 6 = 0 ORDER BY i}) ]);
	kept('decisions.txt', [ split /\n/, sql(q{
		CREATE TABLE news AS SELECT id, to_minhash128(body) AS fp, body FROM (VALUES (1, 'The meeting begins at 9 and ends at noon, in the large hall of the town.'), (2, 'The meeting begins at 9 and ends at noon, in the large hall of the town.'),
			(3, 'The meeting begins at 10 and ends at noon, in the large hall of the town.'), (4, 'The meeting does not begin at 9 and ends at noon, in the large hall of the town.'),
			(5, 'The meeting begins at 9 and ends at noon, in the large hall of the town. Bring a friend, and bring something to eat for the long evening after it.')) AS t (id, body);
		SELECT format('%s guard %s: %s kept %s, %s, %s', mode, guard, id, kept, outcome, reason) FROM unnest('{jaccard,lossless}'::text[]) AS mode, unnest('{strict,""}'::text[]) AS guard,
			LATERAL (SELECT * FROM deduplicate('SELECT id, fp, body FROM news', 0.1, mode, verify_threshold => CASE mode WHEN 'jaccard' THEN 0.1 END, guard => guard)) AS d ORDER BY 1}) ]);
}

# ---- an index of every class as a file: in a table with the same rows, whose values are frozen

sub index_files { return map { $_ => $server->data_dir . '/' . sql("SELECT pg_relation_filepath('$_')") } sort keys %index }

my $version = sql(q{SELECT extversion FROM pg_extension WHERE extname = 'txtfp'});
check_catalog() unless defined $freeze && $old_path;
SKIP:
{
	skip 'the frozen files are those of a little-endian machine of 64 bits', 1 if unpack('C', pack 'S', 1) != 1 || length(pack 'j', 1) != 8;
	sql('DROP FUNCTION IF EXISTS words CASCADE');
	create_docs($server, 160);
	sql('VACUUM FREEZE docs; CHECKPOINT');
	my $probes = 'id % 4 = 1';
	my @by_table = answers($server, $probes, 1);
	is(join("\n", answers($server, $probes)), join("\n", @by_table), 'the indexes of today answer as the table does');
	my %file = index_files();
	$server->stop;
	if (defined $freeze)
	{
		my $archive = "$freeze/indexes-$version.gz";
		my $out = IO::Compress::Gzip->new($archive, -Level => 9, Minimal => 1) or die "$archive\n";
		for my $name (sort keys %file)
		{
			my $bytes = slurp_file($file{$name}, 0);
			substr $bytes, 8192 * $_, 8, "\0" x 8 for 0 .. length($bytes) / 8192 - 1; # the place in a write-ahead log
			$out->print(pack('n/a* N/a*', $name, $bytes));
		}
		$out->close;
	}
	my %today = map { $_ => slurp_file($file{$_}, 0) } keys %file;
	my @archives = defined $freeze ? "$freeze/indexes-$version.gz" : glob("$frozen/indexes-*.gz");
	cmp_ok(scalar @archives, '>', 0, 'versions whose indexes are kept');
	for my $archive (@archives)
	{
		my ($of) = $archive =~ m{indexes-(.*)\.gz$};
		my $in = IO::Uncompress::Gunzip->new($archive) or die "$archive\n";
		my $all = do { local $/; $in->getline };
		my %of_version = %today;
		my $count = 0;
		while (length $all)
		{
			(my $name, my $bytes, $all) = unpack 'n/a* N/a* a*', $all;
			$of_version{$name} = $bytes, $count++ if $file{$name};
		}
		cmp_ok($count, '>=', 18, "$of: files of $count indexes");
		for my $name (keys %file)
		{
			open my $out, '>:raw', $file{$name} or die "$file{$name}: $!\n";
			print $out $of_version{$name};
			close $out or die $!;
		}
		my $tried = $server->data_dir . '.kept'; # what follows writes to it
		system('cp', '-Rp', $server->data_dir, $tried) == 0 or die 'cp';
		$server->start;
		is(join("\n", answers($server, $probes)), join("\n", @by_table), "indexes of $of answer as the table does");
		answers_agree($server, $of, $probes);
		sql('SELECT put(1, 40, 8); SELECT put(201, 320); DELETE FROM docs WHERE id % 7 = 0; VACUUM docs');
		answers_agree($server, "$of, written", $probes);
		amcheck($server, "$of, written", 'docs');
		$server->stop;
		system('rm', '-rf', $server->data_dir) == 0 && rename($tried, $server->data_dir) or die 'restore';
	}
}
done_testing();

# Damaged pages. Tables with an index of each operator class of the extension; the files of the indexes, and values in tables, btrees, hash indexes and GIN
# trees, are changed at random places while the server is down. Then the tables are searched, written to, vacuumed and checked. The pages of `sketch` are
# ours, so anything may be in them; on the pages of other access methods, which PostgreSQL trusts, only the bytes of values are changed. Each statement gives
# a result or says what is damaged (XX001, XX002): no crash, no internal error, no end that does not come. A row that a search returns fulfils its condition,
# and REINDEX mends the index. Free space maps and visibility maps are hints: if only they are damaged, nothing fails and no row is lost.
#
#   TXTFP_DAMAGES   number of damaged indexes
#   TXTFP_SEED      of the random numbers (default 1)
package Damage;

use strict;
use warnings;

use Exporter 'import';
use TxtfpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(test_damages);

my $page_size = 8192;

sub one_of { return $_[ int rand @_ ] }

# ---- the tables: [ name, rows, type of fp, its value of the words w and the number n, index, distance, condition on fp and q, its negation ]

my $temporary = 0; # tables
my @minhash = map { my $h = $_; map { my ($full, $type) = ("to_minhash$h(w)", $_); [ $type, $type =~ /compact/ ? "${full}::$type" : $full ] } "minhash$h", "minhash${h}_compact" } 64, 128, 256;
my @sites;

sub site
{
	my ($name, $rows, $type, $value, $index, %of) = @_;
	push @sites, { name => $name, table => "t_$name", index => "i_$name", rows => $rows, type => $type, value => $value, definition => $index, file => 'index', anywhere => 1, rechecks => scalar($type =~ /^(?:minhash\d+|lavinhash)$/), %of };
	return;
}

sub minhash_conditions { return (distance => 'fp <%> q', true => [ map { "minhash_similar(fp, q, $_)" } 0.9, 0.3 ], measure => 'jaccard(fp, q) + 0') }

sub describe_sites
{
	site($_->[0], 500, @$_, 'sketch (fp)', minhash_conditions()) for @minhash;
	site('tenants', 700, @{ $minhash[2] }, 'sketch (part, fp)', minhash_conditions());
	site('directory', 5400, 'minhash256', 'to_minhash256(w)', 'sketch (fp)', minhash_conditions(), minhash => 1);
	site('directory_tenants', 5400, 'minhash256', 'to_minhash256(w)', 'sketch (part, fp) WITH (recall = 0.9)', minhash_conditions());
	my %simhash = (distance => 'fp <#> q', true => [ 'simhash_similar(fp, q, 3)', 'simhash_similar(fp, q, 20)' ], measure => '64 - (fp <#> q)');
	my $simhash = '(n / 8 * 1234567891::bigint # n % 8)::simhash64';
	my %lavinhash = (distance => 'fp <-> q', true => [ 'lavinhash_similar(fp, q, 90)', 'lavinhash_similar(fp, q, 40)' ], measure => 'lavinhash_similarity(fp, q)');
	my $lavinhash = q{to_lavinhash(convert_to(array_to_string(w, ' '), 'UTF8'))};
	site('simhash64', 1800, 'simhash64', $simhash, 'sketch (fp)', %simhash);
	site('simhash64_tenants', 900, 'simhash64', $simhash, 'sketch (part, fp)', %simhash);
	site('tlsh', 600, 'tlsh', q{to_tlsh(array_to_string(w, ' '))}, 'sketch (fp)', distance => 'fp <~> q', true => [ 'tlsh_similar(fp, q, 20)', 'tlsh_similar(fp, q, 150)' ], measure => '1000 - (fp <~> q)');
	site('lavinhash', 300, 'lavinhash', $lavinhash, 'sketch (fp)', %lavinhash);
	# only values: on the pages of these methods PostgreSQL trusts the rest
	my %values = (anywhere => 0);
	site('gin_minhash', 500, 'minhash128', 'to_minhash128(w)', 'gin (fp)', minhash_conditions(), %values);
	site('gin_simhash', 500, 'simhash64', $simhash, 'gin (fp)', %simhash, distance => undef, %values);
	site('gin_lavinhash', 300, 'lavinhash', $lavinhash, 'gin (fp)', %lavinhash, distance => undef, %values);
	site('gin_passages', 300, 'passages', q{to_passages(array_to_string(w, ' '))}, 'gin (fp)', true => [ 'passages_contained(q, fp, 0.8)' ], %values);
	for my $method ('btree', 'hash')
	{
		site("${method}_$_->[0]", 200, @$_, "$method (fp)", true => ['fp = q'], %values)
		  for [ 'minhash64', 'to_minhash64(w)' ], [ 'minhash64_compact', 'to_minhash64(w)::minhash64_compact' ], [ 'tlsh', q{to_tlsh(array_to_string(w, ' '))} ], [ 'lavinhash', $lavinhash ], [ 'fingerprint', 'to_minhash64(w)' ], [ 'passages', q{to_passages(array_to_string(w[:20], ' '))} ];
	}
	site("table_$_->[0]", 100, $_->[1], $_->[2], $_->[3], %{ $_->[4] }, %values, file => 'table')
	  for [ 'minhash64', 'minhash64', 'to_minhash64(w)', 'sketch (fp)', { minhash_conditions() } ], [ 'compact', 'minhash128_compact', 'to_minhash128(w)::minhash128_compact', 'sketch (fp)', { minhash_conditions() } ],
	  [ 'lavinhash', 'lavinhash', $lavinhash, 'sketch (fp)', \%lavinhash ], [ 'tlsh', 'tlsh', q{to_tlsh(array_to_string(w, ' '))}, 'btree (fp)', { true => ['fp = q'] } ],
	  [ 'fingerprint', 'fingerprint', 'to_minhash64(w)', 'btree (fp)', { true => ['fp = q'] } ], [ 'passages', 'passages', q{to_passages(array_to_string(w, ' '))}, 'gin (fp)', { true => [ 'passages_contained(q, fp, 0.8)' ] } ],
	  [ 'embedding', 'embedding', q{to_embedding((SELECT array_agg(hashint4(n / 8 + i)::real ORDER BY i) FROM generate_series(1, 16) AS i), 'm')}, 'btree (fp)', { true => ['fp = q'], distance => 'fp <=> q' } ];
	return;
}

# Sets of terms: the class of contrib/txtfp_trgm
sub describe_term_sites
{
	my %trigrams = (distance => 'fp <-> q', true => [ 'fp % q', 'fp %> q', 'fp = q' ], measure => 'similarity(fp, q) + 0');
	my $text = q{array_to_string(w[:n % 20], ' ')};
	site('terms', 700, 'text', $text, 'sketch (fp sketch_trgm_ops)', %trigrams);
	site('terms_tenants', 700, 'text', $text, 'sketch (part, fp sketch_trgm_ops)', %trigrams);
	return;
}

# Groups of eight rows that differ in 0 to 28 of 60 words
sub create_tables
{
	my ($server) = @_;
	$server->safe_psql('postgres', join ";\n", q{SET maintenance_work_mem = '64MB'; SET client_min_messages = error;
		CREATE FUNCTION words(n int) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
			SELECT array_agg(CASE WHEN i <= n % 8 * 4 THEN n * 100::bigint + 7 ELSE n / 8 * 100000::bigint END + i || '') FROM generate_series(1, 60) AS i $$;
		CREATE SEQUENCE ids START 100000;
		CREATE TABLE w AS SELECT n, words(n) AS w FROM generate_series(0, 6199) AS n},
		map { ("CREATE TABLE $_->{table} (id int, part int, fp $_->{type}) WITH (autovacuum_enabled = off)", "INSERT INTO $_->{table} SELECT n, n % 5, $_->{value} FROM w WHERE n < $_->{rows}",
			"INSERT INTO $_->{table} SELECT n, n % 5, NULL FROM generate_series(-8, -1) AS n", "CREATE INDEX $_->{index} ON $_->{table} USING $_->{definition}",
			"CREATE TABLE q_$_->{name} AS SELECT fp AS q FROM $_->{table} WHERE id = 17") } @sites);
	$server->safe_psql('postgres', 'VACUUM ANALYZE; CHECKPOINT');
	for my $site (@sites)
	{
		my @files = split /\n/, $server->safe_psql('postgres', "SELECT pg_relation_filepath(r) FROM unnest('{$site->{index},$site->{table}}'::regclass[]) WITH ORDINALITY AS r (r, n) ORDER BY n");
		$site->{path}{$_} = shift @files for 'index', 'table';
	}
	return;
}

# ---- statements

# With `mends`, the last ones make the index anew and check it.
sub statements
{
	my ($site, $mends) = @_;
	my ($table, $index, $name) = @$site{qw(table index name)};
	my $q = "(SELECT q FROM q_$name)";
	my $of = sub { my ($expression) = @_; (my $with = $expression) =~ s/\bq\b/$q/g; return $with };
	my $is_sketch = $site->{definition} =~ /^sketch/;
	my @searches = map { my $where = $of->($_); ("SELECT count(*) FROM $table WHERE $where", "SELECT count(*) FROM (SELECT fp FROM $table WHERE $where OFFSET 0) AS x WHERE (" . $of->($_) . ') IS NOT TRUE') } @{ $site->{true} };
	push @searches, map { ("SELECT count(*) FROM (SELECT * FROM $table $_ ORDER BY " . $of->($site->{distance}) . ' LIMIT 30) AS x') } '', 'WHERE part = 2', 'WHERE ' . $of->($site->{true}[-1]) if $site->{distance};
	push @searches, "SELECT count(*) FROM $table WHERE part = 3 AND " . $of->($site->{true}[-1]);
	push @searches, 'SELECT count(*) FROM (SELECT * FROM ' . "$table AS a, LATERAL (SELECT id FROM $table AS b WHERE " . ($site->{true}[0] =~ s/\bfp\b/b.fp/r =~ s/\bq\b/a.fp/r) . ' LIMIT 3) AS l WHERE a.id < 12) AS x';
	push @searches, "SELECT count(*) FROM near_duplicate_pairs_between('SELECT id, fp FROM $table WHERE id < 5', 'SELECT id, fp FROM $table', 0.8)" if $site->{type} =~ /minhash/;
	my @reports = ($site->{definition} =~ /^(gin|sketch)/ ? "SELECT count(*) FROM fingerprint_index_info('$index')" : (), $is_sketch ? ("SELECT sketch_check('$index')", "SELECT sketch_check('$index', true)") : ());
	push @reports, "SELECT count(*) FROM fingerprint_index_recall('$index', 5, " . ($site->{type} =~ /minhash/ ? 'threshold => 0.8' : $site->{type} eq 'lavinhash' ? 'min_score => 80' : 'max_distance => 3') . ')' if $index =~ /i_(?!btree|hash|table|terms)/ && $name !~ /passages/;
	my $values = "(SELECT n, w FROM w WHERE n >= $site->{rows}";
	my @writes = (
		"INSERT INTO $table SELECT nextval('ids'), n % 5, $site->{value} FROM $values LIMIT 5) AS v", "INSERT INTO $table VALUES (-100, 1, NULL)",
		"DELETE FROM $table WHERE id % " . one_of(2, 3, 10) . ' = 1', "VACUUM (INDEX_CLEANUP on) $table",
		"INSERT INTO $table SELECT nextval('ids'), n % 5, $site->{value} FROM $values LIMIT " . one_of(5, 100, 700) . ') AS v', "UPDATE $table SET part = part + 1 WHERE id % 7 = 2", "VACUUM (INDEX_CLEANUP on) $table",
		"INSERT INTO $table SELECT nextval('ids'), n % 5, $site->{value} FROM $values LIMIT 40) AS v");
	my @all = one_of([ @searches, @reports, @writes, @searches ], [ @reports, @writes, @searches, @reports ], [ @writes, @reports, @searches ])->@*;
	++$temporary;
	push @all, "CREATE TEMPORARY TABLE o_$temporary AS SELECT fp FROM $table ORDER BY fp", "SELECT count(fp::text) FROM $table", "SELECT count(DISTINCT fp) FROM $table", "SELECT count(*) FROM $table AS a JOIN $table AS b USING (fp) WHERE a.id < 100", "ANALYZE $table"
	  if $site->{file} eq 'table';
	# each row of the table that the index lacks would be an error
	push @all, "SELECT sketch_check('$index', true) >= 0 AS sound" if $is_sketch && $site->{only_maps};
	push @all, "REINDEX INDEX $index", $is_sketch ? "SELECT sketch_check('$index', true) >= 0 AS sound" : () if $mends && $site->{file} eq 'index';
	return @all;
}

# Runs the statements of one site in one session. Returns [ statement, its result or SQLSTATE ] … and what ended the session.
sub outcomes
{
	my ($server, $site, $mends) = @_;
	my @statements = statements($site, $mends);
	my @settings = ('\set VERBOSITY sqlstate', "SET client_min_messages = error; SET statement_timeout = '120s'; SET enable_seqscan = off; SET jit = off;", one_of('', 'SET enable_bitmapscan = off;', 'SET enable_indexscan = off;'),
		one_of('', 'SET effective_io_concurrency = 0;'), one_of('', '', 'SET txtfp.sketch_recall = 0.5;'), one_of('', 'SET txtfp.sketch_order_all = off;'));
	my ($status, $out, $err) = $server->psql('postgres', join("\n", @settings, map { "$_;\n\\if :ERROR\n\\echo :SQLSTATE :LAST_ERROR_MESSAGE\n\\endif\n\\echo ---" } @statements), on_error_stop => 0);
	my @results = split /^---(?:\n|\z)/m, $out, -1;
	pop @results;
	return ($status == 0 && @results == @statements ? '' : "after @{[ scalar @results ]} statements: $err", map { [ $statements[$_], ($results[$_] // '') =~ s/\n\z//r ] } 0 .. $#statements);
}

# ---- damage

sub random_bytes { return join '', map { chr int rand 256 } 1 .. $_[0] }
my @odd = ("\0\0", "\1\0", "\xFF\xFF", "\xFF\x7F", "\0\x80", "\2\0", "\0\1");

# Changes bytes of a file of pages that are all ours; `stale` is what the file held at another time.
sub damage_pages
{
	my ($bytes, $stale) = @_;
	my $pages = length($$bytes) / $page_size;
	return if $pages < 1;    # an earlier damage has cut all of it off
	my ($page, $other) = map { $_ * $page_size } (rand() < 0.25 ? 0 : int rand $pages), int rand $pages;
	my $how = int rand 12;
	# where the header of its content is, or the head of the metapage, its directory, anywhere, or the mark
	my $offset = one_of(24 + int rand 24, 24 + int rand 120, 880 + int rand 60, 24 + int rand($page_size - 24), $page_size - 1 - int rand 16);
	if ($how < 4) { substr($$bytes, $page + $offset, 1) = random_bytes(1) }
	elsif ($how < 6) { my $odd = one_of(@odd) . one_of('', @odd); $offset &= ~1; substr($$bytes, $page + $offset, length $odd) = $odd if $offset + length $odd <= $page_size }
	elsif ($how == 6) { my $n = 1 + int rand 300; $n = $page_size - $offset if $n > $page_size - $offset; substr($$bytes, $page + $offset, $n) = random_bytes($n) }
	elsif ($how == 7) { substr($$bytes, $page, $page_size) = substr $$bytes, $other, $page_size }
	elsif ($how == 8) { my $kept = substr $$bytes, $page, $page_size; substr($$bytes, $page, $page_size) = substr $$bytes, $other, $page_size; substr($$bytes, $other, $page_size) = $kept }
	elsif ($how == 9) { substr($$bytes, $page, $page_size) = "\0" x $page_size }
	elsif ($how == 10) { $$bytes = substr $$bytes, 0, one_of($other, $page_size) }
	elsif (defined $stale && length $stale > $page) { substr($$bytes, $page, $page_size) = substr $stale, $page, $page_size }
	return;
}

# Where the value of an item of a page begins, and its length; nothing if the item has none that is stored here as it is, or if it has TIDs behind it. The
# first bytes of a value are its length, which PostgreSQL reads.
sub value_of
{
	my ($page, $number, $method, $upper) = @_;
	my $id = unpack 'V', substr $page, 24 + 4 * $number, 4;
	my ($item, $length) = ($id & 0x7FFF, $id >> 17);
	return if ($id >> 15 & 3) != 1 || $item < $upper || $item + $length > $page_size;
	return ($item + 8, 4) if $method =~ /^(gin|hash)$/;
	return if $method eq 'btree' && (unpack 'v', substr $page, $item + 6, 2) & 0x2000;
	my $header = $method eq 'btree' ? 8 : 32; # of a row, with two integers
	return if $length <= $header + 8;
	my $first = ord substr $page, $item + $header, 1;
	return if $first == 1 || ($first & 3) == 2; # elsewhere, or compressed
	$header += $first & 1 ? 1 : 4;
	return ($item + $header, $length - $header);
}

# The item pages of other methods have these flags; GIN and hash indexes have pages of other kinds.
sub has_values
{
	my ($page, $method) = @_;
	return ((unpack 'v', substr $page, $page_size - 2, 2) & ~2) == 0 if $method eq 'gin';
	return (unpack 'v', substr $page, $page_size - 4, 2) =~ /^[12]$/ if $method eq 'hash';
	return 1;
}

# Changes bytes of the values on a page of another method, behind what PostgreSQL itself reads
sub damage_values
{
	my ($bytes, $site) = @_;
	my $method = $site->{file} eq 'table' ? 'table' : $site->{definition} =~ /^(\w+)/ ? $1 : '';
	my $pages = length($$bytes) / $page_size;
	my $at = $page_size * ($method eq 'table' ? int rand $pages : 1 + int rand($pages - 1));
	my $page = substr $$bytes, $at, $page_size;
	my ($lower, $upper) = unpack 'x12vv', $page;
	return if $lower <= 24 || !has_values($page, $method);
	for (1 .. one_of(1, 1, 3, 10))
	{
		my ($value, $size) = value_of($page, int rand(($lower - 24) / 4), $method, $upper);
		next if !defined $value || $size < 1;
		my ($offset, $n) = (one_of(int rand $size, int rand($size < 16 ? $size : 16)), one_of(1, 1, 4, 16));
		$n = $size - $offset if $n > $size - $offset;
		substr($$bytes, $at + $value + $offset, $n) = one_of("\xFF" x $n, "\0" x $n, random_bytes($n));
	}
	return;
}

# Changes the maps of a table and of its index, as far as there are any: blocks are free that are not, or lie behind the end.
sub damage_maps
{
	my ($data, $site) = @_;
	my $found = 0;
	for my $file (map { my $path = $_; map { "$data/$path$_" } '_fsm', '_vm' } @{ $site->{path} }{ 'index', 'table' })
	{
		next if !-s $file || rand() < 0.2;
		my $bytes = slurp_file($file);
		my $pages = length($bytes) / $page_size;
		my $page = $page_size * int rand $pages;
		my $how = int rand 6;
		if ($how == 0) { substr($bytes, $page + 28, $page_size - 28) = "\xFF" x ($page_size - 28) }
		elsif ($how == 1) { substr($bytes, $page_size * $_ + 28, $page_size - 28) = random_bytes($page_size - 28) for 0 .. $pages - 1 }
		elsif ($how == 2) { substr($bytes, $page + 24 + int rand($page_size - 40), 16) = one_of("\xFF" x 16, "\0" x 16, random_bytes(16)) for 1 .. 20 }
		elsif ($how == 3) { substr($bytes, $page, $page_size) = "\0" x $page_size }
		elsif ($how == 4) { $bytes = substr $bytes, 0, $page_size * int rand($pages + 1) }
		else { substr($bytes, $page + 24, 4) = random_bytes(4) }
		spew($file, $bytes);
		++$found;
	}
	return $found;
}

sub spew { my ($file, $bytes) = @_; open my $handle, '>:raw', $file or die "$file: $!"; print $handle $bytes; close $handle or die; return }

# The others are what the executor says of an index whose bounds of distances are above the distances, and of values that are not in the order of their btree.
my $allowed = qr/^(XX00[12] |XX000 (?:index returned tuples in wrong order|mergejoin input data is out of order)$)/;

# What an outcome shows that must not be; '' otherwise. A result is a value, or a SQLSTATE and a message.
sub fault_of
{
	my ($site, $statement, $result) = @_;
	return $result if $site->{only_maps} && $result =~ /^[0-9A-Z]{5} /;
	return '' if $result =~ $allowed;
	# the configuration of a fingerprint, or of the index that another one is written into; another format of the index
	return '' if $result =~ /^(0A000|22023) / && ($site->{anywhere} || $site->{file} eq 'table');
	return $result if $result =~ /^[0-9A-Z]{5} /;
	return "$result rows that do not fulfil the condition" if $statement =~ /IS NOT TRUE/ && $result ne '0' && $site->{rechecks};
	return 'not mended' if $statement =~ /AS sound/ && $result ne 't';
	return '';
}

# Makes the tables and writes to them; what the indexes were before the writes is for damage that looks like a lost write. Stops the server.
sub prepare
{
	my ($server) = @_;
	create_tables($server);
	$server->stop;
	$_->{stale} = slurp_file($server->data_dir . "/$_->{path}{$_->{file}}") for @sites;
	start_server($server);
	for my $site (@sites)
	{
		my ($ended, @outcomes) = outcomes($server, $site, 0);
		my @faults = map { my $fault = $_->[1] =~ /^[0-9A-Z]{5} / ? $_->[1] : fault_of($site, @$_); $fault eq '' ? () : "$_->[0]: $fault" } @outcomes;
		is(join("\n", $ended, @faults), '', "$site->{name}: sound, no statement fails");
	}
	$server->stop;
	return;
}

sub test_damages
{
	my ($damages, $module) = @_;    # with the name of the module that has sets of terms, only these
	$damages = $ENV{TXTFP_DAMAGES} // $damages;
	my $seed = $ENV{TXTFP_SEED} // 1;
	srand $seed;
	defined $module ? describe_term_sites() : describe_sites();
	my $server = new_server('damages', damaged => 1, conf => "fsync = off\nfull_page_writes = off\nshared_buffers = 128MB\ncheckpoint_timeout = 1h\nmax_wal_size = 4GB\nmax_parallel_maintenance_workers = 0\nrestart_after_crash = on\n");
	$server->safe_psql('postgres', "SET client_min_messages = error; CREATE EXTENSION $module CASCADE") if defined $module;
	prepare($server);
	my ($data, $log) = ($server->data_dir, $server->logfile);
	PostgreSQL::Test::Utils::system_or_bail('mv', $data, "$data.sound");
	my ($done, $noticed, $maps, @bad) = (0, 0, 0);
	while ($done < $damages && @bad < 5)
	{
		PostgreSQL::Test::Utils::system_or_bail('cp', '-Rp', "$data.sound", $data);
		for my $site (@sites)
		{
			$site->{only_maps} = rand() < 0.2 && damage_maps($data, $site) > 0;
			next if $site->{only_maps};
			my $file = "$data/$site->{path}{$site->{file}}";
			my $bytes = slurp_file($file);
			for (1 .. one_of(1, 1, 1, 2, 4))
			{
				$site->{anywhere} ? damage_pages(\$bytes, $site->{stale}) : damage_values(\$bytes, $site);
			}
			spew($file, $bytes);
		}
		start_server($server);
		for my $site (@sites)
		{
			my ($ended, @outcomes) = outcomes($server, $site, 1);
			++$done;
			my @faults = map { my $fault = fault_of($site, @$_); $fault eq '' ? () : "$_->[0]: $fault" } @outcomes;
			++$maps if $site->{only_maps};
			++$noticed if grep { $_->[1] =~ $allowed } @outcomes;
			push @bad, join "\n", "seed $seed, damage $done, $site->{name}" . ($site->{only_maps} ? ', maps' : ''), $ended eq '' ? () : $ended, @faults if $ended ne '' || @faults;
			wait_until($server, 'SELECT true') if $ended ne '';
		}
		$server->stop;
		PostgreSQL::Test::Utils::system_or_bail('rm', '-rf', $data);
	}
	is(scalar(@bad), 0, "$done damages, $maps of maps alone, $noticed noticed: errors that say so") or diag join "\n\n", @bad;
	cmp_ok($noticed, '>', $done / 10, 'and some are noticed');
	unlike(slurp_file($log), qr/terminated by signal|PANIC|TRAP:/, 'no crash');
	return;
}

1;

# Logical replication of fingerprints of every type, in binary format; from PostgreSQL 18 on also of generated columns.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use TxtfpTest;
use AllTypes;
use Test::More;

my $publisher  = new_server('publisher', streaming => 'logical');
my $subscriber = new_server('subscriber', conf => "max_logical_replication_workers = 8\nmax_sync_workers_per_subscription = 4\n");
my $generates  = $publisher->safe_psql('postgres', 'SHOW server_version_num') >= 180000;

create_docs($publisher, 1000);
create_functions($subscriber);
create_indexes($subscriber);

# computed by the publisher only, or by both
my $definition = q{minhash64 GENERATED ALWAYS AS (to_minhash64(body)) STORED, t tlsh GENERATED ALWAYS AS (to_tlsh(body)) STORED};
$publisher->safe_psql('postgres', "CREATE TABLE made (id int PRIMARY KEY, body text, m $definition); INSERT INTO made (id, body) SELECT id, words(id) FROM generate_series(1, 200) AS id");
$subscriber->safe_psql('postgres', $generates ? 'CREATE TABLE made (id int PRIMARY KEY, body text, m minhash64, t tlsh)' : "CREATE TABLE made (id int PRIMARY KEY, body text, m $definition)");

# a fingerprint as the replica identity of rows
$_->safe_psql('postgres', 'CREATE TABLE keyed (print fingerprint PRIMARY KEY, n int)') for $publisher, $subscriber;
$publisher->safe_psql('postgres', 'INSERT INTO keyed SELECT to_simhash64(i::text), i FROM generate_series(1, 100) AS i; INSERT INTO keyed SELECT to_lavinhash(convert_to(words(i), $$UTF8$$)), i FROM generate_series(1, 100) AS i');

# computed by both, of the text alone that is sent
$_->safe_psql('postgres', "CREATE TABLE twice (id int PRIMARY KEY, body text, m $definition)") for $publisher, $subscriber;
$publisher->safe_psql('postgres', 'INSERT INTO twice (id, body) SELECT id, words(id) FROM generate_series(1, 200) AS id; CREATE PUBLICATION texts FOR TABLE twice (id, body)');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION texts CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION texts");
$subscriber->wait_for_subscription_sync($publisher, 'texts');

my $option = $generates ? 'WITH (publish_generated_columns = stored)' : '';
$publisher->safe_psql('postgres', "CREATE PUBLICATION all_types FOR TABLE docs, made, keyed $option");
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION all_types CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION all_types WITH (binary = true)");
$subscriber->wait_for_subscription_sync($publisher, 'all_types');

sub compare
{
	my ($when) = @_;
	$publisher->wait_for_catchup($_) for 'all_types', 'texts';
	for my $table ('docs', 'made', 'keyed', 'twice')
	{
		my $digest = "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM $table AS t";
		my $here = $publisher->safe_psql('postgres', $digest);
		is($subscriber->safe_psql('postgres', $digest), $here, "$when: $table is the same");
		like($here, qr/^[1-9]/, "$when: and holds rows");
	}
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM made WHERE m IS DISTINCT FROM to_minhash64(body) OR t IS DISTINCT FROM to_tlsh(body)'), 0, "$when: what was generated is right");
	answers_agree($subscriber, $when);
}

compare('first copy');
$publisher->safe_psql('postgres', $_) for 'SELECT put(1001, 1200)', 'SELECT put(1, 400, 8)', 'DELETE FROM docs WHERE id % 9 = 0', 'UPDATE docs SET wide = NULL, tlsh = NULL, tlsh_2 = NULL WHERE id % 50 = 3',
  'UPDATE made SET body = words(id + 1000) WHERE id % 2 = 0', 'UPDATE twice SET body = words(id + 1000) WHERE id % 2 = 0', 'DELETE FROM twice WHERE id % 5 = 0', 'DELETE FROM made WHERE id % 5 = 0', 'UPDATE keyed SET n = n + 1', 'DELETE FROM keyed WHERE n % 3 = 0',
  q{UPDATE keyed SET print = to_minhash128('instead of ' || n) WHERE n % 4 = 0 AND fingerprint_name(print) LIKE 'simhash%'};
compare('after changes');
unlike(PostgreSQL::Test::Utils::slurp_file($subscriber->logfile), qr/ERROR: /, 'the subscriber met no error');

$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $_") for 'all_types', 'texts';
$_->stop for $subscriber, $publisher;
done_testing();

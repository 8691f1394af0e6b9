# ALTER EXTENSION … UPDATE of a module leads from each older version to the objects of a new installation. TXTFP_MODULE names the module.
use strict;
use warnings;

use TxtfpTest;
use Shape;
use Test::More;

my $module = $ENV{TXTFP_MODULE};
my $server = new_server('update');
my @older  = split /\n/, $server->safe_psql('postgres', qq{SELECT version FROM pg_available_extension_versions WHERE name = '$module'
	AND version <> (SELECT default_version FROM pg_available_extensions WHERE name = '$module')});
cmp_ok(scalar @older, '>', 0, "$module: older versions: @older");
$server->safe_psql('postgres', "CREATE EXTENSION $module CASCADE");
my $fresh = shape($server, 'postgres', $module);
cmp_ok($fresh =~ tr/\n//, '>=', 0, 'its objects');
for my $version (@older)
{
	$server->safe_psql('postgres', "DROP EXTENSION $module; CREATE EXTENSION $module VERSION '$version'; ALTER EXTENSION $module UPDATE");
	is(differences(shape($server, 'postgres', $module), $fresh), '', "$module: updated from $version: the shape of a fresh installation");
}
$server->stop;
done_testing();

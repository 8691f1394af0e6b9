# Calls every function of the extension with adversarial and random arguments. A function may return or raise a user error,
# but no internal error, and the server and its sessions survive. TXTFP_CHAOS_CALLS=N calls per function
# (default 30, in the long run 150), TXTFP_CHAOS_SEED=N other arguments (default 1: always the same).
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Arguments;
use TxtfpTest;
use Test::More;

my $calls = $ENV{TXTFP_CHAOS_CALLS} || by_length(150, 30);
my $seed  = $ENV{TXTFP_CHAOS_SEED}  || 1;
srand($seed);
note("TXTFP_CHAOS_SEED=$seed");

my $server = new_server('chaos', conf => "statement_timeout = 300s\n");
my $main_pid = $server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')});

# ---- calls

my @functions = map { [ split /\|/ ] } split /\n/, $server->safe_psql('postgres', q{
	SELECT p.oid::regproc, prokind, (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n))
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'txtfp'
	WHERE NOT proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[] AND prorettype NOT IN ('trigger'::regtype, 'internal'::regtype)
	ORDER BY 1, 3});
my @types = split /\n/, $server->safe_psql('postgres', q{
	SELECT typname FROM pg_type AS t JOIN pg_depend AS d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'txtfp' WHERE typtype = 'b' AND typelem = 0 ORDER BY 1});
cmp_ok(scalar(@functions), '>', 100, 'functions to call: ' . @functions);
cmp_ok(scalar(@types),     '>', 5,   'types to read: ' . @types);

for my $function (@functions)
{
	my ($name, $kind, $types) = @$function;
	my @arguments = split /;/, $types // '';
	my @statements = map {
		my $list = join ', ', map { argument($_) } @arguments;
		$kind eq 'a' ? "SELECT $name($list) FROM generate_series(1, 3)" : $kind eq 'p' ? "CALL $name($list)" : "SELECT * FROM $name($list)"
	} 1 .. (@arguments ? $calls : 1);
	run_all($server, "$name(" . join(', ', @arguments) . ')', '', @statements);
}
for my $type (@types)
{
	run_all($server, "text form of $type", '', map { 'SELECT (' . (rand() < 0.2 ? random_text() : one_of([texts()])) . ")::text::$type" } 1 .. $calls);
}
# One large value of each kind that takes long to compute.
run_all($server, 'large arguments', '', map { my $expression = $_; map { "SELECT length($_($expression)::text)" } qw(to_minhash64 to_minhash256 to_simhash64 canonicalize) }
	q{repeat('x', 64000000)}, q{'a' || repeat(U&'\0301', 1000000)}, q{'a' || repeat(U&'\0323\0301', 500000)}, q{repeat(U&'\200D', 1000000)}, q{repeat(U&'\4E2D', 1000000)});

is(internal_errors(), '', 'no internal error, and nothing that takes minutes');
is($server->safe_psql('postgres', q{SELECT pg_read_file('postmaster.pid')}), $main_pid, 'the server lives');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/terminated by signal|PANIC|TRAP/, 'no backend has crashed');
note(outcomes());

$server->stop;
done_testing();

# The programs simhash, simhash-find-all and simhash-find-clusters: runs of the originals (test/data/simhash_programs.jsonl).
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use JSON::PP ();
use Test::More;

my $program = $ENV{TXTFP_CHECKED} || $ENV{TXTFP};
my @runs = map { JSON::PP::decode_json($_) } split /\n/, get("$FindBin::RealBin/../data/simhash_programs.jsonl");
my $members = sub { join ', ', sort { $a cmp $b } $_[0] =~ /\d+/g };

for my $run (@runs)
{
	my ($name, @arguments) = @{ $run->{argv} };
	symlink $program, $name unless -l $name;
	unlink 'o.tsv';
	put($_, $run->{files}{$_}) for keys %{ $run->{files} };
	my ($status, $out, $err) = run_program($run->{stdin} // '', "./$name", @arguments);
	my $what = $run->{name};
	if ($run->{exit_code} == -11)
	{
		is($status, 0, "$what: where the original crashes, this works");
		next;
	}
	if ($run->{exit_code} < 0)
	{
		is($status, 1, "$what: where the original aborts, this fails");
		like($err, qr/^txtfp: (?:standard input|\S+: line \d+|Number of blocks must not exceed 64)/m, "$what: and says where");
		is(-e 'o.tsv', undef, "$what: without output");
		next;
	}
	is($status, $run->{exit_code}, "$what: status");
	my @err = map { s{^\./}{}r } grep { !/^Total/ } split /\n/, $err;
	my @last = @{ $run->{stderr_last} };
	is_deeply([ @err[ @err - @last .. $#err ] ], \@last, "$what: messages");
	if (my $lines = $run->{stdout_lines_sorted})
	{
		is_deeply([ sort map { $members->($_) } split /\n/, $out ], [ sort map { $members->($_) } @$lines ], "$what: results");
	}
	next unless exists $run->{output_header};
	my ($header, @rows) = split /\n/, get('o.tsv');
	is($header, $run->{output_header}, "$what: header");

	# Clusters have other numbers there: take the least row of each as its name
	my $named = sub {
		my %least;
		for (sort @_) { my ($row, $cluster) = /^(.*)\t(\d+)$/; $least{$cluster} //= $row }
		return [ sort map { my ($row, $cluster) = /^(.*)\t(\d+)$/; "$row\t$least{$cluster}" } @_ ];
	};
	is_deeply($named->(@rows), $named->(@{ $run->{output_rows_sorted} }), "$what: rows");
}

# What is ours
my $twice = "{\"id\":1,\"text\":\"hello world\"}\n{\"id\":\"b\",\"text\":\"hello world\"}\n";
my @common = qw(simhash -b 5 -d 3 -f json -i - -o - -t text -x id);
is((txtfp($twice, @common, '--any-id', '--exact-duplicates'))[1],
	"id\thash\tcluster\n1\t3785025219406594872\t0\nb\t3785025219406594872\t0\n", 'ids of any kind, equal hashes');
my ($status, $out, $err) = txtfp("{\"id\":4294967298,\"text\":\"hello world\"}\n{\"id\":3.9,\"text\":\"hello world\"}\n", @common, '--exact-duplicates');
is($out, "id\thash\tcluster\n2\t3785025219406594872\t0\n3\t3785025219406594872\t0\n", 'ids wrap');
like($err, qr/1 ids do not fit into 32 bits/, 'with a warning');
is((txtfp($twice, @common, '--threads', 1))[0], 1, 'a text id is an error otherwise');

done_testing();

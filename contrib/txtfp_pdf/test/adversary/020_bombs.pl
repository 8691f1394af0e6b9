# Decompression and recursion bombs: each gives a text or an error within its limits of time and memory, without harm to the server.
#
#   TXTFP_PDF_BOMBS  runs only those whose names match
use strict;
use warnings;

use TxtfpTest;
use PdfFiles;
use File::Temp ();
use Test::More;
use Time::HiRes qw(time);

my $server = new_server('bombs', conf => "txtfp_pdf.max_memory = '512MB'\ntxtfp_pdf.max_text = '64MB'\n");
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_pdf');
my $pid_of_postmaster = $server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $dir = File::Temp::tempdir(CLEANUP => 1);
my %bombs = bombs();
my $only = $ENV{TXTFP_PDF_BOMBS} // '';
for my $name (grep { /$only/ } sort keys %bombs)
{
	open my $out, '>:raw', "$dir/bomb.pdf" or die $!;
	print $out $bombs{$name}->();
	close $out or die $!;
	my $since = time;
	my ($status, $text, $err) = $server->psql('postgres', "SELECT length(pdf_to_text(pg_read_binary_file('$dir/bomb.pdf'), timeout_secs => 5))",
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	my $seconds = time - $since;
	my $outcome = $status ? ($err =~ /ERROR:  (.*)/)[0] // $err : "a text of $text characters";
	like($outcome, qr/^a text of \d+ characters$|^(?:22P02|38000|53200|54000): pdf /, sprintf('%s: %s (%.1f s)', $name, $outcome, $seconds));
	cmp_ok($seconds, '<', 9, "$name: in time");
}
is($server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $pid_of_postmaster, 'the server has not restarted');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/terminated by signal|PANIC/, 'and no server process has died');
$server->stop;
done_testing();

# Damaged files: each gives a text or one of the documented errors.
#
#   TXTFP_PDF_CORPUS     a list of files to damage (test/compare/corpus.sh makes one); without it, generated files
#   TXTFP_PDF_MUTATIONS  number of damaged files (300)        TXTFP_PDF_SEED  seed of the random numbers
use strict;
use warnings;

use TxtfpTest;
use PdfFiles;
use File::Temp ();
use Test::More;
use Time::HiRes qw(time);

my $count = $ENV{TXTFP_PDF_MUTATIONS} // 300;
my $seed = $ENV{TXTFP_PDF_SEED} // 21;
srand $seed;
my $server = new_server('mutations', conf => "txtfp_pdf.max_memory = '512MB'\nlog_min_messages = error\n");
$server->safe_psql('postgres', q{
	CREATE EXTENSION txtfp_pdf;
	CREATE FUNCTION outcome(path text, OUT state text, OUT message text, OUT seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		began timestamptz := clock_timestamp();
	BEGIN
		state := 'text';
		message := length(pdf_to_text(pg_read_binary_file(path), timeout_secs => 5));
		seconds := extract(epoch FROM clock_timestamp() - began);
	EXCEPTION WHEN OTHERS THEN
		state := SQLSTATE; message := SQLERRM;
		seconds := extract(epoch FROM clock_timestamp() - began);
	END $$});
my $started = $server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $dir = File::Temp::tempdir(CLEANUP => 1);

# Also uses a second form of each file, uncompressed by qpdf, so that damage reaches the content.
my @files;
if ($ENV{TXTFP_PDF_CORPUS})
{
	open my $list, '<', $ENV{TXTFP_PDF_CORPUS} or die "$ENV{TXTFP_PDF_CORPUS}: $!";
	chomp(my @paths = grep { chomp(my $path = $_); -s $path && -s $path < 300_000 } <$list>);
	@files = @paths;
}
else
{
	my %bombs = bombs();
	my @small = grep { !/MB|million|operands|arrays|dictionaries|all over|billion characters/ } sort keys %bombs;
	my $n = 0;
	for ((map { page_pdf("BT /F 9 Tf 9 9 Td (words of page $_) Tj ET") } 1 .. 5), grep { length($_) < 20_000 } map { $_->() } @bombs{ @small })
	{
		my $path = "$dir/own" . $n++;
		open my $out, '>:raw', $path or die $!;
		print $out $_;
		close $out;
		push @files, $path;
	}
}
my %contents;
sub content
{
	my ($path) = @_;
	return $contents{$path} //= do {
		my $plain = "$dir/plain.pdf";
		unlink $plain;
		system("timeout 10 qpdf --warning-exit-0 --qdf --object-streams=disable '$path' '$plain' >/dev/null 2>&1") if rand() < 0.5 && $ENV{TXTFP_PDF_CORPUS};
		open my $in, '<:raw', -s $plain && -s $plain < 2_000_000 ? $plain : $path or die "$path: $!";
		local $/;
		<$in>;
	};
}

my (%outcomes, @strange, $slowest);
$slowest = 0;
for (my $done = 0; $done < $count; $done += 50)
{
	my $batch = $count - $done < 50 ? $count - $done : 50;
	for my $i (1 .. $batch)
	{
		open my $out, '>:raw', "$dir/m$i.pdf" or die $!;
		print $out mutated(content($files[rand @files]), content($files[rand @files]));
		close $out or die $!;
	}
	my ($status, $rows, $err) = $server->psql('postgres', "SET client_min_messages = error; SELECT o.* FROM generate_series(1, $batch) AS i, outcome('$dir/m' || i || '.pdf') AS o");
	push @strange, $err if $status;
	for (split /\n/, $rows)
	{
		my ($state, $message, $seconds) = split /\|/;
		$outcomes{ $state eq 'text' ? 'text' : $state =~ /^(?:54000|38000|53200)$/ ? "$state $message" : $state }++;
		$slowest = $seconds if defined $seconds && $seconds > $slowest;
		push @strange, $_ unless $state eq 'text' || ($state =~ /^(?:22P02|38000|53200|54000)$/ && $message =~ /^pdf /);
	}
	%contents = () if keys %contents > 100;
}
my $sum = 0;
$sum += $_ for values %outcomes;
is($sum, $count, "each of $count files has an outcome");
is_deeply(\@strange, [], 'each is a text or an error of ours');
cmp_ok($slowest, '<', 8, sprintf('none hangs (the slowest took %.1f s)', $slowest));
diag("  $outcomes{$_}  $_") for sort keys %outcomes;
is($server->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server has not restarted');
unlike(PostgreSQL::Test::Utils::slurp_file($server->logfile), qr/terminated by signal|PANIC/, 'and no server process has died');
# A program of this server would have lost the server process that started it; those of other servers have theirs.
my %started_by = parser_programs();
my @left = grep { !-e "/proc/$started_by{$_}" } keys %started_by;
is("@left", '', 'no program is left');
$server->stop;
done_testing();

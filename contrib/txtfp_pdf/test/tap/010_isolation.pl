# A bad file costs one error and never the server: the program that reads it is killed, stopped, made to hang, starved of memory, or
# replaced by programs that lie; calls are cancelled, time out, and lose their server process. Nothing may be left behind.
use strict;
use warnings;

use TxtfpTest;
use PdfFiles;
use File::Copy ();
use File::Temp ();
use Test::More;
use Time::HiRes qw(sleep time);

my $server = new_server('pdf', conf => "restart_after_crash = on\n");
$server->safe_psql('postgres', 'CREATE EXTENSION txtfp_pdf');
my $dir = File::Temp::tempdir(CLEANUP => 1);

sub write_file
{
	my ($name, $bytes) = @_;
	open my $out, '>:raw', "$dir/$name" or die "$dir/$name: $!";
	print $out $bytes;
	close $out or die $!;
	return "$dir/$name";
}

# The programs that this server has started, or that a dead server process has left behind: other tests run at the same time.
sub programs
{
	my %started_by = parser_programs();
	my $file = $server->data_dir . '/postmaster.pid';
	my ($postmaster) = -e $file ? split /\n/, PostgreSQL::Test::Utils::slurp_file($file) : (0);
	return grep { my $parent = parent($started_by{$_}); !defined $parent || $parent == $postmaster } keys %started_by;
}

sub parent
{
	open my $in, '<', "/proc/$_[0]/stat" or return undef;
	return (<$in> // '') =~ /.*\) \S+ (\d+)/s ? $1 : undef;
}

sub gone
{
	for (1 .. 600) { return 1 unless programs(); sleep 0.1 }
	return 0;
}

my $slow = write_file('slow.pdf', slow_pdf());
my $good = write_file('good.pdf', page_pdf('BT /F 9 Tf 9 9 Td (all is well) Tj ET'));
my $works = "SELECT pdf_to_text(pg_read_binary_file('$good')) LIKE 'all is well%'";
is($server->safe_psql('postgres', $works), 't', 'text of a file');

sub start_slow
{
	my ($more, @before) = @_;
	my ($process, $err) = start_sql($server, q{SET application_name = 'slow'}, @before, "SELECT pdf_to_text(pg_read_binary_file('$slow')$more)");
	for (1 .. 600) { last if programs(); sleep 0.1 }
	sleep 0.5;
	return ($process, $err, (programs())[0]);
}

# Events that end a call, and how soon they do
for (
	[ 'cancel', sub { $server->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'slow'}) }, '57014: canceling statement due to user request' ],
	[ 'termination', sub { $server->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'slow'}) }, '57P01: terminating connection due to administrator command' ],
	[ 'SIGKILL of the program', sub { kill KILL => $_[0] }, '38000: pdf parser panicked' ],
	[ 'SIGSEGV of the program', sub { kill SEGV => $_[0] }, '38000: pdf parser panicked' ],
	[ 'SIGABRT of the program', sub { kill ABRT => $_[0] }, '38000: pdf parser panicked' ])
{
	my ($name, $act, $expected) = @$_;
	my ($process, $err, $program) = start_slow('');
	ok($program, "$name: the program runs");
	$act->($program);
	my $seconds = finish_watching($process, $program); # it works until it is ended
	like($$err, qr/\Q$expected\E/, "$name: $expected");
	cmp_ok($seconds, '<', $ENV{TXTFP_PDF_CANCEL_SECONDS} // 1, sprintf('%s: the program ended after %.2f s of processor time', $name, $seconds));
	ok(gone(), "$name: no program is left");
}
for (
	[ 'hang', ', timeout_secs => 2', [], 2, '54000: pdf parse exceeded 2-second timeout' ],
	[ 'statement_timeout', '', [q{SET statement_timeout = '1500ms'}], 1.5, '57014: canceling statement due to statement timeout' ])
{
	my ($name, $more, $before, $after, $expected) = @$_;
	my $since = time;
	my ($process, $err, $program) = start_slow($more, @$before);
	kill STOP => $program if $name eq 'hang'; # not even its own limit of processor time helps now
	$process->finish;
	my $seconds = time - $since;
	like($$err, qr/\Q$expected\E/, "$name: $expected");
	cmp_ok($seconds, '<', $after + 3 + patience($server), sprintf('%s: after %.2f s', $name, $seconds));
	ok(gone(), "$name: no program is left");
}

# What the system reports about the running program
{
	my ($process, $err, $program) = start_slow('');
	my $status = PostgreSQL::Test::Utils::slurp_file("/proc/$program/status");
	like($status, qr/^Seccomp:\s+2$/m, 'system calls are filtered');
	like($status, qr/^NoNewPrivs:\s+1$/m, 'no new privileges');
	my $limits = PostgreSQL::Test::Utils::slurp_file("/proc/$program/limits");
	like($limits, qr/^Max $_->[0]\s+$_->[1]\s+$_->[1] /m, "limit: $_->[0] $_->[1]")
	  for [ 'open files', 0 ], [ 'processes', 0 ], [ 'file size', 0 ], [ 'core file size', 0 ], [ 'address space', 1 << 30 ], [ 'cpu time', 32 ];
	is(PostgreSQL::Test::Utils::slurp_file("/proc/$program/oom_score_adj"), "1000\n", 'the first to go when memory runs out');
	kill KILL => $program;
	$process->finish;
}

# Programs that lie, beside a copy of the library
my ($libdir) = map { chomp(my $path = qx{$_ --pkglibdir}); $path } $ENV{PG_CONFIG} || 'pg_config';
mkdir "$dir/fake";
File::Copy::copy("$libdir/txtfp_pdf.so", "$dir/fake/txtfp_pdf.so") or die $!;
chmod 0755, "$dir/fake/txtfp_pdf.so";
$server->safe_psql('postgres', "CREATE FUNCTION fake(bytea, int DEFAULT 52428800, int DEFAULT 2) RETURNS text LANGUAGE c STRICT AS '$dir/fake/txtfp_pdf', 'txtfp_pdf_to_text'");

sub fake
{
	my ($script) = @_;
	unlink "$dir/fake/txtfp-pdf-extract";
	if (defined $script)
	{
		write_file('fake/txtfp-pdf-extract', "#!/usr/bin/perl\n\$| = 1; binmode STDOUT;\nsub part { print \$_[0], pack('V', length \$_[1]), \$_[1] }\n$script\n");
		chmod 0755, "$dir/fake/txtfp-pdf-extract";
	}
	my ($status, $out, $err) = $server->psql('postgres', q{SELECT to_json(fake(repeat('x', 3000000)::bytea))}, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $status ? $err : $out;
}

is(fake(q{part('t', "sound"); part('d', '')}), '"sound"', 'a sound answer');
is(fake(q{part('t', join ' ', sort keys %ENV); part('d', '')}), '""', 'no environment');
is(fake(q{opendir my $d, '/proc/self/fd'; part('t', join ' ', sort { $a <=> $b } grep { /^\d+$/ && !(readlink("/proc/self/fd/$_") =~ m{/proc/|fake/}) } readdir $d); part('d', '')}), '"0 1 2"', 'no descriptor but three');
is(fake(q{part('t', join ' ', grep { $_ ne 'FPE' && ($SIG{$_} // '') eq 'IGNORE' } sort keys %SIG); part('d', '')}), '""', 'no signal ignored (Perl ignores FPE itself)');
like(fake(undef), qr/58P01: could not start program/, 'no program');
like(fake(q{exit 3}), qr/38000: pdf parser panicked.*exit status 3/s, 'a program that just ends');
like(fake(q{part('t', 'half an answer')}), qr/38000: pdf parser panicked/, 'a program that ends before it is done');
like(fake(q{print 't', pack('V', 100), 'short'}), qr/38000: pdf parser panicked/, 'a part that breaks off');
like(fake(q{print "HTTP/1.1 200 OK\r\n"}), qr/38000: pdf parser panicked/, 'something else altogether');
like(fake(q{print "\xFF" x 1_000_000}), qr/38000: pdf parser panicked/, 'rubbish');
like(fake(q{part('t', "a\0b"); part('d', '')}), qr/38000: pdf parser panicked.*no text/s, 'U+0000');
like(fake(q{part('t', "\xED\xA0\x80"); part('d', '')}), qr/38000: pdf parser panicked.*no text/s, 'half of a surrogate pair');
like(fake(q{part('e', "p\xC3\x28\e[31m")}), qr/22P02: pdf parse error: \?\(\?\[31m/, 'a message that is no text');
like(fake(q{part('e', 'cseccomp_load: Invalid argument')}), qr/58000: program "txtfp-pdf-extract" could not be confined/, 'no confinement');
like(fake(q{part('e', 'xpoppler does not work')}), qr/58000: program "txtfp-pdf-extract" does not work/, 'a broken installation');
like(fake(q{part('e', 'm')}), qr/53200: pdf parse exceeded 1024-MB memory limit/, 'no memory');
like(fake(q{part('t', 'x' x 1_000_000) while 1}), qr/54000: pdf text exceeds 256-MB cap|54000: pdf parse exceeded 2-second timeout/, 'text without end');
like(fake(q{close STDOUT; close STDIN; sleep 100}), qr/38000: pdf parser panicked/, 'a program that closes its ends and stays');
like(fake(q{sleep 100}), qr/54000: pdf parse exceeded 2-second timeout/, 'a program that does not read');
like(fake(q{$SIG{$_} = 'IGNORE' for qw(INT TERM); 1 while 1}), qr/54000: pdf parse exceeded 2-second timeout/, 'a program that does not want to end');

# After many cancelled, timed out and rejected calls, the session has the same descriptors, children and memory
$server->safe_psql('postgres', qq{
	CREATE FUNCTION used(OUT files bigint, OUT mb int) LANGUAGE sql VOLATILE AS \$\$
		SELECT (SELECT count(*) FROM pg_ls_dir('/proc/' || pg_backend_pid() || '/fd')),
			(regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmRSS:\\s+(\\d+)'))[1]::int / 1024 \$\$;
	CREATE PROCEDURE random_ends(times int) LANGUAGE plpgsql AS \$\$
	BEGIN
		FOR i IN 1 .. times LOOP
			BEGIN
				CASE i % 3
				WHEN 0 THEN PERFORM pdf_to_text('no file');
				WHEN 1 THEN PERFORM pdf_to_text(pg_read_binary_file('$good'));
				ELSE PERFORM pdf_to_text(repeat('x', 3000000)::bytea);
				END CASE;
			EXCEPTION WHEN OTHERS THEN
			END;
		END LOOP;
	END \$\$});
my $measure = 'SELECT files AS FILES, mb AS MB FROM used() \gset' . "\n";
my ($first, $second) = map { $measure =~ s/FILES/f$_/r =~ s/MB/m$_/r } 1, 2;
my $growth = 'SELECT :f2 - :f1, :m2 - :m1 < 20;';
my $warm = "CALL random_ends(15);\nSELECT * FROM used();\n";
is((split /\n/, $server->safe_psql('postgres', "$warm $first CALL random_ends(60);\n$second $growth"))[-1], '0|t', 'descriptors and memory of a session are as before');
my $rounds = $ENV{TXTFP_PDF_ROUNDS} // 20;
my $random = join '', map { sprintf(qq{SET statement_timeout = %d;\nSELECT pdf_to_text(pg_read_binary_file('$slow'));\n}, 1 + int rand 150) } 1 .. $rounds;
my ($status, $out, $err) = $server->psql('postgres', "$warm $random SET statement_timeout = 0; $first $random SET statement_timeout = 0; $second $growth", on_error_stop => 0);
is(() = $err =~ /canceling statement due to statement timeout/g, 2 * $rounds, 2 * $rounds . ' calls cancelled at random moments');
is((split /\n/, $out)[-1], '0|t', '... leave no descriptor and no memory');
ok(gone(), '... and no program');

# A file that uses all memory
{
	my $bomb = write_file('bomb.pdf', { bombs() }->{'states saved thirty million times'}->());
	like(($server->psql('postgres', "SET txtfp_pdf.max_memory = '256MB'; SELECT pdf_to_text(pg_read_binary_file('$bomb'))", extra_params => [ '-v', 'VERBOSITY=verbose' ]))[2],
		qr/53200: pdf parse exceeded 256-MB memory limit/, 'a file that takes what memory there is');
	is($server->safe_psql('postgres', $works), 't', '... and the next one is read');
}

# The server process dies, then the whole server
for (
	[ 'SIGKILL of the server process', sub { kill KILL => $server->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'slow'}) } ],
	[ 'immediate shutdown', sub { $server->stop('immediate') } ])
{
	my ($name, $act) = @$_;
	my ($process) = start_slow('');
	$act->();
	$process->finish;
	ok(gone(), "$name: no program is left");
	$server->start if $name eq 'immediate shutdown';
	ok($server->poll_query_until('postgres', 'SELECT true'), "$name: the server is back");
}
is($server->safe_psql('postgres', $works), 't', 'text of a file');
$server->stop;
done_testing();

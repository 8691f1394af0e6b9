# Output files: the mode that the umask allows; an existing file keeps its mode, its owner, its other names and what leads to it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use CliTest;
use Test::More;

my $input = "{\"id\": 1, \"text\": \"one two three four\"}\n{\"id\": 2, \"text\": \"one two three four\"}\n";
sub mode { return sprintf '%04o', (stat $_[0])[2] & 07777 }
sub writes
{
	my ($output, $name) = @_;
	my ($status, undef, $err) = txtfp($input, 'fingerprint', '-o', $output);
	is($status, 0, $name) or diag $err;
	like(get($output), qr/^1\t.*\n2\t.*\n\z/m, "$name: it is written") unless $output =~ /gz$/;
}
sub beside { return join ' ', grep { /\.[A-Za-z0-9]{6}$/ } glob '* linked/*' }

my $umask = umask;
for my $mask (022, 077, 007, 0)
{
	umask $mask;
	unlink 'plain.tsv';
	writes('plain.tsv', sprintf 'a new file with umask %03o', $mask);
	is(mode('plain.tsv'), sprintf('%04o', 0666 & ~$mask), '... has the mode that it allows');
}
umask 022;
for my $mode (0600, 0640, 0664, 0606)
{
	chmod $mode, 'plain.tsv';
	my $before = (stat 'plain.tsv')[1];
	writes('plain.tsv', sprintf 'a file with mode %04o', $mode);
	is(mode('plain.tsv'), sprintf('%04o', $mode), '... keeps it');
	isnt((stat 'plain.tsv')[1], $before, '... and is another file, which was written beside it');
}
# links
mkdir 'linked';
symlink 'linked/target.tsv', 'link.tsv';
writes('link.tsv', 'a symbolic link that leads nowhere yet');
is(readlink 'link.tsv', 'linked/target.tsv', '... stays');
chmod 0640, 'linked/target.tsv';
symlink "$CliTest::directory/link.tsv", 'link2.tsv';
writes('link2.tsv', 'a symbolic link to a symbolic link');
is((readlink 'link2.tsv') . ' ' . (readlink 'link.tsv'), "$CliTest::directory/link.tsv linked/target.tsv", '... both stay');
is(mode('linked/target.tsv'), '0640', '... and the file keeps its mode');
is(join(' ', glob 'linked/*'), 'linked/target.tsv', '... nothing else is left there');
symlink 'link3.tsv', 'link3.tsv';
my ($status, undef, $err) = txtfp($input, 'fingerprint', '-o', 'link3.tsv');
is("$status $err", "1 txtfp: cannot create link3.tsv: Too many levels of symbolic links\n", 'a link to itself');
put('plain.hard', '');
link 'plain.hard', 'plain.other';
writes('plain.hard', 'a file with two names');
is(get('plain.hard'), get('plain.other'), '... keeps both');
is((stat 'plain.hard')[3], 2, '... of one file');
chmod 0444, 'plain.hard';
SKIP:
{
	skip 'root may write every file', 1 if $> == 0;
	($status, undef, $err) = txtfp($input, 'fingerprint', '-o', 'plain.hard');
	is("$status $err", "1 txtfp: cannot create plain.hard: Permission denied\n", 'a file that may not be written');
}
SKIP:
{
	skip 'needs root', 2 if $> != 0;
	put('plain.owned', '');
	chown 1, 2, 'plain.owned';
	chmod 0640, 'plain.owned';
	writes('plain.owned', 'a file of somebody else');
	is(join(' ', (stat 'plain.owned')[ 4, 5 ], mode('plain.owned')), '1 2 0640', '... stays theirs');
}
SKIP:
{
	skip 'no setfacl here', 2 if system('touch plain.acl && chmod 640 plain.acl && setfacl -m u:1:rw plain.acl 2>/dev/null') != 0;
	my $before = qx{getfacl -n plain.acl};
	writes('plain.acl', 'a file with an access control list');
	is(qx{getfacl -n plain.acl}, $before, '... keeps it');
}
# what fails changes nothing
put('plain.kept', 'as before');
chmod 0600, 'plain.kept';
($status) = txtfp('{', 'fingerprint', '-o', 'plain.kept');
isnt($status, 0, 'a run that fails');
is(get('plain.kept') . ' ' . mode('plain.kept'), 'as before 0600', '... leaves the file as it was');
is(beside(), '', 'no temporary file is left');
umask $umask;
done_testing();

# Runs the SQL of pages and compares its output with what the pages show.
#
# How a page is read:
#   ```sql                      a block that is run, with ON_ERROR_STOP
#   ```text directly after it   its output
#   SELECT …;  -- 42            the result is 42; a colon may follow it
#   -- ERROR:  … in a block     the error that the block ends with; also -- DETAIL: and -- HINT:
#   <!-- not run: reason -->    before a block: the block is not run
#   <!-- Debian 12 -->          before a ```text: the output for that corpus; for another one only the columns are compared
package Pages;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use Test::More;

our @EXPORT = qw(blocks check_page marked_blocks slurp);

my $root = abs_path(dirname(__FILE__) . '/../..');

sub slurp { open(my $file, '<', $_[0]) or die "$_[0]: $!\n"; local $/; return scalar <$file> }

# The SQL blocks of a page, each with the heading it is under (numbered from 1; 0: before the first ##).
sub blocks
{
	my ($page) = @_;
	my @lines = split /\n/, slurp("$root/$page");
	my (@blocks, $skip, $debian, $fence, @text);
	my ($section, $after) = (0, '');    # the kind of the last block, while only blank lines and comments have followed
	for my $n (1 .. @lines)
	{
		my $line = $lines[ $n - 1 ];
		if (!defined $fence && $line =~ /^```(.*)/)
		{
			($fence, @text) = ($1);
		}
		elsif (defined $fence && $line eq '```')
		{
			if ($fence eq 'sql')
			{
				push @blocks, { section => $section, sql => join("\n", @text), name => "$page:" . ($n - @text), skip => $skip };
			}
			elsif ($fence eq 'text' && $after eq 'sql')
			{
				@{ $blocks[-1] }{ 'result', 'debian' } = (join("\n", @text), $debian);
			}
			($after, $skip, $debian, $fence) = ($fence);
		}
		elsif (defined $fence) { push @text, $line }
		elsif ($line =~ /^<!-- (not run: .*|Debian 12) -->$/) { $1 eq 'Debian 12' ? ($debian = 1) : ($skip = $1) }
		elsif ($line ne '')
		{
			$section++ if $line =~ /^## /;
			$after = '';
		}
	}
	return @blocks;
}

# The SQL blocks that stand directly after a comment <!-- MARK -->, for tests that run them themselves: [MARK, SQL] each.
sub marked_blocks
{
	my ($page) = @_;
	my $text = slurp("$root/$page");
	my @found;
	push @found, [ $1, $2 ] while $text =~ /^<!-- (.*?) -->\n```sql\n(.*?)^```$/gms;
	return @found;
}

# Runs blocks in one session, like a reader with psql; sets {output} of each block, as far as it was run.
sub run_blocks
{
	my ($server, $database, $directory, @blocks) = @_;
	my $script = "\\set ON_ERROR_STOP on\nSET client_min_messages = warning;\n";
	for my $n (0 .. $#blocks)
	{
		my $stop = $blocks[$n]{sql} =~ /^-- ERROR:/m ? 'off' : 'on';
		$script .= "\\echo \@block $n\n\\set ON_ERROR_STOP $stop\n$blocks[$n]{sql}\n";
	}
	$script .= "\\echo \@block end\n";
	my $output = '';
	IPC::Run::run([ 'psql', '-Xq', '-P', 'pager=off', '-d', $server->connstr($database) ],
		'<', \$script, '>&', \$output, init => sub { chdir $directory or die });
	while ($output =~ /^\@block (\d+)\n(.*?)(?=^(\@block )|\z)/gms)
	{
		@{ $blocks[$1] }{ 'output', 'finished' } = ($2, defined $3);
	}
}

sub tidy
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//gm;
	$text =~ s/\A\n+|\n+\z//g;
	return $text;
}

sub check_block
{
	my ($block, $is_debian) = @_;
	my $name   = $block->{name};
	my $output = tidy($block->{output} // '');
	if (my @errors = $block->{sql} =~ /^-- ((?:ERROR|DETAIL|HINT):.*)$/mg)
	{
		my $told = join '|', map { /^(\w+)/ } @errors;
		is(join("\n", $output =~ /^((?:$told):.*)$/mg), join("\n", @errors), "$name: fails as it says");
	}
	else
	{
		ok($block->{finished}, "$name: runs") or diag($output);
	}
	if (my @values = $block->{sql} =~ /^SELECT.*; +-- (.*)$/mg)
	{
		my @given = $output =~ /^-+\n *(.*)\n\(1 row\)$/mg;
		s/: .*// for @values;    # a remark
		splice @given, @values if @given > @values;
		is("@given", "@values", "$name: gives what it says");
	}
	return unless defined $block->{result};
	my $result = tidy($block->{result});
	($output, $result) = map { /^(.*)/ && $1 =~ s/ +/ /gr } $output, $result if $block->{debian} && !$is_debian;
	is($output, $result, "$name: gives what it shows");
}

# Runs a page in one database, or each ## section of it in a copy of the database as it is after the page's beginning; optionally after
# the beginning of another page, and after a setup.
sub check_page
{
	my ($server, $page, %options) = @_;
	my $directory = $options{directory} // $root;
	my @all       = blocks($page);
	my %installed = map { $_ => 1 } split /\n/, $server->safe_psql('postgres', 'SELECT name FROM pg_available_extensions');
	for (@all)
	{
		$_->{skip} //= "$1 is not installed" if $_->{sql} =~ /CREATE EXTENSION (?:IF NOT EXISTS )?(\w+)/ && !$installed{$1};
	}
	my @blocks    = grep { !$_->{skip} } @all;
	my @before    = $options{after} ? grep { $_->{section} == 0 } blocks($options{after}) : ();
	note("$_->{name}: $_->{skip}") for grep { $_->{skip} } @all;
	cmp_ok(scalar @blocks, '>', 0, "$page: has SQL");

	my %in;
	push @{ $in{ $options{sections} ? $_->{section} : 0 } }, $_ for @blocks;
	$server->safe_psql('postgres', 'CREATE DATABASE page');
	$server->safe_psql('page',     'CREATE EXTENSION txtfp') unless $options{bare};
	run_blocks($server, 'page', $directory, @before);
	$server->safe_psql('page', $options{setup}) if $options{setup};
	run_blocks($server, 'page', $directory, @{ delete $in{0} // [] });
	for my $section (sort { $a <=> $b } keys %in)
	{
		$server->safe_psql('postgres', 'CREATE DATABASE section TEMPLATE page');
		run_blocks($server, 'section', $directory, @{ $in{$section} });
		$server->safe_psql('postgres', 'DROP DATABASE section');
	}
	check_block($_, $options{debian}) for @blocks;
	$server->safe_psql('postgres', 'DROP DATABASE page');
}

1;

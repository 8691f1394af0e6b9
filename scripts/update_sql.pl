# Writes the script that updates an extension: perl scripts/update_sql.pl NAME OLD.sql NEW.sql
#
# It compares the statements of two installation scripts. What is new is created, what is gone is dropped, a function whose arguments or result changed is
# created anew. If a view uses the old function, that stays under another name, outside the extension, and calls the new one. A composite type may have more
# columns at its end, an operator class more members. Of any other change the script cannot be derived: then it raises an error, and this program says which.
# test/tap/022_schema.pl compares the catalogs after an update with those of a new installation.
use strict;
use warnings;

my ($extension, $old_file, $new_file) = @ARGV;
my ($old_version) = $old_file =~ /--([0-9.]+)\.sql$/;

# The statements of a script, without comments, in one line each
sub statements
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	my $rest = do { local $/; <$in> };
	my @statements;
	my $statement = '';
	while ($rest =~ /\G(?:(--[^\n]*|\\echo[^\n]*)|('(?:[^']|'')*')|(\$(\w*)\$.*?\$\4\$)|(\s+)|(;)|([^-'\$\s;\\]+|.))/gs)
	{
		my ($comment, $string, $quoted, $space, $end, $word) = ($1, $2, $3, $5, $6, $7);
		if (defined $end) { push @statements, $statement =~ s/ $//r; $statement = '' }
		elsif (defined $space || defined $comment) { $statement .= ' ' if $statement =~ /\S$/ }
		else { $statement .= $string // $quoted // $word }
	}
	die "$file: no semicolon after \"$statement\"\n" if $statement =~ /\S/;
	return @statements;
}

# The parts of a list between commas that are in no parentheses and no string
sub list
{
	my ($text) = @_;
	my ($depth, @parts) = (0, '');
	while ($text =~ /\G('(?:[^']|'')*'|.)/gs)
	{
		my $token = $1;
		$depth += $token eq '(' ? 1 : $token eq ')' ? -1 : 0;
		if ($token eq ',' && $depth == 0) { push @parts, '' }
		else { $parts[-1] .= $token }
	}
	return grep { /\S/ } map { s/^\s+|\s+$//gr } @parts;
}

# What stands in the parentheses at the beginning of a text, and what follows them
sub parentheses
{
	my ($text) = @_;
	my ($depth, $inside) = (0, '');
	while ($text =~ /\G('(?:[^']|'')*'|.)/gs)
	{
		my $token = $1;
		$depth-- if $token eq ')';
		return ($inside, substr($text, pos $text) =~ s/^\s+//r) if $depth == 0 && $token eq ')';
		$inside .= $token if $depth > 0;
		$depth++ if $token eq '(';
	}
	die "parentheses in \"$text\"\n";
}

sub argument
{
	my ($text) = @_;
	my %argument = (mode => 'IN', text => $text);
	$argument{default} = $1 if $text =~ s/\s+DEFAULT\s+(.*)$//is;
	$argument{mode} = uc $1 if $text =~ s/^(IN|OUT|INOUT|VARIADIC)\s+//i;
	$text =~ /^(?:(\S+)\s+)?(double precision(?:\[\])?|timestamp with time zone|\S+)$/ or die "argument \"$text\"\n";
	@argument{qw(name type)} = ($1 // '', $2);
	$argument{name} = '', $argument{type} = $text if $text =~ /^(?:double precision|timestamp with time zone)(?:\[\])?$/;
	return \%argument;
}

sub inputs { grep { $_->{mode} ne 'OUT' } $_[0]->{arguments}->@* }

# The object of a statement: its kind, a key that tells it from others, and the statement
sub object
{
	my ($statement) = @_;
	if ($statement =~ /^CREATE (FUNCTION|PROCEDURE|AGGREGATE) ([\w.]+) ?(\(.*)$/s)
	{
		my %object = (kind => $1, name => $2);
		my ($arguments, $rest) = parentheses($3);
		$object{arguments} = [ map { argument($_) } list($arguments =~ s/\bORDER BY\b/,/r) ];
		$object{rest}      = $rest;
		$object{signature} = "$object{name}(" . join(', ', map { $_->{type} } inputs(\%object)) . ')';
		return { %object, key => "ROUTINE $object{signature}" };
	}
	return { kind => $1, name => $2, key => "$1 $2", columns => $3 } if $statement =~ /^CREATE (TYPE) (\w+) AS \((.*)\)$/s;
	return { kind => 'SHELL', name => $1, key => "SHELL $1" } if $statement =~ /^CREATE TYPE (\w+)$/;
	return { kind => $1, name => $2, key => "$1 $2" } if $statement =~ /^CREATE (TYPE|VIEW|TABLE|SCHEMA|ACCESS METHOD|DOMAIN|EVENT TRIGGER) (\w+)/;
	if ($statement =~ /^CREATE OPERATOR (\S+) ?\((.*)\)$/s && $1 !~ /^(?:CLASS|FAMILY)$/)
	{
		my ($name, $options) = ($1, $2);
		my ($left, $right) = map { $options =~ /$_ ?= ?([\w ]+?)(?:,|$)/ ? $1 : 'NONE' } 'LEFTARG', 'RIGHTARG';
		return { kind => 'OPERATOR', name => "$name ($left, $right)", key => "OPERATOR $name ($left, $right)" };
	}
	return { kind => $1, name => "$2 USING $3", key => "$1 $2 USING $3", members => $4 } if $statement =~ /^CREATE (OPERATOR CLASS) (\w+) .*?USING (\w+) .*?AS (.*)$/s;
	return { kind => $1, name => $2, key => "$1 $2" } if $statement =~ /^CREATE (OPERATOR FAMILY) (\w+ USING \w+)/;
	return { kind => $1, name => $2, key => "$1 $2" } if $statement =~ /^CREATE (CAST) (\([\w ]+\))/;
	if ($statement =~ /^COMMENT ON (FUNCTION|PROCEDURE|AGGREGATE) ([\w.]+) ?(\(.*)$/s)
	{
		my ($name, $kind) = ($2, $1);
		my ($arguments) = parentheses($3);
		my $of = 'ROUTINE ' . "$name(" . join(', ', map { $_->{type} } grep { $_->{mode} ne 'OUT' } map { argument($_) } list($arguments)) . ')';
		return { kind => 'COMMENT', name => "$kind $name", key => "COMMENT $of", of => $of };
	}
	return { kind => 'COMMENT', name => $1, key => "COMMENT $1", of => $1 } if $statement =~ /^COMMENT ON (.*?) IS /s;
	return { kind => 'RIGHTS', name => $statement, key => "RIGHTS $statement" } if $statement =~ /^(?:GRANT|REVOKE) /;
	return { kind => 'OTHER', name => $statement, key => "OTHER $statement" };
}

sub objects { map { { %{ object($_) }, statement => $_ } } statements($_[0]) }

my @old = objects($old_file);
my @new = objects($new_file);
my %old = map { $_->{key} => $_ } @old;
my %new = map { $_->{key} => $_ } @new;
my (@faults, @dropped, @created, @kept, %anew);

# What callers of a function know: the names of its arguments, its defaults, its result
sub face { join ', ', map({ "$_->{mode} $_->{name} $_->{type}" } $_[0]->{arguments}->@*), $_[0]->{rest} =~ /^RETURNS (.*?) (?:AS|LANGUAGE) /s ? $1 : '' }
sub is_replaceable
{
	my ($old, $new) = @_;
	my @new = inputs($new);
	return $old->{kind} ne 'AGGREGATE' && $old->{kind} eq $new->{kind} && face($old) eq face($new) && !grep { defined +(inputs($old))[$_]->{default} && !defined $new[$_]->{default} } 0 .. $#new;
}

sub new_function # that takes the place of one that is gone
{
	my ($old) = @_;
	return $new{ $old->{key} } if $new{ $old->{key} };
	my $form = sub { my ($first) = inputs($_[0]); !$first ? '' : $first->{name} eq '' ? $first->{type} : 'named' };
	my ($found) = grep { $_->{kind} eq $old->{kind} && $_->{name} eq $old->{name} && $form->($_) eq $form->($old) } grep { $_->{arguments} } @new;
	return $found;
}

# The old function as one that calls the new one
sub call_of_new
{
	my ($old, $new) = @_;
	my %known = map { $_->{name} => 1 } inputs($new);
	my ($n, @given) = (0);
	for my $argument (inputs($old))
	{
		$n++;
		push @given, $argument->{name} eq '' ? "\$$n" : "$argument->{name} => \$$n" if $argument->{name} eq '' || $known{ $argument->{name} };
	}
	my @columns = map { $_->{name} } grep { $_->{mode} ne 'IN' } $old->{arguments}->@*;
	my ($returns) = $old->{rest} =~ /^RETURNS (.*?) AS /s;
	my $set = @columns || $old->{rest} =~ /^RETURNS SETOF /;
	return sprintf "CREATE OR REPLACE FUNCTION %s(%s) %s LANGUAGE sql %s AS \$call\$SELECT %s%s.%s(%s)\$call\$", $old->{name}, join(', ', map { $_->{text} } $old->{arguments}->@*), $returns ? "RETURNS $returns" : '',
		($old->{rest} =~ /\b(IMMUTABLE|STABLE|VOLATILE)\b/)[0] // 'VOLATILE', $set ? join(', ', map { qq{"$_"} } @columns) . ' FROM ' : '', '%1$s', $new->{name}, join ', ', @given;
}

sub drop_function
{
	my ($old) = @_;
	my $new = $old->{kind} eq 'FUNCTION' ? new_function($old) : undef;
	return "DROP $old->{kind} $old->{signature};" if !$new || $old->{rest} =~ /^RETURNS trigger/;
	my $kept = "$old->{name}_of_" . $old_version =~ tr/./_/r;
	(my $replace = call_of_new($old, $new)) =~ s/^CREATE OR REPLACE FUNCTION \w+/CREATE OR REPLACE FUNCTION $kept/;
	(my $signature = $old->{signature}) =~ s/^\w+/$kept/;
	push @kept, <<"END" =~ s/^\t//gmr;
	DO \$update\$
	DECLARE
		place text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = '$extension');
	BEGIN
		IF to_regprocedure('$signature') IS NOT NULL THEN
			EXECUTE format(\$replace\$$replace\$replace\$, place);
			ALTER EXTENSION $extension DROP FUNCTION $signature;
			EXECUTE (SELECT format('ALTER FUNCTION $signature OWNER TO %s', extowner::regrole) FROM pg_extension WHERE extname = '$extension');
			RAISE WARNING 'other objects use the function $old->{signature}, which is now called $kept'
				USING HINT = 'It calls the new $old->{name}. Define these objects again, then drop it.';
		END IF;
	END
	\$update\$;
END
	return <<"END" =~ s/^\t//gmr;
	DO \$update\$
	BEGIN
		DROP FUNCTION $old->{signature};
	EXCEPTION WHEN dependent_objects_still_exist THEN
		ALTER FUNCTION $old->{signature} RENAME TO $kept;
	END
	\$update\$;
END
}

sub change
{
	my ($old, $new) = @_;
	if ($new->{arguments})
	{
		return push @created, ($new->{statement} =~ s/^CREATE /CREATE OR REPLACE /r) . ';' if is_replaceable($old, $new);
		push @dropped, drop_function($old);
		$anew{ $new->{key} } = 1;
		return push @created, "$new->{statement};";
	}
	if (defined $new->{columns})
	{
		my ($before, $after) = map { [ list($_->{columns}) ] } $old, $new;
		my $same = join ', ', @$before;
		if ($same eq join ', ', @$after[ 0 .. $#$before ])
		{
			return push @created, map { "ALTER TYPE $new->{name} ADD ATTRIBUTE $_;" } @$after[ @$before .. $#$after ];
		}
	}
	if (defined $new->{members})
	{
		my %before = map { $_ => 1 } list($old->{members});
		my @more = grep { !delete $before{$_} } list($new->{members});
		return push @created, "ALTER OPERATOR FAMILY $new->{name} ADD " . join(', ', map { with_types($new, $_) } @more) . ';' if !%before;
	}
	push @faults, "$new->{kind} $new->{name} has changed";
}

# A support function of a class is declared for its type, in a family it must be said.
sub with_types
{
	my ($class, $member) = @_;
	my ($type) = $class->{statement} =~ /FOR TYPE (\w+)/;
	return $member =~ s/^(FUNCTION \d+) (?!\()/$1 ($type, $type) /r;
}

for my $object (reverse @old)
{
	next if $new{ $object->{key} } || $object->{kind} =~ /^(?:COMMENT|RIGHTS|SHELL)$/;
	if ($object->{arguments}) { push @dropped, drop_function($object) }
	elsif ($object->{kind} =~ /^(?:OPERATOR|CAST|VIEW|OPERATOR CLASS)$/) { push @dropped, "DROP $object->{kind} $object->{name};" }
	else { push @faults, "$object->{kind} $object->{name} is gone" }
}
for my $object (@new)
{
	my $old = $old{ $object->{key} };
	if ($object->{kind} eq 'COMMENT') { push @created, "$object->{statement};" if !$old || $old->{statement} ne $object->{statement} || $anew{ $object->{of} } }
	elsif ($object->{kind} eq 'RIGHTS') { push @created, "$object->{statement};" }
	elsif (!$old) { $anew{ $object->{key} } = 1; push @created, "$object->{statement};" }
	elsif ($old->{statement} ne $object->{statement}) { change($old, $object) }
}

print qq{\\echo Use "ALTER EXTENSION $extension UPDATE" to load this file. \\quit\n\n};
if (@faults)
{
	print STDERR "update_sql.pl: $extension cannot be updated from $old_version: $_\n" for @faults;
	printf "DO \$\$ BEGIN RAISE EXCEPTION 'extension $extension cannot be updated from $old_version'; END \$\$;\n";
	exit 0;
}
print "$_\n" for @dropped, @created, @kept;

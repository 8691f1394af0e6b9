# Describes the objects of an extension as text without OIDs, to compare a new installation with an updated one.
package Shape;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(shape differences);

# Per catalog: the properties of an object's row (o) to compare, besides identity, comment and owner's privileges.
my %detail = (
	pg_proc => q{CASE WHEN o.prokind <> 'a' THEN pg_get_functiondef(o.oid) ELSE
		(SELECT (to_jsonb(a) - 'aggfnoid' - 'aggtranstype' - 'aggmtranstype' - 'aggsortop')::text || format_type(aggtranstype, NULL) || format_type(aggmtranstype, NULL) || aggsortop::regoperator
		|| o.proparallel::text || o.provolatile::text || pg_get_function_arguments(o.oid) || pg_get_function_result(o.oid) FROM pg_aggregate AS a WHERE a.aggfnoid = o.oid) END || coalesce(o.proacl::text, '')},
	pg_type     => q{(to_jsonb(o) - 'oid' - 'typnamespace' - 'typowner' - 'typrelid' - 'typelem' - 'typarray' - 'typbasetype' - 'typcollation')::text},
	pg_class    => q{(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = o.oid AND attnum > 0)},
	pg_operator => q{concat_ws(' ', format_type(o.oprresult, NULL), o.oprcode, o.oprrest, o.oprjoin, o.oprcom::regoperator, o.oprnegate::regoperator, o.oprcanmerge, o.oprcanhash)},
	pg_opclass  => q{concat_ws(' ', format_type(o.opcintype, NULL), format_type(nullif(o.opckeytype, 0), NULL), o.opcdefault,
		(SELECT opfname FROM pg_opfamily AS f WHERE f.oid = o.opcfamily))},
	pg_opfamily => q{concat_ws(' ',
		(SELECT string_agg(concat_ws(' ', amopstrategy, amoppurpose, amopopr::regoperator, (SELECT opfname FROM pg_opfamily AS f WHERE f.oid = amopsortfamily)), ',' ORDER BY amopstrategy, amopopr::regoperator::text) FROM pg_amop WHERE amopfamily = o.oid),
		(SELECT string_agg(concat_ws(' ', amprocnum, amproc::regprocedure), ',' ORDER BY amprocnum, amproc::regprocedure::text) FROM pg_amproc WHERE amprocfamily = o.oid))},
	pg_cast => q{concat_ws(' ', o.castfunc::regprocedure, o.castcontext, o.castmethod)},
);

# One line per member of the extension.
sub shape
{
	my ($server, $database, $extension) = @_;
	my $branches = join ' ', map { "WHEN '$_'::regclass THEN (SELECT $detail{$_} FROM $_ AS o WHERE o.oid = d.objid)" } sort keys %detail;
	return $server->safe_psql($database, qq{
		SELECT regexp_replace(concat_ws(' | ', i.type, i.identity, obj_description(d.objid, d.classid::regclass::name), CASE d.classid $branches END), '\\s+', ' ', 'g')
		FROM pg_depend AS d, pg_identify_object(d.classid, d.objid, 0) AS i
		WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = '$extension') ORDER BY 1});
}

# Lines that only one of two descriptions has.
sub differences
{
	my ($a, $b) = @_;
	my %count;
	$count{$_}++ for split /\n/, $a;
	$count{$_}-- for split /\n/, $b;
	return join "\n", map { ($count{$_} > 0 ? '+ ' : '- ') . $_ } grep { $count{$_} } sort keys %count;
}

1;

# Checks that META.json conforms to PGXN Meta Spec 1.0.0, describes this version, and names existing files:
# perl scripts/check_meta.pl META.json NAME VERSION; relative paths are relative to the folder of META.json.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use JSON::PP ();

my ($file, $name, $version) = @ARGV;
my @faults;
sub fault { push @faults, join '', @_ }

open my $in, '<:raw', $file or die "$file: $!\n";
my $meta = JSON::PP->new->utf8->decode(do { local $/; <$in> });    # dies if it is not JSON

my %known = map { $_ => 1 } qw(name version abstract maintainer license provides meta-spec description generated_by tags
  no_index prereqs release_status resources);
my %licenses = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2
  gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted
  unrestricted unknown);
my $semver = qr/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
my $term   = qr{^[^\s/\\\p{Cc}]{2,}$};

sub is_string { defined $_[0] && !ref $_[0] && $_[0] =~ /\S/ }
sub is_map { ref $_[0] eq 'HASH' && %{ $_[0] } }

# required members
fault("$_ is missing") for grep { !exists $meta->{$_} } qw(name version abstract maintainer license provides meta-spec);
fault("the key $_ is not in the specification") for grep { !$known{$_} && !/^x_/i } sort keys %$meta;
fault("$_ is no text") for grep { exists $meta->{$_} && !is_string($meta->{$_}) } qw(name version abstract description generated_by);
fault('name is no term') unless ($meta->{name} // '') =~ $term;
fault("name is not $name") unless ($meta->{name} // '') eq $name;
fault("version is not $version") unless ($meta->{version} // '') eq $version && $version =~ $semver;
my @maintainers = ref $meta->{maintainer} eq 'ARRAY' ? @{ $meta->{maintainer} } : $meta->{maintainer};
fault('maintainer is no text or list of texts') if !@maintainers || grep { !is_string($_) } @maintainers;
my @licenses = ref $meta->{license} eq 'ARRAY' ? @{ $meta->{license} } : $meta->{license};
fault('license is not one that the specification knows') if !@licenses || grep { !is_string($_) || !$licenses{$_} } @licenses;
my $spec = $meta->{'meta-spec'};
fault('meta-spec is not 1.0.0') unless is_map($spec) && ($spec->{version} // '') eq '1.0.0';

# member "provides"
fault('provides is empty') unless is_map($meta->{provides});
my %provided = is_map($meta->{provides}) ? %{ $meta->{provides} } : ();
fault("provides does not tell of $name") unless $provided{$name};
for my $control (glob(dirname($file) . '/contrib/*/*.control'))
{
	my $module = basename($control, '.control');
	fault("provides does not tell of $module") unless $provided{$module};
}
for my $extension (sort keys %provided)
{
	my $of = $provided{$extension};
	fault("provides.$extension is no object"), next unless is_map($of);
	fault("provides.$extension.version is not $version") unless ($of->{version} // '') eq $version;
	for my $key (qw(file docfile))
	{
		next if $key eq 'docfile' && !exists $of->{$key};
		fault("provides.$extension.$key is no file") unless is_string($of->{$key}) && -f dirname($file) . "/$of->{$key}";
	}
	fault("provides.$extension.$_ is not in the specification") for grep { !/^(?:abstract|file|docfile|version|x_.*)$/i } sort keys %$of;
}

# optional members
my @tags = @{ $meta->{tags} // [] };
fault("tag \"$_\" is no tag") for grep { ref || !m{^[^/\\\p{Cc}]{1,255}$} } @tags;
my %left_out = %{ $meta->{no_index} // {} };
for my $kind (sort keys %left_out)
{
	my %is = (file => sub { -f $_[0] }, directory => sub { -d $_[0] });
	fault("no_index.$kind is no kind"), next unless $is{$kind};
	fault("no_index.$kind $_ does not exist") for grep { !$is{$kind}->(dirname($file) . "/$_") } @{ $left_out{$kind} };
}
my %seen;
fault("tag \"$_\" is there twice") for grep { $seen{$_}++ } @tags;
fault("release_status is not stable, testing or unstable") unless ($meta->{release_status} // 'stable') =~ /^(?:stable|testing|unstable)$/;
for my $phase (sort keys %{ $meta->{prereqs} // {} })
{
	fault("prereqs.$phase is no phase") unless $phase =~ /^(?:configure|build|test|runtime|develop)$/;
	for my $relation (sort keys %{ $meta->{prereqs}{$phase} })
	{
		fault("prereqs.$phase.$relation is no relation") unless $relation =~ /^(?:requires|recommends|suggests|conflicts)$/;
		my $versions = $meta->{prereqs}{$phase}{$relation};
		fault("prereqs.$phase.$relation.$_ is no version range") for grep {
			grep { !/^(?:0|(?:[<>]=?|==|!=)? *\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/ } split /\s*,\s*/, $versions->{$_}
		} sort keys %$versions;
	}
}

print STDERR "$file: $_\n" for @faults;
exit(@faults ? 1 : 0);

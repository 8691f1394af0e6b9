# To be sourced: lists of Debian's packages, fetched by apt into a folder of the caller.

# fetch_translations FOLDER LANGUAGE…: makes apt download the package descriptions of these languages into FOLDER, which must be an absolute
# path, and sets APT_CONFIG so that apt's programs find them there. The system's configuration is not changed, and root is not needed.
# Sources that do not answer are ignored: the caller checks what came.
fetch_translations()
{
	apt_folder=$1
	shift
	mkdir -p "$apt_folder/lists/partial" "$apt_folder/cache/archives/partial"
	apt-config dump | grep -Ev '^(Acquire::(Languages|IndexTargets::.*(DEP-11|CNF))|APT::Update::|DPkg::|Dir::(Cache|State::lists|Log))' \
		>"$apt_folder/apt.conf" || true
	cat >>"$apt_folder/apt.conf" <<-END
		Acquire::Languages { $(printf '"%s"; ' "$@")};
		Acquire::IndexTargets::deb-src::Sources::DefaultEnabled "false";
		Dir::State::lists "$apt_folder/lists";
		Dir::Cache "$apt_folder/cache";
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
	END
	export APT_CONFIG="$apt_folder/apt.conf"
	apt-get -q update || true
}

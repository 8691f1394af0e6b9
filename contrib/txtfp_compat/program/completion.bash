# bash completion of txtfp-simhash, and of links to it
_txtfp_simhash()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[0]##*/} words=
	[ "$command" != txtfp-simhash ] || command=${COMP_WORDS[1]}
	if [ "$previous" = --format ] || [ "$previous" = -f ]; then
		words='json hash'
	elif [ "$COMP_CWORD" = 1 ] && [ "${COMP_WORDS[0]##*/}" = txtfp-simhash ]; then
		words='simhash find-all find-clusters --help --version'
	elif [ "${word#-}" != "$word" ]; then
		case $command in
		simhash) words='--input --output --blocks --distance --format --text_column --id_column --sample --window --exact-duplicates --any-id --threads --quiet --help' ;;
		*find-all | *find-clusters) words='--input --output --blocks --distance --quiet --help' ;;
		esac
	fi
	if [ -n "$words" ]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _txtfp_simhash txtfp-simhash simhash simhash-find-all simhash-find-clusters

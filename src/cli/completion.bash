# bash completion of txtfp
_txtfp()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
	local input='--format --id --text --line-ids --header --delimiter --skip-errors --max-record --max-window --kind --tokenizer --canonicalizer --hash --seed --weighting'
	local common='--to --no-header --output --threads --quiet --force --help'
	local sets='--allow-duplicate-ids --threshold --recall --bands --rows --memory --temporary'
	local join="$sets --max-distance --min-score --fingerprints"
	case $previous in
	--format | -f | --texts-format) words='jsonl tsv csv lines' ;;
	--kind | -k) words='minhash64 minhash128 minhash256 minhash64_compact minhash128_compact minhash256_compact simhash64 tlsh lavinhash' ;;
	--to | -t) words='tsv csv jsonl copy' ;;
	--verify) words='jaccard containment lossless none' ;;
	--guard) words='balanced strict none symbol number name repeated two_sided scope first_line neighbours statement' ;;
	--unit) words='paragraph line word' ;;
	--mode) words='components star complete' ;;
	--id-type) words='bigint integer text uuid' ;;
	--hash) words='xxh3-64 mmh3-x64-128' ;;
	--weighting) words='tf uniform' ;;
	--tokenizer) words='word-uax29 grapheme-uax29 shingle-k=5/word-uax29 shingle-k=2/word-uax29' ;;
	--canonicalizer) words='nfkc-cf-simple-bidi-fmt nfkc-cf-simple-bidi-fmt-conf' ;;
	*)
		if [ "$COMP_CWORD" = 1 ]; then
			words='fingerprint pairs clusters dedup passages compare review --help --version'
		elif [ "${word#-}" != "$word" ]; then
			case $command in
			fingerprint) words="$input $common --id-type" ;;
			pairs) words="$input $common $join" ;;
			clusters) words="$input $common $join --mode --max-size --apart --together --keep --priority" ;;
			dedup) words="${input% --weighting} $common $sets --priority --keep --verify --verify-threshold --guard --rule --min-precision --apart --together --review" ;;
			passages) words="--format --id --text --line-ids --header --delimiter --skip-errors --max-record --max-window --tokenizer --canonicalizer $common --unit --min-words --before --keep --mark --priority --group --allow-duplicate-ids --memory --temporary" ;;
			compare) words='--min-words --tokenizer --canonicalizer --hash --seed --json --output --force --help' ;;
			review) words='--texts --texts-format --id --text --line-ids --header --labels --show --title --pairs --seed --format --delimiter --skip-errors --max-record --max-window --temporary --output --quiet --force --help' ;;
			esac
		fi
		;;
	esac
	if [ -n "$words" ]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _txtfp txtfp

#compdef txtfp
# zsh completion of txtfp; uses the bash completion, which is in the same directory
autoload -U +X bashcompinit && bashcompinit
local directory
for directory in ${(s.:.)XDG_DATA_DIRS:-/usr/local/share:/usr/share}; do
	if [[ -r $directory/bash-completion/completions/txtfp ]]; then
		source $directory/bash-completion/completions/txtfp
		_bash_complete -o filenames -F _txtfp
		return
	fi
done

# What zsh makes of tabs: zsh -f complete.zsh SHARE-DIRECTORY; prints the lines that a user would see
zmodload zsh/zpty
zpty shell XDG_DATA_DIRS=$1 TERM=dumb zsh -fi
read_until()
{
	local attempt out
	seen=
	for attempt in {1..200}; do
		while zpty -r -t shell out; do seen+=$out; done
		[[ $seen == *$1* ]] && return
		sleep 0.1
	done
}
zpty -w shell "PS1='rea''dy> '; fpath=($1/zsh/site-functions \$fpath); autoload -U compinit; compinit -u -D"
read_until 'ready> '
for typed completed in $'txtfp clu\t' clusters $' --prio\t' --priority; do
	zpty -n -w shell $typed
	read_until $completed
	print -r -- $seen
done
zpty -d shell

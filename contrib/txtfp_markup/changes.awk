# Applies changes to a file: awk -v name=FILE -f changes.awk CHANGES FILE
#
# CHANGES has a section "= NAME" for each file, of commands as `diff -n` writes them: "d L N" without the blanks deletes N lines from line L on, "aL N"
# adds the N lines that follow after line L. Lines are numbered as in the original. Lines before the first section are comments.

FNR == NR && left > 0 { if (wanted) added[at] = added[at] $0 "\n"; left--; next }
FNR == NR && /^= / { wanted = $2 == name; next }
FNR == NR && /^[ad][0-9]+ [0-9]+$/ {
	line = substr($1, 2)
	if (/^a/) {
		at = line
		left = $2
	} else if (wanted)
		for (i = 0; i < $2; i++)
			deleted[line + i] = 1
	next
}
FNR == NR { next }
FNR == 1 { printf "%s", added[0] }
!(FNR in deleted) { print }
{ printf "%s", added[FNR] }

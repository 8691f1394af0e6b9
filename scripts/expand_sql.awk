# Expands the parts of the extension script: awk -v parts=sql/parts -f scripts/expand_sql.awk FILE…
#
#   @use NAME          begins the use of sql/parts/NAME.sql
#   @  KEY = VALUE     … with @KEY@ replaced by VALUE; the head comment of the part lists its keys
#
# A key that is not set is replaced by nothing, except SYMBOL (by TYPE), …_SYMBOL (by SYMBOL), …_SIGNATURE (by the arguments of that key without
# their defaults) and the two costs (by 1). The head comment of a part, up to its first empty line, is left out.

function value_of(key,    value)
{
	if (key in values)
		return values[key]
	if (key == "SYMBOL")
		return value_of("TYPE")
	if (key ~ /_SIGNATURE$/) {
		value = value_of(substr(key, 1, length(key) - length("_SIGNATURE")))
		gsub(/ DEFAULT [^,]*/, "", value)
		return value
	}
	if (key ~ /_SYMBOL$/)
		return value_of("SYMBOL")
	if (key == "IN_COST" || key == "OUT_COST")
		return 1
	return ""
}

function expand(line,    out, key)
{
	out = ""
	while (match(line, /@[A-Z_]+@/)) {
		key = substr(line, RSTART + 1, RLENGTH - 2)
		out = out substr(line, 1, RSTART - 1) value_of(key)
		line = substr(line, RSTART + RLENGTH)
	}
	return out line
}

function emit_part(    file, line, body, status)
{
	file = parts "/" part ".sql"
	part = ""
	body = 0
	while ((status = (getline line < file)) > 0) {
		if (body)
			print expand(line)
		else if (line == "")
			body = 1
	}
	close(file)
	if (status < 0) {
		print "cannot read " file > "/dev/stderr"
		exit 1
	}
}

/^@use / { if (part != "") emit_part(); part = $2; split("", values); next }
/^@ / {
	key = $2
	sub(/^@ +[A-Z_]+ = ?/, "")
	values[key] = $0
	next
}
{ if (part != "") emit_part(); print }
END { if (part != "") emit_part() }

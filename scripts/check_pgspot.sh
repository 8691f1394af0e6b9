#!/bin/sh
# Do the extension scripts have what pgspot calls unsafe? sh scripts/check_pgspot.sh SCRIPT…     (make check-pgspot)
#
# pgspot (pip install pgspot) reports every name without a schema, PS017. A relocatable extension cannot qualify its own types, tables, aggregates and
# operators, so these are let through, and nothing else: a name of PostgreSQL or of a stranger must be qualified.
set -eu

command -v "${PGSPOT:=pgspot}" >/dev/null || { echo "error: pgspot is missing: pip install pgspot, or name it in PGSPOT" >&2; exit 1; }
bad=0
for script; do
	own=$(sed -nE 's/^CREATE (TYPE|AGGREGATE|OPERATOR CLASS|OPERATOR|DOMAIN|TABLE|UNLOGGED TABLE|VIEW) "?([^ ("]+)"?.*/\2/p' "$script" | sort -u)
	found=$("$PGSPOT" "$script" || true)
	case $found in
	*"Errors: "*) ;;
	*) echo "error: pgspot cannot read $script: $found" >&2; exit 1 ;;
	esac
	strange=$(printf '%s\n' "$found" | grep -E '^ *(PS[0-9]+|[A-Z][a-zA-Z ]+):' | grep -vE '^ *Errors:' |
		while IFS= read -r line; do
			name=$(printf '%s\n' "$line" | sed -n 's/^PS017: Unqualified object reference: \(.*\) at line [0-9]*$/\1/p')
			[ -n "$name" ] && printf '%s\n' "$own" | grep -qxF -e "$name" || printf '%s\n' "$line"
		done)
	if [ -n "$strange" ] || ! printf '%s\n' "$found" | grep -q 'Errors: 0 .*Unknown: 0'; then
		printf '%s\n%s\n' "$script:" "$strange" >&2
		printf '%s\n' "$found" | grep Errors: >&2
		bad=1
	else
		echo "pgspot: $script: nothing"
	fi
done
exit $bad

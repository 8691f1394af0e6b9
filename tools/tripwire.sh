#!/bin/sh
# Writes the tripwire of `make TRIPWIRE=yes`: sh tools/tripwire.sh POSTGRES OBJECT…
#
# Standard output: for every function of the program POSTGRES that the objects call, an assembly function __wrap_<name>
# (x86-64) that jumps to <name>, unless the session is inside pg::guarded: then it calls txtfp_tripwire(<name>), which aborts.
# File descriptor 3 gets one option --wrap=<name> per line for the linker. Arguments stay where they are, so no prototypes are
# needed. Functions that only compute are not wrapped.
set -eu

postgres=$1
shift
offered=$(mktemp)
trap 'rm -f "$offered"' EXIT
nm -D --defined-only "$postgres" | awk '$2 ~ /[TW]/ { print $3 }' | LC_ALL=C sort -u >"$offered"

nm -u "$@" | awk '$1 == "U" { print $2 }' | LC_ALL=C sort -u | LC_ALL=C comm -12 - "$offered" |
	grep -vxE 'pg_v?snprintf|pg_strto.*|pg_strn?casecmp' |
	awk '
		BEGIN { print "\t.section .note.GNU-stack,\"\",@progbits\n\t.text" }
		{
			printf "\t.hidden __wrap_%s\n\t.globl __wrap_%s\n\t.type __wrap_%s, @function\n__wrap_%s:\n", $1, $1, $1, $1
			printf "\tendbr64\n\tcmpl $0, txtfp_inside_guard(%%rip)\n\tjne 1f\n\tjmp *__real_%s@GOTPCREL(%%rip)\n", $1
			printf "1:\tpushq %%rbp\n\tmovq %%rsp, %%rbp\n\tandq $-16, %%rsp\n\tleaq 2f(%%rip), %%rdi\n\tcall txtfp_tripwire\n2:\t.string \"%s\"\n", $1
			print "--wrap=" $1 >"/dev/fd/3"
		}'

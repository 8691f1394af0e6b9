# Prints the machine in one line, for the heads of results: sh bench/machine.sh
printf '%s, %s CPUs, %s, Linux %s, load %s\n' "$(LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1)" "$(nproc)" \
	"$(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo)" "$(uname -r)" "$(cut -d ' ' -f 1 /proc/loadavg)"

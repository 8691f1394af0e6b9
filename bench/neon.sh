#!/bin/sh
# Counts the instructions that the NEON kernels save, under qemu. It does not measure time, because it needs no ARM processor.
#
#     sh bench/neon.sh        as root, after `sh scripts/platforms.sh arm64`, whose chroot (TXTFP_CHROOTS) it uses
#
# Prints for each operation of bench/neon.cpp the number of instructions per unit at the levels baseline and neon, and their ratio. Both
# levels run the same program, built by g++ 12 with -O2 like the extension. To exclude the start of the program, each operation runs once and
# three times, and the difference counts.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
chroots=${TXTFP_CHROOTS:-/var/tmp/txtfp-matrix}
home=$chroots/platforms
[ -e "$home/complete" ] || { echo "error: first run sh scripts/platforms.sh arm64" >&2; exit 1; }

rm -rf --one-file-system "$home/bench"
mkdir -p "$home/bench"
cp -r "$root/src/core" "$root/bench/neon.cpp" "$root/tools/instructions/count.c" "$home/bench/"
cat >"$home/bench/run" <<'END'
set -eu
cd /bench
mkdir -p src && mv core src/
gcc -O2 -fPIC -shared -o count.so count.c
echo 'aarch64-linux-gnu-g++ -std=c++20 -O2 -ffp-contract=off -Isrc -c "$1" -o "$(echo "$1" | tr / _).o"' >compile
ls neon.cpp src/core/*/*.cpp | grep -vE 'core/(compare|passages|trigger|embedding)/' | xargs -P "$(nproc)" -n 1 sh compile
aarch64-linux-gnu-g++ ./*.o -licuuc -o neon
count() { TXTFP_SIMD_LEVEL=$1 qemu-aarch64 -plugin ./count.so ./neon "$2" "$3" 2>&1 | sed -n 's/^instructions //p'; }
printf 'operation\tunit\tbaseline\tneon\tratio\n'
qemu-aarch64 ./neon | while IFS='	' read -r name unit units; do
	times=1
	[ "$units" -gt 1000 ] || times=100
	set -- $(for level in baseline neon; do count $level "$name" $times; count $level "$name" $((3 * times)); done)
	awk -v n="$((2 * times * units))" -v plain=$(($2 - $1)) -v neon=$(($4 - $3)) -v label="$name	$unit" \
		'BEGIN { printf "%s\t%.2f\t%.2f\t%.2f\n", label, plain / n, neon / n, plain / neon }'
done
END
exec chroot "$home" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root sh /bench/run

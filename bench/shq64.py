"""uubed's Shq64 beside ours, whose figures come on standard input (bench/shq64.sh). Median of 25 turns of calls with the same number of
bytes, processor time of all threads; the codes of both must be equal."""
import statistics
import sys
import time

PLANES, TURNS = 64, 25

try:
    import uubed_native
    native = uubed_native.simhash_q64_native
except ImportError:
    native = None
from uubed.encoders.shq64 import simhash_q64 as numpy_form


def made(size):
    return bytes((i * 37 + i // 256 * 11) % 256 for i in range(size))


def measure(function, size):
    data = made(size)
    begun = time.process_time()
    code = function(data, PLANES)
    first = time.process_time() - begun
    calls = 200 if first > 1e-3 else 1000
    calls = max(5, min(calls, int(0.02 / max(first, 1e-6)))) if function is numpy_form else calls
    taken = []
    for _ in range(TURNS):
        start, wall = time.process_time(), time.perf_counter()
        for _ in range(calls):
            function(data, PLANES)
        taken.append((time.process_time() - start, time.perf_counter() - wall))
    cpu, wall = (statistics.median(t[i] for t in taken) / calls * 1e9 for i in (0, 1))
    return cpu, wall, code


print(f"{'form':6} {'bytes':>6} {'uubed ns':>10} {'elapsed':>10} {'ours ns':>9} {'times as fast':>14} {'new shape':>10}")
for line in sys.stdin:
    form, size, ours, first, code = line.split()
    function = native if form == 'rust' else numpy_form
    if function is None:
        print(f'{form:6} {size:>6} {"not here":>10} {"":>10} {ours:>9} {"":>14} {first:>10}')
        continue
    cpu, wall, theirs = measure(function, int(size))
    if theirs != code:
        sys.exit(f'{form}, {size} bytes: {theirs} and {code} differ')
    print(f'{form:6} {size:>6} {cpu:>10.0f} {wall:>10.0f} {ours:>9} {min(cpu, wall) / float(ours):>14.1f} {first:>10}')

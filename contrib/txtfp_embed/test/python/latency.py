#!/usr/bin/env python3
"""latency.py SOCKET HOST PORT: medians of 200 calls: through the socket alone, and by embed() in one session of psql."""
import re
import socket
import statistics
import struct
import subprocess
import sys
import time

path, host, port = sys.argv[1:]
TEXT, MODEL, CALLS = b"where do I find the timetable of the library?", b"minilm", 200


def receive(client, size):
    data = b""
    while len(data) < size:
        data += client.recv(size - len(data))
    return data


def once():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        body = struct.pack("<cBHI", b"q", 0, len(MODEL), 60000) + MODEL + TEXT
        client.sendall(b"TXE1" + struct.pack("<I", len(body)) + body)
        size = struct.unpack("<4sI", receive(client, 8))[1]
        assert receive(client, size)[0] == 0


direct = []
for _ in range(CALLS):
    start = time.perf_counter()
    once()
    direct.append(1000 * (time.perf_counter() - start))
script = "\\timing on\n" + f"SELECT array_length(embed('{TEXT.decode()}', '{MODEL.decode()}'), 1);\n" * CALLS
out = subprocess.run(["psql", "-XqAt", "-h", host, "-p", port, "-d", "postgres"], input=script, capture_output=True, text=True).stdout
in_sql = [float(ms) for ms in re.findall(r"Time: ([\d.]+) ms", out)]
assert len(in_sql) == CALLS, out[:500]
print(f"socket {statistics.median(direct):.2f} ms, embed() in SQL {statistics.median(in_sql):.2f} ms")

#!/usr/bin/env python3
"""latency.py MODEL SOCKET HOST PORT PID [ROUNDS]: what the socket and SQL add to the time of the model itself.

The same query in turns: by onnxruntime and tokenizers in this process (the time of the model; one thread), through the socket on a new
connection, and by embed() in one session of psql. Medians of 300 rounds, or another number, and the differences within a round: their median, and the first
decile. On a machine that does other things these times include waiting for a processor, so the second line has processor times: of the model
here, of the program (PID) and of the server process, for one call.
"""
import pathlib
import re
import socket
import statistics
import struct
import subprocess
import sys
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer

folder, path, host, port, program = sys.argv[1:6]
TEXT, MODEL, WARM_UP = "where do I find the timetable of the library?", "minilm", 20
ROUNDS = int(sys.argv[6]) if len(sys.argv) > 6 else 300

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(str(pathlib.Path(folder) / "model.onnx"), options)
tokenizer = Tokenizer.from_file(str(pathlib.Path(folder) / "tokenizer.json"))
tokenizer.no_padding()


def alone():
    start = time.perf_counter()
    encoding = tokenizer.encode(TEXT)
    ids, mask = numpy.array([encoding.ids]), numpy.array([encoding.attention_mask])
    session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})
    return 1000 * (time.perf_counter() - start)


def receive(client, size):
    data = b""
    while len(data) < size:
        data += client.recv(size - len(data))
    return data


def by_socket():
    start = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        body = struct.pack("<cBHI", b"q", 0, len(MODEL), 60000) + MODEL.encode() + TEXT.encode()
        client.sendall(b"TXE1" + struct.pack("<I", len(body)) + body)
        size = struct.unpack("<4sI", receive(client, 8))[1]
        assert receive(client, size)[0] == 0
    return 1000 * (time.perf_counter() - start)


psql = subprocess.Popen(["psql", "-XqAt", "-h", host, "-p", port, "-d", "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
psql.stdin.write("\\timing on\n")


def ask(query):
    psql.stdin.write(query + ";\n")
    psql.stdin.flush()


def processor_ms(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def by_sql():
    ask(f"SELECT array_length(embed('{TEXT}', '{MODEL}'), 1)")
    for line in psql.stdout:
        found = re.match(r"Time: ([\d.]+) ms", line)
        if found:
            return float(found[1])
    sys.exit("psql ended")


ask("SELECT pg_backend_pid()")
backend = next(int(line) for line in psql.stdout if line.strip().isdigit())
for _ in range(WARM_UP):
    alone(), by_socket(), by_sql()
rounds, own = [], 0
before = processor_ms(program), processor_ms(backend)
for _ in range(ROUNDS):
    start = time.process_time()
    row = [alone()]
    own += 1000 * (time.process_time() - start)
    rounds.append(row + [by_socket(), by_sql()])
of_program, of_backend = (processor_ms(pid) - then for pid, then in zip((program, backend), before))
psql.stdin.close()
model, through_socket, in_sql = (statistics.median(values) for values in zip(*rounds))


def added(column):
    differences = [row[column] - row[0] for row in rounds]
    return f"adds {statistics.median(differences):.2f} (first decile {statistics.quantiles(differences, n=10)[0]:.2f})"


print(f"model {model:.2f} ms; socket {through_socket:.2f} ms, {added(1)}; embed() in SQL {in_sql:.2f} ms, {added(2)}")
print(f"processor time of a call: model {own / ROUNDS:.2f} ms; program {of_program / 2 / ROUNDS:.2f}; server process {of_backend / ROUNDS:.2f}")

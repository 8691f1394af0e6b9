"""Parquet and Arrow IPC files with changed bytes: each is read, or refused by an error that names it. Every file is read in a process of its own, so
that a crash is counted and the next file is read.

TXTFP_DAMAGED_FILES=N files (20,000 with TXTFP_LONG, otherwise 150), TXTFP_SEED=N others.
"""

from __future__ import annotations

import collections
import io
import os
import pathlib
import random
import subprocess
import sys
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")
import pyarrow.parquet as pq

from txtfp.datasets import open_dataset
from txtfp.errors import FileError

TEXTS = [f"text number {i} " * (i % 7 + 1) if i % 5 else None for i in range(400)]
NAMES = [f"document {i}" for i in range(400)]

# Reads files, whose names are the lines of its input, as `deduplicate` does: what it finds out about each is a line of its output.
READER = r"""
import faulthandler, os, resource, signal, sys, warnings
from txtfp import core, errors
from txtfp.datasets import open_dataset
import pyarrow
import pyarrow.compute
import pyarrow.parquet

pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)


def outcome(name):
    try:
        rows = open_dataset(name, text="text", id="id")
        batches = list(rows.batches())
        if batches:
            table = pyarrow.Table.from_batches(batches)
            core.fingerprints(table["text"])
            core._names(table["id"])(pyarrow.compute.sort_indices(table["id"]).to_numpy())
            pyarrow.parquet.write_table(table, "/dev/null")
        return "read"
    except errors.Error as error:
        return "refused" if name in str(error) or not isinstance(error, errors.FileError) else f"refused without its name: {error!r}"
    except MemoryError:
        return "memory"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


for line in sys.stdin:
    name = line.rstrip("\n")
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.enable()
        signal.alarm(60)
        print(" ".join(outcome(name).split())[:300], flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        print(f"crashed: signal {status & 127}, status {status >> 8}", flush=True)
"""


def whole_files() -> list[tuple[str, bytes]]:
    files = []
    table = pa.table({"id": NAMES, "text": TEXTS, "list": [[i] * (i % 3) for i in range(400)], "both": [{"a": i, "b": str(i)} for i in range(400)]})
    for options in (
        {},
        {"compression": "none"},
        {"use_dictionary": False},
        {"data_page_version": "2.0", "compression": "gzip"},
        {"row_group_size": 100, "compression": "zstd"},
        {"use_dictionary": False, "column_encoding": {"id": "DELTA_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY"}},
    ):
        out = io.BytesIO()
        pq.write_table(table, out, **options)
        files.append((".parquet", out.getvalue()))
    texts = [pa.array(TEXTS), pa.array(TEXTS).dictionary_encode(), pa.array(TEXTS, pa.large_string())]
    if hasattr(pa, "string_view"):
        texts.append(pa.array(TEXTS, pa.string_view()))
    for i, column in enumerate(texts):
        changed = table.set_column(1, "text", column).set_column(0, "id", [pa.array(NAMES), pa.array(range(400)), pa.array(NAMES).dictionary_encode()][i % 3])
        for new in pa.ipc.new_file, pa.ipc.new_stream:
            for compression in None, "lz4", "zstd":
                out = io.BytesIO()
                with new(out, changed.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
                    writer.write_table(changed, max_chunksize=150)
                files.append((".arrow", out.getvalue()))
    return files


def damaged(rng: random.Random, whole: bytes) -> bytes:
    """Bytes, numbers and bits are changed, and pieces are cut out or repeated, mostly in one or two places, often at the end, where the schema is."""
    data = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data)) if rng.random() < 0.6 else rng.randrange(max(0, len(data) - 600), len(data))
        how = rng.randrange(6)
        if how == 0:
            data[at] = rng.randrange(256)
        elif how == 1:
            data[at : at + 4] = rng.choice([b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\1\0\0\0"])
        elif how == 2:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 3:
            del data[at : at + rng.randrange(1, 9)]
        elif how == 4:
            at -= at % 4
            data[at : at + 4] = (int.from_bytes(data[at : at + 4], "little") + rng.choice([-8, -1, 1, 8, 1 << 16]) & 0xFFFFFFFF).to_bytes(4, "little")
        else:
            source = rng.randrange(len(data))
            data[at : at + 16] = data[source : source + 16]
    return bytes(data)


def test_damaged_files(tmp_path: pathlib.Path) -> None:
    files = int(os.environ.get("TXTFP_DAMAGED_FILES", 20_000 if os.environ.get("TXTFP_LONG") else 150))
    seed = int(os.environ.get("TXTFP_SEED", 1))
    rng = random.Random(seed)
    whole = whole_files()
    errors = tmp_path / "errors"
    with open(errors, "w") as log:
        reader = subprocess.Popen([sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        assert reader.stdin is not None and reader.stdout is not None
        counts: collections.Counter[str] = collections.Counter()
        wrong = []
        for i in range(files):
            suffix, data = whole[i] if i < len(whole) else rng.choice(whole)
            if i >= len(whole):
                data = damaged(rng, data)
            path = tmp_path / f"file{i}{suffix}"
            path.write_bytes(data)
            print(path, file=reader.stdin, flush=True)
            outcome = reader.stdout.readline().strip()
            counts[outcome.split(":")[0]] += 1
            if outcome not in ("read", "refused") or (i < len(whole) and outcome != "read"):
                wrong.append(f"{path.name}: {outcome}")
                if keep := os.environ.get("TXTFP_KEEP"):
                    (pathlib.Path(keep) / f"{seed}-{path.name}").write_bytes(data)
            path.unlink()
        reader.stdin.close()
        reader.wait()
    print(f"seed {seed}: {dict(counts)}")
    assert not wrong, "\n".join(wrong[:20]) + "\n" + errors.read_text()[:4000]
    assert counts["read"] > files / 20 and counts["refused"] > files / 20


def test_a_name_that_is_no_utf8(tmp_path: pathlib.Path) -> None:
    table = pa.table({"id": [1], "text": ["a"], "é": [1]})
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    path = tmp_path / "name.arrow"
    path.write_bytes(out.getvalue().replace("é".encode(), b"\xff\xff"))
    with pytest.raises(FileError, match="name.arrow"):
        open_dataset(str(path), text="text", id="id")

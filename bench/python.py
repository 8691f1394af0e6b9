"""Figures of the Python package: python3 bench/python.py PART… in an environment with txtfp[files], psycopg and the peers (bench/python.sh makes one).

  columns   minhash128 of 100,000 texts in an Arrow array, with one thread and two, beside the core alone (bench/python.cpp) and the others
  peers     20,000 documents in Parquet deduplicated by fingerprints, beside text-dedup, and semhash without its model
  files     a million documents of 400 characters in Parquet: read, deduplicate with exact verification, write
  copy      100,000 rows into the server that PGHOST names, beside the command line's stream ($TXTFP, build/txtfp) and psql
  import    import txtfp, import txtfp.core; the size of the installed extension module
  spark     the same clusters with one worker and with two, each of which is bound to a processor of its own

Times are medians of three, wall clock; where a line says "processor", processor time, which depends less on what else runs.
"""

from __future__ import annotations

import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WORK = pathlib.Path(os.environ.get("TXTFP_BENCH", tempfile.gettempdir())) / "txtfp-python-bench"


def seconds(call: Callable[[], Any], rounds: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    times = []
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times)


def documents(n: int, characters: int = 400, seed: int = 1) -> list[str]:
    """Texts of frequent and rare words; every tenth is an earlier one with a changed word."""
    rng = np.random.default_rng(seed)
    words = ["".join(random.Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=2 + i % 9)) for i in range(50000)]
    per_text = characters // 7
    chosen = np.minimum(rng.zipf(1.2, size=(n, per_text)) - 1, 10**6) % len(words)
    texts = [" ".join(words[w] for w in row) for row in chosen]
    for i in range(9, n, 10):
        copied = texts[int(rng.integers(i))].split()
        copied[int(rng.integers(len(copied)))] = "changed"
        texts[i] = " ".join(copied)
    return [text[:characters] for text in texts]


def columns() -> None:
    from txtfp import core

    texts = documents(100_000)
    array = pa.array(texts)
    file = WORK / "texts"
    file.write_text("\n".join(texts) + "\n")
    program = os.environ.get("TXTFP_BENCH_CORE")
    if program:
        alone, keeping = map(float, subprocess.check_output([program, str(file)]).split())
        print(f"core alone, processor        {alone:.3f} s, {keeping:.3f} s if it keeps the sketches")
    core.fingerprints(array)
    best = min(seconds(lambda: core.fingerprints(array, threads=1), 1, time.process_time) for _ in range(5))
    compared = f"   {alone / best:.2f} and {keeping / best:.2f} x the core's speed" if program else ""
    print(f"txtfp one thread, processor  {best:.3f} s{compared}")
    rounds = [[seconds(lambda: core.fingerprints(array, threads=threads), 1) for threads in (1, 2)] for _ in range(9)]
    one, two = map(min, zip(*rounds))
    print(f"txtfp one thread, two        {one:.3f} s, {two:.3f} s   {one / two:.2f} x, the least of nine by turns")
    others(texts)


def others(texts: list[str]) -> None:
    shingles = [[" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))] for words in map(str.split, texts[:10_000])]
    try:
        import datasketch

        def with_datasketch() -> None:
            for tokens in shingles:
                sketch = datasketch.MinHash(num_perm=128)
                sketch.update_batch([token.encode() for token in tokens])

        print(f"datasketch {datasketch.__version__}, tokens given   {10 * seconds(with_datasketch, 1, time.process_time):.2f} s, processor, from 10,000 texts")
    except ImportError:
        print("datasketch is not installed")
    try:
        import rensa

        def with_rensa() -> None:
            for tokens in shingles:
                sketch = rensa.RMinHash(num_perm=128, seed=42)
                sketch.update(tokens)

        print(f"rensa, tokens given          {10 * seconds(with_rensa, 1, time.process_time):.2f} s, processor, from 10,000 texts")
    except ImportError:
        print("rensa is not installed")


def processor_of(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


SEMHASH = """
import sys, numpy, pyarrow.parquet, semhash, time
texts = pyarrow.parquet.read_table(sys.argv[1])["text"].to_pylist()
vectors = numpy.random.default_rng(1).normal(size=(len(texts), 256)).astype("float32")
start = time.process_time()
semhash.SemHash.from_embeddings(vectors, texts, model=None).self_deduplicate(threshold=0.9)
print(time.process_time() - start)
"""


def peers() -> None:
    path, rows = WORK / "peers.parquet", 20_000
    pq.write_table(pa.table({"id": pa.array(range(rows), pa.int64()), "text": documents(rows)}), path)
    own = processor_of([sys.executable, "-m", "txtfp", "dedup", str(path), "-o", str(WORK / "kept.parquet"), "--threshold", "0.8"])
    print(f"dedup of {rows:,} documents     {own:.2f} s, processor, of the whole program")
    try:
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            source = ["--path", "parquet", "--data_files", str(path), "--split", "train", "--cache_dir", folder, "--output", f"{folder}/out"]
            options = ["--column", "text", "--ngram", "5", "--num_perm", "128", "--threshold", "0.8", "--hash_func", "xxh3", "--num_proc", "2"]
            other = processor_of([sys.executable, "-m", "text_dedup.minhash", *source, *options])
        print(f"  text-dedup                 {other:.2f} s, {other / own:.0f} times as long")
    except subprocess.CalledProcessError:
        print("text-dedup is not installed")
    try:
        other = float(subprocess.check_output([sys.executable, "-c", SEMHASH, str(path)], stderr=subprocess.DEVNULL))
        print(f"  semhash, vectors given     {other:.2f} s, {other / own:.0f} times as long; its model comes on top")
    except subprocess.CalledProcessError:
        print("semhash is not installed")


def million() -> pathlib.Path:
    rows = int(os.environ.get("ROWS", 1_000_000))
    path = WORK / f"docs-{rows}.parquet"
    if not path.exists():
        texts = documents(rows)
        pq.write_table(pa.table({"id": pa.array(range(len(texts)), pa.int64()), "text": texts}), path, compression="zstd", row_group_size=50_000)
    return path


def files() -> None:
    path = million()
    program = [sys.executable, "-m", "txtfp", "dedup", str(path), "-o", str(WORK / "kept.parquet"), "--verify", "jaccard", "--threshold", "0.8"]
    rounds = int(os.environ.get("ROUNDS", 3))
    elapsed = seconds(lambda: subprocess.run(program, check=True), rounds)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = pq.read_metadata(path).num_rows
    print(f"dedup of {rows:,} documents, verified {elapsed:.1f} s, at most {1024 * used.ru_maxrss / 1e9:.2f} GB, {(used.ru_utime + used.ru_stime) / rounds:.1f} s of processor")


def copy() -> None:
    import psycopg

    from txtfp import core, files

    texts = documents(100_000)
    batch = pa.RecordBatch.from_pydict({"id": pa.array(range(len(texts)), pa.int64()), "text": texts})
    source = WORK / "copy.jsonl"
    if not source.exists():
        import json

        source.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)))
    sent = pq.ParquetWriter(WORK / "copy.parquet", batch.schema)
    sent.write_batch(batch)
    sent.close()
    with psycopg.connect(autocommit=True) as conn:
        conn.execute("DROP TABLE IF EXISTS bench_copy; CREATE TABLE bench_copy (id bigint, fp minhash128)")

        def by_python() -> None:
            conn.execute("TRUNCATE bench_copy")
            batches = files.fingerprinted_batches(str(WORK / "copy.parquet"), fields=["id"])
            assert files.to_postgres(batches, conn, "bench_copy") == len(texts)

        def by_program() -> None:
            conn.execute("TRUNCATE bench_copy")
            make = f"{os.environ.get('TXTFP', 'build/txtfp')} fingerprint --quiet --to copy {source}"
            subprocess.run(f"{make} | psql -Xq -c 'COPY bench_copy FROM STDIN (FORMAT binary)'", shell=True, check=True)

        pairs = [(seconds(by_python, 1), seconds(by_program, 1)) for _ in range(3)]
    python, program = (statistics.median(times) for times in zip(*pairs))
    print(f"copy of 100,000 rows         Python {python:.2f} s, command line and psql {program:.2f} s   {python / program:.2f}")
    fingerprints = core.fingerprints(texts)
    rows = pa.RecordBatch.from_arrays([batch.column(0), fingerprints.to_arrow()], names=["id", "fp"])
    with psycopg.connect(autocommit=True) as conn:
        print(f"  of which sending           {seconds(lambda: files.to_postgres([rows], conn, 'bench_copy')):.2f} s")


def imports() -> None:
    def start(what: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", what], check=True), 15)

    empty = start("pass")
    for module in "txtfp", "txtfp.core", "txtfp.psycopg":
        used = min(processor_of([sys.executable, "-c", f"import {module}"]) for _ in range(10))
        used -= min(processor_of([sys.executable, "-c", "pass"]) for _ in range(10))
        print(f"import {module:21} {1000 * (start(f'import {module}') - empty):.0f} ms, {1000 * used:.0f} of processor")
    from txtfp import _core

    print(f"extension module             {os.path.getsize(_core.__file__) / 1e6:.2f} MB")


# Without this, one worker uses both processors: its JVM compiles, collects garbage and feeds Python beside its task.
BOUND_JAVA = """#!/bin/sh
case " $* " in
*" --executor-id 0 "*) exec taskset -c 0 {java} "$@" ;;
*" --executor-id 1 "*) exec taskset -c 1 {java} "$@" ;;
esac
exec {java} "$@"
"""


def bound_java() -> str:
    """A folder for JAVA_HOME whose java binds executors."""
    home = WORK / "java"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    (home / "bin" / "java").write_text(BOUND_JAVA.format(java=os.path.realpath(shutil.which("java") or "java")))
    (home / "bin" / "java").chmod(0o755)
    return str(home)


def spark() -> None:
    script = """
import statistics, sys, time
import pyarrow.parquet
from pyspark.sql import SparkSession
from txtfp import spark
workers, path = sys.argv[1:]
session = (SparkSession.builder.master(f"local-cluster[{workers},1,2560]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.executor.memory", "2g")
           .config("spark.sql.shuffle.partitions", "32").config("spark.sql.files.maxPartitionBytes", "8m").getOrCreate())


def clusters(documents):
    start = time.monotonic()
    found = spark.near_duplicate_clusters(spark.with_fingerprints(documents), 0.8)
    found.select("id", "cluster").write.mode("overwrite").parquet(path + ".clusters")
    elapsed = time.monotonic() - start
    session.catalog.clearCache()
    return elapsed


clusters(session.read.parquet(path).limit(20000).repartition(8))  # the workers compile meanwhile, as in the first round
elapsed = statistics.median(clusters(session.read.parquet(path)) for _ in range(3))
table = pyarrow.parquet.read_table(path + ".clusters")
rows = sorted(zip(table["id"].to_pylist(), table["cluster"].to_pylist()))
print(len(rows), hash(tuple(rows)), elapsed)
session.stop()
"""
    path = million()
    from txtfp import core

    table = core.near_duplicate_clusters(core.fingerprints(pq.read_table(path)["text"]), 0.8)
    rows = sorted(zip(table["id"].to_pylist(), table["cluster"].to_pylist()))
    local = [str(len(rows)), str(hash(tuple(rows)))]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["JAVA_HOME"] = bound_java()
    times = {}
    for workers in "1", "2":
        *found, elapsed = subprocess.check_output([sys.executable, "-c", script, workers, str(path)], text=True).split()
        assert found == local, (found, local)
        times[workers] = float(elapsed)
    print(f"Spark, one worker and two    {times['1']:.1f} s, {times['2']:.1f} s   {times['1'] / times['2']:.2f} x, {len(rows)} rows in the clusters of the local join")


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    parts = {"columns": columns, "peers": peers, "files": files, "copy": copy, "import": imports, "spark": spark}
    for part in sys.argv[1:] or parts:
        parts[part]()

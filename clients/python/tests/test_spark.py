"""Spark with two workers on this machine, one of which is killed. Runs where PySpark and Java are, and only if TXTFP_SPARK is set: it takes a minute."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import sys
import threading
import time
from typing import Any, Iterator

import pytest

if "TXTFP_SPARK" not in os.environ:
    pytest.skip("TXTFP_SPARK is not set", allow_module_level=True)
pyspark = pytest.importorskip("pyspark")
pytest.importorskip("txtfp._core")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

import pyarrow as pa

from test_files import documents
from txtfp import core
from txtfp import spark as spark_joins


@pytest.fixture(scope="module")
def session(tmp_path_factory: Any) -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # memory and the number of partitions suit a test
    session = (
        pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setCheckpointDir(str(tmp_path_factory.mktemp("checkpoints")))
    yield session
    session.stop()


TABLE = documents(1500, seed=5)
# copies, whose sketches are equal
TABLE = pa.concat_tables([TABLE, TABLE.slice(0, 200).set_column(0, "id", pa.array(range(5000, 5200), pa.int64()))])
FINGERPRINTS = core.fingerprints(TABLE["text"])


@pytest.fixture(scope="module")
def frame(session: Any) -> Any:
    frame = session.createDataFrame(TABLE.select(["id", "text"]).to_pandas()).repartition(6)
    return spark_joins.with_fingerprints(frame)


def executors(session: Any) -> list[int]:
    """The processes of the workers of this session."""
    application = session.sparkContext.applicationId.encode()
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and application in command and b"java" in command.split(b"\0")[0]:
            found.append(int(folder.name))
    return found


def test_fingerprints(frame: Any) -> None:
    expected = {row: fp.to_binary() for row, fp in zip(TABLE["id"].to_pylist(), FINGERPRINTS)}
    assert {row.id: bytes(row.fp) for row in frame.collect()} == expected


def test_pairs(frame: Any) -> None:
    expected = core.near_duplicate_pairs(FINGERPRINTS, 0.8, ids=TABLE["id"])
    rows = spark_joins.near_duplicate_pairs(frame, 0.8).collect()
    pairs = sorted((row.a, row.b, row.similarity) for row in rows)
    assert pairs == sorted(tuple(row.values()) for row in expected.to_pylist()) and len(pairs) > 300


def test_a_worker_is_killed(session: Any, frame: Any) -> None:
    expected = core.near_duplicate_clusters(FINGERPRINTS, 0.8, ids=TABLE["id"]).drop(["similarity"])
    # with one worker, Spark starts another in its place
    deadline = time.monotonic() + 60
    while len(executors(session)) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    victims = executors(session)
    assert len(victims) == 2
    killed = threading.Event()

    def kill() -> None:
        tracker = session.sparkContext.statusTracker()
        while not tracker.getActiveStageIds():
            time.sleep(0.01)
        time.sleep(1)  # in the middle: some stages are done, and their results are lost with the worker
        assert tracker.getActiveStageIds()
        os.kill(victims[0], signal.SIGKILL)
        killed.set()

    thread = threading.Thread(target=kill)
    thread.start()
    clusters = spark_joins.near_duplicate_clusters(frame.repartition(6), 0.8).collect()
    thread.join()
    assert killed.is_set() and victims[0] not in executors(session)
    rows = sorted((row.id, row.cluster, row["size"]) for row in clusters)
    assert rows == sorted(tuple(row.values()) for row in expected.to_pylist()) and len(rows) > 150


@pytest.mark.parametrize("local_pairs", [spark_joins.LOCAL_PAIRS, 0])
def test_long_chains(session: Any, monkeypatch: Any, local_pairs: int) -> None:
    """A chain of nodes in random order is one component, in one task and by the rounds of many."""
    import random

    monkeypatch.setattr(spark_joins, "LOCAL_PAIRS", local_pairs)
    nodes = list(range(60))
    random.Random(1).shuffle(nodes)
    pairs = session.createDataFrame([(min(p), max(p)) for p in zip(nodes, nodes[1:])] + [(500, 501)], "a long, b long")
    labels = {row.id: row.cluster for row in spark_joins.connected_components(pairs).collect()}
    assert labels == {**dict.fromkeys(range(60), 0), 500: 500, 501: 500}


def test_no_pairs(session: Any) -> None:
    empty = session.createDataFrame([], "a string, b string")
    assert spark_joins.connected_components(empty).collect() == []
    texts = session.createDataFrame([("x", "one text that stands alone"), ("y", None)], "id string, text string")
    fingerprints = spark_joins.with_fingerprints(texts)
    assert spark_joins.near_duplicate_clusters(fingerprints).collect() == spark_joins.near_duplicate_pairs(fingerprints).collect() == []


def test_ids_are_strings_and_most_rows_are_copies(session: Any) -> None:
    texts = [f"a text that many rows have {'and one more word' * (i % 3 == 0)}" for i in range(60)] + ["something else that nobody has"]
    frame = session.createDataFrame([(f"row {i:03}", text) for i, text in enumerate(texts)], "id string, text string")
    fingerprints = spark_joins.with_fingerprints(frame)
    groups = [[f"row {i:03}" for i in range(60) if (i % 3 == 0) == first] for first in (True, False)]
    expected = {(a, b) for group in groups for a in group for b in group if a < b}
    assert {(row.a, row.b) for row in spark_joins.near_duplicate_pairs(fingerprints, 0.95).collect()} == expected
    rows = spark_joins.near_duplicate_clusters(fingerprints, 0.95).collect()
    assert sorted((row.id, row.cluster, row["size"]) for row in rows) == sorted((id, group[0], len(group)) for group in groups for id in group)


def test_refused(frame: Any) -> None:
    with pytest.raises(ValueError, match="simhash64 is not joined on Spark"):
        spark_joins.near_duplicate_pairs(frame, 0.8, kind="simhash64")
    with pytest.raises(Exception, match="share a band, more than the cap of 2"):
        crowd = frame.sparkSession.createDataFrame([(i, " ".join(["many words that are the same for all"] * 30) + f" {i}") for i in range(50)], "id long, text string")
        spark_joins.near_duplicate_pairs(spark_joins.with_fingerprints(crowd), 0.8, cap=2).collect()

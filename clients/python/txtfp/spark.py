"""Near-duplicates on Spark, where one machine ends. The workers need this package, NumPy and pyarrow.

    frame = with_fingerprints(spark.read.parquet("docs"), text="body").persist()
    pairs = near_duplicate_pairs(frame, 0.8)
    clusters = near_duplicate_clusters(frame, 0.8)

The pairs are those of ``txtfp.core.near_duplicate_pairs``: of each sketch its compact form is sent to the buckets of its bands, where the core finds
candidates without losing one; these are compared by their full sketches. Equal sketches are joined once.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Callable, Iterator

import numpy
import pyarrow
from pyarrow import compute
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, DoubleType, StructField, StructType

from . import _core, core
from .errors import InvalidParameter

__all__ = ["connected_components", "near_duplicate_clusters", "near_duplicate_pairs", "with_fingerprints"]

DEFAULT_CAP = 100_000
LOCAL_PAIRS = 1 << 22  # so many fit into the memory of one task


def with_fingerprints(frame: DataFrame, text: str = "text", column: str = "fp", **options: Any) -> DataFrame:
    """The frame with one more column, the fingerprints of a column of texts; ``options`` are those of ``txtfp.core.fingerprints``."""
    schema = StructType([*frame.schema.fields, StructField(column, BinaryType())])
    options = {"threads": 1, **options}

    def add(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            fingerprints = core.fingerprints(batch.column(text), **options).to_arrow().cast(pyarrow.binary())
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, fingerprints], names=schema.names)

    return frame.mapInArrow(add, schema)


def near_duplicate_pairs(
    frame: DataFrame,
    threshold: float = 0.8,
    *,
    id: str = "id",
    column: str = "fp",
    kind: str = "minhash128",
    recall: float = 0.99,
    cap: int = DEFAULT_CAP,
) -> DataFrame:
    """Every pair of near-duplicates once: (a, b, similarity), with a < b.

    The frame is read several times; its ids and fingerprints are persisted for that, unless the frame is. ``cap`` limits how many different
    sketches may share a band; more are an error, since one task has them all in memory.
    """
    join = _Join(frame, threshold, id, column, kind, recall, cap)
    heads = join.head_pairs()
    # all members of the two groups of a pair, and all pairs within a group
    members = join.groups.where("size(copies) > 0").select("head", F.explode(F.concat(F.array("head"), "copies")).alias("id"))
    left, right = (members.select(F.col("head").alias(side), F.col("id").alias(f"{side}_id")) for side in "ab")
    across = (
        heads.join(left, "a", "left")
        .join(right, "b", "left")
        .select(F.coalesce("a_id", "a").alias("a"), F.coalesce("b_id", "b").alias("b"), "similarity")
    )
    within = (
        members.alias("x")
        .join(members.alias("y"), F.expr("x.head = y.head AND x.id < y.id"))
        .select(F.col("x.id").alias("a"), F.col("y.id").alias("b"), F.lit(1.0).alias("similarity"))
    )
    both = across.unionByName(within)
    return both.select(F.least("a", "b").alias("a"), F.greatest("a", "b").alias("b"), "similarity")


def near_duplicate_clusters(
    frame: DataFrame,
    threshold: float = 0.8,
    *,
    id: str = "id",
    column: str = "fp",
    kind: str = "minhash128",
    recall: float = 0.99,
    cap: int = DEFAULT_CAP,
) -> DataFrame:
    """The connected components of near-duplicates: (id, cluster, size) for every row that is not alone; cluster is the smallest id."""
    join = _Join(frame, threshold, id, column, kind, recall, cap)
    copies = join.groups.select(F.col("head").alias("a"), F.explode("copies").alias("b"))
    labels = connected_components(join.head_pairs().select("a", "b").unionByName(copies))
    return labels.withColumn("size", F.count("*").over(Window.partitionBy("cluster")))


class _Join:
    def __init__(
        self, frame: DataFrame, threshold: float, id: str, column: str, kind: str, recall: float, cap: int
    ) -> None:
        if not kind.startswith("minhash"):
            raise InvalidParameter(f"{kind} is not joined on Spark", None, "Kinds of sketches are minhash64, minhash128 and minhash256.")
        self.kind = kind
        self.bands, self.rows = core.banding(kind, threshold, recall)
        self.bound = _core.bound(kind, threshold)
        self.cap = cap
        self.sketches = frame.select(F.col(id).alias("id"), F.col(column).alias("fp")).where("fp IS NOT NULL")
        if frame.storageLevel == StorageLevel.NONE:
            self.sketches = self.sketches.persist(StorageLevel.MEMORY_AND_DISK)
        self.id_type = self.sketches.schema["id"].dataType
        self.groups = self._groups().persist(StorageLevel.MEMORY_AND_DISK)

    def _groups(self) -> DataFrame:
        """The distinct sketches: head (the smallest id), the other ids with the sketch, and its compact form."""
        kind = self.kind
        schema = StructType(
            [
                StructField("head", self.id_type),
                StructField("copies", ArrayType(self.id_type)),
                StructField("sketch", BinaryType()),
            ]
        )

        def digest(batch: Any) -> Any:
            sketches = batch.column("fp")
            digests: Any = numpy.frombuffer(b"".join(sha256(sketch).digest() for sketch in sketches.to_pylist()), "V32")
            if not kind.endswith("_compact"):
                sketches = core.compact(sketches, threads=1).to_arrow().cast(pyarrow.binary())
            columns = [pyarrow.array(digests, pyarrow.binary(32)), batch.column("id"), sketches]
            return digests.view("<u8")[::4], pyarrow.RecordBatch.from_arrays(columns, names=["digest", "id", "sketch"])

        def fold(rows: Any) -> Iterator[Any]:
            order = compute.sort_indices(rows, [("digest", "ascending"), ("id", "ascending")])
            ids, sketches = rows["id"].take(order).combine_chunks(), rows["sketch"]
            digests: Any = numpy.frombuffer(rows["digest"].take(order).combine_chunks().buffers()[1], "V32", rows.num_rows)
            first = numpy.flatnonzero(numpy.concatenate([[True], digests[1:] != digests[:-1]]))
            others = numpy.ones(rows.num_rows, bool)
            others[first] = False
            offsets = numpy.concatenate([first, [rows.num_rows]]) - numpy.arange(len(first) + 1)
            copies = pyarrow.ListArray.from_arrays(pyarrow.array(offsets, pyarrow.int32()), ids.filter(pyarrow.array(others)))
            heads = pyarrow.array(first)
            yield from _batches([ids.take(heads), copies, sketches.take(order.take(heads)).combine_chunks()], schema)

        return _exchange(self.sketches, digest, fold, schema)

    def head_pairs(self) -> DataFrame:
        """(a, b, similarity) among heads."""
        schema = StructType([StructField("a", self.id_type), StructField("b", self.id_type)])
        bound, bands, rows, cap = self.bound, self.bands, self.rows, self.cap

        def band(batch: Any) -> Any:
            """Each distinct sketch once for each of its bands."""
            keys = core.band_keys(batch.column("sketch"), bands, rows, threads=1).ravel()
            repeated = pyarrow.array(numpy.repeat(numpy.arange(batch.num_rows), bands))
            columns = [pyarrow.array(keys), batch.column("head").take(repeated), batch.column("sketch").take(repeated)]
            return keys.view("u8"), pyarrow.RecordBatch.from_arrays(columns, names=["key", "head", "sketch"])

        def find(bucketed: Any) -> Iterator[Any]:
            a, b = _core.candidates(bucketed["sketch"], bucketed["key"].to_numpy(), bound, bands, rows, cap)
            heads = bucketed["head"].combine_chunks()
            yield from _batches([heads.take(pyarrow.array(rows)) for rows in (a, b)], schema)

        return self._verified(_exchange(self.groups.select("head", "sketch"), band, find, schema))

    def _verified(self, candidates: DataFrame) -> DataFrame:
        """Those whose full sketches are similar and share a band, as the local join demands."""
        schema = StructType([*candidates.schema.fields, StructField("similarity", DoubleType())])
        bands, rows, slots, bound = self.bands, self.rows, core.TYPES[self.kind].slots, self.bound  # type: ignore[attr-defined]
        least = _least_similarity(self.kind, bound, slots)

        def verify(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                a, b = batch.column("a_fp"), batch.column("b_fp")
                similarities = core.distances(a, b, threads=1)
                keys = [core.band_keys(column, bands, rows, threads=1) for column in (a, b)]
                true = pyarrow.array((similarities >= least) & (keys[0] == keys[1]).any(axis=1))
                columns = [batch.column("a"), batch.column("b"), pyarrow.array(similarities)]
                yield pyarrow.RecordBatch.from_arrays([column.filter(true) for column in columns], names=schema.names)

        left, right = (self.sketches.select(F.col("id").alias(side), F.col("fp").alias(f"{side}_fp")) for side in "ab")
        return candidates.join(left, "a").join(right, "b").select("a", "b", "a_fp", "b_fp").mapInArrow(verify, schema)


def _exchange(frame: DataFrame, prepare: Callable[[Any], Any], finish: Callable[[Any], Iterator[Any]], schema: StructType) -> DataFrame:
    """Rows with the same number meet in one task: ``prepare`` makes numbers and rows of a batch, ``finish`` gets a table of those of its task.

    The rows travel in pieces, of which each is a record batch: Spark moves a few thousand long rows instead of millions of short ones.
    """
    parts = 4 * int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)  # several for each task, so that tasks are about equal

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if not batch.num_rows:
                continue
            numbers, rows = prepare(batch)
            part = (numbers % numpy.uint64(parts)).astype(numpy.int32)
            order = numpy.argsort(part, kind="stable")
            rows, found, begin = rows.take(pyarrow.array(order)), *numpy.unique(part[order], return_index=True)
            ends = [*begin[1:], len(part)]
            pieces = [_to_bytes(rows.slice(first, end - first)) for first, end in zip(begin, ends)]
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array(found), pyarrow.array(pieces, pyarrow.binary())], names=["part", "piece"])

    def join(batches: Iterator[Any]) -> Iterator[Any]:
        pieces = [pyarrow.ipc.open_stream(piece.as_buffer()).read_all() for batch in batches for piece in batch.column("piece")]
        if pieces:
            yield from finish(pyarrow.concat_tables(pieces))

    return frame.mapInArrow(cut, "part int, piece binary").repartition("part").mapInArrow(join, schema)


def _to_bytes(batch: Any) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _batches(columns: list[Any], schema: StructType, size: int = 1 << 16) -> Iterator[Any]:
    for first in range(0, len(columns[0]), size):
        yield pyarrow.RecordBatch.from_arrays([column.slice(first, size) for column in columns], names=schema.names)


def _least_similarity(kind: str, bound: int, slots: int) -> float:
    """The estimate of `bound` equal slots."""
    if kind.endswith("_compact"):
        return max(0, 256 * bound - slots) / (255 * slots)
    return bound / slots


def connected_components(pairs: DataFrame) -> DataFrame:
    """The components of a frame of pairs (a, b): (id, cluster), cluster being the smallest id.

    Up to LOCAL_PAIRS pairs, one task finds them. More are divided: large-star and small-star (R. Kiveris and others, 2014) alternate until nothing
    changes, a number of rounds that grows with the logarithm of the longest chain. Each round is checkpointed: reliably if the context has a
    checkpoint directory, otherwise on the workers, so that Spark ends with an error if one of them dies.
    """
    is_reliable = pairs.sparkSession.sparkContext.getCheckpointDir() is not None

    def kept(frame: DataFrame) -> DataFrame:
        return frame.checkpoint() if is_reliable else frame.localCheckpoint()

    edges = kept(pairs.select(F.greatest("a", "b").alias("high"), F.least("a", "b").alias("low")).where("high != low"))
    if edges.count() <= LOCAL_PAIRS:
        return _local_components(edges)
    edges, state = edges.distinct(), None
    while True:
        edges = kept(edges)  # or the plan would grow with every round
        before, state = state, edges.agg(F.count("*"), F.bit_xor(F.xxhash64("high", "low"))).first()
        if state == before:
            break
        edges = _small_star(_large_star(edges))
    centres = edges.select(F.col("low").alias("id"), F.col("low").alias("cluster")).distinct()
    return edges.select(F.col("high").alias("id"), F.col("low").alias("cluster")).unionByName(centres)


def _local_components(edges: DataFrame) -> DataFrame:
    id_type = edges.schema["low"].dataType
    schema = StructType([StructField("id", id_type), StructField("cluster", id_type)])

    def label(batches: Iterator[Any]) -> Iterator[Any]:
        parts = [batch for batch in batches if batch.num_rows]
        if not parts:
            return
        table = pyarrow.Table.from_batches(parts)
        ends = pyarrow.chunked_array([*table["high"].chunks, *table["low"].chunks]).combine_chunks()
        ids = compute.unique(ends)
        ids = ids.take(compute.sort_indices(ids))
        high, low = numpy.split(compute.index_in(ends, ids).to_numpy(), 2)
        # every node takes the smallest label beside it, and then the label of that one, until nothing changes
        labels = numpy.arange(len(ids))
        while True:
            smaller = labels.copy()
            for x, y in (high, low), (low, high):
                numpy.minimum.at(smaller, labels[x], labels[y])
                numpy.minimum.at(smaller, x, labels[y])
            smaller = smaller[smaller]
            if (smaller == labels).all():
                break
            labels = smaller
        yield from _batches([ids, ids.take(pyarrow.array(labels))], schema)

    return edges.coalesce(1).mapInArrow(label, schema)


def _large_star(edges: DataFrame) -> DataFrame:
    """Links the greater neighbours of each node to the smallest of its neighbours and itself."""
    both = edges.unionByName(edges.select(F.col("low").alias("high"), F.col("high").alias("low"))).toDF("node", "neighbour")
    smallest = both.groupBy("node").agg(F.least(F.min("neighbour"), F.col("node")).alias("low"))
    linked = both.where("neighbour > node").join(smallest, "node")
    return linked.select(F.col("neighbour").alias("high"), "low").where("high != low").distinct()


def _small_star(edges: DataFrame) -> DataFrame:
    """Links each node and its smaller neighbours to the smallest of them."""
    smallest = edges.groupBy("high").agg(F.min("low").alias("least"))
    linked = edges.join(smallest, "high").select(F.col("low").alias("high"), F.col("least").alias("low"))
    return linked.unionByName(smallest.select("high", F.col("least").alias("low"))).where("high != low").distinct()

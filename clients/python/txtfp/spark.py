"""Near-duplicates on Spark, where one machine ends. The workers need this package, NumPy and pyarrow.

    frame = with_fingerprints(spark.read.parquet("docs"), text="body").persist()
    pairs = near_duplicate_pairs(frame, 0.8)
    clusters = near_duplicate_clusters(frame, 0.8)

The pairs are those of ``txtfp.core.near_duplicate_pairs``: of each sketch its compact form is sent to the buckets of its bands, where the core finds
candidates without losing one; these are compared by their full sketches. Equal sketches are joined once.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy
import pyarrow
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DoubleType, LongType, StructField, StructType

from . import _core, core
from .errors import InvalidParameter

__all__ = ["connected_components", "near_duplicate_clusters", "near_duplicate_pairs", "with_fingerprints"]

DEFAULT_CAP = 100_000


def with_fingerprints(frame: DataFrame, text: str = "text", column: str = "fp", **options: Any) -> DataFrame:
    """The frame with one more column, the fingerprints of a column of texts; ``options`` are those of ``txtfp.core.fingerprints``."""
    schema = StructType([*frame.schema.fields, StructField(column, BinaryType())])
    options = {"threads": 1, **options}

    def compute(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            fingerprints = core.fingerprints(batch.column(text), **options).to_arrow().cast(pyarrow.binary())
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, fingerprints], names=schema.names)

    return frame.mapInArrow(compute, schema)


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

    The frame is read several times, and persisted for that unless it is. ``cap`` limits how many different sketches may share a band; more
    are an error, since one task has them all in memory.
    """
    join = _Join(frame, threshold, id, column, kind, recall, cap)
    heads = join.head_pairs()
    copies = join.copies()
    # all members of the two groups of a pair, and all pairs within a group
    members = copies.select(F.col("head"), F.col("id"))
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
    copies = join.copies().where("id != head").select(F.col("head").alias("a"), F.col("id").alias("b"))
    labels = connected_components(join.head_pairs().select("a", "b").unionByName(copies))
    sizes = labels.groupBy("cluster").agg(F.count("*").alias("size"))
    return labels.join(sizes, "cluster").select("id", "cluster", "size")


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
        if frame.storageLevel == StorageLevel.NONE:
            frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.sketches = frame.select(F.col(id).alias("id"), F.col(column).alias("fp")).where("fp IS NOT NULL")
        self.id_type = self.sketches.schema["id"].dataType
        self.groups = self._groups().persist(StorageLevel.MEMORY_AND_DISK)

    def _groups(self) -> DataFrame:
        """The distinct sketches: digest, head (the smallest id), n, and the compact form."""
        kind = self.kind
        schema = StructType([StructField("id", self.id_type), StructField("digest", BinaryType()), StructField("sketch", BinaryType())])

        def fold(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                sketches = batch.column("fp")
                if not kind.endswith("_compact"):
                    sketches = core.compact(sketches, threads=1).to_arrow().cast(pyarrow.binary())
                yield pyarrow.RecordBatch.from_arrays([batch.column("id"), batch.column("digest"), sketches], names=schema.names)

        digests = self.sketches.select("id", "fp", F.unhex(F.sha2("fp", 256)).alias("digest"))
        groups = digests.mapInArrow(fold, schema).groupBy("digest")
        return groups.agg(F.min("id").alias("head"), F.count("*").alias("n"), F.first("sketch").alias("sketch"))

    def copies(self) -> DataFrame:
        """(head, id) of the rows whose sketch others have, too; a head is among its rows."""
        crowds = self.groups.where("n > 1").select("digest", "head")
        digests = self.sketches.select("id", F.unhex(F.sha2("fp", 256)).alias("digest"))
        return digests.join(crowds, "digest").select("head", "id")

    def head_pairs(self) -> DataFrame:
        """(a, b, similarity) among heads."""
        schema = StructType([StructField("a", self.id_type), StructField("b", self.id_type)])
        bound, bands, rows, cap = self.bound, self.bands, self.rows, self.cap

        def find(batches: Iterator[Any]) -> Iterator[Any]:
            parts = [batch for batch in batches if batch.num_rows]
            if not parts:
                return
            bucketed = pyarrow.Table.from_batches(parts)
            keys = bucketed["key"].to_numpy()
            a, b = _core.candidates(bucketed["sketch"], keys, bound, bands, rows, cap)
            heads = bucketed["head"].combine_chunks()
            for first in range(0, len(a), 1 << 16):
                pair = [heads.take(pyarrow.array(rows[first : first + (1 << 16)])) for rows in (a, b)]
                yield pyarrow.RecordBatch.from_arrays(pair, names=schema.names)

        candidates = self._banded().repartition("key").mapInArrow(find, schema)
        return self._verified(candidates)

    def _banded(self) -> DataFrame:
        """Each distinct sketch once for each of its bands."""
        schema = StructType([StructField("key", LongType()), StructField("head", self.id_type), StructField("sketch", BinaryType())])
        bands, rows = self.bands, self.rows

        def band(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                keys = core.band_keys(batch.column("sketch"), bands, rows, threads=1).ravel()
                repeated = pyarrow.array(numpy.repeat(numpy.arange(batch.num_rows), bands))
                columns = [pyarrow.array(keys), batch.column("head").take(repeated), batch.column("sketch").take(repeated)]
                yield pyarrow.RecordBatch.from_arrays(columns, names=schema.names)

        return self.groups.select("head", "sketch").mapInArrow(band, schema)

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


def _least_similarity(kind: str, bound: int, slots: int) -> float:
    """The estimate of `bound` equal slots."""
    if kind.endswith("_compact"):
        return max(0, 256 * bound - slots) / (255 * slots)
    return bound / slots


def connected_components(pairs: DataFrame) -> DataFrame:
    """The components of a frame of pairs (a, b): (id, cluster), cluster being the smallest id.

    Alternates large-star and small-star (R. Kiveris and others, 2014) until nothing changes: a number of rounds that grows with the
    logarithm of the longest chain. Each round is checkpointed: reliably if the context has a checkpoint directory, otherwise on the
    workers, so that Spark ends with an error if one of them dies.
    """
    reliable = pairs.sparkSession.sparkContext.getCheckpointDir() is not None
    edges = pairs.select(F.greatest("a", "b").alias("high"), F.least("a", "b").alias("low")).where("high != low").distinct()
    state = None
    while True:
        edges = edges.checkpoint() if reliable else edges.localCheckpoint()  # or the plan would grow with every round
        before, state = state, edges.agg(F.count("*"), F.bit_xor(F.xxhash64("high", "low"))).first()
        if state == before:
            break
        edges = _small_star(_large_star(edges))
    centres = edges.select(F.col("low").alias("id"), F.col("low").alias("cluster")).distinct()
    return edges.select(F.col("high").alias("id"), F.col("low").alias("cluster")).unionByName(centres)


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

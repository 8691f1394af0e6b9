"""Functions for DuckDB: ``register(connection)``.

Fingerprints are BLOBs in their binary form. DuckDB calls the functions with Arrow columns of many rows.
"""

from __future__ import annotations

from typing import Any, Callable

import duckdb
import pyarrow

from . import core

__all__ = ["register"]

_KINDS = (
    "minhash64",
    "minhash128",
    "minhash256",
    "minhash64_compact",
    "minhash128_compact",
    "minhash256_compact",
    "simhash64",
    "tlsh",
    "lavinhash",
)


def _constructor(kind: str) -> Callable[[Any], Any]:
    def construct(texts: Any) -> Any:
        return core.fingerprints(texts, kind).to_arrow().cast(pyarrow.binary())

    return construct


def _measure(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def measure(a: Any, b: Any) -> Any:
        return pyarrow.array(compare(a, b), from_pandas=True)  # NaN becomes NULL

    return measure


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Adds ``to_minhash128(text)`` and its kin, ``minhash_jaccard``, ``simhash_distance``, ``text_jaccard`` and ``text_containment``.

    ``jaccard`` and ``hamming`` are functions of DuckDB on strings.
    """
    options = {"type": "arrow", "null_handling": "special"}
    for kind in _KINDS:
        connection.create_function(f"to_{kind}", _constructor(kind), ["VARCHAR"], "BLOB", **options)
    for name, compare, type_ in (
        ("minhash_jaccard", core.distances, "BLOB"),
        ("simhash_distance", core.distances, "BLOB"),
        ("text_jaccard", core.text_jaccard, "VARCHAR"),
        ("text_containment", core.text_containment, "VARCHAR"),
    ):
        connection.create_function(name, _measure(compare), [type_, type_], "DOUBLE", **options)

"""Text fingerprints and near-duplicates, the same as those of the PostgreSQL extension txtfp.

``txtfp.minhash128(text)`` and its kin make values; ``txtfp.core`` works on many texts at once; ``txtfp.psycopg``, ``txtfp.asyncpg``,
``txtfp.psycopg2``, ``txtfp.sqlalchemy`` and ``txtfp.django`` store them; ``python -m txtfp`` works on files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ConfigurationMismatch, Error, InvalidParameter, InvalidText, InvalidValue
from .values import (
    Lavinhash,
    Minhash64,
    Minhash64Compact,
    Minhash128,
    Minhash128Compact,
    Minhash256,
    Minhash256Compact,
    Simhash64,
    Tlsh,
    Tokens,
    Value,
)

if TYPE_CHECKING:
    from .core import lavinhash, minhash64, minhash128, minhash256, simhash64, tlsh

__version__ = "1.0.0"

__all__ = [
    "ConfigurationMismatch",
    "Error",
    "InvalidParameter",
    "InvalidText",
    "InvalidValue",
    "Lavinhash",
    "Minhash128",
    "Minhash128Compact",
    "Minhash256",
    "Minhash256Compact",
    "Minhash64",
    "Minhash64Compact",
    "Simhash64",
    "Tlsh",
    "Tokens",
    "Value",
    "lavinhash",
    "minhash128",
    "minhash256",
    "minhash64",
    "simhash64",
    "tlsh",
]

_FROM_CORE = {"lavinhash", "minhash64", "minhash128", "minhash256", "simhash64", "tlsh"}


def __getattr__(name: str) -> Any:
    """The compiled core is loaded when it is needed: values and adapters are plain Python."""
    if name in _FROM_CORE:
        from . import core

        return getattr(core, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

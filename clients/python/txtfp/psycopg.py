"""Values with psycopg 3: ``register(connection)``, or ``await register_async(connection)``.

Afterwards columns are read as values, in text and in binary form, and values are parameters of their own type, also in lists and in
``COPY``. A list of tokens is given as ``txtfp.Tokens``.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import psycopg
from psycopg import rows
from psycopg.abc import AdaptContext
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.array import ListDumper

from ._catalog import NOT_INSTALLED, TYPES_QUERY
from .values import TYPES, Tokens, Value

__all__ = ["register", "register_async"]

_TEXT_OID: Final = 25
_TEXT_ARRAY_OID: Final = 1009


class _TextDumper(Dumper):
    def dump(self, obj: Value) -> Buffer:
        return str(obj).encode()


class _BinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Value) -> Buffer:
        return obj.to_binary()


class _TokensDumper(ListDumper):
    oid = _TEXT_ARRAY_OID


class _TokensBinaryDumper(Dumper):
    oid = _TEXT_ARRAY_OID
    format = Format.BINARY

    def dump(self, obj: Tokens) -> Buffer:
        encoding = self.connection.info.encoding if self.connection is not None else "utf-8"
        head = struct.pack(">iiI", 1 if obj else 0, 0, _TEXT_OID) + (struct.pack(">ii", len(obj), 1) if obj else b"")
        items = [token.encode(encoding) for token in obj]
        return head + b"".join(struct.pack(">i", len(item)) + item for item in items)


def _loaders(cls: type[Value]) -> tuple[type[Loader], type[Loader]]:
    class TextLoader(Loader):
        def load(self, data: Buffer) -> Value:
            return cls(bytes(data).decode())

    class BinaryLoader(Loader):
        format = Format.BINARY

        def load(self, data: Buffer) -> Value:
            return cls.from_binary(data)

    return TextLoader, BinaryLoader


def _register(context: AdaptContext, found: list[tuple[Any, ...]]) -> None:
    if not found:
        raise psycopg.ProgrammingError(NOT_INSTALLED)
    adapters = context.adapters
    for name, _, oid, array_oid in found:
        cls = TYPES[name]
        TypeInfo(name, oid, array_oid).register(context)
        for base in (_TextDumper, _BinaryDumper):
            adapters.register_dumper(cls, type(base.__name__, (base,), {"oid": oid}))
        for loader in _loaders(cls):
            adapters.register_loader(oid, loader)
    for dumper in (_TokensBinaryDumper, _TokensDumper):  # of several dumpers the last is preferred
        adapters.register_dumper(Tokens, dumper)


def register(connection: psycopg.Connection[Any]) -> None:
    """Makes the types known to a connection."""
    with psycopg.Cursor(connection, row_factory=rows.tuple_row) as cursor:
        _register(connection, cursor.execute(TYPES_QUERY).fetchall())


async def register_async(connection: psycopg.AsyncConnection[Any]) -> None:
    """Makes the types known to an asynchronous connection."""
    async with psycopg.AsyncCursor(connection, row_factory=rows.tuple_row) as cursor:
        await cursor.execute(TYPES_QUERY)
        _register(connection, await cursor.fetchall())

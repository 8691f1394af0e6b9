"""Values with asyncpg: ``await register(connection)``, or ``create_pool(init=register)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Final

from ._catalog import NOT_INSTALLED, TYPES_QUERY
from .values import TYPES, Value

if TYPE_CHECKING:
    import asyncpg

__all__ = ["register"]



def _encoder(cls: type[Value]) -> Callable[[Any], bytes]:
    def encode(value: Any) -> bytes:
        if isinstance(value, (bytes, bytearray)):
            return bytes(value)
        return cls(value).to_binary()

    return encode


async def register(connection: asyncpg.Connection) -> None:
    """Makes the types known to a connection. Parameters may be values, text forms, or binary forms as bytes."""
    found = await connection.fetch(TYPES_QUERY)
    if not found:
        raise RuntimeError(NOT_INSTALLED)
    for name, schema, *_ in found:
        cls = TYPES[name]
        await connection.set_type_codec(
            name, schema=schema, encoder=_encoder(cls), decoder=cls.from_binary, format="binary"
        )

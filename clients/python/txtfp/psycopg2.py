"""Values with psycopg2, in their text form: ``register(connection)``."""

from __future__ import annotations

from typing import Any, Final

import psycopg2
import psycopg2.extensions as extensions

from ._catalog import NOT_INSTALLED, TYPES_QUERY
from .values import TYPES, Tokens, Value

__all__ = ["register"]



def _adapt(value: Value) -> Any:
    # without a type: the server gives it that of the other operand or of the column, in whatever schema it is
    return extensions.AsIs(f"'{value}'")


class _TokensAdapter:
    def __init__(self, tokens: Tokens) -> None:
        self._list = extensions.adapt(list(tokens))

    def prepare(self, connection: Any) -> None:
        self._list.prepare(connection)

    def getquoted(self) -> bytes:
        return bytes(self._list.getquoted()) + b"::pg_catalog.text[]"


def _caster(cls: type[Value]) -> Any:
    return lambda text, cursor: None if text is None else cls(text)


def register(connection: Any) -> None:
    """Makes the types known to a connection."""
    with connection.cursor() as cursor:
        cursor.execute(TYPES_QUERY)
        found = cursor.fetchall()
    if not found:
        raise psycopg2.ProgrammingError(NOT_INSTALLED)
    for name, _, oid, array_oid in found:
        cast = extensions.new_type((oid,), name, _caster(TYPES[name]))
        extensions.register_type(cast, connection)
        extensions.register_type(extensions.new_array_type((array_oid,), name + "[]", cast), connection)
        extensions.register_adapter(TYPES[name], _adapt)
    extensions.register_adapter(Tokens, _TokensAdapter)

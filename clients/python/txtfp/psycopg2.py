"""Values with psycopg2, in their text form: ``register(connection)``.

Afterwards columns are read as values, and values are parameters of their own type, also in lists.
"""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg2
import psycopg2.extensions as extensions

from ._catalog import NOT_INSTALLED, TYPES_QUERY
from .values import TYPES, Tokens, Value

__all__ = ["register"]

# The types of each registered connection, qualified by the schema in which its database has them: psycopg2 keeps adapters for all
# connections of a process, and one of them may have the extension in another schema
_names: Final[WeakKeyDictionary[Any, dict[str, str]]] = WeakKeyDictionary()


class _ValueAdapter:
    """On a connection that is not registered a value has no type, and the server gives it the type of the other operand."""

    def __init__(self, value: Value) -> None:
        self._value = value
        self._cast = ""

    def prepare(self, connection: Any) -> None:
        name = _names.get(connection, {}).get(self._value.type_name)
        self._cast = f"::{name}" if name else ""

    def getquoted(self) -> bytes:
        return f"'{self._value}'{self._cast}".encode()


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
    _names[connection] = {
        name: ".".join(extensions.quote_ident(part, connection) for part in (schema, name)) for name, schema, _, _ in found
    }
    for name, _, oid, array_oid in found:
        cast = extensions.new_type((oid,), name, _caster(TYPES[name]))
        extensions.register_type(cast, connection)
        extensions.register_type(extensions.new_array_type((array_oid,), name + "[]", cast), connection)
        extensions.register_adapter(TYPES[name], _ValueAdapter)
    extensions.register_adapter(Tokens, _TokensAdapter)

"""The types of the extension in SQLAlchemy 2: columns, comparators, and the functions that make fingerprints on the server.

    class Doc(Base):
        __tablename__ = "docs"
        id: Mapped[int] = mapped_column(primary_key=True)
        body: Mapped[str]
        fp = mapped_column(Minhash128, Computed("to_minhash128(body)", persisted=True))
        __table_args__ = (Index("docs_fp", "fp", postgresql_using="sketch"),)

    probe = to_minhash128("some text")
    select(Doc).where(Doc.fp.similar(probe, 0.8)).order_by(Doc.fp.jaccard_distance(probe)).limit(10)

Importing this module makes the types known to reflection, and with it to Alembic, whose migrations import it where they need it (Alembic 1.18).
"""

from __future__ import annotations

from typing import Any, Callable, Iterable

from sqlalchemy import ARRAY, Boolean, Float, Integer, Text, cast, func
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import Function
from sqlalchemy.types import UserDefinedType

from . import values
from .values import Value

__all__ = [
    "Lavinhash",
    "Minhash128",
    "Minhash128Compact",
    "Minhash256",
    "Minhash256Compact",
    "Minhash64",
    "Minhash64Compact",
    "Simhash64",
    "Tlsh",
    "to_lavinhash",
    "to_minhash128",
    "to_minhash256",
    "to_minhash64",
    "to_simhash64",
    "to_tlsh",
]


class _Comparator(UserDefinedType.Comparator[Any]):
    """What every type has. A fingerprint is compared with a value, a column, or what a function such as to_minhash128 returns."""

    def _operand(self, other: Any) -> Any:
        if isinstance(other, str):
            value: type[Value] = self.type.python_type
            raise TypeError(f'a document is given as to_{value.type_name}("…"), a fingerprint as {value.__name__}("…")')
        if isinstance(other, Value):
            return cast(other, self.type)
        return other

    def _call(self, function: str, other: Any, limit: Any = None, type_: Any = Boolean) -> Function[Any]:
        arguments = [self.expr, self._operand(other)] + ([] if limit is None else [limit])
        called: Function[Any] = getattr(func, function)(*arguments, type_=type_)
        return called

    def _operator(self, operator: str, other: Any, type_: Any) -> ColumnElement[Any]:
        compared: ColumnElement[Any] = self.expr.op(operator, return_type=type_())(self._operand(other))
        return compared


class _MinhashComparator(_Comparator):
    def similar(self, other: Any, threshold: float) -> Function[Any]:
        """``minhash_similar``: the estimated Jaccard similarity is at least the threshold. Indexes serve this."""
        return self._call("minhash_similar", other, threshold)

    def jaccard(self, other: Any) -> Function[Any]:
        return self._call("jaccard", other, type_=Float)

    def jaccard_distance(self, other: Any) -> ColumnElement[Any]:
        """``<%>``, 1 − jaccard: for ORDER BY."""
        return self._operator("<%>", other, Float)


class _SimhashComparator(_Comparator):
    def similar(self, other: Any, max_distance: int) -> Function[Any]:
        """``simhash_similar``: the Hamming distance is at most that. Indexes serve this."""
        return self._call("simhash_similar", other, max_distance)

    def hamming_distance(self, other: Any) -> ColumnElement[Any]:
        return self._operator("<#>", other, Integer)


class _TlshComparator(_Comparator):
    def similar(self, other: Any, max_distance: int) -> Function[Any]:
        """``tlsh_similar``: the distance is at most that. Indexes serve this."""
        return self._call("tlsh_similar", other, max_distance)

    def tlsh_distance(self, other: Any) -> ColumnElement[Any]:
        return self._operator("<~>", other, Integer)


class _LavinhashComparator(_Comparator):
    def similar(self, other: Any, min_score: int) -> Function[Any]:
        """``lavinhash_similar``: the score is at least that. Indexes serve this."""
        return self._call("lavinhash_similar", other, min_score)

    def lavinhash_similarity(self, other: Any) -> Function[Any]:
        return self._call("lavinhash_similarity", other, type_=Integer)

    def lavinhash_distance(self, other: Any) -> ColumnElement[Any]:
        """``<->``, 100 − lavinhash_similarity: for ORDER BY."""
        return self._operator("<->", other, Integer)


class _FingerprintType(UserDefinedType[Value]):
    value: type[Value]

    def __init_subclass__(cls) -> None:
        cls.cache_ok = True  # which SQLAlchemy does not inherit

    def __init__(self, *_: Any, **__: Any) -> None:  # reflection passes what it knows
        pass

    def get_col_spec(self, **_: Any) -> str:
        return self.value.type_name

    @property
    def python_type(self) -> type[Value]:
        return self.value

    def bind_processor(self, dialect: Any) -> Callable[[Any], str | None]:
        return lambda value: None if value is None else str(self.value(value))

    def literal_processor(self, dialect: Any) -> Callable[[Any], str]:
        return lambda value: f"'{self.value(value)}'"

    def result_processor(self, dialect: Any, coltype: object) -> Callable[[Any], Value | None]:
        return lambda value: None if value is None else self.value(value)


class Minhash64(_FingerprintType):
    value, comparator_factory = values.Minhash64, _MinhashComparator


class Minhash128(_FingerprintType):
    value, comparator_factory = values.Minhash128, _MinhashComparator


class Minhash256(_FingerprintType):
    value, comparator_factory = values.Minhash256, _MinhashComparator


class Minhash64Compact(_FingerprintType):
    value, comparator_factory = values.Minhash64Compact, _MinhashComparator


class Minhash128Compact(_FingerprintType):
    value, comparator_factory = values.Minhash128Compact, _MinhashComparator


class Minhash256Compact(_FingerprintType):
    value, comparator_factory = values.Minhash256Compact, _MinhashComparator


class Simhash64(_FingerprintType):
    value, comparator_factory = values.Simhash64, _SimhashComparator


class Tlsh(_FingerprintType):
    value, comparator_factory = values.Tlsh, _TlshComparator


class Lavinhash(_FingerprintType):
    value, comparator_factory = values.Lavinhash, _LavinhashComparator


_TYPES: list[type[_FingerprintType]] = [
    Minhash64,
    Minhash128,
    Minhash256,
    Minhash64Compact,
    Minhash128Compact,
    Minhash256Compact,
    Simhash64,
    Tlsh,
    Lavinhash,
]
ischema_names.update({type_.value.type_name: type_ for type_ in _TYPES})


def _constructor(name: str, type_: type[_FingerprintType]) -> Callable[..., Function[Any]]:
    def construct(document: Any, *options: Any) -> Function[Any]:
        if isinstance(document, str):
            document = cast(document, Text)
        elif isinstance(document, Iterable) and not isinstance(document, (ColumnElement, bytes)):
            document = cast(list(document), ARRAY(Text))
        called: Function[Any] = getattr(func, name)(document, *options, type_=type_())
        return called

    construct.__name__ = name
    construct.__doc__ = f"``{name}`` of a text, or of a list of tokens, computed by the server."
    return construct


to_minhash64 = _constructor("to_minhash64", Minhash64)
to_minhash128 = _constructor("to_minhash128", Minhash128)
to_minhash256 = _constructor("to_minhash256", Minhash256)
to_simhash64 = _constructor("to_simhash64", Simhash64)
to_tlsh = _constructor("to_tlsh", Tlsh)
to_lavinhash = _constructor("to_lavinhash", Lavinhash)

"""The types of the extension in Django: fields, lookups, functions, indexes, and the operation that creates the extension.

    class Doc(models.Model):
        body = models.TextField()
        fp = models.GeneratedField(expression=ToMinhash128("body"), output_field=Minhash128Field(), db_persist=True)

        class Meta:
            indexes = [SketchIndex(fields=["fp"], name="docs_fp")]

    probe = ToMinhash128(Value("some text"))
    Doc.objects.filter(fp__similar=(probe, 0.8)).order_by(JaccardDistance("fp", probe))[:10]
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.postgres.indexes import PostgresIndex
from django.contrib.postgres.operations import CreateExtension
from django.db import models
from django.db.models import BooleanField, FloatField, Func, IntegerField, Lookup
from django.db.models import Value as Literal

from . import values
from .values import Value

__all__ = [
    "HammingDistance",
    "Jaccard",
    "JaccardDistance",
    "LavinhashField",
    "LavinhashSimilarity",
    "Minhash128CompactField",
    "Minhash128Field",
    "Minhash256CompactField",
    "Minhash256Field",
    "Minhash64CompactField",
    "Minhash64Field",
    "Simhash64Field",
    "SketchIndex",
    "TlshDistance",
    "TlshField",
    "ToLavinhash",
    "ToMinhash128",
    "ToMinhash256",
    "ToMinhash64",
    "ToSimhash64",
    "ToTlsh",
    "TxtfpExtension",
]


class TxtfpExtension(CreateExtension):
    """The operation of a migration that creates the extension."""

    def __init__(self) -> None:
        self.name = "txtfp"


class SketchIndex(PostgresIndex):
    """An index of the access method ``sketch``."""

    suffix = "sketch"


class _FingerprintField(models.Field):
    value: ClassVar[type[Value]]
    similar_function: ClassVar[str]

    def db_type(self, connection: Any) -> str:
        return self.value.type_name

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Value | None:
        return None if value is None else self.value(value)

    def to_python(self, value: Any) -> Value | None:
        return None if value is None or value == "" else self.value(value)

    def get_prep_value(self, value: Any) -> Any:
        return str(self.value(value)) if isinstance(value, (str, Value)) else value

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return value if prepared else self.get_prep_value(value)

    def value_to_string(self, obj: Any) -> str:
        return str(self.value_from_object(obj))


class _MinhashField(_FingerprintField):
    similar_function = "minhash_similar"


class Minhash64Field(_MinhashField):
    value = values.Minhash64


class Minhash128Field(_MinhashField):
    value = values.Minhash128


class Minhash256Field(_MinhashField):
    value = values.Minhash256


class Minhash64CompactField(_MinhashField):
    value = values.Minhash64Compact


class Minhash128CompactField(_MinhashField):
    value = values.Minhash128Compact


class Minhash256CompactField(_MinhashField):
    value = values.Minhash256Compact


class Simhash64Field(_FingerprintField):
    value = values.Simhash64
    similar_function = "simhash_similar"


class TlshField(_FingerprintField):
    value = values.Tlsh
    similar_function = "tlsh_similar"


class LavinhashField(_FingerprintField):
    value = values.Lavinhash
    similar_function = "lavinhash_similar"


_FIELDS: dict[type[Value], type[_FingerprintField]] = {
    field.value: field
    for field in (
        Minhash64Field,
        Minhash128Field,
        Minhash256Field,
        Minhash64CompactField,
        Minhash128CompactField,
        Minhash256CompactField,
        Simhash64Field,
        TlshField,
        LavinhashField,
    )
}


def _operand(value: Any) -> Any:
    """A value becomes a parameter of its type; expressions and names of fields stay."""
    return _Typed(value) if isinstance(value, Value) else value


class _Typed(Func):
    """A parameter with its type, since as an argument of a function it would be ambiguous."""

    def __init__(self, value: Value | Literal, **extra: Any) -> None:
        if isinstance(value, Value):
            field = _FIELDS[type(value)]()
            super().__init__(Literal(str(value)), output_field=field, template=f"%(expressions)s::{field.value.type_name}")
        else:  # a copy that Django makes
            super().__init__(value, **extra)


class _Similar(Lookup):
    """``fp__similar=(other, limit)``: minhash_similar and its kin, which indexes serve."""

    lookup_name = "similar"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        if not isinstance(self.rhs, (tuple, list)) or len(self.rhs) != 2:
            raise ValueError("similar is given a pair: a fingerprint and a limit")
        field = self.lhs.output_field
        other, limit = self.rhs
        if isinstance(other, str):
            raise TypeError(f'a document is given as To{field.value.__name__}(Value("…")), a fingerprint as a {field.value.__name__}')
        expression = Func(
            self.lhs, _operand(other), Literal(limit), function=field.similar_function, output_field=BooleanField()
        )
        return compiler.compile(expression.resolve_expression(compiler.query))


for _field in _FIELDS.values():
    _field.register_lookup(_Similar)


class _Constructor(Func):
    """Of a field or an expression; a list of tokens is given as Value(tokens, output_field=ArrayField(TextField()))."""


class ToMinhash64(_Constructor):
    function, output_field = "to_minhash64", Minhash64Field()


class ToMinhash128(_Constructor):
    function, output_field = "to_minhash128", Minhash128Field()


class ToMinhash256(_Constructor):
    function, output_field = "to_minhash256", Minhash256Field()


class ToSimhash64(_Constructor):
    function, output_field = "to_simhash64", Simhash64Field()


class ToTlsh(_Constructor):
    function, output_field = "to_tlsh", TlshField()


class ToLavinhash(_Constructor):
    function, output_field = "to_lavinhash", LavinhashField()


class _Measure(Func):
    """Of two fingerprints: values, expressions or names of fields."""

    arity = 2

    def __init__(self, *expressions: Any, **extra: Any) -> None:
        super().__init__(*(_operand(expression) for expression in expressions), **extra)


class Jaccard(_Measure):
    function, output_field = "jaccard", FloatField()


class JaccardDistance(_Measure):
    """``<%>``: for order_by."""

    template, arg_joiner, output_field = "(%(expressions)s)", " <%%> ", FloatField()


class HammingDistance(_Measure):
    """``<#>``: for order_by."""

    template, arg_joiner, output_field = "(%(expressions)s)", " <#> ", IntegerField()


class TlshDistance(_Measure):
    """``<~>``: for order_by."""

    template, arg_joiner, output_field = "(%(expressions)s)", " <~> ", IntegerField()


class LavinhashSimilarity(_Measure):
    function, output_field = "lavinhash_similarity", IntegerField()

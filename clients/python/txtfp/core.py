"""Fingerprints, exact measures and near-duplicates without a server, by the code that the server runs.

Columns of texts are Arrow arrays and chunked arrays of any library (pyarrow, polars, pandas, DuckDB), which are read without a copy, NumPy
arrays, and sequences of ``str``. Columns of fingerprints hold the binary form that the server sends: what ``fingerprints`` returns,
its Arrow array, a column of Parquet with it, or a sequence of values. Work runs on all processors without the GIL; ``threads`` limits it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Final, Iterable, Iterator, Literal, NamedTuple, TypeVar, overload

from . import _core
from .errors import InvalidParameter
from .values import TYPES, Lavinhash, Minhash64, Minhash128, Minhash256, Simhash64, Tlsh, Value

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "CorpusWords",
    "Difference",
    "Fingerprints",
    "band_keys",
    "banding",
    "canonicalize",
    "compact",
    "corpus_words",
    "deduplicate",
    "difference_signals",
    "distance",
    "distances",
    "fingerprints",
    "lavinhash",
    "minhash128",
    "minhash256",
    "minhash64",
    "near_duplicate_clusters",
    "near_duplicate_pairs",
    "near_duplicate_pairs_between",
    "simhash64",
    "text_containment",
    "text_difference",
    "text_jaccard",
    "tlsh",
]

DEFAULT_TOKENIZER: Final = "shingle-k=5/word-uax29"
DEFAULT_CANONICALIZER: Final = "nfkc-cf-simple-bidi-fmt"
DEFAULT_HASH: Final = "xxh3-64"
DEFAULT_SEED: Final = 0xC0FFEE5EED

CorpusWords = _core.CorpusWords

AnyValue = TypeVar("AnyValue", bound=Value)

_recipe: Callable[..., _core.Recipe] = functools.lru_cache(maxsize=64)(_core.recipe)


class Fingerprints:
    """A column of fingerprints. It is an Arrow array: ``pyarrow.array(column)``, ``polars.Series(column)``."""

    def __init__(self, batch: _core.Batch) -> None:
        self._batch = batch

    @property
    def type_name(self) -> str:
        return self._batch.type_name

    @property
    def null_count(self) -> int:
        """How many texts have no fingerprint."""
        return self._batch.null_count

    def __len__(self) -> int:
        return len(self._batch)

    def __getitem__(self, row: int) -> Value | None:
        binary = self._batch[row]
        return None if binary is None else TYPES[self.type_name]._trusted(binary)

    def __iter__(self) -> Iterator[Value | None]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} {self.type_name}, {self.null_count} null>"

    def __arrow_c_schema__(self) -> object:
        return self._batch.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._batch.__arrow_c_array__(requested_schema)

    def to_arrow(self) -> pyarrow.Array:
        """A pyarrow array that shares the memory."""
        import pyarrow

        return pyarrow.array(self)

    def to_numpy(self) -> Any:
        """The slots of sketches (rows × slots), or the bits of SimHashes, without a copy. Null rows are zero."""
        import sys

        rows = self._batch.to_numpy()
        if self.type_name == "simhash64":
            return rows.view(">u8")[:, 0]
        if not self.type_name.startswith("minhash"):
            return rows
        slots = rows[:, 16:]
        if self.type_name.endswith("_compact"):
            return slots
        return slots.view("<u8") if sys.byteorder == "little" else slots.copy().view("<u8")


def _plain(column: Any) -> Any:
    """What the compiled core reads: Arrow arrays, or sequences of str, bytes and None."""
    if isinstance(column, Fingerprints):
        return column._batch
    if hasattr(column, "__arrow_c_array__") or hasattr(column, "__arrow_c_stream__"):
        return column
    if hasattr(column, "to_arrow"):  # polars before its capsules
        return column.to_arrow()
    if hasattr(column, "tolist"):  # NumPy, pandas
        return _without_nan(column.tolist())
    return column


def _without_nan(items: list[Any]) -> list[Any]:
    """pandas writes a missing string as NaN."""
    return [None if type(item) is float and item != item else item for item in items]


def _column_of_values(column: Any) -> Any:
    """Also of values and their text forms."""
    if isinstance(column, Value):
        return [column.to_binary()]
    column = _plain(column)
    if isinstance(column, (list, tuple)):
        return [item.to_binary() if isinstance(item, Value) else item for item in column]
    return column


# ---------------------------------------------------------------------------------------------- one text


def _one(
    cls: type[AnyValue],
    document: Any,
    tokenizer: str | None,
    canonicalizer: str,
    hash: str,
    seed: int,
    weighting: str = "tf",
) -> AnyValue | None:
    of_tokens = isinstance(document, (list, tuple))
    recipe = _recipe(cls.type_name, tokenizer, canonicalizer, hash, seed, weighting, of_tokens)
    if of_tokens:
        binary = recipe.tokens(document)
    elif isinstance(document, (str, bytes)):
        binary = recipe.one(document)
    else:
        raise TypeError(f"a text is a str, or a list of tokens, not {type(document).__name__}")
    return None if binary is None else cls._trusted(binary)


def _minhash_function(cls: type[AnyValue]) -> Callable[..., AnyValue | None]:
    def minhash(
        document: str | bytes | list[str] | tuple[str, ...],
        *,
        tokenizer: str | None = None,
        canonicalizer: str = DEFAULT_CANONICALIZER,
        hash: str = DEFAULT_HASH,
        seed: int = DEFAULT_SEED,
    ) -> AnyValue | None:
        return _one(cls, document, tokenizer, canonicalizer, hash, seed)

    minhash.__name__ = minhash.__qualname__ = cls.type_name
    minhash.__doc__ = f"The {cls.type_name} of a text, or of a list of tokens as it is; None if there is no token."
    return minhash


minhash64: Callable[..., Minhash64 | None] = _minhash_function(Minhash64)
minhash128: Callable[..., Minhash128 | None] = _minhash_function(Minhash128)
minhash256: Callable[..., Minhash256 | None] = _minhash_function(Minhash256)


def simhash64(
    document: str | bytes | list[str] | tuple[str, ...],
    *,
    tokenizer: str | None = None,
    canonicalizer: str = DEFAULT_CANONICALIZER,
    hash: str = DEFAULT_HASH,
    seed: int = DEFAULT_SEED,
    weighting: str = "tf",
) -> Simhash64 | None:
    """The SimHash of a text, or of a list of tokens as it is; None if there is no token. Without a tokenizer it is of pairs of words."""
    return _one(Simhash64, document, tokenizer, canonicalizer, hash, seed, weighting)


def tlsh(document: str | bytes, *, canonicalizer: str = DEFAULT_CANONICALIZER) -> Tlsh | None:
    """The TLSH of the canonical form of a text; None if it is too short or too uniform."""
    return _one(Tlsh, document, None, canonicalizer, DEFAULT_HASH, DEFAULT_SEED)


def lavinhash(document: str | bytes) -> Lavinhash | None:
    """The LavinHash of bytes, or of the UTF-8 form of a text; None if it is empty."""
    return _one(Lavinhash, document, None, DEFAULT_CANONICALIZER, DEFAULT_HASH, DEFAULT_SEED)


def canonicalize(text: str, canonicalizer: str = DEFAULT_CANONICALIZER) -> str:
    """The canonical form of a text."""
    return _core.canonicalize(text, canonicalizer)


# ---------------------------------------------------------------------------------------------- columns


def fingerprints(
    texts: Any,
    kind: str = "minhash128",
    *,
    tokenizer: str | None = None,
    canonicalizer: str = DEFAULT_CANONICALIZER,
    hash: str = DEFAULT_HASH,
    seed: int = DEFAULT_SEED,
    weighting: str = "tf",
    threads: int = 0,
) -> Fingerprints:
    """The fingerprints of a column of texts. Kinds are the names of the server's types, such as ``minhash128_compact`` or ``simhash64``."""
    recipe = _recipe(kind, tokenizer, canonicalizer, hash, seed, weighting, False)
    return Fingerprints(recipe.many(_plain(texts), threads))


def compact(column: Any, *, threads: int = 0) -> Fingerprints:
    """The compact forms of a column of full sketches, as ``to_minhash128_compact`` of the server."""
    return Fingerprints(_core.compact(_column_of_values(column), threads))


def distances(a: Any, b: Any, *, threads: int = 0) -> Any:
    """Compares two columns of fingerprints row by row, or a column with one value.

    The result is a NumPy array: of sketches the estimated Jaccard similarity, of simhash64 and tlsh the distance, of lavinhash the score, and
    NaN where a row has no fingerprint.
    """
    return _core.compare(_column_of_values(a), _column_of_values(b), "", threads)


def distance(a: Value, b: Value) -> int:
    """The distance of two simhash64 or tlsh, or the score of two lavinhash."""
    return int(_core.compare([a.to_binary()], [b.to_binary()], a.type_name, 1)[0])


@overload
def text_jaccard(a: str, b: str, *, tokenizer: str = ..., canonicalizer: str = ..., threads: int = ...) -> float | None: ...
@overload
def text_jaccard(a: Any, b: Any, *, tokenizer: str = ..., canonicalizer: str = ..., threads: int = ...) -> Any: ...
def text_jaccard(
    a: Any,
    b: Any,
    *,
    tokenizer: str = DEFAULT_TOKENIZER,
    canonicalizer: str = DEFAULT_CANONICALIZER,
    threads: int = 0,
) -> Any:
    """The exact Jaccard similarity of the token sets of two texts, None if either has no token; of two columns row by row, with NaN."""
    return _compare_texts(a, b, tokenizer, canonicalizer, False, threads)


@overload
def text_containment(a: str, b: str, *, tokenizer: str = ..., canonicalizer: str = ..., threads: int = ...) -> float | None: ...
@overload
def text_containment(a: Any, b: Any, *, tokenizer: str = ..., canonicalizer: str = ..., threads: int = ...) -> Any: ...
def text_containment(
    a: Any,
    b: Any,
    *,
    tokenizer: str = DEFAULT_TOKENIZER,
    canonicalizer: str = DEFAULT_CANONICALIZER,
    threads: int = 0,
) -> Any:
    """The share of a's token set that is in b's; as text_jaccard."""
    return _compare_texts(a, b, tokenizer, canonicalizer, True, threads)


def _compare_texts(a: Any, b: Any, tokenizer: str, canonicalizer: str, containment: bool, threads: int) -> Any:
    if isinstance(a, str) and isinstance(b, str):
        value = float(_core.compare_texts([a], [b], tokenizer, canonicalizer, containment, 1)[0])
        return None if value != value else value
    x, y = ([text] if isinstance(text, str) else _plain(text) for text in (a, b))
    return _core.compare_texts(x, y, tokenizer, canonicalizer, containment, threads)


class Difference(NamedTuple):
    """A difference between two texts: ``a[a_start:a_start + a_length]`` is replaced by ``b[b_start:b_start + b_length]``."""

    kind: str
    a_start: int
    a_length: int
    b_start: int
    b_length: int


def text_difference(
    a: str, b: str, *, tokenizer: str = "word-uax29", canonicalizer: str = DEFAULT_CANONICALIZER
) -> list[Difference]:
    """How a becomes b: the differences in order, with their kinds, as ``text_difference`` of the server, but with positions from 0.

    Replacing them in a, from the last to the first, gives b.
    """
    return [Difference(*row) for row in _core.text_difference(a, b, tokenizer, canonicalizer)]


def corpus_words(texts: Iterable[str | None]) -> CorpusWords:
    """In how many of the texts each word occurs, as ``corpus_words_agg`` of the server. Others may be added and merged.

    ``to_bytes`` and ``CorpusWords.from_bytes`` have the binary form of the server's type ``corpus_words``.
    """
    corpus = CorpusWords()
    for text in texts:
        if text is not None:
            corpus.add(text)
    return corpus


def difference_signals(
    a: str, b: str, neighbours: int | None = None, kept_neighbours: int | None = None, corpus: CorpusWords | None = None
) -> dict[str, float | None]:
    """The signals of the removal of a, where b is kept: the fields of the server's type ``difference_signals``.

    Those that weigh words are None without a ``corpus``.
    """
    signals: dict[str, float | None] = {"version": _core.signals_version, **dict(_core.difference_signals(a, b, corpus))}
    return {**signals, "neighbours": neighbours, "kept_neighbours": kept_neighbours}


# ---------------------------------------------------------------------------------------------- near-duplicates


def band_keys(column: Any, bands: int, rows: int, *, threads: int = 0) -> Any:
    """The keys of a banding, a NumPy array of rows × bands: those of ``lsh_keys`` on the server. Rows without a sketch have zeros."""
    return _core.band_keys(_column_of_values(column), bands, rows, threads)


def banding(kind: str, threshold: float, recall: float = 0.99) -> tuple[int, int]:
    """The cheapest (bands, rows) that finds pairs at the threshold with that probability."""
    return _core.banding(kind, threshold, recall)


def _join(
    column: Any,
    threshold: float | None,
    max_distance: int | None,
    min_score: int | None,
    recall: float | None,
    bands: int | None,
    rows: int | None,
    threads: int,
    *,
    second: Any = None,
    order: Any = None,
    second_order: Any = None,
) -> _core.Join:
    kind = column.type_name if isinstance(column, Fingerprints) else ""
    others = None if second is None else _column_of_values(second)
    limits = threshold, max_distance, min_score, recall, bands, rows
    return _core.Join(_column_of_values(column), kind, others, order, second_order, *limits, threads)


def _order(ids: Any, priority: Any = None) -> Any:
    """The rows in the order in which they win: by descending priority, then by id, or by number where there are no ids."""
    import numpy
    import pyarrow
    import pyarrow.compute

    order = None
    if ids is not None:
        try:
            order = pyarrow.compute.sort_indices(_array_of_ids(ids)).to_numpy().astype("int64")
        except pyarrow.ArrowNotImplementedError:
            pass  # of a type without an order
    if priority is None:
        return order
    least_first = -numpy.asarray(priority, dtype="float64")
    if order is None:
        return numpy.argsort(least_first, kind="stable").astype("int64")
    return order[numpy.argsort(least_first[order], kind="stable")]


def _decided(pairs: Any, ids: Any) -> Any:
    """Pairs of ids, or of row numbers where there are no ids, as row numbers. Pairs of which a row is missing are left out."""
    if pairs is None:
        return None
    import numpy
    import pyarrow
    import pyarrow.compute

    if hasattr(pairs, "__arrow_c_stream__"):
        table = pyarrow.table(pairs)
        ends = [table.column(i).combine_chunks() for i in range(2)]
    else:
        pairs = list(pairs)
        kind = pyarrow.int64() if ids is None else _array_of_ids(ids).type
        ends = [pyarrow.array([pair[i] for pair in pairs], kind) for i in range(2)]
    if ids is not None:
        value_set = _array_of_ids(ids)
        ends = [pyarrow.compute.index_in(end.cast(value_set.type), value_set=value_set) for end in ends]
    known = pyarrow.compute.and_(*(pyarrow.compute.is_valid(end) for end in ends))
    columns = [end.filter(known).cast(pyarrow.int64()).to_numpy(zero_copy_only=False) for end in ends]
    return numpy.ascontiguousarray(numpy.stack(columns, axis=1), dtype="int64")


def near_duplicate_pairs(
    column: Any,
    threshold: float | None = None,
    *,
    max_distance: int | None = None,
    min_score: int | None = None,
    ids: Any = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    threads: int = 0,
) -> pyarrow.Table:
    """Every pair of similar fingerprints once, verified: a table of a, b and similarity, from 0 to 1, as the server has it.

    ``threshold`` is the least similarity of sketches (default 0.8), ``max_distance`` the greatest distance of simhash64 (7) and tlsh (40),
    ``min_score`` the least score of lavinhash (80).
    ``a`` is the lesser of the ``ids``; without them rows are named by their numbers.
    """
    import pyarrow

    join = _join(column, threshold, max_distance, min_score, recall, bands, rows, threads, order=_order(ids))
    a, b, measures = join.pairs(False)
    names = _names(ids)
    return pyarrow.table({"a": names(a), "b": names(b), "similarity": measures})


def near_duplicate_pairs_between(
    column_a: Any,
    column_b: Any,
    threshold: float | None = None,
    *,
    max_distance: int | None = None,
    min_score: int | None = None,
    nearest: bool = False,
    ids_a: Any = None,
    ids_b: Any = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    threads: int = 0,
) -> pyarrow.Table:
    """Every pair of similar fingerprints of which a is a row of the first column and b one of the second.

    With ``nearest``, each row of the first that has any comes once, with the most similar row of the second, of several the first one.
    """
    import pyarrow

    limits = threshold, max_distance, min_score, recall, bands, rows
    join = _join(column_a, *limits, threads, second=column_b, order=_order(ids_a), second_order=_order(ids_b))
    a, b, measures = join.pairs(nearest)
    return pyarrow.table({"a": _names(ids_a)(a), "b": _names(ids_b)(b), "similarity": measures})


def near_duplicate_clusters(
    column: Any,
    threshold: float | None = None,
    *,
    max_distance: int | None = None,
    min_score: int | None = None,
    mode: Literal["components", "star", "complete"] = "components",
    priority: Any = None,
    ids: Any = None,
    max_size: int | None = None,
    apart: Any = None,
    together: Any = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    threads: int = 0,
) -> pyarrow.Table:
    """The clusters of similar fingerprints: a table of id, cluster, size, similarity and formed_at, for rows that are not alone.

    A cluster is named after its first row in the order of ``priority``, greatest first, then of ``ids``, or of the rows where there are
    none; ``similarity`` is that to this row. The modes are those of the server: connected ``components``; ``star``, where every row is
    similar to the one that the cluster is named after; and ``complete``, where all are similar to each other. Pairs of ids in ``apart``
    are never in one cluster, those in ``together`` always. A cluster of more than ``max_size`` rows is cut; ``formed_at`` is then the least
    similarity that its part was made by.
    """
    import numpy
    import pyarrow

    if max_size is not None and max_size < 2:
        raise InvalidParameter(f"max_size must be at least 2, not {max_size}")
    if max_size is not None and together is not None:
        raise InvalidParameter("max_size cannot be combined with together", "A cut might separate rows that are to be together.")
    join = _join(column, threshold, max_distance, min_score, recall, bands, rows, threads, order=_order(ids, priority))
    labels, similarities, formed = join.clusters(mode, max_size or 0, _decided(apart, ids), _decided(together, ids))
    sizes = numpy.bincount(labels, minlength=len(labels))[labels] if len(labels) else labels
    members = numpy.flatnonzero(sizes > 1)
    names = _names(ids)
    columns = {"id": names(members), "cluster": names(labels[members]), "size": sizes[members].astype("int64")}
    formed_at = pyarrow.array(formed[members], from_pandas=True)  # NaN becomes null
    return pyarrow.table({**columns, "similarity": similarities[members], "formed_at": formed_at})


def deduplicate(
    column: Any,
    threshold: float | None = None,
    *,
    max_distance: int | None = None,
    min_score: int | None = None,
    ids: Any = None,
    texts: Any = None,
    verify: Literal["none", "jaccard", "containment", "lossless"] | None = None,
    verify_threshold: float | None = None,
    priority: Any = None,
    tokenizer: str | None = None,
    canonicalizer: str | None = None,
    guard: str | None = None,
    signals: bool = False,
    rule: Any = None,
    min_precision: float | None = None,
    apart: Any = None,
    together: Any = None,
    recall: float | None = None,
    bands: int | None = None,
    rows: int | None = None,
    threads: int = 0,
) -> pyarrow.Table:
    """The rows to remove, each with the row that is kept instead, as ``deduplicate`` of the server, with its columns.

    A row is removed if a row that is kept is similar to it and, with ``verify``, if the exact measure of their ``texts`` is at least
    ``verify_threshold`` (default: the threshold). Rows are decided upon in the order of ``priority``, greatest first, then of ``ids``, or in
    their own where there are none. A ``guard`` or a ``rule`` (json, as ``decision_rule`` of the server returns it, with ``min_precision``)
    may forbid a removal; such rows come with the ``outcome`` "review" or "keep". With ``texts``, the default is ``verify="jaccard"`` and
    ``guard="balanced"``, with tokenizer and canonicalizer of the fingerprints; ``verify="none"`` and ``guard=""`` switch that off. Pairs of
    ids in ``apart`` are not removed for each other; what is decided about a row, is decided about those ``together`` with it.
    """
    import json

    import pyarrow

    order = _order(ids, priority)
    if rule is not None and not isinstance(rule, str):
        rule = json.dumps(rule)
    limits = threshold, max_distance, min_score, recall, bands, rows
    join = _join(column, *limits, threads, order=order)
    options = verify, verify_threshold, tokenizer, canonicalizer, guard, signals, rule, min_precision
    row, kept, similarity, jaccard, containment, kept_containment, reasons, outcomes, score, neighbours, kept_neighbours, found = join.removals(
        None if texts is None else _plain(texts), *options, _decided(apart, ids), _decided(together, ids)
    )
    names = _names(ids)
    measure = functools.partial(pyarrow.array, type=pyarrow.float64(), from_pandas=True)  # NaN becomes null
    table = pyarrow.table(
        {
            "id": names(row),
            "kept": names(kept),
            "similarity": similarity,
            "jaccard": measure(jaccard),
            "containment": measure(containment),
            "reason": pyarrow.DictionaryArray.from_arrays(reasons, _core.reasons).cast("string"),
            "kept_containment": measure(kept_containment),
            "outcome": pyarrow.DictionaryArray.from_arrays(outcomes, _core.outcomes).cast("string"),
            "score": measure(score),
            "neighbours": pyarrow.array(neighbours).cast(pyarrow.int32()),
            "kept_neighbours": pyarrow.array(kept_neighbours).cast(pyarrow.int32()),
            "signals": _signals(found, len(row)),
        }
    )
    return table.sort_by("id") if order is not None and ids is None else table


def _signals(values: Any, rows: int) -> Any:
    """A struct of each row; null where a text is missing, or if there are no signals."""
    import numpy
    import pyarrow

    fields = [pyarrow.field(name, pyarrow.float64()) for name in _core.signals]
    if len(values) != rows:
        return pyarrow.nulls(rows, pyarrow.struct(fields))
    columns = [pyarrow.array(values[:, i], from_pandas=True) for i in range(len(fields))]
    without = pyarrow.array(numpy.isnan(values[:, 0])) if rows else pyarrow.array([], pyarrow.bool_())
    return pyarrow.StructArray.from_arrays(columns, fields=fields, mask=without)


def _array_of_ids(ids: Any) -> Any:
    import pyarrow

    if not isinstance(ids, (pyarrow.Array, pyarrow.ChunkedArray)):
        ids = pyarrow.chunked_array(ids) if hasattr(ids, "__arrow_c_stream__") else pyarrow.array(ids)
    return ids.combine_chunks() if isinstance(ids, pyarrow.ChunkedArray) else ids


def _names(ids: Any) -> Callable[[Any], Any]:
    """From row numbers to ids."""
    import pyarrow

    if ids is None:
        return lambda rows: pyarrow.array(rows, pyarrow.int64())
    ids = _array_of_ids(ids)
    return lambda rows: ids.take(pyarrow.array(rows, pyarrow.int64()))

"""What of texts stands in earlier ones, as ``deduplicate_passages`` of the server and ``txtfp passages`` find it, without a server.

Texts are columns, as those of ``txtfp.core``; results are Arrow tables. Positions are characters, from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from . import _core
from .core import DEFAULT_CANONICALIZER, _array_of_ids, _names, _order, _plain
from .errors import InvalidParameter

if TYPE_CHECKING:
    import pyarrow

__all__ = ["deduplicate_passages", "deduplicate_passages_between", "passage_keys", "texts_without"]

DEFAULT_MEMORY: Final = 1 << 30

Unit = Literal["paragraph", "line", "word"]


def deduplicate_passages(
    texts: Any,
    *,
    ids: Any = None,
    priority: Any = None,
    groups: Any = None,
    unit: Unit = "paragraph",
    min_words: int | None = None,
    tokenizer: str = "word-uax29",
    canonicalizer: str = DEFAULT_CANONICALIZER,
    memory: int = DEFAULT_MEMORY,
    threads: int = 0,
) -> pyarrow.Table:
    """What of each text stands in an earlier one: a table of id, start, length, kept and kept_start, as the server's function of this name
    has it, but with positions from 0.

    Earlier is a text of greater ``priority``, then of lesser ``ids``, or the one before where there are none. The first occurrence is never
    in the table. With ``groups``, a column, only texts of the same group are compared. ``unit`` is "paragraph", "line", or "word": runs of
    ``min_words`` words (50) at any place; a paragraph or line has at least 5. Beyond ``memory`` bytes there are files in the folder for
    temporary ones.
    """
    unit_options = unit, min_words, tokenizer, canonicalizer
    return _repeats(texts, None, ids, None, _order(ids, priority), None, _group_numbers(groups), unit_options, memory, threads)


def deduplicate_passages_between(
    texts_a: Any,
    texts_b: Any,
    *,
    ids_a: Any = None,
    ids_b: Any = None,
    groups_a: Any = None,
    groups_b: Any = None,
    unit: Unit = "paragraph",
    min_words: int | None = None,
    tokenizer: str = "word-uax29",
    canonicalizer: str = DEFAULT_CANONICALIZER,
    memory: int = DEFAULT_MEMORY,
    threads: int = 0,
) -> pyarrow.Table:
    """What of the texts of the second column stands in one of the first: id is a row of the second, kept one of the first. Repeats within
    the second are not found."""
    if (groups_a is None) != (groups_b is None):
        raise InvalidParameter("groups must be given for both columns, or for neither")
    groups = None if groups_a is None else _group_numbers(groups_a, groups_b)
    unit_options = unit, min_words, tokenizer, canonicalizer
    return _repeats(texts_a, texts_b, ids_a, ids_b, _order(ids_a), _order(ids_b), groups, unit_options, memory, threads)


def _repeats(
    texts: Any,
    second: Any,
    ids: Any,
    second_ids: Any,
    order: Any,
    second_order: Any,
    groups: Any,
    unit_options: tuple[str, int | None, str, str],
    memory: int,
    threads: int,
) -> pyarrow.Table:
    import tempfile

    import pyarrow

    columns = _plain(texts), None if second is None else _plain(second), order, second_order, groups
    row, start, length, kept, kept_start = _core.repeats(*columns, *unit_options, memory, tempfile.gettempdir(), threads)
    cut_ids = _names(ids if second is None else second_ids)(row)
    return pyarrow.table({"id": cut_ids, **_places(start=start, length=length), "kept": _names(ids)(kept), **_places(kept_start=kept_start)})


def _places(**columns: Any) -> dict[str, Any]:
    import pyarrow

    return {name: pyarrow.array(column).cast(pyarrow.int64()) for name, column in columns.items()}


def _group_numbers(*groups: Any) -> Any:
    """The values of one or two columns as numbers; nulls have one, too."""
    if groups[0] is None:
        return None
    import pyarrow

    values = pyarrow.chunked_array([_array_of_ids(column) for column in groups])
    encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pyarrow.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.cast(pyarrow.int64()).to_numpy(zero_copy_only=False)


def passage_keys(
    texts: Any,
    *,
    ids: Any = None,
    unit: Unit = "paragraph",
    min_words: int | None = None,
    tokenizer: str = "word-uax29",
    canonicalizer: str = DEFAULT_CANONICALIZER,
    threads: int = 0,
) -> pyarrow.Table:
    """The hashes by which passages are compared: a table of key (16 bytes, those of the server's uuid), id, start and length.

    A table of the keys of earlier batches, joined by ``key`` with those of a new one, says what of the new one was seen.
    """
    import pyarrow

    row, key, start, length = _core.passage_keys(_plain(texts), unit, min_words, tokenizer, canonicalizer, threads)
    keys = pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(16), len(row), [None, pyarrow.py_buffer(key)])
    return pyarrow.table({"key": keys, "id": _names(ids)(row), **_places(start=start, length=length)})


def texts_without(texts: Any, cuts: Any, *, ids: Any = None, mark: str = "") -> pyarrow.Array:
    """The texts of a column without the ranges of a table of id, start and length, such as ``deduplicate_passages`` returns with the same
    ``ids``. The mark stands in their place, before the white space at their end."""
    import numpy
    import pyarrow

    table = pyarrow.table(cuts)
    row = table.column("id").combine_chunks()
    if ids is not None:
        import pyarrow.compute

        names = _array_of_ids(ids)
        row = pyarrow.compute.index_in(row.cast(names.type), value_set=names)
        if row.null_count:
            raise InvalidParameter("a cut has an id that no text has")
    rows, start, length = (column.cast(pyarrow.int64()).to_numpy() for column in (row, table.column("start"), table.column("length")))
    order = numpy.argsort(rows, kind="stable")
    rows, start, length = rows[order], start[order], length[order]
    rest = _array_of_ids(texts).cast(pyarrow.large_string()).to_pylist()
    if len(rows) and not 0 <= rows[0] <= rows[-1] < len(rest):
        raise InvalidParameter("a cut is of a text that there is not")
    begins = numpy.flatnonzero(numpy.diff(rows, prepend=-1))
    for begin, end in zip(begins, [*begins[1:], len(rows)]):
        if rest[rows[begin]] is None:
            raise InvalidParameter("a cut is of a text that is null")
        rest[rows[begin]] = _core.without_ranges(rest[rows[begin]], start[begin:end], length[begin:end], mark)
    return pyarrow.array(rest, pyarrow.large_string())

"""Files of texts: fingerprints, pairs and deduplication of JSON Lines, CSV, TSV, lines, Parquet and Arrow, single or in directories.

Everything is read in batches, more than once if need be, so that texts larger than memory can be processed; what stays in memory is the
fingerprints, and with ``verify`` the texts. Columns of the input are kept. ``txtfp.datasets`` reads the files.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Literal, Sequence

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from . import _core, core
from .datasets import Dataset, open_dataset
from .errors import FileError
from .values import TYPES

if TYPE_CHECKING:
    import psycopg

__all__ = ["FileError", "deduplicate", "fingerprint", "fingerprinted_batches", "near_duplicate_pairs", "open_dataset", "to_postgres"]

_READING = {"delimiter", "header", "skip_errors", "max_record", "max_window"}
Report = Callable[[str], None]


def _open(inputs: Any, format: str | None, options: dict[str, Any], **fields: str | None) -> tuple[Dataset, dict[str, Any]]:
    """The data set, and the options that are not for reading."""
    reading = {name: value for name, value in options.items() if name in _READING | {"threads"}}
    return open_dataset(inputs, format, **fields, **reading), {name: value for name, value in options.items() if name not in _READING}


def _finish(dataset: Dataset, written: int | None, left_out: int, report: Report | None) -> None:
    """Tells what became of the records; an error if some are missing."""
    counts = dataset.counts
    if report is not None and dataset.left_out:
        named = ", ".join(dataset.left_out[:5]) + (f" and {len(dataset.left_out) - 5} more" if len(dataset.left_out) > 5 else "")
        report(f"left out, because their names tell no format: {named}")
    rows = counts.read - counts.refused
    if written is not None and written + left_out != rows:
        raise FileError(f"{rows} records were read, but {written} were written and {left_out} left out")
    line = f"{counts.read} records read, {counts.without_text} without text, {counts.refused} refused"
    if written is not None:
        line += f", {written} written" + (f", {left_out} left out" if left_out else "")
    if report is not None:
        report(line)


def _check_output(output: str | None, dataset: Dataset, force: bool) -> None:
    if output is None or force or not os.path.exists(output):
        return
    if any(os.path.exists(file) and os.path.samefile(output, file) for file in dataset.files):
        raise FileError(f'"{output}" is also an input', None, "Use --force to replace it.")


def _progress(rows: int | None, quiet: bool) -> Any:
    if not quiet and sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            import tqdm

            return tqdm.tqdm(total=rows, unit=" rows", unit_scale=True)
    return contextlib.nullcontext()


def _batches(dataset: Dataset, columns: list[str] | None, quiet: bool) -> Iterator[Any]:
    """The rows in the order of the files."""
    with _progress(dataset.rows, quiet) as progress:
        for batch in dataset.batches(columns):
            yield batch
            if progress is not None:
                progress.update(batch.num_rows)


def _takes_place(file: int, before: os.stat_result) -> bool:
    """Gives a new file the owner and the mode of the one in whose place it comes. False if it cannot have them, or if that one has another name."""
    try:
        os.fchown(file, before.st_uid, before.st_gid)
        os.fchmod(file, before.st_mode & 0o7777)
    except PermissionError:
        return False
    return before.st_nlink == 1


@contextlib.contextmanager
def _replacing(output: str) -> Iterator[str]:
    """The name of a file, still empty, that gets its own name at the end. An existing one keeps its mode and owner, and a symbolic link to it stays."""
    target = os.path.realpath(output)
    unfinished = f"{target}.{os.getpid()}.tmp"
    try:
        before = os.stat(target) if os.path.exists(target) else None
        file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if before is None else 0o600)
        replaces = before is None or _takes_place(file, before)
        os.close(file)
        yield unfinished
        if replaces:
            os.replace(unfinished, target)
        else:
            shutil.copyfile(unfinished, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)


def _repeats(column: Any) -> bool:
    """Whether a dictionary of the values saves more than it takes, by the first of them."""
    first = column.slice(0, 2048)
    try:
        return bool(2 * pyarrow.compute.count_distinct(first).as_py() <= len(first))
    except pyarrow.ArrowNotImplementedError:
        return True  # of nested values


def _is_long(column: Any) -> bool:
    """Whether the values are texts whose least and greatest nobody looks up."""
    return not pyarrow.types.is_primitive(column.type) and column.nbytes > 64 * len(column)


ROW_GROUP = 1 << 24  # bytes in memory


class _Parquet:
    """Writes Parquet in a thread of its own. Fingerprints are as good as random, so that only some kinds are compressed."""

    def __init__(self, output: str, schema: Any, fingerprints: str | None) -> None:
        self._output, self._schema = output, schema
        self._writer: Any = None
        self._group: list[Any] = []
        self._bytes = 0
        self._random = {fingerprints} if fingerprints is not None and pyarrow.types.is_fixed_size_binary(schema.field(fingerprints).type) else set()
        self._thread = concurrent.futures.ThreadPoolExecutor(1)
        self._last = self._thread.submit(lambda: None)

    def _write(self, rows: Any) -> None:
        if self._writer is None:
            names = [name for name in self._schema.names if name not in self._random]
            by_name = self._random and not any(pyarrow.types.is_nested(type) for type in self._schema.types)  # else a name has several columns
            self._writer = pyarrow.parquet.ParquetWriter(
                self._output,
                self._schema,
                compression={name: "NONE" if name in self._random else "ZSTD" for name in self._schema.names} if by_name else "ZSTD",
                compression_level={name: 1 for name in names} if by_name else 1,
                use_dictionary=[name for name in names if rows is None or _repeats(rows.column(name))],
                write_statistics=[name for name in names if rows is None or not _is_long(rows.column(name))] if by_name else True,
            )
        if rows is not None:
            self._writer.write_table(rows)

    def write(self, rows: Any) -> None:
        self._group += rows.to_batches() if isinstance(rows, pyarrow.Table) else [rows]
        self._bytes += rows.nbytes
        if self._bytes >= ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        self._last.result()  # at most one group waits
        rows = pyarrow.Table.from_batches(self._group, self._schema) if self._group else None
        self._last = self._thread.submit(self._write, rows)
        self._group, self._bytes = [], 0

    def close(self) -> None:
        self._flush()  # of no rows at all there is a file, too
        self._last.result()
        self._writer.close()

    def stop(self) -> None:
        self._thread.shutdown()


@contextlib.contextmanager
def _writer(output: str, schema: Any, fingerprints: str | None = None) -> Iterator[Callable[[Any], None]]:
    with _replacing(output) as unfinished:
        parquet = _Parquet(unfinished, schema, fingerprints)
        try:
            yield parquet.write
            parquet.close()
        finally:
            parquet.stop()


def _fingerprinted(dataset: Dataset, wanted: list[str] | None, quiet: bool, text: str, column: str, options: dict[str, Any]) -> Iterator[Any]:
    for batch in _batches(dataset, wanted, quiet):
        fingerprints = core.fingerprints(dataset.checked(batch.column(text)), **options).to_arrow()
        yield batch.append_column(column, fingerprints)


def fingerprint(
    inputs: Any,
    output: str,
    *,
    text: str = "text",
    column: str = "fp",
    format: str | None = None,
    quiet: bool = True,
    force: bool = False,
    report: Report | None = None,
    **options: Any,
) -> int:
    """Writes the rows of the input as Parquet, with their fingerprints in one more column. Returns how many rows there were.

    ``options`` are those of ``txtfp.core.fingerprints`` and of ``open_dataset``; ``report`` gets a line about what became of the records.
    """
    dataset, options = _open(inputs, format, options, text=text)
    _check_output(output, dataset, force)
    if column in dataset.schema.names:
        raise FileError(f'the input has a field "{column}" already', None, "Use --column.")
    rows = 0
    kind = core.fingerprints([], **options).to_arrow().type
    with _writer(output, dataset.schema.append(pyarrow.field(column, kind)), column) as write:
        for batch in _fingerprinted(dataset, None, quiet, text, column, options):
            write(batch)
            rows += batch.num_rows
    _finish(dataset, rows, 0, report)
    return rows


def fingerprinted_batches(
    inputs: Any,
    *,
    text: str = "text",
    column: str = "fp",
    fields: Sequence[str] | None = None,
    format: str | None = None,
    quiet: bool = True,
    report: Report | None = None,
    **options: Any,
) -> Iterator[Any]:
    """The rows of the input in record batches, with their fingerprints in one more column; of the others ``fields``."""
    dataset, options = _open(inputs, format, options, text=text)
    for field in fields or []:
        if field not in dataset.schema.names:
            raise FileError(f'there is no field "{field}"', f"The fields are {', '.join(dataset.schema.names)}.")
        if field in dataset.doubled:
            raise FileError(f'{dataset.doubled[field]}: the header has the field "{field}" twice')
    rows = 0
    wanted = None if fields is None else list(dict.fromkeys([*fields, text]))
    for batch in _fingerprinted(dataset, wanted, quiet, text, column, options):
        rows += batch.num_rows
        yield batch if fields is None else batch.select([*fields, column])
    _finish(dataset, rows, 0, report)


def _read(dataset: Dataset, text: str, others: list[str], keep_text: bool, quiet: bool, options: dict[str, Any]) -> dict[str, Any]:
    """The fingerprints of all rows, and further columns."""
    chunks: dict[str, list[Any]] = {name: [] for name in ["fp", *others, *(["text"] if keep_text else [])]}
    for batch in _batches(dataset, list(dict.fromkeys([text, *others])), quiet):
        chunks["fp"].append(core.fingerprints(dataset.checked(batch.column(text)), **options).to_arrow())
        for name in others:
            chunks[name].append(batch.column(name))
        if keep_text:
            chunks["text"].append(batch.column(text))
    pyarrow.default_memory_pool().release_unused()  # of reading
    if not chunks["fp"]:
        chunks["fp"].append(core.fingerprints([], **options).to_arrow())
    types: dict[str, Any] = {"fp": chunks["fp"][0].type, "text": dataset.schema.field(text).type}
    return {name: pyarrow.chunked_array(parts, type=types.get(name) or dataset.schema.field(name).type) for name, parts in chunks.items()}


def _check_ids(ids: Any, allow_duplicates: bool) -> None:
    if ids is None or allow_duplicates:
        return
    if ids.null_count:
        raise FileError("an id is null")
    if pyarrow.compute.count_distinct(ids).as_py() != len(ids):
        raise FileError("an id occurs more than once", None, "Use --allow-duplicate-ids.")


_LIMITS = {"threshold", "max_distance", "min_score", "recall", "bands", "rows"}
_JOIN_OPTIONS = _LIMITS | {"signals", "rule", "min_precision", "apart", "together"}


def _split_options(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    threads = {"threads": options["threads"]} if "threads" in options else {}
    join = {name: value for name, value in options.items() if name in _JOIN_OPTIONS}
    return {**join, **threads}, {name: value for name, value in options.items() if name not in _JOIN_OPTIONS}


def near_duplicate_pairs(
    inputs: Any,
    output: str,
    *,
    text: str = "text",
    id: str | None = None,
    format: str | None = None,
    allow_duplicate_ids: bool = False,
    quiet: bool = True,
    force: bool = False,
    report: Report | None = None,
    **options: Any,
) -> int:
    """Writes the pairs of near-duplicates as Parquet: a, b, similarity. Returns how many there are.

    ``options`` are those of ``txtfp.core.fingerprints``, ``txtfp.core.near_duplicate_pairs`` and ``open_dataset``.
    """
    dataset, options = _open(inputs, format, options, text=text, id=id)
    _check_output(output, dataset, force)
    join, sketch = _split_options(options)
    columns = _read(dataset, text, [id] if id else [], False, quiet, sketch)
    ids = columns[id] if id else None
    _check_ids(ids, allow_duplicate_ids)
    pairs = core.near_duplicate_pairs(columns["fp"], ids=ids, **join)
    with _writer(output, pairs.schema) as write:
        write(pairs)
    _finish(dataset, None, 0, report)
    return int(pairs.num_rows)


def deduplicate(
    inputs: Any,
    output: str,
    *,
    text: str = "text",
    id: str | None = None,
    removed: str | None = None,
    verify: Literal["none", "jaccard", "containment", "lossless"] = "jaccard",
    verify_threshold: float | None = None,
    guard: str = "balanced",
    priority: str | None = None,
    format: str | None = None,
    allow_duplicate_ids: bool = False,
    quiet: bool = True,
    force: bool = False,
    report: Report | None = None,
    **options: Any,
) -> tuple[int, int]:
    """Writes the rows that remain as Parquet, with all their columns, and to ``removed`` which rows were removed, for which, and why.

    Rows win in the order of ``priority``, then in that of the files. ``verify="none"`` and ``guard=""`` leave it to the fingerprints. Where
    a guard or a rule forbids a removal, the row remains, and ``removed`` has it with the outcome "review" or "keep". ``options`` are those of ``txtfp.core.fingerprints``, ``txtfp.core.deduplicate`` and
    ``open_dataset``. Returns how many rows remain, and how many were removed.
    """
    dataset, options = _open(inputs, format, options, text=text, id=id, priority=priority)
    for name in output, removed:
        _check_output(name, dataset, force)
    join, sketch = _split_options(options)
    others = [name for name in (id, priority) if name]
    needs_texts = verify != "none" or bool(guard.strip()) or any(join.get(name) for name in ("rule", "signals"))
    columns = _read(dataset, text, others, needs_texts, quiet, sketch)
    _check_ids(columns[id] if id else None, allow_duplicate_ids)
    defaults = {"tokenizer": core.DEFAULT_TOKENIZER, "canonicalizer": core.DEFAULT_CANONICALIZER}
    tokens: dict[str, Any] = {name: sketch.get(name) or default for name, default in defaults.items()}
    for name in "apart", "together":
        if name in join:
            join[name] = core._decided(join[name], columns[id] if id else None)
    result = core.deduplicate(
        columns.pop("fp"),
        texts=dataset.checked(columns.pop("text")) if needs_texts else None,
        verify=verify,
        verify_threshold=verify_threshold,
        guard=guard,
        priority=_numbers(columns[priority], priority) if priority else None,
        **tokens,
        **join,
    )
    if removed is not None:
        _write_removed(removed, result, columns[id] if id else None)
    gone = result.filter(pyarrow.compute.equal(result["outcome"], "remove"))["id"].to_numpy()
    kept = _write_kept(dataset, output, gone, quiet)
    _finish(dataset, kept, len(gone), report)
    return kept, len(gone)


def _numbers(column: Any, name: str) -> Any:
    """A priority as numbers; where there is none, the row comes last."""
    if pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type):
        column = pyarrow.compute.if_else(pyarrow.compute.equal(column, ""), None, column)
        try:
            column = column.cast(pyarrow.float64())
        except pyarrow.ArrowInvalid as error:
            raise FileError(f'the field "{name}" is not a number', str(error)) from None
    if column.null_count:
        column = column.cast(pyarrow.float64(), safe=False).fill_null(numpy.nan)
    return column.to_numpy()


def _write_removed(removed: str, result: Any, ids: Any) -> None:
    if ids is not None:
        for i, name in enumerate(("id", "kept")):
            result = result.set_column(i, name, ids.take(result[name]))
    with _writer(removed, result.schema) as write:
        write(result)


def _write_kept(dataset: Dataset, output: str, removed: Any, quiet: bool) -> int:
    """Reads the input once more. The rows come in the same order."""
    rows = kept = 0
    removed = numpy.sort(removed)
    with _writer(output, dataset.schema) as write:
        for batch in _batches(dataset, None, quiet):
            mask = numpy.ones(batch.num_rows, dtype=bool)
            first, last = (int(numpy.searchsorted(removed, row)) for row in (rows, rows + batch.num_rows))
            mask[removed[first:last] - rows] = False
            rows += batch.num_rows
            remaining = batch.filter(pyarrow.array(mask))
            kept += remaining.num_rows
            write(remaining)
    return kept


# ---------------------------------------------------------------------------------------------- binary COPY

_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"
_MICROSECONDS_TO_2000 = 946_684_800_000_000
_DAYS_TO_2000 = 10_957


def _copied_type(name: str) -> Any:
    """The Arrow type whose binary form is that of a type of the server; None: the bytes as they are."""
    types = {
        "bool": pyarrow.bool_(),
        "int2": pyarrow.int16(),
        "int4": pyarrow.int32(),
        "int8": pyarrow.int64(),
        "float4": pyarrow.float32(),
        "float8": pyarrow.float64(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
        "timestamptz": pyarrow.timestamp("us", "UTC"),
        "text": pyarrow.large_string(),
        "varchar": pyarrow.large_string(),
        "bytea": pyarrow.large_binary(),
    }
    if name in TYPES or name == "uuid":
        return None
    if name not in types:
        raise FileError(f"columns of type {name} are not written", None, "Leave the column out, or make the table's column text.")
    return types[name]


def _copied_column(column: Any, name: str) -> Any:
    """The column with the binary form of the server's type in each row."""
    wanted = _copied_type(name)
    if wanted is None:
        return column
    column = column.cast(wanted)
    if pyarrow.types.is_large_string(wanted) or pyarrow.types.is_large_binary(wanted):
        return column
    if pyarrow.types.is_boolean(wanted):
        column = column.cast(pyarrow.uint8())
    elif pyarrow.types.is_date(wanted):
        column = column.cast(pyarrow.int32())
    elif pyarrow.types.is_timestamp(wanted):
        column = column.cast(pyarrow.int64())
    valid = column.is_valid()
    numbers = column.fill_null(0).to_numpy(zero_copy_only=False)
    shift = _DAYS_TO_2000 if name == "date" else _MICROSECONDS_TO_2000 if name.startswith("timestamp") else 0
    swapped = (numbers - shift if shift else numbers).astype(numbers.dtype.newbyteorder(">"))
    binary = pyarrow.FixedSizeBinaryArray.from_buffers(
        pyarrow.binary(swapped.dtype.itemsize), len(swapped), [None, pyarrow.py_buffer(swapped)]
    )
    return pyarrow.compute.if_else(valid, binary, None) if column.null_count else binary


def to_postgres(batches: Iterable[Any], connection: psycopg.Connection[Any], table: str, columns: Sequence[str] | None = None) -> int:
    """Streams record batches, or the batches of a table, into a table of the server by binary COPY. Returns how many rows.

    Columns go to those of the same name; ``columns`` chooses some. The table exists; its name may be qualified.
    """
    from psycopg import sql

    target = sql.SQL(".").join(sql.Identifier(part) for part in table.split("."))
    rows = 0
    types: dict[str, str] = {}
    batches = batches.to_batches() if isinstance(batches, pyarrow.Table) else batches
    with contextlib.ExitStack() as stack:
        copy: Any = None
        for batch in batches:
            if copy is None:
                names = list(columns) if columns is not None else batch.schema.names
                types = _table_types(connection, target.as_string(connection), names)
                statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(
                    target, sql.SQL(", ").join(map(sql.Identifier, names))
                )
                copy = stack.enter_context(connection.cursor().copy(statement))
                copy.write(_COPY_HEAD)
            for start in range(0, batch.num_rows, 4096):
                part = batch.slice(start, 4096)
                copy.write(_core.copy_rows([_copied_column(part.column(name), types[name]) for name in types]))
            rows += batch.num_rows
        if copy is not None:
            copy.write(_COPY_END)
    return rows


def _table_types(connection: Any, table: str, names: Sequence[str]) -> dict[str, str]:
    """The types of the table's columns, with domains as what they are based on."""
    found = dict(
        connection.execute(
            """SELECT a.attname::text, coalesce(b.typname, t.typname)::text
               FROM pg_catalog.pg_attribute AS a
               JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
               LEFT JOIN pg_catalog.pg_type AS b ON b.oid = t.typbasetype
               WHERE a.attrelid = %s::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped""",
            [table],
        ).fetchall()
    )
    for name in names:
        if name not in found:
            raise FileError(f'table {table} has no column "{name}"', f"The columns are {', '.join(found)}.")
    return {name: found[name] for name in names}

"""Files of texts: Parquet, Arrow, JSON Lines and CSV, single or in directories, by pyarrow's data sets.

Everything is read in batches, more than once if need be, so that texts larger than memory can be processed; what stays in memory is the
fingerprints, and with ``verify`` the texts. Columns of the input are kept.
"""

from __future__ import annotations

import contextlib
import glob
import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Literal, Sequence

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet

from . import _core, core
from .errors import Error
from .values import TYPES

if TYPE_CHECKING:
    import psycopg

__all__ = ["FileError", "deduplicate", "fingerprint", "fingerprinted_batches", "near_duplicate_pairs", "open_dataset", "to_postgres"]

BATCH_ROWS = 1 << 15

_FORMATS = {
    ".parquet": "parquet",
    ".arrow": "ipc",
    ".feather": "feather",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
}


class FileError(Error):
    """A file that cannot be used as it was named."""


def _format_of(path: str) -> str | None:
    stem = path.lower()
    for compression in ".gz", ".bz2", ".zst", ".lz4":
        stem = stem.removesuffix(compression)
    return _FORMATS.get(os.path.splitext(stem)[1])


def _files_below(filesystem: pyarrow.fs.FileSystem, path: str) -> list[str]:
    selector = pyarrow.fs.FileSelector(path, recursive=True)
    files = sorted(info.path for info in filesystem.get_file_info(selector) if info.is_file)
    hidden = [file for file in files if any(part[:1] in (".", "_") for part in file[len(path) :].split("/"))]
    return [file for file in files if file not in set(hidden) and _format_of(file) is not None]


def open_dataset(inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], format: str | None = None) -> Any:
    """The data set of files, directories, globs, and of URIs of object stores, in the order of their names."""
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    filesystem: Any = pyarrow.fs.LocalFileSystem()
    files: list[str] = []
    for given in names:
        name = os.fspath(given)
        if "://" in name:
            filesystem, name = pyarrow.fs.FileSystem.from_uri(name)
        elif any(character in name for character in "*?[") and not os.path.exists(name):
            found = sorted(glob.glob(name, recursive=True))
            if not found:
                raise FileError(f'no file matches "{name}"')
            files += found
            continue
        info = filesystem.get_file_info(name)
        if info.type == pyarrow.fs.FileType.NotFound:
            raise FileError(f'there is no file "{name}"')
        files += [name] if info.is_file else _files_below(filesystem, name)
    if not files:
        raise FileError(f'"{os.fspath(names[0])}" has no files of a known format', None, f"Formats are {', '.join(_FORMATS)}.")
    formats = {format} if format else {_format_of(file) for file in files}
    if None in formats:
        unknown = next(file for file in files if _format_of(file) is None)
        raise FileError(f'the name of "{unknown}" does not tell its format', None, "Use --format.")
    if len(formats) > 1:
        raise FileError("the files have several formats", ", ".join(sorted(map(str, formats))))
    (only,) = formats
    try:
        return pyarrow.dataset.dataset(files, format="json" if only == "jsonl" else only, filesystem=filesystem)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise FileError("the files cannot be read", str(error)) from None


def _check_fields(dataset: Any, *fields: str | None) -> None:
    for field in fields:
        if field is not None and field not in dataset.schema.names:
            raise FileError(f'there is no field "{field}"', f"The fields are {', '.join(dataset.schema.names)}.")


def _check_output(output: str | None, dataset: Any, force: bool) -> None:
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


def _batches(dataset: Any, columns: list[str] | None, quiet: bool) -> Iterator[Any]:
    """The rows in the order of the files."""
    rows = dataset.count_rows() if dataset.format.default_extname == "parquet" else None
    with _progress(rows, quiet) as progress:
        for batch in dataset.scanner(columns=columns, batch_size=BATCH_ROWS, fragment_readahead=1, batch_readahead=4).to_batches():
            if batch.num_rows:
                yield batch
            if progress is not None:
                progress.update(batch.num_rows)


@contextlib.contextmanager
def _writer(output: str, schema: Any) -> Iterator[Callable[[Any], None]]:
    """Writes Parquet, into a file that gets its name at the end."""
    unfinished = f"{output}.{os.getpid()}.tmp"
    try:
        with pyarrow.parquet.ParquetWriter(unfinished, schema, compression="zstd", compression_level=1) as writer:
            yield writer.write
        os.replace(unfinished, output)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(unfinished)


def _fingerprinted(batches: Iterable[Any], text: str, column: str, options: dict[str, Any]) -> Iterator[Any]:
    for batch in batches:
        fingerprints = core.fingerprints(batch.column(text), **options).to_arrow()
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
    **options: Any,
) -> int:
    """Writes the rows of the input as Parquet, with their fingerprints in one more column. Returns how many rows there were.

    ``options`` are those of ``txtfp.core.fingerprints``.
    """
    dataset = open_dataset(inputs, format)
    _check_fields(dataset, text)
    _check_output(output, dataset, force)
    if column in dataset.schema.names:
        raise FileError(f'the input has a field "{column}" already', None, "Use --column.")
    rows = 0
    kind = core.fingerprints([], **options).to_arrow().type
    with _writer(output, dataset.schema.append(pyarrow.field(column, kind))) as write:
        for batch in _fingerprinted(_batches(dataset, None, quiet), text, column, options):
            write(batch)
            rows += batch.num_rows
    return rows


def fingerprinted_batches(
    inputs: Any,
    *,
    text: str = "text",
    column: str = "fp",
    fields: Sequence[str] | None = None,
    format: str | None = None,
    quiet: bool = True,
    **options: Any,
) -> Iterator[Any]:
    """The rows of the input in record batches, with their fingerprints in one more column; of the others ``fields``."""
    dataset = open_dataset(inputs, format)
    _check_fields(dataset, text, *(fields or []))
    wanted = None if fields is None else list(dict.fromkeys([*fields, text]))
    for batch in _fingerprinted(_batches(dataset, wanted, quiet), text, column, options):
        yield batch if fields is None else batch.select([*fields, column])


def _read(dataset: Any, text: str, others: list[str], keep_text: bool, quiet: bool, options: dict[str, Any]) -> dict[str, Any]:
    """The fingerprints of all rows, and further columns."""
    chunks: dict[str, list[Any]] = {name: [] for name in ["fp", *others, *(["text"] if keep_text else [])]}
    for batch in _batches(dataset, list(dict.fromkeys([text, *others])), quiet):
        chunks["fp"].append(core.fingerprints(batch.column(text), **options).to_arrow())
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
_JOIN_OPTIONS = _LIMITS | {"guard", "signals", "rule", "min_precision", "apart", "together"}


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
    **options: Any,
) -> int:
    """Writes the pairs of near-duplicates as Parquet: a, b, similarity. Returns how many there are.

    ``options`` are those of ``txtfp.core.fingerprints`` and ``txtfp.core.near_duplicate_pairs``.
    """
    dataset = open_dataset(inputs, format)
    _check_fields(dataset, text, id)
    _check_output(output, dataset, force)
    join, sketch = _split_options(options)
    columns = _read(dataset, text, [id] if id else [], False, quiet, sketch)
    ids = columns[id] if id else None
    _check_ids(ids, allow_duplicate_ids)
    pairs = core.near_duplicate_pairs(columns["fp"], ids=ids, **join)
    with _writer(output, pairs.schema) as write:
        write(pairs)
    return int(pairs.num_rows)


def deduplicate(
    inputs: Any,
    output: str,
    *,
    text: str = "text",
    id: str | None = None,
    removed: str | None = None,
    verify: Literal["none", "jaccard", "containment", "lossless"] = "none",
    verify_threshold: float | None = None,
    priority: str | None = None,
    format: str | None = None,
    allow_duplicate_ids: bool = False,
    quiet: bool = True,
    force: bool = False,
    **options: Any,
) -> tuple[int, int]:
    """Writes the rows that remain as Parquet, with all their columns, and to ``removed`` which rows were removed, for which, and why.

    Rows win in the order of ``priority``, then in that of the files. Where a guard or a rule forbids a removal, the row remains, and ``removed``
    has it with the outcome "review" or "keep". ``options`` are those of ``txtfp.core.fingerprints`` and ``txtfp.core.deduplicate``. Returns how many rows remain, and how many were
    removed.
    """
    dataset = open_dataset(inputs, format)
    _check_fields(dataset, text, id, priority)
    for name in output, removed:
        _check_output(name, dataset, force)
    join, sketch = _split_options(options)
    others = [name for name in (id, priority) if name]
    needs_texts = verify != "none" or any(join.get(name) for name in ("guard", "rule", "signals"))
    columns = _read(dataset, text, others, needs_texts, quiet, sketch)
    _check_ids(columns[id] if id else None, allow_duplicate_ids)
    tokens = {name: sketch[name] for name in ("tokenizer", "canonicalizer") if sketch.get(name)}
    for name in "apart", "together":
        if name in join:
            join[name] = core._decided(join[name], columns[id] if id else None)
    result = core.deduplicate(
        columns.pop("fp"),
        texts=columns.pop("text", None),
        verify=verify,
        verify_threshold=verify_threshold,
        priority=columns[priority].to_numpy() if priority else None,
        **tokens,
        **join,
    )
    if removed is not None:
        _write_removed(removed, result, columns[id] if id else None)
    gone = result.filter(pyarrow.compute.equal(result["outcome"], "remove"))["id"].to_numpy()
    return _write_kept(dataset, output, gone, quiet), len(gone)


def _write_removed(removed: str, result: Any, ids: Any) -> None:
    if ids is not None:
        for i, name in enumerate(("id", "kept")):
            result = result.set_column(i, name, ids.take(result[name]))
    with _writer(removed, result.schema) as write:
        write(result)


def _write_kept(dataset: Any, output: str, removed: Any, quiet: bool) -> int:
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

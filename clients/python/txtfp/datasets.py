"""What the functions of txtfp.files read: text files by the reader of the command line, Parquet and Arrow IPC by pyarrow.

Both have one schema over all files, and give the rows of the files in the order of their names, as often as they are asked.
"""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import os
import shutil
import sys
import tempfile
from typing import Any, Callable, Iterator, Sequence

import pyarrow
import pyarrow.dataset
import pyarrow.fs
import pyarrow.ipc

from . import _core
from .errors import FileError

__all__ = ["Counts", "Dataset", "open_dataset"]

BATCH_ROWS = 1 << 15
MAX_RECORD = 1 << 26
MAX_WINDOW = 1 << 31
MAX_KEPT = 1 << 29  # bytes of rows of JSON Lines that are not parsed again

_ARROW_FORMATS = {".parquet": "parquet", ".arrow": "ipc", ".arrows": "ipc", ".feather": "feather"}
_TEXT_FORMATS = ["jsonl", "csv", "tsv", "lines"]


@dataclasses.dataclass
class Counts:
    """The records of a run. What was read was refused, or is a row."""

    read: int = 0
    without_text: int = 0
    refused: int = 0


@dataclasses.dataclass(frozen=True)
class Fields:
    """The fields that every file must have; None: not asked for."""

    text: str | None = None
    id: str | None = None
    priority: str | None = None

    def named(self) -> list[str]:
        return [name for name in (self.text, self.id, self.priority) if name is not None]


class Dataset:
    """Rows of files. ``counts`` are those of the last complete reading."""

    files: list[str]
    left_out: Sequence[str] = ()  # files of folders whose names tell no format
    doubled: dict[str, str] = {}  # names that a header has several times, and its file: the columns have further names, and cannot be asked for
    schema: Any
    counts: Counts
    rows: int | None = None  # if that is known before reading

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        raise NotImplementedError

    def checked(self, column: Any) -> Any:
        """A column of the batches as the core takes it."""
        return column


class _Checked:
    """An array that the core does not check, because it was made here and not by pyarrow from bytes that may be damaged."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __getattr__(self, name: str) -> Any:
        return getattr(self._column, name)


# ---------------------------------------------------------------------------------------------- text


def _one_byte(delimiter: str) -> str:
    delimiter = "\t" if delimiter == "\\t" else delimiter
    if len(delimiter.encode()) > 1 or delimiter in ('"', "\n", "\r", "\\"):
        raise FileError(f"the delimiter {delimiter!r} is not one byte other than a line end, a quote or a backslash")
    return delimiter


class _Text(Dataset):
    def __init__(self, files: list[_File], format: str, fields: Fields, reading: dict[str, Any]) -> None:
        self.files = [file.name for file in files]
        self._reader = _core.TextReader(
            [(file.name, file.opener) for file in files],
            format,
            reading.get("header", True),
            _one_byte(reading.get("delimiter") or ""),
            fields.text or "",
            fields.id or "",
            fields.priority or "",
            reading.get("max_record") or MAX_RECORD,
            reading.get("max_window") or MAX_WINDOW,
            MAX_KEPT,
            reading.get("skip_errors", False),
            reading.get("threads", 0),
        )
        self._reader.scan()
        self.doubled = self._reader.doubled()
        names = self._reader.names()
        for name in fields.named():
            if names and name not in names:
                raise FileError(f'there is no field "{name}"', f"The fields are {', '.join(names)}.")
        self._reader.start(names)
        self.schema = pyarrow.record_batch(self._reader.schema()).schema
        for name in fields.named():  # of files without a record
            if name not in names:
                self.schema = self.schema.append(pyarrow.field(name, pyarrow.string()))
        self.counts = Counts()

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        self._reader.start(list(self.schema.names if columns is None else columns))
        while (rows := self._reader.next()) is not None:
            yield pyarrow.record_batch(rows)
        self.counts = Counts(*self._reader.counts())

    def checked(self, column: Any) -> Any:
        return _Checked(column)


# ---------------------------------------------------------------------------------------------- Parquet, Arrow IPC


def _plain(type: Any) -> Any:
    """The type without views and dictionaries, which not every function of pyarrow takes."""
    types = pyarrow.types
    if types.is_dictionary(type):
        return _plain(type.value_type)
    if hasattr(types, "is_string_view") and types.is_string_view(type):
        return pyarrow.large_string()
    if hasattr(types, "is_binary_view") and types.is_binary_view(type):
        return pyarrow.large_binary()
    if types.is_list(type) or types.is_large_list(type):
        item = type.value_field.with_type(_plain(type.value_type))
        return pyarrow.list_(item) if types.is_list(type) else pyarrow.large_list(item)
    if types.is_struct(type):
        return pyarrow.struct([type.field(i).with_type(_plain(type.field(i).type)) for i in range(type.num_fields)])
    return type


def _is_text(type: Any) -> bool:
    types = pyarrow.types
    return bool(types.is_string(type) or types.is_large_string(type))


def _can_be_text(type: Any) -> bool:
    return _is_text(type) or bool(pyarrow.types.is_binary(type) or pyarrow.types.is_large_binary(type))


def _can_be_id(type: Any) -> bool:
    return not pyarrow.types.is_nested(type) and not pyarrow.types.is_boolean(type)


def _can_be_number(type: Any) -> bool:
    types = pyarrow.types
    return _is_text(type) or bool(types.is_integer(type) or types.is_floating(type) or types.is_decimal(type))


def _check_types(part: Any, name: str, fields: Fields) -> None:
    """Refuses a text that is no text, an id of a nested type or a boolean, and a priority that is no number, as the reader of JSON does."""
    asked: list[tuple[str | None, str, Callable[[Any], bool]]] = [
        (fields.text, "a text", _can_be_text),
        (fields.id, "an id", _can_be_id),
        (fields.priority, "a number", _can_be_number),
    ]
    for field, what, is_right in asked:
        if field is None:
            continue
        type = _plain(part.schema.field(field).type)
        if not pyarrow.types.is_null(type) and not is_right(type):
            raise FileError(f'the field "{field}" in "{name}" is {type}, which is not {what}')


def _cast(column: Any, type: Any) -> Any:
    if column.type == type:
        return column
    if pyarrow.types.is_dictionary(column.type):
        return _cast(column.dictionary, type).take(column.indices)
    return column.cast(type)


def _common(a: Any, b: Any) -> Any | None:
    """The type that has all values of both, or None."""
    types = pyarrow.types
    if a == b or types.is_null(b):
        return a
    if types.is_null(a):
        return b
    for one, other in (a, b), (b, a):
        if types.is_large_string(one) and types.is_string(other) or types.is_large_binary(one) and types.is_binary(other):
            return one
    for kind in types.is_signed_integer, types.is_unsigned_integer, types.is_floating:
        if kind(a) and kind(b):
            return max(a, b, key=lambda type: type.bit_width)
    return None


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    """Whatever pyarrow finds wrong with a file becomes an error that names it. A name of a column may be no UTF-8."""
    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(f'"{name}" cannot be read', str(error)) from None


class _Stream:
    """A file in the stream format of Arrow IPC, as a data set of pyarrow, which reads only files with an index at their end."""

    def __init__(self, name: str, filesystem: Any) -> None:
        self._name, self._filesystem = name, filesystem
        with filesystem.open_input_stream(name) as file, pyarrow.ipc.open_stream(file) as reader:
            self.schema = reader.schema

    def batches(self, columns: list[str]) -> Iterator[Any]:
        with self._filesystem.open_input_stream(self._name) as file, pyarrow.ipc.open_stream(file) as reader:
            for batch in reader:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.select(columns).slice(start, BATCH_ROWS)


def _begins_stream(name: str, filesystem: Any) -> bool:
    with filesystem.open_input_stream(name) as file:
        return bool(file.read(4) == b"\xff\xff\xff\xff")


class _Arrow(Dataset):
    def __init__(self, files: list[_File], format: str, filesystem: Any, fields: Fields) -> None:
        self.files = [file.name for file in files]
        self._fields = fields
        self._parts = []
        found: dict[str, tuple[Any, str]] = {}
        rows = 0
        for file in files:
            if file.size == 0:
                continue  # an empty file is one without rows
            with _reading(file.name):
                if format == "ipc" and _begins_stream(file.name, filesystem):
                    part: Any = _Stream(file.name, filesystem)
                else:
                    part = pyarrow.dataset.dataset(file.name, format=format, filesystem=filesystem)
                self._parts.append((file.name, part))
                for name in fields.named():
                    if name not in part.schema.names:
                        raise FileError(f'there is no field "{name}" in "{file.name}"', f"The fields are {', '.join(part.schema.names)}.")
                _check_types(part, file.name, fields)
                for field in part.schema:
                    type, first = found.get(field.name, (pyarrow.null(), file.name))
                    both = _common(type, _plain(field.type))
                    if both is None:
                        raise FileError(f'the field "{field.name}" is {field.type} in "{file.name}" and {type} in "{first}"')
                    found[field.name] = both, first
                if format == "parquet":
                    rows += part.count_rows()
        if not self._parts:
            found = {name: (pyarrow.string(), "") for name in fields.named()}
        self.schema = pyarrow.schema([(name, type) for name, (type, _) in found.items()])
        self.counts = Counts()
        self.rows = rows if format == "parquet" else None

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        wanted = list(self.schema.names if columns is None else columns)
        schema = pyarrow.schema([self.schema.field(name) for name in wanted])
        counts = Counts()
        for name, part in self._parts:
            there = [column for column in wanted if column in part.schema.names]
            with _reading(name):
                if isinstance(part, _Stream):
                    batches = part.batches(there)
                else:
                    batches = part.scanner(columns=there, batch_size=BATCH_ROWS, fragment_readahead=1, batch_readahead=4).to_batches()
                for batch in batches:
                    if batch.num_rows:
                        yield self._whole(batch, schema, counts)
        self.counts = counts

    def _whole(self, batch: Any, schema: Any, counts: Counts) -> Any:
        batch.validate(full=True)  # pyarrow's functions believe what a file says
        counts.read += batch.num_rows
        arrays = []
        for field in schema:
            if field.name not in batch.schema.names:
                arrays.append(pyarrow.nulls(batch.num_rows, field.type))
                continue
            column = batch.column(field.name)
            arrays.append(_cast(column, field.type))
            if field.name == self._fields.text:
                counts.without_text += column.null_count
        return pyarrow.record_batch(arrays, schema=schema)


# ---------------------------------------------------------------------------------------------- names


@dataclasses.dataclass
class _File:
    name: str
    opener: Callable[[], Any] | None = None  # None: by its name
    size: int | None = None


def _format_of(path: str) -> str | None:
    arrow = _ARROW_FORMATS.get(os.path.splitext(path.lower())[1])
    format: str | None = arrow or _core.text_format(path.lower().removesuffix(".lz4"))
    return format


def _check_name(name: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise FileError(f"the name {ascii(name)} is not valid UTF-8", "Arrow and its file systems take no other names.")
    return name


def _paths_below(path: str) -> Iterator[str]:
    """The files of a folder and below, also links to nothing, which pyarrow passes over."""

    def fail(error: OSError) -> None:
        raise FileError(f'"{error.filename}" cannot be read', error.strerror)

    for folder, folders, names in os.walk(path, followlinks=True, onerror=fail):
        for link in filter(os.path.islink, (os.path.join(folder, name) for name in folders)):
            if os.path.commonpath([os.path.realpath(folder), os.path.realpath(link)]) == os.path.realpath(link):
                raise FileError(f'folders are nested in a circle: "{link}"')
        yield from (_check_name(os.path.join(folder, name)) for name in names)


def _files_below(filesystem: Any, path: str, given: str | None) -> tuple[list[str], list[str]]:
    """The files of a folder, and those that are left out: their names tell no format, or they are notes (.txt). What a name hides does not count."""
    if isinstance(filesystem, pyarrow.fs.LocalFileSystem):
        files = sorted(_paths_below(path))
    else:
        files = sorted(info.path for info in filesystem.get_file_info(pyarrow.fs.FileSelector(path, recursive=True)) if info.is_file)
    files = [file for file in files if not any(part[:1] in (".", "_") for part in file[len(path) :].split("/"))]
    if given is None:
        left_out = [file for file in files if _format_of(file) in (None, "lines")]
    else:
        left_out = [file for file in files if given != "lines" and _format_of(file) == "lines"]
    return [file for file in files if file not in set(left_out)], left_out


def _opener(filesystem: Any, path: str) -> Callable[[], Any] | None:
    if isinstance(filesystem, pyarrow.fs.LocalFileSystem) and not path.endswith(".lz4"):
        return None

    def opened() -> Any:
        stream = filesystem.open_input_stream(path, compression=None)
        return pyarrow.CompressedInputStream(stream, "lz4") if path.endswith(".lz4") else stream

    return opened


def _spooled(name: str) -> _File:
    """A stream that can be read only once, as a file without a name."""
    copy = tempfile.TemporaryFile()
    source: Any = contextlib.nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb")
    with source as stream:
        shutil.copyfileobj(stream, copy)

    def reopen() -> Any:
        copy.seek(0)
        return copy

    return _File("standard input" if name == "-" else name, reopen)


def _is_stream(name: str) -> bool:
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name))


def _find(names: list[str], format: str | None) -> tuple[Any, list[_File], list[str]]:
    filesystem: Any = pyarrow.fs.LocalFileSystem()
    files: list[_File] = []
    left_out: list[str] = []
    for name in names:
        if _is_stream(name):
            files.append(_spooled(name))
            continue
        if "://" in name:
            filesystem, name = pyarrow.fs.FileSystem.from_uri(name)
        elif any(character in name for character in "*?[") and not os.path.exists(name):
            found = sorted(glob.glob(name, recursive=True))
            if not found:
                raise FileError(f'no file matches "{name}"')
            files += [_File(path) for path in found]
            continue
        info = filesystem.get_file_info(name)
        if info.type == pyarrow.fs.FileType.NotFound:
            raise FileError(f'there is no file "{name}"')
        if info.is_file:
            files.append(_File(name))
            continue
        found, others = _files_below(filesystem, name, format)
        files += [_File(path) for path in found]
        left_out += others
    for file in files:
        if file.opener is None:
            file.opener = _opener(filesystem, file.name)
            file.size = filesystem.get_file_info(file.name).size
    return filesystem, files, left_out


def open_dataset(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    format: str | None = None,
    *,
    text: str | None = None,
    id: str | None = None,
    priority: str | None = None,
    **reading: Any,
) -> Dataset:
    """The rows of files, directories, globs, URIs of object stores, and of standard input (``-``), in the order of their names.

    ``reading`` is for text files: ``delimiter``, ``header`` (True), ``skip_errors`` (False), ``max_record`` and ``max_window`` (bytes), ``threads``.
    """
    names = [os.fspath(name) for name in ([inputs] if isinstance(inputs, (str, os.PathLike)) else inputs)]
    for name in names:
        _check_name(name)
    filesystem, files, left_out = _find(names, format)
    if not files:
        known = ", ".join([*_ARROW_FORMATS, ".jsonl", ".ndjson", ".json", ".csv", ".tsv"])
        raise FileError(f'"{names[0]}" has no files of a known format', None, f"Formats are {known}.")
    formats = {format} if format else {_format_of(file.name) for file in files}
    if None in formats:
        unknown = next(file for file in files if _format_of(file.name) is None)
        raise FileError(f'the name of "{unknown.name}" does not tell its format', None, "Use --format.")
    if len(formats) > 1:
        raise FileError("the files have several formats", ", ".join(sorted(map(str, formats))))
    only = str(formats.pop())
    only = "jsonl" if only == "json" else only
    fields = Fields(text, id, priority)
    dataset: Dataset
    if only in _TEXT_FORMATS:
        dataset = _Text(files, only, fields, reading)
        dataset.left_out = left_out
        return dataset
    if only not in _ARROW_FORMATS.values():
        raise FileError(f'there is no format "{only}"', None, f"Formats are {', '.join([*_ARROW_FORMATS.values(), *_TEXT_FORMATS])}.")
    dataset = _Arrow(files, only, filesystem, fields)
    dataset.left_out = left_out
    return dataset

"""Reads the frozen vectors of test/data, which have PostgreSQL's COPY text format with a header line."""

from __future__ import annotations

import hashlib
import pathlib
import re
from typing import Iterator

_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_PLAIN = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code[1:], 16)]) if code[:1] == b"x" and len(code) > 1 else _PLAIN.get(code, code)


def rows(path: pathlib.Path) -> Iterator[dict[str, str | None]]:
    lines = path.read_bytes().rstrip(b"\n").split(b"\n")
    names = lines[0].decode().split("\t")
    for line in lines[1:]:
        fields = [None if field == rb"\N" else _ESCAPE.sub(_unescape, field).decode() for field in line.split(b"\t")]
        yield dict(zip(names, fields))


def same(expected: str | None, value: bytes | None) -> bool:
    """A sketch is the wire form in hexadecimal, or its MD5."""
    if expected is None or value is None:
        return expected is value is None
    return expected == (f"md5:{hashlib.md5(value).hexdigest()}" if expected.startswith("md5:") else value.hex())

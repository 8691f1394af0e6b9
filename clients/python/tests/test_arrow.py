"""Arrow arrays whose buffers or numbers were made up: an error, whoever made the array."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable

import pytest

core = pytest.importorskip("txtfp.core")
pa = pytest.importorskip("pyarrow")

from txtfp.errors import Error


class Foreign:
    """The array as another library would hand it over, whose buffers nobody has checked."""

    def __init__(self, array: Any, change: Callable[[Any], None] = lambda struct: None) -> None:
        self.array, self.change = array, change

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        schema, array = self.array.__arrow_c_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.change(ctypes.cast(pointer(array, b"arrow_array"), ctypes.POINTER(ArrowArray)).contents)
        return schema, array


class ArrowArray(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


def made(kind: Any, length: int, before: bytes, after: bytes, *data: Any) -> Any:
    """An array whose second buffer was changed after pyarrow had a first look at it."""
    buffer = bytearray(before)
    array = pa.Array.from_buffers(kind, length, [None, pa.py_buffer(buffer), *data])
    buffer[:] = after
    return array


def refused(source: Any) -> str:
    with pytest.raises(Error, match="the Arrow array is damaged") as error:
        core.fingerprints(source, "minhash64")
    return str(error.value.__dict__.get("detail") or error.value)


OFFSETS = {
    "descending": [0, 5, 3, 9],
    "negative at first": [-4, 2, 4, 9],
    "negative at last": [0, 2, 4, -1],
    "negative in the middle": [0, -(2**31), 4, 9],
    "behind the end, then back": [0, 2**31 - 1, 4, 9],
}


@pytest.mark.parametrize("name", OFFSETS)
@pytest.mark.parametrize("kind", ["string", "binary", "large_string", "large_binary"])
def test_offsets(name: str, kind: str) -> None:
    form = "<4q" if kind.startswith("large") else "<4i"
    array = made(getattr(pa, kind)(), 3, struct.pack(form, 0, 3, 4, 9), struct.pack(form, *OFFSETS[name]), pa.py_buffer(b"one two three"))
    refused(Foreign(array))
    refused(array)
    refused(pa.chunked_array([array]))


def test_data_too_short() -> None:
    """The size of a buffer is not in the interface, but pyarrow knows it."""
    for kind, form in (("string", "<3i"), ("large_binary", "<3q")):
        refused(made(getattr(pa, kind)(), 2, struct.pack(form, 0, 3, 7), struct.pack(form, 0, 3, 4000), pa.py_buffer(b"one two three")))


def view(size: int, buffer: int = 0, begin: int = 0) -> bytes:
    return struct.pack("<i4sii", size, b"some", buffer, begin)


VIEWS = {
    "a negative size": view(-1),
    "the least size": view(-(2**31)),
    "a buffer before the first": view(20, -1),
    "a buffer after the last": view(20, 1),
    "a buffer far away": view(20, 2**31 - 1),
    "a negative begin": view(20, 0, -1),
    "a begin behind the end": view(20, 0, 41),
    "an end behind the end": view(20, 0, 21),
    "a size behind the end": view(2**31 - 1, 0, 30),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_views(name: str, kind: str) -> None:
    data = pa.py_buffer(b"some more words and so on, forty bytes..")
    good = pa.Array.from_buffers(getattr(pa, kind)(), 2, [None, pa.py_buffer(view(20) + view(20, 0, 20)), data])
    assert len(core.fingerprints(Foreign(good), "minhash64")) == 2
    array = made(getattr(pa, kind)(), 2, view(20) + view(20), view(20) + VIEWS[name], data)
    refused(Foreign(array))
    refused(array)
    null = pa.Array.from_buffers(getattr(pa, kind)(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(view(20) + VIEWS[name]), data])
    assert list(core.fingerprints(Foreign(null), "minhash64"))[1] is None  # what is null has no bytes


@pytest.mark.parametrize("array", [pa.array(["one two", "three"]), pa.array([b"a", b"b"], pa.large_binary()), pa.array([b"abcd", b"abcd"], pa.binary(4))], ids=lambda a: str(a.type))
def test_numbers(array: Any) -> None:
    for field, values in {
        "length": (-1, -(2**63), 2**63 - 1),
        "offset": (-1, 2**63 - 1, -(2**63)),
        "null_count": (-2, 3),
        "n_buffers": (0, 1, 5, -1),
        "buffers": (None,),
    }.items():
        for value in values:
            kept: list[Any] = []

            def change(struct: Any, field: str = field, value: Any = value) -> None:
                kept.append((getattr(struct, field), struct))
                setattr(struct, field, value)

            refused(Foreign(array, change))

    def without_second(struct: Any) -> None:
        struct.buffers[1] = None

    refused(Foreign(array, without_second))


def test_capsules() -> None:
    class Short:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return (pa.array(["a"]).__arrow_c_array__()[0],)

    refused(Short())
    array = pa.array(["a b", None, "c d"])
    assert list(core.fingerprints(Foreign(array), "minhash64")) == list(core.fingerprints(["a b", None, "c d"], "minhash64"))
    assert list(core.fingerprints(Foreign(array.slice(2)), "minhash64")) == list(core.fingerprints(["c d"], "minhash64"))
    assert len(core.fingerprints(Foreign(pa.array([], pa.string())), "minhash64")) == 0
    assert list(core.fingerprints(Foreign(pa.nulls(3)), "minhash64")) == [None] * 3

"""The values of the extension's types. Plain Python: nothing here needs the compiled core, but for the measures of tlsh and lavinhash."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, TypeVar

from .errors import ConfigurationMismatch, InvalidValue

SelfValue = TypeVar("SelfValue", bound="Value")

_CONFIGURATION_HINT: Final = "Use the same tokenizer, canonicalizer, hash and seed for all values that are compared."


def _abbreviated(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


class Tokens(list[str]):
    """A list of tokens. As a parameter it is an array of text, where psycopg sends an ordinary list of strings without a type."""


class Value:
    """A fingerprint. Values are immutable; they can be compared, ordered, hashed and pickled, and are equal if the server says so.

    ``str(value)`` is the text form, ``bytes(value)`` what ``value::bytea`` is, and ``value.to_binary()`` the binary form of drivers,
    ``COPY`` and Arrow columns. A value is made from its text form by ``Minhash128("…")``, and of a text by ``txtfp.minhash128(text)``.
    """

    __slots__ = ("_binary",)
    _binary: bytes
    type_name: ClassVar[str]

    def __new__(cls: type[SelfValue], text: str | SelfValue) -> SelfValue:
        if type(text) is cls:
            return text
        if not isinstance(text, str):
            raise TypeError(f"the text form of a {cls.type_name} is a str, not {type(text).__name__}")
        try:
            return cls.from_binary(cls._parse(text))
        except ValueError as error:
            raise InvalidValue(
                f'invalid input syntax for type {cls.type_name}: "{_abbreviated(text)}"',
                getattr(error, "detail", None),
                f"txtfp.{cls.type_name}(text) makes the fingerprint of a text." if " " in text else None,
            ) from None

    @classmethod
    def from_binary(cls: type[SelfValue], data: bytes | bytearray | memoryview) -> SelfValue:
        """The value of a binary form, as ``to_binary`` returns it. The form is checked."""
        binary = bytes(data)
        if (detail := cls._fault(binary)) is not None:
            raise InvalidValue(f"invalid binary representation of {cls.type_name}", detail)
        return cls._trusted(binary)

    @classmethod
    def _trusted(cls: type[SelfValue], binary: bytes) -> SelfValue:
        value = object.__new__(cls)
        object.__setattr__(value, "_binary", binary)
        return value

    @classmethod
    def _parse(cls, text: str) -> bytes:
        return _from_hex(text)

    @classmethod
    def _fault(cls, binary: bytes) -> str | None:
        raise NotImplementedError

    def to_binary(self) -> bytes:
        return self._binary

    def __bytes__(self) -> bytes:
        return self._binary

    def __str__(self) -> str:
        return self._binary.hex()

    def __repr__(self) -> str:
        text = str(self)
        return f"{type(self).__name__}('{text}')" if len(text) <= 80 else f"<{type(self).__name__} {text[:32]}…>"

    def __eq__(self, other: object) -> bool:
        return self._binary == other._binary if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.type_name, self._binary))

    def _key(self) -> Any:
        return self._binary

    def __lt__(self: SelfValue, other: SelfValue) -> bool:
        return bool(self._key() < other._key()) if type(other) is type(self) else NotImplemented

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {self.type_name} cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_binary, (self._binary,)

    def _check_type(self: SelfValue, other: object) -> None:
        if type(other) is not type(self):
            raise TypeError(f"a {self.type_name} cannot be compared with {getattr(other, 'type_name', type(other).__name__)}")


def _from_hex(text: str) -> bytes:
    if not text.isascii() or any(c.isspace() for c in text):
        raise InvalidValue("", "A digit is not hexadecimal.")
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidValue("", "A digit is not hexadecimal, or their number is odd.") from None


class MinhashValue(Value):
    """What full and compact sketches have in common."""

    __slots__ = ()
    slots: ClassVar[int]
    _slot_bytes: ClassVar[int]
    _head: ClassVar[bytes]

    @property
    def config(self) -> int:
        """The configuration hash; 0 means unknown."""
        return int.from_bytes(self._binary[:8], "big")

    @classmethod
    def _parse(cls, text: str) -> bytes:
        if text[16:17] != ":":
            text = "0" * 16 + ":" + text
        return _from_hex(text[:16]) + _from_hex(text[17:])

    @classmethod
    def _fault(cls, binary: bytes) -> str | None:
        size = 16 + cls.slots * cls._slot_bytes
        if len(binary) != size:
            return f"It has {len(binary)} bytes, not {size}."
        return None if binary[8:16] == cls._head else f"Its head is {binary[8:16].hex()}, not {cls._head.hex()}."

    @classmethod
    def from_bytea(cls: type[SelfValue], wire: bytes) -> SelfValue:
        """The value that ``wire::bytea::minhash128`` is: its configuration is unknown."""
        return cls.from_binary(bytes(8) + bytes(wire))

    def __bytes__(self) -> bytes:
        return self._binary[8:]

    def __str__(self) -> str:
        return f"{self._binary[:8].hex()}:{self._binary[8:].hex()}"

    def _key(self) -> Any:
        return self.config, memoryview(self._binary)[16:].cast("Q" if self._slot_bytes == 8 else "B").tolist()

    def _matches(self, other: MinhashValue) -> int:
        self._check_type(other)
        if self.config and other.config and self.config != other.config:
            raise ConfigurationMismatch(
                f"cannot compare {self.type_name} values made with different configurations",
                f"Their configuration hashes are {self.config:016x} and {other.config:016x}.",
                _CONFIGURATION_HINT,
            )
        n = self._slot_bytes
        a, b = self._binary, other._binary
        return sum(a[i : i + n] == b[i : i + n] for i in range(16, len(a), n))

    def jaccard(self: SelfValue, other: SelfValue) -> float:
        """The estimated Jaccard similarity, as ``jaccard(a, b)`` of the server."""
        raise NotImplementedError


class Minhash(MinhashValue):
    """A MinHash sketch of 64-bit slots."""

    __slots__ = ()
    _slot_bytes = 8
    _head = b"\x01" + bytes(7)

    def jaccard(self: Any, other: Any) -> float:
        return float(self._matches(other) / self.slots)


class MinhashCompact(MinhashValue):
    """A MinHash sketch with eight bits of each slot."""

    __slots__ = ()
    _slot_bytes = 1
    _head = b"\x01\x00\x08" + bytes(5)

    def jaccard(self: Any, other: Any) -> float:
        return float(max(0, 256 * self._matches(other) - self.slots) / (255 * self.slots))


class Minhash64(Minhash):
    __slots__ = ()
    type_name, slots = "minhash64", 64


class Minhash128(Minhash):
    __slots__ = ()
    type_name, slots = "minhash128", 128


class Minhash256(Minhash):
    __slots__ = ()
    type_name, slots = "minhash256", 256


class Minhash64Compact(MinhashCompact):
    __slots__ = ()
    type_name, slots = "minhash64_compact", 64


class Minhash128Compact(MinhashCompact):
    __slots__ = ()
    type_name, slots = "minhash128_compact", 128


class Minhash256Compact(MinhashCompact):
    __slots__ = ()
    type_name, slots = "minhash256_compact", 256


class Simhash64(Value):
    """A SimHash of 64 bits."""

    __slots__ = ()
    type_name = "simhash64"

    @classmethod
    def _fault(cls, binary: bytes) -> str | None:
        return None if len(binary) == 8 else f"It has {len(binary)} bytes, not 8."

    def __int__(self) -> int:
        return int.from_bytes(self._binary, "big")

    def __bytes__(self) -> bytes:
        return self._binary[::-1]

    def hamming(self, other: Simhash64) -> int:
        self._check_type(other)
        return (int(self) ^ int(other)).bit_count()

    def cosine_estimate(self, other: Simhash64) -> float:
        return math.cos(math.pi * self.hamming(other) / 64)


class Tlsh(Value):
    """A TLSH digest of 35 bytes."""

    __slots__ = ()
    type_name = "tlsh"

    @classmethod
    def _parse(cls, text: str) -> bytes:
        return _from_hex(text[2:] if text[:2] in ("T1", "t1") else text)

    @classmethod
    def _fault(cls, binary: bytes) -> str | None:
        return None if len(binary) == 35 else f"It has {len(binary)} bytes, not 35."

    def __str__(self) -> str:
        return "T1" + self._binary.hex().upper()

    def distance(self, other: Tlsh) -> int:
        """The distance with the length's part, by the compiled core."""
        self._check_type(other)
        from . import core

        return core.distance(self, other)


class Lavinhash(Value):
    """A dual-layer fuzzy hash of bytes."""

    __slots__ = ()
    type_name = "lavinhash"

    @classmethod
    def _fault(cls, binary: bytes) -> str | None:
        size = int.from_bytes(binary[2:4], "little")
        if binary[:2] != b"H\x01":
            return "The first two bytes are not 48 01."
        if size > 130 or len(binary) != 1028 + size:
            return "The size is not 1028 bytes plus the size of the structure, which the third and fourth byte tell."
        return None

    def similarity(self, other: Lavinhash) -> int:
        """The score from 0 to 100, by the compiled core."""
        self._check_type(other)
        from . import core

        return core.distance(self, other)


TYPES: Final[dict[str, type[Value]]] = {
    cls.type_name: cls
    for cls in (
        Minhash64,
        Minhash128,
        Minhash256,
        Minhash64Compact,
        Minhash128Compact,
        Minhash256Compact,
        Simhash64,
        Tlsh,
        Lavinhash,
    )
}

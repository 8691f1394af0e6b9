"""What is raised. Everything is a ValueError with the server's words, its detail and its hint."""

from __future__ import annotations


class Error(ValueError):
    """Base class of the errors of this package."""

    def __init__(self, message: str, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, detail, hint)
        self.message, self.detail, self.hint = message, detail, hint

    def __str__(self) -> str:
        lines = [self.message]
        if self.detail:
            lines.append(f"DETAIL:  {self.detail}")
        if self.hint:
            lines.append(f"HINT:  {self.hint}")
        return "\n".join(lines)


class InvalidValue(Error):
    """An invalid text or binary form (22P02 and 22P03 of the server)."""


class InvalidParameter(Error):
    """An option, a threshold or a banding that does not exist (22023)."""


class ConfigurationMismatch(InvalidParameter):
    """Sketches that were made differently are not compared."""


class InvalidText(Error):
    """Bytes that are no UTF-8 (22021)."""


class FileError(Error):
    """A file that cannot be used as it was named."""

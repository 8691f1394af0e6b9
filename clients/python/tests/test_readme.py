"""The examples of README.md, as doctests."""

from __future__ import annotations

import doctest
import pathlib
from typing import Any

import pytest


def test_readme(database: str, monkeypatch: Any) -> None:
    for module in "psycopg", "pyarrow", "txtfp._core":
        pytest.importorskip(module)
    monkeypatch.setenv("PGDATABASE", database)
    result = doctest.testfile(str(pathlib.Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert result.attempted > 10 and result.failed == 0

"""The tests run against the server that PGHOST and PGPORT name, in a database of their own; those without a server need none."""

from __future__ import annotations

import os
import pathlib
from typing import Iterator

import pytest

DATABASE = f"txtfp_python_{os.getpid()}"
SCHEMA = """
    CREATE SCHEMA fingerprints;
    CREATE EXTENSION txtfp SCHEMA fingerprints;
    ALTER DATABASE {database} SET search_path = public, fingerprints"""


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """A database with the extension in a schema that is not the first one of the search path."""
    psycopg = pytest.importorskip("psycopg")
    if "PGHOST" not in os.environ:
        pytest.skip("PGHOST names no server")
    options = {"autocommit": True}
    with psycopg.connect(dbname="postgres", **options) as admin:
        admin.execute(f"CREATE DATABASE {DATABASE}")
        try:
            with psycopg.connect(dbname=DATABASE, **options) as conn:
                conn.execute(SCHEMA.format(database=DATABASE))
            yield DATABASE
        finally:
            admin.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


@pytest.fixture(scope="session")
def vectors() -> pathlib.Path:
    """The frozen vectors of the repository."""
    folder = pathlib.Path(__file__).parents[3] / "test" / "data"
    if not folder.is_dir():
        pytest.skip("the frozen vectors are in the repository only")
    return folder

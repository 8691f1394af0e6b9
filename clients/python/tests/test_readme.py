"""The examples of README.md, and every block of docs/python.md but the installation, which scripts/check_python.sh runs on a bare system."""

from __future__ import annotations

import ast
import asyncio
import doctest
import gzip
import inspect
import json
import os
import pathlib
import re
import shlex
import sys
from typing import Any, Iterator

import pytest

PACKAGE = pathlib.Path(__file__).parents[1]
PAGE = PACKAGE.parents[1] / "docs" / "python.md"
ROWS = [{"id": i, "body": body} for i, body in enumerate(["some text", "Some text!", "another text altogether of seven words"])]


def test_readme(database: str, monkeypatch: Any) -> None:
    for module in "psycopg", "pyarrow", "txtfp._core":
        pytest.importorskip(module)
    monkeypatch.setenv("PGDATABASE", database)
    result = doctest.testfile(str(PACKAGE / "README.md"), module_relative=False)
    assert result.attempted > 10 and result.failed == 0


def blocks() -> dict[str, tuple[str, str]]:
    """Of each section of the page its language and its code."""
    found = {}
    for section in re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]:
        block = re.search(r"^```(python|sh)\n(.*?)^```", section, flags=re.M | re.S)
        if block:
            found[section.split("\n")[0]] = (block[1], block[2])
    return found


RUN_HERE = ["Drivers", "SQLAlchemy", "Django", "Passages", "Files", "DuckDB", "Spark"]


def block(name: str) -> str:
    if not PAGE.exists():
        pytest.skip("the page is in the repository only")
    return blocks()[name][1]


def test_every_block_is_run() -> None:
    block("Files")
    assert [*blocks()] == ["Installing", *RUN_HERE]
    assert PAGE.read_text().count("\n```") == 2 * len(blocks())


def execute(code: str, names: dict[str, Any]) -> dict[str, Any]:
    """Also what has `await` at the top, as the shell of asyncio allows it."""
    result = eval(compile(code, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True), names)
    if inspect.iscoroutine(result):
        asyncio.run(result)
    return names


def test_passages() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("txtfp._core")
    texts = ["First.\n\nA paragraph of five words.", "A  paragraph of five words.\n\nSecond."]
    found = execute(block("Passages"), {"texts": texts, "batch": ["Zero.\n\na paragraph of five words."]})
    assert found["cuts"].to_pylist() == [{"id": 1, "start": 0, "length": 29, "kept": 0, "kept_start": 8}]
    assert found["rest"].to_pylist() == [texts[0], "[see above]\n\nSecond."]
    assert found["new"].to_pylist() == [{"id": 0, "start": 7, "length": 26, "kept": 0, "kept_start": 8}]
    assert [(row["start"], row["id_seen"], row["start_seen"]) for row in found["known"].to_pylist()] == [(7, 0, 8)]


def test_drivers(database: str) -> None:
    drivers = {name: pytest.importorskip(name) for name in ("psycopg", "asyncpg", "psycopg2")}
    import txtfp.asyncpg
    import txtfp.psycopg
    import txtfp.psycopg2

    made = {
        "psycopg": "conn = psycopg.connect(dbname=database)",
        "asyncpg": "conn = await asyncpg.connect(database=database)",
        "psycopg2": "conn = psycopg2.connect(dbname=database)",
    }
    close = {"asyncpg": "await conn.close()"}
    lines = block("Drivers").splitlines()
    assert len(lines) == len(drivers)
    for line in lines:
        driver = next(name for name in sorted(drivers, key=len, reverse=True) if f"txtfp.{name}." in line)
        execute(f"{made[driver]}\n{line}\n{close.get(driver, 'conn.close()')}", {**drivers, "txtfp": txtfp, "database": database})


def test_sqlalchemy(database: str) -> None:
    sa = pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    from sqlalchemy import orm

    class Base(orm.DeclarativeBase):
        pass

    given = {name: getattr(sa, name) for name in ("Computed", "Index", "select")}
    names = execute(block("SQLAlchemy"), {**given, "Base": Base, "Mapped": orm.Mapped, "mapped_column": orm.mapped_column, "__name__": "page"})
    engine = sa.create_engine(f"postgresql+psycopg:///{database}")
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add_all(names["Doc"](**row) for row in ROWS)
        session.flush()
        assert sorted(doc.id for doc in session.scalars(names["near"])) == [0, 1]
    Base.metadata.drop_all(engine)
    engine.dispose()


def test_django(database: str) -> None:
    pytest.importorskip("django")
    import test_django  # the settings
    from django.db import connection, models

    # a model belongs to an application, which Django finds by the name of the module
    names = execute(block("Django"), {"models": models, "__name__": "django.contrib.postgres.models"})
    connection.close()
    connection.settings_dict["NAME"] = database
    with connection.schema_editor() as editor:
        test_django.fields.TxtfpExtension().database_forwards("postgres", editor, *[test_django.ProjectState()] * 2)
        editor.create_model(names["Doc"])
    names["Doc"].objects.bulk_create(names["Doc"](**row) for row in ROWS)
    assert sorted(doc.id for doc in names["near"]) == [0, 1]
    with connection.schema_editor() as editor:
        editor.delete_model(names["Doc"])
    connection.close()


@pytest.fixture()
def folder(tmp_path: pathlib.Path, monkeypatch: Any) -> Iterator[pathlib.Path]:
    """With docs.parquet and an empty folder docs"""
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("txtfp._core")
    import pyarrow

    pq.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "docs.parquet")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def test_files(database: str, folder: pathlib.Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    import pyarrow.parquet as pq

    from txtfp.__main__ import main

    (folder / "docs" / "a.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()))
    with psycopg.connect(dbname=database) as conn:
        conn.execute("CREATE TABLE docs (id bigint, body text, fp minhash128)")
        conn.commit()
        for line in block("Files").splitlines():
            python, *arguments = shlex.split(line)
            assert [python, *arguments[:2]] == ["python", "-m", "txtfp"]
            assert main([argument.replace("dbname=app", f"dbname={database}") for argument in arguments[2:]]) == 0
        assert conn.execute("SELECT count(*) FROM docs WHERE fp = to_minhash128(body)").fetchone() == (3,)
        conn.execute("DROP TABLE docs")
    assert pq.read_table("docs_fp.parquet").schema.names == ["id", "body", "fp"]
    assert pq.read_table("pairs.parquet").to_pylist() == [{"a": 0, "b": 1, "similarity": 1.0}]
    assert pq.read_table("kept.parquet")["id"].to_pylist() == [0, 2] and pq.read_table("removed.parquet")["kept"].to_pylist() == [0]


def test_duckdb(folder: pathlib.Path) -> None:
    pytest.importorskip("duckdb")
    (folder / "docs.parquet").rename(folder / "docs" / "docs.parquet")
    *lines, query = block("DuckDB").splitlines()
    names = execute("\n".join([*lines, f"found = {query}"]), {})
    from txtfp import core

    assert sorted(names["found"].fetchall()) == [(row["id"], core.minhash128(row["body"]).to_binary()) for row in ROWS]


def test_spark(folder: pathlib.Path, monkeypatch: Any) -> None:
    if "TXTFP_SPARK" not in os.environ:
        pytest.skip("TXTFP_SPARK is not set")
    pyspark = pytest.importorskip("pyspark")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    (folder / "docs.parquet").rename(folder / "docs" / "docs.parquet")
    session = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        names = execute(block("Spark").replace('"docs"', repr(str(folder / "docs"))), {"session": session})  # the JVM may have another folder
        assert [tuple(row) for row in names["pairs"].collect()] == [(0, 1, 1.0)]
        assert sorted((row.id, row.cluster) for row in names["clusters"].collect()) == [(0, 0), (1, 0)]
    finally:
        session.stop()

from __future__ import annotations

import asyncio
import re
from typing import Any, Iterator

import pytest

psycopg = pytest.importorskip("psycopg")

import txtfp
import txtfp.psycopg
from samples import CONSTRUCTORS, OTHER, TEXT
from txtfp.values import TYPES


@pytest.fixture()
def conn(database: str) -> Iterator[Any]:
    with psycopg.connect(dbname=database) as connection:
        txtfp.psycopg.register(connection)
        yield connection


def value(conn: Any, name: str, text: str = TEXT, binary: bool = False) -> Any:
    query = "SELECT " + CONSTRUCTORS[name].format("%s::text")
    return conn.cursor(binary=binary).execute(query, [text]).fetchone()[0]


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_forms(conn: Any, name: str) -> None:
    as_text, as_binary = value(conn, name), value(conn, name, binary=True)
    assert type(as_text) is type(as_binary) is TYPES[name]
    assert as_text == as_binary and hash(as_text) == hash(as_binary)
    server = conn.execute(f"SELECT fp::text, fp::bytea FROM (SELECT {CONSTRUCTORS[name].format('%s::text')} AS fp) AS t", [TEXT]).fetchone()
    assert (str(as_text), bytes(as_text)) == server
    assert TYPES[name](str(as_text)) == as_text == TYPES[name].from_binary(as_text.to_binary())


@pytest.mark.parametrize("name", CONSTRUCTORS)
@pytest.mark.parametrize("placeholder", ["%s", "%t", "%b"])
def test_parameters(conn: Any, name: str, placeholder: str) -> None:
    fp = value(conn, name)
    conn.execute(f"CREATE TEMP TABLE stored (fp {name}, fps {name}[])")
    conn.execute(f"INSERT INTO stored VALUES ({placeholder}, {placeholder})", [fp, [fp, fp]])
    assert conn.execute(f"SELECT fp, fps FROM stored WHERE fp = {placeholder}", [fp]).fetchone() == (fp, [fp, fp])
    assert conn.execute(f"SELECT pg_typeof({placeholder})::text LIKE '%%{name}'", [fp]).fetchone() == (True,)


@pytest.mark.parametrize("binary", [False, True])
def test_copy(conn: Any, binary: bool) -> None:
    names = list(CONSTRUCTORS)
    row = [value(conn, name) for name in names]
    conn.execute(f"CREATE TEMP TABLE copied ({', '.join(f'{name}_ {name}' for name in names)})")
    how = "(FORMAT binary)" if binary else ""
    with conn.cursor().copy(f"COPY copied FROM STDIN {how}") as copy:
        if binary:
            copy.set_types(names)
        copy.write_row(row)
        copy.write_row([None] * len(row))
    with conn.cursor().copy(f"COPY copied TO STDOUT {how}") as copy:
        copy.set_types(names)
        assert [list(read) for read in copy.rows()] == [row, [None] * len(row)]


def test_measures_are_those_of_the_server(conn: Any) -> None:
    for name, method, function in [
        *((name, "jaccard", "jaccard") for name in CONSTRUCTORS if name.startswith("minhash")),
        ("simhash64", "hamming", "hamming"),
        ("simhash64", "cosine_estimate", "cosine_estimate"),
    ]:
        a, b = value(conn, name), value(conn, name, OTHER)
        assert a != b
        expected = conn.execute(f"SELECT {function}(%s, %s)", [a, b]).fetchone()[0]
        assert getattr(a, method)(b) == pytest.approx(expected, rel=1e-6)
        assert (a < b) == conn.execute("SELECT %s < %s", [a, b]).fetchone()[0]


def test_tokens_take_the_overload_of_arrays(conn: Any) -> None:
    expected = conn.execute("SELECT to_minhash128(ARRAY['red', 'car'])").fetchone()[0]
    for placeholder in "%s", "%t", "%b":
        assert conn.execute(f"SELECT to_minhash128({placeholder})", [txtfp.Tokens(["red", "car"])]).fetchone() == (expected,)
        assert conn.execute(f"SELECT to_minhash128({placeholder})", [txtfp.Tokens()]).fetchone() == (None,)
    quoted = txtfp.Tokens(['a "b" c', "d,e", "{f}", "\\"])
    assert conn.execute("SELECT %s", [quoted]).fetchone() == (list(quoted),)
    # what the class is for: a list without it is the text {red,car}
    assert conn.execute("SELECT to_minhash128(%s)", [["red", "car"]]).fetchone() != (expected,)
    assert conn.execute("SELECT to_minhash128(tokens => %s)", [["red", "car"]]).fetchone() == (expected,)


def test_bad_values_are_refused(conn: Any) -> None:
    fp = value(conn, "minhash128")
    for cls in TYPES.values():
        with pytest.raises(txtfp.InvalidValue, match=f'invalid input syntax for type {cls.type_name}: "no value"'):
            cls("no value")
        with pytest.raises(txtfp.InvalidValue, match=f"invalid binary representation of {cls.type_name}"):
            cls.from_binary(b"short")
    with pytest.raises(TypeError):
        txtfp.Minhash128(17)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fp.jaccard(value(conn, "minhash64"))
    other = conn.execute("SELECT to_minhash128(%s, 'word-uax29')", [TEXT]).fetchone()[0]
    with pytest.raises(txtfp.ConfigurationMismatch) as mismatch:
        fp.jaccard(other)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        conn.execute("SELECT jaccard(%s, %s)", [fp, other])
    diagnosis = refused.value.diag
    hashes_alone = re.sub(r" \([^)]*\)", "", diagnosis.message_detail or "")  # the server names common configurations
    assert (mismatch.value.message, mismatch.value.detail, mismatch.value.hint) == (
        diagnosis.message_primary,
        hashes_alone,
        diagnosis.message_hint,
    )


def test_not_installed(database: str) -> None:
    with psycopg.connect(dbname="postgres") as connection:
        with pytest.raises(psycopg.ProgrammingError, match="not installed"):
            txtfp.psycopg.register(connection)


def test_async(database: str) -> None:
    async def run() -> None:
        async with await psycopg.AsyncConnection.connect(dbname=database) as connection:
            await txtfp.psycopg.register_async(connection)
            cursor = await connection.execute("SELECT to_minhash128(%s), to_simhash64(%s)", [TEXT, TEXT])
            a, b = await cursor.fetchone()
            cursor = await connection.execute("SELECT %s = to_minhash128(%s), %b = to_simhash64(%s)", [a, TEXT, b, TEXT])
            assert await cursor.fetchone() == (True, True)

    asyncio.run(run())


def test_values() -> None:
    import copy
    import pickle

    fp = txtfp.Simhash64("00000000000000ff")
    assert int(fp) == 255 and bytes(fp) == b"\xff" + bytes(7) and fp.to_binary() == bytes(7) + b"\xff"
    assert repr(fp) == "Simhash64('00000000000000ff')"
    assert pickle.loads(pickle.dumps(fp)) == fp == copy.deepcopy(fp)
    with pytest.raises(AttributeError):
        fp.value = 1  # type: ignore[attr-defined]

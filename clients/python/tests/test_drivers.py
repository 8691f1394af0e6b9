"""asyncpg and psycopg2."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import txtfp
from samples import CONSTRUCTORS, TEXT
from txtfp.values import TYPES


def test_asyncpg(database: str) -> None:
    asyncpg = pytest.importorskip("asyncpg")
    import txtfp.asyncpg

    async def run() -> None:
        conn = await asyncpg.connect(database=database)
        await txtfp.asyncpg.register(conn)
        for name, constructor in CONSTRUCTORS.items():
            fp = await conn.fetchval("SELECT " + constructor.format("$1::text"), TEXT)
            assert type(fp) is TYPES[name]
            await conn.execute(f"CREATE TEMP TABLE t_{name} (fp {name}, fps {name}[])")
            for form in fp, str(fp), fp.to_binary():
                await conn.execute(f"INSERT INTO t_{name} VALUES ($1, $2)", form, [form])
            await conn.copy_records_to_table(f"t_{name}", records=[(fp, [fp]), (None, None)])
            rows = await conn.fetch(f"SELECT fp, fps FROM t_{name}")
            assert [tuple(row) for row in rows] == [(fp, [fp])] * 4 + [(None, None)]
            with pytest.raises(Exception, match="invalid (input syntax|binary)"):
                await conn.execute(f"INSERT INTO t_{name} (fp) VALUES ($1)", "no value")
        # asyncpg knows the type of a parameter, so an ordinary list takes the right overload when it is named
        expected = await conn.fetchval("SELECT to_minhash128(ARRAY['red', 'car'])")
        assert await conn.fetchval("SELECT to_minhash128(tokens => $1)", txtfp.Tokens(["red", "car"])) == expected
        await conn.close()
        conn = await asyncpg.connect(database="postgres")
        with pytest.raises(RuntimeError, match="not installed"):
            await txtfp.asyncpg.register(conn)
        await conn.close()

    asyncio.run(run())


def test_psycopg2(database: str) -> None:
    psycopg2 = pytest.importorskip("psycopg2")
    import txtfp.psycopg2

    conn: Any = psycopg2.connect(dbname=database)
    txtfp.psycopg2.register(conn)
    with conn, conn.cursor() as cursor:
        for name, constructor in CONSTRUCTORS.items():
            cursor.execute("SELECT " + constructor.format("%s::text"), [TEXT])
            (fp,) = cursor.fetchone()
            assert type(fp) is TYPES[name]
            cursor.execute(f"CREATE TEMP TABLE t_{name} (fp {name})")
            cursor.execute(f"INSERT INTO t_{name} VALUES (%s), (NULL)", [fp])
            cursor.execute(f"SELECT fp, ARRAY[fp] FROM t_{name}")
            assert cursor.fetchall() == [(fp, [fp]), (None, [None])]
            cursor.execute(f"SELECT count(*) FROM t_{name} WHERE fp = %s", [fp])
            assert cursor.fetchone() == (1,)
            # a value has its type, so that it chooses among functions, alone and in an array
            cursor.execute("SELECT pg_typeof(%s)::text, pg_typeof(%s)::text, %s", [fp, [fp, fp], [fp]])
            assert cursor.fetchone() == (name, name + "[]", [fp])
        cursor.execute("SELECT to_minhash128(%s::text)", [TEXT])
        (sketch,) = cursor.fetchone()
        cursor.execute("SELECT jaccard(%s, %s)", [sketch, sketch])
        assert cursor.fetchone() == (1.0,)
        cursor.execute("SET LOCAL search_path = ''; SELECT fingerprints.jaccard(%s, %s)", [sketch, sketch])
        assert cursor.fetchone() == (1.0,)
        cursor.execute("RESET search_path")
        cursor.execute("SELECT to_minhash128(%s) = to_minhash128(ARRAY['it''s', 'red'])", [txtfp.Tokens(["it's", "red"])])
        assert cursor.fetchone() == (True,)
    conn.close()

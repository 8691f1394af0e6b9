"""asyncpg and psycopg2."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest

import txtfp
from samples import CONSTRUCTORS, OTHER, TEXT
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


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_nearest_by_index(driver: str, database: str) -> None:
    module: Any = pytest.importorskip(driver)
    conn = module.connect(dbname=database)
    importlib.import_module("txtfp." + driver).register(conn)
    with conn, conn.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE nearest (id int, fp minhash128)")
        cursor.execute("INSERT INTO nearest VALUES (1, to_minhash128(%s::text)), (2, to_minhash128(%s::text)), (3, to_minhash128('something else entirely'))", [TEXT, OTHER])
        cursor.execute("CREATE INDEX nearest_fp ON nearest USING sketch (fp)")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SELECT fp FROM nearest WHERE id = 1")
        (stored,) = cursor.fetchone()
        cursor.execute("SELECT rows_returned FROM fingerprint_index_info('nearest_fp')")
        (before,) = cursor.fetchone()
        for query, probe in [
            ("SELECT id FROM nearest ORDER BY fp <%%> %s LIMIT 2", stored),
            ("SELECT id FROM nearest ORDER BY fp <%%> to_minhash128(%s::text) LIMIT 2", TEXT),
            ("SELECT id FROM nearest, to_minhash128(%s::text) AS q ORDER BY fp <%%> q LIMIT 2", TEXT),
        ]:
            cursor.execute(query, [probe])
            assert cursor.fetchall() == [(1,), (2,)]
        cursor.execute("SELECT rows_returned FROM fingerprint_index_info('nearest_fp')")
        assert cursor.fetchone() == (before + 6,)
    conn.close()


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

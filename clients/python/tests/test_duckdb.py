from __future__ import annotations

import math

import pytest

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("txtfp._core")

import txtfp
import txtfp.duckdb
from samples import CONSTRUCTORS, OTHER, TEXT
from txtfp import core
from txtfp.values import TYPES


def test_functions() -> None:
    conn = duckdb.connect()
    txtfp.duckdb.register(conn)
    conn.execute("CREATE TABLE docs (id int, body text)")
    texts = [TEXT, OTHER, None, "", "one two three"] + [f"{TEXT} {i}" for i in range(500)]
    conn.executemany("INSERT INTO docs VALUES (?, ?)", list(enumerate(texts)))
    for kind in CONSTRUCTORS:
        rows = conn.execute(f"SELECT to_{kind}(body) FROM docs ORDER BY id").fetchall()
        values = [None if row[0] is None else TYPES[kind].from_binary(row[0]) for row in rows]
        assert values == list(core.fingerprints(texts, kind))
    fp = core.minhash128(TEXT)
    found = conn.execute(
        "SELECT id, minhash_jaccard(to_minhash128(body), ?) AS j, text_jaccard(body, ?) AS t FROM docs WHERE id < 4 ORDER BY id", [fp.to_binary(), TEXT]
    ).fetchall()
    assert found == [(0, 1.0, 1.0), (1, fp.jaccard(core.minhash128(OTHER)), core.text_jaccard(OTHER, TEXT)), (2, None, None), (3, None, None)]
    ((distance,),) = conn.execute("SELECT simhash_distance(to_simhash64(?), to_simhash64(?))", [TEXT, OTHER]).fetchall()
    assert math.isclose(distance, core.simhash64(TEXT).hamming(core.simhash64(OTHER)))
    with pytest.raises(Exception, match="cannot compare|is no fingerprint"):
        conn.execute("SELECT minhash_jaccard('abc'::BLOB, 'abd'::BLOB)")

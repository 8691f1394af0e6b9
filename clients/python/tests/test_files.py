"""python -m txtfp: every format, globs and directories, joins, binary COPY, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

from samples import TEXT
from txtfp import core, files
from txtfp.__main__ import main

WORDS = [f"word{i}" for i in range(3000)]


def documents(n: int, seed: int = 1) -> Any:
    """Every tenth is a near-duplicate of an earlier one."""
    rng = random.Random(seed)
    texts: list[str] = []
    for i in range(n):
        if i % 10 == 9:
            words = texts[rng.randrange(len(texts))].split()
            words[rng.randrange(len(words))] = "changed"
            texts.append(" ".join(words))
        else:
            texts.append(" ".join(rng.choices(WORDS, k=60)))
    return pa.table({"id": pa.array(range(1000, 1000 + n), pa.int64()), "text": texts, "score": [rng.random() for _ in range(n)]})


TABLE = documents(1200)


def write(path: pathlib.Path, table: Any = TABLE) -> str:
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=100)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()))
    return str(path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow", ".csv", ".jsonl", ".jsonl.gz"])
def test_formats(tmp_path: pathlib.Path, suffix: str) -> None:
    path = write(tmp_path / f"docs{suffix}")
    output = tmp_path / "out.parquet"
    assert main(["fingerprint", path, "-o", str(output), "--quiet"]) == 0
    result = pq.read_table(output)
    read = result.select(TABLE.schema.names).to_pylist()
    if suffix == ".csv":  # where everything is text
        assert {type(row["id"]) for row in read} == {type(row["score"]) for row in read} == {str}
        read = [{**row, "id": int(row["id"]), "score": float(row["score"])} for row in read]
    assert read == TABLE.to_pylist()
    assert result["fp"].combine_chunks() == core.fingerprints(TABLE["text"]).to_arrow()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"docs{suffix}", "out.parquet"]


def test_directories_and_globs(tmp_path: pathlib.Path) -> None:
    """Rows come in the order of the files' names, however the files are named."""
    for i in range(12):
        folder = tmp_path / "data" / f"part{i // 4}"
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / f"{i:02}.parquet", TABLE.slice(i * 100, 100))
    (tmp_path / "data" / "_SUCCESS").write_text("")
    (tmp_path / "data" / "README.md").write_text("")
    for inputs in ([str(tmp_path / "data")], [str(tmp_path / "data/part*/*.parquet")], [str(tmp_path / f"data/part{i}") for i in range(3)]):
        output = str(tmp_path / "out.parquet")
        said: list[str] = []
        files.fingerprint(inputs, output, report=said.append)
        if len(inputs) == 1 and "*" not in inputs[0]:
            assert said == [f"left out, because their names tell no format: {tmp_path / 'data' / 'README.md'}", "1200 records read, 0 without text, 0 refused, 1200 written"]
        assert pq.read_table(output)["id"].to_pylist() == TABLE["id"].to_pylist()


def test_output_keeps_what_it_was(tmp_path: pathlib.Path) -> None:
    """A new output has the mode that the umask allows; an existing one keeps its mode, and what leads to it."""
    path, output, link = write(tmp_path / "docs.parquet"), tmp_path / "out.parquet", tmp_path / "link.parquet"
    link.symlink_to("out.parquet")
    before = os.umask(0o027)
    try:
        main(["fingerprint", path, "-o", str(link), "--quiet"])
        assert link.is_symlink() and output.stat().st_mode & 0o7777 == 0o640
        output.chmod(0o604)
        main(["fingerprint", path, "-o", str(link), "--quiet"])
        assert link.is_symlink() and output.stat().st_mode & 0o7777 == 0o604
        (tmp_path / "other.parquet").hardlink_to(output)
        main(["fingerprint", path, "-o", str(output), "--quiet"])
        assert output.stat().st_nlink == 2 and pq.read_table(tmp_path / "other.parquet").num_rows == TABLE.num_rows
    finally:
        os.umask(before)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["docs.parquet", "link.parquet", "other.parquet", "out.parquet"]


@pytest.mark.parametrize("kind", ["minhash128", "minhash64_compact", "simhash64"])
def test_dedup_and_pairs(tmp_path: pathlib.Path, kind: str) -> None:
    path = write(tmp_path / "docs.parquet")
    kept, removed, pairs = (str(tmp_path / f"{name}.parquet") for name in ("kept", "removed", "pairs"))
    sketches = core.fingerprints(TABLE["text"], kind)
    assert main(["pairs", path, "-o", pairs, "--kind", kind, "--id", "id"]) == 0
    expected = core.near_duplicate_pairs(sketches, ids=TABLE["id"])
    assert pq.read_table(pairs) == expected and expected.num_rows > 50
    # every pair, by comparing all
    every = {
        (1000 + j, 1000 + i)
        for i in range(len(sketches))
        for j, measure in enumerate(core.distances(sketches.to_arrow().slice(0, i), sketches[i]) if i else [])
        if (measure <= 7 if kind == "simhash64" else measure >= 0.8)
    }
    found = set(zip(expected["a"].to_pylist(), expected["b"].to_pylist()))
    assert found <= every and len(found) >= 0.99 * len(every)
    by_fingerprints = ["--verify", "none", "--guard", ""]
    assert main(["dedup", path, "-o", kept, "--removed", removed, "--kind", kind, "--id", "id", "--quiet", *by_fingerprints]) == 0
    rest, gone = pq.read_table(kept), pq.read_table(removed)
    assert rest.schema.names == TABLE.schema.names
    assert sorted(rest["id"].to_pylist() + gone["id"].to_pylist()) == TABLE["id"].to_pylist()
    assert set(gone["kept"].to_pylist()) <= set(rest["id"].to_pylist())
    assert set(zip(gone["kept"].to_pylist(), gone["id"].to_pylist())) <= found
    # nothing that remains is a near-duplicate of something that remains
    assert not any(a in set(rest["id"].to_pylist()) and b in set(rest["id"].to_pylist()) for a, b in found)


def test_dedup_is_that_of_the_server(database: str, tmp_path: pathlib.Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    path = write(tmp_path / "docs.parquet")
    with psycopg.connect(dbname=database) as conn:
        conn.execute("CREATE TABLE files (id bigint PRIMARY KEY, text text, score float8, fp minhash128)")
        conn.commit()
        send = ["fingerprint", path, "--to-postgres", f"dbname={database}", "--table", "public.files", "--fields", "id,text,score", "--quiet"]
        assert main(send) == 0
        assert conn.execute("SELECT count(*), count(*) FILTER (WHERE fp = to_minhash128(text)) FROM files").fetchone() == (1200, 1200)
        assert conn.execute("SELECT id, text, score FROM files ORDER BY id").fetchall() == [tuple(row.values()) for row in TABLE.to_pylist()]
        for verify, options in ("none", {}), ("jaccard", {"verify_threshold": 0.85}), ("containment", {}):
            for priority in None, "score":
                column = ", score" if priority else ""
                expected = conn.execute(
                    f"SELECT id, kept, similarity, jaccard, containment, reason, kept_containment FROM deduplicate('SELECT id, fp, text{column} FROM files', 0.8, "
                    "verify => %s, verify_threshold => %s) ORDER BY id",
                    [verify, options.get("verify_threshold")],
                ).fetchall()
                result = core.deduplicate(
                    core.fingerprints(TABLE["text"]),
                    0.8,
                    texts=TABLE["text"],
                    verify=verify,
                    ids=TABLE["id"],
                    priority=TABLE[priority] if priority else None,
                    **options,
                ).sort_by("id")
                assert [tuple(row.values())[:7] for row in result.to_pylist()] == expected and len(expected) > 10


def test_copy_of_every_type(database: str) -> None:
    import datetime

    psycopg = pytest.importorskip("psycopg")
    now = datetime.datetime(2024, 2, 29, 12, 30, 15, 250)
    row = {
        "a": True, "b": -3, "c": 1 << 30, "d": -(1 << 40), "e": 1.5, "f": -2.25, "g": now.date(), "h": now, "i": "it's ü", "j": b"\0\xff",
        "k": core.simhash64(TEXT).to_binary(),
    }  # fmt: skip
    columns = "a bool, b int2, c int4, d int8, e float4, f float8, g date, h timestamp, i text, j bytea, k simhash64"
    table = pa.Table.from_pylist([row, dict.fromkeys(row), row])
    with psycopg.connect(dbname=database) as conn:
        conn.execute(f"CREATE TEMP TABLE copied ({columns}, l xml)")
        assert files.to_postgres(table, conn, "copied") == 3
        sent = [conn.execute("SELECT a, b, c, d, e, f, g, h, i, j, k::text FROM copied").fetchall()]
        assert sent[0][0] == sent[0][2] == (*list(row.values())[:-1], str(core.simhash64(TEXT))) and set(sent[0][1]) == {None}
        with pytest.raises(files.FileError, match='no column "x"'):
            files.to_postgres(pa.table({"x": [1]}), conn, "copied")
        with pytest.raises(files.FileError, match="type xml"):
            files.to_postgres(pa.table({"l": ["x"]}), conn, "copied")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["pairs", "nowhere.parquet", "-o", "out"], 'there is no file "nowhere.parquet"'),
        (["pairs", "no*.parquet", "-o", "out"], 'no file matches "no*.parquet"'),
        (["pairs", "{docs}", "-o", "out", "--text", "body"], 'docs.parquet"\nDETAIL:  The fields are id, text, score.'),
        (["pairs", "{docs}", "-o", "out", "--kind", "md5"], 'unrecognized kind of fingerprint: "md5"'),
        (["pairs", "{docs}", "-o", "out", "--threshold", "2"], "threshold must be greater than 0 and at most 1"),
        (["pairs", "{docs}", "-o", "out", "--max-distance", "2"], "max_distance does not apply to minhash128\nHINT:  Give threshold, the least similarity."),
        (["pairs", "{docs}", "-o", "out", "--id", "same"], 'there is no field "same"'),
        (["dedup", "{docs}", "-o", "{docs}"], "is also an input"),
        (["dedup", "{docs}", "-o", "out", "--removed", "{docs}"], "is also an input"),
        (["fingerprint", "{docs}", "-o", "out", "--column", "score"], 'the input has a field "score" already'),
        (["fingerprint", "{docs}"], "it is not said where the rows go"),
        (["fingerprint", "{docs}", "--to-postgres", ""], "--to-postgres needs --table"),
        (["pairs", "{notes}", "-o", "out"], "does not tell its format"),
        (["pairs", "{docs}", "{csv}", "-o", "out"], "several formats"),
        (["pairs", "{broken}", "-o", "out"], "cannot be read"),
        (["pairs", "{docs}", "-o", "no/such/folder/out"], "No such file"),
    ],
)
def test_refused(tmp_path: pathlib.Path, capsys: Any, arguments: list[str], message: str) -> None:
    names = {
        "docs": write(tmp_path / "docs.parquet"),
        "csv": write(tmp_path / "docs.csv"),
        "notes": str(tmp_path / "notes.dat"),
        "broken": str(tmp_path / "broken.parquet"),
    }
    (tmp_path / "notes.dat").write_text("x")
    (tmp_path / "broken.parquet").write_text("this is no Parquet")
    before = (tmp_path / "docs.parquet").read_bytes()
    assert main([argument.format(**names) for argument in arguments]) == 1
    assert message in capsys.readouterr().err
    assert (tmp_path / "docs.parquet").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 4


def test_duplicate_ids(tmp_path: pathlib.Path, capsys: Any) -> None:
    path = write(tmp_path / "docs.parquet", TABLE.set_column(0, "id", pa.array([7] * len(TABLE), pa.int64())))
    output = str(tmp_path / "out.parquet")
    assert main(["pairs", path, "--id", "id", "-o", output]) == 1
    assert "an id occurs more than once" in capsys.readouterr().err
    assert main(["pairs", path, "--id", "id", "-o", output, "--allow-duplicate-ids"]) == 0

"""Text files as people and tools write them: every field as the file has it, or an error that names file and line."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")
import pyarrow.parquet as pq

from txtfp import files
from txtfp.__main__ import main
from txtfp.datasets import open_dataset


def put(path: pathlib.Path, data: str | bytes) -> str:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def rows(path: Any, **options: Any) -> list[dict[str, Any]]:
    dataset = open_dataset(path, options.pop("format", None), text=options.pop("text", "text"), **options)
    found = [row for batch in dataset.batches() for row in batch.to_pylist()]
    assert all(batch.schema == dataset.schema for batch in dataset.batches())
    counts = dataset.counts
    assert counts.read == len(found) + counts.refused
    return found


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_large_first_record(tmp_path: pathlib.Path) -> None:
    long = "word " * 500_000
    records = [{"id": 1, "text": long}, {"id": 2, "text": "x" * 1_500_000}, {"id": 3, "text": "y"}]
    assert rows(put(tmp_path / "a.jsonl", lines(*records))) == records
    with pytest.raises(files.FileError, match=r"a.jsonl: line 1: the record is longer than 1048576 bytes"):
        rows(tmp_path / "a.jsonl", max_record=1 << 20)
    assert rows(tmp_path / "a.jsonl", max_record=1 << 20, skip_errors=True) == records[2:]


def test_fields_that_come_late(tmp_path: pathlib.Path) -> None:
    """A field that is null for megabytes, one that comes up late, one that only a later file has."""
    many: list[dict[str, Any]] = [{"text": "a b " * 300, "note": None} for _ in range(3000)]
    many += [{"text": "c", "note": "at last", "late": [1, 2]}]
    put(tmp_path / "1.jsonl", lines(*many))
    put(tmp_path / "2.jsonl", lines({"text": "d", "other": {"x": "é"}}))
    found = rows(tmp_path)
    assert len(found) == 3002
    assert found[0] == {"text": many[0]["text"], "note": None, "late": None, "other": None}
    assert found[3000] == {"text": "c", "note": "at last", "late": "[1, 2]", "other": None}
    assert found[3001] == {"text": "d", "note": None, "late": None, "other": r'{"x": "\u00e9"}'}


def test_values_are_what_the_file_says(tmp_path: pathlib.Path) -> None:
    values = {
        "big": ["12345678901234567890", "1"],
        "bigger": ["123456789012345678901", "1"],
        "time": ['"2024-01-01T00:00:00Z"', '"2024"'],
        "ratio": ["0.1", "-2.5e-3"],
        "digits": ["0.12345678901234567890123", "1"],
        "huge": ["1e400", "1"],
        "whole": ["-9223372036854775808", "9223372036854775807"],
        "flag": ["true", "null"],
        "mixed": ["1.10", '"x"'],
        "inner": ['{"a": [1.10, "\\u00e9" ]}', "null"],
        "none": ["null", "null"],
        "zero": ["-0", "0"],
    }
    text = "".join("{" + ", ".join(f'"{name}": {both[i]}' for name, both in values.items()) + ', "text": "t"}\n' for i in range(2))
    first, second = rows(put(tmp_path / "a.jsonl", text))
    del first["text"], second["text"]
    assert first == {
        "big": 12345678901234567890,
        "bigger": "123456789012345678901",
        "time": "2024-01-01T00:00:00Z",
        "ratio": 0.1,
        "digits": "0.12345678901234567890123",
        "huge": "1e400",
        "whole": -(2**63),
        "flag": True,
        "mixed": "1.10",
        "inner": '{"a": [1.10, "\\u00e9" ]}',
        "none": None,
        "zero": 0,
    }
    assert second["mixed"] == "x" and second["whole"] == 2**63 - 1 and second["ratio"] == -0.0025
    assert rows(put(tmp_path / "a.csv", "id,text\r\n007,a\r\n01234,\r\n")) == [{"id": "007", "text": "a"}, {"id": "01234", "text": ""}]
    assert rows(put(tmp_path / "a.tsv", "id\ttext\n007\ta\\tb\n2024-01-01\t\\N\n")) == [{"id": "007", "text": "a\tb"}, {"id": "2024-01-01", "text": None}]
    assert rows(put(tmp_path / "a.txt", "one\ntwo")) == [{"text": "one"}, {"text": "two"}]
    assert rows(put(tmp_path / "twice.jsonl", '{"text":"a","text":"b","n":1,"n":2}\n')) == [{"text": "b", "n": 2}]


@pytest.mark.parametrize(
    "name, data, message",
    [
        ("a.jsonl", '{"text":"a"}\n{"body":"b"}\n', r'a.jsonl: line 2: there is no field "text"'),
        ("a.jsonl", '{"text":"a"}\n{"text":1}\n', r'a.jsonl: line 2: the field "text" is not a string'),
        ("a.jsonl", '{"text":"a","n":01}\n', r'a.jsonl: line 1: the field "n": '),
        ("a.csv", "id,body\n1,a\n", r'a.csv: there is no field "text"; there are "id", "body"'),
        ("a.csv", "id,text\n1,a\n2,b,c\n", r"a.csv: line 3: there are 3 fields, not 2"),
        ("a.csv", "text,text\na,b\n", r'a.csv: the header has the field "text" twice'),
        ("a.tsv", "id\ttext\n1\n", r"a.tsv: line 2: there are 1 fields, not 2"),
        ("a.csv", b"id,text\n1,\xff\n", r'a.csv: line 2: the field "text" is not valid UTF-8'),
        ("a.csv", b"\xff\xfei\0d\0", r"a.csv is UTF-16, not UTF-8 \(it begins with FF FE, a byte order mark\): iconv -f UTF-16 -t UTF-8 FILE"),
        ("a.jsonl", '{"text":"a"}\n'.encode("utf-32-be"), r"a.jsonl is UTF-32BE, not UTF-8 \(it begins with characters with zero bytes\)"),
        ("a.csv", b"text,\xe9\na,b\n", r"a.csv: name 2 of the header is not valid UTF-8"),
        ("a.jsonl", '{"text":"a","x\\u0000":1}\n', r"has a zero byte in its name"),
        ("a.jsonl.gz", gzip.compress(b'{"text":"a"}\n')[:-4], r"a.jsonl.gz: the compressed data are broken"),
    ],
)
def test_errors(tmp_path: pathlib.Path, name: str, data: str | bytes, message: str, capsys: Any) -> None:
    path = put(tmp_path / name, data)
    with pytest.raises(files.FileError, match=message):
        rows(path)
    assert main(["fingerprint", path, "-o", str(tmp_path / "out.parquet")]) == 1
    assert not (tmp_path / "out.parquet").exists()


def test_headers_of_other_programs(tmp_path: pathlib.Path) -> None:
    """Names that occur twice, the empty name of an index, and a line that names the delimiter."""
    path = put(tmp_path / "a.csv", "text,tag,tag,tag_2,\na,1,2,3,\n")
    assert rows(path) == [{"text": "a", "tag": "1", "tag_3": "2", "tag_2": "3", "": ""}]
    with pytest.raises(files.FileError, match='a.csv: the header has the field "tag" twice'):
        rows(path, id="tag")
    with pytest.raises(files.FileError, match='a.csv: the header has the field "tag" twice'):
        list(files.fingerprinted_batches(path, fields=["tag"]))
    assert len(list(files.fingerprinted_batches(path, fields=["tag_3"]))) == 1
    (tmp_path / "folder").mkdir()
    put(tmp_path / "folder" / "1.csv", b"\xef\xbb\xbfsep=;\r\nid;text\r\n1;a,b\r\n")
    put(tmp_path / "folder" / "2.csv", "id,text\n2,c;d\n")
    assert rows(tmp_path / "folder") == [{"id": "1", "text": "a,b"}, {"id": "2", "text": "c;d"}]


def test_links_in_folders(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    put(folder / "inner" / "a.jsonl", lines({"text": "a"}))
    (folder / "link.jsonl").symlink_to(folder / "inner" / "a.jsonl")
    assert rows(folder) == [{"text": "a"}] * 2
    (folder / "nothing.jsonl").symlink_to(tmp_path / "nothing")
    with pytest.raises(files.FileError, match="cannot open .*nothing.jsonl"):
        rows(folder)
    (folder / "nothing.jsonl").unlink()
    (folder / "inner" / "circle").symlink_to(folder)
    with pytest.raises(files.FileError, match="folders are nested in a circle"):
        rows(folder)
    with pytest.raises(files.FileError, match="is not valid UTF-8"):
        rows(os.fsdecode(b"latin-1 \xe9.jsonl"))


@pytest.mark.parametrize("kept", [0, 1, 5 << 20, 1 << 40])
def test_rows_beyond_what_is_kept(tmp_path: pathlib.Path, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that are not kept in memory are parsed again, also those in the middle of a file; the result and the counts are the same."""
    monkeypatch.setattr("txtfp.datasets.MAX_KEPT", kept)
    records = [{"id": i, "text": f"{i} " * 1000, "late": [None, 1.5, "x"][i // 1400]} for i in range(4200)]
    assert len(lines(*records)) > 2 << 23
    put(tmp_path / "1.jsonl", lines(*records[:200]))
    put(tmp_path / "2.jsonl", lines(*records[200:4000]) + "{}\n")
    put(tmp_path / "3.jsonl", lines(*records[4000:]))
    dataset = open_dataset(tmp_path, text="text", id="id", skip_errors=True)
    for _ in range(2):
        found = [row for batch in dataset.batches(["late", "id"]) for row in batch.to_pylist()]
        assert found == [{"late": None if r["late"] is None else str(r["late"]), "id": r["id"]} for r in records]
        assert (dataset.counts.read, dataset.counts.refused) == (4201, 1)
    if kept == 5 << 20:
        put(tmp_path / "2.jsonl", "")
        with pytest.raises(files.FileError, match="2.jsonl has changed while it was read"):
            list(dataset.batches())


def test_skipped_and_counted(tmp_path: pathlib.Path, capsys: Any) -> None:
    path = put(tmp_path / "a.jsonl", lines({"text": "a"}, {"text": None}, {"body": 1}, {"text": "b"}))
    assert main(["fingerprint", path, "--skip-errors", "-o", str(tmp_path / "out.parquet")]) == 0
    assert "4 records read, 1 without text, 1 refused, 3 written" in capsys.readouterr().err
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 3
    assert main(["dedup", put(tmp_path / "b.csv", "text\na b c d e f\na b c d e f\n"), "-o", str(tmp_path / "out.parquet")]) == 0
    assert "2 records read, 0 without text, 0 refused, 1 written, 1 left out" in capsys.readouterr().err
    with pytest.raises(files.FileError, match="no record could be read; .*line 1: there is no field"):
        rows(put(tmp_path / "c.jsonl", lines({"a": 1}, {"b": 2})), skip_errors=True)


def test_compressed(tmp_path: pathlib.Path) -> None:
    records = [{"id": i, "text": f"text {i}"} for i in range(500)]
    halves = [lines(*records[:250]).encode(), lines(*records[250:]).encode()]
    made = {
        "gz": b"".join(map(gzip.compress, halves)) + bytes(1000),
        "xz": b"".join(map(lzma.compress, halves)),
        "bz2": b"".join(map(bz2.compress, halves)),
        "zst": b"\x50\x2a\x4d\x18\4\0\0\0skip" + b"".join(pa.compress(half, "zstd", asbytes=True) for half in halves),
    }
    buffer = io.BytesIO()
    with pa.CompressedOutputStream(pa.PythonFile(buffer, "w"), "lz4") as stream:
        stream.write(b"".join(halves))
        stream.flush()
        stream.close()
        made["lz4"] = buffer.getvalue() if not buffer.closed else b""
    for suffix, data in made.items():
        if data:
            assert rows(put(tmp_path / f"a.jsonl.{suffix}", data)) == records, suffix
    shards = tmp_path / "shards"
    shards.mkdir()
    put(shards / "1.jsonl", b"")
    put(shards / "2.jsonl.gz", made["gz"])
    put(shards / "3.jsonl.zst", made["zst"])
    assert rows(shards) == records * 2
    code = "from txtfp.__main__ import main; main()"
    output = tmp_path / "out.parquet"
    subprocess.run([sys.executable, "-c", code, "fingerprint", "-", "--format", "jsonl", "-o", str(output)], input=made["xz"], check=True)
    assert pq.read_table(output).drop_columns(["fp"]).to_pylist() == records


def test_arrow_files(tmp_path: pathlib.Path) -> None:
    def ipc(name: str, table: Any) -> str:
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
        return str(tmp_path / name)

    texts = ["a b c", None, "a text that is longer than a view can hold"]
    if hasattr(pa, "string_view"):
        assert [row["text"] for row in rows(ipc("view.arrow", pa.table({"text": pa.array(texts, pa.string_view())})))] == texts
    category = ipc("category.arrow", pa.table({"text": pa.array(texts).dictionary_encode()}))
    assert [row["text"] for row in rows(category)] == texts
    assert main(["dedup", category, "-o", str(tmp_path / "out.parquet"), "--quiet"]) == 0

    folder = tmp_path / "folder"
    folder.mkdir()
    pq.write_table(pa.table({"text": ["a"], "n": pa.array([1], pa.int32())}), folder / "1.parquet")
    pq.write_table(pa.table({"text": ["b"], "n": pa.array([1 << 40]), "late": ["x"]}), folder / "2.parquet")
    pq.write_table(pa.table({"text": pa.nulls(1), "late": pa.nulls(1)}), folder / "3.parquet")
    put(folder / "4.parquet", b"")
    assert rows(folder) == [
        {"text": "a", "n": 1, "late": None},
        {"text": "b", "n": 1 << 40, "late": "x"},
        {"text": None, "n": None, "late": None},
    ]
    pq.write_table(pa.table({"text": ["c"], "n": ["one"]}), folder / "5.parquet")
    with pytest.raises(files.FileError, match='the field "n" is string in ".*5.parquet" and int64 in ".*parquet"'):
        rows(folder)
    pq.write_table(pa.table({"body": ["c"]}), folder / "5.parquet")
    with pytest.raises(files.FileError, match='there is no field "text" in ".*5.parquet"'):
        rows(folder)


def test_types_of_arrow(tmp_path: pathlib.Path) -> None:
    """Columns that are no texts, ids or numbers are refused by the name of the file; null is none of them."""
    table = pa.table({"text": ["a", "b"], "bytes": [b"a", b"b"], "list": [["x"], []], "flag": [True, False], "null": pa.nulls(2), "time": pa.array([1, 2], pa.timestamp("us")), "n": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    for asked in {"text": "list"}, {"text": "n"}, {"text": "flag"}, {"id": "list"}, {"id": "flag"}, {"priority": "list"}, {"priority": "time"}, {"priority": "flag"}:
        (column,) = asked.values()
        with pytest.raises(files.FileError, match=f'the field "{column}" in ".*a.parquet" is .*, which is not a'):
            rows(tmp_path / "a.parquet", **asked)
    for asked in {"text": "bytes"}, {"text": "null"}, {"id": "time"}, {"id": "bytes"}, {"priority": "n"}, {"priority": "null"}:
        assert len(rows(tmp_path / "a.parquet", **asked)) == 2


def test_delimiters(tmp_path: pathlib.Path) -> None:
    path = put(tmp_path / "a.csv", 'text\tn\n"a\n""b"""\t1\n')
    assert rows(path, delimiter="\t") == rows(path, delimiter="\\t") == [{"text": 'a\n"b"', "n": "1"}]
    for delimiter in ",;", "é", '"', "\n":
        with pytest.raises(files.FileError, match="the delimiter .* is not one byte"):
            rows(path, delimiter=delimiter)


def test_as_independent_readers_read_it(tmp_path: pathlib.Path) -> None:
    """CSV of Python's own module, in its dialects, and JSON Lines of several tools."""
    table = [{"id": str(i), "text": text, "tag": "é;" * (i % 3)} for i, text in enumerate(["plain", 'a "quote"', "line\nend", "comma, here", "", " blank "] * 50)]
    for name, dialect in ("excel", {}), ("semicolons", {"delimiter": ";"}), ("quoted", {"quoting": csv.QUOTE_ALL}), ("unix", {"lineterminator": "\n"}):
        path = tmp_path / f"{name}.csv"
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, ["id", "text", "tag"], **dialect)
            writer.writeheader()
            writer.writerows(table)
        with path.open(encoding="utf-8-sig", newline="") as file:
            assert rows(path, delimiter=dialect.get("delimiter")) == list(csv.DictReader(file, delimiter=dialect.get("delimiter", ","))) == table
    duckdb = pytest.importorskip("duckdb")
    data = pa.table({"id": [row["id"] for row in table], "text": [row["text"] for row in table]})
    assert data.num_rows == 300
    for name, options in ("d.csv", "FORMAT csv"), ("d.jsonl", "FORMAT json"), ("d.jsonl.gz", "FORMAT json, COMPRESSION gzip"), ("d.jsonl.zst", "FORMAT json, COMPRESSION zstd"):
        duckdb.sql(f"COPY data TO '{tmp_path / name}' ({options})")
        assert rows(tmp_path / name) == data.to_pylist(), name


def test_public_csv_suites() -> None:
    """csv-spectrum (github.com/max-mapper) and csv-test-data (github.com/sineemore), if TXTFP_CSV_SUITES names the folders of their copies."""
    folders = [pathlib.Path(folder) for folder in os.environ.get("TXTFP_CSV_SUITES", "").split(":") if folder]
    if not folders:
        pytest.skip("TXTFP_CSV_SUITES names no folder")
    tried = 0
    for path in sorted(path for folder in folders for path in folder.glob("csv*/*.csv")):
        answer = path.parents[1] / "json" / f"{path.stem}.json"
        header = path.parent.name == "csvs" or "header" in path.stem
        tried += 1
        if path.stem == "location_coordinates":  # Latin-1, a stray quote, and an answer with another telephone number
            continue
        if path.stem.startswith("bad-"):
            if path.stem not in ("bad-header-no-header", "bad-header-wrong-header"):  # which another program would have to know
                with pytest.raises(files.FileError):
                    rows(path, text=None, header=header)
            continue
        found = rows(path, text=None, header=header)
        expected = json.loads(answer.read_text())
        assert found == expected if header else [list(row.values()) for row in found] == expected, path
    assert tried > 20


@pytest.mark.parametrize("tool", ["pandas", "polars", "datasets"])
def test_as_tools_write_it(tmp_path: pathlib.Path, tool: str) -> None:
    module = pytest.importorskip(tool)
    data = {"id": [1, 2, 3], "text": ['a "b"', "line\nend é", "x, y"]}
    expected = [dict(zip(data, values)) for values in zip(*data.values())]
    if tool == "pandas":
        frame = module.DataFrame(data)
        frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
        frame.to_json(tmp_path / "a.jsonl.bz2", orient="records", lines=True)
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.astype({"text": "category"}).to_feather(tmp_path / "a.feather")
    elif tool == "polars":
        frame = module.DataFrame(data)
        frame.write_ndjson(tmp_path / "a.jsonl")
        frame.write_csv(tmp_path / "a.csv")
        frame.write_ipc(tmp_path / "a.arrow")
        frame.with_columns(module.col("text").cast(module.Categorical)).write_ipc(tmp_path / "b.arrow")
        frame.write_parquet(tmp_path / "a.parquet")
    else:
        frame = module.Dataset.from_dict(data)
        frame.to_json(tmp_path / "a.jsonl")
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.to_parquet(tmp_path / "a.parquet")
    for path in sorted(tmp_path.iterdir()):
        found = rows(path)
        assert found == (expected if ".csv" not in path.name else [{**row, "id": str(row["id"])} for row in expected]), path.name


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_streams_of_arrow(tmp_path: pathlib.Path, compression: str | None) -> None:
    table = pa.table({"id": [1, 2, 3], "text": pa.array(["a", None, "c"]).dictionary_encode()})
    path = str(tmp_path / "a.arrow")
    with pa.ipc.new_stream(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write_table(table, max_chunksize=2)
    assert rows(path) == table.to_pylist()
    data = pathlib.Path(path).read_bytes()
    for size in 5, 200, len(data) // 2, len(data) - 40:
        with pytest.raises(files.FileError):
            rows(put(tmp_path / "b.arrow", data[:size]))


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_memory_of_a_record_is_bounded(tmp_path: pathlib.Path, format: str) -> None:
    """A record of 100 MB, some kilobytes when compressed, between two others."""
    head, record = ("id,text\n", '{},"{}"\n') if format == "csv" else ("", '{{"id":{},"text":"{}"}}\n')
    data = head + record.format(1, "a") + record.format(2, "word " * 20_000_000) + record.format(3, "c")
    path = put(tmp_path / f"a.{format}.gz", gzip.compress(data.encode(), 1))
    del data
    code = f"""
import resource
from txtfp.datasets import open_dataset
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
open_dataset({str(put(tmp_path / f"b.{format}", head + record.format(1, "a")))!r}, text="text")
before = peak()
dataset = open_dataset({path!r}, text="text", id="id", max_record=1 << 20, skip_errors=True)
ids = [str(row["id"]) for batch in dataset.batches() for row in batch.to_pylist()]
print(ids, dataset.counts.refused, peak() - before)
"""
    ids, refused, grown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.rsplit(" ", 2)
    assert (ids, refused) == ("['1', '3']", "1")
    assert int(grown) < 40  # MB

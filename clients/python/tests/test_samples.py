"""Files as other programs write them, made by these programs: what the Python package, the command line and COPY read of them is what was written.

A program that is not here is named in the list of what was skipped.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Callable, Iterator

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")
import txtfp
from txtfp.datasets import open_dataset

TEXTS = ["plain words of one line", 'a "quoted" word, and a comma', "two\nlines\r\nand a third", "Zürich; 日本語 \U0001f600", " blanks around ", "tab\tand \\n backslash \\ end", "x " * 4_000]
RECORDS = [{"id": i, "text": f"{text} no. {i}", "tag": None if i % 3 else "é;,"} for i, text in enumerate(TEXTS * 20)]
JSON = "".join(json.dumps(record, ensure_ascii=i % 2 == 0) + "\n" for i, record in enumerate(RECORDS))
SPREADSHEET = {"delimiter": ";"}


def run(*command: str, **options: Any) -> Any:
    if shutil.which(command[0]) is None:
        pytest.skip(f"the program {command[0]} is not here")
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


# ---------------------------------------------------------------------------------------------- who writes: a name, and the options of reading


def pandas(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    frame = pytest.importorskip("pandas").DataFrame(RECORDS)
    for suffix in "", ".gz", ".bz2", ".xz":
        frame.to_json(folder / f"a.jsonl{suffix}", orient="records", lines=True)
        yield f"a.jsonl{suffix}", {}
    frame.to_csv(folder / "a.csv", index=False)
    yield "a.csv", {}
    frame.to_csv(folder / "b.csv", index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")
    yield "b.csv", SPREADSHEET


def polars(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    frame = pytest.importorskip("polars").DataFrame(RECORDS, infer_schema_length=None)
    frame.write_ndjson(folder / "a.jsonl")
    yield "a.jsonl", {}
    frame.write_csv(folder / "a.csv")
    yield "a.csv", {}
    frame.write_csv(folder / "b.csv", separator=";", include_bom=True, quote_style="always")
    yield "b.csv", SPREADSHEET


def datasets(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    data = pytest.importorskip("datasets").Dataset.from_list(RECORDS)
    data.to_json(folder / "a.jsonl")
    yield "a.jsonl", {}
    data.to_csv(folder / "a.csv", index=False)
    yield "a.csv", {}


def duckdb(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    connection = pytest.importorskip("duckdb").connect()
    (folder / "source.json").write_text(JSON)
    connection.execute(f"CREATE TABLE data AS SELECT * FROM read_json('{folder}/source.json', format = 'newline_delimited', columns = {{id: 'BIGINT', text: 'VARCHAR', tag: 'VARCHAR'}})")
    for name, options in ("a.jsonl", "FORMAT json"), ("a.jsonl.gz", "FORMAT json, COMPRESSION gzip"), ("a.jsonl.zst", "FORMAT json, COMPRESSION zstd"), ("a.csv", "FORMAT csv"):
        connection.execute(f"COPY data TO '{folder / name}' ({options})")
        yield name, {}


def spark(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("the program java, which Spark needs, is not here")
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).config("spark.sql.shuffle.partitions", 1).getOrCreate()
    frame = session.createDataFrame(RECORDS, "id long, text string, tag string").repartitionByRange(3, "id").sortWithinPartitions("id")
    frame.write.json(str(folder / "json"))
    yield "json", {}
    frame.write.option("compression", "gzip").json(str(folder / "gzip"))
    yield "gzip", {}
    frame.write.options(header=True, escape='"', quoteAll=True, ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False).csv(str(folder / "csv"))
    yield "csv", {}


def jq(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    (folder / "a.jsonl").write_bytes(run("jq", "-c", ".[]", input=json.dumps(RECORDS).encode()))
    yield "a.jsonl", {}


def compressors(*command: str) -> Callable[[pathlib.Path], Iterator[tuple[str, dict[str, Any]]]]:
    """Two members, the way large dumps come."""

    def write(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
        lines = JSON.encode().splitlines(keepends=True)
        suffix = {"pigz": "gz", "gzip": "gz", "xz": "xz", "bzip2": "bz2"}.get(command[0], "zst")
        (folder / f"a.jsonl.{suffix}").write_bytes(b"".join(run(*command, input=b"".join(part)) for part in (lines[:50], lines[50:])))
        yield f"a.jsonl.{suffix}", {}

    return write


def pzstd(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    (folder / "a.jsonl").write_text(JSON)
    run("pzstd", "-q", "-p", "3", str(folder / "a.jsonl"))
    yield "a.jsonl.zst", {}


def spreadsheet(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """No spreadsheet is here: its dialect by Python's own module."""
    with (folder / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(RECORDS[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(RECORDS)
    yield "a.csv", SPREADSHEET


def copy(folder: pathlib.Path, database: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the server writes, in its formats of text."""
    import psycopg

    with psycopg.connect(dbname=database, autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE data (id bigint, text text, tag text)")
        connection.cursor().executemany("INSERT INTO data VALUES (%s, %s, %s)", [tuple(record.values()) for record in RECORDS])
        for name, format in ("a.csv", "csv, HEADER"), ("a.tsv", "text, HEADER"):
            with connection.cursor().copy(f"COPY (SELECT * FROM data ORDER BY id) TO STDOUT (FORMAT {format})") as rows:
                (folder / name).write_bytes(b"".join(bytes(row) for row in rows))
            yield name, {}


def warc(folder: pathlib.Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts of an archive of web pages, by the recipe of docs/cli.md."""
    pytest.importorskip("warcio")
    from warcio.archiveiterator import ArchiveIterator
    from warcio.warcwriter import WARCWriter

    with (folder / "texts.warc.wet.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for record in RECORDS:
            payload = io.BytesIO(record["text"].encode())
            writer.write_record(writer.create_warc_record(f"urn:{record['id']}", "conversion", payload=payload, warc_content_type="text/plain"))
    with (folder / "texts.warc.wet.gz").open("rb") as archive, (folder / "a.jsonl").open("w") as lines:
        for record in ArchiveIterator(archive):
            if record.rec_type == "conversion":
                id, text = record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read().decode("utf-8", "replace")
                lines.write(json.dumps({"id": int(id[4:]), "text": text}) + "\n")
    yield "a.jsonl", {}


WRITERS: dict[str, Callable[..., Iterator[tuple[str, dict[str, Any]]]]] = {
    "pandas": pandas,
    "polars": polars,
    "datasets": datasets,
    "duckdb": duckdb,
    "spark": spark,
    "jq": jq,
    "pigz": compressors("pigz", "-c"),
    "gzip": compressors("gzip", "-c"),
    "xz": compressors("xz", "-T2", "--block-size=65536", "-c"),
    "bzip2": compressors("bzip2", "-c"),
    "zstd": compressors("zstd", "-q", "-c"),
    "zstd --long": compressors("zstd", "-q", "--ultra", "--long=31", "-c"),
    "pzstd": pzstd,
    "spreadsheet": spreadsheet,
    "copy": copy,
    "warc": warc,
}


@pytest.fixture(scope="module", params=WRITERS)
def samples(request: Any, tmp_path_factory: Any) -> tuple[pathlib.Path, list[tuple[str, dict[str, Any]]]]:
    folder = tmp_path_factory.mktemp("samples")
    more = [request.getfixturevalue("database")] if request.param == "copy" else []
    return folder, list(WRITERS[request.param](folder, *more))


# ---------------------------------------------------------------------------------------------- who reads

EXPECTED = [(str(record["id"]), record["text"]) for record in RECORDS]


def test_package(samples: Any) -> None:
    folder, written = samples
    for name, options in written:
        dataset = open_dataset(folder / name, text="text", id="id", **options)
        found = [(str(row["id"]), row["text"]) for batch in dataset.batches(["id", "text"]) for row in batch.to_pylist()]
        assert found == EXPECTED, name


@pytest.fixture(scope="session")
def program() -> str:
    built = os.environ.get("TXTFP") or str(pathlib.Path(__file__).parents[3] / "build" / "txtfp")
    if not os.access(built, os.X_OK):
        pytest.skip("the program txtfp is not built, and TXTFP names none")
    return built


def test_program(samples: Any, program: str) -> None:
    expected = "".join(f"{id}\t{txtfp.simhash64(text)}\n" for id, text in EXPECTED)
    folder, written = samples
    for name, options in written:
        header = [] if "json" in name or "gzip" in name else ["--header"]
        delimiter = ["--delimiter", options["delimiter"]] if "delimiter" in options else []
        command = [program, "fingerprint", "-q", "--no-header", "-k", "simhash64", *header, *delimiter, str(folder / name)]
        assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == expected, name


DECOMPRESS = {".gz": ["gzip", "-dc"], ".bz2": ["bzip2", "-dc"], ".xz": ["xz", "-dc"], ".zst": ["zstd", "-qdc", "--long=31"]}


def test_server(samples: Any, database: str) -> None:
    """By the recipes of docs/cli.md."""
    import psycopg

    folder, written = samples
    with psycopg.connect(dbname=database, autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE lines (line jsonb); CREATE TEMP TABLE fields (id text, text text, tag text)")
        for name, options in written:
            connection.execute("TRUNCATE lines, fields")
            path = folder / name
            parts = sorted(part for part in path.iterdir() if part.name[0] not in "._") if path.is_dir() else [path]
            for part in parts:
                command = DECOMPRESS.get(part.suffix)
                data = run(*command, str(part)) if command else part.read_bytes()
                if "json" in part.name:
                    how = "lines FROM STDIN (FORMAT csv, QUOTE e'\\x01', DELIMITER e'\\x02')"
                elif ".tsv" in part.name:
                    how = "fields FROM STDIN (HEADER)"
                else:
                    how = f"fields FROM STDIN (FORMAT csv, HEADER, DELIMITER '{options.get('delimiter', ',')}')"
                with connection.cursor().copy(f"COPY {how}") as sink:
                    sink.write(data)
            found = connection.execute("SELECT line->>'id', line->>'text' FROM lines UNION ALL SELECT id, text FROM fields ORDER BY 1").fetchall()
            assert sorted(found) == sorted(EXPECTED), name

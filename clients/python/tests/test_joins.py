"""Joins: the answers of the server and of the command line, row by row."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import random
import subprocess
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")

import txtfp
from samples import TEXT
from txtfp import core, files

WORDS = [f"word{i}" for i in range(3000)]
LIMITS = {"simhash64": "max_distance", "tlsh": "max_distance", "lavinhash": "min_score"}


def chains(n: int, seed: int, words: int = 60) -> Any:
    """Documents that are changed step by step, so that the ends of a chain have little in common; copies, and texts without a fingerprint."""
    rng = random.Random(seed)
    texts: list[str | None] = []
    while len(texts) < n:
        text = rng.choices(WORDS, k=words)
        for _ in range(rng.choice([1, 1, 3, 8])):
            texts.append(" ".join(text))
            text[rng.randrange(words)] = rng.choice(WORDS)
        if rng.random() < 0.2:
            texts.append(rng.choice(texts))
        if rng.random() < 0.05:
            texts.append(rng.choice(["", None]))
    rng.shuffle(texts)
    priorities = [rng.choice([None, 1.0, 2.0, rng.random()]) for _ in texts]
    return pa.table({"id": pa.array(range(1000, 1000 + len(texts)), pa.int64()), "text": texts, "score": pa.array(priorities, pa.float64())})


A, B = chains(700, 1), chains(300, 2)
# some rows of the first, whole and changed, are in the second one, too
TEXTS_OF_B = [*B["text"].to_pylist()[100:], *A["text"].to_pylist()[:100]]
B = B.set_column(1, "text", pa.array([text and f"{text} changed" if i % 3 == 0 else text for i, text in enumerate(TEXTS_OF_B)][: len(B)]))
KINDS = [("minhash128", 0.7), ("minhash64_compact", 0.6), ("simhash64", 9), ("tlsh", 60), ("lavinhash", 70)]


def rows(table: Any) -> list[tuple[Any, ...]]:
    """In the order of their first two columns, as the queries here have them."""
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=lambda row: row[:2])


@pytest.fixture(params=KINDS, ids=lambda param: param[0])
def join(request: Any, database: str) -> Any:
    """(connection with the tables a and b, the fingerprints of both, the limit)"""
    psycopg = pytest.importorskip("psycopg")
    kind, limit = request.param
    with psycopg.connect(dbname=database) as conn:
        for name, table in ("a", A), ("b", B):
            conn.execute(f"CREATE TEMP TABLE {name} (id bigint, text text, score float8, fp {kind})")
            fingerprints = core.fingerprints(table["text"], kind)
            sent = table.append_column("fp", pa.chunked_array([fingerprints.to_arrow()]))
            assert files.to_postgres(sent, conn, name) == len(table)
        a, b = (core.fingerprints(table["text"], kind) for table in (A, B))
        yield conn, a, b, {LIMITS.get(kind, "threshold"): limit}


def bandings(limit: dict[str, Any]) -> list[dict[str, Any]]:
    """Also one that misses pairs: which ones, both sides must agree upon."""
    return [{}, {"bands": 3, "rows": 10}] if "threshold" in limit else [{}]


def arguments(options: dict[str, Any]) -> str:
    return "".join(f", {name} => {value!r}" for name, value in options.items())


def test_pairs(join: Any) -> None:
    conn, a, _, limit = join
    for banding in bandings(limit):
        query = f"SELECT a, b, similarity FROM near_duplicate_pairs('SELECT id, fp FROM a'{arguments(limit | banding)}) ORDER BY 1, 2"
        expected = conn.execute(query).fetchall()
        assert rows(core.near_duplicate_pairs(a, ids=A["id"], **limit, **banding)) == expected and len(expected) > 100


def test_pairs_between(join: Any) -> None:
    conn, a, b, limit = join
    for banding in bandings(limit):
        for nearest in False, True:
            for threads in 1, 3:
                options = limit | banding | {"nearest": nearest}
                query = f"SELECT a, b, similarity FROM near_duplicate_pairs_between('SELECT id, fp FROM a', 'SELECT id, fp FROM b'{arguments(options)}) ORDER BY 1, 2"
                expected = conn.execute(query).fetchall()
                found = core.near_duplicate_pairs_between(a, b, ids_a=A["id"], ids_b=B["id"], threads=threads, **options)
                assert rows(found) == expected and len(expected) > 50


@pytest.mark.parametrize("mode", ["components", "star", "complete"])
def test_clusters(join: Any, mode: str) -> None:
    conn, a, _, limit = join
    for banding in bandings(limit):
        for priority in None, "score":
            column = ", score" if priority else ""
            options = arguments(limit | banding | {"mode": mode})
            query = f"SELECT id, cluster, size, similarity, formed_at FROM near_duplicate_clusters('SELECT id, fp{column} FROM a'{options}) ORDER BY 1"
            expected = conn.execute(query).fetchall()
            found = core.near_duplicate_clusters(a, ids=A["id"], mode=mode, priority=A[priority] if priority else None, **limit, **banding)
            assert rows(found) == expected and len(expected) > 100


@pytest.mark.parametrize("verify", ["none", "jaccard", "containment"])
def test_deduplication(join: Any, verify: str) -> None:
    conn, a, _, limit = join
    for banding in bandings(limit):
        for priority in None, "score":
            column = ", score" if priority else ""
            options = arguments(limit | banding | {"verify": verify, "verify_threshold": 0.75})
            expected = conn.execute(
                "SELECT id, kept, similarity, jaccard, containment, reason, kept_containment "
                f"FROM deduplicate('SELECT id, fp, text{column} FROM a'{'' if 'threshold' in limit else ', NULL'}{options}) ORDER BY id"
            ).fetchall()
            found = core.deduplicate(
                a,
                ids=A["id"],
                texts=A["text"],
                verify=verify,
                verify_threshold=0.75,
                priority=A[priority] if priority else None,
                **limit,
                **banding,
            )
            assert [row[:7] for row in rows(found)] == expected and len(expected) > 30


def program() -> str:
    path = os.environ.get("TXTFP") or str(pathlib.Path(__file__).parents[3] / "build" / "txtfp")
    if not os.access(path, os.X_OK):
        pytest.skip("there is no command line: make cli, or name it in TXTFP")
    return path


@pytest.mark.parametrize("kind, limit", KINDS)
def test_the_command_line(tmp_path: pathlib.Path, kind: str, limit: float) -> None:
    option = LIMITS.get(kind, "threshold")
    source = tmp_path / "a.jsonl"
    table = A.set_column(2, "score", A["score"].fill_null(-1))
    source.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))

    def run(command: str, *options: str) -> list[list[Any]]:
        limits = [f"--{option.replace('_', '-')}", str(limit), "--kind", kind, "--format", "jsonl", "--quiet"]
        output = tmp_path / "out.tsv"
        subprocess.run([program(), command, *limits, *options, str(source), "-o", str(output), "--force"], check=True)
        with open(output, newline="") as file:
            return [*csv.reader(file, delimiter="\t")]

    a = core.fingerprints(A["text"], kind)
    pairs = core.near_duplicate_pairs(a, ids=A["id"], **{option: limit})
    found = [(int(row[0]), int(row[1])) for row in run("pairs") if row[0].isdigit()]
    assert sorted(map(tuple, map(sorted, found))) == [row[:2] for row in rows(pairs)]
    for mode in "components", "star":
        for priority in [], ["--priority", "score"]:
            found = sorted(tuple(map(int, row[:3])) for row in run("clusters", "--mode", mode, *priority) if row[0].isdigit())
            clusters = core.near_duplicate_clusters(a, ids=A["id"], mode=mode, priority=table["score"] if priority else None, **{option: limit})
            assert found == [row[:3] for row in rows(clusters)]
    if not kind.startswith("minhash"):
        return
    for priority in [], ["--priority", "score"]:
        removed = core.deduplicate(
            a, limit, ids=A["id"], texts=A["text"], verify="jaccard", guard="", priority=table["score"] if priority else None, verify_threshold=0.75
        )
        found = run("dedup", "--guard", "none", "--verify-threshold", "0.75", *priority)
        assert sorted((int(row[0]), int(row[1])) for row in found if row[0].isdigit()) == [row[:2] for row in rows(removed)]


def test_copies_and_crowds() -> None:
    """Many equal rows, and a bucket beyond the limit of the plain comparison: the same with any number of threads."""
    rng = random.Random(3)
    shared = " ".join(rng.choices(WORDS, k=200))
    texts = ["the same text of seven words here"] * 300 + [f"{shared} {' '.join(rng.choices(WORDS, k=20))}" for _ in range(600)] + ["", None]
    sketches = core.fingerprints(texts)
    results = [core.near_duplicate_pairs(sketches, 0.8, threads=threads) for threads in (1, 2, 5)]
    assert results[0] == results[1] == results[2]
    pairs = results[0].to_pylist()
    assert sum(pair["b"] < 300 for pair in pairs) == 300 * 299 // 2
    clusters = core.near_duplicate_clusters(sketches, 0.8, threads=2)
    assert clusters["cluster"].to_pylist()[:300] == [0] * 300
    assert clusters["similarity"].to_pylist()[:300] == [1] * 300
    removed = core.deduplicate(sketches, 0.8)
    assert removed["kept"].to_pylist()[:299] == [0] * 299 and removed["reason"][0].as_py() == "equal_fingerprint"
    # every pair across two halves is one of those of the whole, and the other way round
    half = len(texts) // 2
    first, second = (pa.chunked_array([sketches.to_arrow()]).slice(*part) for part in ((0, half), (half,)))
    across = core.near_duplicate_pairs_between(first, second, 0.8, ids_b=range(half, len(texts)))
    assert rows(across) == [row for row in rows(results[0]) if row[0] < half <= row[1]] and across.num_rows > 1000


def test_empty_columns() -> None:
    nothing, some = core.fingerprints([None, ""], "simhash64"), core.fingerprints([TEXT, TEXT], "simhash64")
    for a, b in (nothing, some), (some, nothing), (nothing, nothing), (nothing, []), ([], []):
        limit = {} if a == [] else {"max_distance": 3}
        assert core.near_duplicate_pairs_between(a, b, **limit).num_rows == 0
        assert core.near_duplicate_pairs_between(a, b, nearest=True, **limit).num_rows == 0
    assert core.near_duplicate_pairs(nothing, max_distance=3).num_rows == 0
    assert core.near_duplicate_clusters(nothing, max_distance=3, mode="star").num_rows == 0
    assert core.deduplicate(nothing, max_distance=3).num_rows == 0


def test_refused() -> None:
    a, other = core.fingerprints([TEXT]), core.fingerprints([TEXT], tokenizer="word-uax29")
    with pytest.raises(txtfp.ConfigurationMismatch, match="cannot compare minhash128 values made with different configurations"):
        core.near_duplicate_pairs_between(a, other)
    with pytest.raises(TypeError, match="a minhash128 cannot be compared with a minhash64"):
        core.near_duplicate_pairs_between(a, core.fingerprints([TEXT], "minhash64"))
    with pytest.raises(txtfp.InvalidParameter, match='unrecognized mode: "ring"'):
        core.near_duplicate_clusters(a, mode="ring")  # type: ignore[arg-type]
    with pytest.raises(txtfp.InvalidParameter, match='unrecognized value of verify: "maybe"'):
        core.deduplicate(a, verify="maybe")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind, options",
    [
        ("minhash128", {"threshold": 0}),
        ("minhash128", {"threshold": 1.5}),
        ("minhash128", {"threshold": float("nan")}),
        ("minhash64_compact", {"threshold": -0.25}),
        ("minhash128", {"max_distance": 3}),
        ("minhash128", {"min_score": 3}),
        ("minhash128", {"recall": 1}),
        ("minhash128", {"recall": float("nan")}),
        ("minhash64", {"threshold": 0.01, "recall": 0.999}),
        ("minhash128", {"bands": 3}),
        ("minhash128", {"bands": 0, "rows": 1}),
        ("minhash128", {"bands": 100, "rows": 2}),
        ("minhash128", {"bands": 3, "rows": 2, "recall": 0.9}),
        ("simhash64", {"threshold": 0.8}),
        ("simhash64", {"max_distance": 65}),
        ("simhash64", {"max_distance": 3, "recall": 0.9}),
        ("tlsh", {"min_score": 1}),
        ("lavinhash", {"min_score": 101}),
        ("lavinhash", {"min_score": -1}),
        ("minhash128", {"verify": "maybe"}),
        ("minhash128", {"verify": "jaccard", "verify_threshold": 2}),
        ("simhash64", {"max_distance": 3, "verify": "jaccard"}),
    ],
)
def test_bad_options_have_the_words_of_the_server(database: str, kind: str, options: dict[str, Any]) -> None:
    psycopg = pytest.importorskip("psycopg")
    function, text = ("deduplicate", ", 'some text'") if "verify" in options else ("near_duplicate_pairs", "")
    texts = {"texts": [TEXT]} if text else {}
    with pytest.raises(txtfp.InvalidParameter) as refused:
        getattr(core, function)(core.fingerprints([TEXT], kind), **options, **texts)
    arguments = ", ".join(f"{name} => {f'%({name})s'}" for name in options)
    with psycopg.connect(dbname=database) as conn, pytest.raises(psycopg.Error) as server:
        threshold = "0.8, " if text and kind.startswith("minhash") else ""
        conn.execute(f"SELECT {function}('SELECT 1, to_{kind}(''{TEXT}''){text.replace(chr(39), 2 * chr(39))}', {threshold}{arguments})", options)
    diagnosis = server.value.diag
    assert refused.value.message == diagnosis.message_primary
    if options.get("verify") != "maybe":  # fewer values are valid here
        assert (refused.value.detail, refused.value.hint) == (diagnosis.message_detail, diagnosis.message_hint)

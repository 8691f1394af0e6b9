"""Passages: what the three hosts agree on is in test_hosts.py; here are errors, columns of all kinds, and files beyond the memory."""

from __future__ import annotations

import os
import random
import tempfile
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")

import txtfp.errors
from txtfp import passages

TEXTS = ["Top.\n\nOne two three four five.", "one TWO  three four five.\n\nEnd."]
CUT = {"id": 1, "start": 0, "length": 27, "kept": 0, "kept_start": 6}


@pytest.mark.parametrize("column", [TEXTS, pa.array(TEXTS), pa.chunked_array([TEXTS[:1], TEXTS[1:]]), pa.array(TEXTS, pa.large_string())], ids=["list", "array", "chunks", "large"])
def test_columns(column: Any) -> None:
    assert passages.deduplicate_passages(column).to_pylist() == [CUT]
    numpy = pytest.importorskip("numpy")
    assert passages.deduplicate_passages(numpy.array(TEXTS, dtype=object)).to_pylist() == [CUT]


def test_names_order_and_groups() -> None:
    named = passages.deduplicate_passages(TEXTS, ids=["b", "a"]).to_pylist()
    assert named == [{"id": "b", "start": 6, "length": 24, "kept": "a", "kept_start": 0}]
    assert passages.deduplicate_passages(TEXTS, priority=[1, 2]).to_pylist() == [{"id": 0, "start": 6, "length": 24, "kept": 1, "kept_start": 0}]
    assert passages.deduplicate_passages(TEXTS, groups=[1, 2]).num_rows == 0
    assert passages.deduplicate_passages(TEXTS, groups=[None, None]).to_pylist() == [CUT]
    assert passages.deduplicate_passages_between(TEXTS, TEXTS, groups_a=["x", "y"], groups_b=["y", "y"]).to_pylist() == [{**CUT, "id": 0, "start": 6, "length": 24, "kept": 1, "kept_start": 0}, {**CUT, "kept": 1, "kept_start": 0}]
    assert passages.deduplicate_passages([]).num_rows == passages.deduplicate_passages([None, ""]).num_rows == 0
    assert passages.deduplicate_passages(TEXTS, min_words=6).num_rows == 0


def test_texts_without() -> None:
    cuts = passages.deduplicate_passages(TEXTS)
    assert passages.texts_without(TEXTS, cuts).to_pylist() == [TEXTS[0], "End."]
    assert passages.texts_without(["a b c", None], {"id": [0, 0], "start": [4, 0], "length": [1, 2]}, mark="-").to_pylist() == ["- b -", None]
    with pytest.raises(txtfp.InvalidParameter, match="behind the end"):
        passages.texts_without(["a"], {"id": [0], "start": [0], "length": [2]})
    with pytest.raises(txtfp.InvalidParameter, match="no text has"):
        passages.texts_without(["a"], {"id": [7], "start": [0], "length": [1]}, ids=[6])
    with pytest.raises(txtfp.InvalidParameter, match="there is not"):
        passages.texts_without(["a"], {"id": [1], "start": [0], "length": [1]})
    with pytest.raises(txtfp.InvalidParameter, match="is null"):
        passages.texts_without([None], {"id": [0], "start": [0], "length": [1]})
    with pytest.raises(ValueError, match="negative"):
        passages.texts_without(["a"], {"id": [0], "start": [-1], "length": [1]})


def test_keys_are_those_of_the_server(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    keys = passages.passage_keys([None, *TEXTS], unit="word", min_words=3, ids=[5, 6, 7])
    rows = [(row["key"], row["id"], row["start"] + 1, row["length"]) for row in keys.to_pylist()]
    with psycopg.connect(dbname=database) as connection:
        query = "SELECT uuid_send(key), n + 5, start, length FROM unnest(%s::text[]) WITH ORDINALITY AS t (body, n), passage_keys(body, 'word', 3) ORDER BY n, start"
        assert rows == connection.execute(query, [TEXTS]).fetchall()
    assert len(rows) > 6


def test_errors() -> None:
    for options, message in (
        ({"unit": "sentence"}, "unrecognized unit"),
        ({"min_words": 0}, "min_words must be between 1 and 10000, not 0"),
        ({"min_words": 10001}, "not 10001"),
        ({"tokenizer": "shingle-k=2/word-uax29"}, "cannot be made of shingles"),
        ({"canonicalizer": "x"}, "unrecognized canonicalizer"),
    ):
        with pytest.raises(txtfp.InvalidParameter, match=message):
            passages.deduplicate_passages(TEXTS, **options)  # type: ignore[arg-type]
        with pytest.raises(txtfp.InvalidParameter, match=message):
            passages.passage_keys(TEXTS, **options)  # type: ignore[arg-type]
    with pytest.raises(txtfp.InvalidText):
        passages.deduplicate_passages([b"\xff"])
    with pytest.raises(ValueError, match="numbers of texts and groups differ"):
        passages.deduplicate_passages(TEXTS, groups=[1])
    with pytest.raises(ValueError, match="each row once"):
        passages.deduplicate_passages(TEXTS, ids=[1])
    with pytest.raises(txtfp.InvalidParameter, match="for both"):
        passages.deduplicate_passages_between(TEXTS, TEXTS, groups_a=[1, 2])


def test_files_beyond_the_memory(monkeypatch: Any, tmp_path: Any) -> None:
    rng = random.Random(3)
    words = [f"word{i}" for i in range(2000)]
    runs = [" ".join(rng.choices(words, k=200)) for _ in range(40)]
    texts = [" ".join([rng.choice(runs), *rng.choices(words, k=300), rng.choice(runs)]) for _ in range(600)]
    expected = passages.deduplicate_passages(texts, unit="word")
    assert expected.num_rows > 1000
    assert passages.deduplicate_passages(texts, unit="word", memory=1 << 16, threads=3).equals(expected)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(txtfp.errors.FileError, match="cannot create a temporary file in"):
        passages.deduplicate_passages(texts, unit="word", memory=1 << 16)
    assert os.listdir(tmp_path) == []

"""txtfp.core: the frozen vectors, every form of input, threads, errors."""

from __future__ import annotations

import pathlib
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

core = pytest.importorskip("txtfp.core")
np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

import txtfp
from frozen import rows, same
from samples import CONSTRUCTORS, OTHER, TEXT

KINDS = list(CONSTRUCTORS)
TEXTS = [TEXT, None, OTHER, "", "one two three", "ÄÖÜ " * 40, "naïve " * 12] + [f"{TEXT} and {i}" for i in range(200)]


def bytes_of(fp: Any) -> bytes | None:
    return None if fp is None else bytes(fp)


def test_documents(vectors: pathlib.Path) -> None:
    checked = 0
    for row in rows(vectors / "documents.tsv"):
        text = row["input"]
        assert text is not None
        assert core.canonicalize(text) == row["canonical"]
        for column, fp in [
            ("minhash128", core.minhash128(text)),
            ("minhash64_k3_murmur3", core.minhash64(text, tokenizer="shingle-k=3/word-uax29", hash="mmh3-x64-128")),
            ("minhash256_grapheme4_seed42", core.minhash256(text, tokenizer="shingle-k=4/grapheme-uax29", seed=42)),
            ("minhash128_words", core.minhash128(text, tokenizer="word-uax29")),
        ]:
            assert same(row[column], bytes_of(fp)), (row["name"], column)
            checked += fp is not None
        for column, fp in [
            ("simhash_tf", core.simhash64(text, tokenizer="word-uax29")),
            ("simhash_uniform", core.simhash64(text, tokenizer="word-uax29", weighting="uniform")),
            ("simhash_shingle3_murmur3", core.simhash64(text, tokenizer="shingle-k=3/word-uax29", hash="mmh3-x64-128")),
        ]:
            assert row[column] == (None if fp is None else str(fp)), (row["name"], column)
    assert checked > 1500


def test_tlsh_and_similarity(vectors: pathlib.Path) -> None:
    for row in rows(vectors / "tlsh_texts.tsv"):
        fp = core.tlsh(row["text"])
        if (row["fingerprint"] or "").startswith("T1"):
            assert str(fp) == row["fingerprint"]
        else:
            assert fp is None
    for row in rows(vectors / "jaccard.tsv"):
        a, b = (core.minhash128(row[name], tokenizer="shingle-k=3/word-uax29") for name in "ab")
        if a is None or b is None:
            continue
        expected = struct.unpack(">f", bytes.fromhex(row["jaccard_bits"] or ""))[0]
        assert a.jaccard(b) == expected == core.distances([a], [b])[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_makes_the_same(database: str, kind: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    import txtfp.psycopg

    with psycopg.connect(dbname=database) as conn:
        txtfp.psycopg.register(conn)
        batch = core.fingerprints(TEXTS, kind)
        for text, fp in zip(TEXTS, batch):
            query = "SELECT " + CONSTRUCTORS[kind].format("%s::text")
            assert conn.execute(query, [text]).fetchone() == (fp,)


def forms(texts: list[str | None]) -> dict[str, Any]:
    array = pa.array(texts, pa.string())
    padded = pa.array(["x", None, *texts, "y"], pa.string())
    found = {
        "list": texts,
        "tuple": tuple(texts),
        "bytes": [None if text is None else text.encode() for text in texts],
        "generator": (text for text in texts),
        "numpy": np.array(texts, dtype=object),
        "string": array,
        "large_string": array.cast(pa.large_string()),
        "binary": array.cast(pa.binary()),
        "sliced": padded.slice(2, len(texts)),
        "chunked": pa.chunked_array([array.slice(0, 3), array.slice(3, 0), array.slice(3)]),
        "stream": pa.table({"t": array})["t"],
    }
    if hasattr(pa, "string_view"):
        found["string_view"] = array.cast(pa.string_view())
    return found


@pytest.mark.parametrize("form", forms([]))
def test_forms_of_input(form: str) -> None:
    expected = list(core.fingerprints(TEXTS, "simhash64", threads=1))
    assert expected[0] == core.simhash64(TEXT) and expected[1] is None
    assert list(core.fingerprints(forms(TEXTS)[form], "simhash64")) == expected
    assert list(core.fingerprints(forms([])[form], "simhash64")) == []


def test_other_libraries() -> None:
    expected = list(core.fingerprints(TEXTS))
    for name in "pandas", "polars":
        library = pytest.importorskip(name)
        assert list(core.fingerprints(library.Series(TEXTS))) == expected
    polars = pytest.importorskip("polars")
    series = polars.Series(core.fingerprints(TEXTS))
    assert series.null_count() == 2 and core.distances(series, expected[0])[0] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_batches(kind: str) -> None:
    batches = [core.fingerprints(TEXTS, kind, threads=threads) for threads in (1, 2, 7)]
    for batch in batches[1:]:
        assert batch.to_arrow() == batches[0].to_arrow()
    batch = batches[0]
    assert len(batch) == len(TEXTS) and batch.type_name == kind and batch.null_count == sum(fp is None for fp in batch)
    array = batch.to_arrow()
    array.validate(full=True)
    assert [None if fp is None else fp.to_binary() for fp in batch] == array.to_pylist()
    assert batch[-1] == batch[len(TEXTS) - 1]
    with pytest.raises(IndexError):
        batch[len(TEXTS)]
    # as a column again, in every form
    itself = core.distances(batch, batch)
    for other in array, pa.chunked_array([array.slice(0, 5), array.slice(5)]), list(batch), array.cast(pa.large_binary()):
        assert np.array_equal(core.distances(batch, other), itself, equal_nan=True)
    first = core.distances(batch, batch[0])
    assert np.isnan(first[1])
    if kind.startswith("minhash"):
        assert first[0] == 1 and first[2] == batch[0].jaccard(batch[2])
    elif kind == "simhash64":
        assert first[0] == 0 and first[2] == batch[0].hamming(batch[2])
    else:
        measure = "distance" if kind == "tlsh" else "similarity"
        assert first[2] == getattr(batch[0], measure)(batch[2])


def test_memory_is_shared_and_outlives_its_owner() -> None:
    batch = core.fingerprints(TEXTS)
    slots, array = batch.to_numpy(), batch.to_arrow()
    expected = batch[0].to_binary()
    assert slots.shape == (len(TEXTS), 128) and not slots.flags.writeable
    assert array.buffers()[1].address == batch._batch.to_numpy().ctypes.data
    del batch
    assert array[0].as_py() == expected and slots[0].tobytes() == expected[16:]
    assert core.fingerprints(TEXTS, "simhash64").to_numpy()[0] == int(core.simhash64(TEXT))


def test_tokens(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    import txtfp.psycopg

    with psycopg.connect(dbname=database) as conn:
        txtfp.psycopg.register(conn)
        tokens = txtfp.Tokens(["red", "car", "red"])
        expected = conn.execute(
            "SELECT to_minhash128(%(t)s), to_minhash128(%(t)s, tokenizer => 'word-uax29'), to_simhash64(%(t)s)", {"t": tokens}
        ).fetchone()
    assert expected == (
        core.minhash128(tokens),
        core.minhash128(list(tokens), tokenizer="word-uax29"),
        core.simhash64(tuple(tokens)),
    )
    assert core.minhash128([]) is None
    with pytest.raises(TypeError):
        core.minhash128(["red", None])
    with pytest.raises(TypeError):
        core.tlsh(["red"])


def test_compact() -> None:
    for slots in 64, 128, 256:
        folded = core.compact(core.fingerprints(TEXTS, f"minhash{slots}"))
        assert folded.to_arrow() == core.fingerprints(TEXTS, f"minhash{slots}_compact").to_arrow()
    with pytest.raises(TypeError, match="has no compact form"):
        core.compact(core.fingerprints(TEXTS, "simhash64"))


def test_exact_measures(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(dbname=database) as conn:
        for tokenizer in "word-uax29", "shingle-k=3/word-uax29":
            expected = conn.execute(
                "SELECT text_jaccard(%(a)s, %(b)s, %(t)s), text_containment(%(a)s, %(b)s, %(t)s)", {"a": TEXT, "b": OTHER, "t": tokenizer}
            ).fetchone()
            assert expected == (
                core.text_jaccard(TEXT, OTHER, tokenizer=tokenizer),
                core.text_containment(TEXT, OTHER, tokenizer=tokenizer),
            )
    assert core.text_jaccard(TEXT, "") is None
    many = core.text_jaccard(TEXTS, TEXT)
    assert many[0] == 1 and np.isnan(many[1]) and many[2] == core.text_jaccard(OTHER, TEXT) and np.isnan(many[3])
    assert np.array_equal(many, core.text_jaccard(pa.array(TEXTS), [TEXT] * len(TEXTS)), equal_nan=True)


def test_differences(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    pairs = [
        ("The quick brown fox, 12 km away.", "the quick red fox: 13 km away - not!"),
        ("Müller paid 10 € on 3 May. " * 3, "Mueller paid 11 € on 3 May. " * 2),
        ("one two three four five six seven eight", "five six seven eight one two three four"),
        (TEXT, OTHER),
        ("", "new words"),
        ("same", "same"),
    ]
    with psycopg.connect(dbname=database, row_factory=psycopg.rows.dict_row) as conn:
        for a, b in pairs:
            differences = core.text_difference(a, b)
            expected = conn.execute("SELECT kind, a_start - 1 AS a_start, a_length, b_start - 1 AS b_start, b_length FROM text_difference(%s, %s)", [a, b])
            assert [difference._asdict() for difference in differences] == expected.fetchall()
            changed = a
            for difference in reversed(differences):
                start, end = difference.a_start, difference.a_start + difference.a_length
                changed = changed[:start] + b[difference.b_start : difference.b_start + difference.b_length] + changed[end:]
            assert changed == b
            signals = conn.execute("SELECT (difference_signals(%s, %s, 3, 4)).*", [a, b]).fetchone()
            assert core.difference_signals(a, b, 3, 4) == signals
        texts = [*(text for pair in pairs for text in pair), None]
        corpus = core.corpus_words(texts)
        row = conn.execute("SELECT corpus_words_agg(t)::text AS corpus FROM unnest(%s::text[]) AS t", [texts]).fetchone()
        assert bytes.fromhex(row["corpus"]) == corpus.to_bytes() == core.CorpusWords.from_bytes(corpus.to_bytes()).to_bytes()
        assert corpus.documents == len(texts) - 1
        for a, b in pairs:
            signals = conn.execute("SELECT (difference_signals(%s, %s, corpus => %s)).*", [a, b, row["corpus"]]).fetchone()
            assert core.difference_signals(a, b, corpus=corpus) == signals
        with pytest.raises(ValueError, match="no value of corpus_words"):
            core.CorpusWords.from_bytes(b"12")
    with pytest.raises(txtfp.InvalidParameter, match="differences cannot be made of shingles"):
        core.text_difference("a", "b", tokenizer="shingle-k=5/word-uax29")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tokenizer": "some long text"}, 'unrecognized tokenizer: "some long text"'),
        ({"tokenizer": "shingle-k=0/word-uax29"}, "shingle size out of range in tokenizer"),
        ({"tokenizer": "shingle-k=2/" * 5 + "word-uax29"}, "too many shingle levels in tokenizer"),
        ({"canonicalizer": "nfd"}, 'unrecognized canonicalizer: "nfd"'),
        ({"hash": "md5"}, 'unrecognized hash function: "md5"'),
    ],
)
def test_bad_options_have_the_words_of_the_server(database: str, options: dict[str, str], message: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with pytest.raises(txtfp.InvalidParameter) as refused:
        core.minhash128(TEXT, **options)
    assert refused.value.message.startswith(message)
    with psycopg.connect(dbname=database) as conn, pytest.raises(psycopg.errors.InvalidParameterValue) as server:
        ((name, value),) = options.items()
        conn.execute(f"SELECT to_minhash128(%s, {name} => %s)", [TEXT, value])
    assert server.value.diag.message_primary == refused.value.message


def test_bad_input() -> None:
    for bad, offset in (b"good \xff", 5), (b"\xc0\x80", 0), (b"\xed\xa0\x80", 0), (b"abc\xe2\x82", 3):
        for call in core.minhash128, core.simhash64, core.tlsh:
            with pytest.raises(txtfp.InvalidText, match=f'invalid byte sequence for encoding "UTF8": 0x{bad[offset]:02x}') as refused:
                call(bad)
            assert f"at byte {offset}" in str(refused.value)
        with pytest.raises(txtfp.InvalidText, match="in row 1"):
            core.fingerprints(pa.array([b"good", bad], pa.binary()))
        core.lavinhash(bad)  # which is made of bytes
    with pytest.raises(UnicodeEncodeError):
        core.minhash128("\ud800")
    for wrong in 17, None, {"a": 1}, object():
        with pytest.raises(TypeError):
            core.minhash128(wrong)
    for column in "a text", b"bytes", {"a": "b"}, 17, ["a", 1], pa.array([1, 2]), pa.table({"a": ["b"]}), pa.array(["a"]).dictionary_encode():
        with pytest.raises(TypeError):
            core.fingerprints(column)
    with pytest.raises(txtfp.InvalidParameter, match="unrecognized kind of fingerprint"):
        core.fingerprints(TEXTS, "md5")
    with pytest.raises(txtfp.InvalidParameter, match="not in the Python package"):
        core.minhash128(TEXT, tokenizer="cjk-jieba")
    with pytest.raises((OverflowError, TypeError)):
        core.minhash128(TEXT, seed=1 << 70)


def test_bad_columns() -> None:
    a = core.fingerprints(TEXTS)
    other = core.fingerprints(TEXTS, tokenizer="word-uax29")
    for x, y in (a, other), (a, other[0]), ([a[0], other[0]], [a[0], a[0]]):
        with pytest.raises(txtfp.ConfigurationMismatch, match="cannot compare minhash128 values made with different configurations"):
            core.distances(x, y)
    with pytest.raises(TypeError):
        core.distances(a, core.fingerprints(TEXTS, "minhash64"))
    with pytest.raises(ValueError):
        core.distances(a, a.to_arrow().slice(1))
    with pytest.raises(txtfp.InvalidValue, match="a value of 3 bytes is no fingerprint"):
        core.distances([b"abc"], [b"abc"])
    damaged = bytearray(a[0].to_binary())
    damaged[8] = 9
    with pytest.raises(txtfp.InvalidValue, match="in row 1"):
        core.distances([a[0].to_binary(), bytes(damaged)], a[0])


def test_the_gil_is_released() -> None:
    """Another thread goes on while a column is computed."""
    texts = pa.array([TEXT * 100] * 400)
    ticks = 0
    finished = threading.Event()

    def work() -> None:
        core.fingerprints(texts, threads=1)
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not finished.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 3


def test_interrupt() -> None:
    """Ctrl-C ends long work with KeyboardInterrupt."""
    program = """
import signal, txtfp.core
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
try:
    print("ready", flush=True)
    txtfp.core.fingerprints(["some more words " * 1000] * 1000000, threads=1)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        assert process.communicate(timeout=60)[0] == "interrupted\n"
    finally:
        process.kill()


def test_lazy() -> None:
    """Values and adapters do not load the compiled core, and nothing loads NumPy or pyarrow until it is needed."""
    program = "import sys, txtfp; assert 'txtfp._core' not in sys.modules; import txtfp.core; assert not {'numpy', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert txtfp.minhash128(TEXT) == core.minhash128(TEXT)
    with pytest.raises(AttributeError):
        txtfp.minhash512

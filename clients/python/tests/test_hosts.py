"""One engine, three hosts: server, command line and Python give the same clusters, removals and cuts for the same rows, with every mode and option."""

from __future__ import annotations

import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("txtfp._core")

from test_joins import program
from txtfp import _core, core, passages

LONG = "TXTFP_LONG" in os.environ
GUARDS = ["symbol", "number", "name", "repeated", "two_sided", "scope", "first_line", "neighbours", "statement", "strict", "balanced"]
RULE = {
    "rule": "txtfp",
    "version": 1,
    "signals_version": _core.signals_version,
    "labels": 40,
    "right": 20,
    "cut_offs": [{"wished": 0.9, "remove_from": 0.7, "keep_below": 0.3}],
    "intercept": 1.5,
    "terms": [
        {"signal": "edits", "of": "log", "center": 1, "scale": 0.5, "weight": -1},
        {"signal": "weighted_shared", "of": "log", "center": 0.5, "scale": 0.2, "weight": 0.5},
        {"signal": "rarest_removed", "of": "log", "center": 0.5, "scale": 0.2, "weight": -0.5},
    ],
    "trees": [{"signal": "kept_neighbours", "above": 2, "yes": -0.5, "no": {"signal": "numbers_both", "above": 0, "yes": -1, "no": 0.25}}],
}
SIGNALS = ["first_edit", "weighted_shared", "rarest_common", "rare_code_removed", "codes_common", "trigrams", "shape"]
WORDS = [*(f"word{i}" for i in range(300)), "not", "only", "Berlin", "Paris", "17", "v2.1", "C++", "%", "Straße", "\u4f60\u597d"]


def corpus(rng: random.Random) -> list[str]:
    """Documents that are changed step by step, templates whose slots are filled, buckets of many variants, copies, and texts without a word."""
    texts: list[str] = []
    wanted = rng.choice([30, 120, 400] if LONG else [30, 80, 150])
    while len(texts) < wanted:
        words = rng.choices(WORDS, k=rng.choice([3, 12, 40, 90]))
        for _ in range(rng.choice([1, 2, 5, 80])):
            texts.append(" ".join(words))
            for _ in range(rng.choice([1, 1, 4])):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
        if rng.random() < 0.3:
            slot = rng.randrange(len(words))
            texts += [" ".join([*words[:slot], str(rng.randrange(50)), *words[slot:]]) for _ in range(rng.choice([3, 20, 150]))]
        if rng.random() < 0.4:
            texts += rng.choices(texts, k=3)
        if rng.random() < 0.1:
            texts += ["", "...", "?!"]
    rng.shuffle(texts)
    return texts[:wanted]


def descriptions() -> list[tuple[str, list[str]]]:
    """Texts that people wrote, where this machine has them: its packages, its manuals, its documentation."""
    found = []
    try:
        listed = subprocess.run(["dpkg-query", "-W", "-f", "${Description}\\0"], capture_output=True, text=True, check=True).stdout
        found.append(("packages", listed.split("\0")))
        listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
        available = [part.split("Description:", 1)[-1].split("\nDescription-md5", 1)[0].strip() for part in listed.split("\n\n")]
        found.append(("available packages", available[:20_000]))
    except (OSError, subprocess.CalledProcessError):
        pass
    copyrights = [path.read_text(errors="replace") for path in sorted(pathlib.Path("/usr/share/doc").glob("*/copyright"))[:1000]]
    found.append(("copyrights", copyrights))
    logs = [gzip.open(path, "rt", errors="replace").read()[:20_000] for path in sorted(pathlib.Path("/usr/share/doc").glob("*/changelog*.gz"))[:500]]
    found.append(("changelogs", logs))
    return [(name, [text.replace("\0", "") for text in texts]) for name, texts in found if len(texts) > 100][:3]


class Hosts:
    """The same rows in all three. Ids ascend with the order of the file, because the command line follows that."""

    def __init__(self, conn: Any, folder: pathlib.Path, rng: random.Random, texts: list[str], kind: str) -> None:
        self.conn, self.folder, self.kind, self.rng = conn, folder, kind, rng
        self.ids = sorted(rng.sample(range(10 * len(texts)), len(texts)))
        self.texts = texts
        self.priorities = [rng.choice([0.0, 1.0, 2.5, float(rng.randrange(9))]) for _ in texts]
        conn.execute(f"DROP TABLE IF EXISTS docs; CREATE TEMP TABLE docs (id bigint, body text, p float8, fp {kind})")
        rows = list(zip(self.ids, texts, self.priorities))
        rng.shuffle(rows)
        with conn.cursor().copy("COPY docs (id, body, p) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        made = "convert_to(body, 'UTF8')" if kind == "lavinhash" else "body"
        conn.execute(f"UPDATE docs SET fp = to_{kind}({made})")
        self.source = folder / "docs.jsonl"
        lines = (json.dumps({"id": id, "text": text, "p": p}) for id, text, p in zip(self.ids, texts, self.priorities))
        self.source.write_text("".join(line + "\n" for line in lines))
        # Python gets the rows in another order than that of their ids.
        self.shuffled = list(range(len(texts)))
        rng.shuffle(self.shuffled)
        self.column = core.fingerprints([texts[i] for i in self.shuffled], kind)

    def pairs(self, count: int) -> list[tuple[int, int]]:
        return [(a, b) for a, b in ((self.rng.choice(self.ids), self.rng.choice(self.ids)) for _ in range(count)) if a != b]

    def decide(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Pairs without a contradiction"""
        together = self.pairs(self.rng.choice([0, 2, 6]))
        unit = {id: id for id in self.ids}
        for a, b in together:
            old, new = unit[a], unit[b]
            unit = {id: new if first == old else first for id, first in unit.items()}
        return [(a, b) for a, b in self.pairs(self.rng.choice([0, 3, 40])) if unit[a] != unit[b]], together

    def python_arguments(self, priority: bool) -> dict[str, Any]:
        arguments: dict[str, Any] = {"ids": pa.array([self.ids[i] for i in self.shuffled], pa.int64()), "threads": self.rng.choice([1, 3])}
        if priority:
            arguments["priority"] = [self.priorities[i] for i in self.shuffled]
        return arguments

    def write_pairs(self, name: str, pairs: list[tuple[int, int]]) -> str:
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in pairs))
        return str(path)

    def run(self, command: str, *options: Any) -> list[dict[str, str]]:
        kind = [] if command == "passages" else ["--kind", self.kind]
        arguments = [program(), command, "-q", *kind, "-j", str(self.rng.choice([1, 3])), *map(str, options), str(self.source)]
        result = subprocess.run(arguments, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return [*csv.DictReader(result.stdout.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)]

    def limits(self) -> tuple[str, Any]:
        if self.kind in ("simhash64", "tlsh"):
            return "max_distance", self.rng.choice([2, 5, 9]) * (8 if self.kind == "tlsh" else 1)
        return ("min_score", self.rng.choice([60, 80])) if self.kind == "lavinhash" else ("threshold", self.rng.choice([0.4, 0.6, 0.8, 0.95]))

    def compare_clusters(self) -> int:
        limit, value = self.limits()
        mode, priority = self.rng.choice(["components", "star", "complete"]), self.rng.random() < 0.5
        max_size = self.rng.choice([None, None, 2, 5, 30])
        apart, together = self.decide() if max_size is None else ([], [])
        column = ", p" if priority else ""
        decided = ", apart => 'SELECT a, b FROM apart', together => 'SELECT a, b FROM together'" if max_size is None else f", max_size => {max_size}"
        self.send(apart, together)
        expected = self.conn.execute(
            f"SELECT id, cluster, size, similarity, formed_at FROM near_duplicate_clusters('SELECT id, fp{column} FROM docs', {limit} => {value}, "
            f"mode => '{mode}'{decided}) ORDER BY 1"
        ).fetchall()
        options: dict[str, Any] = {limit: value, "mode": mode, "max_size": max_size}
        if max_size is None:
            options |= {"apart": apart, "together": together}
        found = core.near_duplicate_clusters(self.column, **options, **self.python_arguments(priority)).sort_by("id")
        assert [tuple(row.values()) for row in found.to_pylist()] == expected
        arguments = [f"--{limit.replace('_', '-')}", value, "--mode", mode, *(["--priority", "p"] if priority else [])]
        if max_size is None:
            arguments += ["--apart", self.write_pairs("apart", apart), "--together", self.write_pairs("together", together)]
        else:
            arguments += ["--max-size", max_size]
        told = [(int(row["id"]), int(row["cluster"]), int(row["size"])) for row in self.run("clusters", *arguments)]
        assert sorted(told) == [row[:3] for row in expected]
        return len(expected)

    def send(self, apart: list[tuple[int, int]], together: list[tuple[int, int]]) -> None:
        for name, pairs in ("apart", apart), ("together", together):
            self.conn.execute(f"DROP TABLE IF EXISTS {name}; CREATE TEMP TABLE {name} (a bigint, b bigint)")
            with self.conn.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for pair in pairs:
                    copy.write_row(pair)

    def compare_removals(self) -> int:
        limit, value = self.limits()
        priority = self.rng.random() < 0.5
        verify = self.rng.choice(["none", "jaccard", "containment", "lossless"])
        guard = ",".join(self.rng.sample(GUARDS, self.rng.choice([0, 0, 1, 3, 8])))
        rule, signals = self.rng.random() < 0.3, self.rng.random() < 0.2
        apart, together = self.decide()
        self.send(apart, together)
        least = self.rng.choice([0.5, 0.8])
        parts = [f"verify => '{verify}'", f"guard => '{guard}'", f"signals => {signals}", f"verify_threshold => {least}"]
        if rule:
            parts += [f"rule => '{json.dumps(RULE)}'", "min_precision => 0.9"]
        parts += ["apart => 'SELECT a, b FROM apart'", "together => 'SELECT a, b FROM together'"]
        column = ", p" if priority else ""
        given = f"{limit} => {value}" if limit == "threshold" else f"threshold => NULL, {limit} => {value}"
        columns = "id, kept, similarity, jaccard, containment, reason, kept_containment, outcome, score, neighbours, kept_neighbours"
        expected = self.conn.execute(
            f"SELECT {columns}, {', '.join(f'(signals).{name}' for name in SIGNALS)} FROM deduplicate('SELECT id, fp, body{column} FROM docs', {given}, {', '.join(parts)}) ORDER BY 1"
        ).fetchall()
        options: dict[str, Any] = {limit: value, "verify": verify, "verify_threshold": least, "guard": guard, "signals": signals}
        if rule:
            options |= {"rule": RULE, "min_precision": 0.9}
        texts = [self.texts[i] for i in self.shuffled]
        found = core.deduplicate(self.column, texts=texts, apart=apart, together=together, **options, **self.python_arguments(priority)).sort_by("id")
        rows = [
            (*(value for name, value in row.items() if name != "signals"), *((row["signals"] or {}).get(name) for name in SIGNALS))
            for row in found.to_pylist()
        ]
        assert rows == expected
        if not self.kind.startswith("minhash") or (signals and not guard and not rule):
            return len(expected)  # what the command line does not have; signals lower the threshold of the join
        arguments = ["--threshold", value, "--verify", verify, "--verify-threshold", least, "--guard", guard or "none"]
        arguments += ["--apart", self.write_pairs("apart", apart), "--together", self.write_pairs("together", together)]
        if priority:
            arguments += ["--priority", "p"]
        if rule:
            (self.folder / "rule.json").write_text(json.dumps(RULE))
            arguments += ["--rule", self.folder / "rule.json", "--min-precision", 0.9]
        told = [(int(row["id"]), int(row["kept"]), row["outcome"], row["reason"]) for row in self.run("dedup", *arguments)]
        assert sorted(told) == [(row[0], row[1], row[7], row[5]) for row in expected]
        return len(expected)


    def compare_passages(self) -> int:
        """The cuts and the texts without them, of one set or of two, with every option."""
        rng, between = self.rng, self.rng.random() < 0.4
        texts = [repeating(rng, self.texts) for _ in self.texts]
        groups = [rng.choice([None, "a", "b", "Ä"]) for _ in texts]
        priority, grouped = not between and rng.random() < 0.5, rng.random() < 0.5
        unit, mark, canonicalizer = rng.choice(["paragraph", "line", "word"]), rng.choice(["", "[…]"]), rng.choice(["nfkc-cf-simple-bidi-fmt", "none-cf-none"])
        words = rng.choice([None, 1, 3]) if unit != "word" else rng.choice([1, 2, 4, 9])
        tokenizer = "grapheme-uax29" if unit == "word" and rng.random() < 0.2 else "word-uax29"
        parts = [range(len(texts))] if not between else [range(len(texts) // 3), range(len(texts) // 3, len(texts))]
        self.send_texts(texts, groups)
        given = {"unit": unit, "min_words": words, "tokenizer": tokenizer, "canonicalizer": canonicalizer}
        columns = "id, body" + (", g" if grouped else "") + (", p" if priority else "")
        queries = [f"'SELECT {columns} FROM texts WHERE n >= {part.start} AND n < {part.stop}'" for part in parts]
        options = ", ".join(f"{name} => %s" for name in given) + f", grouped => {grouped}"
        function = "deduplicate_passages_between" if between else "deduplicate_passages"
        expected = self.conn.execute(
            f"SELECT id, start, length, kept, kept_start FROM {function}({', '.join(queries)}, {options}) ORDER BY id, start", [*given.values()]
        ).fetchall()
        rest = self.conn.execute(
            f"SELECT t.id, without_ranges(body, starts, lengths, %s) FROM texts AS t LEFT JOIN (SELECT id, array_agg(start) AS starts, array_agg(length) AS lengths "
            f"FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS c (id, start, length) GROUP BY id) AS c USING (id) WHERE n >= {parts[-1].start} ORDER BY id",
            [mark, *([row[i] for row in expected] for i in range(3))],
        ).fetchall()
        assert self.python_passages(texts, groups if grouped else None, priority, parts, given, mark) == (expected, rest)
        assert self.told_passages(texts, groups if grouped else None, priority, parts, given, mark) == (expected, rest)
        return len(expected)

    def send_texts(self, texts: list[str | None], groups: list[str | None]) -> None:
        self.conn.execute("DROP TABLE IF EXISTS texts; CREATE TEMP TABLE texts (id bigint, n int, body text, g text, p float8)")
        rows = list(zip(self.ids, range(len(texts)), texts, groups, self.priorities))
        self.rng.shuffle(rows)
        with self.conn.cursor().copy("COPY texts FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def python_passages(self, texts: list[Any], groups: list[Any] | None, priority: bool, parts: list[range], given: dict[str, Any], mark: str) -> tuple[Any, Any]:
        sets = []
        for part in parts:
            order = self.rng.sample(part, len(part))
            columns = {"ids": pa.array([self.ids[i] for i in order], pa.int64()), "texts": pa.array([texts[i] for i in order], pa.string())}
            sets.append(columns | ({} if groups is None else {"groups": pa.array([groups[i] for i in order], pa.string())}))
        options: dict[str, Any] = {**given, "threads": self.rng.choice([1, 3]), "memory": self.rng.choice([1 << 14, 1 << 30])}
        if len(sets) == 2:
            named = {f"{name}_{side}": column for side, columns in zip("ab", sets) for name, column in columns.items()}
            found = passages.deduplicate_passages_between(**named, **options)
        else:
            if priority:
                options["priority"] = [self.priorities[self.ids.index(id)] for id in sets[0]["ids"].to_pylist()]
            found = passages.deduplicate_passages(**sets[0], **options)
        cuts = [(row["id"], row["start"] + 1, row["length"], row["kept"], row["kept_start"] + 1) for row in found.to_pylist()]
        ids = sets[-1]["ids"]
        return sorted(cuts), sorted(zip(ids.to_pylist(), passages.texts_without(sets[-1]["texts"], found, ids=ids, mark=mark).to_pylist()))

    def told_passages(self, texts: list[Any], groups: list[Any] | None, priority: bool, parts: list[range], given: dict[str, Any], mark: str) -> tuple[Any, Any]:
        paths = [self.folder / f"part{number}.jsonl" for number in range(len(parts))]
        for part, path in zip(parts, paths):
            records = [{"id": self.ids[i], "text": texts[i], "p": self.priorities[i], **({} if groups is None else {"g": groups[i]})} for i in part]
            self.rng.shuffle(records)
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]
        arguments += ["--keep", self.folder / "rest.jsonl", "--force", "--mark", mark, "-t", "jsonl", "--memory", self.rng.choice(["64M", "1G"])]
        arguments += (["--priority", "p"] if priority else []) + (["--group", "g"] if groups is not None else [])
        arguments += ["--before", paths[0]] if len(paths) == 2 else []
        told = subprocess.run([program(), "passages", "-q", "-j", "2", *map(str, arguments), paths[-1]], capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
        cuts = sorted(tuple(json.loads(line).values()) for line in told.stdout.splitlines())
        return cuts, sorted(tuple(json.loads(line).values()) for line in (self.folder / "rest.jsonl").read_text().split("\n") if line)


def repeating(rng: random.Random, texts: list[str]) -> str | None:
    """Pieces of texts, one after the other, in lines and paragraphs."""
    if rng.random() < 0.05:
        return rng.choice(["", None])
    pieces = []
    for _ in range(rng.randrange(1, 5)):
        words = rng.choice(texts).split(" ")
        first = rng.randrange(len(words))
        piece = " ".join(words[first : first + rng.choice([3, 8, 30])])
        pieces += [piece.upper() if rng.random() < 0.1 else piece, rng.choice([" ", "\n", "\n\n", " \r\n\t\n", "  "])]
    return "".join(pieces)


FOUND: list[tuple[int, int, int]] = []  # rows of clusters, removals and passages of each corpus
KINDS = ["minhash128", "minhash64_compact", "minhash128_compact", "minhash256", "simhash64", "tlsh", "lavinhash"]


@pytest.fixture
def conn(database: str) -> Any:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(dbname=database, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("seed", range(500 if LONG else 30))
def test_random_corpora(conn: Any, tmp_path: pathlib.Path, seed: int) -> None:
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)] if seed % 2 else "minhash128"
    hosts = Hosts(conn, tmp_path, rng, corpus(rng), kind)
    FOUND.append(tuple(sum(compare() for _ in range(2)) for compare in (hosts.compare_clusters, hosts.compare_removals, hosts.compare_passages)))  # type: ignore[arg-type]


def test_there_was_something_to_compare() -> None:
    if len(FOUND) < 30:
        pytest.skip("few corpora were compared")
    assert min(sum(rows) for rows in zip(*FOUND)) > 40 * len(FOUND)


@pytest.mark.skipif(not LONG, reason="only in the long run")
@pytest.mark.parametrize("number", range(3))
def test_texts_of_this_machine(conn: Any, tmp_path: pathlib.Path, number: int) -> None:
    corpora = descriptions()
    if number >= len(corpora):
        pytest.skip("this machine has no such texts")
    rng = random.Random(number)
    for kind in "minhash128", "minhash128_compact":
        hosts = Hosts(conn, tmp_path, rng, corpora[number][1], kind)
        assert sum(hosts.compare_clusters() for _ in range(4)) + sum(hosts.compare_removals() for _ in range(4)) > 20


# One bucket: processor time grows as that of the server, not with the square of the rows.
def test_one_bucket(conn: Any, tmp_path: pathlib.Path) -> None:
    rows = 8000 if LONG else 1000
    texts = [f"fifteen common words stand in every row of this file and only the last number is {i}" for i in range(rows)]
    hosts = Hosts(conn, tmp_path, random.Random(1), texts, "minhash128")
    expected = conn.execute("SELECT id, kept FROM deduplicate('SELECT id, fp FROM docs', 0.7) ORDER BY 1").fetchall()
    found = core.deduplicate(hosts.column, 0.7, **hosts.python_arguments(False))
    assert sorted(zip(found["id"].to_pylist(), found["kept"].to_pylist())) == expected and len(expected) > 0.95 * rows
    told = hosts.run("dedup", "--threshold", 0.7, "--verify", "none", "--guard", "none")
    assert sorted((int(row["id"]), int(row["kept"])) for row in told) == expected

#!/usr/bin/python3
"""html_to_text and markdown_to_text beside the crate txtfp: the same texts? how fast? how does time grow?

    run.py [PART...]

Parts: equal, speed, spread, growth; without a part, all of them. Run it in the folder of the module after make; it builds build/convert and the crate (cargo).
Pages: those of Debian's package sqlite3-doc, and other folders with *.html named in TXTFP_PAGES (separated by ":"). Documents: the *.md of the sources
that cargo has fetched for the crate and its like (CARGO_HOME), other folders in TXTFP_DOCUMENTS.

A conversion is one call of the function of the library: from UTF-8 in memory to UTF-8 in memory that is allocated and freed, in both programs. It
contains no SQL, no reading and no check of the encoding, which the crate's type of a string implies, and which PostgreSQL does when it stores a text.

speed: the two programs run by turns, ROUNDS times (7); each figure is the median of the ratios of neighbouring runs, in processor time of one thread.
spread: the same for every document of Markdown from 900 bytes to 1 MB, three rounds each. growth: ours alone, the median of three conversions.
"""
import collections
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROUNDS = int(os.environ.get("ROUNDS", 7))
SECONDS = os.environ.get("SECONDS_EACH", "0.1")
WORK = pathlib.Path("build/bench")
OURS = "build/convert"
CRATE = str(WORK / "crate/release/txtfp-markup-crate")
OPTIONS = [f"markdown{i:03b}" for i in range(8)]


def build():
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(["make", "-s", OURS], check=True)
    subprocess.run(["cp", "-R", "bench/crate", str(WORK)], check=True)
    subprocess.run(["cargo", "build", "--quiet", "--release", "--manifest-path", str(WORK / "crate/Cargo.toml"), "--target-dir", str(WORK / "crate")],
                   check=True)


def files(folders, suffix):
    """The distinct texts in UTF-8 with this suffix."""
    found = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*" + suffix)):
            try:
                text = path.read_bytes()
                text.decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            if text and b"\0" not in text:
                found.setdefault(text, str(path))
    return {path: text for text, path in found.items()}


def pages():
    return files(["/usr/share/doc/sqlite3"] + [f for f in os.environ.get("TXTFP_PAGES", "").split(":") if f], ".html")


def documents():
    cargo = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"), "registry/src")
    return files([str(cargo)] + [f for f in os.environ.get("TXTFP_DOCUMENTS", "").split(":") if f], ".md")


def converted(program, kind, texts):
    """None for a page that the program cannot convert."""
    given = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    out = subprocess.run([program, kind], input=given, stdout=subprocess.PIPE, check=True).stdout
    answers, at = [], 0
    while at < len(out):
        end = out.index(b"\n", at)
        size = int(out[at:end])
        answers.append(None if size < 0 else out[end + 1:end + 1 + size])
        at = end + 1 + max(size, 0)
    return answers


# ------------------------------------------------------------------------------------------------ equal

def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return repr(a[max(0, at - 30):at + 30].decode("utf-8", "replace")), repr(b[max(0, at - 30):at + 30].decode("utf-8", "replace"))


def equal():
    for name, corpus, kinds in (("pages", pages(), ["html"]), ("documents", documents(), OPTIONS)):
        different = collections.Counter()
        words = failed = 0
        for kind in kinds:
            theirs, ours = (converted(program, kind, corpus.values()) for program in (CRATE, OURS))
            for path, expected, text in zip(corpus, theirs, ours):
                if expected is None:
                    failed += 1
                elif expected != text:
                    if not different[path]:
                        print(f"{path}\n    the crate  {first_difference(expected, text or b'')[0]}\n    ours       {first_difference(expected, text or b'')[1]}")
                    different[path] += 1
                    words += re.findall(rb"[\w\x80-\xff]+", expected) != re.findall(rb"[\w\x80-\xff]+", text or b"")
        results = len(corpus) * len(kinds) - failed
        print(f"{name}: {len(corpus)}, of which {len(different)} differ ({100 - 100 * len(different) / max(len(corpus), 1):.2f} % equal); "
              f"results: {results}, {different.total()} differ, {words} of them in their words; the crate fails with {failed}")


# ------------------------------------------------------------------------------------------------ speed

def near(corpus, size, count=3):
    return [text for text in sorted(corpus.values(), key=lambda text: abs(len(text) - size))[:count]]


def joined(corpus, size):
    """Whole texts, in an order that does not depend on their names, until there are so many bytes."""
    out = b""
    for text in sorted(corpus.values(), key=lambda text: hash_of(text)):
        if len(out) >= size:
            break
        out += text + b"\n\n"
    return out


def hash_of(text):
    import hashlib
    return hashlib.md5(text).digest()


def body(page):
    """What is within the body: joined pages are one page then."""
    found = re.search(rb"<body[^>]*>(.*)</body>", page, re.S | re.I)
    return b"<div>" + (found.group(1) if found else page) + b"</div>"


def seconds(program, kind, path, duration=SECONDS):
    return float(subprocess.run([program, kind, str(path), duration], stdout=subprocess.PIPE, check=True).stdout)


def ratio(kind, path, own_kind=None):
    pairs = [(seconds(CRATE, kind, path), seconds(OURS, own_kind or kind, path)) for _ in range(ROUNDS)]
    return statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def speed():
    html, markdown = pages(), documents()
    bodies = {path: body(page) for path, page in html.items()}
    path = WORK / "text"
    print("| input | bytes | the crate, µs | ours, µs | ratio |\n|---|---|---|---|---|")
    for kind, corpus, whole in (("html", html, bodies), ("markdown", markdown, markdown)):
        inputs = [(f"{kind} of about {size >> 10} kB", text) for size in (1 << 10, 4 << 10, 16 << 10, 64 << 10) for text in near(corpus, size)]
        inputs += [(f"{kind}, many in one", joined(whole, size)) for size in (256 << 10, 1 << 20)]
        for name, text in inputs:
            path.write_bytes(text)
            factor, theirs, ours = ratio(kind, path)
            print(f"| {name} | {len(text)} | {1e6 * theirs:.1f} | {1e6 * ours:.1f} | {factor:.2f} |", flush=True)


def spread():
    path = WORK / "text"
    ratios = collections.defaultdict(list)
    for text in documents().values():
        if 900 <= len(text) <= 1 << 20:
            path.write_bytes(text)
            pairs = [(seconds(CRATE, "markdown", path, "0.01"), seconds(OURS, "markdown", path, "0.01")) for _ in range(3)]
            ratios[min(len(text).bit_length(), 17)].append(statistics.median(a / b for a, b in pairs))
    print("| bytes | documents | least | 10 % are below | median | below 2 |\n|---|---|---|---|---|---|")
    for bits, found in sorted(ratios.items()):
        found.sort()
        print(f"| {1 << bits - 1} and more | {len(found)} | {found[0]:.2f} | {found[len(found) // 10]:.2f} | {statistics.median(found):.2f} | {sum(r < 2 for r in found)} |")


# ------------------------------------------------------------------------------------------------ growth

def run_once(kind, path):
    """The median seconds of a conversion, and the most MB of the process; None if it fails."""
    code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE); "
            "print(done.stdout.decode() or 'failed', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", code, OURS, kind, str(path), "0"], stdout=subprocess.PIPE, check=True).stdout.split()
    return (None, 0) if out[0] == b"failed" else (float(out[0]), int(out[1]) / 1024)


def growth():
    html, markdown = pages(), documents()
    bodies = joined({path: body(page) for path, page in html.items()}, 10 << 20)
    text = joined(markdown, 5 << 20)
    inputs = [("html", "real pages", bodies), ("plain", "real pages", bodies), ("html", "`<`", b"<"), ("html", "`<p>a`", b"<p>a"), ("html", "`&#x`", b"&#x"),
              ("markdown", "real documents", text), ("markdown", "`*a **a `", b"*a **a "), ("markdown", "`[a](b`", b"[a](b"), ("markdown", "`> `", b"> ")]
    path = WORK / "text"
    print("| input | ms per MB at 1 MB | at 10 MB | at 100 MB | memory at 100 MB |\n|---|---|---|---|---|")
    for kind, name, piece in inputs:
        cells = []
        for megabytes in (1, 10, 100):
            size = megabytes << 20
            path.write_bytes((piece * (size // len(piece) + 1))[:size].decode("utf-8", "ignore").encode())
            took, memory = run_once(kind, path)
            cells.append("error" if took is None else f"{1000 * took / megabytes:.1f}")
        print(f"| {kind}, {name} | {' | '.join(cells)} | {memory:.0f} MB |", flush=True)
    path.unlink()


def main():
    parts = sys.argv[1:] or ["equal", "speed", "spread", "growth"]
    build()
    for part in parts:
        {"equal": equal, "speed": speed, "spread": spread, "growth": growth}[part]()


main()

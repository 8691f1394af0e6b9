#!/usr/bin/python3
"""The text of real PDF files beside that of pdftotext, and of the crate.

    compare.py LIST [CRATE-DIRECTORY]

LIST names the files, one in a line; the server (PGHOST, PGPORT, …, a superuser) must be able to read them. CRATE-DIRECTORY is what
test/compare/crate wrote: a table, and a text for each file. Words are runs of letters and digits, in lower case, counted as often as they
occur; in common = of the words of pdftotext, how many are in the other text, too.
"""
import collections
import pathlib
import re
import statistics
import subprocess
import sys
import time

import psycopg


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def in_common(a, b):
    """Share of a's words that are in b, too; 1 if a has none."""
    return sum((a & b).values()) / sum(a.values()) if a else 1.0


def crate_texts(directory):
    texts = {}
    for line in pathlib.Path(directory, "table").read_text().splitlines():
        number, outcome, seconds, path = line.split("\t")
        texts[path] = pathlib.Path(directory, number + ".txt").read_text() if outcome == "ok" else None
    return texts


def summary(name, shares):
    shares = sorted(shares)
    at_least = sum(share >= 0.98 for share in shares)
    print(f"{name}: {len(shares)} files, words in common: mean {statistics.mean(shares):.4f}, median {statistics.median(shares):.4f}, "
          f"least {shares[0]:.4f}, at least 0.98 in {at_least}")


def main():
    files = pathlib.Path(sys.argv[1]).read_text().split("\n")
    crate = crate_texts(sys.argv[2]) if len(sys.argv) > 2 else {}
    beside_poppler, beside_crate, errors, same, crate_failed = [], [], 0, 0, 0
    ours_seconds = theirs_seconds = 0.0
    with psycopg.connect(autocommit=True) as server:
        for path in filter(None, files):
            started = time.monotonic()
            reference = subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], capture_output=True)
            theirs_seconds += time.monotonic() - started
            expected = reference.stdout.decode("utf-8", "replace")
            started = time.monotonic()
            try:
                text = server.execute("SELECT pdf_to_text(pg_read_binary_file(%s))", [path]).fetchone()[0]
            except psycopg.Error as error:
                errors += 1
                print(f"{path}: {error.sqlstate} {error} (pdftotext: status {reference.returncode})")
                continue
            ours_seconds += time.monotonic() - started
            same += text == expected.replace("\0", "\ufffd")
            reference_words, own_words = words(expected), words(text)
            beside_poppler.append(in_common(reference_words, own_words))
            if beside_poppler[-1] < 0.98:
                print(f"{path}: {beside_poppler[-1]:.4f} of {sum(reference_words.values())} words")
            if path in crate:
                if crate[path] is None:
                    crate_failed += 1
                else:
                    beside_crate.append(in_common(words(crate[path]), own_words))
    summary("pdftotext", beside_poppler)
    print(f"{same} texts are the same to the byte; {errors} errors; {ours_seconds:.0f} s, pdftotext {theirs_seconds:.0f} s")
    if beside_crate:
        summary("the crate", beside_crate)
        print(f"the crate failed with {crate_failed} files")


main()

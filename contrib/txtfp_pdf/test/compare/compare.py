#!/usr/bin/python3
"""The text of real PDF files beside that of pdftotext, and of the crate.

    compare.py LIST [CRATE-DIRECTORY]

LIST names the files, one in a line (corpus.sh makes one); the server (PGHOST, PGPORT, …, a superuser) must be able to read them.
CRATE-DIRECTORY is what the program in `crate` has written:

    cargo run --release --manifest-path crate/Cargo.toml -- LIST CRATE-DIRECTORY

Words are runs of letters and digits, in lower case, counted as often as they occur; in common = of the words of the other program, how many
are in our text, too. Beside the crate there are three more figures for each file: the share of our words that the crate has; the share of the
crate's words if both texts are normalized (NFKC: a ligature becomes its letters); and the share of its letters and digits, whatever
words they form. So "words 0.7, letters 1.0" means that the two texts have the same characters and other spaces.
"""
import collections
import pathlib
import re
import statistics
import subprocess
import sys
import time
import unicodedata

import psycopg


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def letters(text):
    return collections.Counter(re.findall(r"\w", unicodedata.normalize("NFKC", text).lower()))


def in_common(a, b):
    """Share of a's items that are in b, too; 1 if a has none."""
    return (a & b).total() / a.total() if a else 1.0


def crate_texts(directory):
    texts = {}
    for line in pathlib.Path(directory, "table").read_text().splitlines():
        number, outcome, seconds, path = line.split("\t")
        text = pathlib.Path(directory, number + ".txt").read_text("utf-8", "replace") if outcome == "ok" else None
        texts[path] = (outcome, text, float(seconds))
    return texts


def summary(name, shares):
    shares = sorted(shares)
    at_least = sum(share >= 0.98 for share in shares)
    print(f"{name}: {len(shares)} files, mean {statistics.mean(shares):.4f}, median {statistics.median(shares):.4f}, "
          f"least {shares[0]:.4f}, at least 0.98 in {at_least}")


class Crate:
    """What the crate found in the same files."""

    def __init__(self, directory):
        self.texts = crate_texts(directory) if directory else {}
        self.ours_has, self.it_has, self.normalized, self.letters = [], [], [], []
        self.errors = collections.Counter()
        self.seconds = 0.0

    def compare(self, path, text):
        if path not in self.texts:
            return
        outcome, found, seconds = self.texts[path]
        self.seconds += seconds
        if found is None:
            self.errors[re.sub(r"\d+", "N", outcome)[:60]] += 1
            return
        own = words(text)
        self.ours_has.append(in_common(words(found), own))
        self.it_has.append(in_common(own, words(found)))
        plain = [words(unicodedata.normalize("NFKC", t)) for t in (found, text)]
        self.normalized.append(in_common(*plain))
        self.letters.append(in_common(letters(found), letters(text)))
        if self.ours_has[-1] < 0.98:
            print(f"{path}: of the crate's {words(found).total()} words {self.ours_has[-1]:.4f}, normalized {self.normalized[-1]:.4f}, "
                  f"of its letters {self.letters[-1]:.4f}; it has {self.it_has[-1]:.4f} of our {own.total()}")

    def report(self):
        if not self.texts:
            return
        summary("of the crate's words", self.ours_has)
        summary("of the crate's words, normalized", self.normalized)
        summary("of the crate's letters and digits", self.letters)
        summary("of our words, the crate has", self.it_has)
        print(f"the crate: {self.seconds:.0f} s; it failed with {self.errors.total()} files")
        for message, count in self.errors.most_common():
            print(f"    {count}  {message}")


def main():
    files = pathlib.Path(sys.argv[1]).read_text().split("\n")
    crate = Crate(sys.argv[2] if len(sys.argv) > 2 else None)
    beside_poppler, errors, same = [], 0, 0
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
                print(f"{path}: {beside_poppler[-1]:.4f} of {reference_words.total()} words of pdftotext")
            crate.compare(path, text)
    summary("of the words of pdftotext", beside_poppler)
    print(f"{same} texts are the same to the byte; {errors} errors; {ours_seconds:.0f} s, pdftotext {theirs_seconds:.0f} s")
    crate.report()


main()

#!/usr/bin/env python3
"""Changes the code in one small place at a time and asks the tests whether they notice.

    python3 scripts/mutate.py --seed 1 --count 60 [--folder src/core] [--change NAME] [--list] [--again]

A mutant is one changed operator, constant or argument, or a removed check, lock, poll or free, at a place drawn by the
seed over src/core and src/pg. For each the changed file is compiled, and those tests run that reach the place, quick
ones first, until one fails (scripts/mutant_bench.py; which reach it is known from `scripts/coverage.py`, if that has run,
and otherwise assumed of all). The result of each mutant is a line of $TXTFP_WORK/mutants-SEED.tsv; a run that was
stopped goes on where it was, --again runs the survivors once more. A mutant that test/mutants_equivalent.tsv judges
equivalent (file, line of text, change, reason) is not run. The last lines print the share that was noticed by folder; the
exit status is 0 if no mutant survived.

A mutant that does not compile says nothing and is drawn again. Tables, generated files, messages, assertions and hints to
the processor are not changed. What a seed draws depends on the text of the lines only, so it stays the same while other lines change.
"""

import argparse
import collections
import hashlib
import os
import pathlib
import random
import re
import sys
import time

import mutant_bench

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCLUDED = ("unicode_tables", "reserved_numbers", "neon")

SWAPS = [
    (r"(?<= )<(?= )", "<="), (r"<=(?= )", "<"), (r"(?<= )>(?= )", ">="),
    (r"(?<= )>=", ">"), (r"==", "!="), (r"!=", "=="), (r"&&(?= )", "||"), (r"\|\|", "&&"),
    (r"(?<=[\w)\]] )\+(?= [\w(])", "-"), (r"(?<=[\w)\]] )-(?= [\w(])", "+"), (r"(?<=[\w)\]] )\*(?= [\w(])", "/"),
    (r"(?<=[\w)\]] )/(?= [\w(])", "*"), (r"(?<=[\w)\]] )%(?= [\w(])", "/"), (r"(?<=\w )<<(?= )", ">>"),
    (r"(?<=\w )>>(?= )", "<<"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\+\+(?=\w)", "--"),
    (r"(?<=\w )\+=", "-="), (r"(?<=\w )\|=", "&="),
]
CONSTANT = re.compile(r"(?<![\w.'\"\[])(\d{1,6})(?![\w.'\"])")
# A whole statement whose loss the compiler does not see.
REMOVABLE = re.compile(
    r"^\s*((?:[\w:]+(?:\.|->))*(CHECK_FOR_INTERRUPTS|check_interrupts|poll\w*|Mark\w+|Unlock\w+|Lock\w+|\w*Release\w*|pfree|"
    r"MemoryContext(?:Reset|Delete)|XLog\w+|require\w*|check\w*|clear|reset|close\w*)\([^;{}]*\));\s*$")
CONDITION = re.compile(r"\bif \((?!constexpr)((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)(?= *[^ ]| *$)")
ARGUMENTS = re.compile(r"\b\w+\((\w+(?:\.\w+)?), (\w+(?:\.\w+)?)([,)])")
SKIPPED = re.compile(r"^\s*(#|//|\*|static_assert|Assert\(|template|using|case |err|ereport|ereturn|throw)|errmsg|errhint|errdetail|errcode|"
                     r"elog\(|__builtin_prefetch|operator|\bconstexpr .*\{|^\s*[{0-9\"'-]|^\s*(inline |constexpr |static )?[\w:<>*& ]+\([^=]*\)( const| noexcept)*;?\s*$")


def without_strings(line):
    """The line with the contents of strings, characters and comments blanked, of the same length."""
    line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', lambda m: m[0][0] + " " * (len(m[0]) - 2) + m[0][-1], line)
    return re.sub(r"//.*|/\*.*?\*/", lambda m: " " * len(m[0]), line)


def changes_of_line(line):
    """All changes of a line: (name, changed line)."""
    code = without_strings(line)
    if not code.strip():
        return
    removable = REMOVABLE.match(code)
    if removable and "=" not in code:
        yield f"remove {removable[2]}", re.match(r"\s*", line)[0] + ";"
        return
    if SKIPPED.search(code):
        return
    for pattern, new in SWAPS:
        for m in re.finditer(pattern, code):
            yield f"{m[0]} to {new}", line[:m.start()] + new + line[m.end():]
    for m in CONSTANT.finditer(code):
        yield f"{m[1]} to {int(m[1]) + 1}", line[:m.start()] + str(int(m[1]) + 1) + line[m.end():]
    for m in CONDITION.finditer(code):
        if "=" not in m[1].replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
            yield "negate if", line[:m.start(1)] + "!(" + line[m.start(1):m.end(1)] + ")" + line[m.end(1):]
    for m in ARGUMENTS.finditer(code):
        if m[1] != m[2]:
            yield "swap arguments", line[:m.start(1)] + f"{m[2]}, {m[1]}" + line[m.start(3):]


def places(folder):
    """All places: (file, number of line from 0, name of change, old line, new line), in a fixed order."""
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        name = str(path.relative_to(ROOT))
        if not name.startswith((folder,) if folder else ("src/core/", "src/pg/")) or any(word in name for word in EXCLUDED):
            continue
        in_comment = False
        for number, line in enumerate(path.read_text().split("\n")):
            if "/*" in line:
                in_comment = "*/" not in line
                continue
            if in_comment:
                in_comment = "*/" not in line
                continue
            for change, new in changes_of_line(line):
                yield name, number, change, line, new


def draw(seed, folder, change=""):
    """The places in the order of the seed. A file counts by its lines of code, not by how many operators a line has."""
    by_line = collections.defaultdict(list)
    for place in places(folder):
        if not place[2].startswith(change):
            continue
        by_line[place[:2]].append(place)
    seen = collections.Counter()
    lines = []
    for line in sorted(by_line):
        text = (line[0], by_line[line][0][3].strip())
        seen[text] += 1
        lines.append((hashlib.sha256(f"{seed} {text} {seen[text]}".encode()).hexdigest(), line))
    for digest, line in sorted(lines):
        generator = random.Random(digest)
        others = [place for place in by_line[line] if not place[2][0].isdigit()]
        if others or generator.random() < 0.3: # most lines have a constant; mutants of constants are the least telling
            yield generator.choice(others or by_line[line])


def judged_equivalent():
    path = ROOT / "test" / "mutants_equivalent.tsv"
    rows = [row.split("\t") for row in path.read_text().splitlines() if row and not row.startswith("#")]
    for row in rows:
        if len(row) != 4:
            sys.exit(f"{path}: a row has four columns: file, line, change, reason")
    return {(file, line, change) for file, line, change, _ in rows}


def report(rows):
    """Prints the share noticed by folder; returns the number of survivors."""
    counts = collections.defaultdict(lambda: [0, 0])
    for file, _, _, _, _, result, _ in rows:
        if result not in ("broken", "equivalent"):
            counts["/".join(file.split("/")[:3])][result == "survived"] += 1
    for folder, (noticed, survived) in sorted(counts.items()):
        print(f"{folder:28} {noticed:4} of {noticed + survived:4} noticed")
    noticed, survived = (sum(count[i] for count in counts.values()) for i in (0, 1))
    print(f"{noticed} noticed, {survived} survived")
    return survived


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60, help="how many mutants that compile and are not judged equivalent")
    parser.add_argument("--folder", default="", help="only files whose path begins so")
    parser.add_argument("--list", action="store_true", help="print the drawn places, run nothing")
    parser.add_argument("--change", default="", help="only changes whose name begins so: 'remove CHECK_FOR_INTERRUPTS'")
    parser.add_argument("--again", action="store_true", help="run those once more that survived")
    options = parser.parse_args()
    equivalent = judged_equivalent()
    drawn = draw(options.seed, options.folder, options.change)
    if options.list:
        for _, (file, number, change, old, new) in zip(range(options.count), drawn):
            print(f"{file}:{number + 1}: {change}\n-{old.strip()}\n+{new.strip()}")
        return 0
    bench = mutant_bench.MutantBench(ROOT, __file__)
    words = [str(options.seed), options.folder, options.change]
    log = bench.work.parent / ("mutants-" + re.sub("[/ ]", "-", "-".join(filter(None, words))) + ".tsv")
    rows = [row.split("\t") for row in log.read_text().splitlines()] if log.exists() else []
    if options.again:
        rows = [row for row in rows if row[5] != "survived"]
        log.write_text("".join("\t".join(row) + "\n" for row in rows))
    known = {(file, change, old, new) for file, _, change, old, new, _, _ in rows}
    counted = sum(row[5] in ("noticed", "survived") for row in rows)
    for file, number, change, old, new in drawn:
        if counted >= options.count:
            break
        texts = [line.strip().replace("\t", " ") for line in (old, new)]
        if (file, change, *texts) in known:
            continue
        began = time.monotonic()
        if (file, old.strip(), change) in equivalent:
            result, by = "equivalent", ""
        else:
            by = bench.noticed_by(file, number, new) or ""
            result = {"broken": "broken", "the same code": "equivalent", "": "survived"}.get(by, "noticed")
        row = [file, str(number + 1), change, *texts, result, by]
        rows.append(row)
        counted += result in ("noticed", "survived")
        with log.open("a") as out:
            out.write("\t".join(row) + "\n")
        print(f"{result:10} {file}:{number + 1} {change} {by} ({time.monotonic() - began:.0f} s)", flush=True)
    bench.stop()
    return 1 if report(rows) else 0


if __name__ == "__main__":
    sys.exit(main())

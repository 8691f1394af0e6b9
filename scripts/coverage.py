#!/usr/bin/env python3
"""Which lines and branches of src/core and src/pg the tests reach, by folder: python3 scripts/coverage.py [layer…] [--missed FOLDER]

The layers are core, installcheck, isolation, pgtap, txtfp_trgm and tap; by default all of them run. Each test runs alone in a build that
counts, and what it reaches is kept in $TXTFP_WORK/reach, so a second call runs only tests that are new or changed, or that
reach a file that has changed. scripts/mutate.py reads this, too. --missed prints the branches of a folder that no test takes.

A branch that only an exception takes does not count, nor does the one where ereport(ERROR) would return. The counts of a
server process that is killed are lost. Needs g++.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import test_bench

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the compiler sees a branch and the reader does not: the end of a block, the guard of a static variable, a message that is
# reported in any case, PostgreSQL's macros for the forms of a value and for memory.
NO_BRANCH = re.compile(
    r"^[\s{}();]*$|^\s*(else)?\s*$|\b(ereport|elog)\((ERROR|WARNING|NOTICE|$)|\bereturn\(|^\s*(static|default:|PG_(TRY|CATCH|FINALLY|END_TRY))\b|CHECK_FOR_INTERRUPTS"
    r"|\bVAR(SIZE|DATA)_ANY|\bARR_DATA_PTR|\bPG_HAS_OPCLASS_OPTIONS|\bPG_FREE_IF_COPY|PerTuple(Expr|Memory)?Context\(")

LEVELS = ("baseline",) if os.uname().machine == "aarch64" else ("avx2", "baseline") # of the vector units, below the best


class Coverage:
    def __init__(self):
        work = pathlib.Path(os.environ["TXTFP_COVERAGE"]) if "TXTFP_COVERAGE" in os.environ else test_bench.work_directory("coverage")
        self.bench = test_bench.Bench(work, ROOT, __file__, "COVERAGE=yes")
        self.reach = work / "reach"
        self.reach.mkdir(exist_ok=True)
        self.digests = {str(path.relative_to(ROOT)): test_bench.digest_of(path) for path in (ROOT / "src").rglob("*.[ch]pp")}
        self.text = {}

    def path_of(self, layer, name):
        return self.reach / f"{layer}-{name}.json"

    def digest_of_test(self, layer, name):
        folder = {"core": "unit", "installcheck": "sql", "isolation": "specs", "pgtap": "pgtap", "tap": "tap"}.get(layer, f"../contrib/{layer}/test/sql")
        return [test_bench.digest_of(path) for path in sorted((ROOT / "test" / folder).glob(name if layer == "core" else f"{name}.*"))]

    def is_known(self, layer, name):
        path = self.path_of(layer, name)
        if not path.exists():
            return False
        known = json.loads(path.read_text())
        return known["digest"] == self.digest_of_test(layer, name) and \
            all(self.digests.get(file) == digest for file, digest in known["digests"].items())

    def run(self, layer, name):
        objects = self.bench.src / "build"
        for path in objects.rglob("*.gcda"):
            path.unlink()
        objects = objects / "unit-objects/build" if layer == "core" else objects / "together"
        if layer not in ("core", "tap"):
            self.bench.start()
        began = time.monotonic()
        passed, said = self.bench.passes(layer, [name], 900, "build/unit")
        for level in LEVELS if layer == "core" else ():
            self.bench.passes(layer, [name], 900, "build/unit", TXTFP_SIMD_LEVEL=level)
        seconds = time.monotonic() - began
        for _ in range(50):
            if layer in ("core", "tap") or self.bench.is_idle():
                break
            time.sleep(0.1)
        if layer != "core":
            self.bench.stop() # a process writes its counts when it ends
        lines, branches = self.counts(objects)
        files = sorted({*lines, *branches})
        self.path_of(layer, name).write_text(json.dumps({
            "test": [layer, name], "passed": passed, "said": said, "seconds": round(seconds, 1), "digest": self.digest_of_test(layer, name),
            "digests": {file: self.digests[file] for file in files if lines.get(file)}, "lines": lines, "branches": branches}))
        print(f"{layer} {name}: {'ok' if passed else 'FAILED ' + said} ({seconds:.0f} s)", flush=True)

    def counts(self, objects):
        """The lines reached {file: [line]}, and the branches taken {file: {line: [taken, …]}}, after all processes have ended."""
        lines, branches = collections.defaultdict(set), collections.defaultdict(dict)
        for path in objects.rglob("*.gcda"):
            output = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", "--relative-only", "--source-prefix", str(self.bench.src), str(path)],
                                    cwd=self.bench.src, capture_output=True, text=True).stdout
            for row in output.splitlines():
                for file in json.loads(row)["files"]:
                    name = os.path.normpath(file["file"]).removeprefix(str(self.bench.src) + "/")
                    if name in self.digests:
                        add(name, file["lines"], lines, branches)
        return {file: sorted(reached) for file, reached in lines.items()}, branches

    def all_lines(self):
        """All lines and numbers of branches, from an object that has run nothing."""
        for path in (self.bench.src / "build").rglob("*.gcda"):
            path.unlink()
        count, branch_counts = collections.defaultdict(set), collections.defaultdict(dict)
        for path in (self.bench.src / "build" / "together").rglob("*.gcno"):
            output = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", "--relative-only", "--source-prefix", str(self.bench.src), str(path)],
                                    cwd=self.bench.src, capture_output=True, text=True).stdout
            for row in output.splitlines():
                for file in json.loads(row)["files"]:
                    name = os.path.normpath(file["file"]).removeprefix(str(self.bench.src) + "/")
                    for line in file["lines"] if name in self.digests else []:
                        number, known = line["line_number"], [b for b in line["branches"] if not b["throw"]]
                        count[name].add(number)
                        if len(known) > len(branch_counts[name].get(number, ())):
                            branch_counts[name][number] = [False] * len(known)
        return count, branch_counts

    def line(self, file, number):
        if file not in self.text:
            self.text[file] = (ROOT / file).read_text().split("\n")
        return self.text[file][number - 1]

    def report(self, missed):
        lines, branches = self.all_lines()
        reached = collections.defaultdict(set)
        for path in self.reach.glob("*.json"):
            known = json.loads(path.read_text())
            for file, numbers in known["lines"].items():
                if self.digests.get(file) == known["digests"].get(file):
                    reached[file].update(numbers)
                    for number, taken in known["branches"].get(file, {}).items():
                        all_taken = branches[file].setdefault(int(number), [False] * len(taken))
                        all_taken += [False] * (len(taken) - len(all_taken))
                        for i, one in enumerate(taken):
                            all_taken[i] = all_taken[i] or bool(one)
        sums = collections.defaultdict(lambda: [0, 0, 0, 0])
        for file in lines:
            if "unicode_tables" in file:
                continue
            counted = {number: taken for number, taken in branches[file].items() if not NO_BRANCH.search(self.line(file, number))}
            row = [len(lines[file] | reached[file]), len(reached[file]), sum(map(len, counted.values())), sum(map(sum, counted.values()))]
            for folder in ("/".join(file.split("/")[:3]), "/".join(file.split("/")[:2])):
                sums[folder] = [a + b for a, b in zip(sums[folder], row)]
            if missed and file.startswith(missed):
                for number, taken in sorted(counted.items()):
                    if not all(taken):
                        print(f"{file}:{number}: {sum(taken)} of {len(taken)}{'' if number in reached[file] else ' (not reached)'}: {self.line(file, number).strip()}")
        print(f"{'':24} {'lines':>7} {'reached':>9} {'branches':>9} {'taken':>9}")
        for folder, (total, hit, all_branches, taken) in sorted(sums.items(), key=lambda item: (item[0].count("/") == 1, item[0])):
            print(f"{folder:24} {total:7} {100 * hit / total:7.1f} % {all_branches:9} {100 * taken / max(all_branches, 1):7.1f} %")


def add(name, rows, lines, branches):
    for line in rows:
        number = line["line_number"]
        if line["count"] > 0:
            lines[name].add(number)
        taken = [int(branch["count"] > 0) for branch in line["branches"] if not branch["throw"]]
        if any(taken):
            before = branches[name].get(number, [])
            longer, shorter = (taken, before) if len(taken) > len(before) else (before, taken)
            branches[name][number] = [int(a or b) for a, b in zip(longer, shorter + [0] * (len(longer) - len(shorter)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("layers", nargs="*", default=[])
    parser.add_argument("--missed", default="", help="print the branches of files whose path begins so that no test takes")
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    coverage = Coverage()
    wanted = [] if options.report else options.layers or test_bench.LAYERS
    if "core" in wanted:
        subprocess.run(["make", *coverage.bench.make_options, "build/unit"], cwd=coverage.bench.src, env=coverage.bench.environment, check=True)
    if test_bench.MODULE in wanted:
        coverage.bench.make(coverage.bench.module_targets, check=True)
    for layer, name in coverage.bench.tests():
        if layer in wanted and not coverage.is_known(layer, name):
            coverage.run(layer, name)
    coverage.report(options.missed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

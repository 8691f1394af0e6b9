"""Builds a changed file and asks the tests that reach the change: for scripts/mutate.py."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import test_bench
from test_bench import MODULE

# The TAP files that look at a folder, as long as scripts/coverage.py has not found out which reach a line
TAP = {
    "src/pg/base": ["005_distributed", "013_renames"], "src/pg/bulk": ["037_growth", "004_near_duplicates", "033_workers"], "src/core/join": ["037_growth"],
    "src/pg/sketch": ["036_sketch_counts", "037_growth", "031_sketch_damage", "032_sketch_storage"], "src/pg/live_clusters": ["037_growth", "008_live_clusters"],
    "src/pg/trigger": ["006_trigger_loads"], "src/pg/index": ["002_recall"], "src/core/sketch": ["028_sketch"],
    **{f"src/pg/{folder}": ["012_wire"] for folder in ("embedding", "fingerprint", "lavinhash", "minhash", "passages", "simhash", "tlsh")},
}
STEADY = 8 # seconds: a shorter test does not look at the time
NEAR = 2  # lines: the compiler counts a statement of several lines at one of them


class MutantBench(test_bench.Bench):
    def __init__(self, root, script):
        super().__init__(test_bench.work_directory("mutants"), root, script, "APART=yes BOUNDS=yes")
        coverage = os.environ.get("TXTFP_COVERAGE")
        self.reach = self.read_reach((pathlib.Path(coverage) if coverage else test_bench.work_directory("coverage")) / "reach")
        self.kept = self.work / "src.kept"
        self.trusted, self.excluded = set(), set() # tests that have passed here; tests that fail without a change
        self.built = set()
        self.build("all")

    def build(self, *targets):
        """Builds what a test needs, without a change, once, and keeps the object files, which are copied back after each mutant."""
        if targets not in self.built:
            self.make(targets, check=True)
            subprocess.run(["cp", "-a", "-u", "-T", str(self.src), str(self.kept)], check=True)
            self.built.add(targets)

    @staticmethod
    def read_reach(folder):
        """What scripts/coverage.py has found out: {(layer, name): {seconds, digests, lines}}."""
        found = {}
        for path in sorted(folder.glob("*.json")):
            one = json.loads(path.read_text())
            found[tuple(one["test"])] = {"seconds": one["seconds"], "passed": one["passed"], "digests": one["digests"],
                                         "lines": {file: set(lines) for file, lines in one["lines"].items()}}
        return found

    # ------------------------------------------------------------------------------------------ which tests

    def reaching(self, file, number):
        """The tests that may notice a change of a line, the quick ones first, those of its topic before others that take a fifth."""
        digest, chosen = test_bench.digest_of(self.src / file), []
        topic = set(re.split(r"[_/.]", file[4:])) - {"core", "pg", "cpp", "hpp", "base", "text", "bulk"}
        code = set().union(*(one["lines"].get(file, set()) for one in self.reach.values() if one["digests"].get(file) == digest))
        near = set(range(number + 1 - NEAR, number + 2 + NEAR))
        for test in self.tests():
            known = self.reach.get(test)
            if test in self.excluded:
                continue
            if test[0] == "core" and not file.startswith("src/core/") or test[0] == MODULE and file.split("/")[2] != "sketch":
                continue
            if known is None:
                if test[0] != "tap" or test[1] in TAP.get("/".join(file.split("/")[:3]), ()):
                    in_topic = topic & set(re.split(r"[_.]", test[1])) or \
                        test[0] == "core" and self.includes(test[1], file) or test[0] == MODULE and re.search("term|length", file)
                    chosen.append((4 if in_topic else 20, test))
                continue
            in_topic = topic & set(re.split(r"[_.]", test[1]))
            if file not in known["digests"]:
                continue
            if known["digests"][file] != digest or not code & near or known["lines"][file] & near:
                chosen.append((known["seconds"] / (5 if in_topic else 1), test))
        return sorted(chosen)

    def includes(self, name, file):
        """Does a file of unit tests include the header of a file?"""
        path = self.src / "build/plain-objects/test/unit" / name.replace(".cpp", ".d")
        return path.exists() and re.sub(r"\.cpp$", ".hpp", file) in path.read_text()

    # ------------------------------------------------------------------------------------------ one mutant

    def install(self):
        target = self.lib / "txtfp.so"
        shutil.copy(self.src / "txtfp.so", f"{target}.new")
        os.replace(f"{target}.new", target)

    def restore(self, file, since):
        shutil.copy2(self.kept / file, self.src / file)
        for folder in ("build", "src"):
            for path in (self.src / folder).rglob("*"):
                if path.suffix in (".o", ".d", ".cpp") or path.name.startswith("unit-plain"):
                    before = self.kept / path.relative_to(self.src)
                    if path.stat().st_mtime >= since and before.exists():
                        shutil.copy2(before, path)
        shutil.copy2(self.kept / "txtfp.so", self.src / "txtfp.so")

    def noticed_by(self, file, number, new):
        """The test that notices, 'broken', 'the same code', or None."""
        path = self.src / file
        lines = path.read_text().split("\n")
        chosen = self.reaching(file, number)
        lines[number] = new
        for_header = file.endswith(".hpp")
        has_core = any(test[0] == "core" for _, test in chosen)
        if has_core:
            self.build("build/unit-plain")
        if any(test[0] == MODULE for _, test in chosen):
            self.build(*self.module_targets)
        since = time.time() - 1
        try:
            path.write_text("\n".join(lines))
            if not self.make(["txtfp.so"] + (["build/unit-plain"] if has_core and not for_header else [])):
                return "broken"
            if not (for_header and has_core) and self.is_same():
                return "the same code"
            self.install()
            self.start()
            failed = self.first_failure(chosen, for_header)
        finally:
            self.stop("immediate")
            self.restore(file, since)
        if failed and failed not in self.trusted:
            # It has never passed here: is it the change?
            self.install()
            self.start()
            if self.passes(failed[0], [failed[1]], self.limit(failed))[0]:
                self.trusted.add(failed)
            else:
                print(f"{failed[0]} {failed[1]} fails without a change, too; it is left out", flush=True)
                self.excluded.add(failed)
                self.stop("immediate")
                return self.noticed_by(file, number, new)
            self.stop("immediate")
        return " ".join(failed) if failed else None

    def is_same(self):
        """Has the change made no other code? It may be that of another processor, or what the compiler leaves out."""
        return (self.src / "txtfp.so").read_bytes() == (self.kept / "txtfp.so").read_bytes()

    def usual(self, test):
        return self.reach[test]["seconds"] if test in self.reach else 20

    def limit(self, test):
        """After so many seconds without a word it has failed."""
        return 60 + 10 * self.usual(test)

    def first_failure(self, chosen, for_header):
        """The first test that fails; if it takes long or looks at the time, twice, because a busy machine makes some fail once."""
        # Those of the unit tests that include a changed header are compiled anew, so they come later.
        def place(one):
            seconds, (layer, _) = one
            return layer == "tap", for_header and layer == "core", seconds
        for seconds, test in sorted(chosen, key=place):
            if test[0] == "core" and for_header and not self.make(["build/unit-plain"]):
                return test # asserted at compile time
            limit = self.limit(test)
            if self.passes(test[0], [test[1]], limit)[0]:
                self.trusted.add(test)
                continue
            if test[0] in ("core", "installcheck", "pgtap") and self.usual(test) < STEADY:
                return test
            self.start() # what the test has left must not make it fail
            if not self.passes(test[0], [test[1]], limit)[0]:
                return test
        return None

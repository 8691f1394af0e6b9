"""Builds a changed file and asks the tests that reach the change: for scripts/mutate.py."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import test_bench

NEAR = 2  # lines: the compiler counts a statement of several lines at one of them


class MutantBench(test_bench.Bench):
    def __init__(self, root, script):
        super().__init__(test_bench.work_directory("mutants"), root, script, "APART=yes")
        coverage = os.environ.get("TXTFP_COVERAGE")
        self.reach = self.read_reach((pathlib.Path(coverage) if coverage else test_bench.work_directory("coverage")) / "reach")
        self.kept = self.work / "src.kept"
        self.make(["all", "build/unit-plain"], check=True)
        # Object files as they are without a change; copied back after each mutant.
        subprocess.run(["cp", "-a", "-u", "-T", str(self.src), str(self.kept)], check=True)

    @staticmethod
    def read_reach(folder):
        """What scripts/coverage.py has found out: {(layer, name): {seconds, digests, lines}}."""
        found = {}
        for path in sorted(folder.glob("*.json")):
            one = json.loads(path.read_text())
            found[tuple(one["test"])] = {"seconds": one["seconds"], "passed": one["passed"], "digests": one["digests"],
                                         "lines": {file: set(lines) for file, lines in one["lines"].items()}}
        return found

    def make(self, targets, check=False):
        result = subprocess.run(["make", *self.make_options, *targets], cwd=self.src, env=self.environment,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if check and result.returncode != 0:
            raise SystemExit(result.stdout[-2000:] + result.stderr[-4000:])
        return result.returncode == 0

    # ------------------------------------------------------------------------------------------ which tests

    def reaching(self, file, number):
        """The tests that may notice a change of a line, the quick ones first."""
        digest, chosen = test_bench.digest_of(self.src / file), []
        code = set().union(*(one["lines"].get(file, set()) for one in self.reach.values() if one["digests"].get(file) == digest))
        near = set(range(number + 1 - NEAR, number + 2 + NEAR))
        for test in self.tests():
            known = self.reach.get(test)
            if known and not known["passed"]:
                continue # it fails here without a change
            if test[0] == "core" and not file.startswith("src/core/"):
                continue
            if known is None:
                chosen.append((60 if test[0] == "tap" else 20, test)) # a new test
                continue
            if file not in known["digests"]:
                continue
            if known["digests"][file] != digest or not code & near or known["lines"][file] & near:
                chosen.append((known["seconds"], test))
        return sorted(chosen)

    # ------------------------------------------------------------------------------------------ one mutant

    def build(self, with_tests):
        return self.make(["all"] + (["build/unit-plain"] if with_tests else []))

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
        """The test that notices, 'broken', or None."""
        path, since = self.src / file, time.time() - 1
        lines = path.read_text().split("\n")
        chosen = self.reaching(file, number)
        lines[number] = new
        is_header = file.endswith(".hpp")
        try:
            path.write_text("\n".join(lines))
            has_core = any(test[0] == "core" for _, test in chosen)
            if not self.build(has_core and not is_header):
                return "broken"
            self.install()
            self.start()
            return self.first_failure(file, chosen, is_header)
        finally:
            self.stop("immediate")
            self.restore(file, since)

    def first_failure(self, file, chosen, is_header):
        # The unit tests are one test, which takes as long as many of SQL; those of the topic come first. Those of a header are compiled anew, so they come later.
        core = [(seconds, test) for seconds, test in chosen if test[0] == "core"]
        others = [(seconds, test) for seconds, test in chosen if test[0] != "core"]
        plan = [*(core if not is_header else []), *[one for one in others if one[1][0] != "tap"], *(core if is_header else []),
                *[one for one in others if one[1][0] == "tap"]]
        while plan:
            seconds, (layer, name) = plan.pop(0)
            names = [name]
            limit = 60 + 10 * seconds
            if layer == "core":
                if is_header and not self.make(["build/unit-plain"]):
                    return "core" # as a test asserts at compile time
            while layer == "installcheck" and plan and plan[0][1][0] == layer and len(names) < 20:
                seconds, (_, name) = plan.pop(0)
                names.append(name)
                limit = 60 + 10 * seconds
            passed, said = self.passes(layer, names, limit)
            if not passed:
                return f"{layer} {names[0] if len(names) == 1 else said}"[:100]
        return None

"""Builds txtfp in a work directory of its own and runs single tests of it: for scripts/coverage.py and scripts/mutate.py.

The build and the database cluster are those of scripts/test.sh. A test is a pair: its layer (core, installcheck, isolation,
pgtap, txtfp_trgm or tap) and its name; of the unit tests, a file. For a mutant only the changed file is compiled, the library is replaced while the server runs,
and a run ends at the first test that fails. The module txtfp_trgm is a layer, because its operator class alone makes indexes of sets of terms.
"""

import hashlib
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

MODULE = "txtfp_trgm"
LAYERS = ("core", "installcheck", "isolation", "pgtap", MODULE, "tap")
FAILED = re.compile(r"\.\.\. FAILED|^not ok|^FAILED|^ *#? *Failed|Result: (FAIL|NOTESTS)|Dubious|could not connect|server terminated abnormally")


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def work_directory(folder):
    """$TXTFP_WORK/FOLDER, which belongs to the user that runs the tests."""
    user = (os.environ.get("TXTFP_USER") or "postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    base = pathlib.Path(os.environ.get("TXTFP_WORK") or f"/var/tmp/txtfp-{user}")
    if not base.exists():
        base.mkdir(mode=0o700, parents=True)
        if os.geteuid() == 0:
            shutil.chown(base, user, user)
    return base / folder


class Bench:
    """A build, its server, and its tests."""

    def __init__(self, work, root, script, make=""):
        """Copies the sources from root, builds, and goes on as the owner of the work directory, in the copy of the script."""
        self.work, self.src = work, work / "src"
        if os.environ.get("TXTFP_STAGE") != "bench":
            self.prepare(root, script, make)
        [config] = [*work.glob("pg/usr/lib/postgresql/*/bin/pg_config"), *work.glob("pg/bin/pg_config")]
        self.config, self.lib = config, pathlib.Path(subprocess.check_output([config, "--pkglibdir"], text=True).strip())
        self.make_options = ["-s", "--no-print-directory", f"PG_CONFIG={config}", "NO_DEBUG_INFO=yes", *make.split()]
        environment = {name: value for name, value in os.environ.items()
                       if not re.match(r"PG[A-Z_]*$|MAKEFLAGS$|MAKELEVEL$|LC_ALL$|LANGUAGE$", name)}
        self.environment = dict(environment, PATH=f"{config.parent}:{os.environ['PATH']}", LANG="C.UTF-8", HOME=str(work),
                                TMPDIR=str(work / "tmp"), PG_CONFIG=str(config), PGHOST=str(work / "run"), PGPORT="5433",
                                PGUSER="postgres", PGDATABASE="postgres", TXTFP_TEST_DATA=str(self.src / "test" / "data"))
        self.databases = 0

    def prepare(self, root, script, make):
        environment = dict(os.environ, TXTFP_WORK=str(self.work), TXTFP_MAKE=make)
        layer = ["version"] if (self.work / "test-data" / "complete").exists() else ["installcheck", "info"]
        result = subprocess.run(["sh", "scripts/test.sh", *layer], cwd=root, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(result.stdout[-3000:] + result.stderr[-3000:])
        owner = self.work.stat()
        user = [] if os.geteuid() == owner.st_uid else ["setpriv", "--reuid", str(owner.st_uid), "--regid", str(owner.st_gid), "--init-groups"]
        copy = self.src / pathlib.Path(script).resolve().relative_to(pathlib.Path(root).resolve())
        os.chdir(self.work)
        os.execvp("env", ["env", "TXTFP_STAGE=bench", *user, sys.executable, str(copy), *sys.argv[1:]])

    # ------------------------------------------------------------------------------------------ the server

    def pg_ctl(self, *arguments):
        log = self.work / "log" / "bench-server.log"
        return subprocess.run(["pg_ctl", "-D", str(self.work / "test-data"), "-l", str(log), "-w", "-t", "120", *arguments],
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def stop(self, mode="fast"):
        self.pg_ctl("-m", mode, "stop")

    def start(self):
        """A server whose cluster is as it was at first: what tests leave that were stopped must not make others fail."""
        data, kept = self.work / "test-data", self.work / "test-data.kept"
        self.stop("immediate")
        if not kept.exists():
            subprocess.run(["initdb", "-D", str(kept), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
                           env=self.environment, stdout=subprocess.DEVNULL, check=True)
            with (kept / "postgresql.conf").open("a") as configuration:
                configuration.write(f"include '{self.work}/test.conf'\n")
            (kept / "complete").touch() # for scripts/test.sh
        shutil.rmtree(data, ignore_errors=True)
        subprocess.run(["cp", "-a", str(kept), str(data)], check=True)
        if not self.pg_ctl("start"):
            sys.exit("the server does not start")

    def is_idle(self):
        query = "SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND pid <> pg_backend_pid()"
        answer = subprocess.run(["psql", "-XAtc", query], env=self.environment, capture_output=True, text=True).stdout
        return answer.strip() in ("0", "")

    # ------------------------------------------------------------------------------------------ the tests

    def make(self, targets, check=False):
        result = subprocess.run(["make", *self.make_options, *targets], cwd=self.src, env=self.environment,
                                capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if check and result.returncode != 0:
            raise SystemExit(result.stdout[-2000:] + result.stderr[-4000:])
        return result.returncode == 0

    module_targets = ("-C", f"contrib/{MODULE}", "all", "install", "test/expected")

    def tests(self):
        """All tests, as (layer, name)."""
        long_only = set(re.search(r"^LONG_REGRESS *= *(.*)", (self.src / "Makefile").read_text(), re.M)[1].split())
        unit = sorted(path.name for path in (self.src / "test" / "unit").glob("*.cpp") if "TEST" in path.read_text())
        found = {"core": unit, "installcheck": self.names("sql", "sql"), "isolation": self.names("specs", "spec"),
                 "pgtap": self.names("pgtap", "sql"), MODULE: self.names(f"../contrib/{MODULE}/test/sql", "sql"), "tap": self.names("tap", "pl")}
        return [(layer, name) for layer in LAYERS for name in found[layer] if name not in long_only]

    def names(self, folder, ending):
        return sorted(path.stem for path in (self.src / "test" / folder).glob(f"*.{ending}"))

    def command(self, layer, names, unit):
        pgxs = self.lib / "pgxs" / "src" / "test"
        self.databases += 1
        regress = ["--inputdir=test", f"--bindir={self.config.parent}", f"--dbname=bench{self.databases}", "--load-extension=txtfp"]
        if layer == "core":
            return [str(self.src / unit), *names]
        if layer == "installcheck":
            return [str(pgxs / "regress" / "pg_regress"), *regress, "--encoding=UTF8", "--no-locale", *names]
        if layer == MODULE:
            regress[0] = f"--inputdir=contrib/{MODULE}/test"
            return [str(pgxs / "regress" / "pg_regress"), *regress, "--load-extension=pg_trgm", f"--load-extension={MODULE}", "--encoding=UTF8", "--no-locale",
                    "--outputdir=output_module", *names]
        if layer == "isolation":
            return [str(pgxs / "isolation" / "pg_isolation_regress"), *regress, "--outputdir=output_iso", *names]
        if layer == "pgtap":
            return ["pg_prove", "--ext", ".sql", *[f"test/pgtap/{name}.sql" for name in names]]
        return ["prove", "-v", *[f"test/tap/{name}.pl" for name in names]]

    def passes(self, layer, names, limit, unit="build/unit-plain", **environment):
        """Runs tests of a layer; false at the first that fails, or if none ends for limit seconds. Returns (passed, last line)."""
        for folder in ("results", "output_iso/results", "output_module/results"):
            (self.src / folder).mkdir(parents=True, exist_ok=True)
        if layer == "tap":
            shutil.rmtree(self.src / "tmp_check", ignore_errors=True) # directories of a run that failed
        if layer in ("installcheck", "isolation") and not (self.src / "test" / "expected").exists():
            (self.src / "test" / "expected").symlink_to("../expected")
        process = subprocess.Popen(self.command(layer, names, unit), cwd=self.src, env=dict(self.environment, **environment), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        watch = Watch(process, limit)
        line = said = ""
        for line in process.stdout:
            watch.alive()
            if FAILED.search(line):
                said = line.strip()
                if layer != "tap": # which must stop its servers
                    watch.kill()
                    break
        status = process.wait()
        watch.end()
        return status == 0 and not said, said or watch.said or line.strip()


class Watch:
    """Kills a process, and what it has started, that says nothing for limit seconds."""

    def __init__(self, process, limit):
        self.process, self.limit, self.said = process, limit, ""
        self.last = time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.wait, daemon=True)
        self.thread.start()

    def wait(self):
        while not self.ended.wait(0.5):
            if time.monotonic() - self.last > self.limit:
                self.said = f"no word in {self.limit:.0f} s"
                self.kill()
                return

    def alive(self):
        self.last = time.monotonic()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end(self):
        self.ended.set()
        self.thread.join()

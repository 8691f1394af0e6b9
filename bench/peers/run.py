"""Runs every tool on every corpus, one after the other, each in a process of its own, and writes the results: run.py WORK CORPORA OUTPUT

WORK/venvs/NAME is the environment of the tool NAME (WORK/venvs/txtfp has the package of this project); the environment names the server: PGHOST, PGPORT, PGDATA and
TXTFP, the program. OUTPUT gets results.json, which page.py turns into the page. A tool that takes more than LIMIT seconds of processor time (60) is ended.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

from corpora import ABOUT, THRESHOLD
from tools import TOOLS

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = int(os.environ.get('LIMIT', '60'))
TICKS = os.sysconf('SC_CLK_TCK')


def stat_of(pid):
    """(parent, processor seconds of its own, those of its children that have ended)"""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(') ', 1)[1].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS, (int(fields[13]) + int(fields[14])) / TICKS


def resident(pid, what):
    found = re.search(rf'^{what}:\s+(\d+)', pathlib.Path(f'/proc/{pid}/status').read_text(), re.M)
    return int(found[1]) / 1024 if found else 0


class Watch(threading.Thread):
    """Samples the memory of a process and its children, and of the sessions of a server (without the shared buffers), and ends what takes too long."""

    def __init__(self, pid, postmasters):
        super().__init__(daemon=True)
        self.pid, self.postmasters, self.given, self.peak, self.ended, self.over = pid, postmasters, set(postmasters), 0.0, False, False
        self.begun = {p: stat_of(p)[2] for p in postmasters}
        self.server = 0.0

    def sample(self):
        memory, parents = 0.0, {}
        for entry in os.listdir('/proc'):
            if entry.isdigit():
                try:
                    parents[int(entry)] = stat_of(entry)
                except (OSError, IndexError):
                    continue
        path = pathlib.Path('postmaster')  # a tool that starts a server of its own
        if path.exists():
            self.postmasters = {int(path.read_text())} | set(self.postmasters)
        own, sessions, used = {self.pid}, [], 0.0
        for pid, (parent, _, _) in sorted(parents.items()):
            if parent in own:
                own.add(pid)
            if parent in self.postmasters:
                sessions.append(pid)
        for pid in own | set(sessions):
            try:
                memory += resident(pid, 'RssAnon' if pid in sessions else 'VmRSS')
            except OSError:
                continue
            used += parents[pid][1] if pid in parents else 0
        self.peak = max(self.peak, memory)
        for postmaster in set(self.postmasters) - self.given:
            if postmaster in parents:
                self.server = max(self.server, sum(parents[postmaster][1:]) + sum(parents[pid][1] for pid in sessions if parents[pid][0] == postmaster))
        if used > LIMIT and not self.over:
            self.over = True
            for pid in [*sessions, *own]:
                try:
                    busy = stat_of(pid)[1] > LIMIT / 2
                    if pid == self.pid or pid in own or busy:
                        os.kill(pid, signal.SIGTERM)
                except OSError:
                    continue

    def run(self):
        while not self.ended:
            self.sample()
            time.sleep(0.05)


def measure(name, corpus, work, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    os.chdir(scratch)
    of_server = name.startswith('txtfp server') or name == 'pg_trgm'
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE='1', PGOPTIONS='-c client_min_messages=warning')
    environment.pop('OPENBLAS_CORETYPE', None)
    environment.pop('OPENBLAS_L2_SIZE', None)
    postmasters = set()
    if of_server:
        subprocess.run(['dropdb', '--if-exists', '--force', 'peers'], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(['createdb', 'peers'], check=True)
        environment['PGDATABASE'] = 'peers'
        postmasters = {int((pathlib.Path(os.environ['PGDATA']) / 'postmaster.pid').read_text().split('\n')[0])}
        time.sleep(0.2)
    before = int(subprocess.run(['psql', '-XAtc', "SELECT pg_database_size('peers')"], capture_output=True, text=True).stdout) if of_server else 0
    python = work / 'venvs' / ('txtfp' if name.startswith('txtfp') or name == 'pg_trgm' else name.lower()) / 'bin/python'
    if not python.exists():
        return {'missing': 'its packages could not be installed'}
    begun = time.monotonic()
    with open('log', 'w') as log:
        process = subprocess.Popen([python, HERE / 'tools.py', name, corpus, 'found'], env=environment, stdout=log, stderr=log)
    watch = Watch(process.pid, postmasters)
    watch.start()
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.monotonic() - begun
    watch.ended = True
    watch.join()
    processor = usage.ru_utime + usage.ru_stime
    if of_server:
        time.sleep(0.2)
        processor += sum(stat_of(p)[2] - watch.begun[p] for p in postmasters)
        disk = int(subprocess.run(['psql', '-XAtc', "SELECT pg_database_size('peers')"], capture_output=True, text=True).stdout) - before
    else:
        processor += watch.server
        disk = sum(f.stat().st_size for f in scratch.rglob('*') if f.is_file() and f.name not in ('log', 'found') and 'pg_wal' not in f.parts)
    result = {'processor': round(processor, 2), 'clock': round(clock, 2), 'memory': round(max(watch.peak, 0)), 'disk': round(disk / 1e6, 1)}
    if watch.over:
        return {**result, 'missing': f'more than {LIMIT} s of processor time'}
    if status:
        return {**result, 'missing': 'failed: ' + (pathlib.Path('log').read_text().strip().splitlines() or ['no message'])[-1][:120]}
    result['found'] = [tuple(map(int, line.split('\t'))) for line in pathlib.Path('found').read_text().splitlines()]
    return result


def removals_of(pairs):
    """In the order of the documents: one goes if a pair leads to an earlier one that stays."""
    earlier = {}
    for a, b in pairs:
        earlier.setdefault(max(a, b), []).append(min(a, b))
    gone = {}
    for n in sorted(earlier):
        stays = next((a for a in sorted(earlier[n]) if a not in gone), None)
        if stays is not None:
            gone[n] = stays
    return gone.items()


def score(found, yields, labels, true):
    pairs = {(min(a, b), max(a, b)) for a, b in found if a != b}
    removals = removals_of(pairs) if yields == 'pairs' else found
    removals = list(removals)
    out = {'removals': len(removals), 'right': sum(labels[a] == labels[b] for a, b in removals)}
    if yields == 'pairs':
        out.update(pairs=len(pairs), true_found=len(pairs & true), true=len(true))
    return out


BY_UNICODE_WORDS = '''
import json, sys
from txtfp import core
texts = [json.loads(line)['text'] for line in open(sys.argv[1], encoding='utf-8')]
pairs = [tuple(map(int, line.split('\t'))) for line in open(sys.argv[2])]
print(sum(core.text_jaccard(texts[a], texts[b]) >= float(sys.argv[3]) for a, b in pairs))'''


def by_unicode_words(work, path):
    """How many of the true pairs are as similar by the words of txtfp; None without its package."""
    python = work / 'venvs/txtfp/bin/python'
    if not python.exists():
        return None
    return int(subprocess.run([python, '-c', BY_UNICODE_WORDS, path, path.with_suffix('.pairs'), str(THRESHOLD)], capture_output=True, text=True, check=True).stdout)


def main():
    work, corpora, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    chosen = [name for name in TOOLS if name in os.environ.get("TOOLS", name).split(";")]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    results = {'corpora': {}, 'results': {}}
    for corpus in os.environ.get('CORPORA', ' '.join(ABOUT)).split():
        path = corpora / f'{corpus}.jsonl'
        rows = [json.loads(line) for line in path.read_text('utf-8').split('\n') if line]
        labels = [row['label'] for row in rows]
        escapes = str.maketrans({'\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r'})
        path.with_suffix('.tsv').write_text(''.join(f'{row["id"]}\t{row["text"].translate(escapes)}\n' for row in rows), 'utf-8')
        true = {tuple(map(int, line.split('\t'))) for line in path.with_suffix('.pairs').read_text().splitlines()}
        copies = len(labels) - len(set(labels))
        results['corpora'][corpus] = {'documents': len(rows), 'mb': round(sum(len(row['text'].encode()) for row in rows) / 1e6, 1), 'true': len(true),
                                      'by_unicode_words': by_unicode_words(work, path),
                                      'true_right': sum(labels[a] == labels[b] for a, b in true), 'copies': copies}
        for name in chosen:
            measured = measure(name, path, work, output / 'scratch')
            if 'found' in measured:
                measured.update(score(measured.pop('found'), TOOLS[name][1], labels, true))
            results['results'].setdefault(corpus, {})[name] = measured
            print(f'{corpus:10} {name:26} {measured}', flush=True)
            (output / 'results.json').write_text(json.dumps(results, indent=1))
    shutil.rmtree(output / 'scratch', ignore_errors=True)


if __name__ == '__main__':
    main()

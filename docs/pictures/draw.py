#!/usr/bin/env python3
"""Draws the pictures of the pages, with nothing but Python's library:

    python3 docs/pictures/draw.py            writes docs/pictures/*.svg
    python3 docs/pictures/draw.py --check    ends with an error if a file differs from what would be written

architecture.svg is drawn from src/layers.txt and the folders of contrib, scale.svg from the figures of bench/results.md, so they change with them.
"""
import math
import pathlib
import re
import sys
from html import escape

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Both schemes of colours are in the file; a browser takes the one that it prefers.
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .small { font-size: 11px; fill: #59636e } .title { font-weight: 600 }
.mono { font-family: ui-monospace, monospace; font-size: 12px } .middle { text-anchor: middle }
.box { fill: #f6f8fa; stroke: #8c959f } .frame { fill: none; stroke: #8c959f } .key { fill: #ddf4ff; stroke: #0969da } .stop { fill: #ffebe9; stroke: #cf222e }
.good { fill: #dafbe1; stroke: #1a7f37 } .line { fill: none; stroke: #59636e; stroke-width: 1.3 } .head { fill: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .box { fill: #21262d; stroke: #656c76 } .frame { stroke: #656c76 } .key { fill: #0c2d5a; stroke: #4493f8 }
.stop { fill: #4b1113; stroke: #f85149 } .good { fill: #0f3a1d; stroke: #3fb950 } .line { stroke: #9198a1 } .head { fill: #9198a1 } }
"""


class Picture:
    """Shapes in a coordinate system of pixels, with (0, 0) at the top left."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def text(self, x, y, words, kind=''):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>')

    def box(self, x, y, width, height, lines=(), kind='box', text_kind='middle'):
        """A box with lines of text in its middle. A line that begins with "~" is small."""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" class="{kind}"/>')
        top = y + height / 2 - 8 * (len(lines) - 1) + 4.5
        for n, line in enumerate(lines):
            small = ' small' if line.startswith('~') else ''
            self.text(x + (width / 2 if 'middle' in text_kind else 10), top + 16 * n, line.lstrip('~'), text_kind + small)

    def arrow(self, *points):
        """A line through the points, with a head at the last one."""
        path = 'M' + ' L'.join(f'{x:g},{y:g}' for x, y in points)
        self.parts.append(f'<path d="{path}" class="line"/>')
        (x0, y0), (x, y) = points[-2:]
        length = max(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5, 1)
        dx, dy = (x - x0) / length, (y - y0) / length
        corners = [(x, y), (x - 8 * dx - 4 * dy, y - 8 * dy + 4 * dx), (x - 8 * dx + 4 * dy, y - 8 * dy - 4 * dx)]
        self.parts.append(f'<path d="M{" L".join(f"{a:g},{b:g}" for a, b in corners)} Z" class="head"/>')

    def chain(self, steps, box, gap, height, kind_of):
        """Boxes from left to right with arrows between them, from (title, lines, note) each."""
        for n, (title, lines, note) in enumerate(steps):
            x = 10 + n * (box + gap)
            self.text(x + box / 2, 24, title, 'title middle')
            self.box(x, 34, box, height, lines, kind_of(n))
            self.text(x + box / 2, 52 + height, note, 'small middle')
            if n:
                self.arrow((x - gap, 34 + height / 2), (x, 34 + height / 2))

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}" role="img">\n'
                f'<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n' + '\n'.join(self.parts) + '\n</svg>\n')


# ---------------------------------------------------------------------------------------------- the architecture

def layers():
    """src/layers.txt: what each folder may include."""
    table = {}
    for line in (ROOT / 'src/layers.txt').read_text().splitlines():
        line = line.split('#')[0]
        if ':' in line:
            folder, below = line.split(':')
            table[folder.strip()] = below.split()
    return table


def levels(table, prefix):
    """The folders of a part of the source by height: each stands above every folder of the part that it may include."""
    def height(folder):
        return 1 + max((height(below) for below in table[folder] if below.startswith(prefix)), default=-1)
    rows = {}
    for folder in table:
        if folder.startswith(prefix):
            rows.setdefault(height(folder), []).append(folder[len(prefix):])
    return [rows[n] for n in sorted(rows, reverse=True)]


def draw_part(picture, x, y, width, title, note, rows, kind='box'):
    height = 34 + 34 * len(rows)
    picture.box(x, y, width, height, kind='frame')
    picture.text(x + 10, y + 20, title, 'title')
    picture.text(x + 14 + 8.2 * len(title), y + 20, note, 'small')
    for n, row in enumerate(rows):
        gap, room = 6, width - 20
        box = (room - gap * (len(row) - 1)) / len(row)
        for m, name in enumerate(row):
            picture.box(x + 10 + m * (box + gap), y + 30 + 34 * n, box, 28, [name], kind)
    return height


def architecture():
    table = layers()
    server, core = levels(table, 'pg/'), levels(table, 'core/')
    modules = sorted(path.parent.name.replace('txtfp_', '') for path in ROOT.glob('contrib/*/Makefile'))
    width, core_top = 860, 112 + 34 * (len(server) + 1) + 46
    picture = Picture(width, core_top + 34 * (len(core) + 1) + 60, 'Which part of the source includes which')
    draw_part(picture, 10, 10, width - 20, 'contrib', 'optional modules; each may include the lowest layers of core and server', [modules])
    server_height = draw_part(picture, 10, 112, 590, 'src/pg', 'the extension: fetches arguments, calls the core, returns results', server)
    others = [('src/cli', ['the program txtfp', '~files, threads']), ('clients/python', ['the Python package', '~Arrow, Spark, drivers'])]
    for n, (title, lines) in enumerate(others):
        top = 112 + n * (server_height / 2 + 5)
        picture.box(616, top, 234, server_height / 2 - 5, kind='frame')
        picture.text(626, top + 20, title, 'title')
        picture.box(626, top + 34, 214, server_height / 2 - 50, lines)
    draw_part(picture, 10, core_top, width - 20, 'src/core', 'everything that computes, without PostgreSQL', core, 'key')
    bottom = 112 + server_height
    for x in (300, 733):
        picture.arrow((x, bottom), (x, core_top))
    picture.arrow((300, 78), (300, 112))
    bottom = core_top + 34 + 34 * len(core)
    picture.text(10, bottom + 24, 'A folder includes folders of rows below it in its frame, and what its arrow leads to, never the reverse (src/layers.txt, checked by make check-layers).', 'small')
    return picture


# ---------------------------------------------------------------------------------------------- a document's way

def document():
    picture = Picture(860, 320, 'How a document becomes a sketch, and a sketch finds others')
    steps = [('text', ['“Tea, TEA', 'or Café?”'], 'body text'),
             ('canonicalizer', ['“tea, tea', 'or café?”'], 'NFKC, case folded'),
             ('tokenizer', ['tea · tea', 'or · café'], 'Unicode words'),
             ('shingles', ['tea tea or', 'tea or café'], 'k words, here 3 (default 5)'),
             ('hashes', ['9f3c… 04b1…', '~one per shingle'], 'xxHash'),
             ('sketch', ['least hash', 'of each slot'], '128 slots, 1040 bytes')]
    picture.chain(steps, 120, 24, 56, lambda n: 'key' if n == 5 else 'box')
    picture.arrow((790, 116), (790, 150))
    picture.text(10, 146, 'The sketch also carries a hash of its configuration, so that sketches of different ones are never compared.', 'small')
    uses = [('jaccard(a, b)', 'share of equal slots'), ('index USING sketch', 'signature and bands of each row'), ('near_duplicate_pairs', 'rows that share a band meet'), ('trigger, live clusters', 'at every write')]
    picture.box(10, 158, 840, 96, kind='frame')
    for n, (title, note) in enumerate(uses):
        picture.box(20 + n * 208, 172, 196, 68, [title, '~' + note])
    picture.text(10, 280, 'Fingerprints depend on their arguments and on Unicode 15.0, which is compiled in; not on locale, encoding or the installed ICU.', 'small')
    picture.text(10, 300, 'simhash64, tlsh and lavinhash take other ways from the text (docs/algorithms.md); from the value on, the way is the same.', 'small')
    return picture


# ---------------------------------------------------------------------------------------------- the index

def sketch_page():
    picture = Picture(860, 420, 'A group of the access method sketch, and its band directory')
    picture.text(10, 24, 'A group: some hundred rows on one to eight pages, by field, not by row', 'title')
    parts = [('header', 80, 'box'), ('NULL bits', 80, 'box'), ('hashes of leading columns', 190, 'box'), ('TIDs', 70, 'box'), ('fields 0 … 3', 120, 'key')]
    x = 10
    for name, width, kind in parts:
        picture.box(x, 36, width, 34, [name], kind)
        x += width
    picture.text(x + 10, 58, 'first page: every search reads it', 'small')
    picture.box(10, 78, 270, 34, ['fields 4 … 7'], 'key')
    picture.box(280, 78, 270, 34, ['fields 8 … 11, and so on'], 'key')
    picture.text(560, 100, 'further pages: only if rows are still in question', 'small')
    picture.text(10, 136, 'A search without the directory adds a lower bound of the distance field by field and drops rows as soon as the bound exceeds the limit.', 'small')

    picture.text(10, 180, 'The band directory: static tables from keys to rows, for MinHash', 'title')
    picture.box(10, 196, 180, 44, ['probe', '~13 to 52 bands, 4 slots each'], 'good')
    picture.box(250, 196, 150, 44, ['root', '~first key of each page'])
    picture.box(460, 196, 150, 44, ['fences', '~first key of each leaf'])
    picture.box(670, 196, 180, 44, ['leaf', '~key → numbers of rows'])
    for x in (190, 400, 610):
        picture.arrow((x, 218), (x + 60, 218))
    picture.box(670, 282, 180, 44, ['signatures of these rows', '~compared as in any search'], 'key')
    picture.arrow((760, 240), (760, 282))
    picture.box(460, 282, 150, 44, ['rows within', 'the threshold'], 'good')
    picture.arrow((670, 304), (610, 304))
    picture.box(10, 282, 390, 44, ['groups that no table covers yet', '~read by every search; a writer or vacuum merges them into tables'])
    picture.arrow((400, 304), (460, 304))
    for n, line in enumerate(('Two sketches that differ in d slots have at least bands − d bands in common. If fewer slots may differ than there are bands, every row within the',
                              'threshold shares a band with the probe, so the directory misses none: with the default bands from 0.8 up. Below, a search reads all groups, or',
                              'accepts a recall below 1 (txtfp.sketch_recall).')):
        picture.text(10, 360 + 18 * n, line, 'small')
    return picture


# ---------------------------------------------------------------------------------------------- the file of an index

def index_file():
    picture = Picture(860, 300, 'The file of an index: units of pages, listed in the metapage')
    picture.text(10, 24, 'One file: block 0, then units of as many pages as a group has', 'title')
    units = [('metapage', 96, 'key', 'covered:'), ('group 0', 88, 'box', 'by table 1'), ('group 1', 88, 'box', 'by table 1'), ('table 1', 178, 'good', 'leaves, fences, root'),
             ('group 2', 88, 'box', 'by table 2'), ('table 2', 88, 'good', ''), ('free', 60, 'frame', 'reused'), ('group 3', 88, 'stop', 'by none yet')]
    x = 10
    for name, width, kind, note in units:
        picture.box(x, 40, width, 40, [name], kind)
        picture.text(x + width / 2, 96, note, 'small middle')
        x += width + 8
    picture.text(10, 140, 'A page', 'title')
    picture.box(10, 152, 120, 36, ['header', '~24 bytes'])
    picture.box(130, 152, 420, 36, ['arrays: row pointers, hashes, fields; or keys and row numbers'])
    picture.box(550, 152, 180, 36, ['mark, 16 bytes', '~what it is, whose, which'], 'key')
    picture.text(10, 208, 'A reader compares the whole mark, so it notices a block that was reused since it read the map, and a page of another index.', 'small')
    picture.text(10, 240, 'A merge', 'title')
    steps = ['mark groups in the map', 'close and read them', 'write its pages', 'switch the map']
    for n, step in enumerate(steps):
        picture.box(10 + 214 * n, 252, 186, 32, [step], 'good' if n == 3 else 'box')
        if n:
            picture.arrow((10 + 214 * n - 28, 268), (10 + 214 * n, 268))
    return picture


# ---------------------------------------------------------------------------------------------- a join

def join():
    picture = Picture(860, 330, 'How a join finds the near-duplicates of a whole collection')
    picture.box(10, 90, 110, 52, ['rows', '~of the query'])
    picture.box(170, 90, 130, 52, ['pieces', '~64 or 256 kB'])
    picture.box(350, 34, 190, 60, ['spool', '~sketches, in the order of arrival', '~memory, then a file'], 'key')
    picture.box(350, 138, 190, 60, ['partitions', '~band key, row, bits of the slots', '~memory, then a file'], 'key')
    picture.box(590, 138, 120, 60, ['buckets', '~rows that', '~share a band'])
    picture.box(590, 34, 120, 60, ['heads', '~the first of rows', '~with equal sketches'])
    picture.box(750, 86, 100, 60, ['pairs,', 'or links'], 'good')
    picture.arrow((120, 116), (170, 116))
    picture.arrow((300, 108), (350, 64))
    picture.arrow((300, 124), (350, 168))
    picture.arrow((540, 168), (590, 168))
    picture.arrow((540, 64), (590, 64))
    picture.arrow((650, 94), (650, 138))
    picture.arrow((710, 168), (750, 128))
    picture.text(10, 162, 'by the backend', 'small')
    picture.text(170, 162, 'by threads', 'small')
    picture.text(546, 158, 'sorted', 'small')
    picture.box(10, 226, 400, 62, ['pairs', '~every pair of a bucket is a candidate; it is reported in the', '~first bucket that both rows share'], 'box')
    picture.box(450, 226, 400, 62, ['clusters', '~rows that are not connected yet are compared, and united in', '~a union-find whose roots are the smallest ids'], 'box')
    picture.text(10, 312, 'The bits of the slots tell most pairs of a bucket apart, before any sketch is read.', 'small')
    return picture


# ---------------------------------------------------------------------------------------------- the wall

def wall():
    picture = Picture(860, 330, 'The wall between C++ exceptions and the errors of PostgreSQL, and the threads')
    picture.box(10, 34, 470, 250, kind='frame')
    picture.text(20, 24, 'the backend', 'title')
    picture.box(24, 50, 442, 52, ['fetch the arguments', '~PostgreSQL may raise an error by longjmp: no object with a destructor is alive'])
    picture.box(24, 130, 442, 62, ['pg::guarded([&] { … })', '~C++ objects live, allocate and throw; nothing calls PostgreSQL', '~an exception ends here and becomes an error after the block'], 'stop')
    picture.box(24, 220, 442, 52, ['return, or ereport', '~the result lies in plain memory, or in an object of the memory context'])
    picture.arrow((245, 102), (245, 130))
    picture.arrow((245, 192), (245, 220))
    picture.box(560, 34, 290, 250, kind='frame')
    picture.text(570, 24, 'threads of a team', 'title')
    for n, line in enumerate(('keys of a piece', 'sorting a partition', 'comparing a bucket', 'deciding a component')):
        picture.box(574, 50 + 44 * n, 262, 34, [line], 'key')
    picture.text(574, 244, 'signals are blocked;', 'small')
    picture.text(574, 260, 'no call of PostgreSQL, no longjmp', 'small')
    picture.arrow((480, 76), (560, 76))
    picture.text(496, 68, 'tasks', 'small')
    picture.arrow((560, 246), (480, 246))
    picture.text(496, 238, 'ask: a file', 'small')
    picture.text(10, 312, 'The threads end before the transaction frees what they read (PG_ENSURE_ERROR_CLEANUP).', 'small')
    return picture


# ---------------------------------------------------------------------------------------------- a removal

def removal():
    picture = Picture(860, 330, 'A removal, from candidate to certificate')
    steps = [('candidates', ['rows that', 'share a band'], 'near_duplicate_pairs'),
             ('similar', ['sketches at or', 'above 0.8'], 'jaccard'),
             ('verified', ['the texts', 'themselves'], "verify => 'lossless'"),
             ('decided', ['guards, or a', 'rule of labels'], 'guard, rule'),
             ('removed', ['row, and why'], 'outcome remove')]
    picture.chain(steps, 136, 37, 52, lambda n: 'good' if n == 4 else 'box')
    picture.box(529 - 173, 150, 136, 52, ['kept', '~not similar enough'], 'box')
    picture.box(529, 150, 136, 52, ['review', '~a person decides'], 'stop')
    picture.arrow((424, 112), (424, 150))
    picture.arrow((597, 112), (597, 150))
    picture.box(702, 150, 136, 52, ['certificate', '~archive, undo'], 'good')
    picture.arrow((770, 112), (770, 150))
    picture.arrow((665, 176), (702, 176))
    picture.box(529, 240, 136, 52, ['labels', '~review_page'], 'key')
    picture.arrow((597, 202), (597, 240))
    picture.arrow((529, 266), (318, 266), (318, 126), (560, 126), (560, 112))
    picture.text(336, 258, 'decision_rule learns', 'small')
    picture.text(10, 316, 'Labels of a sample also tell what share of the removals is right: removal_sample, removal_precision.', 'small')
    return picture


# ---------------------------------------------------------------------------------------------- which way to take

def decision():
    picture = Picture(860, 380, 'Which type, which way, which verification')
    rows = [
        ('What do you compare?', [('whole texts, edited', 'minhash128'), ('parts of texts', 'passages'), ('8 bytes each', 'simhash64'), ('files, bytes', 'tlsh, lavinhash'), ('meaning', 'embedding')]),
        ('How many rows?', [('up to some million', 'minhash128: 1040 bytes'), ('more', 'minhash128_compact: 140')]),
        ('When?', [('a query', 'index USING sketch'), ('all rows, now', 'deduplicate'), ('each new row', 'near_duplicate_trigger'), ('always current', 'live_clusters_create')]),
        ('What may be lost?', [('no words', "verify => 'lossless'"), ('a few words, if no guard objects', "verify => 'jaccard', guard"), ('what people agree to', 'decision_rule, review_page')]),
    ]
    for n, (question, answers) in enumerate(rows):
        y = 14 + 96 * n
        picture.box(10, y, 180, 64, [question], 'key', 'middle title')
        room = 650
        box = (room - 8 * (len(answers) - 1)) / len(answers)
        for m, (case, answer) in enumerate(answers):
            picture.box(200 + m * (box + 8), y, box, 64, ['~' + case, answer])
        if n:
            picture.arrow((100, y - 32), (100, y))
    return picture


# ---------------------------------------------------------------------------------------------- what rows cost

def scale_points():
    """(stage, [(millions of rows, processor seconds per million)]) from the table of bench/hundred_million_table.py."""
    section = re.search(r'^## A hundred million documents$(.*?)(?=^## |\Z)', (ROOT / 'bench/results.md').read_text(), re.M | re.S)[1]
    rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in section.splitlines() if line.startswith('|')]
    sizes = [float(cell.split()[0]) for cell in rows[0][2:]]
    for stage, what, *cells in rows:
        if what == 'processor seconds' and stage in ('load', 'clusters', 'deduplicate', 'build', 'command_line'):
            yield stage.replace('_', ' '), [(size, float(cell.split()[0]) / size) for size, cell in zip(sizes, cells) if cell]


def scale():
    picture = Picture(640, 330, 'Processor seconds per million rows, by the number of rows')
    left, bottom, width, height, most = 60, 280, 400, 240, 8
    picture.text(left, 22, 'processor seconds per million rows', 'title')
    for tick in range(0, most + 1, 2):
        y = bottom - height * tick / most
        picture.parts.append(f'<path d="M{left},{y:g} L{left + width},{y:g}" class="frame"/>')
        picture.text(left - 22, y + 4, str(tick), 'small')
    for size in (1, 10, 100):
        picture.text(left + width * math.log10(size) / 2, bottom + 20, f'{size} M', 'small middle')
    labels = []
    for stage, points in scale_points():
        places = [(left + width * math.log10(size) / 2, bottom - height * cost / most) for size, cost in points]
        picture.parts.append('<path d="M' + ' L'.join(f'{x:.1f},{y:.1f}' for x, y in places) + '" class="line"/>')
        picture.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="head"/>' for x, y in places]
        labels.append((places[-1][1], f'{stage} ({points[-1][1]:.1f})'))
    place = 1000.0
    for y, label in sorted(labels, reverse=True):
        place = min(y + 4, place - 15)
        picture.text(left + width + 10, place, label)
    return picture


PICTURES = {'scale': scale, 'architecture': architecture, 'document': document, 'sketch_page': sketch_page, 'index_file': index_file, 'join': join, 'wall': wall, 'removal': removal, 'decision': decision}


def main():
    differs = []
    for name, draw in PICTURES.items():
        path, svg = HERE / f'{name}.svg', draw().svg()
        if '--check' in sys.argv[1:]:
            if not path.exists() or path.read_text() != svg:
                differs.append(path.name)
        else:
            path.write_text(svg)
    if differs:
        sys.exit(f'{", ".join(differs)}: out of date, run python3 docs/pictures/draw.py')


if __name__ == '__main__':
    main()

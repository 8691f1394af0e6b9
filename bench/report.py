#!/usr/bin/env python3
"""Turns the raw outputs of bench/run into results.md, results.svg, overview.svg and curve.svg: report.py OUTPUTS RESULTS

OUTPUTS holds <part>.out (what the part's script printed), <part>.facts and *.machine (key TAB value). psql's tables become
Markdown tables, everything else is quoted as it is. The plots take their figures from the same lines. Sections of RESULTS/results.md
that OUTPUTS does not measure again stay as they are, also those that somebody wrote by hand.
"""
import math
import pathlib
import re
import sys
from html import escape

PARTS = {
    'core': 'The core beside the Rust crate',
    'instructions': 'The core beside the Rust crate, in instructions',
    'tlsh': 'TLSH beside the official library',
    'lavinhash': 'LavinHash beside its crate',
    'shq64': 'Shq64 by random projection beside uubed',
    'embedding': 'Embeddings and chunks',
    'cli': 'The command line beside datatrove and simhash',
    'peers-python': 'MinHash beside datasketch and rensa',
    'python': 'The Python package',
    'cost': 'What calls cost',
    'sql': 'What SQL adds',
    'index': 'The MinHash index, one million rows',
    'growth': 'The MinHash index by size',
    'scale': 'Large tables',
    'bands': 'Bands and rows',
    'sketch': 'The access method sketch',
    'directory': 'The band directory beside GIN',
    'large-index': 'Indexes by the number of rows',
    'trgm': 'Near-duplicate searches beside pg_trgm; row estimates',
    'peers': 'Beside pg_similarity and pgvector',
    'hamming': 'The Hamming index',
    'lavinhash-index': 'The LavinHash index',
    'tenants': 'Leading columns, compact sketches, several processes',
    'filters': 'The nearest rows that pass a filter',
    'lavinhash-sketch': 'LavinHash: GIN beside sketch',
    'dedup': 'Bulk deduplication',
    'threads': 'Bulk deduplication in several threads',
    'exceptions': 'Bulk deduplication with exceptions',
    'compact': 'The compact form',
    'decisions': 'Right and wrong removals',
    'evidence': 'Evidence, and what is removed',
    'passages': 'Passages',
    'triggers': 'The check at insert',
    'clusters': 'Clusters that stay current',
    'recall': 'Recall',
}
FOOTER = re.compile(r'^\(\d+ rows?\)$')
RULE = re.compile(r'^-+(\+-+)*$')


def facts(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split('\t', 1) for line in lines if '\t' in line]


def cells(line):
    return [cell.strip() for cell in line.split('|')]


def blocks(text):
    """Yields ('table', header, rows) and ('text', lines)."""
    lines = text.splitlines()
    plain = []
    i = 0
    while i < len(lines):
        header_and_rule = i + 1 < len(lines) and RULE.match(lines[i + 1]) and lines[i].strip()
        if not header_and_rule:
            plain.append(lines[i])
            i += 1
            continue
        if any(line.strip() for line in plain):
            yield 'text', plain
        plain = []
        header, rows, i = cells(lines[i]), [], i + 2
        while i < len(lines) and lines[i].strip() and not FOOTER.match(lines[i]):
            rows.append(cells(lines[i]))
            i += 1
        if i < len(lines) and FOOTER.match(lines[i]):
            i += 1
        yield 'table', header, rows
    if any(line.strip() for line in plain):
        yield 'text', plain


def markdown(text):
    out = []
    for kind, *content in blocks(text):
        if kind == 'table':
            header, rows = content
            numeric = [all(re.match(r'^-?[\d.,]*$', row[c]) for row in rows if c < len(row)) for c in range(len(header))]
            out.append('| ' + ' | '.join(header) + ' |')
            out.append('|' + '|'.join('---:' if n else '---' for n in numeric) + '|')
            out += ['| ' + ' | '.join(row) + ' |' for row in rows]
        else:
            lines = [line.rstrip() for line in content[0]]
            while lines and not lines[0]:
                lines.pop(0)
            while lines and not lines[-1]:
                lines.pop()
            if len(lines) == 1:
                out.append(lines[0])
            else:
                out += ['```', *lines, '```']
        out.append('')
    return '\n'.join(out)


# ------------------------------------------------------------------------------------------------- the plot

def columns(line):
    return line.split()


def core_bars(text):
    """Four of the ten scripts, those where the crate is closest among them; results.md has all."""
    measured = None
    for line in text.splitlines():
        head = re.match(r'^(\w+)\s+text\s+crate', line)
        if head:
            measured = head.group(1)
        row = re.match(r'^\s+((?:ascii|mixed|arabic|han)-5k)\s+\d+\s+\d+\s+([\d.]+)$', line)
        if row and measured:
            yield f'{measured}, {row.group(1)}', 'the Rust crate txtfp', float(row.group(2))


def in_bytes(n):
    return f'{n} bytes' if n < 1000 else f'{n // 1000} kB' if n < 1000000 else f'{n // 1000000} MB'


def last_column_bars(text, peer, what):
    """Rows of a table of words under a header that ends in 'ratio'; the first one or two words name the row."""
    within = False
    for line in text.splitlines():
        words = columns(line)
        if words and words[-1] == 'ratio':
            within = True
        elif within and len(words) > 3 and re.match(r'^\d+\.\d+$', words[-1]):
            name = ' '.join(w for w in words[:-1] if not re.match(r'^[\d.]+$', w)) or words[0]
            size = next((f', {in_bytes(int(w))}' for w in words[1:2] if w.isdigit()), '')
            yield f'{what}, {name}{size}', peer, float(words[-1])
        elif not words:
            within = False


def table_bars(text):
    for kind, *content in blocks(text):
        if kind != 'table':
            continue
        header, rows = content
        for row in (dict(zip(header, r)) for r in rows):
            if 'peer' in row and 'ratio' in row and not row['peer'].startswith('txtfp'):
                with_threshold = f" at {row['threshold']}" if 'threshold' in row else ''
                yield row.get('what', 'search') + with_threshold, row['peer'], number(row['ratio'])
            elif 'scan / this' in row and row.get('layout') == 'wide':
                yield f"Hamming index, {row['what']}", 'sequential scan', number(row['scan / this'])


def dedup_bars(text):
    for ratio, memory in re.findall(r'([\d.]+) with (\d+ [MG]B)', text):
        if float(ratio) > 0:
            yield f'clusters, {memory}', 'plain SQL', 1 / float(ratio)


def number(cell):
    return float(cell) if re.match(r'^[\d.]+$', cell) else None


def bars(outputs):
    found = []
    for part in PARTS:
        path = outputs / f'{part}.out'
        if not path.exists():
            continue
        text = path.read_text()
        if part == 'core':
            found += core_bars(text)
        elif part == 'tlsh':
            found += last_column_bars(text, 'official TLSH', 'TLSH')
        elif part == 'lavinhash':
            found += last_column_bars(text, 'the crate lavinhash', 'LavinHash')
        elif part == 'dedup':
            found += dedup_bars(text)
        elif part in ('trgm', 'peers', 'peers-python', 'hamming'):
            found += table_bars(text)
    return [bar for bar in found if bar[2]]


def significant(ratio):
    return f'{float(f"{ratio:.3g}"):,.10g}'


def document(width, height, title, shapes):
    """An image of its own: it brings its background, so that it can be read on light and dark pages."""
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif" font-size="11">',
        f'<title>{escape(title)}</title>',
        '<style>.paper{fill:#fff}text{fill:#222}.dim{fill:#666}.grid{stroke:#ddd}.axis{stroke:#444}.ahead{fill:#2a7ab0}.behind{fill:#c0504d}'
        '.a{color:#2a7ab0}.b{color:#2c8a4b}.c{color:#b3541e}.d{color:#7a4fb0}.line{fill:none;stroke:currentColor;stroke-width:1.5}.ink{fill:currentColor}'
        '@media(prefers-color-scheme:dark){.paper{fill:#0d1117}text{fill:#dde3ea}.dim{fill:#98a2ad}.grid{stroke:#30363d}.axis{stroke:#8b949e}'
        '.ahead{fill:#4c9fd6}.behind{fill:#e0746f}.a{color:#58a6e0}.b{color:#4fbf77}.c{color:#e58a4f}.d{color:#b08ae0}.ink{fill:currentColor}}</style>',
        '<rect class="paper" width="100%" height="100%"/>',
        f'<text x="10" y="18" font-size="14" font-weight="bold">{escape(title)}</text>',
        *shapes, '</svg>']) + '\n'


# The bars of the picture in README: label, and the measurement and peer of the bar in the long picture.
OVERVIEW = [
    ('search among 64,512 texts: pg_trgm, GIN index', 'search at 0.8', 'pg_trgm, GIN'),
    ('the same: pg_trgm, GiST index', 'search at 0.8', 'pg_trgm, GiST (texts below 2.5 kB)'),
    ('the same, first 500 characters: pg_similarity', 'near-duplicates, first 500 characters', 'pg_similarity, GIN'),
    ('clusters of a million texts: plain SQL', 'clusters, 64 MB', 'plain SQL'),
    ('SimHash search within 3 bits: sequential scan', 'Hamming index, within 3', 'sequential scan'),
    ('MinHash of 5 kB of English: datasketch', 'MinHash, 5 KB of them', 'datasketch, from text'),
    ('the same: rensa', 'MinHash, 5 KB of them', 'rensa, from text'),
    ('the same, cut into shingles before: rensa', 'MinHash, 5 KB of them', 'rensa, from shingles'),
    ('MinHash of 5 kB of English: Rust crate txtfp', 'minhash, ascii-5k', 'the Rust crate txtfp'),
    ('MinHash of 5 kB of Chinese: Rust crate txtfp', 'minhash, han-5k', 'the Rust crate txtfp'),
    ('TLSH of 5 kB of text: official library', 'TLSH, text, 5 kB', 'official TLSH'),
    ('LavinHash of 5 kB of text: its crate', 'LavinHash, text-5k', 'the crate lavinhash'),
]


def overview_svg(all_bars, machine):
    """One bar to a line, each beside another peer."""
    ratios = {(what, peer): ratio for what, peer, ratio in all_bars}
    chosen = [(label, ratios[what, peer]) for label, what, peer in OVERVIEW if (what, peer) in ratios]
    row, top, left, width = 22, 46, 300, 430
    low, high = -0.5, max(1, math.ceil(math.log10(max(ratio for _, ratio in chosen))))

    def x(ratio):
        return left + (math.log10(ratio) - low) / (high - low) * width

    height = top + len(chosen) * row + 30
    out = [f'<text class="dim" x="10" y="34">{escape(machine)}; logarithmic</text>']
    for power in range(0, high + 1):
        at = x(10 ** power)
        out.append(f'<line class="{"axis" if power == 0 else "grid"}" x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{height - 20}"/>')
        out.append(f'<text class="dim" x="{at:.1f}" y="{height - 6}" text-anchor="middle">{10 ** power:,}</text>')
    for n, (label, ratio) in enumerate(chosen):
        y = top + (n + 1) * row
        start, end = sorted((x(1), x(ratio)))
        text = f'{significant(float(f"{ratio:.2g}"))} times faster' if ratio >= 1 else f'{significant(float(f"{1 / ratio:.2g}"))} times slower'
        out.append(f'<text x="{left - 8}" y="{y - 6}" text-anchor="end">{escape(label)}</text>')
        out.append(f'<rect class="{"ahead" if ratio >= 1 else "behind"}" x="{start:.1f}" y="{y - 18}" width="{max(end - start, 1):.1f}" height="15"/>')
        out.append(f'<text x="{end + 5:.1f}" y="{y - 6}">{text}</text>')
    return document(left + width + 130, height, 'txtfp beside what you may know', out)


def bars_svg(all_bars, machine):
    row, top, left, width = 17, 46, 270, 470
    lowest = min(0.5, *(b[2] for b in all_bars))
    highest = max(10, *(b[2] for b in all_bars))
    low, high = math.floor(math.log10(lowest) * 2) / 2, math.ceil(math.log10(highest))

    def x(ratio):
        return left + (math.log10(ratio) - low) / (high - low) * width

    peers = list(dict.fromkeys(b[1] for b in all_bars))
    height = top + (len(all_bars) + len(peers)) * row + 30
    out = [f'<text class="dim" x="10" y="34">{escape(machine)}; logarithmic; below 1: the peer is faster</text>']
    for power in range(math.ceil(low), high + 1):
        at = x(10 ** power)
        out.append(f'<line class="{"axis" if power == 0 else "grid"}" x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{height - 20}"/>')
        out.append(f'<text class="dim" x="{at:.1f}" y="{height - 6}" text-anchor="middle">{10 ** power:,}</text>')
    y = top
    for peer in peers:
        y += row
        out.append(f'<text x="10" y="{y - 4}" font-weight="bold">beside {escape(peer)}</text>')
        for what, _, ratio in (b for b in all_bars if b[1] == peer):
            y += row
            start, end = sorted((x(1), x(ratio)))
            out.append(f'<text x="{left - 8}" y="{y - 4}" text-anchor="end">{escape(what)}</text>')
            out.append(f'<rect class="{"ahead" if ratio >= 1 else "behind"}" x="{start:.1f}" y="{y - 14}" width="{max(end - start, 1):.1f}" height="12"/>')
            out.append(f'<text x="{end + 4:.1f}" y="{y - 4}">{significant(ratio)} ×</text>')
    return document(left + width + 50, height, 'How many times as fast as its peers txtfp is', out)


# The default index, and the number of common bands that it requires at some thresholds: the largest number that pairs at the threshold
# have with probability 0.99.
BANDS, ROWS = 16, 4
CURVE_LEGEND = 'lines: 1 − (1 − s⁴)¹⁶ and its like; dots: measured, all pairs of Debian’s package descriptions'
DEMANDED = {1: (0.72, 'a', 'one shared band'), 2: (0.8, 'b', 'two'), 6: (0.9, 'c', 'six')}


def shares_bands(similarity, least):
    """The probability that two sketches of this similarity share at least so many bands."""
    one = similarity ** ROWS
    return 1 - sum(math.comb(BANDS, n) * one ** n * (1 - one) ** (BANDS - n) for n in range(least))


def curve_points(text):
    """(similarity, {bands: share of the pairs that have so many in common}) of each row of bench/recall.sh's first table."""
    for kind, *content in blocks(text):
        if kind == 'table' and '1 band' in content[0]:
            for row in (dict(zip(content[0], r)) for r in content[1]):
                yield float(row['similarity']), {n: float(row[f'{n} band' + 's' * (n > 1)]) for n in DEMANDED}


def curve_svg(points, about):
    left, top, width, height = 60, 56, 480, 240
    bottom, right = top + height, left + width

    def at(similarity, share):
        return f'{left + similarity * width:.1f},{bottom - share * height:.1f}'

    out = [f'<text class="dim" x="10" y="34">{escape(about)}</text>']
    for n in range(11):
        tenth = n / 10
        x = left + tenth * width
        out.append(f'<line class="{"grid" if n else "axis"}" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        out.append(f'<text class="dim" x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{tenth:g}</text>')
    for n in range(0, 101, 25):
        y = bottom - n / 100 * height
        out.append(f'<line class="{"grid" if n else "axis"}" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        out.append(f'<text class="dim" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{n} %</text>')
    out.append(f'<text x="{left + width / 2}" y="{bottom + 32}" text-anchor="middle">similarity of two texts (exact Jaccard)</text>')
    out.append(f'<text transform="translate(16 {top + height / 2}) rotate(-90)" text-anchor="middle">pairs that are looked at</text>')
    for n, (bands, (threshold, colour, name)) in enumerate(DEMANDED.items()):
        curve = ' '.join(at(s / 100, shares_bands(s / 100, bands)) for s in range(101))
        out.append(f'<g class="{colour}"><polyline class="line" points="{curve}"/>')
        for similarity, shares in points:
            x, y = at(similarity, shares[bands]).split(',')
            out.append(f'<circle class="ink" cx="{x}" cy="{y}" r="2.5"/>')
        x, y = at(threshold, shares_bands(threshold, bands)).split(',')
        out.append(f'<line class="line" stroke-dasharray="2 3" x1="{x}" y1="{y}" x2="{x}" y2="{bottom}"/>')
        out.append(f'<text class="ink" x="{left + 12}" y="{top + 22 + 16 * n}">{name}: searches at {threshold:g}</text></g>')
    return document(right + 20, bottom + 42, 'What the default index looks at: 16 bands of 4 slots', out)


METHODS = {'scan': ('c', 'scan of the table'), 'planes': ('b', 'sketch, bands = 0'), 'gin': ('d', 'GIN'), 'directory': ('a', 'sketch')}
GROWTH_LEGEND = 'minhash128, processor time of one session, everything in memory; both axes are logarithmic'
GROWTH = re.compile(r'search at 0\.80, µs$')


def growth_points(text):
    """{method: [(rows, µs of a search)]} of the tables of bench/large_index.sh."""
    points = {}
    for kind, *content in blocks(text):
        if kind != 'table' or content[0][:2] != ['method', 'measured']:
            continue
        sizes = [int(name.split()[0]) for name in content[0][2:]]
        for method, measured, *values in content[1]:
            if GROWTH.search(measured):
                points.setdefault(method, []).extend((rows, float(value)) for rows, value in zip(sizes, values) if value)
    return {method: sorted(points[method]) for method in METHODS if method in points}


def growth_svg(points, about):
    left, top, width, height = 70, 56, 470, 260
    bottom, right = top + height, left + width
    decades_x, decades_y = (4, 8), (1, 6)  # of rows, of microseconds
    names = {1: '10 µs', 2: '0.1 ms', 3: '1 ms', 4: '10 ms', 5: '0.1 s', 6: '1 s'}

    def along(value, decades, size):
        return (math.log10(value) - decades[0]) / (decades[1] - decades[0]) * size

    out = [f'<text class="dim" x="10" y="34">{escape(about)}</text>']
    for n in range(decades_x[0], decades_x[1] + 1):
        x = left + along(10 ** n, decades_x, width)
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        out.append(f'<text class="dim" x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{10 ** n:,}</text>')
    for n, name in names.items():
        y = bottom - along(10 ** n, decades_y, height)
        out.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        out.append(f'<text class="dim" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
    out.append(f'<text x="{left + width / 2}" y="{bottom + 32}" text-anchor="middle">rows</text>')
    for method, measured in points.items():
        colour, name = METHODS[method]
        places = [(left + along(rows, decades_x, width), bottom - along(value, decades_y, height)) for rows, value in measured]
        out.append(f'<g class="{colour}"><polyline class="line" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
        out += [f'<circle class="ink" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in places]
        x, y = places[-1]
        out.append(f'<text class="ink" x="{min(x, right - 40):.1f}" y="{y - 7:.1f}" text-anchor="end">{name}</text></g>')
    return document(right + 45, bottom + 42, 'A search at 0.8 by the number of rows', out)


def sections(path):
    """The sections of results that are there, by their titles."""
    parts = ('\n' + path.read_text()).split('\n## ')[1:] if path.exists() else []
    return {title: text.strip() for title, text in (part.split('\n', 1) for part in parts)}


def main():
    outputs, results = (pathlib.Path(argument) for argument in sys.argv[1:3])
    known = []
    for path in sorted(outputs.glob('*.machine')):
        known += [fact for fact in facts(path) if fact not in known]
    md = ['# Results', '', 'Written by `bench/run`; each part says when it was measured and how busy the machine was then (load averages). '
          'Ratios are medians side by side in one run.', '']
    all_bars = bars(outputs)
    if all_bars:
        md += ['![txtfp beside its peers](results.svg)', '']
        (results / 'results.svg').write_text(bars_svg(all_bars, dict(known).get('machine', '')))
        (results / 'overview.svg').write_text(overview_svg(all_bars, dict(known).get('machine', '')))
    recall = outputs / 'recall.out'
    if recall.exists():
        points = list(curve_points(recall.read_text()))
        md += ['![what the default index looks at](curve.svg)', '']
        (results / 'curve.svg').write_text(curve_svg(points, CURVE_LEGEND))
    growth = outputs / 'large-index.out'
    if growth.exists():
        md += ['![searches by the number of rows](growth.svg)', '']
        (results / 'growth.svg').write_text(growth_svg(growth_points(growth.read_text()), GROWTH_LEGEND))
    md += ['| | |', '|---|---|', *(f'| {key} | {value} |' for key, value in known), '']
    text = sections(results / 'results.md')
    for part, title in PARTS.items():
        path = outputs / f'{part}.out'
        if path.exists():
            about = dict(facts(outputs / f'{part}.facts'))
            text[title] = (f"`{about.get('command', '')}`, {about.get('date', '')}, commit {about.get('commit', '')}, load {about.get('load', '')}\n\n"
                           + markdown(path.read_text()).strip())
    for title in text:
        md += [f'## {title}', '', text[title], '']
    (results / 'results.md').write_text('\n'.join(md).rstrip() + '\n')


if __name__ == '__main__':
    main()

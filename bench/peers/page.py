"""Writes the page from what run.py has measured: page.py RESULTS FOLDER [--record] [--check]

FOLDER/peers.md, its pictures FOLDER/peers_*.svg and every figure, FOLDER/peers.tsv. --record adds the headline ratios to FOLDER/peers_history.tsv; --check ends with an error if
one of them is more than a tenth below its last value there.
"""
import json
import math
import pathlib
import statistics
import sys
from html import escape

from corpora import ABOUT
from tools import TOOLS

MISSING = {
    'duplodocus': 'it is in no registry',
    "DuckDB's community functions (lsh, minhash)": 'DuckDB is measured with plain SQL',
    'splink': 'recordlinkage stands for this kind',
    'pgvector in the same server': 'it is measured in the server that a package of PyPI brings',
    'a model for semhash and pgvector': 'sums of hashed words stand for one, so their rows say little about meaning',
}
NAMES = {'pairs': 'pairs found, %', 'true': 'of its pairs true, %', 'right': 'removals right, %', 'gone': 'of what may go, %', 'processor': 'processor s', 'clock': 'clock s', 'memory': 'MB of memory', 'disk': 'MB on disk'}
OURS = 'txtfp'

def percent(part, whole):
    return 100 * part / whole if whole else None

SHARES = ('pairs', 'true', 'right', 'gone')

def figures(row):
    """The measures of NAMES, None where one does not apply."""
    out = {'pairs': percent(row['true_found'], row['true']) if 'pairs' in row else None, 'true': percent(row['true_found'], row['pairs']) if 'pairs' in row else None,
           'right': percent(row['right'], row['removals']), 'gone': percent(row['right'], row['copies'])}
    return {**out, **{key: row[key] for key in ('processor', 'clock', 'memory', 'disk')}}

def shown(key, value):
    if value is None:
        return '–'
    if key in SHARES:
        return f'{value:.1f}' if value < 100 else '100'
    return f'{value:.0f}' if value >= 100 or key == 'memory' else f'{value:.1f}' if value >= 1 or key == 'disk' else f'{value:.2f}'

def table(header, rows, column='---:|'):
    return ['| ' + ' | '.join(header) + ' |', '|---|' + column * (len(header) - 1), *('| ' + ' | '.join(row) + ' |' for row in rows), '']

def median(results, name, key):
    """Over the corpora that the tool got through; None if the measure applies to none."""
    found = [figures(rows[name])[key] for rows in results.values() if 'removals' in rows.get(name, {})]
    found = [value for value in found if value is not None]
    return statistics.median(found) if found else None

def losses(results):
    """(how many times better, words) where the best of the others is better than the best of ours by a twentieth or more."""
    for corpus, rows in results.items():
        for key in NAMES:
            if key == 'clock':
                continue
            better = max if key in SHARES else min
            # Who removes nothing is never wrong, and fast: only rows count whose right removals are at least half of the most of ours.
            enough = max((row['right'] for name, row in rows.items() if name.startswith(OURS) and 'removals' in row), default=0) / 2
            measured = {name: figures(row)[key] for name, row in rows.items() if row.get('right', -1) >= enough and figures(row)[key] is not None}
            ours = {name: value for name, value in measured.items() if name.startswith(OURS)}
            others = {name: value for name, value in measured.items() if not name.startswith(OURS)}
            if not ours:
                continue
            best = better(ours, key=ours.get)
            if others:
                other = better(others, key=others.get)
                a, b = others[other], ours[best]
                ratio = (a + 0.01) / (b + 0.01) if better is max else (b + 0.01) / (a + 0.01)
                if ratio >= 1.05:
                    yield ratio, (corpus, NAMES[key], f'{other}: {shown(key, a)}', f'{best.removeprefix("txtfp ")}: {shown(key, b)}')

def headline(results):
    """Ratios, the greater the better for txtfp; medians over the corpora."""
    def median_of(peer, own, key):
        found = [rows[peer][key] / rows[own][key] for rows in results.values() if key in rows.get(peer, {}) and rows.get(own, {}).get(key) and 'missing' not in rows[peer]]
        return round(statistics.median(found), 3) if found else None

    ratios = {f'processor time, {peer} / txtfp command line': median_of(peer, 'txtfp command line, pairs', 'processor') for peer in ('datasketch', 'rensa', 'gaoya', 'DuckDB')}
    ratios['processor time, pg_trgm / txtfp server'] = median_of('pg_trgm', 'txtfp server, pairs', 'processor')
    for name, key, of in (('share of pairs found, txtfp server', 'true_found', 'true'), ('share of right removals, deduplicate', 'right', 'removals')):
        tool = 'txtfp server, pairs' if key == 'true_found' else 'txtfp server, deduplicate'
        rows = [r[tool] for r in results.values() if r.get(tool, {}).get(of)]
        ratios[name] = round(sum(r[key] for r in rows) / sum(r[of] for r in rows), 3) if rows else None
    return {name: value for name, value in ratios.items() if value is not None}

def picture(path, title, key, results, logarithmic):
    """A line for each tool, a dot for each corpus."""
    names = [name for name in TOOLS if any('removals' in rows.get(name, {}) and figures(rows[name])[key] is not None for rows in results.values())]
    values = {(name, corpus): figures(rows[name])[key] for corpus, rows in results.items() for name in names if 'removals' in rows.get(name, {})}
    values = {place: value for place, value in values.items() if value is not None}
    low, high = (math.floor(math.log10(max(min(values.values()), 0.01))), math.ceil(math.log10(max(values.values())))) if logarithmic else (0, 100)
    left, width, top, step = 190, 420, 52, 22
    def x(value):
        return left + width * ((math.log10(max(value, 10 ** low)) - low) / (high - low) if logarithmic else value / 100)
    bottom = top + step * len(names)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {bottom + 70}" font-family="sans-serif" font-size="12" role="img"><title>{escape(title)}</title>',
           '<style>text{fill:#222}.grid{stroke:#ddd}.ours{font-weight:bold}@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}}</style>',
           f'<text x="10" y="20" font-size="14" class="ours">{escape(title)}</text>']
    for tick in range(low, high + 1) if logarithmic else range(0, 101, 25):
        at = x(10 ** tick if logarithmic else tick)
        out.append(f'<path class="grid" d="M{at:.0f},{top - 8} V{bottom}"/><text x="{at:.0f}" y="{top - 12}" text-anchor="middle">{10 ** tick if logarithmic else tick:g}</text>')
    colours = dict(zip(ABOUT, ('#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9')))
    for n, name in enumerate(names):
        y = top + step * n + step / 2
        weight = 'class="ours"' if name.startswith(OURS) else ''
        out.append(f'<text x="{left - 10}" y="{y + 4:.0f}" text-anchor="end" {weight}>{escape(name)}</text>'
                   f'<path class="grid" d="M{left},{y:.0f} H{left + width}"/>')
        out += [f'<circle cx="{x(values[name, corpus]):.1f}" cy="{y:.1f}" r="4.5" fill="{colours[corpus]}" fill-opacity="0.8"/>' for corpus in results if (name, corpus) in values]
    for n, corpus in enumerate(results):
        out.append(f'<circle cx="{left + 70 * n}" cy="{bottom + 26}" r="4.5" fill="{colours[corpus]}"/><text x="{left + 70 * n + 8}" y="{bottom + 30}">{corpus}</text>')
    path.write_text('\n'.join([*out, '</svg>\n']))

PICTURES = (('found', 'Which share of the true pairs is found? (%)', 'pairs', False), ('right', 'Which share of the removals is right? (%)', 'right', False),
            ('processor', 'How long does it take? (seconds of processor time)', 'processor', True), ('memory', 'How much memory does it need? (MB)', 'memory', True))

def page(data, jobs):
    results, about = data['results'], data['about']
    md = ['# Beside other tools', '', '*Which tool finds what, and what does it cost?*', '',
          f'Written by `sh bench/peers.sh` (the calls and versions are in `bench/peers/tools.py`): {about["machine"]}; PostgreSQL {about["PostgreSQL"]}, Python {about["Python"]}; {about["date"]}, commit {about["commit"]}. '
          'One run of each tool on each corpus, in a process of its own, start of the interpreter and reading of the file included; ended after ' f'{about["limit"]} seconds of processor time; SIZE={about["size"]}.', '', '## Where txtfp is not the best', '']
    found = sorted(losses(results), reverse=True)
    md += table(('corpus', 'what', 'the best of the others', 'the best of txtfp', 'times'), [(*words, f'{ratio:.2f}') for ratio, words in found], '---|') if found else ['Nowhere by more than a twentieth.', '']
    md += ['Only rows count whose right removals are at least half of the most of txtfp: who removes nothing is never wrong.', '', '## Which one to take', '', jobs, '', '## Pictures', '']
    md += [f'![{title}](peers_{name}.svg)\n' for name, title, _, _ in PICTURES]
    md += ['## The figures', '', 'Medians over the corpora, or over those that a tool got through in time, as the brackets say. `bench/peers.tsv` has every figure of every corpus.', '']
    keys = ('pairs', 'true', 'right', 'gone', 'processor', 'memory', 'disk')
    md += table(('tool', *(NAMES[key] for key in keys)), [(name + (f' ({done} of {len(results)})' if done < len(results) else ''), *(shown(key, median(results, name, key)) for key in keys))
         for name in TOOLS if (done := sum('removals' in rows.get(name, {}) for rows in results.values()))])
    md += ['A true pair has an exact Jaccard similarity of 0.8 or more between its sets of word 5-shingles (words of Python\'s `\\w+`; the second number of the table counts the pairs that have it by Unicode\'s words, too). '
           'Removals of tools that return pairs: in the order of the documents, one goes if a pair leads to an earlier one that stays. Memory is without shared buffers.', '']
    md += table(('corpus', 'what', 'documents, MB', 'true pairs, by Unicode\'s words, too (right to remove)', 'may go', 'a removal is right if'),
                [(corpus, f'{ABOUT[corpus][0]}; {ABOUT[corpus][1]}', f'{of["documents"]:,}, {of["mb"]}', f'{of["true"]:,}, {of["by_unicode_words"]:,} ({of["true_right"]:,})', f'{of["copies"]:,}', ABOUT[corpus][2]) for corpus, of in data['corpora'].items()], '---|')
    md += ['Not to be had, or not measured:', '', *(f'* {name}: {why}' for name, why in MISSING.items()), '']
    md += ['The headline ratios of each run, medians over the corpora, are in `bench/peers_history.tsv`. CI fails if one falls by a tenth.', '']
    return '\n'.join(md)

def jobs_of(old):
    """The section about jobs, which somebody wrote: the page that is there has it."""
    return old.split('## Which one to take\n\n')[1].split('\n\n## ')[0]

def every_figure(results):
    """The lines of peers.tsv; an empty field where a measure does not apply."""
    yield '\t'.join(('corpus', 'tool', 'removals', *NAMES.values(), 'missing'))
    for corpus, rows in results.items():
        for name, row in rows.items():
            values = figures(row) if 'removals' in row else {'processor': row.get('processor')}
            yield '\t'.join((corpus, name, str(row.get('removals', '')), *('' if values.get(key) is None else f'{values[key]:.4g}' for key in NAMES), row.get('missing', '')))

def last_values(history):
    """Of each ratio the last value that had not fallen, so that one that has fallen fails until it is back."""
    lines = [line.split('\t') for line in history.read_text().splitlines()[1:]] if history.exists() else []
    return {name: float(value) for _, _, name, value, fell in lines if not fell}

def main():
    data, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    results, history = data['results'], folder / 'peers_history.tsv'
    for corpus, rows in results.items():
        for row in rows.values():
            row['copies'] = data['corpora'][corpus]['copies']
    for name, title, key, logarithmic in PICTURES:
        picture(folder / f'peers_{name}.svg', title, key, results, logarithmic)
    (folder / 'peers.md').write_text(page(data, jobs_of((folder / 'peers.md').read_text('utf-8'))), 'utf-8')
    (folder / 'peers.tsv').write_text(''.join(f'{line}\n' for line in every_figure(results)), 'utf-8')
    last, now = last_values(history), headline(results)
    fallen = {name: value for name, value in last.items() if now.get(name, 0) < 0.9 * value}
    if '--record' in sys.argv:
        if not history.exists():
            history.write_text('date\tcommit\tratio\tvalue\tfell\n')
        with open(history, 'a') as out:
            out.writelines(f'{data["about"]["date"][:10]}\t{data["about"]["commit"]}\t{name}\t{value:g}\t{"fell" if name in fallen else ""}\n' for name, value in now.items())
    if '--check' in sys.argv and fallen:
        sys.exit('\n'.join(f'{name}: {now.get(name)} is more than a tenth below {value}' for name, value in fallen.items()))

if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Puts the figures of bench/results.md into the pages, so that each figure has one home:

    python3 bench/figures.py            writes them into README.md and docs/*.md
    python3 bench/figures.py --check    ends with an error if a page has another figure than the results

In a page a figure stands between two comments, <!--name-->3.39 s<!---->. FIGURES says, for each name, in which section of the
results it is found, by which pattern (its group is the figure), and how it is written. `{0}` is the figure as it stands there.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEADING = 'Leading columns, compact sketches, several processes'
HUNDRED = 'A hundred million documents'
REMOVALS = 'Right and wrong removals'
THREADS = 'Bulk deduplication in several threads'
BESIDE_GIN = 'An index USING sketch beside a GIN index'


NUMBER = r'([\d.]+)'


def row(*cells, skip=0, value=r'([^|]*?) \|'):
    """A row of a Markdown table that begins with these cells; the group is in the next one, after so many that are skipped."""
    return r'^\| ' + r' \| '.join(re.escape(cell) for cell in cells) + r' \|' + r'[^|]*\|' * skip + ' ' + value


def second(*cells):
    return row(*cells, skip=1)


def hundred_million(stage, what):
    """The first number of the column "100 M"."""
    return row(stage, what, skip=2, value=NUMBER)

FIGURES = {
    # name: (section, pattern, format)
    'build_sketch': (LEADING, row('docs USING sketch (fp)'), '{0} s'),
    'size_sketch': (LEADING, r'^\| docs USING sketch \(fp\) \| [^|]* \| ([^|]*?) \|', '{0}'),
    'search_08': (LEADING, row('0.8, all rows', 'docs_fp'), '{0} ms'),
    'search_07': (LEADING, row('0.7, all rows', 'docs_fp'), '{0} ms'),
    'nearest': (LEADING, row('10 nearest, all rows', 'docs_fp'), '{0} ms'),
    'tenant_nearest': (LEADING, row('10 nearest, tenant of 10,000', 'docs_large'), '{0} ms'),
    'tenant_08': (LEADING, row('0.8, tenant of 10,000', 'docs_large'), '{0} ms'),
    'gin_build': (BESIDE_GIN, row('build, s'), '{0}'),
    'beside_gin_build': (BESIDE_GIN, second('build, s'), '{0}'),
    'gin_size': (BESIDE_GIN, row('size, MB'), '{0}'),
    'beside_gin_size': (BESIDE_GIN, second('size, MB'), '{0}'),
    'gin_08': (BESIDE_GIN, row('search at 0.8, µs (all find the same rows)'), '{0}'),
    'beside_gin_08': (BESIDE_GIN, second('search at 0.8, µs (all find the same rows)'), '{0}'),
    'gin_07': (BESIDE_GIN, row('search at 0.7, µs'), '{0}'),
    'beside_gin_07': (BESIDE_GIN, second('search at 0.7, µs'), '{0}'),
    'beside_gin_07_recall': (BESIDE_GIN, second('search at 0.7 with recall = 0.99, µs'), '{0}'),
    'gin_insert': (BESIDE_GIN, row('insert, µs per row, minus the time of an insert without an index'), '{0}'),
    'beside_gin_insert': (BESIDE_GIN, second('insert, µs per row, minus the time of an insert without an index'), '{0}'),
    'gin_slowest': (BESIDE_GIN, row('the slowest of 18,000 inserts, ms'), '{0}'),
    'beside_gin_slowest': (BESIDE_GIN, second('the slowest of 18,000 inserts, ms'), '{0}'),
    'clusters_compact_2': (THREADS, r'1000000 minhash128_compact +2 threads: +([\d.]+) s by', '{0} s'),
    'clusters_full': (THREADS, r'1000000 minhash128 +0 threads: +([\d.]+) s by', '{0} s'),
    'clusters_full_2': (THREADS, r'1000000 minhash128 +2 threads: +([\d.]+) s by', '{0} s'),
    'dedup_texts_2': (THREADS, r'1000000 texts +2 threads: +([\d.]+) s by', '{0} s'),
    'hm_load': (HUNDRED, hundred_million('load', 'seconds by the clock'), '{0} s'),
    'hm_vacuum': (HUNDRED, hundred_million('vacuum', 'seconds by the clock'), '{0} s'),
    'hm_build': (HUNDRED, hundred_million('build', 'CREATE INDEX: seconds by the clock, processor'), '{0} s'),
    'hm_clusters': (HUNDRED, hundred_million('clusters', 'seconds by the clock'), '{0} s'),
    'hm_clusters_memory': (HUNDRED, hundred_million('clusters', 'greatest memory, MB: session: SELECT'), '{0} MB'),
    'hm_deduplicate': (HUNDRED, hundred_million('deduplicate', 'seconds by the clock'), '{0} s'),
    'hm_search': (HUNDRED, hundred_million('search', 'warm, 0.8, probes new: ms median, p99, processor; rows'), '{0} ms'),
    'hm_batch': (HUNDRED, hundred_million('batch', 'batch of 1000000: seconds by the clock, processor'), '{0} s'),
    'hm_cli': (HUNDRED, hundred_million('command_line', 'seconds by the clock'), '{0} s'),
    'guards_packages_wrong': (REMOVALS, row('packages', 'guards', skip=3), '{0}'),
    'guards_packages_right': (REMOVALS, row('packages', 'guards', skip=4), '{0}'),
    'guards_licences_wrong': (REMOVALS, row('licences', 'guards', skip=3), '{0}'),
    'guards_licences_right': (REMOVALS, row('licences', 'guards', skip=4), '{0}'),
}
MARK = re.compile(r'(<!--([a-z]\w*)-->)(.*?)(<!---->)')


def sections():
    parts = re.split(r'^## (.*)$', (ROOT / 'bench/results.md').read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def figures():
    texts, found = sections(), {}
    for name, (section, pattern, shown) in FIGURES.items():
        match = re.search(pattern, texts.get(section, ''), re.M)
        if not match:
            sys.exit(f'bench/results.md has no figure "{name}": section "{section}", pattern {pattern}')
        found[name] = shown.format(match[1])
    return found


def main():
    found, used, wrong = figures(), set(), []
    for path in [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]:
        text = path.read_text()

        def put(match):
            name = match[2]
            used.add(name)
            if name not in found:
                sys.exit(f'{path.relative_to(ROOT)}: there is no figure "{name}" in bench/figures.py')
            if match[3] != found[name]:
                wrong.append(f'{path.relative_to(ROOT)}: {name} is {found[name]} in the results, not {match[3]}')
            return match[1] + found[name] + match[4]

        new = MARK.sub(put, text)
        if new != text and '--check' not in sys.argv[1:]:
            path.write_text(new)
    if unused := sorted(set(FIGURES) - used):
        wrong.append(f'no page has the figures {", ".join(unused)}')
    if wrong and '--check' in sys.argv[1:]:
        sys.exit('\n'.join(wrong) + '\nrun python3 bench/figures.py')


if __name__ == '__main__':
    main()

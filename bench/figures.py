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
THREADS = 'Bulk deduplication in several threads'


def row(*cells):
    """A row of a Markdown table that begins with these cells; the group is the next one."""
    return r'^\| ' + r' \| '.join(re.escape(cell) for cell in cells) + r' \| ([^|]*?) \|'



FIGURES = {
    # name: (section, pattern, format)
    'build_sketch': (LEADING, row('docs USING sketch (fp)'), '{0} s'),
    'build_compact': (LEADING, row('compact USING sketch (fp)'), '{0} s'),
    'size_sketch': (LEADING, r'^\| docs USING sketch \(fp\) \| [^|]* \| ([^|]*?) \|', '{0}'),
    'search_08': (LEADING, row('0.8, all rows', 'docs_fp'), '{0} ms'),
    'search_07': (LEADING, row('0.7, all rows', 'docs_fp'), '{0} ms'),
    'nearest': (LEADING, row('10 nearest, all rows', 'docs_fp'), '{0} ms'),
    'tenant_nearest': (LEADING, row('10 nearest, tenant of 10,000', 'docs_large'), '{0} ms'),
    'tenant_08': (LEADING, row('0.8, tenant of 10,000', 'docs_large'), '{0} ms'),
    'tenant_05': (LEADING, row('0.5, tenant of 10,000', 'docs_large'), '{0} ms'),
    'tenant_sort': (LEADING, row('10 nearest, tenant of 10,000', 'docs_btree, sort'), '{0} ms'),
    'build_4m': (LEADING, row('build, all files in memory, s (three rounds)'), '{0} s'),
    'build_4m_2': (LEADING, r'^\| build, all files in memory, s \(three rounds\) \|[^|]*\|[^|]*\| ([^|]*?) \|', '{0} s'),
    'build_ratio': (LEADING, r'^\| build, all files in memory, s \(three rounds\) \|[^|]*\|[^|]*\|[^|]*\| ([^|]*?) \|', '{0}'),
    'clusters_4m': (THREADS, r'4000000 minhash128_compact +0 threads: +([\d.]+) s by', '{0} s'),
    'clusters_4m_2': (THREADS, r'4000000 minhash128_compact +2 threads: +([\d.]+) s by', '{0} s'),
    'clusters_compact': (THREADS, r'1000000 minhash128_compact +0 threads: +([\d.]+) s by', '{0} s'),
    'clusters_compact_2': (THREADS, r'1000000 minhash128_compact +2 threads: +([\d.]+) s by', '{0} s'),
    'clusters_full': (THREADS, r'1000000 minhash128 +0 threads: +([\d.]+) s by', '{0} s'),
    'clusters_full_2': (THREADS, r'1000000 minhash128 +2 threads: +([\d.]+) s by', '{0} s'),
    'rensa': ('MinHash beside datasketch and rensa', r'MinHash, 5 KB of them +\| rensa, from text +\| [\d.]+ +\| ([\d.]+)', '{0}'),
    'datasketch': ('MinHash beside datasketch and rensa', r'MinHash, 5 KB of them +\| datasketch, from text +\| [\d.]+ +\| ([\d.]+)', '{0}'),
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

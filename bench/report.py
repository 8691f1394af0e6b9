#!/usr/bin/env python3
"""Turns the raw outputs of bench/run into results.md: report.py OUTPUTS RESULTS

OUTPUTS holds <part>.out (what the part's script printed), <part>.facts and *.machine (key TAB value). psql's tables become
Markdown tables, everything else is quoted as it is. Sections of RESULTS/results.md
that OUTPUTS does not measure again stay as they are, also those that somebody wrote by hand.
"""
import pathlib
import re
import sys

PARTS = {
    'core': 'The core beside the Rust crate',
    'instructions': 'The core beside the Rust crate, in instructions',
    'cost': 'What calls cost',
    'tenants': 'Leading columns, compact sketches, several processes',
    'sketch': 'The access method sketch',
    'directory': 'An index USING sketch beside a GIN index',
    'threads': 'Bulk deduplication in several threads',
    'decisions': 'Right and wrong removals',
    'gate': 'The texts decide',
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


def sections(path):
    """The sections of results that are there, by their titles."""
    parts = ('\n' + path.read_text()).split('\n## ')[1:] if path.exists() else []
    return {title: text.strip() for title, text in (part.split('\n', 1) for part in parts)}


def main():
    outputs, results = (pathlib.Path(argument) for argument in sys.argv[1:3])
    known = []
    for path in sorted(outputs.glob('*.machine')):
        known += [fact for fact in facts(path) if fact not in known]
    md = ['# Results', '', 'The figures that pages quote, written by `bench/run` and `bench/hundred_million.sh`. Each part says when it was measured and how busy the machine was then (load averages). '
          'Ratios are medians side by side in one run.', '']
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

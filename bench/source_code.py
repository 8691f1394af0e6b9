"""How alike source files and edited copies of them are, as sets of lines and as shingles of words: the figures of docs/columns.md.
    python3 bench/source_code.py FOLDER…        files *.py, *.c, *.h, *.cpp, *.pm of 50 lines and more, at most 400 of them
Exact Jaccard similarity; a word is a run of letters, digits and underscores. Edits: a word that occurs often gets another name everywhere, one
line in twenty is deleted, every indentation is doubled."""
import collections
import pathlib
import random
import re
import statistics
import sys


def lines(text):
    return {line.strip() for line in text.splitlines() if line.strip()}


def shingles(text, k=5):
    words = re.findall(r'\w+', text.lower())
    return {tuple(words[i:i + k]) for i in range(max(1, len(words) - k + 1))}


def jaccard(a, b):
    return len(a & b) / len(a | b)


def renamed(text, draw):
    often = [w for w, n in collections.Counter(re.findall(r'[A-Za-z_]\w{3,}', text)).most_common(12)]
    return re.sub(rf'\b{draw.choice(often)}\b', 'another_name', text)


def shortened(text, draw):
    return '\n'.join(line for line in text.splitlines() if draw.random() >= 0.05)


def indented(text, draw):
    return '\n'.join(' ' * (len(line) - len(line.lstrip())) + line for line in text.splitlines())


draw = random.Random(1)
paths = [p for folder in sys.argv[1:] for p in sorted(pathlib.Path(folder).rglob('*'))
         if p.suffix in ('.py', '.c', '.h', '.cpp', '.pm') and p.is_file()]
draw.shuffle(paths)
texts = []
for path in paths:
    text = path.read_text(errors='replace')
    if len(lines(text)) >= 50 and len(texts) < 400:
        texts.append(text)
print(f'{len(texts)} files, median {statistics.median(len(lines(t)) for t in texts):.0f} different lines')
print(f'{"":24} {"lines":>7} {"lowest 5 %":>11} {"shingles":>9} {"lowest 5 %":>11}')
for name, edit in (('a name changed', renamed), ('5 % of lines deleted', shortened), ('indented anew', indented)):
    found = [[jaccard(f(t), f(edit(t, random.Random(i)))) for i, t in enumerate(texts)] for f in (lines, shingles)]
    a, b = (sorted(x) for x in found)
    n = len(texts) // 20
    print(f'{name:24} {statistics.median(a):7.2f} {a[n]:11.2f} {statistics.median(b):9.2f} {b[n]:11.2f}')
pairs = [(draw.choice(texts), draw.choice(texts)) for _ in range(4000)]
pairs = [(x, y) for x, y in pairs if x is not y]
found = [sorted(jaccard(f(x), f(y)) for x, y in pairs) for f in (lines, shingles)]
print(f'{"unrelated pairs":24} {statistics.median(found[0]):7.2f} {"":>11} {statistics.median(found[1]):9.2f}')
print(f'{"  highest 1 in 100":24} {found[0][-len(pairs) // 100]:7.2f} {"":>11} {found[1][-len(pairs) // 100]:9.2f}')

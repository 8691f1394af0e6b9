#!/usr/bin/env python3
"""Builds the site of the pages: build.py DIRECTORY [OPTION OF MKDOCS…]

Copies every Markdown file and picture that git knows into DIRECTORY/pages, so that links between them stay as they are, and calls
mkdocs, which checks them. The navigation is that of docs/README.md. A link to any other file of the repository is an error; what
pages need to show of such a file stands in the page.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def navigation():
    """README, the list of pages, and a tab for each shelf."""
    shelves = []
    for line in (ROOT / 'docs/README.md').read_text().splitlines():
        if line.startswith('## '):
            shelves.append((line[3:], []))
        entry = re.match(r'\| \[([^]]*)\]\((\w+\.md)\) \| .*\? \|$', line)
        if entry and shelves:
            shelves[-1][1].append({entry[1]: 'docs/' + entry[2]})
    return [{'txtfp': ['README.md', {'All pages': 'docs/README.md'}]}] + [{shelf: pages} for shelf, pages in shelves if pages]


def stage(pages):
    shutil.rmtree(pages, ignore_errors=True)
    for name in subprocess.check_output(['git', '-C', ROOT, 'ls-files', '*.md', '*.svg', '*.png'], text=True).splitlines():
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    stage(directory / 'pages')
    shown = f'docs_dir: {directory / "pages"}\nsite_dir: {directory / "html"}\n'
    config = directory / 'mkdocs.yml'
    config.write_text((ROOT / 'packaging/site/mkdocs.yml').read_text() + shown + yaml.safe_dump({'nav': navigation()}, allow_unicode=True))
    subprocess.check_call([sys.executable, '-m', 'mkdocs', 'build', '--strict', '--quiet', '--config-file', config, *sys.argv[2:]])
    print(f'{directory / "html"}/index.html')


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Writes strings for widths.sh that look like those of common columns, one in each line: FOLDER/names, FOLDER/addresses, FOLDER/log_lines. They are made up
by the Python package faker, in several languages, and the same in each run of one version of faker.
    python3 kinds.py FOLDER [ROWS]"""
import pathlib
import random
import sys

from faker import Faker

folder, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50000
random.seed(1)
Faker.seed(1)
people = [Faker(language) for language in ('en_US', 'de_DE', 'fr_FR', 'es_ES', 'pl_PL')]
web = Faker('en_US')


def name():
    return random.choice(people).name()


def address():
    return random.choice(people).address().replace('\n', ', ')


levels = ('INFO', 'INFO', 'INFO', 'WARN', 'ERROR', 'DEBUG')
services = ('auth', 'billing', 'search', 'mailer', 'gateway', 'worker')
messages = (
    lambda: f'user {web.user_name()} logged in from {web.ipv4()}',
    lambda: f'{random.choice(("GET", "POST", "PUT"))} /{web.uri_path(3)} {random.choice((200, 200, 301, 404, 500))} {random.randrange(9000)} ms',
    lambda: f'connection to {web.hostname()}:{random.randrange(1024, 65536)} timed out after {random.randrange(60)} s, retrying',
    lambda: f'job {web.uuid4()} finished in {random.randrange(90000)} ms',
    lambda: f'could not open file "{web.file_path(depth=3)}": {random.choice(("No such file or directory", "Permission denied"))}')


def log_line():
    return f'{web.date_time_this_decade():%Y-%m-%d %H:%M:%S} {random.choice(levels)} [{random.choice(services)}] {random.choice(messages)()}'


folder.mkdir(parents=True, exist_ok=True)
for kind, make in (('names', name), ('addresses', address), ('log_lines', log_line)):
    lines = dict.fromkeys(make() for _ in range(rows * 2))
    (folder / kind).write_text(''.join(f'{line}\n' for line in list(lines)[:rows]), encoding='utf-8')

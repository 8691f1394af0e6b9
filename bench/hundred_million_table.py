#!/usr/bin/env python3
"""Writes a Markdown table of several runs of bench/hundred_million.sh: hundred_million_table.py NAME=DIR/results…

One column for each run. Of a stage that was run twice the last one counts. Rows whose values depend on the moment (free disk, what the server did
when it was killed) are left out.
"""
import re
import sys

LEFT_OUT = re.compile(r'of a million rows|disk at the end|progress when|index after|left by the crash|greatest disk|is left out|waiting$')


def read(path):
    """{(stage, name): value} in the order of the file."""
    values, stage = {}, None
    for line in open(path):
        if begin := re.match(r'(\w+) \(\d\d:\d\d:\d\d, ', line):
            stage = begin[1]
            values = {key: value for key, value in values.items() if key[0] != stage}
        elif stage and (cells := re.match(r'  (\S.*?) *\t(.*)', line)):
            if not LEFT_OUT.search(cells[1]):
                values[stage, cells[1]] = re.sub(r'\(user ([\d.]+), system ([\d.]+)\); waiting for the disk [\d.]+', r'(system \2)', cells[2].strip())
    return values


def main():
    runs = [argument.split('=', 1) for argument in sys.argv[1:]]
    tables = [read(path) for _, path in runs]
    keys = list(dict.fromkeys(key for table in reversed(tables) for key in table))
    stages = list(dict.fromkeys(stage for stage, _ in keys))
    print('| stage | | ' + ' | '.join(name for name, _ in runs) + ' |')
    print('|---|---|' + '---|' * len(runs))
    for stage in stages:
        for key in keys:
            if key[0] == stage:
                print(f'| {stage} | {key[1]} | ' + ' | '.join(table.get(key, '') for table in tables) + ' |')


if __name__ == '__main__':
    main()

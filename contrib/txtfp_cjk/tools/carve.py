"""Takes a dictionary's tables out of a wheel of lindera-python.

    python3 carve.py WHEEL FOLDER

The shared library of such a wheel holds each table compressed (raw deflate), and behind it, as the library rkyv lays out a
structure: the algorithm (4 bytes, 0), where the compressed bytes begin, counted from here (a negative 32-bit number), and how many
they are. Every table is recognised by what is in it, and written to a file of FOLDER:

    da      the double array of the lexicon      rows    10 bytes a row: number, cost, left and right connection
    matrix  connection costs                     char    character definition          unk   unknown words
"""
import os
import re
import struct
import sys
import zipfile
import zlib


def tables(library):
    """All compressed tables in the library."""
    for match in re.finditer(rb"(?=\0\0\0\0[\s\S]{3}[\xf0-\xff][\s\S]{3}[\0-\x0f])", library):
        at = match.start() + 4
        relative, size = struct.unpack_from("<iI", library, at)
        start = at + relative
        if size < 128 or start < 0 or not 0 <= -relative - size <= 16:
            continue
        inflater = zlib.decompressobj(-15)
        try:
            table = inflater.decompress(library[start:start + size])
        except zlib.error:
            continue
        if inflater.eof and not inflater.unused_data:
            yield table


def is_matrix(table):
    if table[:2] != b"\xff\xff" or len(table) < 6:
        return False
    rows, columns = struct.unpack_from("<HH", table, 2)
    return len(table) == 6 + 2 * rows * columns


def is_rows(table):
    count = len(table) // 10
    return len(table) % 10 == 0 and count > 1000 and all(
        0 <= struct.unpack_from("<I", table, 10 * i)[0] - i < 100 for i in range(0, count, 97)) # few numbers are left out


def is_double_array(table):
    if len(table) < 1 << 20:
        return False
    states = struct.unpack_from("<I", table)[0]
    outputs_at = 4 + 12 * states
    if outputs_at + 9 > len(table):
        return False
    return outputs_at + 4 + 12 * struct.unpack_from("<I", table, outputs_at)[0] + 5 == len(table)


def is_archive(table, fields):
    """A small structure of so many vectors; its root is at the end."""
    root = len(table) - 8 * fields
    if len(table) > 1 << 16 or root < 0:
        return False
    for i in range(fields):
        relative, size = struct.unpack_from("<iI", table, root + 8 * i)
        if not 0 <= root + 8 * i + relative < root or not 0 < size <= len(table):
            return False
    return True


def kind(table):
    if is_matrix(table):
        return "matrix"
    if is_rows(table):
        return "rows"
    if is_double_array(table):
        return "da"
    if is_archive(table, 4):
        return "char" if b"KATAKANA" in table else "unk"
    return None # what the words mean


def main(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        libraries = [name for name in archive.namelist() if name.endswith(".so")]
        if len(libraries) != 1:
            sys.exit(f"carve.py: {wheel} has not one shared library")
        library = archive.read(libraries[0])
    found = {}
    for table in tables(library):
        name = kind(table)
        if name in found:
            sys.exit(f"carve.py: {wheel} has two tables that may be \"{name}\"")
        if name:
            found[name] = table
    missing = {"da", "rows", "matrix", "char", "unk"} - found.keys()
    if missing:
        sys.exit(f"carve.py: {wheel} is not laid out as lindera-python 2.2.0 is; not found: {', '.join(sorted(missing))}")
    os.makedirs(folder, exist_ok=True)
    for name, table in found.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(table)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

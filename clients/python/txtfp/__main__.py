"""Files of texts at the shell: python -m txtfp fingerprint|dedup|pairs INPUT…"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import __version__
from .errors import Error


def _size(text: str) -> int:
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1:] in units else int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m txtfp", description="Fingerprints and near-duplicates of files: Parquet, Arrow, JSON Lines, CSV, TSV and lines."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a directory, a glob, the URI of an object store, or - for standard input")
    common.add_argument("--text", default="text", help="the field of the text (default: text)")
    common.add_argument("--format", choices=["parquet", "ipc", "feather", "jsonl", "csv", "tsv", "lines"], help="if the names do not tell it")
    common.add_argument("--delimiter", help="of CSV and TSV, one byte (default: comma, tab)")
    common.add_argument("--no-header", dest="header", action="store_false", help="of CSV and TSV: the fields are named 1, 2, and so on")
    common.add_argument("--skip-errors", action="store_true", help="leave broken records of text files out instead of stopping")
    common.add_argument("--max-record", type=_size, metavar="SIZE", help="a longer record of a text file is broken (default: 64M)")
    common.add_argument("--max-window", type=_size, metavar="SIZE", help="memory for decompressing a text file (default: 2G)")
    common.add_argument("--kind", default="minhash128", help="minhash64, minhash128, minhash256, simhash64, … (default: minhash128)")
    for name in "tokenizer", "canonicalizer", "hash", "weighting":
        common.add_argument(f"--{name}", help="as in SQL")
    common.add_argument("--seed", type=int, help="as in SQL")
    common.add_argument("--threads", type=int, default=0, help="default: one for each processor")
    common.add_argument("--quiet", action="store_true", help="no progress and no summary")
    common.add_argument("--force", action="store_true", help="an output may replace an input")

    join = argparse.ArgumentParser(add_help=False)
    join.add_argument("--id", help="the field that names rows; otherwise their numbers do")
    join.add_argument("--threshold", type=float, help="least similarity of sketches (default 0.8)")
    join.add_argument("--max-distance", type=int, help="greatest distance of simhash64 (default 7) or tlsh (40)")
    join.add_argument("--min-score", type=int, help="least score of lavinhash (default 80)")
    join.add_argument("--recall", type=float, help="probability of finding a pair at the threshold (default 0.99)")
    join.add_argument("--allow-duplicate-ids", action="store_true")

    output: dict[str, Any] = {"required": True, "metavar": "FILE"}
    fingerprint = commands.add_parser("fingerprint", parents=[common], help="the rows with one more column, their fingerprints")
    fingerprint.add_argument("-o", "--output", help="Parquet", metavar="FILE")
    fingerprint.add_argument("--column", default="fp", help="the name of the new column (default: fp)")
    fingerprint.add_argument("--to-postgres", metavar="CONNINFO", help="stream the rows into a table instead of a file")
    fingerprint.add_argument("--table", help="the table; its columns have the names of the fields")
    fingerprint.add_argument("--fields", help="the fields to send, with commas between them; default: all")

    pairs = commands.add_parser("pairs", parents=[common, join], help="every pair of near-duplicates")
    pairs.add_argument("-o", "--output", help="Parquet: a, b, similarity", **output)

    dedup = commands.add_parser("dedup", parents=[common, join], help="the rows without near-duplicates of rows that are kept")
    dedup.add_argument("-o", "--output", help="Parquet: the rows that remain, with all fields", **output)
    dedup.add_argument("--removed", metavar="FILE", help="Parquet: the rows that were removed, for which, and why")
    dedup.add_argument("--verify", choices=["none", "jaccard", "containment", "lossless"], default="jaccard", help="compare the texts exactly (default: jaccard)")
    dedup.add_argument("--verify-threshold", type=float, help="least exact measure (default: the threshold)")
    dedup.add_argument("--guard", help="differences that hold a row back (default: balanced); an empty list is none")
    dedup.add_argument("--priority", help="a field; rows with greater values are kept rather")
    return parser


def _run(arguments: dict[str, Any]) -> str:
    from . import files

    command = arguments.pop("command")
    arguments = {name: value for name, value in arguments.items() if value is not None}
    if not arguments["quiet"]:
        arguments["report"] = lambda line: print(f"txtfp: {line}", file=sys.stderr)
    if command == "pairs":
        return f"{files.near_duplicate_pairs(**arguments)} pairs"
    if command == "dedup":
        kept, removed = files.deduplicate(**arguments)
        return f"{kept} rows remain, {removed} were removed"
    conninfo, table, fields = (arguments.pop(name, None) for name in ("to_postgres", "table", "fields"))
    if conninfo is not None and "output" in arguments:
        raise Error("--output and --to-postgres exclude each other")
    if conninfo is not None:
        return f"{_send(arguments, conninfo, table, fields)} rows"
    if "output" not in arguments:
        raise Error("it is not said where the rows go", None, "Use --output or --to-postgres.")
    return f"{files.fingerprint(**arguments)} rows"


def _send(arguments: dict[str, Any], conninfo: str, table: str | None, fields: str | None) -> int:
    if table is None:
        raise Error("--to-postgres needs --table")
    import psycopg

    from . import files

    inputs, text, column, quiet = (arguments.pop(name) for name in ("inputs", "text", "column", "quiet"))
    arguments.pop("force")
    wanted = fields.split(",") if fields else None
    batches = files.fingerprinted_batches(
        inputs, text=text, column=column, format=arguments.pop("format", None), quiet=quiet, fields=wanted, **arguments
    )
    with psycopg.connect(conninfo) as connection:
        return files.to_postgres(batches, connection, table)


def main(arguments: list[str] | None = None) -> int:
    options = vars(_parser().parse_args(arguments))
    quiet = options["quiet"]
    try:
        summary = _run(options)
    except Error as error:
        print(f"txtfp: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"txtfp: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"txtfp: {error}\nHINT:  pip install 'txtfp[files]'", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if not quiet:
        print(summary, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

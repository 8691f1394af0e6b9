#!/usr/bin/env python3
"""texts.py OUT COUNT: real texts, each ended by NUL: package descriptions of Debian in English and in translations, fetched by apt with a
configuration of its own (no root needed). A quarter is English, the rest spread over the languages there are."""
import pathlib
import random
import re
import subprocess
import sys

LANGUAGES = ["en", "de", "fr", "ja", "ko", "ru", "uk", "es", "pl", "cs", "pt_BR", "zh_CN", "zh_TW", "it", "da", "sk", "fi", "nl", "hu", "sv", "vi", "tr", "el"]
DROPPED = re.compile(r"(Acquire::(Languages|IndexTargets::.*(DEP-11|CNF))|APT::Update::|DPkg::|Dir::(Cache|State::lists|Log))")


def fetch(folder):
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    system = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
    lines = [line for line in system.split("\n") if not DROPPED.match(line)]
    lines += ["Acquire::Languages { " + " ".join(f'"{language}";' for language in LANGUAGES) + " };",
              'Acquire::IndexTargets::deb-src::Sources::DefaultEnabled "false";', f'Dir::State::lists "{folder}/lists";',
              f'Dir::Cache "{folder}/cache";', 'Dir::Etc::main "/dev/null";', 'Dir::Etc::parts "/dev/null";']
    (folder / "apt.conf").write_text("\n".join(lines) + "\n")
    subprocess.run(["apt-get", "-q", "update"], env={"APT_CONFIG": str(folder / "apt.conf"), "PATH": "/usr/bin:/bin"}, timeout=300)


def descriptions(path):
    text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(path)], capture_output=True).stdout.decode()
    for stanza in text.split("\n\n"):
        found = re.search(r"^Description-(?!md5)[^:\n]*: (.*(?:\n .*)*)", stanza, re.M)
        if found:
            yield re.sub(r"\n \.$", "\n", found[1], flags=re.M).replace("\n ", "\n")


def main():
    out, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    folder = out.with_suffix(".apt").absolute()
    fetch(folder)
    by_language = {}
    for path in sorted((folder / "lists").glob("*_Translation-*")):
        by_language.setdefault(path.name.split("_Translation-")[1].split(".")[0], []).extend(descriptions(path))
    random.seed(7)
    chosen = []
    for language, texts in sorted(by_language.items()):
        chosen += random.sample(texts, min(len(texts), count // 4 if language == "en" else count // 15))
    rest = [text for texts in by_language.values() for text in texts]
    if len(rest) < count:
        sys.exit(f"only {len(rest)} texts")
    chosen += random.sample(rest, max(0, count - len(chosen)))
    out.write_bytes(b"".join(text.encode() + b"\0" for text in chosen))


main()

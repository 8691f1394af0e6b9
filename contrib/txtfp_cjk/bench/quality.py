#!/usr/bin/python3
"""Are dictionaries better than the default tokenizer? Prints the tables of README.md.

    quality.py DIRECTORY [LANGUAGE...]
    quality.py --texts DIRECTORY LANGUAGE...     prints all descriptions in these languages, each ended by a zero byte, for bench/segment.cpp

DIRECTORY has the descriptions that descriptions.sh has got. A server with the extension txtfp_cjk (PGHOST, PGPORT, ...) cuts the texts; nothing
is stored there. The ground truth comes from the English originals, which are not among the texts that are cut by the tokenizers compared.

A row is a package description with its translation. Translations with parts left in English ("<trans>"), with another number of paragraphs than the
original, or with few characters of the language are left out; of equal translations and of equal originals one is kept.

Near-duplicates: a pair of rows is true if the Jaccard similarity of the originals, by sets of shingles of three words, is 0.7 or more; below 0.5 it is
false; between the two it counts as neither. For each tokenizer, the exact Jaccard similarity of the translations decides. Pairs are found by
shingles that at most COMMON texts have, in English or in the translation.

Titles: a query is the first line of a description. A row is a right answer if the words of the English first lines have a
Jaccard similarity of 0.5 or more. The other rows are ranked by the weighted Jaccard similarity of the sets of tokens; the weight of a token is
ln(rows / rows with it).
"""
import collections
import itertools
import math
import pathlib
import random
import re
import statistics
import sys

import psycopg

COMMON = 80
QUERIES = 400
SEED = 19

LANGUAGES = {
    "zh_CN": ("Chinese (zh_CN)", r"[\u4e00-\u9fff]",
              ["shingle-k=5/word-uax29", "shingle-k=3/word-uax29", "shingle-k=2/cjk-jieba", "shingle-k=3/cjk-jieba", "shingle-k=3/cjk-jieba-hmm"],
              ["word-uax29", "shingle-k=2/word-uax29", "shingle-k=2/grapheme-uax29", "cjk-jieba", "cjk-jieba-hmm"]),
    "zh_TW": ("Chinese (zh_TW)", r"[\u4e00-\u9fff]",
              ["shingle-k=5/word-uax29", "shingle-k=3/word-uax29", "shingle-k=2/cjk-jieba", "shingle-k=3/cjk-jieba", "shingle-k=3/cjk-jieba-hmm"],
              ["word-uax29", "shingle-k=2/word-uax29", "shingle-k=2/grapheme-uax29", "cjk-jieba", "cjk-jieba-hmm"]),
    "ja": ("Japanese", r"[\u3040-\u30ff\u4e00-\u9fff]",
           ["shingle-k=5/word-uax29", "shingle-k=3/word-uax29", "shingle-k=2/cjk-lindera-ipadic", "shingle-k=3/cjk-lindera-ipadic"],
           ["word-uax29", "shingle-k=2/word-uax29", "shingle-k=2/grapheme-uax29", "cjk-lindera-ipadic"]),
    "ko": ("Korean", r"[\uac00-\ud7a3]",
           ["shingle-k=5/word-uax29", "shingle-k=3/word-uax29", "shingle-k=2/cjk-lindera-ko-dic", "shingle-k=3/cjk-lindera-ko-dic"],
           ["word-uax29", "shingle-k=2/word-uax29", "shingle-k=2/grapheme-uax29", "cjk-lindera-ko-dic"]),
}


def descriptions(path):
    """(package, md5 of the English description) -> (title, body)"""
    found = {}
    key = lines = md5 = package = None
    for line in itertools.chain(path.read_text("utf-8").splitlines(), ["Package: end"]):
        if line.startswith("Package: "):
            if lines:
                found[package, md5] = (lines[0], "\n".join(lines[1:]))
            package, lines = line[9:], None
        elif line.startswith("Description-md5: "):
            md5 = line[17:]
        elif line.startswith("Description-"):
            lines = [line.split(": ", 1)[1] if ": " in line else ""]
        elif line.startswith(" ") and lines is not None:
            lines.append("" if line == " ." else line[1:])
    return found


def paragraphs(body):
    return len([part for part in re.split(r"\n\s*\n", body) if part.strip()])


def rows_of(directory, language):
    english = descriptions(directory / "en")
    of_language = re.compile(LANGUAGES[language][1])
    rows, seen, seen_english = [], set(), set()
    for key, (title, body) in sorted(descriptions(directory / language).items()):
        if key not in english:
            continue
        original = english[key]
        if ("<trans>" in title + body or paragraphs(body) != paragraphs(original[1]) or not of_language.search(title)
                or len(of_language.findall(body)) < 0.3 * len(re.findall(r"\w", body))
                or (title, body) in seen or original in seen_english):
            continue
        seen.add((title, body))
        seen_english.add(original)
        rows.append(((title, body), original))
    return rows


class Server:
    def __init__(self):
        self.connection = psycopg.connect(autocommit=True)
        self.connection.execute("CREATE EXTENSION IF NOT EXISTS txtfp_cjk CASCADE")

    def tokens(self, texts, tokenizer):
        """The set of tokens of each text."""
        out = []
        for begin in range(0, len(texts), 500):
            answer = self.connection.execute("SELECT tokenize(canonicalize(t), %s) FROM unnest(%s::text[]) WITH ORDINALITY AS u(t, n) ORDER BY n",
                                             [tokenizer, texts[begin:begin + 500]])
            out += [frozenset(row[0] or ()) for row in answer]
        return out


def similar_pairs(sets, least):
    """(a, b) -> Jaccard similarity, of pairs with at least this one that share a token which few have."""
    holders = collections.defaultdict(list)
    for i, tokens in enumerate(sets):
        for token in tokens:
            holders[token].append(i)
    candidates = set()
    for rows in holders.values():
        if len(rows) <= COMMON:
            candidates.update(itertools.combinations(rows, 2))
    pairs = {}
    for a, b in candidates:
        shared = len(sets[a] & sets[b])
        similarity = shared / (len(sets[a]) + len(sets[b]) - shared)
        if similarity >= least:
            pairs[a, b] = similarity
    return pairs


def judge(pairs, threshold, true, neither):
    found = {pair for pair, similarity in pairs.items() if similarity >= threshold and pair not in neither}
    right = len(found & true)
    recall = right / len(true)
    precision = right / len(found) if found else 1.0
    return recall, precision, 2 * recall * precision / (recall + precision) if right else 0.0


def near_duplicates(server, rows, tokenizers):
    english = server.tokens(["\n".join(original) for _, original in rows], "shingle-k=3/word-uax29")
    texts = ["\n".join(translation) for translation, _ in rows]
    found = {tokenizer: similar_pairs(server.tokens(texts, tokenizer), 0.2) for tokenizer in tokenizers}
    # Every pair that is found in any way is judged by its originals, also if these share no rare shingle.
    originals = similar_pairs(english, 0.5)
    for a, b in set().union(*found.values()) - originals.keys():
        shared = len(english[a] & english[b])
        originals[a, b] = shared / (len(english[a]) + len(english[b]) - shared)
    true = {pair for pair, similarity in originals.items() if similarity >= 0.7}
    neither = {pair for pair, similarity in originals.items() if 0.5 <= similarity < 0.7}
    print(f"\n{len(true)} true pairs, {len(neither)} that count as neither\n")
    print("| tokenizer | recall, precision at 0.7 | best F1 | at threshold |\n|---|---|---|---|")
    for tokenizer, pairs in found.items():
        recall, precision, _ = judge(pairs, 0.7, true, neither)
        best = max((judge(pairs, step / 20, true, neither)[2], step / 20) for step in range(4, 20))
        print(f"| `{tokenizer}` | {recall:.2f}, {precision:.2f} | {best[0]:.3f} | {best[1]:.2f} |", flush=True)


def average_precision(ranked, right):
    hits, total = 0, 0.0
    for place, row in enumerate(ranked, 1):
        if row in right:
            hits += 1
            total += hits / place
    return total / len(right)


def titles(server, rows, tokenizers):
    words = server.tokens([original[0] for _, original in rows], "word-uax29")
    holders = collections.defaultdict(list)
    for i, tokens in enumerate(words):
        for token in tokens:
            holders[token].append(i)
    right = []
    for i, tokens in enumerate(words):
        others = {row for token in tokens for row in holders[token] if row != i}
        right.append({row for row in others if 2 * len(tokens & words[row]) >= len(tokens | words[row])})
    queries = [i for i in range(len(rows)) if right[i]]
    queries = random.Random(SEED).sample(queries, min(QUERIES, len(queries)))
    print(f"\n{len(queries)} queries, {len(rows)} rows, {statistics.mean(len(right[i]) for i in queries):.1f} right answers each\n")
    print("| tokenizer | MAP | first answer | rows looked at |\n|---|---|---|---|")
    for tokenizer in tokenizers:
        sets = server.tokens([translation[0] for translation, _ in rows], tokenizer)
        holders = collections.defaultdict(list)
        for i, tokens in enumerate(sets):
            for token in tokens:
                holders[token].append(i)
        weight = {token: math.log(len(rows) / len(found)) for token, found in holders.items()}
        size = [sum(weight[token] for token in tokens) for tokens in sets]
        precisions, first, looked_at = [], 0, []
        for query in queries:
            shared = collections.defaultdict(float)
            for token in sorted(sets[query]):
                for row in holders[token]:
                    shared[row] += weight[token]
            shared.pop(query, None)
            looked_at.append(len(shared))
            score = {row: common / max(size[query] + size[row] - common, 1e-9) for row, common in shared.items()}
            ranked = sorted(score, key=lambda row: (-score[row], row))
            precisions.append(average_precision(ranked, right[query]))
            first += bool(ranked) and ranked[0] in right[query]
        print(f"| `{tokenizer}` | {statistics.mean(precisions):.3f} | {first / len(queries):.3f} | {statistics.mean(looked_at):,.0f} |")


def print_texts(directory, languages):
    for language in languages:
        for title, body in descriptions(pathlib.Path(directory, language)).values():
            sys.stdout.write(f"{title}\n{body}\0")


def main():
    if sys.argv[1] == "--texts":
        print_texts(sys.argv[2], sys.argv[3:])
        return
    directory = pathlib.Path(sys.argv[1])
    server = Server()
    for language in sys.argv[2:] or ["zh_CN", "zh_TW", "ja", "ko"]:
        name, _, shingles, tokenizers = LANGUAGES[language]
        rows = rows_of(directory, language)
        print(f"\n## {name}: {len(rows)} descriptions")
        near_duplicates(server, rows, shingles)
        titles(server, rows, tokenizers)


main()

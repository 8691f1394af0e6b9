#!/usr/bin/env python3
"""compare.py PROGRAM TOKENIZER COUNT <texts: how many of the first COUNT texts, each ended by NUL, txtfp-embed cuts into the same tokens as the package
tokenizers. With the COUNT all: of all texts."""
import subprocess
import sys

from tokenizers import BertWordPieceTokenizer, Tokenizer

program, path, count = sys.argv[1:]
data = b"".join(text + b"\0" for text in sys.stdin.buffer.read().split(b"\0")[:-1][:None if count == "all" else int(count)])
texts = [text.decode() for text in data.split(b"\0")[:-1]]
answers = subprocess.run([program, "--tokenize", path], input=data, capture_output=True, check=True).stdout.decode().split("\n")[:-1]
reference = BertWordPieceTokenizer(path) if path.endswith(".txt") else Tokenizer.from_file(path)
equal = 0
for text, answer in zip(texts, answers, strict=True):
    encoding = reference.encode(text)
    expected = " ".join(str(token) + ("" if kept else "p") for token, kept in zip(encoding.ids, encoding.attention_mask))
    equal += answer == expected
    if answer != expected and len(texts) - equal < 3:
        print(f"different: {text[:60]!r}")
print(f"{len(texts)} texts, {equal} equal")

#!/usr/bin/env python3
"""Static models, for the tests.

    static.py make FOLDER TOKENIZER      writes models with the tokenizer, as the package model2vec does: `plain`, and `parts` with a mapping,
                                         weights and half precision
    static.py reference FOLDER <texts    what model2vec says of NUL-ended texts: a JSON array for each
    static.py wordllama MATRIX TOKENIZER <texts   the mean of the token vectors by numpy, normalized, as the package wordllama says
"""
import json
import pathlib
import sys

import numpy
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def make(folder, path):
    from model2vec import StaticModel
    tokenizer = Tokenizer.from_file(path)
    random = numpy.random.default_rng(53)
    vectors = random.standard_normal((tokenizer.get_vocab_size(), 48)).astype(numpy.float32)
    StaticModel(vectors, tokenizer, normalize=True).save_pretrained(folder / "plain")
    rows = 100
    StaticModel(vectors[:rows].astype(numpy.float16), tokenizer, normalize=False, max_length=20, weights=random.random(len(vectors)).astype(numpy.float32),
                token_mapping=random.integers(0, rows, len(vectors))).save_pretrained(folder / "parts")


def texts():
    return [text.decode() for text in sys.stdin.buffer.read().split(b"\0")[:-1]]


def show(vectors):
    for vector in vectors:
        print(json.dumps([float(x) for x in vector]))


def main():
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "reference":
        from model2vec import StaticModel
        show(StaticModel.from_pretrained(sys.argv[2]).encode(texts()))
    else:
        matrix = load_file(sys.argv[2])["embedding.weight"].astype(numpy.float32)
        means = [matrix[encoding.ids].mean(0) for encoding in Tokenizer.from_file(sys.argv[3]).encode_batch(texts(), add_special_tokens=False)]
        show(mean / numpy.linalg.norm(mean) for mean in means)


main()

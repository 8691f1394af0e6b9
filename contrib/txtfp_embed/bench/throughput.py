#!/usr/bin/env python3
"""Texts per second of txtfp-embed beside Python (onnxruntime, tokenizers): the same model, threads and batch, one run, five rounds each
in turn, medians.

    make test-packages all
    build/python/bin/python3 bench/throughput.py [TEXTS] [THREADS] [BATCH]      # in contrib/txtfp_embed

Python pads each batch to its longest text, as txtfp-embed does: once in the order given, and once with the texts sorted by their length,
as sentence-transformers does and txtfp-embed, too. The time of loading the model is not counted.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer

count, threads, batch = (int(value) for value in (sys.argv[1:] + ["160", "2", "32"][len(sys.argv) - 1:]))
folder = pathlib.Path("build").absolute()
data = b"\0".join((folder / "texts").read_bytes().split(b"\0")[:count]) + b"\0"
texts = [text.decode() for text in data.split(b"\0")[:-1]]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
session = onnxruntime.InferenceSession(str(folder / "minilm/model.onnx"), options)
tokenizer = Tokenizer.from_file(str(folder / "minilm/tokenizer.json"))
tokenizer.enable_padding()


def in_python(chosen):
    start = time.perf_counter()
    for at in range(0, len(chosen), batch):
        encodings = tokenizer.encode_batch(chosen[at:at + batch])
        ids = numpy.array([encoding.ids for encoding in encodings])
        mask = numpy.array([encoding.attention_mask for encoding in encodings])
        hidden = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})[0]
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        mean / numpy.linalg.norm(mean, axis=1, keepdims=True)
    return len(chosen) / (time.perf_counter() - start)


def in_ours():
    with tempfile.NamedTemporaryFile("w", suffix=".json") as config:
        runtime = next((folder / "python/lib").glob("python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*"))
        json.dump({"onnxruntime": str(runtime), "models": {"m": {
            "onnx": str(folder / "minilm/model.onnx"), "tokenizer": str(folder / "minilm/tokenizer.json"), "threads": threads, "batch": batch}}}, config)
        config.flush()
        run = subprocess.run(["./txtfp-embed", "--config", config.name, "--embed", "m"], input=data, capture_output=True, check=True)
    return count / float(re.search(r"texts in ([\d.]+) s", run.stderr.decode())[1])


rates = {"python": [], "python, sorted": [], "txtfp-embed": []}
for _ in range(5):
    rates["python"].append(in_python(texts))
    rates["python, sorted"].append(in_python(sorted(texts, key=len)))
    rates["txtfp-embed"].append(in_ours())
print(f"{count} texts, {threads} threads, batch {batch}, ONNX Runtime {onnxruntime.__version__}")
for name, values in rates.items():
    print(f"{name:16} {statistics.median(values):7.1f} texts/s   ({min(values):.1f} to {max(values):.1f})")
for name in ("python", "python, sorted"):
    ratios = [ours / theirs for ours, theirs in zip(rates["txtfp-embed"], rates[name])]
    print(f"txtfp-embed / {name}: {statistics.median(ratios):.2f}   ({min(ratios):.2f} to {max(ratios):.2f})")

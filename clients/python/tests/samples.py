"""A value of every type, as the server makes it."""

TEXT = "Ten words or more, that nobody else has written: café, naïve, 東京 and so on. " * 3
OTHER = "Ten words or more, that nobody else has ever written: café, naïve, 東京 and so on. " * 3

# type, expression of the document $1
CONSTRUCTORS = {
    "minhash64": "to_minhash64({})",
    "minhash128": "to_minhash128({})",
    "minhash256": "to_minhash256({})",
    "minhash64_compact": "to_minhash64_compact({})",
    "minhash128_compact": "to_minhash128_compact({})",
    "minhash256_compact": "to_minhash256_compact({})",
    "simhash64": "to_simhash64({})",
    "tlsh": "to_tlsh({})",
    "lavinhash": "to_lavinhash({})",
}

#!/usr/bin/env python3
"""odd_texts.py OUT COUNT: made-up texts, each ended by NUL, of what tokenizers treat specially: white space of every kind, contractions,
digits of many scripts, marks, emoji, parts of special tokens, runs."""
import pathlib
import random
import sys

PARTS = (
    list("abzABZ019.,;:!?'\"()[]{}<>|/\\-_+=*&^%$#@~`")
    + [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\r", "\u000b", "\u0085", "\u00a0", "\u1680", "\u180e", "\u2003", "\u2028", "\u202f", "\u3000",
       "\u200b", "\u200d", "\ufeff", "\u00ad", "'s", "'T", "'re", "'LL", "\u2019s", " don't", "I'd've", "\u017f", "\u212a", "\u0130", "\u0131", "\u1e9e", "\u03a3",
       "\u0661\u0662", "\u0967", "\u3007", "\u00bd", "\u2167", "\u00b2", "\u4e00", "\u6771\u4eac", "\u3042", "\u30ab", "\u30fc", "\uff76", "\uff21", "\uac00", "\u11a8",
       "\u0e01\u0e34", "\u0915\u094d", "e\u0301", "\u0344", "\u1e69", "\u0644\u0627", "\u05e9\u05c1", "\U0001f600", "\U0001f468\u200d\U0001f469", "\u2764\ufe0f",
       "\U0001f1e9\U0001f1ea", "\U00010348", "\U0001d11e", "\ue000", "\u20ac", "\u2116", "\ufb01", "\u0001", "\u007f", "\ufffd", "<s>", "</s>", "<unk>",
       "<mask>", "[CLS]", "[MASK]", "<|endoftext|>", "<|padding|>", "<|im_start|>", "<EOT>", "|||IP_ADDRESS|||", "\u2581", "\u0120", "\u010a", "<0x0A>",
       " the", "The", "word", "Stra\u00dfe", "\u043c\u043e\u0441\u043a\u0432\u0430", "function(x)", "https://example.org/a?b=c", "3.14159", "1,000,000", "12345678"])


def main():
    random.seed(53)
    texts = []
    for _ in range(int(sys.argv[2])):
        texts.append("".join(random.choice(PARTS) * random.choice((1, 1, 1, 1, 2, 3, 7)) for _ in range(random.randrange(1, 30))))
    pathlib.Path(sys.argv[1]).write_bytes(b"".join(text.encode() + b"\0" for text in texts))


main()

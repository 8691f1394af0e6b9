// What each name stands for, for ever. A dictionary that is compiled otherwise gets another name: fingerprints live for years.
#pragma once

#include "core/interface.hpp"

namespace txtfp::cjk {

constexpr DictionaryName frozen[dictionaries] = {
	{"jieba", "jieba-rs 0.9.0 (Python jieba 0.42.1 without one line)", "MIT", DictionaryKind::jieba,
		{0xe6f56f6a0742e653, 0x30e7ff7fe95c5802}},
	{"ipadic", "mecab-ipadic-2.7.0-20250920", "NAIST-2003 (BSD-like)", DictionaryKind::lattice,
		{0x687a24b1a7e84073, 0x76f2135055aeca86}},
	{"ko-dic", "mecab-ko-dic-2.1.1-20180720", "Apache-2.0", DictionaryKind::lattice,
		{0x90847fe777e436b3, 0x2b8023df0c8bb43d}},
};

} // namespace txtfp::cjk

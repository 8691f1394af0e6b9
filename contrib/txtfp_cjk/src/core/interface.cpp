#include "core/interface.hpp"

#include <memory>
#include <new>
#include <utility>

#include "core/frozen.hpp"
#include "core/jieba.hpp"
#include "core/lattice.hpp"

namespace txtfp::cjk {

namespace {

Dictionary opened[dictionaries];

// Building the tables of a segmenter costs more than cutting a short text, so one of each kind is kept for the next
// text. A process of PostgreSQL has one thread.
std::unique_ptr<Segmenter> spare[TXTFP_CJK_TOKENIZERS];

} // namespace
} // namespace txtfp::cjk

struct TxtfpCjkSegmenter {
	int tokenizer;
	std::unique_ptr<txtfp::cjk::Segmenter> segmenter;
};

namespace txtfp::cjk {
namespace {

std::unique_ptr<Segmenter> make_segmenter(int tokenizer)
{
	if (spare[tokenizer] != nullptr)
		return std::move(spare[tokenizer]);
	const Dictionary &file = opened[dictionary_of(tokenizer)];
	if (dictionary_name(dictionary_of(tokenizer)).kind == DictionaryKind::jieba)
		return std::make_unique<Jieba>(JiebaDictionary(file), tokenizer == TXTFP_CJK_JIEBA_HMM);
	return std::make_unique<Lattice>(LatticeDictionary(file));
}

} // namespace

const DictionaryName &dictionary_name(int dictionary) noexcept { return frozen[dictionary]; }
const Dictionary &dictionary(int dictionary) noexcept { return opened[dictionary]; }

OpenError open_dictionary(int dictionary, const char *path, bool is_frozen) noexcept
{
	if (opened[dictionary].is_open())
		return OpenError::none;
	const DictionaryName &name = frozen[dictionary];
	return opened[dictionary].open(path, name.kind, is_frozen ? &name.checksum : nullptr);
}

extern "C" TxtfpCjkSegmenter *txtfp_cjk_create(int tokenizer) noexcept
{
	if (!is_tokenizer(tokenizer) || !opened[dictionary_of(tokenizer)].is_open())
		return nullptr;
	try {
		return new TxtfpCjkSegmenter{tokenizer, make_segmenter(tokenizer)};
	} catch (...) { // out of memory
		return nullptr;
	}
}

extern "C" void txtfp_cjk_destroy(TxtfpCjkSegmenter *segmenter) noexcept
{
	if (segmenter == nullptr)
		return;
	segmenter->segmenter->reuse();
	spare[segmenter->tokenizer] = std::move(segmenter->segmenter);
	delete segmenter;
}

extern "C" int txtfp_cjk_next(TxtfpCjkSegmenter *segmenter, const char *text, size_t size, size_t from, bool last,
	TxtfpCjkRange *ranges, size_t capacity, bool (*stop)(void), TxtfpCjkBatch *batch) noexcept
{
	try {
		// The caller's function does not throw, but the type of a C function pointer cannot say so.
		const core::StopToken token{reinterpret_cast<bool (*)() noexcept>(stop)};
		*batch = segmenter->segmenter->next({text, size}, from, last, {ranges, capacity}, token);
		return TXTFP_CJK_OK;
	} catch (const std::bad_alloc &) {
		return TXTFP_CJK_NO_MEMORY;
	} catch (const core::Error &error) {
		switch (error.kind()) {
		case core::ErrorKind::cancelled:
			return TXTFP_CJK_CANCELLED;
		case core::ErrorKind::too_large:
			return TXTFP_CJK_TOO_LARGE;
		default:
			return TXTFP_CJK_FAILED;
		}
	} catch (...) {
		return TXTFP_CJK_FAILED;
	}
}

} // namespace txtfp::cjk

#include "core/passages/winnow.hpp"

#include <algorithm>
#include <string>

#include "core/base/hash.hpp"
#include "core/text/config.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

// Chooses from hashes as they arrive. Keeps the hashes of a window that can still be chosen: a hash is dropped when a
// later one is equal or smaller, so those kept ascend and the first is the minimum.
template <class Choose> class Chooser {
public:
	Chooser(std::uint32_t window, Choose choose) : window_(window), choose_(choose), ring_(window) {}

	void add(std::uint64_t hash)
	{
		while (size_ > 0 && last().hash >= hash)
			--size_;
		if (size_ > 0 && first().place + window_ <= count_) {
			head_ = (head_ + 1) % window_;
			--size_;
		}
		ring_[(head_ + size_++) % window_] = {hash, count_};
		if (++count_ >= window_)
			choose();
	}

	void finish()
	{
		if (count_ > 0 && count_ < window_)
			choose();
	}

private:
	struct Gram {
		std::uint64_t hash, place;
	};

	const Gram &first() const noexcept { return ring_[head_]; }
	const Gram &last() const noexcept { return ring_[(head_ + size_ - 1) % window_]; }
	void choose()
	{
		if (chosen_ != first().place) {
			chosen_ = first().place;
			choose_(first().hash, first().place, count_ - std::min<std::uint64_t>(count_, window_));
		}
	}

	std::uint32_t window_;
	Choose choose_;
	std::vector<Gram> ring_;
	std::size_t head_ = 0, size_ = 0;
	std::uint64_t count_ = 0, chosen_ = ~std::uint64_t{0};
};

} // namespace

std::uint32_t WinnowOptions::gram() const noexcept { return std::clamp<std::uint32_t>((guarantee + 2) / 3, 1, 8); }

TokenizerSpec gram_tokenizer(const WinnowOptions &options)
{
	TokenizerSpec spec;
	spec.segmenter = options.segmenter;
	spec.depth = 1;
	spec.k[0] = options.gram();
	return spec;
}

std::uint64_t winnow_config(const WinnowOptions &options)
{
	const std::uint64_t config = config_hash(format_canonicalizer(options.canonical),
		format_tokenizer(gram_tokenizer(options)), "winnow-w=" + std::to_string(options.window()));
	return config == 0 ? 1 : config;
}

std::vector<std::uint64_t> winnow(std::string_view utf8, const WinnowOptions &options, StopToken stop)
{
	std::vector<std::uint64_t> chosen;
	const auto choose = [&](std::uint64_t hash, std::uint64_t, std::uint64_t) { chosen.push_back(hash); };
	Chooser<decltype(choose)> chooser(options.window(), choose);
	const auto sink = [&](Tokens grams) {
		std::uint64_t lo[token_batch];
		for (std::size_t i = 0; i < grams.size(); ++i)
			lo[i] = xxh3_64(grams[i].data(), grams[i].size(), 0);
		for (std::size_t i = 0; i < grams.size(); ++i)
			chooser.add(lo[i]);
	};
	Pipeline<decltype(sink)>(options.canonical, gram_tokenizer(options), sink, stop).append(utf8, true);
	chooser.finish();
	std::sort(chosen.begin(), chosen.end());
	chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
	return chosen;
}

std::vector<WinnowChoice> winnow_choices(std::span<const std::uint64_t> hashes, std::uint32_t window)
{
	std::vector<WinnowChoice> choices;
	const auto choose = [&](std::uint64_t, std::uint64_t place, std::uint64_t first) {
		choices.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(place)});
	};
	Chooser<decltype(choose)> chooser(window, choose);
	for (const std::uint64_t hash : hashes)
		chooser.add(hash);
	chooser.finish();
	return choices;
}

// If one sequence is much longer, each element of the shorter one is searched in it.
std::size_t count_common(
	std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t enough) noexcept
{
	constexpr std::size_t much = 32;
	if (a.size() > b.size())
		std::swap(a, b);
	std::size_t common = 0;
	auto at = b.begin();
	const bool search = b.size() / much > a.size();
	for (const std::uint64_t value : a) {
		if (common >= enough)
			break;
		if (search)
			at = std::lower_bound(at, b.end(), value);
		else
			while (at != b.end() && *at < value)
				++at;
		if (at == b.end())
			break;
		common += *at == value;
	}
	return common;
}

} // namespace txtfp::core

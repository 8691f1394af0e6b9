#include "core/embedding/pooling.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace txtfp::core {

namespace {

// Calls fn(row) for each token that the mask keeps; returns their number.
template <class Fn>
std::size_t for_each_kept(Vector hidden, const TokenMask &mask, std::size_t dimension, Fn fn) noexcept
{
	std::size_t count = 0;
	for (std::size_t i = 0; i < hidden.size() / dimension; ++i)
		if (!mask || (i < mask->size() && (*mask)[i] != 0)) {
			fn(hidden.subspan(i * dimension, dimension));
			++count;
		}
	return count;
}

void pool_mean(Vector hidden, const TokenMask &mask, std::span<float> out) noexcept
{
	std::fill(out.begin(), out.end(), 0.0f);
	const std::size_t count = for_each_kept(hidden, mask, out.size(), [out](Vector row) {
		for (std::size_t j = 0; j < row.size(); ++j)
			out[j] += row[j];
	});
	if (count == 0)
		return;
	const float share = 1.0f / static_cast<float>(count);
	for (float &x : out)
		x *= share;
}

void pool_max(Vector hidden, const TokenMask &mask, std::span<float> out) noexcept
{
	std::fill(out.begin(), out.end(), std::numeric_limits<float>::lowest());
	const std::size_t count = for_each_kept(hidden, mask, out.size(), [out](Vector row) {
		for (std::size_t j = 0; j < row.size(); ++j)
			if (row[j] > out[j])
				out[j] = row[j];
	});
	if (count == 0)
		std::fill(out.begin(), out.end(), 0.0f);
}

void pool_last(Vector hidden, const TokenMask &mask, std::span<float> out) noexcept
{
	std::fill(out.begin(), out.end(), 0.0f);
	for_each_kept(hidden, mask, out.size(), [out](Vector row) { std::copy(row.begin(), row.end(), out.begin()); });
}

} // namespace

bool parse_pooling(std::string_view text, Pooling &pooling) noexcept
{
	constexpr std::pair<std::string_view, Pooling> kinds[] = {{"cls", Pooling::cls}, {"mean", Pooling::mean},
		{"mean-no-norm", Pooling::mean_no_norm}, {"max", Pooling::max}, {"last", Pooling::last}};
	for (const auto &[name, value] : kinds)
		if (text == name) {
			pooling = value;
			return true;
		}
	return false;
}

void pool(Vector hidden, const TokenMask &mask, Pooling pooling, std::span<float> out) noexcept
{
	if (out.empty())
		return;
	switch (pooling) {
	case Pooling::cls:
		std::fill(out.begin(), out.end(), 0.0f);
		if (hidden.size() >= out.size())
			std::copy_n(hidden.begin(), out.size(), out.begin());
		break;
	case Pooling::mean:
	case Pooling::mean_no_norm:
		pool_mean(hidden, mask, out);
		break;
	case Pooling::max:
		pool_max(hidden, mask, out);
		break;
	case Pooling::last:
		pool_last(hidden, mask, out);
		break;
	}
	if (pooling != Pooling::mean_no_norm)
		l2_normalize(out);
}

} // namespace txtfp::core

#include "core/tokens.hpp"

#include <charconv>

namespace txtfp::core {

namespace {

constexpr std::string_view segmenter_names[] = {"word-uax29", "grapheme-uax29"};
constexpr std::string_view shingle_prefix = "shingle-k=";

// Reads "<k>/" off the text. A leading zero is refused: every tokenizer has one name, and the name is hashed.
TokenizerError take_k(std::string_view &text, std::uint32_t &k) noexcept
{
	std::uint64_t value = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
	const std::size_t digits = static_cast<std::size_t>(end - text.data());
	if (digits == 0 || digits == text.size() || *end != '/')
		return TokenizerError::unknown;
	if (error == std::errc::result_out_of_range || value > TokenizerSpec::max_k)
		return TokenizerError::huge_k;
	if (value == 0)
		return TokenizerError::zero_k;
	if (text[0] == '0')
		return TokenizerError::unknown;
	k = static_cast<std::uint32_t>(value);
	text.remove_prefix(digits + 1);
	return TokenizerError::none;
}

} // namespace

TokenizerError parse_tokenizer(std::string_view text, TokenizerSpec &spec) noexcept
{
	spec = {};
	while (text.starts_with(shingle_prefix)) {
		text.remove_prefix(shingle_prefix.size());
		std::uint32_t k = 0;
		if (const TokenizerError error = take_k(text, k); error != TokenizerError::none)
			return error;
		if (spec.depth == TokenizerSpec::max_depth)
			return TokenizerError::too_deep;
		spec.k[spec.depth++] = k;
	}
	for (const Segmenter segmenter : {Segmenter::word, Segmenter::grapheme})
		if (text == segmenter_names[static_cast<int>(segmenter)]) {
			spec.segmenter = segmenter;
			return TokenizerError::none;
		}
	return TokenizerError::unknown;
}

std::string format_tokenizer(const TokenizerSpec &spec)
{
	std::string text;
	for (unsigned level = 0; level < spec.depth; ++level)
		text.append(shingle_prefix).append(std::to_string(spec.k[level])).append("/");
	return text.append(segmenter_names[static_cast<int>(spec.segmenter)]);
}

std::string_view Shingler::push(std::string_view token)
{
	discard_passed();
	if (window_.size() + token.size() >= max_bytes)
		throw Error(ErrorKind::too_large, "a shingle would exceed 1 GB");
	if (!window_.empty())
		window_.push_back(' ');
	starts_.push_back(window_.size());
	window_.append(token);
	if (starts_.size() - head_ < k_ || k_ == 0)
		return {};
	emitted_ = true;
	return std::string_view(window_).substr(starts_[head_++]);
}

std::string_view Shingler::finish()
{
	return emitted_ || k_ == 0 ? std::string_view() : std::string_view(window_);
}

// Moves the window to the front of its buffer once most of the buffer lies behind it: amortized O(1) per byte.
void Shingler::discard_passed()
{
	constexpr std::size_t worth_moving = 1 << 16;
	const std::size_t passed = head_ < starts_.size() ? starts_[head_] : window_.size();
	if (k_ == 0) {
		window_.clear();
		starts_.clear();
	} else if (passed >= worth_moving && passed >= window_.size() / 2) {
		window_.erase(0, passed);
		starts_.erase(starts_.begin(), starts_.begin() + static_cast<std::ptrdiff_t>(head_));
		for (std::size_t &start : starts_)
			start -= passed;
		head_ = 0;
	}
}

} // namespace txtfp::core

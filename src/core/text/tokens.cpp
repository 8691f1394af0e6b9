#include "core/text/tokens.hpp"

#include <algorithm>
#include <charconv>

namespace txtfp::core {

namespace {

constexpr std::string_view segmenter_name(Segmenter segmenter) noexcept
{
	if (is_cjk(segmenter))
		return cjk_names[cjk_tokenizer(segmenter)];
	return segmenter == Segmenter::word ? "word-uax29" : "grapheme-uax29";
}

constexpr std::string_view shingle_prefix = "shingle-k=";

// Reads "<k>/" off the text. A leading zero is refused: every tokenizer has one name, and the name is hashed.
TokenizerError parse_k(std::string_view &text, std::uint32_t &k) noexcept
{
	std::uint64_t value = 0;
	const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
	const std::size_t digits = static_cast<std::size_t>(end - text.data());
	if (digits == 0 || digits == text.size() || *end != '/')
		return TokenizerError::unknown;
	if (error == std::errc::result_out_of_range || value > TokenizerSpec::max_k)
		return TokenizerError::k_too_large;
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
		if (const TokenizerError error = parse_k(text, k); error != TokenizerError::none)
			return error;
		if (spec.depth == TokenizerSpec::max_depth)
			return TokenizerError::too_deep;
		spec.k[spec.depth++] = k;
	}
	for (int i = 0; i < segmenters; ++i)
		if (text == segmenter_name(static_cast<Segmenter>(i))) {
			spec.segmenter = static_cast<Segmenter>(i);
			return TokenizerError::none;
		}
	return TokenizerError::unknown;
}

std::string format_tokenizer(const TokenizerSpec &spec)
{
	std::string text;
	for (unsigned level = 0; level < spec.depth; ++level)
		text.append(shingle_prefix).append(std::to_string(spec.k[level])).append("/");
	return text.append(segmenter_name(spec.segmenter));
}

// Moves the tokens that are still needed to the front: k − 1 of them, fewer bytes than one emitted shingle has.
void Shingler::discard(std::size_t tokens) noexcept
{
	const std::size_t passed = starts_[tokens];
	std::memmove(window_.data(), window_.data() + passed, used_ - passed);
	used_ -= passed;
	count_ -= tokens;
	for (std::size_t i = 0; i <= count_; ++i)
		starts_[i] = starts_[i + tokens] - passed;
}

// After drain() all tokens held are in one shingle with the next one. The buffer stays below max_bytes + slack, so a
// shingle that exceeds max_bytes must come by here.
void Shingler::make_room(std::size_t bytes)
{
	constexpr std::size_t min_tokens = 128, first_tokens = 256, first_bytes = 4096;
	if (used_ + bytes > max_bytes)
		throw Error(ErrorKind::too_large, "a shingle would exceed 1 GB");
	if (starts_.size() < count_ + min_tokens)
		starts_.resize(2 * starts_.size() + first_tokens);
	const std::size_t wanted = 2 * (used_ + bytes + slack);
	if (window_.size() < wanted)
		window_.resize(std::min(std::max(wanted, first_bytes), max_bytes + slack));
}

} // namespace txtfp::core

#include "core/embedding/embedding_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/numbers.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view blanks = " \t\n\r\f\v";

std::string_view trimmed(std::string_view text) noexcept
{
	const std::size_t first = text.find_first_not_of(blanks);
	if (first == std::string_view::npos)
		return {};
	return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

VectorError parse_element(std::string_view text, float &out) noexcept
{
	text = trimmed(text);
	if (text.starts_with('+') && !text.starts_with("+-"))
		text.remove_prefix(1);
	const auto [end, error] = from_chars(text.data(), text.data() + text.size(), out);
	if (error == std::errc::invalid_argument || end != text.data() + text.size())
		return VectorError::syntax;
	if (error == std::errc::result_out_of_range)
		return VectorError::out_of_range;
	return std::isfinite(out) ? VectorError::none : VectorError::not_finite;
}

} // namespace

std::optional<EmbeddingText> split_embedding(std::string_view text) noexcept
{
	const std::size_t open = text.rfind('[');
	if (open == std::string_view::npos)
		return std::nullopt;
	const std::string_view vector = trimmed(text.substr(open));
	if (!vector.ends_with(']'))
		return std::nullopt;
	EmbeddingText out{std::nullopt, vector.substr(1, vector.size() - 2)};
	if (text.substr(0, open).find_first_not_of(blanks) == std::string_view::npos)
		return out;
	if (text[open - 1] != '/')
		return std::nullopt;
	out.model = text.substr(0, open - 1);
	return out;
}

std::size_t count_elements(std::string_view elements) noexcept
{
	return 1 + static_cast<std::size_t>(std::count(elements.begin(), elements.end(), ','));
}

VectorError parse_elements(std::string_view elements, std::span<float> out) noexcept
{
	if (trimmed(elements).empty())
		return VectorError::empty;
	for (float &element : out) {
		const std::size_t comma = std::min(elements.find(','), elements.size());
		if (const VectorError error = parse_element(elements.substr(0, comma), element); error != VectorError::none)
			return error;
		elements.remove_prefix(std::min(comma + 1, elements.size()));
	}
	return VectorError::none;
}

char *format_vector(Vector vector, char *out) noexcept
{
	*out++ = '[';
	for (const float element : vector) {
		out = std::to_chars(out, out + element_text, element).ptr;
		*out++ = ',';
	}
	out[-1] = ']'; // in place of the last comma
	return out;
}

} // namespace txtfp::core

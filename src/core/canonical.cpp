#include "core/canonical.hpp"

#include <bit>

#include "core/bytes.hpp"
#include "core/canonical_sets.hpp"
#include "core/normalize.hpp"
#include "core/unicode_tables.hpp"
#include "core/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view normalization_names[] = {"nfc", "nfkc", "none"};
constexpr std::size_t batch_bytes = 8192;
constexpr std::ptrdiff_t check_interval = 1 << 20;

bool take(std::string_view &text, std::string_view prefix) noexcept
{
	if (!text.starts_with(prefix))
		return false;
	text.remove_prefix(prefix.size());
	return true;
}

// Is there a normalization boundary before a code point with this canonical_value, in every configuration?
constexpr bool is_boundary(std::uint16_t value) noexcept
{
	return value == unicode::canonical_plain || value >= unicode::canonical_expanded;
}

constexpr std::uint64_t high_bits = 0x8080808080808080;

// Lower-cases eight ASCII bytes at once: sets bit 5 of every byte in 'A' … 'Z'.
constexpr std::uint64_t to_lower8(std::uint64_t v) noexcept
{
	constexpr std::uint64_t ones = 0x0101010101010101;
	const std::uint64_t from_a = v + ones * (0x80 - 'A'), after_z = v + ones * (0x7F - 'Z');
	return v | ((from_a & ~after_z & high_bits) >> 2);
}

// Appends the ASCII prefix of [p, end), lower-cased, and returns where it ends.
const char *append_ascii_lower(const char *p, const char *end, std::string &out)
{
	const std::size_t old = out.size();
	const char *from = p;
	while (end - p >= 8 && (load_le64(p) & high_bits) == 0)
		p += 8;
	while (p < end && static_cast<signed char>(*p) >= 0)
		++p;
	const std::size_t n = static_cast<std::size_t>(p - from);
	out.append(from, n);
	char *to = out.data() + old;
	std::size_t i = 0;
	for (; i + 8 <= n; i += 8)
		store_le64(to + i, to_lower8(load_le64(to + i)));
	for (; i < n; ++i)
		if (to[i] >= 'A' && to[i] <= 'Z')
			to[i] = static_cast<char>(to[i] | 0x20);
	return p;
}

void append_expansion(std::uint16_t value, std::string &out)
{
	const std::uint32_t at = unicode::expansions[value - unicode::canonical_expanded];
	out.append(reinterpret_cast<const char *>(unicode::expansion_bytes) + (at >> 8), at & 0xFF);
}

std::u32string to_code_points(std::string_view utf8)
{
	std::u32string out;
	out.reserve(utf8.size());
	const char *end = utf8.data() + utf8.size();
	for (const char *p = utf8.data(); p < end;) {
		const Decoded c = decode(p, end);
		out.push_back(c.code_point);
		p += c.length;
	}
	return out;
}

} // namespace

bool parse_canonicalizer(std::string_view text, CanonicalOptions &options) noexcept
{
	if (take(text, "nfc-"))
		options.normalization = Normalization::nfc;
	else if (take(text, "nfkc-"))
		options.normalization = Normalization::nfkc;
	else if (take(text, "none-"))
		options.normalization = Normalization::none;
	else
		return false;
	options.case_fold = take(text, "cf-simple");
	if (!options.case_fold && !take(text, "cf-none"))
		return false;
	options.strip_bidi = take(text, "-bidi");
	options.strip_format = take(text, "-fmt");
	options.confusable = take(text, "-conf");
	return text.empty();
}

std::string format_canonicalizer(const CanonicalOptions &options)
{
	std::string text(normalization_names[static_cast<int>(options.normalization)]);
	text += options.case_fold ? "-cf-simple" : "-cf-none";
	text += options.strip_bidi ? "-bidi" : "";
	text += options.strip_format ? "-fmt" : "";
	text += options.confusable ? "-conf" : "";
	return text;
}

Canonicalizer::Canonicalizer(const CanonicalOptions &options, StopToken stop) noexcept
	: options_(options), stop_(stop),
	  // strip_format removes all that strip_bidi removes
	  fast_(options.normalization == Normalization::nfkc && options.case_fold && options.strip_format &&
		  !options.confusable)
{
}

std::size_t Canonicalizer::append(std::string_view utf8, bool last, std::string &out) const
{
	return fast_ ? append_fast(utf8, last, out) : append_by_rules(utf8, last, out);
}

// Copies what the table knows to be final. Where a code point may interact with its neighbours, goes back to the last
// boundary and does the segment up to the next one by the rules.
std::size_t Canonicalizer::append_fast(std::string_view utf8, bool last, std::string &out) const
{
	const char *const end = utf8.data() + utf8.size();
	const char *p = utf8.data();
	const char *segment = p; // the last boundary, and where its output begins
	std::size_t segment_out = out.size();
	unsigned last_class = 0;
	out.reserve(out.size() + utf8.size());
	const char *next_check = p;
	while (p < end) {
		if (p >= next_check) {
			check_progress(out);
			next_check = p + check_interval;
		}
		if (static_cast<signed char>(*p) >= 0) {
			p = append_ascii_lower(p, end, out);
			segment = p - 1;
			segment_out = out.size() - 1;
			last_class = 0;
			continue;
		}
		const Decoded c = decode(p, end);
		const std::uint16_t value = unicode::canonical_value(c.code_point);
		if (is_boundary(value)) {
			segment = p;
			segment_out = out.size();
			last_class = 0;
			if (value == unicode::canonical_plain)
				out.append(p, c.length);
			else
				append_expansion(value, out);
			p += c.length;
		} else if (value == unicode::canonical_dropped) {
			p += c.length;
		} else if (value != unicode::canonical_slow && unsigned{value} - unicode::canonical_mark >= last_class) {
			last_class = unsigned{value} - unicode::canonical_mark;
			out.append(p, c.length);
			p += c.length;
		} else {
			out.resize(segment_out);
			while (p < end && !is_boundary(unicode::canonical_value(decode(p, end).code_point)))
				p += decode(p, end).length;
			if (p == end && !last)
				break;
			append_segment(std::string_view(segment, p), out);
			segment = p;
			segment_out = out.size();
			last_class = 0;
		}
	}
	if (last)
		return utf8.size();
	out.resize(segment_out);
	return static_cast<std::size_t>(segment - utf8.data());
}

// A segment that holds no boundary inside takes some 40 times its size in memory.
void Canonicalizer::append_segment(std::string_view utf8, std::string &out) const
{
	if (utf8.size() > max_run_bytes)
		throw Error(ErrorKind::too_large, "a run of combining characters exceeds 64 MB");
	out += canonicalize_by_definition(utf8, options_, stop_);
	check_progress(out);
}

void Canonicalizer::check_progress(const std::string &out) const
{
	if (out.size() > max_result_bytes)
		throw Error(ErrorKind::too_large, "canonical text would exceed 1 GB");
	stop_.check();
}

std::size_t Canonicalizer::append_by_rules(std::string_view utf8, bool last, std::string &out) const
{
	const char *const end = utf8.data() + utf8.size();
	const char *batch = utf8.data();
	const auto finish_batch = [&](const char *to) {
		append_segment(std::string_view(batch, to), out);
		batch = to;
	};
	const char *boundary = batch;
	for (const char *p = batch; p < end;) {
		const Decoded c = decode(p, end);
		if (is_boundary(unicode::canonical_value(c.code_point))) {
			boundary = p;
			if (static_cast<std::size_t>(p - batch) >= batch_bytes)
				finish_batch(p);
		}
		p += c.length;
	}
	if (last || boundary > batch)
		finish_batch(last ? end : boundary);
	return static_cast<std::size_t>(batch - utf8.data());
}

std::string canonicalize(std::string_view utf8, const CanonicalOptions &options, StopToken stop)
{
	std::string out;
	Canonicalizer(options, stop).append(utf8, true, out);
	return out;
}

std::string canonicalize_by_definition(std::string_view utf8, const CanonicalOptions &options, StopToken stop)
{
	std::u32string text = to_code_points(utf8);
	std::erase_if(text, [&](char32_t c) {
		return (options.strip_bidi && is_bidi_control(c)) || (options.strip_format && is_format_control(c));
	});
	text = normalize(text, options.normalization, stop);
	if (options.case_fold)
		text = normalize(fold_case(text, stop), options.normalization, stop);
	if (options.confusable)
		text = skeleton(text, stop);
	std::string out;
	for (const char32_t c : text)
		append(out, c);
	return out;
}

} // namespace txtfp::core

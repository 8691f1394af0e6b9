#include "core/text/canonical.hpp"

#include <algorithm>
#include <cstring>

#include "core/text/canonical_ascii.hpp"
#include "core/text/canonical_sets.hpp"
#include "core/text/normalize.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view normalization_names[] = {"nfc", "nfkc", "none"};
constexpr std::size_t batch_bytes = 8192;
constexpr std::ptrdiff_t check_interval = 1
	<< 14; // bytes, so that what is ready for output is still in the cache when it is written

bool skip_prefix(std::string_view &text, std::string_view prefix) noexcept
{
	if (!text.starts_with(prefix))
		return false;
	text.remove_prefix(prefix.size());
	return true;
}

// True if there is a normalization boundary before a code point with this canonical_value. Not valid if confusables are
// mapped.
constexpr bool is_boundary(std::uint16_t value) noexcept
{
	return value == unicode::canonical_plain || value >= unicode::canonical_expanded;
}

// Appends without a function call or a bounds check per character. Its owner reserves room ahead: one byte of output
// for each byte of input, and `slack` bytes more. The destructor sets the size of the buffer.
class Writer {
public:
	static constexpr std::size_t slack =
		16; // bytes that stores of constant size, or a code point cut by the end, may write beyond

	explicit Writer(TextBuffer &out) noexcept : out_(out), size_(out.size()) {}
	Writer(const Writer &) = delete;
	Writer &operator=(const Writer &) = delete;
	~Writer() { out_.set_size(size_); }

	std::size_t size() const noexcept { return size_; }
	void truncate(std::size_t size) noexcept { size_ = size; }
	void make_room(std::size_t input) { out_.reserve(size_ + input + slack, size_); }

	// For output that is not longer than the input that it replaces: write at to(), then advance.
	char *to() noexcept { return out_.data() + size_; }
	void advance(std::size_t n) noexcept { size_ += n; }

	// For output that may be longer than the input that it replaces.
	void append(std::string_view bytes, std::size_t input_left)
	{
		constexpr std::size_t growth = 4096; // reserved at once, because more such bytes usually follow
		if (out_.capacity() - size_ < bytes.size() + input_left + slack)
			make_room(bytes.size() + input_left + growth);
		std::memcpy(to(), bytes.data(), bytes.size());
		size_ += bytes.size();
	}

private:
	TextBuffer &out_;
	std::size_t size_;
};

// Appends the ASCII prefix of [p, end), lower-cased, and returns where it ends.
inline const char *append_ascii_lower(const char *p, const char *end, Writer &out) noexcept
{
	const std::size_t n = lower_ascii(p, static_cast<std::size_t>(end - p), out.to());
	out.advance(n);
	return p + n;
}

// Copies the code point of `length` bytes at p < end as it is.
inline void append_same(const char *p, const char *end, unsigned length, Writer &out) noexcept
{
	constexpr std::ptrdiff_t longest = 4;
	if (end - p >= longest)
		std::memcpy(out.to(), p, longest); // of constant size, so that the compiler emits no call
	else
		std::memcpy(out.to(), p, length);
	out.advance(length);
}

std::string_view expansion(std::uint16_t value) noexcept
{
	const std::uint32_t at = unicode::expansions[value - unicode::canonical_expanded];
	return {reinterpret_cast<const char *>(unicode::expansion_bytes) + (at >> 8), at & 0xFF};
}

constexpr std::size_t bytes_between(const char *p, const char *end) noexcept
{
	return p < end ? static_cast<std::size_t>(end - p) : 0;
}

// The first boundary at or after p.
const char *next_boundary(const char *p, const char *end) noexcept
{
	while (p < end) {
		const Decoded c = decode(p, end);
		if (is_boundary(unicode::canonical_value(c.code_point)))
			break;
		p += c.length;
	}
	return p;
}

// Returns the end of the text to normalize together: the segment from `begin` to behind p, and the following segments
// as long as they have more than one code point. Normalizing a run of short segments costs little more than one.
const char *run_end(const char *begin, const char *p, const char *end) noexcept
{
	constexpr std::ptrdiff_t longest = 64;
	for (p = next_boundary(p, end); p < end;) {
		const char *const second = p + decode(p, end).length;
		const char *const next = next_boundary(second, end);
		if (next == second || next == end || next - begin > longest) // a segment at the end may be incomplete
			break;
		p = next;
	}
	return p;
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

// Applies the default canonicalizer to a segment of ordinary length. False: the definition must do it.
bool append_short(std::string_view segment, std::string &out)
{
	constexpr std::size_t longest = 256;
	if (segment.size() > longest)
		return false;
	char32_t text[longest];
	std::size_t size = 0;
	const char *const end = segment.data() + segment.size();
	for (const char *p = segment.data(); p < end;) {
		const Decoded c = decode(p, end);
		if (!is_format_control(c.code_point))
			text[size++] = c.code_point;
		p += c.length;
	}
	return append_folded_nfkc({text, size}, out);
}

} // namespace

bool parse_canonicalizer(std::string_view text, CanonicalOptions &options) noexcept
{
	if (skip_prefix(text, "nfc-"))
		options.normalization = Normalization::nfc;
	else if (skip_prefix(text, "nfkc-"))
		options.normalization = Normalization::nfkc;
	else if (skip_prefix(text, "none-"))
		options.normalization = Normalization::none;
	else
		return false;
	options.case_fold = skip_prefix(text, "cf-simple");
	if (!options.case_fold && !skip_prefix(text, "cf-none"))
		return false;
	options.strip_bidi = skip_prefix(text, "-bidi");
	options.strip_format = skip_prefix(text, "-fmt");
	options.confusable = skip_prefix(text, "-conf");
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

std::size_t Canonicalizer::append(std::string_view utf8, bool last, TextBuffer &out) const
{
	return fast_ ? append_fast(utf8, last, out) : append_by_rules(utf8, last, out);
}

// Copies code points that the table marks as final. At a code point that may interact with its neighbours it goes back
// to the last boundary and normalizes the segment up to the next boundary by the rules.
std::size_t Canonicalizer::append_fast(std::string_view utf8, bool last, TextBuffer &out) const
{
	const char *const end = utf8.data() + utf8.size();
	const char *p = utf8.data();
	if (end - p > check_interval)
		out.reserve(out.size() + utf8.size() + Writer::slack, out.size());
	Writer to(out);
	const char *segment = p; // the last boundary, and where its output begins
	std::size_t segment_out = to.size();
	unsigned last_class = 0;
	const char *next_check = p;
	while (p < end) {
		if (p >= next_check) {
			check_progress(to.size());
			next_check = p + std::min(check_interval, end - p);
			to.make_room(static_cast<std::size_t>(next_check - p));
		}
		if (static_cast<signed char>(*p) >= 0) {
			p = append_ascii_lower(p, next_check, to);
			segment = p - 1; // because a mark may follow the last one
			segment_out = to.size() - 1;
			last_class = 0;
			continue;
		}
		const Decoded c = decode(p, end);
		const std::uint16_t value = unicode::canonical_value(c.code_point);
		if (is_boundary(value)) {
			segment = p;
			segment_out = to.size();
			last_class = 0;
			p += c.length;
			if (value == unicode::canonical_plain)
				append_same(segment, end, c.length, to);
			else
				to.append(expansion(value), bytes_between(p, next_check));
		} else if (value == unicode::canonical_dropped) {
			p += c.length;
		} else if (value != unicode::canonical_slow && unsigned{value} - unicode::canonical_mark >= last_class) {
			last_class = unsigned{value} - unicode::canonical_mark;
			append_same(p, end, c.length, to);
			p += c.length;
		} else {
			to.truncate(segment_out);
			p = run_end(segment, p, end);
			if (p == end && !last)
				break;
			to.append(by_rules(std::string_view(segment, p)), bytes_between(p, next_check));
			check_progress(to.size());
			segment = p;
			segment_out = to.size();
			last_class = 0;
		}
	}
	if (last)
		return utf8.size();
	to.truncate(segment_out);
	return static_cast<std::size_t>(segment - utf8.data());
}

// A segment without an inner boundary needs memory of some 40 times its size.
std::string Canonicalizer::by_rules(std::string_view segment) const
{
	if (segment.size() > max_run_bytes)
		throw Error(ErrorKind::too_large, "a run of combining characters exceeds 64 MB");
	if (std::string out; fast_ && append_short(segment, out))
		return out;
	return canonicalize_by_definition(segment, options_, stop_);
}

void Canonicalizer::check_progress(std::size_t result_bytes) const
{
	if (result_bytes > max_result_bytes)
		throw Error(ErrorKind::too_large, "canonical text would exceed 1 GB");
	stop_.check();
}

std::size_t Canonicalizer::append_by_rules(std::string_view utf8, bool last, TextBuffer &out) const
{
	const char *const end = utf8.data() + utf8.size();
	const char *batch = utf8.data();
	const auto finish_batch = [&](const char *to) {
		out.append(by_rules(std::string_view(batch, to)));
		check_progress(out.size());
		batch = to;
	};
	const char *boundary = batch;
	for (const char *p = batch; p < end;) {
		const Decoded c = decode(p, end);
		const bool mapped_too = !options_.confusable || !unicode::breaks_skeleton(c.code_point);
		if (mapped_too && is_boundary(unicode::canonical_value(c.code_point))) {
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

TextBuffer canonicalize(std::string_view utf8, const CanonicalOptions &options, StopToken stop)
{
	TextBuffer out;
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

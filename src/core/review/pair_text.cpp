#include "core/review/pair_text.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

// The end of the first `bytes` bytes, and the beginning of the last ones, at the beginning of a character.
std::size_t head_end(std::string_view text, std::size_t bytes) { return character_boundary(text, bytes); }
std::size_t tail_begin(std::string_view text, std::size_t bytes)
{
	return bytes >= text.size() ? 0 : character_boundary(text, text.size() - bytes);
}

class PairWriter {
public:
	PairWriter(
		std::string_view a, std::string_view b, const std::vector<Difference> &differences, Characters characters)
		: a_(a), b_(b), differences_(differences), characters_(characters)
	{
		std::size_t equal = 0, different = 0;
		shown_ = std::min(differences.size(), shown_differences);
		std::size_t end = 0;
		for (std::size_t i = 0; i < shown_; ++i) {
			equal += differences[i].a.byte - end;
			different += differences[i].a.bytes + differences[i].b.bytes;
			end = differences[i].a.byte + differences[i].a.bytes;
		}
		if (shown_ == differences.size())
			equal += a.size() - end;
		if (equal > equal_budget)
			context_ = std::clamp<std::size_t>(equal_budget / (2 * (shown_ + 1)), 32, 600);
		if (different > difference_budget)
			side_ = std::clamp<std::size_t>(difference_budget / (2 * shown_), 32, 2000);
	}

	std::string write()
	{
		json_ += '[';
		std::size_t end = 0;
		for (std::size_t i = 0; i < shown_; ++i) {
			const Difference &difference = differences_[i];
			put_equal(a_.substr(end, difference.a.byte - end), i == 0 ? 0 : context_, context_);
			separate();
			json_ += '[';
			put_number(static_cast<std::size_t>(difference.kind));
			for (const auto &[text, range] : {std::pair{a_, difference.a}, std::pair{b_, difference.b}}) {
				json_ += ',';
				put_cut(text.substr(range.byte, range.bytes), side_ - side_ / 3, side_ / 3);
			}
			json_ += ']';
			end = difference.a.byte + difference.a.bytes;
		}
		if (shown_ < differences_.size()) {
			separate();
			json_ += "[-1,";
			put_number(differences_.size() - shown_);
			json_ += ']';
			const Difference &last = differences_.back();
			end = last.a.byte + last.a.bytes;
		}
		put_equal(a_.substr(end), context_, shown_ == 0 ? context_ : 0);
		return std::move(json_ += ']');
	}

private:
	void separate() { json_ += json_.size() == 1 ? "" : ","; }

	void put_number(std::size_t value)
	{
		char digits[24];
		json_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
	}

	void put_equal(std::string_view text, std::size_t head, std::size_t tail)
	{
		if (text.empty())
			return;
		separate();
		put_cut(text, head, tail);
	}

	// With at most this many bytes of the beginning and of the end, if anything worth mentioning is between them.
	void put_cut(std::string_view text, std::size_t head, std::size_t tail)
	{
		constexpr std::size_t least = 40;
		if (text.size() < head + tail + least) {
			append_page_json(json_, text, characters_);
			return;
		}
		const std::size_t begin = head_end(text, head), end = std::max(begin, tail_begin(text, tail));
		const std::string_view between = text.substr(begin, end - begin);
		json_ += '[';
		append_page_json(json_, text.substr(0, begin), characters_);
		json_ += ',';
		put_number(static_cast<std::size_t>(
			std::count_if(between.begin(), between.end(), [](char c) { return !is_continuation(c); })));
		json_ += ',';
		append_page_json(json_, text.substr(end), characters_);
		json_ += ']';
	}

	static constexpr std::size_t whole = ~std::size_t{0} / 4;
	std::string_view a_, b_;
	const std::vector<Difference> &differences_;
	Characters characters_;
	std::size_t shown_ = 0, context_ = whole, side_ = whole;
	std::string json_;
};

} // namespace

PairText pair_text(std::string_view a, std::string_view b, Characters characters, StopToken stop)
{
	const std::vector<Difference> differences = text_difference(a, b, CanonicalOptions{}, Segmenter::word, stop);
	PairText result;
	for (const Difference &difference : differences)
		++result.kinds[static_cast<std::size_t>(difference.kind)];
	result.json = PairWriter(a, b, differences, characters).write();
	return result;
}

} // namespace txtfp::core

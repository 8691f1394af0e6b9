#include "core/markdown.hpp"

#include <algorithm>
#include <limits>

#include "core/budget.hpp"
#include "core/char_width.hpp"
#include "core/text/utf8.hpp"

extern "C" {
#include "entity.h"
#include "md4c.h"
}

namespace txtfp::markup {

namespace {

// Bytes that the parser may allocate. It counts some of them in an int; real documents need less than their own size.
std::size_t parser_memory_limit(std::size_t size) noexcept
{
	constexpr std::size_t most = std::size_t{1} << 30;
	return std::min(Budget(size).limit(), most);
}

// Receives the parser's callbacks. They are called from C, so they must not throw.
class Writer {
public:
	Writer(std::string_view markdown, const MarkdownOptions &options, core::StopToken stop)
		: options_(options), stop_(stop), source_(markdown)
	{
		out_.reserve(markdown.size());
	}

	bool stopped() const noexcept { return stopped_; }
	bool too_large() const noexcept { return too_large_; }
	int poll(std::size_t memory) noexcept
	{
		too_large_ = memory > parser_memory_limit(source_.size());
		stopped_ = stop_.requested != nullptr && stop_.requested();
		return too_large_ || stopped_;
	}
	bool no_memory() const noexcept { return no_memory_; }
	std::string take();

	int enter(MD_BLOCKTYPE type);
	int leave(MD_BLOCKTYPE type);
	int text(MD_TEXTTYPE type, std::string_view text);

	// Runs step; stores an exception for later and tells the parser to stop.
	template <typename Step> int guard(Step step) noexcept
	{
		try {
			if (++calls_ % 1024 == 0 && poll(0) != 0)
				return 1;
			return step();
		} catch (const std::exception &) {
			no_memory_ = true;
			return 1;
		}
	}

private:
	void separate()
	{
		if (options_.break_to_space && !after_break_) {
			out_ += ' ';
			after_break_ = true;
		}
	}
	void put(std::string_view text)
	{
		if (text.empty())
			return;
		out_ += text;
		after_break_ = false;
	}
	void put_entity(std::string_view entity);

	MarkdownOptions options_;
	core::StopToken stop_;
	std::string_view source_;
	std::string out_;
	bool after_break_ = true; // the last output was a break
	bool in_code_ = false, html_begins_ = false;
	bool stopped_ = false, too_large_ = false, no_memory_ = false;
	unsigned calls_ = 0;
};

bool separates(MD_BLOCKTYPE type) noexcept { return type == MD_BLOCK_P || type == MD_BLOCK_LI || type == MD_BLOCK_H; }

int Writer::enter(MD_BLOCKTYPE type)
{
	if (separates(type))
		separate();
	in_code_ = type == MD_BLOCK_CODE;
	html_begins_ = type == MD_BLOCK_HTML;
	return 0;
}

int Writer::leave(MD_BLOCKTYPE type)
{
	if (separates(type) || type == MD_BLOCK_CODE)
		separate();
	in_code_ = false;
	return 0;
}

void Writer::put_entity(std::string_view entity)
{
	if (entity.size() > 3 && entity[1] == '#') {
		const bool hex = entity[2] == 'x' || entity[2] == 'X';
		char32_t c = 0;
		for (std::size_t i = hex ? 3 : 2; i + 1 < entity.size(); ++i) {
			const char d = entity[i];
			const int digit = d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10;
			c = c * (hex ? 16 : 10) + static_cast<char32_t>(digit);
		}
		std::string bytes;
		core::append(bytes, c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0xFFFD : c);
		put(bytes);
		return;
	}
	const ENTITY *const found = entity_lookup(entity.data(), entity.size());
	if (found == nullptr) {
		put(entity);
		return;
	}
	std::string bytes;
	for (const unsigned c : found->codepoints)
		if (c != 0)
			core::append(bytes, c);
	put(bytes);
}

int Writer::text(MD_TEXTTYPE type, std::string_view text)
{
	switch (type) {
	case MD_TEXT_BR:
	case MD_TEXT_SOFTBR:
		separate();
		break;
	case MD_TEXT_HTML:
		// The indentation of an HTML block is part of its text.
		if (html_begins_ && text.find_first_not_of(' ') == std::string_view::npos)
			put(text);
		html_begins_ = false;
		break;
	case MD_TEXT_CODE:
		if (in_code_ ? options_.include_code_blocks : options_.include_inline_code)
			put(text);
		break;
	case MD_TEXT_ENTITY:
		put_entity(text);
		break;
	case MD_TEXT_NULLCHAR:
		put("\uFFFD");
		break;
	default:
		put(text);
		break;
	}
	return 0;
}

// Removes white space at both ends.
std::string Writer::take()
{
	std::size_t begin = 0, end = out_.size();
	while (begin < end) {
		const core::Decoded d = core::decode(out_.data() + begin, out_.data() + end);
		if (!is_white_space(d.code_point))
			break;
		begin += d.length;
	}
	while (end > begin) {
		std::size_t last = end - 1;
		while (last > begin && core::is_continuation(out_[last]))
			--last;
		if (!is_white_space(core::decode(out_.data() + last, out_.data() + end).code_point))
			break;
		end = last;
	}
	out_.resize(end);
	out_.erase(0, begin);
	return std::move(out_);
}

} // namespace

std::string markdown_to_text(std::string_view markdown, const MarkdownOptions &options, core::StopToken stop)
{
	if (markdown.size() > std::numeric_limits<MD_SIZE>::max() / 2)
		throw core::Error(core::ErrorKind::too_large, "Markdown is longer than 2 GB");
	Writer writer(markdown, options, stop);
	MD_PARSER parser{};
	parser.enter_block = [](MD_BLOCKTYPE type, void *, void *user) noexcept {
		auto *w = static_cast<Writer *>(user);
		return w->guard([&] { return w->enter(type); });
	};
	parser.leave_block = [](MD_BLOCKTYPE type, void *, void *user) noexcept {
		auto *w = static_cast<Writer *>(user);
		return w->guard([&] { return w->leave(type); });
	};
	parser.enter_span = nullptr; // md4c.changes: then no attributes of links are built
	parser.leave_span = nullptr;
	parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *user) noexcept {
		auto *w = static_cast<Writer *>(user);
		return w->guard([&] { return w->text(type, {text, size}); });
	};
	parser.poll = [](std::size_t memory, void *user) noexcept { return static_cast<Writer *>(user)->poll(memory); };
	const int failed = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &writer);
	if (writer.stopped())
		throw core::Error(core::ErrorKind::cancelled, "cancelled");
	if (writer.too_large())
		throw core::Error(core::ErrorKind::too_large,
			"Markdown would take more than " + std::to_string(parser_memory_limit(markdown.size()) >> 20) +
				" MB of memory");
	if (failed != 0)
		throw std::bad_alloc();
	return writer.take();
}

} // namespace txtfp::markup

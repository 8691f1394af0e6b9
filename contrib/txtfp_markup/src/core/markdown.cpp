#include "core/markdown.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "core/budget.hpp"
#include "core/char_width.hpp"
#include "core/text/utf8.hpp"

extern "C" {
#include "core/markdown_output.h"
#include "entity.h"
}

namespace txtfp::markup {

namespace {

// Bytes that the parser may allocate. It counts some of them in an int; real documents need less than their own size.
std::size_t parser_memory_limit(std::size_t size) noexcept
{
	constexpr std::size_t most = std::size_t{1} << 30;
	return std::min(Budget(size).limit(), most);
}

struct Output : markdown_output {
	core::StopToken stop{};
	std::size_t memory_limit = 0;
	bool stopped = false, too_large = false;

	Output(std::string_view markdown, const MarkdownOptions &options, core::StopToken stop_token)
		: markdown_output{}, stop(stop_token), memory_limit(parser_memory_limit(markdown.size()))
	{
		include_code_blocks = options.include_code_blocks;
		include_inline_code = options.include_inline_code;
		break_to_space = options.break_to_space;
		if (!markdown_output_begin(this, markdown.data(), markdown.size()))
			throw std::bad_alloc();
	}
	Output(const Output &) = delete;
	Output &operator=(const Output &) = delete;
	~Output() { std::free(text); }

	// Called by the parser, which is told to stop by a result other than 0.
	int poll(std::size_t memory) noexcept
	{
		too_large = memory > memory_limit;
		stopped = stop.requested != nullptr && stop.requested();
		return too_large || stopped || no_memory;
	}
};

char32_t character_reference(std::string_view entity) noexcept
{
	const bool hex = entity[2] == 'x' || entity[2] == 'X';
	char32_t c = 0;
	for (std::size_t i = hex ? 3 : 2; i + 1 < entity.size(); ++i) {
		const char d = entity[i];
		const int digit = d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10;
		c = c * (hex ? 16 : 10) + static_cast<char32_t>(digit);
	}
	return c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0xFFFD : c;
}

// Without white space at both ends.
std::string_view trimmed(std::string_view text) noexcept
{
	std::size_t begin = 0, end = text.size();
	while (begin < end) {
		const core::Decoded d = core::decode(text.data() + begin, text.data() + end);
		if (!is_white_space(d.code_point))
			break;
		begin += d.length;
	}
	while (end > begin) {
		std::size_t last = end - 1;
		while (last > begin && core::is_continuation(text[last]))
			--last;
		if (!is_white_space(core::decode(text.data() + last, text.data() + end).code_point))
			break;
		end = last;
	}
	return text.substr(begin, end - begin);
}

} // namespace

std::string markdown_to_text(std::string_view markdown, const MarkdownOptions &options, core::StopToken stop)
{
	if (markdown.size() > std::numeric_limits<MD_SIZE>::max() / 2)
		throw core::Error(core::ErrorKind::too_large, "Markdown is longer than 2 GB");
	Output output(markdown, options, stop);
	MD_PARSER parser{};
	parser.poll = [](std::size_t memory, void *user) noexcept { return static_cast<Output *>(user)->poll(memory); };
	const int failed = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &output);
	if (output.stopped)
		throw core::Error(core::ErrorKind::cancelled, "cancelled");
	if (output.too_large)
		throw core::Error(core::ErrorKind::too_large,
			"Markdown would take more than " + std::to_string(output.memory_limit >> 20) + " MB of memory");
	if (failed != 0 || output.no_memory)
		throw std::bad_alloc();
	return std::string(trimmed({output.text, output.size}));
}

} // namespace txtfp::markup

void markdown_put_entity(markdown_output *out, const char *entity, std::size_t size)
{
	std::string bytes; // at most two characters: never allocates
	if (size > 3 && entity[1] == '#') {
		txtfp::core::append(bytes, txtfp::markup::character_reference({entity, size}));
	} else if (const ENTITY *const found = entity_lookup(entity, size)) {
		for (const unsigned c : found->codepoints)
			if (c != 0)
				txtfp::core::append(bytes, c);
	} else {
		markdown_put(out, entity, size);
		return;
	}
	markdown_put(out, bytes.data(), bytes.size());
}

#include "core/html_document.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>

namespace txtfp::markup {

namespace {

// Bytes that lexbor has allocated. A backend has one thread and parses one document at a time.
std::size_t allocated = 0;

void *counted(void *p) noexcept
{
	if (p != nullptr)
		allocated += malloc_usable_size(p);
	return p;
}

void uncount(void *p) noexcept
{
	if (p != nullptr)
		allocated -= malloc_usable_size(p);
}

void *count_malloc(std::size_t size) { return counted(std::malloc(size)); }
void *count_calloc(std::size_t n, std::size_t size) { return counted(std::calloc(n, size)); }
void count_free(void *p)
{
	uncount(p);
	std::free(p);
}

void *count_realloc(void *p, std::size_t size)
{
	const std::size_t before = p == nullptr ? 0 : malloc_usable_size(p);
	void *const moved = std::realloc(p, size);
	if (moved != nullptr) {
		allocated -= before;
		counted(moved);
	}
	return moved;
}

void count_allocations() noexcept
{
	static const bool done =
		lexbor_memory_setup(count_malloc, count_realloc, count_calloc, count_free) == LXB_STATUS_OK;
	(void) done;
}

enum class Halt { none, cancelled, too_deep, too_large };

// Called between the tokenizer and the tree builder: checks after every token whether to continue.
struct Watch {
	lxb_html_tree_t *tree;
	lxb_html_tokenizer_token_f build;
	void *build_context;
	core::StopToken stop;
	const Budget *budget;
	std::size_t allocated_before;
	unsigned tokens = 0;
	std::size_t work = 0; // steps up the stack of open elements since the last check of stop
	Halt halt = Halt::none;
	const lxb_char_t *at = nullptr; // beginning of the token at which the parser was stopped
};

lxb_html_token_t *watch_token(lxb_html_tokenizer_t *tokenizer, lxb_html_token_t *token, void *context)
{
	auto *watch = static_cast<Watch *>(context);
	const std::size_t depth = lexbor_array_length(watch->tree->open_elements);
	watch->work += depth + 16;
	// The parse errors are not used, and their growing lists would be copied again and again.
	lexbor_array_obj_clean(watch->tree->parse_errors);
	lexbor_array_obj_clean(tokenizer->parse_errors);
	if (depth > max_open_elements) {
		watch->halt = Halt::too_deep;
	} else if (watch->budget->exceeded_by(allocated - watch->allocated_before)) {
		watch->halt = Halt::too_large;
	} else if (watch->work > 100000) {
		watch->work = 0;
		if (watch->stop.requested != nullptr && watch->stop.requested())
			watch->halt = Halt::cancelled;
	}
	if (watch->halt != Halt::none) {
		watch->at = token->begin;
		tokenizer->status = LXB_STATUS_ABORTED;
		return nullptr;
	}
	return watch->build(tokenizer, token, watch->build_context);
}

[[noreturn]] void fail(const Watch &watch, std::string_view html, std::string_view part)
{
	// A token that began in an earlier chunk has no position in this one.
	const char *at = reinterpret_cast<const char *>(watch.at);
	if (at == nullptr || at < part.data() || at > part.data() + part.size())
		at = part.data();
	const std::string byte = std::to_string(at - html.data() + 1);
	switch (watch.halt) {
	case Halt::too_deep:
		throw core::Error(core::ErrorKind::too_large,
			"HTML nests deeper than " + std::to_string(max_open_elements) + " elements at byte " + byte);
	case Halt::too_large:
		throw core::Error(core::ErrorKind::too_large,
			"HTML would take more than " + std::to_string(watch.budget->limit() >> 20) + " MB of memory at byte " +
				byte);
	case Halt::cancelled:
		throw core::Error(core::ErrorKind::cancelled, "cancelled");
	case Halt::none:
		break;
	}
	throw std::bad_alloc(); // the only other reason why lexbor stops
}

} // namespace

HtmlDocument::HtmlDocument(
	std::string_view html, const std::vector<std::string_view> &parts, const Budget &budget, core::StopToken stop)
{
	count_allocations();
	Watch watch{};
	watch.stop = stop;
	watch.budget = &budget;
	watch.allocated_before = allocated;
	constexpr std::size_t chunk = std::size_t{1} << 20;
	try {
		parser_ = lxb_html_parser_create();
		if (lxb_html_parser_init(parser_) != LXB_STATUS_OK)
			throw std::bad_alloc();
		lxb_html_parser_dom_opt_set(parser_, LXB_DOM_DOCUMENT_OPT_WO_EVENTS);
		lxb_html_tokenizer_t *const tokenizer = lxb_html_parser_tokenizer(parser_);
		watch.tree = lxb_html_parser_tree(parser_);
		watch.build = tokenizer->callback_token_done;
		watch.build_context = tokenizer->callback_token_ctx;
		lxb_html_tokenizer_callback_token_done_set(tokenizer, watch_token, &watch);
		document_ = lxb_html_parse_chunk_begin(parser_);
		if (document_ == nullptr)
			throw std::bad_alloc();
		for (std::string_view part : parts)
			for (; !part.empty(); part.remove_prefix(std::min(chunk, part.size()))) {
				stop.check();
				const std::string_view piece = part.substr(0, chunk);
				if (lxb_html_parse_chunk_process(
						parser_, reinterpret_cast<const lxb_char_t *>(piece.data()), piece.size()) != LXB_STATUS_OK)
					fail(watch, html, piece);
			}
		if (lxb_html_parse_chunk_end(parser_) != LXB_STATUS_OK)
			fail(watch, html, html.substr(html.size()));
	} catch (...) {
		destroy();
		throw;
	}
}

HtmlDocument::~HtmlDocument() { destroy(); }

void HtmlDocument::destroy() noexcept
{
	if (document_ != nullptr)
		lxb_html_document_destroy(document_);
	if (parser_ != nullptr)
		lxb_html_parser_destroy(parser_);
}

const lxb_dom_attr_t *attribute(const lxb_dom_node_t *node, std::string_view name) noexcept
{
	for (const lxb_dom_attr_t *a = attributes_of(node); a != nullptr; a = a->next) {
		std::size_t length = 0;
		const lxb_char_t *const local = lxb_dom_attr_local_name(const_cast<lxb_dom_attr_t *>(a), &length);
		if (std::string_view(reinterpret_cast<const char *>(local), length) == name)
			return a;
	}
	return nullptr;
}

} // namespace txtfp::markup

#include "program/tokenizer/pattern.hpp"

#include <mutex>

#define ONIG_ESCAPE_UCHAR_COLLISION // ICU has a UChar, too
#include <oniguruma.h>

#include "core/text/utf8.hpp"

namespace txtfp::embed {

namespace {

const OnigUChar *bytes_of(std::string_view text) noexcept { return reinterpret_cast<const OnigUChar *>(text.data()); }

std::string message_of(int code, OnigErrorInfo *info)
{
	OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
	const int length = info != nullptr ? onig_error_code_to_str(text, code, info) : onig_error_code_to_str(text, code);
	return {reinterpret_cast<const char *>(text), static_cast<std::size_t>(length)};
}

void initialize()
{
	static std::once_flag once;
	std::call_once(once, [] {
		OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
		onig_initialize(encodings, 1);
	});
}

struct ReleaseRegion {
	void operator()(OnigRegion *region) const noexcept { onig_region_free(region, 1); }
};
using Region = std::unique_ptr<OnigRegion, ReleaseRegion>;

} // namespace

void Pattern::Release::operator()(re_pattern_buffer *regex) const noexcept { onig_free(regex); }

Pattern::Pattern(json::Element settings, const std::string &where)
{
	if (const auto string = json::find(settings, "String")) {
		literal_ = json::text(*string, where + ".String");
		if (literal_.empty())
			config_failure(where + ": the pattern is empty");
	} else {
		compile(json::text_member(settings, "Regex", where), where);
	}
}

Pattern Pattern::of_regex(std::string_view regex, const std::string &where)
{
	Pattern result;
	result.compile(regex, where);
	return result;
}

void Pattern::compile(std::string_view regex, const std::string &where)
{
	initialize();
	regex_t *compiled = nullptr;
	OnigErrorInfo info;
	const int code = onig_new(&compiled, bytes_of(regex), bytes_of(regex) + regex.size(), ONIG_OPTION_NONE,
		ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
	if (code != ONIG_NORMAL)
		config_failure(where + ": the regular expression \"" + std::string(regex) + "\": " + message_of(code, &info));
	regex_.reset(compiled);
}

std::vector<Match> Pattern::matches(std::string_view text) const
{
	std::vector<Match> found;
	if (!regex_) {
		for (std::size_t at = text.find(literal_); at != std::string_view::npos; at = text.find(literal_, at)) {
			found.push_back({at, at + literal_.size()});
			at += literal_.size();
		}
		return found;
	}
	const Region region(onig_region_new());
	if (!region)
		throw std::bad_alloc();
	const OnigUChar *start = bytes_of(text), *end = start + text.size();
	for (std::size_t at = 0; at <= text.size();) {
		const int code = onig_search(regex_.get(), start, end, start + at, end, region.get(), ONIG_OPTION_NONE);
		if (code == ONIG_MISMATCH)
			break;
		if (code < 0)
			throw Failure(FailureKind::tokenizer, "regular expression: " + message_of(code, nullptr));
		const Match match{static_cast<std::size_t>(region->beg[0]), static_cast<std::size_t>(region->end[0])};
		// An empty match directly after another one does not count.
		if (match.start < match.end || found.empty() || found.back().end != match.end) {
			found.push_back(match);
			at = match.end;
		} else {
			at += at < text.size() ? core::decode(text.data() + at, text.data() + text.size()).length : 1;
		}
	}
	return found;
}

} // namespace txtfp::embed

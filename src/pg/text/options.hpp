// Configuration arguments of SQL functions: txtfp's own stable strings, parsed once per call site while they do not
// change.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/text/text_options.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// Each raises an error with SQLSTATE 22023 and a hint that lists the valid forms. A cjk tokenizer is made ready to use,
// or its error is raised (pg/text/cjk.hpp).
core::CanonicalOptions canonicalizer_option(std::string_view text);
core::TokenizerSpec tokenizer_option(std::string_view text);
core::HashFamily hash_option(std::string_view text);

// An option of a call site: parsed again only when its text differs from the last call's.
template <auto parse> class ParsedOption {
public:
	using Value = std::invoke_result_t<decltype(parse), std::string_view>;

	const Value &operator()(std::string_view text)
	{
		if (text.size() == size_ && std::memcmp(text.data(), text_, size_) == 0)
			return value_;
		size_ = unknown;
		value_ = parse(text); // may raise an error
		if (text.size() <= sizeof text_) {
			std::memcpy(text_, text.data(), text.size());
			size_ = text.size();
		}
		return value_;
	}

private:
	static constexpr std::size_t unknown = ~std::size_t{0};

	Value value_{};
	std::size_t size_ = unknown;
	char text_[64]; // longer texts are parsed in every call
};

// The options (tokenizer, canonicalizer, hash, seed) of a call site.
class TextOptionArguments {
public:
	// Argument `first` is the tokenizer. The function may have fewer arguments; missing ones have their defaults.
	core::TextOptions read(FunctionCallInfo fcinfo, int first, std::string_view default_tokenizer);

private:
	ParsedOption<tokenizer_option> tokenizer_;
	ParsedOption<canonicalizer_option> canonicalizer_;
	ParsedOption<hash_option> hash_;
};

} // namespace txtfp::pg

// The canonicalizer: drop format controls, normalize, fold case, normalize again, map confusables.
// Unicode is pinned at 15.0: code points not assigned there pass through unchanged.
// Sources: UAX #15 (normalization), Unicode §3.13 full default case folding, UTS #39 skeleton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/text/text_buffer.hpp"

namespace txtfp::core {

enum class Normalization : std::uint8_t { nfc, nfkc, none };

struct CanonicalOptions {
	Normalization normalization = Normalization::nfkc;
	bool case_fold = true;
	bool strip_bidi = true;
	bool strip_format = true;
	bool confusable = false;

	bool operator==(const CanonicalOptions &) const = default;
};

// Grammar: (nfc|nfkc|none)-(cf-simple|cf-none)[-bidi][-fmt][-conf], parts in this order.
constexpr std::string_view default_canonicalizer = "nfkc-cf-simple-bidi-fmt";
bool parse_canonicalizer(std::string_view text, CanonicalOptions &options) noexcept;
std::string format_canonicalizer(const CanonicalOptions &options);

// Works on a text that arrives in pieces. Each call consumes the longest prefix whose result no later text can
// change, and appends that result to `out`; with `last` it consumes everything. Throws Error(too_large) if a run of
// combining characters exceeds max_run_bytes, or the result max_result_bytes.
class Canonicalizer {
public:
	static constexpr std::size_t max_run_bytes = std::size_t{1} << 26;
	static constexpr std::size_t max_result_bytes = std::size_t{1} << 30;

	explicit Canonicalizer(const CanonicalOptions &options, StopToken stop = {}) noexcept;

	// Returns the number of bytes of `utf8` (valid UTF-8, whole code points) consumed.
	std::size_t append(std::string_view utf8, bool last, TextBuffer &out) const;

private:
	std::size_t append_fast(std::string_view utf8, bool last, TextBuffer &out) const;
	std::size_t append_by_rules(std::string_view utf8, bool last, TextBuffer &out) const;
	std::string by_rules(std::string_view segment) const;
	void check_progress(std::size_t result_bytes) const;

	CanonicalOptions options_;
	StopToken stop_;
	bool fast_;
};

TextBuffer canonicalize(std::string_view utf8, const CanonicalOptions &options, StopToken stop = {});

// The plain reference: the same result straight from the definition, over the whole text at once.
std::string canonicalize_by_definition(std::string_view utf8, const CanonicalOptions &options, StopToken stop = {});

} // namespace txtfp::core

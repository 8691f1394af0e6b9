// How well-known models are to be used, by the name they have on Hugging Face.
#pragma once

#include <string_view>

#include "core/embedding/pooling.hpp"

namespace txtfp::embed {

struct KnownModel {
	core::Pooling pooling;
	std::string_view query_prefix, document_prefix;
};

// Mean without prefixes for a name that is not known.
KnownModel known_model(std::string_view name) noexcept;

} // namespace txtfp::embed

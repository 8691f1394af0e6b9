// Pooling and prefixes of well-known models, by their names on Hugging Face.
#pragma once

#include <string_view>

#include "core/embedding/pooling.hpp"

namespace txtfp::embed {

struct KnownModel {
	core::Pooling pooling;
	std::string_view query_prefix, document_prefix;
};

// Mean without prefixes for an unknown name.
KnownModel known_model(std::string_view name) noexcept;

} // namespace txtfp::embed

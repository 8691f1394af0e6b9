// Cloud providers: OpenAI, Voyage, Cohere, and services with the same interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/model/embedder.hpp"

namespace txtfp::embed {

enum class ProviderKind { openai, voyage, cohere };

struct ProviderSettings {
	ProviderKind kind = ProviderKind::openai;
	std::string model, base_url;
	std::string document_type, query_type; // value of "input_type"; empty: not sent
	std::string key_file, key_env;         // source of the key; exactly one is given
	std::size_t dimension = 0;             // of the vectors; another one is an error. 0: any
	std::size_t batch = 64;                // texts per request
	int timeout_ms = 30000;                // per attempt
	int retry_ms = 90000;                  // attempts are repeated for this time
};

// Sets the kind and its defaults; returns false if there is no such provider.
bool parse_provider(std::string_view name, ProviderSettings &settings);
std::size_t known_dimension(ProviderKind kind, std::string_view model) noexcept; // 0: unknown

// Reads the key. Throws Failure(config, io) if it is missing or cannot be part of a header.
std::unique_ptr<Embedder> make_provider(const ProviderSettings &settings);

std::string request_body(const ProviderSettings &settings, std::span<const std::string> texts, Purpose purpose);
// `expected` is the number of texts. Throws Failure(http, empty, dimension, input).
std::vector<std::vector<float>> parse_provider_answer(
	const ProviderSettings &settings, std::string_view body, std::size_t expected);
std::string status_message(ProviderKind kind, long status); // "OpenAI returned 401 Unauthorized"

} // namespace txtfp::embed

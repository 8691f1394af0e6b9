// Interface of what computes embeddings: a local model or a provider.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace txtfp::embed {

using Clock = std::chrono::steady_clock;

// Some models distinguish texts to search for from texts to search in.
enum class Purpose : unsigned char { document = 'd', query = 'q' };

class Embedder {
public:
	virtual ~Embedder() = default;
	// Returns one vector per text, in order. Safe to call from several threads. Throws Failure; if one text alone
	// causes the failure, the others may succeed without it. Stops at the deadline where that is possible.
	virtual std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) = 0;
	virtual std::size_t dimension() const = 0; // 0: unknown
};

} // namespace txtfp::embed

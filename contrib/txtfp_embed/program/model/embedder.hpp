// What makes embeddings: a local model or a provider.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace txtfp::embed {

using Clock = std::chrono::steady_clock;

// Models that were trained so want to know whether a text is searched for or searched in.
enum class Purpose : unsigned char { document = 'd', query = 'q' };

class Embedder {
public:
	virtual ~Embedder() = default;
	// One vector for each text, in order. Safe to call from several threads. Throws Failure; one of a text alone if the others
	// could do without it. Gives up at the deadline where that is possible.
	virtual std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) = 0;
	virtual std::size_t dimension() const = 0; // 0: not known
};

} // namespace txtfp::embed

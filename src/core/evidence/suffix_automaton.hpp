// The suffix automaton (A. Blumer et al., 1985) of a sequence of symbols: the smallest automaton that reads exactly the
// runs of the sequence. Built in linear time, for any number of different symbols.
// Memory: at most 2 states of 24 bytes, 2 further transitions of 16 and their hash table, for each symbol of the sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

class SuffixAutomaton {
public:
	using State = std::uint32_t;
	static constexpr State root = 0, none = 0xFFFFFFFF;
	static constexpr std::size_t max_size = std::size_t{1} << 30; // of the sequence

	// Throws Error(too_large) if the sequence is longer than max_size.
	explicit SuffixAutomaton(std::span<const std::uint32_t> sequence, StopToken stop = {});

	// What the automaton is in after reading one more symbol; none: the sequence has no such run.
	State next(State state, std::uint32_t symbol) const noexcept;

	// A state stands for several runs that end at the same places; these are all suffixes of the longest one, and longer than
	// longest(link(state)). The link's state stands for the next shorter suffixes.
	State link(State state) const noexcept { return states_[state].link; }
	std::uint32_t longest(State state) const noexcept { return states_[state].longest; }

	// Where, in the sequence, the runs of the state end for the first time: behind their last symbol.
	std::uint32_t first_end(State state) const noexcept { return states_[state].first_end; }

private:
	struct StateData {
		std::uint32_t longest;
		State link;
		std::uint32_t first_end;
		std::uint32_t symbol; // of its first transition, to `to`; most states have no other
		State to = none;      // none: it has no transition
		std::uint32_t edges;  // the newest of the further transitions, or none
	};
	struct Edge {
		State from;
		std::uint32_t symbol;
		State to;
		std::uint32_t next_edge; // of the same state
	};

	void extend(std::uint32_t symbol, std::uint32_t end, State &last);
	State divide(State state, State before, std::uint32_t symbol);
	State add_state(std::uint32_t longest, State link, std::uint32_t first_end);
	void add_edge(State from, std::uint32_t symbol, State to);
	State *find(State from, std::uint32_t symbol) noexcept; // where the transition leads to; nullptr: there is none
	std::size_t slot_of(State from, std::uint32_t symbol) const noexcept;
	void rehash();

	std::vector<StateData> states_;
	std::vector<Edge> edges_;
	std::vector<std::uint32_t> table_; // edges by state and symbol, or none; a power of two, at most half full
};

} // namespace txtfp::core

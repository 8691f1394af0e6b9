// The suffix automaton (A. Blumer et al., 1985) of a sequence of symbols: the smallest automaton that accepts exactly
// the runs of the sequence. Built in linear time, for any number of different symbols. Memory per symbol of the
// sequence: at most 2 states of 24 bytes, 2 further transitions of 16 bytes, and their hash table.
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
	static constexpr std::size_t max_size = std::size_t{1} << 30; // symbols

	// Throws Error(too_large) if the sequence is longer than max_size.
	explicit SuffixAutomaton(std::span<const std::uint32_t> sequence, StopToken stop = {});

	// The state after reading one more symbol; none if the sequence has no such run.
	State next(State state, std::uint32_t symbol) const noexcept;

	// A state represents several runs that end at the same positions. They are suffixes of the longest of them and
	// longer than longest(link(state)); the link's state represents the next shorter suffixes.
	State link(State state) const noexcept { return states_[state].link; }
	std::uint32_t longest(State state) const noexcept { return states_[state].longest; }

	// The position after the last symbol of the first occurrence of the runs.
	std::uint32_t first_end(State state) const noexcept { return states_[state].first_end; }

private:
	struct StateData {
		std::uint32_t longest;
		State link;
		std::uint32_t first_end;
		std::uint32_t symbol; // symbol of the first transition, which leads to `to`; most states have only this one
		State to = none;      // none: the state has no transition
		std::uint32_t edges;  // the newest of the further transitions, or none
	};
	struct Edge {
		State from;
		std::uint32_t symbol;
		State to;
		std::uint32_t next_edge; // the next edge of the same state
	};

	void extend(std::uint32_t symbol, std::uint32_t end, State &last);
	State divide(State state, State before, std::uint32_t symbol);
	State add_state(std::uint32_t longest, State link, std::uint32_t first_end);
	void add_edge(State from, std::uint32_t symbol, State to);
	State *find(State from, std::uint32_t symbol) noexcept; // the target of the transition; nullptr if there is none
	std::size_t slot_of(State from, std::uint32_t symbol) const noexcept;
	void rehash();

	std::vector<StateData> states_;
	std::vector<Edge> edges_;
	// Indexes of edges by state and symbol, or none; its size is a power of two, and at most half of it is full.
	std::vector<std::uint32_t> table_;
};

} // namespace txtfp::core

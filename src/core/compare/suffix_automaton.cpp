#include "core/compare/suffix_automaton.hpp"

#include "core/base/table_hash.hpp"

namespace txtfp::core {

SuffixAutomaton::SuffixAutomaton(std::span<const std::uint32_t> sequence, StopToken stop)
{
	if (sequence.size() > max_size)
		throw Error(ErrorKind::too_large, "text has too many words to look for shared passages in it");
	states_.reserve(sequence.size() + sequence.size() / 2 + 2);
	edges_.reserve(sequence.size() / 2 + 2);
	rehash();
	State last = add_state(0, none, 0);
	for (std::size_t i = 0; i < sequence.size(); ++i) {
		if ((i & 0xFFF) == 0)
			stop.check();
		extend(sequence[i], static_cast<std::uint32_t>(i + 1), last);
	}
}

SuffixAutomaton::State SuffixAutomaton::next(State state, std::uint32_t symbol) const noexcept
{
	const StateData &data = states_[state];
	if (data.to == none)
		return none;
	if (data.symbol == symbol)
		return data.to;
	if (data.edges == none)
		return none;
	const std::uint32_t edge = table_[slot_of(state, symbol)];
	return edge == none ? none : edges_[edge].to;
}

SuffixAutomaton::State *SuffixAutomaton::find(State from, std::uint32_t symbol) noexcept
{
	StateData &data = states_[from];
	if (data.to != none && data.symbol == symbol)
		return &data.to;
	const std::uint32_t edge = data.edges == none ? none : table_[slot_of(from, symbol)];
	return edge == none ? nullptr : &edges_[edge].to;
}

void SuffixAutomaton::extend(std::uint32_t symbol, std::uint32_t end, State &last)
{
	const State added = add_state(states_[last].longest + 1, root, end);
	State before = last, target = none;
	last = added;
	for (; before != none && (target = next(before, symbol)) == none; before = states_[before].link)
		add_edge(before, symbol, added);
	if (before == none)
		return;
	if (states_[target].longest == states_[before].longest + 1)
		states_[added].link = target;
	else
		states_[added].link = divide(target, before, symbol);
}

// Moves the shorter runs of `state`, those no longer than the longest run of `before` plus the symbol, to a new state,
// which also ends at the current position. Returns the new state.
SuffixAutomaton::State SuffixAutomaton::divide(State state, State before, std::uint32_t symbol)
{
	const State part = add_state(states_[before].longest + 1, states_[state].link, states_[state].first_end);
	add_edge(part, states_[state].symbol, states_[state].to);
	for (std::uint32_t edge = states_[state].edges; edge != none; edge = edges_[edge].next_edge)
		add_edge(part, edges_[edge].symbol, edges_[edge].to);
	states_[state].link = part;
	for (; before != none; before = states_[before].link) {
		State *const to = find(before, symbol);
		if (to == nullptr || *to != state)
			break;
		*to = part;
	}
	return part;
}

SuffixAutomaton::State SuffixAutomaton::add_state(std::uint32_t longest, State link, std::uint32_t first_end)
{
	states_.push_back({longest, link, first_end, 0, none, none});
	return static_cast<State>(states_.size() - 1);
}

void SuffixAutomaton::add_edge(State from, std::uint32_t symbol, State to)
{
	if (states_[from].to == none) {
		states_[from].symbol = symbol;
		states_[from].to = to;
		return;
	}
	if (2 * (edges_.size() + 1) > table_.size())
		rehash();
	const auto edge = static_cast<std::uint32_t>(edges_.size());
	edges_.push_back({from, symbol, to, states_[from].edges});
	states_[from].edges = edge;
	table_[slot_of(from, symbol)] = edge;
}

// The hash table slot of the edge, or the free slot where it belongs.
std::size_t SuffixAutomaton::slot_of(State from, std::uint32_t symbol) const noexcept
{
	const std::size_t mask = table_.size() - 1;
	for (std::size_t at = table_mix(from, symbol) >> 24 & mask;; at = (at + 1) & mask) {
		const std::uint32_t edge = table_[at];
		if (edge == none || (edges_[edge].from == from && edges_[edge].symbol == symbol))
			return at;
	}
}

void SuffixAutomaton::rehash()
{
	std::size_t size = 64;
	while (size < 4 * (edges_.size() + 1) || size < 2 * edges_.capacity())
		size *= 2;
	table_.assign(size, none);
	for (std::size_t edge = 0; edge < edges_.size(); ++edge)
		table_[slot_of(edges_[edge].from, edges_[edge].symbol)] = static_cast<std::uint32_t>(edge);
}

} // namespace txtfp::core

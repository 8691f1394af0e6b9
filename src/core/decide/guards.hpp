// Vetoes: differences that forbid a removal until somebody has read both texts. They need no labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/compare/difference_signals.hpp"

namespace txtfp::core {

enum class Guard : std::uint8_t {
	symbol,   // symbols differ in a statement that both texts have
	number,   // numbers are left over in a changed statement, or each text has numbers that the other one does not have
	name,     // the same for names
	repeated, // the same words are replaced by the same words again: the slot of a template
	two_sided, // changed statements of both texts have words left over, or both have several words that the other one lacks;
	           // or there are doubts (changed_statements.hpp)
	scope,     // words of negation or scope are left over in a changed statement
	first_line, // words of both first lines are left over
	neighbours, // a row is near-duplicate of many others, directly or through some, and numbers or words of scope differ
	statement,  // a statement of the removed text does not stand in the kept text, but for spelling
};
constexpr unsigned guard_count = 9;
constexpr double many_neighbours = 16; // a row with more of them is probably made from a template

std::string_view name(Guard guard) noexcept;
constexpr std::string_view guard_list = // for messages
	"symbol, number, name, repeated, two_sided, scope, first_line, neighbours, statement, strict and balanced";

constexpr std::string_view default_guards = "balanced"; // of hosts that have the texts, if no list is given

class Guards {
public:
	// Names of guards and presets, separated by commas, with optional blanks; no guard if the text is empty or blank. Nothing if one of the names
	// is unknown, which is then returned in `unknown`.
	static std::optional<Guards> parse(std::string_view text, std::string_view &unknown) noexcept;

	bool any() const noexcept { return set_ != 0; }

	// The first guard, in the order of the names above, that forbids the removal.
	std::optional<Guard> veto(const Signals &signals, unsigned doubts = 0) const noexcept;

private:
	bool has(Guard guard) const noexcept { return (set_ >> static_cast<unsigned>(guard) & 1) != 0; }

	std::uint32_t set_ = 0;
};

} // namespace txtfp::core

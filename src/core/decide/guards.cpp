#include "core/decide/guards.hpp"

#include <algorithm>

namespace txtfp::core {

namespace {

constexpr std::string_view guard_names[guard_count] = {
	"symbol", "number", "name", "repeated", "two_sided", "scope", "first_line", "neighbours", "statement"};

// Lists of guards with a name.
constexpr auto bit = [](auto... guards) { return ((1u << static_cast<unsigned>(guards)) | ...); };
constexpr struct {
	std::string_view name;
	std::uint32_t set;
} presets[] = {
	{"strict", bit(Guard::statement)},
	{"balanced", bit(Guard::symbol, Guard::repeated, Guard::two_sided, Guard::scope, Guard::first_line, Guard::neighbours)},
};

bool forbids(Guard guard, const Signals &signals, unsigned doubts) noexcept
{
	const auto value = [&](Signal signal) { return signals[static_cast<std::size_t>(signal)]; };
	switch (guard) {
	case Guard::symbol:
		return value(Signal::symbols) > 0;
	case Guard::number:
		return value(Signal::changed_numbers) > 0 || value(Signal::numbers_both) > 0;
	case Guard::name:
		return value(Signal::changed_names) > 0 || value(Signal::names_both) > 0;
	case Guard::repeated:
		return value(Signal::repeated) > 0;
	case Guard::two_sided:
		return std::min(value(Signal::changed_removed), value(Signal::changed_kept)) > 0 || value(Signal::new_both) > 1 ||
			doubts > 0;
	case Guard::scope:
		return value(Signal::scope) > 0;
	case Guard::first_line:
		return value(Signal::first_line_removed) > 0 && value(Signal::first_line_kept) > 0;
	case Guard::neighbours:
		return std::max(value(Signal::neighbours), value(Signal::kept_neighbours)) > many_neighbours &&
			(value(Signal::numbers_removed) + value(Signal::numbers_kept) + value(Signal::changed_numbers) > 0 ||
				value(Signal::scope) > 0);
	case Guard::statement:
		return value(Signal::whole) == 0;
	}
	return false;
}

std::uint32_t guards_named(std::string_view name) noexcept
{
	for (const auto &preset : presets)
		if (preset.name == name)
			return preset.set;
	const auto found = std::find(std::begin(guard_names), std::end(guard_names), name);
	return found == std::end(guard_names) ? 0 : 1u << (found - std::begin(guard_names));
}

} // namespace

std::string_view name(Guard guard) noexcept { return guard_names[static_cast<unsigned>(guard)]; }

std::optional<Guards> Guards::parse(std::string_view text, std::string_view &unknown) noexcept
{
	Guards guards;
	if (text.find_first_not_of(' ') == std::string_view::npos)
		return guards;
	for (;;) {
		const std::size_t comma = text.find(',');
		std::string_view name = text.substr(0, comma);
		while (!name.empty() && name.front() == ' ')
			name.remove_prefix(1);
		while (!name.empty() && name.back() == ' ')
			name.remove_suffix(1);
		const std::uint32_t found = guards_named(name);
		if (found == 0) {
			unknown = name;
			return std::nullopt;
		}
		guards.set_ |= found;
		if (comma == std::string_view::npos)
			return guards;
		text.remove_prefix(comma + 1);
	}
}

std::optional<Guard> Guards::veto(const Signals &signals, unsigned doubts) const noexcept
{
	for (unsigned i = 0; i < guard_count; ++i)
		if (const auto guard = static_cast<Guard>(i); has(guard) && forbids(guard, signals, doubts))
			return guard;
	return std::nullopt;
}

} // namespace txtfp::core

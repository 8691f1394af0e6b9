#include "core/jenkins_simhash.hpp"

#include <algorithm>
#include <bit>

#include "core/jenkins.hpp"
#include "core/simhash/bit_counter.hpp"

namespace txtfp::core {

namespace {

// The 64 bits in reverse order.
constexpr std::uint64_t reversed(std::uint64_t bits) noexcept
{
	constexpr std::uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F};
	for (int i = 0; i < 3; ++i)
		bits = (bits >> (1 << i) & masks[i]) | (bits & masks[i]) << (1 << i);
	return __builtin_bswap64(bits);
}

constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The hash of the last words, and its majority over all positions.
class CyclicHash {
public:
	explicit CyclicHash(std::size_t window) noexcept : window_(window) { std::fill(ring_, ring_ + window, 0); }

	void push(std::uint64_t hash) noexcept
	{
		state_ = std::rotl(state_, 1) ^ std::rotl(ring_[next_], static_cast<int>(window_ % 64)) ^ hash;
		ring_[next_] = hash;
		next_ = next_ + 1 == window_ ? 0 : next_ + 1;
		outputs_.add(state_);
	}
	std::uint64_t majority() noexcept { return outputs_.majority(); }

private:
	std::size_t window_, next_ = 0;
	std::uint64_t state_ = 0;
	std::uint64_t ring_[max_cyclic_window];
	BitCounter outputs_;
};

} // namespace

bool window_simhash(std::string_view bytes, std::size_t window, bool all_windows, std::uint64_t &bits, StopToken stop)
{
	constexpr std::size_t bytes_between_checks = std::size_t{1} << 18;
	bits = 0;
	if (bytes.size() < window)
		return false;
	const std::size_t count = bytes.size() - window + (all_windows ? 1 : 0);
	const std::size_t batch = std::max<std::size_t>(1, bytes_between_checks / window);
	BitCounter counter;
	for (std::size_t i = 0; i < count;) {
		for (const std::size_t end = std::min(count, i + batch); i < end; ++i)
			counter.add(jenkins64(bytes.substr(i, window)));
		stop.check();
	}
	bits = counter.majority();
	return true;
}

bool cyclic_simhash(std::string_view bytes, std::size_t window, bool padded, std::uint64_t &bits, StopToken stop)
{
	constexpr std::size_t words_between_checks = 1 << 14;
	bytes = bytes.substr(0, bytes.find('\0'));
	CyclicHash hash(window);
	std::size_t words = 0;
	const char *at = bytes.data(), *end = at + bytes.size();
	while ((at = std::find_if(at, end, is_letter)) != end) {
		const char *word_end = std::find_if_not(at, end, is_letter);
		hash.push(jenkins64({at, static_cast<std::size_t>(word_end - at)}));
		at = word_end;
		if (++words % words_between_checks == 0)
			stop.check();
	}
	for (std::size_t i = 1; padded && words > 0 && i < window; ++i)
		hash.push(0);
	bits = reversed(hash.majority());
	return words > 0;
}

} // namespace txtfp::core

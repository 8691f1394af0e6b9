#include "core/minhash/slot_marks.hpp"

#include <random>
#include <vector>

#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

// The definition: a bit of a product, slot by slot.
unsigned equal_marks(const std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b)
{
	unsigned equal = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		equal += a[i] * 0x9E3779B97F4A7C15 >> 63 == b[i] * 0x9E3779B97F4A7C15 >> 63;
	return equal;
}

unsigned by_marks(const std::vector<std::uint64_t> &a, const std::vector<std::uint64_t> &b)
{
	std::uint64_t x[max_mark_words], y[max_mark_words];
	mark_slots(a, x);
	mark_slots(b, y);
	return matching_marks(reinterpret_cast<const char *>(x), reinterpret_cast<const char *>(y), a.size());
}

} // namespace

TEST(slot_marks_bound_the_equal_slots)
{
	std::mt19937_64 random(1);
	for (const std::size_t slots : {64, 128, 256})
		for (int round = 0; round < 200; ++round) {
			std::vector<std::uint64_t> a(slots), b(slots);
			for (std::size_t i = 0; i < slots; ++i) {
				a[i] = random() >> round % 40;
				b[i] = static_cast<int>(random() % 200) < round ? a[i] : random() >> round % 40;
			}
			CHECK_EQ(by_marks(a, b), equal_marks(a, b));
			CHECK_EQ(by_marks(a, b) >= matching_slots(a, b), true);
			CHECK_EQ(by_marks(a, a), static_cast<unsigned>(slots));
		}
}

// Of different slots, half agree; also of the minima of real sketches, whose leading bits are zero.
TEST(slot_marks_tell_strangers_apart)
{
	std::mt19937_64 random(2);
	for (const int shift : {0, 8, 20}) {
		unsigned long equal = 0;
		constexpr int pairs = 2000;
		for (int i = 0; i < pairs; ++i) {
			std::vector<std::uint64_t> a(128), b(128);
			for (std::size_t s = 0; s < a.size(); ++s) {
				a[s] = random() >> shift;
				b[s] = random() >> shift;
			}
			equal += by_marks(a, b);
		}
		const double mean = static_cast<double>(equal) / pairs;
		CHECK_EQ(mean > 63.5 && mean < 64.5, true);
	}
}

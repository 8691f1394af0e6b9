// Computes the ground truth for bench/recall.sh, from all pairs of documents that share a token: the exact Jaccard
// similarity of their token sets, the matching slots of their sketches, and the number of bands that these share.
//   recall SLOTS BANDS ROWS MINIMUM CURVE < documents > pairs
// Reads "id <tab> wire form in hex <tab> hashes of the distinct tokens, separated by blanks". Writes "id <tab> id <tab>
// matching slots <tab> similarity" for the pairs of which either is at or above MINIMUM, and to CURVE, for all pairs,
// "twentieth of the similarity <tab> shared bands <tab> pairs <tab> sum of their similarities".
// (A pair without a common token has no slot in common, unless two hashes of 64 bits collide.)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/minhash/minhash.hpp"

using namespace txtfp::core;

namespace {

struct Document {
	long id = 0;
	std::vector<std::uint64_t> slots;
	std::size_t tokens = 0;
};

struct Tally {
	long pairs = 0;
	double similarity = 0;
};

struct Banding {
	std::size_t bands, rows;
};

std::size_t shared_bands(const Document &a, const Document &b, Banding banding)
{
	std::size_t shared = 0;
	for (std::size_t band = 0; band < banding.bands; ++band) {
		const auto from = static_cast<std::ptrdiff_t>(band * banding.rows);
		const auto to = from + static_cast<std::ptrdiff_t>(banding.rows);
		shared += std::equal(a.slots.begin() + from, a.slots.begin() + to, b.slots.begin() + from);
	}
	return shared;
}

std::size_t matching_slots(const Document &a, const Document &b)
{
	std::size_t matches = 0;
	for (std::size_t i = 0; i < a.slots.size(); ++i)
		matches += a.slots[i] == b.slots[i];
	return matches;
}

class Pairs {
public:
	Pairs(std::size_t slots, Banding banding, double minimum) : slots_(slots), banding_(banding), minimum_(minimum) {}

	// Compares the document with the documents before it.
	bool add(const std::string &line)
	{
		const std::size_t wire_at = line.find('\t') + 1, tokens_at = line.find('\t', wire_at) + 1;
		std::vector<std::uint8_t> wire(wire_size(slots_));
		if (wire_at == 0 || tokens_at - wire_at - 1 != 2 * wire.size() ||
			!hex_decode(line.data() + wire_at, wire.size(), wire.data()))
			return false;
		Document document{std::strtol(line.c_str(), nullptr, 10), std::vector<std::uint64_t>(slots_)};
		read_wire(wire, document.slots);
		const auto self = static_cast<std::uint32_t>(documents_.size());
		std::vector<std::uint32_t> others;
		common_.resize(self + 1u);
		const char *at = line.c_str() + tokens_at;
		for (char *end; *at != '\0'; at = end, ++document.tokens) {
			auto &postings = postings_[std::strtoll(at, &end, 10)];
			if (end == at)
				return false;
			for (const std::uint32_t other : postings)
				if (common_[other]++ == 0)
					others.push_back(other);
			postings.push_back(self);
		}
		for (const std::uint32_t other : others) {
			compare(document, documents_[other], static_cast<double>(common_[other]));
			common_[other] = 0;
		}
		documents_.push_back(std::move(document));
		return true;
	}

	void write_curve(std::ostream &out) const
	{
		for (const auto &[key, tally] : curve_)
			out << key.first << '\t' << key.second << '\t' << tally.pairs << '\t' << tally.similarity << '\n';
	}

private:
	void compare(const Document &document, const Document &other, double common)
	{
		const double exact = common / (static_cast<double>(document.tokens + other.tokens) - common);
		const std::size_t matches = matching_slots(document, other);
		Tally &tally = curve_[{static_cast<int>(exact * 20), shared_bands(document, other, banding_)}];
		++tally.pairs;
		tally.similarity += exact;
		if (std::max(exact, static_cast<double>(matches) / static_cast<double>(slots_)) >= minimum_)
			std::printf("%ld\t%ld\t%zu\t%.9g\n", other.id, document.id, matches, exact);
	}

	std::size_t slots_;
	Banding banding_;
	double minimum_;
	std::vector<Document> documents_;
	std::vector<std::uint32_t> common_; // tokens in common with the document being added
	std::unordered_map<long long, std::vector<std::uint32_t>> postings_;
	std::map<std::pair<int, std::size_t>, Tally> curve_;
};

} // namespace

int main(int argc, char **argv)
{
	if (argc != 6)
		return std::fputs("usage: recall SLOTS BANDS ROWS MINIMUM CURVE < documents > pairs\n", stderr), 2;
	const std::size_t slots = std::strtoul(argv[1], nullptr, 10);
	const Banding banding{std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10)};
	Pairs pairs(slots, banding, std::strtod(argv[4], nullptr));
	for (std::string line; std::getline(std::cin, line);)
		if (!pairs.add(line))
			return std::fputs("malformed line\n", stderr), 1;
	std::ofstream curve(argv[5]);
	pairs.write_curve(curve);
	return curve.flush() ? 0 : 1;
}

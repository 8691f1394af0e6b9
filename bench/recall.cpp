// All pairs of MinHash sketches at or above a similarity, by comparing every two: the truth that bench/recall.sh holds
// the index against. Reads "id <tab> wire form in hex" lines, writes "id <tab> id <tab> matching slots".
//   recall SLOTS MINIMUM < sketches > pairs
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/bytes.hpp"
#include "core/minhash.hpp"

using namespace txtfp::core;

namespace {

__attribute__((target_clones("default", "avx2", "arch=x86-64-v4"))) unsigned matching(
	const std::uint64_t *__restrict a, const std::uint64_t *__restrict b, std::size_t slots)
{
	std::uint64_t matches = 0;
	for (std::size_t i = 0; i < slots; ++i)
		matches += a[i] == b[i];
	return static_cast<unsigned>(matches);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3)
		return std::fputs("usage: recall SLOTS MINIMUM < sketches > pairs\n", stderr), 2;
	const std::size_t slots = std::strtoul(argv[1], nullptr, 10);
	const auto least = static_cast<unsigned>(std::strtod(argv[2], nullptr) * static_cast<double>(slots) + 0.999999);
	std::vector<long> ids;
	std::vector<std::uint64_t> sketches;
	std::vector<std::uint8_t> wire(wire_size(slots));
	for (std::string line; std::getline(std::cin, line);) {
		const std::size_t tab = line.find('\t');
		if (line.size() - tab - 1 != 2 * wire.size() || !hex_decode(line.data() + tab + 1, wire.size(), wire.data()))
			return std::fputs("malformed line\n", stderr), 1;
		ids.push_back(std::strtol(line.c_str(), nullptr, 10));
		sketches.resize(sketches.size() + slots);
		read_wire(wire, {sketches.data() + sketches.size() - slots, slots});
	}
	for (std::size_t i = 0; i < ids.size(); ++i)
		for (std::size_t j = i + 1; j < ids.size(); ++j) {
			const unsigned matches = matching(&sketches[i * slots], &sketches[j * slots], slots);
			if (matches >= least)
				std::printf("%ld\t%ld\t%u\n", ids[i], ids[j], matches);
		}
}

// Does what the program simhash (ChenghaoMou) does, with the library that it uses (simhash-cpp), for bench/cli.sh to
// time: reads JSON
// Lines, computes the SimHash of each text's windows of 5 bytes, finds all pairs by sorted permutations, writes
// clusters. One thread.
//     cli_simhash FILE BLOCKS DISTANCE OUTPUT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <simdjson.h>
#include <simhash.h>

#include "core/jenkins.hpp"

namespace {

using Hash = Simhash::hash_t;

Hash hash_of(std::string_view text)
{
	constexpr std::size_t window = 5;
	std::vector<Hash> hashes;
	for (std::size_t i = 0; i + window < text.size(); ++i)
		hashes.push_back(txtfp::core::jenkins64(text.substr(i, window), 0));
	return Simhash::compute(hashes);
}

Hash find(std::unordered_map<Hash, Hash> &parents, Hash x)
{
	while (parents[x] != x)
		x = parents[x] = parents[parents[x]];
	return x;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	std::unordered_map<Hash, std::vector<std::int64_t>> ids;
	std::unordered_set<Hash> hashes;
	simdjson::dom::parser parser;
	std::ifstream in(argv[1]);
	for (std::string line; std::getline(in, line);) {
		const simdjson::dom::element record = parser.parse(line);
		const Hash hash = hash_of(record["text"]);
		hashes.insert(hash);
		ids[hash].push_back(record["id"]);
	}
	const auto matches =
		Simhash::find_all(hashes, std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10));
	std::unordered_map<Hash, Hash> parents;
	for (const auto &[a, b] : matches) {
		parents.try_emplace(a, a);
		parents.try_emplace(b, b);
	}
	for (const auto &[a, b] : matches) {
		const Hash x = find(parents, a), y = find(parents, b);
		parents[std::max(x, y)] = std::min(x, y);
	}
	std::map<Hash, std::vector<Hash>> clusters;
	for (const auto &entry : parents)
		clusters[find(parents, entry.first)].push_back(entry.first);
	std::ofstream out(argv[4]);
	out << "id\thash\tcluster\n";
	std::size_t number = 0;
	for (auto &[root, members] : clusters) {
		std::sort(members.begin(), members.end());
		for (const Hash hash : members) {
			std::sort(ids[hash].begin(), ids[hash].end());
			for (const std::int64_t id : ids[hash])
				out << id << '\t' << hash << '\t' << number << '\n';
		}
		++number;
	}
}

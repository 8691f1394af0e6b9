#include "cli/decided_pairs.hpp"

#include <string_view>
#include <unordered_map>

#include "cli/failure.hpp"
#include "cli/parsed_records.hpp"

namespace txtfp::cli {

namespace {

using IdPairs = std::vector<std::pair<std::string, std::string>>;

IdPairs read_pairs(const std::string &path)
{
	IdPairs pairs;
	if (path.empty())
		return pairs;
	InputOptions input;
	input.path = path;
	RecordFormat format = record_format(input);
	if (format.format == Format::lines)
		throw Failure(path + ": pairs of ids are fields of records, not lines of text; name the file .jsonl, .tsv or .csv");
	format.header = true;
	format.only_more = true;
	format.more = {"a", "b"};
	for_each_parsed(input, format, true, [&](const Record &, RecordParser &parser, std::uint64_t) {
		const auto &fields = parser.more();
		if (!fields[0] || !fields[1])
			return std::string("a pair needs the fields \"a\" and \"b\"");
		pairs.emplace_back(*fields[0], *fields[1]);
		return std::string();
	});
	return pairs;
}

} // namespace

void DecidedPairs::read(const std::string &apart, const std::string &together, const Collection &collection,
	const Join &join, core::JoinHost &host)
{
	if (apart.empty() && together.empty())
		return;
	const IdPairs ids[] = {read_pairs(apart), read_pairs(together)};
	constexpr std::uint32_t unknown = core::no_element;
	std::unordered_map<std::string_view, std::uint32_t> ranks;
	for (const IdPairs &list : ids)
		for (const auto &[a, b] : list) {
			ranks.emplace(a, unknown);
			ranks.emplace(b, unknown);
		}
	const std::vector<char> has_value = collection.have_values();
	collection.for_each_id([&](std::uint32_t row, const Id &id) {
		if (const auto found = ranks.find(id.text); found != ranks.end() && has_value[row] != 0)
			found->second = std::min(found->second, join.rank_of(row));
	});
	const auto known = [&](const IdPairs &list, std::vector<core::RankPair> &pairs) {
		for (const auto &[a, b] : list)
			if (const core::RankPair pair{ranks.at(a), ranks.at(b)}; pair.a != unknown && pair.b != unknown)
				pairs.push_back(pair);
	};
	known(ids[0], apart_);
	known(ids[1], together_);
	pairs_ = {apart_, together_};
	if (const core::RankPair *pair = core::find_contradiction(host, pairs_, collection.rows()); pair != nullptr)
		throw Failure("the records " + in_quotes(collection.id(join.row_of(pair->a)).text) + " and " +
				in_quotes(collection.id(join.row_of(pair->b)).text) + " are to be apart and together",
			exit_usage);
}

} // namespace txtfp::cli

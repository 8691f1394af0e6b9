#include "program/simhash_client.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cli/batches.hpp"
#include "cli/failure.hpp"
#include "core/base/union_find.hpp"
#include "core/simhash/hamming_join.hpp"
#include "program/simhash_lines.hpp"

namespace txtfp::cli {

namespace {

class SimhashClient {
public:
	SimhashClient(SimhashProgram program, SimhashOptions options)
		: program_(program), options_(std::move(options)), progress_(options_.quiet)
	{
	}

	int run()
	{
		if (const int status = check(); status != 0)
			return status;
		if (const int status = read(); status != 0)
			return status;
		std::fputs(
			program_ == SimhashProgram::find_clusters ? "Computing clusters...\n" : "Computing matches...\n", stderr);
		if (options_.blocks > 64)
			throw Failure("Number of blocks must not exceed 64");
		join();
		return write();
	}

private:
	static int wrong(int status, const std::string &message)
	{
		std::fprintf(stderr, "%s\n", message.c_str());
		return status;
	}

	int check() const
	{
		if (options_.blocks == 0)
			return wrong(2, "Blocks must be provided and > 0");
		if (options_.distance == 0)
			return wrong(3, "Distance must be provided and > 0");
		if (options_.input.empty())
			return wrong(4, "Input must be provided and non-empty.");
		if (options_.output.empty())
			return wrong(5, "Output must be provided and non-empty.");
		if (options_.blocks <= options_.distance)
			return wrong(6,
				"Blocks (" + std::to_string(options_.blocks) + ") must be " +
					(program_ == SimhashProgram::find_clusters ? ">" : ">=") + " distance (" +
					std::to_string(options_.distance) + ")");
		if (program_ == SimhashProgram::client && options_.format.empty())
			return wrong(7, "Format must be provided (hash or json) and non-empty.");
		return 0;
	}

	// ---- reading

	int read()
	{
		std::fprintf(stderr, "Reading hashes from %s\n", options_.input == "-" ? "stdin." : options_.input.c_str());
		std::unique_ptr<InputFile> file;
		try {
			file = std::make_unique<InputFile>(options_.input);
		} catch (const records::Failure &) {
			return wrong(7, "Error reading " + options_.input);
		}
		if (program_ == SimhashProgram::client && options_.format != "json" && options_.format != "hash")
			return 0;
		RecordFormat lines;
		lines.format = Format::lines;
		BatchReader reader(*file, lines);
		read_batches(reader);
		std::sort(members_.begin(), members_.end(), before);
		members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
		for (std::size_t i = 0; i < members_.size(); ++i)
			if (i == 0 || members_[i].hash != members_[i - 1].hash) {
				values_.push_back(members_[i].hash);
				groups_.push_back(static_cast<std::uint32_t>(i));
			}
		groups_.push_back(static_cast<std::uint32_t>(members_.size()));
		if (wrapped_ids_ > 0)
			std::fprintf(stderr,
				"warning: %llu ids do not fit into 32 bits and were wrapped, as the original does; --any-id keeps "
				"them\n",
				static_cast<unsigned long long>(wrapped_ids_));
		tell("Total " + std::to_string(lines_) + " lines and " + std::to_string(values_.size()) + " hashes");
		return 0;
	}

	void read_batches(BatchReader &reader)
	{
		const unsigned threads =
			options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
		std::vector<std::unique_ptr<SimhashObject>> objects(threads);
		progress_.begin("reading", reader.file().file_size(), "MB");
		const auto work = [&](const Batch &batch, unsigned thread, BatchResult &result) {
			if (!objects[thread])
				objects[thread] = std::make_unique<SimhashObject>(options_);
			read_batch(*objects[thread], batch, result);
		};
		if (options_.sample == 0) {
			for_each_batch(reader, threads, progress_, work, [&](BatchResult &result) { add(result); });
		} else {
			Batch batch;
			for (BatchResult result; lines_ < most_lines() && reader.next(batch); result = {}) {
				work(batch, 0, result);
				add(result);
			}
		}
		progress_.end();
	}

	std::uint64_t most_lines() const
	{
		return options_.sample == 0 ? ~std::uint64_t{0} : options_.sample + (options_.format == "hash" ? 1 : 0);
	}

	// Appends hash and id to the result, each terminated by NUL.
	void read_batch(SimhashObject &object, const Batch &batch, BatchResult &result)
	{
		if (!batch.wrong.empty()) {
			result.error = "line " + std::to_string(batch.first_line) + ": " + batch.wrong;
			return;
		}
		std::string_view rest = batch.bytes();
		for (std::uint64_t line = batch.first_line; !rest.empty() && line <= most_lines(); ++line) {
			const std::size_t end = std::min(rest.find('\n'), rest.size());
			const std::string_view text = rest.substr(0, end);
			rest.remove_prefix(std::min(end + 1, rest.size()));
			++result.records;
			SimhashMember member;
			std::string wrong;
			bool was_wrapped = false;
			if (program_ != SimhashProgram::client)
				wrong = parse_number(text, member);
			else if (options_.format == "json")
				wrong = parse_json(options_, object, text, member, was_wrapped);
			else if (line > 1)
				parse_hash(text, member);
			else
				continue;
			if (!wrong.empty()) {
				result.error = "line " + std::to_string(line) + ": " + wrong;
				return;
			}
			wrapped_ids_ += was_wrapped ? 1 : 0;
			char hash[8];
			std::memcpy(hash, &member.hash, sizeof hash);
			result.output.append(hash, sizeof hash);
			result.output += member.id;
			result.output += '\0';
		}
	}

	void add(const BatchResult &result)
	{
		lines_ += result.records;
		for (std::string_view rest = result.output; !rest.empty();) {
			SimhashMember member;
			std::memcpy(&member.hash, rest.data(), sizeof member.hash);
			rest.remove_prefix(sizeof member.hash);
			member.id = rest.substr(0, rest.find('\0'));
			rest.remove_prefix(member.id.size() + 1);
			members_.push_back(std::move(member));
		}
		if (!result.error.empty())
			throw Failure((options_.input == "-" ? "standard input" : options_.input) + ": " + result.error);
	}

	// ---- computing and writing

	void join()
	{
		parents_.resize(values_.size());
		core::UnionFind components(parents_.data());
		for (std::uint32_t i = 0; i < values_.size(); ++i)
			components.add(i);
		std::vector<std::uint64_t> space(values_.size());
		std::vector<std::uint32_t> places(values_.size()), offsets(core::hamming_block_values + 1);
		paired_.resize(values_.size());
		std::uint64_t done = 0;
		core::HammingJoin all(
			values_, static_cast<int>(options_.distance), {space.data(), places.data(), offsets.data()},
			[&](std::uint32_t a, std::uint32_t b) {
				paired_[a] = paired_[b] = 1;
				components.unite(a, b);
				if (program_ == SimhashProgram::find_all)
					pairs_.emplace_back(std::min(a, b), std::max(a, b));
			},
			[&](std::uint64_t steps) {
				stop_token.check();
				progress_.at(done += steps);
			});
		progress_.begin("comparing", all.steps(), "hashes");
		all.run();
		progress_.end();
		for (std::uint32_t i = 0; i < values_.size(); ++i) {
			if (options_.exact_duplicates && groups_[i + 1] - groups_[i] > 1)
				paired_[i] = 1;
			parents_[i] = components.find(i);
		}
	}

	int write()
	{
		const bool standard = options_.output == "-";
		if (program_ == SimhashProgram::client)
			tell("Found " + std::to_string(cluster_count()) + " clusters");
		std::fprintf(stderr, "Writing %s %s\n",
			standard || program_ == SimhashProgram::find_clusters ? "results to" : "matches to",
			standard ? "stdout." : options_.output.c_str());
		std::unique_ptr<OutputFile> out;
		try {
			out = std::make_unique<OutputFile>(options_.output);
		} catch (const Failure &) {
			return wrong(8, "Error writing " + options_.output);
		}
		switch (program_) {
		case SimhashProgram::client:
			write_table(*out);
			break;
		case SimhashProgram::find_all:
			write_pairs(*out);
			break;
		case SimhashProgram::find_clusters:
			write_clusters(*out);
			break;
		}
		out->commit();
		if (program_ == SimhashProgram::client) {
			const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
			if (!standard && !options_.quiet)
				std::printf("Total time: %g seconds\n", took.count());
		}
		return 0;
	}

	std::size_t cluster_count() const
	{
		std::size_t count = 0;
		for (std::uint32_t i = 0; i < values_.size(); ++i)
			count += paired_[i] != 0 && parents_[i] == i;
		return count;
	}

	// Calls fn(number, members) for each cluster, in the order of its least member.
	template <class Fn> void for_each_cluster(Fn fn) const
	{
		std::vector<std::uint32_t> next(values_.size());
		core::chain_groups(parents_, next.data());
		std::uint64_t number = 0;
		for (std::uint32_t root = 0; root < values_.size(); ++root)
			if (paired_[root] != 0 && parents_[root] == root) {
				std::vector<std::uint32_t> members;
				for (std::uint32_t i = root; i != core::no_element; i = next[i])
					members.push_back(i);
				fn(number++, members);
			}
	}

	void write_table(OutputFile &out) const
	{
		out.write("id\thash\tcluster\n");
		for_each_cluster([&](std::uint64_t number, const std::vector<std::uint32_t> &hashes) {
			for (const std::uint32_t i : hashes)
				for (std::uint32_t m = groups_[i]; m < groups_[i + 1]; ++m)
					out.write(
						members_[m].id + '\t' + std::to_string(values_[i]) + '\t' + std::to_string(number) + '\n');
		});
	}

	void write_pairs(OutputFile &out)
	{
		std::sort(pairs_.begin(), pairs_.end());
		for (const auto &[a, b] : pairs_)
			out.write('[' + std::to_string(values_[a]) + ", " + std::to_string(values_[b]) + "]\n");
	}

	void write_clusters(OutputFile &out) const
	{
		for_each_cluster([&](std::uint64_t, const std::vector<std::uint32_t> &hashes) {
			std::string line = "[";
			for (const std::uint32_t i : hashes)
				line += (line.size() > 1 ? ", " : "") + std::to_string(values_[i]);
			out.write(line + "]\n");
		});
	}

	// Prints a message that the original program writes to standard output, even among its results.
	void tell(const std::string &message) const
	{
		if (program_ == SimhashProgram::client && !options_.quiet) {
			std::FILE *to = options_.output == "-" ? stderr : stdout;
			std::fprintf(to, "%s\n", message.c_str());
			std::fflush(to);
		}
	}

	SimhashProgram program_;
	SimhashOptions options_;
	Progress progress_;
	std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
	std::vector<SimhashMember> members_; // sorted by hash
	std::uint64_t lines_ = 0;
	std::atomic<std::uint64_t> wrapped_ids_ = 0;
	std::vector<std::uint64_t> values_;  // distinct hashes, ascending
	std::vector<std::uint32_t> groups_;  // where the members of each value begin
	std::vector<std::uint32_t> parents_; // the least value of the component
	std::vector<char> paired_;
	std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

} // namespace

int run_simhash_program(SimhashProgram program, int argc, char **argv)
{
	SimhashOptions options;
	switch (parse_simhash_options(program, argc, argv, options)) {
	case SimhashArguments::help_shown:
		return exit_ok;
	case SimhashArguments::invalid:
		return exit_failure;
	case SimhashArguments::valid:
		break;
	}
	return SimhashClient(program, std::move(options)).run();
}

} // namespace txtfp::cli

#include "cli/simhash_client.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <getopt.h>

#include "cli/batches.hpp"
#include "cli/failure.hpp"
#include "cli/records_json.hpp"
#include "core/base/union_find.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/simhash/simhash.hpp"

namespace txtfp::cli {

std::uint64_t jenkins64(std::string_view bytes, std::uint64_t seed) noexcept
{
	using Word = std::uint32_t;
	const auto word = [](const char *p, std::size_t n) {
		std::uint8_t padded[4] = {};
		std::memcpy(padded, p, std::min<std::size_t>(n, 4));
		return Word{padded[0]} | Word{padded[1]} << 8 | Word{padded[2]} << 16 | Word{padded[3]} << 24;
	};
	Word a = 0xDEADBEEF + static_cast<Word>(bytes.size()) + static_cast<Word>(seed >> 32), b = a, c = a;
	c += static_cast<Word>(seed);
	const auto mix = [](Word &x, Word y, int k, Word &kept, Word z) {
		x -= y;
		x ^= std::rotl(y, k);
		kept += z;
	};
	const auto final = [](Word &x, Word y, int k) {
		x ^= y;
		x -= std::rotl(y, k);
	};
	const char *p = bytes.data();
	std::size_t n = bytes.size();
	for (; n > 12; p += 12, n -= 12) {
		a += word(p, 4);
		b += word(p + 4, 4);
		c += word(p + 8, 4);
		mix(a, c, 4, c, b);
		mix(b, a, 6, a, c);
		mix(c, b, 8, b, a);
		mix(a, c, 16, c, b);
		mix(b, a, 19, a, c);
		mix(c, b, 4, b, a);
	}
	if (n == 0)
		return std::uint64_t{c} << 32 | b;
	a += word(p, n);
	b += n > 4 ? word(p + 4, n - 4) : 0;
	c += n > 8 ? word(p + 8, n - 8) : 0;
	final(c, b, 14);
	final(a, c, 11);
	final(b, a, 25);
	final(c, b, 16);
	final(a, c, 4);
	final(b, a, 14);
	final(c, b, 24);
	return std::uint64_t{c} << 32 | b;
}

bool window_simhash(std::string_view bytes, std::size_t window, std::uint64_t &hash) noexcept
{
	if (bytes.size() < window)
		return false;
	core::BitCounter counter;
	for (std::size_t i = 0; i + window < bytes.size(); ++i)
		counter.add(jenkins64(bytes.substr(i, window), 0));
	hash = counter.majority();
	return true;
}

namespace {

constexpr const char *client_usage = "usage: simhash -i FILE -o FILE -b N -d N -f json|hash [OPTION]...\n"
									 "Clusters texts by a SimHash of their byte windows, as the program simhash does.\n"
									 "\n"
									 "  -i, --input FILE        a file, plain, gzip or zstd; \"-\": standard input\n"
									 "  -o, --output FILE       id, hash, cluster as TSV; \"-\": standard output\n"
									 "  -b, --blocks N          more than the distance, at most 64; has no effect\n"
									 "  -d, --distance N        the most bits in which two hashes of a pair differ\n"
									 "  -f, --format json|hash  JSON Lines, or id and hash as TSV with a header\n"
									 "  -t, --text_column NAME  json: the field of the text\n"
									 "  -x, --id_column NAME    json: the field of the id, a number\n"
									 "  -n, --sample N          only the first N records\n"
									 "  -w, --window N          bytes of a window (5)\n"
									 "      --exact-duplicates  ids of one hash are a cluster, too\n"
									 "      --any-id            json: ids are text, or numbers of any size\n"
									 "      --threads N         (all)\n"
									 "      --quiet\n"
									 "  -h, --help\n";
constexpr const char *find_usage = "usage: simhash-find-%s --input FILE --output FILE --blocks N --distance N\n"
								   "Finds %s of hashes, decimal numbers, that are close to each other.\n"
								   "\n"
								   "  -i, --input FILE        a file, plain, gzip or zstd; \"-\": standard input\n"
								   "  -o, --output FILE       \"-\": standard output\n"
								   "  -b, --blocks N          more than the distance, at most 64; has no effect\n"
								   "  -d, --distance N        the most bits in which two hashes of a pair differ\n"
								   "      --quiet\n"
								   "  -h, --help\n";

struct ClientOptions {
	std::string input, output, format, text_column, id_column;
	std::uint64_t blocks = 0, distance = 0, sample = 0, window = 0;
	unsigned threads = 0;
	bool exact_duplicates = false, any_id = false, quiet = false;
};

struct Member {
	std::uint64_t hash;
	std::string id;
	bool operator==(const Member &) const = default;
};

bool integer_of(const std::string &text, std::int64_t &number) noexcept
{
	char *end;
	errno = 0;
	number = std::strtoll(text.c_str(), &end, 10);
	return errno == 0 && !text.empty() && *end == '\0';
}

// By hash, then by id: numbers as such, before other text.
bool before(const Member &a, const Member &b)
{
	if (a.hash != b.hash)
		return a.hash < b.hash;
	std::int64_t x = 0, y = 0;
	const bool a_is_number = integer_of(a.id, x), b_is_number = integer_of(b.id, y);
	if (a_is_number != b_is_number)
		return a_is_number;
	return a_is_number && x != y ? x < y : a.id < b.id;
}

// A number wraps as it does when C++ converts it to 32 bits.
std::int32_t wrapped(double number) noexcept
{
	const double rest = std::fmod(std::trunc(number), 4294967296.0);
	return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(rest)));
}

class SimhashClient {
public:
	SimhashClient(SimhashProgram program, ClientOptions options)
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
		} catch (const Failure &) {
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
		std::vector<std::unique_ptr<JsonObject>> objects(threads);
		progress_.begin("reading", reader.file().file_size(), "MB");
		const auto work = [&](const Batch &batch, unsigned thread, BatchResult &result) {
			if (!objects[thread])
				objects[thread] = std::make_unique<JsonObject>();
			read_batch(*objects[thread], batch, result);
		};
		if (options_.sample == 0) {
			for_each_batch(reader, threads, progress_, work, [&](BatchResult &result) { take(result); });
		} else {
			Batch batch;
			for (BatchResult result; lines_ < most_lines() && reader.next(batch); result = {}) {
				work(batch, 0, result);
				take(result);
			}
		}
		progress_.end();
	}

	std::uint64_t most_lines() const
	{
		return options_.sample == 0 ? ~std::uint64_t{0} : options_.sample + (options_.format == "hash" ? 1 : 0);
	}

	// Into the result: hash and id, a NUL behind each.
	void read_batch(JsonObject &object, const Batch &batch, BatchResult &result)
	{
		std::string_view rest = batch.bytes();
		for (std::uint64_t line = batch.first_line; !rest.empty() && line <= most_lines(); ++line) {
			const std::size_t end = std::min(rest.find('\n'), rest.size());
			const std::string_view text = rest.substr(0, end);
			rest.remove_prefix(std::min(end + 1, rest.size()));
			++result.records;
			Member member;
			std::string wrong;
			if (program_ != SimhashProgram::client)
				wrong = parse_number(text, member);
			else if (options_.format == "json")
				wrong = parse_json(object, text, member);
			else if (line > 1)
				parse_hash(text, member);
			else
				continue;
			if (!wrong.empty()) {
				result.error = "line " + std::to_string(line) + ": " + wrong;
				return;
			}
			char hash[8];
			std::memcpy(hash, &member.hash, sizeof hash);
			result.output.append(hash, sizeof hash);
			result.output += member.id;
			result.output += '\0';
		}
	}

	void take(const BatchResult &result)
	{
		lines_ += result.records;
		for (std::string_view rest = result.output; !rest.empty();) {
			Member member;
			std::memcpy(&member.hash, rest.data(), sizeof member.hash);
			rest.remove_prefix(sizeof member.hash);
			member.id = rest.substr(0, rest.find('\0'));
			rest.remove_prefix(member.id.size() + 1);
			members_.push_back(std::move(member));
		}
		if (!result.error.empty())
			throw Failure((options_.input == "-" ? "standard input" : options_.input) + ": " + result.error);
	}

	static std::string parse_number(std::string_view line, Member &member)
	{
		const std::string text(line);
		char *end;
		errno = 0;
		member.hash = std::strtoull(text.c_str(), &end, 10);
		if (end == text.c_str())
			return quoted(line) + " is not a number";
		return errno == ERANGE ? quoted(line) + " does not fit into 64 bits" : "";
	}

	static void parse_hash(std::string_view line, Member &member)
	{
		const std::size_t tab = std::min(line.find('\t'), line.size());
		member.id = line.substr(0, tab);
		member.id.erase(std::remove(member.id.begin(), member.id.end(), '\0'), member.id.end());
		member.hash = tab == line.size() ? 0 : std::strtoull(std::string(line.substr(tab + 1)).c_str(), nullptr, 10);
	}

	std::string parse_json(JsonObject &object, std::string_view line, Member &member)
	{
		if (line.ends_with('\r'))
			line.remove_suffix(1);
		if (const char *wrong = object.parse(line))
			return wrong;
		const JsonField text = object.field(options_.text_column), id = object.field(options_.id_column);
		if (text.kind != JsonField::Kind::string)
			return "the field " + quoted(options_.text_column) +
				(text.kind == JsonField::Kind::missing ? " is missing" : " is not a string");
		const std::size_t window = options_.window == 0 ? 5 : options_.window;
		if (!window_simhash(text.text, window, member.hash))
			return "the text is shorter than the window of " + std::to_string(window) + " bytes";
		if (options_.any_id && (id.kind == JsonField::Kind::string || id.kind == JsonField::Kind::number)) {
			member.id = id.kind == JsonField::Kind::number ? std::string_view(id.digits, id.digits_size) : id.text;
			if (member.id.find_first_of(std::string_view("\t\n\0", 3)) != std::string::npos)
				return "the id " + quoted(member.id) + " has a tab, a line end or a NUL in it";
			return {};
		}
		if (id.kind != JsonField::Kind::number && id.kind != JsonField::Kind::boolean)
			return "the field " + quoted(options_.id_column) +
				(id.kind == JsonField::Kind::missing ? " is missing" : " is not a number; --any-id takes text");
		std::int64_t whole = static_cast<std::int64_t>(id.number);
		if (std::int64_t exact; integer_of(std::string(id.digits, id.digits_size), exact))
			whole = exact; // more than a double holds
		const std::int32_t number = id.kind == JsonField::Kind::boolean || std::abs(id.number) < 9e18
			? static_cast<std::int32_t>(static_cast<std::uint32_t>(whole))
			: wrapped(id.number);
		if (number != whole)
			++wrapped_ids_;
		member.id = std::to_string(number);
		return {};
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

	// fn(number, members) for each cluster, by its least member.
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

	// What the original writes to standard output, even among its results.
	void tell(const std::string &message) const
	{
		if (program_ == SimhashProgram::client && !options_.quiet) {
			std::FILE *to = options_.output == "-" ? stderr : stdout;
			std::fprintf(to, "%s\n", message.c_str());
			std::fflush(to);
		}
	}

	SimhashProgram program_;
	ClientOptions options_;
	Progress progress_;
	std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
	std::vector<Member> members_; // by hash
	std::uint64_t lines_ = 0;
	std::atomic<std::uint64_t> wrapped_ids_ = 0;
	std::vector<std::uint64_t> values_;  // distinct hashes, ascending
	std::vector<std::uint32_t> groups_;  // where the members of each begin
	std::vector<std::uint32_t> parents_; // the least of the component
	std::vector<char> paired_;
	std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

} // namespace

int run_simhash_program(SimhashProgram program, int argc, char **argv)
{
	enum : int { exact_duplicates = 256, any_id, threads, quiet };
	const option client_options[] = {{"input", required_argument, nullptr, 'i'},
		{"output", required_argument, nullptr, 'o'}, {"blocks", required_argument, nullptr, 'b'},
		{"distance", required_argument, nullptr, 'd'}, {"quiet", no_argument, nullptr, quiet},
		{"help", no_argument, nullptr, 'h'}, {"format", required_argument, nullptr, 'f'},
		{"text_column", required_argument, nullptr, 't'}, {"id_column", required_argument, nullptr, 'x'},
		{"sample", required_argument, nullptr, 'n'}, {"window", required_argument, nullptr, 'w'},
		{"exact-duplicates", no_argument, nullptr, exact_duplicates}, {"any-id", no_argument, nullptr, any_id},
		{"threads", required_argument, nullptr, threads}, {}};
	const option find_options[] = {client_options[0], client_options[1], client_options[2], client_options[3],
		client_options[4], client_options[5], {}};
	const bool client = program == SimhashProgram::client;
	ClientOptions options;
	const auto number = [] { return std::strtoull(optarg, nullptr, 10); };
	optind = 1;
	for (int c; (c = getopt_long(argc, argv, client ? "i:o:b:d:f:t:x:n:w:h" : "i:o:b:d:h",
					 client ? client_options : find_options, nullptr)) != -1;)
		switch (c) {
		case 'i':
			options.input = optarg;
			break;
		case 'o':
			options.output = optarg;
			break;
		case 'b':
			options.blocks = number();
			break;
		case 'd':
			options.distance = number();
			break;
		case 'f':
			options.format = optarg;
			break;
		case 't':
			options.text_column = optarg;
			break;
		case 'x':
			options.id_column = optarg;
			break;
		case 'n':
			options.sample = number();
			break;
		case 'w':
			options.window = number();
			break;
		case exact_duplicates:
			options.exact_duplicates = true;
			break;
		case any_id:
			options.any_id = true;
			break;
		case threads:
			options.threads = static_cast<unsigned>(std::min<unsigned long long>(number(), 1024));
			break;
		case quiet:
			options.quiet = true;
			break;
		case 'h':
			if (client)
				std::fputs(client_usage, stdout);
			else if (program == SimhashProgram::find_all)
				std::printf(find_usage, "all", "pairs");
			else
				std::printf(find_usage, "clusters", "clusters");
			return exit_ok;
		default:
			return exit_failure; // getopt_long said why
		}
	return SimhashClient(program, std::move(options)).run();
}

} // namespace txtfp::cli

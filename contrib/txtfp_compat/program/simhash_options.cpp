#include "program/simhash_options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <getopt.h>

namespace txtfp::cli {

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

void show_help(SimhashProgram program)
{
	if (program == SimhashProgram::client)
		std::fputs(client_usage, stdout);
	else if (program == SimhashProgram::find_all)
		std::printf(find_usage, "all", "pairs");
	else
		std::printf(find_usage, "clusters", "clusters");
}

} // namespace

SimhashArguments parse_simhash_options(SimhashProgram program, int argc, char **argv, SimhashOptions &options)
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
			show_help(program);
			return SimhashArguments::help_shown;
		default:
			return SimhashArguments::invalid; // getopt_long has printed the reason
		}
	return SimhashArguments::valid;
}

} // namespace txtfp::cli

// txtfp-simhash: the programs simhash, simhash-find-all and simhash-find-clusters, by the name of a link or of a
// command.
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "program/simhash_client.hpp"

namespace {

using namespace txtfp::cli;

constexpr const char *usage = R"(usage: txtfp-simhash COMMAND OPTION...
Replaces three programs, also when it is called by a link with their names.

  simhash         as the program simhash: clusters of JSON Lines or hashes
  find-all        as simhash-find-all: pairs of hashes
  find-clusters   as simhash-find-clusters

"txtfp-simhash COMMAND --help" lists the options; "man txtfp-simhash" has more.
  -h, --help      this text
  -V, --version
)";

int dispatch(int argc, char **argv)
{
	constexpr std::pair<const char *, SimhashProgram> programs[] = {{"simhash", SimhashProgram::client},
		{"simhash-find-all", SimhashProgram::find_all}, {"simhash-find-clusters", SimhashProgram::find_clusters}};
	const char *slash = std::strrchr(argv[0], '/'), *name = slash != nullptr ? slash + 1 : argv[0];
	const std::string command = argc > 1 ? argv[1] : "";
	for (const auto &[program_name, program] : programs) {
		if (std::strcmp(name, program_name) == 0)
			return run_simhash_program(program, argc, argv);
		if (command == (program == SimhashProgram::client ? program_name : program_name + std::strlen("simhash-"))) {
			std::string called = program_name;
			argv[1] = called.data();
			return run_simhash_program(program, argc - 1, argv + 1);
		}
	}
	if (command == "-h" || command == "--help")
		return std::fputs(usage, stdout) >= 0 && std::fflush(stdout) == 0 ? exit_ok : exit_failure;
	if (command == "-V" || command == "--version")
		return std::puts("txtfp-simhash " TXTFP_VERSION) >= 0 && std::fflush(stdout) == 0 ? exit_ok : exit_failure;
	throw Failure((command.empty() ? "a command is expected" : "there is no command " + in_quotes(command)) +
			"; valid are simhash, find-all and find-clusters",
		exit_usage);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 1)
		return exit_usage;
	catch_signals();
	try {
		return dispatch(argc, argv);
	} catch (...) {
		return report_exception();
	}
}

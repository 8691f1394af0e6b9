// The subcommands. All of them throw Failure, and core::Error for errors within the core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/collection.hpp"
#include "cli/output_rows.hpp"

namespace txtfp::cli {

struct InputOptions {
	std::string path = "-", format; // format: empty means that the file name decides, else jsonl
	std::string id = "id", text = "text", priority, group, delimiter, max_record, max_window;
	bool header = false, line_ids = false, skip_errors = false;
};

struct MethodOptions {
	std::string kind = "minhash128", tokenizer, canonicalizer = "nfkc-cf-simple-bidi-fmt", hash = "xxh3-64",
				weighting = "tf";
	std::int64_t seed = static_cast<std::int64_t>(core::default_seed);
};

struct CommonOptions {
	std::string output = "-", to;
	unsigned threads = 0; // 0: all processors
	bool quiet = false, no_header = false, force = false;
};

struct FingerprintCommand {
	InputOptions input;
	MethodOptions method;
	CommonOptions common;
	std::string id_type = "bigint";
};
int run_fingerprint(const FingerprintCommand &command);

struct JoinCommand {
	InputOptions input;
	MethodOptions method;
	CommonOptions common;
	bool clusters = false, given = false, allow_duplicate_ids = false;
	std::string threshold;                 // of clusters several, separated by commas; empty: not given
	int max_distance = -1, min_score = -1; // −1: not given
	double recall = 0.99;
	int bands = 0, rows = 0; // 0: chosen by recall
	std::string mode = "components", keep, memory, temporary;
	std::string apart, together; // files of pairs; empty: none
	std::uint32_t max_size = 0;  // 0: not given
};
int run_join(const JoinCommand &command);

struct DedupCommand {
	JoinCommand join;
	std::string verify = "jaccard", guard = "balanced";
	double verify_threshold = -1, min_precision = -1; // −1: not given
	std::string rule;                                 // a file; empty: none
	std::string review;                               // the file of the page; empty: none
};
int run_dedup(const DedupCommand &command);

struct PassagesCommand {
	InputOptions input;
	CommonOptions common;
	std::string unit = "paragraph", tokenizer = "word-uax29", canonicalizer = "nfkc-cf-simple-bidi-fmt";
	int min_words = -1; // −1: not given
	std::string before; // a file whose records come first and are not cut; empty: none
	std::string keep, mark, memory, temporary;
	bool allow_duplicate_ids = false;
};
int run_passages(const PassagesCommand &command);

struct CompareCommand {
	MethodOptions method;
	CommonOptions common;
	std::string a, b;
	std::uint32_t min_words = 5;
	bool json = false;
};
int run_compare(const CompareCommand &command);

struct ReviewCommand {
	InputOptions input, texts; // texts.path is empty if the input has the texts
	CommonOptions common;
	std::string title = "Planned removals", labels, temporary;
	std::vector<std::string> show;
	std::size_t pairs = 10000;
	std::int64_t seed = 0;
};
int run_review(const ReviewCommand &command);

// Shared by the subcommands.
RecordFormat record_format(const InputOptions &options);
InputPaths input_paths(const InputOptions &options, bool quiet); // tells which files of a folder are left out
unsigned thread_count(const CommonOptions &options) noexcept;
RowFormat row_format(const std::string &name);
std::uint64_t parse_memory(const std::string &text);       // "512M"; an empty text means half of the machine's memory
std::string temporary_directory(const std::string &given); // if it is empty: $TMPDIR, /var/tmp
// --max-record; by default RecordLimit's, but at most an eighth of `memory`.
constexpr std::uint64_t no_memory_limit = ~std::uint64_t{0};
RecordLimit record_limit(const InputOptions &options, std::uint64_t memory);
records::DecoderLimit decoder_limit(const InputOptions &options); // --max-window
// Throws if the output is a file that is also an input, unless `force`. `option` is the name of the option of the
// output.
void refuse_replacing(
	const std::vector<std::string> &inputs, const char *option, const std::string &output, bool force);

} // namespace txtfp::cli

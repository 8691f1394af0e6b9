// txtfp: text fingerprints and near-duplicates of files.
#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/stop.hpp"

namespace {

using namespace txtfp;
using namespace txtfp::cli;

struct HelpWanted {
	std::string text;
};

void add_help(CLI::App *app, std::string text)
{
	app->set_help_flag();
	app->add_flag_callback("-h,--help", [text] { throw HelpWanted{text}; })->trigger_on_parse();
}

void add_input(CLI::App *app, InputOptions &input)
{
	app->add_option("FILE", input.path);
	app->add_option("-f,--format", input.format);
	app->add_option("--id", input.id);
	app->add_option("--text", input.text);
	app->add_flag("--line-ids", input.line_ids);
	app->add_flag("--header", input.header);
	app->add_option("--delimiter", input.delimiter);
	app->add_flag("--skip-errors", input.skip_errors);
	app->add_option("--max-record", input.max_record);
	app->add_option("--max-window", input.max_window);
}

void add_method(CLI::App *app, MethodOptions &method, bool with_kind)
{
	app->add_option("--tokenizer", method.tokenizer);
	app->add_option("--canonicalizer", method.canonicalizer);
	app->add_option("--hash", method.hash);
	app->add_option("--seed", method.seed);
	if (!with_kind)
		return;
	app->add_option("--weighting", method.weighting);
	app->add_option("-k,--kind", method.kind)->check([](const std::string &name) {
		return parse_kind(name) != nullptr ? std::string() : "there is no kind " + txtfp::cli::in_quotes(name);
	});
}

void add_common(CLI::App *app, CommonOptions &common)
{
	app->add_option("-o,--output", common.output);
	app->add_option("-j,--threads", common.threads);
	app->add_option("-t,--to", common.to);
	app->add_flag("--no-header", common.no_header);
	app->add_flag("-q,--quiet", common.quiet);
	app->add_flag("--force", common.force);
}

// What the joins of minhash* have, too.
void add_join_of_sets(CLI::App *app, JoinCommand &join)
{
	add_input(app, join.input);
	add_method(app, join.method, true);
	add_common(app, join.common);
	app->add_option("--threshold", join.threshold);
	app->add_option("--recall", join.recall);
	app->add_option("--bands", join.bands);
	app->add_option("--rows", join.rows);
	app->add_flag("--allow-duplicate-ids", join.allow_duplicate_ids);
	app->add_option("--memory", join.memory);
	app->add_option("--temporary", join.temporary);
}

void add_decided(CLI::App *app, JoinCommand &join)
{
	app->add_option("--apart", join.apart);
	app->add_option("--together", join.together);
}

void add_join(CLI::App *app, JoinCommand &join)
{
	add_join_of_sets(app, join);
	const auto not_negative = [](const std::string &text) {
		return text.starts_with('-') ? "it is negative" : std::string();
	};
	app->add_option("--max-distance", join.max_distance)->check(not_negative);
	app->add_option("--min-score", join.min_score)->check(not_negative);
	app->add_flag("--fingerprints", join.given);
	if (!join.clusters)
		return;
	app->add_option("--mode", join.mode);
	app->add_option("--max-size", join.max_size);
	add_decided(app, join);
	app->add_option("--keep", join.keep);
	app->add_option("--priority", join.input.priority);
}

void add_dedup(CLI::App *app, DedupCommand &dedup)
{
	add_join_of_sets(app, dedup.join);
	app->add_option("--priority", dedup.join.input.priority);
	app->add_option("--keep", dedup.join.keep);
	app->add_option("--verify", dedup.verify);
	app->add_option("--verify-threshold", dedup.verify_threshold)->check([](const std::string &text) {
		return text.starts_with('-') ? "it is negative" : std::string();
	});
	app->add_option("--guard", dedup.guard);
	app->add_option("--rule", dedup.rule);
	app->add_option("--min-precision", dedup.min_precision);
	add_decided(app, dedup.join);
	app->add_option("--review", dedup.review);
}

void add_passages(CLI::App *app, PassagesCommand &passages)
{
	add_input(app, passages.input);
	add_common(app, passages.common);
	app->add_option("--unit", passages.unit);
	app->add_option("--min-words", passages.min_words);
	app->add_option("--tokenizer", passages.tokenizer);
	app->add_option("--canonicalizer", passages.canonicalizer);
	app->add_option("--priority", passages.input.priority);
	app->add_option("--group", passages.input.group);
	app->add_option("--before", passages.before);
	app->add_option("--keep", passages.keep);
	app->add_option("--mark", passages.mark);
	app->add_flag("--allow-duplicate-ids", passages.allow_duplicate_ids);
	app->add_option("--memory", passages.memory);
	app->add_option("--temporary", passages.temporary);
}

void add_review(CLI::App *app, ReviewCommand &review)
{
	app->add_option("FILE", review.input.path);
	app->add_option("-f,--format", review.input.format);
	app->add_option("--delimiter", review.input.delimiter);
	app->add_flag("--skip-errors", review.input.skip_errors);
	app->add_option("--max-record", review.input.max_record);
	app->add_option("--max-window", review.input.max_window);
	app->add_option("--texts", review.texts.path);
	app->add_option("--texts-format", review.texts.format);
	app->add_option("--id", review.texts.id);
	app->add_option("--text", review.texts.text);
	app->add_flag("--line-ids", review.texts.line_ids);
	app->add_flag("--header", review.texts.header);
	app->add_option("--labels", review.labels);
	app->add_option("--show", review.show)->allow_extra_args(false);
	app->add_option("--title", review.title);
	app->add_option("--pairs", review.pairs);
	app->add_option("--seed", review.seed);
	app->add_option("--temporary", review.temporary);
	app->add_option("-o,--output", review.common.output);
	app->add_flag("-q,--quiet", review.common.quiet);
	app->add_flag("--force", review.common.force);
}

std::string join_help_of(const char *command, const char *several, const char *more)
{
	char text[4096];
	std::snprintf(text, sizeof text, join_help, command, several, more);
	return text;
}

int run(int argc, char **argv)
{
	CLI::App app("", "txtfp");
	add_help(&app, main_help);
	app.add_flag_callback("-V,--version", [] { throw HelpWanted{"txtfp " TXTFP_VERSION "\n"}; })->trigger_on_parse();
	app.require_subcommand(1);
	FingerprintCommand fingerprint;
	JoinCommand pairs, clusters;
	DedupCommand dedup;
	CompareCommand compare;
	PassagesCommand passages;
	ReviewCommand review;
	review.texts.path.clear();
	clusters.clusters = true;

	CLI::App *sub = app.add_subcommand("fingerprint");
	add_help(sub, fingerprint_help);
	add_input(sub, fingerprint.input);
	add_method(sub, fingerprint.method, true);
	add_common(sub, fingerprint.common);
	sub->add_option("--id-type", fingerprint.id_type);

	sub = app.add_subcommand("pairs");
	add_help(sub, join_help_of("pairs", "", ""));
	add_join(sub, pairs);

	sub = app.add_subcommand("clusters");
	add_help(sub, join_help_of("clusters", "; several: 0.9,0.8", clusters_help));
	add_join(sub, clusters);

	sub = app.add_subcommand("dedup");
	add_help(sub, dedup_help);
	add_dedup(sub, dedup);

	CLI::App *repeats = app.add_subcommand("passages");
	add_help(repeats, passages_help);
	add_passages(repeats, passages);

	sub = app.add_subcommand("compare");
	add_help(sub, compare_help);
	add_method(sub, compare.method, false);
	sub->add_option("-o,--output", compare.common.output);
	sub->add_option("--min-words", compare.min_words);
	sub->add_flag("--json", compare.json);
	sub->add_flag("--force", compare.common.force);
	sub->add_option("A", compare.a)->required();
	sub->add_option("B", compare.b)->required();

	sub = app.add_subcommand("review");
	add_help(sub, review_help);
	add_review(sub, review);

	const auto commands = app.get_subcommands([](CLI::App *) { return true; });
	if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), [&](const CLI::App *command) {
			return command->get_name() == argv[1];
		}))
		throw Failure("there is no command " + in_quotes(argv[1]) +
				"; valid are fingerprint, pairs, clusters, dedup, passages, compare and review",
			exit_usage);
	try {
		app.parse(argc, argv);
	} catch (const HelpWanted &help) {
		std::fputs(help.text.c_str(), stdout);
		return std::fflush(stdout) == 0 ? exit_ok : exit_failure;
	} catch (const CLI::ParseError &error) {
		std::fprintf(stderr, "txtfp: %s\n       \"txtfp %s--help\" lists what there is\n", error.what(),
			app.get_subcommands().empty() ? "" : (app.get_subcommands()[0]->get_name() + " ").c_str());
		return exit_usage;
	}
	if (repeats->parsed())
		return run_passages(passages);
	const std::string command = app.get_subcommands()[0]->get_name();
	return command == "fingerprint" ? run_fingerprint(fingerprint)
		: command == "compare"      ? run_compare(compare)
		: command == "dedup"        ? run_dedup(dedup)
		: command == "review"       ? run_review(review)
		: command == "pairs"        ? run_join(pairs)
									: run_join(clusters);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 1)
		return exit_usage;
	catch_signals();
	try {
		return run(argc, argv);
	} catch (...) {
		return report_exception();
	}
}

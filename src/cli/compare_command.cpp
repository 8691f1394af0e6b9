#include <cstdio>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "core/compare/shared_passages.hpp"
#include "core/compare/text_measures.hpp"
#include "records/json.hpp"

namespace txtfp::cli {

namespace {

std::string read_text(const std::string &path)
{
	constexpr std::size_t step = 1 << 20, most = std::size_t{1} << 30;
	InputFile file(path);
	std::string text;
	for (std::size_t size = 0;;) {
		text.resize(size + step);
		const std::size_t n = file.read(text.data() + size, step);
		text.resize(size += n);
		if (n < step)
			break;
		if (size > most)
			throw Failure(file.name() + ": the text is longer than 1 GiB");
	}
	if (text.starts_with("\xEF\xBB\xBF"))
		text.erase(0, 3);
	if (!records::is_valid_utf8(text))
		throw Failure(file.name() + ": the text is not valid UTF-8");
	return text;
}

struct Measure {
	std::string name;
	std::string value; // empty if a text is too short for this measure
	const char *meaning;
};

std::string number(double value, const char *format = "%.4f")
{
	char text[32];
	std::snprintf(text, sizeof text, format, value);
	return text;
}

class Comparison {
public:
	explicit Comparison(const CompareCommand &command)
		: command_(command), a_(read_text(command.a)), b_(read_text(command.b))
	{
		const core::Recipe options = make_recipe(parse_kind(MethodOptions().kind), command.method.tokenizer,
			command.method.canonicalizer, command.method.hash, command.method.seed, "tf");
		const core::SetOverlap overlap =
			core::token_overlap(a_, b_, options.text.canonical, options.text.tokenizer, stop_token);
		const bool some = overlap.a > 0 && overlap.b > 0;
		add("jaccard", some ? number(overlap.jaccard()) : "", "exact: common shingles of all shingles");
		add("containment_a", some ? number(overlap.containment_of_a()) : "", "exact: share of A's shingles that B has");
		add("containment_b", some ? number(overlap.containment_of_b()) : "", "exact: share of B's shingles that A has");
		for (const core::Kind &kind : core::kinds)
			if ((kind.uses & core::use_files) != 0 && !kind.compact)
				estimate(kind);
		passages_ =
			core::shared_passages(a_, b_, command.min_words, options.text.canonical, core::Segmenter::word, stop_token);
	}

	std::string text() const
	{
		std::string out;
		for (const Measure &measure : measures_) {
			char line[160];
			std::snprintf(line, sizeof line, "%-16s %-8s %s\n", measure.name.c_str(),
				measure.value.empty() ? "-" : measure.value.c_str(), measure.meaning);
			out += line;
		}
		std::size_t words = 0;
		for (const core::SharedPassage &passage : passages_)
			words += passage.words;
		out += "\n" + std::to_string(passages_.size()) + " shared passages of " + std::to_string(command_.min_words) +
			" words or more, " + std::to_string(words) + " words\n";
		for (const core::SharedPassage &passage : passages_) {
			out += "\nA " + place(passage.a) + "  B " + place(passage.b) + "  " + std::to_string(passage.words) +
				" words\n    ";
			for (const char c : excerpt(passage.a))
				out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
			out += '\n';
		}
		return out;
	}

	std::string json() const
	{
		std::string out = "{\"a\":";
		append_json_string(command_.a, out);
		out += ",\"b\":";
		append_json_string(command_.b, out);
		for (const Measure &measure : measures_)
			out += ",\"" + measure.name + "\":" + (measure.value.empty() ? "null" : measure.value);
		out += ",\"shared_passages\":[";
		for (std::size_t i = 0; i < passages_.size(); ++i) {
			const core::SharedPassage &passage = passages_[i];
			out += (i > 0 ? ",{" : "{") + json_range("a", passage.a) + "," + json_range("b", passage.b) +
				",\"words\":" + std::to_string(passage.words) + ",\"text\":";
			append_json_string(std::string_view(a_).substr(passage.a.byte, passage.a.bytes), out);
			out += '}';
		}
		return out + "]}\n";
	}

private:
	void add(std::string name, std::string value, const char *meaning)
	{
		measures_.push_back({std::move(name), std::move(value), meaning});
	}

	void estimate(const core::Kind &kind)
	{
		const core::Recipe recipe = make_recipe(&kind, kind.is_sketch() ? command_.method.tokenizer : "",
			command_.method.canonicalizer, command_.method.hash, command_.method.seed, "tf");
		Value a, b;
		const bool both = compute(recipe, a_, a.bytes) && compute(recipe, b_, b.bytes);
		const int measure = both ? kind.measure_of(a.bytes, b.bytes) : 0;
		add(kind.type, !both ? "" : kind.is_sketch() ? number(kind.similarity_of(measure)) : std::to_string(measure),
			kind.shown);
	}

	static std::string place(const core::SourceRange &range)
	{
		return std::to_string(range.character + 1) + "-" + std::to_string(range.character + range.characters);
	}
	static std::string json_range(const char *side, const core::SourceRange &range)
	{
		return std::string("\"") + side + "_start\":" + std::to_string(range.character + 1) + ",\"" + side +
			"_length\":" + std::to_string(range.characters);
	}
	std::string excerpt(const core::SourceRange &range) const
	{
		constexpr std::size_t most = 200;
		const std::string_view text = std::string_view(a_).substr(range.byte, range.bytes);
		const std::size_t n = core::character_boundary(text, most);
		return std::string(text.substr(0, n)) + (n < text.size() ? " \u2026" : "");
	}

	const CompareCommand &command_;
	std::string a_, b_;
	std::vector<Measure> measures_;
	std::vector<core::SharedPassage> passages_;
};

} // namespace

int run_compare(const CompareCommand &command)
{
	if (command.a == "-" && command.b == "-")
		throw Failure("only one of the two files can be standard input", exit_usage);
	if (command.min_words == 0)
		throw Failure("a passage has one word at least", exit_usage);
	refuse_replacing({command.a, command.b}, "--output", command.common.output, command.common.force);
	const Comparison comparison(command);
	OutputFile out(command.common.output);
	out.write(command.json ? comparison.json() : comparison.text());
	out.commit();
	return exit_ok;
}

} // namespace txtfp::cli

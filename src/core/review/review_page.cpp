#include "core/review/review_page.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/base/hash.hpp"
#include "core/decide/strata.hpp"
#include "core/review/least_keys.hpp"
#include "core/review/pair_text.hpp"
#include "core/review/removal_clusters.hpp"
#include "core/review/sha256.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view outcome_names[outcomes] = {"remove", "review", "keep"};
constexpr std::string_view verdict_names[verdicts] = {"duplicate", "variant", "distinct", "unsure"};
constexpr std::string_view measure_names[measures] = {
	"similarity", "jaccard", "containment", "kept_containment", "score"};
constexpr Measure ranking[] = {Measure::score, Measure::jaccard, Measure::similarity};
constexpr std::size_t histogram_bins = 20;
constexpr std::size_t most_bytes = std::size_t{192} << 20; // of each of two samples
constexpr std::size_t note_bytes = 300;                    // of a reason and of a further column
constexpr std::size_t name_bytes = std::size_t{1} << 20;   // of the title and of an id, which are not cut
constexpr std::uint64_t most_removals = 100'000'000;       // 8 bytes for each measure of each are kept for the strata

template <class Value, std::size_t n>
std::optional<Value> parse_name(std::string_view text, const std::string_view (&names)[n]) noexcept
{
	const auto found = std::find(std::begin(names), std::end(names), text);
	return found == std::end(names) ? std::nullopt : std::optional(static_cast<Value>(found - std::begin(names)));
}

std::size_t characters_in(std::string_view text) noexcept
{
	return static_cast<std::size_t>(
		std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string cut_note(std::string_view text)
{
	if (text.size() <= note_bytes)
		return std::string(text);
	return std::string(text.substr(0, character_boundary(text, note_bytes))) + "\u2026";
}

} // namespace

// What ReviewPage::Contents consists of.
namespace page_parts {

// A pair of the sample.
struct Pair {
	std::uint64_t key;
	Outcome outcome;
	std::optional<Verdict> verdict;
	std::optional<StratumName> given;
	std::array<double, measures> values;
	std::string id, kept, reason;
	std::string facts, more, text; // JSON
	PictureSketch sketch, kept_sketch;
	int stratum = -1, cluster = -1;

	std::size_t bytes() const noexcept
	{
		// As JSON an id may take six times as many.
		return sizeof *this + 6 * (id.size() + kept.size()) + reason.size() + facts.size() + more.size() + text.size();
	}
};

inline double value_of(const Pair &pair, Measure measure) noexcept
{
	return pair.values[static_cast<std::size_t>(measure)];
}

// bigint if all ids are integers in their usual form, otherwise text.
inline std::string type_of_ids(const std::vector<Pair> &pairs)
{
	const auto is_bigint = [](std::string_view id) {
		std::int64_t value;
		const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
		return error == std::errc() && end == id.data() + id.size() && (id.size() == 1 || !id.starts_with('0'));
	};
	for (const Pair &pair : pairs)
		if (!is_bigint(pair.id) || !is_bigint(pair.kept))
			return "text";
	return "bigint";
}

// JSON piece by piece.
class PageJson {
public:
	explicit PageJson(Characters characters) : characters_(characters) {}

	PageJson &raw(std::string_view text)
	{
		out_ += text;
		return *this;
	}
	PageJson &key(std::string_view name) // of an object
	{
		if (out_.size() > 1)
			out_ += ',';
		return string(name).raw(":");
	}
	PageJson &string(std::string_view text)
	{
		append_page_json(out_, text, characters_);
		return *this;
	}
	PageJson &number(double value)
	{
		append_page_json(out_, value);
		return *this;
	}
	template <class Items, class Fn> PageJson &list(const Items &items, Fn fn)
	{
		out_ += '[';
		bool first = true;
		for (const auto &item : items) {
			out_ += first ? "" : ",";
			first = false;
			fn(item);
		}
		out_ += ']';
		return *this;
	}
	template <class Items> PageJson &strings(const Items &items)
	{
		return list(items, [this](std::string_view item) { string(item); });
	}
	template <class Items> PageJson &numbers(const Items &items)
	{
		return list(items, [this](auto item) { number(static_cast<double>(item)); });
	}
	std::string extract() { return std::move(out_); }

private:
	Characters characters_;
	std::string out_;
};

struct Histogram {
	std::array<std::array<std::uint64_t, histogram_bins>, outcomes> counts{};
	std::uint64_t all = 0;

	void add(Outcome outcome, double value) noexcept
	{
		if (!(value >= 0 && value <= 1))
			return;
		const auto bin = std::min(histogram_bins - 1, static_cast<std::size_t>(value * histogram_bins));
		++counts[static_cast<std::size_t>(outcome)][bin];
		++all;
	}
};

// Names in order of appearance, with their numbers.
class Numbered {
public:
	int number(const std::string &name)
	{
		const auto [found, is_new] = numbers_.try_emplace(name, static_cast<int>(names_.size()));
		if (is_new)
			names_.push_back(name);
		return found->second;
	}
	const std::vector<std::string> &names() const noexcept { return names_; }

private:
	std::unordered_map<std::string, int> numbers_;
	std::vector<std::string> names_;
};

} // namespace page_parts

using namespace page_parts;

std::string_view name(Outcome outcome) noexcept { return outcome_names[static_cast<std::size_t>(outcome)]; }
std::string_view name(Verdict verdict) noexcept { return verdict_names[static_cast<std::size_t>(verdict)]; }
std::string_view name(Measure measure) noexcept { return measure_names[static_cast<std::size_t>(measure)]; }

std::optional<Outcome> parse_outcome(std::string_view text) noexcept
{
	return parse_name<Outcome>(text, outcome_names);
}

std::optional<Verdict> parse_verdict(std::string_view text) noexcept
{
	if (text == "true" || text == "t")
		return Verdict::duplicate;
	if (text == "false" || text == "f")
		return Verdict::distinct;
	return parse_name<Verdict>(text, verdict_names);
}

struct ReviewPage::Contents {
	explicit Contents(ReviewOptions given)
		: options(std::move(given)), removals(options.pairs * 5 / 2 + 1, most_bytes), others(options.pairs, most_bytes)
	{
	}

	void check_stratum(const StratumName &stratum);
	void count(const PlannedRemoval &removal);
	Pair pair_of(const PlannedRemoval &removal, std::uint64_t key, StopToken stop) const;
	std::vector<Pair> choose();
	std::vector<Pair> choose_removals(std::size_t n);
	std::vector<std::vector<Pair>> by_stratum(std::vector<Pair> all, std::size_t n);
	std::string clusters_json(std::vector<Pair> &pairs, StopToken stop) const;
	std::string pairs_json(const std::vector<Pair> &pairs, Numbered &reasons) const;
	std::string page_json(const std::vector<Pair> &pairs, const Numbered &reasons) const;
	void write_data(const Sink &sink, StopToken stop);

	ReviewOptions options;
	LeastKeys<Pair> removals, others;
	std::array<std::uint64_t, outcomes> planned{};
	std::array<Histogram, measures> histograms{};
	std::array<std::vector<double>, std::size(ranking)> scores; // of all removals that have one
	std::uint64_t given_rows[most_strata] = {};
	std::vector<std::string> strata; // names
	int given_strata = 0;            // 0: none were given
	std::string ranked_by;
};

// All strata of a page belong to one sample, or its estimate would mean nothing.
void ReviewPage::Contents::check_stratum(const StratumName &stratum)
{
	std::uint64_t &rows = given_rows[stratum.number - 1];
	if ((given_strata != 0 && given_strata != stratum.count) || (rows != 0 && rows != stratum.rows))
		throw Error(ErrorKind::invalid_parameter, "the strata are not those of a single sample");
	given_strata = stratum.count;
	rows = stratum.rows;
}

void ReviewPage::Contents::count(const PlannedRemoval &removal)
{
	++planned[static_cast<std::size_t>(removal.outcome)];
	for (std::size_t i = 0; i < measures; ++i)
		histograms[i].add(removal.outcome, removal.values[i]);
	for (std::size_t i = 0; i < std::size(ranking) && removal.outcome == Outcome::remove; ++i)
		if (const double value = removal.values[static_cast<std::size_t>(ranking[i])]; !std::isnan(value))
			scores[i].push_back(value);
}

Pair ReviewPage::Contents::pair_of(const PlannedRemoval &removal, std::uint64_t key, StopToken stop) const
{
	Pair pair{};
	pair.key = key;
	pair.outcome = removal.outcome;
	pair.verdict = removal.verdict;
	pair.values = removal.values;
	pair.id = removal.id;
	pair.kept = removal.kept;
	pair.reason = cut_note(removal.reason);
	pair.sketch = picture_sketch(removal.text, stop);
	pair.kept_sketch = picture_sketch(removal.kept_text, stop);
	PairText text = pair_text(removal.text, removal.kept_text, options.characters, stop);
	pair.text = std::move(text.json);
	Signals signals;
	if (removal.signals != nullptr) {
		signals = *removal.signals;
	} else {
		signals = difference_signals(removal.text, removal.kept_text, stop);
		signals[static_cast<std::size_t>(Signal::neighbours)] = removal.neighbours;
		signals[static_cast<std::size_t>(Signal::kept_neighbours)] = removal.kept_neighbours;
	}
	PageJson facts(options.characters);
	facts.numbers(removal.values).raw(",").numbers(signals).raw(",");
	facts.number(static_cast<double>(characters_in(removal.text))).raw(",");
	facts.number(static_cast<double>(characters_in(removal.kept_text))).raw(",").numbers(text.kinds);
	pair.facts = facts.extract();
	PageJson more(options.characters);
	more.list(removal.more, [&](std::string_view note) { more.string(cut_note(note)); });
	pair.more = more.extract();
	return pair;
}

// Distributes removals, which ascend by key, on their strata, at most n of them.
std::vector<std::vector<Pair>> ReviewPage::Contents::by_stratum(std::vector<Pair> all, std::size_t n)
{
	std::vector<std::vector<Pair>> parts(most_strata + 1); // the last one: without a stratum
	if (given_strata != 0) {
		for (Pair &pair : all) {
			if (n == 0)
				break;
			--n;
			pair.stratum = pair.given ? pair.given->number - 1 : -1;
			parts[pair.given ? static_cast<std::size_t>(pair.stratum) : most_strata].push_back(std::move(pair));
		}
		for (int i = 0; i < given_strata; ++i) {
			char text[stratum_name_bytes];
			strata.emplace_back(given_rows[i] == 0 ? "" : format_stratum({i + 1, given_strata, given_rows[i]}, text));
		}
		return parts;
	}
	// The first measure that all removals have. Without one, all are equal.
	const std::uint64_t rows = planned[static_cast<std::size_t>(Outcome::remove)];
	std::size_t by = 0;
	while (by < std::size(ranking) && scores[by].size() != rows)
		++by;
	std::vector<double> equal(by < std::size(ranking) ? 0 : rows);
	ScoreStratum made[most_strata];
	std::vector<double> &ranked = by < std::size(ranking) ? scores[by] : equal;
	std::sort(ranked.begin(), ranked.end());
	const int count = make_strata(ranked, n, made);
	if (by < std::size(ranking))
		ranked_by = name(ranking[by]);
	std::vector<Pair> left;
	for (Pair &pair : all) {
		pair.stratum = stratum_of(by < std::size(ranking) ? value_of(pair, ranking[by]) : 0, made, count);
		const auto i = static_cast<std::size_t>(pair.stratum);
		if (parts[i].size() < made[i].wanted)
			parts[i].push_back(std::move(pair));
		else
			left.push_back(std::move(pair));
	}
	// A stratum may have fewer rows in memory than it could give: the others fill up.
	std::size_t taken = 0;
	for (const std::vector<Pair> &part : parts)
		taken += part.size();
	for (std::size_t i = 0; i < left.size() && taken < n; ++i, ++taken)
		parts[static_cast<std::size_t>(left[i].stratum)].push_back(std::move(left[i]));
	for (int i = 0; i < count; ++i) {
		char text[stratum_name_bytes];
		strata.emplace_back(format_stratum({i + 1, count, made[i].rows}, text));
	}
	return parts;
}

// n removals; the strata take turns.
std::vector<Pair> ReviewPage::Contents::choose_removals(std::size_t n)
{
	std::vector<std::vector<Pair>> parts = by_stratum(removals.extract(), n);
	std::vector<Pair> chosen;
	for (std::size_t turn = 0, before = 1; before != 0; ++turn) {
		before = 0;
		for (std::vector<Pair> &part : parts)
			if (turn < part.size()) {
				chosen.push_back(std::move(part[turn]));
				++before;
			}
	}
	return chosen;
}

std::vector<Pair> ReviewPage::Contents::choose()
{
	std::vector<Pair> rest = others.extract();
	const std::uint64_t to_remove = planned[static_cast<std::size_t>(Outcome::remove)];
	const std::size_t few = static_cast<std::size_t>(std::min<std::uint64_t>(to_remove, options.pairs)),
					  n = std::min(rest.size(), std::max(options.pairs / 2, options.pairs - few));
	rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(n), rest.end());
	std::vector<Pair> pairs = choose_removals(options.pairs - n);
	std::stable_sort(rest.begin(), rest.end(), [](const Pair &a, const Pair &b) { return a.outcome < b.outcome; });
	std::move(rest.begin(), rest.end(), std::back_inserter(pairs));
	return pairs;
}

// Sets the clusters of the pairs, too.
std::string ReviewPage::Contents::clusters_json(std::vector<Pair> &pairs, StopToken stop) const
{
	enum State : std::uint8_t { kept, removed, reviewed };
	std::unordered_map<std::string_view, std::uint32_t> numbers;
	std::vector<std::string_view> ids;
	std::vector<PictureSketch> sketches;
	std::vector<State> states;
	std::vector<RowLink> links;
	const auto number = [&](const std::string &id, const PictureSketch &sketch) {
		const auto [found, is_new] = numbers.try_emplace(id, static_cast<std::uint32_t>(ids.size()));
		if (is_new) {
			ids.push_back(id);
			sketches.push_back(sketch);
			states.push_back(kept);
		}
		return found->second;
	};
	for (const Pair &pair : pairs) {
		const std::uint32_t row = number(pair.id, pair.sketch), other = number(pair.kept, pair.kept_sketch);
		if (states[row] != removed && pair.outcome != Outcome::keep)
			states[row] = pair.outcome == Outcome::remove ? removed : reviewed;
		links.push_back({row, other});
	}
	const std::vector<RemovalCluster> clusters = removal_clusters(sketches, links, stop);
	std::vector<int> cluster_of(ids.size(), -1);
	for (std::size_t i = 0; i < clusters.size(); ++i)
		for (const std::uint32_t row : clusters[i].rows)
			cluster_of[row] = static_cast<int>(i);
	for (std::size_t i = 0; i < pairs.size(); ++i)
		pairs[i].cluster = cluster_of[links[i].a];
	PageJson json(options.characters);
	json.list(clusters, [&](const RemovalCluster &cluster) {
		const std::span<const std::uint32_t> shown(cluster.rows.data(), cluster.shown);
		json.raw("[").list(shown, [&](std::uint32_t row) { json.string(ids[row]); }).raw(",");
		json.list(shown, [&](std::uint32_t row) { json.number(states[row]); }).raw(",");
		json.list(cluster.edges, [&](const ClusterEdge &edge) {
			json.number(edge.a).raw(",").number(edge.b).raw(",").number(std::round(edge.similarity * 100));
		});
		json.raw(",").number(static_cast<double>(cluster.rows.size())).raw("]");
	});
	return json.extract();
}

std::string ReviewPage::Contents::pairs_json(const std::vector<Pair> &pairs, Numbered &reasons) const
{
	PageJson json(options.characters);
	json.list(pairs, [&](const Pair &pair) {
		const int reason = pair.reason.empty() ? -1 : reasons.number(pair.reason),
				  verdict = pair.verdict ? static_cast<int>(*pair.verdict) : -1;
		json.raw("[").string(pair.id).raw(",").string(pair.kept);
		for (const int value : {static_cast<int>(pair.outcome), reason, pair.stratum, verdict, pair.cluster})
			json.raw(",").number(value);
		json.raw(",").raw(pair.facts).raw(",").raw(pair.more).raw("]\n");
	});
	return json.extract();
}

std::string ReviewPage::Contents::page_json(const std::vector<Pair> &pairs, const Numbered &reasons) const
{
	std::array<std::uint64_t, outcomes> shown{};
	std::uint64_t hash = 0;
	for (const Pair &pair : pairs) {
		++shown[static_cast<std::size_t>(pair.outcome)];
		hash = xxh3_64(pair.text.data(), pair.text.size(), hash ^ pair.key);
	}
	PageJson json(options.characters);
	json.raw("{").key("version").number(1).key("title").string(options.title);
	json.key("key").string(std::to_string(hash));
	json.key("id_type").string(options.id_type.empty() ? type_of_ids(pairs) : options.id_type);
	json.key("planned").numbers(planned).key("shown").numbers(shown);
	json.key("pairs").number(static_cast<double>(pairs.size())).key("block").number(pair_block);
	json.key("outcomes").strings(outcome_names).key("verdicts").strings(verdict_names);
	json.key("measures").strings(measure_names).key("reasons").strings(reasons.names());
	json.key("strata").strings(strata).key("ranked_by").string(ranked_by).key("more").strings(options.more);
	json.key("signals_version").number(signals_version).key("signals").raw("[");
	for (std::size_t i = 0; i < signal_count; ++i)
		json.raw(i == 0 ? "" : ",").string(name(static_cast<Signal>(i)));
	json.raw("]").key("kinds").raw("[");
	for (std::size_t i = 0; i < difference_kinds; ++i)
		json.raw(i == 0 ? "" : ",").string(name(static_cast<DifferenceKind>(i)));
	json.raw("]").key("histograms").raw("[");
	bool first = true;
	for (std::size_t i = 0; i < measures; ++i)
		if (histograms[i].all > 0) {
			json.raw(first ? "[" : ",[").string(measure_names[i]).raw(",");
			json.list(histograms[i].counts, [&](const auto &bins) { json.numbers(bins); }).raw("]");
			first = false;
		}
	return json.raw("]}").extract();
}

void ReviewPage::Contents::write_data(const Sink &sink, StopToken stop)
{
	std::vector<Pair> pairs = choose();
	Numbered reasons;
	const auto element = [&](const std::string &id, std::string_view json) {
		sink("<script type=\"application/json\" id=\"" + id + "\">");
		sink(json);
		sink("</script>\n");
	};
	const std::string clusters = clusters_json(pairs, stop), rows = pairs_json(pairs, reasons);
	element("page", page_json(pairs, reasons));
	element("clusters", clusters);
	element("pairs", rows);
	for (std::size_t begin = 0; begin < pairs.size(); begin += pair_block) {
		stop.check();
		std::string block = "[";
		for (std::size_t i = begin; i < std::min(begin + pair_block, pairs.size()); ++i)
			block.append(i == begin ? "" : ",\n").append(std::exchange(pairs[i].text, {}));
		element("block-" + std::to_string(begin / pair_block), block += ']');
	}
}

ReviewPage::ReviewPage(ReviewOptions options) : contents_(std::make_unique<Contents>(std::move(options)))
{
	if (contents_->options.title.size() > name_bytes)
		throw Error(ErrorKind::too_large, "the title is longer than 1 MB");
}
ReviewPage::~ReviewPage() = default;

std::uint64_t ReviewPage::added() const noexcept
{
	std::uint64_t all = 0;
	for (const std::uint64_t count : contents_->planned)
		all += count;
	return all;
}

void ReviewPage::add(const PlannedRemoval &removal, StopToken stop)
{
	if (std::max(removal.id.size(), removal.kept.size()) > name_bytes)
		throw Error(ErrorKind::too_large, "an id is longer than 1 MB");
	if (added() == most_removals)
		throw Error(ErrorKind::too_large, "there are more than 100,000,000 removals; ask for a sample of them");
	const bool to_remove = removal.outcome == Outcome::remove;
	std::optional<StratumName> given;
	if (to_remove && !removal.stratum.empty()) {
		given = parse_stratum(removal.stratum);
		if (!given)
			throw Error(ErrorKind::invalid_parameter, "the strata are not those of a single sample");
		contents_->check_stratum(*given);
	}
	contents_->count(removal);
	const std::uint64_t key = xxh3_64(removal.kept.data(), removal.kept.size(),
		xxh3_64(removal.id.data(), removal.id.size(), contents_->options.seed));
	LeastKeys<Pair> &sample = to_remove ? contents_->removals : contents_->others;
	if (!sample.wants(key))
		return;
	Pair pair = contents_->pair_of(removal, key, stop);
	pair.given = given;
	sample.add(std::move(pair));
}

void ReviewPage::write(const PageFiles &files, const Sink &sink, StopToken stop)
{
	const std::string policy = "default-src 'none'; script-src '" + content_hash(files.js) + "'; style-src '" +
		content_hash(files.css) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types "
		"'none'";
	std::string_view rest = files.html;
	for (std::size_t begin; (begin = rest.find('@')) != rest.npos;) {
		const std::size_t end = rest.find('@', begin + 1);
		const std::string_view mark = rest.substr(begin + 1, end - begin - 1);
		sink(rest.substr(0, begin));
		if (mark == "title") {
			std::string title;
			append_html(title, contents_->options.title, contents_->options.characters);
			sink(title);
		} else if (mark == "policy") {
			sink(policy);
		} else if (mark == "style") {
			sink(files.css);
		} else if (mark == "script") {
			sink(files.js);
		} else if (mark == "data") {
			contents_->write_data(sink, stop);
		} else {
			throw Error(ErrorKind::internal, "the page has a mark that is not known");
		}
		rest.remove_prefix(end + 1);
	}
	sink(rest);
}

} // namespace txtfp::core

// How good learned rules are on labelled pairs of texts: see labelled_pairs.sh.
//     labelled_pairs [--draws N] [--labels N] [--seen] [--importance] [--no-corpus] FILE…
// A file has the columns id_a, id_b, text_a, text_b, label (1 or 0), split (train, valid, test), and optionally a group and the
// numbers of neighbours, as COPY writes them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/compare/corpus_words.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/decide/label_folds.hpp"

using namespace txtfp::core;

namespace {

struct Options {
	int draws = 10, labels = 400;
	bool seen = false;       // measures on the training part alone, by five folds: for whoever changes the signals
	bool importance = false; // of each signal: what F1 loses if its values are exchanged among the test pairs
	bool corpus = true;
	std::string divide;     // kept, cluster, random: precision at recall 0.7 of the other half
	bool intervals = false; // of a division
	std::set<std::string> without; // signals that are 0
};

std::string unescaped(std::string_view field)
{
	std::string text;
	for (std::size_t i = 0; i < field.size(); ++i) {
		if (field[i] != '\\' || i + 1 == field.size()) {
			text += field[i];
			continue;
		}
		const char c = field[++i];
		text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
	}
	return text;
}

struct Set {
	std::vector<Label> labels;
	std::vector<std::string> kept; // the row that stays
	std::vector<bool> is_test;
};

// Rows that pairs connect.
class Components {
public:
	std::uint64_t unite(const std::string &a, const std::string &b)
	{
		const std::uint64_t x = find(number(a)), y = find(number(b));
		parents_[x] = y;
		return y;
	}
	std::uint64_t find(std::uint64_t row) const
	{
		while (row < parents_.size() && parents_[row] != row)
			row = parents_[row];
		return row;
	}

private:
	std::uint64_t number(const std::string &row)
	{
		const auto [at, is_new] = numbers_.try_emplace(row, parents_.size());
		if (is_new)
			parents_.push_back(at->second);
		return at->second;
	}
	std::unordered_map<std::string, std::uint64_t> numbers_;
	std::vector<std::uint64_t> parents_;
};

Set read_set(const std::string &path, const Options &options)
{
	std::ifstream file(path);
	if (!file)
		throw std::runtime_error("cannot read " + path);
	Set set;
	std::vector<std::array<std::string, 2>> texts;
	std::vector<std::array<double, 2>> neighbours;
	Components rows;
	CorpusWords corpus;
	std::unordered_set<std::string> seen;
	for (std::string line; std::getline(file, line);) {
		std::vector<std::string_view> fields;
		for (std::size_t at = 0; at <= line.size();) {
			const std::size_t end = std::min(line.find('\t', at), line.size());
			fields.push_back(std::string_view(line).substr(at, end - at));
			at = end + 1;
		}
		if (fields.size() < 6)
			throw std::runtime_error(path + ": a line has fewer than six fields");
		if (fields[0] == "corpus") { // a text of no pair
			corpus.add(unescaped(fields[2]));
			continue;
		}
		texts.push_back({unescaped(fields[2]), unescaped(fields[3])});
		set.is_test.push_back(fields[5] == "test");
		set.kept.emplace_back(fields[1]);
		const std::uint64_t group = fields.size() > 6 ? std::strtoull(fields[6].data(), nullptr, 10)
													  : rows.unite("a" + std::string(fields[0]), "b" + std::string(fields[1]));
		set.labels.push_back({fields[4] == "1", {}, group});
		const auto number = [&](std::size_t i) { return fields.size() > i ? std::atof(fields[i].data()) : -1.0; };
		neighbours.push_back({number(7), number(8)});
	}
	for (const auto &pair : texts)
		for (const std::string &text : pair)
			if (corpus.documents() == 0 || !seen.empty())
				if (seen.insert(text).second)
					corpus.add(text);
	for (std::size_t i = 0; i < texts.size(); ++i) {
		Signals &signals = set.labels[i].signals;
		signals = difference_signals(texts[i][0], texts[i][1], {}, options.corpus ? &corpus : nullptr);
		set.labels[i].group = rows.find(set.labels[i].group);
		signals[static_cast<std::size_t>(Signal::neighbours)] = neighbours[i][0];
		signals[static_cast<std::size_t>(Signal::kept_neighbours)] = neighbours[i][1];
		for (std::size_t s = 0; s < signal_count; ++s)
			if (options.without.contains(std::string(name(static_cast<Signal>(s)))))
				signals[s] = 0;
	}
	return set;
}

using Scores = std::vector<std::pair<double, bool>>;

double f1_at(const Scores &scores, double cut)
{
	double right = 0, wrong = 0, missed = 0;
	for (const auto &[score, label] : scores)
		if (score >= cut)
			(label ? right : wrong) += 1;
		else
			missed += label;
	return right > 0 ? 2 * right / (2 * right + wrong + missed) : 0;
}

// The cut-off with the highest F1, in the middle between two scores.
double best_cut(Scores scores)
{
	std::sort(scores.rbegin(), scores.rend());
	double all = 0, right = 0, best = -1, cut = 0.5;
	for (const auto &[score, label] : scores)
		all += label;
	for (std::size_t i = 0; i < scores.size(); ++i) {
		right += scores[i].second;
		const bool last = i + 1 == scores.size();
		if (!last && scores[i + 1].first == scores[i].first)
			continue;
		if (const double f1 = 2 * right / (static_cast<double>(i + 1) + all); f1 > best) {
			best = f1;
			cut = last ? scores[i].first : (scores[i].first + scores[i + 1].first) / 2;
		}
	}
	return cut;
}

Labels shuffled(Labels labels, std::uint64_t seed)
{
	SplitMix64 random(seed);
	for (std::size_t n = labels.size(); n > 1; --n)
		std::swap(labels[n - 1], labels[random.below(n)]);
	return labels;
}

// Whole groups, as rules choose their cut-offs, unless one of them has too many of the labels.
std::vector<unsigned> folds_of(const Labels &labels, std::uint64_t seed)
{
	std::unordered_map<std::uint64_t, std::size_t> sizes;
	std::size_t largest = 0;
	for (const Label *label : labels)
		largest = std::max(largest, ++sizes[label->group]);
	if (largest <= labels.size() / 3)
		return folds_of_groups(labels, folds, seed);
	std::vector<unsigned> fold_of;
	for (std::size_t i = 0; i < labels.size(); ++i)
		fold_of.push_back(static_cast<unsigned>(i % folds));
	return fold_of;
}

// Scores by rules that were learned from the other folds.
Scores five_folds(Labels labels, std::uint64_t seed)
{
	labels = shuffled(std::move(labels), seed);
	std::stable_partition(labels.begin(), labels.end(), [](const Label *label) { return label->right; });
	const std::vector<unsigned> fold_of = folds_of(labels, seed);
	Scores scores;
	for (unsigned fold = 0; fold < folds; ++fold) {
		Labels others, of_fold;
		for (std::size_t i = 0; i < labels.size(); ++i)
			(fold_of[i] == fold ? of_fold : others).push_back(labels[i]);
		if (of_fold.empty())
			continue;
		const Rule rule = learn(others);
		for (const Label *label : of_fold)
			scores.emplace_back(rule.score(label->signals), label->right);
	}
	return scores;
}

Scores scores_of(const Rule &rule, const Labels &labels)
{
	Scores scores;
	for (const Label *label : labels)
		scores.emplace_back(rule.score(label->signals), label->right);
	return scores;
}

double f1_of(const Labels &train, const Labels &test, std::uint64_t seed)
{
	return f1_at(scores_of(learn(train), test), best_cut(five_folds(train, seed)));
}

double mean_of_draws(const Labels &train, const Labels &test, std::size_t labels, int draws)
{
	double sum = 0;
	for (int draw = 0; draw < draws; ++draw) {
		Labels some = shuffled(train, 100 + static_cast<std::uint64_t>(draw));
		some.resize(labels);
		sum += f1_of(some, test, static_cast<std::uint64_t>(draw));
	}
	return sum / draws;
}

double log_loss(const Scores &scores)
{
	double sum = 0;
	for (const auto &[score, label] : scores)
		sum -= std::log(std::max(1e-9, label ? score : 1 - score));
	return sum / static_cast<double>(scores.size());
}

void print_importance(const Labels &train, const Labels &test)
{
	const Rule rule = learn(train);
	const double base = log_loss(scores_of(rule, test));
	for (std::size_t s = 0; s < signal_count; ++s) {
		double sum = 0;
		for (std::uint64_t draw = 0; draw < 3; ++draw) {
			const Labels mixed = shuffled(test, draw);
			std::vector<Label> changed;
			for (std::size_t i = 0; i < test.size(); ++i) {
				changed.push_back(*test[i]);
				changed.back().signals[s] = mixed[i]->signals[s];
			}
			Labels all;
			for (const Label &label : changed)
				all.push_back(&label);
			sum += log_loss(scores_of(rule, all)) - base;
		}
		std::printf("\t%s\t%.5f\n", std::string(name(static_cast<Signal>(s))).c_str(), sum / 3);
	}
}

// Half of the kept rows or clusters, for learning; the other half measures.
std::pair<Labels, Labels> divided(const Set &set, std::string_view by, std::uint64_t seed)
{
	std::pair<Labels, Labels> parts;
	for (std::size_t i = 0; i < set.labels.size(); ++i) {
		const std::uint64_t unit = by == "kept" ? std::hash<std::string>()(set.kept[i]) : by == "cluster" ? set.labels[i].group : i;
		(SplitMix64(unit * 1000 + seed)() % 2 == 0 ? parts.first : parts.second).push_back(&set.labels[i]);
	}
	return parts;
}

// At the least score at which so many of the right ones are removed.
double precision_at(Scores scores, double recall)
{
	std::sort(scores.rbegin(), scores.rend());
	double all = 0, right = 0;
	for (const auto &[score, label] : scores)
		all += label;
	for (std::size_t i = 0; i < scores.size(); ++i) {
		right += scores[i].second;
		if (right >= recall * all && (i + 1 == scores.size() || scores[i + 1].first < scores[i].first))
			return right / static_cast<double>(i + 1);
	}
	return 0;
}

void measure_divisions(const std::string &name, const Set &set, const Options &options)
{
	double sum = 0, squares = 0;
	int done = 0;
	for (std::uint64_t draw = 0; done < options.draws; ++draw) {
		auto [train, test] = divided(set, options.divide, draw);
		if (options.labels > 0) {
			Labels all = train;
			all.insert(all.end(), test.begin(), test.end());
			all = shuffled(all, draw);
			train.assign(all.begin(), all.begin() + options.labels);
			test.assign(all.begin() + options.labels, all.end());
		}
		const auto right = static_cast<std::size_t>(std::count_if(train.begin(), train.end(), [](const Label *l) { return l->right; }));
		if (std::min(right, train.size() - right) < least_labels)
			continue;
		const double precision = precision_at(scores_of(learn(train), test), 0.7);
		sum += precision;
		squares += precision * precision;
		++done;
	}
	const double mean = sum / done;
	std::printf("%-10s divided by %-8s %4d labels (0: half): precision at recall 0.7: %.4f, deviation %.3f\n", name.c_str(),
		options.divide.c_str(), options.labels, mean, std::sqrt(std::max(0.0, squares / done - mean * mean)));
	std::fflush(stdout);
}

// How often the realized precision lies within the interval that the rule states for new texts.
void measure_intervals(const std::string &name, const Set &set, const Options &options)
{
	std::map<double, std::array<double, 4>> found; // by wish: cut-offs, within, precision, recall
	for (int draw = 0; draw < options.draws; ++draw) {
		const auto [train, test] = divided(set, options.divide, static_cast<std::uint64_t>(draw));
		std::vector<Label> labels;
		for (const Label *label : train)
			labels.push_back(*label);
		const LearnedRule learned = learn_and_validate(labels, static_cast<std::uint64_t>(draw), true);
		const Scores scores = scores_of(learned.rule, test);
		for (const CutOff &cut : learned.cut_offs) {
			double right = 0, removed = 0, all = 0;
			for (const auto &[score, label] : scores) {
				all += label;
				removed += score >= cut.remove_from;
				right += label && score >= cut.remove_from;
			}
			const Interval interval = cut.fresh.precision_interval();
			auto &sums = found[cut.precision];
			sums[0] += 1;
			sums[1] += removed > 0 && right / removed >= interval.low && right / removed <= interval.high;
			sums[2] += removed > 0 ? right / removed : 1;
			sums[3] += right / all;
		}
	}
	for (const auto &[wish, sums] : found)
		std::printf("%-10s by %-8s wish %.2f: %3.0f cut-offs, realized %.3f at recall %.3f, within the interval %.0f %%\n", name.c_str(),
			options.divide.c_str(), wish, sums[0], sums[2] / sums[0], sums[3] / sums[0], 100 * sums[1] / sums[0]);
	std::fflush(stdout);
}

void measure(const std::string &path, const Options &options)
{
	const Set set = read_set(path, options);
	Labels train, test;
	for (std::size_t i = 0; i < set.labels.size(); ++i)
		(set.is_test[i] ? test : train).push_back(&set.labels[i]);
	std::string name = path.substr(path.rfind('/') + 1);
	name = name.substr(0, name.find('.'));
	if (options.intervals)
		measure_intervals(name, set, options);
	else if (!options.divide.empty())
		measure_divisions(name, set, options);
	else if (options.importance) {
		std::printf("%s\n", name.c_str());
		Labels known = shuffled(train.empty() ? test : train, 1);
		const Labels half(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2));
		print_importance(half, Labels(known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2), known.end()));
	} else if (options.seen || train.empty()) {
		double sum = 0, loss = 0;
		for (std::uint64_t draw = 0; draw < 3; ++draw) {
			Labels known = shuffled(train.empty() ? test : train, 100 + draw);
			if (known.size() > static_cast<std::size_t>(options.labels))
				known.resize(static_cast<std::size_t>(options.labels));
			const Scores scores = five_folds(known, 1);
			sum += f1_at(scores, best_cut(scores)) / 3;
			loss += log_loss(scores) / 3;
		}
		std::printf("%-28s five-fold of %d labels: F1 %.3f loss %.4f\n", name.c_str(), options.labels, sum, loss);
	} else {
		std::printf("%-28s all %zu labels: F1 %.3f", name.c_str(), train.size(), f1_of(train, test, 1));
		if (train.size() > static_cast<std::size_t>(options.labels) && options.draws > 0)
			std::printf("   %d labels, mean of %d draws: %.3f", options.labels, options.draws,
				mean_of_draws(train, test, static_cast<std::size_t>(options.labels), options.draws));
		std::printf("\n");
	}
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	Options options;
	std::vector<std::string> files;
	for (int i = 1; i < argc; ++i) {
		const std::string_view arg = argv[i];
		if (arg == "--draws" && i + 1 < argc)
			options.draws = std::atoi(argv[++i]);
		else if (arg == "--labels" && i + 1 < argc)
			options.labels = std::atoi(argv[++i]);
		else if (arg == "--without" && i + 1 < argc)
			options.without.insert(argv[++i]);
		else if (arg == "--divide" && i + 1 < argc)
			options.divide = argv[++i];
		else if (arg == "--intervals")
			options.intervals = true;
		else if (arg == "--seen")
			options.seen = true;
		else if (arg == "--importance")
			options.importance = true;
		else if (arg == "--no-corpus")
			options.corpus = false;
		else
			files.emplace_back(arg);
	}
	for (const std::string &file : files)
		measure(file, options);
}

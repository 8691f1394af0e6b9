#include "core/passages/frequent_passages.hpp"

#include <algorithm>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
constexpr const char *other_rows = "the query returned other rows when it ran again";

} // namespace

// A run is a polynomial of the hashes of its grams modulo 2^64. Equal runs have equal hashes; others would have to be
// chosen for it, and be longer than a thousand words.
Windows::Windows(std::string_view utf8, const WinnowOptions &options, StopToken stop) : window_(options.window())
{
	const auto sink = [&](Tokens grams) {
		for (const std::string_view gram : grams)
			grams_.push_back(xxh3_64(gram.data(), gram.size(), 0));
	};
	Pipeline<decltype(sink)>(options.canonical, gram_tokenizer(options), sink, stop).append(utf8, true);
	before_.reserve(grams_.size() + 1);
	powers_.reserve(grams_.size() + 1);
	before_.push_back(0);
	powers_.push_back(1);
	for (const std::uint64_t gram : grams_) {
		before_.push_back(before_.back() * factor + gram);
		powers_.push_back(powers_.back() * factor);
	}
}

std::uint64_t Windows::run(std::size_t first, std::size_t windows) const noexcept
{
	const std::size_t grams = windows + window_ - 1;
	return SplitMix64::at(before_[first + grams] - before_[first] * powers_[grams]);
}

std::vector<std::uint64_t> window_hashes(std::string_view utf8, const WinnowOptions &options, StopToken stop)
{
	const Windows windows(utf8, options, stop);
	std::vector<std::uint64_t> hashes(windows.count());
	for (std::size_t i = 0; i < hashes.size(); ++i)
		hashes[i] = windows.hash(i);
	std::sort(hashes.begin(), hashes.end());
	hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
	return hashes;
}

std::uint64_t document_hash(std::string_view utf8) noexcept { return xxh3_64(utf8.data(), utf8.size(), 0); }

std::uint32_t set_member(std::uint64_t document_hash) noexcept
{
	return static_cast<std::uint32_t>(SplitMix64::at(document_hash) >> 32);
}

FrequentPassages::FrequentPassages(
	const FrequentWindows &frequent, std::uint32_t documents, const WinnowOptions &options)
	: frequent_(frequent), least_(documents), options_(options),
	  owners_(frequent.owners.begin(), frequent.owners.end()), anchors_(frequent.hashes.size(), none),
	  is_read_(frequent.hashes.size())
{
	for (const std::uint64_t hash : frequent.hashes)
		seen_[(hash & 0xFFFF) >> 6] |= std::uint64_t{1} << (hash & 63);
	std::sort(owners_.begin(), owners_.end());
	owners_.erase(std::unique(owners_.begin(), owners_.end()), owners_.end());
	owners_.shrink_to_fit();
}

// Reads a document if it owns a window.
bool FrequentPassages::read_owner(std::string_view utf8, StopToken stop)
{
	hash_ = document_hash(utf8);
	if (!std::binary_search(owners_.begin(), owners_.end(), hash_))
		return false;
	read(utf8, stop);
	return true;
}

// Finds the runs of frequent windows of a document.
void FrequentPassages::read(std::string_view utf8, StopToken stop)
{
	windows_ = Windows(utf8, options_, stop);
	places_.clear();
	runs_.clear();
	const std::span<const std::uint64_t> hashes = frequent_.hashes;
	for (std::uint32_t i = 0; i < windows_.count(); ++i) {
		if ((i & 0xFFF) == 0)
			stop.check();
		const std::uint64_t hash = windows_.hash(i);
		places_.push_back(none);
		if ((seen_[(hash & 0xFFFF) >> 6] >> (hash & 63) & 1) == 0)
			continue;
		const auto found = std::lower_bound(hashes.begin(), hashes.end(), hash);
		if (found == hashes.end() || *found != hash)
			continue;
		places_.back() = static_cast<std::uint32_t>(found - hashes.begin());
		if (!runs_.empty() && runs_.back().end == i)
			++runs_.back().end;
		else
			runs_.push_back({i, i + 1});
	}
}

bool FrequentPassages::has_new(Run run) const { return anchor_of(run) < run.end; }

// The first new window of the run, or its end.
std::uint32_t FrequentPassages::anchor_of(Run run) const
{
	std::uint32_t i = run.first;
	while (i < run.end && !is_new(i))
		++i;
	return i;
}

void FrequentPassages::mark(Run run)
{
	for (std::uint32_t i = run.first; i < run.end; ++i)
		if (is_new(i))
			is_read_[places_[i]] = true;
}

// The stretches of windows that the same documents have.
std::vector<FrequentPassages::Run> FrequentPassages::parts_of(Run run) const
{
	std::vector<Run> parts;
	for (std::uint32_t i = run.first; i < run.end; ++i) {
		if (!parts.empty() && frequent_.sets[places_[i]] == frequent_.sets[places_[i - 1]])
			++parts.back().end;
		else
			parts.push_back({i, i + 1});
	}
	return parts;
}

std::vector<FrequentPassages::Run> FrequentPassages::new_parts_of(Run run) const
{
	std::vector<Run> parts = parts_of(run);
	parts.erase(std::remove_if(parts.begin(), parts.end(), [this](Run part) { return !has_new(part); }), parts.end());
	return parts;
}

FrequentPassages::Candidate &FrequentPassages::add_candidate(Run run)
{
	const std::uint32_t anchor = anchor_of(run), windows = run.end - run.first;
	if (candidates_.size() >= none)
		throw Error(ErrorKind::too_large, "too many frequent passages");
	if (anchors_[places_[anchor]] == none)
		anchors_[places_[anchor]] = static_cast<std::uint32_t>(candidates_.size());
	candidates_.push_back({windows_.run(run.first, windows), windows, anchor - run.first, 0, none, false});
	return candidates_.back();
}

// The run and, if it has several parts, those that have a new window. The first of these has the anchor of the run.
void FrequentPassages::add_candidates(Run run)
{
	Candidate &whole = add_candidate(run);
	if (parts_of(run).size() > 1) {
		whole.has_part = true;
		for (const Run part : new_parts_of(run))
			add_candidate(part);
	}
	mark(run);
}

void FrequentPassages::find(std::string_view utf8, StopToken stop)
{
	if (!read_owner(utf8, stop))
		return;
	for (const Run run : runs_)
		if (has_new(run))
			add_candidates(run);
}

void FrequentPassages::end_reading()
{
	if (std::find(is_read_.begin(), is_read_.end(), false) != is_read_.end())
		throw Error(ErrorKind::invalid_parameter, other_rows);
	is_read_.assign(is_read_.size(), false);
}

void FrequentPassages::check(Candidate &candidate, std::uint32_t at)
{
	if (candidate.last_document == document_ || at < candidate.before_anchor)
		return;
	const std::size_t first = at - candidate.before_anchor;
	if (first + candidate.windows > windows_.count() || windows_.run(first, candidate.windows) != candidate.hash)
		return;
	candidate.last_document = document_;
	++candidate.documents;
}

void FrequentPassages::count(std::string_view utf8, StopToken stop)
{
	read(utf8, stop);
	for (const Run run : runs_)
		for (std::uint32_t i = run.first; i < run.end; ++i) {
			const std::uint32_t number = anchors_[places_[i]];
			if (number == none)
				continue;
			check(candidates_[number], i);
			if (candidates_[number].has_part)
				check(candidates_[number + 1], i);
		}
	++document_;
}

const FrequentPassages::Candidate &FrequentPassages::candidate(std::size_t number, Run run) const
{
	if (number >= candidates_.size() || candidates_[number].hash != windows_.run(run.first, run.end - run.first))
		throw Error(ErrorKind::invalid_parameter, other_rows);
	return candidates_[number];
}

void FrequentPassages::put_passages(Run run)
{
	std::size_t number = anchors_[places_[anchor_of(run)]];
	const Candidate &whole = candidate(number, run);
	if (whole.documents >= least_)
		found_.push_back({run.first, run.end - run.first, whole.documents});
	else if (!whole.has_part)
		put_windows(run);
	else
		for (const Run part : new_parts_of(run)) { // all are chosen before any is marked, as in add_candidates
			const Candidate &candidate_part = candidate(++number, part);
			if (!has_new(part))
				continue; // the same windows have stood in another part
			if (candidate_part.documents >= least_)
				found_.push_back({part.first, part.end - part.first, candidate_part.documents});
			else
				put_windows(part);
			mark(part);
		}
	mark(run);
}

// The same documents have all windows of the part, but not in this order: they are returned one by one.
void FrequentPassages::put_windows(Run part)
{
	for (std::uint32_t i = part.first; i < part.end; ++i)
		if (is_new(i)) {
			found_.push_back({i, 1, frequent_.documents[places_[i]]});
			is_read_[places_[i]] = true;
		}
}

std::span<const FoundPassage> FrequentPassages::passages(std::string_view utf8, StopToken stop)
{
	found_.clear();
	if (read_owner(utf8, stop))
		for (const Run run : runs_)
			if (has_new(run))
				put_passages(run);
	return found_;
}

} // namespace txtfp::core

// The passages that many documents have in common: runs of words whose every window, a run of `guarantee` words,
// occurs in that many.
//
// Documents are read four times, in any order:
//   1. Whoever reads them counts the documents of each window (window_hashes), and chooses one of them as its owner, that with the least hash.
//   2. find(): the runs of frequent windows in which a document owns one. Such a run may as a whole occur in fewer documents than each of its
//      windows, and so may its parts, which are stretches of windows that the very same documents have.
//   3. count(): the documents that contain each run whole, and each part.
//   4. passages() returns the run, if enough documents have it, otherwise its parts that enough have, otherwise single windows.
// So each passage occurs in as many documents as it says, every frequent window is in a passage, and the passages
// depend on the texts alone, not on their order. Which document is the owner is left to a hash, because many have a run
// as others have it, and few have it longer or shorter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/passages/winnow.hpp"

namespace txtfp::core {

// The windows of a text, none if it has fewer words than the guarantee, and its runs of windows, by hashes. Any hash
// takes constant time.
class Windows {
public:
	Windows() = default;
	Windows(std::string_view utf8, const WinnowOptions &options, StopToken stop = {});

	std::size_t count() const noexcept { return grams_.size() < window_ ? 0 : grams_.size() - window_ + 1; }
	std::uint64_t hash(std::size_t i) const noexcept { return run(i, 1); }
	std::uint64_t run(std::size_t first, std::size_t windows) const noexcept;
	// The hashes of the grams of a run; there are window() − 1 more than windows.
	std::span<const std::uint64_t> grams(std::size_t first, std::size_t windows) const noexcept
	{
		return {grams_.data() + first, windows + window_ - 1};
	}

private:
	std::size_t window_ = 1; // in grams
	std::vector<std::uint64_t> grams_, before_, powers_;
};

// The hashes of the windows of a text, ascending and distinct.
std::vector<std::uint64_t> window_hashes(std::string_view utf8, const WinnowOptions &options, StopToken stop = {});

// The windows that enough documents have. The memory belongs to the caller.
struct FrequentWindows {
	std::span<const std::uint64_t> hashes;    // ascending
	std::span<const std::uint32_t> documents; // how many
	std::span<const std::uint32_t> sets;      // a hash that tells which ones: sums of set_member()
	std::span<const std::uint64_t> owners;    // the least document_hash()
};
std::uint64_t document_hash(std::string_view utf8) noexcept;
std::uint32_t set_member(std::uint64_t document_hash) noexcept;

struct FoundPassage {
	std::uint32_t first, windows; // of the document
	std::uint32_t documents;
};

class FrequentPassages {
public:
	FrequentPassages(const FrequentWindows &frequent, std::uint32_t documents, const WinnowOptions &options);

	void find(std::string_view utf8, StopToken stop = {});
	void count(std::string_view utf8, StopToken stop = {});
	std::span<const FoundPassage> passages(std::string_view utf8, StopToken stop = {});
	const Windows &windows() const noexcept { return windows_; } // of the last document that has passages

	// After the last document of find(), and of passages(). Throws Error(invalid_parameter) if they were not the documents of
	// the first reading, as far as that shows; passages() does so as well.
	void end_reading();

private:
	// A run or part whose documents are counted. It is looked for wherever its anchor is read, its first new window.
	struct Candidate {
		std::uint64_t hash;
		std::uint32_t windows, before_anchor, documents, last_document;
		bool has_part; // the next candidates are its parts; the first one has the same anchor
	};
	struct Run {
		std::uint32_t first, end;
	};

	bool read_owner(std::string_view utf8, StopToken stop);
	void read(std::string_view utf8, StopToken stop);
	void check(Candidate &candidate, std::uint32_t at);
	// A window of the document that owns it, before it is found or returned.
	bool is_new(std::uint32_t i) const { return frequent_.owners[places_[i]] == hash_ && !is_read_[places_[i]]; }
	bool has_new(Run run) const;
	std::uint32_t anchor_of(Run run) const;
	std::vector<Run> parts_of(Run run) const;
	std::vector<Run> new_parts_of(Run run) const;
	void add_candidates(Run run);
	Candidate &add_candidate(Run run);
	const Candidate &candidate(std::size_t number, Run run) const;
	void put_passages(Run run);
	void put_windows(Run part);
	void mark(Run run);

	static constexpr std::uint32_t none = 0xFFFFFFFF;

	FrequentWindows frequent_;
	std::uint32_t least_, document_ = 0;
	WinnowOptions options_;
	std::uint64_t seen_[1024] = {};      // a bitmap of 16 bits of each frequent hash
	std::vector<std::uint64_t> owners_;  // ascending, distinct
	std::vector<std::uint32_t> anchors_; // for each frequent window its candidate
	std::vector<bool> is_read_;          // for each frequent window, in find() and again in passages()
	std::vector<Candidate> candidates_;

	std::uint64_t hash_ = 0; // of the document
	Windows windows_;
	std::vector<std::uint32_t> places_; // for each window its place among the frequent ones
	std::vector<Run> runs_;
	std::vector<FoundPassage> found_;
};

} // namespace txtfp::core

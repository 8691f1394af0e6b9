// The collection of bench/passages.py: made-up documents of 100 to 1,500 words in lines; each eighth has a run of 50 words or more of an earlier
// one of the others, between two words that nothing else has. A document is a function of its number.
//   passages BYTES jsonl, passages BYTES tsv   writes documents of so many bytes
//   passages BYTES check                       reads cuts (id, start, length, kept, kept_start or 0; ascending) and says what they have of the runs
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/splitmix.hpp"

namespace {

struct Random : txtfp::core::SplitMix64 {
	using SplitMix64::SplitMix64;
	std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((*this)() >> 32) * n >> 32); }
};

// 20,000 words; the one of rank r is drawn with a weight of 1 / (r + 15).
class Words {
public:
	Words()
	{
		Random random(7);
		for (int i = 0; i < 20000; ++i) {
			std::string word;
			for (std::uint32_t n = 1 + random.below(4); n > 0; --n) {
				word += "bcdfghklmnprstvwz"[random.below(17)];
				word += "aeiou"[random.below(5)];
			}
			words_.push_back(word);
		}
		double sum = 0;
		for (int i = 0; i < 20000; ++i)
			sum += 1.0 / (i + 15);
		for (int i = 0; i < 20000; ++i)
			drawn_.insert(drawn_.end(), static_cast<std::size_t>(65536 * 8 / sum / (i + 15)) + 1, static_cast<std::uint16_t>(i));
	}
	const std::string &draw(Random &random) const { return words_[drawn_[random.below(static_cast<std::uint32_t>(drawn_.size()))]]; }

private:
	std::vector<std::string> words_;
	std::vector<std::uint16_t> drawn_;
};

struct Run { // in a document, and in that which it was taken from; bytes, which are characters
	std::uint64_t source = 0;
	std::size_t start = 0, length = 0, source_start = 0;
};

class Documents {
public:
	const std::string &text(std::uint64_t number) // valid until the next call
	{
		own_ = plain(number, ends_);
		run = {};
		if (number % 8 != 0)
			return own_;
		Random random(~number);
		run.source = 8 * random.below(static_cast<std::uint32_t>(number / 8)) + 1 + random.below(7);
		const std::string source = plain(run.source, source_ends_);
		const auto words = static_cast<std::uint32_t>(source_ends_.size());
		const std::uint32_t least = 50, count = least + random.below(words - least + 1), first = random.below(words - count + 1);
		run.source_start = first == 0 ? 0 : source_ends_[first - 1] + 1;
		run.length = source_ends_[first + count - 1] - run.source_start;
		const std::size_t at = ends_[random.below(static_cast<std::uint32_t>(ends_.size()))];
		const std::string mark = std::to_string(number);
		run.start = at + mark.size() + 3;
		own_.insert(at, " x" + mark + "\n" + source.substr(run.source_start, run.length) + "\ny" + mark);
		return own_;
	}

	Run run; // of the last text; length 0: none

private:
	const std::string &plain(std::uint64_t number, std::vector<std::size_t> &ends)
	{
		Random random(number);
		plain_.clear();
		ends.clear();
		for (std::uint32_t left = 100 + random.below(1400); left > 0; --left) {
			plain_ += words_.draw(random);
			ends.push_back(plain_.size());
			plain_ += random.below(60) == 0 ? '\n' : ' ';
		}
		return plain_;
	}

	Words words_;
	std::string plain_, own_;
	std::vector<std::size_t> ends_, source_ends_; // of words
};

struct Cut {
	std::uint64_t id = 0, start = 0, length = 0, kept = 0, kept_start = 0;
	bool read() { return std::scanf("%lu %lu %lu %lu %lu", &id, &start, &length, &kept, &kept_start) == 5; }
};

std::string_view trimmed(std::string_view text) { return text.substr(0, text.find_last_not_of(" \n") + 1); }

void check(std::uint64_t bytes)
{
	Documents documents, others;
	std::uint64_t runs = 0, whole = 0, in_runs = 0, of_runs = 0, elsewhere = 0, other_text = 0, touched = 0, total = 0;
	std::vector<bool> is_touched; // documents without a run
	Cut cut;
	bool more = cut.read();
	for (std::uint64_t number = 1, done = 0; done < bytes; ++number) {
		const std::string &text = documents.text(number);
		const Run run = documents.run;
		done += text.size();
		std::size_t covered = 0, cuts_of_this = 0;
		for (; more && cut.id == number; more = cut.read()) {
			const std::size_t first = cut.start - 1, end = std::min<std::size_t>(first + cut.length, text.size());
			const std::size_t from = std::max(first, run.start), to = std::min(end, run.start + run.length);
			const std::size_t inside = from < to ? to - from : 0;
			covered += inside;
			elsewhere += trimmed(std::string_view(text).substr(first, end - first)).size() > inside ? end - first - inside : 0;
			++cuts_of_this;
			++total;
			if (cut.kept != 0) {
				const std::string_view there = others.text(cut.kept), here = trimmed(std::string_view(text).substr(first, end - first));
				other_text += there.substr(std::min<std::size_t>(cut.kept_start - 1, there.size()), here.size()) != here;
			}
		}
		touched += run.length == 0 && cuts_of_this > 0;
		runs += run.length > 0;
		whole += run.length > 0 && covered >= run.length;
		in_runs += covered;
		of_runs += run.length;
	}
	std::printf("cuts\t%lu\nruns\t%lu\nruns cut whole\t%lu\ncharacters of runs\t%lu\nof them cut\t%lu\nother characters cut\t%lu\ndocuments without a run that were cut\t%lu\ncuts whose kept text is another\t%lu\n",
		total, runs, whole, of_runs, in_runs, elsewhere, touched, other_text);
	if (more)
		std::printf("the cuts are not in order, or of other documents\n");
}

void write(std::uint64_t bytes, bool json)
{
	Documents documents;
	std::string out;
	for (std::uint64_t number = 1, done = 0; done < bytes; ++number) {
		const std::string &text = documents.text(number);
		done += text.size();
		out += json ? "{\"id\":" + std::to_string(number) + ",\"text\":\"" : std::to_string(number) + "\t";
		for (std::size_t at = 0; at < text.size();) {
			const std::size_t end = std::min(text.find('\n', at), text.size());
			out.append(text, at, end - at);
			if (end < text.size())
				out += "\\n";
			at = end + 1;
		}
		out += json ? "\"}\n" : "\n";
		if (out.size() > 1 << 20 || done >= bytes) {
			if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size())
				std::exit(1);
			out.clear();
		}
	}
}

} // namespace

int main(int argc, char **argv)
{
	const std::string_view what = argc == 3 ? argv[2] : "";
	if (what != "jsonl" && what != "tsv" && what != "check") {
		std::fprintf(stderr, "usage: passages BYTES jsonl|tsv|check\n");
		return 2;
	}
	const std::uint64_t bytes = std::strtoull(argv[1], nullptr, 10);
	if (what == "check")
		check(bytes);
	else
		write(bytes, what == "jsonl");
	return 0;
}

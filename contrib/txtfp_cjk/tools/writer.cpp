#include "writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/text/utf8.hpp"

namespace txtfp::cjk {

std::map<char32_t, std::uint16_t> character_codes(const std::vector<Word> &words)
{
	std::map<char32_t, std::uint64_t> count;
	for (const Word &word : words)
		for (const char32_t c : word.text)
			++count[c];
	if (count.size() > 0xFFFF)
		throw std::runtime_error("more than 65,535 characters");
	std::vector<std::pair<std::uint64_t, char32_t>> order;
	for (const auto &[c, n] : count)
		order.push_back({n, c});
	std::sort(order.begin(), order.end(),
		[](const auto &a, const auto &b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
	std::map<char32_t, std::uint16_t> codes;
	for (const auto &[n, c] : order)
		codes.emplace(c, static_cast<std::uint16_t>(codes.size() + 1));
	return codes;
}

namespace {

// Free places form a linked list, so that the search for a base skips the places in use.
class TrieMaker {
public:
	TrieMaker(std::vector<std::pair<std::u32string, std::uint32_t>> words, std::uint32_t codes)
		: words_(std::move(words)), codes_(codes)
	{
		grow(1024);
		occupy(Trie::root, Trie::root);
	}

	std::vector<TrieNode> make()
	{
		struct Task {
			std::size_t first, last; // words
			std::size_t depth;
			std::uint32_t node;
		};
		std::vector<Task> tasks{{0, words_.size(), 0, Trie::root}}, next;
		while (
			!tasks
				 .empty()) { // level by level, so that the nodes near the root, which are used most, are close together
			next.clear();
			for (const Task &task : tasks) {
				std::size_t first = task.first;
				if (first < task.last && words_[first].first.size() == task.depth)
					nodes_[task.node].value = words_[first++].second;
				if (first == task.last)
					continue;
				children_.clear();
				for (std::size_t i = first; i < task.last; ++i)
					if (const auto c = static_cast<std::uint32_t>(words_[i].first[task.depth]);
						children_.empty() || children_.back() != c)
						children_.push_back(c);
				const std::uint32_t base = find_base();
				nodes_[task.node].base = base;
				for (const std::uint32_t c : children_)
					occupy(base + c, task.node);
				for (std::size_t i = first; i < task.last;) {
					const char32_t c = words_[i].first[task.depth];
					const std::size_t begin = i;
					while (i < task.last && words_[i].first[task.depth] == c)
						++i;
					next.push_back({begin, i, task.depth + 1, base + static_cast<std::uint32_t>(c)});
				}
			}
			tasks.swap(next);
		}
		nodes_.resize(used_end_);
		grow(codes_ + 1); // every base + code is an index
		return std::move(nodes_);
	}

private:
	// base ≥ 1, so that base + code is never the root
	std::uint32_t find_base()
	{
		const std::uint32_t lowest = children_.front();
		std::uint32_t &hint = hints_[std::min(children_.size(), hints_.size() - 1)];
		while (hint < nodes_.size() && (hint == end_ || nodes_[hint].check != TrieNode::free))
			++hint;
		for (std::uint32_t place = hint < nodes_.size() ? hint : end_;; place = next_free_[place]) {
			if (place == end_) {
				place = static_cast<std::uint32_t>(nodes_.size());
				grow(codes_ + 1);
			}
			if (place <= lowest)
				continue;
			const std::uint32_t base = place - lowest;
			if (base + children_.back() >= nodes_.size())
				grow(codes_ + 1);
			if (fits(base)) {
				hint = place;
				return base;
			}
		}
	}

	bool fits(std::uint32_t base) const
	{
		for (const std::uint32_t c : children_)
			if (nodes_[base + c].check != TrieNode::free)
				return false;
		return true;
	}

	// Place 0 is the root and the head of the list of free places.
	void grow(std::size_t by)
	{
		const std::size_t old = nodes_.size();
		nodes_.resize(old + by, {0, TrieNode::free, 0});
		next_free_.resize(old + by);
		previous_free_.resize(old + by);
		for (std::size_t i = std::max<std::size_t>(old, 1); i < nodes_.size(); ++i) {
			const std::uint32_t before = previous_free_[0];
			next_free_[before] = static_cast<std::uint32_t>(i);
			previous_free_[i] = before;
			next_free_[i] = end_;
			previous_free_[0] = static_cast<std::uint32_t>(i);
		}
	}

	void occupy(std::uint32_t place, std::uint32_t parent)
	{
		nodes_[place].check = parent;
		used_end_ = std::max<std::size_t>(used_end_, place + 1);
		if (place == Trie::root)
			return;
		const std::uint32_t before = previous_free_[place], after = next_free_[place];
		next_free_[before] = after;
		previous_free_[after] = before;
	}

	static constexpr std::uint32_t end_ = 0;

	std::vector<std::pair<std::u32string, std::uint32_t>> words_; // as codes, sorted
	std::uint32_t codes_;
	std::vector<TrieNode> nodes_;
	std::vector<std::uint32_t> next_free_, previous_free_, children_;
	std::size_t used_end_ = 0;
	// The last base found for each number of children: all places before it are in use or have too little room.
	std::array<std::uint32_t, 64> hints_{};
};

} // namespace

std::vector<TrieNode> make_trie(std::vector<Word> words, const std::map<char32_t, std::uint16_t> &codes)
{
	std::vector<std::pair<std::u32string, std::uint32_t>> coded;
	for (Word &word : words) {
		for (char32_t &c : word.text)
			c = codes.at(c);
		coded.emplace_back(std::move(word.text), word.value);
	}
	std::sort(coded.begin(), coded.end());
	for (std::size_t i = 1; i < coded.size(); ++i)
		if (coded[i].first == coded[i - 1].first)
			throw std::runtime_error("a word occurs twice");
	return TrieMaker(std::move(coded), static_cast<std::uint32_t>(codes.size())).make();
}

std::u32string from_utf8(std::string_view text)
{
	std::u32string out;
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		out.push_back(c.code_point);
		p += c.length;
	}
	return out;
}

void DictionaryWriter::add(const char *data, std::size_t size)
{
	if (sections_ == DictionaryHeader::max_sections)
		throw std::logic_error("too many sections");
	body_.resize((sizeof(DictionaryHeader) + body_.size() + 63) / 64 * 64 - sizeof(DictionaryHeader));
	header_.sections[sections_++] = {sizeof(DictionaryHeader) + body_.size(), size};
	body_.append(data, size);
}

std::string DictionaryWriter::bytes()
{
	std::memcpy(header_.magic, DictionaryHeader::expected_magic, sizeof header_.magic);
	header_.format = DictionaryHeader::expected_format;
	header_.file_size = sizeof header_ + body_.size();
	const auto whole = [this] { return std::string(reinterpret_cast<const char *>(&header_), sizeof header_) + body_; };
	const std::string unsigned_file = whole();
	header_.checksum = dictionary_checksum(unsigned_file.data(), unsigned_file.size());
	return whole();
}

void DictionaryWriter::write(const std::string &path)
{
	const std::string temporary = path + ".new", content = bytes();
	std::ofstream out(temporary, std::ios::binary);
	out.write(content.data(), static_cast<std::streamsize>(content.size()));
	out.close();
	if (!out || std::rename(temporary.c_str(), path.c_str()) != 0)
		throw std::runtime_error("cannot write " + path);
}

std::string read_file(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);
	std::string content{std::istreambuf_iterator<char>(in), {}};
	if (!in)
		throw std::runtime_error("cannot read " + path);
	return content;
}

} // namespace txtfp::cjk

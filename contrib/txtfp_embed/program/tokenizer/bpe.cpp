// Byte-pair encoding: begins with the characters and repeatedly merges the pair that is first in the list of merges,
// from left to right.
#include <queue>

#include "program/tokenizer/model.hpp"

namespace txtfp::embed {

namespace {

class Bpe final : public Model {
public:
	Bpe(json::Element settings, const std::string &where)
		: vocabulary_(vocabulary_of(json::member(settings, "vocab", where), where + ".vocab")),
		  prefix_(optional_text(settings, "continuing_subword_prefix", where)),
		  suffix_(optional_text(settings, "end_of_word_suffix", where)),
		  fuse_unknown_(json::boolean_member(settings, "fuse_unk", false, where)),
		  byte_fallback_(json::boolean_member(settings, "byte_fallback", false, where)),
		  ignore_merges_(json::boolean_member(settings, "ignore_merges", false, where))
	{
		if (const auto dropout = json::find(settings, "dropout"); dropout && json::number(*dropout, where) != 0)
			config_failure(where + ".dropout: must be 0");
		if (const auto unknown = json::find(settings, "unk_token")) {
			unknown_ = find(json::text(*unknown, where + ".unk_token"));
			if (!unknown_)
				config_failure(where + ".unk_token: is not in the vocabulary");
		}
		read_merges(json::array(json::member(settings, "merges", where), where + ".merges"), where + ".merges");
	}

	void tokenize(std::string_view text, std::vector<TokenId> &out) const override
	{
		if (ignore_merges_) {
			if (const auto token = find(text)) {
				out.push_back(*token);
				return;
			}
		}
		std::vector<Symbol> symbols = symbols_of(text);
		merge(symbols);
		for (const Symbol &symbol : symbols)
			if (!symbol.gone)
				out.push_back(symbol.token);
	}

	std::optional<TokenId> find(std::string_view token) const override
	{
		const auto found = vocabulary_.find(token);
		return found == vocabulary_.end() ? std::nullopt : std::optional(found->second);
	}

	std::size_t vocabulary_size() const override { return vocabulary_.size(); }
	std::optional<TokenId> unknown() const override { return unknown_; }

	void for_each_token(const std::function<void(std::string_view)> &fn) const override
	{
		for (const auto &[token, id] : vocabulary_)
			fn(token);
	}

private:
	static constexpr std::size_t none = SIZE_MAX;

	struct Symbol {
		TokenId token;
		std::size_t previous, next; // none at the ends
		bool gone;
	};
	struct Merge {
		std::uint32_t rank;
		TokenId result;
	};
	struct Candidate {
		std::uint32_t rank;
		std::size_t position;
		TokenId result;
		bool operator>(const Candidate &other) const noexcept
		{
			return rank != other.rank ? rank > other.rank : position > other.position;
		}
	};
	using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

	static std::string optional_text(json::Element settings, std::string_view name, const std::string &where)
	{
		return json::find(settings, name) ? std::string(json::text_member(settings, name, where)) : std::string();
	}

	static std::uint64_t pair_key(TokenId left, TokenId right) noexcept { return std::uint64_t{left} << 32 | right; }

	void read_merges(json::Array merges, const std::string &where)
	{
		merges_.reserve(merges.size());
		std::uint32_t rank = 0;
		for (const json::Element entry : merges) {
			std::string_view left, right;
			if (entry.is_string()) {
				const std::string_view both = json::text(entry, where);
				if (both.starts_with("#version"))
					continue;
				const std::size_t blank = both.find(' ');
				if (blank == std::string_view::npos || both.find(' ', blank + 1) != std::string_view::npos)
					config_failure(where + ": must be two tokens with a blank between them");
				left = both.substr(0, blank);
				right = both.substr(blank + 1);
			} else {
				const json::Array pair = json::array(entry, where);
				if (pair.size() != 2)
					config_failure(where + ": must be pairs");
				left = json::text(pair.at(0).value(), where);
				right = json::text(pair.at(1).value(), where);
			}
			add_merge(left, right, rank++, where);
		}
	}

	void add_merge(std::string_view left, std::string_view right, std::uint32_t rank, const std::string &where)
	{
		if (right.size() < prefix_.size())
			config_failure(where + ": \"" + std::string(right) + "\" does not continue a word");
		const auto a = find(left), b = find(right);
		const auto result = find(std::string(left) + std::string(right.substr(prefix_.size())));
		if (!a || !b || !result)
			config_failure(
				where + ": \"" + std::string(left) + " " + std::string(right) + "\" is not in the vocabulary");
		merges_.insert_or_assign(pair_key(*a, *b), Merge{rank, *result});
	}

	static void add(std::vector<Symbol> &symbols, TokenId token)
	{
		const std::size_t here = symbols.size();
		if (here > 0)
			symbols.back().next = here;
		symbols.push_back({token, here > 0 ? here - 1 : none, none, false});
	}

	bool add_bytes(std::vector<Symbol> &symbols, std::string_view character) const
	{
		TokenId tokens[64];
		std::size_t count = 0;
		for (const char byte : character) {
			const auto token = find(byte_token(static_cast<unsigned char>(byte)));
			if (!token || count == std::size(tokens))
				return false;
			tokens[count++] = *token;
		}
		for (std::size_t i = 0; i < count; ++i)
			add(symbols, tokens[i]);
		return true;
	}

	std::vector<Symbol> symbols_of(std::string_view text) const
	{
		std::vector<Symbol> symbols;
		symbols.reserve(text.size());
		bool unknown_pending = false;
		std::string decorated;
		for_each_character(text, [&](char32_t, std::string_view bytes) {
			std::string_view key = bytes;
			if (!prefix_.empty() || !suffix_.empty()) {
				decorated = bytes.data() == text.data() ? "" : prefix_;
				decorated.append(bytes);
				if (bytes.data() + bytes.size() == text.data() + text.size())
					decorated.append(suffix_);
				key = decorated;
			}
			if (const auto token = find(key)) {
				if (unknown_pending)
					add(symbols, *unknown_);
				unknown_pending = false;
				add(symbols, *token);
			} else if ((!byte_fallback_ || !add_bytes(symbols, key)) && unknown_) {
				// An unknown token waits, because the next one may be fused with it. Byte tokens are output before it,
				// as in the package.
				if (unknown_pending && !fuse_unknown_)
					add(symbols, *unknown_);
				unknown_pending = true;
			}
		});
		if (unknown_pending)
			add(symbols, *unknown_);
		return symbols;
	}

	void offer(const std::vector<Symbol> &symbols, std::size_t position, Candidates &candidates) const
	{
		if (position == none || symbols[position].next == none)
			return;
		const auto merge = merges_.find(pair_key(symbols[position].token, symbols[symbols[position].next].token));
		if (merge != merges_.end())
			candidates.push({merge->second.rank, position, merge->second.result});
	}

	void merge(std::vector<Symbol> &symbols) const
	{
		Candidates candidates;
		for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
			offer(symbols, i, candidates);
		while (!candidates.empty()) {
			const Candidate best = candidates.top();
			candidates.pop();
			Symbol &left = symbols[best.position];
			if (left.gone || left.next == none)
				continue;
			Symbol &right = symbols[left.next];
			// The pair may have changed.
			const auto still = merges_.find(pair_key(left.token, right.token));
			if (still == merges_.end() || still->second.result != best.result)
				continue;
			left.token = best.result;
			right.gone = true;
			left.next = right.next;
			if (right.next != none)
				symbols[right.next].previous = best.position;
			offer(symbols, left.previous, candidates);
			offer(symbols, best.position, candidates);
		}
	}

	Vocabulary vocabulary_;
	std::unordered_map<std::uint64_t, Merge> merges_;
	std::string prefix_, suffix_;
	std::optional<TokenId> unknown_;
	bool fuse_unknown_, byte_fallback_, ignore_merges_;
};

} // namespace

std::unique_ptr<Model> make_bpe(json::Element settings, const std::string &where)
{
	return std::make_unique<Bpe>(settings, where);
}

} // namespace txtfp::embed

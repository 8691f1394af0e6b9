// Unigram: of all ways to compose the text of tokens, the one with the greatest sum of scores. A character that no
// token covers costs 10 more than the worst token; consecutive ones form one unknown token.
#include <algorithm>
#include <array>

#include "program/tokenizer/model.hpp"

namespace txtfp::embed {

namespace {

constexpr double unknown_penalty = 10;

// Prefix tree: the children of a node are adjacent, ordered by their byte.
class PrefixTree {
public:
	void build(std::vector<std::pair<std::string_view, TokenId>> tokens)
	{
		std::sort(tokens.begin(), tokens.end());
		nodes_.assign(1, {});
		struct Range {
			std::uint32_t node;
			std::size_t first, last, depth;
		};
		std::vector<Range> pending{{0, 0, tokens.size(), 0}};
		for (std::size_t i = 0; i < pending.size(); ++i) {
			Range range = pending[i];
			nodes_[range.node].children = static_cast<std::uint32_t>(nodes_.size());
			// Tokens that end here are first; of equal ones the last counts.
			while (range.first < range.last && tokens[range.first].first.size() == range.depth) {
				nodes_[range.node].token = static_cast<std::int64_t>(tokens[range.first].second);
				++range.first;
			}
			while (range.first < range.last) {
				const char byte = tokens[range.first].first[range.depth];
				std::size_t next = range.first;
				while (next < range.last && tokens[next].first[range.depth] == byte)
					++next;
				pending.push_back({static_cast<std::uint32_t>(nodes_.size()), range.first, next, range.depth + 1});
				nodes_.push_back({static_cast<unsigned char>(byte), 0, 0, -1});
				++nodes_[range.node].count;
				range.first = next;
			}
		}
	}

	// Calls found(length, token) for every token that `text` begins with, shortest first.
	template <typename Fn> void for_each_prefix(std::string_view text, Fn found) const
	{
		std::uint32_t node = 0;
		for (std::size_t i = 0; i < text.size(); ++i) {
			const auto byte = static_cast<unsigned char>(text[i]);
			const Node *first = nodes_.data() + nodes_[node].children, *last = first + nodes_[node].count;
			const Node *child =
				std::lower_bound(first, last, byte, [](const Node &n, unsigned char b) { return n.byte < b; });
			if (child == last || child->byte != byte)
				return;
			node = static_cast<std::uint32_t>(child - nodes_.data());
			if (child->token >= 0)
				found(i + 1, static_cast<TokenId>(child->token));
		}
	}

private:
	struct Node {
		unsigned char byte = 0;
		std::uint16_t count = 0; // number of children
		std::uint32_t children = 0;
		std::int64_t token = -1;
	};
	std::vector<Node> nodes_;
};

class Unigram final : public Model {
public:
	Unigram(json::Element settings, const std::string &where)
	{
		const json::Array vocabulary = json::array(json::member(settings, "vocab", where), where + ".vocab");
		double least = 0;
		for (const json::Element entry : vocabulary) {
			const json::Array pair = json::array(entry, where + ".vocab");
			if (pair.size() != 2)
				config_failure(where + ".vocab: must be pairs of token and score");
			tokens_.emplace_back(json::text(pair.at(0).value(), where + ".vocab"));
			scores_.push_back(json::number(pair.at(1).value(), where + ".vocab"));
			least = scores_.size() == 1 ? scores_[0] : std::min(least, scores_.back());
		}
		if (tokens_.empty() || tokens_.size() > INT32_MAX)
			config_failure(where + ".vocab: must not be empty");
		unknown_score_ = least - unknown_penalty;
		if (const auto unknown = json::find(settings, "unk_id"))
			unknown_ = static_cast<TokenId>(
				json::integer(*unknown, 0, static_cast<std::int64_t>(tokens_.size()) - 1, where + ".unk_id"));
		index();
		if (json::boolean_member(settings, "byte_fallback", false, where))
			find_byte_tokens();
	}

	void tokenize(std::string_view text, std::vector<TokenId> &out) const override
	{
		std::vector<Node> nodes(text.size() + 1);
		forward(text, nodes);
		struct Found {
			std::size_t start, end;
			TokenId token;
		};
		std::vector<Found> reversed;
		for (std::size_t end = text.size(); end > 0;) {
			const Node &node = nodes[end];
			// An unknown token is merged with the unknown one after it.
			if (unknown_ && node.token == *unknown_ && !reversed.empty() && reversed.back().token == *unknown_ &&
				reversed.back().start == end)
				reversed.back().start = node.start;
			else
				reversed.push_back({node.start, end, node.token});
			end = node.start;
		}
		for (auto found = reversed.rbegin(); found != reversed.rend(); ++found)
			append(text.substr(found->start, found->end - found->start), *found, out);
	}

	std::optional<TokenId> find(std::string_view token) const override
	{
		const auto found = ids_.find(token);
		return found == ids_.end() ? std::nullopt : std::optional(found->second);
	}

	std::size_t vocabulary_size() const override { return tokens_.size(); }
	std::optional<TokenId> unknown() const override { return unknown_; }

	void for_each_token(const std::function<void(std::string_view)> &fn) const override
	{
		for (const auto &[token, id] : ids_)
			fn(token);
	}

private:
	struct Node {
		double score = 0; // of the best path to here
		std::size_t start = std::string_view::npos;
		TokenId token = 0; // the last token of that path
	};

	void index()
	{
		std::vector<std::pair<std::string_view, TokenId>> entries;
		entries.reserve(tokens_.size());
		for (std::size_t i = 0; i < tokens_.size(); ++i) {
			ids_.insert_or_assign(tokens_[i], static_cast<TokenId>(i));
			if (!tokens_[i].empty())
				entries.emplace_back(tokens_[i], static_cast<TokenId>(i));
		}
		tree_.build(std::move(entries));
	}

	void find_byte_tokens()
	{
		byte_fallback_ = true;
		for (unsigned byte = 0; byte < 256; ++byte)
			byte_tokens_[byte] = find(byte_token(static_cast<unsigned char>(byte)));
	}

	static void offer(Node &node, double score, std::size_t start, TokenId token)
	{
		if (node.start == std::string_view::npos || score > node.score)
			node = {score, start, token};
	}

	void forward(std::string_view text, std::vector<Node> &nodes) const
	{
		for (std::size_t start = 0; start < text.size();) {
			const double before = nodes[start].score;
			const std::size_t length = core::decode(text.data() + start, text.data() + text.size()).length;
			bool covered = false;
			tree_.for_each_prefix(text.substr(start), [&](std::size_t size, TokenId token) {
				offer(nodes[start + size], scores_[token] + before, start, token);
				covered = covered || size == length;
			});
			if (!covered) {
				if (!unknown_)
					throw Failure(FailureKind::tokenizer, "the vocabulary has no token for the unknown");
				offer(nodes[start + length], unknown_score_ + before, start, *unknown_);
			}
			start += length;
		}
	}

	template <typename Found> void append(std::string_view part, const Found &found, std::vector<TokenId> &out) const
	{
		if (const auto token = find(part)) { // also for an unknown run that happens to be a token
			out.push_back(*token);
			return;
		}
		const auto has_token = [this](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)].has_value(); };
		if (byte_fallback_ && std::all_of(part.begin(), part.end(), has_token)) {
			for (const char byte : part)
				out.push_back(*byte_tokens_[static_cast<unsigned char>(byte)]);
			return;
		}
		out.push_back(found.token);
	}

	std::vector<std::string> tokens_;
	std::vector<double> scores_;
	Vocabulary ids_;
	PrefixTree tree_;
	std::optional<TokenId> unknown_;
	double unknown_score_ = 0;
	bool byte_fallback_ = false;
	std::array<std::optional<TokenId>, 256> byte_tokens_{};
};

} // namespace

std::unique_ptr<Model> make_unigram(json::Element settings, const std::string &where)
{
	return std::make_unique<Unigram>(settings, where);
}

} // namespace txtfp::embed

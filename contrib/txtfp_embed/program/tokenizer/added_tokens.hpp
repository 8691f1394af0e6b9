// Tokens outside of the vocabulary, such as [CLS]. They are found in the text before the model sees it.
#pragma once

#include <array>
#include <vector>

#include "program/tokenizer/model.hpp"
#include "program/tokenizer/normalizer.hpp"

namespace txtfp::embed {

struct AddedToken {
	std::string content;
	TokenId id = 0;
	bool single_word = false, left_strip = false, right_strip = false, normalized = false, special = false;
};

class AddedTokens {
public:
	AddedTokens() = default;
	// `normalizer` may be null; it is applied to those tokens that are searched for in normalized text.
	AddedTokens(std::vector<AddedToken> tokens, const Normalizer *normalizer);

	// Splits the text into added tokens and the normalized pieces between them.
	std::vector<Piece> split(std::string_view text, const Normalizer *normalizer) const;
	std::optional<TokenId> find(std::string_view content) const;
	const std::vector<AddedToken> &tokens() const noexcept { return tokens_; }

private:
	// Searches for several tokens at once: the leftmost match, then the longest.
	class Finder {
	public:
		void add(std::string pattern, std::size_t token);
		void finish();
		void split(const Piece &piece, const std::vector<AddedToken> &tokens, std::vector<Piece> &out) const;

	private:
		struct Entry {
			std::string pattern;
			std::size_t token;
		};
		const Entry *at(std::string_view rest) const;

		std::array<std::vector<Entry>, 256> by_byte_; // the longest first
		bool empty_ = true;
	};

	std::vector<AddedToken> tokens_;
	Finder raw_, normalized_;
};

// Reads "added_tokens" of tokenizer.json. Tokens that the model does not have get the ids after its vocabulary.
std::vector<AddedToken> added_tokens_of(json::Element array, const Model &model, const std::string &where);

} // namespace txtfp::embed

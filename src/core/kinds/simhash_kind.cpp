#include <algorithm>

#include "core/kinds/values.hpp"
#include "core/sketch/signature.hpp"

namespace txtfp::core {

namespace {

using namespace kind_values;

std::uint64_t bits_in(const std::uint8_t *row) noexcept
{
	std::uint64_t bits;
	std::memcpy(&bits, row, sizeof bits);
	return bits;
}

bool simhash_of(const Recipe &recipe, std::string_view text, std::uint8_t *row, StopToken stop)
{
	std::uint64_t bits;
	if (!simhash(text, {recipe.text, recipe.weighting, nullptr}, bits, stop))
		return false;
	std::memcpy(row, &bits, sizeof bits);
	return true;
}

bool simhash_of_tokens(const Recipe &recipe, Tokens tokens, std::uint8_t *row)
{
	SimhashBuilder builder({recipe.text, recipe.weighting, nullptr});
	for (std::size_t first = 0; first < tokens.size(); first += token_batch)
		builder.add(tokens.subspan(first, std::min(token_batch, tokens.size() - first)));
	std::uint64_t bits;
	if (!builder.finish(bits))
		return false;
	std::memcpy(row, &bits, sizeof bits);
	return true;
}

const char *read_simhash(const Kind &, std::string_view text, std::uint8_t *row, std::uint64_t &config)
{
	config = 0;
	std::uint64_t bits;
	if (text.size() != 16 || !hex_decode_u64(text.data(), bits))
		return "it is not 16 hexadecimal digits";
	std::memcpy(row, &bits, sizeof bits);
	return nullptr;
}

std::size_t write_simhash(const Kind &, std::uint64_t, const std::uint8_t *row, char *out)
{
	hex_encode_u64(bits_in(row), out);
	return 16;
}

const std::uint8_t *simhash_row(const Kind &, std::span<const std::uint8_t> binary, std::uint8_t *buffer) noexcept
{
	const std::uint64_t bits = load_be64(binary.data());
	std::memcpy(buffer, &bits, sizeof bits);
	return buffer;
}

std::size_t write_simhash_binary(const Kind &, std::uint64_t, const std::uint8_t *row, std::uint8_t *out)
{
	store_be64(bits_in(row), out);
	return sizeof(std::uint64_t);
}

int simhash_measure(const Kind &, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return hamming(bits_in(a), bits_in(b));
}

double simhash_similarity(const Kind &, int distance) noexcept
{
	return cosine_estimate(0, distance == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << distance) - 1);
}

void sign_simhash(const Kind &, const std::uint8_t *row, std::uint8_t *out) noexcept
{
	simhash_signature(bits_in(row), out);
}

LockPlan plan_blocks(const Kind &, double limit) noexcept { return {{0, 0}, lock_blocks(static_cast<int>(limit))}; }

std::size_t keys_of_blocks(
	const Kind &, const LockPlan &plan, const std::uint8_t *row, std::uint64_t space, std::uint64_t *out) noexcept
{
	return lock_keys(bits_in(row), plan.blocks, space, out);
}

} // namespace

const KindOperations simhash_operations = {simhash_of, simhash_of_tokens, read_simhash, write_simhash, check_size,
	simhash_row, write_simhash_binary, simhash_measure, simhash_similarity, nullptr, sign_simhash, plan_blocks,
	keys_of_blocks, whole_bound};

} // namespace txtfp::core

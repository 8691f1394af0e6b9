// Embeddings: the crate's similarities and pools bit by bit, the text form, and the fast similarity compared with the
// exact one.
#include "core/embedding/embedding.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/embedding/embedding_text.hpp"
#include "core/embedding/pooling.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Floats = std::vector<float>;

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

// Compares bits, so that NaN equals itself.
std::vector<std::uint32_t> bits_of(const Floats &v)
{
	std::vector<std::uint32_t> out;
	for (const float x : v)
		out.push_back(bits_of(x));
	return out;
}

Floats floats_of(const std::string &hex)
{
	Floats out;
	for (const std::string &word : list(hex, ' '))
		out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16))));
	return out;
}

// The vectors that semantic_similarity.tsv names.
std::vector<Floats> named_vectors()
{
	std::vector<Floats> out{floats_of("3f800000 00000000 00000000"), floats_of("00000000 3f800000 00000000"),
		floats_of("bf800000 00000000 00000000"), floats_of("3dcccccd 3e4ccccd 3e99999a"),
		floats_of("40400000 40800000"), floats_of("00000000 00000000 00000000"),
		floats_of("0da24260 0da24260 00000000"), floats_of("60ad78ec 60ad78ec 60ad78ec"), {}, {}};
	for (int i = 0; i < 768; ++i) {
		out[8].push_back(static_cast<float>(i + 1) / 768);
		out[9].push_back(static_cast<float>(i * 37 % 101 - 50) / 7);
	}
	return out;
}

double wide_cosine(Vector a, Vector b)
{
	double dot = 0, aa = 0, bb = 0;
	for (std::size_t i = 0; i < a.size(); ++i) {
		dot += double{a[i]} * b[i];
		aa += double{a[i]} * a[i];
		bb += double{b[i]} * b[i];
	}
	return dot / std::sqrt(aa) / std::sqrt(bb);
}

Embedding without_model(const Floats &v) { return {v, std::nullopt}; }

Floats random_vector(std::mt19937_64 &random, std::size_t dimension)
{
	std::normal_distribution<float> normal;
	Floats out(dimension);
	for (float &x : out)
		x = normal(random);
	return out;
}

std::string formatted(const Floats &v)
{
	std::string out(v.size() * element_text + 2, '?');
	out.resize(static_cast<std::size_t>(format_vector(v, out.data()) - out.data()));
	return out;
}

VectorError parsed(std::string_view elements, Floats &out)
{
	out.assign(count_elements(elements), 0);
	return parse_elements(elements, out);
}

} // namespace

// Vectors 6 and 7 have 1e-30 and 1e20: the crate takes the one for zero and the length of the other for infinite.
TEST(embedding_similarity_of_the_crate)
{
	const std::vector<Floats> vectors = named_vectors();
	std::size_t rows = 0;
	for (const Row &row : table("semantic_similarity.tsv")) {
		const Embedding a = without_model(vectors.at(static_cast<std::size_t>(row.number("a"))));
		const Embedding b = without_model(vectors.at(static_cast<std::size_t>(row.number("b"))));
		float similarity = 0;
		const EmbeddingError error = semantic_similarity(a, b, similarity);
		++rows;
		const bool lost =
			a.vector[0] == 1e-30f || b.vector[0] == 1e-30f || a.vector[0] == 1e20f || b.vector[0] == 1e20f;
		if (lost && a.dimension() == b.dimension() && row["a"] != "5" && row["b"] != "5") {
			CHECK_EQ(error, EmbeddingError::none, row["a"], row["b"]);
			CHECK_EQ(std::abs(similarity - wide_cosine(a.vector, b.vector)) < 1e-6, true, row["a"], row["b"]);
			continue;
		}
		if (!row.is_null("bits"))
			CHECK_EQ(hex_u64(bits_of(similarity)).substr(8), row["bits"], row["a"], row["b"]);
		const EmbeddingError expected = row.is_null("error") ? EmbeddingError::none
			: row["error"].starts_with("dimension")          ? EmbeddingError::other_dimension
															 : EmbeddingError::zero_norm;
		CHECK_EQ(error, expected, row["a"], row["b"]);
	}
	CHECK_EQ(rows, 100);
}

TEST(embedding_pooling_of_the_crate)
{
	for (const Row &row : table("pooling.tsv")) {
		const Floats hidden = floats_of(row["hidden"]);
		std::vector<std::int32_t> mask;
		TokenMask given;
		if (!row.is_null("mask")) {
			for (const std::string &number : list(row["mask"], ' '))
				mask.push_back(std::stoi(number));
			given = mask;
		}
		Pooling pooling{};
		CHECK_EQ(parse_pooling(row["pooling"], pooling), true, row["pooling"]);
		Floats out(static_cast<std::size_t>(row.number("dim")));
		pool(hidden, given, pooling, out);
		CHECK_EQ(bits_of(out), bits_of(floats_of(row["out"])), row["pooling"], row["hidden"]);
	}
}

// Cases that the table does not have: incomplete rows, no rows, values that are never the maximum.
TEST(embedding_pooling_at_the_edges)
{
	constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
	Floats out(2);
	const auto pooled = [&out](const Floats &hidden, Pooling pooling) {
		pool(hidden, std::nullopt, pooling, out);
		return out;
	};
	CHECK_EQ(pooled({1, 0, 0, 1, 9}, Pooling::mean_no_norm), (Floats{0.5, 0.5}));
	for (const Pooling pooling : {Pooling::cls, Pooling::mean, Pooling::mean_no_norm, Pooling::max})
		CHECK_EQ(pooled({7}, pooling), (Floats{0, 0}), pooling);
	CHECK_EQ(pooled({nan, 3, 3, 4}, Pooling::max), (Floats{0.6f, 0.8f})); // NaN does not win
	const Floats least = pooled({nan, 3, -infinity, 4}, Pooling::max);    // nor does -infinity
	CHECK_EQ(least, (Floats{-1, 4 / std::numeric_limits<float>::max()}));
	CHECK_EQ(pooled({3, 0, 99, 99}, Pooling::cls), (Floats{1, 0}));
	Pooling pooling{};
	for (const std::string_view wrong : {"", "Mean", "avg", "mean_no_norm"})
		CHECK_EQ(parse_pooling(wrong, pooling), false, wrong);
}

TEST(embedding_guards)
{
	constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
	CHECK_EQ(check_vector({}), EmbeddingError::empty);
	for (const float wrong : {nan, infinity, -infinity})
		CHECK_EQ(check_vector(Floats{1, wrong}), EmbeddingError::not_finite);
	CHECK_EQ(check_vector(Floats{0}), EmbeddingError::none);
	const Floats x{1, 2}, y{1, 2, 3};
	float similarity = 0;
	for (const auto compare : {semantic_similarity, cosine_similarity}) {
		CHECK_EQ(compare({x, "ma"}, {x, "mb"}, similarity), EmbeddingError::other_model);
		CHECK_EQ(compare({x, "ma"}, {y, "mb"}, similarity), EmbeddingError::other_model); // before the dimension
		CHECK_EQ(compare({x, "ma"}, {y, std::nullopt}, similarity), EmbeddingError::other_dimension);
		CHECK_EQ(compare({x, "ma"}, {x, std::nullopt}, similarity), EmbeddingError::none);
		CHECK_EQ(compare({x, ""}, {x, "m"}, similarity), EmbeddingError::other_model);
		CHECK_EQ(compare({Floats{0, 0}, "m"}, {x, "m"}, similarity), EmbeddingError::zero_norm);
	}
}

TEST(embedding_norms)
{
	Floats v{3, 4};
	CHECK_EQ(l2_norm(v), 5.0f);
	l2_normalize(v);
	CHECK_EQ(v, (Floats{0.6f, 0.8f}));
	CHECK_EQ(dot_product(v, Floats{1, 2}), 0.6f + 0.8f * 2);
	Floats zero{0, 0};
	l2_normalize(zero);
	CHECK_EQ(zero, (Floats{0, 0}));
}

// Lengths whose squares single precision does not have, next to usual ones
TEST(embedding_norms_out_of_range)
{
	constexpr float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
	const float scales[] = {
		tiny * 3, 1e-38f, 1e-30f, 1e-19f, 1e-15f, 1, 1e15f, 1e18f, 1e19f, 2e19f, 1e20f, 1e38f, huge / 4};
	for (const float one : scales)
		for (const float other : scales) {
			const Floats a{3 * one, 0, one}, b{3 * other, other, 0}, c{0, -other, 0};
			float similarity = 0;
			for (const auto &compare : {semantic_similarity, cosine_similarity}) {
				CHECK_EQ(compare(without_model(a), without_model(b), similarity), EmbeddingError::none, one, other);
				CHECK_EQ(std::abs(similarity - wide_cosine(a, b)) < 1e-6, true, one, other, similarity);
				CHECK_EQ(std::abs(similarity - cosine(a, l2_norm(a), b, l2_norm(b))) < 1e-6, true, one, other);
				CHECK_EQ(compare(without_model(a), without_model(c), similarity), EmbeddingError::none, one, other);
				CHECK_EQ(similarity, 0.0f, one, other);
			}
			float exact = 0; // what a join computes has the bits of the function
			CHECK_EQ(semantic_similarity(without_model(a), without_model(b), exact), EmbeddingError::none);
			CHECK_EQ(bits_of(cosine(a, l2_norm(a), b, l2_norm(b))), bits_of(exact), one, other);
			Floats unit = a;
			l2_normalize(unit);
			CHECK_EQ(std::abs(l2_norm(unit) - 1) < 1e-6, true, one);
		}
	CHECK_EQ(l2_norm(Floats{1e20f, 0}), 1e20f);
	CHECK_EQ(std::isinf(l2_norm(Floats{huge, huge})), true);
	CHECK_EQ(dot_product(Floats{1e20f, 1e20f}, Floats{1e20f, -1e20f}), 0.0f);
	CHECK_EQ(std::isinf(dot_product(Floats{1e20f}, Floats{1e20f})), true);
}

// The sums of cosine_similarity by their definition, and its difference from semantic_similarity.
TEST(embedding_fast_similarity)
{
	std::mt19937_64 random(1);
	for (std::size_t dimension = 1; dimension < 1100; dimension += dimension < 70 ? 1 : 83) {
		const Floats a = random_vector(random, dimension);
		Floats b = random_vector(random, dimension);
		for (std::size_t i = 0; i < dimension && random() % 2 == 0; ++i)
			b[i] = a[i] + b[i] / 8;
		float lanes[32] = {};
		for (std::size_t i = 0; i < dimension; ++i)
			lanes[i % 32] += a[i] * b[i];
		for (std::size_t n = 16; n > 0; n /= 2)
			for (std::size_t i = 0; i < n; ++i)
				lanes[i] += lanes[i + n];
		CHECK_EQ(bits_of(cosine_sums(a, b).dot), bits_of(lanes[0]), dimension);
		float fast = 0, exact = 0;
		CHECK_EQ(cosine_similarity(without_model(a), without_model(b), fast), EmbeddingError::none);
		CHECK_EQ(semantic_similarity(without_model(a), without_model(b), exact), EmbeddingError::none);
		CHECK_EQ(std::abs(static_cast<double>(fast) - exact) <= cosine_margin(dimension), true, dimension, fast, exact);
		CHECK_EQ(std::abs(fast) <= 1, true, fast);
	}
}

TEST(embedding_text_form)
{
	CHECK_EQ(formatted({0.5f, -1, 2.5e-8f, 0, -0.0f, 1e10f}), "[0.5,-1,2.5e-08,0,-0,1e+10]");
	const auto model = [](std::string_view text) {
		const std::optional<EmbeddingText> parts = split_embedding(text);
		CHECK_EQ(parts.has_value(), true, text);
		return std::string(parts->model.value_or("none"));
	};
	CHECK_EQ(model("BAAI/bge-small/[1,2]"), "BAAI/bge-small");
	CHECK_EQ(model("a[0]/[1]"), "a[0]");
	CHECK_EQ(model("/[1]"), "");
	CHECK_EQ(model(" [1, 2] "), "none");
	const std::optional<EmbeddingText> parts = split_embedding(" [1, 2] ");
	CHECK_EQ(std::string(parts->elements), "1, 2");
	for (const std::string_view wrong : {"", "1,2", "[1,2", "1,2]", "model[1]", "[1]x", "]["})
		CHECK_EQ(split_embedding(wrong).has_value(), false, wrong);
	Floats out;
	CHECK_EQ(parsed("1, +2.5 ,\t-3e-2", out), VectorError::none);
	CHECK_EQ(out, (Floats{1, 2.5, -3e-2f}));
	for (const std::string_view wrong : {"1,", ",1", "1,,2", "x", "1 2", "+-1", "++1", "0x10", "1e", "--1"})
		CHECK_EQ(parsed(wrong, out), VectorError::syntax, wrong);
	CHECK_EQ(parsed(" ", out), VectorError::empty);
	CHECK_EQ(parsed("1,nan", out), VectorError::not_finite);
	CHECK_EQ(parsed("-inf", out), VectorError::not_finite);
	CHECK_EQ(parsed("1e39", out), VectorError::out_of_range);
	CHECK_EQ(parsed("1e-60", out), VectorError::out_of_range);
}

TEST(embedding_text_comes_back)
{
	std::mt19937_64 random(3);
	for (int i = 0; i < 20000; ++i) {
		Floats v;
		while (v.size() < 1 + random() % 5)
			if (const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random())); std::isfinite(x))
				v.push_back(x);
		const std::string text = formatted(v);
		Floats back;
		const std::optional<EmbeddingText> parts = split_embedding(text);
		CHECK_EQ(parsed(parts->elements, back), VectorError::none, text);
		CHECK_EQ(bits_of(back), bits_of(v), text);
	}
}

// The text form of embeddings survives reading and writing. For the numbers in it: similarities are within the stated
// margin, and SimHash is the same with given and with generated coefficients.
#include "core/embedding/embedding_text.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/embedding/projection.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

using Floats = std::vector<float>;

static bool read(std::string_view text, Floats &out, std::string &model)
{
	const std::optional<EmbeddingText> parts = split_embedding(text);
	if (!parts)
		return false;
	model = parts->model ? std::string(*parts->model) + "/" : "";
	out.assign(count_elements(parts->elements), 0);
	return parse_elements(parts->elements, out) == VectorError::none;
}

static void check_similarities(const Floats &a, const Floats &b)
{
	float exact = 0, fast = 0;
	const EmbeddingError error = semantic_similarity({a, {}}, {b, {}}, exact);
	REQUIRE_EQ(cosine_similarity({a, {}}, {b, {}}, fast), error);
	if (error == EmbeddingError::none)
		REQUIRE_EQ(std::abs(static_cast<double>(exact) - fast) <= cosine_margin(a.size()), true);
}

static void check_projection(const Floats &v)
{
	std::vector<float> known(v.size() * projection_bits);
	SplitMix64 random(v.size());
	fill_projection(random, known);
	std::uint64_t bits = 0, made = 0;
	const bool any = project(v, v.size(), known, bits);
	REQUIRE_EQ(project(v, v.size(), {}, made), any);
	REQUIRE_EQ(bits, made);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string_view text(reinterpret_cast<const char *>(data), size);
	Floats v;
	std::string model;
	if (!read(text, v, model))
		return 0;
	REQUIRE_EQ(check_vector(v), EmbeddingError::none);
	std::string form(v.size() * element_text + 2, '?');
	form.resize(static_cast<std::size_t>(format_vector(v, form.data()) - form.data()));
	Floats back;
	std::string model_back;
	REQUIRE_EQ(read(model + form, back, model_back), true);
	REQUIRE_EQ(model_back, model);
	REQUIRE_EQ(std::memcmp(back.data(), v.data(), v.size() * sizeof(float)), 0);
	check_similarities(v, Floats(v.rbegin(), v.rend()));
	check_projection(v);
	return 0;
}

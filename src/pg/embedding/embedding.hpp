// The SQL type embedding: a vector of floats, optionally with the name of the model that made it.
//   varlena header (4 bytes), size of the model's name u16 (0xFFFF: no model), u16 = 0, floats, the name in the server
//   encoding
#pragma once

#include <cstdint>

#include "core/embedding/embedding.hpp"
#include "pg/base/given_value.hpp"

namespace txtfp::pg {

struct StoredEmbedding {
	static constexpr std::uint16_t no_model = 0xFFFF;
	static constexpr std::size_t max_model = 0xFFFE; // bytes

	std::int32_t header;
	std::uint16_t model_size, zero;
	float elements[FLEXIBLE_ARRAY_MEMBER];

	std::size_t model_bytes() const { return model_size == no_model ? 0 : model_size; }
	std::size_t dimension() const
	{
		return (VARSIZE(this) - offsetof(StoredEmbedding, elements) - model_bytes()) / sizeof(float);
	}
	core::Vector vector() const { return {elements, dimension()}; }
	core::Embedding view() const
	{
		core::Embedding out{vector(), std::nullopt};
		if (model_size != no_model)
			out.model.emplace(reinterpret_cast<const char *>(elements + dimension()), model_size);
		return out;
	}
};
static_assert(std::is_trivially_destructible_v<core::Embedding>);

// Raises an error (XX001) if the name of the model is longer than the value.
inline const StoredEmbedding *to_embedding(Datum datum)
{
	const auto *value = reinterpret_cast<const StoredEmbedding *>(PG_DETOAST_DATUM(datum));
	if (VARSIZE(value) < offsetof(StoredEmbedding, elements) + value->model_bytes())
		report_damaged_value("embedding");
	return value;
}
inline const StoredEmbedding *embedding_arg(FunctionCallInfo fcinfo, int i) { return to_embedding(PG_GETARG_DATUM(i)); }

// Allocates a value; the caller writes its elements. Raises 54000 if it would be too large.
StoredEmbedding *allocate_embedding(std::size_t dimension, const std::optional<std::string_view> &model);

// Raises an error unless the argument is EmbeddingError::none.
void check_embedding(core::EmbeddingError error);
void check_comparable(core::EmbeddingError error, const core::Embedding &a, const core::Embedding &b);
float semantic_similarity(Datum a, Datum b);

} // namespace txtfp::pg

// embedding: construction, comparison, similarity and norms.
#include "pg/embedding/embedding.hpp"

#include <algorithm>
#include <cmath>

#include "pg/base/comparison.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/embedding/real_array.hpp"

extern "C" {
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

using namespace txtfp;
using pg::StoredEmbedding;

namespace txtfp::pg {

StoredEmbedding *allocate_embedding(std::size_t dimension, const std::optional<std::string_view> &model)
{
	if (model && model->size() > StoredEmbedding::max_model)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("name of a model is too long (%zu bytes)", model->size()),
				errdetail("The name of a model can have up to %zu bytes.", StoredEmbedding::max_model)));
	const std::size_t name = model ? model->size() : 0;
	const std::size_t size = offsetof(StoredEmbedding, elements) + dimension * sizeof(float) + name;
	if (dimension > MaxAllocSize / sizeof(float) || size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("embedding would exceed 1 GB")));
	auto *out = static_cast<StoredEmbedding *>(palloc(size));
	SET_VARSIZE(out, size);
	out->model_size = model ? static_cast<std::uint16_t>(name) : StoredEmbedding::no_model;
	out->zero = 0;
	if (name > 0)
		memcpy(reinterpret_cast<char *>(out->elements + dimension), model->data(), name);
	return out;
}

void check_embedding(core::EmbeddingError error)
{
	if (error == core::EmbeddingError::empty)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("embedding vector is empty"),
				errhint("An embedding must have at least one element.")));
	if (error == core::EmbeddingError::not_finite)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("embedding contains non-finite values"),
				errhint("NaN and infinity have no direction: leave such vectors out.")));
}

// The model's name as a C string for a message. In the value it is not terminated.
static const char *name_of(const core::Embedding &value)
{
	return abbreviated(static_cast<const char *>(pnstrdup(value.model->data(), value.model->size())));
}

void check_comparable(core::EmbeddingError error, const core::Embedding &a, const core::Embedding &b)
{
	switch (error) {
	case core::EmbeddingError::other_model:
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("model id mismatch: a = %s, b = %s", name_of(a), name_of(b)),
				errhint("Vectors of different models are not comparable: compare vectors of one model only.")));
		break;
	case core::EmbeddingError::other_dimension:
		ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				errmsg("dimension mismatch: a = %zu, b = %zu", a.dimension(), b.dimension())));
		break;
	case core::EmbeddingError::zero_norm:
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot compute cosine for a zero-norm embedding"),
				errhint("Leave such vectors out: WHERE l2_norm(value) > 0.")));
		break;
	default:
		break;
	}
}

float semantic_similarity(Datum a, Datum b)
{
	const core::Embedding x = to_embedding(a)->view(), y = to_embedding(b)->view();
	float similarity = 0;
	check_comparable(core::semantic_similarity(x, y, similarity), x, y);
	return similarity;
}

} // namespace txtfp::pg

namespace {

// Orders by model (values without one first), dimension and bytes.
int compare(const StoredEmbedding *a, const StoredEmbedding *b)
{
	const core::Embedding x = a->view(), y = b->view();
	if (x.model.has_value() != y.model.has_value())
		return x.model.has_value() ? 1 : -1;
	if (const int order = x.model ? x.model->compare(*y.model) : 0; order != 0)
		return order < 0 ? -1 : 1;
	if (x.dimension() != y.dimension())
		return x.dimension() < y.dimension() ? -1 : 1;
	return memcmp(a->elements, b->elements, x.vector.size_bytes());
}

// A sort calls this function millions of times in one memory context, so detoasted copies must be freed.
int compare_args(FunctionCallInfo fcinfo)
{
	const StoredEmbedding *a = pg::embedding_arg(fcinfo, 0), *b = pg::embedding_arg(fcinfo, 1);
	const int order = compare(a, b);
	PG_FREE_IF_COPY(const_cast<StoredEmbedding *>(a), 0);
	PG_FREE_IF_COPY(const_cast<StoredEmbedding *>(b), 1);
	return order;
}

// Hashes what equality compares: all bytes after the header.
const unsigned char *hashed_bytes(const StoredEmbedding *value)
{
	return reinterpret_cast<const unsigned char *>(&value->model_size);
}
int hashed_size(const StoredEmbedding *value) { return static_cast<int>(VARSIZE(value) - VARHDRSZ); }

// Raises 22003 for a result that type real does not have.
float finite(float value)
{
	if (!std::isfinite(value))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("value out of range: overflow")));
	return value;
}

float cosine_args(FunctionCallInfo fcinfo)
{
	const core::Embedding a = pg::embedding_arg(fcinfo, 0)->view(), b = pg::embedding_arg(fcinfo, 1)->view();
	float similarity = 0;
	pg::check_comparable(core::cosine_similarity(a, b, similarity), a, b);
	return similarity;
}

} // namespace

// Not strict, because the model may be NULL.
TXTFP_FUNCTION(txtfp_to_embedding)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const core::Vector vector = pg::real_array_arg(fcinfo, 0);
	pg::check_embedding(core::check_vector(vector));
	std::optional<std::string_view> model;
	if (PG_NARGS() > 1 && !PG_ARGISNULL(1)) {
		const text *name = PG_GETARG_TEXT_PP(1);
		model.emplace(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	}
	StoredEmbedding *out = pg::allocate_embedding(vector.size(), model);
	memcpy(out->elements, vector.data(), vector.size_bytes());
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_embedding_to_real)
{
	PG_RETURN_ARRAYTYPE_P(pg::make_real_array(pg::embedding_arg(fcinfo, 0)->vector()));
}

TXTFP_COMPARISONS(embedding, compare_args)

TXTFP_FUNCTION(txtfp_embedding_hash)
{
	const StoredEmbedding *value = pg::embedding_arg(fcinfo, 0);
	return hash_any(hashed_bytes(value), hashed_size(value));
}

TXTFP_FUNCTION(txtfp_embedding_hash_extended)
{
	const StoredEmbedding *value = pg::embedding_arg(fcinfo, 0);
	return hash_any_extended(hashed_bytes(value), hashed_size(value), static_cast<uint64>(PG_GETARG_INT64(1)));
}

TXTFP_FUNCTION(txtfp_semantic_similarity)
{
	PG_RETURN_FLOAT4(pg::semantic_similarity(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

TXTFP_FUNCTION(txtfp_cosine_similarity) { PG_RETURN_FLOAT4(cosine_args(fcinfo)); }
TXTFP_FUNCTION(txtfp_cosine_distance) { PG_RETURN_FLOAT8(1.0 - cosine_args(fcinfo)); }

TXTFP_FUNCTION(txtfp_embedding_dot)
{
	const core::Embedding a = pg::embedding_arg(fcinfo, 0)->view(), b = pg::embedding_arg(fcinfo, 1)->view();
	pg::check_comparable(core::check_pair(a, b), a, b);
	PG_RETURN_FLOAT4(finite(core::dot_product(a.vector, b.vector)));
}

TXTFP_FUNCTION(txtfp_embedding_norm)
{
	PG_RETURN_FLOAT4(finite(core::l2_norm(pg::embedding_arg(fcinfo, 0)->vector())));
}

TXTFP_FUNCTION(txtfp_embedding_normalize)
{
	const StoredEmbedding *in = pg::embedding_arg(fcinfo, 0);
	auto *out = static_cast<StoredEmbedding *>(palloc(VARSIZE(in)));
	memcpy(out, in, VARSIZE(in));
	core::l2_normalize({out->elements, out->dimension()});
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_embedding_dims) { PG_RETURN_INT32(static_cast<int32>(pg::embedding_arg(fcinfo, 0)->dimension())); }

TXTFP_FUNCTION(txtfp_embedding_model)
{
	const core::Embedding value = pg::embedding_arg(fcinfo, 0)->view();
	if (!value.model)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(pg::make_text(*value.model));
}

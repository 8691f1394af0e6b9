// embedding: text, binary and jsonb.
#include "core/base/numbers.hpp"
#include "core/embedding/embedding_text.hpp"
#include "pg/base/json.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/embedding/embedding.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
}

using namespace txtfp;
using pg::StoredEmbedding;

namespace {

const char *describe(core::VectorError error)
{
	switch (error) {
	case core::VectorError::syntax:
		return "An element is not a number.";
	case core::VectorError::empty:
		return "The vector is empty.";
	case core::VectorError::not_finite:
		return "An element is NaN or infinite.";
	case core::VectorError::out_of_range:
		return "An element is out of range for type real.";
	case core::VectorError::none:
		break;
	}
	return "";
}

int sqlstate_of(core::VectorError error)
{
	return error == core::VectorError::out_of_range ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
													: ERRCODE_INVALID_TEXT_REPRESENTATION;
}

[[noreturn]] void reject_binary(const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary representation of embedding"),
			errdetail("%s", detail)));
	pg_unreachable();
}

[[noreturn]] void reject_json(const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cannot cast jsonb value to type embedding"),
			errdetail("%s", detail),
			errhint(
				"The value must be an object {\"vector\": [...], \"model_id\": \"...\"} with finite numbers; the model "
				"may be null or absent.")));
	pg_unreachable();
}

// Reads a number as the crate does: to double precision first, then to single.
float json_number(const JsonbValue *value)
{
	if (value == nullptr || value->type != jbvNumeric)
		reject_json("An element of \"vector\" is not a number.");
	const char *digits = pg::number_text(value);
	double number = 0;
	core::from_chars(digits, digits + strlen(digits), number);
	return static_cast<float>(number);
}

JsonbValue *member(Jsonb *object, const char *key)
{
	return getKeyJsonValueFromContainer(&object->root, key, static_cast<int>(strlen(key)), nullptr);
}

std::optional<std::string_view> json_model(Jsonb *in)
{
	const JsonbValue *model = member(in, "model_id");
	if (model == nullptr || model->type == jbvNull)
		return std::nullopt;
	if (model->type != jbvString)
		reject_json("\"model_id\" is neither a string nor null.");
	return std::string_view(model->val.string.val, static_cast<std::size_t>(model->val.string.len));
}

char *write_vector(core::Vector vector, char *to) { return core::format_vector(vector, to); }

std::size_t text_size(core::Vector vector)
{
	const std::size_t size = vector.size() * core::element_text + 2;
	if (size > MaxAllocSize / 2)
		ereport(
			ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("text form of the embedding would exceed 1 GB")));
	return size;
}

} // namespace

TXTFP_FUNCTION(txtfp_embedding_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::optional<core::EmbeddingText> parts = core::split_embedding(in);
	if (!parts)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type embedding: \"%s\"", pg::abbreviated(in)),
				errdetail("The text form is \"[number, ...]\", or \"<model>/[number, ...]\".")));
	const std::size_t dimension = core::count_elements(parts->elements);
	StoredEmbedding *out = pg::allocate_embedding(dimension, parts->model);
	const core::VectorError error = core::parse_elements(parts->elements, {out->elements, dimension});
	if (error != core::VectorError::none)
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(sqlstate_of(error)),
				errmsg("invalid input syntax for type embedding: \"%s\"", pg::abbreviated(in)),
				errdetail("%s", describe(error))));
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_embedding_out)
{
	const core::Embedding value = pg::embedding_arg(fcinfo, 0)->view();
	const std::size_t model = value.model ? value.model->size() + 1 : 0;
	char *out = static_cast<char *>(palloc(model + text_size(value.vector) + 1));
	if (value.model) {
		memcpy(out, value.model->data(), value.model->size());
		out[model - 1] = '/';
	}
	*write_vector(value.vector, out + model) = '\0';
	PG_RETURN_CSTRING(out);
}

// Binary form, in network order: dimension (4 bytes), size of the model's name (4 bytes, -1: none), elements, name.
TXTFP_FUNCTION(txtfp_embedding_recv)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const auto dimension = static_cast<std::uint32_t>(pq_getmsgint(message, 4));
	const auto name_size = static_cast<std::int32_t>(pq_getmsgint(message, 4));
	const auto left = static_cast<std::size_t>(message->len - message->cursor);
	if (dimension == 0)
		reject_binary("The vector is empty.");
	if (dimension > left / sizeof(float) || name_size < -1)
		reject_binary("The sizes do not fit the message.");
	auto *elements = static_cast<float *>(palloc(dimension * sizeof(float)));
	for (std::uint32_t i = 0; i < dimension; ++i)
		elements[i] = pq_getmsgfloat4(message);
	if (core::check_vector({elements, dimension}) != core::EmbeddingError::none)
		reject_binary("An element is NaN or infinite.");
	std::optional<std::string_view> model;
	if (name_size >= 0) {
		int bytes;
		const char *name = pq_getmsgtext(message, name_size, &bytes);
		model.emplace(name, static_cast<std::size_t>(bytes));
	}
	StoredEmbedding *out = pg::allocate_embedding(dimension, model);
	memcpy(out->elements, elements, dimension * sizeof(float));
	PG_RETURN_POINTER(out);
}

TXTFP_FUNCTION(txtfp_embedding_send)
{
	const core::Embedding value = pg::embedding_arg(fcinfo, 0)->view();
	StringInfoData name, out;
	initStringInfo(&name);
	if (value.model)
		pq_sendtext(&name, value.model->data(), static_cast<int>(value.model->size()));
	pq_begintypsend(&out);
	pq_sendint32(&out, static_cast<uint32>(value.dimension()));
	pq_sendint32(&out, value.model ? static_cast<uint32>(name.len) : PG_UINT32_MAX);
	for (const float element : value.vector)
		pq_sendfloat4(&out, element);
	pq_sendbytes(&out, name.data, name.len);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_embedding_to_jsonb)
{
	const core::Embedding value = pg::embedding_arg(fcinfo, 0)->view();
	StringInfoData json;
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"vector\":");
	const std::size_t size = text_size(value.vector);
	enlargeStringInfo(&json, static_cast<int>(size));
	json.len = static_cast<int>(write_vector(value.vector, json.data + json.len) - json.data);
	json.data[json.len] = '\0';
	appendStringInfoString(&json, ",\"model_id\":");
	if (value.model)
		escape_json(&json, pnstrdup(value.model->data(), value.model->size()));
	else
		appendStringInfoString(&json, "null");
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

TXTFP_FUNCTION(txtfp_embedding_from_jsonb)
{
	Jsonb *in = PG_GETARG_JSONB_P(0);
	if (!JB_ROOT_IS_OBJECT(in))
		reject_json("The value is not an object.");
	const JsonbValue *vector = member(in, "vector");
	if (vector == nullptr || vector->type != jbvBinary || !JsonContainerIsArray(vector->val.binary.data))
		reject_json("\"vector\" is missing or not an array.");
	if (JB_ROOT_COUNT(in) != (member(in, "model_id") == nullptr ? 1u : 2u))
		reject_json("The object has a key that is neither \"vector\" nor \"model_id\".");
	JsonbContainer *array = vector->val.binary.data;
	const std::uint32_t dimension = JsonContainerSize(array);
	StoredEmbedding *out = pg::allocate_embedding(dimension, json_model(in));
	JsonbIterator *elements = JsonbIteratorInit(array);
	JsonbValue item;
	std::uint32_t i = 0;
	for (JsonbIteratorToken token; (token = JsonbIteratorNext(&elements, &item, true)) != WJB_DONE;)
		if (token == WJB_ELEM)
			out->elements[i++] = json_number(&item);
	pg::check_embedding(core::check_vector(out->vector()));
	PG_RETURN_POINTER(out);
}

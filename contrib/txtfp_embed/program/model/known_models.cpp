#include "program/model/known_models.hpp"

namespace txtfp::embed {

namespace {

using core::Pooling;

constexpr std::string_view bge_query = "Represent this sentence for searching relevant passages: ";

constexpr struct {
	std::string_view name;
	KnownModel model;
} known[] = {
	{"BAAI/bge-small-en-v1.5", {Pooling::cls, bge_query, {}}}, {"BAAI/bge-base-en-v1.5", {Pooling::cls, bge_query, {}}},
	{"BAAI/bge-large-en-v1.5", {Pooling::cls, bge_query, {}}}, {"BAAI/bge-m3", {Pooling::cls, {}, {}}},
	{"intfloat/multilingual-e5-small", {Pooling::mean, "query: ", "passage: "}},
	{"intfloat/multilingual-e5-base", {Pooling::mean, "query: ", "passage: "}},
	{"intfloat/multilingual-e5-large", {Pooling::mean, "query: ", "passage: "}},
	{"intfloat/e5-small-v2", {Pooling::mean, "query: ", "passage: "}},
	{"intfloat/e5-base-v2", {Pooling::mean, "query: ", "passage: "}},
	{"intfloat/e5-large-v2", {Pooling::mean, "query: ", "passage: "}},
	{"Snowflake/snowflake-arctic-embed-m", {Pooling::cls, {}, {}}},
	{"mixedbread-ai/mxbai-embed-large-v1", {Pooling::cls, {}, {}}},
	// all-MiniLM, all-mpnet, nomic-embed-text and gte have the defaults: mean, no prefixes
};

} // namespace

KnownModel known_model(std::string_view name) noexcept
{
	for (const auto &entry : known)
		if (entry.name == name)
			return entry.model;
	return {Pooling::mean, {}, {}};
}

} // namespace txtfp::embed

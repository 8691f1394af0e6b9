#include "program/model/known_models.hpp"

namespace txtfp::embed {

namespace {

using core::Pooling;

constexpr std::string_view bge_query = "Represent this sentence for searching relevant passages: ";

constexpr std::string_view qwen_query =
	"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";
constexpr std::string_view nomic_query = "search_query: ", nomic_document = "search_document: ";

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
	{"Snowflake/snowflake-arctic-embed-m-v1.5", {Pooling::cls, bge_query, {}}},
	{"Snowflake/snowflake-arctic-embed-m-v2.0", {Pooling::cls, "query: ", {}}},
	{"Snowflake/snowflake-arctic-embed-l-v2.0", {Pooling::cls, "query: ", {}}},
	{"nomic-ai/nomic-embed-text-v1.5", {Pooling::mean, nomic_query, nomic_document}},
	{"nomic-ai/modernbert-embed-base", {Pooling::mean, nomic_query, nomic_document}},
	{"Alibaba-NLP/gte-modernbert-base", {Pooling::cls, {}, {}}},
	{"ibm-granite/granite-embedding-30m-english", {Pooling::cls, {}, {}}},
	{"ibm-granite/granite-embedding-125m-english", {Pooling::cls, {}, {}}},
	{"ibm-granite/granite-embedding-107m-multilingual", {Pooling::cls, {}, {}}},
	{"ibm-granite/granite-embedding-278m-multilingual", {Pooling::cls, {}, {}}},
	{"Qwen/Qwen3-Embedding-0.6B", {Pooling::last, qwen_query, {}}},
	{"Qwen/Qwen3-Embedding-4B", {Pooling::last, qwen_query, {}}},
	{"Qwen/Qwen3-Embedding-8B", {Pooling::last, qwen_query, {}}},
	// all-MiniLM, all-mpnet, potion, jina-embeddings-v2 and gte have the defaults: mean, no prefixes
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

#include "program/base/settings.hpp"

#include "program/base/failure.hpp"
#include "program/model/known_models.hpp"
#include "program/queue/database.hpp"
#include "unit/check.hpp"

using namespace txtfp::embed;

namespace {

std::string failure_of(std::string_view text)
{
	try {
		parse_settings(text, "/etc");
		return "";
	} catch (const Failure &failure) {
		return failure.what();
	}
}

} // namespace

TEST(settings)
{
	const Settings settings = parse_settings(R"({"socket": "run/s", "socket_mode": "0600", "batch": 7, "models": {
		"a": {"onnx": "a.onnx", "tokenizer": "/t/tokenizer.json", "like": "intfloat/e5-small-v2", "threads": 2},
		"s": {"static": "m/model.safetensors", "like": "Qwen/Qwen3-Embedding-0.6B", "normalize": true, "truncate_dim": 64},
		"b": {"provider": "cohere", "key_env": "KEY"}}})",
		"/etc");
	CHECK_EQ(settings.socket.string(), std::string("/etc/run/s"));
	CHECK_EQ(settings.socket_mode, 0600u);
	CHECK_EQ(settings.batch, 7);
	const auto &local = std::get<LocalModelSettings>(settings.models.at("a"));
	CHECK_EQ(local.onnx.string(), std::string("/etc/a.onnx"));
	CHECK_EQ(local.tokenizer.string(), std::string("/t/tokenizer.json"));
	CHECK_EQ(local.query_prefix, std::string("query: "));
	CHECK_EQ(local.document_prefix, std::string("passage: "));
	CHECK_EQ(local.max_seq_len, 512u);
	const auto &fixed = std::get<StaticModelSettings>(settings.models.at("s"));
	CHECK_EQ(fixed.matrix.string(), std::string("/etc/m/model.safetensors"));
	CHECK_EQ(fixed.tokenizer.string(), std::string("/etc/m/tokenizer.json"));
	CHECK_EQ(fixed.normalize.value_or(false), true);
	CHECK_EQ(fixed.max_seq_len.has_value(), false);
	CHECK_EQ(fixed.truncate_dim, 64u);
	CHECK_EQ(std::get<ProviderSettings>(settings.models.at("b")).dimension, 1024u);
}

TEST(settings_errors)
{
	const std::string where = "config error: configuration";
	CHECK_EQ(failure_of("{}"), where + ".models: missing");
	CHECK_EQ(failure_of(R"({"models":{},"sockett":1})"), where + ": there is no setting \"sockett\"");
	CHECK_EQ(failure_of(R"({"models":{},"batch":0})"), where + ".batch: must be an integer from 1 to 10000");
	CHECK_EQ(failure_of(R"({"models":{},"socket_mode":"rw"})"),
		where + ".socket_mode: must be octal digits such as \"0660\"");
	CHECK_EQ(failure_of(R"({"models":{"m":{"onnx":"x"}}})"), where + ".models.m.tokenizer: missing");
	CHECK_EQ(failure_of(R"({"models":{"m":{"onnx":"x","tokenizer":"y","pooling":"sum"}}})"),
		where + ".models.m.pooling: must be cls, mean, mean-no-norm, max or last");
	CHECK_EQ(failure_of(R"({"models":{"m":{"static":"x","pooling":"cls"}}})"),
		where + ".models.m: there is no setting \"pooling\"");
	CHECK_EQ(failure_of(R"({"models":{"m":{"static":"x","truncate_dim":0}}})"),
		where + ".models.m.truncate_dim: must be an integer from 1 to 65536");
	CHECK_EQ(failure_of(R"({"models":{"m":{"provider":"x"}}})"),
		where + ".models.m.provider: must be openai, voyage or cohere");
	CHECK_EQ(failure_of(R"({"models":{"m":{"provider":"openai"}}})"),
		where + ".models.m: needs either key_file or key_env; a key itself has no place here");
	CHECK_EQ(failure_of(R"({"models":{"m":{"provider":"openai","key":"sk-1"}}})"),
		where + ".models.m: there is no setting \"key\"");
}

TEST(known_models)
{
	using txtfp::core::Pooling;
	CHECK_EQ(known_model("BAAI/bge-m3").pooling == Pooling::cls, true);
	CHECK_EQ(known_model("BAAI/bge-small-en-v1.5").query_prefix,
		std::string_view("Represent this sentence for searching relevant passages: "));
	CHECK_EQ(known_model("intfloat/multilingual-e5-large").document_prefix, std::string_view("passage: "));
	CHECK_EQ(known_model("sentence-transformers/all-MiniLM-L6-v2").pooling == Pooling::mean, true);
	CHECK_EQ(known_model("mixedbread-ai/mxbai-embed-large-v1").pooling == Pooling::cls, true);
	CHECK_EQ(known_model("Qwen/Qwen3-Embedding-0.6B").pooling == Pooling::last, true);
	CHECK_EQ(known_model("nomic-ai/modernbert-embed-base").query_prefix, std::string_view("search_query: "));
	CHECK_EQ(known_model("anything").query_prefix, std::string_view());
}

TEST(literals_of_sql)
{
	CHECK_EQ(array_literal({}), std::string("{}"));
	CHECK_EQ(array_literal({"a", std::nullopt, "b\"\\,{}"}), std::string(R"({"a",NULL,"b\"\\,{}"})"));
	CHECK_EQ(quoted_name("a\"b"), std::string("\"a\"\"b\""));
}

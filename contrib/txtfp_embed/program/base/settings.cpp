#include "program/base/settings.hpp"

#include <algorithm>
#include <charconv>

#include "program/base/files.hpp"
#include "program/base/json.hpp"
#include "program/model/known_models.hpp"

namespace txtfp::embed {

namespace {

using Names = std::initializer_list<std::string_view>;

simdjson::dom::object object_of(json::Element value, const std::string &where, Names known)
{
	simdjson::dom::object object;
	if (value.get(object) != simdjson::SUCCESS)
		config_failure(where + ": must be an object");
	for (const auto &[name, member] : object)
		if (std::find(known.begin(), known.end(), name) == known.end())
			config_failure(where + ": there is no setting \"" + std::string(name) + "\"");
	return object;
}

template <typename T>
void read(json::Element object, std::string_view name, T &out, T least, T most, const std::string &where)
{
	if (const auto value = json::find(object, name))
		out = static_cast<T>(json::integer(*value, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most),
			where + "." + std::string(name)));
}

void read(json::Element object, std::string_view name, std::string &out, const std::string &where)
{
	if (json::find(object, name))
		out = json::text_member(object, name, where);
}

// What a model on this machine has in any case: prefixes, those of a known model if the entry has none, and how many
// elements are kept
template <typename ModelSettings>
KnownModel read_like(json::Element value, const std::string &name, ModelSettings &model, const std::string &where)
{
	std::string like = name;
	read(value, "like", like, where);
	const KnownModel known = known_model(like);
	model.query_prefix = known.query_prefix;
	model.document_prefix = known.document_prefix;
	read(value, "query_prefix", model.query_prefix, where);
	read(value, "document_prefix", model.document_prefix, where);
	read<std::size_t>(value, "truncate_dim", model.truncate_dim, 1, 65536, where);
	return known;
}

LocalModelSettings local_model(json::Element value, const std::string &name, const std::string &runtime,
	const std::filesystem::path &folder, const std::string &where)
{
	object_of(value, where,
		{"onnx", "tokenizer", "like", "pooling", "query_prefix", "document_prefix", "max_seq_len", "threads", "batch",
			"truncate_dim"});
	LocalModelSettings model;
	model.pooling = read_like(value, name, model, where).pooling;
	model.runtime = runtime;
	model.onnx = folder / json::text_member(value, "onnx", where);
	model.tokenizer = folder / json::text_member(value, "tokenizer", where);
	if (json::find(value, "pooling") && !core::parse_pooling(json::text_member(value, "pooling", where), model.pooling))
		config_failure(where + ".pooling: must be cls, mean, mean-no-norm, max or last");
	read<std::size_t>(value, "max_seq_len", model.max_seq_len, 1, 1 << 20, where);
	read<std::size_t>(value, "batch", model.batch, 1, 4096, where);
	read(value, "threads", model.threads, 1, 1024, where);
	return model;
}

StaticModelSettings static_model(
	json::Element value, const std::string &name, const std::filesystem::path &folder, const std::string &where)
{
	object_of(value, where,
		{"static", "tokenizer", "like", "query_prefix", "document_prefix", "max_seq_len", "normalize", "truncate_dim"});
	StaticModelSettings model;
	read_like(value, name, model, where);
	model.matrix = folder / json::text_member(value, "static", where);
	model.tokenizer = json::find(value, "tokenizer") ? folder / json::text_member(value, "tokenizer", where)
													 : model.matrix.parent_path() / "tokenizer.json";
	if (json::find(value, "normalize"))
		model.normalize = json::boolean_member(value, "normalize", false, where);
	if (json::find(value, "max_seq_len")) {
		model.max_seq_len = 0;
		read<std::size_t>(value, "max_seq_len", *model.max_seq_len, 1, 1 << 20, where);
	}
	return model;
}

ProviderSettings provider(json::Element value, const std::filesystem::path &folder, const std::string &where)
{
	object_of(value, where,
		{"provider", "model", "base_url", "key_file", "key_env", "document_type", "query_type", "dimension",
			"timeout_ms", "retry_ms", "batch"});
	const std::string_view kind = json::text_member(value, "provider", where);
	ProviderSettings result;
	if (!parse_provider(kind, result))
		config_failure(where + ".provider: must be openai, voyage or cohere");
	read(value, "model", result.model, where);
	result.dimension = known_dimension(result.kind, result.model);
	read(value, "base_url", result.base_url, where);
	read(value, "document_type", result.document_type, where);
	read(value, "query_type", result.query_type, where);
	read(value, "key_env", result.key_env, where);
	if (json::find(value, "key_file"))
		result.key_file = (folder / json::text_member(value, "key_file", where)).string();
	if (result.key_file.empty() == result.key_env.empty())
		config_failure(where + ": needs either key_file or key_env; a key itself has no place here");
	read<std::size_t>(value, "dimension", result.dimension, 1, 65536, where);
	read<std::size_t>(value, "batch", result.batch, 1, 2048, where);
	read(value, "timeout_ms", result.timeout_ms, 1, 3600000, where);
	read(value, "retry_ms", result.retry_ms, 0, 3600000, where);
	return result;
}

void read_mode(json::Element root, unsigned &mode)
{
	const auto value = json::find(root, "socket_mode");
	if (!value)
		return;
	const std::string_view text = json::text(*value, "configuration.socket_mode");
	const auto number = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
	if (number.ec != std::errc() || number.ptr != text.data() + text.size() || mode > 0777)
		config_failure("configuration.socket_mode: must be octal digits such as \"0660\"");
}

} // namespace

Settings parse_settings(std::string_view text, const std::filesystem::path &folder)
{
	const std::string where = "configuration";
	simdjson::dom::parser parser;
	json::Element root;
	if (const auto error = parser.parse(text.data(), text.size()).get(root); error != simdjson::SUCCESS)
		config_failure(where + ": " + simdjson::error_message(error));
	object_of(root, where,
		{"socket", "socket_mode", "service_threads", "database", "workers", "batch", "poll_ms", "onnxruntime",
			"models"});
	Settings settings;
	if (json::find(root, "socket"))
		settings.socket = folder / json::text_member(root, "socket", where);
	read_mode(root, settings.socket_mode);
	read(root, "service_threads", settings.service_threads, 1, 256, where);
	read(root, "database", settings.database, where);
	read(root, "workers", settings.workers, 0, 256, where);
	read(root, "batch", settings.batch, 1, 10000, where);
	read(root, "poll_ms", settings.poll_ms, 10, 3600000, where);
	std::string runtime;
	read(root, "onnxruntime", runtime, where);
	simdjson::dom::object models;
	if (json::member(root, "models", where).get(models) != simdjson::SUCCESS)
		config_failure(where + ".models: must be an object");
	for (const auto &[key, value] : models) {
		const std::string name(key), inside = where + ".models." + name;
		if (name.empty() || name.size() > 1000)
			config_failure(where + ".models: a name must have 1 to 1000 bytes");
		if (json::find(value, "provider"))
			settings.models.emplace(name, provider(value, folder, inside));
		else if (json::find(value, "static"))
			settings.models.emplace(name, static_model(value, name, folder, inside));
		else
			settings.models.emplace(name, local_model(value, name, runtime, folder, inside));
	}
	return settings;
}

Settings read_settings(const std::filesystem::path &path)
{
	return parse_settings(read_file(path), path.parent_path());
}

} // namespace txtfp::embed

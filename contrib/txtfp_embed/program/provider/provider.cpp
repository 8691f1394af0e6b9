#include "program/provider/provider.hpp"

#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "core/embedding/embedding.hpp"
#include "program/base/files.hpp"
#include "program/base/json.hpp"
#include "program/provider/http.hpp"
#include "program/provider/retry.hpp"

namespace txtfp::embed {

namespace {

struct Kind {
	std::string_view option, name, base_url, path, model, texts, vectors;
	std::string_view document_type, query_type;
	std::string_view missing_array, wrong_item;
};

constexpr Kind kinds[] = {
	{"openai", "OpenAI", "https://api.openai.com/v1", "/embeddings", "text-embedding-3-small", "input", "data", "", "",
		"missing `data` array in response", "missing `embedding` field"},
	{"voyage", "Voyage", "https://api.voyageai.com/v1", "/embeddings", "voyage-3-lite", "input", "data", "document",
		"query", "missing `data` array", "missing `embedding`"},
	{"cohere", "Cohere", "https://api.cohere.com/v1", "/embed", "embed-english-v3.0", "texts", "embeddings",
		"search_document", "search_query", "missing `embeddings`", "embedding not an array"},
};

const Kind &of(ProviderKind kind) noexcept { return kinds[static_cast<std::size_t>(kind)]; }

constexpr struct {
	ProviderKind kind;
	std::string_view model;
	std::size_t dimension;
} dimensions[] = {
	{ProviderKind::openai, "text-embedding-3-small", 1536},
	{ProviderKind::openai, "text-embedding-3-large", 3072},
	{ProviderKind::openai, "text-embedding-ada-002", 1536},
	{ProviderKind::voyage, "voyage-3-lite", 512},
	{ProviderKind::voyage, "voyage-3", 1024},
	{ProviderKind::voyage, "voyage-large-2", 1536},
	{ProviderKind::voyage, "voyage-code-2", 1536},
	{ProviderKind::cohere, "embed-english-v3.0", 1024},
	{ProviderKind::cohere, "embed-multilingual-v3.0", 1024},
	{ProviderKind::cohere, "embed-english-light-v3.0", 384},
	{ProviderKind::cohere, "embed-multilingual-light-v3.0", 384},
};

constexpr struct {
	long status;
	const char *reason;
} reasons[] = {
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{413, "Payload Too Large"},
	{415, "Unsupported Media Type"},
	{422, "Unprocessable Entity"},
	{425, "Too Early"},
	{429, "Too Many Requests"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
};

std::string read_key(const ProviderSettings &settings)
{
	std::string key;
	if (!settings.key_file.empty()) {
		key = read_file(settings.key_file);
		while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' '))
			key.pop_back();
	} else if (const char *value = std::getenv(settings.key_env.c_str())) {
		key = value;
	}
	const std::string &place = settings.key_file.empty() ? settings.key_env : settings.key_file;
	if (key.empty())
		config_failure("there is no key in " + place);
	for (const char c : key)
		if (c <= ' ' || c > '~')
			config_failure("the key in " + place + " has a character that a key cannot have");
	return key;
}

// What the crate calls "send": an attempt fails if there is no answer, or one that asks to try again.
struct Attempt {
	HttpAnswer answer;
	std::string failure; // empty after a 2xx answer
	bool transient = false;
};

class Provider final : public Embedder {
public:
	explicit Provider(const ProviderSettings &settings)
		: settings_(settings),
		  url_((settings.base_url.empty() ? std::string(of(settings.kind).base_url) : settings.base_url) +
			  std::string(of(settings.kind).path)),
		  headers_{"Content-Type: application/json", "Accept: application/json",
			  "Expect:", "Authorization: Bearer " + read_key(settings)}
	{
		if (!is_http_url(url_))
			config_failure("base_url is not an address of http or https: " + settings.base_url);
	}

	std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) override
	{
		std::vector<std::vector<float>> out;
		for (std::size_t at = 0; at < texts.size(); at += settings_.batch) {
			const auto part = texts.subspan(at, std::min(settings_.batch, texts.size() - at));
			const std::string answer = ask(request_body(settings_, part, purpose), deadline);
			for (std::vector<float> &vector : parse_provider_answer(settings_, answer, part.size()))
				out.push_back(std::move(vector));
		}
		return out;
	}

	std::size_t dimension() const override { return settings_.dimension; }

private:
	[[noreturn]] void fail_late() const
	{
		throw Failure(FailureKind::timeout, std::string(of(settings_.kind).name) + " did not answer in time", true);
	}

	Attempt attempt(const std::string &body, Clock::time_point deadline) const
	{
		const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now()).count();
		if (left <= 0)
			fail_late();
		const int timeout = static_cast<int>(std::min<std::int64_t>(settings_.timeout_ms, left));
		Attempt result{http_post(url_, headers_, body, timeout), "", false};
		const HttpAnswer &answer = result.answer;
		if (answer.status == 0) {
			// libcurl rounds its timeout down.
			if (Clock::now() + Milliseconds(5) >= deadline)
				fail_late();
			result.transient = true;
			result.failure = std::string(of(settings_.kind).name) + " send: " + answer.error;
		} else if (answer.status < 200 || answer.status > 299) {
			result.transient = is_transient(answer.status);
			result.failure = status_message(settings_.kind, answer.status);
			if (result.transient && answer.retry_after)
				result.failure += " (Retry-After " + std::to_string(*answer.retry_after) + "s)";
		}
		return result;
	}

	// Returns the body of the answer.
	std::string ask(const std::string &body, Clock::time_point deadline) const
	{
		Retry retry{Milliseconds(settings_.retry_ms), std::random_device()()};
		const Clock::time_point start = Clock::now();
		for (;;) {
			Attempt result = attempt(body, deadline);
			if (result.failure.empty())
				return std::move(result.answer.body);
			if (!result.transient)
				throw Failure(FailureKind::http, result.failure);
			const auto wait =
				retry.wait(std::chrono::duration_cast<Milliseconds>(Clock::now() - start), result.answer.retry_after);
			if (!wait || Clock::now() + *wait >= deadline)
				throw Failure(FailureKind::http, result.failure, true);
			std::this_thread::sleep_for(*wait);
		}
	}

	ProviderSettings settings_;
	std::string url_;
	std::vector<std::string> headers_; // contain the key, so they are never part of a message
};

std::vector<float> parse_vector(json::Element value, const ProviderSettings &settings)
{
	const Kind &kind = of(settings.kind);
	if (settings.kind != ProviderKind::cohere) {
		const auto embedding = json::find(value, "embedding");
		if (!embedding)
			throw Failure(FailureKind::http, std::string(kind.wrong_item));
		value = *embedding;
	}
	json::Array numbers;
	if (value.get(numbers) != simdjson::SUCCESS)
		throw Failure(FailureKind::http, std::string(kind.wrong_item));
	std::vector<float> vector;
	for (const json::Element number : numbers) {
		double element = 0;
		if (number.get(element) != simdjson::SUCCESS)
			throw Failure(FailureKind::http, "an element of an embedding is no number");
		vector.push_back(static_cast<float>(element));
	}
	if (core::check_vector(vector) == core::EmbeddingError::empty)
		throw Failure(FailureKind::input, "embedding vector is empty");
	if (core::check_vector(vector) == core::EmbeddingError::not_finite)
		throw Failure(FailureKind::input, "embedding contains non-finite values");
	if (settings.dimension != 0 && vector.size() != settings.dimension)
		throw Failure(FailureKind::dimension,
			"dimension mismatch: expected " + std::to_string(settings.dimension) + ", " + std::string(kind.name) +
				" gave " + std::to_string(vector.size()));
	return vector;
}

} // namespace

bool parse_provider(std::string_view name, ProviderSettings &settings)
{
	for (std::size_t i = 0; i < std::size(kinds); ++i) {
		if (kinds[i].option != name)
			continue;
		settings.kind = static_cast<ProviderKind>(i);
		settings.model = kinds[i].model;
		settings.document_type = kinds[i].document_type;
		settings.query_type = kinds[i].query_type;
		return true;
	}
	return false;
}

std::size_t known_dimension(ProviderKind kind, std::string_view model) noexcept
{
	for (const auto &entry : dimensions)
		if (entry.kind == kind && entry.model == model)
			return entry.dimension;
	return 0;
}

std::unique_ptr<Embedder> make_provider(const ProviderSettings &settings)
{
	return std::make_unique<Provider>(settings);
}

std::string request_body(const ProviderSettings &settings, std::span<const std::string> texts, Purpose purpose)
{
	const Kind &kind = of(settings.kind);
	std::string body = "{\"model\":";
	json::append_quoted(body, settings.model);
	body += ",\"" + std::string(kind.texts) + "\":[";
	for (std::size_t i = 0; i < texts.size(); ++i) {
		if (i > 0)
			body += ',';
		json::append_quoted(body, texts[i]);
	}
	body += ']';
	const std::string &type = purpose == Purpose::query ? settings.query_type : settings.document_type;
	if (!type.empty()) {
		body += ",\"input_type\":";
		json::append_quoted(body, type);
	}
	return body + '}';
}

std::vector<std::vector<float>> parse_provider_answer(
	const ProviderSettings &settings, std::string_view body, std::size_t expected)
{
	const Kind &kind = of(settings.kind);
	simdjson::dom::parser parser;
	json::Element root;
	if (const auto error = parser.parse(body.data(), body.size()).get(root); error != simdjson::SUCCESS)
		throw Failure(
			FailureKind::http, std::string(kind.name) + " answered no JSON: " + simdjson::error_message(error));
	const auto found = json::find(root, kind.vectors);
	json::Array array;
	if (!found || found->get(array) != simdjson::SUCCESS)
		throw Failure(FailureKind::http, std::string(kind.missing_array));
	std::vector<std::vector<float>> out;
	for (const json::Element item : array)
		out.push_back(parse_vector(item, settings));
	if (out.empty() && expected > 0)
		throw Failure(FailureKind::empty, "provider returned no embeddings");
	if (out.size() != expected)
		throw Failure(FailureKind::http,
			std::string(kind.name) + " gave " + std::to_string(out.size()) + " embeddings for " +
				std::to_string(expected) + " texts");
	return out;
}

std::string status_message(ProviderKind kind, long status)
{
	std::string reason = "<unknown status code>";
	for (const auto &entry : reasons)
		if (entry.status == status)
			reason = entry.reason;
	return std::string(of(kind).name) + " returned " + std::to_string(status) + " " + reason;
}

} // namespace txtfp::embed

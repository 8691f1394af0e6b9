#include "program/provider/provider.hpp"

#include "program/base/failure.hpp"
#include "program/provider/retry.hpp"
#include "unit/check.hpp"

using namespace txtfp::embed;

namespace {

ProviderSettings provider(const char *name)
{
	ProviderSettings settings;
	parse_provider(name, settings);
	return settings;
}

std::string failure_of(const ProviderSettings &settings, std::string_view body, std::size_t expected = 1)
{
	try {
		parse_provider_answer(settings, body, expected);
		return "";
	} catch (const Failure &failure) {
		return failure.what();
	}
}

} // namespace

TEST(provider_requests)
{
	const std::string texts[] = {"one", "two \"q\" \\ \n \x01 é"};
	CHECK_EQ(request_body(provider("openai"), texts, Purpose::query),
		std::string(R"({"model":"text-embedding-3-small","input":["one","two \"q\" \\ \u000a \u0001 é"]})"));
	CHECK_EQ(request_body(provider("voyage"), std::span(texts, 1), Purpose::query),
		std::string(R"({"model":"voyage-3-lite","input":["one"],"input_type":"query"})"));
	CHECK_EQ(request_body(provider("cohere"), std::span(texts, 1), Purpose::document),
		std::string(R"({"model":"embed-english-v3.0","texts":["one"],"input_type":"search_document"})"));
	ProviderSettings other;
	CHECK_EQ(parse_provider("other", other), false);
	CHECK_EQ(known_dimension(ProviderKind::voyage, "voyage-3-lite"), 512u);
	CHECK_EQ(known_dimension(ProviderKind::openai, "new"), 0u);
}

TEST(provider_answers)
{
	const auto vectors =
		parse_provider_answer(provider("openai"), R"({"data":[{"embedding":[0.1,2,-3e-4]},{"embedding":[1]}]})", 2);
	CHECK_EQ(vectors.size(), 2u);
	CHECK_EQ(vectors[0] == (std::vector<float>{0.1f, 2.0f, -3e-4f}), true);
	CHECK_EQ(parse_provider_answer(provider("cohere"), R"({"embeddings":[[1,2]]})", 1)[0].size(), 2u);

	const std::string http = "http error: ";
	CHECK_EQ(failure_of(provider("openai"), "{}"), http + "missing `data` array in response");
	CHECK_EQ(failure_of(provider("voyage"), R"({"data":null})"), http + "missing `data` array");
	CHECK_EQ(failure_of(provider("cohere"), R"({"embeddings":{}})"), http + "missing `embeddings`");
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{}]})"), http + "missing `embedding` field");
	CHECK_EQ(failure_of(provider("voyage"), R"({"data":[{"embedding":1}]})"), http + "missing `embedding`");
	CHECK_EQ(failure_of(provider("cohere"), R"({"embeddings":["x"]})"), http + "embedding not an array");
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[]})"), std::string("provider returned no embeddings"));
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{"embedding":[1]}]})", 2),
		http + "OpenAI gave 1 embeddings for 2 texts");
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{"embedding":["1"]}]})"),
		http + "an element of an embedding is no number");
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{"embedding":[]}]})"),
		std::string("invalid input: embedding vector is empty"));
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{"embedding":[1e300]}]})"),
		std::string("invalid input: embedding contains non-finite values"));
	CHECK_EQ(failure_of(provider("openai"), R"({"data":[{"emb)").starts_with(http + "OpenAI answered no JSON"), true);
	ProviderSettings fixed = provider("voyage");
	fixed.dimension = 3;
	CHECK_EQ(failure_of(fixed, R"({"data":[{"embedding":[1,2]}]})"),
		std::string("dimension mismatch: expected 3, Voyage gave 2"));
	CHECK_EQ(status_message(ProviderKind::openai, 401), std::string("OpenAI returned 401 Unauthorized"));
	CHECK_EQ(status_message(ProviderKind::cohere, 599), std::string("Cohere returned 599 <unknown status code>"));
}

TEST(provider_retries)
{
	for (const long status : {408, 425, 429, 500, 502, 503, 504})
		CHECK_EQ(is_transient(status), true, std::to_string(status));
	for (const long status : {200, 301, 400, 401, 403, 404, 422, 501, 505})
		CHECK_EQ(is_transient(status), false, std::to_string(status));
	CHECK_EQ(parse_retry_after(" 7 \r\n").value_or(-1), 7);
	CHECK_EQ(parse_retry_after("0").value_or(-1), 0);
	for (const char *no : {"", "soon", "1.5", "-1", "7s", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999999999999999"})
		CHECK_EQ(parse_retry_after(no).has_value(), false, no);
}

TEST(provider_waits_within_the_budget)
{
	for (std::uint64_t seed = 0; seed < 200; ++seed) {
		Retry retry{Milliseconds(90000), seed};
		double backoff = 500;
		for (int i = 0; i < 10; ++i) {
			const auto wait = retry.wait(Milliseconds(0), std::nullopt);
			CHECK_EQ(
				wait && wait->count() >= 0.7 * backoff - 1 && wait->count() <= 1.3 * backoff, true, std::to_string(i));
			backoff = std::min(2 * backoff, 30000.0);
		}
	}
	Retry retry{Milliseconds(90000), 1};
	CHECK_EQ(retry.wait(Milliseconds(10), 7)->count(), 7000);
	CHECK_EQ(retry.wait(Milliseconds(10), 3600)->count(), 60000);
	CHECK_EQ(retry.wait(Milliseconds(80000), 60)->count(), 10000);
	CHECK_EQ(retry.wait(Milliseconds(90000), 1).has_value(), false);
	CHECK_EQ(Retry(Milliseconds(90000), 2).wait(Milliseconds(89900), std::nullopt)->count(), 100);
}

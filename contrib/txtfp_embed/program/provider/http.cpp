#include "program/provider/http.hpp"

#include <memory>
#include <mutex>
#include <new>

#include <strings.h>

#include <curl/curl.h>

#include "program/provider/retry.hpp"

namespace txtfp::embed {

namespace {

constexpr std::size_t max_body = std::size_t{256} << 20;

std::size_t append_body(char *data, std::size_t size, std::size_t count, void *out) noexcept
{
	auto &body = *static_cast<std::string *>(out);
	if (body.size() + size * count > max_body)
		return 0; // stops the transfer
	try {
		body.append(data, size * count);
	} catch (const std::bad_alloc &) {
		return 0;
	}
	return size * count;
}

std::size_t parse_header(char *data, std::size_t size, std::size_t count, void *out) noexcept
{
	constexpr std::string_view name = "retry-after:";
	const std::string_view line(data, size * count);
	if (line.size() > name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0)
		static_cast<HttpAnswer *>(out)->retry_after = parse_retry_after(line.substr(name.size()));
	return line.size();
}

CURL *handle_of_this_thread()
{
	static std::once_flag once;
	std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
	thread_local const std::unique_ptr<CURL, void (*)(CURL *)> handle(curl_easy_init(), curl_easy_cleanup);
	if (!handle)
		throw std::bad_alloc();
	curl_easy_reset(handle.get());
	return handle.get();
}

} // namespace

bool is_http_url(const std::string &url)
{
	const std::unique_ptr<CURLU, void (*)(CURLU *)> parsed(curl_url(), curl_url_cleanup);
	if (!parsed)
		throw std::bad_alloc();
	char *scheme = nullptr;
	if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
		curl_url_get(parsed.get(), CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK)
		return false;
	const std::string_view name(scheme);
	const bool is_http = name == "http" || name == "https";
	curl_free(scheme);
	return is_http;
}

HttpAnswer http_post(
	const std::string &url, const std::vector<std::string> &headers, const std::string &body, int timeout_ms)
{
	CURL *curl = handle_of_this_thread();
	curl_slist *list = nullptr;
	for (const std::string &header : headers)
		list = curl_slist_append(list, header.c_str());
	const std::unique_ptr<curl_slist, void (*)(curl_slist *)> held(list, curl_slist_free_all);
	HttpAnswer answer;
	char reason[CURL_ERROR_SIZE] = "";
	curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "txtfp-embed/" TXTFP_VERSION);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, parse_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer);
	const CURLcode code = curl_easy_perform(curl);
	if (code == CURLE_OK) {
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
	} else {
		answer.error = reason[0] != '\0' ? reason : curl_easy_strerror(code);
		answer.retry_after.reset();
	}
	return answer;
}

} // namespace txtfp::embed

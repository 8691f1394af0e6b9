// Sends one POST request with libcurl.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/model/embedder.hpp"

namespace txtfp::embed {

struct HttpAnswer {
	long status = 0;   // 0: no complete answer; `error` has the reason
	std::string error; // libcurl's message; contains nothing of the request
	std::string body;
	std::optional<long> retry_after;
};

// False for what http_post() could never request.
bool is_http_url(const std::string &url);

// HTTP and HTTPS only, without redirects. Each thread keeps its connection for the next request.
HttpAnswer http_post(
	const std::string &url, const std::vector<std::string> &headers, const std::string &body, int timeout_ms);

} // namespace txtfp::embed

// One POST request by libcurl.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/model/embedder.hpp"

namespace txtfp::embed {

struct HttpAnswer {
	long status = 0;   // 0: there was no whole answer, `error` says why
	std::string error; // libcurl's words; nothing of the request in them
	std::string body;
	std::optional<long> retry_after;
};

// HTTP and HTTPS only, no redirections. Each thread keeps its connection for the next request.
HttpAnswer http_post(
	const std::string &url, const std::vector<std::string> &headers, const std::string &body, int timeout_ms);

} // namespace txtfp::embed

// The models of the configuration. Each is loaded when it is first used.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "program/base/settings.hpp"
#include "program/model/embedder.hpp"

namespace txtfp::embed {

class Models {
public:
	explicit Models(const Settings &settings);

	// Throws Failure(config) for a name that is not configured, and whatever loading throws; the next call tries to
	// load it again. Safe to call from several threads.
	Embedder &get(std::string_view name);

private:
	struct Entry {
		std::function<std::unique_ptr<Embedder>()> load;
		std::mutex mutex;
		std::unique_ptr<Embedder> embedder;
	};
	std::map<std::string, Entry, std::less<>> entries_;
};

} // namespace txtfp::embed

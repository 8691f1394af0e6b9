// The Unix socket: one thread waits for all connections, `service_threads` others compute. What a connection costs is its
// request; the models are shared by all.
#pragma once

#include <atomic>

#include "program/model/models.hpp"

namespace txtfp::embed {

class Service {
public:
	// Listens. A socket file that nobody answers at is replaced. Throws Failure(io), also if another service answers there.
	Service(const Settings &settings, Models &models);
	~Service(); // removes the socket file
	Service(const Service &) = delete;
	Service &operator=(const Service &) = delete;

	// Serves until stop() is called, from any thread or a signal handler.
	void run();
	void stop() noexcept;

private:
	class Impl;
	std::unique_ptr<Impl> impl_;
};

} // namespace txtfp::embed

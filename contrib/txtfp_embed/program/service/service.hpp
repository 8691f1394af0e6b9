// The Unix socket: one thread waits for all connections, and `service_threads` others compute. A connection only needs
// memory for its request; all share the models.
#pragma once

#include <atomic>

#include "program/model/models.hpp"

namespace txtfp::embed {

class Service {
public:
	// Listens. Replaces a socket file at which nobody answers. Throws Failure(io), also if another service answers
	// there.
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

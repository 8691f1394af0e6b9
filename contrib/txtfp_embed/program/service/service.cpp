#include "program/service/service.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <thread>
#include <unordered_map>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/protocol.hpp"

namespace txtfp::embed {

namespace {

constexpr std::size_t max_connections = 2000;
constexpr std::size_t max_waiting = 1000; // limit of requests that no thread has taken yet
constexpr std::size_t max_waiting_bytes = std::size_t{256} << 20;

[[noreturn]] void io_failure(const std::string &what)
{
	throw Failure(FailureKind::io, what + ": " + std::strerror(errno));
}

sockaddr_un address_of(const std::filesystem::path &path)
{
	sockaddr_un address{};
	address.sun_family = AF_UNIX;
	if (path.string().size() >= sizeof address.sun_path)
		throw Failure(FailureKind::config, "the path of the socket is too long: " + path.string());
	std::strcpy(address.sun_path, path.c_str());
	return address;
}

class Descriptor {
public:
	explicit Descriptor(int fd = -1) : fd_(fd) {}
	~Descriptor()
	{
		if (fd_ >= 0)
			close(fd_);
	}
	Descriptor(const Descriptor &) = delete;
	Descriptor &operator=(const Descriptor &) = delete;
	int get() const noexcept { return fd_; }

private:
	int fd_;
};

struct Job {
	std::uint64_t connection;
	std::string body; // of the request
	Clock::time_point arrived;
};

struct Done {
	std::uint64_t connection;
	std::string answer;
};

struct Connection {
	explicit Connection(int descriptor) : fd(descriptor) {}
	Descriptor fd;
	std::string in, out;
	bool working = false; // its request is being computed; further requests wait in the socket
	bool gone = false;    // the client has disconnected, or sent something that is no request
};

} // namespace

class Service::Impl {
public:
	Impl(const Settings &settings, Models &models)
		: settings_(settings), models_(models),
		  listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
		  wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
	{
		if (listener_.get() < 0 || wake_.get() < 0)
			io_failure("socket");
		listen_at(settings.socket);
	}

	~Impl() { unlink(settings_.socket.c_str()); }

	void stop() noexcept
	{
		stopping_ = true;
		wake();
	}

	void run()
	{
		std::vector<std::thread> threads;
		for (int i = 0; i < settings_.service_threads; ++i)
			threads.emplace_back([this] { compute(); });
		while (!stopping_)
			serve();
		{
			const std::lock_guard lock(mutex_);
			closing_ = true;
		}
		ready_.notify_all();
		for (std::thread &thread : threads)
			thread.join();
	}

private:
	// ------------------------------------------------------------------------------------------ listening

	// Replaces a socket file of a service that died, but not one that answers.
	void listen_at(const std::filesystem::path &path)
	{
		const sockaddr_un address = address_of(path);
		const auto *any = reinterpret_cast<const sockaddr *>(&address);
		const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
		if (connect(probe.get(), any, sizeof address) == 0)
			throw Failure(FailureKind::io, "another service answers at " + path.string());
		struct stat info;
		if (lstat(path.c_str(), &info) == 0) {
			if (!S_ISSOCK(info.st_mode))
				throw Failure(FailureKind::io, path.string() + " is no socket");
			unlink(path.c_str());
		}
		const mode_t old = umask(0777 & ~settings_.socket_mode);
		const int bound = bind(listener_.get(), any, sizeof address);
		umask(old);
		if (bound != 0 || listen(listener_.get(), 512) != 0)
			io_failure(path.string());
	}

	void wake() const noexcept
	{
		const std::uint64_t one = 1;
		[[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
	}

	// ------------------------------------------------------------------------------------------ connections

	void serve()
	{
		std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
		polled.push_back({listener_.get(), static_cast<short>(connections_.size() < max_connections ? POLLIN : 0), 0});
		std::vector<std::uint64_t> numbers;
		for (const auto &[number, connection] : connections_) {
			const int events = (connection.out.empty() ? 0 : POLLOUT) | (connection.working ? 0 : POLLIN);
			polled.push_back({connection.fd.get(), static_cast<short>(events), 0});
			numbers.push_back(number);
		}
		if (poll(polled.data(), polled.size(), -1) < 0)
			return;
		if (polled[0].revents != 0) {
			std::uint64_t count;
			[[maybe_unused]] const ssize_t got = read(wake_.get(), &count, sizeof count);
			collect_answers();
		}
		for (std::size_t i = 0; i < numbers.size(); ++i)
			if (polled[i + 2].revents != 0)
				handle_events(numbers[i], polled[i + 2].revents);
		// Connections are removed only here, so references to them stay valid until then.
		std::erase_if(connections_, [](const auto &entry) { return entry.second.gone; });
		if (polled[1].revents != 0)
			accept_one();
	}

	void accept_one()
	{
		const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			connections_.try_emplace(next_connection_++, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			std::this_thread::sleep_for(std::chrono::milliseconds(20)); // until a descriptor is closed
	}

	void handle_events(std::uint64_t number, short events)
	{
		Connection &connection = connections_.at(number);
		if (events & POLLIN)
			receive(number, connection);
		if (!connection.out.empty() && (events & POLLOUT || !(events & POLLIN)))
			send_pending(connection);
		if (connection.working && events & (POLLHUP | POLLERR))
			connection.gone = true;
	}

	void receive(std::uint64_t number, Connection &connection)
	{
		char buffer[65536];
		const ssize_t got = recv(connection.fd.get(), buffer, sizeof buffer, 0);
		if (got <= 0) {
			connection.gone = got == 0 || (errno != EAGAIN && errno != EINTR);
			return;
		}
		connection.in.append(buffer, static_cast<std::size_t>(got));
		next_request(number, connection);
	}

	// Passes the first complete request to the threads.
	void next_request(std::uint64_t number, Connection &connection)
	{
		if (connection.working || connection.in.size() < head_size)
			return;
		const auto size = parse_head(std::span(connection.in).first(head_size), max_request);
		if (!size) {
			connection.gone = true;
			return;
		}
		if (connection.in.size() < head_size + *size)
			return;
		std::string body = connection.in.substr(head_size, *size);
		connection.in.erase(0, head_size + *size);
		if (!parse_request(body)) {
			connection.gone = true;
			return;
		}
		connection.working = true;
		{
			const std::lock_guard lock(mutex_);
			if (jobs_.size() < max_waiting && waiting_bytes_ + body.size() <= max_waiting_bytes) {
				waiting_bytes_ += body.size();
				jobs_.push_back({number, std::move(body), Clock::now()});
				ready_.notify_one();
				return;
			}
		}
		answer(number, failure_answer(static_cast<std::uint8_t>(FailureKind::busy), "too many requests are waiting"));
	}

	void send_pending(Connection &connection)
	{
		const ssize_t sent = send(connection.fd.get(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
		if (sent > 0)
			connection.out.erase(0, static_cast<std::size_t>(sent));
		else if (sent < 0 && errno != EAGAIN && errno != EINTR)
			connection.gone = true;
	}

	void collect_answers()
	{
		std::vector<Done> done;
		{
			const std::lock_guard lock(mutex_);
			done.swap(done_);
		}
		for (Done &one : done)
			answer(one.connection, std::move(one.answer));
	}

	void answer(std::uint64_t number, std::string &&text)
	{
		const auto found = connections_.find(number);
		if (found == connections_.end())
			return; // the client has disconnected in the meantime
		Connection &connection = found->second;
		connection.working = false;
		connection.out += text;
		send_pending(connection);
		next_request(number, connection);
	}

	// ------------------------------------------------------------------------------------------ computing

	void compute()
	{
		for (;;) {
			Job job;
			{
				std::unique_lock lock(mutex_);
				ready_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
				if (closing_)
					return;
				job = std::move(jobs_.front());
				jobs_.pop_front();
				waiting_bytes_ -= job.body.size();
			}
			std::string answer = answer_to(job);
			{
				const std::lock_guard lock(mutex_);
				done_.push_back({job.connection, std::move(answer)});
			}
			wake();
		}
	}

	std::string answer_to(const Job &job) const
	{
		FailureKind kind = FailureKind::internal;
		std::string message;
		try {
			const Request request = *parse_request(job.body);
			const auto deadline = job.arrived + std::chrono::milliseconds(request.timeout_ms);
			if (Clock::now() >= deadline)
				throw Failure(FailureKind::timeout, "the request waited for too long");
			const std::string text(request.text);
			const auto vectors =
				models_.get(request.model).embed(std::span(&text, 1), static_cast<Purpose>(request.purpose), deadline);
			if (vectors.at(0).size() > max_dimension)
				throw Failure(FailureKind::internal, "the vector is too long");
			return vector_answer(vectors[0]);
		} catch (const Failure &failure) {
			kind = failure.kind();
			message = failure.what();
		} catch (const std::exception &error) {
			message = error.what();
		}
		return failure_answer(static_cast<std::uint8_t>(kind), message);
	}

	const Settings &settings_;
	Models &models_;
	Descriptor listener_, wake_;
	std::atomic<bool> stopping_ = false;
	std::uint64_t next_connection_ = 0;
	std::unordered_map<std::uint64_t, Connection> connections_;
	// Shared by the threads
	std::mutex mutex_;
	std::condition_variable ready_;
	std::deque<Job> jobs_;
	std::size_t waiting_bytes_ = 0;
	std::vector<Done> done_;
	bool closing_ = false;
};

Service::Service(const Settings &settings, Models &models) : impl_(std::make_unique<Impl>(settings, models)) {}
Service::~Service() = default;
void Service::run() { impl_->run(); }
void Service::stop() noexcept { impl_->stop(); }

} // namespace txtfp::embed

// txtfp-embed: the process that runs beside the server. See README.md.
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "program/queue/worker.hpp"
#include "program/service/service.hpp"
#include "program/tokenizer/tokenizer.hpp"

using namespace txtfp::embed;

namespace {

std::atomic<bool> stopping = false;
std::atomic<Service *> running_service = nullptr;

extern "C" void on_signal(int)
{
	stopping = true;
	if (Service *service = running_service.load())
		service->stop();
}

void catch_signals()
{
	struct sigaction action = {};
	action.sa_handler = on_signal;
	for (const int signal : {SIGINT, SIGTERM, SIGHUP})
		sigaction(signal, &action, nullptr);
	std::signal(SIGPIPE, SIG_IGN);
}

void rest(std::chrono::milliseconds time)
{
	const auto until = Clock::now() + time;
	while (!stopping && Clock::now() < until)
		std::this_thread::sleep_for(std::min(std::chrono::milliseconds(50), time));
}

// ---------------------------------------------------------------------------------------------- workers

// Works until the process stops; reconnects if the database is not available.
void work(const Settings &settings, Models &models)
{
	while (!stopping) {
		try {
			Worker worker(settings, models);
			while (!stopping)
				if (worker.round(false) == 0)
					rest(std::chrono::milliseconds(settings.poll_ms));
		} catch (const std::exception &error) {
			std::fprintf(stderr, "txtfp-embed: %s\n", error.what());
			rest(std::chrono::milliseconds(5 * settings.poll_ms));
		}
	}
}

std::vector<std::thread> start_workers(const Settings &settings, Models &models)
{
	std::vector<std::thread> threads;
	for (int i = 0; i < settings.workers; ++i)
		threads.emplace_back([&] { work(settings, models); });
	return threads;
}

int serve_and_work(const Settings &settings, Models &models, bool serve, bool work_too)
{
	std::vector<std::thread> threads;
	if (serve) {
		Service service(settings, models);
		running_service = &service;
		if (work_too)
			threads = start_workers(settings, models);
		std::fprintf(stderr, "txtfp-embed: listening at %s\n", settings.socket.c_str());
		if (!stopping)
			service.run();
		running_service = nullptr;
		stopping = true;
	} else {
		threads = start_workers(settings, models);
	}
	for (std::thread &thread : threads)
		thread.join();
	return 0;
}

// ---------------------------------------------------------------------------------------------- --once

struct Totals {
	long long jobs = 0, waiting = 0, given_up = 0;
};

Totals totals(Database &database, const std::string &schema)
{
	Totals sum;
	for (const QueueState &state : queue_states(database, schema)) {
		sum.jobs += state.jobs;
		sum.waiting += state.waiting;
		sum.given_up += state.given_up;
	}
	return sum;
}

void draw(long long done, long long total, double seconds)
{
	constexpr int width = 30;
	const double share = total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 1;
	std::string bar(width, '.');
	std::fill_n(bar.begin(), static_cast<int>(share * width), '#');
	const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
	const double left = rate > 0 ? static_cast<double>(std::max(0LL, total - done)) / rate : 0;
	std::fprintf(stderr, "\r[%s] %5.1f %%  %lld of %lld rows, %.0f rows/s, %.0f s left ", bar.c_str(), 100 * share,
		done, total, rate, left);
}

// Empties the queues and returns. 0: everything is done; 3: some rows have failed; others may be tried again later.
int once(const Settings &settings, Models &models)
{
	Database database(settings.database);
	const std::string schema = extension_schema(database);
	const Totals before = totals(database, schema);
	const bool bar = isatty(STDERR_FILENO) != 0;
	Worker worker(settings, models);
	const auto start = Clock::now();
	const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
	long long done = 0;
	while (!stopping) {
		const long long now = worker.round(true);
		done += now;
		if (bar)
			draw(done, std::max(before.jobs, done), seconds());
		// Another worker finishes the jobs that it has locked.
		if (now == 0)
			break;
	}
	const Totals after = totals(database, schema);
	std::fprintf(stderr, "%s%lld rows in %.1f s; %lld left, %lld failed and waiting, %lld given up\n", bar ? "\n" : "",
		done - worker.failed(), seconds(), after.jobs, after.waiting, after.given_up);
	return stopping ? 130 : after.waiting + after.given_up > 0 ? 3 : 0;
}

int status(const Settings &settings)
{
	Database database(settings.database);
	const std::string schema = extension_schema(database);
	std::printf(
		"%5s  %-32s %-24s %10s %10s %10s  %s\n", "queue", "table", "model", "jobs", "failed", "given up", "oldest job");
	for (const QueueState &state : queue_states(database, schema))
		std::printf("%5lld  %-32s %-24s %10lld %10lld %10lld  %s\n", state.id, state.source.c_str(),
			state.model.c_str(), state.jobs, state.waiting, state.given_up, state.oldest.c_str());
	const Rows workers =
		database.run("SELECT count(*), coalesce(sum(rows_done), 0), coalesce(sum(rows_failed), 0), "
					 "coalesce(sum(rows_per_second) FILTER (WHERE seen > now() - interval '1 minute'), 0)::int FROM " +
			schema + "embed_workers w WHERE EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = w.pid)");
	std::printf("%s workers: %s rows done, %s attempts failed, %s rows/s\n", workers.text(0, 0).c_str(),
		workers.text(0, 1).c_str(), workers.text(0, 2).c_str(), workers.text(0, 3).c_str());
	return 0;
}

// ---------------------------------------------------------------------------------------------- without a server

template <typename Fn> void for_each_input(Fn fn)
{
	std::string text;
	for (int c = std::getchar(); c != EOF; c = std::getchar()) {
		if (c != '\0') {
			text.push_back(static_cast<char>(c));
			continue;
		}
		fn(text);
		text.clear();
	}
}

int tokenize(const std::string &path)
{
	const Tokenizer tokenizer = Tokenizer::from_file(path);
	for_each_input([&](const std::string &text) {
		const Encoding encoding = tokenizer.encode(text);
		for (std::size_t i = 0; i < encoding.ids.size(); ++i)
			std::printf("%s%u%s", i > 0 ? " " : "", encoding.ids[i], encoding.mask[i] != 0 ? "" : "p");
		std::printf("\n");
	});
	return 0;
}

int embed_input(Models &models, const std::string &model)
{
	std::vector<std::string> texts;
	for_each_input([&](const std::string &text) { texts.push_back(text); });
	Embedder &embedder = models.get(model);
	const auto start = Clock::now();
	const std::clock_t used = std::clock();
	const auto vectors = embedder.embed(texts, Purpose::document, Clock::time_point::max());
	std::fprintf(stderr, "%zu texts in %.3f s, %.3f s of processor time\n", texts.size(),
		std::chrono::duration<double>(Clock::now() - start).count(),
		static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
	for (const std::vector<float> &vector : vectors) {
		for (std::size_t i = 0; i < vector.size(); ++i)
			std::printf("%s%.9g", i > 0 ? "," : "[", static_cast<double>(vector[i]));
		std::printf("]\n");
	}
	return 0;
}

int run(int argc, char **argv)
{
	CLI::App app("Embeddings for PostgreSQL: serves embed() at a Unix socket and empties the queues of embed_queue()");
	std::string config = "/etc/txtfp-embed.json", tokenizer, model;
	bool serve = false, workers = false, one_time = false, show_status = false;
	app.set_version_flag("--version", TXTFP_VERSION);
	app.add_option("--config", config, "configuration file")->capture_default_str();
	auto *modes = app.add_option_group("what to do (default: --serve and --work)");
	modes->add_flag("--serve", serve, "serve embed() only");
	modes->add_flag("--work", workers, "empty the queues only");
	modes->add_flag("--once", one_time, "empty the queues, then end");
	modes->add_flag("--status", show_status, "tell the length of the queues, rate and failures");
	modes->add_option(
		"--tokenize", tokenizer, "print the tokens of NUL-ended texts, with this tokenizer.json or vocab.txt");
	modes->add_option("--embed", model, "print the vectors of NUL-ended texts, made by this model");
	modes->require_option(0, 1);
	CLI11_PARSE(app, argc, argv);
	catch_signals();
	if (!tokenizer.empty())
		return tokenize(tokenizer);
	const Settings settings = read_settings(config);
	Models models(settings);
	if (!model.empty())
		return embed_input(models, model);
	if (show_status)
		return status(settings);
	if (one_time)
		return once(settings, models);
	return serve_and_work(settings, models, !workers, !serve);
}

} // namespace

int main(int argc, char **argv)
{
	try {
		return run(argc, argv);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "txtfp-embed: %s\n", error.what());
		return 1;
	}
}

// Empties the queues of embed_queue(). A batch is one transaction: it locks the jobs (SKIP LOCKED, so that workers do
// not wait for each other), reads the texts, embeds them, writes the vectors of texts that have not changed, and
// deletes the jobs. If a worker dies, its batch is rolled back, and another worker takes the jobs.
#pragma once

#include <atomic>
#include <functional>

#include "program/model/models.hpp"
#include "program/queue/database.hpp"

namespace txtfp::embed {

// The remaining work, for --status and the progress bar.
struct QueueState {
	std::string source, model;
	long long id, jobs, waiting, given_up;
	std::string oldest; // age of the oldest job, empty if there is none
};

class Worker {
public:
	Worker(const Settings &settings, Models &models);
	~Worker();

	// Works on one batch of each queue that has jobs; returns the number of finished jobs, including failed ones.
	// Throws DatabaseFailure if the database fails, and Failure(config) for a model that is not configured if `strict`.
	long long round(bool strict);

	long long failed() const noexcept { return failed_; } // failed attempts of this worker

private:
	struct Queue;
	struct Row;

	std::vector<Queue> queues();
	void queue_retries();
	long long batch(const Queue &queue, bool strict);
	std::vector<Row> claim(const Queue &queue);
	void read_texts(const Queue &queue, std::vector<Row> &rows);
	void embed(const Queue &queue, Embedder &embedder, std::vector<Row> &rows);
	void write(const Queue &queue, std::vector<Row> &rows);
	void write_rows(const Queue &queue, const std::vector<Row *> &rows);
	void finish(const Queue &queue, const std::vector<Row> &rows);
	void note_progress(long long done, long long failed);

	const Settings &settings_;
	Models &models_;
	Database database_;
	std::string schema_; // schema of the extension, quoted, with a dot
	Clock::time_point started_;
	long long done_ = 0, failed_ = 0;
	double rate_ = 0; // recent rows per second
	Clock::time_point last_note_;
	std::string last_complaint_;
};

std::vector<QueueState> queue_states(Database &database, const std::string &schema);
std::string extension_schema(Database &database); // throws Failure(config) if the extension is not in the database

} // namespace txtfp::embed

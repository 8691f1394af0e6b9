#include "program/queue/worker.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

namespace txtfp::embed {

namespace {

constexpr int max_attempts = 8; // per row, for failures that the row causes
constexpr auto batch_time = std::chrono::minutes(10);

void complain(const std::string &message) { std::fprintf(stderr, "txtfp-embed: %s\n", message.c_str()); }

// Writes a vector as a literal; the form depends on the type of the column.
std::string literal_of(const std::vector<float> &vector, const std::string &type, const std::string &model)
{
	if (type == "bit") { // the signs, as pgvector's binary_quantize() gives them
		std::string bits;
		for (const float value : vector)
			bits += value > 0 ? '1' : '0';
		return bits;
	}
	const bool array = type.ends_with("[]");
	std::string out = type == "embedding" ? model + "/[" : array ? "{" : "[";
	char digits[32];
	for (std::size_t i = 0; i < vector.size(); ++i) {
		if (i > 0)
			out += ',';
		out.append(digits, std::to_chars(digits, digits + sizeof digits, vector[i]).ptr);
	}
	return out + (array ? '}' : ']');
}

} // namespace

struct Worker::Queue {
	std::string id, source, key_column, text_column, target_column, model;
	std::string key_type, target_type, target_name; // target_name: the type without schema
};

struct Worker::Row {
	long long job;
	int attempts;
	std::string key;
	bool found = false;
	std::optional<std::string> text;
	std::optional<std::vector<float>> vector;
	std::optional<std::string> failure;
	bool transient = false; // the failure is transient
};

Worker::Worker(const Settings &settings, Models &models)
	: settings_(settings), models_(models), database_(settings.database), schema_(extension_schema(database_)),
	  started_(Clock::now()), last_note_(started_)
{
	database_.run("DELETE FROM " + schema_ +
		"embed_workers w WHERE pid = pg_backend_pid() OR NOT EXISTS "
		"(SELECT FROM pg_stat_activity a WHERE a.pid = w.pid)");
	database_.run("INSERT INTO " + schema_ + "embed_workers (pid) VALUES (pg_backend_pid())");
}

Worker::~Worker()
{
	try {
		database_.run("ROLLBACK");
		database_.run("DELETE FROM " + schema_ + "embed_workers WHERE pid = pg_backend_pid()");
	} catch (const std::exception &) {
		// The next worker removes the row.
	}
}

// ---------------------------------------------------------------------------------------------- jobs

std::vector<Worker::Queue> Worker::queues()
{
	const Rows rows = database_.run(
		"SELECT q.id, format('%I.%I', n.nspname, c.relname), quote_ident(q.key_column), quote_ident(q.text_column), "
		"quote_ident(q.target_column), q.model, format_type(k.atttypid, k.atttypmod), format_type(t.atttypid, NULL), "
		"CASE WHEN e.oid IS NULL THEN y.typname ELSE e.typname || '[]' END "
		"FROM " +
		schema_ +
		"embed_queues q JOIN pg_class c ON c.oid = q.source JOIN pg_namespace n ON n.oid = c.relnamespace "
		"JOIN pg_attribute k ON k.attrelid = c.oid AND k.attname = q.key_column "
		"JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = q.target_column "
		"JOIN pg_type y ON y.oid = t.atttypid LEFT JOIN pg_type e ON e.oid = y.typelem AND y.typcategory = 'A' "
		"WHERE EXISTS (SELECT FROM " +
		schema_ + "embed_jobs j WHERE j.queue = q.id) ORDER BY q.id");
	std::vector<Queue> out;
	for (int i = 0; i < rows.size(); ++i)
		out.push_back({rows.text(i, 0), rows.text(i, 1), rows.text(i, 2), rows.text(i, 3), rows.text(i, 4),
			rows.text(i, 5), rows.text(i, 6), rows.text(i, 7), rows.text(i, 8)});
	return out;
}

void Worker::queue_retries()
{
	database_.run("WITH due AS (SELECT queue, key, attempts FROM " + schema_ +
		"embed_failures "
		"WHERE state = 'waiting' AND retry <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED), "
		"noted AS (UPDATE " +
		schema_ +
		"embed_failures f SET state = 'queued', retry = NULL FROM due "
		"WHERE f.queue = due.queue AND f.key = due.key) "
		"INSERT INTO " +
		schema_ + "embed_jobs (queue, key, attempts) SELECT queue, key, attempts FROM due");
}

long long Worker::round(bool strict)
{
	queue_retries();
	long long done = 0;
	for (const Queue &queue : queues())
		done += batch(queue, strict);
	return done;
}

// ---------------------------------------------------------------------------------------------- a batch

long long Worker::batch(const Queue &queue, bool strict)
{
	Embedder *embedder = nullptr;
	try {
		embedder = &models_.get(queue.model);
	} catch (const Failure &failure) {
		if (strict)
			throw;
		// Another worker may have the model; this one logs the problem once.
		const std::string complaint = "queue " + queue.id + " of " + queue.source + ": " + failure.what();
		if (complaint != last_complaint_)
			complain(complaint);
		last_complaint_ = complaint;
		return 0;
	}
	database_.run("BEGIN");
	try {
		std::vector<Row> rows = claim(queue);
		if (rows.empty()) {
			database_.run("ROLLBACK");
			return 0;
		}
		read_texts(queue, rows);
		embed(queue, *embedder, rows);
		write(queue, rows);
		finish(queue, rows);
		const long long failed =
			std::count_if(rows.begin(), rows.end(), [](const Row &row) { return row.failure.has_value(); });
		note_progress(static_cast<long long>(rows.size()), failed);
		database_.run("COMMIT");
		return static_cast<long long>(rows.size());
	} catch (...) {
		try {
			database_.run("ROLLBACK");
		} catch (const std::exception &) {
			// The connection is lost, and with it the transaction.
		}
		throw;
	}
}

std::vector<Worker::Row> Worker::claim(const Queue &queue)
{
	const Rows jobs = database_.run("SELECT id, attempts, key FROM " + schema_ +
			"embed_jobs WHERE queue = $1::int ORDER BY id LIMIT $2::int FOR UPDATE SKIP LOCKED",
		{queue.id, std::to_string(settings_.batch)});
	std::vector<Row> rows;
	for (int i = 0; i < jobs.size(); ++i) {
		Row row{};
		row.job = jobs.integer(i, 0);
		row.attempts = static_cast<int>(jobs.integer(i, 1));
		row.key = jobs.text(i, 2);
		rows.push_back(std::move(row));
	}
	return rows;
}

void Worker::read_texts(const Queue &queue, std::vector<Row> &rows)
{
	std::vector<Database::Parameter> keys;
	std::multimap<std::string, Row *> by_key;
	for (Row &row : rows) {
		keys.emplace_back(row.key);
		by_key.emplace(row.key, &row);
	}
	const Rows texts = database_.run("SELECT " + queue.key_column + "::text, " + queue.text_column + "::text FROM " +
			queue.source + " WHERE " + queue.key_column + " = ANY ($1::" + queue.key_type + "[])",
		{array_literal(keys)});
	for (int i = 0; i < texts.size(); ++i) {
		const auto [first, last] = by_key.equal_range(texts.text(i, 0));
		for (auto row = first; row != last; ++row) {
			row->second->found = true;
			if (!texts.is_null(i, 1))
				row->second->text = texts.text(i, 1);
		}
	}
}

// Embeds equal texts once. If the batch fails because of one text, each text is tried alone.
void Worker::embed(const Queue &, Embedder &embedder, std::vector<Row> &rows)
{
	std::map<std::string, std::vector<Row *>> by_text;
	for (Row &row : rows)
		if (row.text)
			by_text[*row.text].push_back(&row);
	std::vector<std::string> texts;
	for (const auto &[text, holders] : by_text)
		texts.push_back(text);
	const auto put = [&](std::size_t i, const std::vector<float> &vector) {
		for (Row *row : by_text[texts[i]])
			row->vector = vector;
	};
	const auto fail = [&](std::size_t i, const Failure &failure) {
		for (Row *row : by_text[texts[i]]) {
			row->failure = failure.what();
			row->transient = failure.transient();
		}
	};
	if (texts.empty())
		return;
	try {
		const auto vectors = embedder.embed(texts, Purpose::document, Clock::now() + batch_time);
		for (std::size_t i = 0; i < texts.size(); ++i)
			put(i, vectors.at(i));
		return;
	} catch (const Failure &failure) {
		if (failure.transient() || texts.size() == 1) {
			for (std::size_t i = 0; i < texts.size(); ++i)
				fail(i, failure);
			return;
		}
	}
	for (std::size_t i = 0; i < texts.size(); ++i) {
		try {
			put(i, embedder.embed(std::span(texts).subspan(i, 1), Purpose::document, Clock::now() + batch_time).at(0));
		} catch (const Failure &failure) {
			fail(i, failure);
		}
	}
}

// Writes all rows at once or, if the table rejects that, one after the other.
void Worker::write(const Queue &queue, std::vector<Row> &rows)
{
	std::vector<Row *> chosen;
	for (Row &row : rows)
		if (row.found && !row.failure)
			chosen.push_back(&row);
	// Uses one order, so that two workers cannot deadlock.
	std::sort(chosen.begin(), chosen.end(), [](const Row *a, const Row *b) { return a->key < b->key; });
	if (chosen.empty())
		return;
	database_.run("SAVEPOINT batch");
	try {
		write_rows(queue, chosen);
		return;
	} catch (const DatabaseFailure &failure) {
		if (!failure.of_the_row())
			throw;
		database_.run("ROLLBACK TO batch");
	}
	for (Row *row : chosen) {
		try {
			write_rows(queue, {row});
			database_.run("SAVEPOINT batch");
		} catch (const DatabaseFailure &failure) {
			if (!failure.of_the_row())
				throw;
			database_.run("ROLLBACK TO batch");
			row->failure = failure.sqlstate() + ": " + failure.what();
		}
	}
}

void Worker::write_rows(const Queue &queue, const std::vector<Row *> &rows)
{
	std::vector<Database::Parameter> keys, texts, vectors;
	for (const Row *row : rows) {
		keys.emplace_back(row->key);
		texts.emplace_back(row->text);
		vectors.emplace_back(
			row->vector ? std::optional(literal_of(*row->vector, queue.target_name, queue.model)) : std::nullopt);
	}
	database_.run("UPDATE " + queue.source + " AS t SET " + queue.target_column + " = v.vector::" +
			// The type bit without a length would keep only the first one.
			(queue.target_name == "bit" ? "pg_catalog.varbit" : queue.target_type) +
			" FROM unnest($1::text[], $2::text[], $3::text[]) AS v(key, body, vector) WHERE t." + queue.key_column +
			" = v.key::" + queue.key_type + " AND t." + queue.text_column + "::text IS NOT DISTINCT FROM v.body",
		{array_literal(keys), array_literal(texts), array_literal(vectors)});
}

void Worker::finish(const Queue &queue, const std::vector<Row> &rows)
{
	std::vector<Database::Parameter> jobs, cured;
	for (const Row &row : rows) {
		jobs.emplace_back(std::to_string(row.job));
		if (!row.failure) {
			cured.emplace_back(row.key);
			continue;
		}
		const int attempts = row.attempts + 1;
		const bool give_up = !row.transient && attempts >= max_attempts;
		// Half of the delay is random, so that rows that failed together are not retried together.
		database_.run("INSERT INTO " + schema_ +
				"embed_failures AS f (queue, key, state, attempts, reason, retry) VALUES "
				"($1::int, $2, $3, $4::int, $5, CASE WHEN $3 = 'waiting' THEN now() + $6::float8 * (0.5 + random() / "
				"2) * interval '1 second' END) "
				"ON CONFLICT (queue, key) DO UPDATE SET state = excluded.state, attempts = excluded.attempts, "
				"reason = excluded.reason, failed = now(), retry = excluded.retry",
			{queue.id, row.key, give_up ? "given up" : "waiting", std::to_string(attempts), *row.failure,
				std::to_string(std::min(3600.0, 2 * std::pow(2.0, std::min(attempts, 12))))});
		complain("queue " + queue.id + ", key " + row.key.substr(0, 60) + ": " + *row.failure);
	}
	if (!cured.empty())
		database_.run("DELETE FROM " + schema_ + "embed_failures WHERE queue = $1::int AND key = ANY ($2::text[])",
			{queue.id, array_literal(cured)});
	database_.run("DELETE FROM " + schema_ + "embed_jobs WHERE queue = $1::int AND id = ANY ($2::bigint[])",
		{queue.id, array_literal(jobs)});
}

void Worker::note_progress(long long done, long long failed)
{
	const Clock::time_point now = Clock::now();
	const double seconds = std::max(1e-3, std::chrono::duration<double>(now - last_note_).count());
	const double current = static_cast<double>(done - failed) / seconds;
	rate_ = done_ == 0 ? current : 0.8 * rate_ + 0.2 * current;
	last_note_ = now;
	done_ += done - failed;
	failed_ += failed;
	database_.run("UPDATE " + schema_ +
			"embed_workers SET seen = now(), rows_done = $1::bigint, rows_failed = $2::bigint, "
			"rows_per_second = $3::real WHERE pid = pg_backend_pid()",
		{std::to_string(done_), std::to_string(failed_), std::to_string(rate_)});
}

// ---------------------------------------------------------------------------------------------- the state

std::string extension_schema(Database &database)
{
	const Rows rows =
		database.run("SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
					 "WHERE e.extname = 'txtfp_embed'");
	if (rows.size() != 1)
		config_failure("the database does not have the extension txtfp_embed");
	return rows.text(0, 0) + ".";
}

std::vector<QueueState> queue_states(Database &database, const std::string &schema)
{
	const Rows rows = database.run("SELECT q.source::regclass::text, q.model, q.id, j.n, f.waiting, f.given_up, "
								   "coalesce(date_trunc('second', now() - j.oldest)::text, '') FROM " +
		schema +
		"embed_queues q, "
		"LATERAL (SELECT count(*) AS n, min(queued) AS oldest FROM " +
		schema +
		"embed_jobs j WHERE j.queue = q.id) j, "
		"LATERAL (SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'given "
		"up') AS given_up "
		"FROM " +
		schema + "embed_failures f WHERE f.queue = q.id) f ORDER BY q.id");
	std::vector<QueueState> out;
	for (int i = 0; i < rows.size(); ++i)
		out.push_back({rows.text(i, 0), rows.text(i, 1), rows.integer(i, 2), rows.integer(i, 3), rows.integer(i, 4),
			rows.integer(i, 5), rows.text(i, 6)});
	return out;
}

} // namespace txtfp::embed

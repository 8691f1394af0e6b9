// A C++ interface to libpq with exceptions and owning objects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "program/base/failure.hpp"

namespace txtfp::embed {

class DatabaseFailure : public Failure {
public:
	DatabaseFailure(const std::string &message, std::string sqlstate, bool connected)
		: Failure(FailureKind::internal, message, true), sqlstate_(std::move(sqlstate)), connected_(connected)
	{
	}
	const std::string &sqlstate() const noexcept { return sqlstate_; }
	// True if the statement caused the failure, not the connection, a lock, or the server.
	bool of_the_row() const noexcept;

private:
	std::string sqlstate_;
	bool connected_;
};

class Rows {
public:
	explicit Rows(PGresult *result) : result_(result, PQclear) {}
	int size() const noexcept { return PQntuples(result_.get()); }
	bool is_null(int row, int column) const noexcept { return PQgetisnull(result_.get(), row, column) != 0; }
	std::string text(int row, int column) const
	{
		return std::string(
			PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column)));
	}
	long long integer(int row, int column) const { return std::stoll(text(row, column)); }
	long long affected() const;

private:
	std::unique_ptr<PGresult, void (*)(PGresult *)> result_;
};

class Database {
public:
	using Parameter = std::optional<std::string>;

	explicit Database(const std::string &conninfo); // throws DatabaseFailure
	Rows run(const std::string &statement, const std::vector<Parameter> &parameters = {});

private:
	std::unique_ptr<PGconn, void (*)(PGconn *)> connection_;
};

std::string array_literal(const std::vector<Database::Parameter> &elements); // {"a",NULL,…}
std::string quoted_name(std::string_view name);                              // an identifier

} // namespace txtfp::embed

#include "program/queue/database.hpp"

namespace txtfp::embed {

namespace {

std::string trimmed(const char *message)
{
	std::string text = message;
	while (!text.empty() && text.back() == '\n')
		text.pop_back();
	return text;
}

} // namespace

bool DatabaseFailure::of_the_row() const noexcept
{
	// 08 connection, 25 transaction state, 40 rollback, 53 resources, 57 intervention, 58 system, XX internal
	for (const char *kind : {"08", "25", "40", "53", "55", "57", "58", "XX"})
		if (sqlstate_.starts_with(kind))
			return false;
	return connected_ && !sqlstate_.empty();
}

long long Rows::affected() const
{
	const char *count = PQcmdTuples(result_.get());
	return *count == '\0' ? 0 : std::stoll(count);
}

Database::Database(const std::string &conninfo) : connection_(nullptr, PQfinish)
{
	// Keeps the search path of the role, because triggers of the tables may rely on it. Names in our own statements are
	// qualified.
	const char *keywords[] = {"dbname", "application_name", "client_encoding", nullptr};
	const char *values[] = {conninfo.c_str(), "txtfp-embed", "UTF8", nullptr};
	connection_.reset(PQconnectdbParams(keywords, values, 1));
	if (!connection_)
		throw std::bad_alloc();
	if (PQstatus(connection_.get()) != CONNECTION_OK)
		throw DatabaseFailure(trimmed(PQerrorMessage(connection_.get())), "08006", false);
	PQsetNoticeProcessor(
		connection_.get(), [](void *, const char *) {}, nullptr);
}

Rows Database::run(const std::string &statement, const std::vector<Parameter> &parameters)
{
	std::vector<const char *> values;
	for (const Parameter &parameter : parameters)
		values.push_back(parameter ? parameter->c_str() : nullptr);
	PGresult *result = PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()), nullptr,
		values.data(), nullptr, nullptr, 0);
	Rows rows(result);
	const ExecStatusType status = PQresultStatus(result);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return rows;
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	throw DatabaseFailure(message != nullptr ? message : trimmed(PQerrorMessage(connection_.get())),
		sqlstate != nullptr ? sqlstate : "08006", PQstatus(connection_.get()) == CONNECTION_OK);
}

std::string array_literal(const std::vector<Database::Parameter> &elements)
{
	std::string out = "{";
	for (const Database::Parameter &element : elements) {
		if (out.size() > 1)
			out += ',';
		if (!element) {
			out += "NULL";
			continue;
		}
		out += '"';
		for (const char c : *element) {
			if (c == '"' || c == '\\')
				out += '\\';
			out += c;
		}
		out += '"';
	}
	return out + '}';
}

std::string quoted_name(std::string_view name)
{
	std::string out = "\"";
	for (const char c : name) {
		if (c == '"')
			out += '"';
		out += c;
	}
	return out + '"';
}

} // namespace txtfp::embed

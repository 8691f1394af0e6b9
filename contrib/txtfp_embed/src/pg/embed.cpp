// embed(text, model, purpose), and the entry points of a module. The backend opens one Unix socket per call and waits
// for it with latches: the wait can be cancelled, and ends with the server.
#include <cerrno>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/protocol.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "portability/instr_time.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/wait_event.h"
}

static char *socket_path = nullptr;
static int timeout_ms = 30000;

static bool check_socket_path(char **value, void **, GucSource)
{
	if ((*value)[0] == '/' && strlen(*value) < sizeof(sockaddr_un::sun_path))
		return true;
	GUC_check_errdetail("The socket must be an absolute path of fewer than %zu bytes.", sizeof(sockaddr_un::sun_path));
	return false;
}

void _PG_init(void)
{
	txtfp::pg::throw_once();
	DefineCustomStringVariable("txtfp_embed.socket", "Unix socket at which the program txtfp-embed answers.", nullptr,
		&socket_path, "/run/txtfp-embed/socket", PGC_SUSET, 0, check_socket_path, nullptr, nullptr);
	DefineCustomIntVariable("txtfp_embed.timeout", "How long embed() waits for an answer.", nullptr, &timeout_ms, 30000,
		1, 3600000, PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
	MarkGUCPrefixReserved("txtfp_embed");
}

namespace txtfp::pg {

namespace {

// Plain data, because a longjmp may leave its frames.
struct Conversation {
	int socket; // -1: closed
	bool reserved;
	instr_time started;
};

void hang_up(Conversation &talk)
{
	if (talk.socket >= 0)
		close(talk.socket);
	talk.socket = -1;
	if (talk.reserved)
		ReleaseExternalFD();
	talk.reserved = false;
}

uint32 wait_event()
{
#if PG_VERSION_NUM >= 170000
	static uint32 event = 0;
	if (event == 0)
		event = WaitEventExtensionNew("TxtfpEmbed");
	return event;
#else
	return PG_WAIT_EXTENSION;
#endif
}

// ---------------------------------------------------------------------------------------------- waiting

void wait_for(const Conversation &talk, int event)
{
	CHECK_FOR_INTERRUPTS();
	instr_time now;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, talk.started);
	const double left = timeout_ms - INSTR_TIME_GET_MILLISEC(now);
	if (left <= 0)
		ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE), errmsg("txtfp-embed did not answer within %d ms", timeout_ms),
				errhint("The limit is set by txtfp_embed.timeout.")));
	const int events = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT | event, talk.socket,
		static_cast<long>(left) + 1, wait_event());
	if (events & WL_LATCH_SET) {
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

bool try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

[[noreturn]] void lost()
{
	ereport(ERROR,
		(errcode(ERRCODE_CONNECTION_FAILURE), errmsg("txtfp-embed closed the connection"),
			errhint("Its log may say why.")));
	pg_unreachable();
}

void connect_to_program(Conversation &talk)
{
	if (!AcquireExternalFD())
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not reserve a descriptor for a socket: %m")));
	talk.reserved = true;
	talk.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (talk.socket < 0)
		ereport(ERROR, (errcode_for_socket_access(), errmsg("could not create a socket: %m")));
	sockaddr_un address{};
	address.sun_family = AF_UNIX;
	strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
	// EAGAIN: the queue of connections to accept is full
	while (connect(talk.socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
		if (!try_again())
			ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					errmsg("could not connect to txtfp-embed at \"%s\": %m", socket_path),
					errhint("Is the program running, and may the server's user open the socket?")));
		pg_usleep(1000);
		wait_for(talk, WL_SOCKET_WRITEABLE);
	}
}

void send_all(const Conversation &talk, const char *data, Size size)
{
	while (size > 0) {
		const ssize_t sent = send(talk.socket, data, size, MSG_NOSIGNAL);
		if (sent >= 0) {
			data += sent;
			size -= static_cast<Size>(sent);
		} else if (try_again()) {
			wait_for(talk, WL_SOCKET_WRITEABLE);
		} else {
			lost();
		}
	}
}

void receive_all(const Conversation &talk, char *data, Size size)
{
	while (size > 0) {
		const ssize_t got = recv(talk.socket, data, size, 0);
		if (got > 0) {
			data += got;
			size -= static_cast<Size>(got);
		} else if (got < 0 && try_again()) {
			wait_for(talk, WL_SOCKET_READABLE);
		} else {
			lost();
		}
	}
}

// ---------------------------------------------------------------------------------------------- the answer

[[noreturn]] void no_answer()
{
	ereport(ERROR,
		(errcode(ERRCODE_PROTOCOL_VIOLATION), errmsg("txtfp-embed sent an invalid answer"),
			errdetail("Something else may be listening at \"%s\".", socket_path)));
	pg_unreachable();
}

// The numbers are those of FailureKind in program/base/failure.hpp.
int sqlstate_of(unsigned outcome)
{
	switch (outcome) {
	case 1: // input
	case 2: // config
		return ERRCODE_INVALID_PARAMETER_VALUE;
	case 6: // empty
		return ERRCODE_DATA_EXCEPTION;
	case 7: // dimension
		return ERRCODE_ARRAY_SUBSCRIPT_ERROR;
	case 8: // io
		return ERRCODE_IO_ERROR;
	case 9: // timeout
		return ERRCODE_CONNECTION_FAILURE;
	case 10: // busy
		return ERRCODE_TOO_MANY_CONNECTIONS;
	default: // tokenizer, onnx, http, internal
		return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
	}
}

[[noreturn]] void report_answer(const embed::Answer &answer)
{
	char *message = static_cast<char *>(palloc(answer.message.size() + 1));
	memcpy(message, answer.message.data(), answer.message.size());
	message[answer.message.size()] = '\0';
	// Shows the program's message only if it is valid text in this database.
	if (!pg_verify_mbstr(PG_UTF8, message, static_cast<int>(answer.message.size()), true))
		no_answer();
	message = pg_any_to_server(message, static_cast<int>(answer.message.size()), PG_UTF8);
	ereport(ERROR, (errcode(sqlstate_of(answer.outcome)), errmsg("%s", message)));
	pg_unreachable();
}

ArrayType *vector_of(std::string_view body, const embed::Answer &answer)
{
	auto *elements = static_cast<Datum *>(palloc(answer.dimension * sizeof(Datum)));
	for (Size i = 0; i < answer.dimension; ++i)
		elements[i] = Float4GetDatum(embed::answer_element(body, i));
	return construct_array(elements, static_cast<int>(answer.dimension), FLOAT4OID, sizeof(float4), true, TYPALIGN_INT);
}

ArrayType *ask(Conversation &talk, char purpose, std::string_view model, std::string_view input)
{
	connect_to_program(talk);
	const auto head = embed::request_head(purpose, static_cast<uint32>(timeout_ms), model.size(), input.size());
	send_all(talk, head.data(), head.size());
	send_all(talk, model.data(), model.size());
	send_all(talk, input.data(), input.size());
	char answer_head[embed::head_size];
	receive_all(talk, answer_head, sizeof answer_head);
	const auto size = embed::parse_head(answer_head, embed::max_answer);
	if (!size)
		no_answer();
	auto *body = static_cast<char *>(palloc(*size + 1));
	receive_all(talk, body, *size);
	const auto answer = embed::parse_answer({body, *size});
	if (!answer)
		no_answer();
	if (answer->outcome != 0)
		report_answer(*answer);
	return vector_of({body, *size}, *answer);
}

void check_arguments(std::string_view input, std::string_view model)
{
	if (model.empty() || model.size() > embed::max_model_name)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the name of a model must have 1 to %zu bytes", embed::max_model_name)));
	if (input.size() > embed::max_text)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("text of %zu bytes is too long to be embedded", input.size()),
				errdetail("The maximum is %zu bytes.", embed::max_text)));
}

char purpose_of(std::string_view name)
{
	if (name == "query")
		return 'q';
	if (name == "document")
		return 'd';
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown purpose: \"%s\"", abbreviated(name)),
			errhint("A purpose is \"query\" or \"document\".")));
	pg_unreachable();
}

} // namespace

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_embed)
{
	using namespace txtfp::pg;
	const std::string_view input = text_arg(fcinfo, 0), model = text_arg(fcinfo, 1);
	const char purpose = purpose_of(text_arg(fcinfo, 2));
	check_arguments(input, model);
	Conversation talk{-1, false, {}};
	ArrayType *vector = nullptr;
	INSTR_TIME_SET_CURRENT(talk.started);
	PG_TRY();
	{
		vector = ask(talk, purpose, model, input);
	}
	PG_FINALLY();
	{
		hang_up(talk);
	}
	PG_END_TRY();
	PG_RETURN_ARRAYTYPE_P(vector);
}

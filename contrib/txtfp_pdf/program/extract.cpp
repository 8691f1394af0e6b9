// txtfp-pdf-extract: extracts the text of one PDF file. The function pdf_to_text() starts it for one file; it gives up
// its rights, reads the file from standard input, writes the protocol of src/core/answer.hpp to standard output, and
// exits.
//
//   txtfp-pdf-extract PARENT SIZE MEMORY SECONDS PAGES
//
//   PARENT   process id of the server process that started it; it does not outlive that process
//   SIZE     bytes of the file
//   MEMORY   limit of address space in bytes
//   SECONDS  limit of processor time
//   PAGES    limit of pages of the document
//
// This program is linked with poppler, whose licence is GPL-2 or GPL-3; PostgreSQL is not, and only exchanges bytes
// with it.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>

#include "answers.hpp"
#include "confine.hpp"
#include "core/text/utf8.hpp"
#include "tables.hpp"

using namespace txtfp::pdf;

namespace {

struct Task {
	unsigned long parent, size, memory, seconds, pages;
};

bool read_task(int count, char **arguments, Task &task)
{
	if (count != 6)
		return false;
	unsigned long *const numbers[] = {&task.parent, &task.size, &task.memory, &task.seconds, &task.pages};
	for (int i = 0; i < 5; ++i) {
		const char *begin = arguments[i + 1], *end = begin + std::strlen(begin);
		const auto [stop, error] = std::from_chars(begin, end, *numbers[i]);
		if (error != std::errc() || stop != end)
			return false;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------- messages of poppler

struct Remarks {
	std::string first;         // the first message about the file
	std::string language_pack; // a table is missing, and therefore text
};

void remember(const std::string &remark, void *closure)
{
	auto &remarks = *static_cast<Remarks *>(closure);
	const std::size_t colon = remark.find(": "); // poppler/error (POSITION): …
	std::string what = colon == std::string::npos ? remark : remark.substr(colon + 2);
	constexpr std::string_view consolation = " (continuing anyway)";
	if (what.ends_with(consolation))
		what.resize(what.size() - consolation.size());
	if (remarks.first.empty())
		remarks.first = what.substr(0, 200);
	if (remarks.language_pack.empty() && what.find("Missing language pack") != std::string::npos)
		remarks.language_pack = what.substr(0, 200);
}

// ---------------------------------------------------------------------------------------------- memory

// If memory runs out, poppler writes a message to standard error, and then either aborts or continues with a part of
// the file.
// Therefore standard error is a pipe that this program reads itself.
int stderr_pipe = -1;

void redirect_stderr()
{
	int ends[2];
	if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0 ||
		dup2(ends[1], STDERR_FILENO) < 0)
		throw std::system_error(errno, std::generic_category(), "pipe");
	close(ends[1]);
	stderr_pipe = ends[0];
}

bool is_out_of_memory(std::string_view words) noexcept
{
	return words.find("Out of memory") != words.npos || words.find("bad_alloc") != words.npos;
}

// Does only what a signal handler may do.
bool memory_was_short() noexcept
{
	constexpr std::size_t longest =
		12; // the length of the message minus one character: it may be split between two reads
	char buffer[4096];
	std::size_t kept = 0;
	bool found = false;
	for (ssize_t size; (size = read(stderr_pipe, buffer + kept, sizeof buffer - kept)) > 0;) {
		const std::size_t filled = kept + static_cast<std::size_t>(size);
		found = found || is_out_of_memory({buffer, filled});
		kept = filled < longest ? filled : longest;
		std::memmove(buffer, buffer + filled - kept, kept);
	}
	return found;
}

[[noreturn]] void out_of_memory() noexcept { send_failure(Failure::memory, "out of memory"); }

void on_crash(int signal)
{
	if (memory_was_short())
		out_of_memory();
	struct sigaction action {};
	action.sa_handler = SIG_DFL;
	sigaction(signal, &action, nullptr);
	raise(signal); // the signal kills the process when this function returns
}

void catch_crashes()
{
	static char stack[1 << 15];
	stack_t alternative{};
	alternative.ss_sp = stack;
	alternative.ss_size = sizeof stack;
	sigaltstack(&alternative, nullptr);
	struct sigaction action {};
	action.sa_handler = on_crash;
	action.sa_flags = SA_ONSTACK;
	for (const int signal : {SIGABRT, SIGSEGV, SIGBUS})
		sigaction(signal, &action, nullptr);
}

// ---------------------------------------------------------------------------------------------- text

// Converts UTF-16 to UTF-8. U+FFFD replaces U+0000, which PostgreSQL cannot store, and unpaired surrogates.
std::string to_utf8(const poppler::ustring &units)
{
	std::string out;
	out.reserve(units.size() + units.size() / 2);
	for (std::size_t i = 0; i < units.size(); ++i) {
		char32_t c = units[i];
		const char32_t next = i + 1 < units.size() ? units[i + 1] : 0;
		if (c >= 0xD800 && c < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
			c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
			++i;
		} else if (c == 0 || (c >= 0xD800 && c < 0xE000)) {
			c = 0xFFFD;
		}
		txtfp::core::append(out, c);
	}
	return out;
}

bool ends_page(const poppler::ustring &text) { return !text.empty() && text.back() == '\f'; }

// True if the word has more characters than its text.
bool is_cut(const poppler::text_box &word, const poppler::ustring &text)
{
	const auto pairs =
		std::count_if(text.begin(), text.end(), [](auto unit) { return unit >= 0xDC00 && unit < 0xE000; });
	const poppler::rectf box = word.char_bbox(
		text.size() - static_cast<std::size_t>(pairs)); // box of the next character; empty if there is none
	return box.width() != 0 || box.height() != 0;
}

// Extracts word by word, in lines. poppler-cpp converts a whole page at once and drops what follows a character that it
// cannot convert (an unpaired surrogate, U+0000 within a ligature); this way only the rest of that word is lost, and
// U+FFFD replaces it.
std::string words_of(const poppler::page &page)
{
	std::string out;
	double bottom = 0;
	for (const poppler::text_box &word : page.text_list()) {
		const poppler::rectf box = word.bbox();
		if (!out.empty())
			out += box.top() < bottom && bottom <= box.bottom() + box.height() / 2 ? ' ' : '\n';
		bottom = box.bottom();
		const poppler::ustring text = word.text();
		out += to_utf8(text);
		if (is_cut(word, text))
			out += "\xEF\xBF\xBD";
	}
	out += "\n\n\f";
	return out;
}

constexpr auto layout = poppler::page::non_raw_non_physical_layout; // reading order, as in pdftotext

using Document = std::unique_ptr<poppler::document>;
using Page = std::unique_ptr<poppler::page>;

// The whole page, where the text is that pdftotext gives, as poppler-cpp wants it: from the upper left corner of what is
// shown (the crop box), turned as the page is.
poppler::rectf whole(const poppler::page &page)
{
	const poppler::rectf shown = page.page_rect(poppler::crop_box), all = page.page_rect(poppler::media_box);
	const double left = all.left() - shown.left(), right = shown.right() - all.right();
	const double bottom = all.top() - shown.top(), top = shown.bottom() - all.bottom(); // a page grows upwards
	switch (page.orientation()) {
	case poppler::page::landscape:
		return {bottom, left, all.height(), all.width()};
	case poppler::page::upside_down:
		return {right, bottom, all.width(), all.height()};
	case poppler::page::seascape:
		return {top, right, all.height(), all.width()};
	case poppler::page::portrait:
		break;
	}
	return {left, top, all.width(), all.height()};
}

std::string text_of(const poppler::page &page, int number)
{
	const poppler::rectf all = page.page_rect(poppler::media_box), shown = page.page_rect(poppler::crop_box);
	const poppler::ustring text = page.text(whole(page), layout);
	if (ends_page(text))
		return to_utf8(text);
	if (shown.width() < all.width() || shown.height() < all.height())
		send_warning("page " + std::to_string(number) + ": only words within its crop box were read");
	return words_of(page);
}

// ---------------------------------------------------------------------------------------------- main

constexpr std::string_view warm_up_text = "Z\xC3\xBCrich";

// A page with one word. Reading it loads everything that poppler and the C library load on first use, and tests that
// they work.
constexpr std::string_view warm_up_file =
	"%PDF-1.4\n"
	"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
	"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
	"4 0 obj<</Length 35>>stream\nBT /F 9 Tf 9 9 Td (Z\\374rich) Tj ET \nendstream endobj\n"
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\n"
	"trailer<</Root 1 0 R>>\n";

// This document stays open, because poppler unloads its tables with the last document.
Document warm_up()
{
	Document document(
		poppler::document::load_from_raw_data(warm_up_file.data(), static_cast<int>(warm_up_file.size())));
	const Page page(document == nullptr ? nullptr : document->create_page(0));
	const poppler::ustring text = page == nullptr ? poppler::ustring() : page->text(poppler::rectf(), layout);
	if (!ends_page(text) || to_utf8(text).find(warm_up_text) != 0)
		send_failure(Failure::program, "poppler does not read a sound file as it should");
	return document;
}

std::vector<char> read_file(std::size_t size)
{
	std::vector<char> file(size);
	for (std::size_t done = 0; done < size;) {
		const ssize_t got = read(STDIN_FILENO, file.data() + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			_exit(1); // the parent has ended
		done += static_cast<std::size_t>(got);
	}
	return file;
}

void extract(const std::vector<char> &file, unsigned long most_pages, const Remarks &remarks)
{
	const Document document(poppler::document::load_from_raw_data(file.data(), static_cast<int>(file.size())));
	if (document == nullptr)
		send_failure(Failure::parse, remarks.first.empty() ? "this is not a PDF file" : remarks.first);
	if (document->is_locked())
		send_failure(Failure::parse, "the document is encrypted and asks for a password");
	const int pages = document->pages();
	if (pages <= 0)
		send_failure(Failure::parse, "the document has no pages");
	if (static_cast<unsigned long>(pages) > most_pages)
		send_failure(Failure::pages, std::to_string(pages));
	for (int i = 0; i < pages; ++i) {
		const Page page(document->create_page(i));
		if (page == nullptr)
			send_warning("page " + std::to_string(i + 1) + " cannot be read");
		send_text(page == nullptr ? "\f" : text_of(*page, i + 1));
	}
	if (memory_was_short())
		out_of_memory();
	if (!remarks.language_pack.empty())
		send_warning(remarks.language_pack);
	send_done();
}

[[noreturn]] void run(const Task &task)
{
	if (!limit(static_cast<pid_t>(task.parent), task.memory, static_cast<unsigned>(task.seconds)))
		_exit(1);
	redirect_stderr();
	catch_crashes();
	Remarks remarks;
	poppler::set_debug_error_function(remember, &remarks);
	poppler::set_data_dir(TXTFP_POPPLER_DATA);
	const Document kept = warm_up();
	remarks = {};
	map_tables(TXTFP_POPPLER_DATA);
	confine();
	extract(read_file(task.size), task.pages, remarks);
	_exit(1);
}

} // namespace

int main(int count, char **arguments)
{
	Task task;
	if (!read_task(count, arguments, task))
		send_failure(Failure::program, "usage: txtfp-pdf-extract PARENT SIZE MEMORY SECONDS PAGES");
	try {
		run(task);
	} catch (const std::bad_alloc &) {
		out_of_memory();
	} catch (const std::system_error &error) {
		send_failure(Failure::confine, error.what());
	} catch (const std::exception &error) {
		send_failure(Failure::parse, error.what());
	}
}

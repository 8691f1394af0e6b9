// The readers of passages on any bytes: they accept only what the writers write.
//   byte 0: which form; the rest: the bytes
#include "core/passages/passages_form.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

static std::string lower_case(std::string text)
{
	for (char &c : text)
		c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
	return text;
}

static void check_text(const std::string &text)
{
	const std::ptrdiff_t count = passages_in_text(text.size());
	std::vector<std::uint64_t> values(count < 0 ? 3 : static_cast<std::size_t>(count));
	std::uint64_t config = 0;
	if (read_passages_text(text, config, values) != PassagesParse::ok)
		return;
	std::string again(passages_text_size(values.size()), '?');
	write_passages_text(config, values, again.data());
	REQUIRE_EQ(again, lower_case(text));
}

static void check_binary(const std::string &bytes)
{
	const std::ptrdiff_t count = passages_in_binary(bytes.size());
	std::vector<std::uint64_t> values(count < 0 ? 3 : static_cast<std::size_t>(count));
	std::uint64_t config = 0;
	if (read_passages_binary({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()}, config, values) !=
		PassagesParse::ok)
		return;
	std::string again(passages_binary_size(values.size()), '?');
	write_passages_binary(config, values, reinterpret_cast<std::uint8_t *>(again.data()));
	REQUIRE_EQ(again, bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	if (size == 0)
		return 0;
	const std::string rest(reinterpret_cast<const char *>(data + 1), size - 1);
	if (data[0] % 2 == 0)
		check_text(rest);
	else
		check_binary(rest);
	return 0;
}

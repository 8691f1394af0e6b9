// The Unicode Character Database as installed by Debian's package unicode-data. A missing file fails the test that
// needs it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txtfp::test::ucd {

// The lines of a file under /usr/share/unicode without comments and blanks, plain or compressed by bzip2.
std::vector<std::string> read(const std::string &name);

// "0041 0301" as code points.
std::u32string code_points(std::string_view field);

// Fields of "first..last ; value" lines.
struct Entry {
	char32_t first, last;
	std::string value;
};
std::vector<Entry> entries(const std::string &name);

// False if the database is of another version than 15.0. Tests that no other version can pass are skipped then.
bool is_15_0();
bool is_15(); // 15.0 or 15.1
bool is_assigned(char32_t c);
const std::string &general_category(char32_t c);

} // namespace txtfp::test::ucd

// The writing side of src/core/answer.hpp, on standard output. If a write fails, the program ends, because nobody reads
// any more.
#pragma once

#include <string_view>

#include "core/answer.hpp"

namespace txtfp::pdf {

void send_text(std::string_view utf8);
void send_warning(std::string_view message);
[[noreturn]] void send_done();
[[noreturn]] void send_failure(
	Failure failure, std::string_view message) noexcept; // allocates nothing, so signal handlers may call it

} // namespace txtfp::pdf

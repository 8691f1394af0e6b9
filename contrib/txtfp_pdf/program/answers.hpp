// The writing side of src/core/answer.hpp, on standard output. If a write fails, the program ends, because nobody reads any more.
#pragma once

#include <string_view>

#include "core/answer.hpp"

namespace txtfp::pdf {

void say_text(std::string_view utf8);
void say_warning(std::string_view message);
[[noreturn]] void say_done();
[[noreturn]] void say_failure(
	Failure failure, std::string_view message) noexcept; // allocates nothing, so signal handlers may call it

} // namespace txtfp::pdf

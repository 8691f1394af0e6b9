// A line on the terminal with the progress, the rate and the remaining time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace txtfp::cli {

class Progress {
public:
	explicit Progress(bool quiet); // also silent if standard error is no terminal
	~Progress() { end(); }

	// `total` is in `unit`; 0: unknown. The unit is used for the rate: "MB" divides by a million, other units do not.
	void begin(const std::string &what, std::uint64_t total, const std::string &unit);
	void at(std::uint64_t done); // redraws about five times per second
	void end();

private:
	void draw(double seconds);

	bool shown_, open_ = false;
	std::string what_, unit_;
	std::uint64_t total_ = 0, done_ = 0;
	std::chrono::steady_clock::time_point begun_, drawn_;
};

// Returns the line without control characters. `seconds` is the time since begin().
std::string progress_line(
	const std::string &what, std::uint64_t done, std::uint64_t total, const std::string &unit, double seconds);

} // namespace txtfp::cli

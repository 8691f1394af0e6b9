// A line on the terminal that tells how far the work is, at what rate, and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace txtfp::cli {

class Progress {
public:
	explicit Progress(bool quiet); // silent, too, if standard error is no terminal
	~Progress() { end(); }

	// `total` in `unit`; 0: not known. The unit is for the rate: "MB" divides by a million, others do not.
	void begin(const std::string &what, std::uint64_t total, const std::string &unit);
	void at(std::uint64_t done); // redraws some five times a second
	void end();
	bool is_shown() const noexcept { return shown_; }

private:
	void draw(double seconds);

	bool shown_, open_ = false;
	std::string what_, unit_;
	std::uint64_t total_ = 0, done_ = 0;
	std::chrono::steady_clock::time_point begun_, drawn_;
};

// The line, without control characters. seconds: since the beginning.
std::string progress_line(
	const std::string &what, std::uint64_t done, std::uint64_t total, const std::string &unit, double seconds);

} // namespace txtfp::cli

#include "cli/progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace txtfp::cli {

namespace {

std::string clock_of(double seconds)
{
	char text[32];
	const auto s = static_cast<unsigned long>(seconds);
	if (s >= 3600)
		std::snprintf(text, sizeof text, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		std::snprintf(text, sizeof text, "%lu:%02lu", s / 60, s % 60);
	return text;
}

} // namespace

std::string progress_line(
	const std::string &what, std::uint64_t done, std::uint64_t total, const std::string &unit, double seconds)
{
	constexpr int width = 24;
	const double scale = unit == "MB" ? 1e-6 : 1, rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
	std::string line = what;
	char text[128];
	if (total > 0) {
		const double share = done >= total ? 1 : static_cast<double>(done) / static_cast<double>(total);
		const int filled = static_cast<int>(share * width);
		line += " [" + std::string(static_cast<std::size_t>(filled), '=') +
			std::string(static_cast<std::size_t>(width - filled), ' ') + "]";
		std::snprintf(text, sizeof text, " %3d %%", static_cast<int>(share * 100));
		line += text;
	}
	std::snprintf(text, sizeof text, "  %.0f %s  %.0f %s/s  ", static_cast<double>(done) * scale, unit.c_str(),
		rate * scale, unit.c_str());
	line += text + clock_of(seconds);
	if (total > done && rate > 0)
		line += "  " + clock_of(static_cast<double>(total - done) / rate) + " left";
	return line;
}

Progress::Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

void Progress::begin(const std::string &what, std::uint64_t total, const std::string &unit)
{
	end();
	if (!shown_)
		return;
	what_ = what;
	unit_ = unit;
	total_ = total;
	done_ = 0;
	open_ = true;
	begun_ = drawn_ = std::chrono::steady_clock::now();
	draw(0);
}

void Progress::at(std::uint64_t done)
{
	done_ = done;
	if (!open_)
		return;
	const auto now = std::chrono::steady_clock::now();
	if (now - drawn_ < std::chrono::milliseconds(200))
		return;
	drawn_ = now;
	draw(std::chrono::duration<double>(now - begun_).count());
}

void Progress::draw(double seconds)
{
	std::fprintf(stderr, "\r%s\x1b[K", progress_line(what_, done_, total_, unit_, seconds).c_str());
	std::fflush(stderr);
}

void Progress::end()
{
	if (!open_)
		return;
	draw(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count());
	std::fputc('\n', stderr);
	open_ = false;
}

} // namespace txtfp::cli

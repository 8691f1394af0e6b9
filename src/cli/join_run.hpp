// What the commands that join a file have in common: options, reading, the order of rows, and what is kept of the file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/join.hpp"
#include "cli/stop.hpp"

namespace txtfp::cli {

[[noreturn]] inline void refuse(const std::string &message) { throw Failure(message, exit_usage); }

// The limits of a join; similarities of minhash* descend.
struct JoinLimits {
	std::vector<double> thresholds;
	std::vector<int> bounds; // for compare(), the widest last
	int widest() const noexcept { return bounds.back(); }
};
JoinLimits join_limits(Kind kind, const JoinCommand &command);

// Rows of a result, which are written in pieces.
class RowWriter {
public:
	RowWriter(RowFormat format, std::vector<std::string_view> names, bool header, OutputFile &out)
		: format_(format), names_(std::move(names)), out_(out)
	{
		if (header)
			append_header(format_, names_, text_);
	}
	void put(const std::vector<Cell> &cells)
	{
		append_row(format_, names_, cells, text_);
		if (text_.size() > 1 << 16)
			flush();
	}
	void flush()
	{
		stop_token.check();
		out_.write(text_);
		text_.clear();
	}

private:
	RowFormat format_;
	std::vector<std::string_view> names_;
	OutputFile &out_;
	std::string text_;
};

class JoinRun {
protected:
	// The join finds what is within `bound`; for minhash* that is `threshold`, which the banding is made for.
	JoinRun(const JoinCommand &command, int bound, double threshold);

	void read(bool reads_again); // true: keeps a copy of what can be read only once
	InputFile input_again() const;
	std::vector<std::uint32_t> ranked() const;

	// Writes the records of the input whose rows stay, unchanged; broken records are left out.
	template <class Stays> void write_kept(OutputFile &keep, Stays stays);

	const JoinCommand &command_;
	InputPaths paths_; // of the input
	Kind kind_;
	int bound_;
	RowFormat rows_;
	std::uint64_t memory_;
	std::string temporary_;
	unsigned threads_;
	Progress progress_;
	Budget budget_;
	RecordFormat format_;
	Workers workers_;
	std::optional<Sketches> sketches_;
	Collection collection_;

private:
	Sketches *make_sketches(double threshold);
	std::optional<Spool> spool_;
};

template <class Stays> void JoinRun::write_kept(OutputFile &keep, Stays stays)
{
	InputFile file = input_again();
	BatchReader reader(file, format_, record_limit(command_.input, memory_));
	keep.write(reader.header());
	progress_.begin("writing what is kept", file.file_size(), "MB");
	Batch batch;
	std::uint64_t row = 0, kept = 0;
	auto broken = collection_.broken().begin();
	while (reader.next(batch)) {
		std::string_view rest = batch.bytes();
		for (std::uint64_t i = 0; i < batch.records; ++i, ++row) {
			std::size_t lines, size = batch.wrong.empty() ? records::record_size(format_, rest, lines) : 0;
			if (row >= collection_.rows())
				throw Failure(file.whole_name() + ": the file has grown while it was read");
			if (broken != collection_.broken().end() && *broken == row) {
				++broken;
			} else if (stays(static_cast<std::uint32_t>(row))) {
				++kept;
				keep.write(rest.substr(0, size));
				if (!rest.substr(0, size).ends_with(format_.line_end))
					keep.write({&format_.line_end, 1});
			}
			rest.remove_prefix(size);
		}
		progress_.at(file.file_position());
	}
	progress_.end();
	if (row != collection_.rows())
		throw Failure(file.whole_name() + ": the file has shrunk while it was read");
	collection_.counts().set_written(kept, row - kept - collection_.counts().refused());
}

} // namespace txtfp::cli

// A horizontal line of a table: segments that know which vertical lines meet them, and holes in which a cell that spans
// several rows continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace txtfp::markup {

class Border {
public:
	enum Segment : std::uint8_t {
		horizontal,
		join_above,
		join_below,
		cross,
		vertical,
		join_left,
		join_right,
		corner_top_left,
		corner_top_right,
		corner_bottom_left,
		corner_bottom_right,
		slash // between cells that are placed one below the other
	};

	explicit Border(std::size_t width, Segment segment = horizontal) : segments_(width, segment) {}

	void stretch_to(std::size_t width);
	void join_from_above(std::size_t x);
	void join_from_below(std::size_t x);
	// Merges the border of a table inside a cell that begins at column x, directly below or above this border.
	void merge_from_below(const Border &other, std::size_t x);
	void merge_from_above(const Border &other, std::size_t x);
	void add_hole(std::size_t x, std::string text, std::size_t width);

	bool has_holes() const noexcept { return !holes_.empty(); }
	std::size_t size() const noexcept { return segments_.size(); }
	std::string text() const;
	// The text that continues a cell's columns above this border; as wide as the border.
	std::string continued_above() const;

private:
	struct Hole {
		std::size_t x, width;
		std::string text;
	};
	std::vector<Segment> segments_;
	std::vector<Hole> holes_; // from left to right
};

} // namespace txtfp::markup

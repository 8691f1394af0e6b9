#include "core/border.hpp"

#include <utility>

namespace txtfp::markup {

namespace {

constexpr const char *glyphs[] = {"─", "┴", "┬", "┼", "│", "┤", "├", "┌", "┐", "└", "┘", "/"};

// The segment without the part to the left of a hole's end.
Border::Segment without_left(Border::Segment s) noexcept
{
	switch (s) {
	case Border::join_below:
		return Border::corner_top_left;
	case Border::join_above:
		return Border::corner_bottom_left;
	case Border::cross:
		return Border::join_right;
	case Border::join_left:
	case Border::corner_top_right:
	case Border::corner_bottom_right:
		return Border::vertical;
	default:
		return s;
	}
}

Border::Segment without_right(Border::Segment s) noexcept
{
	switch (s) {
	case Border::join_below:
		return Border::corner_top_right;
	case Border::join_above:
		return Border::corner_bottom_right;
	case Border::cross:
		return Border::join_left;
	case Border::join_right:
	case Border::corner_top_left:
	case Border::corner_bottom_left:
		return Border::vertical;
	default:
		return s;
	}
}

} // namespace

void Border::stretch_to(std::size_t width)
{
	if (width > segments_.size())
		segments_.resize(width, horizontal);
}

void Border::join_from_above(std::size_t x)
{
	stretch_to(x + 1);
	Segment &s = segments_[x];
	switch (s) {
	case horizontal:
		s = join_above;
		break;
	case join_below:
		s = cross;
		break;
	case corner_top_left:
		s = join_right;
		break;
	case corner_top_right:
		s = join_left;
		break;
	default:
		break;
	}
}

void Border::join_from_below(std::size_t x)
{
	stretch_to(x + 1);
	Segment &s = segments_[x];
	switch (s) {
	case horizontal:
		s = join_below;
		break;
	case join_above:
		s = cross;
		break;
	case corner_bottom_left:
		s = join_right;
		break;
	case corner_bottom_right:
		s = join_left;
		break;
	default:
		break;
	}
}

void Border::merge_from_below(const Border &other, std::size_t x)
{
	for (std::size_t i = 0; i < other.segments_.size(); ++i) {
		const Segment s = other.segments_[i];
		if (s == join_above || s == join_below || s == cross || s == corner_bottom_left || s == corner_bottom_right)
			join_from_below(x + i);
	}
}

void Border::merge_from_above(const Border &other, std::size_t x)
{
	for (std::size_t i = 0; i < other.segments_.size(); ++i) {
		const Segment s = other.segments_[i];
		if (s == join_above || s == join_below || s == cross || s == corner_top_left || s == corner_top_right)
			join_from_above(x + i);
	}
}

void Border::add_hole(std::size_t x, std::string text, std::size_t width)
{
	if (x > 0 && x - 1 < segments_.size())
		segments_[x - 1] = without_right(segments_[x - 1]);
	if (x + width < segments_.size())
		segments_[x + width] = without_left(segments_[x + width]);
	holes_.push_back({x, width, std::move(text)});
}

std::string Border::text() const
{
	std::string out;
	out.reserve(3 * segments_.size());
	std::size_t x = 0;
	for (const Hole &hole : holes_) {
		for (; x < hole.x && x < segments_.size(); ++x)
			out += glyphs[segments_[x]];
		out += hole.text;
		x = hole.x + hole.width;
	}
	for (; x < segments_.size(); ++x)
		out += glyphs[segments_[x]];
	return out;
}

std::string Border::continued_above() const
{
	std::string out;
	for (const Segment s : segments_)
		out += s == join_above || s == cross || s == corner_bottom_left || s == corner_bottom_right ? "│" : " ";
	return out;
}

} // namespace txtfp::markup

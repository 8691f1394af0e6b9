// Signatures of sets of terms: the layout of planes, what is written to pages and read from them, and bounds of all
// levels of vector units beside the definition.
#include "core/sketch/terms.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/base/cpu.hpp"
#include "core/sketch/matcher.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Terms = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;

Terms random_terms(std::mt19937_64 &random, std::size_t n)
{
	std::set<std::int32_t> terms;
	while (terms.size() < n)
		terms.insert(static_cast<std::int32_t>(random()));
	return {terms.begin(), terms.end()};
}

// A set that has about a third of the terms of another one.
Terms neighbour(std::mt19937_64 &random, const Terms &probe)
{
	Terms terms = random_terms(random, 1 + random() % (probe.size() + 1));
	for (const std::int32_t term : probe)
		if (random() % 3 != 0)
			terms.push_back(term);
	std::sort(terms.begin(), terms.end());
	terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
	return terms;
}

std::size_t common(const Terms &a, const Terms &b)
{
	Terms both;
	std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	return both.size();
}

double similarity(TermMeasure measure, const Terms &probe, const Terms &row)
{
	const double both = static_cast<double>(common(probe, row));
	switch (measure) {
	case TermMeasure::united:
		return both == 0 ? 0 : both / (static_cast<double>(probe.size() + row.size()) - both);
	case TermMeasure::of_probe:
		return probe.empty() ? 0 : both / static_cast<double>(probe.size());
	case TermMeasure::of_row:
		return row.empty() ? 0 : both / static_cast<double>(row.size());
	case TermMeasure::equal:
		return probe == row;
	default:
		return 1;
	}
}

struct ProbeStorage {
	std::vector<std::uint64_t> memory;
	const TermProbe *probe;
	ProbeStorage(const SketchLayout &layout, const Terms &terms, TermMeasure measure)
		: memory(term_probe_size(terms.size()) / 8 + 1), probe(reinterpret_cast<TermProbe *>(memory.data()))
	{
		make_term_probe(layout, terms.data(), terms.size(), measure, *reinterpret_cast<TermProbe *>(memory.data()));
	}
};

struct TermGroup {
	SketchLayout layout;
	std::vector<Terms> rows;
	std::vector<Bytes> pages;
	std::vector<std::uint16_t> counts;

	TermGroup(std::mt19937_64 &random, std::size_t keys, std::size_t number, const Terms &probe)
		: layout(sketch_layout(SketchKind::terms, 8192, keys, number)), pages(layout.pages, Bytes(8192))
	{
		for (std::size_t row = 0; row < layout.rows; ++row) {
			rows.push_back(row % 50 == 0 ? Terms{}
					: row % 9 == 0       ? probe
					: row % 2 == 0       ? neighbour(random, probe)
										 : random_terms(random, random() % 150));
			put(row, random_terms(random, 40)); // replaced at once: no bit of it may stay
			put(row, rows.back());
			counts.push_back(terms_count(get(row).data()));
		}
	}

	void put(std::size_t row, const Terms &terms)
	{
		Bytes signature(layout.signature_size);
		terms_signature(layout, terms.data(), terms.size(), signature.data());
		write_signature(
			layout, [&](std::size_t page) { return pages[page].data(); }, row, signature.data(),
			[&](std::size_t page, std::size_t offset, const std::uint8_t *bytes, std::size_t size) {
				std::copy_n(bytes, size, pages[page].begin() + static_cast<std::ptrdiff_t>(offset));
			});
	}

	Bytes get(std::size_t row) const
	{
		Bytes signature(layout.signature_size);
		read_signature(
			layout, [&](std::size_t page) { return pages[page].data(); }, row, signature.data());
		return signature;
	}
};

// The definition: for each row, the terms of the probe all of whose bits are set in the signature that is read back.
std::vector<std::size_t> naive_common(const TermGroup &group, const Terms &terms, const TermProbe &probe)
{
	std::vector<Bytes> bits;
	for (std::size_t i = 0; i < probe.terms; ++i) {
		bits.emplace_back(group.layout.signature_size);
		terms_signature(group.layout, &terms[i], 1, bits.back().data());
	}
	std::vector<std::size_t> common;
	for (std::size_t row = 0; row < group.layout.rows; ++row) {
		const Bytes signature = group.get(row);
		std::size_t set = probe.count - probe.terms;
		for (const Bytes &one : bits) {
			std::size_t j = planes_at(group.layout);
			while (j < one.size() && (one[j] & ~signature[j]) == 0)
				++j;
			set += j == one.size();
		}
		common.push_back(set);
	}
	return common;
}

// The bounds of the rows of a group within a limit, as a search finds them; −1 for others.
std::vector<int> search(const TermGroup &group, const TermProbe &probe, std::size_t n, int limit)
{
	std::vector<int> found(n, -1);
	const auto [least, most] =
		std::minmax_element(group.counts.begin(), group.counts.begin() + static_cast<std::ptrdiff_t>(n));
	const std::size_t needed = terms_needed(probe, limit, *least, *most);
	if (needed > probe.count)
		return found;
	TermCounts counts;
	start_counts(group.layout, n, counts);
	for (std::size_t page = 0; page < group.layout.pages; ++page)
		if (has_terms(probe, page) && !count_terms(group.layout, probe, page, group.pages[page].data(), needed, counts))
			return found;
	std::uint16_t rows[sketch_max_rows], bounds[sketch_max_rows];
	const std::size_t kept = rows_of_counts(group.layout, probe, counts, group.counts.data(), limit, rows, bounds);
	for (std::size_t i = 0; i < kept; ++i)
		found[rows[i]] = bounds[i];
	return found;
}

constexpr TermMeasure measures[] = {
	TermMeasure::united, TermMeasure::of_probe, TermMeasure::of_row, TermMeasure::equal, TermMeasure::nothing};

} // namespace

TEST(terms_layout_fits_its_pages)
{
	const std::size_t rows[] = {512, 512, 256, 256, 256}, planes[] = {565, 533, 1130, 1098, 1066};
	for (std::size_t keys = 0; keys <= sketch_max_keys; ++keys)
		for (std::size_t pages = terms_min_pages; pages <= terms_max_pages; ++pages) {
			const SketchLayout layout = sketch_layout(SketchKind::terms, 8192, keys, pages);
			CHECK_EQ(layout.rows, rows[keys], keys);
			CHECK_EQ(layout.pages, pages, keys);
			if (pages == terms_default_pages)
				CHECK_EQ(layout.planes, planes[keys], keys);
			CHECK_EQ(layout.plane_size * 8, layout.rows, keys);
			CHECK_EQ(layout.signature_size, 2 + (layout.planes + 7) / 8, keys);
			CHECK_EQ(layout.signature_size <= sketch_max_signature, true, keys);
			CHECK_EQ(layout.field[0].offset % 2, 0, keys);
			std::size_t end[sketch_max_pages];
			std::fill_n(end, sketch_max_pages, sketch_page_header);
			end[0] = layout.field[0].offset + std::size_t{layout.rows} * 2;
			for (std::size_t plane = 0; plane < layout.planes; ++plane) {
				const PlanePlace place = plane_place(layout, plane);
				CHECK_EQ(place.offset >= end[place.page], true, keys, plane);
				CHECK_EQ(place.offset % layout.plane_size, 0, keys, plane);
				end[place.page] = place.offset + layout.plane_size;
				CHECK_EQ(end[place.page] + detail::plane_slack - layout.plane_size % 64 <= 8192, true, keys, plane);
			}
		}
	for (const std::size_t page : {4096, 16384, 32768})
		CHECK_EQ(sketch_layout(SketchKind::terms, page).rows, page / 16, page);
}

TEST(terms_are_read_as_they_were_written)
{
	std::mt19937_64 random(1);
	for (std::size_t keys = 0; keys <= sketch_max_keys; ++keys) {
		const TermGroup group(random, keys, 2 + keys, random_terms(random, 30));
		std::vector<Bytes> built(group.layout.pages, Bytes(8192));
		for (std::size_t row = 0; row < group.layout.rows; ++row) {
			Bytes signature(group.layout.signature_size);
			terms_signature(group.layout, group.rows[row].data(), group.rows[row].size(), signature.data());
			CHECK_EQ(group.get(row) == signature, true, keys, row);
			const auto page_of = [&](std::size_t page) { return built[page].data(); };
			set_planes(group.layout, page_of, row, signature.data());
			write_fields(group.layout, row, signature.data(),
				[&](std::size_t page, std::size_t offset, const std::uint8_t *bytes, std::size_t size) {
					std::copy_n(bytes, size, built[page].begin() + static_cast<std::ptrdiff_t>(offset));
				});
		}
		CHECK_EQ(built == group.pages, true, keys);
	}
}

// A search finds all rows within its limit and no others. Their bounds are those of the definition or, by division in
// floats, one step less; and none exceeds the distance.
TEST(terms_searches_find_the_rows_within_their_limits)
{
	std::mt19937_64 random(2);
	for (const std::size_t size : {0, 1, 2, 3, 4, 5, 8, 17, 45, 63, 64, 120, 255, 256, 300, 1023, 1024, 5000}) {
		const Terms probe = random_terms(random, size);
		const TermGroup group(random, size % 5, 2 + size % 7, probe);
		const ProbeStorage any(group.layout, probe, TermMeasure::nothing);
		const std::vector<std::size_t> common = naive_common(group, probe, *any.probe);
		for (const TermMeasure measure : measures) {
			const ProbeStorage storage(group.layout, probe, measure);
			std::vector<int> bounds;
			for (std::size_t row = 0; row < group.layout.rows; ++row) {
				bounds.push_back(terms_bound(*storage.probe, common[row], group.counts[row]));
				const double distance = 1 - similarity(measure, probe, group.rows[row]);
				CHECK_EQ(bounds[row] <= terms_scale * distance + 1e-9, true, size, row, static_cast<int>(measure));
			}
			for (const std::size_t n :
				{std::size_t{group.layout.rows}, std::size_t{1}, std::size_t{15}, std::size_t{100}})
				for (const int limit : {-1, 0, 512, 900, 1021, 1022, 1023, 1024}) {
					const std::vector<int> found = search(group, *storage.probe, n, limit);
					for (std::size_t row = 0; row < n; ++row) {
						if (bounds[row] <= limit)
							CHECK_EQ(found[row] == bounds[row] || found[row] == bounds[row] - 1, true, size, row, limit,
								static_cast<int>(measure));
						else
							CHECK_EQ(found[row] == -1 || (found[row] == limit && bounds[row] == limit + 1), true, size,
								row, limit, static_cast<int>(measure));
					}
				}
		}
	}
}

// Every set of a given length that reaches a limit has as many terms in common as are needed; and one less is too few,
// up to the step by which bounds may be too small.
TEST(terms_needed_are_the_least)
{
	for (const TermMeasure measure : {TermMeasure::united, TermMeasure::of_probe, TermMeasure::of_row})
		for (const std::uint32_t count : {0, 1, 2, 7, 45, 300})
			for (const int limit : {0, 1, 100, 512, 800, 1000, 1022})
				for (const auto &[least, most] : {std::pair{0, 0}, {1, 1}, {3, 9}, {40, 47}, {20, 400}, {500, 65535}}) {
					if (count * static_cast<std::size_t>(most) > by_length(300 * 65535, 45 * 65535))
						continue;
					TermProbe probe{};
					probe.measure = measure;
					probe.count = count;
					const std::size_t needed = std::min<std::size_t>(count + 1, // or more: there is no such row
						terms_needed(
							probe, limit, static_cast<std::uint16_t>(least), static_cast<std::uint16_t>(most)));
					std::size_t fewest = count + 1, fewest_of_more = count + 1; // by the limit and by one step more
					for (std::size_t row = static_cast<std::size_t>(least); row <= static_cast<std::size_t>(most);
						 ++row)
						for (std::size_t both = 0; both <= std::min<std::size_t>(row, count); ++both) {
							const int bound = terms_bound(probe, both, row);
							fewest = bound <= limit ? std::min(fewest, both) : fewest;
							fewest_of_more = bound <= limit + 1 ? std::min(fewest_of_more, both) : fewest_of_more;
						}
					CHECK_EQ(needed <= fewest, true, count, limit, least, most, static_cast<int>(measure));
					if (limit < terms_scale - 1 && most < 65535)
						CHECK_EQ(needed, fewest_of_more, count, limit, least, most, static_cast<int>(measure));
				}
}

// A row whose similarity, rounded to a float, reaches the threshold is within the limit.
TEST(terms_limits_keep_every_row_that_reaches_them)
{
	CHECK_EQ(terms_limit(1.5), -1);
	CHECK_EQ(terms_limit(0), terms_scale);
	for (int whole = 1; whole < 200; ++whole)
		for (int part = 0; part <= whole; ++part) {
			const float rounded = static_cast<float>(part) / static_cast<float>(whole);
			const int bound = terms_scale - (terms_scale * part + whole - 1) / whole;
			CHECK_EQ(bound <= terms_limit(static_cast<double>(rounded)), true, part, whole);
			CHECK_EQ(static_cast<float>(bound) / 1024.0f <= 1.0f - rounded, true, part, whole);
		}
}

// Numbers of terms beyond what is stored never exclude a row.
TEST(terms_of_very_long_texts)
{
	std::mt19937_64 random(3);
	const SketchLayout layout = sketch_layout(SketchKind::terms, 8192);
	const Terms probe = random_terms(random, 100000);
	Bytes signature(layout.signature_size);
	terms_signature(layout, probe.data(), probe.size(), signature.data());
	std::uint16_t count;
	std::memcpy(&count, signature.data(), sizeof count);
	CHECK_EQ(count, terms_max_count);
	for (const TermMeasure measure : measures) {
		const ProbeStorage storage(layout, probe, measure);
		CHECK_EQ(terms_bound(*storage.probe, probe.size(), count), 0, static_cast<int>(measure));
	}
}

// Probes are equal if the planes of their terms are, on the same pages. The same places on another page are others.
TEST(terms_probes_on_other_pages_are_others)
{
	const SketchLayout layout = sketch_layout(SketchKind::terms, 8192);
	const Bytes signature(layout.signature_size);
	std::map<std::array<std::uint16_t, terms_hashes>, Terms> terms_at;
	int compared = 0;
	for (std::int32_t term = 0; term < 1 << 24 && compared < 20; ++term) {
		const ProbeStorage probe(layout, {term}, TermMeasure::united);
		Terms &terms = terms_at[{probe.probe->plane[0], probe.probe->plane[1], probe.probe->plane[2]}];
		const SketchMatcher matcher(layout, signature.data(), probe.probe);
		for (const std::int32_t other : terms) {
			const ProbeStorage storage(layout, {other}, TermMeasure::united);
			const bool same_page =
				std::equal(probe.probe->listed, probe.probe->listed + layout.pages, storage.probe->listed);
			const SketchMatcher other_matcher(layout, signature.data(), storage.probe);
			CHECK_EQ(matcher.same_signature(other_matcher), same_page, term, other);
			compared += !same_page;
		}
		terms.push_back(term);
	}
	CHECK_EQ(compared, 20);
}

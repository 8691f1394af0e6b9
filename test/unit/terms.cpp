// Signatures of sets of terms: the layout of planes, what is written to pages and read from them, and bounds of all
// levels of vector units beside the definition.
#include "core/sketch/terms.hpp"

#include <algorithm>
#include <cstring>
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

	TermGroup(std::mt19937_64 &random, std::size_t keys, const Terms &probe)
		: layout(sketch_layout(SketchKind::terms, 8192, keys)), pages(layout.pages, Bytes(8192))
	{
		for (std::size_t row = 0; row < layout.rows; ++row) {
			rows.push_back(row % 50 == 0 ? Terms{}
					: row % 9 == 0       ? probe
					: row % 2 == 0       ? neighbour(random, probe)
										 : random_terms(random, random() % 150));
			put(row, random_terms(random, 40)); // replaced at once: no bit of it may stay
			put(row, rows.back());
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

// The definition: the terms of the probe whose bits are set, in the signature that is read back.
int naive_bound(const TermGroup &group, const TermProbe &probe, const Bytes &signature, std::size_t row_count)
{
	std::size_t set = probe.count - probe.bits;
	for (std::size_t i = 0; i < probe.bits; ++i)
		set += signature[planes_at(group.layout) + probe.bit[i] / 8u] >> probe.bit[i] % 8 & 1;
	return terms_bound(probe, set, row_count);
}

constexpr TermMeasure measures[] = {
	TermMeasure::united, TermMeasure::of_probe, TermMeasure::of_row, TermMeasure::equal, TermMeasure::nothing};

} // namespace

TEST(terms_layout_fits_its_pages)
{
	const std::size_t rows[] = {440, 416, 400, 376, 328};
	for (std::size_t keys = 0; keys <= sketch_max_keys; ++keys) {
		const SketchLayout layout = sketch_layout(SketchKind::terms, 8192, keys);
		CHECK_EQ(layout.rows, rows[keys], keys);
		CHECK_EQ(layout.plane_size * 8, layout.rows, keys);
		CHECK_EQ(layout.signature_size, 2 + layout.planes / 8, keys);
		CHECK_EQ(layout.field[0].offset % 2, 0, keys);
		std::size_t end[sketch_max_pages] = {layout.field[0].offset + std::size_t{layout.rows} * 2, sketch_page_header,
			sketch_page_header, sketch_page_header};
		for (std::size_t plane = 0; plane < layout.planes; ++plane) {
			const PlanePlace place = plane_place(layout, plane);
			CHECK_EQ(place.offset >= end[place.page], true, keys, plane);
			end[place.page] = place.offset + layout.plane_size;
			CHECK_EQ(end[place.page] + detail::plane_slack <= 8192, true, keys, plane);
		}
	}
}

TEST(terms_are_read_as_they_were_written)
{
	std::mt19937_64 random(1);
	for (std::size_t keys = 0; keys <= sketch_max_keys; ++keys) {
		const TermGroup group(random, keys, random_terms(random, 30));
		for (std::size_t row = 0; row < group.layout.rows; ++row) {
			Bytes signature(group.layout.signature_size);
			terms_signature(group.layout, group.rows[row].data(), group.rows[row].size(), signature.data());
			CHECK_EQ(group.get(row) == signature, true, keys, row);
		}
	}
}

// Bounds of all rows, of one row, and of the definition are equal or, by division in floats, one step less; and none
// exceeds the distance.
TEST(terms_bounds_are_bounds)
{
	std::mt19937_64 random(2);
	for (const std::size_t size : {0, 1, 2, 3, 4, 5, 8, 17, 45, 120, 255, 256, 300, 1023, 1024, 5000}) {
		const Terms probe = random_terms(random, size);
		const TermGroup group(random, size % 5, probe);
		for (const TermMeasure measure : measures) {
			const ProbeStorage storage(group.layout, probe, measure);
			const Bytes none(sketch_max_signature);
			const SketchMatcher matcher(group.layout, none.data(), storage.probe);
			for (const std::size_t n :
				{std::size_t{group.layout.rows}, std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{100}}) {
				SketchPartials partials;
				std::uint16_t all[sketch_max_rows];
				for (std::size_t page = 0; page < group.layout.pages; ++page)
					matcher.refine_all(page, group.pages[page].data(), n, partials, all);
				std::uint16_t first[sketch_max_rows];
				matcher.bounds(group.pages[0].data(), n, terms_scale, first);
				for (std::size_t row = 0; row < n; ++row) {
					SketchPartial partial;
					int one = 0, before = 0;
					for (std::size_t page = 0; page < group.layout.pages; ++page) {
						one = matcher.refine(page, group.pages[page].data(), row, partial);
						CHECK_EQ(one >= before, true, size, row);
						before = one;
					}
					const Bytes signature = group.get(row);
					CHECK_EQ(one, naive_bound(group, *storage.probe, signature, group.rows[row].size()), size, row);
					CHECK_EQ(all[row] == one || all[row] == one - 1, true, size, row, static_cast<int>(measure));
					CHECK_EQ(first[row] <= one, true, size, row);
					const double distance = 1 - similarity(measure, probe, group.rows[row]);
					CHECK_EQ(one <= terms_scale * distance + 1e-9, true, size, row, static_cast<int>(measure));
				}
			}
		}
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

// Compiles a dictionary of lindera from the tables that carve.py has extracted from a wheel.
//
//   compile_lattice FOLDER OUTPUT
//
// da: a double array of bytes, as the library daachorse 1.x writes it. A state has a base, a failure link (not needed
// here), and a word with the byte that leads to it (8 bits) and the number of its output (24 bits); the child for a
// byte is at base XOR byte. An output has the first row · 32 + the number of rows, the length of the surface, and a
// link. char, unk: structures of the library rkyv; a vector is the relative offset of its elements, and their number.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/lattice.hpp"
#include "writer.hpp"

using namespace txtfp::cjk;

namespace {

class Bytes {
public:
	explicit Bytes(const std::string &path) : path_(path), bytes_(read_file(path)) {}

	template <class T> T at(std::size_t offset) const
	{
		if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
			throw std::runtime_error(path_ + " is damaged");
		T value;
		std::memcpy(&value, bytes_.data() + offset, sizeof value);
		return value;
	}
	std::size_t size() const { return bytes_.size(); }
	std::string_view view(std::size_t offset, std::size_t size) const
	{
		if (offset > bytes_.size() || bytes_.size() - offset < size)
			throw std::runtime_error(path_ + " is damaged");
		return std::string_view(bytes_).substr(offset, size);
	}

	struct Vector {
		std::size_t begin, size;
	};
	Vector vector(std::size_t offset) const { return {target(offset, offset), at<std::uint32_t>(offset + 4)}; }

	// A string of up to 8 bytes is stored in place of the vector, padded with FF.
	std::string_view string(std::size_t offset) const
	{
		const auto first = at<std::uint32_t>(offset);
		if ((first & 0xC0) != 0x80) {
			const std::string_view inside = view(offset, 8);
			return inside.substr(0, std::min(inside.size(), inside.find('\xFF')));
		}
		const std::uint32_t size = (first & 0x3F) | (first >> 8 << 6);
		return view(target(offset, offset + 4), size);
	}

private:
	std::size_t target(std::size_t from, std::size_t distance_at) const
	{
		return from + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at<std::int32_t>(distance_at)));
	}

	std::string path_, bytes_;
};

struct Source {
	explicit Source(const std::string &folder)
		: da(folder + "/da"), rows(folder + "/rows"), matrix(folder + "/matrix"), characters(folder + "/char"),
		  unknown(folder + "/unk")
	{
	}
	Bytes da, rows, matrix, characters, unknown;
};

// ------------------------------------------------------------------------------------------------ lexicon

// All surfaces as UTF-8, in the order of their bytes, with their values in the double array.
std::vector<std::string> read_surfaces(const Bytes &da, std::vector<std::uint32_t> &values)
{
	struct State {
		std::uint32_t base, failure, output_and_check;
	};
	struct Output {
		std::uint32_t value, length, parent;
	};
	const auto states = da.at<std::uint32_t>(0);
	const std::size_t outputs_at = 8 + std::size_t{states} * sizeof(State);
	std::vector<std::string> surfaces;
	std::string surface;
	const auto visit = [&](const auto &self, std::uint32_t at) -> void {
		const auto state = da.at<State>(4 + at * sizeof(State));
		if (const std::uint32_t number = state.output_and_check >> 8; number != 0) {
			const auto output = da.at<Output>(outputs_at + (number - 1) * sizeof(Output));
			if (output.length ==
				surface.size()) { // otherwise the output belongs to a shorter surface at the end of this one
				surfaces.push_back(surface);
				values.push_back(output.value);
			}
		}
		if (state.base == 0)
			return;
		for (std::uint32_t byte = 0; byte < 256; ++byte) {
			const std::uint32_t child = state.base ^ byte;
			if (child >= states || child == 0 ||
				(da.at<State>(4 + child * sizeof(State)).output_and_check & 0xFF) != byte)
				continue;
			surface.push_back(static_cast<char>(byte));
			self(self, child);
			surface.pop_back();
		}
	};
	visit(visit, 0);
	return surfaces;
}

// The index of the first row of each surface, and at the end the number of rows. Rows are in the order of the surfaces.
// The 5 bits are too few for the 32 rows of one Korean surface and spoil the number next to them; there the boundary
// follows from the neighbours.
std::vector<std::size_t> row_boundaries(const std::vector<std::uint32_t> &values, std::size_t rows)
{
	constexpr std::uint32_t overflow = 32;
	std::vector<std::size_t> boundaries{0};
	for (std::size_t i = 0; i < values.size(); ++i) {
		const std::size_t first = boundaries.back();
		const std::size_t end = i + 1 == values.size() ? rows : values[i + 1] >> 5;
		const std::size_t count = values[i] & 31;
		const bool overflown = values[i] == (first << 5 | overflow);
		if (overflown ? end != first + overflow : values[i] >> 5 != first || count == 0)
			throw std::runtime_error("the rows of the lexicon are not in the order of its surfaces");
		boundaries.push_back(overflown ? first + overflow : first + count);
	}
	if (boundaries.back() != rows)
		throw std::runtime_error("the lexicon has rows without a surface");
	return boundaries;
}

// ------------------------------------------------------------------------------------------------ connections

// Connections whose costs are all equal are merged.
struct Connections {
	std::vector<std::uint16_t> left, right; // indexed by the number in the source: row and column of the matrix
	std::vector<std::int16_t> matrix;
	std::size_t rows = 0, columns = 0;
};

template <class Line> std::vector<std::uint16_t> unite_equal(std::size_t n, Line line, std::vector<std::size_t> &kept)
{
	std::map<std::vector<std::int16_t>, std::uint16_t> known;
	std::vector<std::uint16_t> number;
	for (std::size_t i = 0; i < n; ++i) {
		const auto [at, is_new] = known.emplace(line(i), static_cast<std::uint16_t>(known.size()));
		if (is_new)
			kept.push_back(i);
		number.push_back(at->second);
	}
	return number;
}

// Source: -1, rights, lefts, then cost[left of the right word][right of the left word].
Connections read_connections(const Bytes &source)
{
	const std::size_t rights = source.at<std::uint16_t>(2), lefts = source.at<std::uint16_t>(4);
	const auto cost = [&](std::size_t left, std::size_t right) {
		return source.at<std::int16_t>(6 + 2 * (left * rights + right));
	};
	std::vector<std::size_t> kept_rows, kept_columns;
	Connections out;
	out.left = unite_equal(
		lefts,
		[&](std::size_t left) {
			std::vector<std::int16_t> line;
			for (std::size_t right = 0; right < rights; ++right)
				line.push_back(cost(left, right));
			return line;
		},
		kept_rows);
	out.right = unite_equal(
		rights,
		[&](std::size_t right) {
			std::vector<std::int16_t> line;
			for (const std::size_t left : kept_rows)
				line.push_back(cost(left, right));
			return line;
		},
		kept_columns);
	for (const std::size_t left : kept_rows)
		for (const std::size_t right : kept_columns)
			out.matrix.push_back(cost(left, right));
	out.rows = kept_rows.size();
	out.columns = kept_columns.size();
	return out;
}

LatticeRow connected(const Connections &connections, std::int16_t cost, std::uint16_t left, std::uint16_t right)
{
	return {connections.left.at(left), connections.right.at(right), cost};
}

// ------------------------------------------------------------------------------------------------ characters

struct Categories {
	std::vector<LatticeCategory> categories;
	std::vector<LatticeRow> rows;
	std::vector<LatticeCategorySet> sets;
	std::vector<std::uint32_t> boundaries, set_of_range; // code points from a boundary on have the set of that range
};

void read_unknown_words(const Bytes &source, const Connections &connections, Categories &out)
{
	constexpr std::size_t entry = 16, cost_at = 8, left_at = 10, right_at = 12;
	const std::size_t root = source.size() - 32;
	const Bytes::Vector references = source.vector(root), costs = source.vector(root + 8);
	if (references.size != out.categories.size())
		throw std::runtime_error("the numbers of categories and of kinds of unknown words differ");
	for (std::size_t i = 0; i < references.size; ++i) {
		const Bytes::Vector rows = source.vector(references.begin + 8 * i);
		out.categories[i].first_row = static_cast<std::uint16_t>(out.rows.size());
		out.categories[i].rows = static_cast<std::uint16_t>(rows.size);
		for (std::size_t row = 0; row < rows.size; ++row) {
			const auto number = source.at<std::uint32_t>(rows.begin + 4 * row);
			if (number >= costs.size)
				throw std::runtime_error("an unknown word is missing");
			const std::size_t at = costs.begin + entry * number;
			out.rows.push_back(connected(connections, source.at<std::int16_t>(at + cost_at),
				source.at<std::uint16_t>(at + left_at), source.at<std::uint16_t>(at + right_at)));
		}
		if (rows.size == 0)
			throw std::runtime_error("a category has no unknown words");
	}
}

Categories read_categories(const Source &source, const Connections &connections)
{
	const Bytes &characters = source.characters;
	const std::size_t root = characters.size() - 32;
	const Bytes::Vector definitions = characters.vector(root), names = characters.vector(root + 8),
						boundaries = characters.vector(root + 16), values = characters.vector(root + 24);
	Categories out;
	std::size_t space = definitions.size;
	for (std::size_t i = 0; i < definitions.size; ++i) {
		const std::size_t at = definitions.begin + 8 * i;
		out.categories.push_back({characters.at<std::uint8_t>(at), characters.at<std::uint8_t>(at + 1), 0, 0});
		if (characters.string(names.begin + 8 * i) == "SPACE")
			space = i;
	}
	if (space == definitions.size || boundaries.size != values.size)
		throw std::runtime_error("the character definition is damaged");
	for (std::size_t i = 0; i < boundaries.size; ++i) {
		const Bytes::Vector members = characters.vector(values.begin + 8 * i);
		LatticeCategorySet set{};
		if (members.size == 0 || members.size > LatticeCategorySet::max_categories)
			throw std::runtime_error("a character has no category, or too many");
		for (std::size_t k = 0; k < members.size; ++k) {
			const auto category = characters.at<std::uint32_t>(members.begin + 4 * k);
			if (category >= definitions.size)
				throw std::runtime_error("a category is missing");
			set.categories[set.count++] = static_cast<std::uint8_t>(category);
			set.is_space |= category == space;
		}
		const auto same = std::find_if(out.sets.begin(), out.sets.end(),
			[&](const LatticeCategorySet &other) { return std::memcmp(&other, &set, sizeof set) == 0; });
		out.boundaries.push_back(characters.at<std::uint32_t>(boundaries.begin + 4 * i));
		out.set_of_range.push_back(static_cast<std::uint32_t>(same - out.sets.begin()));
		if (same == out.sets.end())
			out.sets.push_back(set);
	}
	if (out.boundaries.empty() || out.boundaries[0] != 0)
		throw std::runtime_error("the character definition does not begin with U+0000");
	read_unknown_words(source.unknown, connections, out);
	return out;
}

// ------------------------------------------------------------------------------------------------ main

void compile(const std::string &folder, const std::string &output)
{
	const Source source(folder);
	const Connections connections = read_connections(source.matrix);
	const Categories categories = read_categories(source, connections);

	std::vector<std::uint32_t> values;
	const std::vector<std::string> surfaces = read_surfaces(source.da, values);
	const std::size_t rows = source.rows.size() / 10;
	const std::vector<std::size_t> boundaries = row_boundaries(values, rows);
	std::vector<Word> words;
	std::vector<LatticeRow> edges;
	for (std::size_t i = 0; i < surfaces.size(); ++i) {
		const std::size_t count = boundaries[i + 1] - boundaries[i];
		words.push_back({from_utf8(surfaces[i]), static_cast<std::uint32_t>(edges.size() << 8 | count)});
		if (words.back().text.size() > lattice_longest_word || count > 0xFF)
			throw std::runtime_error("a word is too long, or has too many rows");
		for (std::size_t row = boundaries[i + 1]; row-- > boundaries[i];) // edges are added in reverse order
			edges.push_back(connected(connections, source.rows.at<std::int16_t>(10 * row + 4),
				source.rows.at<std::uint16_t>(10 * row + 6), source.rows.at<std::uint16_t>(10 * row + 8)));
	}
	const auto codes = character_codes(words);
	const CharacterTableData characters = make_character_table([&](char32_t c) -> std::uint32_t {
		const auto range = std::upper_bound(categories.boundaries.begin(), categories.boundaries.end(), c) - 1;
		const std::uint32_t set =
			categories.set_of_range[static_cast<std::size_t>(range - categories.boundaries.begin())];
		const auto code = codes.find(c);
		return set << 16 | (code == codes.end() ? 0U : code->second);
	});

	DictionaryWriter writer(DictionaryKind::lattice);
	DictionaryHeader &header = writer.header();
	header.words = words.size();
	header.rows = edges.size();
	header.parameters[LatticeDictionary::parameter_matrix_rows] = connections.rows;
	header.parameters[LatticeDictionary::parameter_matrix_columns] = connections.columns;
	header.parameters[LatticeDictionary::parameter_begin] = connections.right.at(0);
	header.parameters[LatticeDictionary::parameter_end] = connections.left.at(0);
	writer.section(characters.page);
	writer.section(characters.entries);
	writer.section(make_trie(std::move(words), codes));
	writer.section(edges);
	writer.section(connections.matrix);
	writer.section(categories.sets);
	writer.section(categories.categories);
	writer.section(categories.rows);
	writer.write(output);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3) {
		std::fprintf(stderr, "usage: compile_lattice FOLDER OUTPUT\n");
		return 2;
	}
	try {
		compile(argv[1], argv[2]);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "compile_lattice: %s\n", error.what());
		return 1;
	}
	return 0;
}

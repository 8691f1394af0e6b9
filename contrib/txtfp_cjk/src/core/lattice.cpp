#include "core/lattice.hpp"

#include <algorithm>
#include <limits>

#include "core/text/utf8.hpp"

namespace txtfp::cjk {

namespace {

constexpr std::size_t stop_interval = 1024; // characters

constexpr std::string_view full_stop = "\xE3\x80\x82", comma = "\xE3\x80\x81";

} // namespace

LatticeDictionary::LatticeDictionary(const Dictionary &file) noexcept
	: characters{file.section<std::uint16_t>(section_pages).data(),
		  file.section<std::uint32_t>(section_entries).data()},
	  trie(file.section<TrieNode>(section_nodes).data()), rows(file.section<LatticeRow>(section_rows).data()),
	  matrix(file.section<std::int16_t>(section_matrix).data()),
	  sets(file.section<LatticeCategorySet>(section_sets).data()),
	  categories(file.section<LatticeCategory>(section_categories).data()),
	  unknown_rows(file.section<LatticeRow>(section_unknown_rows).data()),
	  matrix_rows(file.header().parameters[parameter_matrix_rows]),
	  matrix_columns(file.header().parameters[parameter_matrix_columns]),
	  begin(static_cast<std::uint16_t>(file.header().parameters[parameter_begin])),
	  end(static_cast<std::uint16_t>(file.header().parameters[parameter_end]))
{
}

Lattice::Lattice(const LatticeDictionary &dictionary)
	: dictionary_(dictionary), best_lefts_(dictionary.matrix_rows, BestLeft{0, 0, none}),
	  seen_(dictionary.matrix_columns, Seen{0, 0})
{
}

std::size_t Lattice::unit(std::string_view text, bool last) const noexcept
{
	for (std::size_t i = 0; i < text.size(); ++i) {
		const char c = text[i];
		if (c == '\n' || c == '\t')
			return i + 1;
		if (c == full_stop[0]) {
			const std::string_view character = text.substr(i, full_stop.size());
			if (character == full_stop || character == comma)
				return i + character.size();
		}
	}
	return last ? text.size() : 0;
}

void Lattice::cut(std::string_view unit, const core::StopToken &stop)
{
	stop.check();
	read(unit, stop);
	const auto n = static_cast<Index>(entries_.size());
	ends_.assign(n + 1, {none, none});
	edges_.clear();
	edge_limit_ = first_edge_limit_;
	emitted_ = furthest_ = 0;
	emitted_bytes_ = 0;
	std::fill(std::begin(runs_), std::end(runs_), Run{});
	put(0, 0, 0, none, dictionary_.begin);
	Index unknown_until = 0;
	for (Index i = 0; i < n; ++i) {
		if (ends_[i].first == none)
			continue;
		gather(i);
		const bool found = add_words(i);
		if (unknown_until <= i)
			unknown_until = std::max(unknown_until, add_unknown(i, found));
		ends_[i].first = none;
		if (edges_.size() >= edge_limit_)
			forget(i + 1);
		if (i % stop_interval == 0)
			stop.check();
	}
	gather(n); // if no edge ends there, best_left returns none
	emit_path(best_left(dictionary_.end).edge, n);
	if (emitted_bytes_ < unit.size()) // there is no path: a character has no unknown word in the dictionary
		token(unit.size() - emitted_bytes_, true);
}

void Lattice::read(std::string_view piece, const core::StopToken &stop)
{
	piece_ = piece;
	entries_.clear();
	for (const char *p = piece.data(), *const end = p + piece.size(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		entries_.push_back(dictionary_.characters[c.code_point]);
		p += c.length;
		if (entries_.size() % (64 * stop_interval) == 0)
			stop.check();
	}
}

// The edges that end here are the left neighbours of all edges that begin here. Of edges with the same connection to
// the right, the more expensive ones are on no best path; of equal ones the later one is not.
void Lattice::gather(Index end)
{
	lefts_.clear();
	++place_;
	for (Index i = ends_[end].first; i != none; i = edges_[i].next) {
		const Edge &edge = edges_[i];
		Seen &seen = seen_[edge.right];
		if (seen.place == place_) {
			Left &other = lefts_[seen.left];
			if (other.cost <= edge.cost)
				continue;
			other.cost = never; // later edges find the later entry
		}
		seen = {place_, static_cast<Index>(lefts_.size())};
		Left &left = lefts_.emplace_back();
		left.cost = edge.cost;
		left.edge = i;
		left.right = edge.right;
	}
}

bool Lattice::add_words(Index start)
{
	struct Match {
		Index end;
		std::uint32_t value;
	};
	Match matches[lattice_longest_word];
	std::size_t found = 0;
	std::uint32_t node = Trie::root;
	const auto n = static_cast<Index>(entries_.size());
	for (Index i = start; i < n && found < lattice_longest_word; ++i) {
		node = dictionary_.trie.child(node, entries_[i] & 0xFFFF);
		if (node == Trie::none)
			break;
		if (const std::uint32_t value = dictionary_.trie.value(node); value != 0)
			matches[found++] = {i + 1, value};
	}
	for (std::size_t i = found; i-- > 0;) {
		const LatticeRow *row = dictionary_.rows + (matches[i].value >> 8);
		for (const LatticeRow *const end = row + (matches[i].value & 0xFF); row < end; ++row)
			add(start, matches[i].end, *row);
	}
	return found > 0;
}

// Returns the end of the last unknown word that was added here; `start` if none was.
Lattice::Index Lattice::add_unknown(Index start, bool found_word)
{
	const LatticeCategorySet &set = set_of(start);
	Index end = start;
	for (std::size_t k = 0; k < set.count; ++k) {
		const LatticeCategory &category = dictionary_.categories[set.categories[k]];
		if (category.invoke == 0 && found_word)
			continue;
		end = category.group != 0 ? run_end(start, k, set.categories[k]) : start + 1;
		const LatticeRow *row = dictionary_.unknown_rows + category.first_row;
		for (const LatticeRow *const last = row + category.rows; row < last; ++row)
			add(start, end, *row);
	}
	return end;
}

// The result is cached, because it is needed for each character of the run, which may be long.
Lattice::Index Lattice::run_end(Index start, std::size_t k, unsigned category)
{
	Run &run = runs_[k];
	if (start >= run.begin && start < run.end)
		return run.end;
	const auto n = static_cast<Index>(entries_.size());
	Index end = start + 1;
	while (end < n && k < set_of(end).count && set_of(end).categories[k] == category)
		++end;
	run = {start, end};
	return end;
}

void Lattice::add(Index start, Index end, const LatticeRow &row)
{
	const BestLeft &best = best_left(row.left);
	put(end, best.cost + row.cost, start, best.edge, row.right);
}

// Computed once for all edges that begin at this place with the same connection.
const Lattice::BestLeft &Lattice::best_left(std::uint16_t connection)
{
	BestLeft &best = best_lefts_[connection];
	if (best.place == place_)
		return best;
	const std::int16_t *const costs = dictionary_.matrix + connection * dictionary_.matrix_columns;
	std::int64_t least = std::numeric_limits<std::int64_t>::max();
	Index edge = none;
	for (const Left &left : lefts_) {
		const std::int64_t cost = left.cost + costs[left.right];
		if (cost < least) {
			least = cost;
			edge = left.edge;
		}
	}
	best = {place_, least, edge};
	return best;
}

void Lattice::put(Index end, std::int64_t cost, Index start, Index left, std::uint16_t right)
{
	Ends &ends = ends_[end];
	const auto added = static_cast<Index>(edges_.size());
	Edge &edge = edges_.emplace_back(); // copying an Edge would wait for its own stores
	edge.cost = cost;
	edge.start = start;
	edge.left = left;
	edge.next = none;
	edge.right = right;
	if (ends.first == none) {
		ends.first = added;
		furthest_ = std::max(furthest_, end);
	} else {
		edges_[ends.last].next = added;
	}
	ends.last = added;
}

// Drops the edges that no path can use any more, and emits the path up to the last edge that all paths use.
// from: the first place whose edges have not been added.
void Lattice::forget(Index from)
{
	const Index common = keep_reachable(from);
	if (common != none && common > 0) {
		// an edge ends where the next edge on a path begins
		Index end = none;
		for (std::size_t i = common + 1; i < edges_.size() && end == none; ++i)
			if (edges_[i].left == common)
				end = edges_[i].start;
		if (end != none) {
			emit_path(common, end);
			edges_[common].left = none;
		}
	}
	edge_limit_ = std::max(first_edge_limit_, 2 * edges_.size());
}

// Renumbers the edges that are reachable from those ending at `from` or later, and returns the last edge that is on all
// of their paths, or none. The number of an edge is greater than those of the edges before it on its path.
Lattice::Index Lattice::keep_reachable(Index from)
{
	constexpr Index unreached = none, reached = 0;
	renumbered_.assign(edges_.size(), unreached);
	std::size_t open = 0;
	const auto reach = [&](Index edge) {
		if (edge != none && renumbered_[edge] == unreached) {
			renumbered_[edge] = reached;
			++open;
		}
	};
	for (Index end = from; end <= furthest_; ++end)
		for (Index i = ends_[end].first; i != none; i = edges_[i].next)
			reach(i);
	Index common = none;
	for (auto i = static_cast<Index>(edges_.size()); i-- > 0;) {
		if (renumbered_[i] == unreached)
			continue;
		if (open == 1 && common == none)
			common = i;
		--open;
		reach(edges_[i].left);
	}
	Index kept = 0;
	for (Index i = 0; i < edges_.size(); ++i) {
		if (renumbered_[i] == unreached)
			continue;
		renumbered_[i] = kept;
		edges_[kept] = edges_[i];
		Edge &edge = edges_[kept++];
		if (edge.left != none)
			edge.left = renumbered_[edge.left];
	}
	for (Index i = 0; i < kept; ++i)
		if (edges_[i].next != none)
			edges_[i].next = renumbered_[edges_[i].next];
	edges_.resize(kept);
	for (Index end = from; end <= furthest_; ++end)
		if (ends_[end].first != none)
			ends_[end] = {renumbered_[ends_[end].first], renumbered_[ends_[end].last]};
	return common == none ? none : renumbered_[common];
}

// Emits the words on the path to an edge, starting at the end of the words emitted before.
void Lattice::emit_path(Index last, Index end)
{
	path_.clear();
	path_.push_back(end);
	for (Index i = last; i != none && edges_[i].start >= emitted_ && path_.back() > emitted_; i = edges_[i].left)
		path_.push_back(edges_[i].start);
	for (std::size_t i = path_.size() - 1; i-- > 0;) {
		const char *const begin = piece_.data() + emitted_bytes_, *const piece_end = piece_.data() + piece_.size();
		const char *p = begin;
		bool all_space = true, all_white = true;
		for (; emitted_ < path_[i]; ++emitted_) {
			const core::Decoded c = core::decode(p, piece_end);
			all_space = all_space && set_of(emitted_).is_space != 0;
			all_white = all_white && is_white_space(c.code_point);
			p += c.length;
		}
		token(static_cast<std::size_t>(p - begin), all_space || all_white);
		emitted_bytes_ += static_cast<std::size_t>(p - begin);
	}
}

} // namespace txtfp::cjk

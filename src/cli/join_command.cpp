// txtfp pairs, txtfp clusters.
#include <cstdio>
#include <utility>

#include "cli/join_run.hpp"

namespace txtfp::cli {

namespace {

std::string measure_text(Kind kind, int measure)
{
	char text[32];
	if (is_minhash(kind))
		std::snprintf(text, sizeof text, "%g", similarity_of(kind, measure));
	else
		std::snprintf(text, sizeof text, "%d", measure);
	return text;
}

class JoinCommandRun : private JoinRun {
public:
	JoinCommandRun(const JoinCommand &command, const JoinLimits &limits)
		: JoinRun(command, limits.widest(), limits.thresholds.back()), limits_(limits)
	{
		if (command.mode != "components" && command.mode != "star")
			refuse("there is no mode " + in_quotes(command.mode) + "; valid are components and star");
		if (limits.bounds.size() == 1)
			return;
		if (!command.clusters)
			refuse("txtfp pairs takes one threshold; it returns the similarities");
		if (command.mode == "star")
			refuse("clusters at several thresholds are nested only if they are components");
		if (!command.keep.empty())
			refuse("--keep takes one threshold");
	}

	int run()
	{
		// Creates both files before the work, so that a name that cannot be written is reported at once and not after
		// hours.
		OutputFile out(command_.common.output);
		std::optional<OutputFile> keep;
		if (!command_.keep.empty())
			keep.emplace(command_.keep);
		read(keep.has_value());
		Join join(collection_, {bound_, memory_ / 4}, temporary_, workers_);
		if (!command_.clusters)
			pairs(join, out);
		else if (limits_.bounds.size() > 1)
			nested_clusters(join, out);
		else
			clusters(join, out, keep ? &*keep : nullptr);
		if (keep)
			keep->commit();
		out.commit();
		report_skipped(collection_.broken().size(), command_.common.quiet);
		return exit_ok;
	}

private:
	RowWriter writer(std::vector<std::string_view> names, OutputFile &out) const
	{
		return {rows_, std::move(names), !command_.common.no_header, out};
	}

	void pairs(Join &join, OutputFile &out)
	{
		const char *measure_name = has_distance(kind_) ? "distance" : is_minhash(kind_) ? "similarity" : "score";
		RowWriter rows = writer({"a", "b", measure_name}, out);
		Id a, b;
		std::uint32_t held = core::no_element;
		join.pairs([&](const Pair &pair) {
			if (pair.a != held)
				a = collection_.id(held = pair.a);
			b = collection_.id(pair.b);
			const std::string measure = measure_text(kind_, pair.measure);
			rows.put({{a.text, a.is_number}, {b.text, b.is_number}, {measure, true}});
		});
		rows.flush();
	}

	// The first row of the order represents the component.
	static void name_after_best(std::vector<std::uint32_t> &labels, const std::vector<std::uint32_t> &order)
	{
		std::vector<std::uint32_t> best(order.empty() ? 0 : labels.size(), core::no_element);
		for (const std::uint32_t row : order)
			if (best[labels[row]] == core::no_element)
				best[labels[row]] = row;
		if (!order.empty())
			for (std::uint32_t &label : labels)
				label = best[label];
	}

	void clusters(Join &join, OutputFile &out, OutputFile *keep)
	{
		std::vector<std::uint32_t> labels = join.components();
		{
			const std::vector<std::uint32_t> order = ranked();
			if (command_.mode == "star")
				join.cut_into_stars(labels, order);
			else
				name_after_best(labels, order);
		}
		RowWriter rows = writer({"id", "cluster", "size"}, out);
		write_clusters(labels, "", rows);
		rows.flush();
		if (keep == nullptr)
			return;
		write_kept(*keep, [&](std::uint32_t row) { return labels[row] == row; });
		if (command_.mode == "components" && !command_.common.quiet)
			report_links(join, labels);
	}

	void nested_clusters(Join &join, OutputFile &out)
	{
		std::vector<std::vector<std::uint32_t>> labels = join.nested_components(limits_.bounds);
		const std::vector<std::uint32_t> order = ranked();
		RowWriter rows = writer({"threshold", "id", "cluster", "size"}, out);
		for (std::size_t i = 0; i < labels.size(); ++i) {
			name_after_best(labels[i], order);
			char threshold[32];
			std::snprintf(threshold, sizeof threshold, "%g", limits_.thresholds[i]);
			write_clusters(labels[i], threshold, rows);
		}
		rows.flush();
	}

	// `threshold` is empty if that is no column.
	void write_clusters(const std::vector<std::uint32_t> &labels, std::string_view threshold, RowWriter &rows)
	{
		std::vector<std::uint32_t> sizes(labels.size());
		for (const std::uint32_t label : labels)
			++sizes[label];
		progress_.begin("writing", labels.size(), "rows");
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			if (sizes[labels[row]] < 2)
				return;
			const Id centre = labels[row] == row ? id : collection_.id(labels[row]);
			const std::string size = std::to_string(sizes[labels[row]]);
			std::vector<Cell> cells = {{id.text, id.is_number}, {centre.text, centre.is_number}, {size, true}};
			if (!threshold.empty())
				cells.insert(cells.begin(), {threshold, true});
			rows.put(cells);
			progress_.at(row);
		});
		progress_.end();
	}

	// Of the records that are left out, how many are not similar to the one that is kept.
	void report_links(const Join &join, const std::vector<std::uint32_t> &labels) const
	{
		unsigned long long out = 0, by_others = 0;
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			if (labels[row] != row) {
				++out;
				by_others += !join.similar(row, labels[row]);
			}
		std::fprintf(stderr,
			"txtfp: %llu %s left out, %llu of them only by links through others: not similar to the record that is "
			"kept%s\n",
			out, out == 1 ? "record was" : "records were", by_others,
			by_others > 0 ? "; --mode star and \"txtfp dedup\" follow no such links" : "");
	}

	JoinLimits limits_;
};

} // namespace

int run_join(const JoinCommand &command)
{
	return JoinCommandRun(command, join_limits(*parse_kind(command.method.kind), command)).run();
}

} // namespace txtfp::cli

// txtfp pairs, txtfp clusters.
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "cli/decided_pairs.hpp"
#include "cli/join_run.hpp"
#include "core/dedup/cluster_cuts.hpp"

namespace txtfp::cli {

namespace {

std::string measure_text(Kind kind, int measure)
{
	char text[32];
	if (kind->is_sketch())
		std::snprintf(text, sizeof text, "%g", kind->similarity_of(measure));
	else
		std::snprintf(text, sizeof text, "%d", measure);
	return text;
}

class JoinCommandRun : private JoinRun {
public:
	JoinCommandRun(const JoinCommand &command, const JoinLimits &limits)
		: JoinRun(command, limits.widest(), limits.thresholds.back()), limits_(limits)
	{
		const auto mode = core::parse_mode(command.mode);
		if (!mode)
			refuse("there is no mode " + in_quotes(command.mode) + "; valid are components, star and complete");
		cluster_options_.mode = *mode;
		if (command.max_size != 0 && command.max_size < 2)
			refuse("--max-size must be at least 2");
		if (command.max_size != 0 && !command.together.empty())
			refuse("--max-size cannot be combined with --together: a cut might separate records that are to be together");
		cluster_options_.max_size = command.max_size;
		cluster_options_.most_link_memory = memory_ / 2;
		if (limits.bounds.size() == 1)
			return;
		if (!command.clusters)
			refuse("txtfp pairs takes one threshold; it returns the similarities");
		if (cluster_options_.mode != core::ClusterMode::components)
			refuse("clusters at several thresholds are nested only if they are components");
		if (command.max_size != 0 || !command.apart.empty() || !command.together.empty())
			refuse("several thresholds cannot be combined with --apart, --together and --max-size");
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
		Join join(collection_, {bound_, memory_ / 4}, temporary_, workers_, ranked());
		if (!command_.clusters)
			pairs(join, out);
		else if (limits_.bounds.size() > 1)
			nested_clusters(join, out);
		else
			clusters(join, out, keep ? &*keep : nullptr);
		out.finish();
		if (keep)
			keep->commit();
		out.commit();
		collection_.counts().report(command_.common.quiet);
		return exit_ok;
	}

private:
	RowWriter writer(std::vector<std::string_view> names, OutputFile &out) const
	{
		return {rows_, std::move(names), !command_.common.no_header, out};
	}

	void pairs(Join &join, OutputFile &out)
	{
		const char *measure_name = kind_->has_distance() ? "distance" : kind_->is_sketch() ? "similarity" : "score";
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

	void clusters(Join &join, OutputFile &out, OutputFile *keep)
	{
		core::JoinHost &host = workers_.own_host();
		DecidedPairs decided;
		decided.read(command_.apart, command_.together, collection_, join, host);
		const std::span<std::uint32_t> labels = core::connect(host, workers_, join.rows(), collection_.rows());
		double *formed;
		core::TooManyLinks wrong;
		if (!core::find_clusters(host, join.rows(), decided.pairs(), cluster_options_, labels, formed, wrong))
			throw Failure("a cluster of " + std::to_string(wrong.rows) + " records, of which some are to be apart, has more than " +
				std::to_string(wrong.most) + " pairs; allow more memory with --memory, raise the threshold, or use --mode star");
		std::vector<std::string_view> names = {"id", "cluster", "size"};
		if (formed != nullptr)
			names.push_back("formed_at");
		RowWriter rows = writer(names, out);
		write_clusters(join, labels, "", formed, rows);
		rows.flush();
		if (keep == nullptr)
			return;
		write_kept(*keep, [&](std::uint32_t row) { return labels[join.rank_of(row)] == join.rank_of(row); });
		if (cluster_options_.mode == core::ClusterMode::components && !command_.common.quiet)
			report_links(join, labels);
	}

	void nested_clusters(Join &join, OutputFile &out)
	{
		const core::NestedComponents nested =
			core::nested_components(workers_.own_host(), join.rows(), collection_.rows(), limits_.thresholds);
		RowWriter rows = writer({"threshold", "id", "cluster", "size"}, out);
		for (std::size_t i = 0; i < limits_.thresholds.size(); ++i) {
			char threshold[32];
			std::snprintf(threshold, sizeof threshold, "%g", limits_.thresholds[i]);
			write_clusters(join, nested.labels[i], threshold, nullptr, rows);
		}
		rows.flush();
	}

	// `threshold` is empty, and `formed` nullptr, if that is no column.
	void write_clusters(Join &join, std::span<const std::uint32_t> labels, std::string_view threshold, const double *formed,
		RowWriter &rows)
	{
		std::vector<std::uint32_t> sizes(labels.size());
		for (const std::uint32_t label : labels)
			++sizes[label];
		progress_.begin("writing", labels.size(), "rows");
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			const std::uint32_t rank = join.rank_of(row), cluster = labels[rank];
			if (sizes[cluster] < 2)
				return;
			const Id centre = cluster == rank ? id : collection_.id(join.row_of(cluster));
			const std::string size = std::to_string(sizes[cluster]);
			std::vector<Cell> cells = {{id.text, id.is_number}, {centre.text, centre.is_number}, {size, true}};
			if (!threshold.empty())
				cells.insert(cells.begin(), {threshold, true});
			char formed_at[32] = "";
			if (formed != nullptr) {
				std::snprintf(formed_at, sizeof formed_at, "%g", formed[cluster]);
				cells.push_back({formed_at, true, std::isnan(formed[cluster])});
			}
			rows.put(cells);
			progress_.at(row);
		});
		progress_.end();
	}

	// How many of the records that are left out are not similar to the one that is kept.
	static void report_links(Join &join, std::span<const std::uint32_t> labels)
	{
		unsigned long long out = 0, by_others = 0;
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			if (labels[row] != row) {
				++out;
				by_others += !join.rows().similar(labels[row], row);
			}
		std::fprintf(stderr,
			"txtfp: %llu %s left out, %llu of them only by links through others: not similar to the record that is "
			"kept%s\n",
			out, out == 1 ? "record was" : "records were", by_others,
			by_others > 0 ? "; --mode star and \"txtfp dedup\" follow no such links" : "");
	}

	core::ClusterOptions cluster_options_;
	JoinLimits limits_;
};

} // namespace

int run_join(const JoinCommand &command)
{
	return JoinCommandRun(command, join_limits(parse_kind(command.method.kind), command)).run();
}

} // namespace txtfp::cli

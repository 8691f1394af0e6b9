// The records of a file, one after the other, in the thread that calls.
#pragma once

#include <string>

#include "cli/batches.hpp"
#include "cli/commands.hpp"
#include "cli/stop.hpp"

namespace txtfp::cli {

// Calls visit(record, parser, number), which returns what is wrong with it or "", for each record that could be parsed.
// Returns the name of the file or folder.
template <class Visit>
std::string for_each_parsed(const InputOptions &options, RecordFormat format, bool quiet, const Visit &visit)
{
	InputFile file(input_paths(options, quiet), decoder_limit(options));
	BatchReader reader(file, format, record_limit(options, no_memory_limit));
	RecordParser parser(format);
	Batch batch;
	RecordCounts counts;
	while (reader.next(batch)) {
		stop_token.check();
		BatchResult result;
		std::uint64_t number = batch.first_record;
		for_each_record(batch, parser, result, [&](const Record &record, bool parsed) {
			++number;
			return parsed ? visit(record, parser, number) : std::string();
		});
		counts.add(result, options.skip_errors);
	}
	counts.check_read(reader);
	if (counts.refused() > 0)
		counts.report(quiet);
	return file.whole_name();
}

} // namespace txtfp::cli

// Text files as Arrow record batches: the reader of src/records, with its threads.
#include "text_reader.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "parallel.hpp"
#include "records/columns.hpp"
#include "records/decoder.hpp"
#include "records/failure.hpp"
#include "text_rows.hpp"

namespace txtfp::python {

namespace {

// A file of Python: an object with read(size).
class PythonSource final : public records::Source {
public:
	PythonSource(std::string name, nb::object file) : Source(std::move(name)), file_(std::move(file)) {}
	~PythonSource() override
	{
		nb::gil_scoped_acquire acquire;
		file_.reset();
	}
	std::size_t read(char *to, std::size_t size) override
	{
		nb::gil_scoped_acquire acquire;
		const nb::object bytes = file_.attr("read")(size);
		char *data = nullptr;
		Py_ssize_t n = 0;
		if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &n) != 0)
			throw nb::python_error();
		std::memcpy(to, data, std::min(size, static_cast<std::size_t>(n)));
		return std::min(size, static_cast<std::size_t>(n));
	}

private:
	nb::object file_;
};

class TextReader {
public:
	// `files` has pairs of a name and None, or a function that opens the file.
	TextReader(nb::list files, std::string_view format, bool header, std::string_view delimiter, std::string text,
		std::string id, std::string priority, std::uint64_t max_record, std::uint64_t max_window, std::uint64_t max_kept,
		bool skip_errors, unsigned threads)
		: asked_{std::move(text), std::move(id), std::move(priority)}, max_kept_(max_kept), threads_(thread_count(threads))
	{
		for (const nb::handle file : files)
			files_.push_back({nb::cast<std::string>(file[0]), nb::borrow(file[1])});
		format_.format = *records::format_named(format);
		format_.header = header && format_.has_fields();
		delimiter_ = !delimiter.empty() ? delimiter[0] : format_.has_quotes() ? ',' : '\t';
		format_.only_more = true;
		format_.line_ids = true;
		limit_.bytes = max_record;
		limit_.skip = skip_errors;
		limit_.may_be_empty = true;
		decoder_.memory = max_window;
		decoder_.option = "max_window (--max-window)";
	}

	// Reads the files for the names and types of their columns. Objects must all be parsed for that, so they are kept for later, as long as they take
	// no more memory than `max_kept`.
	void scan()
	{
		for (const File &file : files_) {
			open(file);
			if (format_.format == records::Format::jsonl) {
				scan_objects(&file - files_.data());
			} else {
				for (const std::string &name : names_)
					columns_.kinds(columns_.place(name)).add_text();
			}
			open_.reset();
		}
		for (std::size_t i = 0; i < columns_.size(); ++i) // Arrow's names end there
			if (columns_.name(i).find('\0') != std::string::npos)
				throw records::Failure("the field " + records::in_quotes(columns_.name(i)) + " has a zero byte in its name");
		end();
	}

	nb::list names() const
	{
		nb::list names;
		for (std::size_t i = 0; i < columns_.size(); ++i)
			names.append(columns_.name(i));
		return names;
	}

	// Names that a header has several times, and the file; such a field cannot be asked for.
	nb::dict doubled() const
	{
		nb::dict doubled;
		for (const auto &[name, file] : doubled_)
			doubled[nb::cast(name)] = file;
		return doubled;
	}

	void start(const std::vector<std::string> &wanted)
	{
		wanted_.clear();
		for (const std::string &name : wanted)
			wanted_.push_back(columns_.place(name));
		open_.reset();
		next_file_ = next_kept_ = 0;
		counts_ = {};
	}

	std::optional<Rows> next()
	{
		if (next_kept_ < kept_.size())
			return next_kept();
		while (open_ || next_file_ < files_.size()) {
			if (!open_)
				open(files_[next_file_++]);
			const std::size_t n = read_group();
			if (n == 0) {
				open_.reset();
				continue;
			}
			parts_.resize(n);
			Workers::for_each(n, threads_, [&](std::size_t i, unsigned thread) {
				parsers_[thread]->parse(group_[i], columns_, wanted_, parts_[i]);
			});
			for (const records::TableRows &part : parts_)
				count(part);
			Rows rows(wanted_names(), wanted_types(), parts_, threads_);
			give_back_memory();
			return rows;
		}
		end();
		return std::nullopt;
	}

	// read, without text, refused
	nb::tuple counts() const { return nb::make_tuple(counts_.records, counts_.without_text, counts_.refused); }

	// The types of the columns, for no rows.
	Rows schema()
	{
		return Rows(wanted_names(), wanted_types(), {}, 1);
	}

private:
	static constexpr std::size_t group_bytes = std::size_t{1} << 23;

	struct File {
		std::string name;
		nb::object open;
	};
	struct Open {
		std::unique_ptr<records::Source> source;
		std::unique_ptr<records::Input> input;
		std::unique_ptr<records::BatchReader> reader;
	};

	void open(const File &file)
	{
		open_ = std::make_unique<Open>();
		if (file.open.is_none())
			open_->source = std::make_unique<records::FileSource>(file.name, core::StopToken{});
		else
			open_->source = std::make_unique<PythonSource>(file.name, file.open());
		format_.delimiter = delimiter_;
		{
			nb::gil_scoped_release release;
			open_->input = std::make_unique<records::Input>(*open_->source, decoder_);
			open_->reader = std::make_unique<records::BatchReader>(*open_->input, format_, limit_);
		}
		names_ = format_.header ? open_->reader->names() : records::default_names(format_);
		check_names();
		std::vector<std::string> distinct = records::distinct_names(names_);
		for (std::size_t i = 0; i < names_.size(); ++i)
			if (distinct[i] != names_[i])
				doubled_.try_emplace(names_[i], file.name);
		names_ = std::move(distinct);
		parsers_.clear();
		for (unsigned i = 0; i < threads_; ++i)
			parsers_.push_back(std::make_unique<records::TableParser>(format_, names_, asked_));
	}

	void check_names() const
	{
		const std::string &file = open_->source->name();
		if (format_.format == records::Format::jsonl || (format_.has_fields() && names_.empty()))
			return; // each object is checked; an empty file
		for (std::size_t i = 0; i < names_.size(); ++i)
			if (!records::is_valid_utf8(names_[i]))
				throw records::Failure(file + ": name " + std::to_string(i + 1) + " of the header is not valid UTF-8");
		for (const std::string *name : {&asked_.text, &asked_.id, &asked_.priority}) {
			if (name->empty())
				continue;
			if (std::find(names_.begin(), names_.end(), *name) == names_.end())
				throw records::Failure(records::no_field(*name, names_, file));
			if (const std::string wrong = records::name_twice(names_, *name); !wrong.empty())
				throw records::Failure(file + ": " + wrong);
		}
	}

	// Reads batches into the beginning of group_, whose memory is used again. Returns how many; 0 at the end of the file.
	std::size_t read_group()
	{
		nb::gil_scoped_release release;
		std::size_t n = 0;
		for (std::size_t bytes = 0; bytes < group_bytes; bytes += group_[n++].size) {
			if (n == group_.size())
				group_.emplace_back();
			if (!open_->reader->next(group_[n]))
				break;
		}
		return n;
	}

	// Large records leave large buffers.
	void give_back_memory()
	{
		std::size_t bytes = 0;
		for (const records::Batch &batch : group_)
			bytes += batch.buffer.capacity();
		if (bytes <= 4 * group_bytes)
			return;
		group_.clear();
		parts_.clear();
	}

	void scan_objects(std::size_t file)
	{
		std::vector<records::ColumnSet> found;
		for (std::size_t n; n = read_group(), n > 0;) {
			const bool keep = kept_bytes_ < max_kept_;
			found.assign(n, {});
			parts_.resize(n);
			Workers::for_each(n, threads_,
				[&](std::size_t i, unsigned thread) { parsers_[thread]->scan(group_[i], found[i], keep, parts_[i]); });
			for (std::size_t i = 0; i < n; ++i) {
				count(parts_[i]);
				columns_.merge(found[i]);
			}
			all_kept_ = all_kept_ && keep;
			if (keep) {
				kept_.push_back({KeptRows(columns_, found, parts_, threads_), counts_, file, open_->reader->records()});
				kept_bytes_ += kept_.back().rows.bytes();
			}
			give_back_memory();
			if (PyErr_CheckSignals() != 0)
				throw nb::python_error();
		}
	}

	// Behind the last of the rows that were kept, the files are read on.
	Rows next_kept()
	{
		const Kept &kept = kept_[next_kept_++];
		counts_ = kept.counts;
		if (next_kept_ == kept_.size() && all_kept_) {
			next_file_ = files_.size();
		} else if (next_kept_ == kept_.size()) {
			next_file_ = kept.file;
			open(files_[next_file_++]);
			while (open_->reader->records() < kept.records && read_group() > 0)
				;
			if (open_->reader->records() != kept.records)
				throw records::Failure(open_->source->name() + " has changed while it was read");
		}
		return Rows(wanted_names(), wanted_types(), wanted_, kept.rows, threads_);
	}

	void count(const records::TableRows &part)
	{
		if (part.refused > 0 && !limit_.skip)
			throw records::Failure(open_->source->name() + ": " + part.error + "; skip_errors leaves out such records");
		if (part.refused > 0 && counts_.refused == 0)
			counts_.error = open_->source->name() + ": " + part.error;
		counts_.records += part.records;
		counts_.without_text += part.without_text;
		counts_.refused += part.refused;
	}

	void end() const
	{
		if (counts_.refused > 0 && counts_.refused == counts_.records)
			throw records::Failure("no record could be read; " + counts_.error);
	}

	std::vector<std::string> wanted_names() const
	{
		std::vector<std::string> names;
		for (const std::size_t place : wanted_)
			names.push_back(columns_.name(place));
		return names;
	}
	std::vector<records::ColumnType> wanted_types() const
	{
		std::vector<records::ColumnType> types;
		for (const std::size_t place : wanted_)
			types.push_back(columns_.kinds(place).type());
		return types;
	}

	struct Kept {
		KeptRows rows;
		records::TableRows counts; // up to its end
		std::size_t file;
		std::uint64_t records; // of the file, up to its end
	};

	std::vector<File> files_;
	records::RecordFormat format_;
	records::RecordLimit limit_;
	records::DecoderLimit decoder_;
	records::AskedFields asked_;
	std::uint64_t max_kept_;
	unsigned threads_;
	char delimiter_; // unless a file names its own
	std::map<std::string, std::string> doubled_;
	records::ColumnSet columns_;
	std::vector<std::size_t> wanted_;
	std::vector<Kept> kept_;
	std::size_t kept_bytes_ = 0;
	bool all_kept_ = true;
	std::size_t next_file_ = 0, next_kept_ = 0;
	std::unique_ptr<Open> open_;
	std::vector<std::string> names_; // of the fields of the open file
	std::vector<records::Batch> group_;
	std::vector<records::TableRows> parts_;
	std::vector<std::unique_ptr<records::TableParser>> parsers_;
	records::TableRows counts_;
};

} // namespace

void define_text_reader(nb::module_ &module)
{
	using namespace nb::literals;
	nb::class_<Rows>(module, "Rows")
		.def("__len__", &Rows::size)
		.def("__arrow_c_schema__", &Rows::arrow_schema)
		.def(
			"__arrow_c_array__",
			[](const Rows &rows, nb::handle) { return nb::make_tuple(rows.arrow_schema(), rows.arrow_array()); },
			"requested_schema"_a = nb::none());
	nb::class_<TextReader>(module, "TextReader")
		.def(nb::init<nb::list, std::string_view, bool, std::string_view, std::string, std::string, std::string,
				 std::uint64_t, std::uint64_t, std::uint64_t, bool, unsigned>(),
			"files"_a, "format"_a, "header"_a, "delimiter"_a, "text"_a, "id"_a, "priority"_a, "max_record"_a,
			"max_window"_a, "max_kept"_a, "skip_errors"_a, "threads"_a)
		.def("scan", &TextReader::scan)
		.def("names", &TextReader::names)
		.def("doubled", &TextReader::doubled)
		.def("start", &TextReader::start, "columns"_a)
		.def("schema", &TextReader::schema)
		.def("next",
			[](TextReader &reader) { // None at the end
				std::optional<Rows> rows = reader.next();
				return rows ? nb::cast(std::move(*rows)) : nb::none();
			})
		.def("counts", &TextReader::counts);
	module.def("text_format", [](std::string_view path) -> nb::object { // None: the name tells none
		constexpr const char *names[] = {"jsonl", "tsv", "csv", "lines"};
		const std::optional<records::Format> format = records::format_of_file(path);
		return format ? nb::object(nb::str(names[static_cast<int>(*format)])) : nb::none();
	});
}

} // namespace txtfp::python

#include <array>
#include <charconv>
#include <cstdio>

#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "core/base/bytes.hpp"

namespace txtfp::cli {

namespace {

constexpr std::string_view copy_signature("PGCOPY\n\377\r\n\0", 11);

template <class Integer> void append_be(Integer v, std::string &out)
{
	for (int shift = 8 * static_cast<int>(sizeof v) - 8; shift >= 0; shift -= 8)
		out += static_cast<char>(static_cast<std::uint64_t>(v) >> shift & 0xFF);
}

// Encodes an id in the binary form of a type: its length, then its bytes. Returns an error message, or nullptr.
using EncodeId = const char *(*) (std::string_view id, std::string &out);

template <class Integer> const char *encode_integer(std::string_view id, std::string &out)
{
	Integer value;
	const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
	if (error != std::errc() || end != id.data() + id.size())
		return sizeof value == 4 ? "is not an integer of 32 bits" : "is not a bigint; use --id-type";
	append_be(static_cast<std::int32_t>(sizeof value), out);
	append_be(value, out);
	return nullptr;
}

const char *encode_text(std::string_view id, std::string &out)
{
	if (id.find('\0') != std::string_view::npos)
		return "has U+0000 in it, which PostgreSQL cannot store";
	append_be(static_cast<std::int32_t>(id.size()), out);
	out += id;
	return nullptr;
}

const char *encode_uuid(std::string_view id, std::string &out)
{
	if (id.size() >= 2 && id.front() == '{' && id.back() == '}')
		id = id.substr(1, id.size() - 2);
	std::string digits;
	for (std::size_t i = 0; i < id.size(); ++i)
		if (id[i] != '-' || digits.size() % 4 != 0 || i == 0 || i + 1 == id.size() || id[i - 1] == '-')
			digits += id[i];
	std::uint8_t bytes[16];
	if (digits.size() != 32 || !core::hex_decode(digits.data(), 16, bytes))
		return "is not a uuid";
	append_be(std::int32_t{16}, out);
	out.append(reinterpret_cast<const char *>(bytes), sizeof bytes);
	return nullptr;
}

EncodeId id_encoder(const std::string &type)
{
	constexpr std::array<std::pair<std::string_view, EncodeId>, 7> types = {
		{{"bigint", encode_integer<std::int64_t>}, {"int8", encode_integer<std::int64_t>},
			{"integer", encode_integer<std::int32_t>}, {"int4", encode_integer<std::int32_t>}, {"text", encode_text},
			{"varchar", encode_text}, {"uuid", encode_uuid}}};
	for (const auto &[name, encode] : types)
		if (name == type)
			return encode;
	throw Failure("there is no id type " + in_quotes(type) + "; valid are bigint, integer, text and uuid", exit_usage);
}

enum class To { rows, copy };

class Fingerprinter {
public:
	Fingerprinter(const FingerprintCommand &command, const RecordFormat &format)
		: options_(make_recipe(parse_kind(command.method.kind), command.method.tokenizer, command.method.canonicalizer,
			  command.method.hash, command.method.seed, command.method.weighting)),
		  to_(command.common.to == "copy" ? To::copy : To::rows),
		  rows_(to_ == To::rows ? row_format(command.common.to) : RowFormat::tsv),
		  encode_(to_ == To::copy ? id_encoder(command.id_type) : nullptr), parser_(format)
	{
	}

	void work(const Batch &batch, BatchResult &result)
	{
		std::uint64_t number = batch.first_record;
		for_each_record(batch, parser_, result, [&](const Record &record, bool parsed) {
			++number;
			std::string wrong = parsed ? append(number, record, result.output) : std::string();
			result.rows += parsed && wrong.empty();
			return wrong;
		});
	}

	std::string head(bool no_header) const
	{
		std::string out;
		if (to_ == To::copy) {
			out = copy_signature;
			append_be(std::int64_t{0}, out); // flags, and the length 0 of the header extension
		} else if (!no_header) {
			append_header(rows_, names_, out);
		}
		return out;
	}
	std::string tail() const { return to_ == To::copy ? "\xFF\xFF" : ""; }

private:
	std::string append(std::uint64_t number, const Record &record, std::string &out)
	{
		Value value;
		const bool has_value = record.has_text && compute(options_, record.text, value.bytes);
		number_ = std::to_string(number);
		const std::string_view id = record.id.empty() ? std::string_view(number_) : record.id;
		if (to_ == To::rows) {
			char text[2 * core::max_binary_bytes + 1];
			text_.assign(text, has_value ? write(&core::KindOperations::write_text, value, text) : 0);
			append_row(rows_, names_,
				{{id, record.id.empty() || record.id_is_number, false}, {text_, false, !has_value}}, out);
			return {};
		}
		const std::size_t begin = out.size();
		append_be(std::int16_t{2}, out);
		if (const char *wrong = encode_(id, out)) {
			out.resize(begin);
			return "the id " + in_quotes(id) + " " + wrong;
		}
		const std::size_t at = out.size();
		append_be(std::int32_t{-1}, out);
		if (has_value) {
			std::uint8_t binary[core::max_binary_bytes];
			const std::size_t size = write(&core::KindOperations::write_binary, value, binary);
			out.resize(at);
			append_be(static_cast<std::int32_t>(size), out);
			out.append(reinterpret_cast<const char *>(binary), size);
		}
		return {};
	}

	template <class Write, class Byte> std::size_t write(Write form, const Value &value, Byte *out) const
	{
		return (options_.kind->operations->*form)(*options_.kind, options_.config, value.bytes, out);
	}

	const std::vector<std::string_view> names_ = {"id", "fp"};
	core::Recipe options_;
	To to_;
	RowFormat rows_;
	EncodeId encode_;
	RecordParser parser_;
	std::string number_, text_;
};

} // namespace

int run_fingerprint(const FingerprintCommand &command)
{
	RecordFormat format = record_format(command.input);
	const InputPaths paths = input_paths(command.input, command.common.quiet);
	refuse_replacing(paths.files, "--output", command.common.output, command.common.force);
	if (command.common.to == "copy" && command.common.output == "-" && isatty(STDOUT_FILENO) && !command.common.force)
		throw Failure("the output is binary and would go to a terminal; use --output, a pipe, or --force", exit_usage);
	InputFile file(paths, decoder_limit(command.input));
	OutputFile out(command.common.output); // is there while the first record is waited for
	BatchReader reader(file, format, record_limit(command.input, no_memory_limit));
	const unsigned threads = thread_count(command.common);
	std::vector<std::unique_ptr<Fingerprinter>> workers;
	for (unsigned thread = 0; thread < threads; ++thread)
		workers.push_back(std::make_unique<Fingerprinter>(command, format));
	out.write(workers[0]->head(command.common.no_header));
	Progress progress(command.common.quiet);
	progress.begin("fingerprinting", file.file_size(), "MB");
	RecordCounts counts;
	std::uint64_t written = 0;
	for_each_batch(
		reader, threads, progress,
		[&](const Batch &batch, unsigned thread, BatchResult &result) { workers[thread]->work(batch, result); },
		[&](BatchResult &result) {
			counts.add(result, command.input.skip_errors);
			written += result.rows;
			out.write(result.output);
		});
	counts.check_read(reader);
	counts.set_written(written, 0);
	out.write(workers[0]->tail());
	out.commit();
	progress.end();
	counts.report(command.common.quiet);
	return exit_ok;
}

} // namespace txtfp::cli

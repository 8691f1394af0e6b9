// The extension module txtfp._core. It is used through txtfp/core.py, which has the documentation.
#include <cmath>
#include <limits>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "batch.hpp"
#include "core/compare/corpus_words.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/compare/text_difference.hpp"
#include "core/compare/text_measures.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/text/canonical.hpp"
#include "join_object.hpp"
#include "joins.hpp"
#include "numpy.hpp"
#include "parallel.hpp"
#include "passages.hpp"
#include "records/failure.hpp"
#include "refused.hpp"
#include "text_comparison.hpp"
#include "text_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace txtfp::python {

namespace {

constexpr std::size_t block_rows = 1024; // a unit of work of cheap comparisons

nb::object bytes_or_none(std::string_view value)
{
	return value.data() == nullptr ? nb::none() : nb::object(nb::bytes(value.data(), value.size()));
}

void raise(const char *type, const std::string &message, const std::string &detail, const std::string &hint)
{
	const auto or_none = [](const std::string &text) {
		return text.empty() ? nb::none() : nb::object(nb::str(text.data(), text.size()));
	};
	const nb::object exception =
		nb::module_::import_("txtfp.errors")
			.attr(type)(nb::str(message.data(), message.size()), or_none(detail), or_none(hint));
	PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

void translate(const std::exception_ptr &failure, void *)
{
	constexpr const char *types[] = {
		"Error", "InvalidValue", "InvalidParameter", "ConfigurationMismatch", "InvalidText"};
	try {
		std::rethrow_exception(failure);
	} catch (const Refused &refused) {
		raise(types[static_cast<int>(refused.refusal)], refused.message, refused.detail, refused.hint);
	} catch (const records::Failure &failure) {
		raise("FileError", failure.what(), {}, {});
	} catch (const core::Error &error) {
		raise("Error", error.what(), {}, {});
	}
}

// str or bytes, as a column of one row
struct OneText {
	explicit OneText(nb::handle text) : column(nb::make_tuple(text))
	{
		if (column.is_null(0))
			throw nb::type_error("a text is expected, not None");
	}
	std::string_view view() const noexcept { return column[0]; }
	Column column;
};

nb::object fingerprint_one(const core::Recipe &recipe, nb::handle text)
{
	const OneText one(text);
	std::uint8_t value[max_binary];
	std::size_t size = 0;
	{
		nb::gil_scoped_release release;
		size = fingerprint(recipe, one.view(), value);
	}
	return bytes_or_none({size == 0 ? nullptr : reinterpret_cast<const char *>(value), size});
}

nb::object fingerprint_tokens(const core::Recipe &recipe, nb::handle tokens)
{
	const Column column(tokens);
	std::vector<std::string_view> views;
	for (std::size_t i = 0; i < column.size(); ++i) {
		if (column.is_null(i))
			throw nb::type_error("a token is a str, not None");
		check_text(column[i]);
		views.push_back(column[i]);
	}
	std::uint8_t value[max_binary];
	const std::size_t size = fingerprint_of_tokens(recipe, views, value);
	return bytes_or_none({size == 0 ? nullptr : reinterpret_cast<const char *>(value), size});
}

// Row by row, or each row of `a` with the only row of `b`; NaN where one is null
nb::object compare_columns(nb::handle a, nb::handle b, std::string_view kind, unsigned threads)
{
	const Fingerprints x(a, kind), y(b, kind);
	x.check_comparable(y);
	const bool one = y.size() == 1;
	if (!one && x.size() != y.size())
		throw nb::value_error("the columns have different numbers of rows");
	std::vector<double> results(x.size());
	Workers::for_each_block(x.size(), block_rows, threads, [&](std::size_t first, std::size_t last, unsigned) {
		for (std::size_t row = first; row < last; ++row) {
			const std::size_t other = one ? 0 : row;
			if (x.is_null(row) || y.is_null(other)) {
				results[row] = std::numeric_limits<double>::quiet_NaN();
				continue;
			}
			const int measure = compare(x.kind(), x[row], y[other]);
			results[row] = x.kind()->is_sketch() ? x.kind()->similarity_of(measure) : measure;
		}
	});
	return to_numpy(std::move(results));
}

nb::object compare_texts(nb::handle a, nb::handle b, std::string_view tokenizer, std::string_view canonicalizer,
	bool containment, unsigned threads)
{
	const TextComparison comparison{canonicalizer_option(canonicalizer), tokenizer_option(tokenizer)};
	const Column x(a), y(b);
	const bool one = y.size() == 1;
	if (!one && x.size() != y.size())
		throw nb::value_error("the columns have different numbers of rows");
	std::vector<double> results(x.size());
	Workers::for_each_block(x.size(), 16, threads, [&](std::size_t first, std::size_t last, unsigned) {
		for (std::size_t row = first; row < last; ++row) {
			const Exact exact = comparison(x, row, y, one ? 0 : row);
			results[row] = !exact.has_measures ? std::numeric_limits<double>::quiet_NaN()
				: containment                  ? exact.containment
											   : exact.jaccard;
		}
	});
	return to_numpy(std::move(results));
}

// (kind, a_start, a_length, b_start, b_length) of each difference, in characters from 0
nb::object text_difference(nb::handle a, nb::handle b, std::string_view tokenizer, std::string_view canonicalizer)
{
	const core::TokenizerSpec spec = tokenizer_option(tokenizer);
	if (spec.depth != 0)
		throw Refused(Refusal::invalid_parameter,
			"differences cannot be made of shingles, as in tokenizer " + in_quotes(tokenizer), {},
			"Use a tokenizer without shingles, such as \"word-uax29\".");
	const core::CanonicalOptions canonical = canonicalizer_option(canonicalizer);
	const OneText x(a), y(b);
	check_text(x.view());
	check_text(y.view());
	std::vector<core::Difference> found;
	{
		nb::gil_scoped_release release;
		found = core::text_difference(x.view(), y.view(), canonical, spec.segmenter);
	}
	nb::list differences;
	for (const core::Difference &difference : found)
		differences.append(nb::make_tuple(core::name(difference.kind), difference.a.character, difference.a.characters,
			difference.b.character, difference.b.characters));
	return differences;
}

nb::object difference_signals(nb::handle a, nb::handle b, const core::CorpusWords *corpus)
{
	const OneText x(a), y(b);
	check_text(x.view());
	check_text(y.view());
	core::Signals signals;
	{
		nb::gil_scoped_release release;
		signals = core::difference_signals(x.view(), y.view(), {}, corpus);
	}
	nb::list named;
	for (std::size_t i = 0; i < core::signal_count; ++i)
		named.append(nb::make_tuple(
			core::name(static_cast<core::Signal>(i)), signals[i] < 0 ? nb::none() : nb::object(nb::float_(signals[i]))));
	return named;
}

void define_corpus(nb::module_ &module)
{
	using core::CorpusWords;
	nb::class_<CorpusWords>(module, "CorpusWords")
		.def(nb::init<>())
		.def(
			"add",
			[](CorpusWords &corpus, nb::handle text) {
				const OneText one(text);
				check_text(one.view());
				corpus.add(one.view());
			},
			"text"_a)
		.def("merge", [](CorpusWords &corpus, const CorpusWords &other) { corpus.merge(other); }, "other"_a)
		.def_prop_ro("documents", &CorpusWords::documents)
		.def("to_bytes",
			[](const CorpusWords &corpus) {
				std::vector<std::uint8_t> bytes(corpus.stored_bytes());
				corpus.store(bytes.data());
				return nb::bytes(bytes.data(), bytes.size());
			})
		.def_static(
			"from_bytes",
			[](const nb::bytes &bytes) {
				CorpusWords corpus;
				if (!corpus.read({reinterpret_cast<const std::uint8_t *>(bytes.c_str()), bytes.size()}))
					throw nb::value_error("the bytes are no value of corpus_words");
				return corpus;
			},
			"value"_a);
}

nb::object band_keys(nb::handle fingerprints, int bands, int rows, unsigned threads)
{
	const Fingerprints column(fingerprints, "");
	const Kind kind = column.kind();
	if (!kind->is_sketch())
		throw nb::type_error("only sketches have band keys");
	const core::Banding banding = join_options(kind, {{}, {}, {}, bands, rows, {}}, 0).banding;
	const auto n = static_cast<std::size_t>(banding.bands);
	std::vector<std::int64_t> keys(column.size() * n);
	Workers::for_each_block(column.size(), block_rows, threads, [&](std::size_t first, std::size_t last, unsigned) {
		core::RowBuffer buffer;
		for (std::size_t row = first; row < last; ++row) {
			if (column.is_null(row))
				continue;
			auto *out = reinterpret_cast<std::uint64_t *>(&keys[row * n]);
			const std::uint8_t *sketch = row_of(kind, column[row], buffer);
			if (kind->compact)
				core::band_keys(core::ConstCompactSlots(sketch, kind->slots), banding, out);
			else
				core::band_keys(
					core::ConstSlots(reinterpret_cast<const std::uint64_t *>(sketch), kind->slots), banding, out);
		}
	});
	return to_numpy(std::move(keys), n);
}

// (rows, rows) of the candidates among compact sketches in the buckets of `keys`
nb::object candidate_pairs(nb::handle sketches,
	nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> keys, int bound, int bands, int rows,
	std::size_t cap)
{
	const Fingerprints column(sketches, "");
	if (keys.shape(0) != column.size())
		throw nb::value_error("the numbers of keys and sketches differ");
	Values values(column.kind());
	for (std::size_t row = 0; row < column.size(); ++row) {
		if (column.is_null(row) || !column.kind()->compact)
			throw nb::type_error("a column of compact sketches without nulls is expected");
		values.add(column[row]);
	}
	JoinOptions options{{0, bound, {bands, rows}}};
	options.cap = cap;
	const std::vector<Pair> pairs = candidates(values, {keys.data(), keys.shape(0)}, options);
	std::vector<std::uint32_t> a, b;
	for (const Pair &pair : pairs) {
		a.push_back(pair.a);
		b.push_back(pair.b);
	}
	return nb::make_tuple(to_numpy(std::move(a)), to_numpy(std::move(b)));
}

// Rows of binary COPY; the columns have the binary forms of the server's types.
nb::bytes copy_rows(nb::handle columns)
{
	std::vector<std::unique_ptr<Column>> sources;
	for (const nb::handle column : nb::iter(columns))
		sources.push_back(std::make_unique<Column>(column));
	const std::size_t rows = sources.empty() ? 0 : sources[0]->size();
	std::string out;
	const auto append_int = [&](std::uint32_t value, int bytes) {
		while (bytes-- > 0)
			out.push_back(static_cast<char>(value >> 8 * bytes));
	};
	for (std::size_t row = 0; row < rows; ++row) {
		append_int(static_cast<std::uint32_t>(sources.size()), 2);
		for (const auto &source : sources) {
			if (source->size() != rows)
				throw nb::value_error("the columns have different numbers of rows");
			if (source->is_null(row)) {
				append_int(0xFFFFFFFF, 4);
				continue;
			}
			if ((*source)[row].size() > 0x7FFFFFFF)
				throw nb::value_error("a value has more than 2 GiB");
			append_int(static_cast<std::uint32_t>((*source)[row].size()), 4);
			out += (*source)[row];
		}
	}
	return nb::bytes(out.data(), out.size());
}

std::size_t checked_row(const Batch &batch, std::int64_t row)
{
	const auto size = static_cast<std::int64_t>(batch.size());
	if (row < -size || row >= size)
		throw nb::index_error("there is no such row");
	return static_cast<std::size_t>(row < 0 ? row + size : row);
}

void define_batch(nb::module_ &module)
{
	nb::class_<Batch>(module, "Batch")
		.def("__len__", &Batch::size)
		.def("__getitem__",
			[](const Batch &batch, std::int64_t row) { return bytes_or_none(batch[checked_row(batch, row)]); })
		.def_prop_ro("type_name", [](const Batch &batch) { return batch.kind()->type; })
		.def_prop_ro("null_count", &Batch::null_count)
		.def("__arrow_c_schema__", [](const Batch &batch) { return batch.arrow_schema(); })
		.def(
			"__arrow_c_array__",
			[](const Batch &batch, nb::handle) { return nb::make_tuple(batch.arrow_schema(), batch.arrow_array()); },
			"requested_schema"_a = nb::none())
		.def("to_numpy", [](nb::object self) { // rows of bytes, without a copy
			const Batch &batch = nb::cast<const Batch &>(self);
			const std::size_t shape[2] = {batch.size(), batch.kind()->binary_bytes};
			return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t>(batch.values(), 2, shape, self));
		});
}

} // namespace

} // namespace txtfp::python

NB_MODULE(_core, module)
{
	using namespace txtfp::python;
	nb::set_leak_warnings(false); // what a program still holds at its end is no mistake of ours
	nb::register_exception_translator(translate);
	nb::class_<txtfp::core::Recipe>(module, "Recipe")
		.def_prop_ro("config", [](const txtfp::core::Recipe &recipe) { return recipe.config; })
		.def("one", &fingerprint_one)
		.def("tokens", &fingerprint_tokens)
		.def("many", [](const txtfp::core::Recipe &recipe, nb::handle texts, unsigned threads) {
			const Column column(texts);
			return fingerprint_column(recipe, column, threads);
		});
	module.def("recipe", &make_recipe, "kind"_a, "tokenizer"_a.none(), "canonicalizer"_a, "hash"_a, "seed"_a,
		"weighting"_a, "of_tokens"_a);
	module.def("compare", &compare_columns, "a"_a, "b"_a, "kind"_a, "threads"_a);
	module.def(
		"compare_texts", &compare_texts, "a"_a, "b"_a, "tokenizer"_a, "canonicalizer"_a, "containment"_a, "threads"_a);
	module.def("band_keys", &band_keys, "fingerprints"_a, "bands"_a, "rows"_a, "threads"_a);
	module.def("candidates", &candidate_pairs, "sketches"_a, "keys"_a, "bound"_a, "bands"_a, "rows"_a, "cap"_a);
	module.def("compact", [](nb::handle sketches, unsigned threads) {
		const Fingerprints column(sketches, "");
		return compact_column(column, threads);
	});
	module.def("bound", [](std::string_view kind, double threshold) {
		return join_options(parse_kind(kind), {threshold, {}, {}, 1, 1, {}}, 0).bound;
	});
	module.def("text_difference", &text_difference, "a"_a, "b"_a, "tokenizer"_a, "canonicalizer"_a);
	define_corpus(module);
	module.def("difference_signals", &difference_signals, "a"_a, "b"_a, "corpus"_a.none());
	module.attr("signals_version") = txtfp::core::signals_version;
	module.def("copy_rows", &copy_rows, "columns"_a);
	module.def("banding", [](std::string_view kind, double threshold, double recall) {
		const auto banding = join_options(parse_kind(kind), {threshold, {}, {}, {}, {}, recall}, 0).banding;
		return nb::make_tuple(banding.bands, banding.rows);
	});
	module.def("canonicalize", [](std::string_view text, std::string_view canonicalizer) {
		check_text(text);
		auto canonical = txtfp::core::canonicalize(text, canonicalizer_option(canonicalizer));
		return nb::str(canonical.data(), canonical.size());
	});
	define_join(module);
	define_passages(module);
	define_text_reader(module);
	define_batch(module);
}

#include "arrow.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "refused.hpp"

namespace txtfp::python {

namespace {

template <class T> T *pointer_of(nb::handle capsule, const char *name)
{
	void *pointer = PyCapsule_GetPointer(capsule.ptr(), name);
	if (pointer == nullptr)
		throw nb::python_error();
	return static_cast<T *>(pointer);
}

bool is_valid(const ArrowArray &array, std::int64_t row) noexcept
{
	const auto *bits = static_cast<const std::uint8_t *>(array.buffers[0]);
	return array.null_count == 0 || bits == nullptr || (bits[row / 8] >> row % 8 & 1) != 0;
}

[[noreturn]] void refuse_array(std::string detail)
{
	throw Refused(Refusal::invalid_value, "the Arrow array is damaged", std::move(detail));
}

[[noreturn]] void refuse_row(const ArrowArray &array, std::int64_t row)
{
	refuse_array("Row " + std::to_string(row - array.offset) + " is not inside of its buffers.");
}

// What the struct says of itself. It does not tell how large the buffers are, but for those of views.
void check_array(const ArrowArray &array, std::int64_t least_buffers, std::int64_t most_buffers)
{
	constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
	if (array.release == nullptr)
		refuse_array("It was released before.");
	if (array.length < 0 || array.offset < 0 || array.length > most - array.offset || array.null_count < -1 ||
		array.null_count > array.length)
		refuse_array("Its length, offset or number of nulls is impossible.");
	if (array.n_buffers < least_buffers || array.n_buffers > most_buffers || (most_buffers > 0 && array.buffers == nullptr))
		refuse_array("It has " + std::to_string(array.n_buffers) + " buffers.");
	if (most_buffers > 0 && array.length > 0 && array.buffers[1] == nullptr)
		refuse_array("A buffer is missing.");
}

// pyarrow knows how large its buffers are, and checks its arrays faster than they are read here.
void check_pyarrow(nb::handle source)
{
	const std::string module = nb::cast<std::string>(nb::str(nb::getattr(source.type(), "__module__", nb::str(""))));
	if (!module.starts_with("pyarrow") || !nb::hasattr(source, "validate"))
		return;
	try {
		source.attr("validate")(nb::arg("full") = true);
	} catch (const nb::python_error &error) {
		if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_IndexError))
			throw;
		refuse_array(nb::cast<std::string>(nb::str(error.value())) + ".");
	}
}

[[noreturn]] void refuse_type(const std::string &what)
{
	throw nb::type_error(("a column of texts or of fingerprints is expected, not " + what).c_str());
}

} // namespace

Column::Column(nb::handle source)
{
	try {
		check_pyarrow(source);
		if (nb::hasattr(source, "__arrow_c_array__"))
			read_array(source.attr("__arrow_c_array__")());
		else if (nb::hasattr(source, "__arrow_c_stream__"))
			read_stream(source.attr("__arrow_c_stream__")());
		else
			read_sequence(source);
	} catch (...) { // the destructor of an object that was not constructed does not run
		for (ArrowArray &chunk : chunks_)
			chunk.release(&chunk);
		throw;
	}
}

Column::~Column()
{
	for (ArrowArray &chunk : chunks_)
		chunk.release(&chunk);
}

// The copy of the sequence, a tuple, keeps its elements alive, whatever other threads do to the sequence.
void Column::read_sequence(nb::handle source)
{
	if (PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr()) || nb::isinstance<nb::dict>(source))
		refuse_type("a " + std::string(nb::type_name(source.type()).c_str()));
	const nb::object &items = owners_.emplace_back(nb::steal(PySequence_Tuple(source.ptr())));
	if (!items.is_valid())
		throw nb::python_error();
	const nb::tuple tuple = nb::borrow<nb::tuple>(items);
	rows_.reserve(tuple.size());
	for (const nb::handle item : tuple) {
		if (item.is_none()) {
			rows_.emplace_back();
			continue;
		}
		Py_ssize_t size = 0;
		const char *data = nullptr;
		if (PyUnicode_Check(item.ptr())) {
			data = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
		} else if (PyBytes_Check(item.ptr())) {
			size = PyBytes_Size(item.ptr());
			data = PyBytes_AsString(item.ptr());
		} else {
			refuse_type("a sequence with a " + std::string(nb::type_name(item.type()).c_str()));
		}
		if (data == nullptr)
			throw nb::python_error();
		add(data, static_cast<std::size_t>(size));
	}
}

void Column::read_array(nb::handle capsules)
{
	const nb::tuple pair = nb::cast<nb::tuple>(capsules);
	if (pair.size() != 2)
		refuse_array("__arrow_c_array__ does not give a schema and an array.");
	owners_.push_back(pair);
	append(*pointer_of<ArrowSchema>(pair[0], "arrow_schema"), *pointer_of<ArrowArray>(pair[1], "arrow_array"));
}

void Column::read_stream(nb::handle capsule)
{
	owners_.push_back(nb::borrow(capsule));
	auto *stream = pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream");
	const auto check = [&](int code) {
		if (code == 0)
			return;
		const char *message = stream->get_last_error(stream);
		throw Refused(Refusal::error, message != nullptr ? message : "the stream of arrays has ended with an error");
	};
	struct Schema : ArrowSchema {
		Schema() : ArrowSchema() {}
		~Schema()
		{
			if (release != nullptr)
				release(this);
		}
	} schema;
	check(stream->get_schema(stream, &schema));
	while (true) {
		ArrowArray chunk = {};
		check(stream->get_next(stream, &chunk));
		if (chunk.release == nullptr)
			return;
		chunks_.push_back(chunk);
		append(schema, chunk);
	}
}

void Column::append(const ArrowSchema &schema, const ArrowArray &array)
{
	const std::string_view format = schema.format != nullptr ? schema.format : "";
	if (schema.dictionary != nullptr)
		refuse_type("a dictionary; cast it to strings first");
	const bool views = format.starts_with("v"), fixed = format.starts_with("w:");
	const std::int64_t buffers = format == "n" ? 0 : fixed ? 2 : 3;
	if (views || fixed || format == "n" || format == "u" || format == "z" || format == "U" || format == "Z")
		check_array(array, buffers, views ? std::numeric_limits<std::int32_t>::max() : buffers);
	rows_.reserve(rows_.size() + static_cast<std::size_t>(std::max<std::int64_t>(array.length, 0)));
	if (format == "n") {
		rows_.resize(rows_.size() + static_cast<std::size_t>(array.length));
	} else if (format == "u" || format == "z") {
		append_offsets<std::int32_t>(array);
	} else if (format == "U" || format == "Z") {
		append_offsets<std::int64_t>(array);
	} else if (format == "vu" || format == "vz") {
		append_views(array);
	} else if (fixed) {
		std::uint32_t width = 0;
		const char *end = format.data() + format.size();
		const auto [stop, error] = std::from_chars(format.data() + 2, end, width);
		if (error != std::errc() || stop != end)
			refuse_array("Its format is \"" + std::string(format) + "\".");
		append_fixed(array, width);
	} else {
		refuse_type("an Arrow array of format \"" + std::string(format) + "\"");
	}
}

template <class Offset> void Column::append_offsets(const ArrowArray &array)
{
	const auto *offsets = static_cast<const Offset *>(array.buffers[1]);
	const auto *data = static_cast<const char *>(array.buffers[2]);
	for (std::int64_t row = array.offset; row < array.offset + array.length; ++row) {
		const Offset begin = offsets[row], end = offsets[row + 1];
		if (begin < 0 || end < begin || (data == nullptr && end > begin))
			refuse_row(array, row);
		if (is_valid(array, row))
			add(data + begin, static_cast<std::size_t>(end - begin));
		else
			rows_.emplace_back();
	}
}

// A view has 16 bytes: the size, then up to 12 bytes of data, or 4 bytes of prefix, the number of a buffer, and an
// offset in it. The last buffer has the sizes of the buffers between the views and itself.
void Column::append_views(const ArrowArray &array)
{
	const auto *views = static_cast<const char *>(array.buffers[1]);
	const auto *sizes = static_cast<const std::int64_t *>(array.buffers[array.n_buffers - 1]);
	const std::int64_t buffers = sizes != nullptr ? array.n_buffers - 3 : 0;
	for (std::int64_t row = array.offset; row < array.offset + array.length; ++row) {
		const char *view = views + 16 * row;
		std::int32_t head[4];
		std::memcpy(head, view, sizeof head);
		const auto [size, prefix, buffer, begin] = head;
		if (!is_valid(array, row))
			rows_.emplace_back();
		else if (size >= 0 && size <= 12)
			add(view + 4, static_cast<std::size_t>(size));
		else if (size < 0 || buffer < 0 || buffer >= buffers || begin < 0 || begin > sizes[buffer] - size ||
			array.buffers[2 + buffer] == nullptr)
			refuse_row(array, row);
		else
			add(static_cast<const char *>(array.buffers[2 + buffer]) + begin, static_cast<std::size_t>(size));
	}
}

void Column::append_fixed(const ArrowArray &array, std::size_t width)
{
	const auto *data = static_cast<const char *>(array.buffers[1]);
	for (std::int64_t row = array.offset; row < array.offset + array.length; ++row)
		if (is_valid(array, row))
			add(data + static_cast<std::size_t>(row) * width, width);
		else
			rows_.emplace_back();
}

// Only a null row has no data: an empty array may have no buffer.
void Column::add(const char *data, std::size_t size) { rows_.emplace_back(data != nullptr ? data : "", size); }

} // namespace txtfp::python

#include "arrow.hpp"

#include <charconv>
#include <cstring>
#include <string>

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

[[noreturn]] void refuse_type(const std::string &what)
{
	throw nb::type_error(("a column of texts or of fingerprints is expected, not " + what).c_str());
}

} // namespace

Column::Column(nb::handle source)
{
	try {
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
	const std::string_view format = schema.format;
	if (schema.dictionary != nullptr)
		refuse_type("a dictionary; cast it to strings first");
	rows_.reserve(rows_.size() + static_cast<std::size_t>(array.length));
	if (format == "n") {
		rows_.resize(rows_.size() + static_cast<std::size_t>(array.length));
	} else if (format == "u" || format == "z") {
		append_offsets<std::int32_t>(array);
	} else if (format == "U" || format == "Z") {
		append_offsets<std::int64_t>(array);
	} else if (format == "vu" || format == "vz") {
		append_views(array);
	} else if (format.starts_with("w:")) {
		std::size_t width = 0;
		std::from_chars(format.data() + 2, format.data() + format.size(), width);
		append_fixed(array, width);
	} else {
		refuse_type("an Arrow array of format \"" + std::string(format) + "\"");
	}
}

template <class Offset> void Column::append_offsets(const ArrowArray &array)
{
	const auto *offsets = static_cast<const Offset *>(array.buffers[1]);
	const auto *data = static_cast<const char *>(array.buffers[2]);
	for (std::int64_t row = array.offset; row < array.offset + array.length; ++row)
		if (is_valid(array, row))
			add(data + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
		else
			rows_.emplace_back();
}

// A view has 16 bytes: the size, then up to 12 bytes of data, or 4 bytes of prefix, the number of a buffer, and an
// offset in it.
void Column::append_views(const ArrowArray &array)
{
	const auto *views = static_cast<const char *>(array.buffers[1]);
	for (std::int64_t row = array.offset; row < array.offset + array.length; ++row) {
		const char *view = views + 16 * row;
		std::int32_t head[4];
		std::memcpy(head, view, sizeof head);
		if (!is_valid(array, row))
			rows_.emplace_back();
		else if (head[0] <= 12)
			add(view + 4, static_cast<std::size_t>(head[0]));
		else
			add(static_cast<const char *>(array.buffers[2 + head[2]]) + head[3], static_cast<std::size_t>(head[0]));
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

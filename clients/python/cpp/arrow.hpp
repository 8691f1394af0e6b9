// Columns of strings and bytes that come from Python, without copies: Arrow arrays and streams of arrays by the
// PyCapsule interface, and sequences of str, bytes and None. The two structs are those of the Arrow C data interface,
// which is a stable ABI.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

struct ArrowSchema {
	const char *format, *name, *metadata;
	std::int64_t flags, n_children;
	ArrowSchema **children, *dictionary;
	void (*release)(ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	std::int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	ArrowArray **children, *dictionary;
	void (*release)(ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
	int (*get_next)(ArrowArrayStream *, ArrowArray *);
	const char *(*get_last_error)(ArrowArrayStream *);
	void (*release)(ArrowArrayStream *);
	void *private_data;
};

namespace txtfp::python {

namespace nb = nanobind;

// The rows of a column as views of memory that the object keeps alive. Made and destroyed under the GIL, read without
// it.
class Column {
public:
	explicit Column(nb::handle source);
	Column(const Column &) = delete;
	Column &operator=(const Column &) = delete;
	~Column();

	std::size_t size() const noexcept { return rows_.size(); }
	bool is_null(std::size_t row) const noexcept { return rows_[row].data() == nullptr; }
	std::string_view operator[](std::size_t row) const noexcept { return rows_[row]; }

private:
	void read_sequence(nb::handle source);
	void read_array(nb::handle capsules);
	void read_stream(nb::handle capsule);
	void append(const ArrowSchema &schema, const ArrowArray &array);
	template <class Offset> void append_offsets(const ArrowArray &array);
	void append_views(const ArrowArray &array);
	void append_fixed(const ArrowArray &array, std::size_t width);
	void add(const char *data, std::size_t size);

	std::vector<nb::object> owners_;
	std::vector<ArrowArray> chunks_; // of a stream
	std::vector<std::string_view> rows_;
};

} // namespace txtfp::python

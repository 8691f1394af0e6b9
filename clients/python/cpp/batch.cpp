#include "batch.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "capsule.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

constexpr std::size_t block_rows = 64; // a unit of work

// Without zeros. A page fault for each four sketches would take a third of the time.
std::uint8_t *allocate(std::size_t bytes)
{
	void *memory = nullptr;
	if (bytes < 2 * large_page)
		memory = std::malloc(std::max<std::size_t>(bytes, 1));
	else if (posix_memalign(&memory, large_page, bytes) != 0)
		memory = nullptr;
	if (memory == nullptr)
		throw std::bad_alloc();
	prefer_large_pages(memory, bytes);
	return static_cast<std::uint8_t *>(memory);
}

std::size_t fingerprint_row(const core::Recipe &recipe, const Column &texts, std::size_t row, std::uint8_t *out)
{
	try {
		return texts.is_null(row) ? 0 : fingerprint(recipe, texts[row], out);
	} catch (Refused &refused) {
		refused.detail += " It is in row " + std::to_string(row) + ".";
		throw;
	}
}

void fingerprint_variable(const core::Recipe &recipe, const Column &texts, unsigned threads, Batch &batch)
{
	struct Block {
		std::string bytes;
		std::vector<std::uint32_t> sizes;
	};
	std::vector<Block> blocks((texts.size() + block_rows - 1) / block_rows);
	Workers::for_each_block(texts.size(), block_rows, threads, [&](std::size_t first, std::size_t last, unsigned) {
		Block &block = blocks[first / block_rows];
		std::uint8_t value[max_binary];
		for (std::size_t row = first; row < last; ++row) {
			const std::size_t size = fingerprint_row(recipe, texts, row, value);
			block.bytes.append(reinterpret_cast<const char *>(value), size);
			block.sizes.push_back(static_cast<std::uint32_t>(size));
		}
	});
	for (const Block &block : blocks)
		batch.append(block.bytes, block.sizes);
}

} // namespace

Batch::Batch(Kind kind, std::size_t rows) : kind_(kind), rows_(rows), data_(std::make_shared<Data>()), valid_(rows)
{
	data_->values.reset(allocate(rows * kind->binary_bytes));
	if (kind->binary_bytes == 0) {
		data_->offsets.reserve(rows + 1);
		data_->offsets.push_back(0);
	}
}

void Batch::append(std::string_view bytes, std::span<const std::uint32_t> sizes)
{
	data_->variable += bytes;
	for (const std::uint32_t size : sizes) {
		valid_[data_->offsets.size() - 1] = size > 0;
		data_->offsets.push_back(data_->offsets.back() + size);
	}
}

void Batch::finish()
{
	data_->validity.resize((rows_ + 7) / 8);
	for (std::size_t row = 0; row < rows_; ++row) {
		data_->validity[row / 8] |= static_cast<std::uint8_t>(valid_[row] << row % 8);
		null_count_ += valid_[row] == 0;
	}
	valid_ = {};
}

std::string_view Batch::operator[](std::size_t row) const noexcept
{
	if ((data_->validity[row / 8] >> row % 8 & 1) == 0)
		return {};
	if (kind_->binary_bytes == 0)
		return std::string_view(data_->variable)
			.substr(static_cast<std::size_t>(data_->offsets[row]),
				static_cast<std::size_t>(data_->offsets[row + 1] - data_->offsets[row]));
	return {reinterpret_cast<const char *>(values()) + row * kind_->binary_bytes, kind_->binary_bytes};
}

nb::object Batch::arrow_schema() const
{
	auto schema = std::make_unique<ArrowSchema>();
	auto *format = new std::string(kind_->binary_bytes == 0 ? "Z" : "w:" + std::to_string(kind_->binary_bytes));
	*schema = {format->c_str(), "", nullptr, 2 /* nullable */, 0, nullptr, nullptr,
		[](ArrowSchema *self) {
			delete static_cast<std::string *>(self->private_data);
			self->release = nullptr;
		},
		format};
	return capsule(std::move(schema), "arrow_schema");
}

nb::object Batch::arrow_array() const
{
	struct Shared {
		std::shared_ptr<Data> data;
		const void *buffers[3];
	};
	const bool variable = kind_->binary_bytes == 0;
	auto *shared = new Shared{data_, {null_count_ > 0 ? data_->validity.data() : nullptr, nullptr, nullptr}};
	shared->buffers[1] = variable ? static_cast<const void *>(data_->offsets.data()) : data_->values.get();
	shared->buffers[2] = data_->variable.data();
	auto array = std::make_unique<ArrowArray>();
	*array = {static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(null_count_), 0, variable ? 3 : 2, 0,
		shared->buffers, nullptr, nullptr,
		[](ArrowArray *self) {
			delete static_cast<Shared *>(self->private_data);
			self->release = nullptr;
		},
		shared};
	return capsule(std::move(array), "arrow_array");
}

Batch compact_column(const Fingerprints &sketches, unsigned threads)
{
	const Kind kind = sketches.kind();
	if (!kind->is_sketch() || kind->compact)
		throw nb::type_error(("a " + std::string(kind->type) + " has no compact form").c_str());
	const Kind folded = &core::sketch_kind_of(kind->slots, true);
	Batch batch(folded, sketches.size());
	Workers::for_each_block(sketches.size(), 1024, threads, [&](std::size_t first, std::size_t last, unsigned) {
		for (std::size_t row = first; row < last; ++row) {
			batch.set_valid(row, !sketches.is_null(row));
			if (sketches.is_null(row))
				std::memset(batch.row(row), 0, folded->binary_bytes);
			else
				fold(kind, sketches[row], batch.row(row));
		}
	});
	batch.finish();
	return batch;
}

Batch fingerprint_column(const core::Recipe &recipe, const Column &texts, unsigned threads)
{
	Batch batch(recipe.kind, texts.size());
	if (recipe.kind->binary_bytes == 0) {
		fingerprint_variable(recipe, texts, threads, batch);
	} else {
		Workers::for_each_block(texts.size(), block_rows, threads, [&](std::size_t first, std::size_t last, unsigned) {
			for (std::size_t row = first; row < last; ++row) {
				const bool valid = fingerprint_row(recipe, texts, row, batch.row(row)) > 0;
				batch.set_valid(row, valid);
				if (!valid) // its bytes are never shown, but they must not be whatever the memory held
					std::memset(batch.row(row), 0, recipe.kind->binary_bytes);
			}
		});
	}
	batch.finish();
	return batch;
}

} // namespace txtfp::python

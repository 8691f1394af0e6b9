#include "text_rows.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "capsule.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"

namespace txtfp::python {

namespace {

// A child that a consumer moves out outlives its parent, so each keeps its data alive.
struct ColumnOwner {
	std::shared_ptr<const ColumnData> data;
	std::string name;
	const void *buffers[3];
	template <class Struct> static void release(Struct *self)
	{
		delete static_cast<ColumnOwner *>(self->private_data);
		self->release = nullptr;
	}
};

template <class Struct> struct Children {
	explicit Children(std::size_t n) : structs(n), pointers(n)
	{
		for (std::size_t i = 0; i < n; ++i)
			pointers[i] = &structs[i];
	}
	static void release(Struct *self)
	{
		auto *children = static_cast<Children *>(self->private_data);
		for (Struct &child : children->structs)
			if (child.release != nullptr)
				child.release(&child);
		self->release = nullptr;
		delete children;
	}
	std::vector<Struct> structs;
	std::vector<Struct *> pointers;
	const void *buffers[1] = {nullptr};
};

const char *format_of(records::ColumnType type) noexcept
{
	constexpr const char *formats[] = {"u", "l", "L", "g", "b"};
	return formats[static_cast<int>(type)];
}

// A part of a column; null: rows without a value.
struct Part {
	const records::ColumnRows *values;
	std::size_t rows;
};

void add_part(ColumnData &data, const Part &part)
{
	const std::size_t first = data.rows;
	data.rows += part.rows;
	const bool is_text = data.type == records::ColumnType::text;
	const auto before = static_cast<std::int32_t>(data.bytes.size());
	if (part.values == nullptr) {
		data.null_count += part.rows;
		if (is_text)
			data.offsets.resize(data.rows + 1, before);
		else
			data.words.resize(data.rows);
		return;
	}
	const records::ColumnRows &own = *part.values;
	for (std::size_t i = 0; i < part.rows; ++i) {
		data.validity[(first + i) / 8] |= static_cast<std::uint8_t>(own.valid[i] << (first + i) % 8);
		data.null_count += own.valid[i] == 0;
	}
	for (const std::int32_t end : own.ends)
		data.offsets.push_back(before + end);
	data.bytes += own.bytes;
	data.words.insert(data.words.end(), own.words.begin(), own.words.end());
}

void set_bits(ColumnData &data)
{
	if (data.type != records::ColumnType::boolean)
		return;
	data.bits.assign((data.rows + 7) / 8, 0);
	for (std::size_t i = 0; i < data.rows; ++i)
		data.bits[i / 8] |= static_cast<std::uint8_t>((data.words[i] & 1) << i % 8);
}

std::shared_ptr<const ColumnData> joined(records::ColumnType type, const std::vector<Part> &parts)
{
	auto data = std::make_shared<ColumnData>();
	data->type = type;
	std::size_t rows = 0, bytes = 0;
	for (const Part &part : parts) {
		rows += part.rows;
		bytes += part.values == nullptr ? 0 : part.values->bytes.size();
	}
	data->validity.assign((rows + 7) / 8, 0);
	data->bytes.reserve(bytes);
	prefer_large_pages(data->bytes.data(), bytes);
	if (type == records::ColumnType::text)
		data->offsets.reserve(rows + 1);
	else
		data->words.reserve(rows);
	data->offsets.push_back(0);
	for (const Part &part : parts)
		add_part(*data, part);
	set_bits(*data);
	return data;
}

} // namespace

KeptRows::KeptRows(const records::ColumnSet &columns, const std::vector<records::ColumnSet> &found,
	const std::vector<records::TableRows> &parts, unsigned threads)
	: columns_(columns.size())
{
	for (const records::TableRows &part : parts)
		rows_ += part.rows;
	Workers::for_each(columns_.size(), threads, [&](std::size_t place, unsigned) {
		std::vector<Part> own;
		bool any = false;
		for (std::size_t i = 0; i < parts.size(); ++i) {
			const std::size_t in_part = found[i].find(columns.name(place), place);
			const bool is_there = in_part < parts[i].columns.size();
			own.push_back({is_there ? &parts[i].columns[in_part] : nullptr, parts[i].rows});
			any = any || is_there;
		}
		if (any)
			columns_[place] = joined(records::ColumnType::text, own);
	});
}

std::size_t KeptRows::bytes() const noexcept
{
	std::size_t bytes = 0;
	for (const auto &column : columns_)
		if (column != nullptr)
			bytes += column->bytes.size() + column->offsets.size() * sizeof(column->offsets[0]) + column->validity.size();
	return bytes;
}

std::shared_ptr<const ColumnData> KeptRows::column(std::size_t place, records::ColumnType type) const
{
	if (place >= columns_.size() || columns_[place] == nullptr)
		return joined(type, {{nullptr, rows_}});
	const std::shared_ptr<const ColumnData> &texts = columns_[place];
	if (type == records::ColumnType::text)
		return texts;
	using Kind = records::JsonValue::Kind;
	records::ColumnRows values;
	values.type = type;
	for (std::size_t i = 0; i < rows_; ++i) {
		const bool valid = texts->validity[i / 8] >> i % 8 & 1;
		const auto begin = static_cast<std::size_t>(texts->offsets[i]);
		const std::string_view text(texts->bytes.data() + begin, static_cast<std::size_t>(texts->offsets[i + 1]) - begin);
		values.add({!valid ? Kind::null : type == records::ColumnType::boolean ? Kind::boolean : Kind::number, text});
	}
	return joined(type, {{&values, rows_}});
}

Rows::Rows(std::vector<std::string> names, const std::vector<records::ColumnType> &types,
	const std::vector<records::TableRows> &parts, unsigned threads)
	: names_(std::move(names)), columns_(types.size())
{
	for (const records::TableRows &part : parts)
		rows_ += part.rows;
	Workers::for_each(types.size(), threads, [&](std::size_t i, unsigned) {
		std::vector<Part> own;
		for (const records::TableRows &part : parts)
			own.push_back({&part.columns[i], part.rows});
		columns_[i] = joined(types[i], own);
	});
}

Rows::Rows(std::vector<std::string> names, const std::vector<records::ColumnType> &types,
	const std::vector<std::size_t> &places, const KeptRows &kept, unsigned threads)
	: rows_(kept.rows()), names_(std::move(names)), columns_(types.size())
{
	Workers::for_each(
		types.size(), threads, [&](std::size_t i, unsigned) { columns_[i] = kept.column(places[i], types[i]); });
}

nb::object Rows::arrow_schema() const
{
	auto *children = new Children<ArrowSchema>(columns_.size());
	for (std::size_t i = 0; i < columns_.size(); ++i) {
		auto *owner = new ColumnOwner{columns_[i], names_[i], {}};
		children->structs[i] = {format_of(columns_[i]->type), owner->name.c_str(), nullptr, 2 /* nullable */, 0,
			nullptr, nullptr, &ColumnOwner::release<ArrowSchema>, owner};
	}
	auto schema = std::make_unique<ArrowSchema>();
	*schema = {"+s", "", nullptr, 0, static_cast<std::int64_t>(columns_.size()), children->pointers.data(), nullptr,
		&Children<ArrowSchema>::release, children};
	return capsule(std::move(schema), "arrow_schema");
}

nb::object Rows::arrow_array() const
{
	auto *children = new Children<ArrowArray>(columns_.size());
	for (std::size_t i = 0; i < columns_.size(); ++i) {
		const ColumnData &data = *columns_[i];
		const bool is_text = data.type == records::ColumnType::text;
		const void *values = data.words.data();
		if (is_text)
			values = data.offsets.data();
		else if (data.type == records::ColumnType::boolean)
			values = data.bits.data();
		auto *owner = new ColumnOwner{
			columns_[i], {}, {data.null_count > 0 ? data.validity.data() : nullptr, values, data.bytes.data()}};
		children->structs[i] = {static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(data.null_count), 0,
			is_text ? 3 : 2, 0, owner->buffers, nullptr, nullptr, &ColumnOwner::release<ArrowArray>, owner};
	}
	auto array = std::make_unique<ArrowArray>();
	*array = {static_cast<std::int64_t>(rows_), 0, 0, 1, static_cast<std::int64_t>(columns_.size()), children->buffers,
		children->pointers.data(), nullptr, &Children<ArrowArray>::release, children};
	return capsule(std::move(array), "arrow_array");
}

} // namespace txtfp::python

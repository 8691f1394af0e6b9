#include "pg/text/text_list.hpp"

#include "pg/base/text_arg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
}

namespace txtfp::pg {

namespace {

struct Texts {
	const char *bytes;
	const std::size_t *ends;
	std::size_t count;

	std::size_t start(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
	std::string_view operator[](std::size_t i) const { return {bytes + start(i), ends[i] - start(i)}; }
};

// Converts each text separately to another database encoding.
Texts in_server_encoding(const Texts &texts)
{
	if (GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
		return texts;
	StringInfoData bytes;
	initStringInfo(&bytes);
	auto *ends = static_cast<std::size_t *>(
		MemoryContextAllocHuge(CurrentMemoryContext, (texts.count + 1) * sizeof(std::size_t)));
	for (std::size_t i = 0; i < texts.count; ++i) {
		CHECK_FOR_INTERRUPTS();
		const std::string_view converted = from_utf8(texts[i]);
		appendBinaryStringInfo(&bytes, converted.data(), static_cast<int>(converted.size()));
		ends[i] = static_cast<std::size_t>(bytes.len);
	}
	return {bytes.data, ends, texts.count};
}

void poll(std::size_t step)
{
	if ((step & 0xFFFF) == 0)
		CHECK_FOR_INTERRUPTS();
}

} // namespace

// Makes a single allocation, because a document may have tens of millions of tokens.
ArrayType *make_text_array(const TextList &list)
{
	if (list.size() == 0)
		return construct_empty_array(TEXTOID);
	const Texts texts = in_server_encoding({list.bytes(), list.ends(), list.size()});
	std::size_t size = ARR_OVERHEAD_NONULLS(1);
	for (std::size_t i = 0; i < texts.count; ++i) {
		poll(i);
		size += INTALIGN(VARHDRSZ + texts[i].size());
	}
	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s", list.too_large())));
	auto *array = static_cast<ArrayType *>(palloc(size));
	memset(array, 0, ARR_OVERHEAD_NONULLS(1));
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = TEXTOID;
	ARR_DIMS(array)[0] = static_cast<int>(texts.count);
	ARR_LBOUND(array)[0] = 1;
	char *to = ARR_DATA_PTR(array);
	for (std::size_t i = 0; i < texts.count; ++i) {
		poll(i);
		const std::string_view item = texts[i];
		const std::size_t used = VARHDRSZ + item.size();
		SET_VARSIZE(to, used);
		memcpy(VARDATA(to), item.data(), item.size());
		memset(to + used, 0, INTALIGN(used) - used);
		to += INTALIGN(used);
	}
	return array;
}

} // namespace txtfp::pg

#include "pg/live_clusters/row_key.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/uuid.h"
}

namespace txtfp::pg {

namespace {

// What dynahash's callbacks work on; set before each access.
const KeyType *key_in_use;

struct Bytes {
	const unsigned char *data;
	int size;
};

// A number is copied to `number`.
Bytes bytes_of(const KeyType &type, Datum key, int64 &number)
{
	switch (type.type) {
	case INT4OID:
		number = DatumGetInt32(key);
		return {reinterpret_cast<const unsigned char *>(&number), sizeof number};
	case INT8OID:
		number = DatumGetInt64(key);
		return {reinterpret_cast<const unsigned char *>(&number), sizeof number};
	case UUIDOID:
		return {DatumGetUUIDP(key)->data, UUID_LEN};
	default: {
		const auto *text = (const struct varlena *) DatumGetPointer(key);
		return {reinterpret_cast<const unsigned char *>(VARDATA_ANY(text)), static_cast<int>(VARSIZE_ANY_EXHDR(text))};
	}
	}
}

uint32 hash_entry(const void *key, Size) noexcept
{
	return static_cast<uint32>(hash_key(*key_in_use, *static_cast<const Datum *>(key), 0));
}

int compare_entries(const void *a, const void *b, Size) noexcept
{
	return compare_keys(*key_in_use, *static_cast<const Datum *>(a), *static_cast<const Datum *>(b));
}

} // namespace

bool is_key_type(Oid type) { return type == INT4OID || type == INT8OID || type == UUIDOID || type == TEXTOID; }

const char *key_type_text(Oid type)
{
	switch (type) {
	case INT4OID:
		return "pg_catalog.int4";
	case INT8OID:
		return "pg_catalog.int8";
	case UUIDOID:
		return "pg_catalog.uuid";
	default:
		return "pg_catalog.text";
	}
}

KeyType key_type(Oid type)
{
	KeyType key{};
	key.type = type;
	get_typlenbyvalalign(type, &key.length, &key.by_value, &key.alignment);
	return key;
}

int compare_keys(const KeyType &type, Datum a, Datum b)
{
	int64 x, y;
	const Bytes left = bytes_of(type, a, x), right = bytes_of(type, b, y);
	if (type.by_value)
		return x < y ? -1 : x > y;
	const int common = memcmp(left.data, right.data, Min(left.size, right.size));
	return common != 0 ? common : left.size - right.size;
}

uint64 hash_key(const KeyType &type, Datum key, uint64 seed)
{
	int64 number;
	const Bytes bytes = bytes_of(type, key, number);
	return hash_bytes_extended(bytes.data, bytes.size, seed);
}

Datum copy_key(const KeyType &type, Datum key)
{
	if (type.length != -1)
		return datumCopy(key, type.by_value, type.length);
	const auto *plain = (const struct varlena *) PG_DETOAST_DATUM_PACKED(key);
	return datumCopy(PointerGetDatum(plain), false, -1);
}

Datum key_array(const KeyType &type, const Datum *keys, int count)
{
	return PointerGetDatum(
		construct_array(const_cast<Datum *>(keys), count, type.type, type.length, type.by_value, type.alignment));
}

Datum key_array(const KeyType &type, Datum *keys, bool *nulls, int count)
{
	int lower = 1;
	return PointerGetDatum(
		construct_md_array(keys, nulls, 1, &count, &lower, type.type, type.length, type.by_value, type.alignment));
}

Datum float_array(const double *values, int count)
{
	auto *elements = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<Size>(Max(1, count))));
	for (int i = 0; i < count; ++i)
		elements[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(
		construct_array(elements, count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum number_array(const int64 *values, int count)
{
	auto *elements = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<Size>(Max(1, count))));
	for (int i = 0; i < count; ++i)
		elements[i] = Int64GetDatum(values[i]);
	return PointerGetDatum(construct_array(elements, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

bool is_before(const KeyType &type, const Rank &a, const Rank &b)
{
	if (a.priority != b.priority)
		return a.priority > b.priority;
	return compare_keys(type, a.id, b.id) < 0;
}

void KeyTable::open(const KeyType &type, Size entry_size, long expected)
{
	type_ = type;
	HASHCTL control{};
	control.keysize = sizeof(Datum);
	control.entrysize = entry_size;
	control.hash = hash_entry;
	control.match = compare_entries;
	control.hcxt = CurrentMemoryContext;
	table_ =
		hash_create("txtfp rows by id", expected, &control, HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

void *KeyTable::find(Datum id) const
{
	key_in_use = &type_;
	return hash_search(table_, &id, HASH_FIND, nullptr);
}

void *KeyTable::enter(Datum id, bool &found) const
{
	key_in_use = &type_;
	return hash_search(table_, &id, HASH_ENTER, &found);
}

} // namespace txtfp::pg

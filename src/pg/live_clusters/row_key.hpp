// The ids of rows, of the types that bulk functions take: integer, bigint, uuid and text.
#pragma once

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/hsearch.h"
}

namespace txtfp::pg {

struct KeyType {
	Oid type;
	int16 length;
	bool by_value;
	char alignment;
};

KeyType key_type(Oid type); // of one of the four types
bool is_key_type(Oid type);
const char *key_type_text(Oid type); // pg_catalog.int8

// In the order of bulk functions: numbers as numbers, uuid and text by their bytes.
int compare_keys(const KeyType &type, Datum a, Datum b);
uint64 hash_key(const KeyType &type, Datum key, uint64 seed);
Datum copy_key(const KeyType &type, Datum key); // without compression, in the current memory context

Datum key_array(const KeyType &type, const Datum *keys, int count);
Datum key_array(const KeyType &type, Datum *keys, bool *nulls, int count);
Datum float_array(const double *values, int count);
Datum number_array(const int64 *values, int count);

// A row's place in the order in which rows are kept: the greatest priority first, of equal ones the smallest id.
struct Rank {
	Datum id;
	double priority;
};
bool is_before(const KeyType &type, const Rank &a, const Rank &b);

// Entries of type T, found by id; T begins with `Datum id`. It lives in the memory context in which it was opened;
// entries do not move.
class KeyTable {
public:
	void open(const KeyType &type, Size entry_size, long expected);
	void *find(Datum id) const;               // nullptr: there is none
	void *enter(Datum id, bool &found) const; // a new entry has its id and nothing else
	void close() { hash_destroy(table_); }

private:
	KeyType type_;
	HTAB *table_;
};

} // namespace txtfp::pg

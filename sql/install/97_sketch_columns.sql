-- Leading columns of the access method sketch: the types that have a default hash operator class in PostgreSQL. A class for another type is made
-- in the same way, by a superuser.

@use sketch_column
@  NAME = aclitem
@  TYPE = aclitem
@  HASH = hash_aclitem(aclitem)

@use sketch_column
@  NAME = array
@  TYPE = anyarray
@  HASH = hash_array(anyarray)

@use sketch_column
@  NAME = bool
@  TYPE = boolean
@  HASH = hashchar("char")

@use sketch_column
@  NAME = bpchar
@  TYPE = character
@  HASH = hashbpchar(character)

@use sketch_column
@  NAME = bytea
@  TYPE = bytea
@  HASH = hashvarlena(internal)

@use sketch_column
@  NAME = char
@  TYPE = "char"
@  HASH = hashchar("char")

@use sketch_column
@  NAME = cid
@  TYPE = cid
@  HASH = hashint4(integer)

@use sketch_column
@  NAME = date
@  TYPE = date
@  HASH = hashint4(integer)

@use sketch_column
@  NAME = enum
@  TYPE = anyenum
@  HASH = hashenum(anyenum)

@use sketch_column
@  NAME = interval
@  TYPE = interval
@  HASH = interval_hash(interval)

@use sketch_column
@  NAME = jsonb
@  TYPE = jsonb
@  HASH = jsonb_hash(jsonb)

@use sketch_column
@  NAME = macaddr
@  TYPE = macaddr
@  HASH = hashmacaddr(macaddr)

@use sketch_column
@  NAME = macaddr8
@  TYPE = macaddr8
@  HASH = hashmacaddr8(macaddr8)

@use sketch_column
@  NAME = multirange
@  TYPE = anymultirange
@  HASH = hash_multirange(anymultirange)

@use sketch_column
@  NAME = inet
@  TYPE = inet
@  HASH = hashinet(inet)

@use sketch_column
@  NAME = numeric
@  TYPE = numeric
@  HASH = hash_numeric(numeric)

@use sketch_column
@  NAME = oid
@  TYPE = oid
@  HASH = hashoid(oid)

@use sketch_column
@  NAME = oidvector
@  TYPE = oidvector
@  HASH = hashoidvector(oidvector)

@use sketch_column
@  NAME = pg_lsn
@  TYPE = pg_lsn
@  HASH = pg_lsn_hash(pg_lsn)

@use sketch_column
@  NAME = range
@  TYPE = anyrange
@  HASH = hash_range(anyrange)

@use sketch_column
@  NAME = record
@  TYPE = record
@  HASH = hash_record(record)

@use sketch_column
@  NAME = tid
@  TYPE = tid
@  HASH = hashtid(tid)

@use sketch_column
@  NAME = time
@  TYPE = time without time zone
@  HASH = time_hash(time without time zone)

@use sketch_column
@  NAME = timestamp
@  TYPE = timestamp without time zone
@  HASH = timestamp_hash(timestamp without time zone)

@use sketch_column
@  NAME = timestamptz
@  TYPE = timestamp with time zone
@  HASH = timestamp_hash(timestamp without time zone)

@use sketch_column
@  NAME = timetz
@  TYPE = time with time zone
@  HASH = timetz_hash(time with time zone)

@use sketch_column
@  NAME = uuid
@  TYPE = uuid
@  HASH = uuid_hash(uuid)

@use sketch_column
@  NAME = xid
@  TYPE = xid
@  HASH = hashint4(integer)

@use sketch_column
@  NAME = xid8
@  TYPE = xid8
@  HASH = hashint8(bigint)

-- Families of several types, whose values are compared with each other.

CREATE OPERATOR FAMILY integer_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY integer_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int2_sketch_ops DEFAULT FOR TYPE smallint USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (smallint, smallint), FUNCTION 2 pg_catalog.hashint2(smallint);
COMMENT ON OPERATOR CLASS int2_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int4_sketch_ops DEFAULT FOR TYPE integer USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (integer, integer), FUNCTION 2 pg_catalog.hashint4(integer);
COMMENT ON OPERATOR CLASS int4_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS int8_sketch_ops DEFAULT FOR TYPE bigint USING sketch FAMILY integer_sketch_ops AS
	OPERATOR 1 pg_catalog.= (bigint, bigint), FUNCTION 2 pg_catalog.hashint8(bigint);
COMMENT ON OPERATOR CLASS int8_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY integer_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (smallint, integer), OPERATOR 1 pg_catalog.= (smallint, bigint), OPERATOR 1 pg_catalog.= (integer, smallint), OPERATOR 1 pg_catalog.= (integer, bigint), OPERATOR 1 pg_catalog.= (bigint, smallint), OPERATOR 1 pg_catalog.= (bigint, integer);

CREATE OPERATOR FAMILY float_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY float_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS float4_sketch_ops DEFAULT FOR TYPE real USING sketch FAMILY float_sketch_ops AS
	OPERATOR 1 pg_catalog.= (real, real), FUNCTION 2 pg_catalog.hashfloat4(real);
COMMENT ON OPERATOR CLASS float4_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS float8_sketch_ops DEFAULT FOR TYPE double precision USING sketch FAMILY float_sketch_ops AS
	OPERATOR 1 pg_catalog.= (double precision, double precision), FUNCTION 2 pg_catalog.hashfloat8(double precision);
COMMENT ON OPERATOR CLASS float8_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY float_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (real, double precision), OPERATOR 1 pg_catalog.= (double precision, real);

CREATE OPERATOR FAMILY text_sketch_ops USING sketch;
COMMENT ON OPERATOR FAMILY text_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS name_sketch_ops DEFAULT FOR TYPE name USING sketch FAMILY text_sketch_ops AS
	OPERATOR 1 pg_catalog.= (name, name), FUNCTION 2 pg_catalog.hashname(name);
COMMENT ON OPERATOR CLASS name_sketch_ops USING sketch IS 'leading column, searched by equality';
CREATE OPERATOR CLASS text_sketch_ops DEFAULT FOR TYPE text USING sketch FAMILY text_sketch_ops AS
	OPERATOR 1 pg_catalog.= (text, text), FUNCTION 2 pg_catalog.hashtext(text);
COMMENT ON OPERATOR CLASS text_sketch_ops USING sketch IS 'leading column, searched by equality';
ALTER OPERATOR FAMILY text_sketch_ops USING sketch ADD
	OPERATOR 1 pg_catalog.= (text, name), OPERATOR 1 pg_catalog.= (name, text);

-- An operator class of a leading column of the access method sketch: equality, and the hash function that goes with it.
--   NAME    of the type, as in PostgreSQL's own hash operator classes; the class is called NAME_sketch_ops
--   TYPE    the type
--   HASH    its hash function, with the type of its argument

CREATE OPERATOR CLASS @NAME@_sketch_ops DEFAULT FOR TYPE @TYPE@ USING sketch AS
	OPERATOR 1 pg_catalog.= (@TYPE@, @TYPE@), FUNCTION 2 pg_catalog.@HASH@;
COMMENT ON OPERATOR CLASS @NAME@_sketch_ops USING sketch IS 'leading column, searched by equality';
COMMENT ON OPERATOR FAMILY @NAME@_sketch_ops USING sketch IS 'leading column, searched by equality';

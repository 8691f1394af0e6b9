"""Where the types of the extension are found in a database."""

from __future__ import annotations

from typing import Final

from .values import TYPES

# By the extension that owns them, so that neither its schema nor the search path matters
_TYPES_QUERY: Final = """
    SELECT t.typname::pg_catalog.text, n.nspname::pg_catalog.text, t.oid, t.typarray
    FROM pg_catalog.pg_type AS t
    JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
    JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.objid = t.oid AND d.deptype = 'e'
    JOIN pg_catalog.pg_extension AS e ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
    WHERE e.extname = 'txtfp' AND t.typname IN ({names})"""
TYPES_QUERY: Final = _TYPES_QUERY.format(names=", ".join(f"'{name}'" for name in TYPES))

NOT_INSTALLED: Final = "the extension txtfp is not installed in this database: CREATE EXTENSION txtfp"

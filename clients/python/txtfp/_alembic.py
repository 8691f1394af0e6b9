"""A plugin that Alembic loads by itself: a generated migration that names a type of ``txtfp.sqlalchemy`` imports it."""

from __future__ import annotations

from typing import Any, Final

_MODULE: Final = "txtfp.sqlalchemy"


def _import_types(context: Any, upgrade_ops: Any, schemas: Any) -> None:
    """Alembic writes a column's type as ``txtfp.sqlalchemy.Minhash128()`` and leaves the import to ``render_item``."""
    given = context.opts.get("render_item")

    def render_item(kind: str, item: Any, autogen_context: Any) -> Any:
        if kind == "type" and type(item).__module__ == _MODULE:
            autogen_context.imports.add(f"import {_MODULE}")
        return given(kind, item, autogen_context) if given else False

    context.opts["render_item"] = render_item


def setup(plugin: Any) -> None:
    plugin.add_autogenerate_comparator(_import_types, "schema", "imports")

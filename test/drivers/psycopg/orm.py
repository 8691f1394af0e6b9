"""SQLAlchemy and Django: the snippets of test/drivers/README.md, and whether what they send is served by the index."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import django
import sqlalchemy
from checks import attempt, check, finish, run, snippets

TEXT = "a text of some ten words or more that nobody else in this table has ever written before"
OTHER = "and something else that nobody has written either, of about the same length as the first one is"


def explain(driver, sql, parameters=None):
    """The plan, if sequential scans are forbidden: may the index serve this condition?"""
    driver.execute("SET enable_seqscan = off")
    driver.execute("EXPLAIN " + sql, parameters)
    plan = "\n".join(line for (line,) in driver.fetchall())
    driver.execute("RESET enable_seqscan")
    return plan


def with_sqlalchemy():
    engine = sqlalchemy.create_engine("postgresql+psycopg://")
    sent = []
    sqlalchemy.event.listen(engine, "before_cursor_execute",
                            lambda c, cursor, sql, parameters, context, many: sent.append((sql, parameters)))
    with engine.begin() as connection:
        names = run("SQLAlchemy", {"connection": connection, "text": TEXT, "other_text": OTHER})
        check("SQLAlchemy: nearest", [tuple(row) for row in names["nearest"]], [(1, 1.0)])
        check("SQLAlchemy: matches", (names["matches"], names["similar"]), ([1], [1]))
        check("SQLAlchemy: a value is a str", type(names["fp"]), str)
        searches = [(sql, parameters) for sql, parameters in sent if "minhash_similar(" in sql or "fp %% " in sql]
        check("SQLAlchemy: searches", len(searches), 3)
        for sql, parameters in searches:
            plan = explain(connection.connection.cursor(), sql, parameters)
            check("SQLAlchemy: index", "Index Scan on notes_fp " in plan or plan)


def with_django():
    from django.conf import settings
    settings.configure(
        INSTALLED_APPS=["django.contrib.postgres"],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"],
                               "USER": os.environ["PGUSER"], "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}})
    django.setup()
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    models, queries = snippets("Django")
    names = {"text": TEXT, "__name__": "notes.models"}
    exec(compile(models, "README.md Django", "exec"), names)
    with connection.schema_editor() as editor:
        editor.create_model(names["Note"])
    names["Note"].objects.create(body=OTHER)
    with CaptureQueriesContext(connection) as sent:
        exec(compile(queries, "README.md Django", "exec"), names)
    check("Django: nearest", [(note.pk, note.similarity) for note in names["nearest"]], [(2, 1.0)])
    check("Django: matches", [note.pk for note in names["matches"]], [2])
    check("Django: a value is a str", type(names["note"].fp), str)
    searches = [query["sql"] for query in sent.captured_queries if "minhash_similar" in query["sql"]]
    check("Django: searches", len(searches), 2)
    for sql in searches:
        plan = explain(connection.connection.cursor(), sql)
        check("Django: index", "Index Scan on django_notes_fp " in plan or plan)


print(f"SQLAlchemy {sqlalchemy.__version__}, Django {django.__version__}")
attempt("SQLAlchemy", with_sqlalchemy)
attempt("Django", with_django)
finish()

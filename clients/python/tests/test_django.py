from __future__ import annotations

from typing import Any, Iterator

import pytest

django = pytest.importorskip("django")
pytest.importorskip("psycopg")
import os

from django.conf import settings

if not settings.configured:
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "HOST": os.environ.get("PGHOST", ""), "NAME": "set by the fixture"}},
        INSTALLED_APPS=["django.contrib.postgres"],
        USE_TZ=True,
    )
    django.setup()

from django.contrib.postgres.fields import ArrayField
from django.db import connection, migrations, models
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import TextField, Value

import txtfp
from samples import OTHER, TEXT
from txtfp import django as fields


class Note(models.Model):
    body = models.TextField()
    fp = models.GeneratedField(expression=fields.ToMinhash128("body"), output_field=fields.Minhash128Field(), db_persist=True)
    sim = fields.Simhash64Field(null=True)
    copy = fields.Minhash128Field(null=True)

    class Meta:
        app_label = "notes"
        db_table = "django_notes"
        indexes = [fields.SketchIndex(fields=["fp"], name="django_notes_fp")]


@pytest.fixture()
def table(database: str) -> Iterator[None]:
    connection.close()
    connection.settings_dict["NAME"] = database
    with connection.schema_editor() as editor:
        editor.create_model(Note)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Note)
    connection.close()


def test_nearest_by_index(table: None) -> None:
    for body in TEXT, OTHER, "something else entirely":
        Note.objects.create(body=body)
    first, second = Note.objects.order_by("id")[:2]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute("SELECT rows_returned FROM fingerprint_index_info('django_notes_fp')")
        (before,) = cursor.fetchone()
        for probe in first.fp, fields.ToMinhash128(Value(TEXT)):
            assert list(Note.objects.order_by(fields.JaccardDistance("fp", probe))[:2]) == [first, second]
        cursor.execute("SELECT rows_returned FROM fingerprint_index_info('django_notes_fp')")
        assert cursor.fetchone() == (before + 4,)


def test_fields_and_lookups(table: None) -> None:
    for body in TEXT, OTHER, "something else entirely":
        Note.objects.create(body=body)
    Note.objects.update(sim=fields.ToSimhash64("body"))
    first, second, third = Note.objects.order_by("id")
    assert type(first.fp) is txtfp.Minhash128 and type(first.sim) is txtfp.Simhash64
    for other in first.fp, fields.ToMinhash128(Value(TEXT)):
        near = Note.objects.filter(fp__similar=(other, 0.3)).order_by(fields.JaccardDistance("fp", other))
        assert [note.pk for note in near] == [first.pk, second.pk]
        measured = near.annotate(similarity=fields.Jaccard("fp", other)).values_list("similarity", flat=True)
        assert list(measured) == [1.0, first.fp.jaccard(second.fp)]
    distance = first.sim.hamming(second.sim)
    near = Note.objects.filter(sim__similar=(first.sim, distance)).annotate(d=fields.HammingDistance("sim", first.sim)).order_by("d")
    assert [(note.pk, note.d) for note in near[:2]] == [(first.pk, 0), (second.pk, distance)]
    third.copy = first.fp
    third.save()
    assert Note.objects.get(copy=first.fp).pk == third.pk
    assert [note.copy for note in Note.objects.order_by("-id")[:1]] == [first.fp]
    tokens = Value(["red", "car"], output_field=ArrayField(TextField()))
    (fp,) = Note.objects.values_list(fields.ToMinhash128(tokens), flat=True)[:1]
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_minhash128(ARRAY['red', 'car'])::text")
        assert cursor.fetchone() == (str(fp),)


def test_errors(table: None) -> None:
    with pytest.raises(TypeError, match="a document is given as ToMinhash128"):
        list(Note.objects.filter(fp__similar=("some text", 0.8)))
    with pytest.raises(ValueError, match="a pair"):
        list(Note.objects.filter(fp__similar=0.8))
    with pytest.raises(txtfp.InvalidValue):
        Note(copy="no value").save()


def test_the_index_serves_the_lookup(table: None) -> None:
    Note.objects.bulk_create(Note(body=f"{TEXT} {i}") for i in range(300))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE django_notes; SET enable_seqscan = off")
        near = Note.objects.filter(fp__similar=(fields.ToMinhash128(Value(TEXT)), 0.9))
        assert "django_notes_fp" in near.explain()


def test_migrations(table: None) -> None:
    """A migration writes the fields, finds nothing to change afterwards, and creates the extension."""

    def state() -> ProjectState:
        project = ProjectState()
        project.add_model(ModelState.from_model(Note))
        return project

    changes = MigrationAutodetector(ProjectState(), state())._detect_changes()
    (migration,) = changes["notes"]
    from django.db.migrations.writer import MigrationWriter

    written = MigrationWriter(migration).as_string()
    assert "txtfp.django.Minhash128Field" in written and "txtfp.django.SketchIndex" in written
    assert not MigrationAutodetector(state(), state())._detect_changes()
    operation = fields.TxtfpExtension()
    assert isinstance(operation, migrations.operations.base.Operation) and operation.name == "txtfp"
    with connection.schema_editor() as editor:
        operation.database_forwards("notes", editor, ProjectState(), ProjectState())

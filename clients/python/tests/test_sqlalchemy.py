from __future__ import annotations

import asyncio
import pathlib
from typing import Any, Iterator

import pytest

sa = pytest.importorskip("sqlalchemy")
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import txtfp
import txtfp.sqlalchemy as types
from samples import OTHER, TEXT


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = "sa_docs"
    id: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str]
    fp: Mapped[Any] = mapped_column(types.Minhash128, sa.Computed("to_minhash128(body)", persisted=True))
    sim: Mapped[Any] = mapped_column(types.Simhash64, nullable=True)
    digest: Mapped[Any] = mapped_column(types.Tlsh, nullable=True)
    fuzzy: Mapped[Any] = mapped_column(types.Lavinhash, nullable=True)
    __table_args__ = (
        sa.Index("sa_docs_fp", "fp", postgresql_using="sketch"),
        sa.Index("sa_docs_sim", "sim", postgresql_using="gin", postgresql_with={"fastupdate": "off"}),
    )


@pytest.fixture(params=["psycopg", "psycopg2"])
def engine(request: Any, database: str) -> Iterator[Any]:
    pytest.importorskip(request.param)
    engine = sa.create_engine(f"postgresql+{request.param}:///{database}")
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def fill(session: Any) -> None:
    session.add_all(Doc(id=i, body=body) for i, body in enumerate([TEXT, OTHER, "something else entirely"], 1))
    session.flush()
    session.execute(
        sa.update(Doc).values(sim=types.to_simhash64(Doc.body), digest=types.to_tlsh(Doc.body), fuzzy=types.to_lavinhash(Doc.body))
    )


def test_nearest_by_index(engine: Any) -> None:
    counted = sa.text("SELECT rows_returned FROM fingerprint_index_info('sa_docs_fp')")
    with Session(engine) as session:
        fill(session)
        session.execute(sa.text("SET LOCAL enable_seqscan = off"))
        stored = session.scalars(sa.select(Doc.fp).where(Doc.id == 1)).one()
        before = session.scalar(counted)
        for probe in types.to_minhash128(TEXT), stored, sa.select(Doc.fp).where(Doc.id == 1).scalar_subquery():
            assert session.scalars(sa.select(Doc.id).order_by(Doc.fp.jaccard_distance(probe)).limit(2)).all() == [1, 2]
        assert session.scalar(counted) >= before + 6  # old versions of rows count, too


def test_comparators(engine: Any) -> None:
    with Session(engine) as session:
        fill(session)
        first, second = session.scalars(sa.select(Doc).where(Doc.id < 3).order_by(Doc.id))
        assert type(first.fp) is txtfp.Minhash128 and type(first.sim) is txtfp.Simhash64
        assert session.scalar(sa.select(Doc.digest).where(Doc.id == 3)) is None
        probe = types.to_minhash128(TEXT)
        for other in probe, first.fp:
            near = sa.select(Doc.id, Doc.fp.jaccard(other)).where(Doc.fp.similar(other, 0.3)).order_by(Doc.fp.jaccard_distance(other))
            assert session.execute(near).all() == [(1, 1.0), (2, first.fp.jaccard(second.fp))]
        assert session.scalars(sa.select(Doc.id).where(Doc.fp == first.fp)).all() == [1]
        distance = first.sim.hamming(second.sim)
        for column, measure, limit, expected in [
            (Doc.sim, "hamming_distance", distance, distance),
            (Doc.digest, "tlsh_distance", 400, None),
            (Doc.fuzzy, "lavinhash_similarity", 0, None),
        ]:
            value = getattr(first, column.key)
            rows = session.execute(sa.select(Doc.id, getattr(column, measure)(value)).where(column.similar(value, limit)).order_by(Doc.id)).all()
            assert [row[0] for row in rows[:2]] == [1, 2]
            assert expected is None or rows[1][1] == expected
        with pytest.raises(TypeError, match="a document is given as to_minhash128"):
            Doc.fp.similar("some text", 0.8)


def test_tokens(engine: Any) -> None:
    with engine.connect() as conn:
        expected = conn.scalar(sa.text("SELECT to_minhash128(ARRAY['red', 'car'])::text"))
        for tokens in ["red", "car"], txtfp.Tokens(["red", "car"]):
            assert str(conn.scalar(sa.select(types.to_minhash128(tokens)))) == expected


def test_registered_driver(database: str) -> None:
    """The driver's own adapter may be registered, too."""
    pytest.importorskip("psycopg")
    import txtfp.psycopg

    engine = sa.create_engine(f"postgresql+psycopg:///{database}")
    sa.event.listen(engine, "connect", lambda connection, _: txtfp.psycopg.register(connection))
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session)
        fp = session.scalar(sa.select(Doc.fp).where(Doc.id == 1))
        assert session.scalars(sa.select(Doc.id).where(Doc.fp.similar(fp, 0.9))).all() == [1]
    engine.dispose()


def test_asyncpg(database: str) -> None:
    pytest.importorskip("asyncpg")

    async def run() -> None:
        engine = create_async_engine(f"postgresql+asyncpg:///{database}")
        async with engine.begin() as conn:
            await conn.run_sync(Base.metadata.drop_all)
            await conn.run_sync(Base.metadata.create_all)
            await conn.execute(sa.insert(Doc), [{"id": 1, "body": TEXT}, {"id": 2, "body": OTHER}])
            fp = await conn.scalar(sa.select(Doc.fp).where(Doc.id == 1))
            assert type(fp) is txtfp.Minhash128
            query = sa.select(Doc.id).where(Doc.fp.similar(fp, 0.9)).order_by(Doc.fp.jaccard_distance(fp))
            assert (await conn.scalars(query)).all() == [1]
            assert (await conn.scalars(sa.select(Doc.id).where(Doc.fp.similar(types.to_minhash128(TEXT), 0.9)))).all() == [1]
        await engine.dispose()

    asyncio.run(run())


def test_reflection_and_alembic(engine: Any) -> None:
    table = sa.Table("sa_docs", sa.MetaData(), autoload_with=engine)
    assert isinstance(table.c.fp.type, types.Minhash128) and isinstance(table.c.sim.type, types.Simhash64)
    pytest.importorskip("alembic")
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True, "include_name": lambda name, kind, _: kind != "table" or name == "sa_docs"})
        assert compare_metadata(context, Base.metadata) == []


ENV = """
from alembic import context
import sqlalchemy as sa
{models}
with sa.create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as connection:
    context.configure(
        connection=connection, target_metadata=metadata,
        include_name=lambda name, kind, parents: kind != "table" or name == "migrated_docs")
    with context.begin_transaction():
        context.run_migrations()
"""
MODELS = """
from txtfp.sqlalchemy import Minhash128
metadata = sa.MetaData()
sa.Table("migrated_docs", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("body", sa.Text),
    sa.Column("fp", Minhash128, sa.Computed("to_minhash128(body)", persisted=True)),
    sa.Index("migrated_docs_fp", "fp", postgresql_using="sketch"))
"""


def test_alembic_migrations_run_as_generated(engine: Any, tmp_path: Any) -> None:
    pytest.importorskip("alembic")
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(tmp_path / "migrations"))
    config.set_main_option("sqlalchemy.url", engine.url.render_as_string(hide_password=False))
    config.config_file_name = str(tmp_path / "alembic.ini")
    command.init(config, str(tmp_path / "migrations"))
    env = tmp_path / "migrations" / "env.py"
    inspect = lambda: sa.inspect(engine).has_table("migrated_docs")
    try:
        env.write_text(ENV.format(models=MODELS))
        command.revision(config, "create", autogenerate=True)
        command.upgrade(config, "head")
        assert inspect()
        # a migration that drops the table imports the types for its way back
        env.write_text(ENV.format(models="import txtfp.sqlalchemy\nmetadata = sa.MetaData()"))
        command.revision(config, "drop", autogenerate=True)
        command.upgrade(config, "head")
        assert not inspect()
        command.downgrade(config, "-1")
        assert inspect()
        scripts = [path.read_text() for path in (tmp_path / "migrations" / "versions").glob("*.py")]
        assert len(scripts) == 2 and all("\nimport txtfp.sqlalchemy\n" in script for script in scripts)
        # one that needs no type has no import
        command.upgrade(config, "head")
        script = command.revision(config, "nothing", autogenerate=True)
        assert "txtfp" not in pathlib.Path(script.path).read_text()
    finally:
        with engine.begin() as conn:
            conn.execute(sa.text("DROP TABLE IF EXISTS migrated_docs, alembic_version"))

"""psycopg 3 against the database that the environment names: strings, binary, bound parameters in generic plans."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import psycopg
from checks import attempt, check, finish, run

TEXT = "a text of some ten words or more that nobody else in this table has ever written before"


def show(conn):
    print(f"psycopg {psycopg.__version__}, libpq {psycopg.pq.version()}, server {conn.info.server_version}")


def the_page(conn):
    names = run("psycopg", {"conn": conn, "text": TEXT, "psycopg": psycopg})
    (row,) = names["nearest"]
    check("page: the near-duplicate is found", row[1], 1.0)
    check("page: by its value too", [row[0]], [match for (match,) in names["matches"]])
    check("page: the binary form is bytes", type(names["fp"]), bytes)
    check("page: what was stored is what was read", conn.execute("""
        SELECT count(*), count(a.sim) FROM archive AS a, docs AS d
        WHERE d.body = %s AND a.fp = d.fp AND (a.sim = d.sim OR a.sim IS NULL)""", [TEXT]).fetchone(), (3, 2))
    check("page: a list of tokens", names["tokens"], conn.execute("SELECT to_minhash128(ARRAY['red', 'car'])").fetchone()[0])
    return names["Fingerprint"]


def types(conn):
    """Every type of the extension that has a constructor from text."""
    return [name for (name,) in conn.execute("""
        SELECT typname FROM pg_type AS t
        WHERE EXISTS (SELECT FROM pg_depend JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
                      WHERE classid = 'pg_type'::regclass AND objid = t.oid AND extname = 'txtfp')
          AND EXISTS (SELECT FROM pg_proc WHERE proname = 'to_' || typname AND proargtypes[0] = 'text'::regtype)
        ORDER BY 1""")]


def round_trip(conn, name, Fingerprint):
    as_text = conn.execute(f"SELECT to_{name}(%s)", [TEXT]).fetchone()[0]
    as_bytes = conn.cursor(binary=True).execute(f"SELECT to_{name}(%s)", [TEXT]).fetchone()[0]
    check(f"{name}: text is str", type(as_text), str)
    check(f"{name}: binary is bytes, and shorter", type(as_bytes) is bytes and 0 < len(as_bytes) < len(as_text))
    conn.execute(f"CREATE TEMP TABLE t_{name} (how text, v {name})")
    conn.cursor().executemany(f"INSERT INTO t_{name} VALUES (%s, %s)",
                              [("text", as_text), ("binary", Fingerprint(as_bytes)), ("null", None)])
    check(f"{name}: stored as sent", conn.execute(
        f"SELECT count(v), count(*) FILTER (WHERE v = to_{name}(%s)) FROM t_{name}", [TEXT]).fetchone(), (2, 2))
    for what, value in ("text", "no fingerprint"), ("binary", Fingerprint(as_bytes[:-1])):
        try:
            with conn.transaction():
                conn.execute(f"INSERT INTO t_{name} VALUES ('bad', %s)", [value])
            check(f"{name}: bad {what} is refused", False)
        except psycopg.Error as error:
            expected = ("22P02",) if what == "text" else ("22P03", "08P01")  # 08P01: int8 reports with it that the value is too short
            check(f"{name}: bad {what} is refused ({error.sqlstate})", error.sqlstate in expected)


def generic_plans(conn, Fingerprint):
    """auto_explain tells the plan of the very statement that the driver sent."""
    plans = []
    conn.add_notice_handler(lambda notice: plans.append(notice.message_primary))
    conn.execute("LOAD 'auto_explain'")
    for setting in ("plan_cache_mode = force_generic_plan", "auto_explain.log_min_duration = 0", "client_min_messages = log"):
        conn.execute(f"SET {setting}")
    (fp, sim, own), = conn.execute("SELECT fp, sim, id FROM docs WHERE body = %s", [TEXT])
    fp_bytes, sim_bytes = conn.cursor(binary=True).execute("SELECT fp, sim FROM docs WHERE body = %s", [TEXT]).fetchone()

    for what, index, condition, values in (
        ("function, text", "docs_fp", "minhash_similar(fp, %s, 0.8)", [fp]),
        ("function, binary", "docs_fp", "minhash_similar(fp, %s, 0.8)", [Fingerprint(fp_bytes)]),
        ("function, threshold", "docs_fp", "minhash_similar(fp, %s, %s)", [fp, 0.9]),
        ("function of the document", "docs_fp", "minhash_similar(fp, to_minhash128(%s), 0.8)", [TEXT]),
        ("operator, text", "docs_fp", "fp %% %s", [fp]),
        ("operator, binary", "docs_fp", "fp %% %s", [Fingerprint(fp_bytes)]),
        ("simhash64 function, text", "docs_sim", "simhash_similar(sim, %s, 3)", [sim]),
        ("simhash64 function, distance", "docs_sim", "simhash_similar(sim, %s, %s)", [sim, 3]),
        ("simhash64 operator, binary", "docs_sim", "sim %% %s", [Fingerprint(sim_bytes)]),
    ):
        del plans[:]
        found = conn.execute("SELECT id FROM docs WHERE " + condition, values, prepare=True).fetchall()
        check(f"{what}: found", found, [(own,)])
        plan = "\n".join(plans)
        check(f"{what}: generic plan with the index", f"Index Scan using {index} " in plan and "$1" in plan or plan)


with psycopg.connect(autocommit=True) as conn:
    show(conn)
    attempt("page", lambda: globals().update(Fingerprint=the_page(conn)))
    for name in types(conn):
        attempt(name, lambda: round_trip(conn, name, Fingerprint))
    check("types", {"minhash64", "minhash128", "minhash256", "simhash64"} <= set(types(conn)))
    attempt("generic plans", lambda: generic_plans(conn, Fingerprint))
finish()

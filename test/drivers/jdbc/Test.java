// Tests the PostgreSQL JDBC driver with a database: strings, binary, bound parameters in generic plans.
// java -cp <driver>:<classes> Test URL; the class Page contains the snippet of docs/drivers.md. The last line is "N passed, N failed".
import java.sql.*;
import java.util.*;

public class Test {
    static final String TEXT = "a text of some ten words or more that nobody else in this table has ever written before";
    static int passed, failed;

    interface Body {
        void run() throws Exception;
    }

    static void test(String name, Body body) {
        try {
            body.run();
            passed++;
            System.out.println("ok " + name);
        } catch (Exception | AssertionError error) {
            failed++;
            System.out.println("FAILED " + name);
            error.printStackTrace(System.out);
        }
    }

    static void same(Object expected, Object got) {
        if (!Objects.equals(expected, got))
            throw new AssertionError("expected " + expected + ", got " + got);
    }

    static List<Long> numbers(ResultSet rows) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        while (rows.next())
            numbers.add(rows.getLong(1));
        return numbers;
    }

    static String one(Connection connection, String query, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++)
                statement.setString(i + 1, values[i]);
            ResultSet row = statement.executeQuery();
            row.next();
            return row.getString(1);
        }
    }

    static void page(Connection connection) throws SQLException {
        Page page = new Page();
        page.run(connection, TEXT);
        same(1, page.nearest.size());
        same(page.nearest, page.matches);
        same("1", one(connection, "SELECT count(*) FROM archive AS a JOIN docs AS d USING (fp) WHERE body = ?", TEXT));
    }

    // Sends values as a string, as an object, and as NULL; and a value that is no fingerprint.
    static void roundTrip(Connection connection, String type) throws SQLException {
        String make = "to_" + type + "(?)", table = "t_" + type;
        String text = one(connection, "SELECT " + make, TEXT);
        Object object;
        try (PreparedStatement read = connection.prepareStatement("SELECT " + make)) {
            read.setString(1, TEXT);
            ResultSet row = read.executeQuery();
            row.next();
            object = row.getObject(1);
        }
        same("org.postgresql.util.PGobject", object.getClass().getName());
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE TEMP TABLE " + table + " (v " + type + ")");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
            for (Object value : Arrays.asList(text, object, null)) {
                insert.setObject(1, value, Types.OTHER);
                insert.executeUpdate();
            }
            insert.setObject(1, "no fingerprint", Types.OTHER);
            try {
                insert.executeUpdate();
                throw new AssertionError("a bad value was taken");
            } catch (SQLException error) {
                same("22P02", error.getSQLState());
            }
        }
        same("2 2", one(connection, "SELECT concat_ws(' ', count(v), count(*) FILTER (WHERE v = " + make + ")) FROM " + table, TEXT));
    }

    static void bytes(Connection connection) throws SQLException {
        byte[] binary, wire;
        try (Statement read = connection.createStatement()) {
            ResultSet row = read.executeQuery("SELECT minhash128_send(fp), fp::bytea FROM docs LIMIT 1");
            row.next();
            binary = row.getBytes(1);
            wire = row.getBytes(2);
        }
        same(8 + wire.length, binary.length);
        try (PreparedStatement search = connection.prepareStatement("SELECT count(*) FROM docs WHERE minhash_similar(fp, ?::bytea::minhash128, 1)")) {
            search.setBytes(1, wire);
            same(List.of(1L), numbers(search.executeQuery()));
        }
    }

    // auto_explain shows the plan of the very statement that the driver sent.
    static String plan(Connection connection, String condition, Object... values) throws SQLException {
        try (PreparedStatement search = connection.prepareStatement("SELECT id FROM docs WHERE " + condition)) {
            for (int i = 0; i < values.length; i++)
                if (values[i] instanceof String text && !text.equals(TEXT))
                    search.setObject(i + 1, text, Types.OTHER);
                else
                    search.setObject(i + 1, values[i]);
            List<Long> found = numbers(search.executeQuery());
            StringBuilder plan = new StringBuilder();
            for (SQLWarning warning = search.getWarnings(); warning != null; warning = warning.getNextWarning())
                plan.append(warning.getMessage()).append('\n');
            same(numbers(connection.createStatement().executeQuery("SELECT id FROM docs WHERE body = '" + TEXT + "'")), found);
            return plan.toString();
        }
    }

    static void genericPlans(Connection connection) throws SQLException {
        String fp = one(connection, "SELECT fp FROM docs WHERE body = ?", TEXT);
        String sim = one(connection, "SELECT sim FROM docs WHERE body = ?", TEXT);
        connection.unwrap(org.postgresql.PGConnection.class).setPrepareThreshold(1); // prepare on the server at once
        try (Statement set = connection.createStatement()) {
            set.execute("LOAD 'auto_explain'; SET plan_cache_mode = force_generic_plan; SET auto_explain.log_min_duration = 0; SET client_min_messages = log");
        }
        Map<String, Object[]> searches = new LinkedHashMap<>();
        searches.put("minhash_similar(fp, ?, 0.8)", new Object[] {fp});
        searches.put("minhash_similar(fp, ?::minhash128, ?)", new Object[] {fp, 0.9});
        searches.put("minhash_similar(fp, to_minhash128(?), 0.8)", new Object[] {TEXT});
        searches.put("fp % ?", new Object[] {fp});
        searches.put("simhash_similar(sim, ?, ?)", new Object[] {sim, 3});
        searches.put("sim % ?", new Object[] {sim});
        searches.forEach((condition, values) -> test("generic plan: " + condition, () -> {
            String plan = plan(connection, condition, values);
            if (!plan.contains("Index Scan using docs_" + (condition.contains("sim,") || condition.startsWith("sim ") ? "sim " : "fp ")) || !plan.contains("$1"))
                throw new AssertionError(plan);
        }));
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(arguments[0], "postgres", System.getenv("TXTFP_JDBC_PASSWORD"))) {
            System.out.println(connection.getMetaData().getDriverName() + " " + connection.getMetaData().getDriverVersion());
            test("page", () -> page(connection));
            String[] types = one(connection, """
                SELECT string_agg(typname, ' ' ORDER BY typname) FROM pg_type AS t
                WHERE EXISTS (SELECT FROM pg_depend JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
                              WHERE classid = 'pg_type'::regclass AND objid = t.oid AND extname = 'txtfp')
                  AND EXISTS (SELECT FROM pg_proc WHERE proname = 'to_' || typname AND proargtypes[0] = 'text'::regtype)""").split(" ");
            test("types", () -> same(true, types.length >= 4));
            for (String type : types)
                test("round trip: " + type, () -> roundTrip(connection, type));
            test("bytes", () -> bytes(connection));
            test("generic plans", () -> genericPlans(connection));
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed > 0 ? 1 : 0);
    }
}

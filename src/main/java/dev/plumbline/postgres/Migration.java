package dev.plumbline.postgres;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A schema migration.
 *
 * @param version 1, 2, 3 …
 * @param name file name
 */
record Migration(int version, String name, String sql) {
    private static final Pattern NAME = Pattern.compile("V(\\d{3})__[a-z0-9_]+\\.sql");
    private static final String FOLDER = "/db/";
    private static final String INDEX = "migrations.txt";

    /** All migrations in order. The index is a resource, because the files of a jar cannot be listed. */
    static List<Migration> all() {
        return read(INDEX)
                .lines()
                .filter(line -> !line.isBlank())
                .map(Migration::named)
                .toList();
    }

    private static Migration named(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalStateException("invalid migration name: " + name);
        }
        return new Migration(Integer.parseInt(matcher.group(1)), name, read(name));
    }

    /** Reads a resource in the folder of the migrations. */
    static String read(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("missing resource: " + FOLDER + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** SHA-256 of the SQL in hexadecimal. */
    String checksum() {
        return checksum(sql);
    }

    static String checksum(String sql) {
        return Hashing.sha256().hashString(sql, StandardCharsets.UTF_8).toString();
    }
}

package dev.plumbline.postgres;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A schema migration.
 *
 * @param version 1, 2, 3 …
 * @param name file name, such as {@code V001__accounts.sql}
 */
record Migration(int version, String name, String sql) {
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
        return new Migration(Integer.parseInt(name.substring(1, name.indexOf('_'))), name, read(name));
    }

    static String read(String name) {
        try {
            return Resources.toString(Resources.getResource(Migration.class, FOLDER + name), StandardCharsets.UTF_8);
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

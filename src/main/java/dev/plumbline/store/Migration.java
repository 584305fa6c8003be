package dev.plumbline.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One step of the schema.
 *
 * @param version 1, 2, 3 …
 * @param name its file's name
 */
record Migration(int version, String name, String sql) {
    private static final Pattern NAME = Pattern.compile("V(\\d{3})__[a-z0-9_]+\\.sql");
    private static final String FOLDER = "/db/";
    private static final String INDEX = "migrations.txt";

    /** All that this program knows, in order; the list of them is a resource, for a jar has none. */
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
            throw new IllegalStateException("not a name of a migration: " + name);
        }
        return new Migration(Integer.parseInt(matcher.group(1)), name, read(name));
    }

    private static String read(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("missing in this program: " + FOLDER + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** SHA-256 of the text, hexadecimal. */
    String checksum() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

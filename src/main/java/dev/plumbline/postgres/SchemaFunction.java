package dev.plumbline.postgres;

import java.util.List;

/**
 * A function in the database. It is created again when its file has changed. A function whose parameters or result
 * change is dropped by a {@link Migration} first. A change that the previous version of the program must not undo when
 * one of its nodes restarts also needs a migration, because the previous version does not start with a newer schema.
 *
 * @param sql a {@code create or replace function} statement
 */
record SchemaFunction(String name, String sql) {
    private static final String INDEX = "functions.txt";

    /** All functions. The index is a resource, because the files of a jar cannot be listed. */
    static List<SchemaFunction> all() {
        return Migration.read(INDEX)
                .lines()
                .map(name -> new SchemaFunction(name, Migration.read("functions/" + name + ".sql")))
                .toList();
    }

    String checksum() {
        return Migration.checksum(sql);
    }
}

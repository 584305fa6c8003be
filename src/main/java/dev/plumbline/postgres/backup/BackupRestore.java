package dev.plumbline.postgres.backup;

import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.DataDirectory;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Restores a {@link BaseBackup} into an empty data directory. */
public final class BackupRestore {
    private static final String CLUSTER = "postgres/cluster/";
    private static final String RESTORING = "postgres/restoring/";

    /** Directories that a server requires and that are empty in a backup. */
    private static final List<String> EMPTY_DIRECTORIES = List.of(
            "pg_wal/archive_status",
            "pg_wal/summaries",
            "pg_commit_ts",
            "pg_dynshmem",
            "pg_logical/mappings",
            "pg_logical/snapshots",
            "pg_multixact/members",
            "pg_multixact/offsets",
            "pg_notify",
            "pg_replslot",
            "pg_serial",
            "pg_snapshots",
            "pg_stat",
            "pg_stat_tmp",
            "pg_subtrans",
            "pg_tblspc",
            "pg_twophase");

    private BackupRestore() {}

    /**
     * Verifies and copies all files, then starts and stops the database, which replays the WAL of the backup.
     *
     * @param dataDir a directory that does not exist or is empty, and that no process uses
     * @return the number of files
     * @throws PostgresException if the backup is not complete or cannot be restored; the data directory is empty then
     */
    public static int restore(Path backup, Path dataDir) {
        Path source = backup.toAbsolutePath().normalize();
        Path data = dataDir.toAbsolutePath().normalize();
        Map<String, String> files = BackupFiles.read(source);
        if (!files.containsKey(CLUSTER + "backup_label")) {
            throw new PostgresException("The directory " + source + " does not contain a backup of a database.");
        }
        if (Files.notExists(data.resolve("lock"))) {
            requireEmpty(data);
        }
        // from here, a service with this data directory cannot start
        try (DataDirectory directory = DataDirectory.lock(data)) {
            requireEmpty(data);
            try {
                copy(source, files, data);
                // releases the lock, also if it fails
                EmbeddedPostgres.start(directory).stop();
                return files.size();
            } catch (IOException e) {
                BaseBackup.clear(data);
                throw DataDirectory.unwritable(data, e);
            } catch (PostgresException e) {
                BaseBackup.clear(data);
                throw e;
            }
        }
    }

    private static void requireEmpty(Path data) {
        try {
            if (!BaseBackup.isEmpty(data)) {
                throw new PostgresException(
                        "The data directory " + data + " is not empty. Move its content, or set another data.dir.");
            }
        } catch (IOException e) {
            throw DataDirectory.unwritable(data, e);
        }
    }

    private static void copy(Path source, Map<String, String> files, Path data) throws IOException {
        for (String name : EMPTY_DIRECTORIES) {
            DataDirectory.createDirectory(data.resolve(RESTORING + name));
        }
        for (Map.Entry<String, String> file : files.entrySet()) {
            String name = file.getKey();
            String into = name.startsWith(CLUSTER) ? RESTORING + name.substring(CLUSTER.length()) : name;
            copy(source.resolve(name), data.resolve(into), file.getValue());
        }
        BackupFiles.syncDirectories(data);
        // last, so that an interrupted restore does not look like a database
        DataDirectory.rename(data.resolve(RESTORING), data.resolve(CLUSTER));
    }

    private static void copy(Path from, Path to, String checksum) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            if (!BackupFiles.sync(in, to).equals(checksum)) {
                throw new PostgresException(
                        "The file " + from + " is damaged: its checksum differs from " + BackupFiles.CHECKSUMS + ".");
            }
        } catch (NoSuchFileException missing) {
            throw new PostgresException("The file " + from + " is missing.", missing);
        }
    }
}

package dev.plumbline.postgres.backup;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import com.google.common.hash.HashingInputStream;
import com.google.common.io.MoreFiles;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.DataDirectory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a backup and their SHA-256 checksums. The list has the format of {@code sha256sum}; it is written last,
 * so a backup without it is incomplete.
 */
final class BackupFiles {
    static final String CHECKSUMS = "SHA256SUMS";

    private static final Pattern LINE = Pattern.compile("([0-9a-f]{64})  (\\S.*)");

    private final Path target;
    private final Map<String, String> checksums = new TreeMap<>();
    private long bytes;

    BackupFiles(Path target) {
        this.target = target;
    }

    int count() {
        return checksums.size();
    }

    long bytes() {
        return bytes;
    }

    /**
     * Copies a file and stores its checksum. The file may grow during the copy.
     *
     * @param name the path in the backup
     * @return false if the file does not exist, for example because its table was dropped
     */
    boolean copy(Path from, String name) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            checksums.put(name, write(in, target.resolve(name)));
            return true;
        } catch (NoSuchFileException dropped) {
            return false;
        }
    }

    void write(byte[] content, String name) throws IOException {
        checksums.put(name, write(new ByteArrayInputStream(content), target.resolve(name)));
    }

    /** Writes the list, after all directories have been synchronized. */
    void complete(String comment) throws IOException {
        syncDirectories(target);
        StringBuilder list = new StringBuilder("# ").append(comment).append('\n');
        checksums.forEach(
                (name, sum) -> list.append(sum).append("  ").append(name).append('\n'));
        DataDirectory.write(target.resolve(CHECKSUMS), list.toString());
    }

    /**
     * Reads the list of a backup, in order.
     *
     * @throws PostgresException if it is missing or not valid
     */
    static Map<String, String> read(Path backup) {
        Map<String, String> files = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(backup.resolve(CHECKSUMS))) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches()
                        && backup.resolve(matcher.group(2)).normalize().startsWith(backup)) {
                    files.put(matcher.group(2), matcher.group(1));
                } else if (!line.startsWith("#")) {
                    throw new PostgresException(
                            "The file " + backup.resolve(CHECKSUMS) + " contains an invalid line: " + line);
                }
            }
            return files;
        } catch (NoSuchFileException missing) {
            throw new PostgresException(
                    "The directory " + backup + " does not contain a complete backup: " + CHECKSUMS + " is missing.");
        } catch (IOException e) {
            throw new PostgresException("The backup " + backup + " cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Copies a stream to a new file (0600).
     *
     * @return its SHA-256 checksum in hexadecimal
     */
    static String sync(InputStream in, Path file) throws IOException {
        return new BackupFiles(file).write(in, file);
    }

    private String write(InputStream in, Path file) throws IOException {
        DataDirectory.createDirectory(Objects.requireNonNull(file.getParent()));
        HashingInputStream hashing = new HashingInputStream(Hashing.sha256(), in);
        try (FileChannel out = DataDirectory.openFile(file)) {
            bytes += hashing.transferTo(Channels.newOutputStream(out));
            out.force(true);
        }
        return hashing.hash().toString();
    }

    /** The entries of a directory, sorted; empty if it does not exist. */
    static List<Path> list(Path directory) throws IOException {
        try {
            return ImmutableList.sortedCopyOf(MoreFiles.listFiles(directory));
        } catch (NoSuchFileException dropped) {
            return List.of();
        }
    }

    static void syncDirectories(Path root) throws IOException {
        for (Path entry : list(root)) {
            if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                syncDirectories(entry);
            }
        }
        DataDirectory.syncDirectory(root);
    }
}

package dev.plumbline.postgres.embedded;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The data directory: accessible to its owner only (0700, files 0600), locked by one process. */
public record DataDirectory(Path path, LockFile lockFile) implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final int SECRET_BYTES = 24;

    /**
     * Creates the directory if it is missing, sets its permissions and locks it.
     *
     * @throws PostgresException if it is not writable or another process holds the lock
     */
    public static DataDirectory lock(Path dir) {
        DataDirectory directory = tryLock(dir);
        if (directory == null) {
            throw new PostgresException("The data directory "
                    + dir.toAbsolutePath().normalize()
                    + " is in use by another running process.");
        }
        return directory;
    }

    /**
     * Like {@link #lock}.
     *
     * @return null if another process holds the lock
     * @throws PostgresException if it is not writable
     */
    public static @Nullable DataDirectory tryLock(Path dir) {
        Path path = dir.toAbsolutePath().normalize();
        LockFile lock = LockFile.open(path, "lock");
        if (lock.tryLock()) {
            return new DataDirectory(path, lock);
        }
        lock.close();
        return null;
    }

    /** Opens a file for writing; creates it with mode 0600 if it is missing. */
    public static FileChannel openFile(Path file) throws IOException {
        return FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownerOnly(OWNER_FILE));
    }

    private static FileAttribute<Set<PosixFilePermission>> ownerOnly(Set<PosixFilePermission> mode) {
        return PosixFilePermissions.asFileAttribute(mode);
    }

    public static PostgresException unwritable(Path path, IOException e) {
        return new PostgresException("The data directory " + path + " is not writable: " + reason(e) + ".", e);
    }

    private static String reason(IOException e) {
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof java.nio.file.FileAlreadyExistsException) {
            return "a file with this name exists";
        }
        if (e instanceof java.nio.file.FileSystemException f && f.getReason() != null) {
            return f.getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Creates a directory and its missing parents with mode 0700. */
    public static void createDirectory(Path path) throws IOException {
        Files.createDirectories(path, ownerOnly(OWNER_ONLY));
        if (!Files.getPosixFilePermissions(path).equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(path, OWNER_ONLY);
        }
    }

    /** Returns null if the file does not exist. */
    private static @Nullable String readSecret(Path file) {
        try {
            String existing = Files.readString(file).strip();
            if (!existing.isEmpty()) {
                return existing;
            }
            throw new PostgresException("The file " + file + " is empty. It must contain a secret.");
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw new PostgresException("The file " + file + " cannot be read: " + reason(e) + ".", e);
        }
    }

    /**
     * Reads or creates a secret in a file: 192 random bits in hexadecimal. Concurrent processes get the same secret.
     *
     * @throws PostgresException if it can neither be read nor written
     */
    public static String sharedSecret(Path dir, String name) {
        Path directory = dir.toAbsolutePath().normalize();
        Path file = directory.resolve(name);
        String existing = readSecret(file);
        if (existing != null) {
            return existing;
        }
        String secret = randomHex(SECRET_BYTES);
        Path temporary = directory.resolve(name + "." + randomHex(8));
        try {
            createDirectory(directory);
            writeDurably(temporary, secret + "\n");
            try {
                // atomic, and fails if the file exists
                Files.createLink(file, temporary);
                syncDirectory(directory);
                return secret;
            } catch (java.nio.file.FileAlreadyExistsException concurrent) {
                return Objects.requireNonNull(readSecret(file));
            } finally {
                Files.delete(temporary);
            }
        } catch (IOException e) {
            throw unwritable(directory, e);
        }
    }

    private static String randomHex(int bytes) {
        byte[] random = new byte[bytes];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Writes a file (0600) atomically. */
    public static void write(Path file, String content) {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(fresh);
            writeDurably(fresh, content);
            rename(fresh, file);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private static void writeDurably(Path file, String content) throws IOException {
        try (FileChannel channel = openFile(file)) {
            Channels.newOutputStream(channel).write(content.getBytes(StandardCharsets.UTF_8));
            channel.force(true);
        }
    }

    /** Renames atomically and durably. */
    public static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the file system does not support atomic renames", e);
        }
        syncDirectory(Objects.requireNonNull(to.getParent()));
    }

    /** Writes the entries of a directory to the disk. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Deletes a file, or a directory with its content, if it exists. */
    public static void deleteTree(Path root) throws IOException {
        if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    @Override
    public void close() {
        lockFile.close();
    }
}

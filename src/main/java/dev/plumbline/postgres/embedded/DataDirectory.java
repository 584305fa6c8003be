package dev.plumbline.postgres.embedded;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The data directory: accessible to its owner only (0700, files 0600), locked by one process. */
public final class DataDirectory implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final int SECRET_BYTES = 24;

    private final Path path;
    private final FileChannel lockFile;

    private DataDirectory(Path path, FileChannel lockFile) {
        this.path = path;
        this.lockFile = lockFile;
    }

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
        try {
            createDirectory(path);
            Path lock = path.resolve("lock");
            if (Files.notExists(lock)) {
                createFile(lock);
            }
            FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
            if (!tryLock(channel)) {
                channel.close();
                return null;
            }
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    /** Creates an empty file with mode 0600. */
    public static void createFile(Path file) throws IOException {
        try {
            Files.createFile(file, ownerOnly(OWNER_FILE));
        } catch (java.nio.file.FileAlreadyExistsException concurrent) {
            Files.setPosixFilePermissions(file, OWNER_FILE);
        }
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

    public Path path() {
        return path;
    }

    /** Creates a directory with mode 0700 and its parents. */
    public static void createDirectory(Path path) throws IOException {
        Files.createDirectories(path, ownerOnly(OWNER_ONLY));
        if (!Files.getPosixFilePermissions(path).equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(path, OWNER_ONLY);
        }
    }

    /**
     * Reads or creates a secret in a file: 192 random bits in hexadecimal.
     *
     * @throws PostgresException if it can neither be read nor written
     */
    public String secret(String name) {
        Path file = path.resolve(name);
        String existing = readSecret(file);
        if (existing != null) {
            return existing;
        }
        String secret = randomHex(SECRET_BYTES);
        write(file, secret + "\n");
        return secret;
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
     * Like {@link #secret(String)}, for a directory without lock: concurrent processes get the same secret.
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
            createFile(temporary);
            Files.writeString(temporary, secret + "\n");
            sync(temporary);
            try {
                // atomic, and fails if the file exists
                Files.createLink(file, temporary);
                sync(directory);
                return secret;
            } catch (java.nio.file.FileAlreadyExistsException concurrent) {
                return java.util.Objects.requireNonNull(readSecret(file));
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
            createFile(fresh);
            Files.writeString(fresh, content);
            sync(fresh);
            rename(fresh, file);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    /** Renames atomically and durably. */
    public static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the file system does not support atomic renames", e);
        }
        Path parent = to.getParent();
        if (parent != null) {
            sync(parent);
        }
    }

    private static void sync(Path path) throws IOException {
        StandardOpenOption mode = Files.isDirectory(path) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(path, mode)) {
            channel.force(true);
        }
    }

    public static void deleteTree(Path root) throws IOException {
        if (Files.exists(root)) {
            MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException ignored) {
            // the lock ends with the process
        }
    }
}

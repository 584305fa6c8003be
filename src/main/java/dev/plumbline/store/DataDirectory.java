package dev.plumbline.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder where the service keeps what must outlive it. Nobody but its owner may look inside
 * (0700; files 0600), and one process at a time may hold it.
 */
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
     * Makes the folder where it is missing, closes it to others and takes it for this process.
     *
     * @throws StoreException if it cannot be written or another process holds it
     */
    public static DataDirectory take(Path dir) {
        DataDirectory taken = takeIfFree(dir);
        if (taken == null) {
            throw new StoreException("The data directory "
                    + dir.toAbsolutePath().normalize()
                    + " is in use by another running process.");
        }
        return taken;
    }

    /**
     * As {@link #take}.
     *
     * @return null if another process holds it
     * @throws StoreException if it cannot be written
     */
    static @Nullable DataDirectory takeIfFree(Path dir) {
        Path path = dir.toAbsolutePath().normalize();
        try {
            folder(path);
            Path lock = path.resolve("lock");
            if (Files.notExists(lock)) {
                createFile(lock);
            }
            FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
            if (!locked(channel)) {
                channel.close();
                return null;
            }
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    /** An empty file that only its owner can read. */
    static void createFile(Path file) throws IOException {
        try {
            Files.createFile(file, ownerOnly(OWNER_FILE));
        } catch (java.nio.file.FileAlreadyExistsException madeMeanwhile) {
            Files.setPosixFilePermissions(file, OWNER_FILE);
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> ownerOnly(Set<PosixFilePermission> mode) {
        return PosixFilePermissions.asFileAttribute(mode);
    }

    static StoreException unwritable(Path path, IOException e) {
        return new StoreException("The data directory " + path + " cannot be written: " + reason(e) + ".", e);
    }

    private static String reason(IOException e) {
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof java.nio.file.FileAlreadyExistsException) {
            return "a file is in its place";
        }
        if (e instanceof java.nio.file.FileSystemException f && f.getReason() != null) {
            return f.getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    public Path path() {
        return path;
    }

    /** Makes a folder that only its owner can enter, with its parents. */
    static void folder(Path path) throws IOException {
        Files.createDirectories(path, ownerOnly(OWNER_ONLY));
        if (!Files.getPosixFilePermissions(path).equals(OWNER_ONLY)) {
            Files.setPosixFilePermissions(path, OWNER_ONLY);
        }
    }

    /**
     * A generated secret that is kept in a file of that name: hexadecimal, 192 bits.
     *
     * @throws StoreException if it can neither be read nor written
     */
    public String secret(String name) {
        Path file = path.resolve(name);
        String kept = readSecret(file);
        if (kept != null) {
            return kept;
        }
        String secret = randomHex(SECRET_BYTES);
        write(file, secret + "\n");
        return secret;
    }

    /** Null if there is no such file. */
    private static @Nullable String readSecret(Path file) {
        try {
            String kept = Files.readString(file).strip();
            if (!kept.isEmpty()) {
                return kept;
            }
            throw new StoreException("The file " + file + " is empty; it should hold a secret.");
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw new StoreException("The file " + file + " cannot be read: " + reason(e) + ".", e);
        }
    }

    /**
     * As {@link #secret(String)}, for a folder that other processes may use at the same time: of
     * several that make the secret at once, all get the same.
     *
     * @throws StoreException if it can neither be read nor written
     */
    public static String sharedSecret(Path dir, String name) {
        Path folder = dir.toAbsolutePath().normalize();
        Path file = folder.resolve(name);
        String kept = readSecret(file);
        if (kept != null) {
            return kept;
        }
        String secret = randomHex(SECRET_BYTES);
        Path own = folder.resolve(name + "." + randomHex(8));
        try {
            folder(folder);
            createFile(own);
            Files.writeString(own, secret + "\n");
            sync(own);
            try {
                // whole or not at all, and never in another's place
                Files.createLink(file, own);
                sync(folder);
                return secret;
            } catch (java.nio.file.FileAlreadyExistsException madeMeanwhile) {
                return java.util.Objects.requireNonNull(readSecret(file));
            } finally {
                Files.delete(own);
            }
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
    }

    private static String randomHex(int bytes) {
        byte[] random = new byte[bytes];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Writes a file (0600) that is afterwards either the old or the new one, never half. */
    static void write(Path file, String content) {
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

    /** Renames, so that the new name survives a power cut. */
    static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("its file system cannot rename atomically", e);
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
        if (Files.notExists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Gives the folder free for the next process. */
    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException ignored) {
            // the lock goes with the process at the latest
        }
    }
}

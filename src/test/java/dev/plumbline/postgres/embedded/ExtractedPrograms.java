package dev.plumbline.postgres.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/**
 * The PostgreSQL programs in the build directory, for tests that do not test their extraction, which takes two seconds
 * of CPU time for each new data directory. The first test extracts them; other JVMs wait for it.
 */
public final class ExtractedPrograms {
    private static final Path PROGRAMS = extract();

    private ExtractedPrograms() {}

    private static Path extract() {
        Path home = Path.of("target", "postgres").toAbsolutePath();
        try {
            DataDirectory.createDirectory(home);
            try (FileChannel channel = DataDirectory.openFile(home.resolve("lock"));
                    FileLock lock = channel.lock()) {
                if (!lock.isValid()) {
                    throw new IOException("no lock of " + home);
                }
                return PostgresBinaries.unpack(home);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Adds hard links of the programs to a data directory, so that a service does not extract them.
     *
     * @param data created if it is missing; unchanged if it has programs
     */
    public static void linkInto(Path data) {
        Path programs = data.toAbsolutePath().resolve("postgres").resolve(PROGRAMS.getFileName());
        if (Files.exists(programs)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(PROGRAMS)) {
            for (Path from : tree.toList()) {
                link(from, programs.resolve(PROGRAMS.relativize(from)));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void link(Path from, Path to) throws IOException {
        if (Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)) {
            DataDirectory.createDirectory(to);
            return;
        }
        try {
            Files.createLink(to, from);
        } catch (FileSystemException otherFileSystem) {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
        }
    }
}

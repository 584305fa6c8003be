package dev.plumbline.support;

import dev.plumbline.e2e.process.ServiceProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An archive of the jar's loaded classes (class data sharing) next to the jar. Each start with it takes a third of the
 * CPU time. The first test of a build that needs it starts the service once to create it; other JVMs wait for it.
 */
public final class ClassArchive {
    private static final Path FILE = create();

    private ClassArchive() {}

    public static Path path() {
        return FILE;
    }

    private static Path create() {
        Path jar = ServiceProcess.JAR;
        try {
            // The JVM refuses an archive of another version of the jar.
            String name = "classes-" + Files.getLastModifiedTime(jar).toMillis() + ".jsa";
            Path archive = jar.resolveSibling(name);
            try (FileChannel channel = FileChannel.open(
                            jar.resolveSibling("classes.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (lock.isValid() && !Files.exists(archive)) {
                    dump(archive);
                }
            }
            return archive;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private static void dump(Path archive) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(archive.getParent(), "classes");
        Path dumped = folder.resolve("classes.jsa");
        try (ServiceProcess service = ServiceProcess.launch(folder, Map.of(), "-XX:ArchiveClassesAtExit=" + dumped)) {
            service.awaitReady().terminate();
            service.awaitExit(60);
        }
        Files.move(dumped, archive, StandardCopyOption.ATOMIC_MOVE);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

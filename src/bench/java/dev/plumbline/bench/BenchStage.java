package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that rows share: a temporary folder, the load generator and the servers, each started
 * when it is first wanted and all stopped at the end.
 */
final class BenchStage implements AutoCloseable {
    /** Long enough that the work of the start is over and a collector may have given back memory. */
    private static final long SETTLE_MS = 3_000;

    private final BenchOptions options;
    private final Path folder;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private @Nullable Wrk wrk;
    private @Nullable NginxTarget nginx;
    private @Nullable Blackbox blackbox;
    private @Nullable ServiceUnderLoad service;
    private @Nullable TargetNames names;
    private @Nullable ServiceUnderLoad resolving;
    private @Nullable Backlog backlog;
    private long idleKib;
    private boolean loaded;

    BenchStage(BenchOptions options) throws IOException {
        this.options = options;
        // nginx's workers may be another user, who must reach what is served
        this.folder = Files.createTempDirectory(
                "plumbline-bench", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }

    BenchOptions options() {
        return options;
    }

    Path folder() {
        return folder;
    }

    Wrk wrk() throws IOException {
        if (wrk == null) {
            wrk = new Wrk(folder);
        }
        return wrk;
    }

    NginxTarget nginx() throws IOException, InterruptedException {
        if (nginx == null) {
            nginx = opened(NginxTarget.start(folder));
        }
        return nginx;
    }

    Blackbox blackbox() throws IOException, InterruptedException {
        if (blackbox == null) {
            blackbox = opened(Blackbox.start(folder));
        }
        return blackbox;
    }

    /** The service; nginx runs before it, because its root must be known at the start. */
    ServiceUnderLoad service() throws IOException, InterruptedException {
        if (service == null) {
            String root = nginx().certificate().toString();
            service = opened(ServiceUnderLoad.start(
                    options, folder, folder.resolve("data"), Map.of("PLUMBLINE_TLS_EXTRA_ROOTS", root)));
            Thread.sleep(SETTLE_MS);
            idleKib = service.process().residentKib();
        }
        return service;
    }

    TargetNames names() throws IOException {
        if (names == null) {
            names = opened(TargetNames.start(folder));
        }
        return names;
    }

    /** A service that asks our own name server. */
    ServiceUnderLoad resolving() throws IOException, InterruptedException {
        if (resolving == null) {
            resolving = opened(another(
                    "resolving",
                    Map.of(
                            "PLUMBLINE_TLS_EXTRA_ROOTS",
                            nginx().certificate().toString(),
                            "PLUMBLINE_DNS_SERVERS",
                            names().address())));
        }
        return resolving;
    }

    /** Another service, with an empty database, for a row that leaves much behind; to be closed. */
    ServiceUnderLoad another(String name, Map<String, String> settings) throws IOException, InterruptedException {
        return ServiceUnderLoad.start(options, folder, folder.resolve(name), settings);
    }

    /** The service with a million lines waiting. */
    Backlog backlog() throws IOException, InterruptedException {
        if (backlog == null) {
            String site = nginx().site(false);
            backlog = new Backlog(opened(another("backlog", Map.of())), site);
        }
        return backlog;
    }

    /** What the service took of memory, in KiB, when it had started and nobody had asked anything. */
    long idleKib() throws IOException, InterruptedException {
        service();
        return idleKib;
    }

    /** Whether a row has put load on the service. */
    boolean loaded() {
        return loaded;
    }

    void setLoaded() {
        loaded = true;
    }

    /** Has something closed at the end. */
    synchronized <T extends AutoCloseable> T opened(T resource) {
        started.push(resource);
        return resource;
    }

    @Override
    public synchronized void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception failed) {
                System.err.println("could not stop: " + failed);
            }
        }
        try {
            deleteAll(folder);
        } catch (IOException left) {
            System.err.println("could not delete " + folder + ": " + left);
        }
    }

    private static void deleteAll(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failed) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}

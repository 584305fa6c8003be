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
 * The shared resources of the rows: a temporary folder, the load generator and the servers. Each server starts when a
 * row first uses it. {@link #close()} stops all of them.
 */
final class BenchStage implements AutoCloseable {
    /** Time until the start is complete and the JVM has returned memory, which it does every 10 s. */
    private static final long SETTLE_MS = 25_000;

    private final BenchOptions options;
    private final Path folder;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private @Nullable Wrk wrk;
    private @Nullable NginxTarget nginx;
    private @Nullable MlkemTarget mlkem;
    private @Nullable LocalServers servers;
    private @Nullable Blackbox blackbox;
    private @Nullable ServiceUnderLoad service;
    private @Nullable TargetNames names;
    private @Nullable ServiceUnderLoad resolving;
    private @Nullable ServiceUnderLoad baseline;
    private @Nullable Backlog backlog;
    private long idleKib;
    private boolean loaded;

    BenchStage(BenchOptions options) throws IOException {
        this.options = options;
        // the nginx workers can run as another user and must be able to read the files
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

    MlkemTarget mlkem() throws IOException, InterruptedException {
        if (mlkem == null) {
            mlkem = opened(MlkemTarget.start(folder, nginx()));
        }
        return mlkem;
    }

    /** The servers in this process, with the certificate of nginx. */
    LocalServers servers() throws IOException, InterruptedException {
        if (servers == null) {
            servers = opened(
                    LocalServers.start(nginx().echoPort(), nginx().certificate().getParent()));
        }
        return servers;
    }

    Blackbox blackbox() throws IOException, InterruptedException {
        if (blackbox == null) {
            blackbox = opened(Blackbox.start(folder));
        }
        return blackbox;
    }

    /** The service. nginx starts first, because the service needs its root certificate at the start. */
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

    TargetNames names() throws IOException, InterruptedException {
        if (names == null) {
            names = opened(TargetNames.start(folder, nginx().leaf()));
        }
        return names;
    }

    /** A service that queries the nameserver and the RDAP server of the benchmark. */
    ServiceUnderLoad resolving() throws IOException, InterruptedException {
        if (resolving == null) {
            resolving = resolving(options, "resolving");
        }
        return resolving;
    }

    /** As {@link #resolving()}, from the jar of the baseline. */
    ServiceUnderLoad baseline() throws IOException, InterruptedException {
        if (baseline == null) {
            baseline = resolving(options.ofBaseline(), "baseline");
        }
        return baseline;
    }

    /** As {@link #resolving()}, a new process that the caller closes. */
    ServiceUnderLoad anotherResolving(String name) throws IOException, InterruptedException {
        return startResolving(options, name);
    }

    private ServiceUnderLoad resolving(BenchOptions build, String name) throws IOException, InterruptedException {
        return opened(startResolving(build, name));
    }

    private ServiceUnderLoad startResolving(BenchOptions build, String name) throws IOException, InterruptedException {
        Path bootstrap =
                SiteFiles.writeBootstrap(Files.createDirectory(folder.resolve("rdap-" + name)), nginx().site(false));
        Map<String, String> settings = Map.of(
                "PLUMBLINE_TLS_EXTRA_ROOTS",
                nginx().certificate().toString(),
                "PLUMBLINE_TARGETS_ALLOW",
                "127.0.0.0/8,::1",
                "PLUMBLINE_DNS_SERVERS",
                names().address(),
                "PLUMBLINE_DNS_TRUST_ANCHORS",
                names().trustAnchor(),
                "PLUMBLINE_DNS_PROPAGATION",
                names().resolvers(),
                "PLUMBLINE_DNSBL_ZONES",
                TargetNames.BLOCKLIST,
                "PLUMBLINE_RDAP_BOOTSTRAP",
                bootstrap.toString(),
                "PLUMBLINE_REGISTRIES_PER_SERVER_PER_SECOND",
                "0",
                "PLUMBLINE_REGISTRIES_PER_SERVER_CONCURRENT",
                "0");
        return ServiceUnderLoad.start(build, folder, folder.resolve(name), settings);
    }

    /** Starts another service with an empty database. The caller closes it. */
    ServiceUnderLoad another(String name, Map<String, String> settings) throws IOException, InterruptedException {
        return ServiceUnderLoad.start(options, folder, folder.resolve(name), settings);
    }

    /** The service with a million waiting lines. */
    Backlog backlog() throws IOException, InterruptedException {
        if (backlog == null) {
            String site = nginx().site(false);
            backlog = new Backlog(opened(another("backlog", Map.of())), site);
        }
        return backlog;
    }

    /** Resident memory of the service after the start and before the first request, in KiB. */
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

    /** Registers a resource that {@link #close()} closes. */
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

package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;

/**
 * The nodes of a cluster, each a process of the jar on loopback, with one database. A node keeps its ports and its
 * folder when it is started again. As an extension, it prints the logs of the nodes if a test fails.
 */
final class ClusterProcesses
        implements AutoCloseable, AfterTestExecutionCallback, LifecycleMethodExecutionExceptionHandler {
    /** Start of a JVM on a loaded machine, and joining the others. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Shorter than the default, but longer than the pauses of a loaded machine. */
    static final Duration LEASE = Duration.ofSeconds(10);

    /** Lease, two renewals until expired nodes are detected, and the remaining checks. */
    static final Duration RECOVERY = LEASE.multipliedBy(3).dividedBy(2).plusSeconds(20);

    /** The first event of a member. */
    private static final String JOINED = "cluster changed";

    private static final int LOG_LINES = 2_000;

    private final Map<String, Map<String, String>> settings = new LinkedHashMap<>();
    private final Map<String, List<String>> launchers = new HashMap<>();
    private final Map<String, ServiceProcess> running = new LinkedHashMap<>();
    private final Map<String, String> common = new HashMap<>();
    private Path folder = Path.of(".");

    /** @param parent the parent of the working directories of the nodes */
    void open(Path parent, String databaseUrl) {
        folder = parent;
        common.put("DATABASE_URL", databaseUrl);
        common.put("SESSION_SECRET", "a secret for the nodes of this cluster only");
        common.put("CLUSTER_ENABLED", "true");
        // includes the log of Hazelcast
        common.put("LOG_LEVEL", "debug");
        // prevents database timeouts on a loaded machine, and stays below the connections of the embedded server
        common.put("DATABASE_TIMEOUT", "5s");
        common.put("DATABASE_POOL_SIZE", "4");
        common.put("NODE_LEASE", LEASE.toSeconds() + "s");
        common.put("LIMITS_FRESH_PER_HOUR", "0");
        common.put("TARGETS_PER_IP_PER_SECOND", "0");
        common.put("TARGETS_PER_IP_CONCURRENT", "0");
    }

    /** Changes a setting of all nodes that are added later. */
    ClusterProcesses set(String setting, String value) {
        common.put(setting, value);
        return this;
    }

    /** Adds a node on 127.0.0.1 without starting it. */
    ClusterProcesses add(String name, String roles) {
        return add(name, roles, "127.0.0.1", List.of());
    }

    /**
     * Adds a node without starting it.
     *
     * @param host the address of all its listening sockets
     * @param launcher a program that starts the JVM; empty for none
     */
    ClusterProcesses add(String name, String roles, String host, List<String> launcher) {
        Map<String, String> own = new HashMap<>(common);
        own.put("NODE_ROLES", roles);
        own.put("CLUSTER_HOST", host);
        own.put("CLUSTER_PORT", "" + FreePorts.nextPair());
        own.put("HTTP_HOST", host);
        own.put("HTTP_PORT", "" + FreePorts.next());
        own.put("MANAGEMENT_HOST", host);
        own.put("MANAGEMENT_PORT", "" + FreePorts.next());
        settings.put(name, own);
        launchers.put(name, launcher);
        return this;
    }

    /** The settings of one node, which can be changed before its start. */
    Map<String, String> settings(String name) {
        return settings.get(name);
    }

    int port(String name, String setting) {
        return Integer.parseInt(settings.get(name).get(setting));
    }

    /** The number of the role's nodes that are running. */
    private long count(String role) {
        return running.keySet().stream()
                .filter(name ->
                        List.of(settings.get(name).get("NODE_ROLES").split(",")).contains(role))
                .count();
    }

    /** Starts nodes and waits until they are ready and know each other. */
    void start(String... names) throws IOException {
        for (String name : names) {
            ServiceProcess process = launch(name);
            // one at a time while the JVM is cold, which takes most of the CPU time of a start
            Await.until(() -> log(name).contains(JOINED) || !process.isAlive());
        }
        for (String name : names) {
            node(name).awaitReady();
        }
        awaitComplete();
    }

    /** Starts a node without waiting. */
    ServiceProcess launch(String name) throws IOException {
        Path own = Files.createDirectories(folder.resolve(name));
        List<String> launcher = launchers.get(name);
        ServiceProcess process = launcher.isEmpty()
                ? ServiceProcess.launch(own, settings.get(name))
                : ServiceProcess.launchBy(launcher, own, settings.get(name));
        running.put(name, process);
        return process;
    }

    ServiceProcess node(String name) {
        return running.get(name);
    }

    String address(String name) {
        return running.get(name).address();
    }

    /** Kills a node with SIGKILL. */
    void kill(String name) throws InterruptedException {
        ServiceProcess process = running.remove(name);
        process.kill();
        process.awaitExit(10);
    }

    /** Stops a node with SIGTERM and waits for its end. */
    void stop(String name) throws InterruptedException {
        ServiceProcess process = running.remove(name);
        process.terminate();
        assertThat(process.awaitExit(60)).isZero();
    }

    /** Waits until each running node is ready, knows all running nodes and routes checks to all run nodes. */
    void awaitComplete() {
        awaitComplete(TIMEOUT);
    }

    void awaitComplete(Duration within) {
        running.keySet().forEach(name -> awaitComplete(name, within));
    }

    private void awaitComplete(String name, Duration within) {
        long end = System.nanoTime() + within.toNanos();
        String state = state(name);
        while (!state.isEmpty()) {
            assertThat(System.nanoTime())
                    .as(name + " within " + within + ": " + state)
                    .isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            state = state(name);
        }
    }

    /** What is missing at a node; empty if nothing is missing. */
    private String state(String name) {
        try {
            var ready = node(name).ready();
            if (ready.statusCode() != 200 || !"up".equals(new JsonObject(ready.body()).getString("cluster"))) {
                return "ready " + ready.statusCode() + " " + ready.body();
            }
            String metrics = node(name).metrics().body();
            for (String role : List.of("http", "run", "coordinate")) {
                double seen = valueOf(metrics, "plumbline_cluster_nodes{role=\"" + role + "\"}");
                if (seen != count(role)) {
                    return role + " nodes " + seen;
                }
            }
            double members = valueOf(metrics, "plumbline_cluster_members");
            return members == running.size() ? "" : "members " + members;
        } catch (AssertionError noResponse) {
            return noResponse.getMessage();
        }
    }

    /** The value of a metric at a node; labels in the order of the text; -1 if it is missing. */
    double metric(String name, String metric) {
        return valueOf(node(name).metrics().body(), metric);
    }

    private static double valueOf(String metrics, String metric) {
        return metrics.lines()
                .filter(line -> line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    /** The sum of the values of a metric at a node over all its labels. */
    double sum(String name, String metric) {
        return node(name)
                .metrics()
                .body()
                .lines()
                .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** The log of a node, also after its end. */
    String log(String name) {
        Path log = folder.resolve(name).resolve("stderr.log");
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Stops all nodes at the same time. */
    @Override
    public void close() throws IOException, InterruptedException {
        List<ServiceProcess> all = new ArrayList<>(running.values());
        running.clear();
        for (ServiceProcess process : all) {
            if (process.isAlive()) {
                process.resume();
                process.terminate();
            }
        }
        for (ServiceProcess process : all) {
            process.close();
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        context.getExecutionException().ifPresent(this::printLogs);
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        printLogs(failure);
        throw failure;
    }

    private void printLogs(Throwable failure) {
        for (String name : settings.keySet()) {
            List<String> lines = log(name).lines().toList();
            System.err.println("log of node " + name + " after " + failure);
            lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()).forEach(System.err::println);
        }
    }
}

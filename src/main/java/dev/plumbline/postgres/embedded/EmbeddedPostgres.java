package dev.plumbline.postgres.embedded;

import com.google.common.util.concurrent.Uninterruptibles;
import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server in the data directory, on the loopback interface, with a password. A supervisor restarts it on
 * the same port. All methods block.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    /** Maximum number of connections of the service. */
    public static final int CONNECTIONS = 40;

    private static final int PORT_ATTEMPTS = 5;
    // Below the ephemeral port range, so that the port stays free during a restart.
    private static final int FIRST_PORT = 15_000;
    private static final int LAST_PORT = 30_000;
    private static final long POLL_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 5_000;
    private static final int POLLS_PER_TRIM = 1_200;

    private final DataDirectory data;
    private final PostgresCluster cluster;
    private final int port;
    private final Thread supervisor;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile Postmaster postmaster;

    private EmbeddedPostgres(DataDirectory data, PostgresCluster cluster, int port, Postmaster postmaster) {
        this.data = data;
        this.cluster = cluster;
        this.port = port;
        this.postmaster = postmaster;
        this.supervisor = new Thread(this::supervise, "embedded-postgres");
        supervisor.setDaemon(true);
    }

    /**
     * Starts the server; creates the database if it is missing and stops a server that a crashed process left behind.
     *
     * @throws PostgresException if it cannot be started
     */
    public static EmbeddedPostgres start(Path dataDir) {
        return start(DataDirectory.lock(dataDir));
    }

    /** Like {@link #start(Path)}; takes ownership of the directory lock. */
    public static EmbeddedPostgres start(DataDirectory data) {
        try {
            PostgresCluster cluster = PostgresCluster.open(data);
            cluster.stop();
            cluster.rotateLog();
            EmbeddedPostgres embedded = startOnFreePort(data, cluster);
            embedded.supervisor.start();
            return embedded;
        } catch (RuntimeException e) {
            data.close();
            throw e;
        }
    }

    private static EmbeddedPostgres startOnFreePort(DataDirectory data, PostgresCluster cluster) {
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            try {
                return new EmbeddedPostgres(data, cluster, port, cluster.start(port));
            } catch (PostgresException e) {
                if (attempt == PORT_ATTEMPTS || isFree(port)) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() {
        return ThreadLocalRandom.current()
                .ints(1_000, FIRST_PORT, LAST_PORT)
                .filter(EmbeddedPostgres::isFree)
                .findFirst()
                .orElseThrow(() -> new PostgresException("No free port is available for the embedded database."));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The connection URL with password; constant until {@link #stop}. */
    public String url() {
        return cluster.url(port);
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    public String superuserUrl(String database) {
        return cluster.superuserUrl(port, database);
    }

    /** Whether the server runs, or starts and recovers after a crash. It may not accept connections yet. */
    public boolean running() {
        return !isStopped() && cluster.running().isPresent();
    }

    long postmasterPid() {
        return postmaster.pid();
    }

    private void supervise() {
        long pause = 0;
        try {
            for (long poll = 1; !stopped.await(POLL_MILLIS + pause, TimeUnit.MILLISECONDS); poll++) {
                if (poll % POLLS_PER_TRIM == 0) {
                    cluster.rotateLog();
                }
                pause = postmaster.alive() ? 0 : restart(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    // without a lock: a start can take minutes and must not delay a stop
    private long restart(long lastPause) {
        if (lastPause == 0) {
            LOG.warn("embedded database terminated");
        }
        try {
            postmaster = cluster.start(port);
            LOG.atInfo().addKeyValue("port", port).log("embedded database restarted");
            return 0;
        } catch (PostgresException e) {
            LOG.atWarn().addKeyValue("cause", e.getMessage()).log("embedded database restart failed");
            return Math.min(MAX_PAUSE_MILLIS, 50 + 2 * lastPause);
        }
    }

    /** Stops the server and releases the data directory. */
    public synchronized void stop() {
        if (isStopped()) {
            return;
        }
        stopped.countDown();
        stopSupervisor();
        cluster.stop();
        data.close();
    }

    // A start in progress is cancelled by terminating its server, until the supervisor has ended; otherwise a server
    // could remain.
    private void stopSupervisor() {
        while (supervisor.isAlive()) {
            Postmaster supervised = postmaster;
            cluster.running().filter(started -> !started.equals(supervised)).ifPresent(Postmaster::terminate);
            Uninterruptibles.joinUninterruptibly(supervisor, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Releases the data directory without stopping the server, for tests of a crash. */
    synchronized void abandon() {
        stopped.countDown();
        data.close();
    }

    @Override
    public void close() {
        stop();
    }
}

package dev.plumbline.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL of our own in the data directory: real programs, durable, behind a password and on
 * the loopback interface only. It is started again whenever it dies, on the same port, until it is
 * stopped. All methods block.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);

    /** How many connections the service may open to it. */
    public static final int CONNECTIONS = 40;

    private static final int PORT_ATTEMPTS = 5;
    // Below the range that kernels give to outgoing connections: while the server is restarted,
    // nobody takes its port by accident.
    private static final int FIRST_PORT = 15_000;
    private static final int LAST_PORT = 30_000;
    private static final long LOOK_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;
    private static final int LOOKS_PER_TRIM = 1_200;

    private final DataDirectory data;
    private final PostgresCluster cluster;
    private final int port;
    private final Thread supervisor;
    private final Object resting = new Object();
    private volatile Postmaster postmaster;
    private volatile boolean stopped;

    private EmbeddedPostgres(DataDirectory data, PostgresCluster cluster, int port, Postmaster postmaster) {
        this.data = data;
        this.cluster = cluster;
        this.port = port;
        this.postmaster = postmaster;
        this.supervisor = new Thread(this::supervise, "embedded-postgres");
        supervisor.setDaemon(true);
    }

    /**
     * Starts the database that lives in that folder, after making it if it is new. A server that an
     * earlier, crashed run left behind is stopped first.
     *
     * @throws StoreException if it cannot be started, saying why in a sentence
     */
    public static EmbeddedPostgres start(Path dataDir) {
        return start(DataDirectory.take(dataDir));
    }

    /** As {@link #start(Path)}, in a folder that was taken for it and goes with it. */
    static EmbeddedPostgres start(DataDirectory data) {
        try {
            PostgresCluster cluster = PostgresCluster.open(data);
            cluster.stop();
            cluster.trimLog();
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
            } catch (StoreException e) {
                if (attempt == PORT_ATTEMPTS || isFree(port)) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new StoreException("No free port was found for the embedded database.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** Where the service connects to, password included; the same until {@link #stop}. */
    public String url() {
        return cluster.url(port);
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** For those who look after the database itself. */
    public String superuserUrl(String database) {
        return cluster.superuserUrl(port, database);
    }

    Path clusterFolder() {
        return cluster.folder();
    }

    long postmasterPid() {
        return postmaster.pid();
    }

    private void supervise() {
        long pause = 0;
        try {
            for (long look = 1; ; look++) {
                rest(LOOK_MILLIS + pause);
                if (stopped) {
                    return;
                }
                if (look % LOOKS_PER_TRIM == 0) {
                    cluster.trimLog();
                }
                pause = postmaster.alive() ? 0 : startAgain(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void rest(long millis) throws InterruptedException {
        synchronized (resting) {
            if (!stopped) {
                resting.wait(millis);
            }
        }
    }

    private void endRest() {
        synchronized (resting) {
            stopped = true;
            resting.notifyAll();
        }
    }

    // Holds no lock: a start may take minutes, and a stop does not wait for it.
    private long startAgain(long lastPause) {
        if (lastPause == 0) {
            LOG.warn("embedded database terminated");
        }
        try {
            postmaster = cluster.start(port);
            LOG.atInfo().addKeyValue("port", port).log("embedded database restarted");
            return 0;
        } catch (StoreException e) {
            LOG.atWarn().addKeyValue("cause", e.getMessage()).log("embedded database restart failed");
            return Math.min(LONGEST_PAUSE_MILLIS, 50 + 2 * lastPause);
        }
    }

    /** Stops the server, leaving no process behind, and gives the data directory free. */
    public synchronized void stop() {
        if (stopped) {
            return;
        }
        endRest();
        endSupervision();
        cluster.stop();
        data.close();
    }

    // A start that is under way is broken off by taking its server away, as often as it takes: only
    // when nobody can start one any more is there no orphan.
    private void endSupervision() {
        boolean interrupted = false;
        while (supervisor.isAlive() && Thread.currentThread() != supervisor) {
            Postmaster supervised = postmaster;
            cluster.running().filter(started -> !started.equals(supervised)).ifPresent(Postmaster::terminate);
            try {
                supervisor.join(LOOK_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Forgets the server without stopping it, as a crash of this process would. */
    synchronized void abandon() {
        endRest();
        data.close();
    }

    @Override
    public void close() {
        stop();
    }
}

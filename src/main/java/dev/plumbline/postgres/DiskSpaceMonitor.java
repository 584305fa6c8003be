package dev.plumbline.postgres;

import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether operations failed recently because the disk of the database server is full. */
public final class DiskSpaceMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    private static final long FULL_MILLIS = 5_000;

    private final Vertx vertx;
    private final AtomicBoolean full = new AtomicBoolean();
    private volatile long fullNanos;

    public DiskSpaceMonitor(Vertx vertx) {
        this.vertx = vertx;
    }

    boolean hasSpace() {
        return !full.get();
    }

    /** @param database for the log */
    void markFull(String database, Throwable failure) {
        fullNanos = System.nanoTime();
        if (full.compareAndSet(false, true)) {
            LOG.atError()
                    .addKeyValue("database", database)
                    .addKeyValue("cause", failure.toString())
                    .log("database disk full");
            awaitSpace(database, FULL_MILLIS);
        }
    }

    private void awaitSpace(String database, long millis) {
        vertx.setTimer(millis, later -> {
            long since = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - fullNanos);
            if (since < FULL_MILLIS) {
                awaitSpace(database, FULL_MILLIS - since);
            } else {
                full.set(false);
                LOG.atInfo().addKeyValue("database", database).log("database disk space restored");
            }
        });
    }
}

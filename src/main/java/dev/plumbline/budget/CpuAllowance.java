package dev.plumbline.budget;

import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time that the pooled work of one check, or of one part of a composite check, can use. Work starts only if
 * time is left. Decoding also stops when {@link #DECODING_MS} is used. Thread-safe.
 */
public final class CpuAllowance implements AutoCloseable {
    /** The CPU time of a check in milliseconds. */
    public static final long CHECK_MS = 1_000;

    /** The CPU time of a composite check in milliseconds. */
    public static final long COMPOSITE_MS = 3_000;

    /** The CPU time for all content codings and bodies of a check in milliseconds. */
    public static final long DECODING_MS = 100;

    private final CpuPool pool;
    private final String client;
    private final long maxNanos;
    private final @Nullable CpuAllowance parent;
    private final WaitTime waitTime;
    private final AtomicLong usedNanos = new AtomicLong();
    private final AtomicLong decodingNanos = new AtomicLong();
    private final Set<CpuPool.Task<?>> queued = new HashSet<>();
    private boolean closed;
    private volatile boolean refused;

    /**
     * @param client the client or account for which the work is done; clients are served round-robin
     * @param maxMs the CPU time in milliseconds
     */
    public CpuAllowance(CpuPool pool, String client, long maxMs) {
        this(pool, client, maxMs, null);
    }

    private CpuAllowance(CpuPool pool, String client, long maxMs, @Nullable CpuAllowance parent) {
        this.pool = pool;
        this.client = client;
        this.maxNanos = TimeUnit.MILLISECONDS.toNanos(maxMs);
        this.parent = parent;
        this.waitTime = new WaitTime(parent == null ? null : parent.waitTime);
    }

    /** The allowance of a part, whose CPU time is also taken from this one. */
    public CpuAllowance part() {
        return new CpuAllowance(pool, client, CHECK_MS, this);
    }

    /**
     * Runs work on the pool.
     *
     * @return completes on the caller's context. Fails with {@link LimitExceededException} if the CPU time of the check
     *     is used, with {@link NodeExhaustedException} if the queue is full or the check ended, and with the exception
     *     of the work
     */
    public <T> Future<T> execute(CpuPool.Purpose purpose, Callable<T> work) {
        Future<T> outcome = pool.submit(purpose, this, work);
        outcome.onFailure(cause -> {
            if (cause instanceof NodeExhaustedException) {
                refuse();
            }
        });
        return outcome;
    }

    private void refuse() {
        synchronized (this) {
            if (closed) {
                return; // the check has its result
            }
        }
        refused = true;
        if (parent != null) {
            parent.refuse();
        }
    }

    /** Whether work of this check, or of one of its parts, did not run. */
    public boolean refused() {
        return refused;
    }

    /** The time in nanoseconds in which tasks of this check, or of its parts, waited for a thread of the pool. */
    public long waitedNanos() {
        return waitTime.nanos();
    }

    /**
     * Counts CPU time that was used for decoding.
     *
     * @throws LimitExceededException if the check has used more than {@link #DECODING_MS} for it
     */
    public void useForDecoding(long nanos, String coding) throws LimitExceededException {
        long used = decodingNanos.addAndGet(nanos);
        if (used > TimeUnit.MILLISECONDS.toNanos(DECODING_MS)) {
            throw new LimitExceededException("Decoding the content coding " + coding + " takes more than " + DECODING_MS
                    + " ms of CPU time, the limit for each check.");
        }
    }

    /** The CPU time that this check has used for decoding, in nanoseconds. */
    public long decodingNanos() {
        return decodingNanos.get();
    }

    String client() {
        return client;
    }

    /** Called before work starts. */
    void start() throws LimitExceededException {
        checkUsed();
        if (parent != null) {
            parent.checkUsed();
        }
    }

    private void checkUsed() throws LimitExceededException {
        if (usedNanos.get() >= maxNanos) {
            throw new LimitExceededException("Processing the responses takes more than "
                    + TimeUnit.NANOSECONDS.toMillis(maxNanos) + " ms of CPU time, the limit for each check.");
        }
    }

    void use(long nanos) {
        usedNanos.addAndGet(nanos);
        if (parent != null) {
            parent.use(nanos);
        }
    }

    /** Adds a task that waits. Returns false if the check has ended. */
    boolean add(CpuPool.Task<?> task) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            queued.add(task);
        }
        waitTime.start();
        return true;
    }

    /** Removes a task that does not wait any more. */
    void remove(CpuPool.Task<?> task) {
        boolean waited;
        synchronized (this) {
            waited = queued.remove(task);
        }
        if (waited) {
            waitTime.end();
        }
    }

    /** Removes the queued tasks of a check that ended. */
    @Override
    public void close() {
        List<CpuPool.Task<?>> remaining;
        synchronized (this) {
            closed = true;
            remaining = List.copyOf(queued);
        }
        remaining.forEach(CpuPool.Task::cancel);
    }
}

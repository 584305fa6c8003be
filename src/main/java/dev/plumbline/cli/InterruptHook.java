package dev.plumbline.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a run of {@code check} at Ctrl-C (SIGINT) or SIGTERM: the results that are available are written, a summary is
 * printed on stderr, and the process ends without waiting for running checks. The JVM sets the exit code, 128 plus the
 * number of the signal.
 */
final class InterruptHook implements AutoCloseable {
    /** Maximum time to write the results, which blocks if the reader of stdout does not read. */
    private static final long WRITE_SECONDS = 3;

    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread thread;

    private InterruptHook(CheckBatch batch, ProgressBar progress) {
        thread = new Thread(
                () -> {
                    batch.interrupt();
                    try {
                        written.await(WRITE_SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException impatient) {
                        Thread.currentThread().interrupt();
                    }
                    progress.replace("plumbline: Interrupted. " + batch.summary());
                },
                "interrupt");
    }

    /** Registers the hook until it is closed, when all output is written. */
    static InterruptHook register(CheckBatch batch, ProgressBar progress) {
        InterruptHook hook = new InterruptHook(batch, progress);
        Runtime.getRuntime().addShutdownHook(hook.thread);
        return hook;
    }

    @Override
    public void close() {
        written.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException shutdownInProgress) {
            // the hook prints the summary
        }
    }
}

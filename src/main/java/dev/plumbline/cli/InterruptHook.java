package dev.plumbline.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Ends a command at Ctrl-C (SIGINT) or SIGTERM with a message on stderr, in place of the progress bar. The JVM sets the
 * exit code, 128 plus the number of the signal.
 */
final class InterruptHook implements AutoCloseable {
    /** Maximum time to write the results, which blocks if the reader of stdout does not read. */
    private static final long WRITE_SECONDS = 3;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private InterruptHook(Consumer<InterruptHook> action) {
        thread = new Thread(() -> action.accept(this), "interrupt");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    /**
     * Registers a hook for a run of {@code check} until it is closed, when all output is written. It writes the
     * available results and a summary, without waiting for running checks.
     */
    static InterruptHook register(CheckBatch batch, ProgressBar progress) {
        return new InterruptHook(hook -> {
            boolean interrupted = batch.interrupt();
            hook.awaitClosed();
            if (interrupted) {
                progress.end("plumbline: Interrupted. " + batch.summary());
            }
        });
    }

    /**
     * Registers a hook for a command that waits, until it is closed.
     *
     * @param message printed if the command is interrupted
     */
    static InterruptHook register(Supplier<String> message, ProgressBar progress) {
        return new InterruptHook(hook -> {
            if (hook.closed.getCount() > 0) {
                progress.end(message.get());
            }
        });
    }

    private void awaitClosed() {
        try {
            closed.await(WRITE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException shutdownInProgress) {
            // the hook prints the message
        }
    }
}

package dev.plumbline.app;

import dev.plumbline.postgres.PostgresException;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocks for the steps of start and shutdown. */
final class BlockingAwait {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingAwait.class);
    private static final long STEP_SECONDS = 60;

    private BlockingAwait() {}

    /**
     * Waits for a step of the start.
     *
     * @param what the step, for the message
     * @throws StartException if the step fails or takes longer than a minute
     */
    static <T> T await(Future<T> future, String what) throws StartException {
        return await(future, what, STEP_SECONDS);
    }

    /**
     * Waits for the migration of the database, which has time limits of its own.
     *
     * @throws StartException if it fails
     */
    static void awaitMigration(Future<Void> future) throws StartException {
        await(future, "database", Long.MAX_VALUE);
    }

    private static <T> T await(Future<T> future, String what, long seconds) throws StartException {
        try {
            return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            String text = ExceptionMessage.of(cause);
            String message = text.contains("Address already in use")
                    ? "address already in use. Stop the other program or set another port."
                    : text;
            throw new StartException(cause instanceof PostgresException ? message : what + ": " + message, cause);
        } catch (TimeoutException late) {
            throw new StartException(what + ": not ready after " + seconds + " s", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", interrupted);
        }
    }

    /** Waits for a step of the shutdown; logs a failure or timeout. */
    static void quietly(Future<?> future, long seconds) {
        try {
            future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            LOG.atWarn().addKeyValue("cause", failed).log("shutdown step failed");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

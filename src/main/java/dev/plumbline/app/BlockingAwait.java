package dev.plumbline.app;

import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits, on a thread that may, for the steps of a start and of a stop. */
final class BlockingAwait {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingAwait.class);
    private static final long STEP_SECONDS = 60;

    private BlockingAwait() {}

    /**
     * What a step of the start comes to.
     *
     * @param what names the step, in case it fails
     * @throws StartException when it fails or takes longer than a minute
     */
    static <T> T await(Future<T> future, String what) throws StartException {
        try {
            return future.toCompletionStage().toCompletableFuture().get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            String said = String.valueOf(cause.getMessage());
            String message = said.contains("Address already in use")
                    ? "something else listens there already; stop it, or set another port"
                    : said;
            throw new StartException(
                    cause instanceof dev.plumbline.store.StoreException ? message : what + ": " + message, cause);
        } catch (TimeoutException late) {
            throw new StartException(what + ": not ready within " + STEP_SECONDS + " s", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", interrupted);
        }
    }

    /** Waits for a step of the stop; one that fails or takes too long is no reason not to go on. */
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

package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.vertx.core.Future;
import java.util.function.Function;

/** A handshake failed because the engine and the server share no algorithm. Another engine may succeed. */
public final class NoSharedAlgorithms extends Exception {
    private final transient CheckFailure failure;

    NoSharedAlgorithms(CheckFailure failure) {
        super(failure.getMessage(), null, false, false);
        this.failure = failure;
    }

    /**
     * Connects with one engine, and with the other one if the first shares no algorithm with the peer. Never fails with
     * {@link NoSharedAlgorithms}: if both handshakes fail, the failure of the first one is the result.
     *
     * @param other equal to {@code first} if only one engine is available
     */
    public static <E, T> Future<T> withFallback(E first, E other, Function<E, Future<T>> dial) {
        return dial.apply(first).recover(failure -> {
            if (!(failure instanceof NoSharedAlgorithms none)) {
                return Future.failedFuture(failure);
            }
            return first == other
                    ? Future.failedFuture(none.failure)
                    : dial.apply(other)
                            .recover(again -> Future.failedFuture(failedHandshake(again) ? none.failure : again));
        });
    }

    private static boolean failedHandshake(Throwable failure) {
        return failure instanceof NoSharedAlgorithms
                || failure instanceof CheckFailure known && known.error().code() == ErrorCode.TLS_HANDSHAKE_FAILED;
    }
}

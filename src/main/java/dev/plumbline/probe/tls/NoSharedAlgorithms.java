package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.vertx.core.Future;
import java.util.function.Function;

/** A handshake that failed for what the engine can do; another one knows other algorithms. */
public final class NoSharedAlgorithms extends Exception {
    private final transient CheckFailure failure;

    NoSharedAlgorithms(CheckFailure failure) {
        super(failure.getMessage(), null, false, false);
        this.failure = failure;
    }

    /**
     * Dials with one engine, and anew with the other when the first had nothing in common with the
     * peer. Never fails with a NoCommonGround itself: when both engines fail at the handshake, the
     * outcome is what the first one says of it.
     *
     * @param other the same as the first when there is no other
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

package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/** A handshake failed because the engine and the server share no algorithm. Another engine may succeed. */
public final class NoSharedAlgorithms extends Exception {
    private final transient CheckFailure failure;

    NoSharedAlgorithms(CheckFailure failure) {
        super(failure.getMessage(), null, false, false);
        this.failure = failure;
    }

    /**
     * Connects with the first engine, and with the next one as long as an engine shares no algorithm with the peer.
     * Connects again with the same engine, once, after {@link UndecryptableHandshake}. Never fails with one of these
     * exceptions: if all handshakes fail, the failure of the first one is the result.
     *
     * @param engines at least one
     */
    public static <E, T> Future<T> withFallback(List<E> engines, Function<E, Future<T>> dial) {
        return dial(engines.get(0), dial)
                .recover(failure -> failure instanceof NoSharedAlgorithms none
                        ? next(engines.subList(1, engines.size()), dial, none.failure)
                        : Future.failedFuture(failure));
    }

    private static <E, T> Future<T> next(List<E> engines, Function<E, Future<T>> dial, CheckFailure first) {
        if (engines.isEmpty()) {
            return Future.failedFuture(first);
        }
        return dial(engines.get(0), dial)
                .recover(failure -> failure instanceof NoSharedAlgorithms
                        ? next(engines.subList(1, engines.size()), dial, first)
                        : Future.failedFuture(
                                CheckFailure.hasCode(failure, ErrorCode.TLS_HANDSHAKE_FAILED) ? first : failure));
    }

    private static <E, T> Future<T> dial(E engine, Function<E, Future<T>> dial) {
        return dial.apply(engine)
                .recover(failure ->
                        failure instanceof UndecryptableHandshake ? dial.apply(engine) : Future.failedFuture(failure))
                .recover(failure -> Future.failedFuture(
                        failure instanceof UndecryptableHandshake again ? again.failure() : failure));
    }
}

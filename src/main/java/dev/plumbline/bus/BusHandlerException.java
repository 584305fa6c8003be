package dev.plumbline.bus;

import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import org.jspecify.annotations.Nullable;

/** A request failed because its handler failed. The cause is available on the node of the handler only. */
final class BusHandlerException extends ReplyException {
    private static final long serialVersionUID = 1L;

    private final Throwable failure;

    BusHandlerException(Throwable failure) {
        super(ReplyFailure.RECIPIENT_FAILURE, -1, "internal");
        this.failure = failure;
    }

    // the constructors of ReplyException do not accept a cause
    @Override
    public synchronized @Nullable Throwable getCause() {
        return failure;
    }
}

package dev.plumbline.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Typed questions and answers over the event bus. A failed {@link #ask} means only that nobody was
 * there or that no answer came in time: expected refusals are replies.
 */
public final class MessageBus {
    private static final Logger LOG = LoggerFactory.getLogger(MessageBus.class);

    private final Vertx vertx;

    private MessageBus(Vertx vertx) {
        this.vertx = vertx;
    }

    /** The bus of a Vert.x; call once for each, before anything is sent. */
    public static MessageBus of(Vertx vertx) {
        vertx.eventBus().registerCodec(new BusCodec());
        return new MessageBus(vertx);
    }

    /**
     * Asks one of those who serve an address on this node.
     *
     * @param replyType what the address answers with
     * @param timeoutMs how long to wait, at least 1
     */
    public <R extends Message> Future<R> ask(String address, Message question, Class<R> replyType, long timeoutMs) {
        DeliveryOptions options = new DeliveryOptions()
                .setCodecName(BusCodec.NAME)
                .setLocalOnly(true)
                .setSendTimeout(Math.max(1, timeoutMs));
        return vertx.eventBus().<Message>request(address, question, options).map(reply -> replyType.cast(reply.body()));
    }

    /**
     * Serves an address. A handler that fails is a fault of ours: it is logged here, and the one who
     * asked is told at once instead of waiting for the timeout.
     */
    public <M extends Message> MessageConsumer<Message> serve(
            String address, Class<M> type, Function<M, ? extends Future<? extends Message>> handler) {
        DeliveryOptions reply = new DeliveryOptions().setCodecName(BusCodec.NAME);
        return vertx.eventBus().<Message>consumer(address, message -> answer(handler, type.cast(message.body()))
                .onSuccess(body -> message.reply(body, reply))
                .onFailure(fault -> {
                    LOG.atError()
                            .addKeyValue("address", address)
                            .setCause(fault)
                            .log("bus handler failed");
                    message.fail(-1, "internal");
                }));
    }

    /** Whether an {@link #ask} failed because no answer came in time. */
    public static boolean timedOut(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.TIMEOUT;
    }

    /** Whether an {@link #ask} failed because nobody serves the address. */
    public static boolean unserved(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS;
    }

    private static <M extends Message> Future<? extends Message> answer(
            Function<M, ? extends Future<? extends Message>> handler, M question) {
        try {
            return handler.apply(question);
        } catch (RuntimeException fault) {
            return Future.failedFuture(fault);
        }
    }
}

package dev.plumbline.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Typed request-reply and notifications over the event bus. The type of a message determines its address. A failed
 * {@link #request} means that the address is not served or that the reply timed out; expected rejections are replies.
 * Consumers are registered when the returned future completes.
 */
public final class MessageBus {
    /** The generation of the messages. Nodes with different generations must not share an event bus. */
    public static final int GENERATION = MessageJson.GENERATION;

    private static final Logger LOG = LoggerFactory.getLogger(MessageBus.class);

    private final Vertx vertx;

    private MessageBus(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Registers the codec; call once per Vert.x instance. */
    public static MessageBus of(Vertx vertx) {
        vertx.eventBus().registerCodec(new BusCodec()).codecSelector(message -> BusCodec.NAME);
        return new MessageBus(vertx);
    }

    /**
     * Sends a request to a consumer on this node.
     *
     * @param replyType type of the reply
     * @param timeoutMs timeout in milliseconds, at least 1
     */
    public <R extends Message> Future<R> request(Message message, Class<R> replyType, long timeoutMs) {
        return request(
                addressOf(message.getClass()),
                message,
                replyType,
                new DeliveryOptions().setLocalOnly(true).setSendTimeout(Math.max(1, timeoutMs)));
    }

    private <R extends Message> Future<R> request(
            String address, Message message, Class<R> replyType, DeliveryOptions options) {
        return vertx.eventBus()
                .<Message>request(address, message, options)
                .compose(reply -> replyType.isInstance(reply.body())
                        ? Future.succeededFuture(replyType.cast(reply.body()))
                        : Future.failedFuture("unexpected reply: " + describe(reply.body())));
    }

    /**
     * Sends a request to one node of a cluster.
     *
     * @param node the name of the node
     * @param replyType type of the reply
     * @param timeoutMs timeout in milliseconds, at least 1
     */
    public <R extends Message> Future<R> requestNode(String node, Message message, Class<R> replyType, long timeoutMs) {
        return request(
                addressOf(message.getClass(), node),
                message,
                replyType,
                new DeliveryOptions().setSendTimeout(Math.max(1, timeoutMs)));
    }

    /** Sends a message without a reply to one node of a cluster. It can be lost. */
    public void sendNode(String node, Message message) {
        vertx.eventBus().send(addressOf(message.getClass(), node), message);
    }

    /** Serves the requests that other nodes send to this node, as {@link #serve}. */
    public <M extends Message> Future<Void> serveNode(
            String self, Class<M> type, Function<M, ? extends Future<? extends Message>> handler) {
        String address = addressOf(type, self);
        return vertx.eventBus()
                .<Message>consumer(address, message -> reply(address, type, handler, message))
                .completion();
    }

    /** Receives the messages without a reply that other nodes send to this node. */
    public <M extends Message> Future<Void> receiveNode(String self, Class<M> type, Consumer<M> handler) {
        String address = addressOf(type, self);
        return vertx.eventBus()
                .<Message>consumer(address, message -> {
                    if (type.isInstance(message.body())) {
                        handler.accept(type.cast(message.body()));
                    } else {
                        LOG.atWarn()
                                .addKeyValue("address", address)
                                .addKeyValue("message", describe(message.body()))
                                .log("unexpected message ignored");
                    }
                })
                .completion();
    }

    private static String addressOf(Class<? extends Message> type) {
        return Objects.requireNonNull(type.getAnnotation(BusAddress.class), type::getName)
                .value();
    }

    private static String addressOf(Class<? extends Message> type, String node) {
        return addressOf(type) + "@" + node;
    }

    /**
     * Serves requests on this node. A failure of the handler is logged and reported to the sender at once, as a
     * {@link BusHandlerException}.
     */
    public <M extends Message> Future<Void> serve(
            Class<M> type, Function<M, ? extends Future<? extends Message>> handler) {
        String address = addressOf(type);
        return vertx.eventBus()
                .<Message>localConsumer(address, message -> reply(address, type, handler, message))
                .completion();
    }

    private static <M extends Message> void reply(
            String address,
            Class<M> type,
            Function<M, ? extends Future<? extends Message>> handler,
            io.vertx.core.eventbus.Message<Message> message) {
        handle(handler, type, message.body()).onSuccess(message::reply).onFailure(failure -> {
            LOG.atError().addKeyValue("address", address).setCause(failure).log("bus handler failed");
            message.reply(new BusHandlerException(failure));
        });
    }

    /** Sends a notification to the subscribers of all nodes. It can be lost. */
    public void publish(Message message) {
        vertx.eventBus().publish(addressOf(message.getClass()), message);
    }

    /** Sends a notification to the subscribers of this node. */
    public void publishLocally(Message message) {
        vertx.eventBus().publish(addressOf(message.getClass()), message, new DeliveryOptions().setLocalOnly(true));
    }

    /** Receives notifications. Those of another version that cannot be read are ignored. */
    public <M extends Message> Future<Void> subscribe(Class<M> type, Consumer<M> handler) {
        return vertx.eventBus()
                .<Message>consumer(addressOf(type), message -> {
                    if (type.isInstance(message.body())) {
                        handler.accept(type.cast(message.body()));
                    }
                })
                .completion();
    }

    /** Whether a {@link #request} failed because the reply timed out. */
    public static boolean isTimeout(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.TIMEOUT;
    }

    /** Whether a {@link #request} failed because the address is not served. */
    public static boolean isUnserved(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS;
    }

    private static <M extends Message> Future<? extends Message> handle(
            Function<M, ? extends Future<? extends Message>> handler, Class<M> type, Message message) {
        try {
            return type.isInstance(message)
                    ? handler.apply(type.cast(message))
                    : Future.failedFuture("unexpected message: " + describe(message));
        } catch (RuntimeException failure) {
            return Future.failedFuture(failure);
        }
    }

    /** The type of a message, without its content, which can be large or confidential. */
    private static String describe(@Nullable Message message) {
        return message instanceof Message.Unreadable unreadable
                ? unreadable.toString()
                : message == null ? "null" : message.getClass().getSimpleName();
    }
}

package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends ClientHello messages to one server, a few at once, and counts those without a conclusive result. Confined to
 * one event loop.
 */
final class ClientHelloScheduler {
    /** The maximum number of connections to the server at once. */
    private static final int MAX_CONCURRENT = 4;

    /** The time reserved for the report. */
    private static final long RESERVE_MILLIS = 150;

    private static final long MIN_TIMEOUT_MILLIS = 250;
    private static final long MAX_TIMEOUT_MILLIS = 3_000;

    private static final int PROTOCOL_VERSION = 70;
    private static final int INTERNAL_ERROR = 80;

    private final ClientHelloProbe probe;
    private final CheckContext openingContext;
    private final CheckContext context;
    private final PeerConnector.Peer peer;
    private final int addressesLeft;
    private final AsyncSemaphore semaphore;
    private final @Nullable String serverName;
    private boolean keySharesRequired;

    /** Messages without a response. */
    private final List<ClientHello> timedOut = new ArrayList<>();

    /**
     * Messages after which the server closed the connection: many servers reject an offer like this, but overloaded
     * ones do so too. The first {@link #confirmed} of them are rejections, because the server accepted a later message.
     */
    private final List<ClientHello> disconnected = new ArrayList<>();

    private int confirmed;
    private int failedHandshakes;
    private boolean alpnUnknown;

    /** Messages that were not sent because of the request limit. */
    private final List<ClientHello> skipped = new ArrayList<>();

    private int skippedHandshakes;

    /** @param addressesLeft the number of addresses that share the time, this one included */
    ClientHelloScheduler(
            Vertx vertx,
            ClientHelloProbe probe,
            CheckContext checkContext,
            PeerConnector.Peer peer,
            int addressesLeft) {
        this.probe = probe;
        this.openingContext = checkContext.within(
                checkContext.deadline().atMost(checkContext.deadline().remainingMillis() - RESERVE_MILLIS));
        // The scan waits for rate limits after its first messages, because a retry would repeat them.
        this.context = openingContext.patiently();
        this.peer = peer;
        this.addressesLeft = addressesLeft;
        this.semaphore = new AsyncSemaphore(vertx, MAX_CONCURRENT, Integer.MAX_VALUE);
        String name = peer.host().name();
        this.serverName = peer.host().literal() == null && name.indexOf('.') > 0 ? name : null;
    }

    /** A hello with all suites and groups of a version, in a form that this server accepts. */
    ClientHello hello(TlsVersion version) {
        ClientHello hello = ClientHello.of(version, serverName);
        return keySharesRequired && version == TlsVersion.TLS_1_3 ? hello.withShares() : hello;
    }

    /** Whether the server accepted the offer. */
    static boolean accepts(ClientHello hello, ServerHelloResult result) {
        return result.hello()
                && result.version() == hello.version().code()
                && hello.ciphers().contains(result.cipher());
    }

    /**
     * Sends one of the first messages, without whose result the scan fails. It can use half of the time if there is one
     * address: a mail server can delay its greeting for seconds, but usually only that of the first connection.
     */
    Future<ServerHelloResult> openHello(ClientHello hello) {
        long share = Math.max(MIN_TIMEOUT_MILLIS, remainingMillis() / (1L + addressesLeft));
        return exchange(openingContext, hello, hello, true, share).compose(result -> {
            boolean retryWithShares = hello.version() == TlsVersion.TLS_1_3
                    && result.kind() == ServerHelloResult.Kind.ALERT
                    && result.alert() != PROTOCOL_VERSION;
            return retryWithShares
                    ? exchange(context, hello, hello.withShares(), true, share)
                            .onSuccess(retry -> keySharesRequired = accepts(hello, retry))
                    : Future.succeededFuture(result);
        });
    }

    /** Sends a message. The result is {@code SILENT} if the exchange fails. */
    Future<ServerHelloResult> send(ClientHello hello, boolean keyExchange) {
        ServerHelloResult fallback = ServerHelloResult.of(ServerHelloResult.Kind.SILENT);
        return withPermit(
                () -> exchange(
                        context,
                        hello,
                        hello,
                        keyExchange,
                        Math.max(MIN_TIMEOUT_MILLIS, Math.min(MAX_TIMEOUT_MILLIS, remainingMillis() / 3))),
                fallback,
                () -> timedOut.add(hello),
                () -> skipped.add(hello));
    }

    /** An exchange that consists of more than a ClientHello and its response. */
    @FunctionalInterface
    interface PeerExchange<T> {
        /** @param millis the timeout of each step */
        Future<T> run(CheckContext context, PeerConnector.Peer peer, long millis);
    }

    /** Runs an exchange with this server. {@code onFailure} receives the reason if there is no result. */
    <T> Future<Void> run(PeerExchange<T> exchange, Consumer<T> onResult, Consumer<String> onFailure) {
        return semaphore
                .withPermit(
                        remainingMillis(),
                        () -> exchange.run(
                                context,
                                peer,
                                Math.max(MIN_TIMEOUT_MILLIS, Math.min(MAX_TIMEOUT_MILLIS, remainingMillis() / 3))),
                        () -> Future.failedFuture(
                                new CheckFailure(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit.")))
                .onSuccess(onResult::accept)
                .<Void>mapEmpty()
                .recover(failure -> {
                    if (!(failure instanceof CheckFailure known)) {
                        return Future.failedFuture(failure);
                    }
                    if (known.error().code() == ErrorCode.REQUEST_LIMIT) {
                        skippedHandshakes++;
                    }
                    onFailure.accept(known.error().message());
                    return Future.succeededFuture();
                });
    }

    /** Whether the server accepts an application protocol in a full handshake. */
    Future<Boolean> supportsAlpn(TlsProbe handshakes, String protocol) {
        return withPermit(
                () -> handshakes.supportsAlpn(context, peer, protocol).recover(cause -> {
                    if (cause instanceof CheckFailure failure && TlsErrors.isResponse(failure)) {
                        alpnUnknown = true;
                        return Future.succeededFuture(false);
                    }
                    return Future.failedFuture(cause);
                }),
                false,
                () -> failedHandshakes++,
                () -> skippedHandshakes++);
    }

    /**
     * Repeats an accepted message if the server disconnected after its last success, to find out whether it rejected
     * the offer or all connections.
     */
    Future<?> confirm(ClientHello accepted) {
        return confirmed < disconnected.size() ? send(accepted, false) : Future.succeededFuture();
    }

    /** Whether a message has no conclusive result. */
    boolean isUndetermined(ClientHello hello) {
        return timedOut.contains(hello)
                || skipped.contains(hello)
                || disconnected.subList(confirmed, disconnected.size()).contains(hello);
    }

    /** The number of messages without a conclusive result. */
    int undetermined() {
        return timedOut.size() + disconnected.size() - confirmed + failedHandshakes;
    }

    /** Whether application protocols are unknown, because the server rejects the algorithms of the TLS engines. */
    boolean alpnUnknown() {
        return alpnUnknown;
    }

    /** The number of messages that were not sent because of the request limit. */
    int skipped() {
        return skipped.size() + skippedHandshakes;
    }

    /**
     * @param hello the message to record
     * @param sent the message to send
     */
    private Future<ServerHelloResult> exchange(
            CheckContext within, ClientHello hello, ClientHello sent, boolean keyExchange, long millis) {
        int countBefore = disconnected.size();
        return probe.exchange(within, peer, sent, keyExchange, millis).onSuccess(result -> {
            if (result.hello()) {
                confirmed = Math.max(confirmed, countBefore);
            } else if (result.kind() == ServerHelloResult.Kind.SILENT) {
                timedOut.add(hello);
            } else if (result.kind() != ServerHelloResult.Kind.ALERT || result.alert() == INTERNAL_ERROR) {
                disconnected.add(hello);
            }
        });
    }

    private <T> Future<T> withPermit(
            Supplier<Future<T>> exchange, T fallback, Runnable onFailure, Runnable onRequestLimit) {
        return semaphore
                .withPermit(remainingMillis(), exchange, () -> {
                    onFailure.run();
                    return Future.succeededFuture(fallback);
                })
                .recover(failure -> {
                    if (!(failure instanceof CheckFailure known)) {
                        return Future.failedFuture(failure);
                    }
                    if (known.error().code() == ErrorCode.REQUEST_LIMIT) {
                        onRequestLimit.run();
                    } else {
                        onFailure.run();
                    }
                    return Future.succeededFuture(fallback);
                });
    }

    private long remainingMillis() {
        return context.deadline().remainingMillis();
    }
}

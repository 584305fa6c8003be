package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts questions to one server, a few at once, and counts those that remain open. */
final class ClientHelloScheduler {
    /** Connections to the server at once. */
    private static final int AT_ONCE = 4;

    /** What is kept of the deadline, so that what was learnt can be told. */
    private static final long RESERVE_MILLIS = 150;

    private static final long LEAST_FOR_ONE_MILLIS = 250;
    private static final long MOST_FOR_ONE_MILLIS = 3_000;
    private static final int PROTOCOL_VERSION = 70;
    private static final int INTERNAL_ERROR = 80;

    private final ClientHelloProbe hellos;
    private final CheckContext beginning;
    private final CheckContext context;
    private final ClientHelloProbe.Peer peer;
    private final int addressesLeft;
    private final AsyncSemaphore turns;
    private final @Nullable String serverName;
    private boolean sharesNeeded;

    /** Questions that nobody answered. */
    private final List<ClientHello> silent = new ArrayList<>();

    /**
     * Questions upon which the server hung up: many servers refuse so, but so do those that have had
     * enough of us. The first {@link #settled} of them are refusals, as it agreed to others later.
     */
    private final List<ClientHello> brokenOff = new ArrayList<>();

    private int settled;
    private int failedHandshakes;
    private int unasked;

    /**
     * @param addressesLeft how many addresses the time has to do for, this one included
     */
    ClientHelloScheduler(
            Vertx vertx, ClientHelloProbe hellos, CheckContext whole, ClientHelloProbe.Peer peer, int addressesLeft) {
        this.hellos = hellos;
        this.beginning = whole.within(whole.deadline().atMost(whole.deadline().remainingMillis() - RESERVE_MILLIS));
        // what has begun is worth waiting for: to begin again would cost the server as much again
        this.context = beginning.patiently();
        this.peer = peer;
        this.addressesLeft = addressesLeft;
        this.turns = new AsyncSemaphore(vertx, AT_ONCE, Integer.MAX_VALUE);
        String name = peer.host().name();
        this.serverName = peer.host().literal() == null && name.indexOf('.') > 0 ? name : null;
    }

    ClientHelloProbe.Peer peer() {
        return peer;
    }

    /** A question with everything that a version knows, in the way that this server understands. */
    ClientHello hello(TlsVersion version) {
        ClientHello hello = ClientHello.of(version, serverName);
        return sharesNeeded && version == TlsVersion.TLS_1_3 ? hello.withShares() : hello;
    }

    /** Whether a server has agreed to what it was offered. */
    static boolean accepts(ClientHello hello, ServerHelloResult answer) {
        return answer.hello()
                && answer.version() == hello.version().code()
                && hello.ciphers().contains(answer.cipher());
    }

    /** One of the first questions, without whose answer nothing can be learnt. */
    Future<ServerHelloResult> open(ClientHello hello) {
        long share = Math.max(LEAST_FOR_ONE_MILLIS, left() / (2L + addressesLeft));
        return put(beginning, hello, hello, true, share).compose(answer -> {
            boolean odd = hello.version() == TlsVersion.TLS_1_3
                    && answer.kind() == ServerHelloResult.Kind.ALERT
                    && answer.alert() != PROTOCOL_VERSION;
            return odd
                    ? put(context, hello, hello.withShares(), true, share)
                            .onSuccess(again -> sharesNeeded = accepts(hello, again))
                    : Future.succeededFuture(answer);
        });
    }

    /** An answer; that of a silent server where none was to be had. */
    Future<ServerHelloResult> ask(ClientHello hello, boolean keyExchange) {
        ServerHelloResult none = ServerHelloResult.of(ServerHelloResult.Kind.SILENT);
        return inTurn(
                () -> put(
                        context,
                        hello,
                        hello,
                        keyExchange,
                        Math.max(LEAST_FOR_ONE_MILLIS, Math.min(MOST_FOR_ONE_MILLIS, left() / 3))),
                none,
                () -> silent.add(hello));
    }

    /** Whether the server agrees to an application protocol in a whole handshake. */
    Future<Boolean> speaks(TlsProbe handshakes, String protocol) {
        return inTurn(
                () -> handshakes.speaks(context, peer.host(), peer.address(), peer.port(), protocol),
                false,
                () -> failedHandshakes++);
    }

    /**
     * Asks once more what the server has agreed to, where it broke a question off and has agreed to
     * nothing since: whether it was refusing what was offered, or us.
     */
    Future<?> settle(ClientHello agreedTo) {
        return settled < brokenOff.size() ? ask(agreedTo, false) : Future.succeededFuture();
    }

    /** Whether there was no answer to a question that can be relied on. */
    boolean isOpen(ClientHello hello) {
        return silent.contains(hello)
                || brokenOff.subList(settled, brokenOff.size()).contains(hello);
    }

    /** How many questions got no answer that can be relied on. */
    int unanswered() {
        return silent.size() + brokenOff.size() - settled + failedHandshakes;
    }

    /** How many questions were one request too many for the check. */
    int unasked() {
        return unasked;
    }

    /**
     * @param hello what is asked
     * @param sent the way in which it is put
     */
    private Future<ServerHelloResult> put(
            CheckContext within, ClientHello hello, ClientHello sent, boolean keyExchange, long millis) {
        int before = brokenOff.size();
        return hellos.ask(within, peer, sent, keyExchange, millis).onSuccess(answer -> {
            if (answer.hello()) {
                settled = Math.max(settled, before);
            } else if (answer.kind() == ServerHelloResult.Kind.SILENT) {
                silent.add(hello);
            } else if (answer.kind() != ServerHelloResult.Kind.ALERT || answer.alert() == INTERNAL_ERROR) {
                brokenOff.add(hello);
            }
        });
    }

    private <T> Future<T> inTurn(Supplier<Future<T>> question, T none, Runnable open) {
        return turns.withPermit(left(), question, () -> {
                    open.run();
                    return Future.succeededFuture(none);
                })
                .recover(failure -> {
                    if (!(failure instanceof CheckFailure known)) {
                        return Future.failedFuture(failure);
                    }
                    if (known.error().code() == ErrorCode.REQUEST_LIMIT) {
                        unasked++;
                    } else {
                        open.run();
                    }
                    return Future.succeededFuture(none);
                });
    }

    private long left() {
        return context.deadline().remainingMillis();
    }
}

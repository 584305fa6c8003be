package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Host;
import dev.plumbline.egress.EgressGuard;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a server offers those who speak TLS with it, by asking it many short questions.
 */
public final class TlsScanner {
    /** The most connections that a scan for every cipher suite may take. */
    public static final int MOST_REQUESTS = 100;

    /** More than these are strangers' that a hostile name points at. */
    private static final int MOST_ADDRESSES = 4;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final ClientHelloProbe hellos;
    private final TlsProbe handshakes;

    /**
     * @param handshakes for the one thing that a server tells only those who go through with it
     */
    public TlsScanner(Vertx vertx, EgressGuard guard, TlsProbe handshakes) {
        this.vertx = vertx;
        this.guard = guard;
        this.hellos = new ClientHelloProbe(vertx, guard);
        this.handshakes = handshakes;
    }

    /**
     * Asks the first address of a host that accepts a connection.
     *
     * @param everyCipher whether to ask for every cipher suite, which takes many more connections
     * @return what it offers; a {@link CheckFailure} when it speaks no version of TLS
     */
    public Future<TlsScanReport> scan(CheckContext context, Host host, int port, boolean everyCipher) {
        if (Vertx.currentContext() != null) {
            return resolved(context, host, port, everyCipher);
        }
        Promise<TlsScanReport> promise = Promise.promise();
        vertx.runOnContext(start -> resolved(context, host, port, everyCipher).onComplete(promise));
        return promise.future();
    }

    private Future<TlsScanReport> resolved(CheckContext context, Host host, int port, boolean everyCipher) {
        return guard.resolve(context, host, port, MOST_ADDRESSES)
                .compose(addresses -> first(context, host, port, everyCipher, addresses));
    }

    private Future<TlsScanReport> first(
            CheckContext context, Host host, int port, boolean everyCipher, List<InetAddress> addresses) {
        ClientHelloProbe.Peer peer = new ClientHelloProbe.Peer(host, addresses.get(0), port);
        ClientHelloScheduler questions = new ClientHelloScheduler(vertx, hellos, context, peer, addresses.size());
        return new TlsScanSession(questions, handshakes, everyCipher)
                .offer()
                .recover(failure -> addresses.size() > 1 && neverConnected(failure)
                        ? first(context, host, port, everyCipher, addresses.subList(1, addresses.size()))
                        : Future.failedFuture(failure));
    }

    private static boolean neverConnected(@Nullable Throwable failure) {
        return failure instanceof CheckFailure known
                && (known.error().code() == ErrorCode.CONNECT_REFUSED
                        || known.error().code() == ErrorCode.CONNECT_TIMEOUT
                        || known.error().code() == ErrorCode.CONNECT_UNREACHABLE);
    }
}

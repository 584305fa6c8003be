package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends a ClientHello over a new connection and reads the response. No handshake follows. */
final class ClientHelloProbe {
    private final Vertx vertx;
    private final PeerConnector connector;

    ClientHelloProbe(Vertx vertx, PeerConnector connector) {
        this.vertx = vertx;
        this.connector = connector;
    }

    /**
     * Exchanges one ClientHello.
     *
     * @param millis the timeout of the connect, and of the response
     * @param keyExchange whether to read on until the key exchange, if the suite has one
     * @return the result; fails with a {@link CheckFailure} if the connection does not open
     */
    Future<ServerHelloResult> exchange(
            CheckContext context, PeerConnector.Peer peer, ClientHello hello, boolean keyExchange, long millis) {
        return connector.dial(context, peer, millis, socket -> readResult(context, hello, keyExchange, millis, socket));
    }

    private Future<ServerHelloResult> readResult(
            CheckContext context, ClientHello hello, boolean keyExchange, long millis, NetSocket socket) {
        ServerHelloReader reader = new ServerHelloReader(keyExchange);
        return send(
                vertx,
                socket,
                hello,
                remainingMillis(context, millis),
                bytes -> reader.read(bytes.getBytes()),
                reader::resultAtEnd);
    }

    /**
     * Sends a message over an open connection and reads the response. The caller closes the socket.
     *
     * @param reader receives the data; returns null until the result is known
     * @param atEnd the result if no more data follows, for this reason
     */
    static <T> Future<T> send(
            Vertx vertx,
            NetSocket socket,
            ClientHello hello,
            long millis,
            Function<Buffer, @Nullable T> reader,
            Function<ServerHelloResult.Kind, T> atEnd) {
        Promise<T> promise = ContextFutures.promise(
                vertx, millis, late -> late.tryComplete(atEnd.apply(ServerHelloResult.Kind.SILENT)));
        socket.exceptionHandler(broken -> promise.tryComplete(atEnd.apply(ServerHelloResult.Kind.RESET)));
        socket.closeHandler(closed -> promise.tryComplete(atEnd.apply(ServerHelloResult.Kind.CLOSED)));
        socket.handler(bytes -> {
            T result = promise.future().isComplete() ? null : reader.apply(bytes);
            if (result != null) {
                promise.tryComplete(result);
            }
        });
        socket.write(hello.bytes());
        return promise.future();
    }

    private static long remainingMillis(CheckContext context, long millis) {
        return Math.min(millis, context.deadline().remainingMillis());
    }
}

package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Host;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;

/** Asks servers how they would speak TLS: one question over one connection, nothing after it. */
final class ClientHelloProbe {
    private final Vertx vertx;
    private final EgressGuard guard;
    private final NetClient client;

    ClientHelloProbe(Vertx vertx, EgressGuard guard) {
        this.vertx = vertx;
        this.guard = guard;
        this.client =
                vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true).setReconnectAttempts(0));
    }

    /** Where questions go: one address of a host. */
    record Peer(Host host, InetAddress address, int port) {}

    /**
     * Asks one question.
     *
     * @param millis how long the connection, and then the answer, may take
     * @param keyExchange whether the answer should tell the group or prime, where it comes to that
     * @return what the server made of it; a {@link CheckFailure} when no connection came about or
     *     none was to be had
     */
    Future<ServerHelloResult> ask(
            CheckContext context, Peer peer, ClientHello hello, boolean keyExchange, long millis) {
        return guard.dial(context, peer.host(), peer.address(), peer.port(), remote -> {
            long left = Math.min(millis, context.deadline().remainingMillis());
            if (left <= 0) {
                return Future.failedFuture(
                        new CheckFailure(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit."));
            }
            ConnectOptions options =
                    new ConnectOptions().setRemoteAddress(remote).setTimeout((int) left);
            return client.connect(options)
                    .recover(refused -> Future.failedFuture(ConnectErrors.of(refused, remote)))
                    .compose(socket -> exchange(context, peer, hello, keyExchange, millis, socket));
        });
    }

    private Future<ServerHelloResult> exchange(
            CheckContext context, Peer peer, ClientHello hello, boolean keyExchange, long millis, NetSocket socket) {
        try {
            guard.assertPeer(socket.remoteAddress(), peer.address(), peer.port());
        } catch (RuntimeException other) {
            return socket.close().transform(closed -> Future.failedFuture(other));
        }
        ServerHelloReader reader = new ServerHelloReader(keyExchange);
        Promise<ServerHelloResult> promise = Promise.promise();
        socket.exceptionHandler(broken -> promise.tryComplete(reader.atEnd(ServerHelloResult.Kind.RESET)));
        socket.closeHandler(closed -> promise.tryComplete(reader.atEnd(ServerHelloResult.Kind.CLOSED)));
        socket.handler(bytes -> {
            ServerHelloResult answer = reader.read(bytes.getBytes());
            if (answer != null) {
                promise.tryComplete(answer);
            }
        });
        long left = Math.max(1, Math.min(millis, context.deadline().remainingMillis()));
        long timer = vertx.setTimer(left, late -> promise.tryComplete(reader.atEnd(ServerHelloResult.Kind.SILENT)));
        socket.write(hello.bytes());
        return promise.future().eventually(() -> {
            vertx.cancelTimer(timer);
            return socket.close().otherwiseEmpty();
        });
    }
}

package dev.plumbline.probe.tcp;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plain TCP connections through the egress guard, with scripted exchanges. */
public final class TcpProbe {
    /** The maximum number of bytes that are read. */
    public static final int MAX_BYTES = 4096;

    /** The time reserved for the report, in milliseconds. */
    private static final long RESERVE_MILLIS = 50;

    private static final int MAX_ADDRESSES = 6;
    private static final long MIN_CONNECT_MILLIS = 1_000;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final NetClient client;

    /**
     * An exchange over an open connection.
     *
     * @param connectMs the duration of the connect in milliseconds
     * @param received all data received, at most {@value #MAX_BYTES} bytes
     */
    public record Exchange(double connectMs, Buffer received, End end) {}

    /** How an exchange ended. */
    public enum End {
        /** The script closed the connection. */
        SCRIPT,
        /** The server closed the connection. */
        CLOSED,
        RESET,
        TIMEOUT,
        /** The server sent more than {@value #MAX_BYTES} bytes. */
        TOO_LARGE
    }

    /** Determines the data to send from the data received. */
    @FunctionalInterface
    public interface Script {
        /** Closes the connection at once. */
        Script NONE = received -> null;

        /**
         * Called when the connection opens and after more data was received.
         *
         * @param received all data received so far
         * @return the data to send; empty to wait for more, null to close the connection
         */
        @Nullable
        Buffer next(Buffer received);
    }

    public TcpProbe(Vertx vertx, EgressGuard guard) {
        this.vertx = vertx;
        this.guard = guard;
        this.client = vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true));
    }

    /**
     * Connects to one address and runs the script. A peer that closes or resets the connection, sends too much or is
     * too slow ends the exchange, not the check. Fails as {@link EgressGuard#dial} does, and with {@code connect_*} if
     * the connection does not open.
     *
     * @param connectMillis the connect timeout
     * @param readMillis the maximum duration of the exchange after that
     */
    public Future<Exchange> exchange(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            long connectMillis,
            long readMillis,
            Script script) {
        return guard.dial(context, host, address, port, remote -> {
            long started = System.nanoTime();
            return guard.connect(client, remote, address, Math.min(remainingMillis(context), connectMillis))
                    .compose(socket -> {
                        double connectMs = (System.nanoTime() - started) / 1e6;
                        return runScript(socket, connectMs, script, Math.min(readMillis, remainingMillis(context)));
                    });
        });
    }

    /**
     * Connects to the addresses of a host in order until one accepts, and runs the script there. Each attempt gets an
     * equal share of the remaining time, at least {@value #MIN_CONNECT_MILLIS} ms. An address that refuses, resets,
     * does not respond or has no route leads to the next one; at most {@value #MAX_ADDRESSES} are tried. Fails as
     * {@link EgressGuard#resolve} does.
     *
     * @param readMillis maximum duration of the exchange
     */
    public Future<ConnectAttempts> connectAny(
            CheckContext context, Target.HostPort target, long readMillis, Script script) {
        return guard.resolve(context, target.host(), target.port())
                .compose(addresses -> connectNext(context, target, readMillis, script, addresses, List.of()));
    }

    private Future<ConnectAttempts> connectNext(
            CheckContext context,
            Target.HostPort target,
            long readMillis,
            Script script,
            List<InetAddress> addresses,
            List<CheckError> failures) {
        int attempts = Math.min(addresses.size(), MAX_ADDRESSES) - failures.size();
        InetAddress address = addresses.get(failures.size());
        long share = Math.max(context.deadline().remainingMillis() / attempts, MIN_CONNECT_MILLIS);
        return exchange(context, target.host(), address, target.port(), share, readMillis, script)
                .map(exchange -> new ConnectAttempts(addresses, failures, address, exchange))
                .recover(cause -> {
                    if (!(cause instanceof CheckFailure failure)) {
                        return Future.failedFuture(cause);
                    }
                    List<CheckError> all = new ArrayList<>(failures);
                    all.add(failure.error());
                    boolean retry = attempts > 1
                            && !context.deadline().passed()
                            && (ConnectErrors.isConnectFailure(failure)
                                    || failure.error().code() == ErrorCode.CONNECTION_RESET);
                    return retry
                            ? connectNext(context, target, readMillis, script, addresses, all)
                            : Future.succeededFuture(new ConnectAttempts(addresses, all, null, null));
                });
    }

    private Future<Exchange> runScript(NetSocket socket, double connectMs, Script script, long millis) {
        Promise<End> done = ContextFutures.promise(vertx, millis, late -> late.tryComplete(End.TIMEOUT));
        Buffer received = Buffer.buffer();
        socket.exceptionHandler(broken -> done.tryComplete(End.RESET));
        socket.closeHandler(closed -> done.tryComplete(End.CLOSED));
        socket.handler(bytes -> {
            if (done.future().isComplete()) {
                return;
            }
            received.appendBuffer(bytes, 0, Math.min(bytes.length(), MAX_BYTES - received.length()));
            runStep(socket, script, received, done);
            if (received.length() == MAX_BYTES) {
                done.tryComplete(End.TOO_LARGE);
            }
        });
        runStep(socket, script, received, done);
        return done.future()
                .eventually(() -> socket.close().otherwiseEmpty())
                .map(end -> new Exchange(connectMs, received, end));
    }

    private static void runStep(NetSocket socket, Script script, Buffer received, Promise<End> done) {
        Buffer data;
        try {
            data = script.next(received);
        } catch (RuntimeException thrown) {
            done.tryFail(thrown);
            return;
        }
        if (data == null) {
            done.tryComplete(End.SCRIPT);
        } else if (data.length() > 0) {
            socket.write(data);
        }
    }

    private static long remainingMillis(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}

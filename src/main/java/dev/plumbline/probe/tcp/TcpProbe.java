package dev.plumbline.probe.tcp;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Host;
import dev.plumbline.check.Target;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plain TCP connections, through the guard: whether they open, and what a peer says on them. */
public final class TcpProbe {
    /** The most of what a peer says that is kept, in bytes. */
    static final int MOST_HEARD = 4096;

    /** Left of a check's time for telling what was seen, in ms. */
    private static final long RESERVE_MILLIS = 50;

    private static final int MAX_ADDRESSES = 6;
    private static final long MIN_CONNECT_MILLIS = 1_000;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final NetClient client;

    /**
     * A conversation that opened.
     *
     * @param connectMs how long the connection took to open, in ms
     * @param heard all that the peer said, at most {@value #MOST_HEARD} bytes
     */
    public record Exchange(double connectMs, Buffer heard) {}

    /** What is said to a peer, by what it has said. */
    @FunctionalInterface
    public interface Script {
        /** Says nothing and hangs up at once. */
        Script SILENCE = heard -> null;

        /**
         * Called when the connection opens and whenever more has come.
         *
         * @param heard all that the peer has said so far
         * @return what to say now, empty to wait for more, null to hang up
         */
        @Nullable
        Buffer next(Buffer heard);
    }

    public TcpProbe(Vertx vertx, EgressGuard guard) {
        this.vertx = vertx;
        this.guard = guard;
        this.client = vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true));
    }

    /** The addresses of a host that may be dialled, as {@link EgressGuard#resolve} gives them. */
    public Future<List<InetAddress>> addresses(CheckContext context, Host host, int port) {
        return guard.resolve(context, host, port);
    }

    /**
     * Connects to one address and talks. A peer that hangs up, breaks off or says too much or too
     * late ends the conversation, not the check. Fails when the connection does not open, as {@link
     * EgressGuard#dial} does and with {@code connect_*}.
     *
     * @param connectMillis how long opening may take
     * @param talkMillis how long the conversation may take after that
     */
    public Future<Exchange> talk(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            long connectMillis,
            long talkMillis,
            Script script) {
        return guard.dial(
                context,
                host,
                address,
                port,
                remote -> exchange(context, address, remote, connectMillis, talkMillis, script));
    }

    /**
     * Connects to the addresses of a host in order until one accepts, and runs the script there. Each
     * attempt gets an equal share of the remaining time, at least {@value #MIN_CONNECT_MILLIS} ms. An
     * address that refuses, resets, does not respond or has no route leads to the next one; at most
     * {@value #MAX_ADDRESSES} are tried. Fails as {@link EgressGuard#resolve} does.
     *
     * @param readMillis maximum duration of the exchange
     */
    public Future<ConnectAttempts> connectAny(
            CheckContext context, Target.HostPort target, long readMillis, Script script) {
        return addresses(context, target.host(), target.port())
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
        return talk(context, target.host(), address, target.port(), share, readMillis, script)
                .map(exchange -> new ConnectAttempts(addresses, failures, address, exchange))
                .recover(cause -> {
                    if (!(cause instanceof CheckFailure failure)) {
                        return Future.failedFuture(cause);
                    }
                    List<CheckError> all = new ArrayList<>(failures);
                    all.add(failure.error());
                    boolean retry = attempts > 1 && !context.deadline().passed() && isUnreachable(failure.error());
                    return retry
                            ? connectNext(context, target, readMillis, script, addresses, all)
                            : Future.succeededFuture(new ConnectAttempts(addresses, all, null, null));
                });
    }

    private static boolean isUnreachable(CheckError error) {
        return switch (error.code()) {
            case CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE, CONNECTION_RESET -> true;
            default -> false;
        };
    }

    private Future<Exchange> exchange(
            CheckContext context,
            InetAddress address,
            SocketAddress remote,
            long connectMillis,
            long talkMillis,
            Script script) {
        long left = left(context);
        if (left <= 0) {
            return Future.failedFuture(
                    new CheckFailure(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit."));
        }
        long started = System.nanoTime();
        ConnectOptions options = new ConnectOptions().setRemoteAddress(remote).setTimeout((int)
                Math.max(1, Math.min(left, connectMillis)));
        return client.connect(options)
                .recover(refused -> Future.failedFuture(ConnectErrors.of(refused, remote)))
                .compose(socket -> {
                    double connectMs = (System.nanoTime() - started) / 1e6;
                    try {
                        guard.assertPeer(socket.remoteAddress(), address, remote.port());
                    } catch (RuntimeException other) {
                        return socket.close().transform(closed -> Future.failedFuture(other));
                    }
                    return converse(socket, script, Math.min(talkMillis, left(context)))
                            .map(heard -> new Exchange(connectMs, heard));
                });
    }

    private Future<Buffer> converse(NetSocket socket, Script script, long millis) {
        Promise<Void> over = Promise.promise();
        Buffer heard = Buffer.buffer();
        Runnable cancel = Scheduler.of(vertx).after(Math.max(1, millis), over::tryComplete);
        socket.exceptionHandler(broken -> over.tryComplete());
        socket.closeHandler(closed -> over.tryComplete());
        socket.handler(bytes -> {
            if (over.future().isComplete()) {
                return;
            }
            heard.appendBuffer(bytes, 0, Math.min(bytes.length(), MOST_HEARD - heard.length()));
            say(socket, script, heard, over);
            if (heard.length() == MOST_HEARD) {
                over.tryComplete();
            }
        });
        say(socket, script, heard, over);
        return over.future().onComplete(done -> cancel.run()).transform(done -> socket.close()
                .transform(
                        closed -> done.failed() ? Future.failedFuture(done.cause()) : Future.succeededFuture(heard)));
    }

    private static void say(NetSocket socket, Script script, Buffer heard, Promise<Void> over) {
        Buffer words;
        try {
            words = script.next(heard);
        } catch (RuntimeException thrown) {
            over.tryFail(thrown);
            return;
        }
        if (words == null) {
            over.tryComplete();
        } else if (words.length() > 0) {
            socket.write(words);
        }
    }

    private static long left(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}

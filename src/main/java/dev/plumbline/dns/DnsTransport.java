package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsQuery.Question;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;

/**
 * Exchanges one query and response with a server: over UDP with a random port and ID, and over TCP if the response is
 * truncated. Packets that do not match the query are ignored.
 */
final class DnsTransport {
    /** The largest message that is parsed on the event loop; larger ones are parsed on a worker thread. */
    private static final int MAX_EVENT_LOOP_BYTES = 4_096;

    private final VertxInternal vertx;
    private final NetClient tcp;
    private final int maxUnread;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger activePools = new AtomicInteger();
    private final ConcurrentMap<EventLoop, DnsUdpSocketPool> pools = new ConcurrentHashMap<>();

    /**
     * @param timeout the TCP connect timeout
     * @param maxUnread the maximum number of queries that the servers may not have read yet
     */
    DnsTransport(Vertx vertx, Duration timeout, int maxUnread) {
        this.vertx = (VertxInternal) vertx;
        this.maxUnread = maxUnread;
        this.tcp = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                .setReconnectAttempts(0));
    }

    /**
     * Sends a query and calls back on the caller's context with the response, or with a {@link CheckFailure} of
     * {@code dns_timeout} or {@code dns_servfail}.
     */
    void exchange(Question question, long timeoutMillis, Completable<Message> callback) {
        ContextInternal context = vertx.getOrCreateContext();
        EventLoop eventLoop = context.nettyEventLoop();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        DnsUdpSocketPool pool = pools.computeIfAbsent(eventLoop, this::newPool);
        DnsQuery query = new DnsQuery(
                question,
                endNanos,
                context,
                (response, cause) -> {
                    if (cause == null && response.getHeader().getFlag(Flags.TC)) {
                        exchangeTcp(question, endNanos).onComplete(callback);
                    } else {
                        callback.complete(response, cause);
                    }
                },
                pool);
        if (eventLoop.inEventLoop()) {
            pool.submit(query);
        } else {
            eventLoop.execute(() -> pool.submit(query));
        }
    }

    private DnsUdpSocketPool newPool(EventLoop eventLoop) {
        return new DnsUdpSocketPool(
                eventLoop,
                maxUnread,
                activePools,
                server -> newSocket(eventLoop, IpAddressText.parse(server.hostAddress()), server.port()));
    }

    private DnsUdpSocket newSocket(EventLoop eventLoop, InetAddress address, int port) {
        InternetProtocolFamily family =
                address instanceof Inet6Address ? InternetProtocolFamily.IPv6 : InternetProtocolFamily.IPv4;
        return new DnsUdpSocket(
                eventLoop, vertx.transport().datagramChannel(family), new InetSocketAddress(address, port), random);
    }

    private Future<Message> exchangeTcp(Question question, long endNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
        Promise<Message> outcome = timeoutPromise(vertx, millis);
        int id = random.nextInt(0x10000);
        byte[] query = DnsMessageCodec.query(question.record(), id, question.edns());
        tcp.connect(question.server())
                .onFailure(broken -> outcome.tryFail(failed("The DNS resolver does not accept TCP connections.")))
                .onSuccess(socket -> {
                    outcome.future().onComplete(done -> socket.close());
                    if (!outcome.future().isComplete()) {
                        readTcp(socket, question.record(), id, outcome);
                        socket.write(Buffer.buffer(query.length + 2)
                                .appendUnsignedShort(query.length)
                                .appendBytes(query));
                    }
                });
        return outcome.future();
    }

    private void readTcp(NetSocket socket, Record question, int id, Promise<Message> outcome) {
        Buffer received = Buffer.buffer();
        socket.exceptionHandler(broken -> outcome.tryFail(failed("The TCP connection to the DNS resolver failed.")));
        socket.closeHandler(
                closed -> outcome.tryFail(failed("The DNS resolver closed the TCP connection without a response.")));
        socket.handler(bytes -> {
            received.appendBuffer(bytes);
            int length = received.length() < 2 ? -1 : received.getUnsignedShort(0);
            if (length < 0 || received.length() < length + 2 || outcome.future().isComplete()) {
                return;
            }
            byte[] message = received.getBytes(2, length + 2);
            socket.handler(null);
            parse(message, id)
                    .onSuccess(response -> {
                        if (response.isPresent()
                                && DnsMessageCodec.matches(response.get(), question)
                                && !response.get().getHeader().getFlag(Flags.TC)) {
                            outcome.tryComplete(response.get());
                        } else {
                            outcome.tryFail(failed("The DNS resolver sent a malformed response over TCP."));
                        }
                    })
                    .onFailure(outcome::tryFail);
        });
    }

    private Future<Optional<Message>> parse(byte[] message, int id) {
        if (!DnsMessageCodec.isResponseTo(message, id)) {
            return Future.succeededFuture(Optional.empty());
        }
        return message.length <= MAX_EVENT_LOOP_BYTES
                ? Future.succeededFuture(Optional.ofNullable(DnsMessageCodec.parse(message)))
                : vertx.executeBlocking(() -> Optional.ofNullable(DnsMessageCodec.parse(message)), false);
    }

    /** A promise that fails with {@code dns_timeout} after this time. */
    static <T> Promise<T> timeoutPromise(Vertx vertx, long millis) {
        return ContextFutures.promise(vertx, millis, promise -> promise.tryFail(timeout()));
    }

    static CheckFailure timeout() {
        return new CheckFailure(ErrorCode.DNS_TIMEOUT, "The DNS lookup timed out.");
    }

    static CheckFailure failed(String message) {
        return new CheckFailure(ErrorCode.DNS_SERVFAIL, message);
    }
}

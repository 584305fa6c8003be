package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.IpAddressText;
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
 * Asks one server one question: over UDP from a port that few share and with a random id, and over
 * TCP when the answer was truncated. What does not belong to the question is passed over.
 */
final class DnsTransport {
    /** What an event loop may parse, in bytes; larger answers are parsed beside it. */
    private static final int MOST_AT_ONCE = 4_096;

    private final VertxInternal vertx;
    private final NetClient tcp;
    private final int mostUnread;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger asking = new AtomicInteger();
    private final ConcurrentMap<EventLoop, DnsUdpSocketPool> loops = new ConcurrentHashMap<>();

    /**
     * @param timeout how long a TCP connection may take to be made
     * @param mostUnread how many questions may be on their way at once that no server can have read
     */
    DnsTransport(Vertx vertx, Duration timeout, int mostUnread) {
        this.vertx = (VertxInternal) vertx;
        this.mostUnread = mostUnread;
        this.tcp = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                .setReconnectAttempts(0));
    }

    /**
     * Asks, and tells the answer on the caller's context; or a {@link CheckFailure} of {@code
     * dns_timeout} or {@code dns_servfail}.
     */
    void exchange(Question question, long timeoutMillis, Completable<Message> told) {
        ContextInternal asker = vertx.getOrCreateContext();
        EventLoop eventLoop = asker.nettyEventLoop();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        DnsUdpSocketPool loop = loops.computeIfAbsent(eventLoop, this::loop);
        DnsQuery query = new DnsQuery(
                question,
                endNanos,
                asker,
                (answer, cause) -> {
                    if (cause == null && answer.getHeader().getFlag(Flags.TC)) {
                        overTcp(question, endNanos).onComplete(told);
                    } else {
                        told.complete(answer, cause);
                    }
                },
                loop);
        if (eventLoop.inEventLoop()) {
            loop.ask(query);
        } else {
            eventLoop.execute(() -> loop.ask(query));
        }
    }

    private DnsUdpSocketPool loop(EventLoop eventLoop) {
        return new DnsUdpSocketPool(
                eventLoop,
                mostUnread,
                asking,
                server -> port(eventLoop, IpAddressText.parse(server.hostAddress()), server.port()));
    }

    private DnsUdpSocket port(EventLoop eventLoop, InetAddress address, int port) {
        InternetProtocolFamily family =
                address instanceof Inet6Address ? InternetProtocolFamily.IPv6 : InternetProtocolFamily.IPv4;
        return new DnsUdpSocket(
                eventLoop, vertx.transport().datagramChannel(family), new InetSocketAddress(address, port), random);
    }

    private Future<Message> overTcp(Question question, long endNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
        Promise<Message> outcome = DnsTimeout.after(vertx, millis);
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
            parsed(message, id)
                    .onSuccess(answer -> {
                        if (answer.isPresent()
                                && DnsMessageCodec.belongs(answer.get(), question)
                                && !answer.get().getHeader().getFlag(Flags.TC)) {
                            outcome.tryComplete(answer.get());
                        } else {
                            outcome.tryFail(failed("The DNS resolver sent a malformed response over TCP."));
                        }
                    })
                    .onFailure(outcome::tryFail);
        });
    }

    private Future<Optional<Message>> parsed(byte[] message, int id) {
        if (!DnsMessageCodec.claimsToAnswer(message, id)) {
            return Future.succeededFuture(Optional.empty());
        }
        return message.length <= MOST_AT_ONCE
                ? Future.succeededFuture(Optional.ofNullable(DnsMessageCodec.parse(message)))
                : vertx.executeBlocking(() -> Optional.ofNullable(DnsMessageCodec.parse(message)), false);
    }

    static CheckFailure failed(String message) {
        return new CheckFailure(ErrorCode.DNS_SERVFAIL, message);
    }
}

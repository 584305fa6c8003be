package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.trace.Span;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Exchanges queries and responses with servers: over UDP with a random port and ID, and over TCP. Packets that do not
 * match the query are ignored.
 */
public final class DnsTransport {
    /** The largest message that is parsed on the event loop; larger ones are parsed on a worker thread. */
    private static final int MAX_EVENT_LOOP_BYTES = 4_096;

    private final Vertx vertx;
    private final NetClient tcp;
    private final int maxUnread;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger activePools = new AtomicInteger();
    private final ConcurrentMap<EventLoop, DnsUdpSocketPool> pools = new ConcurrentHashMap<>();

    /**
     * @param timeout the TCP connect timeout
     * @param maxUnread the maximum number of queries that the servers may not have read yet
     */
    public DnsTransport(Vertx vertx, Duration timeout, int maxUnread) {
        this.vertx = vertx;
        this.maxUnread = maxUnread;
        this.tcp = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                .setReconnectAttempts(0));
    }

    /**
     * Sends a query over UDP, and over TCP if the response is truncated. Calls back on the caller's context with the
     * response, or with a {@link CheckFailure} of {@code dns_timeout} or {@code dns_servfail}.
     */
    void exchange(DnsQuestion question, long timeoutMillis, Completable<Message> callback) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        exchangeUdp(question, timeoutMillis, (response, cause) -> {
            if (cause == null && response.getHeader().getFlag(Flags.TC)) {
                long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                exchangeTcp(List.of(question), millis)
                        .compose(responses -> responses.get(0).getHeader().getFlag(Flags.TC)
                                ? Future.failedFuture(question.failed("sent a truncated response over TCP."))
                                : Future.succeededFuture(responses.get(0)))
                        .onComplete(callback);
            } else {
                callback.complete(response, cause);
            }
        });
    }

    /**
     * Sends a query over UDP and calls back on the caller's context with the response, which can be truncated. Only the
     * header and question of a truncated response are decoded. The query is retransmitted once after a second. Fails as
     * {@link #exchange} does; for a nameserver also with {@code connect_refused} and {@code connect_unreachable}.
     */
    public void exchangeUdp(DnsQuestion question, long timeoutMillis, Completable<Message> callback) {
        Context context = vertx.getOrCreateContext();
        EventLoop eventLoop = VertxInternals.eventLoop(context);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        DnsUdpSocketPool pool = pools.computeIfAbsent(eventLoop, this::newPool);
        DnsQuery query = new DnsQuery(question, endNanos, context, traced(question, callback), pool);
        if (eventLoop.inEventLoop()) {
            pool.submit(query);
        } else {
            eventLoop.execute(() -> pool.submit(query));
        }
    }

    private static Completable<Message> traced(DnsQuestion question, Completable<Message> callback) {
        Span span = span(question, "udp");
        return span == Span.NONE
                ? callback
                : (response, cause) -> {
                    if (response != null) {
                        span.set("dns.response_code", Rcode.string(response.getRcode()));
                    }
                    CurrentSpan.end(span, cause);
                    callback.complete(response, cause);
                };
    }

    private static Span span(DnsQuestion question, String transport) {
        Span parent = CurrentSpan.get();
        return parent.recorded()
                ? parent.child("DNS " + Type.string(question.record().getType()), Span.Kind.CLIENT)
                        .set("network.transport", transport)
                        .setTarget(
                                "dns.question.name", question.record().getName().toString(true))
                        .setTarget("server.address", question.server().hostAddress())
                : Span.NONE;
    }

    private DnsUdpSocketPool newPool(EventLoop eventLoop) {
        return new DnsUdpSocketPool(eventLoop, maxUnread, activePools, server -> {
            InetAddress address = IpAddressText.of(server.hostAddress());
            return new DnsUdpSocket(
                    eventLoop,
                    VertxInternals.datagramChannel(vertx, address instanceof Inet6Address),
                    new InetSocketAddress(address, server.port()),
                    random);
        });
    }

    /**
     * Sends queries over one TCP connection, each after the response to the one before (RFC 7766 section 6.2.1).
     *
     * @param questions of one server, at least one
     * @return the responses in order, at least one; fewer than queries if the server stopped responding. Fails if there
     *     is no response, with the exception of the connect if the connection did not open
     */
    public Future<List<Message>> exchangeTcp(List<DnsQuestion> questions, long timeoutMillis) {
        DnsQuestion first = questions.get(0);
        Span span = span(first, "tcp");
        Promise<List<Message>> outcome = Promise.promise();
        DnsTcpExchange exchange = new DnsTcpExchange(questions, random, this::parse, outcome);
        long timer = vertx.setTimer(Math.max(1, timeoutMillis), late -> exchange.stop(first.timeout()));
        tcp.connect(first.server()).onFailure(exchange::stop).onSuccess(exchange::start);
        return outcome.future()
                .recover(cause -> Future.failedFuture(
                        cause instanceof CheckFailure || !first.flags().recursionDesired()
                                ? cause
                                : first.failed("does not accept TCP connections.")))
                .onComplete(done -> {
                    vertx.cancelTimer(timer);
                    CurrentSpan.end(span, done.cause());
                });
    }

    private Future<Optional<Message>> parse(byte[] message) {
        return message.length <= MAX_EVENT_LOOP_BYTES
                ? Future.succeededFuture(Optional.ofNullable(DnsMessageCodec.parse(message)))
                : vertx.executeBlocking(() -> Optional.ofNullable(DnsMessageCodec.parse(message)), false);
    }
}

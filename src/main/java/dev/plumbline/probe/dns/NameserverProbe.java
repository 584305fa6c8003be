package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.dns.CnameChain;
import dev.plumbline.dns.DnsQuestion;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsTransport;
import dev.plumbline.dns.PrivateNameFilter;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * Queries to authoritative or named servers through the egress guard, within the rate limits of targets and the request
 * budget of the check. Responses are not cached. A malformed response is a failure of the server.
 */
public final class NameserverProbe {
    /** The timeout of one exchange; a query over UDP is retransmitted once after a second. */
    private static final int TIMEOUT_MS = 3_000;

    private static final int MAX_UNREAD = 128;

    /** The time reserved for the evaluation, in milliseconds. */
    private static final long RESERVE_MS = 50;

    private final EgressGuard guard;
    private final TargetPolicy policy;
    private final DnsTransport transport;

    /**
     * A query.
     *
     * @param type a constant of {@link org.xbill.DNS.Type}
     */
    public record Query(Name name, int type, DnsQuestion.Flags flags) {
        /** A query without the RD bit, for authoritative servers. */
        public static Query iterative(Name name, int type) {
            return new Query(name, type, DnsQuestion.Flags.ITERATIVE);
        }

        /** A query with the RD bit, for resolvers. */
        public static Query recursive(Name name, int type) {
            return new Query(name, type, DnsQuestion.Flags.RECURSIVE);
        }

        private DnsQuestion question(SocketAddress server) {
            return new DnsQuestion(server, Record.newRecord(name, type, DClass.IN), flags);
        }
    }

    public NameserverProbe(Vertx vertx, EgressGuard guard, TargetPolicy policy) {
        this.guard = guard;
        this.policy = policy;
        this.transport = new DnsTransport(vertx, Duration.ofMillis(TIMEOUT_MS), MAX_UNREAD);
    }

    /**
     * The addresses of a server, IPv4 first; all of them are classified. Fails as {@link EgressGuard#resolve} does.
     *
     * @param max the maximum number of addresses
     */
    public Future<List<InetAddress>> addresses(CheckContext context, Host server, int max) {
        return guard.resolve(context, server, NameserverAddress.PORT, max);
    }

    /**
     * Sends a query over UDP, without EDNS if the server rejects it, and over TCP if the response is truncated: up to
     * three requests. Any response code is a response. Fails as {@link EgressGuard#dial} does, with {@code dns_timeout}
     * without a response, {@code connect_refused}, {@code connect_unreachable}, and {@code dns_servfail} for a
     * malformed response.
     */
    public Future<NameserverResponse> query(CheckContext context, NameserverAddress server, Query query) {
        return exchangeUdp(context, server, query)
                .compose(response -> response.rcode() == Rcode.FORMERR
                        ? exchangeUdp(context, server, withoutEdns(query))
                        : Future.succeededFuture(response))
                .compose(response -> isTruncated(response)
                        ? queryTcp(context, server, List.of(query)).map(responses -> responses.get(0))
                        : Future.succeededFuture(response));
    }

    /**
     * Sends queries over one TCP connection, each after the response to the one before: one request. Fails as
     * {@link #query} does if there is no response.
     *
     * @return the responses in order, with the time since the start of the connection; fewer than queries if the server
     *     stopped responding
     */
    public Future<List<NameserverResponse>> queryTcp(
            CheckContext context, NameserverAddress server, List<Query> queries) {
        return guard.dial(context, server.host(), server.address(), server.port(), remote -> {
            long start = System.nanoTime();
            List<DnsQuestion> questions =
                    queries.stream().map(query -> query.question(remote)).toList();
            return transport
                    .exchangeTcp(questions, timeoutMillis(context))
                    .map(messages -> messages.stream()
                            .map(message -> response(message, start))
                            .toList())
                    .compose(responses -> responses.stream().anyMatch(NameserverProbe::isTruncated)
                            ? Future.failedFuture(new CheckFailure(
                                    ErrorCode.DNS_SERVFAIL,
                                    "The nameserver " + server.host().name() + " sent a truncated response over TCP."))
                            : reserveMessages(context, responses))
                    .recover(cause -> Future.failedFuture(failure(cause, remote)));
        });
    }

    /**
     * The response of a server as the result of a lookup: a {@link CheckFailure} is a result, and a response with
     * private names or addresses is {@code target_blocked}. Aliases are followed within the response.
     *
     * @param type for example {@code MX}
     */
    public Future<DnsLookupResult> lookup(CheckContext context, NameserverAddress server, String name, String type) {
        Name queried;
        try {
            queried = Name.fromString(name, Name.root);
        } catch (TextParseException malformed) {
            return Future.failedFuture(malformed);
        }
        return query(context, server, Query.iterative(queried, Type.value(type)))
                .compose(response -> {
                    try {
                        return Future.succeededFuture(
                                CnameChain.of(queried, Type.value(type), response.message(), response.responseMs()));
                    } catch (CheckFailure failure) {
                        return Future.failedFuture(failure);
                    }
                })
                .compose(response -> PrivateNameFilter.isPrivate(policy, response)
                        ? Future.failedFuture(PrivateNameFilter.failure(name))
                        : Future.succeededFuture(response))
                .map(response -> new DnsLookupResult(type, response, null))
                .recover(CheckFailure.otherwise(error -> new DnsLookupResult(type, null, error)));
    }

    /**
     * The records; fails with {@code target_blocked} if one of them contains a private name or address. Required before
     * records are shown.
     *
     * @param name the name whose records they are
     */
    public Future<List<Record>> requirePublic(Name name, List<Record> records) {
        return records.stream().anyMatch(record -> PrivateNameFilter.isPrivate(policy, record))
                ? Future.failedFuture(PrivateNameFilter.failure(DnsResolver.text(name)))
                : Future.succeededFuture(records);
    }

    private Future<NameserverResponse> exchangeUdp(CheckContext context, NameserverAddress server, Query query) {
        return guard.dial(context, server.host(), server.address(), server.port(), remote -> {
            long start = System.nanoTime();
            Promise<Message> promise = Promise.promise();
            transport.exchangeUdp(query.question(remote), timeoutMillis(context), promise);
            return promise.future()
                    .map(message -> response(message, start))
                    .compose(response ->
                            reserveMessages(context, List.of(response)).map(response))
                    .recover(cause -> Future.failedFuture(failure(cause, remote)));
        });
    }

    private static Future<List<NameserverResponse>> reserveMessages(
            CheckContext context, List<NameserverResponse> responses) {
        long bytes = responses.stream()
                .mapToLong(response -> response.message().numBytes())
                .sum();
        return context.reserve(DnsProbe.OBJECT_FACTOR * bytes).map(responses);
    }

    private static boolean isTruncated(NameserverResponse response) {
        return response.message().getHeader().getFlag(Flags.TC);
    }

    private static Throwable failure(Throwable cause, SocketAddress remote) {
        return cause instanceof CheckFailure || cause instanceof OverloadFailure
                ? cause
                : ConnectErrors.of(cause, remote);
    }

    private static Query withoutEdns(Query query) {
        return new Query(query.name(), query.type(), query.flags().withoutEdns());
    }

    private static NameserverResponse response(Message message, long startNanos) {
        return new NameserverResponse(message, (System.nanoTime() - startNanos) / 1e6);
    }

    private static long timeoutMillis(CheckContext context) {
        return Math.min(TIMEOUT_MS, Math.max(1, context.deadline().remainingMillis() - RESERVE_MS));
    }
}

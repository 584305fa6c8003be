package dev.plumbline.probe.registry;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Target;
import dev.plumbline.config.Config;
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
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Asks registries and registrars about domains by WHOIS (RFC 3912): IANA for the registry of a
 * top-level domain, the registry for the domain, and the registrar where the registry says that it
 * knows more. Referrals are followed to port 43 alone, or to the port that {@code whois.server}
 * names.
 */
public final class WhoisProbe {
    /** The most that is read of an answer, in bytes. */
    public static final int MOST_BYTES = 128 * 1024;

    private static final int MOST_SERVERS = 3;
    private static final int MOST_ADDRESSES = 2;
    private static final long RESERVE_MILLIS = 100;
    private static final int REMEMBERED = 2_000;
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
    private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]");

    private final Vertx vertx;
    private final EgressGuard guard;
    private final Target.HostPort first;
    private final RegistryRateLimiter pace;
    private final NetClient client;

    /** The servers of top-level domains. */
    private final Cache<String, Optional<Target.HostPort>> servers = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(Duration.ofHours(12))
            .executor(Runnable::run)
            .build();

    /**
     * @throws IllegalArgumentException when the first server cannot be read
     */
    public WhoisProbe(Vertx vertx, EgressGuard guard, Config.RegistrySettings settings) {
        this.vertx = vertx;
        this.guard = guard;
        this.pace = new RegistryRateLimiter(vertx, settings.perServer());
        this.client = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
        Target.HostPort server = WhoisReferral.server(settings.whoisServer());
        if (server == null) {
            throw new IllegalArgumentException(
                    "whois.server: '" + settings.whoisServer() + "' is not a host such as whois.iana.org");
        }
        this.first = server;
    }

    /**
     * Asks about a domain.
     *
     * @param domain in lower-case A-labels
     * @return what was answered, the registry first; empty when nobody is to be asked for such
     *     domains
     */
    public Future<List<WhoisResponse>> lookup(CheckContext context, String domain) {
        if (!NAME.matcher(domain).matches()) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.INVALID_TARGET, "The domain contains characters that WHOIS does not support."));
        }
        String tld = domain.substring(domain.lastIndexOf('.') + 1);
        return serverOf(context, tld)
                .compose(server -> server.isEmpty()
                        ? Future.succeededFuture(List.of())
                        : ask(context, server.get(), question(tld, domain))
                                .compose(reply -> further(
                                        context,
                                        domain,
                                        new ArrayList<>(List.of(server.get())),
                                        new ArrayList<>(List.of(reply)))));
    }

    /** Some registries answer a bare name with everything that begins so, or in another language. */
    private static String question(String tld, String domain) {
        return switch (tld) {
            case "com", "net" -> "domain " + domain;
            case "de" -> "-T dn,ace " + domain;
            case "jp" -> domain + "/e";
            default -> domain;
        };
    }

    private Future<Optional<Target.HostPort>> serverOf(CheckContext context, String tld) {
        Optional<Target.HostPort> known = servers.getIfPresent(tld);
        if (known != null) {
            return Future.succeededFuture(known);
        }
        return ask(half(context), first, tld)
                .map(reply -> Optional.ofNullable(WhoisReferral.ofIana(reply.text(), first.port())))
                .onSuccess(server -> {
                    // that there is none may have been an answer of a bad moment
                    if (server.isPresent()) {
                        servers.put(tld, server);
                    }
                });
    }

    /** Follows referrals, to nobody twice; a registrar that does not answer takes nothing away. */
    private Future<List<WhoisResponse>> further(
            CheckContext context, String domain, List<Target.HostPort> asked, List<WhoisResponse> replies) {
        Target.HostPort next =
                WhoisReferral.ofRegistry(replies.get(replies.size() - 1).text(), first.port());
        boolean enough = next == null || asked.size() >= MOST_SERVERS || asked.contains(next) || first.equals(next);
        if (enough || left(context) <= 0) {
            return Future.succeededFuture(List.copyOf(replies));
        }
        asked.add(next);
        return ask(context, next, domain).transform(reply -> {
            if (reply.failed()) {
                return Future.succeededFuture(List.copyOf(replies));
            }
            replies.add(reply.result());
            return further(context, domain, asked, replies);
        });
    }

    private Future<WhoisResponse> ask(CheckContext context, Target.HostPort server, String question) {
        return pace.take(
                context, server.text(), share -> guard.resolve(share, server.host(), server.port(), MOST_ADDRESSES)
                        .compose(addresses -> dial(share, server, addresses, question)));
    }

    private Future<WhoisResponse> dial(
            CheckContext context, Target.HostPort server, List<InetAddress> addresses, String question) {
        boolean lastOne = addresses.size() == 1;
        CheckContext share = lastOne ? context : half(context);
        InetAddress address = addresses.get(0);
        return guard.dial(share, server.host(), address, server.port(), remote -> {
                    ConnectOptions options =
                            new ConnectOptions().setRemoteAddress(remote).setTimeout((int) Math.max(1, left(share)));
                    return client.connect(options)
                            .recover(refused -> Future.failedFuture(ConnectErrors.of(refused, remote)))
                            .compose(socket -> exchange(share, server, address, question, socket));
                })
                .recover(failure -> !lastOne && failure instanceof CheckFailure && left(context) > 0
                        ? dial(context, server, addresses.subList(1, addresses.size()), question)
                        : Future.failedFuture(failure));
    }

    private Future<WhoisResponse> exchange(
            CheckContext context, Target.HostPort server, InetAddress address, String question, NetSocket socket) {
        try {
            guard.assertPeer(socket.remoteAddress(), address, server.port());
        } catch (RuntimeException other) {
            return socket.close().transform(closed -> Future.failedFuture(other));
        }
        String name = server.host().name();
        Promise<WhoisResponse> promise = Promise.promise();
        Buffer received = Buffer.buffer();
        socket.exceptionHandler(broken -> promise.tryFail(
                new CheckFailure(ErrorCode.CONNECTION_RESET, name + " reset the connection without a response.")));
        socket.closeHandler(closed -> {
            if (received.length() == 0) {
                promise.tryFail(new CheckFailure(
                        ErrorCode.CONNECTION_RESET, name + " closed the connection without a response."));
            } else {
                promise.tryComplete(new WhoisResponse(name, text(received.getBytes())));
            }
        });
        socket.handler(bytes -> {
            if (received.length() + bytes.length() > MOST_BYTES) {
                promise.tryFail(new CheckFailure(
                        ErrorCode.RESPONSE_TOO_LARGE,
                        "The response of " + name + " exceeds " + MOST_BYTES / 1024 + " KiB."));
            } else if (!promise.future().isComplete()) {
                received.appendBuffer(bytes);
            }
        });
        long timer = vertx.setTimer(
                Math.max(1, left(context)),
                late -> promise.tryFail(
                        new CheckFailure(ErrorCode.READ_TIMEOUT, name + " did not complete the response in time.")));
        socket.write(Buffer.buffer(question + "\r\n", "US-ASCII"));
        return promise.future().eventually(() -> {
            vertx.cancelTimer(timer);
            return socket.close().otherwiseEmpty();
        });
    }

    /** UTF-8 where it is valid, else ISO-8859-1; RFC 3912, section 4 knows no way to tell. */
    static String text(byte[] bytes) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException other) {
            text = new String(bytes, StandardCharsets.ISO_8859_1);
        }
        return CONTROLS.matcher(text.replace("\r\n", "\n").replace('\r', '\n')).replaceAll("");
    }

    private static CheckContext half(CheckContext context) {
        return context.within(context.deadline().atMost(left(context) / 2));
    }

    private static long left(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}

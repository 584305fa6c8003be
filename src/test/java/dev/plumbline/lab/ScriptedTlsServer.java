package dev.plumbline.lab;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server that sends the first flight of configurable TLS versions and cipher suites, including those that no library
 * supports. It responds to each ClientHello with a ServerHello, an invalid certificate and a key exchange, or with an
 * alert.
 */
public final class ScriptedTlsServer {
    public static final int EXTENDED_MASTER_SECRET = 23;
    public static final int SESSION_TICKET = 35;
    public static final int RENEGOTIATION_INFO = 0xff01;

    private static final int SIGNATURE_ALGORITHMS = 13;
    private static final int SUPPORTED_GROUPS = 10;
    private static final int TLS_1_2 = 0x0303;

    /** Accepted cipher suites by version, in order of preference. */
    private final Map<Integer, List<Integer>> suites = new LinkedHashMap<>();

    private final AtomicInteger clientHellos = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger maxOpenConnections = new AtomicInteger();
    private boolean closesInsteadOfAlert;
    private int ignored = -1;
    private int primeBits = 2048;
    private List<Integer> groups = List.of(23);
    private List<Integer> extensions = List.of(EXTENDED_MASTER_SECRET, RENEGOTIATION_INFO);
    private List<Integer> signatures = List.of(0x0401);
    private boolean compresses;
    private boolean rejectsFallback;
    private NetServer server;

    private ScriptedTlsServer() {}

    public static ScriptedTlsServer create() {
        return new ScriptedTlsServer();
    }

    /** Accepts these cipher suites in this version, in order of preference. */
    public ScriptedTlsServer accepts(int version, Integer... codes) {
        suites.put(version, List.of(codes));
        return this;
    }

    /** Closes the connection instead of sending an alert. */
    public ScriptedTlsServer closingInsteadOfAlert() {
        closesInsteadOfAlert = true;
        return this;
    }

    /** Does not respond to clients that offer this cipher suite. */
    public ScriptedTlsServer ignoringSuite(int suite) {
        ignored = suite;
        return this;
    }

    public ScriptedTlsServer prime(int bits) {
        primeBits = bits;
        return this;
    }

    public ScriptedTlsServer groups(Integer... codes) {
        groups = List.of(codes);
        return this;
    }

    /** Sends these extensions in the ServerHello. Default: those of a current server. */
    public ScriptedTlsServer extensions(Integer... codes) {
        extensions = List.of(codes);
        return this;
    }

    /** Signs the key exchange of TLS 1.2 with the first of these schemes that the client offers. */
    public ScriptedTlsServer signatures(Integer... schemes) {
        signatures = List.of(schemes);
        return this;
    }

    /** Supports TLS_FALLBACK_SCSV (RFC 7507). */
    public ScriptedTlsServer rejectingFallback() {
        rejectsFallback = true;
        return this;
    }

    /** Selects DEFLATE if the client offers it. */
    public ScriptedTlsServer compressing() {
        compresses = true;
        return this;
    }

    public Future<ScriptedTlsServer> listen(Vertx vertx) {
        return listen(vertx, 0);
    }

    /** @param port 0: a free port */
    Future<ScriptedTlsServer> listen(Vertx vertx, int port) {
        return vertx.createNetServer()
                .connectHandler(this::serve)
                .listen(port, "127.0.0.1")
                .map(listening -> {
                    server = listening;
                    return this;
                });
    }

    public int port() {
        return server.actualPort();
    }

    /** The number of received ClientHello messages. */
    public int clientHellos() {
        return clientHellos.get();
    }

    /** The maximum number of concurrent connections. */
    public int maxOpenConnections() {
        return maxOpenConnections.get();
    }

    private void serve(NetSocket socket) {
        int now = open.incrementAndGet();
        maxOpenConnections.accumulateAndGet(now, Math::max);
        socket.closeHandler(closed -> open.decrementAndGet());
        socket.exceptionHandler(broken -> {});
        Buffer received = Buffer.buffer();
        socket.handler(bytes -> {
            received.appendBuffer(bytes);
            if (received.length() >= 5 && received.length() >= 5 + received.getUnsignedShort(3)) {
                clientHellos.incrementAndGet();
                Buffer response = respond(received);
                if (response != null) {
                    socket.end(response);
                }
            }
        });
    }

    private @Nullable Buffer respond(Buffer hello) {
        int version = hello.getUnsignedShort(9);
        int at = 9 + 2 + 32;
        at += 1 + hello.getUnsignedByte(at);
        int end = at + 2 + hello.getUnsignedShort(at);
        List<Integer> offered = new ArrayList<>();
        for (at += 2; at < end; at += 2) {
            offered.add(hello.getUnsignedShort(at));
        }
        if (offered.contains(ignored)) {
            return null;
        }
        boolean fallback = suites.keySet().stream().anyMatch(newer -> newer > version);
        if (rejectsFallback && fallback && offered.contains(0x5600)) {
            return Buffer.buffer(new byte[] {21, 3, (byte) version, 0, 2, 2, 86});
        }
        List<Integer> accepted = suites.getOrDefault(version, List.of());

        int group = first(groups, hello, SUPPORTED_GROUPS);
        int signature = version == TLS_1_2 ? first(signatures, hello, SIGNATURE_ALGORITHMS) : 0;
        boolean deflates = compresses && hello.getUnsignedByte(at) == 2;
        for (int suite : accepted) {
            boolean curve = suite >> 8 == 0xc0;
            boolean signed = suite == 0x0033 || curve && suite != 0xc018;
            if (offered.contains(suite) && (!curve || group >= 0 || version == 0x0300) && (!signed || signature >= 0)) {
                return flight(version, suite, !curve ? -1 : group < 0 ? 23 : group, signed ? signature : 0, deflates);
            }
        }
        return closesInsteadOfAlert
                ? Buffer.buffer()
                : Buffer.buffer(new byte[] {21, 3, (byte) version, 0, 2, 2, (byte) (accepted.isEmpty() ? 70 : 40)});
    }

    /** The first of these codes that the client offers in an extension; -1 if there is none. */
    private static int first(List<Integer> codes, Buffer hello, int extension) {
        return codes.stream()
                .filter(code -> offers(hello, extension, code))
                .findFirst()
                .orElse(-1);
    }

    /** Whether an extension that lists 16-bit codes contains this one. */
    private static boolean offers(Buffer hello, int extension, int code) {
        int at = 9 + 2 + 32;
        at += 1 + hello.getUnsignedByte(at);
        at += 2 + hello.getUnsignedShort(at);
        at += 1 + hello.getUnsignedByte(at) + 2;
        while (at + 4 <= hello.length()) {
            int length = hello.getUnsignedShort(at + 2);
            if (hello.getUnsignedShort(at) == extension) {
                for (int i = at + 6; i < at + 4 + length; i += 2) {
                    if (hello.getUnsignedShort(i) == code) {
                        return true;
                    }
                }
            }
            at += 4 + length;
        }
        return false;
    }

    private Buffer flight(int version, int suite, int group, int signature, boolean deflates) {
        Buffer hello = Buffer.buffer()
                .appendUnsignedShort(version)
                .appendBytes(new byte[32])
                .appendByte((byte) 0)
                .appendUnsignedShort(suite)
                .appendByte((byte) (deflates ? 1 : 0))
                .appendBuffer(extensions());
        Buffer exchange = Buffer.buffer();
        if (group >= 0) {
            exchange.appendByte((byte) 3).appendUnsignedShort(group).appendByte((byte) 32);
        } else {
            byte[] prime = new byte[primeBits / 8];
            prime[0] = (byte) 0x80;
            exchange.appendUnsignedShort(prime.length)
                    .appendBytes(prime)
                    .appendUnsignedShort(1)
                    .appendByte((byte) 2)
                    .appendUnsignedShort(32);
        }
        exchange.appendBytes(new byte[32]);
        if (version == TLS_1_2 && signature > 0) {
            exchange.appendUnsignedShort(signature).appendUnsignedShort(40).appendBytes(new byte[40]);
        }
        Buffer messages = message(2, hello)
                .appendBuffer(message(11, Buffer.buffer(new byte[3000])))
                .appendBuffer(message(12, exchange))
                .appendBuffer(message(14, Buffer.buffer()));
        Buffer records = Buffer.buffer();
        for (int at = 0; at < messages.length(); at += 1000) {
            Buffer part = messages.getBuffer(at, Math.min(messages.length(), at + 1000));
            records.appendByte((byte) 22)
                    .appendUnsignedShort(version)
                    .appendUnsignedShort(part.length())
                    .appendBuffer(part);
        }
        return records;
    }

    private Buffer extensions() {
        Buffer all = Buffer.buffer();
        for (int extension : extensions) {
            boolean renegotiation = extension == RENEGOTIATION_INFO;
            all.appendUnsignedShort(extension)
                    .appendUnsignedShort(renegotiation ? 1 : 0)
                    .appendBytes(new byte[renegotiation ? 1 : 0]);
        }
        return Buffer.buffer().appendUnsignedShort(all.length()).appendBuffer(all);
    }

    private static Buffer message(int type, Buffer body) {
        return Buffer.buffer()
                .appendByte((byte) type)
                .appendMedium(body.length())
                .appendBuffer(body);
    }
}

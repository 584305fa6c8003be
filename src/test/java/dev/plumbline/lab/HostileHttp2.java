package dev.plumbline.lab;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Servers that negotiate HTTP/2 and send invalid or endless frames (RFC 9113). */
public final class HostileHttp2 {
    private static final int PREFACE_BYTES = 24;
    private static final int FRAME_HEAD_BYTES = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    private static final byte STATUS_200 = (byte) 0x88;

    /** The frames that a server sends after the first request. */
    private enum Attack {
        HEADER_BOMB("response_too_large or http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                // HPACK: a header of 4,000 bytes enters the dynamic table, then each byte repeats it.
                Buffer block = Buffer.buffer(new byte[] {STATUS_200, 0x40, 1, 'x', 0x7f});
                block.appendBytes(new byte[] {(byte) 0xa1, 0x1e}).appendString("y".repeat(4_000));
                for (int i = 0; i < 10_000; i++) {
                    block.appendByte((byte) 0xbe);
                }
                c.send(frame(HEADERS, END_HEADERS, stream, block));
            }
        },
        CONTINUATIONS("response_too_large or http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.send(frame(HEADERS, 0, stream, Buffer.buffer(new byte[] {STATUS_200})));
                Buffer one = frame(CONTINUATION, 0, stream, Buffer.buffer(new byte[] {0, 1, 'x', 1, 'y'}));
                c.endless(() -> one);
            }
        },
        PINGS("response_too_large or http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.endless(() -> frame(PING, 0, 0, Buffer.buffer(new byte[8])));
            }
        },
        SETTINGS_FLOOD("response_too_large or http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.endless(() -> frame(SETTINGS, 0, 0, Buffer.buffer()));
            }
        },
        TOO_MUCH_DATA("200 by HEAD; http_protocol_error or a truncated body by GET") {
            @Override
            void execute(LabExchange c, int stream) {
                c.send(frame(HEADERS, END_HEADERS, stream, Buffer.buffer(new byte[] {STATUS_200})));
                c.endless(() -> frame(DATA, 0, stream, Buffer.buffer(new byte[16_000])));
            }
        },
        RESET("http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.send(frame(RST_STREAM, 0, stream, Buffer.buffer(new byte[] {0, 0, 0, 7})));
            }
        },
        GO_AWAY("http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.end(frame(GOAWAY, 0, 0, Buffer.buffer(new byte[] {0, 0, 0, 0, 0, 0, 0, 11})));
            }
        },
        GARBAGE("http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" + "and more ".repeat(99));
            }
        },
        NO_STATUS("http_protocol_error") {
            @Override
            void execute(LabExchange c, int stream) {
                c.send(frame(HEADERS, END_HEADERS, stream, Buffer.buffer(new byte[] {0, 1, 'x', 1, 'y'})));
            }
        };

        private final String expectation;

        Attack(String expectation) {
            this.expectation = expectation;
        }

        abstract void execute(LabExchange exchange, int stream);
    }

    private final Attack attack;
    private final NetServer server;

    private HostileHttp2(Attack attack, NetServer server) {
        this.attack = attack;
        this.server = server;
    }

    static Future<List<HostileHttp2>> startAll(Vertx vertx, PemKeyCertOptions identity, LabPorts ports) {
        List<HostileHttp2> all = new ArrayList<>();
        Future<?> started = Future.succeededFuture();
        for (Attack attack : Attack.values()) {
            started = started.compose(before -> start(vertx, identity, attack, ports.next()))
                    .onSuccess(all::add);
        }
        return started.map(all);
    }

    private static Future<HostileHttp2> start(Vertx vertx, PemKeyCertOptions identity, Attack attack, int port) {
        NetServerOptions options =
                new NetServerOptions().setSsl(true).setUseAlpn(true).setKeyCertOptions(identity);
        options.getSslOptions().setApplicationLayerProtocols(List.of("h2"));
        return vertx.createNetServer(options)
                .connectHandler(socket -> {
                    LabExchange exchange = LabExchange.over(vertx, socket);
                    Buffer received = Buffer.buffer();
                    socket.handler(bytes -> {
                        received.appendBuffer(bytes);
                        int stream = requestedStream(received);
                        if (stream > 0) {
                            socket.handler(more -> {});
                            if (attack != Attack.GARBAGE) {
                                exchange.send(frame(SETTINGS, 0, 0, Buffer.buffer()));
                            }
                            attack.execute(exchange, stream);
                        }
                    });
                })
                .listen(port, "127.0.0.1")
                .map(server -> new HostileHttp2(attack, server));
    }

    public String name() {
        return attack.name().toLowerCase(Locale.ROOT);
    }

    public String expectation() {
        return attack.expectation;
    }

    public int port() {
        return server.actualPort();
    }

    public String url() {
        return "https://127.0.0.1:" + port() + "/" + name();
    }

    /** The stream of the first request after the preface; 0: no request received yet. */
    private static int requestedStream(Buffer received) {
        int at = PREFACE_BYTES;
        while (at + FRAME_HEAD_BYTES <= received.length()) {
            if (received.getByte(at + 3) == HEADERS) {
                return received.getInt(at + 5);
            }
            at += FRAME_HEAD_BYTES + received.getMedium(at);
        }
        return 0;
    }

    private static Buffer frame(int type, int flags, int stream, Buffer payload) {
        return Buffer.buffer(FRAME_HEAD_BYTES + payload.length())
                .appendMedium(payload.length())
                .appendByte((byte) type)
                .appendByte((byte) flags)
                .appendInt(stream)
                .appendBuffer(payload);
    }
}

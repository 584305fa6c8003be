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

/** Servers that agree to HTTP/2 and then write frames that no decent server would (RFC 9113). */
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

    /** What a server does once it has been asked. */
    private enum Manner {
        HEADER_BOMB("response_too_large or http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                // One header of 4,000 bytes goes into the table; then one byte repeats it (HPACK).
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
            void speak(LabExchange c, int stream) {
                c.send(frame(HEADERS, 0, stream, Buffer.buffer(new byte[] {STATUS_200})));
                Buffer one = frame(CONTINUATION, 0, stream, Buffer.buffer(new byte[] {0, 1, 'x', 1, 'y'}));
                c.endless(() -> one);
            }
        },
        PINGS("response_too_large or http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.endless(() -> frame(PING, 0, 0, Buffer.buffer(new byte[8])));
            }
        },
        SETTINGS_FLOOD("response_too_large or http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.endless(() -> frame(SETTINGS, 0, 0, Buffer.buffer()));
            }
        },
        TOO_MUCH_DATA("200 by HEAD; http_protocol_error by GET, or cut") {
            @Override
            void speak(LabExchange c, int stream) {
                c.send(frame(HEADERS, END_HEADERS, stream, Buffer.buffer(new byte[] {STATUS_200})));
                c.endless(() -> frame(DATA, 0, stream, Buffer.buffer(new byte[16_000])));
            }
        },
        RESET("http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.send(frame(RST_STREAM, 0, stream, Buffer.buffer(new byte[] {0, 0, 0, 7})));
            }
        },
        GO_AWAY("http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.end(frame(GOAWAY, 0, 0, Buffer.buffer(new byte[] {0, 0, 0, 0, 0, 0, 0, 11})));
            }
        },
        GARBAGE("http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" + "and more ".repeat(99));
            }
        },
        NO_STATUS("http_protocol_error") {
            @Override
            void speak(LabExchange c, int stream) {
                c.send(frame(HEADERS, END_HEADERS, stream, Buffer.buffer(new byte[] {0, 1, 'x', 1, 'y'})));
            }
        };

        private final String expectation;

        Manner(String expectation) {
            this.expectation = expectation;
        }

        abstract void speak(LabExchange conversation, int stream);
    }

    private final Manner manner;
    private final NetServer server;

    private HostileHttp2(Manner manner, NetServer server) {
        this.manner = manner;
        this.server = server;
    }

    static Future<List<HostileHttp2>> startAll(Vertx vertx, PemKeyCertOptions identity) {
        List<HostileHttp2> all = new ArrayList<>();
        Future<?> started = Future.succeededFuture();
        for (Manner manner : Manner.values()) {
            started = started.compose(before -> start(vertx, identity, manner)).onSuccess(all::add);
        }
        return started.map(all);
    }

    private static Future<HostileHttp2> start(Vertx vertx, PemKeyCertOptions identity, Manner manner) {
        NetServerOptions options =
                new NetServerOptions().setSsl(true).setUseAlpn(true).setKeyCertOptions(identity);
        options.getSslOptions().setApplicationLayerProtocols(List.of("h2"));
        return vertx.createNetServer(options)
                .connectHandler(socket -> {
                    LabExchange conversation = LabExchange.over(vertx, socket);
                    Buffer received = Buffer.buffer();
                    socket.handler(bytes -> {
                        received.appendBuffer(bytes);
                        int stream = requestedStream(received);
                        if (stream > 0) {
                            socket.handler(more -> {});
                            if (manner != Manner.GARBAGE) {
                                conversation.send(frame(SETTINGS, 0, 0, Buffer.buffer()));
                            }
                            manner.speak(conversation, stream);
                        }
                    });
                })
                .listen(0, "127.0.0.1")
                .map(server -> new HostileHttp2(manner, server));
    }

    public String name() {
        return manner.name().toLowerCase(Locale.ROOT);
    }

    public String expectation() {
        return manner.expectation;
    }

    public int port() {
        return server.actualPort();
    }

    public String url() {
        return "https://127.0.0.1:" + port() + "/" + name();
    }

    /** The stream of the first request after the preface; 0 while none is there. */
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

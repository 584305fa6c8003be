package dev.plumbline.lab;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** Slow, endless and malformed responses, and decompression bombs. */
final class HostilePages {
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "transfer-encoding: chunked\r\n\r\n";
    private static final Buffer SIXTEEN_KIB = Buffer.buffer(new byte[16 * 1024]);

    /** 64 MiB of zeros in brotli. */
    private static final String BROTLI_BOMB =
            "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/L//8//BMAcVgAoHv/Bw==";

    private HostilePages() {}

    static List<LabPage> slow() {
        return List.of(
                new LabPage("/never", "read_timeout", c -> {}),
                new LabPage("/drip/head", "read_timeout", c -> c.drip(OK + "x-drip: " + "x".repeat(99))),
                new LabPage("/drip/body", "200 by HEAD; read_timeout by GET", c -> {
                    c.send(OK + "content-length: 100\r\n\r\n");
                    c.drip("x".repeat(100));
                }));
    }

    static List<LabPage> endless() {
        return List.of(
                new LabPage("/endless/body", "200", c -> {
                    c.send(OK + "\r\n");
                    c.endless(() -> SIXTEEN_KIB);
                }),
                new LabPage("/endless/header", "response_too_large", c -> {
                    c.send(OK + "x-long: ");
                    c.endless(() -> LabExchange.bytes("x".repeat(4096)));
                }),
                new LabPage("/endless/headers", "response_too_large", c -> {
                    c.send(OK);
                    c.endless(() -> LabExchange.bytes("x-one: more\r\n".repeat(100)));
                }),
                new LabPage("/endless/status-line", "response_too_large", c -> {
                    c.send("HTTP/1.1 200 ");
                    c.endless(() -> LabExchange.bytes("x".repeat(4096)));
                }),
                new LabPage(
                        "/endless/new-lines",
                        "response_too_large",
                        c -> c.endless(() -> LabExchange.bytes("\r\n".repeat(2048)))),
                new LabPage(
                        "/endless/interim",
                        "http_protocol_error",
                        c -> c.endless(() -> LabExchange.bytes("HTTP/1.1 102 Processing\r\n\r\n".repeat(9)))),
                new LabPage(
                        "/endless/chunk-extension", "response_too_large or http_protocol_error with method=get", c -> {
                            c.send(CHUNKED + "1;");
                            c.endless(() -> LabExchange.bytes("x".repeat(4096)));
                        }),
                new LabPage("/endless/chunk-extensions", "response_too_large with method=get", c -> {
                    c.send(CHUNKED);
                    c.endless(() -> LabExchange.bytes("1;" + "x".repeat(4000) + "\r\ny\r\n"));
                }),
                new LabPage("/endless/trailers", "response_too_large with method=get", c -> {
                    c.send(CHUNKED + "0\r\n");
                    c.endless(() -> LabExchange.bytes("x-one: more\r\n".repeat(100)));
                }),
                new LabPage("/headers/100000", "response_too_large", c -> {
                    StringBuilder head = new StringBuilder(OK);
                    for (int i = 0; i < 100_000; i++) {
                        head.append("x-").append(i).append(": 1\r\n");
                    }
                    c.end(head + "\r\n");
                }),
                new LabPage("/headers/2000", "response_too_large", c -> c.end(OK + "a:1\r\n".repeat(2_000) + "\r\n")),
                new LabPage(
                        "/bomb/gzip",
                        "200; zeros, truncated",
                        c -> c.respond(200, "content-encoding: gzip\r\n", gzipBomb())),
                new LabPage(
                        "/bomb/brotli",
                        "200; zeros, truncated",
                        c -> c.respond(
                                200,
                                "content-encoding: br\r\n",
                                Buffer.buffer(Base64.getDecoder().decode(BROTLI_BOMB)))));
    }

    static List<LabPage> broken() {
        return List.of(
                bytes("/chunk/malformed", "http_protocol_error with method=get", CHUNKED + "zz\r\nx\r\n"),
                bytes("/chunk/huge", "http_protocol_error with method=get", CHUNKED + "fffffffff\r\nx\r\n"),
                bytes("/chunk/no-end", "connection_reset with method=get", CHUNKED + "5\r\nab"),
                bytes("/length/short", "connection_reset with method=get", OK + "content-length: 9\r\n\r\nx"),
                bytes("/length/long", "200", OK + "content-length: 2\r\n\r\nok and more"),
                bytes("/length/negative", "http_protocol_error", OK + "content-length: -1\r\n\r\n"),
                bytes("/length/two", "http_protocol_error", OK + "content-length: 1\r\ncontent-length: 2\r\n\r\nab"),
                bytes("/no-colon", "http_protocol_error", OK + "this-is-not-a-header\r\n\r\n"),
                bytes(
                        "/controls",
                        "200; no control characters in the report",
                        OK + "server: a\u0001b\u001b[31mc\r\n\r\n"),
                bytes("/http-0.9", "http_protocol_error", "<html>\nold times</html>"),
                bytes("/ssh", "http_protocol_error", "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
                bytes("/version", "http_protocol_error", "HTTP/9.9 200 OK\r\n\r\n"),
                bytes("/status", "http_protocol_error", "HTTP/1.1 abc OK\r\n\r\n"),
                bytes("/status-99", "http_protocol_error", "HTTP/1.1 99 Low\r\n\r\n"),
                bytes("/switch", "http_protocol_error", "HTTP/1.1 101 Go\r\nupgrade: x\r\n\r\n"),
                bytes("/only-interim", "connection_reset", "HTTP/1.1 100 Continue\r\n\r\n"),
                bytes("/half-a-head", "connection_reset", OK + "server: la"),
                new LabPage("/closed", "connection_reset", LabExchange::close),
                new LabPage("/reset", "connection_reset", LabExchange::reset),
                new LabPage("/reset-in-head", "connection_reset", c -> {
                    c.send(OK + "server: la");
                    c.reset();
                }),
                new LabPage("/reset-in-body", "connection_reset with method=get", c -> {
                    c.send(OK + "content-length: 100\r\n\r\nhalf");
                    c.reset();
                }),
                new LabPage("/garbage", "http_protocol_error", c -> {
                    byte[] garbage = new byte[4_096];
                    new Random(7).nextBytes(garbage);
                    c.send("\u0080\u00ff");
                    c.end(Buffer.buffer(garbage).appendString("\n"));
                }));
    }

    private static LabPage bytes(String path, String expectation, String response) {
        return new LabPage(path, expectation, c -> c.end(response));
    }

    private static Buffer gzipBomb() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 64; i++) {
                out.write(zeros);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}

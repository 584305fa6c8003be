package dev.plumbline.lab;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** WebSocket servers: valid ones, and ones with invalid handshakes and endless frames. */
final class WebSocketPages {
    private static final String PATH = "/websocket";

    /** A text frame of 100 bytes. */
    private static final String FRAME = "\u0081d" + "x".repeat(100);

    private static final Map<String, String> EXPECTATIONS = Map.ofEntries(
            Map.entry("", "upgraded=true"),
            Map.entry("/frames", "upgraded=true"),
            Map.entry("/endless-frames", "upgraded=true"),
            Map.entry("/extension", "upgraded=true"),
            Map.entry("/no-accept", "verdict=fail"),
            Map.entry("/wrong-accept", "verdict=fail"),
            Map.entry("/other-upgrade", "verdict=fail"),
            Map.entry("/other-subprotocol", "verdict=fail"),
            Map.entry("/other-extension", "verdict=fail"),
            Map.entry("/version", "verdict=fail"),
            Map.entry("/unauthorized", "verdict=warn"),
            Map.entry("/endless-header", "response_too_large"),
            Map.entry("/half-a-head", "read_timeout"));

    private WebSocketPages() {}

    static List<LabPage> all() {
        return List.of(
                page("", "426", c -> c.send(accepted(c, ""))),
                page("/frames", "426", c -> c.end(accepted(c, "") + FRAME.repeat(3) + "\u0088\u0000")),
                page("/endless-frames", "426", c -> {
                    c.send(accepted(c, ""));
                    c.endless(() -> LabExchange.bytes(FRAME.repeat(100)));
                }),
                page(
                        "/extension",
                        "426",
                        c -> c.send(accepted(
                                c,
                                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                                        + "client_max_window_bits=12\r\n"))),
                page("/no-accept", "426", c -> c.send(switching("Upgrade: websocket\r\nConnection: Upgrade\r\n"))),
                page(
                        "/wrong-accept",
                        "426",
                        c -> c.send(switching("Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))),
                page(
                        "/other-upgrade",
                        "426",
                        c -> c.send(switching(
                                "Upgrade: h2c\r\nConnection: close\r\nSec-WebSocket-Accept: " + accept(c) + "\r\n"))),
                page("/other-subprotocol", "426", c -> c.send(accepted(c, "Sec-WebSocket-Protocol: chat\r\n"))),
                page("/other-extension", "426", c -> c.send(accepted(c, "Sec-WebSocket-Extensions: x-zip\r\n"))),
                page("/version", "426", c -> c.respond(426, "sec-websocket-version: 8, 7\r\n", "")),
                page("/unauthorized", "426", c -> c.respond(401, "www-authenticate: Bearer\r\n", "")),
                page("/endless-header", "426", c -> {
                    c.send("HTTP/1.1 101 Switching Protocols\r\nx-long: ");
                    c.endless(() -> LabExchange.bytes("x".repeat(4096)));
                }),
                page("/half-a-head", "426", c -> c.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: web")));
    }

    /** The pages as targets of {@code websocket}. */
    static List<LabTarget> targets(String authority) {
        List<LabTarget> targets = new ArrayList<>();
        // the same order in each process
        new TreeMap<>(EXPECTATIONS)
                .forEach((path, expectation) ->
                        targets.add(new LabTarget("websocket", "ws://" + authority + PATH + path, expectation)));
        return targets;
    }

    /** Requests without an upgrade receive 426. */
    private static LabPage page(String path, String expectation, Consumer<LabExchange> handler) {
        return new LabPage(PATH + path, expectation, c -> {
            if (c.header("upgrade").isEmpty()) {
                c.respond(426, "upgrade: websocket\r\n", "");
            } else {
                handler.accept(c);
            }
        });
    }

    private static String accepted(LabExchange exchange, String headers) {
        return switching("Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: "
                + accept(exchange)
                + "\r\n"
                + headers);
    }

    private static String switching(String headers) {
        return "HTTP/1.1 101 Switching Protocols\r\n" + headers + "\r\n";
    }

    @SuppressWarnings("deprecation") // SHA-1 is required by RFC 6455
    private static String accept(LabExchange exchange) {
        String key = exchange.header("sec-websocket-key");
        return Base64.getEncoder()
                .encodeToString(Hashing.sha1()
                        .hashString(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", StandardCharsets.US_ASCII)
                        .asBytes());
    }
}

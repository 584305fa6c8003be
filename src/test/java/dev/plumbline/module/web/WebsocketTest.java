package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.ProsodyWebSocketServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebsocketTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<Websocket.Evidence> MODULE = SheetModule.load(new Websocket());

    /** RFC 6455 section 1.3. */
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private static final List<String> VALID =
            List.of("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: " + ACCEPT);

    private static Vertx vertx;
    private static HttpProbe probe;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
    }

    @Test
    void calculatesTheAcceptValueOfTheRfc() {
        assertThat(WebSocketResponse.accept(KEY)).isEqualTo(ACCEPT);
    }

    /** Headers that replace those of a valid handshake ("-" removes one), and the finding. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "Upgrade | WebSocket | ''",
                "Connection | keep-alive, upgrade | ''",
                "Sec-WebSocket-Protocol | chat | ''",
                "Sec-WebSocket-Extensions | permessage-deflate | ''",
                "Sec-WebSocket-Extensions | permessage-deflate; server_max_window_bits=\"10\" | ''",
                "Sec-WebSocket-Accept | - | accept_invalid",
                "Sec-WebSocket-Accept | S3PPLMBITXAQ9KYGZZHZRBK+XOO= | accept_invalid",
                "Sec-WebSocket-Accept | dGhlIHNhbXBsZSBub25jZQ== | accept_invalid",
                "Upgrade | - | upgrade_invalid",
                "Upgrade | h2c | upgrade_invalid",
                "Upgrade | websocket, h2c | upgrade_invalid",
                "Connection | - | upgrade_invalid",
                "Connection | close | upgrade_invalid",
                "Sec-WebSocket-Protocol | - | no_subprotocol",
                "Sec-WebSocket-Protocol | superchat | subprotocol_invalid",
                "Sec-WebSocket-Protocol | chat, chat | subprotocol_invalid",
                "Sec-WebSocket-Extensions | x-webkit-deflate-frame | extension_invalid",
                "Sec-WebSocket-Extensions | '' | extension_invalid",
                "Sec-WebSocket-Extensions | permessage-deflate, | extension_invalid",
                "Sec-WebSocket-Extensions | permessage-deflate, permessage-deflate | extension_invalid",
                "Sec-WebSocket-Extensions | permessage-deflate; server_max_window_bits=7 | extension_invalid",
                "Sec-WebSocket-Extensions | permessage-deflate; client_no_context_takeover=1 | extension_invalid",
                "Sec-WebSocket-Extensions | permessage-deflate; unknown | extension_invalid"
            })
    void verifiesTheHandshake(String name, String value, String expected) {
        List<String> headers = new ArrayList<>(VALID);
        headers.removeIf(header -> header.startsWith(name + ":"));
        if (!name.equals("Sec-WebSocket-Protocol")) {
            headers.add("Sec-WebSocket-Protocol: chat");
        }
        if (!value.equals("-")) {
            headers.add(name + ": " + value);
        }

        Evaluation evaluation = evaluate("wss", 101, "subprotocols=chat", headers.toArray(String[]::new));

        assertThat(codes(evaluation)).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
        assertThat(evaluation.fields())
                .containsEntry("upgraded", expected.isEmpty())
                .containsEntry("status", 101);
    }

    @Test
    void reportsNegotiatedExtensionsAndSubprotocol() {
        List<String> headers = new ArrayList<>(VALID);
        headers.add("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12");
        headers.add("Sec-WebSocket-Protocol: chat");

        assertThat(evaluate("wss", 101, "subprotocols=superchat,chat", headers.toArray(String[]::new))
                        .fields())
                .containsEntry("subprotocol", "chat")
                .containsEntry("extensions", List.of("permessage-deflate; client_max_window_bits=12"))
                .containsEntry("time_ms", 7L);
    }

    @ParameterizedTest
    @CsvSource({
        "200, x: y, not_upgraded, FAIL",
        "404, x: y, not_upgraded, FAIL",
        "502, x: y, server_error, FAIL",
        "501, x: y, not_upgraded, FAIL",
        "505, x: y, not_upgraded, FAIL",
        "503, x: y, server_error, FAIL",
        "503, Retry-After: 5, temporarily_unavailable, WARN",
        "429, Retry-After: 5, rate_limited, WARN",
        "429, x: y, not_upgraded, FAIL",
        "301, Location: https://b.test/, redirect_not_followed, FAIL",
        "302, x: y, not_upgraded, FAIL",
        "401, WWW-Authenticate: Basic, authentication_required, WARN",
        "403, x: y, forbidden, WARN",
        "426, Sec-WebSocket-Version: 8, version_unsupported, FAIL",
        "400, 'Sec-WebSocket-Version: 7, 8', version_unsupported, FAIL",
        "400, 'Sec-WebSocket-Version: 13, 8', not_upgraded, FAIL",
        // an empty list does not name another version
        "400, 'Sec-WebSocket-Version: ,', not_upgraded, FAIL",
        "426, Upgrade: websocket, not_upgraded, FAIL"
    })
    void reportsRejection(int status, String header, String code, Verdict verdict) {
        Evaluation evaluation = evaluate("wss", status, "", header);

        assertThat(codes(evaluation)).containsExactly(code);
        assertThat(Verdict.of(evaluation.findings(), null, true)).isEqualTo(verdict);
        assertThat(evaluation.fields()).containsEntry("upgraded", false).containsEntry("extensions", List.of());
        assertThat(evaluation.retryAfterSeconds()).isEqualTo(header.startsWith("Retry-After") ? 5 : 0);
    }

    @Test
    void reportsUnencryptedWebSockets() {
        Evaluation evaluation = evaluate("ws", 101, "", VALID.toArray(String[]::new));

        assertThat(codes(evaluation)).containsExactly("unencrypted");
        assertThat(Verdict.of(evaluation.findings(), null, true)).isEqualTo(Verdict.PASS);
    }

    @Test
    void reportsErrorWithoutResponse() {
        Evaluation evaluation = MODULE.evaluate(
                new Websocket.Evidence(
                        KEY, failedTrace(ErrorCode.CONNECT_REFUSED, "https://a.test/"), 9, Instant.EPOCH),
                Options.defaults(MODULE.description()));

        assertThat(evaluation.error().code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
        assertThat(evaluation.fields())
                .containsEntry("upgraded", false)
                .containsEntry("status", null)
                .containsEntry("time_ms", 9L);
    }

    @Property(tries = 1_000)
    void acceptsArbitraryHeaders(@ForAll String value) {
        String text = value.replace('\n', ' ');

        assertThat(evaluate(
                                "wss",
                                101,
                                "",
                                "Sec-WebSocket-Extensions: x" + text,
                                "Connection: x" + text,
                                "Sec-WebSocket-Accept: x" + text)
                        .fields())
                .containsEntry("upgraded", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "permessage-deflate,", ";", "a;b=\"", "\\\"", "=", "permessage-deflate; a"})
    void evaluatesOneMebibyteOfHeadersQuickly(String piece) {
        String value = piece.repeat((1 << 20) / piece.length());

        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> evaluate("wss", 101, "", "Sec-WebSocket-Extensions: x" + value, "Connection: x" + value));
    }

    @ParameterizedTest
    @CsvSource({
        "/websocket, true, ''",
        "/websocket/frames, true, ''",
        "/websocket/endless-frames, true, ''",
        "/websocket/extension, true, ''",
        "/websocket/no-accept, false, accept_invalid",
        "/websocket/wrong-accept, false, accept_invalid",
        "/websocket/other-upgrade, false, upgrade_invalid",
        "/websocket/other-subprotocol, false, subprotocol_invalid",
        "/websocket/other-extension, false, extension_invalid",
        "/websocket/version, false, version_unsupported",
        "/status/401, false, authentication_required",
        "/redirect/301, false, redirect_not_followed",
        "/ok, false, not_upgraded"
    })
    void checksTheServersOfTheLab(String path, boolean upgraded, String code) {
        CheckResult result = check(FIXTURE.lab().secure(path).replaceFirst("https", "wss"), "");

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("upgraded", upgraded);
        assertThat(codesOf(result)).isEqualTo(code.isEmpty() ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource({
        "/websocket/endless-header, response_too_large",
        "/endless/interim, http_protocol_error",
        "/websocket/half-a-head, read_timeout",
        "/never, read_timeout",
        "/reset, connection_reset",
        "/ssh, http_protocol_error"
    })
    void reportsHostileServersAsErrors(String path, String error) {
        CheckResult result = check(FIXTURE.lab().http(path).replaceFirst("http", "ws"), "timeout_ms=1000");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    }

    /** RFC 6455 section 5.5.1: status code 1000 is a normal closure. */
    @Test
    void sendsValidRequestAndCloseFrame() {
        Promise<Short> closed = Promise.promise();
        Promise<String> handshake = Promise.promise();
        int port = Await.value(vertx.createHttpServer()
                        .webSocketHandler(socket -> {
                            handshake.complete(socket.headers().get("origin") + " " + socket.uri());
                            socket.closeHandler(gone -> closed.complete(socket.closeStatusCode()));
                        })
                        .listen(0, "127.0.0.1"))
                .actualPort();

        CheckResult result = check("ws://127.0.0.1:" + port + "/a?b=c", "");

        assertThat(result.fields()).containsEntry("upgraded", true);
        assertThat(Await.value(handshake.future())).isEqualTo("http://127.0.0.1:" + port + " /a?b=c");
        assertThat(Await.value(closed.future())).isEqualTo((short) 1000);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        HttpServerOptions options = new HttpServerOptions()
                .setPerMessageWebSocketCompressionSupported(true)
                .setWebSocketClosingTimeout(0)
                .addWebSocketSubProtocol("chat");
        int port = Await.value(vertx.createHttpServer(options)
                        .webSocketHandler(
                                socket -> socket.writeTextMessage("welcome").compose(sent -> socket.close()))
                        .requestHandler(
                                request -> request.response().setStatusCode(400).end())
                        .listen(0, "127.0.0.1"))
                .actualPort();
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
                location /forwarded {
                  proxy_pass http://127.0.0.1:%1$d;
                  proxy_http_version 1.1;
                  proxy_set_header Upgrade $http_upgrade;
                  proxy_set_header Connection "upgrade";
                }
                location /misconfigured { proxy_pass http://127.0.0.1:%1$d; }
                location /missing { return 404; }
                location /moved { return 308 /forwarded; }
                """
                        .formatted(port))) {
            for (Map.Entry<String, String> each : Map.of(
                            "/forwarded", "",
                            "/misconfigured", "not_upgraded",
                            "/missing", "not_upgraded",
                            "/moved", "redirect_not_followed")
                    .entrySet()) {
                String url = nginx.https(each.getKey());

                CheckResult result = check(url.replaceFirst("https", "wss"), "subprotocols=chat");

                assertThat(codesOf(result)).isEqualTo(each.getValue().isEmpty() ? List.of() : List.of(each.getValue()));
                String head = curl(url);
                assertThat(head).startsWith("HTTP/1.1 " + result.fields().get("status") + " ");
                if (each.getValue().isEmpty()) {
                    assertThat(head).containsIgnoringCase("sec-websocket-accept: " + ACCEPT);
                    assertThat(result.fields()).containsEntry("subprotocol", "chat");
                    assertThat((List<?>) result.fields().get("extensions")).hasSize(1);
                }
            }
        }
    }

    /** The head of the response to a handshake with the key of the RFC. */
    private static String curl(String url) throws Exception {
        return Curl.run(
                url,
                "--http1.1",
                "--include",
                "--no-buffer",
                "--max-time",
                "3",
                "--header",
                "Connection: Upgrade",
                "--header",
                "Upgrade: websocket",
                "--header",
                "Sec-WebSocket-Version: 13",
                "--header",
                "Sec-WebSocket-Protocol: chat",
                "--header",
                "Sec-WebSocket-Key: " + KEY);
    }

    @Tag("integration")
    @Test
    void opensXmppOverWebSocketOfProsody(@TempDir Path folder) throws Exception {
        try (ProsodyWebSocketServer prosody = ProsodyWebSocketServer.start(folder)) {
            CheckResult xmpp = check(prosody.url("ws"), "subprotocols=chat,xmpp");
            assertThat(xmpp.fields()).containsEntry("upgraded", true).containsEntry("subprotocol", "xmpp");
            assertThat(codesOf(xmpp)).containsExactly("unencrypted");

            CheckResult other = check(prosody.url("ws"), "");
            assertThat(other.fields()).containsEntry("upgraded", false);
            assertThat(codesOf(other)).containsExactly("not_upgraded", "unencrypted");
        }
    }

    private static List<String> codesOf(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static CheckResult check(String url, String query) {
        Map<String, String> options =
                query.isEmpty() ? Map.of() : Map.of(query.split("=", 2)[0], query.split("=", 2)[1]);
        try {
            Target target = TargetParser.parse(MODULE.description(), url);
            TestCheckContext context = TestCheckContext.of(MODULE.description(), options)
                    .withDeadline(Long.parseLong(options.getOrDefault("timeout_ms", "10000")))
                    .withProbe(HttpProbe.class, probe);
            return ModuleExecution.run(vertx, MODULE, target, context);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(url, invalid);
        }
    }

    private static Evaluation evaluate(String scheme, int status, String query, String... headers) {
        Map<String, String> options =
                query.isEmpty() ? Map.of() : Map.of(query.split("=", 2)[0], query.split("=", 2)[1]);
        HttpExchange response = page(scheme.replaceFirst("ws", "http") + "://a.test/", status, "", headers);
        return MODULE.evaluate(
                new Websocket.Evidence(KEY, trace(response), 7, Instant.EPOCH),
                Options.parse(MODULE.description(), options).options());
    }
}

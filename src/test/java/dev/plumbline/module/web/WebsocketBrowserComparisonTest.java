package dev.plumbline.module.web;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chromium opens a WebSocket if and only if {@code websocket} reports it as upgraded. */
@Tag("integration")
class WebsocketBrowserComparisonTest {
    private static final ModuleDefinition<Websocket.Evidence> MODULE = SheetModule.load(new Websocket());
    private static final Pattern PATH = Pattern.compile("GET /(\\d+) ");
    private static final Pattern KEY = Pattern.compile("(?i)\r\nsec-websocket-key: (\\S+)\r\n");

    private static final String CHAT = "Sec-WebSocket-Protocol: chat";
    private static final String EXTENSIONS = "Sec-WebSocket-Extensions: ";
    private static final String DEFLATE = EXTENSIONS + "permessage-deflate";

    /** Responses. ACCEPT is the valid value for the key. Clients offer the subprotocol "chat" if a response has it. */
    private static final List<String> CASES = List.of(
            valid(),
            valid().replace("websocket", "WebSocket").replace(": Upgrade", ": keep-alive, UPGRADE"),
            valid() + "\nConnection: keep-alive",
            valid().replace("1.1", "1.0"),
            valid().replace("101", "200"),
            valid().replace("101", "426"),
            valid().replace("Upgrade: websocket\n", ""),
            valid().replace("Upgrade: websocket", "Upgrade: websocket, h2c"),
            valid().replace("Upgrade: websocket", "Upgrade: websocket/13"),
            valid() + "\nUpgrade: websocket",
            valid().replace("Connection: Upgrade\n", ""),
            valid().replace(": Upgrade", ": close"),
            valid().replace("ACCEPT", "ACCEPT "),
            valid().replace("ACCEPT", "\"ACCEPT\""),
            valid().replace("ACCEPT", ""),
            valid().replace("ACCEPT", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            valid() + "\nSec-WebSocket-Accept: ACCEPT",
            "HTTP/1.1 101 Switching\nUpgrade: websocket\nConnection: Upgrade",
            valid() + "\nSec-WebSocket-Version: 8",
            valid() + "\n" + CHAT,
            valid() + "\n" + CHAT + "\n" + CHAT,
            valid() + "\n" + CHAT + ", mqtt",
            valid() + "\n" + CHAT.replace("chat", "Chat") + " chat",
            valid() + "\nSec-WebSocket-Protocol: mqtt",
            valid() + "\nSec-WebSocket-Protocol:",
            valid() + "\nX-Subprotocol: chat",
            valid() + "\n" + EXTENSIONS,
            valid() + "\n" + EXTENSIONS + ",",
            valid() + "\n" + EXTENSIONS + "x-zip",
            valid() + "\n" + EXTENSIONS + "x zip",
            valid() + "\n" + DEFLATE,
            valid() + "\n" + DEFLATE + ",",
            valid() + "\n" + DEFLATE + ", permessage-deflate",
            valid() + "\n" + DEFLATE + "\n" + DEFLATE,
            valid() + "\n" + DEFLATE + ";",
            valid() + "\n" + DEFLATE.replace("per", "Per"),
            valid() + "\n" + DEFLATE + "; server_no_context_takeover; client_no_context_takeover",
            valid() + "\n" + DEFLATE + "; server_no_context_takeover; server_no_context_takeover",
            valid() + "\n" + DEFLATE + "; server_no_context_takeover=1",
            valid() + "\n" + DEFLATE + "; server_max_window_bits=15; client_max_window_bits=9",
            valid() + "\n" + DEFLATE + "; server_max_window_bits=\"10\"",
            valid() + "\n" + DEFLATE + "; server_max_window_bits",
            valid() + "\n" + DEFLATE + "; client_max_window_bits",
            valid() + "\n" + DEFLATE + "; client_max_window_bits=8",
            valid() + "\n" + DEFLATE + "; client_max_window_bits=7",
            valid() + "\n" + DEFLATE + "; client_max_window_bits=16",
            valid() + "\n" + DEFLATE + "; client_max_window_bits=09",
            valid() + "\n" + DEFLATE + "; client_max_window_bits = 9",
            valid() + "\n" + DEFLATE + "; client_max_window_bits=",
            valid() + "\n" + DEFLATE + "; Client_Max_Window_Bits=9",
            valid() + "\n" + DEFLATE + "; unknown");

    private static String valid() {
        return "HTTP/1.1 101 Switching\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: ACCEPT";
    }

    @Test
    void agreesWithChromium() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (HttpFixture fixture = HttpFixture.start();
                Playwright playwright = Playwright.create(
                        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
                Browser browser = playwright
                        .chromium()
                        .launch(new BrowserType.LaunchOptions()
                                .setExecutablePath(DebianTool.require("chromium"))
                                .setArgs(List.of("--no-sandbox", "--disable-gpu", "--no-proxy-server")))) {
            HttpProbe probe = fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            int port = Await.value(vertx.createNetServer()
                            .connectHandler(WebsocketBrowserComparisonTest::serve)
                            .listen(0, "127.0.0.1"))
                    .actualPort();
            Page page = browser.newPage();
            SoftAssertions all = new SoftAssertions();
            for (int i = 0; i < CASES.size(); i++) {
                List<String> offered = CASES.get(i).contains("chat") ? List.of("chat") : List.of();
                String url = "ws://127.0.0.1:" + port + "/" + i;
                Object opened = page.evaluate(
                        """
                        ([url, offered]) => new Promise(done => {
                          const socket = new WebSocket(url, offered);
                          socket.onopen = () => done('true ' + socket.protocol);
                          socket.onerror = () => done('false');
                        })""",
                        List.of(url, offered));
                Target target = TargetParser.parse(MODULE.description(), url);
                TestCheckContext context = TestCheckContext.of(MODULE.description(), Map.of("subprotocols", offered))
                        .withProbe(HttpProbe.class, probe);
                CheckResult result = ModuleExecution.run(vertx, MODULE, target, context);
                all.assertThat(text(result)).as(CASES.get(i)).isEqualTo(opened);
            }
            all.assertAll();
        } finally {
            Await.value(vertx.close());
        }
    }

    private static String text(CheckResult result) {
        Object subprotocol = result.fields().get("subprotocol");
        return Boolean.TRUE.equals(result.fields().get("upgraded"))
                ? "true " + (subprotocol == null ? "" : subprotocol)
                : "false";
    }

    private static void serve(NetSocket socket) {
        socket.exceptionHandler(broken -> {});
        Buffer received = Buffer.buffer();
        socket.handler(bytes -> {
            String request = received.appendBuffer(bytes).toString();
            Matcher path = PATH.matcher(request);
            Matcher key = KEY.matcher(request);
            if (request.endsWith("\r\n\r\n") && path.find() && key.find()) {
                String head = CASES.get(Integer.parseInt(path.group(1)))
                        .replace("ACCEPT", WebSocketResponse.accept(key.group(1)));
                socket.handler(more -> {});
                socket.write(Buffer.buffer(head.replace("\n", "\r\n") + "\r\n\r\n"));
            }
        });
    }
}

package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessLogTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private HttpLab lab;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("LOG_ACCESS", "true", "HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @Test
    void freshAndCachedResponsesAreLoggedOnce() {
        String path = ServiceUnderTest.instantPath("http-status", lab.http("/ok?access"));
        try (CapturedLog log = new CapturedLog()) {
            HttpResponse<String> fresh = service.get(path, "X-Request-Id", "fresh-1");
            HttpResponse<String> cached = service.get(path, "X-Request-Id", "cached-1");

            assertThat(lineOf(log, "fresh-1"))
                    .contains("method=\"GET\"", "route=\"/api/v1/instant/{module}/{target}\"", "status=\"200\"")
                    .contains("bytes=\"" + fresh.body().length() + "\"", "client=\"127.0.0.1\"", "complete=\"true\"")
                    .containsPattern("duration_ms=\"[0-9.]+\"");
            assertThat(lineOf(log, "cached-1"))
                    .contains("route=\"/api/v1/instant/{module}/{target}\"", "status=\"200\"")
                    .contains("bytes=\"" + cached.body().length() + "\"");
        }
    }

    @Test
    void generatedRequestIdIsThatOfTheResponse() {
        try (CapturedLog log = new CapturedLog()) {
            String id = service.get("/api/v1/tools/http-status")
                    .headers()
                    .firstValue("X-Request-Id")
                    .orElseThrow();

            assertThat(lineOf(log, id)).contains("route=\"/api/v1/tools/{module}\"", "status=\"200\"");
        }
    }

    @Test
    void clientBehindATrustedProxyIsLogged() {
        try (CapturedLog log = new CapturedLog()) {
            service.page("/tools/http-status", "X-Request-Id", "proxied-1", "X-Forwarded-For", "203.0.113.7");
            service.page("/tools", "X-Request-Id", "proxied-2", "X-Forwarded-For", "no address");

            assertThat(lineOf(log, "proxied-1")).contains("route=\"/tools/{module}\"", "client=\"203.0.113.7\"");
            assertThat(lineOf(log, "proxied-2")).contains("client=\"127.0.0.1\"");
        }
    }

    @Test
    void incompleteResponseIsMarked() throws Exception {
        String path = ServiceUnderTest.instantPath("http-status", lab.http("/slow?access"));
        int before = lab.requestsFor("/slow?access").size();
        try (CapturedLog log = new CapturedLog()) {
            try (Socket client = new Socket("127.0.0.1", service.uri("/").getPort())) {
                String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: aborted-1\r\n\r\n";
                client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                Await.until(() -> lab.requestsFor("/slow?access").size() > before);
            }

            assertThat(lineOf(log, "aborted-1")).contains("complete=\"false\"", "bytes=\"0\"");
        }
    }

    @Test
    void keysTokensAndCredentialsAreNotLogged() {
        String key = ApiKeySecret.generate();
        List<String> secrets = List.of(key, "job_4kJ0mZ3tQbW9xYcR1nLp7s", "passw0rd", "c00kie");
        try (CapturedLog log = new CapturedLog()) {
            service.get("/api/v1/jobs/" + secrets.get(1), "X-Api-Key", key, "X-Request-Id", "secret-1");
            service.get("/api/v1/jobs", "Authorization", "Bearer " + key, "X-Request-Id", "secret-2");
            service.get("/api/v1/" + key, "Cookie", "session=c00kie", "X-Request-Id", "secret-3");
            service.page("/" + key + "?password=passw0rd", "X-Request-Id", "secret-4");
            service.get(
                    ServiceUnderTest.instantPath("http-status", "http://user:passw0rd@127.0.0.1/"),
                    "X-Request-Id",
                    "secret-5");
            service.get("/api/v1/jobs?key=" + key, "X-Api-Key", key, "X-Request-Id", "secret-6");

            assertThat(lineOf(log, "secret-1")).contains("route=\"/api/v1/jobs/{token}\"", "status=\"401\"");
            assertThat(lineOf(log, "secret-2")).contains("route=\"/api/v1/jobs\"", "status=\"401\"");
            assertThat(lineOf(log, "secret-3")).contains("route=\"none\"", "status=\"404\"");
            assertThat(lineOf(log, "secret-4")).contains("route=\"none\"", "status=\"404\"");
            assertThat(lineOf(log, "secret-5")).contains("route=\"/api/v1/instant/{module}/{target}\"");
            assertThat(lineOf(log, "secret-6")).contains("status=\"422\"");
            String lines = String.join("\n", accessLines(log));
            assertThat(secrets).noneMatch(lines::contains);
        }
    }

    @Test
    void accessLogIsDisabledByDefault() {
        try (ServiceUnderTest silent = ServiceUnderTest.start(DATABASE.url(), Map.of());
                CapturedLog log = new CapturedLog()) {
            silent.get("/api/v1/tools", "X-Request-Id", "silent-1");
            service.get("/api/v1/tools", "X-Request-Id", "logged-1");

            lineOf(log, "logged-1");
            assertThat(log.text()).doesNotContain("silent-1");
        }
    }

    private static List<String> accessLines(CapturedLog log) {
        return log.text()
                .lines()
                .filter(line -> line.startsWith("INFO request completed "))
                .toList();
    }

    /** The only access log line of a request; the response may arrive before it. */
    private static String lineOf(CapturedLog log, String requestId) {
        String id = "request_id=\"" + requestId + "\"";
        Await.until(() -> accessLines(log).stream().anyMatch(line -> line.contains(id)));
        List<String> lines =
                accessLines(log).stream().filter(line -> line.contains(id)).toList();
        assertThat(lines).hasSize(1);
        return lines.get(0);
    }
}

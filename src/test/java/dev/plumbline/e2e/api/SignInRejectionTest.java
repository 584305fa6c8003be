package dev.plumbline.e2e.api;

import static dev.plumbline.support.CookieClient.code;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceFixture;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.SignInAccounts;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rejected sign-in requests: cross-origin, invalid cookies and invalid bodies. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignInRejectionTest {
    @RegisterExtension
    static final ServiceFixture FIXTURE = new ServiceFixture(Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"));

    private static final String PASSWORD = SignInAccounts.PASSWORD;
    private static final String SESSION = "/api/v1/session";

    private ServiceUnderTest service;
    private SignInAccounts accounts;

    @BeforeAll
    void start() {
        service = FIXTURE.service();
        accounts = new SignInAccounts(FIXTURE.database());
    }

    Stream<List<String>> crossOriginHeaders() {
        String own = service.uri("").toString();
        String port = own.substring(own.lastIndexOf(':'));
        return Stream.of(
                List.of(),
                List.of("Origin", "https://elsewhere.example"),
                List.of("Origin", "null"),
                List.of("Origin", ""),
                List.of("Origin", own.replace("http:", "https:")),
                List.of("Origin", "http://127.0.0.1"),
                List.of("Origin", "http://localhost" + port),
                List.of("Origin", "http://127.0.0.1.elsewhere.example" + port),
                List.of("Origin", own + "@elsewhere.example"),
                List.of("Origin", own, "Origin", "https://elsewhere.example"),
                List.of("Origin", own, "Sec-Fetch-Site", "cross-site"),
                List.of("Sec-Fetch-Site", "cross-site"),
                List.of("Sec-Fetch-Site", "same-site"),
                List.of("Sec-Fetch-Site", "nonsense"),
                List.of("Sec-Fetch-Site", "same-origin", "Origin", "https://elsewhere.example"),
                List.of("Referer", "https://elsewhere.example/" + own),
                List.of("Referer", "about:blank"));
    }

    @ParameterizedTest
    @MethodSource("crossOriginHeaders")
    void crossOriginRequestWithCookieIsRejected(List<String> headers) {
        CookieClient browser = accounts.signedIn(service, accounts.create());
        List<String> all = new ArrayList<>(browser.headers());
        all.addAll(headers);
        String[] sent = all.toArray(String[]::new);

        List<String> withBody = new ArrayList<>(all);
        withBody.addAll(List.of("Content-Type", "application/json"));
        String[] sentWithBody = withBody.toArray(String[]::new);
        for (HttpResponse<String> refused : List.of(
                service.json("DELETE", SESSION, "", sent),
                service.json("DELETE", "/api/v1/sessions", "", sent),
                service.json("DELETE", "/api/v1/keys/1", "", sent),
                service.json("POST", SESSION, "{}", sentWithBody),
                service.json("POST", "/api/v1/keys", "{\"name\":\"x\"}", sentWithBody),
                service.json("PUT", "/api/v1/account/password", "{}", sentWithBody))) {
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(code(refused)).isEqualTo("cross-origin");
        }
        assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
    }

    Stream<List<String>> sameOriginHeaders() {
        String own = service.uri("").toString();
        return Stream.of(
                List.of("Origin", own),
                List.of("Origin", own.toUpperCase(java.util.Locale.ROOT)),
                List.of("Sec-Fetch-Site", "same-origin"),
                List.of("Sec-Fetch-Site", "none"),
                List.of("Referer", own + "/account"));
    }

    @ParameterizedTest
    @MethodSource("sameOriginHeaders")
    void sameOriginRequestIsAccepted(List<String> headers) {
        CookieClient browser = accounts.signedIn(service, accounts.create());
        List<String> all = new ArrayList<>(browser.headers());
        all.addAll(headers);

        assertThat(service.json("DELETE", SESSION, "", all.toArray(String[]::new))
                        .statusCode())
                .isEqualTo(204);
    }

    @Test
    void crossOriginSignInIsRejected() {
        String body = new JsonObject()
                .put("email", accounts.create())
                .put("password", PASSWORD)
                .encode();

        assertThat(service.json(
                                "POST",
                                SESSION,
                                body,
                                "Content-Type",
                                "application/json",
                                "Origin",
                                "https://elsewhere.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(service.json("POST", SESSION, body, "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plumbline=",
                "plumbline",
                "plumbline=x",
                "plumbline=a.b.c",
                "plumbline=\"a.b.c\"",
                "plumbline=a.b.c; plumbline=d.e.f",
                "=;=;;;=plumbline",
                "plumbline=\u00e9\u00ff",
                "__Host-plumbline=a.b.c"
            })
    void foreignCookieIsNotAuthenticated(String cookie) {
        assertThat(service.get(SESSION, "Cookie", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void hugeOrManyCookiesAreNotAuthenticated() {
        String huge = "x".repeat(8_000);
        assertThat(service.get(SESSION, "Cookie", "plumbline=" + huge).statusCode())
                .isEqualTo(401);
        assertThat(service.get(SESSION, "Cookie", "plumbline=a; ".repeat(900)).statusCode())
                .isEqualTo(401);
        CookieClient browser = accounts.signedIn(service, accounts.create());
        String many = "c=1; ".repeat(1_000) + browser.cookie();
        assertThat(service.get(SESSION, "Cookie", many).statusCode()).isEqualTo(200);
        // two different session cookies are ambiguous
        assertThat(service.get(SESSION, "Cookie", "plumbline=a; " + browser.cookie())
                        .statusCode())
                .isEqualTo(401);
        assertThat(service.get(SESSION, "Cookie", browser.cookie() + "; " + browser.cookie())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void invalidBodyReportsErrors() {
        CookieClient browser = new CookieClient(service);

        assertErrors(browser.send("POST", SESSION, "[]"), "");
        assertErrors(browser.send("POST", SESSION, "null"), "");
        assertThat(new JsonObject(browser.send("POST", SESSION, "null").body()).getString("detail"))
                .startsWith("The request body must be an object with email and password, not null.");
        assertErrors(browser.send("POST", SESSION, "{}"), "/email", "/password");
        assertErrors(
                browser.send("POST", SESSION, "{\"email\":1,\"password\":null,\"a/b~c\":[]}"),
                "/email",
                "/password",
                "/a~1b~0c");
        assertErrors(browser.signIn("", "x".repeat(1_025)), "/email", "/password");
        assertErrors(
                browser.send("POST", SESSION, "{\"email\":\"a\\ud800\",\"password\":\"\\udc00\\ud800\"}"),
                "/email",
                "/password");
    }

    private static void assertErrors(HttpResponse<String> response, String... pointers) {
        assertThat(response.statusCode()).isEqualTo(422);
        JsonObject problem = new JsonObject(response.body());
        assertThat(problem.getString("code")).isEqualTo("invalid-body");
        assertThat(problem.getJsonArray("errors"))
                .extracting(error -> ((JsonObject) error).getString("pointer"))
                .containsExactlyInAnyOrder(pointers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"email\":\"a\",\"email\":\"b\",\"password\":\"hidden-in-here\"}",
                "{\"email\":\"a\",\"password\":\"hidden-in-here\"} {}",
                "{\"email\":\"a\",\"password\":hidden-in-here}",
                "{\"email\":\"a\",\"password\":\"hidden-in-here}",
                "hidden-in-here"
            })
    void invalidJsonIsNotEchoed(String body) {
        HttpResponse<String> refused = new CookieClient(service).send("POST", SESSION, body);

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("not valid JSON").doesNotContain("hidden");
    }

    @Test
    void deepAndLargeBodiesAreRejected() {
        CookieClient browser = new CookieClient(service);

        assertThat(browser.send("POST", SESSION, "[".repeat(5_000)).statusCode())
                .isEqualTo(400);
        assertThat(browser.send("POST", SESSION, " ".repeat(16_385)).statusCode())
                .isEqualTo(413);
        assertThat(service.json("POST", SESSION, "{}", "Content-Type", "text/plain", "X-Forwarded-For", "::1")
                        .statusCode())
                .isEqualTo(415);
    }
}

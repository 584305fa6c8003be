package dev.plumbline.http.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** API keys in request headers, and the problems of invalid keys. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiKeyHandlerTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final HttpClient client = HttpClient.newHttpClient();
    private TestAccounts accounts;
    private TestAccounts.Key key;
    private HttpServer server;

    @BeforeAll
    void start() {
        Database database = DATABASE.open();
        accounts = new TestAccounts(database);
        key = accounts.key();
        server = serve(database);
    }

    /** A server with one resource that returns the ID of the key. */
    private static HttpServer serve(Database database) {
        ApiKeyHandler authentication = new ApiKeyHandler(
                new ApiKeyAuthenticator(DATABASE.vertx(), database),
                new ProblemResponder("http://localhost", (ctx, problem) -> ctx.fail(500)));
        Router router = Router.router(DATABASE.vertx());
        router.get("/read")
                .handler(ctx -> authentication.authenticate(ctx, Scope.JOBS_READ, caller -> {
                    ApiKeyHandler.markPrivate(ctx.response());
                    ctx.end(Long.toString(caller.keyId()));
                }));
        // reads a body after the key lookup
        router.post("/write")
                .handler(ctx -> {
                    RequestBodyReader.pause(ctx);
                    ctx.next();
                })
                .handler(ctx -> authentication.authenticate(ctx, Scope.JOBS_WRITE, caller -> {
                    ctx.request().body().onSuccess(body -> ctx.end(body));
                    ctx.request().resume();
                }));
        return Await.value(
                DATABASE.vertx().createHttpServer().requestHandler(router).listen(0));
    }

    @AfterAll
    void stop() {
        Await.value(server.close());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer %s", "bearer %s", "BEARER  %s ", "Bearer\t%s"})
    void bearerSchemeIsCaseInsensitive(String credentials) {
        HttpResponse<String> response = get("Authorization", credentials.formatted(key.secret()));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(Long.toString(key.keyId()));
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("private, no-cache");
        assertThat(response.headers().firstValue("Vary")).hasValue("Authorization, X-Api-Key, Accept, Accept-Encoding");
    }

    @Test
    void xApiKeyHeaderIsAcceptedAndMayRepeatBearerToken() {
        assertThat(get("X-Api-Key", key.secret()).statusCode()).isEqualTo(200);
        assertThat(get("X-Api-Key", key.secret(), "Authorization", "Bearer " + key.secret())
                        .statusCode())
                .isEqualTo(200);
        assertThat(get("X-Api-Key", key.secret(), "Authorization", "Basic Zm9vOmJhcg==")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void keysThatContradictEachOtherAreA400() {
        String other = accounts.key().secret();

        assertThat(get("X-Api-Key", key.secret(), "Authorization", "Bearer " + other)
                        .statusCode())
                .isEqualTo(400);
        assertThat(get("X-Api-Key", key.secret(), "X-Api-Key", other).statusCode())
                .isEqualTo(400);
        assertThat(get("X-Api-Key", key.secret(), "Authorization", "Bearer ").statusCode())
                .isEqualTo(400);
    }

    @Test
    void challengeWithoutKeyHasNoErrorCode() {
        for (HttpResponse<String> response :
                List.of(get(), get("Authorization", "Basic Zm9vOmJhcg=="), get("Authorization", "Bearerx"))) {
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(code(response)).isEqualTo("no-key");
            assertThat(response.headers().firstValue("WWW-Authenticate")).hasValue("Bearer realm=\"plumbline\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer", "Bearer ", "Bearer plk_", "Bearer a b", "Bearer kö"})
    void aRejectedKeyIsA401WithAReason(String credentials) {
        assertInvalid(get("Authorization", credentials));
    }

    @Test
    void revokedOrExpiredKeyIsRejected() {
        TestAccounts.Key revoked = accounts.key();
        accounts.sql("update api_key set revoked_at = now() where id = $1", revoked.keyId());
        TestAccounts.Key expired = accounts.key(accounts.account(Plan.PRO), Duration.ofSeconds(-1), Scope.values());

        assertInvalid(get("X-Api-Key", revoked.secret()));
        assertInvalid(get("X-Api-Key", expired.secret()));
    }

    private static void assertInvalid(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(code(response)).isEqualTo("invalid-key");
        assertThat(response.headers().firstValue("WWW-Authenticate"))
                .hasValue("Bearer realm=\"plumbline\", error=\"invalid_token\"");
    }

    @Test
    void aKeyWithoutTheScopeIsA403ThatNamesIt() {
        TestAccounts.Key writer = accounts.key(accounts.account(Plan.PRO), Scope.JOBS_WRITE);

        HttpResponse<String> response = get("X-Api-Key", writer.secret());

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(code(response)).isEqualTo("insufficient-scope");
        assertThat(response.headers().firstValue("WWW-Authenticate"))
                .hasValue("Bearer realm=\"plumbline\", error=\"insufficient_scope\", scope=\"jobs:read\"");
    }

    @Test
    void aFreeOrDisabledAccountIsA403() {
        TestAccounts.Key free = accounts.key(accounts.account(Plan.FREE), Scope.values());
        TestAccounts.Key disabled = accounts.key();
        accounts.sql("update account set disabled_at = now() where id = $1", disabled.accountId());

        assertThat(code(get("X-Api-Key", free.secret()))).isEqualTo("not-pro");
        assertThat(get("X-Api-Key", free.secret()).statusCode()).isEqualTo(403);
        assertThat(code(get("X-Api-Key", disabled.secret()))).isEqualTo("account-disabled");
        assertThat(get("X-Api-Key", disabled.secret()).statusCode()).isEqualTo(403);
    }

    @Test
    void withoutTheDatabaseAKeyIsA503AndAMalformedKeyA401() {
        Database away = DATABASE.open();
        Await.value(away.close());
        HttpServer cutOff = serve(away);

        HttpResponse<String> response =
                send(cutOff, "/read", null, "X-Api-Key", accounts.key().secret());

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("2");
        assertInvalid(send(cutOff, "/read", null, "X-Api-Key", "plk_"));
        Await.value(cutOff.close());
    }

    @Test
    void bodyIsNotReadBeforeKeyIsVerified() {
        String body = "b".repeat(1 << 20);

        HttpResponse<String> response =
                send(server, "/write", body, "X-Api-Key", accounts.key().secret());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(body);
    }

    private static String code(HttpResponse<String> response) {
        return new JsonObject(response.body()).getString("code");
    }

    private HttpResponse<String> get(String... headers) {
        return send(server, "/read", null, headers);
    }

    private HttpResponse<String> send(HttpServer to, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + to.actualPort() + path))
                .timeout(Duration.ofSeconds(20));
        if (body != null) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(path + " has no response", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}

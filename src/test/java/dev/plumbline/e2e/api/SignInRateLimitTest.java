package dev.plumbline.e2e.api;

import static dev.plumbline.support.CookieClient.code;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceFixture;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.SignInAccounts;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rate limits of failed sign-ins. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignInRateLimitTest {
    @RegisterExtension
    static final ServiceFixture FIXTURE =
            new ServiceFixture(Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "CHECKS_CONCURRENT", "8"));

    private static final String PASSWORD = SignInAccounts.PASSWORD;
    private static final String SESSION = "/api/v1/session";

    private ServiceUnderTest service;
    private SignInAccounts accounts;

    @BeforeAll
    void start() {
        service = FIXTURE.service();
        accounts = new SignInAccounts(FIXTURE.database());
    }

    @Test
    void onlyFailedSignInsAreRateLimited() {
        String email = accounts.create();
        CookieClient browser = new CookieClient(service);
        for (int i = 0; i < 10; i++) {
            assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        }
        for (int i = 0; i < 8; i++) {
            assertThat(browser.signIn(email, PASSWORD + i).statusCode()).isEqualTo(401);
        }

        HttpResponse<String> slowed = browser.signIn(email, PASSWORD);

        assertThat(slowed.statusCode()).isEqualTo(429);
        assertThat(code(slowed)).isEqualTo("quota-exceeded");
        assertThat(Integer.parseInt(slowed.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(1, 15 * 60);
        assertThat(browser.signIn(accounts.create(), PASSWORD).statusCode()).isEqualTo(200);
        assertThat(new CookieClient(service).signIn(email, PASSWORD).statusCode())
                .isEqualTo(200);
    }

    @Test
    void failedSignInsAreLimitedByAddress() {
        CookieClient browser = new CookieClient(service);
        for (int i = 0; i < 30; i++) {
            assertThat(browser.signIn("guess" + i + "@plumbline.example", PASSWORD)
                            .statusCode())
                    .isEqualTo(401);
        }

        assertThat(browser.signIn(accounts.create(), PASSWORD).statusCode()).isEqualTo(429);
    }

    @Test
    void failedSignInsAreLimitedByAccountExceptAtKnownAddresses() {
        String email = accounts.create();
        CookieClient home = accounts.signedIn(service, email);
        for (int n = 0; n < 5; n++) {
            CookieClient browser = new CookieClient(service);
            for (int i = 0; i < 8; i++) {
                assertThat(browser.signIn(email, PASSWORD + i).statusCode()).isEqualTo(401);
            }
        }

        assertThat(new CookieClient(service).signIn(email, PASSWORD).statusCode())
                .isEqualTo(429);
        assertThat(new CookieClient(service).at(home).signIn(email, PASSWORD).statusCode())
                .isEqualTo(200);
        assertThat(home.get(SESSION).statusCode()).isEqualTo(200);
    }

    @Test
    void signInFloodIsRejectedAndDoesNotDelayCachedChecks() {
        HttpLab lab = Await.value(HttpLab.start(FIXTURE.database().vertx()));
        String known = lab.http("/ok?flood");
        assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
        ExecutorService clients = Executors.newFixedThreadPool(80);
        try {
            List<CompletableFuture<Integer>> flood = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
                String email = "flood" + i + "@plumbline.example";
                flood.add(CompletableFuture.supplyAsync(
                        () -> new CookieClient(service).signIn(email, PASSWORD).statusCode(), clients));
            }
            CompletableFuture.anyOf(flood.toArray(CompletableFuture[]::new)).join();

            for (int i = 0; i < 5; i++) {
                assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
            }

            assertThat(flood).as("requests in progress").anyMatch(answer -> !answer.isDone());
            List<Integer> answers = flood.stream().map(CompletableFuture::join).toList();
            assertThat(answers).containsOnly(401, 503).contains(401, 503);
        } finally {
            clients.shutdownNow();
        }
    }
}

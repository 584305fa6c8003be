package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.ApiKeyLookup;
import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.Await;
import dev.plumbline.support.SecretScanner;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Output of the first account at start. */
@Tag("integration")
class BootstrapAccountLogTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @Test
    void oneOfTwoConcurrentNodesPrintsAccount() {
        String url = DATABASE.createEmpty();
        CompletableFuture<ServiceUnderTest> other =
                CompletableFuture.supplyAsync(() -> ServiceUnderTest.start(url, Map.of()));
        try (ServiceUnderTest one = ServiceUnderTest.start(url, Map.of());
                ServiceUnderTest two = other.join()) {
            List<String> printed = one.printed().isEmpty() ? two.printed() : one.printed();

            assertThat(one.printed().size() + two.printed().size()).isEqualTo(3);
            assertThat(printed.get(0)).isEqualTo("account admin@localhost");
            assertThat(printed.get(1)).startsWith("password ");
            assertThat(authenticate(url, printed.get(2).substring("api-key ".length())))
                    .isInstanceOf(ApiKeyLookup.Authenticated.class);
        }
    }

    @Test
    void configuredCredentialsAreNotPrinted() {
        String url = DATABASE.createEmpty();
        String key = ApiKeySecret.generate();
        try (ServiceUnderTest service = ServiceUnderTest.start(
                url,
                Map.of(
                        "BOOTSTRAP_EMAIL", "ops@example.com",
                        "BOOTSTRAP_PASSWORD", "a password of ours",
                        "BOOTSTRAP_API_KEY", key))) {
            assertThat(service.printed()).isEmpty();
            assertThat(authenticate(url, key)).isInstanceOf(ApiKeyLookup.Authenticated.class);
            new SecretScanner()
                    .secret(key)
                    .secret("a password of ours")
                    .assertNoneIn(
                            "the metrics",
                            service.send("GET", service.management("/metrics")).body());
        }
    }

    private static ApiKeyLookup authenticate(String url, String key) {
        return Await.value(new ApiKeyAuthenticator(DATABASE.vertx(), DATABASE.open(url)).authenticate(key));
    }
}

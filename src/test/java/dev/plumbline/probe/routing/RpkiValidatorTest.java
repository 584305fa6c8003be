package dev.plumbline.probe.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A validator on loopback and as a file. */
class RpkiValidatorTest {
    private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");
    private static final RpkiValidator.Limits LIMITS = new RpkiValidator.Limits(1 << 20, Duration.ofSeconds(30));

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger requests = new AtomicInteger();
    private Vertx vertx;
    private HttpServer server;
    private volatile Handler<HttpServerRequest> behavior;

    @TempDir
    Path folder;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
        behavior = request -> request.response().end(json("192.0.2.0/24"));
        server = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    requests.incrementAndGet();
                    behavior.handle(request);
                })
                .listen(0, "127.0.0.1"));
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    private static String json(String prefix) {
        return "{\"metadata\":{\"generated\":" + NOW.minusSeconds(600).getEpochSecond()
                + "},\"roas\":[{\"asn\":\"AS64496\"," + "\"prefix\":\"" + prefix + "\",\"maxLength\":"
                + prefix.replaceFirst(".*/", "") + "}]}";
    }

    private RpkiValidator validator(String source) {
        return validator(source, LIMITS);
    }

    private RpkiValidator validator(String source, RpkiValidator.Limits limits) {
        return new RpkiValidator(
                vertx,
                source,
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                limits,
                Clock.fixed(NOW, ZoneOffset.UTC),
                nanos::get);
    }

    private String url() {
        return "http://127.0.0.1:" + server.actualPort() + "/json";
    }

    /** Whether the data of the validator covers an address. */
    private static boolean covers(RpkiValidator validator, String address) {
        return Await.value(validator.current(TestCheckContext.create())).covers(IpAddressText.of(address));
    }

    private static String failure(RpkiValidator validator) {
        CheckFailure failure = (CheckFailure) Await.failure(validator.current(TestCheckContext.create()));
        assertThat(failure.error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        return failure.error().message();
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void loadsAUrlOnceForAllChecks() {
        RpkiValidator validator = validator(url());

        assertThat(requests).hasValue(0);
        assertThat(covers(validator, "192.0.2.7")).isTrue();
        assertThat(covers(validator, "192.0.3.7")).isFalse();
        assertThat(validator.size()).isEqualTo(1);
        assertThat(requests).hasValue(1);
    }

    @Test
    void refreshesAfterTenMinutesWhileChecksUseTheDataBefore() {
        RpkiValidator validator = validator(url());
        covers(validator, "192.0.2.7");
        Promise<Void> permission = Promise.promise();
        behavior = request ->
                permission.future().onSuccess(permitted -> request.response().end(json("198.51.100.0/24")));
        advance(RpkiValidator.REFRESH_INTERVAL.minusSeconds(1));
        covers(validator, "192.0.2.7");
        assertThat(requests).hasValue(1);

        advance(Duration.ofSeconds(1));

        assertThat(covers(validator, "192.0.2.7")).isTrue();
        permission.complete();
        Await.until(() -> covers(validator, "198.51.100.7"));
        assertThat(requests).hasValue(2);
    }

    @Test
    void keepsTheDataForTwoHoursAfterFailures() {
        RpkiValidator validator = validator(url());
        try (CapturedLog log = new CapturedLog()) {
            covers(validator, "192.0.2.7");
            behavior = request -> request.response().setStatusCode(503).end();
            advance(RpkiValidator.REFRESH_INTERVAL);
            covers(validator, "192.0.2.7");
            Await.until(() -> validator.failures() == 1);

            advance(RpkiValidator.MAX_AGE.minus(RpkiValidator.REFRESH_INTERVAL).minusSeconds(1));
            assertThat(covers(validator, "192.0.2.7")).isTrue();
            Await.until(() -> validator.failures() == 2);
            assertThat(validator.ageSeconds()).isEqualTo(7_199);
            advance(RpkiValidator.RETRY_INTERVAL);

            assertThat(failure(validator))
                    .isEqualTo("The data of the RPKI validator of this service is not available. The last attempt to"
                            + " load it failed.");
            assertThat(log.text()).contains("WARN RPKI data not loaded").contains("cause=\"the status code is 503\"");
        }
        behavior = request -> request.response().end(json("192.0.2.0/24"));
        advance(RpkiValidator.RETRY_INTERVAL);
        assertThat(covers(validator, "192.0.2.7")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"roas\":[", "{\"roas\":[]}", "not json", "{\"roas\":[{\"asn\":1}]}"})
    void keepsTheDataIfTheNextIsNotValid(String next) {
        RpkiValidator validator = validator(url());
        covers(validator, "192.0.2.7");
        behavior = request -> request.response().end(next);
        advance(RpkiValidator.REFRESH_INTERVAL);
        covers(validator, "192.0.2.7");

        Await.until(() -> validator.failures() == 1);

        assertThat(covers(validator, "192.0.2.7")).isTrue();
    }

    @Test
    void failsWithoutDataAndRetriesAfterAMinute() {
        behavior = request -> request.connection().close();
        RpkiValidator validator = validator(url());

        failure(validator);
        int attempts = requests.get();
        failure(validator);
        assertThat(requests).hasValue(attempts);
        behavior = request -> request.response().end(json("192.0.2.0/24"));
        advance(RpkiValidator.RETRY_INTERVAL);

        assertThat(covers(validator, "192.0.2.7")).isTrue();
    }

    /** A redirect could lead to any server. */
    @Test
    void doesNotFollowRedirects() {
        behavior = request -> request.response()
                .setStatusCode(302)
                .putHeader("location", "/other")
                .end();

        try (CapturedLog log = new CapturedLog()) {
            failure(validator(url()));

            assertThat(log.text()).contains("cause=\"the status code is 302\"");
        }
        assertThat(requests).hasValue(1);
    }

    @Test
    void rejectsDataThatTheValidatorNoLongerUpdates() throws IOException {
        Path file = Files.writeString(
                folder.resolve("old.json"),
                "{\"metadata\":{\"buildtime\":\"2026-11-25T23:59:59Z\"},\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\","
                        + "\"maxLength\":24}]}");

        try (CapturedLog log = new CapturedLog()) {
            failure(validator(file.toString()));

            assertThat(log.text()).contains("the validator has not updated its data since 2026-11-25T23:59:59Z");
        }
    }

    @Test
    void readsAFileAgain() throws IOException {
        Path file = Files.writeString(folder.resolve("json"), json("192.0.2.0/24"));
        RpkiValidator validator = validator(file.toString());
        assertThat(covers(validator, "198.51.100.7")).isFalse();
        Files.writeString(file, json("198.51.100.0/24"));

        advance(RpkiValidator.REFRESH_INTERVAL);

        Await.until(() -> covers(validator, "198.51.100.7"));
    }

    /** Chunks without an end. */
    private static void sendForever(HttpServerRequest request) {
        Buffer spaces = Buffer.buffer(" ".repeat(64 * 1024));
        request.response().setChunked(true);
        request.response().write("{\"roas\":[");
        send(request, spaces);
    }

    private static void send(HttpServerRequest request, Buffer buffer) {
        request.response().write(buffer).onSuccess(written -> send(request, buffer));
    }

    @Test
    void endsAtTheMaximumSize() {
        behavior = RpkiValidatorTest::sendForever;

        try (CapturedLog log = new CapturedLog()) {
            failure(validator(url()));

            assertThat(log.text()).contains("cause=\"it is larger than 1048576 bytes\"");
        }
    }

    /** The check waits for half of its time, the load ends at its own time limit. */
    @Test
    void endsASlowDownload() {
        behavior = request -> {
            request.response().setChunked(true).write("{\"roas\":[");
            vertx.setPeriodic(50, tick -> request.response().write(" "));
        };
        RpkiValidator validator = validator(url(), new RpkiValidator.Limits(1 << 20, Duration.ofSeconds(1)));

        CheckFailure failure = (CheckFailure)
                Await.failure(validator.current(TestCheckContext.create().withDeadline(400)));

        // not cached, unlike the error of a failed load
        assertThat(failure.error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(failure.error().message())
                .isEqualTo("The data of the RPKI validator of this service is still being loaded.");
        Await.until(Duration.ofSeconds(10), () -> validator.failures() == 1);
    }

    @Test
    void endsADownloadWithoutAResponse() {
        behavior = request -> {};
        RpkiValidator validator = validator(url(), new RpkiValidator.Limits(1 << 20, Duration.ofSeconds(1)));

        Await.failure(validator.current(TestCheckContext.create().withDeadline(400)));

        Await.until(Duration.ofSeconds(10), () -> validator.failures() == 1);
    }

    @Test
    void loadsInTheBackgroundOfAService() {
        RpkiValidator validator = validator(url());

        validator.schedule();

        Await.until(() -> validator.size() == 1);
    }

    @Test
    void isOptional() {
        RpkiValidator validator = validator(null);

        validator.schedule();

        assertThat(validator.isConfigured()).isFalse();
        assertThat(validator.ageSeconds()).isNaN();
    }
}

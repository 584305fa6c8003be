package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.support.Await;
import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.OutputUnit;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instant checks over HTTP. */
@Tag("integration")
class InstantApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String BEHIND_A_PROXY = "127.0.0.0/8";
    private static ServiceUnderTest service;
    private static HttpLab lab;
    private static DnsLab dns;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        dns = DnsLab.start();
        service = startService();
    }

    private static ServiceUnderTest startService() {
        return ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", BEHIND_A_PROXY, "DNS_SERVERS", dns.address()));
    }

    @AfterAll
    static void stop() {
        service.close();
        dns.close();
    }

    @Test
    void secondRequestIsServedFromCache() {
        String target = lab.http("/ok?first");

        HttpResponse<String> fresh = service.instant("http-status", target, from("203.0.113.1"));
        HttpResponse<String> cached = service.instant("http-status", target, from("203.0.113.2"));
        HttpResponse<String> hot = service.instant("http-status", target, from("203.0.113.2"));

        JsonObject first = new JsonObject(fresh.body());
        assertThat(fresh.statusCode()).isEqualTo(200);
        assertThat(first.getString("verdict")).isEqualTo("pass");
        assertThat(first.getJsonObject("fields").getInteger("status")).isEqualTo(200);
        assertThat(first.getBoolean("cached")).isFalse();
        assertThat(first.getString("rules")).isEqualTo("http-status/1");
        assertThat(first.getString("target")).isEqualTo(target);
        assertThat(Instant.parse(first.getString("expires_at")))
                .isEqualTo(Instant.parse(first.getString("checked_at")).plusSeconds(600));
        assertThat(header(fresh, "RateLimit-Policy")).isEqualTo("\"fresh\";q=30;w=3600");
        assertThat(header(fresh, "RateLimit")).matches("\"fresh\";r=29;t=\\d+");
        assertThat(header(fresh, "Cache-Control")).isEqualTo("public, max-age=600");

        assertThat(new JsonObject(cached.body()))
                .isEqualTo(first.copy().put("cached", true).putNull("waited_ms"));
        assertThat(hot.body()).isEqualTo(cached.body());
        for (HttpResponse<String> free : List.of(cached, hot)) {
            assertThat(free.headers().firstValue("RateLimit")).isEmpty();
            assertThat(header(free, "ETag")).isEqualTo(header(fresh, "ETag"));
            assertThat(Integer.parseInt(header(free, "Age"))).isBetween(0, 600);
        }
    }

    @Test
    void matchingEntityTagGets304() {
        String target = lab.http("/ok?conditional");
        String etag = header(service.instant("http-status", target, from("203.0.113.3")), "ETag");

        HttpResponse<String> again = service.instant("http-status", target, "If-None-Match", "\"other\", " + etag);

        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(header(again, "ETag")).isEqualTo(etag);
    }

    @Test
    void equivalentTargetsShareOneResult() {
        String path = service.uri("/api/v1/instant/http-status/").getPath();
        String authority = lab.authority();

        HttpResponse<String> encoded =
                service.instant("http-status", "http://" + authority + "/ok?x=1", from("203.0.113.4"));
        HttpResponse<String> raw = service.get(path + "HTTP://" + authority + "/a/../ok?x=1");
        HttpResponse<String> oneSlash = service.get(path + "http:/" + authority + "/ok?x=1");

        assertThat(encoded.statusCode()).isEqualTo(200);
        for (HttpResponse<String> other : List.of(raw, oneSlash)) {
            assertThat(new JsonObject(other.body()))
                    .isEqualTo(
                            new JsonObject(encoded.body()).put("cached", true).putNull("waited_ms"));
        }
    }

    @Test
    void nonDefaultOptionsAreSeparateChecks() {
        String path = ServiceUnderTest.instantPath("http-status", lab.http("/ok?options"));

        service.get(path, from("203.0.113.5"));
        HttpResponse<String> theDefault = service.get(path + "?max_redirects=10");
        HttpResponse<String> another = service.get(path + "?max_redirects=0", from("203.0.113.5"));

        assertThat(new JsonObject(theDefault.body()).getBoolean("cached")).isTrue();
        assertThat(new JsonObject(another.body()).getBoolean("cached")).isFalse();
    }

    /** Both sets of options once had the same cache key. */
    @Test
    void optionValueCannotForgeCacheKey() {
        String path = ServiceUnderTest.instantPath("http-status", lab.http("/ok?lookalike"));

        HttpResponse<String> two = service.get(path + "?contains=all&expect_status=404", from("203.0.113.92"));
        HttpResponse<String> one = service.get(path + "?contains=all%2C%20expect_status%3D404", from("203.0.113.92"));

        assertThat(new JsonObject(two.body()).getBoolean("cached")).isFalse();
        assertThat(new JsonObject(one.body()).getBoolean("cached")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "max_redirects=21 | max_redirects | must be an integer from 0 to 20",
                "max_redirects=x | max_redirects | must be an integer from 0 to 20",
                "max_redirects= | max_redirects | must be an integer from 0 to 20",
                "nonsense=1 | nonsense | is not an option of http-status",
                "method=delete | method | one of auto, head, get",
                "verify_tls=yes | verify_tls | true or false",
                "timeout_ms=999 | timeout_ms | from 1000 to 30000",
                "ip_version=5 | ip_version | one of auto, 4, 6",
                "method=get&method=head | method | must not be repeated",
            })
    void invalidOptionIsNamed(String query, String parameter, String detail) {
        HttpResponse<String> refused =
                service.get(ServiceUnderTest.instantPath("http-status", "example.com") + "?" + query);

        JsonObject problem = new JsonObject(refused.body());
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(problem.getString("code")).isEqualTo("invalid-option");
        JsonObject parameterError = problem.getJsonArray("errors").getJsonObject(0);
        assertThat(parameterError.getString("parameter")).isEqualTo(parameter);
        assertThat(parameterError.getString("detail")).contains(detail);
    }

    @ParameterizedTest
    @CsvSource({
        "http-status, http://user:secret@example.com/, 422, invalid-target",
        "http-status, http://exa mple.com/, 422, invalid-target",
        "http-status, ftp://example.com/, 422, invalid-target",
        "http-status, localhost, 422, target-not-allowed",
        "http-status, http://169.254.169.254/, 422, target-not-allowed",
        "ssl-certificate, printer.local, 422, target-not-allowed",
        "no-such-module, example.com, 404, unknown-module",
    })
    void invalidTargetIsRejectedAndNotCharged(String module, String target, int status, String code) {
        int unique = Math.floorMod((module + target).hashCode(), 250);
        String[] client = from("192.0.2." + unique);

        HttpResponse<String> refused = service.instant(module, target, client);
        HttpResponse<String> fresh = service.instant("http-status", lab.http("/ok?unpaid=" + unique), client);

        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo(code);
        assertThat(header(fresh, "RateLimit")).startsWith("\"fresh\";r=29;");
    }

    @Test
    void headHasHeadersOfGet() {
        String path = ServiceUnderTest.instantPath("http-status", lab.http("/ok?head"));

        HttpResponse<String> head = service.send("HEAD", service.uri(path), from("203.0.113.90"));
        HttpResponse<String> get = service.get(path);

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "ETag")).isEqualTo(header(get, "ETag"));
        assertThat(new JsonObject(get.body()).getBoolean("cached")).isTrue();
    }

    @Test
    void unencodedTargetIsServedFromResponseCache() {
        String path = "/api/v1/instant/http-status/" + lab.http("/ok?typed");
        service.get(path, from("203.0.113.91"));
        double before = responseCacheHits();

        assertThat(service.get(path).statusCode()).isEqualTo(200);
        assertThat(responseCacheHits()).isEqualTo(before + 1);
    }

    private static double responseCacheHits() {
        return service.send("GET", service.management("/metrics"))
                .body()
                .lines()
                .filter(line -> line.startsWith("plumbline_cache_requests_total{result=\"hit\",tier=\"response\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    @Test
    void otherMethodsGet405() {
        HttpResponse<String> refused =
                service.send("DELETE", service.uri("/api/v1/instant/http-status/https://example.com/"));

        assertThat(refused.statusCode()).isEqualTo(405);
        assertThat(header(refused, "Allow")).isEqualTo("GET, HEAD, OPTIONS");
    }

    @Test
    void nameWithBlockedAddressIsChargedAndCached() {
        dns.address("private.lab.test", "93.184.216.34", "10.0.0.1");
        String target = "http://private.lab.test/";
        String[] client = from("203.0.113.90");
        service.instant("http-status", lab.http("/ok?before-blocked"), client);

        HttpResponse<String> fresh = service.instant("http-status", target, client);
        HttpResponse<String> known = service.instant("http-status", target, client);
        HttpResponse<String> after = service.instant("http-status", lab.http("/ok?after-blocked"), client);

        JsonObject result = new JsonObject(fresh.body());
        assertThat(fresh.statusCode()).isEqualTo(200);
        assertThat(result.getJsonObject("error").getString("code")).isEqualTo("target_blocked");
        assertThat(result.getBoolean("cached")).isFalse();
        assertThat(header(fresh, "RateLimit")).startsWith("\"fresh\";r=28;");
        assertThat(new JsonObject(known.body()))
                .isEqualTo(result.copy().put("cached", true).putNull("waited_ms"));
        assertThat(dns.queries("private.lab.test"))
                .as("one lookup, of A and AAAA")
                .isEqualTo(2);
        assertThat(header(after, "RateLimit")).startsWith("\"fresh\";r=27;");
    }

    @Test
    void limitIsExactAndCachedResultsAreFreeAfterRestart() throws Exception {
        String[] client = from("203.0.113.50");
        List<HttpResponse<String>> answers =
                concurrently(50, i -> service.instant("http-status", lab.http("/ok?limit=" + i), client));

        List<HttpResponse<String>> refused = answers.stream()
                .filter(response -> response.statusCode() == 429)
                .toList();
        assertThat(answers).filteredOn(response -> response.statusCode() == 200).hasSize(30);
        assertThat(refused).hasSize(20);
        for (HttpResponse<String> response : refused) {
            assertThat(Integer.parseInt(header(response, "Retry-After"))).isBetween(3000, 3600);
            assertThat(header(response, "RateLimit")).startsWith("\"fresh\";r=0;t=");
            JsonObject problem = new JsonObject(response.body());
            assertThat(problem.getString("code")).isEqualTo("quota-exceeded");
            assertThat(problem.getJsonArray("violated-policies")).containsExactly("fresh");
        }
        String known = new JsonObject(first(answers, 200).body()).getString("target");

        service.close();
        service = startService();

        HttpResponse<String> free = service.instant("http-status", known, client);
        assertThat(free.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(free.body()).getBoolean("cached")).isTrue();
        assertThat(service.instant("http-status", lab.http("/ok?more"), client).statusCode())
                .isEqualTo(429);
        assertThat(service.instant("http-status", lab.http("/ok?more"), from("203.0.113.51"))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void concurrentRequestsShareOneRunAndOneCharge() throws Exception {
        String target = lab.http("/slow?shared");
        int before = lab.requestsFor("/slow?shared").size();

        List<HttpResponse<String>> answers =
                concurrently(20, i -> service.instant("http-status", target, from("203.0.113.60")));

        assertThat(lab.requestsFor("/slow?shared")).hasSize(before + 1);
        assertThat(answers).allMatch(response -> response.statusCode() == 200);
        assertThat(answers)
                .filteredOn(response -> !new JsonObject(response.body()).getBoolean("cached"))
                .hasSize(1);
        HttpResponse<String> next = service.instant("http-status", lab.http("/ok?after-shared"), from("203.0.113.60"));
        assertThat(header(next, "RateLimit")).startsWith("\"fresh\";r=28;");
    }

    @Test
    void rejectedLeaderDoesNotBlockFollowers() throws Exception {
        String[] poor = from("203.0.113.70");
        concurrently(30, i -> service.instant("http-status", lab.http("/ok?poor=" + i), poor));
        String target = lab.http("/slow?poor-and-rich");

        List<HttpResponse<String>> answers =
                concurrently(10, i -> service.instant("http-status", target, i == 9 ? from("203.0.113.71") : poor));

        assertThat(answers).anyMatch(response -> response.statusCode() == 200);
        assertThat(answers).allMatch(response -> response.statusCode() == 200 || response.statusCode() == 429);
    }

    @Test
    void ownRequestsGetNoFreshCheck() {
        String target = lab.http("/ok?loop");
        String[] ours = {"User-Agent", "Plumbline/9.9 (+https://elsewhere.example)"};

        HttpResponse<String> refused = service.instant("http-status", target, ours);
        HttpResponse<String> disguised =
                service.instant("http-status", target, "User-Agent", "Mozilla/5.0", "Via", "1.1 plumbline");
        service.instant("http-status", target, from("203.0.113.80"));
        HttpResponse<String> known = service.instant("http-status", target, ours);

        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("request-loop");
        assertThat(new JsonObject(disguised.body()).getString("code")).isEqualTo("request-loop");
        assertThat(known.statusCode()).isEqualTo(200);
    }

    @Test
    void ownEndpointsAreNeverTargets() {
        HttpResponse<String> itself =
                service.instant("http-status", service.uri("/api/v1/tools").toString());
        HttpResponse<String> management =
                service.instant("http-status", service.management("/metrics").toString());

        for (HttpResponse<String> refused : List.of(itself, management)) {
            assertThat(refused.statusCode()).isEqualTo(422);
            assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("target-not-allowed");
        }
    }

    @Test
    void everyResultMatchesItsSchema() throws Exception {
        JsonObject schema =
                new JsonObject(service.get("/api/v1/tools/http-status").body()).getJsonObject("result_schema");
        List<LabTarget> targets = lab.targets().stream()
                .filter(target -> target.module().equals("http-status"))
                .toList();

        List<HttpResponse<String>> answers = concurrently(
                targets.size(),
                i -> repeatWhileOverloaded(() -> service.get(
                        ServiceUnderTest.instantPath(
                                        "http-status", targets.get(i).target()) + "?timeout_ms=2000",
                        from("198.51.100." + (i / 20)))));

        for (HttpResponse<String> response : answers) {
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            OutputUnit outcome = ContractValidator.validator(schema.copy()).validate(new JsonObject(response.body()));
            assertThat(outcome.getValid())
                    .as(response.body() + outcome.getErrors())
                    .isTrue();
        }
    }

    private static String[] from(String address) {
        return new String[] {"X-Forwarded-For", address};
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("none");
    }

    private static HttpResponse<String> first(List<HttpResponse<String>> answers, int status) {
        return answers.stream()
                .filter(response -> response.statusCode() == status)
                .findFirst()
                .get();
    }

    /** All targets at once can be more than a busy machine checks in two seconds; the service then refuses some. */
    private static HttpResponse<String> repeatWhileOverloaded(Supplier<HttpResponse<String>> request) {
        AtomicReference<HttpResponse<String>> latest = new AtomicReference<>();
        Await.until(() -> {
            latest.set(request.get());
            return latest.get().statusCode() != 503;
        });
        return latest.get();
    }

    private interface Call {
        HttpResponse<String> make(int index);
    }

    private static List<HttpResponse<String>> concurrently(int callers, Call call) throws Exception {
        // one HTTP/2 connection carries 100 concurrent requests
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(callers, 60));
        try {
            List<Callable<HttpResponse<String>>> calls = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int index = i;
                calls.add(() -> call.make(index));
            }
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (Future<HttpResponse<String>> response : threads.invokeAll(calls)) {
                answers.add(response.get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }
}
